"""Merge errors: one unit instead of neighbouring ones; the reverse of splits, not in the paper."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gammacp.continuum.fragments import column
from shuffling.registry import register
from shuffling.setting import CountedError, Setting, Units, tell_fewer
from shuffling.shapes import check_areas, union_of


@register
@dataclass(frozen=True, kw_only=True)
class Merge(CountedError):
    """round(f·mᵍ·x) operations, each makes one unit of two neighbours.

    Neighbours are successive units in order of their starts; the pair is drawn uniformly from the
    current ones, so a merged unit may be merged again. The merged unit reaches from the first start
    to the last end, over a gap if there is one (and over those between fragments), and takes the
    category of the longer of the two
    (of the first if they are equally long). Disjoint units stay disjoint, segmentations covering.

    Attributes
    ----------
    factor
        f ≥ 0: merges per unit of the reference at m = 1; with 1, the default, one unit is left.
    growth
        g > 0, as for splits.
    same_category
        Only neighbours of the same category are merged.
    """

    name: ClassVar[str] = "merge"
    summary: ClassVar[str] = "neighbouring units are made one"
    source: ClassVar[str] = "gammacp; the reverse of splits"

    same_category: bool = False

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the units, some of them merged; fewer than requested if no pair is left."""
        starts = units.starts
        ends = units.ends
        codes = units.codes
        if units.breaks is None:
            inside: list[Any] = [()] * len(units)
        else:
            inside = units.breaks.tolist()
        check_areas(units, self.name)
        asked = self.times(magnitude, setting.n_units, self.quantile(rng))
        for _ in range(asked):
            pairs = np.flatnonzero((codes[1:] == codes[:-1]) | (not self.same_category))
            if not len(pairs):
                break
            i = int(rng.choice(pairs))
            longer = i + int(ends[i + 1] - starts[i + 1] > ends[i] - starts[i])
            code = codes[longer]
            end = max(ends[i], ends[i + 1])
            apart = float(starts[i + 1] - starts[i])
            inside[i : i + 2] = [union_of(inside[i], inside[i + 1], apart) if units.shapes else ()]
            starts = np.delete(starts, i + 1)
            ends = np.delete(ends, i + 1)
            codes = np.delete(codes, i + 1)
            ends[i] = end
            codes[i] = code
        if len(starts) > 1:
            tell_fewer(self.name, len(units) - len(starts), asked, "no pair of a category left")
        return Units.sort(starts, ends, codes, column(inside))
