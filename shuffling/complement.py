"""Complement: whoever errs marks the gaps instead of the units."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.errors import DataError
from shuffling.registry import register
from shuffling.setting import Setting, Units


@register
@dataclass(frozen=True, kw_only=True)
class Complement:
    """Error that leaves a unit out with probability m and marks the gap behind it in its stead.

    The gap has the category of that unit; what lies before the first unit is marked with the first
    gap. Of units that overlap, the gap belongs to the one that ends last. At m = 1 everything is
    marked that no unit covers, and nothing else. Where a unit touches the next one there is no
    gap to mark.
    """

    name: ClassVar[str] = "complement"
    summary: ClassVar[str] = "gaps are marked instead of units"
    source: ClassVar[str] = "gammacp; systematic disagreement"

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the remaining units, together with the marked gaps.

        Raises DataError for segmentations, which have no gaps, and for units of several fragments
        or with shapes.
        """
        if not len(units) or magnitude == 0:
            return units
        if setting.covering:
            raise DataError("complement: a segmentation has no gaps that could be marked")
        if units.breaks is not None:
            raise DataError(
                "complement: units of several fragments, or with shapes, have no gaps between them"
            )
        left_out = rng.random(len(units)) < magnitude
        starts, ends, owners = _gaps(units, *setting.bounds)
        marked = left_out[owners]
        return Units.sort(
            np.append(units.starts[~left_out], starts[marked]),
            np.append(units.ends[~left_out], ends[marked]),
            np.append(units.codes[~left_out], units.codes[owners[marked]]),
        )


def _gaps(units: Units, lowest: float, highest: float) -> tuple[Floats, Floats, Codes]:
    """Return start and end of every gap of positive length, and the unit that it belongs to."""
    reached = np.maximum.accumulate(units.ends)
    # The owner of a gap is the first unit that ends where the gap begins.
    owner = np.searchsorted(reached, reached, side="left")
    starts = np.append(lowest, reached)
    ends = np.append(units.starts, highest)
    owners = np.append(owner[:1], owner)
    real = ends > starts
    return starts[real], ends[real], owners[real].astype(np.int32)
