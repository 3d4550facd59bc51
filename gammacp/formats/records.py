"""JSON objects and rows of tables as records: each knows where it stands, fields have types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gammacp.csv_files import table_of
from gammacp.errors import DataError
from gammacp.formats.source import Source, parsed_json

DOCUMENT = "gammacp_document"
"""The key in a task's "meta" under which we write its document's name; tools have numbers."""


class Record(dict[str, Any]):
    """An object of JSON or a row of a table, with its file and line.

    Parameters
    ----------
    fields
        Values by key; anything but an object is an empty one.
    source, line
        Where it stands; the line of what stands on several, as most JSON does, is None.
    """

    __slots__ = ("line", "source")

    def __init__(self, fields: object, source: Source, line: int | None = None) -> None:
        """The fields are copied."""
        super().__init__(fields if isinstance(fields, dict) else {})
        self.source = source
        self.line = line

    def error(self, message: str, hint: str | None = None) -> DataError:
        """A DataError in the record's line."""
        return self.source.error(message, line=self.line, hint=hint)

    def inner(self, key: str) -> Record:
        """The object under a key; an empty one for anything else."""
        return Record(self.get(key), self.source, self.line)

    def objects(self, key: str, *, missing_ok: bool = False) -> list[Record]:
        """The objects of a list."""
        value = self.get(key)
        if value is None and missing_ok:
            return []
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.error(f'"{key}" is missing or not a list of objects')
        return [Record(v, self.source, self.line) for v in value]

    def string(self, key: str) -> str:
        """A string that must be there."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self.error(f'"{key}" is missing or not a string')
        return value

    def text(self, key: str) -> str | None:
        """A string; None for anything else."""
        value = self.get(key)
        return value if isinstance(value, str) else None

    def name(self, *keys: str) -> str | None:
        """The first of the names under these keys; None without any (see `name`)."""
        return next((found for key in keys if (found := name(self.get(key)))), None)

    def size(self, key: str) -> int:
        """How many a list or an object holds; anything else holds none."""
        value = self.get(key)
        return len(value) if isinstance(value, list | dict) else 0

    def position(self, key: str, what: str, hint: str | None = None) -> float:
        """The number that a cell writes (see `Source.position`)."""
        cell = str(self.get(key, "")).strip()
        return self.source.position(cell, what, line=self.line, hint=hint)


def records(source: Source) -> Iterator[Record]:
    """The records of a JSON array, of one JSON object, or of one object per line.

    Raises
    ------
    DataError
        JSON is broken, or a record is not an object.
    """
    text = source.text()
    entries: Any
    if is_lines(text):
        lines = ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
        entries = ((_of_line(source, line, number), number) for number, line in lines)
    else:
        root = source.json()
        entries = ((entry, None) for entry in (root if isinstance(root, list) else [root]))
    for entry, number in entries:
        if not isinstance(entry, dict):
            raise source.error("record is not a JSON object", line=number)
        yield Record(entry, source, number)


def is_lines(text: str) -> bool:
    """Whether every line is an object: the first looks whole and the next, if any, begins one."""
    first, _, rest = text.strip().partition("\n")
    whole = first.startswith("{") and first.rstrip().endswith("}")
    return whole and rest.lstrip()[:1] in ("", "{")


def _of_line(source: Source, line: str, number: int) -> object:
    try:
        return parsed_json(line)
    except DataError as error:
        raise source.error(error.message, line=number) from None


def name(value: object) -> str | None:
    """A name that a tool writes as a string or a number; None for anything else or nothing."""
    if isinstance(value, bool) or value is None or value == "":
        return None
    return str(value) if isinstance(value, str | int) else None


def table(source: Source, needed: tuple[str, ...], *, quoted: bool = True) -> Iterator[Record]:
    """The rows of a table whose first line names its columns (see `csv_files.table_of`).

    Parameters
    ----------
    source
        The file: tabs or, without one in its first line, commas between cells.
    needed
        Columns that must be there.
    quoted
        Whether cells may stand in double quotes.

    Raises
    ------
    DataError
        A column is missing, or a row has more or fewer cells than the first.
    """
    try:
        for cells, line in table_of(source.text(), needed, delimiter="\t,", quoted=quoted):
            yield Record(cells, source, line)
    except DataError as error:
        raise error.at(source.place) from None


def document_of(record: Record) -> str | None:
    """The document's name that gammacp wrote into a task; None in other files."""
    return record.inner("meta").name(DOCUMENT)


def json_line(value: object) -> str:
    """A value as one line of JSON, characters as they are."""
    return json.dumps(value, ensure_ascii=False) + "\n"
