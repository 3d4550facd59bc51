"""Recordings with pauses: `cut` turns annotations in the time without pauses.

To turn an annotation is to move all its units along a circle, made of the recording, by the same
distance (`gammacp.chance.cut`). Even independent annotators of a recording with silences all mark
only what lies between these. So they meet more often than units that are turned over the whole
recording. If the stretches in which something can be marked are known (`Continuum.markable`), each
annotation is moved to the time without pauses, turned there, and mapped back. All random units then
stay out of the same pauses.

Annotators who seldom mark across pauses have their stretches filled anew
(`gammacp.chance.pauses.refilled`). For the others, and those who often have overlapping units, a
turned unit may come to lie across a pause. What happens to it follows the annotator's habits:

- with one probability it stays, stretched over the pause. This probability is the number of the
  annotator's units that cross pauses, divided by the number expected if the units lay anywhere;
- with another it moves to the edge of the pause. This one is estimated in the same way from the
  units that touch pauses;
- otherwise it moves to a random place between the annotator's other units where it fits.

Some annotators have a boundary between two units at most pauses. Their units that meet at a pause
are joined before they are turned, and units are divided at pauses afterwards.

`Refilling`, `Fitting` and `Dividing` are these three habits, in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.chance.grid import Places
from gammacp.chance.pauses.refilled import Refilling
from gammacp.chance.pauses.stretches import find_room, stretches_of
from gammacp.continuum import Continuum

# Fact of a continuum whose stretches were found in its annotations, and not declared.
ESTIMATED = "estimated stretches"


@dataclass(frozen=True)
class MarkableTime:
    """The time without pauses, counted from the continuum's lower bound.

    Attributes
    ----------
    starts, ends
        Starts and ends of the stretches in which something can be marked, in recording time.
    edges
        Start of each stretch in the time without pauses, and the end of the last one.
    """

    starts: Floats
    ends: Floats
    edges: Floats

    @classmethod
    def of(cls, continuum: Continuum) -> MarkableTime:
        """Return the markable time of a continuum whose stretches are known."""
        starts, ends = np.array(continuum.markable, np.float64).T - continuum.bounds[0]
        return cls(starts, ends, np.concatenate([[0.0], np.cumsum(ends - starts)]))

    def at(self, places: Floats) -> Floats:
        """Convert places in recording time to the time without pauses.

        Parameters
        ----------
        places
            Places in recording time. All places within a pause become the point where it was
            removed.
        """
        k = np.searchsorted(self.starts, places, side="right") - 1
        inside = np.minimum(places, self.ends[k]) - self.starts[k]
        return np.where(k < 0, 0.0, self.edges[k] + np.maximum(inside, 0.0))

    def count(self, places: Places) -> tuple[Places, MarkableTime]:
        """Return the places of a grid that lie in the stretches, and this time counted in places.

        Parameters
        ----------
        places
            Places from the continuum's lower bound on.
        """
        allowance = ROUNDING * float(places.ends[-1] - places.starts[0])
        k = np.searchsorted(self.starts, places.starts + allowance, side="right") - 1
        inside = (k >= 0) & (places.ends <= self.ends[k] + allowance)
        numbers = np.bincount(k[inside], minlength=len(self.starts))
        edges = np.concatenate([[0.0], np.cumsum(numbers)])
        held = replace(places, starts=places.starts[inside], ends=places.ends[inside])
        some = numbers > 0
        return held, MarkableTime(
            self.starts[some], self.ends[some], np.append(edges[:-1][some], edges[-1])
        )

    def laid(self, annotation: Annotation, until: float) -> Annotation:
        """Convert an annotation to the time without pauses.

        Parameters
        ----------
        annotation
            Units in recording time.
        until
            Position up to which the annotator read, in recording time.
        """
        starts, ends = annotation.starts, annotation.starts + annotation.lengths
        k = np.searchsorted(self.starts, starts, side="right") - 1
        # Compute a length anew only if a pause lies within the unit; others must not be rounded.
        inside = (k >= 0) & (ends <= self.ends[k])
        lengths = np.where(inside, annotation.lengths, self.at(ends) - self.at(starts))
        # A unit that lies wholly in a pause keeps its length, up to that of the longest stretch.
        gone = (lengths <= 0) & (annotation.lengths > 0)
        longest = float((self.ends - self.starts).max())
        lengths = np.where(gone, np.minimum(annotation.lengths, longest), lengths)
        starts = self.at(starts)
        length = float(self.at(np.array([until]))[0])
        return replace(annotation, starts=starts, lengths=lengths, length=length)

    def positions(self, annotation: Annotation) -> Annotation:
        """Convert an annotation from the time without pauses to recording time.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        """
        ends = annotation.starts + annotation.lengths
        first, last = stretches_of(self.edges, annotation.starts, ends)
        starts = self.starts[first] + annotation.starts - self.edges[first]
        return replace(
            annotation,
            starts=starts,
            lengths=np.where(
                first == last,
                annotation.lengths,
                self.starts[last] + ends - self.edges[last] - starts,
            ),
            length=float(self.ends[-1]),
        )


@dataclass(frozen=True)
class Fitting:
    """Habits of one annotator with units that would cross a pause.

    Attributes
    ----------
    edges
        Edges of the stretches in the time without pauses.
    stays
        Probability that such a unit stays across the pause.
    ends, begins
        Probabilities that it moves to the edge of the pause, so as to end there or to begin there.
    whole
        Whether places are whole numbers.
    """

    edges: Floats
    stays: float
    ends: float
    begins: float
    whole: bool

    @classmethod
    def of(cls, annotation: Annotation, edges: Floats, *, whole: bool) -> Fitting:
        """Estimate the habits of an annotator.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        edges, whole
            As the attributes.
        """
        starts = annotation.starts
        lengths = annotation.lengths
        first, last = stretches_of(edges, starts, starts + lengths)
        sizes = np.diff(edges)
        # Units that are longer than any stretch must cross a pause, so they show no habit.
        free = (lengths > 0) & (lengths <= sizes.max() * (1 + ROUNDING))
        # A unit of length l that starts anywhere in the time T without pauses crosses the pause
        # after a stretch of length s with probability min(l, s) / T.
        crossing_starts = float(np.minimum(lengths[free, None], sizes[None, :-1]).sum())
        if crossing_starts <= 0:
            return cls(edges, 1.0, 0.0, 0.0, whole)
        expected = crossing_starts / float(edges[-1])
        touched = np.array([_touched(edges, side) for side in (starts, starts + lengths)])
        stays = min(1.0, float((free & (last > first)).sum()) / expected)
        # On a grid, units often touch pauses by chance, so this shows no habit either.
        begins, ends = touched.sum(axis=1) / expected * (not whole)
        # Together the three probabilities are at most 1.
        scale = (1.0 - stays) / max(1.0 - stays, begins + ends, 1e-12)
        return cls(edges, stays, float(ends * scale), float(begins * scale), whole)

    def fit(self, annotation: Annotation, rng: np.random.Generator) -> Annotation:
        """Move units of a turned annotation that lie across pauses, according to the habits.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        rng
            Decides which units stay, and where the others go.
        """
        starts = annotation.starts
        lengths = annotation.lengths
        first, last = stretches_of(self.edges, starts, starts + lengths)
        crossing = np.flatnonzero((last > first) & (lengths > 0))
        if not len(crossing):
            return annotation
        moved = starts.copy()
        for row in crossing[np.argsort(starts[crossing], kind="stable")].tolist():
            point = rng.random()
            if point < self.stays:
                continue
            length = float(lengths[row])
            places = self._sides(float(starts[row]), length, int(first[row]), int(last[row]))
            if point >= self.stays + self.ends + self.begins or not places:
                room = find_room(
                    self.edges,
                    np.delete(moved, row),
                    np.delete(lengths, row),
                    length,
                    rng,
                    whole=self.whole,
                )
                if room is not None:
                    places = [room]
            moved[row] = places[0] if places else starts[row]
        return replace(annotation, starts=moved)

    def _sides(self, start: float, length: float, first: int, last: int) -> list[float]:
        """Return starts with which a unit fits before the pause or after it, the better one first.

        The better side is the one where more of the unit lies, weighted by how often units of the
        annotator end or begin at pauses.
        """
        sizes = np.diff(self.edges) * (1 + ROUNDING)
        end = float(self.edges[first + 1])
        begin = float(self.edges[last])
        if length <= sizes[first]:
            early = [end - length]
        else:
            early = []
        if length <= sizes[last]:
            late = [begin]
        else:
            late = []
        if self.ends * (end - start) < self.begins * (start + length - begin):
            return late + early
        return early + late


@dataclass(frozen=True)
class Dividing:
    """Habits of an annotator whose units meet at most pauses, as those of annotators who tile do.

    Units that meet at a pause are joined before they are turned. Units that then lie across a pause
    are divided.

    Attributes
    ----------
    edges
        Edges of the stretches in the time without pauses.
    joined
        Units in the time without pauses, after those that meet at a pause were joined. A joined
        unit has the category of the longer part.
    others
        Categories of the shorter parts.
    """

    edges: Floats
    joined: Annotation
    others: Codes

    @classmethod
    def of(cls, annotation: Annotation, edges: Floats) -> Dividing | None:
        """Join the units of an annotator; return None if units do not meet at most pauses.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        edges
            As the attribute.
        """
        ends = annotation.starts + annotation.lengths
        met = _touched(edges, annotation.starts) & _touched(edges, ends)
        if not annotation.is_plain or not len(met) or 2 * met.sum() < len(met):
            return None
        allowance = ROUNDING * float(edges[-1])
        codes = annotation.category_codes.copy()
        outside = np.ones(len(ends), np.bool_)
        starts = annotation.starts
        others = list[int]()
        for pause in edges[1:-1][met].tolist():
            before = np.flatnonzero(
                outside & (np.abs(ends - pause) <= allowance) & (starts < pause)
            )
            after = np.flatnonzero(outside & (np.abs(starts - pause) <= allowance) & (ends > pause))
            if not (len(before) and len(after)):
                continue
            one = int(before[0])
            other = int(after[0])
            if pause - starts[one] >= ends[other] - pause:
                longer = one
            else:
                longer = other
            others.append(int(codes[one + other - longer]))
            codes[one] = codes[longer]
            ends[one] = ends[other]
            outside[other] = False
        joined = replace(annotation, lengths=ends - starts, category_codes=codes)
        return cls(edges, joined.take(np.flatnonzero(outside)), np.array(others, np.int32))

    def fit(self, annotation: Annotation, rng: np.random.Generator) -> Annotation:
        """Divide the units of a turned annotation at pauses.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        rng
            Deals out the categories of the shorter parts.
        """
        low = annotation.starts
        high = annotation.starts + annotation.lengths
        codes = annotation.category_codes
        others = rng.permutation(self.others).tolist()
        allowance = ROUNDING * float(self.edges[-1])
        for pause in self.edges[1:-1].tolist():
            across = np.flatnonzero((low < pause - allowance) & (high > pause + allowance))
            parts = codes[across].copy()
            early = pause - low[across] < high[across] - pause
            codes = codes.copy()
            for k, row in enumerate(across.tolist()):
                if others:
                    other = others.pop()
                else:
                    other = int(parts[k])
                if early[k]:
                    codes[row] = other
                else:
                    parts[k] = other
            low = np.concatenate([low, np.full(len(across), pause)])
            high = np.concatenate([high, high[across]])
            high[across] = pause
            codes = np.concatenate([codes, parts])
        return replace(annotation, starts=low, lengths=high - low, category_codes=codes)


def _touched(edges: Floats, places: Floats) -> Bools:
    """Return for each pause whether one of these places lies at it."""
    apart = np.abs(edges[1:-1, None] - places[None, :]).min(axis=1, initial=np.inf)
    return np.asarray(apart <= ROUNDING * float(edges[-1]), np.bool_)


Habit: TypeAlias = Fitting | Dividing | Refilling


@dataclass(frozen=True)
class Pauses:
    """Map from turned annotations back to the recording.

    Attributes
    ----------
    time
        The time without pauses.
    habits
        Habits of each annotator, in canonical order.
    """

    time: MarkableTime
    habits: tuple[Habit, ...]

    @classmethod
    def of(
        cls,
        annotations: Sequence[Annotation],
        time: MarkableTime,
        *,
        whole: bool,
        estimated: bool = False,
    ) -> Pauses:
        """Find the habits of annotators.

        Parameters
        ----------
        annotations
            Units in the time without pauses.
        time
            The time without pauses.
        whole
            Whether places are whole numbers.
        estimated
            Whether stretches begin and end with units of the annotators because nobody declared
            any, so that units at edges are no habit.
        """
        habits: list[Habit] = []
        for annotation in annotations:
            # Pauses after the place where the annotator stopped reading do not count.
            inner = time.edges[1:-1]
            inner = inner[inner < annotation.length]
            edges = np.concatenate([[0.0], inner, [annotation.length]])
            habit: Habit | None = None
            if not estimated:
                habit = Refilling.of(annotation, edges, whole=whole)
            if habit is None:
                habit = Dividing.of(annotation, edges)
            habits.append(habit or Fitting.of(annotation, edges, whole=whole))
        return cls(time, tuple(habits))

    def turned(self, annotations: Sequence[Annotation]) -> tuple[Annotation, ...]:
        """Return the annotations to be turned.

        Units that meet at pauses may be joined, and those at edges of pauses left out.
        """
        return tuple(
            annotation if isinstance(habit, Fitting) else habit.joined
            for habit, annotation in zip(self.habits, annotations, strict=True)
        )

    def have_own_ends(self) -> list[bool]:
        """Return for each annotator whether the ends of the recording count as a pause."""
        return [not isinstance(habit, Fitting | Dividing) for habit in self.habits]

    def fit(self, annotations: Sequence[Annotation], rng: np.random.Generator) -> list[Annotation]:
        """Adapt turned annotations to the annotators' habits at pauses."""
        return [habit.fit(part, rng) for habit, part in zip(self.habits, annotations, strict=True)]
