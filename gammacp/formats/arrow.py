"""Tables of units in Arrow's formats: Parquet, Feather and Arrow IPC, and tables in memory.

One row per unit, columns as in CSV (`gammacp.formats.delimited_writing.COLUMNS`): document,
annotator, category, start, end, in any order and beside others. Rows are read in batches, into
columns (`gammacp.continuum.document_table`): no object is made of a row.

Schema
------
document, annotator, category
    Text, plain or as a dictionary; whole numbers are their digits. A null category is unlabelled.
    Without a document column a file is one continuum.
start, end
    Integers or floats; null in a row that declares an annotator without units (and in one that
    declares a document, where the annotator is null, too).
fragments
    A list of (start, end) for each unit of several: lists of two numbers, or structs.
bounds_start, bounds_end
    Where the document begins and ends, the same in all its rows; null where nobody declared it.
y0, y1, z0, z1
    Boxes: numbers, (x0 and x1 are start and end); null in all rows of a document without shapes.
shape
    Any shape: what `gammacp.continuum.shapes.Shape.json` says, as text of JSON or as a struct.
features
    Further columns of text, those that are asked for; a session is one (`--session NAME`).
unit
    What links call the unit; read where there are links.

Links are a table of their own, beside `NAME.parquet` in `NAME.links.parquet`: document, annotator,
type, source and target (ids of units), kind (`directed`, `undirected`, `chain`; null is the
first). Documents are objects then.

The schema's metadata have `gammacp.offset_unit`, what positions count. A part of the path that is
`COLUMN=VALUE`, as in partitioned folders, is a column.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gammacp.base.files import atomic_write
from gammacp.base.frames import (
    AXES,
    COLUMNS,
    DURATION,
    FRAGMENTS,
    SHAPE,
    UNIT,
    as_role,
    missing_roles,
    name_of,
    places_of_roles,
    reader_of,
    unit_of_columns,
    unknown_columns,
)
from gammacp.base.left_out import Tally
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.fragments import breaks_of, column, join
from gammacp.continuum.label import category_of, feature_names, features_of, to_label
from gammacp.continuum.links import DIRECTED, KINDS, Link, check_links, whole_links
from gammacp.continuum.shapes import relative
from gammacp.errors import DataError, UsageError
from gammacp.formats.delimited_writing import LINKS, ORDER, columns_inside, shape_cells
from gammacp.formats.positions import LARGEST
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import (
    NO_UNIT,
    SECONDS,
    by_name,
    in_pieces,
    shape_of,
    with_continua,
    with_shapes,
)
from gammacp.formats.unit_rows import ROWS_SHOWN
from gammacp.formats.written_positions import WrittenPositions

_BOUNDS = ("bounds_start", "bounds_end")
_WHOSE = ("document", "annotator")
_READ = ("document", *ORDER, DURATION, FRAGMENTS, *AXES, SHAPE, UNIT)
_UNIT = b"gammacp.offset_unit"
_ROWS = 1 << 16
_HINT = "The columns are document, annotator, category, start, end"
_PARQUET = b"PAR1"
_FILE = b"ARROW1"
_STREAM = b"\xff\xff\xff\xff"
Place = Callable[[int], str]
"""How to call a row of a batch in a message."""
Fault = Callable[..., DataError]


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UsageError(
            "tables of Arrow and Parquet need the extra 'parquet': pip install 'gammacp[parquet]'"
        ) from None
    return pyarrow


@contextmanager
def _damage_named(error: Fault, what: str = "file") -> Iterator[None]:
    """Turn what pyarrow raises for a damaged file or table into an error that names it."""
    pa = _pyarrow()
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as caught:
        reason = next(iter(str(caught).splitlines()), type(caught).__name__)
        raise error(f"{what} is damaged: {reason}", hint="Write it again") from None


def read(
    source: Source,
    *,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] = (),
    discontinuous: str = "keep",
    shapes: str = "keep",
) -> Continuum | Corpus:
    """Return the corpus, or without a document column the continuum, of a Parquet or Feather file.

    Parameters
    ----------
    columns
        The column of each role, as for CSV.
    features
        Further columns that are features beside the category.
    discontinuous
        "keep": rows with fragments are units of several; "cover": units reach from start to end;
        "split": each fragment is a unit.
    shapes
        "keep": rows with y0 and y1, or a shape, are shapes; "box": they are the box around each;
        "no": these columns are not read.

    Raises
    ------
    DataError
        The file is damaged, a column is missing or of another type, a row has no annotator, one
        position or none that is a number, or an end before its start. The message names the row
        and the row group.
    UsageError
        pyarrow is not installed.

    Notes
    -----
    Positions
        any (as written; `gammacp.offset_unit` of the schema's metadata)
    Annotators
        column; a row without start and end declares one without units
    Category
        column; null is unlabelled; further columns with `[features.NAME]`
    Spans
        every row is a unit: overlapping, repeated and zero-length ones are kept. A column
        `fragments` lists the fragments of a discontinuous unit (`--option discontinuous=cover`: the
        unit reaches from the first start to the last end; `split`: one unit per fragment). Columns
        `y0` and `y1` (and `z0`, `z1`), or a column `shape`, hold shapes (`--option shapes=box`: the
        box around each; `no`: the columns are ignored). A file NAME.links.parquet beside
        NAME.parquet holds links between units, which it names by their column `unit`
    """
    beside = _links_beside(source)
    path_names = _from_path(source)
    unread = {*(() if shapes != "no" else (*AXES, SHAPE)), *(() if beside else (UNIT,))}
    with _damage_named(source.error):
        schema, batches = _schema_and_batches(source)
        reading = _Reading(source.error, schema, features, path_names, unread, columns)
        for place, batch in batches:
            reading.add(batch, place)
        document = reading.document(source.place, source.document)
    if beside:
        with _damage_named(beside.error):
            links = _links(beside.error, *_schema_and_batches(beside), path_names)
        document = reading.with_links(document, links, source.place)
    document = in_pieces(document, discontinuous, source.place)
    if reading.shaped:
        return with_shapes(document, shapes, source.place)
    return document


def first_rows(source: Source) -> dict[tuple[Any, ...], str]:
    """Return the place of the first row of each document and annotator: `row 8 of row group 2`."""
    schema, batches = _schema_and_batches(source)
    reading = _Reading(source.error, schema, (), _from_path(source), ())
    place_by_names: dict[tuple[Any, ...], str] = {}
    for place, batch in batches:
        (documents, named), (people, called) = (reading.names_of(batch, role) for role in _WHOSE)
        for row in np.unique(np.stack((documents, people)), axis=1, return_index=True)[1].tolist():
            # a document is declared
            if people[row] >= 0:
                who = called[people[row]]
            else:
                who = None
            place_by_names.setdefault((named[documents[row]], who), place(row))
    return place_by_names


def head(source: Source) -> list[list[str]]:
    """Return the first rows, names of columns first."""
    schema, batches = _schema_and_batches(source)
    rows = [list(schema.names)]
    for _, batch in batches:
        for row in batch.slice(0, ROWS_SHOWN - len(rows)).to_pylist():
            rows.append(["" if row[name] is None else str(row[name]) for name in schema.names])
        if len(rows) >= ROWS_SHOWN:
            break
    return rows


def read_table(
    table: Any,
    *,
    features: Sequence[str] = (),
    links: Any = None,
    columns: Mapping[str, str] | None = None,
) -> Continuum | Corpus:
    """Return the corpus of a table of units in memory; without a document column, the continuum.

    Parameters
    ----------
    table
        Whatever has `__arrow_c_stream__`: a table, a data set's scanner or a reader of pyarrow, a
        frame of polars or pandas, a relation of DuckDB. It is read in batches. The columns are
        those of a Parquet file (`gammacp formats arrow`).
    features
        Further columns that are features beside the category.
    links
        A table of links between the units of that one, by their column `unit`.
    columns
        The column of each role, where its name is not a known one: `{"start": "from"}`.

    Raises
    ------
    DataError
        As for a file; the message names the row. Offsets or codes of the table are out of range.
    UsageError
        It has no `__arrow_c_stream__`, or pyarrow is not installed.
    """
    if not hasattr(table, "__arrow_c_stream__"):
        raise UsageError(
            f"{type(table).__name__} has no __arrow_c_stream__: give a table of pyarrow, polars, "
            "DuckDB or pandas, or use Continuum.from_frame or Corpus.from_frame"
        )
    if links is None:
        unread = {UNIT}
    else:
        unread = set()
    error = partial(DataError, file="table")
    with _damage_named(error, "it"):
        schema, batches = _in_memory(table)
        reading = _Reading(error, schema, features, {}, unread, columns)
        for place, batch in batches:
            reading.add(batch, place)
        document = reading.document("table", "")
    if links is not None:
        error = partial(DataError, file="links")
        with _damage_named(error, "it"):
            link_lists = _links(error, *_in_memory(links), {})
        document = reading.with_links(document, link_lists, "table")
    if reading.shaped:
        return with_shapes(document, "keep", "table")
    return document


def _in_memory(table: Any) -> tuple[Any, Iterator[tuple[Place, Any]]]:
    """Return the schema of a table, and its batches, each with a function that names its rows."""
    reader = reader_of(table)
    return reader.schema, _with_places(reader)


def _links_beside(source: Source) -> Source | None:
    """Return the table of links of a file; None without one."""
    name = PurePosixPath(source.member or source.path.name)
    beside = name.with_suffix(f".links{name.suffix}")
    content = source.neighbour(beside.name)
    if content is None:
        return None
    if source.member:
        return replace(source, member=str(beside), content=content)
    return replace(source, path=source.path.with_name(beside.name), content=content)


def _links(
    error: Fault, schema: Any, batches: Iterable[tuple[Place, Any]], given: dict[str, str]
) -> dict[str, list[Link]]:
    """Return the links by document; the key is "" if the table has no document column."""
    defaults = {LINKS[0]: given.get("document", ""), "annotator": given.get("annotator")}
    defaults |= {"kind": DIRECTED}
    for name in LINKS[1:-1]:
        if name not in schema.names and defaults.get(name) is None:
            column_names = ", ".join(schema.names) or "none"
            raise error(
                f"there is no column {name!r}",
                hint=f"Links have {', '.join(LINKS)}; here: {column_names}",
            )
    links: dict[str, list[Link]] = {}
    for place, batch in batches:
        columns = [
            _texts(error, batch, name) if name in schema.names else [defaults[name]] * len(batch)
            for name in LINKS
        ]
        for row, values in enumerate(zip(*columns, strict=True)):
            document, who, what, source, target, kind = values
            for name, value in zip(LINKS[1:-1], values[1:-1], strict=True):
                if not value:
                    raise error(f"{place(row)} has no {name}")
            if (kind or DIRECTED) not in KINDS:
                raise error(f"{place(row)}: kind {kind!r} is not one of {', '.join(KINDS)}")
            links.setdefault(document or "", []).append(
                Link(str(who), str(what), str(source), str(target), kind or DIRECTED)
            )
    return links


def _schema_and_batches(source: Source) -> tuple[Any, Iterator[tuple[Place, Any]]]:
    """Return the schema of a file, and its batches, each with a function that names its rows."""
    pa = _pyarrow()
    content = pa.BufferReader(source.content)
    if source.content.startswith(_PARQUET):
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(content)
        return file.schema_arrow, _of_row_groups(file)
    if source.content.startswith(_FILE):
        whole = pa.ipc.open_file(content)
        batches = map(whole.get_batch, range(whole.num_record_batches))
        return whole.schema, _batches_of(batches)
    if source.content.startswith(b"FEA1"):
        raise source.error("is Feather version 1", hint="Write version 2 or Parquet")
    stream = pa.ipc.open_stream(content)
    return stream.schema, _batches_of(stream)


def _of_row_groups(file: Any) -> Iterator[tuple[Place, Any]]:
    for group in range(file.num_row_groups):
        batches = file.iter_batches(_ROWS, row_groups=[group])
        yield from _with_places(batches, f" of row group {group + 1}")


def _batches_of(batches: Iterable[Any]) -> Iterator[tuple[Place, Any]]:
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


def _from_path(source: Source) -> dict[str, str]:
    """Return the values by role that the path states in parts such as `annotator=Ann`."""
    roles = {alias: role for role, aliases in COLUMNS.items() for alias in aliases}
    parts = (*source.path.parent.parts, *PurePosixPath(source.member).parent.parts)
    pairs = (part.partition("=") for part in parts)
    return {roles[as_role(k)]: value for k, mark, value in pairs if mark and as_role(k) in roles}


class _Names:
    """Codes for the names in one column, the same codes in all batches."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self._codes: list[Any] = []

    def add(self, codes: Any, names: Sequence[str | None]) -> Any:
        """Return the codes of a batch (−1: null) of `names`, changed to those of all batches."""
        new = np.full(len(names) + 1, -1, np.int32)
        # A dictionary may list names that no row uses.
        for k in np.unique(codes[codes >= 0]).tolist():
            if (name := names[k]) is not None:
                new[k] = self.known.setdefault(name, len(self.known))
        self._codes.append(new[codes])
        return self._codes[-1]

    def codes(self) -> Any:
        """Return the codes of all rows, and forget them: a second call returns an empty array."""
        return _whole(self._codes, np.int32)


def _codes_of(error: Fault, batch: Any, name: str) -> tuple[Any, list[str | None]]:
    """Return the codes of a column of names, −1 for null, and the names that the codes index."""
    pa = _pyarrow()
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
        raise error(f"column {name!r} has {kind}, not names", hint=_HINT)
    if not encoded:
        values = values.dictionary_encode()
    names = values.dictionary.to_pylist()
    codes = _plain(values.indices, -1).astype(np.int64)
    null = {k for k, n in enumerate(names) if n is None or n != n}
    codes[np.isin(codes, list(null))] = -1
    return codes, [None if k in null else name_of(n) for k, n in enumerate(names)]


def _texts(error: Fault, batch: Any, name: str) -> list[str | None]:
    codes, names = _codes_of(error, batch, name)
    return [names[k] if k >= 0 else None for k in codes.tolist()]


class _Reading:
    """The columns of all batches that were read so far."""

    def __init__(
        self,
        error: Fault,
        schema: Any,
        features: Sequence[str],
        given: dict[str, str],
        unread: Collection[str],
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self._error = error
        self._given = given
        self._features = features
        self._found = self._columns(schema.names, columns)
        self._written = WrittenPositions(commas=False)
        for low, high in zip(AXES[::2], AXES[1::2], strict=True):
            if (low in self._found) != (high in self._found):
                unread = {*unread, low, high}
        self._found = {role: n for role, n in self._found.items() if role not in unread}
        self.shaped = any(role in self._found for role in (*AXES, SHAPE))
        self._axes: dict[int, int] = {}
        self._ids: dict[tuple[Any, ...], list[str]] = {}
        metadata = schema.metadata or {}
        self._unit = metadata.get(_UNIT, b"").decode("utf-8", "replace")
        used = {*self._found.values(), *features, *_BOUNDS}
        self._passed = [name for name in schema.names if name not in used]
        self._bounded = all(name in schema.names for name in _BOUNDS)
        self._of = {role: _Names() for role in ("document", "annotator", "category")}
        self._starts: list[Any] = []
        self._ends: list[Any] = []
        self._breaks: list[Any] = []
        self._bounds: dict[int, tuple[float, float]] = {}
        self.several = "document" in {**self._found, **given}

    def _columns(self, names: Sequence[str], columns: Mapping[str, str] | None) -> dict[str, str]:
        """Return the column of each role."""
        column_by_role: dict[str, str] = {}
        try:
            places_by_role = places_of_roles(names, self._features, columns)
        except DataError as error:
            raise self._error(error.message, hint=error.hint) from None
        for role, places in places_by_role.items():
            if len(places) > 1:
                both = ", ".join(repr(names[i]) for i in places)
                raise self._error(f"several columns could be the {role}: {both}")
            if role in _READ:  # what else there is counts as a column that is not read
                column_by_role[role] = names[places[0]]
        if missing_roles({**column_by_role, **self._given}):
            unknown = unknown_columns(names, places_by_role, tuple(self._given))
            raise self._error(unknown.message, hint=unknown.hint)
        lacking = [name for name in self._features if names.count(name) != 1]
        if lacking:
            column_names = ", ".join(names) or "none"
            raise self._error(
                f"there is no column {lacking[0]!r}", hint=f"{_HINT}; here: {column_names}"
            )
        return column_by_role

    def add(self, batch: Any, place: Place) -> None:
        """Check and take in a batch."""
        starts = self._numbers(batch, "start", place)
        if DURATION in self._found:
            durations = self._numbers(batch, DURATION, place)
            self._check(~(durations < 0), place, "has a duration < 0", "Correct the duration")
            # Whatever is finer than a billionth comes from adding in binary.
            ends = np.round(starts + durations, 9)
        else:
            ends = self._numbers(batch, "end", place)
        empty = np.isnan(starts) & np.isnan(ends)
        codes_by_role = {}
        for role in _WHOSE:
            codes, names = self.names_of(batch, role)
            if role in self._found:
                blank = [k for k, name in enumerate(names) if not (name or "").strip()]
                lacking = (codes < 0) | np.isin(codes, blank)
                if role == "annotator" and self.several:
                    lacking &= ~empty  # such a row declares a document
                self._check(~lacking, place, f"has no {role}", _HINT)
            codes_by_role[role] = self._of[role].add(codes, names)
        codes_by_role["category"] = self._of["category"].add(*self._labels(batch))
        labelled = codes_by_role["category"] >= 0
        self._check(~(empty & labelled), place, "has a category, but no start and no end")
        one = np.isnan(starts) != np.isnan(ends)
        self._check(~one, place, "has only a start or only an end", "A unit needs both")
        with np.errstate(invalid="ignore"):
            self._check(empty | np.isfinite(starts + ends), place, "has an infinite position")
            backwards = np.flatnonzero(ends < starts)[:1]
            faults = [f"has end {ends[i]:.15g} < start {starts[i]:.15g}" for i in backwards]
            self._check(~(ends < starts), place, *faults, hint="Swap or correct the positions")
            exact = ~(np.maximum(np.abs(starts), np.abs(ends)) > LARGEST)
        self._check(exact, place, "has a position beyond 2^53, which cannot be kept exactly")
        self._starts.append(starts)
        self._ends.append(ends)
        inside = self._inside(batch, starts, ends, place)
        if self.shaped:
            inside = self._shapes(batch, starts, ends, place, codes_by_role["document"], inside)
        self._breaks.append(inside)
        if UNIT in self._found:
            self._keep_names(batch, starts, ends, codes_by_role, inside)
        if self._bounded:
            self._take_bounds(batch, place, codes_by_role["document"])

    def names_of(self, batch: Any, role: str) -> tuple[Any, Sequence[str | None]]:
        """Return codes and names of a role: those of its column, or one name for all rows."""
        if role in self._found:
            return _codes_of(self._error, batch, self._found[role])
        only = self._given.get(role, "" if role in _WHOSE else None)
        return np.zeros(len(batch), np.int64), [only]

    def _check(self, sound: Any, place: Place, *what: str, hint: str | None = None) -> None:
        """Raise an error that names the first row for which `sound` is False."""
        for row in np.flatnonzero(~sound)[:1]:
            raise self._error(f"{place(int(row))} {what[0]}", hint=what[1] if what[1:] else hint)

    def _numbers(self, batch: Any, name: str, place: Place | None = None) -> Any:
        """Return a column of numbers as floats, NaN where it is null.

        With `place`, which says where a row is, texts may be times of a clock.
        """
        pa = _pyarrow()
        name = self._found.get(name, name)
        values = batch.column(name)
        if place is not None and _has_clock_times(values):
            return self._clock_times(values.to_pylist(), name, place)
        kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
        if not any(is_one(values.type) for is_one in kinds):
            raise self._error(f"column {name!r} has {values.type}, not numbers", hint=_HINT)
        return _plain(values.cast(pa.float64(), safe=False), math.nan)

    def _clock_times(self, texts: Sequence[str | None], name: str, place: Place) -> Any:
        """Return the times of a clock in seconds."""
        times = np.full(len(texts), np.nan)
        for row, text in enumerate(texts):
            if text is not None and text.strip():
                try:
                    times[row] = self._written.number(text, place(row))
                except ValueError as error:
                    raise self._error(f"{place(row)}: {name} {error}", hint=_HINT) from None
        return times

    def _labels(self, batch: Any) -> tuple[Any, Sequence[str | None]]:
        """Return the code of each row's label, and the labels; a label includes its features."""
        columns = [self.names_of(batch, "category")]
        columns += [_codes_of(self._error, batch, name) for name in self._features]
        if not self._features:
            return columns[0]
        distinct, codes = np.unique(np.stack([c for c, _ in columns]), axis=1, return_inverse=True)
        labels: list[str | None] = []
        for row in distinct.T.tolist():
            category, *values = (
                names[k] if k >= 0 else None for k, (_, names) in zip(row, columns, strict=True)
            )
            labels.append(to_label(category, dict(zip(self._features, values, strict=True))))
        return codes.ravel(), labels

    def _inside(self, batch: Any, starts: Any, ends: Any, place: Place) -> Any:
        """Return the breaks of each unit; the number of units if none has fragments."""
        if FRAGMENTS in self._found:
            listed = batch.column(self._found[FRAGMENTS])
        else:
            listed = None
        if listed is None or listed.null_count == len(listed):
            return len(batch)
        breaks_by_row: list[tuple[float, ...]] = [()] * len(batch)
        for row, parts in enumerate(listed.to_pylist()):
            if not parts:
                continue
            try:
                pairs = [[*p.values()] if isinstance(p, dict) else p for p in parts]
                breaks_by_row[row] = breaks_of(join(pairs, (float(starts[row]), float(ends[row]))))
            except (DataError, TypeError, AttributeError) as error:
                fault = getattr(error, "message", None) or "is not a list of (start, end)"
                raise self._error(f"{place(row)}: {fault}") from None
        return breaks_by_row

    def _shapes(
        self, batch: Any, starts: Any, ends: Any, place: Place, codes: Any, inside: Any
    ) -> Any:
        """Return an entry per unit: its shape, or else its breaks."""
        if isinstance(inside, int):
            breaks_by_row: list[Any] = [()] * len(batch)
        else:
            breaks_by_row = inside
        edges = np.stack(
            [starts, ends, *(self._numbers(batch, n) for n in AXES if n in self._found)]
        )
        if SHAPE in self._found:
            entries_with_shapes = batch.column(self._found[SHAPE]).to_pylist()
        else:
            entries_with_shapes = None
        for row, (start, end, *rest) in enumerate(edges.T.tolist()):
            further = zip(rest[::2], rest[1::2], strict=True)
            spans = [(start, end), *((x, y) for x, y in further if x == x or y == y)]
            if entries_with_shapes:
                entry = entries_with_shapes[row]
            else:
                entry = None
            if isinstance(entry, dict):
                entry = json.dumps({kind: x for kind, x in entry.items() if x is not None})
            try:
                shape = shape_of(spans, entry)
            except DataError as error:
                raise self._error(f"{place(row)}: {error.message}", hint=error.hint) from None
            if shape is not None and breaks_by_row[row]:
                raise self._error(f"{place(row)} has fragments and a shape", hint="Give one")
            if shape is not None:
                breaks_by_row[row] = relative(start, shape)
            if shape is None:
                axes = 1
            else:
                axes = shape.axes
            if start == start and self._axes.setdefault(int(codes[row]), axes) != axes:
                before = self._axes[int(codes[row])]
                raise self._error(
                    f"{place(row)} is on {_axes(axes)}, units before it on {_axes(before)}",
                    hint="Give all units of a document the same number of axes, or ignore shapes "
                    "with `read(shapes=no)`",
                )
        return breaks_by_row

    def _keep_names(self, batch: Any, starts: Any, ends: Any, known: Any, inside: Any) -> None:
        """Store the id of each unit by its document, names, positions and breaks or shape."""
        names = {role: [*self._of[role].known, None] for role in known}
        columns = [[names[role][k] for k in codes.tolist()] for role, codes in known.items()]
        columns += [starts.tolist(), ends.tolist()]
        columns += [[()] * len(batch) if isinstance(inside, int) else inside]
        called = _texts(self._error, batch, self._found[UNIT])
        for key, name in zip(zip(*columns, strict=True), called, strict=True):
            self._ids.setdefault(key, []).append(name or "")

    def with_links(
        self, document: Continuum | Corpus, links: Mapping[str, Sequence[Link]], place: str
    ) -> Continuum | Corpus:
        """Return the document with its links and with the unit ids that the links refer to."""
        if UNIT not in self._found:
            raise self._error(f"has a file of links beside it, but no column {UNIT!r}")
        several = isinstance(document, Corpus)
        continua = by_name(document)
        if len(continua) == 1:
            links = {
                next(iter(continua)): [
                    x for document_links in links.values() for x in document_links
                ]
            }
        for name in links.keys() - continua.keys():
            raise self._error(
                f"there are links in document {name!r}, which has no units",
                hint="Use a document's name from the units",
            )
        linked = {}
        lost = Tally(place)
        for name, c in continua.items():
            who = [c.annotators[k] for k in c.annotator_codes]
            what = [None if k < 0 else c.categories[k] for k in c.category_codes]
            inside = [()] * c.n_units if c.inside is None else c.inside
            document_names = [name if several else ""] * c.n_units
            keys = zip(
                document_names, who, what, c.starts.tolist(), c.ends.tolist(), inside, strict=True
            )
            ids = column(self._ids[key].pop(0) for key in keys)
            links_of_document = links.get(name, ())
            whole = whole_links(
                links_of_document, set(zip(who, () if ids is None else ids, strict=False))
            )
            lost.add("link", NO_UNIT, len(links_of_document) - len(whole))
            try:
                if whole:
                    joined = check_links(whole, who, ids)
                else:
                    joined = ()
            except DataError as error:
                if several:
                    said_of = f"document {name!r}: "
                else:
                    said_of = ""
                raise self._error(f"{said_of}{error.message}", hint=error.hint) from None
            linked[name] = replace(c, ids=ids if whole else None, links=joined)
        return with_continua(document, linked, lost)

    def _take_bounds(self, batch: Any, place: Place, codes: Any) -> None:
        low, high = (self._numbers(batch, name) for name in _BOUNDS)
        for row in np.flatnonzero(~np.isnan(low) & ~np.isnan(high)):
            bounds = float(low[row]), float(high[row])
            if self._bounds.setdefault(int(codes[row]), bounds) != bounds:
                raise self._error(f"{place(int(row))} gives its document other bounds than before")

    def _offset_unit(self) -> str:
        """Return the unit of positions, from clock times, metadata or the names of columns."""
        if self._written.are_times:
            if self._unit not in ("", SECONDS):
                what = f"positions are times of a clock, but the offset unit is {self._unit!r}"
                raise self._error(what, hint="Correct the schema's metadata")
            return SECONDS
        roles = ("start", "end", DURATION)
        return self._unit or unit_of_columns(
            [self._found[role] for role in roles if role in self._found]
        )

    def document(self, place: str, name: str) -> Continuum | Corpus:
        """Return the document; a continuum of this name where there is no document column."""
        if self.several:
            documents = self._of["document"].known
        else:
            documents = {name: 0}
        if not documents:
            raise self._error("table has no rows", hint=_HINT)
        broken = any(not isinstance(part, int) for part in self._breaks)
        if broken:
            parts = [[()] * p if isinstance(p, int) else p for p in self._breaks]
        else:
            parts = []
        tally = Tally(place)
        for other in self._passed:
            tally.add("column", f"{other} is not used")
        starts = _whole(self._starts, np.float64)
        ends = _whole(self._ends, np.float64)
        _pyarrow().default_memory_pool().release_unused()
        try:
            table = DocumentTable.of_rows(
                documents,
                [*self._of["annotator"].known],
                [*self._of["category"].known],
                self._of["document"].codes(),
                self._of["annotator"].codes(),
                self._of["category"].codes(),
                starts,
                ends,
                inside=column(b for part in parts for b in part) if broken else None,
                bounds=self._bounds,
                offset_unit=self._offset_unit(),
            )
        except DataError as error:
            raise self._error(error.message, hint=error.hint) from None
        if self.several:
            return Corpus(table, table.categories, tally.entries())
        return table[name].with_about(left_out=tally.entries())


def _has_clock_times(values: Any) -> bool:
    """Return whether a column is text and has times hh:mm:ss."""
    is_a = _pyarrow().types
    kinds = (is_a.is_string, is_a.is_large_string, is_a.is_string_view)
    textual = any(is_one(values.type) for is_one in kinds)
    return textual and any(":" in (text or "") for text in values.to_pylist())


def _whole(parts: list[Any], kind: type) -> Any:
    """Concatenate the parts of a column, and empty the list of parts to free their memory."""
    joined = np.concatenate([np.empty(0, kind), *parts])
    parts.clear()
    return joined


def _plain(values: Any, missing: float) -> Any:
    """Return Arrow numbers as an array; nulls are filled first, as pyarrow would import pandas."""
    return np.from_dlpack(values.fill_null(missing) if values.null_count else values)


def _axes(count: int) -> str:
    if count > 1:
        return f"{count} axes"
    return "one axis"


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write units as rows of a Parquet file, or by the ending of Feather (Arrow IPC).

    Kept: units with their features, fragments and shapes, annotators and documents without units,
    declared bounds, the offset unit if all continua share it; links in a file NAME.links.parquet
    beside. Not kept: categories that no unit has, the
    order of annotators and categories, the text, how far somebody read.

    Raises
    ------
    DataError
        A continuum of a corpus has no name, or a feature has that of another column.
    UsageError
        pyarrow is not installed.
    """
    pa = _pyarrow()
    several = isinstance(document, Corpus)
    features = feature_names(document.categories)
    continua = by_name(document)
    inside = columns_inside(continua.values())
    called = any(c.links for c in continua.values())
    bounded = any(c.declared for c in continua.values())
    if several:
        kinds = {"document": pa.string()}
    else:
        kinds = {}
    kinds |= {n: pa.float64() if n in ("start", "end") else pa.string() for n in ORDER}
    parts = {FRAGMENTS: pa.list_(pa.list_(pa.float64())), SHAPE: pa.string()}
    kinds |= {name: parts.get(name, pa.float64()) for name in inside}
    if called:
        kinds |= {UNIT: pa.string()}
    else:
        kinds |= {}
    if bounded:
        kinds |= dict.fromkeys(_BOUNDS, pa.float64())
    else:
        kinds |= {}
    role_names = {as_role(name) for name in kinds} | {a for some in COLUMNS.values() for a in some}
    for name in features:
        if as_role(name) in role_names:
            raise DataError(
                f"feature {name!r} would be read as another column", hint="Write JSON instead"
            )
    kinds |= dict.fromkeys(features, pa.string())
    units = {c.offset_unit for c in continua.values()}
    if len(units) == 1:
        metadata = {_UNIT: units.pop().encode()}
    else:
        metadata = {}
    schema = pa.schema(list(kinds.items()), metadata)

    def batches() -> Iterator[Any]:
        rows: list[dict[str, Any]] = []
        for name, continuum in continua.items():
            if several and not name:
                raise DataError("a continuum has no name", hint="Name it, or write JSON instead")
            rows += _rows(name, continuum, inside, bounded=bounded)
            if len(rows) >= _ROWS:
                yield pa.RecordBatch.from_pylist(rows, schema)
                rows = []
        yield pa.RecordBatch.from_pylist(rows, schema)

    _write(batches(), schema, path)
    if called:
        _write_links(continua, path.with_suffix(f".links{path.suffix}"))


def _write_links(continua: Mapping[str, Continuum], path: Path) -> None:
    pa = _pyarrow()
    schema = pa.schema([(name, pa.string()) for name in LINKS])
    rows = [
        {LINKS[0]: name, **{f.name: getattr(x, f.name) for f in fields(x)}}
        for name, continuum in continua.items()
        for x in continuum.links
    ]
    _write([pa.RecordBatch.from_pylist(rows, schema)], schema, path)


def _write(batches: Iterable[Any], schema: Any, path: Path) -> None:
    from pyarrow.parquet import ParquetWriter

    if path.suffix.lower() == ".parquet":
        opened = ParquetWriter
    else:
        opened = _pyarrow().ipc.new_file
    with atomic_write(path) as temporary, opened(temporary, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _rows(
    name: str, continuum: Continuum, inside: tuple[str, ...], *, bounded: bool
) -> Iterator[dict[str, Any]]:
    about: dict[str, Any] = {"document": name}
    if bounded and continuum.declared:
        about |= zip(_BOUNDS, continuum.bounds, strict=True)
    if not continuum.annotators:
        yield about
    for annotator, count in zip(continuum.annotators, continuum.counts, strict=True):
        if not count:
            yield {**about, "annotator": annotator}
    for u in continuum:
        yield {
            **about,
            **features_of(u.category),
            "annotator": u.annotator,
            "category": category_of(u.category),
            "start": u.start,
            "end": u.end,
            **shape_cells(u, inside),
            FRAGMENTS: [list(f) for f in u.fragments] or None,
            UNIT: u.id or None,
        }


def _sniff(head: bytes, _: Path) -> bool:
    return head.startswith((_PARQUET, _FILE, _STREAM, b"FEA1"))


registered(
    "arrow",
    "Parquet, Feather, Arrow IPC",
    (".parquet", ".feather", ".arrow", ".ipc"),
    _sniff,
    read,
    write=write,
    many=True,
    bounds=True,
    features=True,
    fragments=True,
    shapes=True,
    links=KINDS,
    extra="parquet",
    first_rows=first_rows,
    head=head,
)
