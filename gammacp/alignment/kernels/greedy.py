"""Compiled kernels of the greedy algorithm of 2011 (Mathet & Widlöcher)."""

import numpy as np

from gammacp.alignment.kernels.growing_columns import append, n_members, no_columns, trim
from gammacp.alignment.kernels.pairs import weight_between
from gammacp.alignment.kernels.records import Columns, Graph
from gammacp.base.arrays import Indices
from gammacp.kernel import kernel, late_kernel


@late_kernel
def take_disjoint(n_units: int, columns: Columns, order: Indices) -> Indices:
    """Take columns in the given order, each if none of its units is taken yet."""
    begin, members, _ = columns
    is_taken = np.zeros(n_units, np.bool_)
    chosen = np.empty(len(order), np.int64)
    count = 0
    for c in order:
        free = True
        for p in range(begin[c], begin[c + 1]):
            if is_taken[members[p]]:
                free = False
                break
        if free:
            for p in range(begin[c], begin[c + 1]):
                is_taken[members[p]] = True
            chosen[count] = c
            count += 1
    return chosen[:count]


@kernel
def groups_within(
    graph: Graph, opening: float, most: float, delta: float, limit: int
) -> tuple[Columns, bool]:
    """List the groups of two or more units with opening − Σ w ≤ `most`.

    w are the weights of a group's pairs, `delta` is the largest weight, and `limit` is the largest
    total number of members. Return the groups and whether they are complete, as
    `profitable_groups` does.
    """
    annotator = graph.annotator
    n_annotators = graph.n_annotators
    columns = no_columns()
    inside = np.empty(n_annotators + 1, np.int32)
    place = np.empty(n_annotators + 1, np.int64)
    total = np.zeros(n_annotators + 1, np.float64)
    for root in range(len(annotator)):
        inside[0] = root
        depth = 1
        place[1] = graph.start[root]
        while depth > 0:
            p = place[depth]
            if p >= graph.start[root + 1]:
                depth -= 1
                continue
            place[depth] += 1
            x = graph.neighbour[p]
            k = annotator[x]
            if k <= annotator[inside[depth - 1]]:
                continue
            into = 0.0
            for m in range(depth):
                into += weight_between(graph, inside[m], x)
            # At best every later annotator adds a unit, with weight Δ for each of its pairs.
            later = n_annotators - 1 - k
            size = depth + 1
            more = delta * (later * size + later * (later - 1) / 2.0)
            if opening - total[depth] - into - more > most:
                continue
            inside[depth] = x
            depth += 1
            total[depth] = total[depth - 1] + into
            place[depth] = p + 1
            if opening - total[depth] > most:
                continue
            if n_members(columns) + depth > limit:
                return trim(columns), False
            columns = append(columns, inside, depth, (depth - 1) * opening + total[depth])
    return trim(columns), True
