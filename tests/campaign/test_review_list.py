"""Review lists as workbooks: typed cells, decisions, and the resulting gold standard."""

import math
import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Combined, Continuum, Corpus, DataError, Unit, read, read_corpus, write
from gammacp.campaign.consensus import consensus_of_each
from gammacp.campaign.consensus.gold_tables import review_workbook
from gammacp.campaign.review_list import checked_text, write_review, write_table
from gammacp.continuum.shapes import box, outline
from tests.tools.story import FIXTURES, TEXT

openpyxl = pytest.importorskip("openpyxl")
Run = Callable[..., Any]


@pytest.fixture
def book(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "list.xlsx"
    outcome = run("consensus", FIXTURES / "brat", "--review", path, "--splits", "0")
    assert outcome.code == 0, outcome.err
    return path


def decide(path: Path, **cells: object) -> None:
    """Write cells of the review sheet, such as A2."""
    workbook = openpyxl.load_workbook(path)
    for name, value in cells.items():
        workbook["review"][name] = value
    workbook.save(path)


def test_cells_are_typed_and_the_worst_come_first(book: Path) -> None:
    sheet = openpyxl.load_workbook(book)["review"]
    rows = [list(r) for r in sheet.iter_rows(values_only=True)]
    assert rows[0][:6] == ["decision", "document", "start", "end", "category", "kept"]
    assert [(r[1], r[2], r[3], r[4], r[5]) for r in rows[1:]] == [
        ("story", 8, 11, "PER", "no"),
        ("story", 28, 32, None, "no"),
        ("story", 17, 25, "LOC", "yes"),
        ("story", 0, 3, "PER", "yes"),
    ]
    place = rows[0].index("bob: start")
    assert rows[0][place : place + 3] == ["bob: start", "bob: end", "bob: category"]
    assert rows[3][place : place + 3] == [17, 20, "LOC"]
    assert sheet["C2"].data_type == "n"
    assert sheet.data_validations.dataValidation[0].formula1 == '"keep,drop,ann,bob"'


def test_decisions_make_the_gold_standard(run: Run, book: Path, tmp_path: Path) -> None:
    undecided = read(book)
    assert [(u.start, u.end, u.category) for u in undecided] == [(0, 3, "PER"), (17, 25, "LOC")]
    assert (undecided.text, undecided.name, undecided.offset_unit) == (TEXT, "story", "characters")
    assert [e.count for e in undecided.left_out] == [2]
    decide(book, A2="keep", A3="KEEP", E3="PRO", A4="bob", A5="drop")
    gold = read(book)
    assert list(gold) == [
        Unit("consensus", 8, 11, "PER"),
        Unit("consensus", 17, 20, "LOC"),
        Unit("consensus", 28, 32, "PRO"),
    ]
    assert [(e.kind, e.reason) for e in gold.left_out] == [("unit", "dropped by decision")]
    assert run("convert", book, tmp_path / "gold", "--to", "cas").code == 0
    assert list(read(tmp_path / "gold")) == list(gold)


def test_older_lists_with_a_continuum_column_are_read(book: Path) -> None:
    now = read(book)
    decide(book, B1="continuum")
    assert list(read(book)) == list(now)


def test_an_oversized_sheet_is_refused(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gammacp.campaign.review_list.MOST_CELLS", 1000)
    assert len(read(book)) == 2
    decide(book, A1001="keep")
    with pytest.raises(DataError, match=r"list\.xlsx: a sheet has more than 1000 cells"):
        read(book)


def test_text_that_excel_would_run_or_change_stays_text(run: Run, tmp_path: Path) -> None:
    for name, end in (("one", 4), ("two", 5)):
        rows = f"Ann,=1+1,0,{end}\nBob,=1+1,0,4\nCid,7,2.5,4\n"
        (tmp_path / f"{name}.csv").write_text(rows)
    path = tmp_path / "list.xlsx"
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    assert run("consensus", *files, "--review", path, "--splits", "0").code == 0
    sheet = openpyxl.load_workbook(path)["review"]
    assert "f" not in {c.data_type for row in sheet.iter_rows() for c in row}
    corpus = read_corpus(path)
    assert set(corpus) == {"one", "two"}
    assert next(iter(corpus["two"])).category == "=1+1"
    lines = {row[1].value: row[0].row for row in sheet.iter_rows(min_row=2)}
    decide(path, **{f"A{lines['one']}": "keep", f"E{lines['one']}": 7})
    assert "7" in {u.category for u in read_corpus(path)["one"]}


@pytest.mark.parametrize("character", ["\x1b", "\x00", "\x0b", "\x1f", "\ufffe", "\uffff"])
@pytest.mark.parametrize("where", ["annotator", "category", "document"])
def test_text_that_excel_cannot_hold_is_named(
    run: Run, tmp_path: Path, character: str, where: str
) -> None:
    name = f"x{character}y"
    names = {"annotator": "Ann", "category": "a"} | {where: name}
    units = [Unit(names["annotator"], 0, 4, names["category"]), Unit("Bob", 0, 5, "a")]
    corpus = Corpus.from_continua(
        {name if where == "document" else "d": Continuum.from_units(units)}
    )
    write(corpus, tmp_path / "c.json")
    outcome = run("consensus", tmp_path / "c.json", "--review", tmp_path / "list.xlsx")
    assert outcome.code == 3
    assert f"has the character U+{ord(character):04X}, which Excel refuses" in outcome.err
    assert character not in outcome.out + outcome.err
    assert not (tmp_path / "list.xlsx").exists()
    assert run("consensus", tmp_path / "c.json", "--review", tmp_path / "list.csv").code == 0


@pytest.mark.parametrize("text", ["a\x1bb", "a\ud800", "\ufffe", "x" * 32_768])
def test_the_gold_standard_as_a_workbook_holds_what_excel_does(tmp_path: Path, text: str) -> None:
    """Text that Excel cannot hold is refused and leaves no file."""
    with pytest.raises(DataError):
        write_table(tmp_path / "t.xlsx", "gold", [["category"], [text]])
    assert not list(tmp_path.iterdir())


@given(st.lists(st.text(), min_size=1))
@settings(max_examples=25, deadline=None)
def test_accepted_text_is_read_back(texts: list[str]) -> None:
    held = []
    for text in texts:
        with suppress(DataError):
            held.append([checked_text(f"-{text}.")])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.xlsx"
        write_table(path, "gold", held)
        rows = openpyxl.load_workbook(path)["gold"].iter_rows(values_only=True)
        assert [row[0] for row in rows if row[0] is not None] == [text for (text,) in held]


def test_bounds_and_reformatted_cells_are_read(run: Run, tmp_path: Path) -> None:
    path, file = tmp_path / "list.xlsx", tmp_path / "a.csv"
    file.write_text("# bounds: 0 60\n0,x,2,5\n1,x,2,4\n")
    assert run("consensus", file, "--review", path, "--splits", "0").code == 0
    assert read(path).bounds == (0, 60)
    decide(path, A2=0)
    assert [(u.start, u.end) for u in read(path)] == [(2, 5)]
    decide(path, A2="keep", C2=-3, E2=True)
    assert [(u.start, u.category) for u in read(path)] == [(-3, "TRUE")]
    assert read(path).bounds == (-3, 60)
    file.write_text("Keep,x,2,5\nBob,x,2,4\n")
    outcome = run("consensus", file, "--review", path, "--splits", "0")
    assert outcome.code == 3
    assert "annotator 'Keep' has the name of a decision" in outcome.err


@pytest.mark.parametrize("kept", ["Yes", "TRUE", True])
def test_kept_has_several_spellings(book: Path, kept: object) -> None:
    decide(book, F2=kept, F4="NO")
    assert [u.start for u in read(book)] == [0, 8]


def test_missing_rows_are_counted_and_copies_refused(book: Path) -> None:
    workbook = openpyxl.load_workbook(book)
    sheet = workbook["review"]
    first = [cell.value for cell in sheet[2]]
    sheet.delete_rows(2)
    workbook.save(book)
    reasons = {e.reason: e.count for e in read(book).left_out}
    assert reasons == {"undecided, and not in the consensus": 1, "its row was deleted": 1}
    for _ in range(2):
        sheet.append(first)
    workbook.save(book)
    with pytest.raises(DataError, match="row occurs twice") as caught:
        read(book)
    assert caught.value.line == 6


@pytest.mark.parametrize(
    ("cells", "line", "message"),
    [
        ({"A2": "maybe"}, 2, "decision 'maybe' is not one of keep, drop, ann, bob"),
        ({"A2": "bob"}, 2, "bob has no unit here"),
        ({"A2": "keep", "C2": "x"}, 2, "position 'x' is not a number"),
        ({"A2": "keep", "D2": 99}, 2, "lies beyond the text of 39"),
        ({"A2": "keep", "B2": "other"}, 2, "document 'other' is unknown"),
        ({"F3": "perhaps"}, 3, "kept 'perhaps' is neither yes nor no"),
        ({"A1": "verdict"}, 1, "there is no column 'decision'"),
    ],
)
def test_bad_decisions_say_where(
    book: Path, cells: dict[str, object], line: int, message: str
) -> None:
    decide(book, **cells)
    with pytest.raises(DataError, match=message) as caught:
        read(book)
    assert caught.value.line == line


def test_other_workbooks_are_refused(tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match="not a review list of gammacp"):
        read(tmp_path / "a.xlsx", format="review-list")


def test_damaged_workbooks_are_refused_or_read_correctly(book: Path) -> None:
    whole = book.read_bytes()
    for number in range(20):
        r = random.Random(number)
        damaged = bytearray(whole)
        at = r.randrange(4, len(damaged))
        damaged[at : at + r.randint(1, 60)] = r.randbytes(r.randint(0, 8))
        book.write_bytes(bytes(damaged))
        try:
            read(book)
        except DataError as error:
            assert "list.xlsx" in str(error)


def drawn(people: dict[str, list[tuple[Any, str]]]) -> Corpus:
    units = []
    for who, shapes in people.items():
        for (kind, rows), label in shapes:
            (start, end), shape = box(*rows) if kind == "box" else outline(kind, rows)
            units.append(Unit(who, start, end, label, shape=shape))
    return Corpus.from_continua({"scan": Continuum.from_units(units)})


SQUARE = ("polygon", [[(0, 0), (10, 0), (10, 10), (0, 10)]])
LARGER = ("polygon", [[(0, 0), (12, 0), (12, 10), (0, 10)]])
BESIDE = ("polygon", [[(30, 0), (40, 0), (40, 10)]])


@pytest.fixture
def shapes(run: Run, tmp_path: Path) -> Path:
    corpus = drawn({"ann": [(SQUARE, "cat"), (BESIDE, "dog")], "bob": [(LARGER, "cat")]})
    write(corpus, tmp_path / "scan.csv")
    path = tmp_path / "list.xlsx"
    options = ["--positional", "iou", "--review", path, "--splits", "0"]
    outcome = run("consensus", tmp_path / "scan.csv", *options)
    assert outcome.code == 0, outcome.err
    return path


def header(path: Path) -> dict[str, str]:
    """Return the letter of each column, by its heading."""
    sheet = openpyxl.load_workbook(path)["review"]
    return {cell.value: cell.column_letter for cell in sheet[1]}


def test_shapes_are_decided_on(shapes: Path) -> None:
    at = header(shapes)
    sheet = openpyxl.load_workbook(shapes)["review"]
    rows = {sheet[f"{at['start']}{n}"].value: n for n in (2, 3)}
    triangle = '{"polygon": [[[30, 0], [44, 0], [40, 10]]]}'
    decided = {
        f"A{rows[0]}": "bob",
        f"A{rows[30]}": "keep",
        f"{at['end']}{rows[30]}": 44,
        f"{at['shape']}{rows[30]}": triangle,
    }
    decide(shapes, **decided)
    gold = read(shapes)
    assert [(u.start, u.end, u.category) for u in gold] == [(0, 12, "cat"), (30, 44, "dog")]
    assert [u.shape.rings for u in gold if u.shape] == [
        (((0, 0), (12, 0), (12, 10), (0, 10)),),
        (((30, 0), (44, 0), (40, 10)),),
    ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("a square", "shape is not JSON"),
        ("[1, 2]", "is not a kind with its extents or points"),
        ('{"blob": [[0, 1]]}', "not a kind of shape with points"),
        (
            '{"polygon": [[[30, 0], [41, 0], [40, 10]]]}',
            "reaches from 30 to 41, and its",
        ),
    ],
)
def test_an_impossible_shape_is_named(shapes: Path, said: str, why: str) -> None:
    at = header(shapes)
    sheet = openpyxl.load_workbook(shapes)["review"]
    line = next(n for n in (2, 3) if sheet[f"{at['start']}{n}"].value == 30)
    decide(shapes, **{f"A{line}": "keep", f"{at['shape']}{line}": said})
    with pytest.raises(DataError, match=rf"list\.xlsx:{line}: .*{re.escape(why)}"):
        read(shapes)


def test_a_shape_that_no_cell_can_hold_is_refused(run: Run, tmp_path: Path) -> None:
    turns = [i / 999 * 2 * math.pi for i in range(999)]
    circle = ("polygon", [[(math.cos(x), math.sin(x)) for x in turns]])
    write(drawn({"ann": [(circle, "cat")], "bob": [(circle, "cat")]}), tmp_path / "scan.csv")
    options = ["--positional", "iou", "--review", tmp_path / "list.xlsx", "--splits", "0"]
    done = run("consensus", tmp_path / "scan.csv", *options)
    assert done.code == 3
    assert "Excel allows 32767" in done.err
    assert not (tmp_path / "list.xlsx").exists()


COORDINATES = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))
BOXES = st.tuples(*[st.tuples(COORDINATES, st.floats(0.5, 99))] * 3).map(
    lambda sides: ("box", [(low, low + size) for low, size in sides])
)


@given(st.lists(BOXES, min_size=1, max_size=4, unique_by=lambda b: b[1][0][0]))
@settings(max_examples=15, deadline=None)
def test_boxes_come_back_to_the_last_digit(boxes: list[Any]) -> None:
    """If all rows are kept, the gold standard that is read equals the one that was written."""
    corpus = drawn({"ann": [(b, "x") for b in boxes], "bob": [(b, "x") for b in boxes]})
    gold_standards = consensus_of_each(corpus, dissimilarity=Combined(positional="iou"))
    gold = {name: c.continuum for name, c in gold_standards.documents.items()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "list.xlsx")
        write_review(path, review_workbook(gold_standards.documents), gold)
        assert list(read(path)) == list(gold["scan"])


@pytest.mark.parametrize("name", ["list.doc", "list.xls", "list.DOCX", "list"])
def test_a_list_of_another_format_is_refused_before_files_are_read(
    run: Run, tmp_path: Path, name: str
) -> None:
    refused = run("consensus", "there-is-none.csv", "--review", tmp_path / name)
    assert refused.code == 2
    assert f"{name} does not end in .csv or .xlsx" in refused.err
    assert not [*tmp_path.iterdir()]
