"""Annotators who can mark nothing in pauses: `cut` then turns each in the time without them.

Annotators who share nothing but a recording with silences all mark what lies between these, and so
meet more often than units that are turned over the whole recording. Where the stretches in which
something can be marked are known (`Continuum.markable`), each annotation is laid on the time
without pauses, turned there, and mapped back, so that all stay out of the same pauses.

A turned unit may come to lie across a pause. It stays, stretched over the pause, with the
annotator's own probability: the units that cross pauses, over those that would if they lay
anywhere. With the probability that units touch pauses, counted likewise, it goes to the pause's
edge. Otherwise it goes where it fits, to a random place between the annotator's other units. An
annotator with a boundary between units at most pauses (who tiles each stretch) has units that meet
there joined before they are turned, and divided at pauses afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.chance.grid import Places
from gammacp.continuum import Continuum


@dataclass(frozen=True)
class MarkableTime:
    """Time without pauses, from the continuum's lower bound on.

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
        """Return places of the recording in the time without pauses.

        Parameters
        ----------
        places
            Places in recording time; one within a pause is where the pause is.
        """
        k = np.searchsorted(self.starts, places, side="right") - 1
        inside = np.minimum(places, self.ends[k]) - self.starts[k]
        return np.where(k < 0, 0.0, self.edges[k] + np.maximum(inside, 0.0))

    def count(self, places: Places) -> tuple[Places, MarkableTime]:
        """Return the places of a grid that lie in the stretches, and the time counted in them.

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
        """Return an annotation as it lies in the time without pauses.

        Parameters
        ----------
        annotation
            Units in recording time.
        until
            Position up to which the annotator read, in recording time.
        """
        starts, ends = annotation.starts, annotation.starts + annotation.lengths
        k = np.searchsorted(self.starts, starts, side="right") - 1
        # Lengths are only taken anew where a pause is within, so that no other one is rounded.
        inside = (k >= 0) & (ends <= self.ends[k])
        lengths = np.where(inside, annotation.lengths, self.at(ends) - self.at(starts))
        # A unit that lies in a pause could have been marked elsewhere: it is as long there.
        gone = (lengths <= 0) & (annotation.lengths > 0)
        longest = float((self.ends - self.starts).max())
        lengths = np.where(gone, np.minimum(annotation.lengths, longest), lengths)
        starts = self.at(starts)
        length = float(self.at(np.array([until]))[0])
        return replace(annotation, starts=starts, lengths=lengths, length=length)

    def positions(self, annotation: Annotation) -> Annotation:
        """Return an annotation as it lies in the recording.

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


def stretches_of(edges: Floats, starts: Floats, ends: Floats) -> tuple[Indices, Indices]:
    """Return in which stretches units begin and end.

    Parameters
    ----------
    edges
        Start of each stretch, and the end of the last one.
    starts, ends
        Starts and ends of the units, in the time without pauses; a point at an edge is in the later
        stretch.
    """
    allowance = ROUNDING * float(edges[-1])
    most = len(edges) - 2
    first = np.searchsorted(edges, starts + allowance, side="right") - 1
    last = np.searchsorted(edges, ends - allowance) - 1
    first = first.clip(0, most)
    return first, np.clip(last, first, most)


@dataclass(frozen=True)
class Fitting:
    """Units that would cross a pause, as one annotator has them.

    Attributes
    ----------
    edges
        Edges of the stretches in the time without pauses.
    stays
        Probability that such a unit stays across the pause.
    ends, begins
        Probability that it goes to the pause's edge, to end there or to begin there.
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
        """Return how an annotator does it.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        edges, whole
            The attributes of these names.
        """
        starts = annotation.starts
        lengths = annotation.lengths
        first, last = stretches_of(edges, starts, starts + lengths)
        sizes = np.diff(edges)
        # A unit that is longer than any stretch has no choice.
        free = (lengths > 0) & (lengths <= sizes.max() * (1 + ROUNDING))
        places = float(np.minimum(lengths[free, None], sizes[None, :-1]).sum())
        if places <= 0:
            return cls(edges, 1.0, 0.0, 0.0, whole)
        expected = places / float(edges[-1])
        touched = np.array([_touched(edges, side) for side in (starts, starts + lengths)])
        stays = min(1.0, float((free & (last > first)).sum()) / expected)
        # On a grid units touch pauses without any intention.
        begins, ends = touched.sum(axis=1) / expected * (not whole)
        scale = (1.0 - stays) / max(1.0 - stays, begins + ends, 1e-12)
        return cls(edges, stays, float(ends * scale), float(begins * scale), whole)

    def fit(self, annotation: Annotation, rng: np.random.Generator) -> Annotation:
        """Return a turned annotation with its units across pauses as its annotator has them.

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
                room = self._room(np.delete(moved, row), np.delete(lengths, row), length, rng)
                if room is not None:
                    places = [room]
            moved[row] = places[0] if places else starts[row]
        return replace(annotation, starts=moved)

    def _sides(self, start: float, length: float, first: int, last: int) -> list[float]:
        """Return the starts of a unit that ends at a pause or begins after one, the better first.

        That is where more of the unit lies, and where the annotator's units touch pauses.
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

    def _room(
        self, starts: Floats, lengths: Floats, length: float, rng: np.random.Generator
    ) -> float | None:
        """Return a random place between other units of the annotator; None without any room.

        Parameters
        ----------
        starts, lengths
            Starts and lengths of the other units.
        length
            Length of the unit that looks for a place.
        """
        blocked = np.concatenate([self.edges, starts])
        order = np.argsort(blocked, kind="stable")
        ends = np.concatenate([self.edges, starts + lengths])[order]
        low = np.maximum.accumulate(ends)[:-1]
        high = blocked[order][1:]
        room = high - low - length
        allowance = ROUNDING * float(self.edges[-1])
        fits = np.flatnonzero(room >= -allowance)
        if not len(fits):
            return None
        # Every place weighs the same; a gap that is just filled is one of no width.
        weight = np.maximum(room[fits], 0.0) + (1.0 if self.whole else allowance)
        k = int(rng.choice(len(fits), p=weight / weight.sum()))
        point = rng.random() * weight[k]
        return float(low[fits[k]]) + (float(np.floor(point)) if self.whole else point)


@dataclass(frozen=True)
class Dividing:
    """An annotator who mostly has a boundary between two units at a pause, as of units that tile.

    Units that meet at a pause are one before they are turned, and units that then lie across a
    pause are two.

    Attributes
    ----------
    edges
        Edges of the stretches in the time without pauses.
    joined
        Units in the time without pauses, those that meet at a pause as one, with the category of
        the longer one.
    others
        Categories of the shorter ones.
    """

    edges: Floats
    joined: Annotation
    others: Codes

    @classmethod
    def of(cls, annotation: Annotation, edges: Floats) -> Dividing | None:
        """Return how an annotator does it; None for one who does not.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        edges
            The attribute of this name.
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
        """Return a turned annotation with its units divided at pauses.

        Parameters
        ----------
        annotation
            Units in the time without pauses.
        rng
            Deals out the categories of those that were joined.
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
    """Return which pauses have one of these places at them."""
    apart = np.abs(edges[1:-1, None] - places[None, :]).min(axis=1, initial=np.inf)
    return np.asarray(apart <= ROUNDING * float(edges[-1]), np.bool_)


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
    habits: tuple[Fitting | Dividing, ...]

    @classmethod
    def of(cls, annotations: Sequence[Annotation], time: MarkableTime, *, whole: bool) -> Pauses:
        """Return them for annotations that lie in the time without pauses."""
        habits: list[Fitting | Dividing] = []
        for annotation in annotations:
            # Who stopped reading has no pauses after that.
            inner = time.edges[1:-1]
            inner = inner[inner < annotation.length]
            edges = np.concatenate([[0.0], inner, [annotation.length]])
            dividing = Dividing.of(annotation, edges)
            habits.append(dividing or Fitting.of(annotation, edges, whole=whole))
        return cls(time, tuple(habits))

    def turned(self, annotations: Sequence[Annotation]) -> tuple[Annotation, ...]:
        """Return annotations as they are turned: units that meet at pauses may be one."""
        return tuple(
            own.joined if isinstance(own, Dividing) else annotation
            for own, annotation in zip(self.habits, annotations, strict=True)
        )

    def fit(self, made: Sequence[Annotation], rng: np.random.Generator) -> list[Annotation]:
        """Return turned annotations that cross no more pauses than annotators do."""
        return [own.fit(part, rng) for own, part in zip(self.habits, made, strict=True)]
