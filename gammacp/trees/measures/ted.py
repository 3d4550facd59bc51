"""Tree edit distance of ordered labelled trees (Zhang & Shasha 1989): one pair, or many.

Each deletion, insertion and relabelling costs 1. Many trees are packed once (`pack`), identical
ones merged; distances of blocks of pairs are then found without ever holding all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.errors import UsageError
from gammacp.trees.measures.tree import Tree

if TYPE_CHECKING:
    from gammacp.trees.measures.ted_kernel import TreeArrays


@dataclass(frozen=True)
class PackedTrees:
    """Distinct trees, packed into the arrays that the kernel reads.

    `codes[k]` is the number of the packed tree that equals the k-th given tree; `sizes` are the
    sizes |x| of the packed trees.
    """

    arrays: TreeArrays
    sizes: Indices
    codes: Indices

    def __len__(self) -> int:
        """Return the number of different trees."""
        return len(self.sizes)

    def distances(self, first: Indices, second: Indices) -> Codes:
        """Return the unit-cost distances between the packed trees first[k] and second[k]."""
        from gammacp.trees.measures.ted_kernel import pair_distances

        order = np.argsort(first, kind="stable")
        x, y = (np.asarray(side, np.int64)[order] for side in (first, second))
        distances = np.empty(len(order), np.int32)
        distances[order] = pair_distances(self.arrays, x, y)
        return distances

    def weighted_squares(self, first: int, last: int, weights: Floats) -> Floats:
        """Return Σ_y w_y δ²(x, y) for each tree, over the pairs x < y with first ≤ x < last.

        Each pair adds to the sums of both its trees. The shape is (rows of weights, 3, trees).
        """
        from gammacp.trees.measures.ted_kernel import weighted_squares

        return weighted_squares(self.arrays, self.sizes, first, min(last, len(self)), weights)


def pack(trees: Sequence[Tree]) -> PackedTrees:
    """Pack trees for `PackedTrees.distances`; equal trees are packed once.

    The packed trees are sorted by their number of nodes, so that neighbours take equally long.

    Parameters
    ----------
    trees
        At least one.

    Raises
    ------
    UsageError
        There is none.
    """
    from gammacp.trees.measures.ted_kernel import TreeArrays

    if not trees:
        raise UsageError("no tree to pack")
    different = sorted(set(trees), key=lambda t: (t.n_nodes, t.labels, t.leftmost, t.size))
    code = {tree: i for i, tree in enumerate(different)}
    labels = sorted({label for tree in different for label in tree.labels})
    alphabet = {label: i for i, label in enumerate(labels)}
    columns = [_columns(t, alphabet) for t in (*different, *(t.mirror for t in different))]
    widths = np.array([len(c) for c in columns], np.int64)
    nodes, before, inside, names = np.concatenate(columns).T
    shape = (2, len(different))
    arrays = TreeArrays(
        labels=names.astype(np.int32),
        nodes=nodes.astype(np.uint32),
        before=before.astype(np.uint32),
        inside=inside.astype(np.int32),
        n_nodes=np.array([t.n_nodes for t in different], np.int64),
        column_starts=(np.cumsum(widths) - widths).reshape(shape),
        widths=widths.reshape(shape),
    )
    sizes = np.array([t.size for t in different], np.int64)
    return PackedTrees(arrays, sizes, np.array([code[t] for t in trees], np.int64))


def _columns(tree: Tree, alphabet: Mapping[str, int]) -> Indices:
    """Return the columns of a tree: node, column before its leftmost leaf, `inside` and label."""
    columns: list[tuple[int, int, int, int]] = []
    for root in tree.keyroots:
        low = tree.leftmost[root]
        start = len(columns)
        for node in range(low, root + 1):
            leaf = tree.leftmost[node]
            if leaf > low:
                before = start + leaf - low
            else:
                before = 0
            columns.append((node, before, -(node > low), alphabet[tree.labels[node]]))
    return np.array(columns, np.int64)


def tree_edit_distance(a: Tree, b: Tree) -> float:
    """Return the least number of edits of nodes that turn one tree into the other.

    Parameters
    ----------
    a, b
        Ordered, labelled trees.

    >>> from gammacp.trees.measures.tree import dependency_tree
    >>> small = dependency_tree([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"])
    >>> large = dependency_tree([2, 0, 5, 5, 2], ["SUBJ", "PRED", "DET", "ATR", "OBJ"])
    >>> tree_edit_distance(small, large)
    1.0
    """
    packed = pack((a, b))
    return float(packed.distances(packed.codes[:1], packed.codes[1:])[0])
