"""Hierarchical segmentations (chapters, sections, paragraphs) and their comparison by T-measures.

A hierarchy orders a triple of base units (q, i, j) if q shares a segment with i at a deeper level
than with j: for example, q and i are in the same section, but q and j only in the same chapter. The
T-measures are the shares of triples ordered by one hierarchy that the other orders alike.

References
----------
McFee, Nieto & Bello 2015. Hierarchical evaluation of segment boundary detection. ISMIR.
"""

import math
from collections.abc import Sequence
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats, Indices
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.measures.value import Segmentation


class Ordered(NamedTuple):
    """Shares of triples that two hierarchies order alike.

    Recall is the share of the reference's triples that the hypothesis orders alike, precision is
    the converse share, and f is their harmonic mean. All are NaN if a hierarchy orders no triple.
    """

    precision: float
    recall: float
    f: float


def nest_levels(segmentation: Segmentation, levels: Sequence[str]) -> tuple[Segmentation, ...]:
    """Return one segmentation per level from boundary types that are levels, coarsest first.

    A boundary of a level is also one of all finer levels: the end of a chapter ends a section.

    Parameters
    ----------
    segmentation
        Segmentation with a boundary type per level.
    levels
        Boundary types, coarsest first.

    Raises
    ------
    DataError
        A level is not a boundary type of the segmentation.

    >>> s = Segmentation.from_typed({"chapter": [6], "section": [2]}, mass=9)
    >>> [level.masses for level in nest_levels(s, ["chapter", "section"])]
    [(6, 3), (2, 4, 3)]
    """
    positions_by_level = accumulate((segmentation.of_type(name) for name in levels), np.union1d)
    return tuple(Segmentation.from_positions(p, mass=segmentation.mass) for p in positions_by_level)


def t_measures(
    reference: Sequence[Segmentation],
    hypothesis: Sequence[Segmentation],
    *,
    transitive: bool = False,
    window: int | None = None,
) -> Ordered:
    """Compute the T-measures of two hierarchies (McFee, Nieto & Bello 2015, eq. 3 to 6).

    Parameters
    ----------
    reference, hypothesis
        Levels of one item, coarsest first; their numbers may differ.
    transitive
        Whether to count triples whose levels differ by more than one ("full" T-measures). Without
        them ("reduced", the default) the boundaries of the coarsest level do not outweigh all
        others.
    window
        Number of base units before and after q within which i and j are compared; by default the
        whole item. With a window the cost grows with the mass, otherwise only with the boundaries.

    Raises
    ------
    DataError
        A hierarchy has no level, or levels belong to different items.
    UsageError
        The window is not a whole number ≥ 1.

    >>> one = nest_levels(Segmentation.from_typed({"a": [4], "b": [2]}, mass=6), ["a", "b"])
    >>> two = nest_levels(Segmentation.from_typed({"a": [4], "b": [5]}, mass=6), ["a", "b"])
    >>> t_measures(one, two)  # of 6 triples of each of the first four units, 2 are not ordered
    Ordered(precision=1.0, recall=0.6666666666666666, f=0.8)
    """
    if window is None:
        window = None
    else:
        window = whole("window", window, 1)
    (one, other), lengths = _split_into_blocks(reference, hypothesis)
    return _agreement_in_order(_meet(one), _meet(other), lengths, transitive, window)


def _split_into_blocks(
    reference: Sequence[Segmentation],
    hypothesis: Sequence[Segmentation],
) -> tuple[list[list[Indices]], Indices]:
    """Split the item into blocks without inner boundaries.

    Return the segment number of each block, by side and level, and the lengths of the blocks.
    """
    if not (reference and hypothesis):
        raise DataError("a hierarchy has no level")
    levels = [*reference, *hypothesis]
    mass = levels[0].mass
    if any(level.mass != mass for level in levels):
        masses = ", ".join(str(m) for m in sorted({level.mass for level in levels}))
        raise DataError(f"levels of masses {masses} belong to different items")
    edges = np.unique(np.concatenate([[0, mass], *(level.places for level in levels)]))
    starts = edges[:-1].astype(np.int64)
    sides = [
        [np.searchsorted(level.places, starts, side="right") for level in side]
        for side in (reference, hypothesis)
    ]
    return sides, np.diff(edges).astype(np.int64)


def _meet(levels: Sequence[Indices]) -> Indices:
    """Return the deepest level, from 1, at which two blocks share a segment; 0 for none."""
    met = np.zeros((len(levels[0]),) * 2, np.int64)
    for depth, codes in enumerate(levels, 1):
        met[codes[:, None] == codes[None, :]] = depth
    return met


def _agreement_in_order(
    reference: Indices, hypothesis: Indices, lengths: Indices, transitive: bool, window: int | None
) -> Ordered:
    recall = _alike(reference, hypothesis, lengths, transitive, window)
    precision = _alike(hypothesis, reference, lengths, transitive, window)
    both = precision + recall
    if math.isnan(both):  # drop both, so that means of precision and recall cover the same pairs
        return Ordered(math.nan, math.nan, math.nan)
    return Ordered(precision, recall, 0.0 if both == 0 else 2 * precision * recall / both)


def _alike(
    first: Indices, second: Indices, lengths: Indices, transitive: bool, window: int | None
) -> float:
    """Return the share of triples ordered by `first` that `second` orders alike, as a mean."""
    depths = int(first.max()) + 1, int(second.max()) + 1
    ends = np.cumsum(lengths)
    total = 0.0
    weight = 0
    for block, length in enumerate(lengths.tolist()):
        joint = first[block] * depths[1] + second[block]
        own_bin = int(joint[block])
        # Without a window all units of a block have the same result.
        queries = [None] if window is None else range(int(ends[block]) - length, int(ends[block]))
        for q in queries:
            unit_counts = lengths
            if q is not None and window is not None:
                inside = np.clip(np.concatenate(([0], ends)), q - window, q + window)
                unit_counts = np.diff(inside)  # units of each block in the window
            counts = np.bincount(joint, unit_counts, math.prod(depths)).astype(np.float64)
            counts[own_bin] -= 1  # q itself
            share = _share(counts.reshape(depths), transitive)
            if share is not None:
                times = length if q is None else 1
                total = total + times * share
                weight = weight + times
    if weight:
        return total / weight
    return math.nan


def _share(counts: Floats, transitive: bool) -> float | None:
    """Return the share of pairs (i, j) ordered by one hierarchy that the other orders alike.

    `counts[a, b]` is the number of units that share a segment with q down to depth a in the first
    hierarchy and depth b in the second.
    """
    depths = range(len(counts))
    shallow_deep = combinations(depths, 2) if transitive else pairwise(depths)
    alike = pairs = 0.0
    for shallow, deep in shallow_deep:
        below = np.concatenate(([0.0], np.cumsum(counts[shallow])[:-1]))
        alike += float(counts[deep] @ below)
        pairs += float(counts[deep].sum() * counts[shallow].sum())
    if pairs:
        return alike / pairs
    return None


def check_levels(types: Sequence[str], levels: Sequence[str]) -> None:
    """Raise a UsageError unless `levels` are at least two different boundary `types`."""
    unknown = [name for name in levels if name not in types]
    if unknown:
        raise UsageError(
            f"level {unknown[0]!r} is not a boundary type; types are: {', '.join(types)}"
        )
    if len(set(levels)) < max(2, len(levels)):
        raise UsageError("give at least two levels, each once, the coarsest first")
