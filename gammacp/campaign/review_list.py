"""Write the review list as an Excel workbook, and read the gold standard from its decisions.

`gammacp consensus --review LIST.xlsx` writes the workbook. Its first sheet has a row for each unit:
first those to review, worst first, and then the others. Further columns have the unit of each
annotator, and the column `decision` is filled in by a person. A hidden second sheet has the names,
texts and bounds of the documents, so that reading the gold standard takes no other file. It also
has a key of every row, made of the positions of the annotators' units, by which deleted and copied
rows are recognised.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from gammacp.base.files import atomic_write
from gammacp.base.validation import Row, WrittenTable, validated
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.shapes import in_cell
from gammacp.errors import DataError, UsageError
from gammacp.formats.registry import HEAD_BYTES, registered
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents, Spans

if TYPE_CHECKING:
    from gammacp.base.record_tables import Table

_SIDES = ("start", "end", "category")
_SHAPE = "shape"  # a fourth column of each annotator if units have shapes
MOST_CELLS = 20_000_000  # largest number of cells of a sheet, empty cells before a full one too
_SHEETS = 1 << 20  # largest number of bytes that are read of a workbook's list of sheets
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CELL = 32_767  # largest number of characters in a cell of Excel
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WIDE = {"reasons": 40, "text": 40, "votes": 20, "decision": 16, "category": 16}


class _Document(WrittenTable):
    """Document as the hidden sheet describes it; `rows` are the keys of its rows."""

    annotator: str
    offset_unit: str
    text: str | None
    bounds: Row[tuple[float, float]]
    rows: list[str]


class _About(WrittenTable):
    review: int
    annotators: list[str]
    documents: dict[str, _Document]


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise UsageError("workbooks need openpyxl: pip install 'gammacp[studio]'") from None
    return openpyxl


def write_review(path: Path, table: Table, documents: Mapping[str, Continuum]) -> None:
    """Write a review list as a workbook.

    Parameters
    ----------
    path
        The .xlsx file.
    table
        The rows in order; each record has `file` and the `units` of the annotators.
    documents
        The gold standards by name, whose texts, offset units and bounds are stored.

    Raises
    ------
    DataError
        A cell has a character that Excel cannot store, or too many characters; or an annotator's
        name is one of the decisions, "keep" or "drop".
    """
    openpyxl = _openpyxl()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "review"
    people = list(dict.fromkeys(name for r in table.records for name in r["units"]))
    if clash := [name for name in people if name.strip().lower() in ("keep", "drop")]:
        raise DataError(
            f"annotator {clash[0]!r} has the name of a decision", hint="Rename it, or write CSV"
        )
    keys: dict[str, list[str]] = defaultdict(list)
    columns = [c for c in table.columns if c.key != "document"]
    own_headers = ["decision", "document", *(c.header for c in columns)]
    sides = (*_SIDES, _SHAPE) if any(c.key == _SHAPE for c in columns) else _SIDES
    head = [*own_headers, *(f"{name}: {side}" for name in people for side in sides)]
    _row(sheet, 1, head)
    for number, record in enumerate(table.records, 2):
        cells = [None, record["file"]]
        for column in columns:
            value = column.of(record)
            plain = isinstance(value, int | float | None) and not isinstance(value, bool)
            cells.append(value if plain else column.cell(record))
        for name in people:
            unit = record["units"].get(name) or {}
            cells += [json.dumps(v) if isinstance(v := unit.get(s), dict) else v for s in sides]
        _row(sheet, number, cells)
        keys[record["file"]].append(_key(dict(zip(head, cells, strict=True)), people))
    for place, name in enumerate(head, 1):
        letter = openpyxl.utils.get_column_letter(place)
        sheet.column_dimensions[letter].width = _WIDE.get(name, 10)
        sheet.cell(1, place).font = openpyxl.styles.Font(bold=True)
    sheet.freeze_panes = "C2"
    sheet.auto_filter.ref = sheet.dimensions
    choices = ",".join(["keep", "drop", *people])
    if len(choices) <= 250 and '"' not in choices and choices.count(",") == len(people) + 1:
        kind = openpyxl.worksheet.datavalidation.DataValidation
        choice = kind("list", formula1=f'"{choices}"', sqref=f"A2:A{len(table.records) + 1}")
        sheet.add_data_validation(choice)
    about = book.create_sheet("about gammacp")
    named = {n: _about(c) | {"rows": keys[n]} for n, c in documents.items()}
    text = json.dumps({"review": 1, "annotators": people, "documents": named})
    for number, start in enumerate(range(0, len(text), _CELL), 1):
        _row(about, number, [text[start : start + _CELL]])
    about.sheet_state = "hidden"
    with atomic_write(path) as temporary:
        book.save(temporary)


def write_table(path: Path, title: str, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as a workbook of one sheet; numbers in the rows become numbers in the cells.

    Parameters
    ----------
    path
        The .xlsx file.
    title
        Title of the sheet.
    rows
        Rows as in a CSV file, the header first.
    """
    book = _openpyxl().Workbook()
    book.active.title = title
    for number, row in enumerate(rows, 1):
        cells = [float(c) if _NUMBER.fullmatch(c) else c or None for c in row]
        _row(book.active, number, cells)
    with atomic_write(path) as temporary:
        book.save(temporary)


def _about(c: Continuum) -> dict[str, object]:
    who = c.annotators[0]
    bounds = list(c.bounds)
    return {"annotator": who, "offset_unit": c.offset_unit, "text": c.text, "bounds": bounds}


def _key(cells: Mapping[str, Any], people: Sequence[str]) -> str:
    """Return a key of a row: the positions of the annotators' units.

    Deciding, sorting and correcting rows does not change it.
    """
    places = [_text(cells.get(f"{name}: {side}")) for name in people for side in _SIDES[:2]]
    return " ".join(place or "-" for place in places)


def _text(value: object) -> str:
    """Return the text of a cell as a spreadsheet shows it; 0 and TRUE are not stored as text."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return f"{value:.15g}"
    if value is None:
        return ""
    return str(value)


def _row(sheet: Any, number: int, values: Sequence[object]) -> None:
    for place, value in enumerate(values, 1):
        if value is None or value != value:
            continue
        if not isinstance(value, str):
            sheet.cell(number, place, value)
            continue
        # Mark text as text, so that one that begins with "=" is not taken for a formula.
        sheet.cell(number, place, checked_text(value)).data_type = "s"


def checked_text(text: str) -> str:
    """Return the text unchanged if a workbook can store it.

    Parameters
    ----------
    text
        Text of a cell: a name, a category, a passage.

    Raises
    ------
    DataError
        The text is too long, or has a character that XML, and so Excel, cannot store: a control
        character other than tab and line ends, a lone surrogate, U+FFFE or U+FFFF.
    """
    if len(text) > _CELL:
        raise DataError(
            f"a cell would have {len(text)} characters, and Excel allows {_CELL}: {text[:60]}",
            hint="Decide in the studio, or write CSV",
        )
    if bad := _NOT_IN_XML.search(text):
        near = text[max(0, bad.start() - 30) : bad.start() + 30]
        raise DataError(
            f"{near!r} has the character U+{ord(bad[0]):04X}, which Excel refuses",
            hint="Write CSV, or rename it",
        )
    return text


def read(source: Source) -> Corpus:
    """Return the gold standards that result from the decisions.

    Raises
    ------
    DataError
        The workbook is not a review list, a decision is none of keep, drop and the annotators'
        names, or a row occurs twice.

    Notes
    -----
    Positions
        any (stored)
    Annotators
        the name of the gold standard
    Category
        column; empty is unlabelled
    Spans
        the column `decision` says what a row becomes. keep: a unit with the row's start, end,
        category and shape; an annotator's name: that annotator's unit; drop: nothing. If it is
        empty, the column `kept` (yes or no) decides. Deleted rows are left out
    """
    rows, about = _sheets(source)
    if not rows:
        raise source.error("workbook is not a review list of gammacp", hint="Save a table as CSV")
    record = validated(_About, about, file=source.place, hint="Write the review list again")
    people = record.annotators
    head = [str(cell) for cell in rows[0]]
    # Earlier versions called this column "continuum".
    head = ["document" if c == "continuum" and "document" not in head else c for c in head]
    missing = [c for c in ("decision", "document", "kept", *_SIDES) if c not in head]
    if missing:
        raise source.error(f"there is no column {missing[0]!r}", line=1)
    documents = Documents(source, "")
    for name, entry in record.documents.items():
        spans = documents.of(name, entry.text, offset_unit=entry.offset_unit)
        spans.declare(entry.annotator)
        spans.bounds = entry.bounds, None
    keys = {name: Counter(entry.rows) for name, entry in record.documents.items()}
    rows_by_document: dict[str, Counter[str]] = defaultdict(Counter)
    for line, row in enumerate(rows[1:], 2):
        cells = dict(zip(head, row, strict=False))
        if any(cell is not None for cell in row):
            name = _text(cells["document"])
            key = _key(cells, people)
            if name not in documents.spans_by_name:
                raise source.error(f"document {cells['document']!r} is unknown", line=line)
            rows_by_document[name][key] += 1
            if rows_by_document[name][key] > keys[name].get(key, rows_by_document[name][key]):
                raise source.error("row occurs twice", line=line, hint="Delete the copy")
            _decide(documents.spans_by_name[name], cells, people, line)
    for name, listed in keys.items():
        missing_rows = (listed - rows_by_document[name]).total()
        documents.spans_by_name[name].leave_out("unit", "its row was deleted", missing_rows)
    return documents.corpus()


def _decide(spans: Spans, cells: Mapping[str, Any], people: Sequence[str], line: int) -> None:
    decision, kept_word = (_text(cells[key]).strip() for key in ("decision", "kept"))
    if not decision and kept_word.lower() not in ("yes", "true", "no", "false"):
        raise spans.source.error(f"kept {kept_word!r} is neither yes nor no", line=line)
    sides: Sequence[str] = (*_SIDES, _SHAPE)
    if decision in people:
        sides = [f"{decision}: {side}" for side in sides]
        if cells.get(sides[0]) is None:
            raise spans.source.error(f"{decision} has no unit here", line=line)
    elif decision.lower() == "drop" or (not decision and kept_word.lower() in ("no", "false")):
        if decision:
            reason = "dropped by decision"
        else:
            reason = "undecided, and not in the consensus"
        spans.leave_out("unit", reason)
        return
    elif decision and decision.lower() != "keep":
        raise spans.source.error(
            f"decision {decision!r} is not one of keep, drop, {', '.join(people)}", line=line
        )
    values: list[Any] = [cells.get(key) for key in sides]
    start, end, label, drawn = values
    (who,) = spans.annotators
    shape = None
    if drawn is not None and all(isinstance(place, int | float) for place in (start, end)):
        with spans.source.place_errors(line):
            (start, end), shape = in_cell(_text(drawn), start, end)
    spans.add(who, _text(label) or None, start, end, shape=shape, line=line)
    if spans.bounds:
        # A corrected unit may reach beyond the bounds.
        (low, high), _ = spans.bounds
        spans.bounds = (min(low, start), max(high, end)), None


def _sheets(source: Source) -> tuple[list[tuple[Any, ...]], object]:
    """Return the rows of the list, and the parsed JSON of the hidden sheet."""
    openpyxl = _openpyxl()
    try:
        book = openpyxl.load_workbook(BytesIO(source.content), read_only=True, data_only=True)
        if {"review", "about gammacp"} <= set(book.sheetnames):
            rows, pieces = (_rows(source, book[name]) for name in ("review", "about gammacp"))
            return rows, json.loads("".join(str(r[0]) for r in pieces))
    except DataError:
        raise
    except Exception as error:  # openpyxl has no exception of its own for a damaged file
        raise source.error(f"workbook is damaged: {error}", hint="Save it again") from None
    return [], {}


def _rows(source: Source, sheet: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a sheet; refuse too many, as a tiny workbook can declare millions."""
    rows: list[tuple[Any, ...]] = []
    cells = 0
    for row in sheet.iter_rows(values_only=True):
        cells += max(len(row), 1)
        if cells > MOST_CELLS:
            raise source.error(
                f"a sheet has more than {MOST_CELLS} cells, empty ones included",
                hint="Delete the empty rows and columns after the list",
            )
        rows.append(row)
    return rows


def _sniff(head: bytes, path: Path) -> bool:
    """Return whether a file may be a review list.

    A workbook that `head` holds completely is one if it has the hidden sheet. A larger workbook is
    always taken for one, because its list of sheets may be missing from `head`.
    """
    if path.suffix.lower() != ".xlsx" or not head.startswith(b"PK"):
        return False
    if len(head) >= HEAD_BYTES:
        return True
    try:
        with ZipFile(BytesIO(head)) as archive, archive.open("xl/workbook.xml") as file:
            return b"about gammacp" in file.read(_SHEETS)
    except Exception:  # zipfile has several for damaged archives
        return False


registered("review-list", "Review list (Excel)", (".xlsx",), _sniff, read, extra="studio")
