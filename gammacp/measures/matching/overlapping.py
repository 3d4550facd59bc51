"""Overlaps of two annotators' units: the edges that one-to-one matchings choose from."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gammacp.base.arrays import Floats, Indices, places_within
from gammacp.continuum import Continuum


@dataclass(frozen=True)
class Overlaps:
    """Overlapping units of annotators `first` < `second` (codes), each pair once.

    `left` and `right` are rows of the continuum, `lengths` the length that two units share, and
    `spans` the length that they cover together; shape (pairs,). Two units overlap if they share a
    positive length. Units of length zero only overlap with others of length zero at the same
    position.
    """

    first: int
    second: int
    left: Indices
    right: Indices
    lengths: Floats
    spans: Floats


def overlaps(continuum: Continuum) -> Iterator[Overlaps]:
    """Return the overlapping units of every pair of annotators.

    If two units overlap, the one that starts later starts within the other. So two binary searches
    per unit find all overlaps, in time proportional to the number of units and overlaps.
    """
    for i, j in combinations(range(continuum.n_annotators), 2):
        left, right = _later_starts(continuum, i, j, strictly=False)
        right_first, left_later = _later_starts(continuum, j, i, strictly=True)
        left = np.concatenate((left, left_later))
        right = np.concatenate((right, right_first))
        s = continuum.starts
        e = continuum.ends
        shared = np.minimum(e[left], e[right]) - np.maximum(s[left], s[right])
        spans = np.maximum(e[left], e[right]) - np.minimum(s[left], s[right])
        is_overlap = (shared > 0) | (spans == 0)
        order = np.lexsort((right[is_overlap], left[is_overlap]))
        yield Overlaps(i, j, *(x[is_overlap][order] for x in (left, right, shared, spans)))


def _later_starts(c: Continuum, i: int, j: int, *, strictly: bool) -> tuple[Indices, Indices]:
    """Return rows of units g of annotator i and h of annotator j such that h starts within g.

    If g has no length, h must start at the same position.
    """
    rows = np.arange(c.offsets[i], c.offsets[i + 1])
    others = c.starts[c.offsets[j] : c.offsets[j + 1]]
    low = np.searchsorted(others, c.starts[rows], side="right" if strictly else "left")
    high = np.searchsorted(others, c.ends[rows], side="left")
    if not strictly:
        points = c.starts[rows] == c.ends[rows]
        high = np.where(points, np.searchsorted(others, c.starts[rows], side="right"), high)
    count = np.maximum(high - low, 0)
    g = np.repeat(rows, count)
    return g, np.repeat(low, count) + places_within(count) + c.offsets[j]
