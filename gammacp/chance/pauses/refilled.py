"""Stretches between pauses that are filled anew, for annotators who seldom mark across pauses.

Turning alone does not give such annotators the annotations that they could have made:

- where a pause was, the gaps before it and after it are joined to one gap that is too long. Random
  units then lie less evenly than the annotator's, and agree too little;
- a unit that begins or ends exactly where a pause ends or begins leaves this edge, although other
  annotators have units at the same edge.

So each stretch is filled anew. All that the annotator has at one pause (the gap or the unit before
it, and the gap or the unit after it, or a unit across it) moves to another pause. A unit that fills
a stretch moves to another stretch of much the same length, which it fills. Random permutations of
the pauses are tried first; if none of a few fits, pairs of pauses are exchanged one after the
other, where that fits. The beginning and the end of the recording count as one pause, which only
exchanges with pauses that have units on the same sides. So if annotators have units at pauses but
none at the ends of the recording, random ones do not, either. The other units, in the order in
which they were turned and with the gaps that they had, then fill one stretch after the other: the
next unit goes into the next stretch if it does not fit. Half of the time this is done backwards,
from the end of the recording.

An arrangement is accepted if it takes all units and has no room for one more. Usually one of the
twenty that are tried is accepted. Otherwise the closest one is taken, and units that are left go to
random places between the others.

Annotators who tile each stretch leave no gaps. For them what is left of a stretch becomes its last
unit, as if the pause had cut the next one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gammacp.base.arrays import Bools, Floats
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.chance.pauses.edges import NONE, Arrangement, arrangement_of
from gammacp.chance.pauses.stretches import find_room, stretches_of

# Share of the expected number of units across pauses above which an annotator marks across them.
_SELDOM = 1 / 2
# Largest share of units that may overlap the next one.
_OVERLAPPING = 1 / 4
# Number of arrangements that are tried for one that takes all units.
_ARRANGEMENTS = 20
# Number of units among which the first one of a stretch is chosen, if the next one does not fit.
_CANDIDATES = 6
# Share of edges that have a unit, and of gaps without length, from which on an annotator tiles.
_TILED = 3 / 4


@dataclass(frozen=True)
class Filled:
    """Stretches that were filled in order.

    Attributes
    ----------
    starts
        Start of each unit, in the order of the turned ones; NaN for units without a place.
    rests
        Time that is left between the last unit of each stretch and the unit at its last edge.
    unplaced
        Number of units without a place.
    excess
        Number of stretches that have room for one unit more, after all were placed.
    backwards
        Whether they were filled from the end of the recording on.
    """

    starts: Floats
    rests: list[float]
    unplaced: int
    excess: int
    backwards: bool


@dataclass(frozen=True)
class Refilling:
    """Habits of an annotator who seldom marks across pauses.

    Attributes
    ----------
    edges
        Edges of the stretches in the time without pauses.
    annotation
        All units, ascending, in the time without pauses.
    arrangement
        Units and gaps at edges, where the annotator has them.
    joined
        The other units, in the time that is left when those at edges are taken out.
    gaps_after
        Gap after each of these; NaN where the next one lies in another stretch.
    gaps
        All gaps between two units of a stretch.
    tiles
        Whether the annotator's units fill the stretches.
    whole
        Whether places are whole numbers.
    """

    edges: Floats
    annotation: Annotation
    arrangement: Arrangement
    joined: Annotation
    gaps_after: Floats
    gaps: Floats
    tiles: bool
    whole: bool

    @classmethod
    def of(cls, annotation: Annotation, edges: Floats, *, whole: bool) -> Refilling | None:
        """Return the habits of an annotator, with the units at edges taken out.

        Return None if many of the annotator's units overlap or cross pauses, or if one crosses
        several pauses.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        edges, whole
            As the attributes.
        """
        if not annotation.is_plain or len(edges) < 3 or not len(annotation.starts):
            return None
        annotation = annotation.take(np.argsort(annotation.starts, kind="stable"))
        starts = annotation.starts
        ends = starts + annotation.lengths
        allowance = ROUNDING * float(edges[-1])
        # Units in ascending order overlap if one begins before the one before it ends.
        overlaps = int((starts[1:] < ends[:-1] - allowance).sum())
        if overlaps > _OVERLAPPING * len(starts):
            return None
        first, last = stretches_of(edges, starts, ends)
        # Units that lie anywhere would run across a pause this often.
        reach = np.minimum(annotation.lengths[:, None], np.diff(edges)[None, :-1])
        expected = float(reach.sum()) / float(edges[-1])
        if (last > first).sum() > _SELDOM * expected or (last > first + 1).any():
            return None
        arrangement = arrangement_of(annotation, edges)
        if arrangement is None:
            return None
        at_edges = np.zeros(len(starts), np.bool_)
        taken = {edge.row for edge in (*arrangement.begins, *arrangement.ends)}
        at_edges[sorted(({*arrangement.fills} | taken) - {NONE})] = True
        before = np.cumsum(np.where(at_edges, annotation.lengths, 0.0))
        others = np.flatnonzero(~at_edges)
        moved = np.maximum(starts[others] - before[others], 0.0)
        # Where units overlap, the last one may reach further than the time that is left.
        reached = float((moved + annotation.lengths[others]).max(initial=0.0))
        joined = replace(
            annotation.take(others),
            starts=moved,
            length=max(annotation.length - float(before[-1]), reached),
        )
        between = starts[1:] - ends[:-1]
        between = np.append(np.where(between > -allowance, between.clip(0.0), between), np.nan)
        between[:-1][last[:-1] != first[1:]] = np.nan
        gaps = between[~np.isnan(between)]
        after = np.where(np.append(at_edges[1:], True), np.nan, between)[others]
        tiles = _is_tiled(arrangement, gaps <= allowance) and not (last > first).any()
        if not len(gaps):
            # No stretch holds two units.
            gaps = np.array([np.inf])
        return cls(edges, annotation, arrangement, joined, after, gaps, tiles, whole)

    @cached_property
    def _by_direction(self) -> tuple[Arrangement, Arrangement]:
        """Arrangements from which stretches are filled forwards, and backwards."""
        if not self.tiles:
            return self.arrangement, self.arrangement
        # The unit that is cut off by the pause gets the time that is left.
        return (
            self.arrangement.without_cut_units(at_begins=False),
            self.arrangement.without_cut_units(at_begins=True),
        )

    def fit(self, annotation: Annotation, rng: np.random.Generator) -> Annotation:
        """Fill all stretches anew.

        Parameters
        ----------
        annotation
            The units that were not at edges, turned.
        rng
            Decides where units go.
        """
        order = np.argsort(annotation.starts, kind="stable")
        lengths = annotation.lengths[order]
        known = self.gaps_after[order]
        known[:-1][order[1:] != order[:-1] + 1] = np.nan
        # Tiles leave no room for units without a place, so these weigh more than what is left.
        weight = len(lengths) + 1 if self.tiles else 1
        fewest = math.inf
        closest: tuple[Arrangement, Filled] | None = None
        backwards = bool(rng.random() < 0.5)
        arrangement = self._by_direction[backwards].shuffle(rng)
        many = len(arrangement.sizes)
        for _ in range(_ARRANGEMENTS):
            drawn = self.gaps[rng.integers(len(self.gaps), size=len(known) + many)]
            gaps = np.where(np.isnan(known), drawn[many:], known).tolist()
            filled = self._fill(
                arrangement, lengths.tolist(), gaps, drawn[:many].tolist(), backwards=backwards
            )
            misses = filled.unplaced * weight + filled.excess
            if misses < fewest:
                fewest = misses
                closest = arrangement, filled
            if not misses:
                break
            arrangement = arrangement.exchange(2 + many // 4, rng)
        assert closest is not None
        at_edges = self._at_edges(*closest)
        starts = closest[1].starts
        placed = np.flatnonzero(~np.isnan(starts))
        moved = annotation.take(order[placed])
        units = replace(
            annotation,
            starts=np.concatenate([starts[placed], at_edges.starts]),
            lengths=np.concatenate([moved.lengths, at_edges.lengths]),
            category_codes=np.concatenate([moved.category_codes, at_edges.category_codes]),
            length=self.annotation.length,
        )
        for row in order[np.isnan(starts)].tolist():
            units = self._with(units, annotation.take(np.array([row])), rng)
        return units

    def _with(self, units: Annotation, unit: Annotation, rng: np.random.Generator) -> Annotation:
        """Return the annotation with one more unit, between the others if there is room."""
        length = float(unit.lengths[0])
        low = units.starts
        taken = units.lengths
        place = find_room(self.edges, low, taken, length, rng, whole=self.whole)
        if place is None and self.tiles:
            # Divide the longest tile.
            longest = int(np.argmax(taken))
            length = min(length, float(taken[longest]) / 2)
            if self.whole:
                length = float(np.floor(length))
            taken = taken.copy()
            taken[longest] -= length
            place = float(low[longest] + taken[longest])
        elif place is None:
            # It lies over others.
            place = find_room(self.edges, low[:0], taken[:0], length, rng, whole=self.whole)
            assert place is not None
        return replace(
            units,
            starts=np.append(low, place),
            lengths=np.append(taken, length),
            category_codes=np.append(units.category_codes, unit.category_codes),
        )

    def _fill(
        self,
        arrangement: Arrangement,
        lengths: list[float],
        gaps: list[float],
        first_gaps: list[float],
        *,
        backwards: bool,
    ) -> Filled:
        """Fill the stretches with units of these lengths and gaps, forwards or backwards.

        The first gap of a stretch is used after a unit at its edge.
        """
        many = len(arrangement.sizes)
        turn = list(range(many))
        queue = list(range(len(lengths)))
        near = arrangement.begins
        far = arrangement.ends
        if backwards:
            turn.reverse()
            queue.reverse()
            near, far = far, near
        starts = [np.nan] * len(lengths)
        edges = self.edges.tolist()
        rests = [0.0] * many
        excess = 0
        if queue:
            next_length = lengths[queue[0]]
        else:
            next_length = np.inf
        allowance = ROUNDING * edges[-1]
        for k in turn:
            if arrangement.fills[k] != NONE:
                continue
            place = near[k].time + near[k].gap
            if math.isnan(place):
                place = near[k].time + first_gaps[k]
            # Where units overlap, gaps are negative, but no unit leaves the stretch.
            place = max(0.0, place)
            reached = near[k].time
            free = arrangement.sizes[k] - far[k].time
            limit = free
            if far[k].row != NONE and far[k].gap < 0:
                # The unit at the edge may overlap the one before.
                limit = min(limit - far[k].gap, arrangement.sizes[k])
            room = limit + allowance
            is_empty = True
            while queue:
                unit = queue[0]
                if place + lengths[unit] > room:
                    # Only an empty stretch may begin with a unit out of order.
                    candidates = queue[1:_CANDIDATES] if is_empty else []
                    unit = next((i for i in candidates if place + lengths[i] <= room), NONE)
                    if unit == NONE:
                        break
                is_empty = False
                queue.remove(unit)
                reached = place + lengths[unit]
                if backwards:
                    starts[unit] = edges[k + 1] - reached
                    place = max(0.0, reached + gaps[unit - 1])
                else:
                    starts[unit] = edges[k] + place
                    place = max(0.0, reached + gaps[unit])
            if not queue and place + next_length <= room:
                excess += 1
            rests[k] = free - reached
        return Filled(np.array(starts), rests, len(queue), excess, backwards)

    def _at_edges(self, arrangement: Arrangement, filled: Filled) -> Annotation:
        """Return the units at edges."""
        rows = list[int]()
        low = list[float]()
        high = list[float]()
        many = len(arrangement.sizes)
        for k, fill in enumerate(arrangement.fills):
            start = float(self.edges[k])
            end = float(self.edges[k + 1])
            begin = arrangement.begins[k]
            finish = arrangement.ends[k]
            begin_time = begin.time
            end_time = finish.time
            if self.tiles and filled.backwards:
                begin_time = filled.rests[k]
            elif self.tiles:
                end_time = filled.rests[k]
            if fill != NONE:
                rows.append(fill)
                low.append(start)
                high.append(end)
            is_continued = k > 0 and begin.row == arrangement.ends[k - 1].row
            if begin.row != NONE and not is_continued and (begin_time > 0 or not self.tiles):
                rows.append(begin.row)
                low.append(start)
                high.append(start + begin_time)
            if finish.row != NONE and (end_time > 0 or not self.tiles):
                rows.append(finish.row)
                low.append(end - end_time)
                if k + 1 < many and arrangement.begins[k + 1].row == finish.row:
                    end += arrangement.begins[k + 1].time
                high.append(end)
        starts = np.array(low)
        units = self.annotation.take(np.array(rows, np.int64))
        return replace(units, starts=starts, lengths=np.array(high) - starts)


def _is_tiled(arrangement: Arrangement, touches: Bools) -> bool:
    """Return whether units fill most stretches from edge to edge.

    Parameters
    ----------
    arrangement
        Units at edges.
    touches
        For each two units that follow each other in a stretch, whether they touch.
    """
    edges = [*arrangement.begins, *arrangement.ends]
    filled = 2 * sum(fill != NONE for fill in arrangement.fills)
    at_edges = filled + sum(edge.row != NONE for edge in edges)
    return at_edges >= _TILED * len(edges) and touches.sum() >= max(1.0, _TILED * len(touches))
