"""Split errors: contiguous units instead of one (2015, §6.3.1 "Splits").

"At magnitude m, each annotator splits a certain number of units (proportional to m). A split unit
may be re-split, and so on."
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.continuum.fragments import breaks_of, column, fragments_of
from gammacp.errors import UsageError
from shuffling.registry import register
from shuffling.setting import Setting, Units, check_factor, operations, tell_fewer
from shuffling.shapes import check_boxes

CAP = 5.0
"""Most splits per unit of the reference at magnitude 1 (2015, §6.3.4)."""


@register
@dataclass(frozen=True, kw_only=True)
class Split:
    """round(f·mᵍ·x) operations, each cuts one of the current units in two.

    The unit is drawn uniformly from the current ones, so a part may be split again; the cut is
    uniform inside it. The parts tile their unit exactly and keep its category; a cut between two
    fragments leaves some to each. Units that cannot
    be cut (zero length; length 1 where positions are whole numbers) are not drawn; where none is
    left, fewer splits are made (`FewerErrors` warns).

    Attributes
    ----------
    factor
        f in [0, 5]: splits per unit of the reference at m = 1; the paper limits the total to
        five times the number of units. See docs/shuffling.md for how the default was set.
    growth
        g > 0: 1 is "proportional to m", more makes splits rarer at small magnitudes.
    """

    name: ClassVar[str] = "split"
    summary: ClassVar[str] = "units are cut into contiguous units"
    source: ClassVar[str] = "Mathet, Widlöcher & Métivier 2015, §6.3.1, §6.3.4"

    factor: float = 2.0
    growth: float = 1.0

    def __post_init__(self) -> None:
        """Check factor and growth."""
        check_factor(self.name, self.factor, self.growth)
        if self.factor > CAP:
            raise UsageError(
                f"{self.name}: factor {self.factor:g} > {CAP:g}, the paper's limit of splits per "
                "unit"
            )

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """The units, some of them in parts."""
        asked = todo = operations(self.factor, magnitude, setting.n_units, self.growth)
        if not todo:
            return units
        starts, ends = units.starts.tolist(), units.ends.tolist()
        codes = units.codes.tolist()
        check_boxes(units, self.name)
        shapes, source = units.shapes, [*range(len(units))]
        inside: list[tuple[float, ...]] = [()] * len(units)
        if units.breaks is not None and not shapes:
            inside = units.breaks.tolist()
        least = 2.0 if setting.integer else np.nextafter(0.0, 1.0)
        open_rows = [i for i in range(len(starts)) if ends[i] - starts[i] >= least]
        while todo and open_rows:
            at = int(rng.integers(len(open_rows)))
            row = open_rows[at]
            cut = _cut(starts[row], ends[row], setting.integer, rng)
            if not starts[row] < cut < ends[row]:  # no float lies between
                open_rows[at] = open_rows[-1]
                open_rows.pop()
                continue
            parts = fragments_of(starts[row], ends[row], inside[row]) or ((starts[row], ends[row]),)
            left = tuple((s, min(e, cut)) for s, e in parts if s < cut)
            right = tuple((max(s, cut), e) for s, e in parts if cut < e)
            starts.append(right[0][0])
            ends.append(ends[row])
            codes.append(codes[row])
            source.append(source[row])
            inside.append(breaks_of(right))
            ends[row], inside[row] = left[-1][1], breaks_of(left)
            todo -= 1
            if ends[-1] - starts[-1] >= least:
                open_rows.append(len(starts) - 1)
            if ends[row] - starts[row] < least:
                open_rows[at] = open_rows[-1]
                open_rows.pop()
        tell_fewer(self.name, asked - todo, asked, "no unit left that can be cut")
        columns = np.array(starts), np.array(ends), np.array(codes, np.int32)
        return Units.sort(*columns, column([shapes[i] for i in source] if shapes else inside))


def _cut(start: float, end: float, integer: bool, rng: np.random.Generator) -> float:
    if integer:
        return start + float(rng.integers(1, int(end - start)))
    return start + (end - start) * float(rng.random())
