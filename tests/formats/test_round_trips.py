"""Round trips of all writers: their files are read back with every unit."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Corpus, DataError, Unit, read, read_corpus, write
from gammacp.formats import FORMATS

WRITERS = [name for name, f in FORMATS.items() if f.writer and f.data_kind != "shapes"]

TEXTUAL = ("brat", "cas", "webanno", "label-studio", "doccano", "prodigy")

# U+FFFE and U+FFFF are not characters of XML: ELAN and CAS cannot hold them.
characters_of_names = st.characters(
    exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufffe\uffff"
)
names = st.text(characters_of_names, min_size=1, max_size=6)
labels = st.text("abcé漢😊<&\"'%;-", min_size=1, max_size=4)
places = st.integers(0, 40)


def continua(ending: str) -> st.SearchStrategy[Continuum]:
    fractions = st.integers(0, 400).map(lambda n: n / 16)
    of_texts = ending in TEXTUAL
    positions = places if of_texts or ending == "elan" else fractions
    safe = st.sampled_from(["Ann", "Bob", "Zoé", "C-3 (x)", "17"])
    annotators = safe if FORMATS[ending].writer.per_annotator else names
    category = labels if ending in ("textgrid", "doccano") else st.none() | labels
    least = ending in ("webanno", "doccano")
    units = st.builds(
        lambda a, c, p, q: Unit(a, min(p, q), max(p, q) + least, c),
        annotators,
        category,
        positions,
        positions,
    )
    return st.builds(
        lambda us, idle, text: Continuum.from_units(
            us,
            annotators=sorted({*idle, *(u.annotator for u in us)}),
            name="doc",
            text=text if of_texts else None,
        ),
        st.lists(units, max_size=7),
        st.lists(annotators, min_size=1, max_size=2, unique=True),
        st.text("ab \t\n\r\\_*#|😊é" + "\f" * (ending != "cas"), min_size=50, max_size=60).filter(
            str.strip
        ),
    )


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_unit_survives(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    c = data.draw(continua(name))
    folder = tmp_path_factory.mktemp(name)
    path = (
        folder
        if FORMATS[name].writer.per_annotator
        else folder / f"doc{FORMATS[name].extensions[0]}"
    )
    write(c, path, format=name)
    back = read(path)
    assert list(back) == list(c)
    assert back.annotators == c.annotators
    assert back.text == (c.text if FORMATS[name].keeps.text else None)


@pytest.mark.needs("tools")
@pytest.mark.parametrize("name", ["elan", "textgrid"])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_tiers_of_overlapping_units_need_no_option(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    """Units are read back with and without `tier`, also if a tool put its own name into
    the file.
    """
    c, ending = data.draw(continua(name)), FORMATS[name].extensions[0]
    folder = tmp_path_factory.mktemp(name)
    path = folder / f"doc{ending}"
    write(c, path)
    path.write_text(path.read_text("utf-8").replace('AUTHOR="gammacp"', 'AUTHOR=""'), "utf-8")
    for tier in (None, "{annotator}"):
        assert list(read(path, tier=tier)) == list(c)
    units = [Unit("Ann", u.start, u.end, u.category) for u in c]
    everything = Continuum.from_units(units, annotators=["Ann"])
    (folder / "Ann").mkdir()
    write(everything, folder / "Ann" / f"doc{ending}")
    assert list(read(folder / "Ann", layout="{annotator}/{document}")) == list(everything)


@pytest.mark.needs("tools")
def test_writers_are_the_documented_ones() -> None:
    promised = {"json", "csv", "arrow", "elan", "textgrid", "rttm", *TEXTUAL}
    assert set(WRITERS) == promised, "add it here; docs/formats.md promises writers by name"


@pytest.mark.parametrize("ending", [".json", ".csv", ".tsv"])
def test_a_corpus_in_one_file(tmp_path: Path, ending: str) -> None:
    one = Continuum.from_units([Unit("A", 0, 1, "x")], bounds=(0, 9))
    two = Continuum.from_units([Unit("B", 2, 3.5, None)], annotators=["Z"])
    corpus = Corpus.from_continua({"one": one, "two words": two})
    write(corpus, tmp_path / f"c{ending}")
    back = read_corpus(tmp_path / f"c{ending}")
    assert {name: (list(c), c.bounds, set(c.annotators)) for name, c in back.items()} == {
        name: (list(c), c.bounds, set(c.annotators)) for name, c in corpus.items()
    }


@pytest.mark.needs("tools")
def test_a_corpus_in_a_brat_folder(tmp_path: Path) -> None:
    text = "a b c"
    corpus = Corpus.from_continua(
        {
            name: Continuum.from_units([Unit("A", 0, 1, name)], text=text, annotators=["B"])
            for name in ("one", "two")
        }
    )
    write(corpus, tmp_path, format="brat")
    back = read_corpus(tmp_path)
    assert {n: (list(c), set(c.annotators), c.text) for n, c in back.items()} == {
        n: (list(c), set(c.annotators), text) for n, c in corpus.items()
    }


def test_the_native_format_loses_nothing(tmp_path: Path) -> None:
    c = Continuum.from_units(
        [Unit("", 0.1, 2**53, ""), Unit("B", -1e-300, 0.3, None), Unit("\ud800", 0, 1, "x")],
        annotators=["Z"],
        categories=["unused", "x"],
        bounds=(-5, 2**53),
        name="näme",
        offset_unit="frames",
        text='a "text"\r\n\u2028😊',
    )
    for document in (c, Corpus.from_continua({"k": c}, categories=["first"])):
        file = tmp_path / "a.json"
        write(document, file)
        found = read_corpus(file) if isinstance(document, Corpus) else {"": read(file)}
        kept = document if isinstance(document, Corpus) else {"": document}
        for name in kept:
            a, b = found[name], kept[name]
            assert a == b
            assert (a.name, a.offset_unit, a.text) == (b.name, b.offset_unit, b.text)
    assert found.categories == ("first", "", "unused", "x")  # type: ignore[union-attr]


def test_the_native_format_in_another_layout(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(
        '{\n  "gammacp": 1,\n  "continuum": {"units": [["A", null, 0, 1.5]]}\n}', encoding="utf-8"
    )
    assert list(read(file)) == [Unit("A", 0, 1.5, None)]


@pytest.mark.needs("tools")
@pytest.mark.parametrize(
    ("unit", "format", "message"),
    [
        (Unit("A", 0.5, 1, "x"), "brat", "does not count characters"),
        (Unit("A", 0, 1, "x y"), "brat", "category 'x y' cannot be a brat type"),
        (Unit("A", 0, 1, "_"), "brat", "category '_' cannot be a brat type"),
        (Unit("../A", 0, 1, "x"), "brat", "annotator '../A' cannot be the name of a file"),
        (Unit("A", 0, 1, "\x00"), "elan", "has a character that XML does not have"),
        (Unit("\ud800", 0, 1, "x"), "csv", "has a character that UTF-8 cannot encode"),
        (Unit(" ", 0, 1, "x"), "csv", "annotator name ' ' is blank"),
    ],
)
def test_units_that_a_format_cannot_hold_are_refused(
    tmp_path: Path, unit: Unit, format: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        write(Continuum.from_units([unit]), tmp_path / "out", format=format)
    assert not any(p.is_file() for p in tmp_path.rglob("*"))


@pytest.mark.needs("tools")
def test_one_file_per_continuum(tmp_path: Path) -> None:
    c = Continuum.from_units([Unit("A", 0, 1, "x")])
    with pytest.raises(DataError, match="2 continua do not fit into one ELAN file"):
        write(Corpus.from_continua({"a": c, "b": c}), tmp_path / "a.eaf")
    write(Corpus.from_continua({"a": c, "b": c}), tmp_path / "out", format="elan")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.eaf", "b.eaf"]
    assert [list(x) for x in read_corpus(tmp_path / "out").values()] == [list(c), list(c)]
    with pytest.raises(DataError, match="continuum 'a/b' cannot be the name of a file"):
        write(Corpus.from_continua({"a": c, "a/b": c}), tmp_path / "new", format="elan")
    assert not (tmp_path / "new").exists()
