"""False negatives: units of the reference are missed (2015, §6.3.1 "False negatives").

"At magnitude m, each unit has the probability m to be forgotten."
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shuffling.registry import register
from shuffling.setting import Setting, Units, check_segmentation


@register
@dataclass(frozen=True, kw_only=True)
class FalseNegative:
    """Each unit is dropped with probability m; there is no factor.

    In a segmentation (a model whose layout is `covering`, unless `gaps` is True) a dropped unit
    must not leave a gap: the boundary at its start is forgotten and the unit before it reaches on
    to its end. The first unit has no such boundary and stays.

    Attributes
    ----------
    gaps
        True: units are dropped from segmentations, too, and leave gaps.
    """

    name: ClassVar[str] = "false-negative"
    summary: ClassVar[str] = "units are missed"
    source: ClassVar[str] = "Mathet, Widlöcher & Métivier 2015, §6.3.1"

    gaps: bool = False

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the units that are left.

        Raises DataError if a segmentation is to be kept, but the units are not one.
        """
        # random() < 1, so that magnitude 1 drops everything; ≥ 0, so that magnitude 0 drops nothing
        is_kept = rng.random(len(units)) >= magnitude
        if not setting.covering or self.gaps:
            if units.breaks is None:
                breaks = None
            else:
                breaks = units.breaks[is_kept]
            return Units(units.starts[is_kept], units.ends[is_kept], units.codes[is_kept], breaks)
        if not len(units) or magnitude == 0:
            return units
        check_segmentation(units, setting.bounds, self.name)
        is_kept[0] = True
        starts = units.starts[is_kept]
        return Units(starts, np.append(starts[1:], units.ends[-1]), units.codes[is_kept])
