"""Rows of text to and from CSV: one dialect, one writer, one reader.

Written: UTF-8, comma (or another delimiter), line feeds, fields in double quotes only where they
must be. The file is complete or not there.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike

from gammacp.errors import DataError
from gammacp.files import atomic_write

_RUN = ("=", "+", "-", "@", "\t", "\r")


def rows_of(
    lines: Iterable[str], *, delimiter: str = ",", strict: bool = True
) -> Iterator[list[str]]:
    """The rows of CSV lines; blanks after a delimiter do not count, fields may have any length.

    Parameters
    ----------
    lines
        Physical lines with their line ends; a quoted field may go over several.
    delimiter
        One character.
    strict
        Whether broken quotes raise csv.Error.
    """
    # The module's limit of 131 072 characters is for a process; a text may be a cell.
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def write_rows(
    path: str | PathLike[str],
    rows: Iterable[Sequence[object]],
    *,
    delimiter: str = ",",
    notes: Iterable[str] = (),
    for_spreadsheets: bool = False,
) -> None:
    r"""Write rows, the header first if there is one.

    Parameters
    ----------
    path
        The file.
    rows
        Cells; None and NaN are empty, floats in their shortest form that reads back the same.
    delimiter
        One character.
    notes
        Lines to write before the rows, each beginning with "#".
    for_spreadsheets
        Put an apostrophe before text that a spreadsheet would run (it begins with ``=``, ``+``,
        ``-``, ``@``, a tab or a carriage return and is no number). For lists that people review;
        never for files that are read back, whose cells must stay what they are.

    Raises
    ------
    DataError
        A cell has a character that UTF-8 does not have.
    """
    with (
        atomic_write(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as stream,
    ):
        stream.writelines(f"{note}\n" for note in notes)
        try:
            for row in rows:
                cells = [_text(cell) for cell in row]
                if for_spreadsheets:
                    cells = [harmless(cell) for cell in cells]
                stream.write(line_of(cells, delimiter))
        except UnicodeEncodeError:
            raise DataError(
                "a name has a character that UTF-8 does not have", file=path, hint="Write JSON"
            ) from None


def line_of(cells: Sequence[str], delimiter: str = ",") -> str:
    r"""Cells as one line of CSV.

    >>> line_of(['a "b", c', "plain", "# no comment"])
    '"a ""b"", c",plain,"# no comment"\n'
    """
    return delimiter.join(quoted(cell, delimiter) for cell in cells) + "\n"


def quoted(cell: str, delimiter: str = ",") -> str:
    """A field, in quotes where it must be: delimiters, quotes, line ends, `#` or a blank first."""
    if cell.startswith((" ", "#")) or any(x in cell for x in (delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def harmless(cell: str) -> str:
    """A cell that no spreadsheet runs: text that would be a formula gets an apostrophe in front.

    >>> harmless("=1+1"), harmless("-3.5"), harmless("a=b")
    ("'=1+1", '-3.5', 'a=b')
    """
    if not cell.startswith(_RUN):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _text(cell: object) -> str:
    if cell is None or cell != cell:
        return ""
    return repr(float(cell)) if isinstance(cell, float) else str(cell)
