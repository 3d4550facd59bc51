"""CAS files: the type of a layer decides how it is read; dkpro-cassis writes the files.

Cassis is also the oracle.
"""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gammacp import DataError, Label, Unit, read
from gammacp.formats import collect
from tests.tools.story import TEXT, counted, links_by_starts

cassis = pytest.importorskip("cassis")
TypeSystemMode = pytest.importorskip("cassis.typesystem").TypeSystemMode

ANNOTATION = "uima.tcas.Annotation"
STRING = "uima.cas.String"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
Features = dict[str, str]


def types_of(layers: dict[str, tuple[str, Features]]) -> Any:
    """Return a type system of (supertype, features with the type of their values)."""
    types = cassis.TypeSystem()
    for name, (above, features) in layers.items():
        kind = types.create_type(name, supertypeName=above)
        for feature, values in features.items():
            types.create_feature(domainType=kind, name=feature, rangeType=values)
    return types


class Files:
    """Documents by two annotators, in a folder with or without the type system."""

    def __init__(self, folder: Path, types: Any, *, form: str, beside: bool) -> None:
        """Create the folder."""
        self.folder, self.types, self.form, self.beside = folder / "story", types, form, beside
        self.folder.mkdir()

    def write(self, who: str, rows: list[tuple[str, int, int, dict[str, Any]]]) -> list[Any]:
        """Write annotations of (type, begin, end, features); a feature may be the number
        of a row.
        """
        cas = cassis.Cas(self.types)
        cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
        made: list[Any] = []
        for kind, begin, end, features in rows:
            values = {k: made[v] if isinstance(v, int) else v for k, v in features.items()}
            made.append(self.types.get_type(kind)(begin=begin, end=end, **values))
            cas.add(made[-1])
        mode = TypeSystemMode.FULL if self.beside else TypeSystemMode.NONE
        if self.form == "json":
            cas.to_json(self.folder / f"{who}.json", type_system_mode=mode)
        else:
            cas.to_xmi(self.folder / f"{who}.xmi")
            if self.beside:
                self.types.to_xml(self.folder / "TypeSystem.xml")
        return made


def files(folder: Path, form: str, beside: bool, **layers: tuple[str, Features]) -> Files:
    named = {name.replace("__", "."): layer for name, layer in layers.items()}
    return Files(folder, types_of(named), form=form, beside=beside)


EVERY_WAY = list(product(["xmi", "json"], [True, False]))


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY)
def test_a_label_named_target_is_no_end_of_a_relation(
    tmp_path: Path, form: str, beside: bool
) -> None:
    fs = files(
        tmp_path,
        form,
        beside,
        custom__Opinion=(ANNOTATION, {"value": STRING, "target": STRING, "source": STRING}),
    )
    rows = [
        ("custom.Opinion", 0, 3, {"value": "PER", "target": "her"}),
        ("custom.Opinion", 8, 11, {"value": "PER", "target": "12", "source": "press"}),
        ("custom.Opinion", 17, 25, {"value": "LOC"}),
    ]
    for who in ("ann", "bob"):
        fs.write(who, rows)
    c = read(fs.folder)
    assert [(u.start, u.end, u.category) for u in c if u.annotator == "ann"] == [
        (0, 3, "PER"),
        (8, 11, "PER"),
        (17, 25, "LOC"),
    ]
    assert c.counts.tolist() == [3, 3]
    assert sum(n for (kind, _), n in counted(c).items() if kind == "value") == 6


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY)
@pytest.mark.parametrize("ends", [("Governor", "Dependent"), ("source", "target")])
def test_relations_between_units_are_links(
    tmp_path: Path, form: str, beside: bool, ends: tuple[str, str]
) -> None:
    fs = files(
        tmp_path,
        form,
        beside,
        custom__Span=(ANNOTATION, {"value": STRING}),
        custom__Link=(ANNOTATION, {ends[0]: ANNOTATION, ends[1]: ANNOTATION, "label": STRING}),
    )
    fs.write(
        "ann",
        [
            ("custom.Span", 0, 3, {"value": "PER"}),
            ("custom.Span", 8, 11, {"value": "PER"}),
            ("custom.Link", 8, 11, {ends[0]: 0, ends[1]: 1, "label": "meets"}),
        ],
    )
    c = read(fs.folder)
    assert [u.start for u in c] == [0, 8]
    assert links_by_starts(c) == {("meets", 0, 8, "directed")}
    assert "relation" not in {kind for kind, _ in counted(c)}


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY)
def test_chains_have_labels_and_no_ids(tmp_path: Path, form: str, beside: bool) -> None:
    fs = files(
        tmp_path,
        form,
        beside,
        custom__Link=(ANNOTATION, {"next": "custom.Link", "referenceType": STRING}),
    )
    fs.write(
        "ann",
        [
            ("custom.Link", 8, 11, {"referenceType": "nam"}),
            ("custom.Link", 0, 3, {"referenceType": "pro", "next": 0}),
        ],
    )
    c = read(fs.folder)
    assert [u.category for u in c] == ["pro", "nam"]
    ((_, *link),) = links_by_starts(c)
    assert link == [0, 8, "chain"]


@pytest.mark.parametrize("form", ["xmi", "json"])
def test_subtypes_belong_to_the_layer_of_their_supertype(tmp_path: Path, form: str) -> None:
    fs = files(
        tmp_path,
        form,
        True,
        **{
            POS.replace(".", "__"): (ANNOTATION, {"PosValue": STRING}),
            f"{POS}_NOUN".replace(".", "__"): (POS, {}),
            f"{POS}_VERB".replace(".", "__"): (POS, {}),
        },
    )
    fs.write("ann", [(f"{POS}_NOUN", 0, 3, {"PosValue": "N"}), (f"{POS}_VERB", 4, 7, {})])
    fs.write("bob", [(f"{POS}_NOUN", 0, 3, {"PosValue": "N"})])
    c = read(fs.folder)
    assert list(c) == [
        Unit("ann", 0, 3, "N"),
        Unit("ann", 4, 7, None),
        Unit("bob", 0, 3, "N"),
    ]
    assert read(fs.folder, layer="POS").n_units == 3
    nouns = read(fs.folder, layer="POS_NOUN")
    assert nouns.counts.tolist() == [1, 1]
    assert counted(nouns)["annotation", "layer POS was not chosen"] == 1


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY)
def test_sentences_are_read_if_they_are_named(tmp_path: Path, form: str, beside: bool) -> None:
    fs = files(
        tmp_path,
        form,
        beside,
        **{
            SENTENCE.replace(".", "__"): (ANNOTATION, {}),
            "custom__Span": (ANNOTATION, {"value": STRING}),
        },
    )
    fs.write("ann", [(SENTENCE, 0, 27, {}), ("custom.Span", 0, 3, {"value": "PER"})])
    assert list(read(fs.folder)) == [Unit("ann", 0, 3, "PER")]
    assert list(read(fs.folder, layer="Sentence")) == [Unit("ann", 0, 27, None)]
    with pytest.raises(DataError, match=r"'Phrase' does not occur\. There are: custom\.Span$"):
        read(fs.folder, layer="Phrase")


@pytest.mark.parametrize("beside", [True, False])
def test_several_values_give_one_unit_each(tmp_path: Path, beside: bool) -> None:
    fs = files(
        tmp_path,
        "json",
        beside,
        custom__Span=(ANNOTATION, {"value": "uima.cas.StringArray"}),
    )
    several = fs.types.get_type("uima.cas.StringArray")(elements=["a", "b"])
    cas = cassis.Cas(fs.types)
    cas.sofa_string = TEXT
    cas.add(fs.types.get_type("custom.Span")(begin=0, end=3, value=several))
    cas.to_json(fs.folder / "ann.json")
    assert [u.category for u in read(fs.folder)] == ["a", "b"]


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY[:3])
def test_units_and_left_out_parts_are_those_that_cassis_counts(
    tmp_path: Path, form: str, beside: bool
) -> None:
    fs = files(
        tmp_path,
        form,
        beside,
        **{
            SENTENCE.replace(".", "__"): (ANNOTATION, {}),
            "custom__Span": (ANNOTATION, {"value": STRING}),
            "custom__Other": (ANNOTATION, {"value": STRING}),
            "custom__Link": (ANNOTATION, {"Governor": ANNOTATION, "Dependent": ANNOTATION}),
        },
    )
    rows: list[tuple[str, int, int, dict[str, Any]]] = [
        (SENTENCE, 0, 27, {}),
        ("custom.Span", 0, 3, {"value": "PER"}),
        ("custom.Span", 0, 0, {}),
        ("custom.Span", 8, 11, {"value": "PER"}),
        ("custom.Span", 8, 11, {"value": "PER"}),
        ("custom.Other", 8, 11, {"value": "x"}),
        ("custom.Link", 8, 11, {"Governor": 1, "Dependent": 3}),
    ]
    fs.write("ann", rows)
    file = fs.folder / f"ann.{form}"
    with file.open("rb") as stream:
        if form == "xmi":
            cas = cassis.load_cas_from_xmi(stream, typesystem=fs.types)
        else:
            cas = cassis.load_cas_from_json(stream)
    theirs = len(list(cas.select_all_annotations()))
    c = read(fs.folder, layer="Span")
    ours = sum(e.count for e in c.left_out if e.kind == "annotation") + len(c.links)
    assert c.n_units == 4
    assert c.n_units + ours == theirs


def test_a_broken_type_system_is_named_with_its_place(tmp_path: Path) -> None:
    fs = files(tmp_path, "xmi", True, custom__Span=(ANNOTATION, {"value": STRING}))
    fs.write("ann", [("custom.Span", 0, 3, {"value": "PER"})])
    (fs.folder / "TypeSystem.xml").write_text("<typeSystemDescription", encoding="utf-8")
    found = collect([fs.folder / "ann.xmi"])
    assert not found.continua
    assert "TypeSystem.xml beside it: XML is broken" in str(found.failures[0][1])


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY)
def test_a_slot_has_roles_and_fillers(tmp_path: Path, form: str, beside: bool) -> None:
    fs = files(
        tmp_path,
        form,
        beside,
        custom__Span=(ANNOTATION, {"value": STRING}),
        custom__Link=("uima.cas.TOP", {"role": STRING, "target": ANNOTATION}),
        custom__Frame=(ANNOTATION, {"value": STRING, "links": "uima.cas.FSArray"}),
    )
    kind = {n: fs.types.get_type(f"custom.{n}") for n in ("Span", "Link", "Frame")}
    spans = [kind["Span"](begin=b, end=e, value="x") for b, e in ((8, 11), (0, 3))]
    links = [kind["Link"](role=r, target=s) for r, s in zip(("to", "by"), spans, strict=True)]
    array = fs.types.get_type("uima.cas.FSArray")(elements=links)
    cas = cassis.Cas(fs.types)
    cas.sofa_string = TEXT
    cas.add_all([*spans, kind["Frame"](begin=4, end=7, value="meet", links=array)])
    cas.add(kind["Frame"](begin=12, end=16, value="meet"))
    if form == "json":
        mode = TypeSystemMode.FULL if beside else TypeSystemMode.NONE
        cas.to_json(fs.folder / "ann.json", type_system_mode=mode)
    else:
        cas.to_xmi(fs.folder / "ann.xmi")
        fs.types.to_xml(fs.folder / "TypeSystem.xml") if beside else None
    found = read(fs.folder, layer="Frame", features=["links", "links.target"])
    label = Label("meet", {"links": "by+to", "links.target": "by 0-3+to 8-11"})
    assert [u.category for u in found] == [label, "meet"]
    assert counted(found) == {("annotation", "layer Span was not chosen"): 2}
    roles = read(fs.folder, layer="Frame", features=["links"])
    assert roles.categories == ("meet", Label("meet", {"links": "by+to"}))
    alone = read(fs.folder, layer="Frame", feature="value")
    assert counted(alone) == {
        ("annotation", "layer Span was not chosen"): 2,
        ("link", "leads to another layer (`read(fillers=units)` reads its target)"): 2,
    }
    whole = read(fs.folder, layer="Frame", feature="value", fillers="units")
    assert [(u.start, u.category) for u in whole] == [(0, "x"), (4, "meet"), (8, "x"), (12, "meet")]
    assert not counted(whole)
    assert links_by_starts(whole) == {
        ("to", 4, 8, "directed"),
        ("by", 4, 0, "directed"),
    }


@pytest.mark.parametrize(("form", "beside"), EVERY_WAY)
def test_slots_within_a_layer_are_links(tmp_path: Path, form: str, beside: bool) -> None:
    """Links need no role, and annotations outside of all views are counted."""
    fs = files(
        tmp_path,
        form,
        beside,
        custom__Link=("uima.cas.TOP", {"role": STRING, "target": ANNOTATION}),
        custom__Frame=(ANNOTATION, {"value": STRING, "links": "uima.cas.FSArray"}),
    )
    link, frame = (fs.types.get_type(f"custom.{n}") for n in ("Link", "Frame"))
    ends = [frame(begin=b, end=e, value="x") for b, e in ((8, 11), (0, 3), (12, 16))]
    links = [link(role=r, target=t) for r, t in zip(("to", None, "gone"), ends, strict=True)]
    array = fs.types.get_type("uima.cas.FSArray")(elements=links)
    cas = cassis.Cas(fs.types)
    cas.sofa_string = TEXT
    ends[2].sofa = cas.get_sofa()
    cas.add_all([*ends[:2], frame(begin=4, end=7, value="y", links=array)])
    if form == "json":
        mode = TypeSystemMode.FULL if beside else TypeSystemMode.NONE
        cas.to_json(fs.folder / "ann.json", type_system_mode=mode)
    else:
        cas.to_xmi(fs.folder / "ann.xmi")
        fs.types.to_xml(fs.folder / "TypeSystem.xml") if beside else None
    c = read(fs.folder)
    assert links_by_starts(c) == {("to", 4, 8, "directed"), ("", 4, 0, "directed")}
    assert counted(c) == {
        ("annotation", "not indexed"): 1,
        ("link", "leads to another layer (`read(fillers=units)` reads its target)"): 1,
    }
