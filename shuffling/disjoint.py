"""Units drawn inside their ranges under the condition that they stay disjoint.

The target distribution is that of independent uniform boundaries, given that no two units overlap.
Units may change places. The draw starts from an exact draw in which they have not
(`shuffling.ordered`), and continues with Gibbs sampling: in each round every unit, in random order,
is removed and put back uniformly over all places in its range that the others leave free. Each unit
always takes two random numbers, whatever its range, so that ranges of similar magnitudes give
similar arrangements.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Bounds

ROUNDS = 10
"""A round moves about half of the units to other gaps where shifts reach that far."""
RIGID_ROUNDS = 160
"""Of units that keep their lengths: few gaps are long enough for one, so they change slowly."""
_TRIES = 1000

_Ranges = tuple[float, float, float, float]


def redraw_disjoint(
    starts: Floats,
    ends: Floats,
    ranges: Floats,
    bounds: Bounds,
    *,
    integer: bool,
    rng: np.random.Generator,
    rigid: bool = False,
) -> tuple[Floats, Floats]:
    """Return the starts and ends after `ROUNDS` rounds, by unit, shapes (n,).

    Rigid units take `RIGID_ROUNDS` instead.

    Parameters
    ----------
    starts, ends
        Disjoint units in order, each inside its ranges.
    ranges
        Shape (n, 4): least and greatest start, least and greatest end; inside the bounds, whole
        numbers if `integer`. A unit without any room stays where it is.
    rigid
        Whether units keep their lengths; the ranges of the ends are then ignored.
    """
    line = _Line(starts.tolist(), ends.tolist(), bounds)
    rows = ranges.tolist()
    movable = ((ranges[:, 1] > ranges[:, 0]) | (ranges[:, 3] > ranges[:, 2])).tolist()
    (spare,) = rng.spawn(1)
    for _ in range(RIGID_ROUNDS if rigid else ROUNDS):
        u = rng.random((len(rows), 2)).tolist()
        for unit in rng.permutation(len(rows)).tolist():
            if movable[unit]:
                line.redraw(unit, rows[unit], integer, u[unit], None if rigid else spare)
    placed = np.argsort(line.units)
    return np.array(line.starts)[placed], np.array(line.ends)[placed]


class _Line:
    """The units in order of position, while they are being moved."""

    def __init__(self, starts: list[float], ends: list[float], bounds: Bounds) -> None:
        self.starts = starts
        self.ends = ends
        self.units = list(range(len(starts)))
        self.where = list(starts)
        self.bounds = bounds

    def redraw(
        self,
        unit: int,
        ranges: _Ranges,
        integer: bool,
        u: Sequence[float],
        spare: np.random.Generator | None,
    ) -> None:
        at = bisect_left(self.starts, self.where[unit])
        while self.units[at] != unit:  # zero-length units may start at the same place
            at += 1
        start = self.starts.pop(at)
        end = self.ends.pop(at)
        self.units.pop(at)
        place = None
        if spare is None:
            place = self._slide(ranges, end - start, u[0], 1.0 if integer else 0.0)
        elif free := self._free(ranges, 1.0 if integer else 0.0):
            place = _draw_place(free, integer, u, spare)
        if place is not None:
            at, start, end = place
        self.starts.insert(at, start)
        self.ends.insert(at, end)
        self.units.insert(at, unit)
        self.where[unit] = start

    def _gaps(self, ranges: _Ranges) -> Iterator[tuple[int, float, float]]:
        """Yield the gaps that reach into the ranges: row, beginning and end of each."""
        least_start, greatest_start, _, greatest_end = ranges
        for row in range(bisect_right(self.starts, least_start), len(self.starts) + 1):
            if row:
                low = self.ends[row - 1]
            else:
                low = self.bounds[0]
            if row < len(self.starts):
                high = self.starts[row]
            else:
                high = self.bounds[1]
            if low >= greatest_end or low > greatest_start:
                break
            yield row, low, high

    def _slide(
        self, ranges: _Ranges, length: float, u: float, step: float
    ) -> tuple[int, float, float] | None:
        """Return row, start and end of a unit that keeps its length; None if it fits nowhere."""
        room = [
            (row, begin, end - begin + step)
            for row, low, high in self._gaps(ranges)
            for begin, end in [(max(low, ranges[0]), min(high - length, ranges[1]))]
            if end - begin + step > 0
        ]
        if not room:
            return None
        sums = list(accumulate((size for *_, size in room), initial=0.0))
        at = min(bisect_right(sums, u * sums[-1]), len(room)) - 1
        row, begin, size = room[at]
        start = begin + u * sums[-1] - sums[at]
        # Rounding errors may reach the open end.
        start = min(float(math.floor(start)) if step else start, begin + size - step)
        return row, start, start + length

    def _free(self, ranges: _Ranges, step: float) -> list[tuple[int, _Ranges]]:
        """Return the gaps that the unit can move to: row, and the ranges of start and end in it.

        A whole place p stands for the cell [p, p + 1), so that ranges end one `step` later.
        """
        free = []
        least_start, greatest_start, least_end, greatest_end = ranges
        for row, low, high in self._gaps(ranges):
            cut = (
                max(low, least_start),
                min(high, greatest_start) + step,
                max(low, least_end),
                min(high, greatest_end) + step,
            )
            if sum(_areas(cut)) > 0:
                free.append((row, cut))
        return free


def _areas(cut: _Ranges) -> tuple[float, float]:
    """Return two areas of {start < end}, by whether the start is below all ends or among them."""
    a0, a1, b0, b1 = cut
    if a1 <= a0 or b1 <= b0:
        return 0.0, 0.0
    below = max(min(a1, b0) - a0, 0.0) * (b1 - b0)
    low = max(a0, b0)
    high = min(a1, b1)
    return below, ((b1 - low) ** 2 - (b1 - high) ** 2) / 2 if high > low else 0.0


def _draw_place(
    free: list[tuple[int, _Ranges]], integer: bool, u: Sequence[float], spare: np.random.Generator
) -> tuple[int, float, float] | None:
    """Return a gap, a start and an end, uniform over all possible ones; None if the draws fail.

    The first random number, as a share of all free arrangements, determines the gap and the start.
    The second one determines the end.
    """
    sums = list(accumulate((sum(_areas(cut)) for _, cut in free), initial=0.0))
    for _ in range(_TRIES):
        area = u[0] * sums[-1]
        place = min(bisect_right(sums, area), len(free)) - 1
        row, cut = free[place]
        below, among = _areas(cut)
        area = min(area - sums[place], below + among)
        a0, a1, b0, b1 = cut
        if area < below:
            start = a0 + area / (b1 - b0)
        else:
            start = b1 - math.sqrt(max((b1 - max(a0, b0)) ** 2 - 2 * (area - below), 0.0))
        end = max(b0, start) + u[1] * (b1 - max(b0, start))
        if integer:
            # Cells on the diagonal count half in the area but hold no unit: draw again.
            start = math.floor(start)
            end = math.floor(end)
        # Rounding may reach the open end of a range of cells.
        if a0 <= start < end and (not integer or (start < a1 and end < b1)):
            return row, float(start), float(end)
        u = spare.random(2).tolist()
    return None
