"""The inner loops of the tree edit distance (Zhang & Shasha 1989), compiled.

Each tree is there twice, as it is and mirrored: the mirror images of two trees are as far apart as
the trees, and the decomposition into left paths of one of the two is cheaper. It is written out as
*columns*: for each keyroot the nodes of its subtree in post-order, one keyroot after the other, so
that a row of the table, over all keyroots of a tree, is filled in one go.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gammacp.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel

# Without a sign numba has no negative index to see to.
Unsigned: TypeAlias = NDArray[np.uint32]


class TreeArrays(NamedTuple):
    """Packed trees, as they are in row 0 of `column_starts` and `widths`, and mirrored in row 1.

    A column has its node with its label, and the column before the node's leftmost leaf, from 1 on,
    or 0 where that is the keyroot's; `inside` is 0 for the first one of a keyroot, else −1. The
    product of two trees' `widths`, their numbers of columns, is the number of cells to fill.
    """

    labels: Codes
    nodes: Unsigned
    before: Unsigned
    inside: Codes
    n_nodes: Indices
    column_starts: Indices
    widths: Indices


@kernel
def scratch(trees: TreeArrays) -> tuple[Codes, Codes]:
    """What pairs of subtrees save, and pairs of forests: nothing where one of them is empty.

    There is room for every tree on its narrower side: branches to the right make the other one as
    wide as the square of the nodes.
    """
    largest = trees.n_nodes.max()
    shape = (largest + 1, np.minimum(trees.widths[0], trees.widths[1]).max() + 1)
    return np.zeros((largest, largest), np.int32), np.zeros(shape, np.int32)


@kernel
def _distance(trees: TreeArrays, x: int, y: int, subtrees: Codes, forests: Codes) -> int:
    """Distance of the packed trees x and y; scratch arrays are reused.

    The recurrence is for what matching saves, the sizes less the distance: 2 for a node that is
    kept, 1 for one that is renamed. Deletions and insertions save nothing, so that a cell is the
    largest of three others.
    """
    widths = trees.widths
    side = 1 if widths[1, x] * widths[1, y] < widths[0, x] * widths[0, y] else 0
    side = 1 - side if widths[side, y] >= forests.shape[1] else side
    if widths[side, y] < widths[side, x] < forests.shape[1]:
        x, y = y, x
    columns = trees.column_starts[side]
    rows = slice(columns[x], columns[x] + widths[side, x])
    one, above, ongoing = trees.nodes[rows], trees.before[rows], trees.inside[rows]
    across = slice(columns[y], columns[y] + widths[side, y])
    other, left, inside = trees.nodes[across], trees.before[across], trees.inside[across]
    names, labels = trees.labels[rows], trees.labels[across]
    first = 0
    for r in range(len(one)):
        if ongoing[r] == 0:
            first = r
        row = r - first + 1
        known, last, here = subtrees[one[r]], forests[row - 1], forests[row]
        saved = 0
        if above[r] > 0:
            base = forests[above[r] - first]
            for c in range(len(other)):
                both = base[left[c]] + known[other[c]]
                saved = max(saved & inside[c], max(last[c + 1], both))
                here[c + 1] = saved
            continue
        label = names[r]
        for c in range(len(other)):
            alone = left[c] == 0
            both = (last[c] & inside[c]) + (2 if labels[c] == label else 1)
            saved = max(saved & inside[c], max(last[c + 1], both if alone else known[other[c]]))
            here[c + 1] = saved
            if alone:
                known[other[c]] = saved
    n, m = trees.n_nodes[x], trees.n_nodes[y]
    return int(n + m - subtrees[n - 1, m - 1])


@kernel
def pair_distances(trees: TreeArrays, first: Indices, second: Indices) -> Codes:
    """Unit-cost distances of the pairs (first[k], second[k])."""
    subtrees, forests = scratch(trees)
    found = np.empty(len(first), np.int32)
    for k in range(len(first)):
        found[k] = _distance(trees, first[k], second[k], subtrees, forests)
    return found


@kernel
def weighted_squares(
    trees: TreeArrays, lengths: Indices, low: int, high: int, weights: Floats
) -> Floats:
    """Sums of the three squared δ of each tree, over the pairs x < y with low ≤ x < high.

    `lengths` are |x|; a pair adds w_y δ² to x and w_x δ² to y, for each row of weights.
    """
    n = len(trees.n_nodes)
    subtrees, forests = scratch(trees)
    sums = np.zeros((len(weights), 3, n))
    squares = np.empty(3)
    for x in range(low, high):
        for y in range(x + 1, n):
            ted = _distance(trees, x, y, subtrees, forests)
            squares[0] = ted**2
            squares[1] = (ted - abs(lengths[x] - lengths[y])) ** 2
            squares[2] = (ted / (lengths[x] + lengths[y])) ** 2
            for k in range(len(weights)):
                for d in range(3):
                    sums[k, d, x] += weights[k, y] * squares[d]
                    sums[k, d, y] += weights[k, x] * squares[d]
    return sums
