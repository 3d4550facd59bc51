"""Data frames (pandas, polars, a dict of lists) as the columns of a continuum.

What columns are called, in frames as in CSV.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gammacp.errors import DataError

FRAGMENTS = "fragments"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "annotator": ("annotator", "coder", "rater", "annotator id", "annotator name"),
    "category": ("category", "label", "tag", "type"),
    "start": ("start", "begin", "onset", "start time", "begin time", "start offset"),
    "end": ("end", "stop", "offset end", "end time", "stop time", "end offset"),
    FRAGMENTS: (FRAGMENTS,),
    "continuum": ("continuum", "document", "doc", "file", "filename", "document id", "doc id"),
}
"""Each role with the names that a column of it may have, as `as_role` writes them."""
_FLOATS = (float, np.floating)
_NEEDED = ("annotator", "start", "end")
_HINT = "The columns are annotator, category, start, end"


def as_role(name: str) -> str:
    """The name of a column as `COLUMNS` has it."""
    return re.sub(r"[\s_-]+", " ", name.strip().lower())


def places_of_roles(names: Sequence[str], features: Sequence[str] = ()) -> dict[str, list[int]]:
    """Which columns have each role; the one that is called exactly so goes before the others.

    Parameters
    ----------
    names
        Of the columns.
    features
        Columns that are features, which are neither the continuum nor the fragments.
    """
    found: dict[str, list[int]] = {}
    for role, aliases in COLUMNS.items():
        places = [i for i, name in enumerate(names) if as_role(name) in aliases]
        if role in ("continuum", FRAGMENTS):  # What is asked for as a feature is none of these.
            places = [i for i in places if names[i].strip() not in features]
        if places:
            found[role] = [i for i in places if as_role(names[i]) == role] or places
    return found


class FrameColumns(NamedTuple):
    """The columns of a frame; `features` is empty without any, `fragments` None."""

    annotators: list[str]
    categories: list[str | None]
    features: list[dict[str, str | None]]
    starts: list[float]
    ends: list[float]
    fragments: list[Sequence[Any]] | None


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
    column = _columns_by_role(frame, features)
    annotators, starts, ends = (column[name] for name in _NEEDED)
    for name, values in zip(_NEEDED, (annotators, starts, ends), strict=True):
        for row, value in enumerate(values, 1):
            if _missing(value) or (name == "annotator" and not str(value).strip()):
                raise DataError(f"row {row} of the data frame has no {name}", hint=_HINT)
            if name != "annotator" and isinstance(value, bool | np.bool_):
                raise DataError(f"row {row} of the data frame: {name} {value} is not a number")
    labels = column.get("category", [None] * len(starts))
    names = [None if _missing(x) else _name(x) for x in labels]
    columns = [[None if _missing(x) else _name(x) for x in frame[f]] for f in features]
    known = [dict(zip(features, values, strict=True)) for values in zip(*columns, strict=True)]
    fragments: list[Sequence[Any]] | None = None
    if FRAGMENTS in column:
        fragments = [() if x is None or isinstance(x, _FLOATS) else x for x in column[FRAGMENTS]]
    return FrameColumns([_name(a) for a in annotators], names, known, starts, ends, fragments)


def _columns_by_role(frame: Any, features: Sequence[str]) -> dict[str, list[Any]]:
    """The values of each column that has a role; DataError for one too few or too many."""
    keys = [*(frame.columns if hasattr(frame, "columns") else frame)]
    named = [*map(str, keys)]
    roles = {
        role: places
        for role, places in places_of_roles(["" if n in features else n for n in named]).items()
        if role != "continuum"
    }
    for name in (*_NEEDED, *features):
        if name not in (*roles, *named):
            raise DataError(f"data frame has no column {name!r}", hint=_HINT)
    for role, places in roles.items():
        if len(places) > 1:
            both = ", ".join(repr(named[i]) for i in places)
            raise DataError(f"several columns of the data frame could be the {role}: {both}")
    return {role: list(frame[keys[places[0]]]) for role, places in roles.items()}


def _missing(value: object) -> bool:
    """None, NaN, NaT, and pandas' NA, which is neither equal to itself nor different."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return bool(value != value)


def _name(label: Any) -> str:
    return str(int(label)) if isinstance(label, _FLOATS) and label.is_integer() else str(label)
