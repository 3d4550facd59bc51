"""Split errors: contiguous units instead of one (2015, §6.3.1 "Splits").

"At magnitude m, each annotator splits a certain number of units (proportional to m). A split unit
may be re-split, and so on."
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from gammacp.continuum.fragments import breaks_of, column, fragments_of
from gammacp.continuum.outlines import cut
from gammacp.continuum.shapes import Shape, Span, relative
from gammacp.errors import UsageError
from shuffling.registry import register
from shuffling.setting import CountedError, Setting, Units, operations, tell_fewer
from shuffling.shapes import check_areas

Half: TypeAlias = tuple[float, tuple[float, ...], Shape | None]
CAP = 5.0
"""Most splits per unit of the reference at magnitude 1 (2015, §6.3.4)."""


@register
@dataclass(frozen=True, kw_only=True)
class Split(CountedError):
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

    def __post_init__(self) -> None:
        """Check factor and growth."""
        super().__post_init__()
        if self.factor > CAP:
            raise UsageError(
                f"{self.name}: factor {self.factor:g} > {CAP:g}, the paper's limit of splits per "
                "unit"
            )

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the units, some of them in parts."""
        asked = self.times(magnitude, setting.n_units, self.quantile(rng))
        # A random number of errors may exceed the paper's limit.
        asked = todo = min(asked, operations(CAP, 1, setting.n_units))
        if not todo:
            return units
        starts = units.starts.tolist()
        ends = units.ends.tolist()
        codes = units.codes.tolist()
        check_areas(units, self.name)
        shapes = [*units.shapes]
        inside: list[tuple[float, ...]] = [()] * len(units)
        if units.breaks is not None and not shapes:
            inside = units.breaks.tolist()
        if setting.integer:
            least = 2.0
        else:
            least = np.nextafter(0.0, 1.0)
        open_rows = [i for i in range(len(starts)) if ends[i] - starts[i] >= least]
        while todo and open_rows:
            at = int(rng.integers(len(open_rows)))
            row = open_rows[at]
            place = _cut(starts[row], ends[row], setting.integer, rng)
            extent = (starts[row], ends[row])
            if shapes:
                shape = shapes[row]
            else:
                shape = None
            halves = _halves(extent, inside[row], shape, place)
            if not halves:
                open_rows[at] = open_rows[-1]
                open_rows.pop()
                continue
            (left, before, below), (right, behind, above) = halves
            starts.append(right)
            ends.append(ends[row])
            codes.append(codes[row])
            inside.append(behind)
            ends[row] = left
            inside[row] = before
            if below and above:
                shapes[row] = below
                shapes.append(above)
            todo -= 1
            if ends[-1] - starts[-1] >= least:
                open_rows.append(len(starts) - 1)
            if ends[row] - starts[row] < least:
                open_rows[at] = open_rows[-1]
                open_rows.pop()
        tell_fewer(self.name, asked - todo, asked, "no unit left that can be cut")
        columns = np.array(starts), np.array(ends), np.array(codes, np.int32)
        return Units.sort(*columns, column(shapes or inside))


def _halves(
    extent: Span, inside: tuple[float, ...], shape: Shape | None, place: float
) -> tuple[Half, Half] | None:
    """Split a unit with its breaks and shapes in two; return None if no place fits."""
    start, end = extent
    if not start < place < end:  # no float lies between
        return None
    if shape and shape.rings:
        pieces = cut(shape, place - start)
        reach = max(p[0] for ring in shape.rings for p in ring)
        if len(pieces) < 2 or (pieces[0][0][0], pieces[1][0][1]) != (0.0, reach):
            return None  # what the outline goes along twice reaches farther than it covers
        (first, below), (second, above) = pieces
        behind = start + second[0]
        return (start + first[1], (), below), (behind, (), relative(second[0], above))
    parts = fragments_of(start, end, inside) or (extent,)
    left = tuple((s, min(e, place)) for s, e in parts if s < place)
    right = tuple((max(s, place), e) for s, e in parts if place < e)
    return (left[-1][1], breaks_of(left), shape), (right[0][0], breaks_of(right), shape)


def _cut(start: float, end: float, integer: bool, rng: np.random.Generator) -> float:
    if integer:
        return start + float(rng.integers(1, int(end - start)))
    return start + (end - start) * float(rng.random())
