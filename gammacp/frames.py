"""Data frames (pandas, polars, Arrow, a dict of lists) as the columns of a continuum."""

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from gammacp.errors import DataError

_FLOATS = (float, np.floating)


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
    """What every row of a frame has.

    A missing category (None, NaN, NA) is an unlabelled unit, and so is every unit where there is
    no category column. A whole number is one name, whether a gap or a neighbour made a float of it
    or not: `2.0` reads as `2`, so that parts of one frame agree.

    Raises
    ------
    DataError
        A column is missing, or a row has no annotator, start or end (counted from 1).
    """
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "iloc"):
        with suppress(ImportError):  # polars has columns that can be listed as well
            frame = import_module("pyarrow").table(frame).to_pydict()
    annotators, starts, ends = _needed(frame, features)
    labels = list(frame["category"]) if "category" in frame else [None] * len(starts)
    names = [None if _missing(x) else name_of(x) for x in labels]
    columns = [[None if _missing(x) else name_of(x) for x in frame[f]] for f in features]
    known = [dict(zip(features, values, strict=True)) for values in zip(*columns, strict=True)]
    fragments: list[Sequence[Any]] | None = None
    if "fragments" in frame:
        fragments = [() if x is None or isinstance(x, _FLOATS) else x for x in frame["fragments"]]
    shapes = list(frame["shape"]) if "shape" in {*frame} - {*features} else None
    who = [name_of(a) for a in annotators]
    return FrameColumns(who, names, known, starts, ends, fragments, shapes)


def _needed(frame: Any, features: Sequence[str]) -> list[list[Any]]:
    """The columns without which there is no unit, checked row by row."""
    needed = ("annotator", "start", "end")
    hint = "The columns are annotator, category, start, end"
    for name in (*needed, *features):
        if name not in frame:
            raise DataError(f"data frame has no column {name!r}", hint=hint)
    columns = [list(frame[name]) for name in needed]
    for name, values in zip(needed, columns, strict=True):
        for row, value in enumerate(values, 1):
            if _missing(value) or (name == "annotator" and not str(value).strip()):
                raise DataError(f"row {row} of the data frame has no {name}", hint=hint)
            if name != "annotator" and isinstance(value, bool | np.bool_):
                raise DataError(f"row {row} of the data frame: {name} {value} is not a number")
    return columns


def _missing(value: object) -> bool:
    """None, NaN, NaT, and pandas' NA, which is neither equal to itself nor different."""
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
