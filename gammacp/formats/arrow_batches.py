"""Batches of Arrow's tables, from files and from memory, and the columns of a batch."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gammacp.base.frames import name_of, reader_of
from gammacp.errors import DataError, UsageError
from gammacp.formats.source import Source

PARQUET = b"PAR1"
FILE = b"ARROW1"
STREAM = b"\xff\xff\xff\xff"
ROWS = 1 << 16
"""Rows of a batch."""
BOUNDS = ("bounds_start", "bounds_end")
OFFSET_UNIT = b"gammacp.offset_unit"
HINT_ON_COLUMNS = "The columns are document, annotator, category, start, end"
Place = Callable[[int], str]
"""How to call a row of a batch in a message."""
Fault = Callable[..., DataError]


def import_pyarrow() -> Any:
    """Return the module pyarrow; a UsageError if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError(
            "tables of Arrow and Parquet need the extra 'parquet': pip install 'gammacp[parquet]'"
        ) from None
    return pyarrow


@contextmanager
def damage_named(error: Fault, what: str = "file") -> Iterator[None]:
    """Turn what pyarrow raises for a damaged file or table into an error that names it."""
    pa = import_pyarrow()
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as caught:
        reason = next(iter(str(caught).splitlines()), type(caught).__name__)
        raise error(f"{what} is damaged: {reason}", hint="Write it again") from None


def batches_in_memory(table: Any) -> tuple[Any, Iterator[tuple[Place, Any]]]:
    """Return the schema of a table, and its batches, each with a function that names its rows."""
    reader = reader_of(table)
    return reader.schema, _with_places(reader)


def schema_and_batches(source: Source) -> tuple[Any, Iterator[tuple[Place, Any]]]:
    """Return the schema of a file, and its batches, each with a function that names its rows."""
    pa = import_pyarrow()
    content = pa.BufferReader(source.content)
    if source.content.startswith(PARQUET):
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(content)
        return file.schema_arrow, _batches_of_row_groups(file)
    if source.content.startswith(FILE):
        whole = pa.ipc.open_file(content)
        batches = map(whole.get_batch, range(whole.num_record_batches))
        return whole.schema, _batches_with_numbers(batches)
    if source.content.startswith(b"FEA1"):
        raise source.error("is Feather version 1", hint="Write version 2 or Parquet")
    stream = pa.ipc.open_stream(content)
    return stream.schema, _batches_with_numbers(stream)


def _batches_of_row_groups(file: Any) -> Iterator[tuple[Place, Any]]:
    for group in range(file.num_row_groups):
        batches = file.iter_batches(ROWS, row_groups=[group])
        yield from _with_places(batches, f" of row group {group + 1}")


def _batches_with_numbers(batches: Iterable[Any]) -> Iterator[tuple[Place, Any]]:
    for number, batch in enumerate(batches):
        yield from _with_places([batch], f" of batch {number + 1}")


def _with_places(batches: Iterable[Any], inside: str = "") -> Iterator[tuple[Place, Any]]:
    """Yield valid batches, each with a function that names its rows, numbered over all batches.

    pyarrow trusts the offsets and codes of a file: unless they are checked first, a damaged one
    reads memory that is not its own and ends the process.
    """
    n_rows_before = 0
    for batch in batches:
        batch.validate(full=True)
        yield (lambda row, before=n_rows_before: f"row {before + row + 1}{inside}"), batch  # type: ignore[misc]
        n_rows_before += len(batch)


def codes_of_column(error: Fault, batch: Any, name: str) -> tuple[Any, list[str | None]]:
    """Return the codes of a column of names, −1 for null, and the names that the codes index."""
    pa = import_pyarrow()
    values = batch.column(name)
    encoded = pa.types.is_dictionary(values.type)
    if encoded:
        kind = values.type.value_type
    else:
        kind = values.type
    is_a = pa.types
    if is_a.is_string_view(kind):  # polars writes them
        values = values.cast(pa.string())
        kind = pa.string()
    textual = is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_null(kind)
    if not (textual or is_a.is_integer(kind) or is_a.is_floating(kind)):
        raise error(f"column {name!r} has {kind}, not names", hint=HINT_ON_COLUMNS)
    if not encoded:
        values = values.dictionary_encode()
    names = values.dictionary.to_pylist()
    codes = array_of(values.indices, -1).astype(np.int64)
    null = {k for k, n in enumerate(names) if n is None or n != n}
    codes[np.isin(codes, list(null))] = -1
    return codes, [None if k in null else name_of(n) for k, n in enumerate(names)]


def texts_of_column(error: Fault, batch: Any, name: str) -> list[str | None]:
    """Return the texts of a column, None for null."""
    codes, names = codes_of_column(error, batch, name)
    return [names[k] if k >= 0 else None for k in codes.tolist()]


def has_clock_times(values: Any) -> bool:
    """Return whether a column is text and has times hh:mm:ss."""
    is_a = import_pyarrow().types
    kinds = (is_a.is_string, is_a.is_large_string, is_a.is_string_view)
    textual = any(is_one(values.type) for is_one in kinds)
    return textual and any(":" in (text or "") for text in values.to_pylist())


def array_of(values: Any, missing: float) -> Any:
    """Return Arrow numbers as an array; nulls are filled first, as pyarrow would import pandas."""
    return np.from_dlpack(values.fill_null(missing) if values.null_count else values)
