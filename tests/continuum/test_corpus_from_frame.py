"""Corpora from data frames: the columns of CSV, and errors that name row and column."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit, UsageError

ROWS: dict[str, list[Any]] = {
    "document": ["one", "one", "two", "two"],
    "annotator": ["Ann", "Bob", "Ann", "Bob"],
    "category": ["x", None, "y", "x"],
    "start": [0, 1, 0, 2.5],
    "end": [4, 5, 3, 6],
}
EXPECTED = {
    "one": [Unit("Ann", 0, 4, "x"), Unit("Bob", 1, 5, None)],
    "two": [Unit("Ann", 0, 3, "y"), Unit("Bob", 2.5, 6, "x")],
}


class Columns:
    """Frame with columns and nothing else, like that of polars without pyarrow."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns
        self.columns = [*columns]

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]


def pandas_frame(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


@pytest.mark.parametrize("kind", [dict, Columns, pandas_frame])
def test_rows_become_the_units_of_their_documents(kind: Any) -> None:
    corpus = Corpus.from_frame(kind(ROWS))
    assert {name: [*c] for name, c in corpus.items()} == EXPECTED
    assert corpus.categories == ("x", "y")
    assert corpus.annotators == ("Ann", "Bob")
    assert [c.name for c in corpus.values()] == ["one", "two"]
    assert corpus.left_out == ()


def test_columns_have_the_names_of_csv(tmp_path: Path) -> None:
    named = dict(zip(("Doc ID", "Coder", "Tag", "onset", "Stop"), ROWS.values(), strict=True))
    assert {n: [*c] for n, c in Corpus.from_frame(named).items()} == EXPECTED
    lines = [",".join(named)] + [
        ",".join("" if cell is None else str(cell) for cell in row)
        for row in zip(*named.values(), strict=True)
    ]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    read = gc.read_corpus(tmp_path / "rows.csv")
    assert {n: [*c] for n, c in read.items()} == EXPECTED


def test_other_column_names_can_be_given() -> None:
    named = dict(zip(("page", "annotator", "category", "from", "end"), ROWS.values(), strict=True))
    corpus = Corpus.from_frame(named, document="page", columns={"start": "from"})
    assert {n: [*c] for n, c in corpus.items()} == EXPECTED
    with pytest.raises(UsageError, match="both say which column"):
        Corpus.from_frame(named, document="page", columns={"document": "page"})
    with pytest.raises(DataError, match=r"column 'sheet' does not exist.*page, annotator"):
        Corpus.from_frame(named, document="sheet", columns={"start": "from"})
    with pytest.raises(DataError, match=r"no column of documents.*'page'.*`document=`"):
        Corpus.from_frame(named, columns={"start": "from"})


def test_numbers_name_documents_and_annotators() -> None:
    """Pandas makes floats of whole numbers if a value is missing; 1.0 is document 1."""
    corpus = Corpus.from_frame(pandas_frame({**ROWS, "document": [1.0, 1, 2, 2]}))
    assert [*corpus] == ["1", "2"]


def test_a_row_without_positions_declares_an_annotator_or_document() -> None:
    """Cid found nothing in the first document, and the third document is empty."""
    columns = {
        "document": ["one", "one", "three"],
        "annotator": ["Ann", "Cid", None],
        "category": ["x", None, None],
        "start": [0, math.nan, None],
        "end": [4, math.nan, None],
    }
    corpus = Corpus.from_frame(columns)
    assert corpus["one"].annotators == ("Ann", "Cid")
    assert [*corpus["one"]] == [Unit("Ann", 0, 4, "x")]
    assert corpus["three"].annotators == ()


def test_features_durations_bounds_and_the_unit_of_positions() -> None:
    columns = {
        "doc": ["d", "d"],
        "rater": ["A", "B"],
        "label": ["x", "x"],
        "severity": ["major", None],
        "onset (s)": [0.1, 1.0],
        "duration (s)": [0.2, 2.0],
        "bounds_start": [0, 0],
        "bounds_end": [9, 9],
        "comment": ["", "?"],
    }
    corpus = Corpus.from_frame(columns, features=["severity"])
    found = corpus["d"]
    assert found.feature("severity") == ["major", None]
    assert found.ends.tolist() == [0.3, 3.0]
    assert found.bounds == (0, 9)
    assert found.offset_unit == "s"
    assert [str(entry) for entry in corpus.left_out] == ["1 column: comment is not used"]
    columns["bounds_end"] = [9, 8]
    with pytest.raises(DataError, match="row 2 of the data frame gives its document other bounds"):
        Corpus.from_frame(columns)


def test_fragments_boxes_and_shapes() -> None:
    one = {"document": ["d", "d"], "annotator": ["A", "B"], "start": [0, 0], "end": [9, 9]}
    for parts in ([(0, 2), (5, 9)], "0 2;5 9"):
        corpus = Corpus.from_frame({**one, "fragments": [parts, None]})
        assert [u.fragments for u in corpus["d"]] == [((0, 2), (5, 9)), ()]
    box = '{"box": [[0, 9], [1, 3]]}'
    boxes = Corpus.from_frame({**one, "y0": [1, 1], "y1": [3, 4]})["d"]
    shapes = Corpus.from_frame({**one, "shape": [box, {"box": [[0, 9], [1, 4]]}]})["d"]
    assert [*boxes] == [*shapes]
    assert [u.shape.extents for u in boxes if u.shape] == [((1.0, 3.0),), ((1.0, 4.0),)]
    with pytest.raises(DataError, match="row 2 of the data frame has 1 axes, units before it 2"):
        Corpus.from_frame({**one, "y0": [1, None], "y1": [3, None]})
    with pytest.raises(
        DataError, match=r"row 1 of the data frame: shape reaches from 0 to 9, .* 8"
    ):
        Corpus.from_frame({**one, "end": [8, 9], "shape": [box, box]})
    with pytest.raises(DataError, match="row 1 of the data frame: shape 5 is not a kind"):
        Corpus.from_frame({**one, "shape": [5, box]})


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"document": ["one", None, "two", "two"]}, "row 2 of the data frame has no document"),
        ({"document": ["one", " ", "two", "two"]}, "row 2 of the data frame has no document"),
        ({"annotator": ["A", "B", None, "B"]}, "row 3 of the data frame has no annotator"),
        ({"annotator": ["A", "B", ["C"], "B"]}, r"row 3 .*: annotator \['C'\] is not a name"),
        ({"category": ["x", {"a": 1}, "y", "x"]}, "row 2 .*: category {'a': 1} is not a name"),
        ({"category": ["x", ("a", "b"), "y", "x"]}, r"is not a name.*as one text, such as A\+B"),
        ({"category": ["x", b"y", "y", "x"]}, "row 2 .*: category b'y' is not a name"),
        ({"start": [0, 1, 0, math.nan]}, "row 4 of the data frame has no start"),
        ({"end": [4, None, 3, 6]}, "row 2 of the data frame has no end"),
        ({"start": [0, "one", 0, 2]}, "row 2 of the data frame: start 'one' is not a number"),
        ({"start": [0, True, 0, 2]}, "row 2 of the data frame: start True is not a number"),
        ({"end": [4, 5, 3, math.inf]}, "row 4 of the data frame: end inf is not finite"),
        ({"end": [4, 5, np.timedelta64(5, "s"), 6]}, "row 3 .* is not a number"),
        ({"end": [4, 5, 3, 2]}, "row 4 of the data frame: end 2 < start 2.5"),
        ({"end": [4, 5, 3, 2**53 + 1]}, "row 4 .* cannot be kept exactly"),
        ({"start": [0, None, 0, 2], "end": [4, None, 3, 6], "category": ["x"] * 4},
         "row 2 of the data frame has a category, but no start and no end"),
        ({"coder": ["A"] * 4, "annotator": ["A"] * 4, "label": ["x"] * 4, "tag": ["x"] * 4,
          "category": None}, "could be the category: 'label', 'tag'"),
        ({"end": None}, r"no column for end; known are 'document' \(document\)"),
        ({key: [] for key in ROWS}, "data frame has no rows"),
    ],
)  # fmt: skip
def test_an_error_names_row_and_column(changes: dict[str, Any], complaint: str) -> None:
    columns = {k: v for k, v in {**ROWS, **changes}.items() if v is not None}
    with pytest.raises(DataError, match=complaint):
        Corpus.from_frame(columns)


def test_an_error_names_the_column_as_the_frame_does() -> None:
    named = {"doc": ["d"], "coder": ["A"], "onset": ["soon"], "offset end": [3]}
    with pytest.raises(DataError, match=r"start 'soon' is not a number \(column 'onset'\)"):
        Corpus.from_frame(named)
    with pytest.raises(DataError, match=r"start 'soon' is not a number \(column 'onset'\)"):
        Continuum.from_frame(named)


def test_times_of_pandas_are_no_positions() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({**ROWS, "start": pd.to_datetime(["2026-01-01"] * 4)})
    with pytest.raises(DataError, match="row 1 of the data frame: start Timestamp"):
        Corpus.from_frame(frame)


def test_twice_the_same_column_is_refused() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["d", "A", 0, 1, "u", "v"]])
    frame.columns = pd.Index(["document", "annotator", "start", "end", "f", "f"])
    with pytest.raises(DataError, match="data frame has 2 columns 'f'"):
        Corpus.from_frame(frame, features=["f"])


def test_tables_of_pandas_with_two_columns_of_one_name_are_refused() -> None:
    pytest.importorskip("pyarrow")
    frame = pandas_frame(ROWS)
    frame.columns = ["document", "annotator", "category", "start", "start"]
    with pytest.raises(DataError, match="Duplicate column names"):
        gc.read_table(frame)


@pytest.mark.parametrize("frame", [None, 3, "frame", [1, 2]])
def test_objects_without_columns_are_refused(frame: Any) -> None:
    for build in (Corpus.from_frame, Continuum.from_frame):
        with pytest.raises(DataError, match=r"is not a data frame\. Give a frame of pandas"):
            build(frame)


@pytest.mark.parametrize("column", ["abcd", b"abcd", {1, 2, 3, 4}, {1: 0, 2: 0, 3: 0, 4: 0}, 7])
def test_values_without_rows_are_no_column(column: Any) -> None:
    with pytest.raises(
        DataError, match=r"column 'annotator' of the data frame is a .*, not a list"
    ):
        Corpus.from_frame({**ROWS, "annotator": column})


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(DataError, match=r"different numbers of rows: .*'start' 2, 'end' 4"):
        Corpus.from_frame({**ROWS, "start": [0, 1]})


def test_a_frame_and_a_table_give_the_same_corpus() -> None:
    pytest.importorskip("pyarrow")
    frame = pandas_frame({**ROWS, "note": ["", "", "", ""]})
    table = gc.read_table(frame)
    assert isinstance(table, Corpus)
    corpus = Corpus.from_frame(frame)
    assert dict(corpus) == dict(table)
    assert corpus.categories == table.categories
    reasons = [[str(entry) for entry in c.left_out] for c in (corpus, table)]
    assert reasons[0] == reasons[1]


def test_pyarrow_is_not_needed() -> None:
    code = f"""
import sys
sys.modules["pyarrow"] = None
from gammacp import Corpus
corpus = Corpus.from_frame({ROWS!r})
print({{name: c.n_units for name, c in corpus.items()}})
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "{'one': 2, 'two': 2}"
