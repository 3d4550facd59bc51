"""Units and gaps at the edges of the stretches between pauses, and random arrangements of them.

All that an annotator has at one pause moves together: the gap or the unit before it, and the gap or
the unit after it, or a unit across it. A unit that fills a stretch moves to another stretch of much
the same length. `refilled` fills the stretches of an arrangement with the other units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.chance.pauses.stretches import stretches_of

NONE = -1
"""Number that stands for no unit."""
# A unit that fills a stretch moves to stretches that are longer or shorter by at most this share.
_ALIKE = 1 / 4
# Number of permutations that are tried for one in which the units at pauses fit.
_PERMUTATIONS = 4


@dataclass(frozen=True)
class Edge:
    """All that an annotator has at one side of a pause.

    Attributes
    ----------
    row
        Number of the unit that begins or ends there, or runs across the pause; −1 for none.
    time
        Time that this unit takes in the stretch.
    gap
        Time from the edge to the nearest unit, where none is at the edge. Of a unit at the edge,
        the (negative) gap to the next one where the two overlap, and NaN otherwise.
    """

    row: int
    time: float
    gap: float


@dataclass(frozen=True)
class Arrangement:
    """Units and gaps at the edges of all stretches.

    Attributes
    ----------
    sizes
        Length of each stretch.
    begins, ends
        Start and end of each stretch.
    fills
        Unit that fills each stretch; −1 for none.
    """

    sizes: list[float]
    begins: list[Edge]
    ends: list[Edge]
    fills: list[int]

    def fits(self, pauses: Sequence[int], stretch: int) -> bool:
        """Return whether a stretch of the permuted arrangement has room for what is at its edges.

        Parameters
        ----------
        pauses
            As for `permuted`.
        stretch
            Number of the stretch.
        """
        begin = self.begins[(pauses[stretch - 1] + 1) % len(pauses)]
        end = self.ends[pauses[stretch]]
        if self.fills[stretch] != NONE:
            return begin.row == end.row == NONE
        if stretch == 0 and begin.row != NONE and begin.row == self.ends[pauses[-1]].row:
            # A unit cannot run from the end of the recording to its beginning.
            return False
        return begin.time + end.time <= self.sizes[stretch] * (1 + ROUNDING)

    def without_cut_units(self, *, at_begins: bool) -> Arrangement:
        """Return the arrangement with units of no length at the ends of stretches.

        Parameters
        ----------
        at_begins
            Whether this is done at the beginnings instead.
        """
        if at_begins:
            return replace(self, begins=[replace(edge, time=0.0) for edge in self.begins])
        return replace(self, ends=[replace(edge, time=0.0) for edge in self.ends])

    def is_across(self, stretch: int) -> bool:
        """Return whether a unit runs across one of the pauses beside a stretch.

        Parameters
        ----------
        stretch
            Number of the stretch.
        """
        before = self.ends[stretch - 1].row
        after = self.begins[(stretch + 1) % len(self.sizes)].row
        return (before != NONE and before == self.begins[stretch].row) or (
            after != NONE and after == self.ends[stretch].row
        )

    def permuted(self, pauses: Sequence[int]) -> Arrangement:
        """Return the arrangement in which each pause has what another one had.

        Parameters
        ----------
        pauses
            For each stretch k, the number of the pause whose contents come to lie after it: the end
            of stretch k, and the beginning of the stretch after k. Pause j follows stretch j.
        """
        many = len(self.sizes)
        begins = [self.begins[(pauses[k - 1] + 1) % many] for k in range(many)]
        return replace(self, begins=begins, ends=[self.ends[k] for k in pauses])

    def with_fill_moved(self, filled: int, other: int) -> Arrangement:
        """Return the arrangement after two stretches, one of which is filled, exchanged all units.

        Nothing is changed if that does not fit.

        Parameters
        ----------
        filled, other
            Numbers of the two stretches.
        """
        size = self.sizes[filled]
        begin = self.begins[other]
        end = self.ends[other]
        is_unlike = abs(self.sizes[other] - size) > _ALIKE * size
        taken = begin.time + end.time
        if self.fills[other] != NONE or is_unlike or taken > size or self.is_across(other):
            return self
        begins = [*self.begins]
        ends = [*self.ends]
        fills = [*self.fills]
        begins[filled], begins[other] = begin, begins[filled]
        ends[filled], ends[other] = end, ends[filled]
        fills[filled], fills[other] = NONE, fills[filled]
        return replace(self, begins=begins, ends=ends, fills=fills)

    def sides_with_units(self, pause: int) -> tuple[bool, bool]:
        """Return whether a unit ends where a pause begins, and whether one begins where it ends.

        Parameters
        ----------
        pause
            Number of the stretch before the pause.
        """
        behind = (pause + 1) % len(self.sizes)
        return self.ends[pause].row != NONE, self.begins[behind].row != NONE

    def shuffle(self, rng: np.random.Generator) -> Arrangement:
        """Return a random arrangement of the same units and gaps.

        Parameters
        ----------
        rng
            Chooses the places.
        """
        shuffled = self
        many = len(self.sizes)
        for filled in [k for k, fill in enumerate(self.fills) if fill != NONE]:
            shuffled = shuffled.with_fill_moved(filled, int(rng.integers(many)))
        at_ends = shuffled.sides_with_units(many - 1)
        alike = [k for k in range(many) if shuffled.sides_with_units(k) == at_ends]
        for _ in range(_PERMUTATIONS):
            order = rng.permutation(many).tolist()
            last = alike[int(rng.integers(len(alike)))]
            order.remove(last)
            order.append(last)
            if all(shuffled.fits(order, k) for k in range(many)):
                return shuffled.permuted(order)
        # Few permutations fit. Exchange two pauses at a time, starting from what fits.
        return shuffled.exchange(many, rng)

    def exchange(self, times: int, rng: np.random.Generator) -> Arrangement:
        """Return the arrangement after pairs of pauses exchanged what is at them, where that fits.

        Parameters
        ----------
        times
            Number of pairs.
        rng
            Chooses the pairs.
        """
        many = len(self.sizes)
        order = [*range(many)]
        for one, other in rng.integers(many, size=(times, 2)).tolist():
            is_end = many - 1 in (one, other)
            if is_end and self.sides_with_units(order[one]) != self.sides_with_units(order[other]):
                continue
            order[one], order[other] = order[other], order[one]
            changed = (one, other, (one + 1) % many, (other + 1) % many)
            if not all(self.fits(order, k) for k in changed):
                order[one], order[other] = order[other], order[one]
        return self.permuted(order)


def arrangement_of(annotation: Annotation, edges: Floats) -> Arrangement | None:
    """Return the units and gaps of an annotator at the edges of all stretches.

    Return None if a unit runs across a pause and on to the end of the next stretch.

    Parameters
    ----------
    annotation
        Units in the time without pauses, ascending.
    edges
        Start of each stretch, and the end of the last one.
    """
    allowance = ROUNDING * float(edges[-1])
    starts = annotation.starts
    ends = starts + annotation.lengths
    first, last = stretches_of(edges, starts, ends)
    begins = list[Edge]()
    finishes = list[Edge]()
    fills = list[int]()
    for k in range(len(edges) - 1):
        low = float(edges[k])
        high = float(edges[k + 1])
        inside = np.flatnonzero((first <= k) & (last >= k))
        if not len(inside):
            # All that is known is that the gap is as long as the stretch.
            begins.append(Edge(NONE, 0.0, high - low))
            finishes.append(Edge(NONE, 0.0, high - low))
            fills.append(NONE)
            continue
        one = int(inside[0])
        other = int(inside[np.argmax(ends[inside])])
        begin = float(starts[one]) - low
        end = high - float(ends[other])
        if one == other and abs(begin) <= allowance and abs(end) <= allowance:
            begins.append(Edge(NONE, 0.0, np.nan))
            finishes.append(Edge(NONE, 0.0, np.nan))
            fills.append(one)
            continue
        if one == other and begin <= allowance and end <= allowance:
            return None
        fills.append(NONE)
        if begin <= allowance:
            following = float((starts[inside[inside != one]] - ends[one]).min(initial=0.0))
            begins.append(Edge(one, float(ends[one]) - low, _overlap(following, allowance)))
        else:
            begins.append(Edge(NONE, 0.0, begin))
        if end <= allowance:
            before = float((starts[other] - ends[inside[inside != other]]).min(initial=0.0))
            finishes.append(Edge(other, high - float(starts[other]), _overlap(before, allowance)))
        else:
            finishes.append(Edge(NONE, 0.0, end))
    return Arrangement(np.diff(edges).tolist(), begins, finishes, fills)


def _overlap(gap: float, allowance: float) -> float:
    """Return a gap if it is less than 0, and NaN otherwise."""
    if gap < -allowance:
        return gap
    return math.nan
