"""Dissimilarities of shapes, by the extent that two units share or the distance of outlines.

The default `sporadic` also compares boxes, axis by axis. The dissimilarities here are chosen by
name (`--positional iou`).

References
----------
Everingham et al. (2010), The Pascal VOC challenge, eq. 4: intersection over union. Rezatofighi et
al. (2019), Generalized intersection over union, eq. 1. Huttenlocher et al. (1993), Comparing images
using the Hausdorff distance, eq. 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import shortest
from gammacp.continuum import Continuum
from gammacp.continuum.outlines import hausdorff, intersections, shapely
from gammacp.dissimilarity.base import (
    Annotations,
    BoundDissimilarity,
    Reach,
    UnitColumns,
    continua_of,
    unbounded_reach,
)
from gammacp.dissimilarity.positional import POSITIONAL
from gammacp.errors import DataError, UsageError


@dataclass(frozen=True)
class SharedExtent:
    """2Δ·(1 − IoU) or 2Δ·(1 − GIoU): `iou` and `giou`.

    `iou`: IoU is the intersection of two units divided by their union. It is computed on the
    volumes of boxes with any number of axes, on the areas of polygons, and on the areas of stacks
    slice by slice (all slices count alike). d is ∞ where two units share nothing; a missing unit
    costs as much as an IoU of .5. Moving, scaling or rotating all units does not change d. Units
    without shapes are compared on their one axis. Two units that cover nothing cost 0 at the same
    place, ∞ elsewhere. Two squares of side 2, one moved by 1 along an axis, have IoU 1/3: d =
    4/3·Δ.

    `giou`: as `iou`, but finite also for disjoint boxes, up to 4Δ. GIoU is IoU minus the share of
    the smallest box around both units that neither covers. With three or more annotators, aligning
    any two units of a document may be worthwhile, so that all pairs are compared. Two such squares,
    one moved by 4: GIoU −1/3, d = 8/3·Δ.
    """

    signature: str
    shapes: tuple[str, ...]
    costs: Callable[[float, UnitColumns, UnitColumns], Floats]
    reach: Callable[[float, float], Reach]

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:  # noqa: ARG002
        """Bind Δ, the only parameter; shapely is needed for polygons and stacks."""
        return BoundDissimilarity(
            pairwise=partial(self.costs, 2.0 * delta),
            signature=self.signature,
            reach=partial(self.reach, 2.0 * delta),
            shapes=self.shapes,
        )


@dataclass(frozen=True)
class Boundary:
    """Δ·(2h / (D_u + D_v))²: the distance of two outlines relative to their diameters.

    It applies to points, lines, polygons and boxes in the plane. h is the Hausdorff distance of the
    outlines, taken at their corners: the largest distance of a corner of either outline from the
    other outline. D is the diameter of the smallest circle around a unit. A line moved along itself
    by its length costs Δ, as on one axis. Moving, scaling or rotating all units does not change d.
    Units without a diameter cost 0 at the same place, ∞ elsewhere.

    Parameters
    ----------
    scale
        Length that replaces (D_u + D_v)/2, in positions; points have no diameter and need it
        (`scale` in a file for `--dissimilarity`). With `scale`, scaling all units changes d.

    Points (0, 0) and (3, 4) with `scale=10`: d = (5/10)²·Δ = .25·Δ.
    """

    scale: float | None = None

    def __post_init__(self) -> None:
        """Raise a UsageError if the scale is out of range."""
        if self.scale is not None and not (np.isfinite(self.scale) and self.scale > 0):
            raise UsageError(f"scale {self.scale!r} is not a number > 0")

    @property
    def signature(self) -> str:
        """Return the name in the registry, with the scale."""
        if self.scale is None:
            return "boundary"
        return f"boundary({shortest(self.scale)})"

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:
        """Bind Δ and the size of the largest unit, for `reach`; DataError if a scale is missing."""
        continua = [c for c in continua_of(annotations) if c.n_units]
        for c in continua:
            if c.axes != 2:
                raise DataError(
                    f"boundary compares outlines in the plane, but units have {c.axes} axes",
                    hint="Use `positional=sporadic` or iou",
                )
        if self.scale is None and any("point" in c.kinds for c in continua):
            raise DataError(
                "points have no diameter, so their distance has no scale",
                hint="Give the distance at which two points count as unmatched, in a file for "
                '`dissimilarity=FILE.toml`: positional = "boundary" and scale = 12 (in Python: '
                "Boundary(scale=12))",
            )
        widest = self.scale or max((_diagonal(c) for c in continua), default=0.0)
        return BoundDissimilarity(
            pairwise=partial(_boundary_costs, delta, self.scale),
            signature=self.signature,
            reach=partial(_far, float(widest) ** 2 / delta),
            shapes=("box", "point", "polyline", "polygon"),
        )


def _sides(units: UnitColumns) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of units on all axes, each of shape (…, axes)."""
    first = units.start[..., None], units.end[..., None]
    if units.extents is None:
        return first
    low = units.extents[..., ::2]
    high = units.extents[..., 1::2]
    return np.concatenate((first[0], low), -1), np.concatenate((first[1], high), -1)


def _common(u: UnitColumns, v: UnitColumns) -> tuple[Floats, Floats, Floats]:
    """Return the sizes of the intersection, of the union, and of the box around both units."""
    (low_u, high_u), (low_v, high_v) = _sides(u), _sides(v)
    around = (np.maximum(high_u, high_v) - np.minimum(low_u, low_v)).prod(-1)
    if u.outlines is not None and v.outlines is not None:
        shared, first, second = intersections(u.outlines, v.outlines)
    else:
        shared = (np.minimum(high_u, high_v) - np.maximum(low_u, low_v)).clip(0.0).prod(-1)
        first = (high_u - low_u).prod(-1)
        second = (high_v - low_v).prod(-1)
        same = ((low_u == low_v) & (high_u == high_v)).all(-1) & (first == 0)
        # Equal boxes of size 0 count as identical.
        shared, first, second = (np.where(same, 1.0, x) for x in (shared, first, second))
        around = np.where(same, 1.0, around)
    return shared, first + second - shared, around


def shared_and_covered(u: UnitColumns, v: UnitColumns) -> tuple[Floats, Floats]:
    """Return the sizes of the intersection and of the union of units; their ratio is IoU.

    Parameters
    ----------
    u, v
        Units as columns that broadcast.
    """
    shared, either, _ = _common(u, v)
    return shared, either


def _iou_costs(factor: float, u: UnitColumns, v: UnitColumns) -> Floats:
    shared, either, _ = _common(u, v)
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = factor * (1.0 - shared / either)
    return np.asarray(np.where(shared > 0, costs, np.inf))


def _touching(factor: float, most: float) -> Reach:  # noqa: ARG001
    """Units that are further apart than their lengths on some axis share nothing."""
    return 0.0, 1.0


def _giou_costs(factor: float, u: UnitColumns, v: UnitColumns) -> Floats:
    shared, either, around = _common(u, v)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(shared > 0, shared / either, 0.0) - np.where(
            around > 0, 1.0 - either / around, 1.0
        )
    return np.asarray(factor * (1.0 - value))


def _giou_reach(factor: float, most: float) -> Reach:
    """Boxes apart: d = factor·(2 − either/around), and either/around ≤ lengths/|start − start|."""
    room = 2.0 - most / factor
    if room > 0:
        return (0.0, max(1.0, 1.0 / room))
    return unbounded_reach(most)


def _diagonal(continuum: Continuum) -> float:
    """Return the diagonal of the largest box around a unit."""
    low, high = continuum.extents.T
    return float(np.hypot(continuum.lengths, high - low).max())


def _boundary_costs(delta: float, scale: float | None, u: UnitColumns, v: UnitColumns) -> Floats:
    apart, diameters = hausdorff(*map(_outlines, (u, v)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(apart > 0, apart / (diameters if scale is None else scale), 0.0)
    return np.asarray(delta * ratio * ratio)


def _outlines(units: UnitColumns) -> Any:
    if units.outlines is not None:
        return units.outlines
    assert units.extents is not None
    return shapely().box(units.start, units.extents[..., 0], units.end, units.extents[..., 1])


def _far(square: float, most: float) -> Reach:
    """Outlines are at least as far apart as their starts on any axis: h ≤ √(most/Δ)·scale."""
    return float(np.sqrt(max(most, 0.0) * square)) * (1 + 1e-12), 0.0


for _place in (
    SharedExtent("iou", ("box", "polygon", "stack"), _iou_costs, _touching),
    SharedExtent("giou", ("box",), _giou_costs, _giou_reach),
    Boundary(),
):
    POSITIONAL.register(_place.signature, _place)
