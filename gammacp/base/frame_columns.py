"""Columns of a data frame (pandas, polars, Arrow, a dict of lists), read by their role.

Every value is checked here, so that an error names the row (counted from 1) and the column.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from gammacp.base.frames import (
    AXES,
    DURATION,
    FRAGMENTS,
    SHAPE,
    as_role,
    exact_sum,
    missing_roles,
    name_of,
    places_of_roles,
    reader_of,
    unit_of_columns,
    unknown_columns,
)
from gammacp.base.text import first_names
from gammacp.errors import DataError

BOUNDS = ("bounds_start", "bounds_end")
_READ = ("annotator", "category", "start", "end", DURATION, FRAGMENTS, *AXES, SHAPE)
_HINT = "It needs annotator, start and end, and may have category"
_SWAP = "Swap or correct the positions"
_EXACT_INTEGERS = 2**53
_FLOATS = (float, np.floating)
# Types that numpy converts to numbers although they are none: float(timedelta64(5, "s")) is 5.
_TIMES = (bool, np.bool_, np.datetime64, np.timedelta64)
_COLLECTIONS = (list, tuple, dict, set, frozenset, bytes, np.ndarray)
# Types whose items are not values of rows, or have no order.
_NO_COLUMNS = (str, bytes, set, frozenset, Mapping)


class FrameColumns(NamedTuple):
    """Columns of a frame, an entry per row.

    Attributes
    ----------
    documents
        None where the frame is one document.
    annotators
        None in a row that only declares a document.
    categories
        None where a unit is unlabelled.
    features
        Values by name; empty without features.
    starts, ends
        NaN in a row that declares an annotator or a document.
    fragments, shapes
        None without such a column.
    extents
        (low, high) on each further axis; None without columns of boxes.
    bounds
        Bounds of each document that declares them.
    offset_unit
        "s" or "ms" where the names of the columns say so; else "".
    unused
        Names of the columns that are not read.
    """

    documents: list[str] | None
    annotators: list[str | None]
    categories: list[str | None]
    features: list[dict[str, str | None]]
    starts: list[float]
    ends: list[float]
    fragments: list[Any] | None
    shapes: list[Any] | None
    extents: list[list[tuple[Any, Any]]] | None
    bounds: dict[str, tuple[float, float]]
    offset_unit: str
    unused: tuple[str, ...]


class _Frame(NamedTuple):
    """Values of columns by role, and the names of these columns by role."""

    values: dict[str, list[Any]]
    names: dict[str, str]
    unused: tuple[str, ...]

    def fault(self, row: int, role: str, what: str, hint: str | None = None) -> DataError:
        """Return the error on a value; the column is named where it is not called as its role."""
        name = self.names.get(role, role)
        if as_role(name) == role:
            column = ""
        else:
            column = f" (column {name!r})"
        return DataError(f"row {row} of the data frame{what}{column}", hint=hint)


def columns_of(
    frame: Any,
    features: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    *,
    documents: bool = False,
) -> FrameColumns:
    """Return the columns of a frame by their role.

    A missing category (None, NaN, NA) is an unlabelled unit, and so is every unit where there is
    no category column. A whole number is one name, whether a gap or a neighbour made a float of it
    or not: `2.0` reads as `2`, so that parts of one frame agree. Durations may stand for the ends.

    Parameters
    ----------
    frame
        A row per unit.
    features
        Further columns that are features beside the category.
    columns
        The column of each role, where its name is not a known one.
    documents
        Whether the frame is of several documents: it has a column that names them, and rows
        without positions declare an annotator without units, or a document.

    Raises
    ------
    DataError
        A column is missing, several could have one role, a value is missing or of another type,
        or, without `documents`, rows are of several documents.
    """
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "iloc"):
        with suppress(ImportError):  # polars has columns that can be listed as well
            frame = _sound_columns(frame, features, columns)
    table = _columns_by_role(frame, features, columns, documents=documents)
    column = table.values
    if DURATION in column:
        column["end"] = _ends(table)
        table.names["end"] = table.names[DURATION]
    rows = range(1, len(column["start"]) + 1)
    labels = column.get("category", [None] * len(rows))
    categories = [_name(table, row, "category", x) for row, x in zip(rows, labels, strict=True)]
    annotators = [_name(table, row, "annotator", x) for row, x in enumerate(column["annotator"], 1)]
    whose = None
    if documents:
        whose = [_document(table, row, x) for row, x in enumerate(column["document"], 1)]
    _check_positions(table, annotators, categories, documents=documents)
    values = [[_name(table, row, f, x) for row, x in enumerate(column[f], 1)] for f in features]
    feature_rows = [dict(zip(features, row, strict=True)) for row in zip(*values, strict=True)]
    used = [table.names[role] for role in ("start", "end") if role in table.names]
    return FrameColumns(
        documents=whose,
        annotators=annotators,
        categories=categories,
        features=feature_rows,
        starts=column["start"],
        ends=column["end"],
        fragments=_listed(column.get(FRAGMENTS)),
        shapes=_listed(column.get(SHAPE)),
        extents=_extents(table),
        bounds=_bounds(table, whose) if whose is not None else {},
        offset_unit=unit_of_columns(used),
        unused=table.unused,
    )


def _sound_columns(
    frame: Any, features: Sequence[str], columns: Mapping[str, str] | None
) -> dict[str, list[Any]]:
    """Return the columns of a table of Arrow as lists.

    Raises
    ------
    DataError
        It is damaged, or two columns that are read have one name.
    """
    pyarrow = import_module("pyarrow")
    try:
        reader = reader_of(frame)
        names = reader.schema.names
        roles = places_of_roles(names, (), columns)
        read = {names[place] for places in roles.values() for place in places}
        for name in names:
            if names.count(name) > 1 and (name in features or name in read):
                raise DataError(f"data frame has {names.count(name)} columns {name!r}")
        places = {name: place for place, name in enumerate(names)}
        values: dict[str, list[Any]] = {name: [] for name in places}
        for batch in reader:
            batch.validate(full=True)
            for name, place in places.items():
                values[name] += batch.column(place).to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise DataError(f"data frame is damaged: {reason}", hint="Make it again") from None
    return values


def _columns_by_role(
    frame: Any,
    features: Sequence[str],
    columns: Mapping[str, str] | None,
    *,
    documents: bool,
) -> _Frame:
    """Return the values of each column that has a role; DataError for one too few or too many."""
    keys = _keys(frame)
    named = [*map(str, keys)]
    columns_by_role = places_of_roles(["" if n in features else n for n in named], (), columns)
    for name in features:
        if named.count(name) != 1:
            has = first_names([*map(repr, named)], 8) or "none"
            many = "no column" if name not in named else f"{named.count(name)} columns"
            raise DataError(f"data frame has {many} {name!r}; it has: {has}", hint=_HINT)
    if missing_roles(columns_by_role):
        raise unknown_columns(named, columns_by_role).within("data frame")
    if documents and "document" not in columns_by_role:
        raise DataError(
            f"data frame has no column of documents; it has: {first_names([*map(repr, named)], 8)}",
            hint="Say which column names them: `document=`. One document is a Continuum: use "
            "Continuum.from_frame",
        )
    read = [*_READ, *(["document"] if documents else [])]
    for low, high in zip(AXES[::2], AXES[1::2], strict=True):
        if (low in columns_by_role) != (high in columns_by_role):
            read = [role for role in read if role not in (low, high)]
    roles = {role: columns_by_role[role] for role in read if role in columns_by_role}
    for role, places in roles.items():
        if len(places) > 1:
            both = ", ".join(repr(named[i]) for i in places)
            raise DataError(f"several columns of the data frame could be the {role}: {both}")
    names = {role: named[places[0]] for role, places in roles.items()}
    values = {role: _values(frame, keys[places[0]]) for role, places in roles.items()}
    values |= {name: _values(frame, keys[named.index(name)]) for name in features}
    if documents and all(name in named for name in BOUNDS):
        values |= {name: _values(frame, name) for name in BOUNDS}
    elif not documents:
        _check_one_document(frame, keys, columns_by_role)
    _check_lengths(values, names)
    used = {*names.values(), *values}
    return _Frame(values, names, tuple(name for name in named if name not in used))


def _keys(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame; a DataError for what has none."""
    if hasattr(frame, "columns"):
        return list(frame.columns)
    if not hasattr(frame, "keys"):
        raise DataError(
            f"{type(frame).__name__} is not a data frame",
            hint="Give a frame of pandas or polars, or a dict with a list for each column",
        )
    return list(frame.keys())


def _values(frame: Any, key: Any) -> list[Any]:
    """Return the values of a column in their order; a DataError where there is no order."""
    column = frame[key]
    if isinstance(column, _NO_COLUMNS) or not isinstance(column, Iterable):
        raise DataError(
            f"column {str(key)!r} of the data frame is a {type(column).__name__}, not a list",
            hint="Give a value for each row, in a list",
        )
    return list(column)


def _check_lengths(values: Mapping[str, Sized], names: Mapping[str, str]) -> None:
    """Raise a DataError where columns have different numbers of rows."""
    lengths = {names.get(role, role): len(column) for role, column in values.items()}
    if len(set(lengths.values())) > 1:
        each = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
        raise DataError(
            f"columns of the data frame have different numbers of rows: {each}",
            hint="Give a value for each row",
        )


def _check_one_document(frame: Any, keys: Sequence[Any], roles: Mapping[str, list[int]]) -> None:
    """Raise a DataError where rows are of several documents."""
    for key in (keys[i] for i in roles.get("document", ())):
        documents = {str(name) for name in frame[key]}
        if len(documents) > 1:
            raise DataError(
                f"data frame has {len(documents)} documents in its column {str(key)!r}, but a "
                "continuum is one",
                hint="Give the rows of one document, or the whole frame to Corpus.from_frame or "
                "gammacp.read_table",
            )


def _name(table: _Frame, row: int, role: str, value: Any) -> str | None:
    """Return a name as text; None where it is missing."""
    if isinstance(value, _COLLECTIONS):
        hint = None
        if role == "category":
            hint = "Write a set of labels as one text, such as A+B"
        raise table.fault(row, role, f": {role} {value!r} is not a name", hint)
    if _is_missing(value):
        return None
    return name_of(value)


def _document(table: _Frame, row: int, value: Any) -> str:
    name = _name(table, row, "document", value)
    if name is None or not name.strip():
        raise table.fault(row, "document", " has no document")
    return name


def _check_positions(
    table: _Frame,
    annotators: Sequence[str | None],
    categories: Sequence[str | None],
    *,
    documents: bool,
) -> None:
    """Check annotator, start and end of each row, and make floats of the positions.

    They are NaN where they may be missing.
    """
    starts = table.values["start"]
    ends = table.values["end"]
    for row, annotator in enumerate(annotators, 1):
        start = starts[row - 1]
        end = ends[row - 1]
        empty = documents and _is_missing(start) and _is_missing(end)
        declares_document = empty and annotator is None and categories[row - 1] is None
        if not (declares_document or (annotator or "").strip()):
            raise table.fault(row, "annotator", " has no annotator", _HINT)
        if empty:
            if categories[row - 1] is not None:
                raise table.fault(row, "start", " has a category, but no start and no end")
            starts[row - 1] = ends[row - 1] = math.nan
            continue
        first = _position(table, row, "start", start)
        last = _position(table, row, "end", end)
        if last < first:
            raise table.fault(row, "end", f": end {last:.15g} < start {first:.15g}", _SWAP)
        starts[row - 1] = first
        ends[row - 1] = last


def _position(table: _Frame, row: int, role: str, value: Any) -> float:
    """Return a position as a float."""
    if _is_missing(value):
        raise table.fault(row, role, f" has no {role}", _HINT)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, _TIMES) or math.isnan(number):
        raise table.fault(row, role, f": {role} {value!r} is not a number", _HINT)
    if math.isinf(number):
        raise table.fault(row, role, f": {role} {number} is not finite", "Correct the position")
    rounded = isinstance(value, int | np.integer) and int(value) != number
    if rounded or abs(number) > _EXACT_INTEGERS:
        what = f": {role} {value} is beyond 2^53 and cannot be kept exactly"
        raise table.fault(row, role, what, "Count in larger units, or from a later origin")
    return number


def _ends(table: _Frame) -> list[Any]:
    """Return ends from starts and durations; missing if the start or duration is."""
    ends: list[Any] = []
    starts = table.values["start"]
    durations = table.values[DURATION]
    for row, (start, duration) in enumerate(zip(starts, durations, strict=True), 1):
        if _is_missing(start) or _is_missing(duration):
            ends.append(duration if _is_missing(duration) else None)
            continue
        first = _position(table, row, "start", start)
        length = _position(table, row, DURATION, duration)
        if length < 0:
            raise table.fault(row, DURATION, f" has a duration {length:.15g} < 0")
        ends.append(exact_sum(first, length))
    return ends


def _listed(values: list[Any] | None) -> list[Any] | None:
    """Return a column of collections, None where one is missing."""
    if values is None:
        return None
    return [None if x is None or isinstance(x, _FLOATS) else x for x in values]


def _extents(table: _Frame) -> list[list[tuple[Any, Any]]] | None:
    """Return the extents of each row on the further axes that it has."""
    axes = [pair for pair in zip(AXES[::2], AXES[1::2], strict=True) if pair[0] in table.values]
    if not axes:
        return None
    extents: list[list[tuple[Any, Any]]] = []
    for row in range(len(table.values["start"])):
        spans = []
        for low, high in axes:
            ends = table.values[low][row], table.values[high][row]
            if not all(map(_is_missing, ends)):
                spans.append(
                    (
                        _position(table, row + 1, low, ends[0]),
                        _position(table, row + 1, high, ends[1]),
                    )
                )
        extents.append(spans)
    return extents


def _bounds(table: _Frame, documents: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the bounds of the documents that declare them."""
    bounds: dict[str, tuple[float, float]] = {}
    if BOUNDS[0] not in table.values:
        return bounds
    each = zip(documents, table.values[BOUNDS[0]], table.values[BOUNDS[1]], strict=True)
    for row, (name, low, high) in enumerate(each, 1):
        if _is_missing(low) and _is_missing(high):
            continue
        extent = _position(table, row, BOUNDS[0], low), _position(table, row, BOUNDS[1], high)
        if bounds.setdefault(name, extent) != extent:
            raise table.fault(row, "document", " gives its document other bounds than before")
    return bounds


def _is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA.

    NA compares neither equal to itself nor different, so it is recognised by its type.
    """
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, _COLLECTIONS):
        return False
    return bool(value != value)
