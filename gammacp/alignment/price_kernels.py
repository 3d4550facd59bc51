"""Compiled kernels over the prices (duals) of units."""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel


@kernel
def repair(price: Floats, begin: Indices, members: Codes, gain: Floats, most: float) -> Floats:
    """Raise prices in place until no column earns more than its units' prices; the slacks.

    No price is raised above `most`; a column's gain is at most that times its units.
    """
    for c in range(len(gain)):
        missing = gain[c]
        for p in range(begin[c], begin[c + 1]):
            missing -= price[members[p]]
        for p in range(begin[c], begin[c + 1]):
            raised = max(min(missing, most - price[members[p]]), 0.0)
            price[members[p]] += raised
            missing -= raised
    loss = np.empty(len(gain), np.float64)
    for c in range(len(gain)):
        loss[c] = -gain[c]
        for p in range(begin[c], begin[c + 1]):
            loss[c] += price[members[p]]
    return loss


@kernel
def matching_prices(
    n_first: int, partner: Codes, start: Indices, neighbour: Codes, weight: Floats, opening: float
) -> Floats:
    """Prices that prove a best matching: each matched pair pays just its gain, the others enough.

    Every matched unit of the first annotator begins by paying all; where a pair would then gain
    more than its units pay, its second unit takes over from its partner (Bellman and Ford).
    """
    n_units = len(partner)
    price = np.zeros(n_units, np.float64)
    for u in range(n_first):
        for p in range(start[u], start[u + 1]):
            if neighbour[p] == partner[u]:
                price[u] = weight[p] + opening
    queue = np.empty(n_first + 1, np.int32)
    queued = np.ones(n_first, np.bool_)
    for u in range(n_first):
        queue[u] = u
    head = 0
    waiting = n_first
    steps = 0
    while waiting > 0 and steps < 200 * n_units:
        steps += 1
        u = queue[head]
        head = (head + 1) % len(queue)
        waiting -= 1
        queued[u] = False
        for p in range(start[u], start[u + 1]):
            v = neighbour[p]
            lacking = weight[p] + opening - price[u] - price[v]
            if lacking <= 1e-12 * opening or partner[v] < 0 or partner[v] == u:
                continue
            price[v] += lacking
            w = partner[v]
            price[w] = max(price[w] - lacking, 0.0)
            if not queued[w]:
                queued[w] = True
                queue[(head + waiting) % len(queue)] = w
                waiting += 1
    return price
