"""Turning of an annotator with a rhythm by `cut`: the ends of the text are completed first.

On a circle, the stretch after the last unit is joined to the stretch before the first. If units
come at random, this makes one more gap like the others. If they follow a rhythm, it does not. For
units that tile the text, or begin at even distances, the text's ends cut off parts of units or of
distances, and two such parts together do not make a whole one. Independent annotators who tile
would have a γ of +.05 instead of 0, and others with a common rhythm one of −.06.

So the part at each end is replaced by a whole, as if the text were cut from a stationary process: a
part belongs to a whole that is at least as long, and all of the annotator's wholes that are long
enough are equally likely. The random annotation is then a window as long as the text. It lies
anywhere on the completed circle where it holds as many units as the annotator made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.continuum.links import links_over_joint

# Least number of units from which a rhythm can be recognised.
_FEWEST = 8
# A rhythm: distances from start to start vary by less than this share of their mean, or at least
# half of the units touch the next one.
_EVEN = 1 / 4


@dataclass(frozen=True)
class CompletedAnnotation:
    """An annotation whose ends can be completed: units from 0 to 1, ascending, without overlaps.

    Attributes
    ----------
    annotation
        The annotation, unchanged.
    starts, ends
        Starts and ends of its units, as fractions of the length.
    torn
        Whether the bounds of the text cut its first and its last unit.
    whole
        Whether positions are places of a grid.
    """

    annotation: Annotation
    starts: Floats
    ends: Floats
    torn: bool
    whole: bool

    def draw(self, rng: np.random.Generator) -> Annotation:
        """Draw a window of the completed circle that holds as many units as the annotation."""
        starts, ends, which, circle = self._around(rng)
        starts = np.append(starts, starts + circle)
        ends = np.append(ends, ends + circle)
        offset = self._offset(starts, ends, circle, rng)
        if offset is None:
            return self.annotation
        rows = np.flatnonzero(self._held(starts, ends, np.array([offset]))[0])
        low, high = np.clip([starts[rows] - offset, ends[rows] - offset], 0.0, 1.0)
        length = self.annotation.length
        ids = self.annotation.ids
        units = self.annotation.take(which[rows % len(which)])
        drawn = replace(units, starts=low * length, lengths=(high - low) * length)
        if ids is None:
            return drawn
        # Ids keep their cyclic order: the `behind` units after the joint of the circle get the
        # first ones. A unit added before the first one belongs to the end of the circle.
        behind = int((rows >= len(which) + (not self.torn)).sum())
        links = links_over_joint(drawn.links, ids.tolist(), behind)
        return replace(drawn, ids=np.roll(ids, -behind), links=links)

    def _held(self, starts: Floats, ends: Floats, offsets: Floats) -> Bools:
        """Return which units each window holds, shape (offsets, units).

        With torn ends, a window holds a unit if it contains any part of it, otherwise only if it
        contains all of it.
        """
        at = offsets[:, None]
        if self.torn:
            return (ends > at + ROUNDING) & (starts < at + 1 - ROUNDING)
        return (starts >= at - ROUNDING) & (ends <= at + 1 + ROUNDING)

    def _offset(
        self, starts: Floats, ends: Floats, circle: float, rng: np.random.Generator
    ) -> float | None:
        """Draw the start of a window with the right number of units; None if there is none."""
        if self.whole:
            size = self.annotation.length
            offsets = np.arange(int(np.rint(circle * size))) / size
            fit = offsets[self._counts(starts, ends, offsets) == len(self.starts)]
            if len(fit):
                return float(rng.choice(fit))
            return None
        knots = np.unique(np.concatenate([[0.0, circle], starts, ends, starts - 1, ends - 1]))
        knots = knots[(knots >= 0) & (knots <= circle)]
        middle = (knots[1:] + knots[:-1]) / 2
        fits = self._counts(starts, ends, middle) == len(self.starts)
        room = np.cumsum(np.where(fits, np.diff(knots), 0.0))
        if room[-1] <= ROUNDING:
            return None
        point = rng.random() * room[-1]
        k = min(int(np.searchsorted(room, point, side="right")), len(room) - 1)
        return float(knots[k + 1] - (room[k] - point))

    def _counts(self, starts: Floats, ends: Floats, offsets: Floats) -> Indices:
        """Count the units that each window holds, given that units are sorted and disjoint."""
        if self.torn:
            gone = np.searchsorted(ends, offsets + ROUNDING, side="right")
            reached = np.searchsorted(starts, offsets + 1 - ROUNDING)
            return np.asarray(reached - gone, np.int64)
        gone = np.searchsorted(starts, offsets - ROUNDING)
        inside = np.searchsorted(ends, offsets + 1 + ROUNDING, side="right") - gone
        return np.asarray(np.maximum(inside, 0), np.int64)

    def _around(self, rng: np.random.Generator) -> tuple[Floats, Floats, Indices, float]:
        """Return a circle with completed ends: starts and ends, row of each unit, total length."""
        s = self.starts
        e = self.ends
        n = len(self.starts)
        gaps = s[1:] - e[:-1]
        lengths = e - s
        if self.torn:
            first, last = (
                _whole(part, lengths[1:-1], rng)[0] for part in (lengths[0], lengths[-1])
            )
            starts = s.copy()
            ends = e.copy()
            starts[0] = e[0] - first
            ends[-1] = s[-1] + last
            which = np.arange(n)
        else:
            # Add a unit that began before the text, and one that ends after it.
            before, i = _whole(s[0], np.diff(s), rng)
            after, j = _whole(1.0 - e[-1], np.diff(e), rng)
            starts = np.concatenate([[s[0] - before], s, [e[-1] + after - lengths[j + 1]]])
            ends = np.concatenate([[s[0] - before + lengths[i]], e, [e[-1] + after]])
            which = np.concatenate([[i], np.arange(n), [j + 1]])
        circle = float(ends[-1] - starts[0] + max(0.0, rng.choice(gaps)))
        return starts - starts[0], ends - starts[0], which, circle


def _whole(part: float, wholes: Floats, rng: np.random.Generator) -> tuple[float, int]:
    """Draw one of the wholes that are at least as long as a part; return its length and index.

    If no whole is long enough, return the length of the part and the index of the longest whole.
    """
    fit = np.flatnonzero(wholes >= part - ROUNDING)
    if len(fit):
        i = int(rng.choice(fit))
    else:
        i = int(np.argmax(wholes))
    return max(float(wholes[i]), part), i


def completion(
    annotation: Annotation, *, declared: bool, whole: bool = False
) -> CompletedAnnotation | None:
    """Return an annotation ready to be completed; None if its units overlap or have no rhythm.

    Boxes keep their extents on the other axes. Annotations with fragments or outlines are not
    completed.

    Parameters
    ----------
    annotation
        Units of one annotator.
    declared
        Whether the text's ends are known. Otherwise they are those of the first and the last unit.
    whole
        Whether positions are places of a grid.
    """
    breaks = annotation.breaks
    if len(annotation.starts) < _FEWEST or annotation.length == 0:
        return None
    if breaks is not None and any(getattr(b, "kind", "") != "box" for b in breaks):
        return None
    annotation = annotation.take(np.argsort(annotation.starts, kind="stable"))
    starts = annotation.starts / annotation.length
    ends = starts + annotation.lengths / annotation.length
    gaps = starts[1:] - ends[:-1]
    pitches = np.diff(starts)
    if (gaps < -ROUNDING).any() or pitches.min() <= ROUNDING:
        return None
    touching = 2 * np.count_nonzero(gaps <= ROUNDING) >= len(gaps)
    if not touching and pitches.std(ddof=1) >= _EVEN * pitches.mean():
        return None
    torn = declared and starts[0] <= ROUNDING and ends[-1] >= 1 - ROUNDING
    return CompletedAnnotation(annotation, starts, ends, torn, whole)


def margin(annotations: Sequence[Annotation], rhythms: Sequence[bool]) -> float:
    """Return the expected distance from the beginning of the text to the first of all units.

    For a stationary process it is ∫ Π P(the annotator's first unit is further away than x) dx, a
    product over annotators. For a rhythm this probability is the mean of (pitch − x)⁺ divided by
    the mean pitch, where a pitch is the distance between two starts. For other annotators it is
    exp(−x/gap); if there is no rhythm, the integral is 1/Σ(1/gap).

    Parameters
    ----------
    annotations
        Annotations of all annotators, where nobody declared bounds.
    rhythms
        True for annotations that have a rhythm.
    """
    marked = [(a, r) for a, r in zip(annotations, rhythms, strict=True) if len(a.starts)]
    gaps = [
        (a.length - float(a.lengths.sum())) / len(a.starts) for a, rhythm in marked if not rhythm
    ]
    if min(gaps, default=1.0) <= 0:
        return 0.0
    rate = sum(1 / gap for gap in gaps)
    pitches = [np.diff(np.sort(a.starts)) for a, rhythm in marked if rhythm]
    if not pitches:
        if rate:
            return 1 / rate
        return 0.0
    x = np.linspace(0, max(p.max() for p in pitches), 400)
    shares = np.exp(-rate * x)
    for p in pitches:
        shares = shares * np.maximum(0, p[:, None] - x).sum(axis=0) / p.sum()
    return float(np.trapezoid(shares, x))
