"""The inner loops of the tree edit distance (Zhang & Shasha 1989), compiled.

Trees are packed one after another: labels and leftmost leaves in post-order, and the keyroots.
Each tree is there twice, as it is and mirrored: the mirror images of two trees are as far apart as
the trees, and the decomposition into left paths of one of the two is cheaper.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel


class TreeArrays(NamedTuple):
    """Packed trees, as they are in row 0 of `starts`, `root_starts`, … and mirrored in row 1.

    `costs` is the summed size of the keyroots' subtrees, so that the product over two trees is the
    number of cells to fill.
    """

    labels: Codes
    leftmost: Codes
    keyroots: Codes
    starts: Indices
    n_nodes: Indices
    root_starts: Indices
    root_counts: Indices
    costs: Indices


@kernel
def _scratch(largest: int) -> tuple[Codes, Codes]:
    """Distances of subtrees, and of forests: row 0, of nothing, is the number of nodes."""
    forest = np.empty((largest + 1, largest + 1), np.int32)
    forest[0] = np.arange(largest + 1)
    return np.empty((largest, largest), np.int32), forest


@kernel
def _distance(trees: TreeArrays, x: int, y: int, subtrees: Codes, forest: Codes) -> int:
    """Distance of the packed trees x and y; scratch arrays are reused."""
    costs = trees.costs
    side = 1 if costs[1, x] * costs[1, y] < costs[0, x] * costs[0, y] else 0
    labels, leftmost, keyroots = trees.labels, trees.leftmost, trees.keyroots
    a, b = trees.starts[side, x], trees.starts[side, y]
    ka, kb = trees.root_starts[side, x], trees.root_starts[side, y]
    for p in range(ka, ka + trees.root_counts[side, x]):
        i = keyroots[p]
        li = leftmost[a + i]
        for q in range(kb, kb + trees.root_counts[side, y]):
            j = keyroots[q]
            lj = leftmost[b + j]
            # A node is as far from a tree as that has nodes, less one if one of them has its label.
            if li == i:
                known = 0
                for v in range(lj, j + 1):
                    if labels[b + v] == labels[a + i]:
                        known = 1
                    if leftmost[b + v] == lj:
                        subtrees[i, v] = v - lj + 1 - known
                continue
            if lj == j:
                known = 0
                for u in range(li, i + 1):
                    if labels[a + u] == labels[b + j]:
                        known = 1
                    if leftmost[a + u] == li:
                        subtrees[u, j] = u - li + 1 - known
                continue
            for u in range(li, i + 1):
                row = u - li + 1
                lu = leftmost[a + u]
                before, here, base = forest[row - 1], forest[row], forest[lu - li]
                here[0] = left = row
                if lu != li:
                    for v in range(lj, j + 1):
                        column = v - lj + 1
                        apart = base[leftmost[b + v] - lj] + subtrees[u, v]
                        left = min(min(before[column], left) + 1, apart)
                        here[column] = left
                    continue
                for v in range(lj, j + 1):
                    column = v - lj + 1
                    lv = leftmost[b + v]
                    left = min(before[column], left) + 1
                    if lv == lj:
                        left = min(left, before[column - 1] + (labels[a + u] != labels[b + v]))
                        subtrees[u, v] = left
                    else:
                        left = min(left, base[lv - lj] + subtrees[u, v])
                    here[column] = left
    return int(subtrees[trees.n_nodes[x] - 1, trees.n_nodes[y] - 1])


@kernel
def pair_distances(trees: TreeArrays, first: Indices, second: Indices) -> Codes:
    """Unit-cost distances of the pairs (first[k], second[k])."""
    largest = 1
    for k in range(len(first)):
        largest = max(largest, trees.n_nodes[first[k]], trees.n_nodes[second[k]])
    subtrees, forest = _scratch(largest)
    found = np.empty(len(first), np.int32)
    for k in range(len(first)):
        found[k] = _distance(trees, first[k], second[k], subtrees, forest)
    return found


@kernel
def weighted_squares(
    trees: TreeArrays, lengths: Indices, low: int, high: int, weights: Floats
) -> Floats:
    """Sums of the three squared δ of each tree, over the pairs x < y with low ≤ x < high.

    `lengths` are |x|; a pair adds w_y δ² to x and w_x δ² to y, for each row of weights.
    """
    n = len(trees.n_nodes)
    largest = trees.n_nodes.max()
    subtrees, forest = _scratch(largest)
    sums = np.zeros((len(weights), 3, n))
    squares = np.empty(3)
    for x in range(low, high):
        for y in range(x + 1, n):
            ted = _distance(trees, x, y, subtrees, forest)
            squares[0] = ted**2
            squares[1] = (ted - abs(lengths[x] - lengths[y])) ** 2
            squares[2] = (ted / (lengths[x] + lengths[y])) ** 2
            for k in range(len(weights)):
                for d in range(3):
                    sums[k, d, x] += weights[k, y] * squares[d]
                    sums[k, d, y] += weights[k, x] * squares[d]
    return sums


@kernel
def weighted_distance(
    left_a: Codes,
    keyroots_a: Codes,
    left_b: Codes,
    keyroots_b: Codes,
    deletion: Floats,
    insertion: Floats,
    change: Floats,
) -> float:
    """Distance of one pair under given costs; `change[i, j]` turns node i of a into node j of b."""
    n = len(left_a)
    m = len(left_b)
    subtrees = np.zeros((n, m))
    forest = np.zeros((n + 1, m + 1))
    for i in keyroots_a:
        li = left_a[i]
        for j in keyroots_b:
            lj = left_b[j]
            for x in range(li, i + 1):
                forest[x - li + 1, 0] = forest[x - li, 0] + deletion[x]
            for y in range(lj, j + 1):
                forest[0, y - lj + 1] = forest[0, y - lj] + insertion[y]
            for x in range(li, i + 1):
                row = x - li + 1
                for y in range(lj, j + 1):
                    column = y - lj + 1
                    best = min(
                        forest[row - 1, column] + deletion[x],
                        forest[row, column - 1] + insertion[y],
                    )
                    if left_a[x] == li and left_b[y] == lj:
                        best = min(best, forest[row - 1, column - 1] + change[x, y])
                        subtrees[x, y] = best
                    else:
                        best = min(best, forest[left_a[x] - li, left_b[y] - lj] + subtrees[x, y])
                    forest[row, column] = best
    return float(subtrees[n - 1, m - 1])
