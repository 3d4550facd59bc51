"""Units of several fragments in files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import gammacp as gc
from gammacp import Continuum, DataError, Unit, UsageError
from gammacp.continuum.needs import Need, unmet_need
from gammacp.formats import FORMATS, read, read_corpus, write
from tests.fragments import broken_continua

TEXT = "Ann picked the phone up and put it down."
BROKEN = Unit("ann", 4, 23, "verb", ((4, 10), (21, 23)))


@pytest.fixture
def both() -> Continuum:
    whole = Unit("bob", 4, 10, "verb")
    return Continuum.from_units([BROKEN, whole], name="d", text=TEXT, offset_unit="characters")


@pytest.mark.parametrize(("format", "file"), [("json", "a.json"), ("csv", "a.csv"), ("brat", "a")])
def test_round_trip(format: str, file: str, both: Continuum, tmp_path: Path) -> None:
    write(both, tmp_path / file, format=format)
    assert list(read(tmp_path / file)) == list(both)


@settings(max_examples=20, deadline=None)
@given(broken_continua(2))
def test_native_formats_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, c: Continuum
) -> None:
    folder = tmp_path_factory.mktemp("c")
    for name in ("a.json", "a.csv"):
        write(c, folder / name)
        assert list(read(folder / name)) == list(c)


def test_files_are_those_of_brat_and_csv(both: Continuum, tmp_path: Path) -> None:
    write(both, tmp_path / "gold", format="brat")
    assert (tmp_path / "gold/ann/d.ann").read_text() == "T1\tverb 4 10;21 23\tpicked up\n"
    write(both, tmp_path / "a.csv")
    assert "ann,verb,4,23,4 10;21 23\n" in (tmp_path / "a.csv").read_text()


@pytest.mark.parametrize(
    "name",
    [n for n, f in FORMATS.items() if f.writer and not f.keeps.fragments and n != "review-list"],
)
def test_other_formats_refuse_fragments(name: str, both: Continuum, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"1 units of d have several fragments.*Write JSON"):
        write(both, tmp_path / "a", format=name)
    assert not [*tmp_path.iterdir()]


def test_brat_fragments_can_be_covered_or_split_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tX 0 3;8 11\tAnn Bob\nT2\tX 0 3;3 5\tAnn p\n")
    kept, cover = read(tmp_path / "a.ann"), read(tmp_path / "a.ann", discontinuous="cover")
    assert [u.fragments for u in kept] == [(), ((0, 3), (8, 11))]
    assert (cover.breaks, [x.count for x in cover.left_out]) == (None, [1])
    assert read(tmp_path / "a.ann", discontinuous="split").n_units == 4
    assert not kept.left_out


LINES = "Ann picked  \r\n\n the phone\tup\nand\u00a0down. "


@pytest.mark.parametrize(
    ("places", "written"),
    [
        # Expected are the texts that annotator.py of brat (`__create_span`) writes for the same
        # spans.
        ([(4, 25)], "4 10;16 25\tpicked the phone"),
        ([(0, 38)], "0 10;16 28;29 38\tAnn picked the phone\tup and\u00a0down."),
        ([(0, 3), (20, 38)], "0 3;20 28;29 38\tAnn phone\tup and\u00a0down."),
        ([(16, 28)], "16 28\tthe phone\tup"),
        # White space at a unit's own ends, which brat would leave out, is kept.
        ([(10, 19)], "10 19\t      the"),
        ([(26, 29)], "26 29\tup "),
    ],
)
def test_brat_cuts_units_at_line_breaks(
    places: list[tuple[int, int]], written: str, tmp_path: Path
) -> None:
    inside = tuple(places) if len(places) > 1 else ()
    unit = Unit("ann", places[0][0], places[-1][1], "verb", inside)
    both = [unit, Unit("bob", 0, 3, "name")]
    write(
        Continuum.from_units(both, name="d", text=LINES, offset_unit="characters"),
        tmp_path / "gold",
        format="brat",
    )
    found = (tmp_path / "gold/ann/d.ann").read_bytes().decode()
    assert found == f"T1\tverb {written}\n"
    assert list(read(tmp_path / "gold")) == both
    assert read(tmp_path / "gold", discontinuous="split").n_units == 1 + len(places)


def test_brat_without_its_text_keeps_fragments(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tX 0 3;4 7\tAnn Bob\n")
    assert read(tmp_path / "a.ann").n_broken == 1
    (tmp_path / "a.txt").write_text("Ann\nBob")
    assert [(*u.fragments, u.end) for u in read(tmp_path / "a.ann")] == [(7,)]
    (tmp_path / "a.txt").write_text("Ann Bob")
    assert read(tmp_path / "a.ann").n_broken == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("T2\tX 0 5;3 9\tx", r"a\.ann:2: T2: fragments 0-5 and 3-9 of one unit overlap\. Correct"),
        ("T2\tX 0 5;9 9\tx", r"a\.ann:2: T2: fragment 9-9 is empty\. Leave it out or correct it"),
        ("T2\tX 0 5;9 7\tx", r"a\.ann:2: T2: end 7 < start 9"),
    ],
)
def test_bad_fragments_of_brat(
    line: str, said: str, tmp_path: Path, run: Callable[..., Any]
) -> None:
    (tmp_path / "a.ann").write_text(f"T1\tX 0 3\tAnn\n{line}\n")
    with pytest.raises(DataError, match=said):
        read(tmp_path / "a.ann")
    outcome = run("inspect", tmp_path / "a.ann")
    assert (outcome.code, "a.ann:2" in outcome.err) == (3, True)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("0 5;4 9", "fragments 0-5 and 4-9 of one unit overlap"),
        ("0 5;6 6;7 9", "fragment 6-6 is empty"),
        ("0 5;9 6", "end 6 < start 9"),
        ("0 5;7 8", "fragments reach from 0 to 8, their unit from 0 to 9"),
        ("0 5;7", "fragment '7' is not START END"),
        ("0 5;x 9", "fragment 'x 9' is not START END"),
        ("2", "fragment '2' is not START END.*discontinuous=cover.*\\[features.fragments\\]"),
    ],
)
def test_bad_fragments_of_csv(cell: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"annotator,category,start,end,fragments\nA,x,0,4,\nA,x,0,9,{cell}\n")
    with pytest.raises(DataError, match=rf"a\.csv:3: .*{said}"):
        read(file)


def test_a_column_named_fragments_may_hold_something_else(
    tmp_path: Path, run: Callable[..., Any]
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("annotator,category,start,end,fragments\nA,x,0,4,1\nB,x,0,9,noun phrase\n")
    found = run("inspect", file, "--option", "discontinuous=cover", "--json")
    assert (found.code, "fragments is not used" in found.out) == (0, True)
    labels = [u.category for u in read(file, features=["fragments"])]
    assert labels == [gc.Label("x", {"fragments": v}) for v in ("1", "noun phrase")]


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
@pytest.mark.parametrize("several", [False, True])
def test_native_formats_can_cover_and_split(
    name: str, several: bool, both: Continuum, tmp_path: Path
) -> None:
    write(gc.Corpus.from_continua({"d": both, "e": both}) if several else both, tmp_path / name)
    cover = read_corpus(tmp_path / name, discontinuous="cover")
    assert [c.n_broken for c in cover.values()] == [0] * len(cover)
    (counted,) = {x.kind: x.count for x in cover.left_out}.items()
    assert counted == (("column", 1) if name == "a.csv" else ("gap", len(cover)))
    split = read_corpus(tmp_path / name, discontinuous="split")
    assert [[(u.start, u.end) for u in c] for c in split.values()] == [
        [(4, 10), (21, 23), (4, 10)]
    ] * len(split)
    with pytest.raises(UsageError, match="discontinuous"):
        read(tmp_path / name, discontinuous="no")


def test_bad_fragments_of_json_and_of_python(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    body = '{"gammacp": 1, "continuum": {"units": [["A", "x", 0, 9, [[0, 5], [4, 9]]]]}}'
    file.write_text(body)
    with pytest.raises(DataError, match=r"a\.json: fragments 0-5 and 4-9 of one unit overlap"):
        read(file)
    with pytest.raises(DataError, match="fragments reach from 0 to 9, their unit from 1 to 9"):
        Continuum.from_units([Unit("A", 1, 9, "x", ((0, 5), (6, 9)))])
    with pytest.raises(DataError, match="fragments are not pairs of numbers"):
        Continuum.from_columns(["A"], ["x"], [0], [9], fragments=["0 9"])


def test_frames_have_a_column(both: Continuum) -> None:
    frame = both.to_frame()
    assert list(frame["fragments"]) == [BROKEN.fragments, ()]
    assert list(Continuum.from_frame(frame)) == list(both)


def test_fragments_in_differing_texts_are_moved_one_by_one(tmp_path: Path) -> None:
    """A missing character before the second fragment moves only that fragment."""
    for name, text, place in (
        ("ann", "abc def ghi", "0 3;8 11"),
        ("bob", "abc de ghi", "0 3;7 10"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.txt").write_text(text)
        (tmp_path / name / "d.ann").write_text(f"T1\tX {place}\tabc ghi\n")
    found = read_corpus([tmp_path], align_texts=True)["d"]
    assert [u.fragments for u in found] == [((0, 3), (8, 11))] * 2
    assert gc.align(found).disorder == 0


@pytest.mark.parametrize("text", ["She picked it up", "😀 picked it up now"])
def test_quotes_of_broken_units_show_how_offsets_count(tmp_path: Path, text: str) -> None:
    start = text.index("picked")
    ahead = len(text[:start].encode("utf-16-le")) // 2  # as a tool in JavaScript counts
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    places = f"{ahead} {ahead + 6};{ahead + 10} {ahead + 12}"
    (tmp_path / "a.ann").write_text(f"T1\tV {places}\tpicked up\n", encoding="utf-8")
    (unit,) = gc.read(tmp_path / "a.ann")
    assert unit.fragments == ((start, start + 6), (start + 10, start + 12))
    (tmp_path / "a.ann").write_text(f"T1\tV {places}\tpicked it\n", encoding="utf-8")
    with pytest.raises(DataError, match="is not what the text has at"):
        gc.read(tmp_path / "a.ann")


def test_decimal_boundaries_are_read_back_exactly() -> None:
    parts = ((2.02, 2.9), (7.44, 8.41))
    c = Continuum.from_units([Unit("A", 2.02, 8.41, "x", parts), Unit("A", 2.9, 7.44, "x")])
    assert next(iter(c)).fragments == parts
    assert unmet_need(c.atoms(), (Need.NO_OVERLAP,)) is None


def test_brat_has_no_fractions_inside_of_units(tmp_path: Path) -> None:
    unit = Unit("A", 0, 9, "x", ((0, 4.9), (6.2, 9)))
    c = Continuum.from_units([unit], text="once upon", offset_unit="characters")
    with pytest.raises(DataError, match="of unit 0-9 does not count characters"):
        write(c, tmp_path / "c", format="brat")


def test_a_feature_is_kept_beside_fragments() -> None:
    label = gc.Label("x", {"fragments": "two"})
    c = Continuum.from_units([Unit("A", 0, 9, label, ((0, 4), (6, 9)))])
    with pytest.raises(UsageError, match="would be one column"):
        c.to_frame()
