"""Data frames (pandas, polars, Arrow, a dict of lists) as the columns of a continuum.

What columns are called, in frames as in CSV.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from gammacp.base.text import first_names
from gammacp.errors import DataError

FRAGMENTS, SHAPE, UNIT = "fragments", "shape", "unit"
AXES = ("y0", "y1", "z0", "z1")
_STARTS = "start,x0,x min,xmin,begin,onset,start time,begin time,start offset"
_ENDS = "end,x1,x max,xmax,stop,offset end,end time,stop time,end offset"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "annotator": ("annotator", "coder", "rater", "annotator id", "annotator name"),
    "category": ("category", "label", "tag", "type"),
    "start": tuple(_STARTS.split(",")),
    "end": tuple(_ENDS.split(",")),
    FRAGMENTS: (FRAGMENTS,),
    "y0": ("y0", "y min", "ymin", "low frequency", "low freq (hz)"),
    "y1": ("y1", "y max", "ymax", "high frequency", "high freq (hz)"),
    "z0": ("z0", "z min", "zmin"),
    "z1": ("z1", "z max", "zmax"),
    SHAPE: (SHAPE,),
    UNIT: (UNIT,),
    "document": ("document", "continuum", "doc", "file", "filename", "document id", "doc id"),
}
"""Each role with the names that a column of it may have, as `as_role` writes them."""
_ALWAYS = ("annotator", "category", "start", "end")
_FLOATS = (float, np.floating)
_NEEDED = ("annotator", "start", "end")
_HINT = "It needs annotator, start and end, and may have category"


def as_role(name: str) -> str:
    """The name of a column as `COLUMNS` has it."""
    return re.sub(r"[\s_-]+", " ", name.strip().lower())


def places_of_roles(names: Sequence[str], features: Sequence[str] = ()) -> dict[str, list[int]]:
    """The columns that have each role; an exact name takes precedence over aliases.

    Parameters
    ----------
    names
        Of the columns.
    features
        Columns that are features: none of them is the document, fragments, a shape or an id.
    """
    found: dict[str, list[int]] = {}
    written = [as_role(name) for name in names]
    for role, aliases in COLUMNS.items():
        places = [i for i, name in enumerate(written) if name in aliases]
        if role not in _ALWAYS:  # What is asked for as a feature is none of the others.
            places = [i for i in places if names[i].strip() not in features]
        if places:
            found[role] = [i for i in places if written[i] == role] or places
    return found


class FrameColumns(NamedTuple):
    """The columns of a frame; `features` is empty without any, `fragments` and `shapes` None."""

    annotators: list[str]
    categories: list[str | None]
    features: list[dict[str, str | None]]
    starts: list[float]
    ends: list[float]
    fragments: list[Sequence[Any]] | None
    shapes: list[Any] | None


def columns_of(frame: Any, features: Sequence[str] = ()) -> FrameColumns:
    """Return the columns of a frame by their role.

    A missing category (None, NaN, NA) is an unlabelled unit, and so is every unit where there is
    no category column. A whole number is one name, whether a gap or a neighbour made a float of it
    or not: `2.0` reads as `2`, so that parts of one frame agree.

    Raises
    ------
    DataError
        A column is missing, a row has no annotator, start or end (counted from 1), or rows are
        of several documents.
    """
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "iloc"):
        with suppress(ImportError):  # polars has columns that can be listed as well
            frame = _sound_columns(frame, features)
    column = _columns_by_role(frame, features)
    annotators, starts, ends = (column[name] for name in _NEEDED)
    for name, values in zip(_NEEDED, (annotators, starts, ends), strict=True):
        for row, value in enumerate(values, 1):
            if _missing(value) or (name == "annotator" and not str(value).strip()):
                raise DataError(f"row {row} of the data frame has no {name}", hint=_HINT)
            if name != "annotator" and isinstance(value, bool | np.bool_):
                raise DataError(f"row {row} of the data frame: {name} {value} is not a number")
    labels = column.get("category", [None] * len(starts))
    names = [None if _missing(x) else name_of(x) for x in labels]
    columns = [[None if _missing(x) else name_of(x) for x in frame[f]] for f in features]
    known = [dict(zip(features, values, strict=True)) for values in zip(*columns, strict=True)]
    fragments: list[Sequence[Any]] | None = None
    if FRAGMENTS in column:
        fragments = [() if x is None or isinstance(x, _FLOATS) else x for x in column[FRAGMENTS]]
    who = [name_of(a) for a in annotators]
    return FrameColumns(who, names, known, starts, ends, fragments, column.get(SHAPE))


def reader_of(table: Any) -> Any:
    """Return pyarrow's reader of batches for whatever has `__arrow_c_stream__`.

    A table of pyarrow is read as it is: to export a damaged one looks up values that may lie
    outside of its memory, which ends the process before anything could be checked. Batches are to
    be checked with `validate(full=True)` before they are used.
    """
    pyarrow = import_module("pyarrow")
    if isinstance(table, pyarrow.RecordBatchReader):
        return table
    if isinstance(table, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([table]).to_reader()
    if type(table).__module__.startswith("pyarrow.") and hasattr(table, "to_reader"):
        return table.to_reader()
    if hasattr(table, "validate"):
        table.validate(full=True)
    return pyarrow.RecordBatchReader.from_stream(table)


def _sound_columns(frame: Any, features: Sequence[str]) -> dict[str, list[Any]]:
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
        for name in names:
            if names.count(name) > 1 and (name in features or places_of_roles([name])):
                raise DataError(f"data frame has {names.count(name)} columns {name!r}")
        places = {name: place for place, name in enumerate(names)}
        columns: dict[str, list[Any]] = {name: [] for name in places}
        for batch in reader:
            batch.validate(full=True)
            for name, place in places.items():
                columns[name] += batch.column(place).to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise DataError(f"data frame is damaged: {reason}", hint="Make it again") from None
    return columns


def _columns_by_role(frame: Any, features: Sequence[str]) -> dict[str, list[Any]]:
    """The values of each column that has a role; DataError for one too few or too many."""
    keys = [*(frame.columns if hasattr(frame, "columns") else frame)]
    named = [*map(str, keys)]
    there = places_of_roles(["" if n in features else n for n in named])
    roles = {role: there[role] for role in (*_ALWAYS, FRAGMENTS, SHAPE) if role in there}
    for key in (keys[i] for i in there.get("document", ())):
        documents = {str(name) for name in frame[key]}
        if len(documents) > 1:
            raise DataError(
                f"data frame has {len(documents)} documents in its column {str(key)!r}, but a "
                "continuum is one",
                hint="Give the rows of one document, or the whole frame to gammacp.read_table",
            )
    for name in (*_NEEDED, *features):
        if name not in (*roles, *named):
            has = first_names([*map(repr, named)], 8) or "none"
            raise DataError(f"data frame has no column {name!r}; it has: {has}", hint=_HINT)
    if axes := [role for role in AXES if role in there]:
        raise DataError(
            f"data frame has the columns of boxes {', '.join(axes)}",
            hint="Give the boxes as a column shape, or read the same columns from CSV",
        )
    for role, places in roles.items():
        if len(places) > 1:
            both = ", ".join(repr(named[i]) for i in places)
            raise DataError(f"several columns of the data frame could be the {role}: {both}")
    return {role: list(frame[keys[places[0]]]) for role, places in roles.items()}


def _missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA.

    NA compares neither equal to itself nor different, so it is recognised by its type.
    """
    if value is None or type(value).__name__ == "NAType":
        return True
    return bool(value != value)


def name_of(label: Any) -> str:
    """A name as text: a whole number that came as a float is its digits.

    Parameters
    ----------
    label
        Not missing.
    """
    return str(int(label)) if isinstance(label, _FLOATS) and label.is_integer() else str(label)
