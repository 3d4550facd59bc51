"""Geometry of outlines in the plane, by shapely: common areas and distances."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum.shapes import KINDS, Shape, Span, outline
from gammacp.errors import UsageError


def shapely() -> Any:
    """Return the module; UsageError where it is not installed."""
    try:
        import shapely as module
    except ImportError:
        message = "polygons, lines and points need shapely: pip install 'gammacp[shapes]'"
        raise UsageError(message) from None
    return module


def geometries(units: Iterable[tuple[float, float, Shape]]) -> Any:
    """Return a geometry per unit, shape (units,).

    The slices of a stack are laid side by side in the plane. Slices at the same place of the third
    axis lie on one another, so that areas are compared slice by slice.

    Parameters
    ----------
    units
        Start, end and shape of each unit, with the points at their absolute places.
    """
    rows = list(units)
    s = shapely()
    positions = [x for start, end, _ in rows for x in (start, end)]
    wide = 2.0 * (max(positions, default=0.0) - min(positions, default=0.0)) + 1.0
    heights = sorted(
        {p[2] for _, _, shape in rows if shape.kind == "stack" for r in shape.rings for p in r}
    )
    aside = {z: i * wide for i, z in enumerate(heights)}
    outlines = np.empty(len(rows), np.object_)
    for i, (start, end, shape) in enumerate(rows):
        if shape.kind == "box":
            outlines[i] = s.box(start, shape.extents[0][0], end, shape.extents[0][1])
        elif shape.kind == "point":
            outlines[i] = s.MultiPoint([p for r in shape.rings for p in r])
        elif shape.kind == "polyline":
            outlines[i] = s.MultiLineString(shape.rings)
        else:
            rings = [
                [(p[0] + (aside[p[2]] if p[2:] else 0.0), p[1]) for p in r] for r in shape.rings
            ]
            covered = s.union_all(s.make_valid([s.Polygon(r) for r in rings]))
            # A stretch along which an outline runs twice is a line, which covers nothing.
            outlines[i] = s.union_all(_areas(covered)) if s.area(covered) > 0 else covered
    return outlines


def n_mended(shapes: Iterable[Shape]) -> int:
    """Count the polygons and stacks with a part that `geometries` mends; 0 without shapely.

    Parameters
    ----------
    shapes
        Shapes of any kind.
    """
    areas = [x for x in shapes if KINDS[x.kind] > 2]
    if not areas or find_spec("shapely") is None:
        return 0
    s = shapely()
    return sum(not s.is_valid([s.Polygon(r) for r in x.rings]).all() for x in areas)


def cut(shape: Shape, at: float) -> tuple[tuple[Span, Shape], ...]:
    """Cut a polygon or stack at a place of the first axis; return the parts below and above.

    An empty part is left out.

    Parameters
    ----------
    shape
        Shape from a continuum's column.
    at
        The place, counted from the unit's start.
    """
    s = shapely()
    low, high = shape.extents[0]
    reach = 1.0 + max(abs(p[0]) for ring in shape.rings for p in ring)
    pieces = []
    for window in (s.box(-reach, low, at, high), s.box(at, low, reach, high)):
        rings = [
            [(*point, *ring[0][2:]) for point in part.exterior.coords]
            for ring in shape.rings
            for area in _areas(s.make_valid(s.Polygon([p[:2] for p in ring])).intersection(window))
            for part in _without_holes(area)
        ]
        if rings:
            pieces.append(outline(shape.kind, rings))
    return tuple(pieces)


def rings_of_boxes(boxes: Iterable[tuple[float, float, float, float]]) -> list[Any]:
    """Return the outlines of the union of boxes, without holes, as `outline` takes them.

    Parameters
    ----------
    boxes
        Low x, low y, high x and high y of each; at least one box.
    """
    s = shapely()
    covered = s.union_all(s.box(*np.array(list(boxes), np.float64).T))
    parts = [p for area in _areas(covered) for p in _without_holes(area)]
    rings = []
    for part in parts:
        # Simplifying with tolerance 0 removes only points inside straight lines.
        outside = s.simplify(part, 0).exterior
        ring = [*outside.coords][:-1]
        # Releases of shapely begin rings at different points, and turn either way.
        if not outside.is_ccw:
            ring.reverse()
        first = ring.index(min(ring))
        rings.append(ring[first:] + ring[:first])
    return sorted(rings)


def _without_holes(part: Any) -> list[Any]:
    """Cut a polygon into parts without holes; an outline that crosses itself may enclose holes."""
    if not part.interiors:
        return [part]
    x0, y0, x1, y1 = part.bounds
    at = sum(part.interiors[0].bounds[::2]) / 2
    sides = [shapely().box(x0, y0, at, y1), shapely().box(at, y0, x1, y1)]
    return [p for x in sides for q in _areas(part.intersection(x)) for p in _without_holes(q)]


def _areas(geometry: Any) -> list[Any]:
    s = shapely()
    parts = s.get_parts(s.get_parts(geometry))
    return [part for part in parts if part.geom_type == "Polygon" and part.area > 0]


def intersections(u: Any, v: Any) -> tuple[Floats, Floats, Floats]:
    """Return the common areas of pairs, and the areas of both; exactly equal for equal outlines.

    For equal outlines without area all three are 1.
    """
    s = shapely()
    first = s.area(u)
    second = s.area(v)
    same = s.equals_exact(u, v)
    # The area of an intersection is rounded, and could exceed those of its parts.
    shared = np.minimum(s.area(s.intersection(u, v)), np.minimum(first, second))
    shared = np.where(same, first, shared)
    flat = same & (first == 0)
    shared, first, second = (np.where(flat, 1.0, x) for x in (shared, first, second))
    return shared, first, second


def hausdorff(u: Any, v: Any) -> tuple[Floats, Floats]:
    """Return the Hausdorff distance between the outlines of pairs, and their mean diameter."""
    s = shapely()
    lines = [np.where(s.get_dimensions(x) == 2, s.boundary(x), x) for x in (u, v)]
    distance = np.where(s.equals_exact(u, v), 0.0, s.hausdorff_distance(*lines))
    return distance, s.minimum_bounding_radius(u) + s.minimum_bounding_radius(v)
