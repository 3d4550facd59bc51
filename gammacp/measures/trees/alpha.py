"""α over trees (Skjærholt 2014, §2): 1 − D_o / D_e with squared distances.

D_o is the mean squared δ within sentences, D_e over all ordered pairs of all annotations of all
sentences (an annotation paired with itself adds 0 and is not counted). δ_plain is the tree edit
distance, δ_diff = TED − ||x| − |y||, δ_norm = TED / (|x| + |y|). Sentences with one annotation are
left out.

One pass over the pairs of different trees serves all three and any number of groups of annotators,
and tells what each annotation adds to D_e, which the bootstrap needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from gammacp.arrays import Bools, Floats, Indices
from gammacp.measures.trees.annotations import Graph, Sentence, Treebank
from gammacp.measures.trees.ted import PackedTrees, pack
from gammacp.pools.cores import available_cores

DELTAS = ("plain", "diff", "norm")
_ROWS = 64


def deltas(distances: Indices | Floats, x: Indices, y: Indices | Floats) -> Floats:
    """δ_plain, δ_diff and δ_norm from tree edit distances and sizes: a new first axis of 3.

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
    """The squares of the three δ between packed trees: shape (3, pairs).

    Parameters
    ----------
    packed
        The trees.
    x, y
        Their numbers, of the same shape.
    """
    ted = packed.distances(x, y).astype(np.int64)
    squares: Floats = deltas(ted, packed.sizes[x], packed.sizes[y]) ** 2
    return squares


@dataclass(frozen=True)
class TreeObservations:
    """The annotations of a treebank's shared sentences as numbers.

    Attributes
    ----------
    sentences, item, annotator
        Of each annotation.
    pair_first, pair_second, pair_squares
        Annotations compared within sentences (unordered), and their squared δ: shape (3, pairs).
    """

    treebank: Treebank
    sentences: tuple[Sentence, ...]
    packed: PackedTrees
    item: Indices
    annotator: Indices
    pair_first: Indices
    pair_second: Indices
    pair_squares: Floats

    @staticmethod
    def of(treebank: Treebank) -> TreeObservations:
        """Compare the annotations of each sentence.

        Parameters
        ----------
        treebank
            Sentences with one annotation are left out.

        Raises
        ------
        DataError
            No sentence has two annotations.
        """
        treebank.require_shared()
        treebank.require_trees("edit distance of trees")
        number = {name: a for a, name in enumerate(treebank.annotators)}
        rows = [
            (i, number[name], sentence)
            for i, item in enumerate(treebank.shared)
            for name, sentence in item.annotations.items()
        ]
        item = np.array([row[0] for row in rows], np.int64)
        sentences = tuple(row[2] for row in rows)
        packed = pack([s.tree for s in sentences if not isinstance(s, Graph)])
        starts = np.flatnonzero(np.diff(item, prepend=-1))
        ends = np.append(starts[1:], len(rows))
        within = [
            p for s, e in zip(starts, ends, strict=True) for p in combinations(range(s, e), 2)
        ]
        first, second = np.array(within, np.int64).T
        annotators = np.array([row[1] for row in rows], np.int64)
        squares = squared_deltas(packed, packed.codes[first], packed.codes[second])
        return TreeObservations(
            treebank, sentences, packed, item, annotators, first, second, squares
        )

    @property
    def n_items(self) -> int:
        """Number of sentences with at least two annotations."""
        return len(self.treebank.shared)

    @cached_property
    def per_item(self) -> Indices:
        """Number of annotations of each sentence."""
        return np.bincount(self.item, minlength=self.n_items)

    @cached_property
    def everything(self) -> Bools:
        """The choice of all annotations."""
        return np.ones(len(self.item), np.bool_)

    def by(self, annotators: Iterable[int]) -> Bools:
        """The annotations by these annotators, of sentences that two of them annotated."""
        chosen = np.isin(self.annotator, list(annotators))
        count = np.bincount(self.item[chosen], minlength=self.n_items)
        return chosen & (count[self.item] >= 2)

    def by_item(self, values: Floats, chosen: Bools) -> Floats:
        """Sums over each sentence of values of the chosen annotations: shape (items,)."""
        return np.bincount(self.item[chosen], values, self.n_items).astype(np.float64)

    def item_disagreement(self, chosen: Bools) -> Floats:
        """Per sentence Σ_{c≠c′} δ² / (|X_i| − 1), the summands of D_o: shape (3, items).

        Parameters
        ----------
        chosen
            Which annotations take part, shape (annotations,).
        """
        counts = np.bincount(self.item[chosen], minlength=self.n_items)
        inside = chosen[self.pair_first] & chosen[self.pair_second]
        items = self.item[self.pair_first[inside]]
        return np.stack(
            [
                2 * np.bincount(items, row[inside], self.n_items) / np.maximum(counts - 1, 1)
                for row in self.pair_squares
            ]
        )


def observed_disagreement(observations: TreeObservations, chosen: Bools) -> Floats:
    """D_o of the three δ: the mean squared δ between annotations of the same sentence.

    Parameters
    ----------
    observations
        Whose trees are compared.
    chosen
        Which annotations take part, shape (annotations,).
    """
    total: Floats = observations.item_disagreement(chosen).sum(axis=1)
    n = np.count_nonzero(chosen)
    return total / n if n else np.full(3, np.nan)


@dataclass(frozen=True)
class ExpectedDisagreement:
    """D_e over pairs of all annotations, for groups of annotators.

    Attributes
    ----------
    mean, error
        D_e and its standard error (0 where all pairs are compared): shape (groups, 3).
    rows
        Mean squared δ of each annotation to the others of the first group: shape (3, annotations).
    """

    mean: Floats
    error: Floats
    rows: Floats


def expected_disagreement(
    observations: TreeObservations, groups: Bools, *, workers: int | None = None
) -> ExpectedDisagreement:
    """D_e of the three δ over all pairs of annotations.

    All pairs of different trees are compared once, some trees against all at a time, so that
    memory does not grow with their number; sums are added in the order of the trees, so that the
    result does not depend on `workers`.

    Parameters
    ----------
    observations
        Whose trees are compared.
    groups
        Which annotations take part, shape (groups, annotations).
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
    """D_e estimated from ordered pairs of different annotations, drawn with replacement.

    A group is estimated from the drawn pairs that lie in it; an annotation that is in no pair adds
    what the mean does.

    Parameters
    ----------
    observations
        Whose trees are compared.
    groups
        Which annotations take part, shape (groups, annotations).
    pairs
        How many are drawn, ≥ 1.
    seed
        Of the draw.
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
