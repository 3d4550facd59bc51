"""α over trees (Skjærholt 2014, §2): 1 − D_o / D_e with squared distances.

D_o is the mean squared δ within sentences, D_e over all ordered pairs of all annotations of all
sentences (an annotation paired with itself adds 0 and is not counted). δ_plain is the tree edit
distance, δ_diff = TED − ||x| − |y||, δ_norm = TED / (|x| + |y|). Sentences with one annotation are
left out.

One pass over the pairs of different trees serves all three and any number of sub-corpora: a
sub-corpus or a bootstrap sample is a vector of weights of the trees, its D_e a quadratic form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from gammacp.arrays import Bools, Floats, Indices
from gammacp.errors import DataError
from gammacp.syntax.annotations import Treebank
from gammacp.syntax.ted import PackedTrees, pack

DELTAS = ("plain", "diff", "norm")
_ROWS, _COLUMNS = 64, 2048


def deltas(distances: Indices, x: Indices, y: Indices) -> Floats:
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


@dataclass(frozen=True)
class TreeObservations:
    """The annotations of a treebank's shared sentences as numbers.

    Attributes
    ----------
    item, annotator
        Of each annotation.
    pair_first, pair_second, pair_squares
        Annotations compared within sentences (unordered), and their squared δ: shape (3, pairs).
    """

    treebank: Treebank
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
        if not treebank.shared:
            raise DataError("no sentence has two annotations", hint="Agreement needs two.")
        number = {name: a for a, name in enumerate(treebank.annotators)}
        rows = [
            (i, number[name], sentence.tree)
            for i, item in enumerate(treebank.shared)
            for name, sentence in item.annotations.items()
        ]
        item = np.array([row[0] for row in rows], np.int64)
        packed = pack([row[2] for row in rows])
        starts = np.flatnonzero(np.diff(item, prepend=-1))
        ends = np.append(starts[1:], len(rows))
        within = [
            p for s, e in zip(starts, ends, strict=True) for p in combinations(range(s, e), 2)
        ]
        first, second = np.array(within, np.int64).T
        x, y = packed.codes[first], packed.codes[second]
        squares = deltas(packed.distances(x, y).astype(np.int64), packed.sizes[x], packed.sizes[y])
        return TreeObservations(
            treebank,
            packed,
            item,
            np.array([row[1] for row in rows], np.int64),
            first,
            second,
            squares**2,
        )

    @property
    def n_items(self) -> int:
        """Number of sentences with at least two annotations."""
        return len(self.treebank.shared)

    @cached_property
    def everything(self) -> Bools:
        """The choice of all annotations."""
        return np.ones(len(self.item), np.bool_)

    def by(self, annotators: Iterable[int]) -> Bools:
        """The annotations by these annotators, of sentences that two of them annotated."""
        chosen = np.isin(self.annotator, list(annotators))
        count = np.bincount(self.item[chosen], minlength=self.n_items)
        return chosen & (count[self.item] >= 2)

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


@dataclass(frozen=True)
class Subset:
    """Annotations that count, and how often each sentence does (a bootstrap sample)."""

    chosen: Bools
    item_weights: Floats

    @staticmethod
    def plain(observations: TreeObservations, chosen: Bools) -> Subset:
        """Every sentence once.

        Parameters
        ----------
        observations
            Whose sentences they are.
        chosen
            Which annotations take part, shape (annotations,).
        """
        return Subset(chosen, np.ones(observations.n_items))


def observed_disagreement(observations: TreeObservations, subset: Subset) -> Floats:
    """D_o of the three δ: the mean squared δ between annotations of the same sentence.

    Parameters
    ----------
    observations
        Whose trees are compared.
    subset
        Annotations that take part, with weights.
    """
    counts = np.bincount(observations.item[subset.chosen], minlength=observations.n_items)
    n = float(counts @ subset.item_weights)
    total: Floats = observations.item_disagreement(subset.chosen) @ subset.item_weights
    return total / n if n else np.full(3, np.nan)


def expected_disagreement(
    observations: TreeObservations, subsets: Sequence[Subset], *, workers: int = 2
) -> Floats:
    """D_e of the three δ for each subset: shape (subsets, 3).

    All pairs of different trees are compared once, tile by tile, so that memory does not grow with
    their number; tiles are summed in their order, so that the result does not depend on `workers`.

    Parameters
    ----------
    observations
        Whose trees are compared.
    subsets
        Annotations that take part, with weights.
    workers
        Threads.
    """
    packed = observations.packed
    weights = np.zeros((len(subsets), len(packed)))
    for row, subset in zip(weights, subsets, strict=True):
        annotation_weights = subset.chosen * subset.item_weights[observations.item]
        row += np.bincount(packed.codes, annotation_weights, len(packed))
    used = np.flatnonzero(weights.any(axis=0))
    tiles = [
        (used[r : r + _ROWS], used[c : c + _COLUMNS], c <= r)
        for r in range(0, len(used), _ROWS)
        for c in range(r - r % _COLUMNS, len(used), _COLUMNS)
    ]
    sums = np.zeros((len(subsets), 3))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for tile in pool.map(lambda t: _tile(packed, weights, *t), tiles):
            sums += 2 * tile
    n = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n[:, None] > 1, sums / (n * (n - 1))[:, None], np.nan)


def _tile(
    packed: PackedTrees, weights: Floats, rows: Indices, columns: Indices, diagonal: bool
) -> Floats:
    """Σ w_x w_y δ²(x, y) over a tile's pairs x < y, for each row of weights."""
    squares = np.zeros((3, len(rows), len(columns)))
    x, y = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
    if diagonal:
        upper = np.flatnonzero(x < y)
        x, y = x[upper], y[upper]
    else:
        upper = np.arange(len(x))
    ted = packed.distances(x, y).astype(np.int64)
    squares.reshape(3, -1)[:, upper] = deltas(ted, packed.sizes[x], packed.sizes[y]) ** 2
    inner = np.einsum("ky,dxy->kdx", weights[:, columns], squares, optimize=True)
    found: Floats = np.einsum("kx,kdx->kd", weights[:, rows], inner, optimize=True)
    return found


def sampled_disagreement(
    observations: TreeObservations,
    subsets: Sequence[Subset],
    *,
    pairs: int,
    seed: np.random.SeedSequence,
) -> tuple[Floats, Floats]:
    """D_e estimated from ordered pairs of different annotations, drawn with replacement.

    Returns the estimates and their standard errors, each of shape (subsets, 3). A subset is
    estimated from the drawn pairs that lie in it.

    Parameters
    ----------
    observations
        Whose trees are compared.
    subsets
        Annotations that take part, with weights.
    pairs
        How many are drawn, ≥ 1.
    seed
        Of the draw.
    """
    random = np.random.default_rng(seed)
    n = len(observations.item)
    first = random.integers(n, size=pairs)
    second = (first + random.integers(1, n, size=pairs)) % n
    packed = observations.packed
    x, y = packed.codes[first], packed.codes[second]
    estimates = np.full((2, len(subsets), 3), np.nan)
    squares = deltas(packed.distances(x, y).astype(np.int64), packed.sizes[x], packed.sizes[y]) ** 2
    for k, subset in enumerate(subsets):
        annotation = subset.chosen * subset.item_weights[observations.item]
        weight = annotation[first] * annotation[second]
        total = weight.sum()
        if total > 0:
            mean = squares @ weight / total
            spread = (squares - mean[:, None]) ** 2 @ weight**2
            estimates[:, k] = mean, np.sqrt(spread) / total
    return estimates[0], estimates[1]
