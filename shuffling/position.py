"""Position errors: boundaries are shifted (2015, §6.3.1 "Position").

"For a given unit, we define a value shiftmax that is proportional to m and to the length of the
unit, and each boundary of the unit is shifted by a value randomly chosen between −shiftmax and
shiftmax."
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.errors import DataError, UsageError
from shuffling.disjoint import redraw_disjoint
from shuffling.fitting import overlaps
from shuffling.ordered import draw_ordered
from shuffling.placement import Layout
from shuffling.registry import register
from shuffling.setting import (
    NEW,
    Setting,
    Units,
    check_factor,
    check_segmentation,
    uniform_places,
)
from shuffling.shapes import shift_extents


@register
@dataclass(frozen=True, kw_only=True)
class Position:
    """Each boundary is moved by U(−s, s), s = f·m·(length of its unit).

    Boundaries stay inside the reference's bounds: the range of the draw ends there. In all
    variants every boundary stays within s of where it was. Fragments of a unit move in proportion.
    Those of shapes are moved likewise on each further axis, and what is inside in proportion.

    - Free (`overlap=True`): both boundaries of a unit are drawn independently of everything; two
      that cross change places. Units of positive length with whole positions keep length 1.
    - Kept apart (`overlap=False`; §6.3.4 "a modified version of the shifting procedure so that
      the non-overlapping constraint is fully satisfied"): uniform draws under the condition that
      units are disjoint and of positive length, so that boundaries of a unit that cross count as
      rejected and do not change places; large shifts may carry a unit past others.
    - Segmentations (a model whose layout is `covering`, unless `overlap` is given): shared
      boundaries are drawn under the condition that they stay in order, s = f·m·(the shorter of
      its two units); the outer ones stay.

    Boundaries that are moved apart from each other change lengths: units that must not overlap get
    shorter, and those that may get longer. With `keep_lengths` a unit is moved whole, by U(−s, s),
    so that its length and the coverage stay.

    Attributes
    ----------
    factor
        f ≥ 0. Set from γ ≈ .1 at m = 1 in Fig. 26a; see docs/shuffling.md.
    overlap
        None (default): free if the model's layout is `overlapping` or the units overlap already.
    keep_lengths
        Whether units are moved whole; not of segmentations, whose units share their boundaries.
    order
        Whether units that are kept apart stay in their order; otherwise large shifts may carry a
        unit past others. Not together with `overlap` or `keep_lengths`.
    """

    name: ClassVar[str] = "position"
    summary: ClassVar[str] = "boundaries are shifted"
    source: ClassVar[str] = "Mathet, Widlöcher & Métivier 2015, §6.3.1"

    factor: float = 3.0
    overlap: bool | None = None
    keep_lengths: bool = False
    order: bool = field(default=False, metadata=NEW)

    def __post_init__(self) -> None:
        """Check the factor, and that the variants go together."""
        check_factor(self.name, self.factor)
        if self.order and (self.overlap or self.keep_lengths):
            raise UsageError("position: order does not go with overlap or keep_lengths")

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the units with shifted boundaries.

        Raises DataError where units are to be kept apart that overlap, or to be kept covering
        that do not tile their bounds, and UsageError where these are to keep their lengths.
        """
        if not len(units) or magnitude * self.factor == 0:
            return units
        if self.overlap is None and setting.covering:
            check_segmentation(units, setting.bounds, self.name)
            if self.keep_lengths:
                raise UsageError(
                    "position: keep_lengths does not go with segmentations, whose units share "
                    "their boundaries; overlap=true lets them overlap"
                )
            return _shift_shared(units, self.factor * magnitude, setting, rng)
        if units.shapes:
            units = shift_extents(units, self.factor * magnitude, rng)
        reach = _reach(self.factor * magnitude * units.lengths, setting.integer)
        free = self.overlap
        if free is None:
            free = setting.model.layout is Layout.OVERLAPPING or not units.apart
        if self.keep_lengths:
            return _move_whole(units, reach, setting, rng, free=free)
        if free and self.order:
            raise DataError("position: order applies to units that do not overlap")
        if free:
            return _shift_freely(units, reach, setting, rng)
        return _shift_apart(units, reach, setting, rng, order=self.order)


def _reach(reach: Floats, integer: bool) -> Floats:
    # The small term undoes products such as 2.9999999999999996.
    if integer:
        return np.floor(reach + 1e-9)
    return reach


def _shift_freely(units: Units, reach: Floats, setting: Setting, rng: np.random.Generator) -> Units:
    lowest, highest = setting.bounds
    present = np.stack((units.starts, units.ends))
    low, high = np.clip((present - reach, present + reach), lowest, highest)
    places = uniform_places(rng.random((len(units), 2)).T, low, high, integer=setting.integer)
    starts = places.min(axis=0)
    ends = places.max(axis=0)
    if setting.integer:
        # start = end = p: one step up stays within reach of the end, or else, at the upper
        # bound, one step down within reach of the start.
        empty = (starts == ends) & (units.lengths > 0)
        up = empty & (ends < highest)
        ends = ends + up
        starts = starts - (empty & ~up)
    return units.stretched(starts, ends, integer=setting.integer)


def _move_whole(
    units: Units, reach: Floats, setting: Setting, rng: np.random.Generator, *, free: bool
) -> Units:
    lowest, highest = setting.bounds
    lengths = units.lengths
    low = np.maximum(units.starts - reach, lowest)
    high = np.minimum(units.starts + reach, highest - lengths)
    if free:
        starts = uniform_places(rng.random(len(units)), low, high, integer=setting.integer)
    else:
        _check_apart(units)
        ranges = np.stack((low, high, low + lengths, high + lengths), axis=1)
        starts, _ = redraw_disjoint(
            units.starts,
            units.ends,
            ranges,
            setting.bounds,
            integer=setting.integer,
            rng=rng,
            rigid=True,
        )
    return units.stretched(starts, starts + lengths, integer=setting.integer)


def _check_apart(units: Units) -> None:
    rows = np.flatnonzero(overlaps(units.starts, units.ends))
    if len(rows):
        i = rows[0]
        raise DataError(
            f"position: unit {units.starts[i]:g}-{units.ends[i]:g} overlaps an earlier one, so "
            "units cannot be kept apart",
            hint="Use position:overlap=true",
        )


def _shift_apart(
    units: Units, reach: Floats, setting: Setting, rng: np.random.Generator, *, order: bool
) -> Units:
    _check_apart(units)
    present = np.stack((units.starts, units.ends), axis=1).ravel()
    strict = np.zeros(len(present), bool)
    strict[::2] = units.lengths > 0
    places = draw_ordered(
        present, np.repeat(reach, 2), *setting.bounds, strict[:-1], integer=setting.integer, rng=rng
    )
    if order:
        return units.stretched(places[::2], places[1::2], integer=setting.integer)
    reached = units.starts - reach, units.starts + reach, units.ends - reach, units.ends + reach
    ranges = np.clip(np.stack(reached, axis=1), *setting.bounds)
    starts, ends = redraw_disjoint(
        places[::2], places[1::2], ranges, setting.bounds, integer=setting.integer, rng=rng
    )
    return units.stretched(starts, ends, integer=setting.integer)


def _shift_shared(units: Units, factor: float, setting: Setting, rng: np.random.Generator) -> Units:
    shorter = np.minimum(units.lengths[:-1], units.lengths[1:])
    reach = np.zeros(len(units) + 1)
    reach[1:-1] = _reach(factor * shorter, setting.integer)
    places = draw_ordered(
        np.append(units.starts, units.ends[-1]),
        reach,
        *setting.bounds,
        units.lengths > 0,
        integer=setting.integer,
        rng=rng,
    )
    return Units(places[:-1], places[1:], units.codes)
