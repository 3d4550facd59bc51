"""Compiled kernel: the matching of largest gain between two annotators, with its proof."""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel


@kernel
def best_matching(
    start: Indices, column: Codes, gain: Floats, n_columns: int, halted: Bools
) -> tuple[Codes, Floats, Floats]:
    """Shortest augmenting paths (Jonker & Volgenant 1987) where nobody need be matched.

    Row u may be matched with `column[start[u]:start[u + 1]]`, for that `gain` > 0. Returns the
    column of each row (−1 alone) and the prices ≥ 0 of rows and columns: no pair gains more than
    the prices of both, matched ones gain exactly that, and who is alone has price 0. Once
    `halted[0]` is set, by another thread, the remaining rows stay alone, at a price.
    """
    n_rows = len(start) - 1
    row_price = np.zeros(n_rows, np.float64)
    column_price = np.zeros(n_columns, np.float64)
    column_of = np.full(n_rows, -1, np.int32)
    row_of = np.full(n_columns, -1, np.int32)
    for u in range(n_rows):
        best = -1
        for p in range(start[u], start[u + 1]):
            if gain[p] > row_price[u]:
                row_price[u] = gain[p]
                best = p
        if best >= 0 and row_of[column[best]] < 0:
            column_of[u] = column[best]
            row_of[column[best]] = u
    distance = np.full(n_columns, np.inf, np.float64)
    parent = np.empty(n_columns, np.int32)
    place = np.full(n_columns, -1, np.int32)
    heap = np.empty(n_columns, np.int32)
    touched = np.empty(n_columns, np.int32)
    rows = np.empty(n_rows, np.int32)
    at = np.empty(n_rows, np.float64)
    for u in range(n_rows):
        if column_of[u] >= 0 or row_price[u] <= 0.0:
            continue
        if halted[0]:
            break
        # The path ends at a column that is free, or at a row that is left alone instead.
        end_column = -1
        end_row = u
        shortest = row_price[u]
        size = 0
        n_touched = 0
        rows[0] = u
        at[0] = 0.0
        n_rows_in = 1
        x = u
        d = 0.0
        while True:
            for p in range(start[x], start[x + 1]):
                v = column[p]
                far = d + max(row_price[x] + column_price[v] - gain[p], 0.0)
                if far >= shortest or far >= distance[v]:
                    continue
                if distance[v] == np.inf:
                    touched[n_touched] = v
                    n_touched += 1
                distance[v] = far
                parent[v] = x
                if row_of[v] < 0:
                    shortest = far
                    end_column = v
                    end_row = -1
                    continue
                if place[v] < 0:
                    place[v] = size
                    heap[size] = v
                    size += 1
                _up(heap, place, distance, place[v])
            if size == 0 or distance[heap[0]] >= shortest:
                break
            v = heap[0]
            size -= 1
            heap[0] = heap[size]
            place[heap[0]] = 0
            place[v] = -1
            if size > 0:
                _down(heap, place, distance, size)
            d = distance[v]
            x = row_of[v]
            rows[n_rows_in] = x
            at[n_rows_in] = d
            n_rows_in += 1
            if d + row_price[x] < shortest:
                shortest = d + row_price[x]
                end_column = -1
                end_row = x
        for i in range(n_rows_in):
            x = rows[i]
            if at[i] < shortest:
                if i > 0:
                    column_price[column_of[x]] += shortest - at[i]
                row_price[x] = max(row_price[x] - (shortest - at[i]), 0.0)
        v = end_column
        if end_row >= 0:
            v = column_of[end_row]
            column_of[end_row] = -1
        while v >= 0 and end_row != u:
            x = parent[v]
            before = column_of[x]
            column_of[x] = v
            row_of[v] = x
            v = before
            if x == u:
                break
        for i in range(n_touched):
            distance[touched[i]] = np.inf
            place[touched[i]] = -1
    return column_of, row_price, column_price


@kernel
def _up(heap: Codes, place: Codes, distance: Floats, i: int) -> None:
    v = heap[i]
    while i > 0:
        above = (i - 1) // 2
        if distance[heap[above]] <= distance[v]:
            break
        heap[i] = heap[above]
        place[heap[i]] = i
        i = above
    heap[i] = v
    place[v] = i


@kernel
def _down(heap: Codes, place: Codes, distance: Floats, size: int) -> None:
    v = heap[0]
    i = 0
    while 2 * i + 1 < size:
        below = 2 * i + 1
        if below + 1 < size and distance[heap[below + 1]] < distance[heap[below]]:
            below += 1
        if distance[heap[below]] >= distance[v]:
            break
        heap[i] = heap[below]
        place[heap[i]] = i
        i = below
    heap[i] = v
    place[v] = i
