"""Random places without overlap, lengths kept: `non-overlapping` (Li, Rosé, Yuan & Zhou 2024).

Each annotator's units keep their lengths and categories; their places are drawn uniformly from all
arrangements in which none of the annotator's units overlap: a random order, and the free length
dealt uniformly to the gaps before, between and after them. Whole positions (tokens, characters)
stay whole: every arrangement on the grid is then equally likely. Annotators are independent of each
other, and each takes part once.

The model fits annotators whose gaps are exponential: for gaps in bursts, or units that overlap in
the data, its zero is not chance (docs/chance.md has the figures), and overlapping units of one
annotator are refused.

Disagreements that are sums over pairs of units of two annotators have their expectation in closed
form: `start_probabilities` gives where each unit may start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from gammacp.arrays import Floats, Indices
from gammacp.chance.annotation import Annotation, annotation_set, annotations_of
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.needs import Need, unmet_need


@dataclass(frozen=True)
class NonOverlappingSampler:
    """Sets of all annotators' units at random places; see the module."""

    annotations: tuple[Annotation, ...]
    categories: tuple[str, ...]
    whole: bool
    signature: str = "non-overlapping"

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        return annotation_set([self._placed(a, rng) for a in self.annotations], self.categories)

    def _placed(self, annotation: Annotation, rng: np.random.Generator) -> Annotation:
        order = rng.permutation(len(annotation.starts))
        lengths = annotation.lengths[order]
        free = annotation.length - float(lengths.sum())
        if self.whole:
            slots = rng.permutation(round(free) + len(lengths))[: len(lengths)]
            ahead = np.sort(slots).astype(np.float64) - np.arange(len(lengths))
        else:
            ahead = np.sort(rng.random(len(lengths))) * free
        starts = ahead + np.concatenate([[0.0], np.cumsum(lengths)])[: len(lengths)]
        codes = annotation.category_codes[order]
        return Annotation(starts, lengths, codes, annotation.length)


def start_probabilities(lengths: Indices, length: int) -> Floats:
    """P(unit i starts at s) over all arrangements on whole positions.

    Parameters
    ----------
    lengths
        Whole lengths of one annotator's units, shape (units,).
    length
        L of the continuum.

    Returns
    -------
    probabilities
        Shape (units, L + 1); each row sums to 1.

    Raises
    ------
    DataError
        The units do not fit.

    Two units of lengths 1 and 2 on L = 4: there are 2 · C(3, 2) = 6 arrangements, and the first
    starts at 0, 1, 2, 3 in 2, 1, 1, 2 of them.

    >>> start_probabilities(np.array([1, 2]), 4)[0]
    array([0.33333333, 0.16666667, 0.16666667, 0.33333333, 0.        ])
    """
    sizes = [int(x) for x in lengths]
    free = length - sum(sizes)
    if free < 0:
        raise DataError(f"units of {sum(sizes)} in all do not fit into {length}")
    k = len(sizes)
    total = factorial(k) * comb(free + k, k)
    found = np.zeros((k, length + 1))
    for i, size in enumerate(sizes):
        for (count, before), ways in _subsets(sizes[:i] + sizes[i + 1 :]).items():
            arranged = ways * factorial(count) * factorial(k - 1 - count)
            for gap in range(free + 1):
                behind = free - gap
                here = comb(gap + count, count) * comb(behind + k - 1 - count, k - 1 - count)
                found[i, before + gap] += arranged * here / total
        assert size >= 0
    return found


def _subsets(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """How many subsets there are of each size and total."""
    ways = {(0, 0): 1}
    for size in sizes:
        grown = dict(ways)
        for (count, total), number in ways.items():
            key = count + 1, total + size
            grown[key] = grown.get(key, 0) + number
        ways = grown
    return ways


@registered(
    "non-overlapping",
    "every annotator's units at random places, lengths kept, without overlap",
    "Li, Rosé, Yuan & Zhou 2024",
    pools=False,
)
def prepare_non_overlapping(
    continua: Sequence[Continuum], n_annotators: int
) -> NonOverlappingSampler:
    """The sampler of one continuum.

    Raises
    ------
    DataError
        Units of one annotator overlap, or another number of annotators is asked for.
    """
    (continuum,) = continua
    if n_annotators != continuum.n_annotators:
        raise DataError(
            f"chance model 'non-overlapping' takes every annotator once, and {n_annotators} are "
            f"asked for where there are {continuum.n_annotators}",
            hint="Use --chance shift",
        )
    reason = unmet_need(continuum, [Need.NO_OVERLAP])
    if reason is not None:
        raise DataError(
            f"chance model 'non-overlapping' cannot be used: {reason}", hint="Use --chance cut"
        )
    places = np.concatenate([continuum.starts, continuum.ends, np.array(continuum.bounds)])
    return NonOverlappingSampler(
        annotations_of(continuum), continuum.categories, bool((places == np.floor(places)).all())
    )
