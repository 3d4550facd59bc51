"""α over trees (Skjærholt 2014, §2): 1 − D_o / D_e with squared distances.

D_o is the mean squared δ between annotations of the same sentence. D_e is its mean over all ordered
pairs of annotations of any sentences (an annotation is not paired with itself). There are three δ:
δ_plain is the tree edit distance (TED), δ_diff = TED − ||x| − |y||, and δ_norm = TED / (|x| + |y|),
where |x| is the size of a tree. Sentences with one annotation are left out.

One pass over the pairs of distinct trees gives D_e for all three δ and for any number of groups of
annotators. It also gives the contribution of each annotation to D_e, which the bootstrap needs.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.errors import DataError
from gammacp.inference.contributions import Contributions
from gammacp.pools.cores import available_cores
from gammacp.trees.measures.accuracy import SCORES, disagreements
from gammacp.trees.measures.annotations import MeaningGraph, Treebank
from gammacp.trees.measures.observations import Observations
from gammacp.trees.measures.ted import PackedTrees, pack

DELTAS = ("plain", "diff", "norm")
_ROWS = 64


def deltas(distances: Indices | Floats, x: Indices, y: Indices | Floats) -> Floats:
    """Return δ_plain, δ_diff and δ_norm, stacked along a new first axis.

    Parameters
    ----------
    distances
        Tree edit distances.
    x, y
        Sizes |x| and |y| of the trees, of the same shape.
    """
    ted = np.asarray(distances, np.float64)
    return np.stack([ted, ted - np.abs(x - y), ted / (x + y)])


def squared_deltas(packed: PackedTrees, x: Indices, y: Indices) -> Floats:
    """Return the squares of the three δ between packed trees: shape (3, pairs).

    Parameters
    ----------
    packed
        The trees.
    x, y
        Numbers of the first and of the second tree of each pair.
    """
    ted = packed.distances(x, y).astype(np.int64)
    squares: Floats = deltas(ted, packed.sizes[x], packed.sizes[y]) ** 2
    return squares


class TreeObservations(Observations):
    """The annotations of a treebank's shared sentences as trees."""

    @classmethod
    def of(cls, treebank: Treebank) -> Self:
        """Return the annotations of all sentences that have at least two.

        Parameters
        ----------
        treebank
            Annotated sentences; those with one annotation are left out.

        Raises
        ------
        DataError
            No sentence has two annotations, or the annotations are graphs.
        """
        if treebank.of_graphs:
            raise DataError("these are graphs, not trees", hint="gammacp syntax compares graphs.")
        return super().of(treebank)

    @cached_property
    def packed(self) -> PackedTrees:
        """Return the trees of all annotations, packed."""
        return pack([s.tree for s in self.sentences if not isinstance(s, MeaningGraph)])

    @cached_property
    def pair_squares(self) -> Floats:
        """Return the squared δ of all pairs of annotations of a sentence: shape (3, pairs)."""
        codes = self.packed.codes
        return squared_deltas(self.packed, codes[self.first], codes[self.second])

    @cached_property
    def pair_errors(self) -> Floats:
        """Return 1 − accuracies of the same pairs: shape (scores, pairs).

        The values are NaN where token counts differ.
        """
        errors = disagreements(self.sentences, self.first, self.second)
        alike = self.tokens[self.first] == self.tokens[self.second]
        return np.where(alike, errors, np.nan)

    def compare(self, x: Indices, y: Indices) -> Floats:
        """Return squared δ and 1 − accuracies of pairs of annotations: shape (3 + scores, pairs).

        Parameters
        ----------
        x, y
            Numbers of the first and of the second annotation of each pair.
        """
        codes = self.packed.codes
        squares = squared_deltas(self.packed, codes[x], codes[y])
        return np.concatenate([squares, disagreements(self.sentences, x, y)])

    def item_disagreement(self, chosen: Bools) -> Floats:
        """Return each sentence's term in D_o, Σ_{c≠c′} δ² / (|X_i| − 1): shape (3, items).

        Parameters
        ----------
        chosen
            True for annotations that take part, shape (annotations,).
        """
        return self.means_of_pairs(self.pair_squares, chosen) * self.counts(chosen)

    def wrong_tokens(self, chosen: Bools) -> dict[str, Contributions]:
        """Count the wrong tokens and all tokens of each compared sentence, by kind of accuracy.

        Sentences whose annotations have different token counts are left out. The accuracy over the
        others is `Contributions.gamma` (eq. 3) of the result; NaN if none is left.

        Parameters
        ----------
        chosen
            True for annotations that take part, shape (annotations,).
        """
        errors = self.means_of_pairs(self.pair_errors, chosen)
        compared = self.compared(chosen)
        lengths = np.zeros(self.n_items)
        lengths[self.item[chosen]] = self.tokens[chosen]
        lengths = lengths[compared]
        return {
            name: Contributions(lengths * wrong[compared], lengths, "sentences")
            for name, wrong in zip(SCORES[self.treebank.kind], errors, strict=True)
        }

    def compared(self, chosen: Bools) -> Bools:
        """Return which sentences have chosen annotations that all have the same token count."""
        errors = self.means_of_pairs(self.pair_errors[:1], chosen)[0]
        compared: Bools = (self.counts(chosen) > 0) & ~np.isnan(errors)
        return compared


def observed_disagreement(observations: TreeObservations, chosen: Bools) -> Floats:
    """Return D_o of the three δ: the mean squared δ between annotations of the same sentence.

    Parameters
    ----------
    observations
        Trees to compare.
    chosen
        True for annotations that take part, shape (annotations,).
    """
    total: Floats = observations.item_disagreement(chosen).sum(axis=1)
    n = np.count_nonzero(chosen)
    if n:
        return total / n
    return np.full(3, np.nan)


@dataclass(frozen=True)
class ExpectedDisagreement:
    """D_e over pairs of all annotations, for groups of annotators.

    Attributes
    ----------
    mean, error
        D_e and its standard error (0 where all pairs are compared): shape (groups, 3).
    rows
        Mean squared δ between each annotation and the others of the first group, shape
        (3, annotations).
    """

    mean: Floats
    error: Floats
    rows: Floats


def expected_disagreement(
    observations: TreeObservations, groups: Bools, *, workers: int | None = None
) -> ExpectedDisagreement:
    """Return D_e of the three δ over all pairs of annotations.

    Each pair of different trees is compared once. Blocks of trees are compared with all trees, so
    that memory does not grow with the number of pairs. The sums of blocks are added in a fixed
    order, so that the result does not depend on `workers`.

    Parameters
    ----------
    observations
        Trees to compare.
    groups
        True for annotations that take part, shape (groups, annotations).
    workers
        Threads; by default one for each core that this process may use.
    """
    packed = observations.packed
    counts = [np.bincount(packed.codes[group], minlength=len(packed)) for group in groups]
    weights = np.array(counts, np.float64)
    blocks = range(0, len(packed), _ROWS)
    sums = np.zeros((len(groups), 3, len(packed)))
    with ThreadPoolExecutor(max_workers=workers or available_cores()) as pool:
        for part in pool.map(lambda b: packed.weighted_squares(b, b + _ROWS, weights), blocks):
            sums += part
    n = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = np.where(n > 1, n * (n - 1), np.nan)[:, None]
        mean = (sums * weights[:, None]).sum(axis=2) / pairs
        rows = sums[0][:, packed.codes] / np.where(n[0] > 1, n[0] - 1, np.nan)
    return ExpectedDisagreement(mean, np.zeros_like(mean), rows)


def sampled_disagreement(
    observations: TreeObservations, groups: Bools, *, pairs: int, seed: int
) -> ExpectedDisagreement:
    """Return D_e estimated from ordered pairs of different annotations, drawn with replacement.

    The estimate for a group uses the drawn pairs of which both annotations are in the group. In
    `rows`, an annotation that is in no pair gets the mean of the first group.

    Parameters
    ----------
    observations
        Trees to compare.
    groups
        True for annotations that take part, shape (groups, annotations).
    pairs
        Number of pairs that are drawn, ≥ 1.
    seed
        Seed of the draw.
    """
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    n = len(observations.item)
    first = random.integers(n, size=pairs)
    second = (first + random.integers(1, n, size=pairs)) % n
    codes = observations.packed.codes
    squares = squared_deltas(observations.packed, codes[first], codes[second])
    estimates = np.full((2, len(groups), 3), np.nan)
    for k, group in enumerate(groups):
        inside = squares[:, group[first] & group[second]]
        if total := inside.shape[1]:
            mean = inside.mean(axis=1)
            spread = ((inside - mean[:, None]) ** 2).sum(axis=1)
            estimates[:, k] = mean, np.sqrt(spread) / total
    ends = np.concatenate((first, second))
    counts = np.bincount(ends, minlength=n)
    sums = np.stack([np.bincount(ends, np.concatenate((row, row)), n) for row in squares])
    overall = np.broadcast_to(estimates[0, :1].T, sums.shape)
    rows = np.divide(sums, counts, out=overall.copy(), where=counts > 0)
    return ExpectedDisagreement(estimates[0], estimates[1], rows)
