"""JSON and JSON lines as records, with the line of each, and typed access to their fields."""

import json
from collections.abc import Iterator, Mapping

from gammacp.csv_files import table_of
from gammacp.errors import DataError
from gammacp.formats.source import Source, strict_json

Record = Mapping[str, object]
DOCUMENT = "gammacp_document"
"""The key in a task's "meta" under which we write its document's name; tools have numbers."""


def records(source: Source) -> Iterator[tuple[Record, int | None]]:
    """(record, line) of a JSON array, of one JSON object, or of one object per line.

    Raises
    ------
    DataError
        JSON is broken, or a record is not an object.
    """
    text = source.text()
    if is_lines(text):
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield _object(source, _loads(source, line, number), number), number
        return
    root = source.json()
    for entry in root if isinstance(root, list) else [root]:
        yield _object(source, entry, None), None


def is_lines(text: str) -> bool:
    """Whether every line is an object: the first looks whole and the next, if any, begins one."""
    first, _, rest = text.strip().partition("\n")
    whole = first.startswith("{") and first.rstrip().endswith("}")
    return whole and rest.lstrip()[:1] in ("", "{")


def _loads(source: Source, line: str, number: int) -> object:
    try:
        return strict_json(line)
    except (ValueError, RecursionError) as error:
        message = getattr(error, "msg", str(error))
        raise source.error(f"JSON is broken: {message}", line=number) from None


def _object(source: Source, value: object, line: int | None) -> Record:
    if not isinstance(value, dict):
        raise source.error("record is not a JSON object", line=line)
    return value


def objects(
    source: Source, record: Record, key: str, *, line: int | None, missing_ok: bool = False
) -> list[Record]:
    """The objects of a list in a record."""
    value = record.get(key)
    if value is None and missing_ok:
        return []
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise source.error(f'"{key}" is missing or not a list of objects', line=line)
    return value


def string(source: Source, record: Record, key: str, *, line: int | None) -> str:
    """A string in a record."""
    value = record.get(key)
    if not isinstance(value, str):
        raise source.error(f'"{key}" is missing or not a string', line=line)
    return value


def name(value: object) -> str | None:
    """A name that a tool writes as a string or a number; None for anything else or nothing."""
    if isinstance(value, bool) or value is None or value == "":
        return None
    return str(value) if isinstance(value, str | int) else None


def mapping(value: object) -> Record:
    """An object of JSON; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def size(value: object) -> int:
    """How many a list or an object of JSON holds; anything else holds none."""
    return len(value) if isinstance(value, list | dict) else 0


def table(
    source: Source, needed: tuple[str, ...], *, quoted: bool = True
) -> Iterator[tuple[dict[str, str], int]]:
    """(cells by column, line) of the rows of a table whose first line names its columns.

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
        yield from table_of(source.text(), needed, delimiter="\t,", quoted=quoted)
    except DataError as error:
        raise error.at(source.place) from None


def document_of(record: Record) -> str | None:
    """The document's name that gammacp wrote into a task; None in other files."""
    meta = record.get("meta")
    return name(meta.get(DOCUMENT)) if isinstance(meta, dict) else None


def json_line(value: object) -> str:
    """A value as one line of JSON, characters as they are."""
    return json.dumps(value, ensure_ascii=False) + "\n"
