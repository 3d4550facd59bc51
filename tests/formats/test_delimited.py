from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Corpus, DataError, Unit, read, read_corpus, write
from gammacp.continuum.declaring import declare_annotators
from gammacp.continuum.selecting import keep_annotators

ROWS = "Ann,Verb,2,9\nBob,Noun,3,9\n"
EXPECTED = Continuum.from_units([Unit("Ann", 2, 9, "Verb"), Unit("Bob", 3, 9, "Noun")])


def read_text(tmp_path: Path, text: str | bytes, name: str = "a.csv") -> Continuum:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(file)


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        ROWS.replace(",", ";"),
        ROWS.replace(",", "\t"),
        ROWS.replace(",", "|"),
        ROWS.replace(",", ", "),
        ROWS.replace("\n", "\r\n"),
        "\ufeff" + ROWS,
        "annotator,category,start,end\n" + ROWS,
        "end,start,category,annotator\n9,2,Verb,Ann\n9,3,Noun,Bob\n",
        'id,Coder,Label,Onset,Stop,remark\n1,Ann,Verb,2,9,"a, b"\n2,Bob,Noun,3.0,9,\n',
        '"Ann","Verb","2","9"\n"Bob","Noun","3","9"\n',
        '# a comment, with a "quote\n\n' + ROWS + "\n\n",
    ],
)
def test_the_same_units_in_every_dialect(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text) == EXPECTED


def test_utf16_with_a_mark(tmp_path: Path) -> None:
    assert read_text(tmp_path, ROWS.encode("utf-16")) == EXPECTED


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt"])
@pytest.mark.parametrize("name", ["S-1", "T1", "SPEAKER", "O", "{1}", "<a>", "PK"])
def test_names_do_not_look_like_another_format(tmp_path: Path, name: str, ending: str) -> None:
    c = read_text(tmp_path, f"{name},x,1,2\n" * 4, f"a.{ending}")
    assert list(c) == [Unit(name, 1, 2, "x")] * 4


def test_empty_positions_declare_an_annotator(tmp_path: Path) -> None:
    c = read_text(tmp_path, ROWS + "Cid,,,\n")
    assert c.annotators == ("Ann", "Bob", "Cid")
    assert c.counts.tolist() == [1, 1, 0]


def test_empty_category_is_unlabelled(tmp_path: Path) -> None:
    assert [u.category for u in read_text(tmp_path, "Ann,,2,9\nBob,a,2,9\n")] == [None, "a"]
    assert [u.category for u in read_text(tmp_path, "annotator,start,end\nAnn,2,9\n")] == [None]


def test_bounds_and_offset_unit_are_read(tmp_path: Path) -> None:
    c = read_text(tmp_path, "# bounds: 0 20\n# offset unit: ms\n" + ROWS)
    assert c.bounds == (0, 20)
    assert c.offset_unit == "ms"


@pytest.mark.parametrize("name", ["document", "continuum"])
def test_documents_are_written_with_a_column_and_read_under_both_names(
    tmp_path: Path, name: str
) -> None:
    corpus = Corpus.from_continua({"a": EXPECTED, "b": keep_annotators(EXPECTED, ["Ann"])})
    file = tmp_path / "a.csv"
    write(corpus, file)
    written = file.read_text(encoding="utf-8")
    assert written.count("\ndocument,annotator,category,start,end\n") == 1
    file.write_text(written.replace("\ndocument,", f"\n{name},"), encoding="utf-8")
    assert {n: list(c) for n, c in read_corpus(file).items()} == {
        n: list(c) for n, c in corpus.items()
    }


def test_a_continuum_column_makes_a_corpus(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "# bounds: 0 20 two\ndocument,annotator,category,start,end\none,Ann,x,1,2\ntwo,Bob,y,3,4\n"
        "three,,,,\n",
        encoding="utf-8",
    )
    corpus = read_corpus(file)
    assert list(corpus) == ["one", "two", "three"]
    assert corpus.categories == ("x", "y")
    assert [c.bounds for c in corpus.values()] == [(1, 2), (0, 20), (0, 0)]
    with pytest.raises(DataError, match=r"3 continua instead of one.*read_corpus"):
        read(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        ("\n\n", "file is empty"),
        ("# bounds: 0 1\n", "file has no rows"),
        (ROWS + "Bob,Noun,3\n", r"a\.csv:3: row has 3 columns, but the first row has 4"),
        ("Ann,1,2\n", r"a\.csv:1: row has 3 columns instead of 4"),
        ("Ann,x,1,2,3\n", r"a\.csv:1: row has 5 columns instead of 4.*add a header"),
        (ROWS + "Bob,Noun,three,4\n", r"a\.csv:3: start 'three' is not a number"),
        (ROWS + "Bob,Noun,3,nan\n", r"a\.csv:3: end 'nan' is not a finite number"),
        (ROWS + "Bob,Noun,-inf,3\n", r"a\.csv:3: start '-inf' is not a finite number"),
        (ROWS + "Bob,Noun,1_0,30\n", r"a\.csv:3: start '1_0' is not a number"),
        (ROWS + "Bob,Noun,3,\n", r"a\.csv:3: end '' is not a number"),
        (ROWS + "Bob,Noun,,\n", r"a\.csv:3: unit 'Noun' of Bob has no start and no end"),
        (ROWS + ",Noun,3,4\n", r"a\.csv:3: annotator is empty"),
        (ROWS + "Bob,Noun,7,3\n", r"a\.csv:3: end 3 < start 7\. Swap"),
        (ROWS + "Bob,Noun,0,9007199254740993\n", r"a\.csv:3: end .* beyond 2\^53"),
        ('Ann,x,"1,5",2\nBob,x,1,2\n', r"a\.csv:1: start '1,5' is not a number; write a decimal"),
        ('# x\nAnn,"a\nb",1,2\nBob,x,4,3\n', r"a\.csv:4: end 3 < start 4"),
        (ROWS + 'Bob,"Noun,3,4\n', r"a\.csv:3: row cannot be read"),
        ("annotator,category,start\nAnn,x,1\n", r"a\.csv:1: there is no column for end"),
        ("coder,rater,start,end\nA,B,1,2\n", r"a\.csv:1: several columns could be the annotator"),
        ("# bounds: 3 x\n" + ROWS, r"a\.csv:1: bounds '3 x' are not two numbers"),
        ("# bounds: 3 5\n" + ROWS, r"a\.csv:1: units reach from 2 to 9, outside the bounds 3:5"),
        ("# bounds: 0 9 z\n" + ROWS, r"a\.csv:1: bounds are given for 'z'"),
        (b"Ann,x,1,2\nBob,\xe9,1,2\n", r"a\.csv:2: byte 0xe9 is not UTF-8"),
    ],
)
def test_errors_have_a_place_and_a_cause(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_text(tmp_path, text)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: file does not exist"):
        read(tmp_path / "none.csv")


def test_whole_numbers_are_written_as_such_and_others_exactly(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    write(Continuum.from_units([Unit("A", 1.0, 0.1 + 0.2 + 1, None)]), file)
    assert file.read_text(encoding="utf-8").splitlines()[-1] == f"A,,1,{0.1 + 0.2 + 1!r}"


def test_blanks_around_names_are_counted_and_left_out(tmp_path: Path) -> None:
    c = read_text(tmp_path, '"Ann ",x ,1,2\nAnn,x,3,4\nBob,\u00a0,1,2\nBob, x,3,4\n')
    assert c.annotators == ("Ann", "Bob")
    assert [u.category for u in c] == ["x", "x", None, "x"]
    (entry,) = c.left_out
    assert (entry.kind, entry.count) == ("blank", 3)


@pytest.mark.parametrize("unit", [Unit("A ", 0, 1, "x"), Unit("A", 0, 1, "\tx")])
def test_names_with_blanks_around_them_are_not_written(tmp_path: Path, unit: Unit) -> None:
    with pytest.raises(DataError, match="has blanks at its ends"):
        write(Continuum.from_units([unit]), tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip).filter(bool)
positions = st.floats(-1e6, 1e6) | st.integers(-(2**53), 2**53)
units = st.builds(
    lambda a, c, p, q: Unit(a, min(p, q), max(p, q), c),
    names,
    st.none() | names,
    positions,
    positions,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(units, max_size=8),
    st.lists(names, unique=True, max_size=3),
    st.sampled_from(["csv", "tsv", "json"]),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Unit], idle: list[str], ending: str
) -> None:
    file = tmp_path_factory.mktemp("trip") / f"a.{ending}"
    everybody = sorted({*idle, *(u.annotator for u in rows)})
    c = Continuum.from_units(rows, annotators=everybody)
    write(c, file)
    assert read(file) == c
    corpus = Corpus.from_continua({"one": c, "two words": declare_annotators(c, ["Z"])})
    write(corpus, file)
    back = read_corpus(file)
    assert list(back) == list(corpus)
    for name in corpus:
        assert list(back[name]) == list(corpus[name])
        assert set(back[name].annotators) == set(corpus[name].annotators)
        assert back[name].bounds == corpus[name].bounds
