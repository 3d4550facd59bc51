"""Shapes: the extent of a unit on further axes, in addition to start and end on the first.

A box on an image, a call on a spectrogram, a nodule in a scan is one unit: `start` and `end` are
its extent on the first axis (x, or time), and its `Shape` holds the rest. Units are ordered by the
first axis alone.

A continuum stores shapes in the same column as breaks of fragments, since a unit has only one of
them. The first coordinate of points is counted from the unit's start, so shapes do not change when
a unit is moved along the first axis. Absolute places are rounded to fifteen digits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.errors import DataError

Span: TypeAlias = tuple[float, float]
Point: TypeAlias = tuple[float, ...]
SIZE = "size"
"""The fact how large the image is on which shapes were drawn, of a document (`About.facts`)."""
# The kinds, with the least number of points in each ring; a box has extents instead of points.
KINDS: Mapping[str, int] = {"box": 0, "point": 1, "polyline": 2, "polygon": 3, "stack": 3}


class Shape(NamedTuple):
    """Extent of a unit on all axes.

    Attributes
    ----------
    kind
        "box" (along the axes), "point", "polyline", "polygon", or "stack": polygons at several
        values of a third axis.
    extents
        (low, high) on each further axis, beside the unit's start and end on the first.
    rings
        Points of each part, without repeating the first at the end; none of a box. A polygon of
        several parts is what they cover together; those of a stack have three coordinates, of which
        the third is the same within a part.
    """

    kind: str
    extents: tuple[Span, ...]
    rings: tuple[tuple[Point, ...], ...] = ()

    @property
    def axes(self) -> int:
        """Return the number of axes, the first included."""
        return 1 + len(self.extents)

    def json(self, start: float, end: float) -> dict[str, object]:
        """Return the JSON object: the kind, with extents per axis or the points of the parts.

        >>> Shape("box", ((5.0, 9.0),)).json(0.0, 2.0)
        {'box': [[0.0, 2.0], [5.0, 9.0]]}
        """
        rows: Iterable[Iterable[Any]] = ((start, end), *self.extents)
        if self.rings:
            rows = [[[*point] for point in ring] for ring in self.rings]
        return {self.kind: [[*row] for row in rows]}

    def times(self, factor: float) -> Shape:
        """Return the shape with the first coordinate of all points multiplied by a factor."""
        return self.along(lambda x: x * factor)

    def along(self, change: Callable[[float], float]) -> Shape:
        """Return the shape with a function applied to the first coordinate of all points."""
        rings = tuple(tuple((change(p[0]), *p[1:]) for p in ring) for ring in self.rings)
        return self._replace(rings=rings)


def box(*extents: Sequence[float]) -> tuple[Span, Shape]:
    """Return the extent on the first axis, and the shape, of a box.

    Parameters
    ----------
    extents
        (low, high) on each axis; at least two axes.

    Raises
    ------
    DataError
        There is one axis, or an extent is no pair of finite numbers in order.

    >>> box((0, 2), (5, 9))
    ((0.0, 2.0), Shape(kind='box', extents=((5.0, 9.0),), rings=()))
    """
    try:
        spans = [(float(low), float(high)) for low, high in extents]
    except (TypeError, ValueError):
        raise DataError("extents of a box are not LOW and HIGH on each axis") from None
    if len(spans) < 2:
        raise DataError("a box needs extents on at least two axes", hint="Leave the shape out")
    for low, high in spans:
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise DataError(
                f"a box reaches from {low:.15g} to {high:.15g} on an axis",
                hint="Give finite numbers, the lower first",
            )
    return spans[0], Shape("box", tuple(spans[1:]))


def outline(kind: str, rings: Iterable[Iterable[Sequence[float]]]) -> tuple[Span, Shape]:
    """Return the extent on the first axis, and the shape, of points.

    Parameters
    ----------
    kind
        Any kind except "box".
    rings
        Points of each part, all with the same number of coordinates. A polygon may repeat its first
        point at the end.

    Raises
    ------
    DataError
        The kind is unknown, a coordinate is no finite number, or there are too few points.

    >>> outline("polygon", [[(0, 5), (2, 5), (2, 9), (0, 5)]])[0]
    (0.0, 2.0)
    """
    least = KINDS.get(kind, 0)
    if not least:
        known_kinds = ", ".join(k for k in KINDS if KINDS[k])
        raise DataError(
            f"{kind!r} is not a kind of shape with points", hint=f"There are: {known_kinds}"
        )
    axes = 3 if kind == "stack" else 2
    try:
        parts = [[tuple(float(x) for x in point) for point in ring] for ring in rings]
    except (TypeError, ValueError):
        raise DataError(f"points of a {kind} are not numbers") from None
    for part in parts:
        if least > 2 and len(part) > 1 and part[0] == part[-1]:
            part.pop()
        if len(part) < least or any(len(p) != axes or not all(map(math.isfinite, p)) for p in part):
            raise DataError(
                f"each part of a {kind} needs {least} or more points of {axes} finite coordinates",
                hint="Correct it or leave it out",
            )
        if kind == "stack" and len({p[2] for p in part}) > 1:
            raise DataError("a part of a stack has several values on the third axis")
    if not parts:
        raise DataError(f"a {kind} has no points")
    coordinates = list(zip(*(point for part in parts for point in part), strict=True))
    first, *others = ((min(x), max(x)) for x in coordinates)
    return first, Shape(kind, tuple(others), tuple(map(tuple, parts)))


def from_json(entry: Any) -> tuple[Span, Shape]:
    """Return the shape that `Shape.json` wrote; raise a DataError for anything else."""
    one = isinstance(entry, Mapping) and len(entry) == 1
    ((kind, rows),) = entry.items() if one else (("", None),)
    if not isinstance(rows, list | tuple):
        raise DataError(f"shape {str(entry)[:60]} is not a kind with its extents or points")
    if kind == "box":
        return box(*rows)
    return outline(kind, rows)


def in_cell(cell: str, start: float, end: float) -> tuple[Span, Shape]:
    """Return the extent on the first axis, and the shape, from a cell of a table.

    Parameters
    ----------
    cell
        JSON of the shape (`Shape.json`).
    start, end
        The extent in the unit's row, of which spreadsheets keep fifteen digits.

    Raises
    ------
    DataError
        The cell is not a shape, or its extent differs from that of the unit.

    >>> in_cell('{"box": [[0, 2], [5, 9]]}', 0.0, 2.0)[1].extents
    ((5.0, 9.0),)
    """
    try:
        entry = json.loads(cell)
    except (ValueError, RecursionError):
        raise DataError("shape is not JSON") from None
    reached, shape = from_json(entry)
    row = start, end
    if not all(math.isclose(a, b, rel_tol=1e-14) for a, b in zip(reached, row, strict=True)):
        shown, beside = (f"{low:.15g} to {high:.15g}" for low, high in (reached, row))
        what = f"shape reaches from {shown}, and its unit from {beside}"
        raise DataError(what, hint="Change both")
    return reached, shape


def relative(start: float, shape: Shape) -> Shape:
    """Return the shape with its points counted from the unit's start."""
    if shape.rings:
        return shape.along(lambda x: x - start)
    return shape


def at_place(start: float, end: float, shape: Shape) -> Shape:
    """Return a shape from a column with absolute points, at the place of its unit."""
    if not shape.rings:
        return shape
    # A sum is rounded; to fifteen digits it is the place that was given, and ends are known.
    edges = {max(p[0] for ring in shape.rings for p in ring): end, 0.0: start}
    return shape.along(lambda x: edges.get(x, min(end, float(f"{start + x:.15g}"))))


def check_alike(shapes: Sequence[Shape | None]) -> None:
    """Raise a DataError unless all units have shapes with the same number of axes."""
    axes = {s.axes for s in shapes if s is not None}
    bare = sum(s is None for s in shapes)
    if bare and axes:
        raise DataError(
            f"{bare} of {len(shapes)} units have no shape, the others have one",
            hint="Give each unit its extent on every axis, or read no shapes (`read(shapes=no)`)",
        )
    if len(axes) > 1:
        both = " and ".join(map(str, sorted(axes)))
        raise DataError(f"units have {both} axes", hint="Give all units the same number")


def extents_of(shapes: Iterable[Any]) -> Floats:
    """Return low and high on each further axis, shape (units, 2·(axes − 1)).

    Parameters
    ----------
    shapes
        A column of shapes.
    """
    return np.array([[edge for span in s.extents for edge in span] for s in shapes], np.float64)
