"""Opposed labels: whoever errs uses the scale of categories the other way round."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.base.arrays import Codes
from shuffling.registry import register
from shuffling.setting import Setting, Units


@register
@dataclass(frozen=True, kw_only=True)
class Opposed:
    """Error that turns a unit's label into the opposite one with probability m.

    The first category of the model becomes the last and so on; the middle one of an odd number
    stays. At m = 1 everything that can be turned over is: annotators who do so agree with each
    other, and disagree systematically with those who do not. Unlabelled units stay unlabelled.
    """

    name: ClassVar[str] = "opposed"
    summary: ClassVar[str] = "labels are turned over"
    source: ClassVar[str] = "gammacp; systematic disagreement"

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the units, some with the opposite label."""
        turned = (rng.random(len(units)) < magnitude) & (units.codes >= 0)
        if not turned.any():
            return units
        codes = units.codes.copy()
        codes[turned] = _opposites(setting)[codes[turned]]
        return Units.sort(units.starts, units.ends, codes, units.breaks)


def _opposites(setting: Setting) -> Codes:
    """Return the opposite of each code, by the order of the model's categories."""
    order = [name for name in setting.model.category_names if name is not None]
    opposite = dict(zip(order, reversed(order), strict=True))
    return np.array([setting.categories.index(opposite[c]) for c in setting.categories], np.int32)
