"""Rows of text to and from CSV: one dialect, one writer, one reader.

Written: UTF-8, comma (or another delimiter), line feeds, fields in double quotes only where they
must be. The file is complete or not there.
"""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike

from gammacp.base.files import atomic_write
from gammacp.base.text import lines_of
from gammacp.errors import DataError

# They end no line here, and in a header they are no part of a name.
_OTHER_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_RUN = ("=", "+", "-", "@", "\t", "\r")


def rows_of(
    text: str,
    *,
    delimiter: str = ",",
    quoted: bool = True,
    strict: bool = True,
    comment: Callable[[int, str], bool] = lambda _number, _line: False,
) -> Iterator[tuple[int, list[str]]]:
    r"""Yield (line, cells) of every row that is not blank; `line` is where the row begins.

    Parameters
    ----------
    text
        The whole content, with line ends of any kind; fields may have any length.
    delimiter
        One character, or several, of which the most frequent one in the first row is used.
    quoted
        Whether fields may stand in double quotes, and go over several lines then; blanks after a
        delimiter do not count. Otherwise a line is a row, and its cells are as they are.
    strict
        Whether broken quotes are an error; otherwise they are part of the field.
    comment
        Whether a line, by number and text, is to be passed over where a row may begin.

    Raises
    ------
    DataError
        Quotes are broken; with the line.

    >>> list(rows_of('a,"b\nc"\n\n# d\ne, f', comment=lambda _, line: line.startswith("#")))
    [(1, ['a', 'b\nc']), (5, ['e', 'f'])]
    """
    # The module's limit of 131 072 characters is for a process; a text may be a cell.
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    # str.splitlines would cut cells at U+2028, U+0085 and others, too.
    if quoted:
        lines = list(io.StringIO(text, newline=""))
    else:
        lines = lines_of(text)
    if len(delimiter) > 1:
        counted = (x for n, x in enumerate(lines, 1) if x.strip() and not comment(n, x))
        delimiter = max(delimiter, key=next(counted, "").count)
    begun = 0
    fresh = True

    def physical() -> Iterator[str]:
        nonlocal begun, fresh
        for number, line in enumerate(lines, 1):
            if fresh and comment(number, line):
                continue
            if fresh:
                begun = number
                fresh = False
            yield line

    rows: Iterator[list[str]] = (x.split(delimiter) for x in physical())
    if quoted:
        rows = csv.reader(physical(), delimiter=delimiter, skipinitialspace=True, strict=strict)
    while True:
        fresh = True
        try:
            row = next(rows, None)
        except csv.Error as error:
            what = f"row cannot be read: {error}"
            raise DataError(what, line=begun, hint="Check the quotes") from None
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield begun, row


def table_of(
    text: str, needed: Iterable[str], *, delimiter: str = ",", quoted: bool = True
) -> Iterator[tuple[dict[str, str], int]]:
    """Yield (cells by column, line) for a table whose first row names its columns.

    Parameters
    ----------
    text, delimiter, quoted
        As for `rows_of`.
    needed
        Columns that must be there.

    Raises
    ------
    DataError
        A column is missing or there twice, a row has more or fewer cells than the first, or quotes
        are broken; the header is there twice, or has another system's line ends.
    """
    names: list[str] = []
    for line, row in rows_of(text, delimiter=delimiter, quoted=quoted):
        if not names:
            names = [cell.strip() for cell in row]
            if _OTHER_ENDS.search("".join(names)):
                hint = "End lines with LF or CR LF"
                raise DataError("the header has a line end of another kind", line=line, hint=hint)
            for name in needed:
                if name not in names:
                    column_names = ", ".join(names)
                    raise DataError(
                        f"there is no column {name!r}; there are: {column_names}", line=line
                    )
                if names.count(name) > 1:
                    raise DataError(f"the column {name!r} is there twice", line=line)
        elif len(row) != len(names):
            raise DataError(f"row has {len(row)} cells, but the header has {len(names)}", line=line)
        elif len(names) > 1 and [cell.strip() for cell in row] == names:
            # Tables that were put one after the other: its words would pass for a row of data.
            raise DataError("the header is there again", line=line, hint="Take out that row")
        else:
            yield dict(zip(names, row, strict=True)), line


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
                "a name has a character that UTF-8 cannot encode", file=path, hint="Write JSON"
            ) from None


def line_of(cells: Sequence[str], delimiter: str = ",") -> str:
    r"""Return cells as one line of CSV.

    >>> line_of(['a "b", c', "plain", "# no comment"])
    '"a ""b"", c",plain,"# no comment"\n'
    """
    return delimiter.join(quote_field(cell, delimiter) for cell in cells) + "\n"


def quote_field(cell: str, delimiter: str = ",") -> str:
    """Quote a field where it must be: delimiters, quotes, line ends, `#` or a blank first."""
    if cell.startswith((" ", "#")) or any(x in cell for x in (delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet runs: an apostrophe precedes text like a formula.

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
    if isinstance(cell, float):
        return repr(float(cell))
    return str(cell)
