"""Compiled kernel: simulated annealing over alignments."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.problem import Adjacency
from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel


@kernel
def anneal(
    annotator: Codes,
    n_annotators: int,
    graph: Adjacency,
    by_weight: Indices,
    near: float,
    opening: float,
    missing: float,
    group_of: Codes,
    n_groups: int,
    moves: int,
    hot: float,
    cold: float,
    random: np.random.Generator,
    halted: Bools,
) -> tuple[Codes, float]:
    """The best alignment met from `group_of` on, and what it gains against it.

    A move puts one unit into another group, or a new one; whoever of its annotator is there comes
    to where it was. It is taken if it gains d ≥ 0, else with probability exp(d/T) (Metropolis et
    al. 1953), T falling geometrically from `hot` to `cold` over the moves (Kirkpatrick, Gelatt &
    Vecchi 1983). `near` is the share of moves to a group of
    a neighbour; `by_weight` are the pairs' places in each unit's row, heaviest first. A pair
    that is no candidate costs `missing`. `n_groups` is how many there may be at most.
    """
    n = len(group_of)
    group_of = group_of.copy()
    best_of = group_of.copy()
    member = np.full((n_groups, n_annotators), -1, np.int32)
    size = np.zeros(n_groups, np.int64)
    # What each unit has with each group; pairs count `missing` more, which `_with` takes off.
    tie = np.zeros((n_groups, n), np.float64)
    for u in range(n):
        g = group_of[u]
        member[g, annotator[u]] = u
        size[g] += 1
        _change(tie[g], u, 1.0, graph, missing)
    used = np.empty(n_groups, np.int64)
    place = np.full(n_groups, -1, np.int64)
    free = np.empty(n_groups, np.int64)
    n_used = 0
    n_free = 0
    for g in range(n_groups):
        if size[g] > 0:
            place[g] = n_used
            used[n_used] = g
            n_used += 1
        else:
            free[n_free] = g
            n_free += 1
    gain = 0.0
    best = 0.0
    temperature = hot
    for move in range(moves):
        if move % 256 == 0:
            if halted[0]:
                break
            temperature = hot * (cold / hot) ** (move / moves)
        u = int(random.random() * n)
        a = annotator[u]
        here = group_of[u]
        way = random.random()
        if way < near:
            count = graph.start[u + 1] - graph.start[u]
            if count == 0:
                continue
            # The heaviest pairs most often.
            rank = int(count * random.random() ** 3)
            there = group_of[graph.neighbour[by_weight[graph.start[u] + rank]]]
        elif way < 0.97:
            there = used[int(random.random() * n_used)]
        elif n_free > 0 and size[here] > 1:
            there = free[n_free - 1]
        else:
            continue
        if there == here:
            continue
        other = member[there, a]
        d = tie[there, u] - tie[here, u] - missing * (size[there] - size[here] + 1)
        if other < 0:
            if size[here] == 1:
                d += opening
            if size[there] == 0:
                d -= opening
        else:
            d += missing * (size[there] - size[here] + 1) + tie[here, other] - tie[there, other]
        if d < 0.0 and random.random() >= np.exp(d / temperature):
            continue
        gain += d
        _change(tie[here], u, -1.0, graph, missing)
        _change(tie[there], u, 1.0, graph, missing)
        group_of[u] = there
        member[there, a] = u
        member[here, a] = other
        if other >= 0:
            _change(tie[there], other, -1.0, graph, missing)
            _change(tie[here], other, 1.0, graph, missing)
            group_of[other] = here
        else:
            size[here] -= 1
            size[there] += 1
            if size[there] == 1:
                n_free -= 1
                place[there] = n_used
                used[n_used] = there
                n_used += 1
            if size[here] == 0:
                n_used -= 1
                last = used[n_used]
                used[place[here]] = last
                place[last] = place[here]
                place[here] = -1
                free[n_free] = here
                n_free += 1
        if gain > best + 1e-9 * opening:
            best = gain
            best_of[:] = group_of
    return best_of, best


@kernel
def _change(
    tie: Floats,
    unit: int,
    sign: float,
    graph: Adjacency,
    missing: float,
) -> None:
    """The unit enters (or leaves) the group that `tie` is of."""
    for p in range(graph.start[unit], graph.start[unit + 1]):
        tie[graph.neighbour[p]] += sign * (graph.weight[p] + missing)
