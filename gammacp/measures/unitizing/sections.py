"""Sections and intersections: what the interval-based measures count instead of atoms.

Every annotator's continuum is tiled into *sections*: units, and the maximal gaps between them
(Krippendorff 2013, §12.6; Krippendorff, Mathet, Bouvry & Widlöcher 2016). All measures of this
package that a paper defines over positions are sums over the intersections of sections of two
annotators, so their cost depends on the number of units and not on the length of the continuum.

Zero-length units contain no position: they are no section and intersect nothing.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gammacp.base.arguments import number
from gammacp.base.arrays import Codes, Floats, Indices, places_within
from gammacp.base.text import UNLABELLED
from gammacp.continuum import Continuum
from gammacp.errors import UsageError

GAP = "φ"
NO_LENGTH = "the continuum has no length, so there is no position"
# Number of pairs of intersecting sections held in memory at a time: 2²¹ pairs take some 50 MB.
_BLOCK = 2**21


@dataclass(frozen=True)
class Sections:
    """Sections of all annotators, sorted by start and end.

    Attributes
    ----------
    starts, ends
        float64, shape (sections,); every section has a positive length.
    annotators, labels
        Codes, shape (sections,); a label is a row of `names`.
    names
        The continuum's categories, then "(unlabelled)" if a unit has no category, then "φ" (gap)
        if gaps are sections.
    n_annotators
        m, annotators without any unit included.
    """

    starts: Floats
    ends: Floats
    annotators: Codes
    labels: Codes
    names: tuple[str, ...]
    n_annotators: int

    @property
    def lengths(self) -> Floats:
        """ℓ of each section."""
        return self.ends - self.starts

    def label_lengths(self) -> Floats:
        """Σℓ per annotator and label, shape (annotators, labels)."""
        k = len(self.names)
        cell = self.annotators.astype(np.int64) * k + self.labels
        total: Floats = np.zeros(self.n_annotators * k)
        np.add.at(total, cell, self.lengths)
        return total.reshape(self.n_annotators, k)


@dataclass(frozen=True)
class Intersections:
    """Pairs of sections of different annotators, each pair once; shape (pairs,).

    `first` and `second` are rows of the sections, `lengths` how much they share.
    """

    first: Indices
    second: Indices
    lengths: Floats


def units_of(continuum: Continuum) -> Sections:
    """Return the units alone, which may overlap."""
    return _sort(continuum, _names(continuum), _marked_units(continuum))


def sections_of(continuum: Continuum) -> Sections:
    """Return units and gaps, which tile the bounds for each annotator.

    Units of one annotator must not overlap.
    """
    lo, hi = continuum.bounds
    names = (*_names(continuum), GAP)
    units = starts, ends, annotators, _ = _marked_units(continuum)
    # A gap before every unit and one after the last of each annotator; empty ones are dropped.
    everybody = np.arange(continuum.n_annotators, dtype=np.int32)
    first_row = np.searchsorted(annotators, everybody)
    gap_starts = np.insert(ends, first_row, lo)
    gap_ends = np.insert(starts, np.searchsorted(annotators, everybody, side="right"), hi)
    gap_annotators = np.sort(np.concatenate((annotators, everybody)), kind="stable")
    label = np.full(len(gap_starts), len(names) - 1, np.int32)
    rows = gap_starts < gap_ends
    gaps = [column[rows] for column in (gap_starts, gap_ends, gap_annotators, label)]
    return _sort(continuum, names, map(np.concatenate, zip(units, gaps, strict=True)))


def intersections(sections: Sections) -> Iterator[Intersections]:
    """Yield all intersections of positive length between different annotators, block by block.

    Sections are sorted by start. Section g then meets exactly those later sections that start
    before g ends. Time and memory are proportional to the number of pairs; a block holds some two
    million.
    """
    starts = sections.starts
    ends = sections.ends
    n = len(starts)
    after = np.arange(1, n + 1)
    counts = np.searchsorted(starts, ends, side="left") - after
    reached = np.cumsum(counts)
    cuts = np.searchsorted(reached, np.arange(_BLOCK, reached[-1] if n else 0, _BLOCK)) + 1
    edges = np.unique(np.concatenate(([0], cuts, [n])))
    for lo, hi in pairwise(edges):
        count = counts[lo:hi]
        first = np.repeat(np.arange(lo, hi), count)
        second = first + 1 + places_within(count)
        is_other_annotator = sections.annotators[first] != sections.annotators[second]
        first = first[is_other_annotator]
        second = second[is_other_annotator]
        shared = np.minimum(ends[first], ends[second]) - starts[second]
        yield Intersections(first, second, shared)


def atom_of(continuum: Continuum, atom: float | None) -> float:
    """Return the length of one position: as given, or 1 for whole numbers and 0 otherwise.

    See `gammacp.measures.unitizing.krippendorff` for what the limit means.
    """
    if atom is not None:
        if isinstance(atom, float) and not 0 <= atom < math.inf:
            raise UsageError(f"atom {atom:g} is not a length: 0 (the limit) or more is needed")
        return number("atom", atom, 0.0)
    if continuum.whole:
        return 1.0
    return 0.0


def _marked_units(c: Continuum) -> tuple[Any, ...]:
    """Return starts, ends, annotators and labels (last: unlabelled) of units that have a length."""
    rows = c.lengths > 0
    labels = np.where(c.category_codes < 0, np.int32(len(c.categories)), c.category_codes)
    return c.starts[rows], c.ends[rows], c.annotator_codes[rows], labels[rows]


def _sort(continuum: Continuum, names: tuple[str, ...], columns: Iterable[Any]) -> Sections:
    starts, ends, annotators, labels = columns
    order = np.lexsort((annotators, ends, starts))
    sorted_columns = starts[order], ends[order], annotators[order], labels[order]
    return Sections(*sorted_columns, names, continuum.n_annotators)


def _names(continuum: Continuum) -> tuple[str, ...]:
    unlabelled = bool((continuum.category_codes < 0).any())
    if unlabelled:
        return (*continuum.categories, UNLABELLED)
    return continuum.categories
