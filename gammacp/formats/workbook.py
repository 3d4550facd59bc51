"""Excel workbooks (.xlsx): one unit per row of a sheet, columns as in CSV.

The first row that has cells is the header. A workbook of several sheets is read from the first one
whose header has the columns that are needed, or from the one that is asked for.
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from gammacp.base.frames import missing_roles, places_of_roles
from gammacp.base.left_out import Tally
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError, UsageError
from gammacp.formats.positions import as_text
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import with_left_out
from gammacp.formats.unit_rows import HINT, ROWS_SHOWN, UnitTable, header_of
from gammacp.formats.written_positions import WrittenPositions

_MOST_CELLS = 10_000_000
Rows = list[tuple[int, list[str]]]


def read(
    source: Source,
    *,
    sheet: str | None = None,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] = (),
    discontinuous: str = "keep",
    shapes: str = "keep",
) -> Continuum | Corpus:
    """Return the continuum, or with a document column the corpus, of a sheet.

    Parameters
    ----------
    sheet
        Name of the sheet; by default the first that has the columns.
    columns, features, discontinuous, shapes
        As for CSV.

    Raises
    ------
    DataError
        The workbook is damaged, there is no such sheet, or as for CSV.
    UsageError
        openpyxl is not installed.

    Notes
    -----
    Positions
        any (as written); cells with a time, and texts hh:mm:ss.ms, are seconds
    Annotators
        column, or by `--layout` from the path; a row with only the annotator's name declares an
        annotator without units
    Category
        column; empty is unlabelled; further columns with `[features.NAME]`
    Spans
        every row is a unit, as in CSV. Of several sheets the first is read that has the columns;
        `--option sheet=NAME` chooses another. Formulas count with the value that was saved
    """
    sheets = _sheets(source)
    name = _chosen(source, sheets, sheet, features, columns)
    rows = sheets[name]
    if not rows:
        raise source.error(f"sheet {name!r} has no rows", hint=HINT)
    (line, names), *units = rows
    header = header_of(names, source, line, features, columns)
    if header is None:
        raise source.error(f"row 1 of sheet {name!r} is no header", line=line, hint=HINT)
    table = UnitTable(
        source=source,
        names=names,
        line=line,
        header=header,
        written=WrittenPositions(commas=True),
        features=features,
        discontinuous=discontinuous,
        shapes=shapes,
    )
    document = table.read(units)
    tally = Tally(source.place)
    for other in sheets:
        if other != name and sheets[other]:
            tally.add("sheet", f"{other} was not chosen")
    return with_left_out(document, (*document.left_out, *tally.entries()))


def preview(source: Source) -> list[list[str]]:
    """Return the first rows of the sheet that is read by default, names of columns first."""
    sheets = _sheets(source)
    rows = sheets[_chosen(source, sheets, None, (), None)]
    return [row for _, row in rows[:ROWS_SHOWN]]


def _chosen(
    source: Source,
    sheets: Mapping[str, Rows],
    sheet: str | None,
    features: Sequence[str],
    columns: Mapping[str, str] | None,
) -> str:
    """Return the name of the sheet to read."""
    if sheet is not None:
        if sheet not in sheets:
            raise source.error(
                f"there is no sheet {sheet!r}", hint=f"The sheets are: {', '.join(sheets)}"
            )
        return sheet
    filled = [name for name, rows in sheets.items() if rows]
    for name in filled:
        try:
            roles = places_of_roles(sheets[name][0][1], features, columns)
        except DataError:
            continue
        roles_of_source = ("annotator",) if source.annotator else ()
        if not missing_roles({*roles, *roles_of_source}):
            return name
    return next(iter(filled or sheets))


def _sheets(source: Source) -> dict[str, Rows]:
    """Return the non-empty rows of each sheet as texts, with their numbers."""
    try:
        import openpyxl
    except ImportError:
        raise UsageError("workbooks need openpyxl: pip install 'gammacp[studio]'") from None
    try:
        book = openpyxl.load_workbook(BytesIO(source.content), read_only=True, data_only=True)
        return {sheet.title: list(_rows(source, sheet)) for sheet in book.worksheets}
    except DataError:
        raise
    except Exception as error:  # openpyxl has no exception of its own for a damaged file
        raise source.error(f"workbook is damaged: {error}", hint="Save it again") from None


def _rows(source: Source, sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield non-empty rows, padded to the width of the first; refuse a sheet of too many cells."""
    cells = width = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells += max(len(row), 1)
        if cells > _MOST_CELLS:
            raise source.error(
                f"a sheet has more than {_MOST_CELLS} cells, empty ones included",
                hint="Delete the empty rows and columns",
            )
        texts = [_text(cell) for cell in row]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            width = width or len(texts)
            yield number, texts + [""] * (width - len(texts))


def _text(cell: object) -> str:
    """Return a cell as text, as CSV would hold it; a time is hh:mm:ss."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, int | float):
        if cell == cell:
            return as_text(cell)
        return ""
    if isinstance(cell, datetime.time):
        since = datetime.datetime.combine(datetime.date.min, cell) - datetime.datetime.min
        return _clock(since)
    if isinstance(cell, datetime.timedelta):
        return _clock(cell)
    return str(cell).strip()


def _clock(time: datetime.timedelta) -> str:
    if time < datetime.timedelta(0):
        sign = "-"
    else:
        sign = ""
    # Excel keeps times as fractions of a day, which differ in the last digits.
    microseconds = round(abs(time) / datetime.timedelta(milliseconds=1)) * 1000
    seconds, rest = divmod(microseconds, 1_000_000)
    hours, seconds = divmod(seconds, 3600)
    text = f"{sign}{hours}:{seconds // 60:02}:{seconds % 60:02}"
    if rest:
        return f"{text}.{rest // 1000:03}"
    return text


def _sniff(head: bytes, path: Path) -> bool:
    return path.suffix.lower() == ".xlsx" and head.startswith(b"PK")


registered(
    "excel",
    "Excel table",
    (".xlsx",),
    _sniff,
    read,
    preview=preview,
    features=True,
    fragments=True,
    shapes=True,
    extra="studio",
)
