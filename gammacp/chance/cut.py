"""Each annotator once, turned on the circle and cut between its own units: `cut`.

A random annotation set holds the annotation of every real annotator, each cut at a random place of
a circle and the parts permuted, as in `shift` (Mathet, Widlöcher & Métivier 2015, §5.2.1). Three
things are other than there, each because independent annotators would not come out at 0 without it:

- every annotator takes part exactly once, so that unlike annotators meet as they do in the data;
- a cut falls where fewest of the annotator's own units run, so that no unit is torn or hangs over
  the end of the circle;
- where the bounds are those of the units (nobody declared them), the circle is longer than they
  on each side by what lies before the first of all annotators' first units: 1/Σ(1/g) for
  annotators with mean gaps g, a third of the gap for three who are alike.

Annotators with a rhythm have completed ends instead (`gammacp.chance.completed`), those who did not
read to the end a circle of their own (`Continuum.read_until`), and where all boundaries lie on a
known grid, annotations are turned by whole places of it (`gammacp.chance.grid`). What the model
assumes, with the proof of what it gives, is in docs/chance.md.

Places that only rounding tells apart are one (`ROUNDING`): units that touch in milliseconds touch
in seconds, and the sets are the same.

No two cuts are closer on the circle than ℓ̄, the mean length of all units (at most L/2n), so that
a unit does not meet itself. They are drawn directly, one annotator after the other in random
order, uniformly from what the earlier ones leave; where they leave nothing, from all of the
annotator's places.

Where may be cut: the places where at most k of the annotator's units run, k being the least
for which they make up a quarter of the circle. A place between two units weighs at least a third of
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
    annotation_set,
    annotation_sets,
    annotations_of,
    least_distance,
)
from gammacp.chance.canonical import canonical_order
from gammacp.chance.completed import CompletedAnnotation, completion, margin
from gammacp.chance.grid import Places, known_grids, open_places, places_of
from gammacp.chance.refusals import everybody
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum

if TYPE_CHECKING:
    from gammacp.chance.pauses import MarkableTime, Pauses

# Share of the circle that must be open to cuts, and what a place between two units weighs at
# least, in mean lengths. A third is more than the first asks for: annotators without overlaps are
# cut between their units, however densely these stand.
_OPEN_SHARE = 1 / 4
_LEAST_WEIGHT = 1 / 3


@dataclass(frozen=True)
class Cuts:
    """Intervals of the circle in which an annotation may be cut, the circumference being 1.

    Attributes
    ----------
    starts, ends
        Of the intervals, ascending and disjoint; an interval may be a point.
    edges
        Cumulated weights, one more than intervals: interval i weighs `edges[i + 1] − edges[i]`.
    """

    starts: Floats
    ends: Floats
    edges: Floats

    @cached_property
    def _lists(self) -> tuple[list[float], list[float], list[float]]:
        """Starts, ends and edges as lists: a draw reads a few places, where arrays are slow."""
        return self.starts.tolist(), self.ends.tolist(), self.edges.tolist()

    @property
    def weight(self) -> float:
        """Return the weight of all intervals together."""
        return self._lists[2][-1]

    def at(self, weight: float) -> float:
        """The place up to which the intervals weigh this much."""
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

    def draw(self, taken: Sequence[float], distance: float, rng: np.random.Generator) -> float:
        """A random place, not closer than `distance` to those taken where there is one."""
        if not len(taken):
            return self.at(rng.random() * self.weight)
        apart = max(distance, 2 * ROUNDING)
        before = self.weight_before
        first = self._lists[0][0]
        last = self._lists[1][-1]
        everything = before(last, ROUNDING)
        closed = list[tuple[float, float]]()
        for place in taken:
            # One lap before and one lap later mostly nothing of it is on the circle.
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
        # Of eight and more the rounding is that of numpy, which adds them in another order.
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
    """Return where fewest of an annotation's units run, at least a quarter of the circle.

    Units 0–4 and 6–8 on a circle of 10: the gaps 4–6 and 8–10, as fractions .4–.6 and .8–1.
    """
    if annotation.length == 0 or not len(annotation.starts):
        return Cuts(np.zeros(1), np.ones(1), np.array([0.0, 1.0]))
    starts = annotation.starts / annotation.length
    ends = (annotation.starts + annotation.lengths) / annotation.length
    knots, depth = _depths(starts, ends)
    least = _LEAST_WEIGHT * float((ends - starts).mean())
    found = Cuts(np.zeros(1), np.ones(1), np.array([0.0, 1.0]))
    for allowed in np.unique(depth):
        found = _where(knots, depth <= allowed, least)
        if found.weight >= _OPEN_SHARE - ROUNDING:
            break
    return found


def _depths(starts: Floats, ends: Floats) -> tuple[Floats, Indices]:
    """Knots of the circle cut open at 0, each twice, and how many units run between two of them.

    Between a knot and itself that is what runs through the place: where units touch, neither does.
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
    """The maximal runs of allowed stretches, with their weights."""
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
    """Sets of all annotators' annotations, each cut at a place of its own; see the module."""

    turning: tuple[tuple[Annotation, Cuts] | CompletedAnnotation, ...]
    """Each annotator's units with where they may be cut; of a rhythm with completed ends."""
    categories: tuple[str, ...]
    names: tuple[str, ...]
    circle: float
    distance: float
    """Least distance of two cuts, as a fraction of the circle."""
    grid: Places | None
    """What positions are counted in, where all boundaries lie on a grid."""
    signature: str
    pauses: Pauses | None = None
    """What maps turned annotations back, where nothing can be marked in pauses."""

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        cuts = self._places(rng)
        made = [
            own[0].shift(-cut) if isinstance(own, tuple) else own.draw(rng)
            for own, cut in zip(self.turning, cuts, strict=True)
        ]
        if self.pauses is not None:
            made = self.pauses.fit(made, rng)
        return annotation_set(self._positions(made), self.categories, self.names)

    def draw_each(self, rngs: Sequence[np.random.Generator]) -> Sequence[Continuum]:
        """Return one draw per generator, turned together where units are of one piece.

        Parameters
        ----------
        rngs
            Each is used for one set.
        """
        plain = [own[0] for own in self.turning if isinstance(own, tuple) and own[0].is_plain]
        if len(plain) < len(self.turning) or self.pauses is not None:
            return [self.draw(rng) for rng in rngs]
        cuts = np.array([self._places(rng) for rng in rngs]).T[:, :, None]
        made = [annotation.shift(-cut) for annotation, cut in zip(plain, cuts, strict=True)]
        return annotation_sets(self._positions(made), len(rngs), self.categories, self.names)

    def _positions(self, made: list[Annotation]) -> list[Annotation]:
        """Return turned annotations in positions."""
        if self.pauses is not None and self.grid is None:
            return [self.pauses.time.positions(part) for part in made]
        if self.grid is None:
            return made
        return [self.grid.positions(part) for part in made]

    def _places(self, rng: np.random.Generator) -> list[float]:
        """Draw where each annotator is cut, as a fraction of the circle; 0 for a rhythm."""
        found = [0.0] * len(self.turning)
        taken = list[float]()
        for i in rng.permutation(len(found)).tolist():
            own = self.turning[i]
            if not isinstance(own, tuple):
                continue
            annotation, cuts = own
            # Who did not read to the end has a circle of its own.
            if annotation.length:
                times = self.circle / annotation.length
            else:
                times = 1.0
            others = [place * times for place in taken if place * times < 1]
            found[i] = cuts.draw(others, self.distance * times, rng)
            taken.append(found[i] / times)
        return found


@registered(
    "cut",
    "every annotator once, turned on the circle and cut between its own units",
    "after Mathet, Widlöcher & Métivier 2015, §5.2.1",
    pools=False,
    named=True,
    reads=True,
    avoids_pauses=True,
    demands=False,
)
def prepare_cut(continua: Sequence[Continuum], n_annotators: int) -> CutSampler:
    """The sampler of one continuum.

    Raises
    ------
    DataError
        A set of another number of annotators than the continuum has.
    """
    continuum = everybody(continua, n_annotators, "cut")
    laid = circle_of(continuum)
    circle = max(a.length for a in laid.annotations)
    lengths = np.concatenate([a.lengths for a in laid.annotations])
    if len(lengths):
        mean_length = float(lengths.mean())
    else:
        mean_length = 0.0
    distance, note = least_distance(mean_length, circle, n_annotators)
    annotations = laid.annotations
    pauses = None
    if laid.time is not None:
        # Imported here: most continua have no pauses.
        from gammacp.chance.pauses import Pauses

        pauses = Pauses.of(annotations, laid.time, whole=laid.grid is not None)
        annotations = pauses.turned(annotations)
        note += f"(markable={len(laid.time.starts)})"
    if laid.grid is not None:
        note += f"(grid={laid.grid.name})"
    turning: list[tuple[Annotation, Cuts] | CompletedAnnotation] = []
    for annotation in annotations:
        own = completion(annotation, declared=laid.known, whole=laid.grid is not None)
        if laid.grid is None:
            cuts = places_to_cut(annotation)
        else:
            cuts = _cuts_at(annotation)
        turning.append(own or (annotation, cuts))
    if some := sum(isinstance(own, CompletedAnnotation) for own in turning):
        note += f"(completed={some})"
    return CutSampler(
        tuple(turning),
        continuum.categories,
        tuple(continuum.annotators[int(k)] for k in canonical_order(continuum)[0]),
        circle,
        distance,
        laid.grid,
        f"cut{note}",
        pauses,
    )


def _cuts_at(annotation: Annotation) -> Cuts:
    """The open places of a grid, all of one weight."""
    size = max(1.0, annotation.length)
    found = open_places(annotation) / size
    return Cuts(found, found, np.arange(len(found) + 1.0))


@dataclass(frozen=True)
class Circle:
    """Annotations on the circle that chance turns them on.

    Attributes
    ----------
    annotations
        In canonical order; those who did not read to the end have a shorter circle.
    known
        Whether the text's ends are known; otherwise the circle reaches further than the units.
    grid
        What positions are counted in, where all boundaries lie on a grid.
    time
        The time without pauses that they lie in, where nothing can be marked in pauses.
    """

    annotations: tuple[Annotation, ...]
    known: bool
    grid: Places | None
    time: MarkableTime | None = None


def circle_of(continuum: Continuum) -> Circle:
    """The annotations of a continuum as they are turned.

    Parameters
    ----------
    continuum
        The units of all annotators.
    """
    annotations = annotations_of(continuum)
    if continuum.markable:
        return _without_pauses(continuum, annotations)
    filled = sum(a.lengths.sum() >= (1 - ROUNDING) * a.length for a in annotations)
    # Two who fill the same stretch without overlaps found its ends, not one of their own.
    known = continuum.declared or filled > 1
    rhythms = [completion(a, declared=known) is not None for a in annotations]
    if known:
        around = 0.0
    else:
        around = margin(annotations, rhythms)
    names = [continuum.annotators[int(k)] for k in canonical_order(continuum)[0]]
    low = continuum.bounds[0]
    until = dict(continuum.read_until)
    for grid in known_grids(continuum) if continuum.n_units else ():
        places = places_of(continuum, grid, around)
        if places is None:
            continue
        read = [until.get(name, np.inf) - low for name in names]
        rows = [places.counted(a, end) for a, end in zip(annotations, read, strict=True)]
        counted = tuple(a for a in rows if a is not None)
        if len(counted) == len(rows):
            return Circle(counted, known or not grid.step, places)
    # Nothing is added where somebody stopped: that place is known.
    circle = continuum.length + 2 * around
    lengths = [until[name] - low + around if name in until else circle for name in names]
    turned = [
        replace(a, starts=a.starts + around, length=length)
        for a, length in zip(annotations, lengths, strict=True)
    ]
    return Circle(tuple(turned), known, None)


def _without_pauses(continuum: Continuum, annotations: Sequence[Annotation]) -> Circle:
    """Return the circle of the time in which something can be marked; its ends are known."""
    # Imported here: most continua have no pauses.
    from gammacp.chance.pauses import MarkableTime

    time = MarkableTime.of(continuum)
    names = [continuum.annotators[int(k)] for k in canonical_order(continuum)[0]]
    until = [continuum.read(name) - continuum.bounds[0] for name in names]
    for grid in known_grids(continuum) if continuum.n_units else ():
        places = places_of(continuum, grid, 0.0)
        if places is None:
            continue
        places, counted_time = time.count(places)
        rows = [places.counted(a, end) for a, end in zip(annotations, until, strict=True)]
        counted = tuple(a for a in rows if a is not None)
        if len(counted) == len(rows):
            return Circle(counted, True, places, counted_time)
    laid = (time.laid(a, end) for a, end in zip(annotations, until, strict=True))
    return Circle(tuple(laid), True, None, time)
