"""Chance model `cut`: each annotator's units turned on a circle, which is cut between units.

A random annotation set holds the annotation of every real annotator. Each is laid on a circle and
cut open at a random place, as in `shift` (Mathet, Widlöcher & Métivier 2015, §5.2.1). The model
differs from `shift` in three points, each needed for γ of independent annotators to be 0:

- every annotator takes part exactly once, so that unlike annotators meet as they do in the data;
- a cut falls where as few as possible of the annotator's own units run, so that units are not torn
  and do not reach over the end of the circle;
- if nobody declared bounds, so that they are those of the units, the circle is made longer on each
  side. The added length is the expected distance from the beginning of the text to the first of all
  units: 1/Σ(1/g) for annotators with mean gaps g, a third of the gap for three who are alike.

Annotators whose units follow a rhythm have completed ends instead (`gammacp.chance.completed`).
Those who did not read to the end have a circle of their own (`Continuum.read_until`). Where all
boundaries lie on a known grid, annotations are turned by whole grid places (`gammacp.chance.grid`).
What the model assumes, with the proof of what it gives, is in docs/chance.md.

Places closer than `ROUNDING` count as one, so that units that touch in milliseconds also touch in
seconds, and the random sets are the same.

No two cuts are closer on the circle than ℓ̄, the mean length of all units, so that a unit does not
meet itself. (At most, this distance is L/2n, for n annotators and a circle of length L.) They are
drawn directly, one annotator after the other in random order, uniformly from what the earlier ones
leave; where they leave nothing, from all of the annotator's places.

A cut may fall where at most k of the annotator's units run, k being the least number for which
such places make up a quarter of the circle. A place between two units weighs at least a third of
the annotator's mean length, so that annotators whose units touch are cut where these meet.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import (
    ROUNDING,
    Annotation,
    annotation_of,
    annotation_set,
    annotation_sets,
    least_distance,
)
from gammacp.chance.completed import CompletedAnnotation, completion, margin
from gammacp.chance.grid import Places, known_grids, open_places, places_of
from gammacp.chance.refusals import single_continuum
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import canonical_order

if TYPE_CHECKING:
    from gammacp.chance.pauses.markable_time import MarkableTime, Pauses

# Least share of the circle that must be open to cuts, and least weight of a place between two
# units, in mean lengths. As a third is more than a quarter, annotators without overlaps are always
# cut between their units, however densely these stand.
_OPEN_SHARE = 1 / 4
_LEAST_WEIGHT = 1 / 3


@dataclass(frozen=True)
class Cuts:
    """Intervals of the circle in which an annotation may be cut, the circumference being 1.

    Attributes
    ----------
    starts, ends
        Starts and ends of the intervals, ascending and disjoint; an interval may be a point.
    edges
        Cumulated weights, one more than intervals: interval i weighs `edges[i + 1] − edges[i]`.
    """

    starts: Floats
    ends: Floats
    edges: Floats

    @cached_property
    def _lists(self) -> tuple[list[float], list[float], list[float]]:
        """Starts, ends and edges as lists, which are faster than arrays for a few look-ups."""
        return self.starts.tolist(), self.ends.tolist(), self.edges.tolist()

    @property
    def weight(self) -> float:
        """Return the weight of all intervals together."""
        return self._lists[2][-1]

    def at(self, weight: float) -> float:
        """Return the place up to which the intervals have this cumulated weight."""
        starts, ends, edges = self._lists
        i = min(max(bisect_right(edges, weight) - 1, 0), len(starts) - 1)
        share = (weight - edges[i]) / (edges[i + 1] - edges[i])
        return starts[i] + share * (ends[i] - starts[i])

    def weight_before(self, place: float, side: float) -> float:
        """Return the weight up to a place, including a point there where `side` is above 0."""
        starts, ends, edges = self._lists
        i = bisect_left(starts, place + side) - 1
        if i < 0:
            return 0.0
        weight = edges[i + 1] - edges[i]
        if starts[i] < ends[i] and place < ends[i]:
            weight *= max((place - starts[i]) / (ends[i] - starts[i]), 0.0)
        return edges[i] + weight

    def draw(self, places: Sequence[float], distance: float, rng: np.random.Generator) -> float:
        """Draw a place at least `distance` from those taken; anywhere if there is no such place.

        Each place that is taken closes an interval around it. Measured in cumulated weights, the
        rest is a list of open stretches. A number is drawn uniformly from their total length, and
        mapped back to a place.
        """
        if not len(places):
            return self.at(rng.random() * self.weight)
        apart = max(distance, 2 * ROUNDING)
        before = self.weight_before
        first = self._lists[0][0]
        last = self._lists[1][-1]
        everything = before(last, ROUNDING)
        closed = list[tuple[float, float]]()
        for place in places:
            # The interval may reach over the end of the circle, so its copies one lap before and
            # later count, too. Mostly they lie outside and close nothing.
            for lap in (-1, 0, 1):
                low = place - apart + lap
                high = place + apart + lap
                if high <= first:
                    closed.append((0.0, 0.0))
                elif low >= last:
                    closed.append((everything, everything))
                else:
                    closed.append((before(low, ROUNDING), before(high, -ROUNDING)))
        begins = list[float]()
        ends = list[float]()
        reach = 0.0
        for low, high in sorted(closed):
            if low > reach or not ends:
                begins.append(reach)
                ends.append(low)
            reach = max(reach, high)
        begins.append(reach)
        ends.append(self.weight)
        room = [max(end - begin, 0.0) for begin, end in zip(begins, ends, strict=True)]
        ahead = [*accumulate(room)]
        # numpy adds eight or more numbers in another order, and draws must keep their last bits.
        if len(room) < 8:
            total = ahead[-1]
        else:
            total = float(np.sum(room))
        if total <= 1e-9 * self.weight:
            return self.at(rng.random() * self.weight)
        point = rng.random() * total
        i = min(bisect_right(ahead, point), len(room) - 1)
        return self.at(begins[i] + point - (ahead[i] - room[i]))


def places_to_cut(annotation: Annotation) -> Cuts:
    """Return the places where fewest of an annotation's units run, at least 1/4 of the circle.

    For units 0–4 and 6–8 on a circle of 10, these are the gaps 4–6 and 8–10, as fractions .4–.6 and
    .8–1.
    """
    if annotation.length == 0 or not len(annotation.starts):
        return Cuts(np.zeros(1), np.ones(1), np.array([0.0, 1.0]))
    starts = annotation.starts / annotation.length
    ends = (annotation.starts + annotation.lengths) / annotation.length
    knots, depth = _depths(starts, ends)
    least = _LEAST_WEIGHT * float((ends - starts).mean())
    cuts = Cuts(np.zeros(1), np.ones(1), np.array([0.0, 1.0]))
    for allowed in np.unique(depth):
        cuts = _where(knots, depth <= allowed, least)
        if cuts.weight >= _OPEN_SHARE - ROUNDING:
            break
    return cuts


def _depths(starts: Floats, ends: Floats) -> tuple[Floats, Indices]:
    """Return the boundaries on the circle, each twice, and how many units cover each stretch.

    The stretch between the two copies of a boundary is the boundary itself, a single point. It is
    covered by the units that run through it; where two units touch, neither of them does.
    """
    places = np.concatenate([[0.0, 1.0], starts, ends])
    order = np.argsort(places, kind="stable")
    new = np.diff(places[order], prepend=-1.0) > ROUNDING
    rank = np.empty(len(places), np.int64)
    rank[order] = np.cumsum(new) - 1
    knots = places[order][new]
    knots[-1] = 1.0
    opens = rank[2 : 2 + len(starts)]
    closes = rank[2 + len(starts) :]
    real = opens < closes
    opened = np.bincount(opens[real], minlength=len(knots))
    running = np.cumsum(opened - np.bincount(closes[real], minlength=len(knots)))
    return np.repeat(knots, 2), np.stack([running - opened, running], axis=1).ravel()[:-1]


def _where(knots: Floats, allowed: NDArray[np.bool_], least: float) -> Cuts:
    """Join neighbouring allowed stretches into intervals, with their weights."""
    padded = np.concatenate([[False], allowed, [False]])
    starts = knots[np.flatnonzero(padded[1:] & ~padded[:-1])]
    ends = knots[np.flatnonzero(padded[:-1] & ~padded[1:])]
    # The circle's ends are one place, which must not count twice.
    if len(starts) > 1 and starts[0] == 0.0 and ends[-1] == 1.0:
        if ends[0] == 0.0:
            starts = starts[1:]
            ends = ends[1:]
        elif starts[-1] == 1.0:
            starts = starts[:-1]
            ends = ends[:-1]
    weights = np.maximum(ends - starts, least)
    return Cuts(starts, ends, np.concatenate([[0.0], np.cumsum(weights)]))


@dataclass(frozen=True)
class CutSampler:
    """Sampler of sets that hold all annotators, each cut at its own place; see the module."""

    annotations: tuple[tuple[Annotation, Cuts] | CompletedAnnotation, ...]
    """For each annotator, the units and the places to cut; with a rhythm, the completed ends."""
    categories: tuple[str, ...]
    names: tuple[str, ...]
    circle: float
    distance: float
    """Least distance of two cuts, as a fraction of the circle."""
    grid: Places | None
    """The grid on which all boundaries lie, if there is one."""
    signature: str
    pauses: Pauses | None = None
    """Maps turned annotations back into the time outside pauses, if there are pauses."""

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        cuts = self._places(rng)
        turned = [
            part[0].shift(-cut) if isinstance(part, tuple) else part.draw(rng)
            for part, cut in zip(self.annotations, cuts, strict=True)
        ]
        if self.pauses is not None:
            turned = self.pauses.fit(turned, rng)
        return annotation_set(self._positions(turned), self.categories, self.names)

    def draw_each(self, rngs: Sequence[np.random.Generator]) -> Sequence[Continuum]:
        """Return one set per generator; all are turned at once if all units are of one piece.

        Parameters
        ----------
        rngs
            Generators, each for one set.
        """
        plain = [
            part[0] for part in self.annotations if isinstance(part, tuple) and part[0].is_plain
        ]
        if len(plain) < len(self.annotations) or self.pauses is not None:
            return [self.draw(rng) for rng in rngs]
        cuts = np.array([self._places(rng) for rng in rngs]).T[:, :, None]
        turned = [annotation.shift(-cut) for annotation, cut in zip(plain, cuts, strict=True)]
        return annotation_sets(self._positions(turned), len(rngs), self.categories, self.names)

    def _positions(self, turned: list[Annotation]) -> list[Annotation]:
        """Convert turned annotations to positions of the continuum."""
        if self.pauses is not None and self.grid is None:
            return [self.pauses.time.positions(part) for part in turned]
        if self.grid is None:
            return turned
        return [self.grid.positions(part) for part in turned]

    def _places(self, rng: np.random.Generator) -> list[float]:
        """Draw the place where each annotator is cut, as a fraction of the annotator's circle.

        It is 0 for an annotator with a rhythm.
        """
        places = [0.0] * len(self.annotations)
        earlier = list[float]()
        for i in rng.permutation(len(places)).tolist():
            part = self.annotations[i]
            if not isinstance(part, tuple):
                continue
            annotation, cuts = part
            # An annotator who did not read to the end has a smaller circle.
            if annotation.length:
                times = self.circle / annotation.length
            else:
                times = 1.0
            others = [place * times for place in earlier if place * times < 1]
            places[i] = cuts.draw(others, self.distance * times, rng)
            earlier.append(places[i] / times)
        return places


@registered(
    "cut",
    "every annotator once, turned on the circle and cut between its own units",
    "after Mathet, Widlöcher & Métivier 2015, §5.2.1",
    built_from_all=False,
    keeps_names=True,
    respects_read_until=True,
    avoids_pauses=True,
    may_refuse=False,
)
def prepare_cut(continua: Sequence[Continuum], n_annotators: int) -> CutSampler:
    """Prepare the sampler of one continuum.

    Raises
    ------
    DataError
        The number of annotators in a set is not that of the continuum.
    """
    continuum = single_continuum(continua, n_annotators, "cut")
    laid = circle_of(continuum)
    distance, note = least_distance(laid.mean_length, laid.length, n_annotators)
    annotations = laid.annotations
    pauses = None
    own_ends = [False] * len(annotations)
    if laid.time is not None:
        # Imported only here, because most continua have no pauses.
        from gammacp.chance.pauses.markable_time import ESTIMATED, Pauses

        pauses = Pauses.of(
            annotations,
            laid.time,
            whole=laid.grid is not None,
            estimated=bool(continuum.about.fact(ESTIMATED)),
        )
        annotations = pauses.turned(annotations)
        own_ends = pauses.have_own_ends()
        note += f"(markable={len(laid.time.starts)})"
    if laid.grid is not None:
        note += f"(grid={laid.grid.name})"
    prepared: list[tuple[Annotation, Cuts] | CompletedAnnotation] = []
    for annotation, has_own_ends in zip(annotations, own_ends, strict=True):
        completed = None
        if not has_own_ends:
            completed = completion(
                annotation, declared=laid.has_known_ends, whole=laid.grid is not None
            )
        if laid.grid is None:
            cuts = places_to_cut(annotation)
        else:
            cuts = _cuts_at(annotation)
        prepared.append(completed or (annotation, cuts))
    if some := sum(isinstance(completed, CompletedAnnotation) for completed in prepared):
        note += f"(completed={some})"
    return CutSampler(
        tuple(prepared),
        continuum.categories,
        laid.names,
        laid.length,
        distance,
        laid.grid,
        f"cut{note}",
        pauses,
    )


def _cuts_at(annotation: Annotation) -> Cuts:
    """Return the places of a grid where an annotation may be cut, all with the same weight."""
    size = max(1.0, annotation.length)
    places = open_places(annotation) / size
    return Cuts(places, places, np.arange(len(places) + 1.0))


@dataclass(frozen=True)
class Circle:
    """Annotations placed on the circle on which the chance model turns them.

    Attributes
    ----------
    annotations
        Annotations in canonical order; those who did not read to the end have a shorter circle.
    names
        Names of their annotators.
    has_known_ends
        Whether the text's ends are known; otherwise the circle reaches further than the units.
    grid
        The grid on which all boundaries lie, if there is one; positions then count its places.
    time
        The time without pauses in which they lie, if nothing can be marked in pauses.
    """

    annotations: tuple[Annotation, ...]
    names: tuple[str, ...]
    has_known_ends: bool
    grid: Places | None
    time: MarkableTime | None = None

    @property
    def length(self) -> float:
        """Length of the longest annotator's circle."""
        return max(a.length for a in self.annotations)

    @property
    def mean_length(self) -> float:
        """Mean length of all units; 0 without units."""
        lengths = np.concatenate([a.lengths for a in self.annotations])
        if len(lengths):
            return float(lengths.mean())
        return 0.0


def circle_of(continuum: Continuum) -> Circle:
    """Place the annotations of a continuum on their circle.

    Parameters
    ----------
    continuum
        The units of all annotators.
    """
    order = canonical_order(continuum)[0].tolist()
    annotations = tuple(annotation_of(continuum, code) for code in order)
    names = tuple(continuum.annotators[code] for code in order)
    if continuum.markable:
        return _without_pauses(continuum, annotations, names)
    filled = sum(a.lengths.sum() >= (1 - ROUNDING) * a.length for a in annotations)
    # If two annotators fill the same stretch, its ends must be those of the text.
    known_length = continuum.declared or filled > 1
    rhythms = [completion(a, declared=known_length) is not None for a in annotations]
    if known_length:
        around = 0.0
    else:
        around = margin(annotations, rhythms)
    low = continuum.bounds[0]
    until = dict(continuum.read_until)
    for grid in known_grids(continuum) if continuum.n_units else ():
        places = places_of(continuum, grid, around)
        if places is None:
            continue
        reading_ends = [until.get(name, np.inf) - low for name in names]
        rows = [places.counted(a, end) for a, end in zip(annotations, reading_ends, strict=True)]
        counted = tuple(a for a in rows if a is not None)
        if len(counted) == len(rows):
            return Circle(counted, names, known_length or not grid.step, places)
    # No margin is added where somebody stopped reading, as that place is known.
    circle = continuum.length + 2 * around
    lengths = [until[name] - low + around if name in until else circle for name in names]
    turned = [
        replace(a, starts=a.starts + around, length=length)
        for a, length in zip(annotations, lengths, strict=True)
    ]
    return Circle(tuple(turned), names, known_length, None)


def _without_pauses(
    continuum: Continuum, annotations: Sequence[Annotation], names: tuple[str, ...]
) -> Circle:
    """Return the circle of the time in which something can be marked; its ends are known."""
    # Imported here: most continua have no pauses.
    from gammacp.chance.pauses.markable_time import MarkableTime

    time = MarkableTime.of(continuum)
    until = [continuum.read(name) - continuum.bounds[0] for name in names]
    for grid in known_grids(continuum) if continuum.n_units else ():
        places = places_of(continuum, grid, 0.0)
        if places is None:
            continue
        places, counted_time = time.count(places)
        rows = [places.counted(a, end) for a, end in zip(annotations, until, strict=True)]
        counted = tuple(a for a in rows if a is not None)
        if len(counted) == len(rows):
            return Circle(counted, names, True, places, counted_time)
    laid = (time.laid(a, end) for a, end in zip(annotations, until, strict=True))
    return Circle(tuple(laid), names, True, None, time)
