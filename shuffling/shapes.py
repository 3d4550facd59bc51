"""Errors on the further axes of units with shapes: shifts, cuts, unions and new shapes."""

import numpy as np

from gammacp.continuum.fragments import column
from gammacp.continuum.shapes import KINDS, Shape
from gammacp.errors import DataError
from shuffling.setting import Units


def shift_extents(units: Units, reach: float, rng: np.random.Generator) -> Units:
    """Move each boundary on each further axis by U(−s, s), with s = reach times the extent there.

    The inside of a shape moves in proportion. Boundaries that cross change places.

    Parameters
    ----------
    units
        Units with shapes.
    reach
        f·m of the error on positions.
    rng
        Generator of the random numbers.
    """
    shapes = units.shapes
    draws = rng.uniform(-1, 1, (len(shapes), len(shapes[0].extents), 2)) * reach
    moved = [
        onto(s, tuple(_move(*span, *u) for span, u in zip(s.extents, row.tolist(), strict=True)))
        for s, row in zip(shapes, draws, strict=True)
    ]
    return Units.sort(units.starts, units.ends, units.codes, column(moved))


def _move(low: float, high: float, first: float, second: float) -> tuple[float, float]:
    size = high - low
    ends = sorted((low + first * size, high + second * size))
    return ends[0], ends[1]


def onto(shape: Shape, extents: tuple[tuple[float, float], ...]) -> Shape:
    """Return the shape with other extents on the further axes, with its points in proportion.

    Parameters
    ----------
    shape
        Shape from a continuum's column.
    extents
        New (low, high) on each further axis.
    """

    def at(x: float, old: tuple[float, float], new: tuple[float, float]) -> float:
        if old[1] > old[0]:
            share = (x - old[0]) / (old[1] - old[0])
        else:
            share = 0.0
        return new[0] + share * (new[1] - new[0])

    pairs = [*zip(shape.extents, extents, strict=True)]
    rings = tuple(
        tuple((p[0], *(at(x, *pair) for x, pair in zip(p[1:], pairs, strict=True))) for p in ring)
        for ring in shape.rings
    )
    return Shape(shape.kind, extents, rings)


def union_of(first: Shape, second: Shape, apart: float) -> Shape:
    """Return the union of two outlines of the same kind; otherwise the box around both.

    Parameters
    ----------
    first, second
        Shapes from a continuum's column.
    apart
        Distance from the start of the first shape to that of the second.
    """
    pairs = zip(first.extents, second.extents, strict=True)
    around = tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs)
    if first.kind != second.kind or not first.rings:
        return Shape("box", around)
    return Shape(first.kind, around, first.rings + second.along(lambda x: x + apart).rings)


def check_areas(units: Units, name: str) -> None:
    """Raise DataError for points and lines, which cannot be cut, joined or invented."""
    others = sum(0 < KINDS[s.kind] < 3 for s in units.shapes)
    if others:
        raise DataError(
            f"{name}: {others} shapes are points or lines",
            hint="Read them with `read(shapes=box)` (in Python: c.boxes())",
        )
