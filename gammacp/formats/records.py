"""JSON and tables as records, which know their line and check the types of their fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gammacp.base.csv_files import table_of
from gammacp.base.text import lines_of
from gammacp.formats.source import Record, Source, parsed_json

DOCUMENT = "gammacp_document"
"""The key in a task's "meta" under which we write its document's name; tools have numbers."""


def records(source: Source) -> Iterator[Record]:
    """Yield the records of a JSON array, of one JSON object, or of one object per line.

    Raises
    ------
    DataError
        JSON is broken, or a record is not an object.
    """
    text = source.text()
    entries: Any
    if is_lines(text):
        lines = ((n, line) for n, line in enumerate(lines_of(text), 1) if line.strip())
        entries = ((_of_line(source, line, n), n) for n, line in lines)
    else:
        root = source.json()
        entries = ((entry, None) for entry in (root if isinstance(root, list) else [root]))
    for entry, number in entries:
        if not isinstance(entry, dict):
            raise source.error("record is not a JSON object", line=number)
        yield Record.of(entry, source, number)


def is_lines(text: str) -> bool:
    """Guess whether each line is an object: the first looks complete, and the next begins one."""
    lines = lines_of(text.strip())
    first = lines[0]
    rest = next((line for line in lines[1:] if line.strip()), "")
    whole = first.startswith("{") and first.rstrip().endswith("}")
    return whole and rest.lstrip()[:1] in ("", "{")


def _of_line(source: Source, line: str, number: int) -> object:
    with source.place_errors(number):
        return parsed_json(line, first=number)


def table(
    source: Source, needed: tuple[str, ...], *, quoted: bool = True, delimiter: str = "\t,"
) -> Iterator[Record]:
    """Yield the rows of a table whose first line names its columns (see `csv_files.table_of`).

    Parameters
    ----------
    source
        The file: tabs or, without one in its first line, commas between cells.
    needed
        Columns that must be there.
    quoted
        Whether cells may stand in double quotes.
    delimiter
        Other delimiters of cells: the first of these that the first line has is used.

    Raises
    ------
    DataError
        A column is missing, or a row has more or fewer cells than the first.
    """
    with source.place_errors():
        for cells, line in table_of(source.text(), needed, delimiter=delimiter, quoted=quoted):
            yield Record.of(cells, source, line)


def document_of(record: Record) -> str | None:
    """Return the document's name that gammacp wrote into a task; None in other files."""
    return record.inner("meta").name(DOCUMENT)


def json_line(value: object) -> str:
    """Return a value as one line of JSON, with non-ASCII characters unescaped."""
    return json.dumps(value, ensure_ascii=False) + "\n"
