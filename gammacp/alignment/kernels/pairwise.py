"""Compiled kernel: the best matching of every two annotators."""

import numpy as np

from gammacp.alignment.kernels.matching import best_matching
from gammacp.alignment.kernels.records import Graph
from gammacp.alignment.kernels.runs import is_over
from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel


@kernel
def matching_prices(
    graph: Graph, begin: Indices, inside: Bools, each: Floats, meter: Meter
) -> tuple[Floats, bool]:
    """Σ over annotator pairs of each unit's dual price in their matching of largest Σ w.

    Two annotators' units of one group earn no more than both prices, so that the pairs of a group
    earn no more than its units' sums. Pairs of annotators that are both `inside` are left out.
    False, and no use, if the meter is over before. `begin`: where each annotator's units begin.
    `each`, where it has a row per unit, gets its price in the matching with each annotator.
    """
    _, n_annotators, start, neighbour, weight = graph
    n = len(graph.annotator)
    total = np.zeros(n, np.float64)
    # Each unit's next pair; rows are sorted by neighbour, thus by annotator.
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
            total[lo:hi] += of_rows
            total[first:last] += of_columns
            if len(each) == n:
                each[lo:hi, b] = of_rows
                each[first:last, a] = of_columns
    return total, True
