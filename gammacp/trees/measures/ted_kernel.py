"""The inner loops of the tree edit distance (Zhang & Shasha 1989), compiled.

Each tree is stored twice, as it is and mirrored. The distance of two trees equals that of their
mirror images, but the decomposition into left paths is often cheaper for one of the two forms; the
cheaper one is used.

A tree is written out as *columns*: for each keyroot in turn, the nodes of its subtree in
post-order. One tree is compared with a block of other trees at a time. A row of the table then runs
over all columns of the block, and is long enough that nearly all time is spent in the loop over it.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel

# Indices without a sign: numba then generates no code for negative ones.
Unsigned: TypeAlias = NDArray[np.uint32]
# Counts are floats since the maximum of two floats is one instruction, while that of two integers
# is compiled to a jump that the processor mostly predicts wrongly. Floats of this size count
# exactly up to 2²⁴, for which memory would not suffice.
Counts: TypeAlias = NDArray[np.float32]

# Largest number of columns in a block of several trees. A tree with more is a block of its own.
_BLOCK = 800


class TreeArrays(NamedTuple):
    """Packed trees: row 0 of `column_starts` and `widths` is for the trees, row 1 for mirrors.

    `labels`, `nodes`, `before` and `inside` have one entry per column: the label of its node, the
    node, the column before the node's leftmost leaf, and 0 for the first column of a keyroot or
    else −1. `before` counts from 1, and is 0 where the node has the leftmost leaf of the keyroot.
    `widths` are the numbers of columns; the product of those of two trees is the number of cells to
    fill.
    """

    labels: Codes
    nodes: Unsigned
    before: Unsigned
    inside: Codes
    n_nodes: Indices
    column_starts: Indices
    widths: Indices


class Tables(NamedTuple):
    """The columns of a block, and the savings of its forests and subtrees with one other tree.

    Each keyroot has an `offset` that is added to the savings in its columns: twice the number of
    columns before it, which is more than those columns can save. So the maximum of a row up to any
    column is always reached within the keyroot of that column. For each keyroot, an additional
    column at the end stands for the empty forest, which saves nothing.

    Attributes
    ----------
    left, previous
        For each column, those that the recurrence looks up: `left` is the column before the node's
        leftmost leaf, `previous` the one before the node, if both lie on the left path of the
        keyroot. Otherwise it is the column of the empty forest.
    nodes, path_nodes
        Node of each column, numbered within the block; in `path_nodes` only for nodes on the
        keyroot's left path, and else a number beyond all nodes.
    labels
        Labels of the block's nodes.
    subtrees, forests
        Savings of pairs of subtrees, shape (nodes, nodes of the block + 1), and of pairs of
        forests, shape (nodes + 1, columns).
    """

    left: Unsigned
    previous: Unsigned
    nodes: Unsigned
    path_nodes: Unsigned
    offsets: Counts
    labels: Codes
    subtrees: Counts
    forests: Counts


@kernel
def tables(trees: TreeArrays) -> Tables:
    """Return tables with room for every block, and for the narrower side of every larger tree.

    The other side may be too wide: with branches to the right, its number of columns grows with the
    square of the number of nodes.
    """
    largest = trees.n_nodes.max()
    nodes = max(_BLOCK, largest)
    room = max(_BLOCK, np.minimum(trees.widths[0], trees.widths[1]).max())
    columns = np.zeros((4, room), np.uint32)
    return Tables(
        columns[0],
        columns[1],
        columns[2],
        columns[3],
        np.zeros(room, np.float32),
        np.zeros(nodes, np.int32),
        np.zeros((largest, nodes + 1), np.float32),
        np.zeros((largest + 1, room + nodes), np.float32),
    )


@kernel
def _lay_out(trees: TreeArrays, side: int, block: Indices, rows: int, to: Tables) -> int:
    """Write the columns of a block's trees into the tables, and return their number.

    `rows` is the largest number of nodes among the trees that are compared with the block.
    """
    nodes = trees.n_nodes[block].sum()
    n = 0
    n_nodes_before = 0
    empty = len(to.left) - 1
    for y in block:
        start = n
        columns = trees.column_starts[side, y]
        for c in range(columns, columns + trees.widths[side, y]):
            if trees.inside[c] == 0:
                empty += 1
                offset = np.float32(2 * n)
                to.forests[: rows + 1, empty] = offset
            node = n_nodes_before + trees.nodes[c]
            alone = trees.before[c] == 0
            to.left[n] = empty if alone else start + trees.before[c] - 1
            to.previous[n] = n - 1 if alone and trees.inside[c] else empty
            to.nodes[n] = node
            to.path_nodes[n] = node if alone else nodes
            if alone:
                to.labels[node] = trees.labels[c]
            to.offsets[n] = to.forests[0, n] = offset
            n += 1
        n_nodes_before += trees.n_nodes[y]
    return n


@kernel
def _fill(trees: TreeArrays, side: int, x: int, width: int, nodes: int, to: Tables) -> None:
    """Compute the savings of all subtrees of tree x with those of the block.

    The savings are the sum of the sizes less the distance: 2 for a node that is kept, 1 for one
    that is relabelled. Deletions and insertions save nothing, so that each cell is simply the
    largest of three others.
    """
    forests = to.forests
    first = 0
    left = to.left
    previous = to.previous
    other = to.nodes
    path_nodes = to.path_nodes
    start = trees.column_starts[side, x]
    for r in range(trees.widths[side, x]):
        if trees.inside[start + r] == 0:
            first = r
        row = r - first + 1
        above = trees.before[start + r]
        distances_of_row = to.subtrees[trees.nodes[start + r]]
        last = forests[row - 1]
        here = forests[row]
        saved = np.float32(0)
        if above > 0:
            base = forests[above - first]
            for c in range(width):
                both = base[left[c]] + distances_of_row[other[c]]
                best = last[c]
                if both > best:
                    best = both
                if best > saved:
                    saved = best
                here[c] = saved
            continue
        label = trees.labels[start + r]
        for j in range(nodes):
            distances_of_row[j] = np.float32(2) if to.labels[j] == label else np.float32(1)
        for c in range(width):
            both = last[previous[c]] + distances_of_row[other[c]]
            best = last[c]
            if both > best:
                best = both
            if best > saved:
                saved = best
            here[c] = saved
            distances_of_row[path_nodes[c]] = saved - to.offsets[c]


@kernel
def _block_distances(
    trees: TreeArrays, low: int, high: int, block: Indices, to: Tables, distances: Codes
) -> None:
    """Write the distances between the trees `low` to `high` − 1, as rows, and those of a block."""
    n_nodes = trees.n_nodes
    widths = trees.widths
    room = len(to.left)
    nodes = n_nodes[block].sum()
    left = widths[0][block].sum()
    right = widths[1][block].sum()
    for side in range(2):
        columns = 0
        for x in range(low, high):
            mirrored = widths[1, x] * right < widths[0, x] * left
            if side != (left > room or (mirrored and right <= room)):
                continue
            if columns == 0:
                columns = _lay_out(trees, side, block, n_nodes[low:high].max(), to)
            _fill(trees, side, x, columns, nodes, to)
            root = -1
            whole = to.subtrees[n_nodes[x] - 1]
            for k, y in enumerate(block):
                root += n_nodes[y]
                distances[x - low, k] = n_nodes[x] + n_nodes[y] - int(whole[root])


@kernel
def _block(trees: TreeArrays, others: Indices) -> Indices:
    """Return as many of the first trees of `others` as fit into one block."""
    last = 0
    left = 0
    right = 0
    for y in others:
        left = left + trees.widths[0, y]
        right = right + trees.widths[1, y]
        if last > 0 and max(left, right) > _BLOCK:
            break
        last += 1
    return others[:last]


@kernel
def pair_distances(trees: TreeArrays, first: Indices, second: Indices) -> Codes:
    """Return the unit-cost distances of the pairs (first[k], second[k]).

    This is faster where successive pairs have the same first tree.
    """
    to = tables(trees)
    distances = np.empty((1, len(first)), np.int32)
    k = 0
    while k < len(first):
        x = first[k]
        last = k + 1
        while last < len(first) and first[last] == x:
            last += 1
        while k < last:
            block = _block(trees, second[k:last])
            _block_distances(trees, x, x + 1, block, to, distances[:, k:last])
            k += len(block)
    first_distances: Codes = distances[0]
    return first_distances


@kernel
def weighted_squares(
    trees: TreeArrays, lengths: Indices, low: int, high: int, weights: Floats
) -> Floats:
    """Return weighted sums of the three squared δ for each tree: shape (rows of weights, 3, trees).

    The sums are over the pairs x < y with low ≤ x < high. For each row of weights, a pair adds w_y
    δ² to the sum of x and w_x δ² to that of y. `lengths` are the sizes |x| of the trees.
    """
    n = len(trees.n_nodes)
    to = tables(trees)
    distances = np.empty((high - low, _BLOCK), np.int32)
    sums = np.zeros((len(weights), 3, n))
    squares = np.empty(3)
    first = low + 1
    while first < n:
        block = _block(trees, np.arange(first, n))
        last = first + len(block)
        _block_distances(trees, low, min(high, last - 1), block, to, distances)
        for x in range(low, min(high, last - 1)):
            for y in range(max(first, x + 1), last):
                ted = distances[x - low, y - first]
                squares[0] = ted**2
                squares[1] = (ted - abs(lengths[x] - lengths[y])) ** 2
                squares[2] = (ted / (lengths[x] + lengths[y])) ** 2
                for k in range(len(weights)):
                    for d in range(3):
                        sums[k, d, x] += weights[k, y] * squares[d]
                        sums[k, d, y] += weights[k, x] * squares[d]
        first = last
    return sums


def example() -> None:
    """Call these kernels so that they are compiled (`gammacp warm-up`)."""
    from gammacp.trees.measures.ted import pack
    from gammacp.trees.measures.tree import dependency_tree

    first, second = (dependency_tree([2, 0], ["SUBJ", label]) for label in "ab")
    pack((first, second)).distances(np.array([0]), np.array([1]))
