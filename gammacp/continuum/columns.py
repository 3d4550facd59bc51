"""The columns of a continuum: checked, encoded and sorted."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from gammacp.base.arguments import did_you_mean, text
from gammacp.base.arrays import Codes, Floats
from gammacp.continuum.fragments import (
    Breaks,
    Inside,
    Shapes,
    breaks_of,
    column,
    join,
    ranks,
    split_inside,
)
from gammacp.continuum.label import sort_key
from gammacp.continuum.links import Ids
from gammacp.continuum.shapes import Shape, check_alike, relative
from gammacp.errors import DataError, UsageError

Bounds = tuple[float, float]
_EXACT_INTEGERS = 2**53


class ContinuumColumns(TypedDict):
    """Columns of units, sorted by annotator, start, end, category and breaks or shape."""

    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes
    breaks: Breaks | None
    shapes: Shapes | None
    ids: Ids | None


class EncodedUnits(NamedTuple):
    """Checked units as codes and positions, in any row order."""

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes
    inside: Inside | None


def sort_columns(
    starts: Any,
    ends: Any,
    annotator_codes: Any,
    category_codes: Any,
    inside: Inside | None = None,
    ids: Ids | None = None,
) -> ContinuumColumns:
    """Return the sorted columns as arrays of the required types.

    Parameters
    ----------
    starts, ends, annotator_codes, category_codes
        One entry per unit.
    inside
        Breaks or shapes of the units, or None.
    ids
        Names of the units, or None.
    """
    columns: dict[str, Any] = {
        "starts": np.asarray(starts, np.float64),
        "ends": np.asarray(ends, np.float64),
        "annotator_codes": np.asarray(annotator_codes, np.int32),
        "category_codes": np.asarray(category_codes, np.int32),
    }
    keys = (columns["category_codes"], columns["ends"], columns["starts"])
    keys = (*(() if inside is None else (ranks(inside),)), *keys, columns["annotator_codes"])
    order = np.lexsort(keys)
    for name in columns:
        columns[name] = columns[name][order]
    columns["breaks"] = None
    columns["shapes"] = None
    if inside is not None:
        columns["breaks"], columns["shapes"] = split_inside(column(inside[order]))
    columns["ids"] = None if ids is None else ids[order]
    return columns  # type: ignore[return-value]


def encode_units(
    annotator: Sequence[str],
    category: Sequence[str | None],
    start: Sequence[float] | Floats,
    end: Sequence[float] | Floats,
    *,
    fragments: Sequence[Iterable[Sequence[float]]] | None,
    shapes: Sequence[Shape | None] | None,
    annotators: Sequence[str] | None,
    categories: Sequence[str] | None,
) -> EncodedUnits:
    """Check the columns of `Continuum.from_columns` and encode their names.

    Parameters
    ----------
    annotator, category, start, end, fragments, shapes, annotators, categories
        As for `Continuum.from_columns`.

    Raises
    ------
    DataError
        A position, the fragments or the shape of a unit are invalid.
    UsageError
        Columns have different lengths, or a name is not text.
    """
    starts, ends = checked_positions(annotator, category, start, end)
    people = all_names(annotators, annotator, "annotator")
    labels = all_names(categories, (c for c in category if c is not None), "category")
    parts = () if fragments is None else zip(fragments, start, end, strict=True)
    inside = column(breaks_of(join(pairs, (low, high))) for pairs, low, high in parts)
    if shapes is not None:
        if inside is not None:
            raise DataError(
                "units have shapes and fragments",
                hint="Read one of them: `read(shapes=no)` or discontinuous=cover",
            )
        check_alike(shapes)
        placed = zip(starts.tolist(), shapes, strict=True)
        inside = column(relative(low, shape) for low, shape in placed if shape is not None)
    return EncodedUnits(
        people, labels, starts, ends, coded(annotator, people), coded(category, labels), inside
    )


def recode(old: Sequence[str], new: Sequence[str]) -> Codes:
    """Return the new code of each old code, −1 for removed names; the last entry is for −1."""
    position = {name: i for i, name in enumerate(new)}
    return np.array([position.get(name, -1) for name in old] + [-1], np.int32)


def checked_positions(
    annotator: Sequence[str],
    category: Sequence[str | None],
    start: Sequence[float] | Floats,
    end: Sequence[float] | Floats,
) -> tuple[Floats, Floats]:
    """Return starts and ends as floats, after checks of their values, order and number."""
    starts = _positions(start)
    ends = _positions(end)
    if not len(annotator) == len(category) == len(starts) == len(ends):
        raise UsageError("columns of a continuum have different lengths")
    for i in np.flatnonzero(~(np.isfinite(starts) & np.isfinite(ends)))[:1]:
        raise DataError(f"a unit by {annotator[i]} has a position that is not a finite number")
    for i in np.flatnonzero(ends < starts)[:1]:
        raise DataError(
            f"end {ends[i]:.17g} < start {starts[i]:.17g} of a unit by {annotator[i]}",
            hint="Swap or correct the positions",
        )
    largest = max(np.abs(starts).max(initial=0), np.abs(ends).max(initial=0))
    if largest > _EXACT_INTEGERS:
        raise DataError(
            f"position {largest:.17g} is beyond 2^53 and cannot be kept exactly",
            hint="Count in larger units, or from a later origin",
        )
    for name in dict.fromkeys(annotator):
        text("annotator", name)
    for label in dict.fromkeys(category):
        if label is not None:
            text("category", label)
    return starts, ends


def coded(names: Sequence[str | None], order: Sequence[str]) -> Codes:
    """Return names as codes in the order of the known names; −1 for None."""
    code: dict[str | None, int] = {None: -1, **{name: i for i, name in enumerate(order)}}
    return np.array([code[name] for name in names], np.int32)


def _positions(values: Sequence[float] | Floats) -> Floats:
    try:
        positions = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"positions are not all numbers: {error}") from None
    if positions.ndim != 1:
        raise UsageError("positions are not one column")
    return positions


def checked_bounds(bounds: Bounds | None, starts: Floats, ends: Floats) -> Bounds:
    """Return bounds that contain all units; by default the first start and the last end."""
    first = float(starts.min(initial=np.inf))
    last = float(ends.max(initial=-np.inf))
    if bounds is None:
        if len(starts):
            return (first, last)
        return (0.0, 0.0)
    lo = float(bounds[0])
    hi = float(bounds[1])
    if not (np.isfinite(lo) and np.isfinite(hi) and lo <= hi):
        raise DataError(f"bounds {lo:g}:{hi:g} are not START:END with START <= END")
    if first < lo or last > hi:
        raise DataError(
            f"units reach from {first:.17g} to {last:.17g}, outside the bounds {lo:g}:{hi:g}",
            hint="Widen the bounds or leave them out",
        )
    return lo, hi


def all_names(declared: Sequence[str] | None, used: Iterable[str], kind: str) -> tuple[str, ...]:
    """Return the declared names in their order, followed by other names that occur, sorted."""
    names = list(declared or ())
    if len(set(names)) != len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise DataError(f"{kind} {twice!r} is declared twice")
    return (*names, *sorted(set(used) - set(names), key=sort_key))


def check_known(names: Iterable[str], allowed: Sequence[str], kind: str) -> None:
    """Raise a DataError for a name that does not occur."""
    for name in sorted(set(names) - set(allowed)):
        guess = did_you_mean(name, allowed)
        listed = f"There are: {', '.join(allowed) or 'none'}"
        raise DataError(
            f"{kind} {name!r} does not occur", hint=f"{guess[:1].upper()}{guess[1:]}{listed}"
        )
