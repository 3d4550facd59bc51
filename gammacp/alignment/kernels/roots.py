"""Compiled kernels for the candidates for a root's groups: bounds and labels."""

import numpy as np

from gammacp.alignment.kernels.array_slices import is_over
from gammacp.alignment.kernels.messages import pair_at
from gammacp.alignment.kernels.records import Graph
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel


@kernel
def loose_bound(graph: Graph, price: Floats, opening: float, most: float, root: int) -> float:
    """Return a quick upper bound on the gain of a root's groups minus their prices.

    It adds up the best unit of each later annotator. Weights between these units are not looked up:
    each counts as `most`, half of it for either unit.
    """
    annotator = graph.annotator
    total = -price[root]
    best = 0.0
    last = -1
    others = 0
    for p in range(graph.start[root], graph.start[root + 1]):
        u = graph.neighbour[p]
        if u > root and annotator[u] != last:
            last = annotator[u]
            others += 1
    last = -1
    for p in range(graph.start[root], graph.start[root + 1]):
        u = graph.neighbour[p]
        if u > root:
            if annotator[u] != last:
                total += best
                best = 0.0
                last = annotator[u]
            best = max(
                best, opening - price[u] + graph.weight[p] + 0.5 * max(most, 0.0) * (others - 1)
            )
    return float(total + best)


@kernel
def label_starts(annotator: Codes, unit: Codes, size: int) -> tuple[int, Indices, int]:
    """Return the number of annotators, where their candidates begin, and the most labels of one."""
    begin = np.zeros(size + 1, np.int64)
    m = 1
    for i in range(1, size):
        if annotator[unit[i]] != annotator[unit[i - 1]]:
            begin[m] = i
            m += 1
    begin[m] = size
    widest = 0
    for s in range(m):
        widest = max(widest, begin[s + 1] - begin[s])
    return m, begin[: m + 1], widest + 1


@kernel
def root_graph(
    graph: Graph,
    unit: Codes,
    value: Floats,
    place: Codes,
    begin: Indices,
    widest: int,
    never: float,
) -> tuple[Floats, Floats]:
    """Return the values of labels and of pairs of labels as `messages` needs them.

    Pairs with label 0 (no unit) have the value 0; units that are not neighbours have −`never`.
    """
    m = len(begin) - 1
    values = np.zeros((m, widest), np.float64)
    edge = np.zeros((m * (m - 1) // 2, widest, widest), np.float64)
    for s in range(m):
        for i in range(begin[s], begin[s + 1]):
            values[s, i - begin[s] + 1] = value[i]
        for t in range(s + 1, m):
            edge[
                pair_at(s, t, m), 1 : begin[s + 1] - begin[s] + 1, 1 : begin[t + 1] - begin[t] + 1
            ] = -never
    for s in range(m):
        for i in range(begin[s], begin[s + 1]):
            t = s
            for p in range(graph.start[unit[i]], graph.start[unit[i] + 1]):
                j = place[graph.neighbour[p]]
                if j > i:
                    while begin[t + 1] <= j:
                        t += 1
                    edge[pair_at(s, t, m), i - begin[s] + 1, j - begin[t] + 1] = graph.weight[p]
    return values, edge


@kernel
def reduce_candidates(
    graph: Graph,
    unit: Codes,
    value: Floats,
    size: int,
    threshold: float,
    place: Codes,
    near: Floats,
    best_of: Floats,
    meter: Meter,
) -> tuple[int, float]:
    """Drop candidates that reach no more than `threshold`; return how many remain, and a bound.

    What a candidate reaches is bounded by half sums: its value and half of its best weights to the
    other annotators, plus the same of the best unit of each of them. The returned bound is the sum
    over the best units of all annotators. `unit` and `value` are compacted in place; `place[unit]`
    becomes a candidate's number, −1 for other units.
    """
    annotator = graph.annotator
    n_annotators = graph.n_annotators
    for i in range(size):
        place[unit[i]] = i
    while True:
        for k in range(n_annotators):
            best_of[k] = 0.0
        for i in range(size):
            meter[STEPS] += 4 * n_annotators + graph.start[unit[i] + 1] - graph.start[unit[i]]
            for k in range(n_annotators):
                near[i, k] = 0.0
            for p in range(graph.start[unit[i]], graph.start[unit[i] + 1]):
                if place[graph.neighbour[p]] >= 0:
                    k = annotator[graph.neighbour[p]]
                    near[i, k] = max(near[i, k], graph.weight[p])
            half = 0.0
            for k in range(n_annotators):
                half += near[i, k]
            near[i, 0] = value[i] + 0.5 * half
            k = annotator[unit[i]]
            best_of[k] = max(best_of[k], near[i, 0])
        together = 0.0
        for k in range(n_annotators):
            together += best_of[k]
        n_kept = 0
        for i in range(size):
            x = unit[i]
            if near[i, 0] + together - best_of[annotator[x]] > threshold:
                unit[n_kept] = x
                value[n_kept] = value[i]
                place[x] = n_kept
                n_kept += 1
            else:
                place[x] = -1
        if n_kept == size or n_kept == 0 or is_over(meter):
            return n_kept, together
        size = n_kept
