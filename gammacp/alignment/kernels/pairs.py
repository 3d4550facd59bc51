"""Compiled kernels over pairs of units: the search for near pairs, and the graph of pairs."""

from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.array_slices import index_of, is_over
from gammacp.alignment.kernels.growing_columns import grow
from gammacp.alignment.kernels.records import Graph
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.dissimilarity.kernels import positional_cost
from gammacp.kernel import kernel, late_kernel

GIVEN_UP = -2


class UnitArrays(NamedTuple):
    """Positions of units, and codes of their categories and annotators."""

    start: Floats
    end: Floats
    category: Codes
    annotator: Codes


class Classes(NamedTuple):
    """Units sorted by length class and start: those of class c are `order[start[c]:start[c + 1]]`.

    A unit of class c is compared with units of classes c to `block_end[c]` − 1 only. `reach` is
    what a class adds to the largest distance between starts.
    """

    order: Indices
    start: Indices
    block_end: Indices
    reach: Floats


class Further(NamedTuple):
    """Boxes on the axes beyond the first, and how far apart two boxes may be there.

    `extents` are the low and high ends on each axis, shape (units, 2·(axes − 1)). Two low ends may
    differ by `absolute` + `relative`·(sum of the two lengths). Without further axes nothing is left
    out.
    """

    extents: Floats
    absolute: float
    relative: float


class Costs(NamedTuple):
    """Positional formula and its factor (`dissimilarity.kernels`), and costs by category codes."""

    formula: int
    factor: float
    categories: Floats


@kernel
def _apart(further: Further, u: int, v: int) -> bool:
    """Return whether two boxes are too far apart on an axis other than the first."""
    places, absolute, relative = further
    for low in range(0, places.shape[1], 2):
        lengths = (places[u, low + 1] - places[u, low]) + (places[v, low + 1] - places[v, low])
        if abs(places[u, low] - places[v, low]) > absolute + relative * lengths:
            return True
    return False


@late_kernel
def scan(
    units: UnitArrays,
    classes: Classes,
    further: Further,
    costs: Costs,
    most: float,
    limit: int,
    meter: Meter,
) -> tuple[Codes, Codes, Floats, int]:
    """List pairs of different annotators with d ≤ `most`.

    Class by class, two pointers run along the units. Units of classes c and k are compared only if
    their starts differ by at most reach[c] + reach[k]. Without a formula (−1), all pairs within
    this distance and near enough on all further axes are listed, with d = 0. Return (first, second,
    d, count). The count is −1 with more than `limit` pairs, and `GIVEN_UP` if the meter is over.
    """
    start, end, category, annotator = units
    order, class_start, block_end, reach = classes
    formula, factor, category_costs = costs
    capacity = min(8 * len(start) + 64, limit)
    first = np.empty(capacity, np.int32)
    second = np.empty(capacity, np.int32)
    cost = np.empty(capacity, np.float64)
    n = 0
    n_classes = len(class_start) - 1
    for c in range(n_classes):
        for k in range(c, block_end[c]):
            window = reach[c] + reach[k]
            lo = class_start[k]
            stop = class_start[k + 1]
            for p in range(class_start[c], class_start[c + 1]):
                if is_over(meter):
                    return first, second, cost, GIVEN_UP
                u = order[p]
                s = start[u]
                if c == k:
                    lo = p + 1
                else:
                    while lo < stop and start[order[lo]] < s - window:
                        lo += 1
                e = end[u]
                a = annotator[u]
                q = lo
                for q in range(lo, stop):
                    v = order[q]
                    t = start[v]
                    if t > s + window:
                        break
                    if annotator[v] == a:
                        continue
                    d = 0.0
                    if formula >= 0:
                        d = positional_cost(formula, factor, s, e, t, end[v])
                        d += category_costs[category[u], category[v]]
                        if not d <= most:
                            continue
                    elif _apart(further, u, v):
                        continue
                    if n == len(first):
                        if n >= limit:
                            return first, second, cost, -1
                        first = grow(first, 16)
                        second = grow(second, 16)
                        cost = grow(cost, 16)
                    first[n] = min(u, v)
                    second[n] = max(u, v)
                    cost[n] = d
                    n += 1
                meter[STEPS] += 8 * (1 + q - lo)
    return first[:n], second[:n], cost[:n], n


@late_kernel
def adjacency(
    n_units: int, first: Codes, second: Codes, weight: Floats
) -> tuple[Indices, Codes, Floats]:
    """Return each unit's pairs: where each row of neighbours begins, neighbours, and weights.

    Rows are sorted by neighbour; each pair is in the rows of both its units.
    """
    start = np.zeros(n_units + 1, np.int64)
    for p in range(len(first)):
        start[first[p] + 1] += 1
        start[second[p] + 1] += 1
    for u in range(n_units):
        start[u + 1] += start[u]
    # Two counting passes sort by (row, neighbour): the first by neighbour, the second stably by
    # row.
    size = start[n_units]
    row = np.empty(size, np.int32)
    pair = np.empty(size, np.int64)
    fill = start[:-1].copy()
    for p in range(len(first)):
        u = first[p]
        v = second[p]
        row[fill[v]] = u
        pair[fill[v]] = p
        fill[v] += 1
        row[fill[u]] = v
        pair[fill[u]] = p
        fill[u] += 1
    neighbour = np.empty(size, np.int32)
    weights = np.empty(size, np.float64)
    fill = start[:-1].copy()
    for v in range(n_units):
        for p in range(start[v], start[v + 1]):
            u = row[p]
            neighbour[fill[u]] = v
            weights[fill[u]] = weight[pair[p]]
            fill[u] += 1
    return start, neighbour, weights


@kernel
def weight_between(graph: Graph, u: int, v: int) -> float:
    """Return w(u, v), or −∞ if u and v are not neighbours."""
    lo = graph.start[u]
    hi = graph.start[u + 1]
    p = index_of(graph.neighbour, lo, hi, v)
    if p < hi and graph.neighbour[p] == v:
        return float(graph.weight[p])
    return -np.inf


@late_kernel
def group_weights(groups: Codes, graph: Graph) -> Floats:
    """Return Σ w over the pairs of each group; −∞ if two of its units are not neighbours."""
    total = np.zeros(len(groups), np.float64)
    for g in range(len(groups)):
        for i in range(groups.shape[1]):
            u = groups[g, i]
            if u < 0:
                continue
            for j in range(i + 1, groups.shape[1]):
                v = groups[g, j]
                if v >= 0:
                    total[g] += weight_between(graph, u, v)
    return total


@late_kernel
def costs_inside(groups: Codes, units: UnitArrays, costs_of: Costs, delta: float) -> Floats:
    """Return Σ d over the pairs of units in each group, plus Δ for each pair with an empty unit."""
    start, end, category, _ = units
    formula, factor, category_costs = costs_of
    n = groups.shape[1]
    costs = np.empty(len(groups), np.float64)
    for g in range(len(groups)):
        total = 0.0
        empty = n * (n - 1) // 2
        for i in range(n):
            u = groups[g, i]
            if u < 0:
                continue
            for j in range(i + 1, n):
                v = groups[g, j]
                if v >= 0:
                    d = positional_cost(formula, factor, start[u], end[u], start[v], end[v])
                    total += d + category_costs[category[u], category[v]]
                    empty -= 1
        costs[g] = total + delta * empty
    return costs


@kernel
def sums_of_best_weights(graph: Graph) -> Floats:
    """Return `rest`, the sums of each unit's best weights, shape (units, n + 1).

    rest[u, k] = Σ over annotators a ≥ k of max(0, largest w of u with a unit of a).
    """
    n_units = len(graph.annotator)
    rest = np.zeros((n_units, graph.n_annotators + 1), np.float64)
    for u in range(n_units):
        for p in range(graph.start[u], graph.start[u + 1]):
            k = graph.annotator[graph.neighbour[p]]
            rest[u, k] = max(rest[u, k], graph.weight[p])
        for k in range(graph.n_annotators - 1, -1, -1):
            rest[u, k] += rest[u, k + 1]
    return rest
