"""Compiled kernel that matches every two annotators as well as possible."""

import numpy as np

from gammacp.alignment.kernels.array_slices import add_values, copy_values, is_over
from gammacp.alignment.kernels.matching import best_matching
from gammacp.alignment.kernels.records import Graph
from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel


@kernel
def matching_prices(
    graph: Graph, begin: Indices, inside: Bools, each: Floats, meter: Meter
) -> tuple[Floats, bool]:
    """Return, for each unit, the sum of its prices in the best matchings with each other annotator.

    Two units of a group gain no more than their two prices in the matching of their annotators, so
    the pairs of a group gain no more than the sums of its units. Best matchings are those of
    largest Σ w. Pairs of annotators that are both `inside` are left out. `begin` is the first unit
    of each annotator. If `each` has a row per unit, it receives the unit's price in the matching
    with each annotator. The second result is False, and the first useless, if the meter was over
    before the end.
    """
    _, n_annotators, start, neighbour, weight = graph
    n = len(graph.annotator)
    total = np.zeros(n, np.float64)
    # The next pair of each unit; rows are sorted by neighbour and thus by annotator.
    at = start[:-1].copy()
    row = np.zeros(n + 1, np.int64)
    column = np.empty(len(neighbour), np.int32)
    gain = np.empty(len(neighbour), np.float64)
    for a in range(n_annotators):
        lo = begin[a]
        hi = begin[a + 1]
        if is_over(meter):
            return total, False
        for b in range(a + 1, n_annotators):
            first = begin[b]
            last = begin[b + 1]
            count = 0
            for u in range(lo, hi):
                row[u - lo] = count
                while at[u] < start[u + 1] and neighbour[at[u]] < first:
                    at[u] += 1
                while at[u] < start[u + 1] and neighbour[at[u]] < last:
                    p = at[u]
                    if weight[p] > 0.0:
                        column[count] = neighbour[p] - first
                        gain[count] = weight[p]
                        count += 1
                    at[u] += 1
            row[hi - lo] = count
            meter[STEPS] += 4 * (count + hi - lo)
            if count == 0 or (inside[a] and inside[b]):
                continue
            _, of_rows, of_columns = best_matching(
                row[: hi - lo + 1], column[:count], gain[:count], last - first, meter
            )
            for i in range(hi - lo):  # Prices are feasible, whatever was rounded.
                for p in range(row[i], row[i + 1]):
                    of_rows[i] = max(of_rows[i], gain[p] - of_columns[column[p]])
            add_values(of_rows, total[lo:hi])
            add_values(of_columns, total[first:last])
            if len(each) == n:
                copy_values(of_rows, each[lo:hi, b])
                copy_values(of_columns, each[first:last, a])
    return total, True
