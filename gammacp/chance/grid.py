"""Grids on which all boundaries lie; the chance model `cut` turns annotations by whole places.

Nobody ends a unit within a word. If random units did, they would never share a boundary, and the
words alone would look like agreement: F₁ of equal units would be significant in nearly every text,
and γ too high. Where all boundaries lie on a known grid, positions are therefore counted in its
places, annotations are turned by a whole number of places, and then mapped back to positions.

A grid is known if it was declared (`Continuum.grid`), if positions are tokens, or from a text: the
coarsest of paragraphs, lines, sentences, words, and words with punctuation on which all boundaries
lie. The finest would not do: annotators who mark whole sentences share the ends of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.continuum import Continuum
from gammacp.continuum.grid import Grid, grids_of_text

# Least number of places; with fewer, there are too few ways to turn an annotation.
_FEWEST = 10
# Least share of the places at which an annotation may be cut.
_OPEN_SHARE = 1 / 4


@dataclass(frozen=True)
class Places:
    """The places of a continuum's grid, counted from its lower bound.

    Attributes
    ----------
    name
        Name of the grid, such as `words`.
    starts, ends
        Start and end of each place, ascending.
    """

    name: str
    starts: Floats
    ends: Floats

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.starts)

    def counted(self, annotation: Annotation, until: float) -> Annotation | None:
        """Convert an annotation to places of the grid; return None if a boundary lies on no place.

        Parameters
        ----------
        annotation
            Units in positions, from the lower bound on.
        until
            Position up to which the annotator read.
        """
        allowance = ROUNDING * float(self.ends[-1] - self.starts[0])
        first = _nearest(self.starts, annotation.starts)
        last = _nearest(self.ends, annotation.starts + annotation.lengths)
        off = np.abs(self.starts[first] - annotation.starts) > allowance
        off |= np.abs(self.ends[last] - annotation.starts - annotation.lengths) > allowance
        if off.any() or (last < first).any() or annotation.breaks is not None:
            return None
        size = float(np.count_nonzero(self.ends <= until + allowance))
        lengths = (last - first + 1).astype(np.float64)
        return replace(annotation, starts=first.astype(np.float64), lengths=lengths, length=size)

    def positions(self, annotation: Annotation) -> Annotation:
        """Convert an annotation to positions; a unit beyond the last place continues at the first.

        Parameters
        ----------
        annotation
            Units in places of the grid.
        """
        first = np.rint(annotation.starts).astype(np.int64)
        last = np.rint(annotation.starts + annotation.lengths).astype(np.int64) - 1
        over = last >= len(self)
        last = last % len(self)
        starts = self.starts[first % len(self)]
        ends = self.ends[last]
        ends = ends + np.where(over, self.ends[-1] - self.starts[0], 0.0)
        length = float(self.ends[-1])
        return replace(annotation, starts=starts, lengths=ends - starts, length=length)


def _nearest(places: Floats, target: Floats) -> Indices:
    after = np.searchsorted(places, target).clip(1, max(1, len(places) - 1))
    before = (after - 1).clip(0)
    after = after.clip(0, len(places) - 1)
    closer = np.abs(places[before] - target) <= np.abs(places[after] - target)
    return np.where(closer, before, after)


def known_grids(continuum: Continuum) -> Iterable[Grid]:
    """Return the grids on which the boundaries of a continuum may lie, the coarsest first.

    Parameters
    ----------
    continuum
        A continuum with a declared grid, or with a text.
    """
    if continuum.grid is not None:
        return (continuum.grid,)
    if continuum.offset_unit == "tokens":
        return (Grid("tokens", 1.0),)
    if continuum.text is not None and continuum.offset_unit in ("", "characters"):
        return grids_of_text(continuum.text)
    return ()


def places_of(continuum: Continuum, grid: Grid, around: float) -> Places | None:
    """Return the places of a grid, from the continuum's start; None if there are too few.

    Parameters
    ----------
    continuum
        A continuum with units and bounds. If the bounds are not declared, a text or a list of
        places counts as a whole, and an even grid reaches further than the bounds on both sides.
    grid
        The grid on which boundaries may lie.
    around
        Distance that an even grid reaches further.
    """
    low, high = continuum.bounds
    if not continuum.declared:
        if grid.step:
            margin = around
        else:
            margin = np.inf
        low = low - margin
        high = high + margin
    starts, ends = grid.edges(low, high)
    if len(starts) < _FEWEST:
        return None
    return Places(grid.name, starts - continuum.bounds[0], ends - continuum.bounds[0])


def open_places(annotation: Annotation) -> Indices:
    """Return the places where an annotation may be cut, at least a quarter of all.

    These are the places that fewest units cover.

    Parameters
    ----------
    annotation
        Units in places of the grid.

    >>> units = Annotation(np.array([0.0, 6.0]), np.array([4.0, 2.0]), np.zeros(2, np.int32), 10.0)
    >>> open_places(units).tolist()
    [0, 4, 5, 6, 8, 9]
    """
    size = int(annotation.length)
    depth = np.zeros(size, np.int64)
    for start, length in zip(annotation.starts, annotation.lengths, strict=True):
        depth[int(start) + 1 : int(start + length)] += 1
    for allowed in np.unique(depth):
        places = np.flatnonzero(depth <= allowed)
        if len(places) >= _OPEN_SHARE * size:
            return places
    return np.arange(size)
