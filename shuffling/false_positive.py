"""False positives: units that the reference does not have (2015, §6.3.1 "False positives").

"At magnitude m, each annotator adds a certain number of units (proportional to m) to the ones of
the reference."
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.continuum.fragments import column, together
from gammacp.errors import DataError
from shuffling.registry import register
from shuffling.setting import (
    CountedError,
    Setting,
    Units,
    check_segmentation,
    tell_fewer,
    uniform_places,
)
from shuffling.shapes import check_areas

_BATCH = 1024


@register
@dataclass(frozen=True, kw_only=True)
class FalsePositive(CountedError):
    """Error that adds round(f·mᵍ·x) new units to the x units of the reference.

    The category and the length of a new unit are drawn from the model, and its place is uniform:

    - Free (`overlap=True`): anywhere inside the bounds, so that new units may overlap others.
    - Kept apart (`overlap=False`): anywhere in the gaps that are long enough. A unit that fits
      nowhere is shortened to the longest gap, or left out if that gap is shorter than the model's
      shortest unit; a `FewerErrors` warning then tells how many units were added.
    - Segmentations (the layout of the model is `covering`, and `overlap` is not given): one
      boundary too many, at a uniform place; the part after it gets a category from the model.

    Attributes
    ----------
    factor
        f ≥ 0: new units per unit of the reference at m = 1. There is no published value to follow;
        the default is 1.
    growth
        g > 0: 1 is "proportional to m", more makes new units rarer at small magnitudes.
    overlap
        Whether new units may overlap others; None (default): yes, as in the paper, but a model
        whose layout is `covering` gets new boundaries instead.
    """

    name: ClassVar[str] = "false-positive"
    summary: ClassVar[str] = "units are added"
    source: ClassVar[str] = "Mathet, Widlöcher & Métivier 2015, §6.3.1"

    overlap: bool | None = None

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the given units together with the new ones.

        Raises DataError if the result must be a segmentation but the given units are not one.
        """
        quantile = self.quantile(rng)
        new = self.times(magnitude, setting.n_units, quantile)
        if not new:
            return units
        # Draw as many as magnitude 1 needs, so that each magnitude adds the first of the same list.
        most = self.times(1, setting.n_units, quantile)
        lengths, codes = setting.draw_units(rng, most)
        lengths = lengths[:new]
        codes = codes[:new]
        u = rng.random(most)[:new]
        if self.overlap is None and setting.covering:
            check_segmentation(units, setting.bounds, self.name)
            added = _add_boundaries(units, codes, setting, rng)
        elif self.overlap is False:
            added = _add_apart(units, lengths, codes, u, setting)
        else:
            lowest, highest = setting.bounds
            lengths = np.minimum(lengths, float(highest - lowest))
            low = np.full(new, lowest)
            high = highest - lengths
            starts = uniform_places(u, low, high, integer=setting.integer)
            ends = np.minimum(starts + lengths, highest)
            inside = None
            if units.shapes:
                # A new unit copies the other axes and the outline of an existing unit.
                check_areas(units, self.name)
                like = rng.integers(len(units), size=most)[:new]
                old = units.lengths[like]
                factors = np.divide(ends - starts, old, out=np.ones(new), where=old > 0)
                pairs = zip(like, factors.tolist(), strict=True)
                inside = column(units.shapes[i].times(factor) for i, factor in pairs)
            added = Units.sort(
                np.append(units.starts, starts),
                np.append(units.ends, ends),
                np.append(units.codes, codes),
                together([(units.breaks, len(units)), (inside, new)]),
            )
        tell_fewer(self.name, len(added) - len(units), new, "no room for more")
        return added


def _add_apart(units: Units, lengths: Floats, codes: Codes, u: Floats, setting: Setting) -> Units:
    if units.breaks is not None:
        raise DataError(
            "false-positive: units of several fragments, or with shapes, cannot be kept apart from "
            "new ones",
            hint="Use false-positive:overlap=true",
        )
    shortest = min(c.lengths.minimum for c in setting.model.categories if c.prevalence > 0)
    starts = units.starts
    ends = units.ends
    labels = units.codes
    for drawn, code, share in zip(lengths, codes, u, strict=True):
        free_from = np.append(setting.bounds[0], np.maximum.accumulate(ends))
        room = np.append(starts, setting.bounds[1]) - free_from
        length = min(drawn, room.max())
        if length < shortest or length <= 0:
            continue
        # Room for the start in each gap: a number of whole places, or a length.
        places = np.maximum(room - length + setting.integer, 0.0)
        if length == room.max():
            places = (room == length).astype(np.float64)
        sums = np.cumsum(places)
        gap = min(int(np.searchsorted(sums, share * sums[-1], side="right")), len(sums) - 1)
        within = share * sums[-1] - (sums[gap] - places[gap])
        if setting.integer:
            within = np.floor(within)
        last = room[gap] - length
        start = free_from[gap] + min(max(within, 0.0), last)
        end = min(start + length, free_from[gap] + room[gap])
        row = int(np.searchsorted(starts, start))
        starts = np.insert(starts, row, start)
        ends = np.insert(ends, row, end)
        labels = np.insert(labels, row, code)
    return Units.sort(starts, ends, labels)


def _add_boundaries(
    units: Units, codes: Codes, setting: Setting, rng: np.random.Generator
) -> Units:
    places = _new_boundaries(units.starts, len(codes), setting, rng)
    starts = np.append(units.starts, places)
    labels = np.append(units.codes, codes[: len(places)])
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    return Units(starts, np.append(starts[1:], setting.bounds[1]), labels[order])


def _new_boundaries(
    existing: Floats, new: int, setting: Setting, rng: np.random.Generator
) -> Floats:
    """Return places inside the bounds: the first distinct ones of a random stream.

    There are fewer than `new` if the bounds have no room for more.
    """
    lowest, highest = setting.bounds
    existing = np.unique(existing)
    if setting.integer:
        room = highest - lowest - len(existing)
    else:
        room = math.inf
    if highest == lowest:  # no place lies between the bounds
        return existing[:0]
    all_boundaries = existing
    while len(all_boundaries) < len(existing) + min(new, room):
        more = lowest + rng.random(_BATCH) * (highest - lowest)
        if setting.integer:
            more = np.floor(more)
        all_boundaries = np.append(all_boundaries, more[(lowest < more) & (more < highest)])
        all_boundaries = all_boundaries[np.sort(np.unique(all_boundaries, return_index=True)[1])]
    return all_boundaries[len(existing) : len(existing) + new]
