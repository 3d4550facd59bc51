"""Units of several fragments: the boundaries inside a unit, beside its start and end.

A unit of several fragments is one unit from the start of the first to the end of the last. The
boundaries inside it are its *breaks*: the end of the first fragment, the start of the second, and
so on. They are counted from the unit's start, so they do not change when the unit is moved.
Positions computed from them are rounded to fifteen digits, which restores the given ones. Fragments
are sorted and do not touch: those that touch are joined.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Indices, freeze
from gammacp.continuum.shapes import Shape, check_alike
from gammacp.errors import DataError

Fragments: TypeAlias = tuple[tuple[float, float], ...]
Breaks: TypeAlias = NDArray[Any]
"""Per unit a tuple of floats, ascending, empty for a unit of one piece; shape (units,)."""
Shapes: TypeAlias = NDArray[Any]
"""Per unit its `Shape`, with points counted from the unit's start; shape (units,)."""
Inside: TypeAlias = NDArray[Any]
"""Breaks or shapes of units, for what orders, compares or carries either; shape (units,)."""


def join(
    fragments: Iterable[Sequence[float]], hull: tuple[float, float] | None = None
) -> Fragments:
    """Sort fragments, and join those that touch.

    Parameters
    ----------
    fragments
        (start, end) of each fragment.
    hull
        Start of the first and end of the last, if they are known.

    Raises
    ------
    DataError
        A fragment is empty or ends before it starts, two overlap, or they do not reach from the
        start to the end of `hull`.

    >>> join([(10, 15), (0, 5), (5, 7)])
    ((0.0, 7.0), (10.0, 15.0))
    """
    try:
        parts = sorted((float(start), float(end)) for start, end in fragments)
    except (TypeError, ValueError):
        raise DataError("fragments are not pairs of numbers", hint="Give START and END") from None
    joined = parts[:1]
    for start, end in parts:
        if not start < end:
            if start == end:
                what = "is empty"
            else:
                what = "ends before it starts"
            raise DataError(
                f"fragment {start:.15g}-{end:.15g} {what}", hint="Leave it out or correct it"
            )
    for (s, e), (start, end) in pairwise(parts):
        if start < e:
            raise DataError(
                f"fragments {s:.15g}-{e:.15g} and {start:.15g}-{end:.15g} of one unit overlap",
                hint="Correct them, or make a unit of each",
            )
        if start == e:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    if joined and hull and (joined[0][0], joined[-1][1]) != hull:
        raise DataError(
            f"fragments reach from {joined[0][0]:.15g} to {joined[-1][1]:.15g}, their unit from "
            f"{hull[0]:.15g} to {hull[1]:.15g}",
            hint="Correct one of the two",
        )
    return tuple(joined)


def breaks_of(fragments: Fragments) -> tuple[float, ...]:
    """Return the breaks of joined fragments.

    Parameters
    ----------
    fragments
        Fragments as `join` returns them.

    >>> breaks_of(((20.0, 25.0), (30.0, 35.0)))
    (5.0, 10.0)
    """
    edges = [edge for fragment in fragments for edge in fragment]
    return tuple(edge - edges[0] for edge in edges[1:-1])


def fragments_of(start: float, end: float, breaks: Sequence[float]) -> Fragments:
    """Return the fragments of a unit; none for a unit of one piece.

    Parameters
    ----------
    start, end
        Start and end of the unit.
    breaks
        Boundaries inside the unit, from its start on.

    >>> fragments_of(20, 35, (5, 10))
    ((20, 25.0), (30.0, 35))
    """
    if not breaks:
        return ()
    # A sum is rounded; to fifteen digits it is the boundary that was given.
    edges = [start, *(float(f"{start + b:.15g}") for b in breaks), end]
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def column(entries: Iterable[Any]) -> NDArray[Any] | None:
    """Return entries of units as a column; None if all are empty.

    Parameters
    ----------
    entries
        One per unit: its breaks, its shape or its id, empty for none.
    """
    rows = list(entries)
    if not any(rows):
        return None
    breaks = np.empty(len(rows), np.object_)
    breaks[:] = rows
    freeze(breaks)
    return breaks


def split_inside(inside: Inside | None) -> tuple[Breaks | None, Shapes | None]:
    """Return (breaks, shapes): the column as one of them, and None as the other.

    Parameters
    ----------
    inside
        A column of one continuum, whose units have either breaks or shapes.
    """
    if inside is not None and isinstance(inside[0], Shape):
        return None, inside
    return inside, None


def ranks(inside: Inside) -> Indices:
    """Return the rank of each unit's breaks or shape among the distinct ones, shape (units,).

    Parameters
    ----------
    inside
        A column.
    """
    entries = inside.tolist()
    # A table may hold documents with shapes and others with fragments.
    different = sorted(set(entries), key=lambda b: (isinstance(b, Shape), b))
    index = {b: i for i, b in enumerate(different)}
    return np.array([index[b] for b in entries], np.int64)


def together(
    parts: Sequence[tuple[NDArray[Any] | None, int]], none: object = ()
) -> NDArray[Any] | None:
    """Concatenate columns; return None if no unit has an entry.

    Parameters
    ----------
    parts
        Columns, each with its number of units.
    none
        Entry of a unit that has none.

    Raises
    ------
    DataError
        Some units have shapes and others have none, or they have different numbers of axes.
    """
    if all(entries is None for entries, _ in parts):
        return None
    rows = [x for entries, n in parts for x in ([none] * n if entries is None else entries)]
    check_alike([x if isinstance(x, Shape) else None for x in rows])
    return column(rows)
