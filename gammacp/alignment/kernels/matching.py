"""Compiled kernel for the matching of largest gain between two annotators, with its proof."""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.array_slices import is_over
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel, late_kernel


class Offers(NamedTuple):
    """Pairs that may be matched: row u with `column[start[u]:start[u + 1]]`, for `gain` > 0."""

    start: Indices
    column: Codes
    gain: Floats


class PartialMatching(NamedTuple):
    """Partners so far (−1: alone) and prices of rows and columns."""

    column_of: Codes
    row_of: Codes
    row_price: Floats
    column_price: Floats


class AugmentingPath(NamedTuple):
    """State of the search for a shortest augmenting path.

    Columns have a `distance` and the row that they were reached from (`parent`); those reached are
    `touched`. Rows are listed in the order in which they were reached (`row`), with their distance
    (`at`).
    """

    distance: Floats
    parent: Codes
    touched: Codes
    row: Codes
    at: Floats


@late_kernel
def best_matching(
    start: Indices, column: Codes, gain: Floats, n_columns: int, meter: Meter
) -> tuple[Codes, Floats, Floats]:
    """Find the best matching by shortest augmenting paths (Jonker & Volgenant 1987).

    Row u may be matched with `column[start[u]:start[u + 1]]`, for that `gain` > 0; no row or column
    must be matched. Return the column of each row (−1: alone) and the prices ≥ 0 of rows and
    columns. No pair gains more than its two prices, matched pairs gain exactly that, and rows and
    columns alone have price 0. Once the meter is over, the remaining rows stay alone, at a price
    above 0.
    """
    n_rows = len(start) - 1
    offers = Offers(start, column, gain)
    matched = _first_choices(offers, n_columns)
    path = AugmentingPath(
        np.full(n_columns, np.inf, np.float64),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.float64),
    )
    for u in range(n_rows):
        if matched.column_of[u] >= 0 or matched.row_price[u] <= 0.0:
            continue
        if is_over(meter):
            break
        v, shortest, n_in, n_touched = _shortest_path(u, offers, matched, path, meter)
        for i in range(n_in):
            x = path.row[i]
            less = shortest - path.at[i]
            if less > 0.0:
                if i > 0:
                    matched.column_price[matched.column_of[x]] += less
                matched.row_price[x] = max(matched.row_price[x] - less, 0.0)
        if v < 0:  # The path ends at a row that is left alone.
            x = -1 - v
            v = matched.column_of[x]
            matched.column_of[x] = -1
        while v >= 0:
            x = path.parent[v]
            before = matched.column_of[x]
            matched.column_of[x] = v
            matched.row_of[v] = x
            v = before
        for i in range(n_touched):
            path.distance[path.touched[i]] = np.inf
    return matched.column_of, matched.row_price, matched.column_price


@kernel
def _first_choices(offers: Offers, n_columns: int) -> PartialMatching:
    """Match each row with its most profitable column if that is still free."""
    n_rows = len(offers.start) - 1
    row_price = np.zeros(n_rows, np.float64)
    column_of = np.full(n_rows, -1, np.int32)
    row_of = np.full(n_columns, -1, np.int32)
    for u in range(n_rows):
        best = -1
        for p in range(offers.start[u], offers.start[u + 1]):
            if offers.gain[p] > row_price[u]:
                row_price[u] = offers.gain[p]
                best = p
        if best >= 0 and row_of[offers.column[best]] < 0:
            column_of[u] = offers.column[best]
            row_of[offers.column[best]] = u
    return PartialMatching(column_of, row_of, row_price, np.zeros(n_columns, np.float64))


@kernel
def _shortest_path(
    u: int, offers: Offers, matched: PartialMatching, path: AugmentingPath, meter: Meter
) -> tuple[int, float, int, int]:
    """Return the end of the shortest path from row u, its length, and how much was reached.

    The path ends at a column that is free, or at a row x that is left alone instead: −1 − x. The
    last two numbers count the rows and the columns that were reached.
    """
    start, column, gain = offers
    _, row_of, row_price, column_price = matched
    distance = path.distance
    end = -1 - u
    shortest = row_price[u]
    path.row[0] = u
    path.at[0] = 0.0
    n_in = 1
    n_touched = 0
    x = u
    d = 0.0
    heap = [(0.0, np.int64(u))]
    heap.clear()
    while True:
        meter[STEPS] += 20 + 4 * (start[x + 1] - start[x])
        for p in range(start[x], start[x + 1]):
            v = column[p]
            far = d + max(row_price[x] + column_price[v] - gain[p], 0.0)
            if far >= shortest or far >= distance[v]:
                continue
            if distance[v] == np.inf:
                path.touched[n_touched] = v
                n_touched += 1
            distance[v] = far
            path.parent[v] = x
            if row_of[v] < 0:
                shortest = far
                end = v
            else:
                heappush(heap, (far, np.int64(v)))
        d = np.inf
        while len(heap) > 0:
            d, nearest = heappop(heap)
            if d == distance[nearest]:  # Otherwise it was reached by a shorter way since.
                break
            d = np.inf
        if d >= shortest:
            return end, shortest, n_in, n_touched
        x = row_of[nearest]
        path.row[n_in] = x
        path.at[n_in] = d
        n_in += 1
        if d + row_price[x] < shortest:
            shortest = d + row_price[x]
            end = -1 - x
