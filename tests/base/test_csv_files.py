"""The one CSV reader of all tables: lines, quotes, comments, delimiters, encodings, widths."""

from pathlib import Path

import pytest

import gammacp
from gammacp.base.csv_files import rows_of, table_of
from gammacp.dissimilarity import Matrix
from gammacp.errors import DataError

MATRIX = "x\ta, b\tc\na, b\t0\t1\nc\t1\t0\n"


def test_a_row_has_the_line_that_it_begins_on() -> None:
    text = '# one\na;"b\n\nc";d\r\n \re;f;g\n'
    found = list(rows_of(text, delimiter=",;", comment=lambda _, line: line.startswith("#")))
    assert found == [(2, ["a", "b\n\nc", "d"]), (6, ["e", "f", "g"])]
    with pytest.raises(DataError, match=r"line 2: row cannot be read: .* Check the quotes"):
        list(rows_of('a,b\n"c\n\nd" e,f\n'))
    assert list(rows_of('5" nail', strict=False)) == [(1, ['5" nail'])]


def test_cells_without_quotes_are_as_they_are() -> None:
    rows = list(rows_of('a\t "b"\u2028c\rd\t\r\ne\t\t\n', delimiter="\t", quoted=False))
    assert rows == [(1, ["a", ' "b"\u2028c\rd', ""]), (2, ["e", "", ""])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1\n", "line 2: row has 1 cells, but the header has 2"),
        ("a,c\n1,2\n", "line 1: there is no column 'b'; there are: a, c"),
        ("\n\na\n", "line 3: there is no column 'b'; there are: a"),
    ],
)
def test_a_table_has_its_columns(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(table_of(text, ("a", "b")))


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_table_may_have_a_byte_order_mark(tmp_path: Path, coding: str) -> None:
    (tmp_path / "m.tsv").write_text(MATRIX, coding)
    assert Matrix.read(tmp_path / "m.tsv").categories == ("a, b", "c")


def test_no_other_module_reads_csv() -> None:
    """Only one module reads CSV, apart from the mirror of pygamma-agreement and `verify`."""
    folder = Path(gammacp.__file__).parents[1]
    files = [
        f for name in ("gammacp", "shuffling", "experiments") for f in (folder / name).rglob("*.py")
    ]
    importing = {
        f.relative_to(folder).as_posix() for f in files if "import csv\n" in f.read_text("utf-8")
    }
    # The template writes an example file with the csv module.
    others = {
        "gammacp/pygamma/continuum.py",
        "gammacp/verify.py",
        "gammacp/bench/ledger/template.py",
    }
    assert importing - others == {"gammacp/base/csv_files.py"}
