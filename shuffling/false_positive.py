"""False positives: units that the reference does not have (2015, §6.3.1 "False positives").

"At magnitude m, each annotator adds a certain number of units (proportional to m) to the ones of
the reference."
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.arrays import Floats
from gammacp.continuum import Bounds
from shuffling.registry import register
from shuffling.setting import Setting, Units, check_factor, check_segmentation, operations


@register
@dataclass(frozen=True, kw_only=True)
class FalsePositive:
    """round(f·m·x) new units: category and length from the model, the place uniform.

    - Free (`overlap=True`): anywhere inside the bounds, so new units may overlap others.
    - Kept apart (`overlap=False`): anywhere in the free space that the length fits into. A unit
      that fits nowhere is shortened to the longest free gap, or left out where that is shorter
      than the model's shortest unit.
    - Segmentations (a model whose layout is `covering`, unless `overlap` is given): a new unit is
      a boundary too many, at a uniform place; the part after it gets a category from the model.

    Attributes
    ----------
    factor
        f ≥ 0: new units per unit of the reference at m = 1. No published anchor: 1.
    overlap
        None (default): free, as in the paper, unless the layout is `covering`.
    """

    name: ClassVar[str] = "false-positive"
    summary: ClassVar[str] = "units are added"
    source: ClassVar[str] = "Mathet, Widlöcher & Métivier 2015, §6.3.1"

    factor: float = 1.0
    overlap: bool | None = None

    def __post_init__(self) -> None:
        """Check the factor."""
        check_factor(self.factor, self.name)

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """The units and the new ones.

        Raises DataError where a segmentation is to be kept and the units are none.
        """
        new = operations(self.factor, magnitude, setting.n_units)
        if not new:
            return units
        if self.overlap is None and setting.covering:
            check_segmentation(units, setting.bounds, self.name)
            return _add_boundaries(units, new, setting, rng)
        if self.overlap is False:
            return _add_apart(units, new, setting, rng)
        lowest, highest = setting.bounds
        lengths, codes = setting.draw_units(rng, new)
        lengths = np.minimum(lengths, highest - lowest)
        starts = _place(np.full(new, lowest), highest - lengths, setting.integer, rng)
        return Units.sorted(
            np.append(units.starts, starts),
            np.append(units.ends, np.minimum(starts + lengths, highest)),
            np.append(units.codes, codes),
        )


def _place(low: Floats, high: Floats, integer: bool, rng: np.random.Generator) -> Floats:
    if integer:
        return rng.integers(low.astype(np.int64), high.astype(np.int64) + 1).astype(np.float64)
    return rng.uniform(low, high)


def _add_apart(units: Units, new: int, setting: Setting, rng: np.random.Generator) -> Units:
    lengths, codes = setting.draw_units(rng, new)
    shortest = min(c.lengths.minimum for c in setting.model.categories if c.prevalence > 0)
    starts, ends, labels = units.starts, units.ends, units.codes
    for drawn, code in zip(lengths, codes, strict=True):
        free_from = np.append(setting.bounds[0], np.maximum.accumulate(ends))
        room = np.append(starts, setting.bounds[1]) - free_from
        length = min(drawn, room.max())
        if length < shortest or length <= 0:
            continue
        # Starts that fit: a whole number of places, or a length of the line.
        places = np.maximum(room - length + 1, 0) if setting.integer else room - length
        places = np.maximum(places, 0)
        if length == room.max():
            places = (room == length).astype(np.float64)
        gap = int(rng.choice(len(places), p=places / places.sum()))
        low, high = free_from[gap : gap + 1], free_from[gap : gap + 1] + room[gap] - length
        start = float(_place(low, high, setting.integer, rng)[0])
        end = min(start + length, free_from[gap] + room[gap])
        row = int(np.searchsorted(starts, start))
        starts, ends = np.insert(starts, row, start), np.insert(ends, row, end)
        labels = np.insert(labels, row, code)
    return Units.sorted(starts, ends, labels)


def _add_boundaries(units: Units, new: int, setting: Setting, rng: np.random.Generator) -> Units:
    lowest, highest = setting.bounds
    _, codes = setting.draw_units(rng, new)
    if setting.integer:
        places = _new_boundaries(units.starts, new, setting.bounds, rng)
    else:
        places = np.setdiff1d(rng.uniform(lowest, highest, new), np.append(units.starts, highest))
        rng.shuffle(places)
    starts = np.append(units.starts, places)
    labels = np.append(units.codes, codes[: len(places)])
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    return Units(starts, np.append(starts[1:], highest), labels[order])


def _new_boundaries(taken: Floats, new: int, bounds: Bounds, rng: np.random.Generator) -> Floats:
    """Distinct whole places inside the bounds that are not taken; fewer where room ends."""
    first, stop = int(bounds[0]) + 1, int(bounds[1])
    if stop - first <= 4 * (new + len(taken)):
        free = np.setdiff1d(np.arange(first, stop, dtype=np.float64), taken)
        return rng.choice(free, size=min(new, len(free)), replace=False)
    found = np.zeros(0)
    while len(found) < new:
        more = rng.integers(first, stop, new).astype(np.float64)
        found = np.setdiff1d(np.append(found, more), taken)
    return rng.choice(found, size=new, replace=False)
