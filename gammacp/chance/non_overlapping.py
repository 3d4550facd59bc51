"""Random places without overlap, lengths kept: `non-overlapping` (Li, Rosé, Yuan & Zhou 2024).

Each annotator's units keep their lengths and categories; their places are drawn uniformly from all
arrangements in which none of the annotator's units overlap: a random order, and the free length
dealt uniformly to the gaps before, between and after them. Whole positions (tokens, characters)
stay whole: every arrangement on the grid is then equally likely. Annotators are independent of each
other, and each takes part once.

Where a unit is depends on which others precede it. On whole positions the sum over all subsets of
them is a recursion over how many they are and how long together, so that the probability of every
start is known (`Placement`), and with it E[D] of measures that are sums over pairs of units of two
annotators: F₁ of equal units and P_o over positions are computed, not sampled. Every other measure,
and places that are real numbers, are sampled.

The model fits annotators whose gaps are exponential: for gaps in bursts, or units that overlap in
the data, its zero is not chance (docs/chance.md has the figures), and overlapping units of one
annotator are refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gammacp.arrays import Floats, Indices
from gammacp.chance.annotation import Annotation, annotation_set, annotations_of
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.needs import Need, unmet_need

# Steps of the recursion, some seconds; beyond it expectations are sampled.
_MOST_STEPS = 2e9


@dataclass(frozen=True)
class Placement:
    """Where the annotators' units are by chance, each annotator's independently of the others'.

    Attributes
    ----------
    annotations
        What the annotators did; positions run from 0 to `length`, all of them whole.
    starts
        For each annotator, by a unit's length, the probability of every start, shape (length + 1,).
    """

    annotations: tuple[Annotation, ...]
    starts: tuple[Mapping[int, Floats], ...]

    @property
    def length(self) -> int:
        """Number of positions."""
        return round(self.annotations[0].length)

    def covered(self, annotator: int, category: int) -> Floats:
        """The probability that a unit of that category covers a position, shape (length,).

        Parameters
        ----------
        annotator, category
            Their codes.
        """
        mine = self.annotations[annotator]
        found = np.zeros(self.length)
        for length in np.round(mine.lengths[mine.category_codes == category]).astype(int):
            begun = np.cumsum(self.starts[annotator][length])[: self.length]
            found += begun
            found[length:] -= begun[: self.length - length]
        return found


def start_probabilities(lengths: Indices, free: int) -> dict[int, Floats]:
    """The probability of every start of a unit in a random arrangement, by the unit's length.

    Of the n − 1 other units k precede it, each k from 0 to n − 1 being as likely. Any k of them
    are: W_k, the distribution of their summed length, follows unit by unit from
    W_k ← (1 − k/i)·W_k + (k/i)·(W_{k−1} moved by the i-th one's length). The free positions before
    the unit are beta-binomial(free; k + 1, n − k).

    Parameters
    ----------
    lengths
        Of all units of an annotator, whole, shape (n,).
    free
        How many positions are left over, ≥ 0.

    Worked value: lengths 1 and 2 on three positions; either comes first in half of the orders.

    >>> {n: p.tolist() for n, p in start_probabilities(np.array([1, 2]), 0).items()}
    {1: [0.5, 0.0, 0.5, 0.0], 2: [0.5, 0.5, 0.0, 0.0]}
    """
    from scipy.signal import fftconvolve
    from scipy.stats import betabinom

    n, size = len(lengths), int(lengths.sum()) + free + 1
    before = np.array([betabinom.pmf(np.arange(free + 1), free, k + 1, n - k) for k in range(n)])
    found = {}
    for own in np.unique(lengths).tolist():
        others = np.delete(lengths, np.flatnonzero(lengths == own)[0])
        summed = np.zeros((n, int(others.sum()) + 1))
        summed[0, 0] = 1.0
        for i, length in enumerate(others.tolist(), 1):
            share = np.arange(1, i + 1)[:, None] / i
            longer = summed[:i, : summed.shape[1] - length] * share
            summed[1 : i + 1] *= 1 - share
            summed[1 : i + 1, length:] += longer
        starts = fftconvolve(summed, before, axes=1).sum(axis=0) / n
        found[own] = np.zeros(size)
        found[own][: len(starts)] = np.maximum(starts, 0.0)
        # What a transform leaves of what cannot be.
        found[own][size - own :] = 0.0
    return found


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

    @cached_property
    def placement(self) -> Placement | None:
        """Where units are; None for real numbers, broken units, or far too many lengths."""
        parts = [np.round(a.lengths).astype(np.intp) for a in self.annotations]
        steps = sum(len(np.unique(p)) * len(p) ** 2 * float(p.sum()) for p in parts)
        broken = any(a.breaks is not None for a in self.annotations)
        if not self.whole or broken or steps > _MOST_STEPS:
            return None
        starts = tuple(
            start_probabilities(p, round(a.length - float(p.sum())))
            for p, a in zip(parts, self.annotations, strict=True)
        )
        return Placement(self.annotations, starts)

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
        breaks = None if annotation.breaks is None else annotation.breaks[order]
        codes = annotation.category_codes[order]
        return Annotation(starts, lengths, codes, annotation.length, breaks)


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
    return NonOverlappingSampler(annotations_of(continuum), continuum.categories, continuum.whole)
