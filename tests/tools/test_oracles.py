"""Readers against other implementations of the same formats."""

import warnings
from pathlib import Path

import pytest

from gammacp import Continuum, Unit, read, write
from gammacp.errors import DataError
from tests.tools.story import FIXTURES, TEXT, UNITS

LAYER = "custom.Span"


@pytest.mark.parametrize("ending", ["xmi", "json"])
def test_cas_of_dkpro_cassis_is_read(tmp_path: Path, ending: str) -> None:
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    span = types.create_type(LAYER, supertypeName="uima.tcas.Annotation")
    types.create_feature(domainType=span, name="value", rangeType="uima.cas.String")
    for who in ("ann", "bob"):
        cas = cassis.Cas(types)
        cas.sofa_string = TEXT
        cas.sofa_mime = "text/plain"
        for u in UNITS:
            if u.annotator == who:
                cas.add(span(begin=int(u.start), end=int(u.end), value=u.category))
        file = tmp_path / "story" / f"{who}.{ending}"
        file.parent.mkdir(exist_ok=True)
        (cas.to_xmi if ending == "xmi" else cas.to_json)(file)
    c = read(tmp_path)
    assert list(c) == UNITS
    assert c.text == TEXT


def test_xmi_is_read_as_by_dkpro_cassis() -> None:
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    for name, features in (
        ("ner.type.NamedEntity", ("value",)),
        ("segmentation.type.Token", ("order",)),
        ("segmentation.type.Sentence", ()),
    ):
        kind = types.create_type(
            f"de.tudarmstadt.ukp.dkpro.core.api.{name}", supertypeName="uima.tcas.Annotation"
        )
        for feature in features:
            types.create_feature(domainType=kind, name=feature, rangeType="uima.cas.String")
    file = FIXTURES / "cas" / "story" / "ann.xmi"
    cas = cassis.load_cas_from_xmi(file, typesystem=types)
    theirs = [
        (a.begin, a.end, a.value)
        for a in cas.select("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    ]
    assert [(u.start, u.end, u.category) for u in read(file)] == theirs


def praat_units(file: Path) -> list[tuple[str, float, float, str]]:
    pytest.importorskip("praatio")
    from praatio import textgrid

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grid = textgrid.openTextgrid(str(file), includeEmptyIntervals=False)
    return [
        (tier.name, *(float(x) for x in entry[:-1]), entry[-1])
        for tier in grid.tiers
        for entry in tier.entries
    ]


def test_textgrid_is_read_as_by_praatio() -> None:
    file = FIXTURES / "MaureenMarvinRobin.TextGrid"
    ours = [(u.annotator, u.start, u.end, u.category) for u in read(file)]
    assert sorted(ours) == sorted(praat_units(file))


def test_praatio_reads_our_files(tmp_path: Path) -> None:
    units = [Unit("A", 0.5, 1.25, 'say "hi"'), Unit("A", 1.25, 3, "b"), Unit("B", 0.1, 0.3, "é")]
    file = tmp_path / "a.TextGrid"
    write(Continuum.from_units(units, bounds=(0, 4)), file)
    assert praat_units(file) == [(u.annotator, u.start, u.end, u.category) for u in units]


def test_praatio_reads_units_that_overlap(tmp_path: Path) -> None:
    """praatio refuses two tiers of one name, so lanes get numbers, and are read back as one
    annotator.
    """
    textgrid = pytest.importorskip("praatio.textgrid")
    units = [Unit("gold", 0, 4, "a"), Unit("gold", 1, 5, "b"), Unit("gold", 2, 3, "c")]
    units += [Unit("gold", 3, 3, "point"), Unit("gold", 3, 3, "other")]
    write(Continuum.from_units(units, bounds=(0, 9)), tmp_path / "g.TextGrid")
    theirs = textgrid.openTextgrid(str(tmp_path / "g.TextGrid"), includeEmptyIntervals=False)
    assert theirs.tierNames == ("gold", "gold #2", "gold #3", "gold #4", "gold #5")
    labels = {entry.label for tier in theirs.tiers for entry in tier.entries}
    assert labels == {"a", "b", "c", "point", "other"}
    back = read(tmp_path / "g.TextGrid")
    assert back.annotators == ("gold",)
    assert sorted(back, key=str) == sorted(units, key=str)
    clash = [*units, Unit("gold #2", 0, 4, "a")]
    with pytest.raises(DataError, match="Rename the annotator"):
        write(Continuum.from_units(clash, bounds=(0, 9)), tmp_path / "h.TextGrid")


@pytest.mark.parametrize("form", ["short_textgrid", "long_textgrid"])
def test_textgrid_of_praatio_is_read(tmp_path: Path, form: str) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    grid = textgrid.Textgrid()
    grid.addTier(textgrid.IntervalTier("A", [(0.5, 1.25, "x y"), (2, 3, '"')], 0, 4))
    grid.addTier(textgrid.PointTier("B", [(0.1, "tick")], 0, 4))
    file = tmp_path / "a.TextGrid"
    grid.save(str(file), format=form, includeBlankSpaces=True)
    assert [(u.annotator, u.start, u.end, u.category) for u in read(file)] == [
        ("A", 0.5, 1.25, "x y"),
        ("A", 2, 3, '"'),
        ("B", 0.1, 0.1, "tick"),
    ]


def test_docbin(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
        from spacy.tokens import DocBin

        for who in ("ann", "bob"):
            doc = spacy.blank("en")(TEXT)
            mine = [u for u in UNITS if u.annotator == who]
            found = [doc.char_span(int(u.start), int(u.end), label=u.category or "") for u in mine]
            doc.spans["sc"] = [*found, *found[:1]]
            doc.ents = [span for span in found if span.label_]
            (tmp_path / who).mkdir()
            (tmp_path / who / "story.spacy").write_bytes(DocBin(docs=[doc]).to_bytes())
        assert list(read(tmp_path)) == [u for u in UNITS if u.category]
        groups = read(tmp_path, layer="sc")
    assert groups.n_units == len(UNITS) + 2
    assert groups.text == TEXT
