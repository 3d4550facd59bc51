"""Compiled kernels that list the groups that no profitable split beats."""

import numpy as np

from gammacp.alignment.kernels.array_slices import index_of, is_over
from gammacp.alignment.kernels.growing_columns import append, n_members, no_columns, trim
from gammacp.alignment.kernels.pairs import sums_of_best_weights
from gammacp.alignment.kernels.records import Columns, Graph
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel, late_kernel

# Largest group that all splits are tested of. In larger groups only splits of single units are
# tested: listing a group too many is always correct.
_MOST_SPLIT = 12


@late_kernel
def profitable_groups(
    graph: Graph, opening: float, tolerance: float, largest: int, limit: int, meter: Meter
) -> tuple[Columns, bool]:
    """List the groups of two to `largest` units whose splits A|B all have Σ w(A, B) + opening ≥ 0.

    Groups grow from their first unit, annotator by annotator. A partial group is abandoned as soon
    as one of its units would be better alone, even with its best partners among the later
    annotators. Return the groups and whether they are complete. They are not if there are more than
    `limit` members or four times as many partial groups, or if the meter is over.
    """
    annotator = graph.annotator
    n_annotators = graph.n_annotators
    rest = sums_of_best_weights(graph)
    columns = no_columns()
    nodes = 0
    counted = 0
    local = np.empty(64, np.int32)
    between = np.empty((64, 64), np.float64)
    chosen = np.empty(n_annotators + 1, np.int64)
    sums = np.zeros((n_annotators + 1, n_annotators + 1), np.float64)
    totals = np.zeros(n_annotators + 1, np.float64)
    cuts = np.zeros(1 << max(min(n_annotators, _MOST_SPLIT) - 1, 1), np.float64)
    position = np.full(len(annotator), -1, np.int64)
    for root in range(len(annotator)):
        meter[STEPS] += 100 * (nodes - counted)
        counted = nodes
        if is_over(meter):
            return trim(columns), False
        end = graph.start[root + 1]
        lo = index_of(graph.neighbour, graph.start[root], end, root)
        size = end - lo + 1
        if size > len(local):
            local = np.empty(2 * size, np.int32)
            between = np.empty((2 * size, 2 * size), np.float64)
        _weights_around(graph, root, lo, size, local, between, position)
        depth = 1
        chosen[0] = 0
        sums[1, 0] = 0.0
        totals[1] = 0.0
        candidate = 1
        while True:
            if candidate >= size or depth == largest:
                depth -= 1
                if depth == 0:
                    break
                candidate = chosen[depth] + 1
                continue
            nodes += 1
            if nodes > 4 * limit:
                return trim(columns), False
            x = local[candidate]
            k = annotator[x]
            # The same annotator as the last member: a group has one unit of each.
            if annotator[local[chosen[depth - 1]]] == k:
                candidate += 1
                continue
            into = 0.0
            lack = np.inf
            for m in range(depth):
                w = between[chosen[m], candidate]
                into += w
                sums[depth + 1, m] = sums[depth, m] + w
                lack = min(lack, sums[depth + 1, m] + rest[local[chosen[m]], k + 1])
                if lack + opening < -tolerance:
                    break
            if min(lack, into + rest[x, k + 1]) + opening < -tolerance:
                candidate += 1
                continue
            chosen[depth] = candidate
            sums[depth + 1, depth] = into
            totals[depth + 1] = totals[depth] + into
            depth += 1
            if _no_split_pays(between, chosen, sums[depth], depth, opening, tolerance, cuts):
                if n_members(columns) + depth > limit:
                    return trim(columns), False
                group = local[chosen[:depth]]
                columns = append(columns, group, depth, (depth - 1) * opening + totals[depth])
            candidate += 1
    return trim(columns), True


@kernel
def _weights_around(
    graph: Graph, root: int, lo: int, size: int, local: Codes, between: Floats, position: Indices
) -> None:
    """Write the root and its later neighbours to `local`, and their weights to a matrix."""
    local[0] = root
    for i in range(1, size):
        local[i] = graph.neighbour[lo + i - 1]
        position[local[i]] = i
    for i in range(size):
        for j in range(size):
            between[i, j] = -np.inf
    for i in range(1, size):
        between[0, i] = graph.weight[lo + i - 1]
        between[i, 0] = between[0, i]
        u = local[i]
        for p in range(graph.start[u], graph.start[u + 1]):
            j = position[graph.neighbour[p]]
            if j >= 0:
                between[i, j] = graph.weight[p]
    for i in range(1, size):
        position[local[i]] = -1


@kernel
def _no_split_pays(
    between: Floats,
    chosen: Indices,
    sums: Floats,
    size: int,
    opening: float,
    tolerance: float,
    cuts: Floats,
) -> bool:
    """Return whether Σ w(A, B) + opening ≥ 0 for every split A|B of the group."""
    for m in range(size):
        if sums[m] + opening < -tolerance:
            return False
    if size < 4 or size > _MOST_SPLIT:
        return True
    cuts[0] = 0.0
    for subset in range(1, 1 << (size - 1)):
        top = 0
        while subset >> (top + 1):
            top += 1
        below = subset ^ (1 << top)
        cut = cuts[below] + sums[top]
        for m in range(top):
            if below >> m & 1:
                cut -= 2.0 * between[chosen[m], chosen[top]]
        cuts[subset] = cut
        if cut + opening < -tolerance:
            return False
    return True
