"""Annotators whose boundaries lie on a grid: `cut` then turns by whole places.

Nobody ends a unit within a word. Random units that do never share a boundary with others, so that
words alone would make agreement: F₁ of equal units would be significant in nearly every text, and γ
too high. Where all boundaries lie on a grid that is known, positions are counted in its places,
annotations are turned by a whole number of these, and go back to positions afterwards.

A known grid is the one that was given (`Continuum.grid`), tokens, or of a text the coarsest that
all boundaries lie on: paragraphs, lines, sentences, words, or words and marks. The finest alone
would not do: who marks whole sentences meets others at the ends of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.continuum import Continuum
from gammacp.continuum.grid import Grid, grids_of_text

# Fewer places leave nothing to turn.
_FEWEST = 10
# Share of the places at which is cut, at least.
_OPEN_SHARE = 1 / 4


@dataclass(frozen=True)
class Places:
    """The places of a continuum's grid, counted from its lower bound.

    Attributes
    ----------
    name
        What a place is.
    starts, ends
        Of each, ascending.
    """

    name: str
    starts: Floats
    ends: Floats

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.starts)

    def counted(self, annotation: Annotation, until: float) -> Annotation | None:
        """The annotation in places; None where a boundary lies on none of them.

        Parameters
        ----------
        annotation
            In positions, from the lower bound on.
        until
            How far its annotator read.
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
        """Back in positions; what reaches over the last place goes on as at the first.

        Parameters
        ----------
        annotation
            In places.
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


def _nearest(places: Floats, wanted: Floats) -> Indices:
    after = np.searchsorted(places, wanted).clip(1, max(1, len(places) - 1))
    before = (after - 1).clip(0)
    after = after.clip(0, len(places) - 1)
    closer = np.abs(places[before] - wanted) <= np.abs(places[after] - wanted)
    return np.where(closer, before, after)


def known_grids(continuum: Continuum) -> Iterable[Grid]:
    """The grids that the boundaries of a continuum may lie on, the coarsest first.

    Parameters
    ----------
    continuum
        With the grid that was given, or with its text.
    """
    if continuum.grid is not None:
        return (continuum.grid,)
    if continuum.offset_unit == "tokens":
        return (Grid("tokens", 1.0),)
    if continuum.text is not None and continuum.offset_unit in ("", "characters"):
        return grids_of_text(continuum.text)
    return ()


def places_of(continuum: Continuum, grid: Grid, around: float) -> Places | None:
    """The places of a grid, from where the continuum begins; None where they are too few.

    Parameters
    ----------
    continuum
        Where nobody declared bounds, a text or a list of places has all it has, and an even grid
        reaches further on both sides.
    grid
        What its boundaries may lie on.
    around
        By how much it does.
    """
    low, high = continuum.bounds
    if not continuum.declared:
        if grid.step:
            more = around
        else:
            more = np.inf
        low = low - more
        high = high + more
    starts, ends = grid.edges(low, high)
    if len(starts) < _FEWEST:
        return None
    return Places(grid.name, starts - continuum.bounds[0], ends - continuum.bounds[0])


def open_places(annotation: Annotation) -> Indices:
    """Return where an annotation in places may be cut: the quarter or more that fewest units cover.

    Parameters
    ----------
    annotation
        In places.

    >>> units = Annotation(np.array([0.0, 6.0]), np.array([4.0, 2.0]), np.zeros(2, np.int32), 10.0)
    >>> open_places(units).tolist()
    [0, 4, 5, 6, 8, 9]
    """
    size = int(annotation.length)
    depth = np.zeros(size, np.int64)
    for start, length in zip(annotation.starts, annotation.lengths, strict=True):
        depth[int(start) + 1 : int(start + length)] += 1
    for allowed in np.unique(depth):
        found = np.flatnonzero(depth <= allowed)
        if len(found) >= _OPEN_SHARE * size:
            return found
    return np.arange(size)
