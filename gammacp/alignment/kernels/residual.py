"""Compiled kernel: of the best matchings of two annotators the first one.

Every best matching consists of tight pairs, which gain what the prices of both units are, and
leaves nobody alone whose price is above 0. So one is turned into any other along the *residual
graph*: an arc from a unit of the first annotator to each of its tight partners but its own, an arc
from a unit of the second one back to its partner, and two further nodes, through which units that
may be alone change places: an arc from `source` to each single unit of the first annotator, from
each paired one that may be alone back to it, and likewise for the second annotator's and `sink`.

1. Augmenting paths between single units make pairs until there are as many as there can be.
2. All other best matchings with as many pairs differ by cycles, which stay in strong components.
   Cycles that cost less than nothing, an arc costing d_cat of the pair it makes and less that of
   the pair it undoes, are turned until there is none (Klein 1967). Then the distances by which
   that is shown are prices of a second kind.
3. Cycles along arcs that are tight under these, too, cost nothing, and stay in components of their
   own. The units in them are settled in their order: a search along such arcs says which partners
   a unit can have, the first of them is taken, and both leave the graph.
"""

from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import NODES, STEPS, Meter
from gammacp.kernel import kernel, late_kernel


class TightPairs(NamedTuple):
    """Tight pairs from both sides: partners of unit u are `other[start[u]:start[u + 1]]`.

    Units of the first annotator are 0 … `n_first` − 1, the others follow. `cost` is d_cat, and
    `free` tells who may be alone.
    """

    n_first: int
    start: Indices
    other: Codes
    cost: Floats
    free: Bools


class Arcs(NamedTuple):
    """Arcs of the residual graph, `start` and `end` nodes and what they cost."""

    tail: Codes
    head: Codes
    cost: Floats


@late_kernel
def first_matching(
    pairs: TightPairs,
    partner: Codes,
    order: Codes,
    tolerance: float,
    most_cycles: int,
    meter: Meter,
) -> bool:
    """Turn a best matching, `partner` (−1: alone), into the first one, in place.

    Parameters
    ----------
    order
        The units from the first one on; their partners are sought in this order.
    tolerance
        Smallest difference of costs that is told apart.
    most_cycles
        Cycles that are turned at most, in step 2.

    Returns
    -------
    bool
        False where there were more cycles, so that another matching may come before this one.
    """
    n = len(partner)
    _augment(pairs, partner, meter)
    label = _strong_components(_arcs(pairs, partner), n + 2, meter)
    distance = np.zeros(n + 2, np.float64)
    if not _turn_negative_cycles(pairs, partner, label, distance, tolerance, most_cycles, meter):
        return False
    arcs = _arcs(pairs, partner)
    _keep(arcs, label, distance, tolerance)
    kept = arcs.tail >= 0
    tight = Arcs(arcs.tail[kept], arcs.head[kept], arcs.cost[kept])
    label = _strong_components(tight, n + 2, meter)
    _settle(pairs, partner, order, label, distance, tolerance, meter)
    return True


@kernel
def _augment(pairs: TightPairs, partner: Codes, meter: Meter) -> None:
    """Make as many pairs as there can be, in place: paths from one single unit to another."""
    n_first, start, other, _, _ = pairs
    before = np.full(len(partner), -1, np.int32)
    queue = np.empty(len(partner), np.int32)
    for root in range(n_first):
        if partner[root] >= 0 or start[root] == start[root + 1]:
            continue
        queue[0] = root
        size = 1
        at = 0
        end = -1
        while at < size and end < 0:
            u = queue[at]
            at += 1
            meter[STEPS] += 10 + 3 * (start[u + 1] - start[u])
            for p in range(start[u], start[u + 1]):
                v = other[p]
                if before[v] >= 0:
                    continue
                before[v] = u
                if partner[v] < 0:
                    end = v
                    break
                queue[size] = partner[v]
                size += 1
        # Units that no path leads on from are left out for good: no later path does, either.
        if end < 0:
            continue
        v = end
        while v >= 0:
            u = before[v]
            following = partner[u]
            partner[u] = v
            partner[v] = u
            v = following
        before[:] = -1
        meter[STEPS] += len(before)


@kernel
def _arcs(pairs: TightPairs, partner: Codes) -> Arcs:
    """Return the residual graph of a matching; `source` is node n, `sink` n + 1."""
    n_first, start, other, cost, free = pairs
    n = len(partner)
    size = start[n_first] + n
    tail = np.empty(size, np.int32)
    head = np.empty(size, np.int32)
    price = np.zeros(size, np.float64)
    count = 0
    for u in range(n_first):
        for p in range(start[u], start[u + 1]):
            forth = other[p] != partner[u]
            tail[count] = u if forth else other[p]
            head[count] = other[p] if forth else u
            price[count] = cost[p] if forth else -cost[p]
            count += 1
    for u in range(n):
        if u < n_first:
            inside = n
        else:
            inside = n + 1
        # The source sends to who is single of the first annotator, the sink gets from the second's.
        if partner[u] < 0 or free[u]:
            outwards = (partner[u] < 0) != (u < n_first)
            tail[count] = u if outwards else inside
            head[count] = inside if outwards else u
            count += 1
    return Arcs(tail[:count], head[:count], price[:count])


@kernel
def _strong_components(arcs: Arcs, n_nodes: int, meter: Meter) -> Codes:
    """Label nodes by their strong component (Tarjan 1972), −1 for components of a single node."""
    tail, head, _ = arcs
    meter[STEPS] += 10 * (n_nodes + len(tail))
    begin = np.zeros(n_nodes + 1, np.int64)
    for a in range(len(tail)):
        begin[tail[a] + 1] += 1
    for u in range(n_nodes):
        begin[u + 1] += begin[u]
    fill = begin[:-1].copy()
    to = np.empty(len(tail), np.int32)
    for a in range(len(tail)):
        to[fill[tail[a]]] = head[a]
        fill[tail[a]] += 1
    at = begin[:-1].copy()
    number = np.full(n_nodes, -1, np.int32)
    lowest = np.zeros(n_nodes, np.int32)
    label = np.full(n_nodes, -1, np.int32)
    done = np.zeros(n_nodes, np.bool_)
    stack = np.empty(n_nodes, np.int32)
    path = np.empty(n_nodes, np.int32)
    n_stack = 0
    counted = 0
    for root in range(n_nodes):
        if number[root] >= 0:
            continue
        path[0] = root
        depth = 0
        while depth >= 0:
            u = path[depth]
            if number[u] < 0:
                number[u] = counted
                lowest[u] = counted
                counted += 1
                stack[n_stack] = u
                n_stack += 1
            if at[u] < begin[u + 1]:
                v = to[at[u]]
                at[u] += 1
                if number[v] < 0:
                    depth += 1
                    path[depth] = v
                elif not done[v]:
                    lowest[u] = min(lowest[u], number[v])
                continue
            depth -= 1
            if depth >= 0:
                lowest[path[depth]] = min(lowest[path[depth]], lowest[u])
            if lowest[u] < number[u]:
                continue
            single = stack[n_stack - 1] == u
            while True:
                n_stack -= 1
                v = stack[n_stack]
                done[v] = True
                if not single:
                    label[v] = u
                if v == u:
                    break
    return label


@kernel
def _keep(arcs: Arcs, label: Codes, distance: Floats, tolerance: float) -> None:
    """Mark arcs by tail −1, in place, that leave their component or are not tight."""
    tail, head, cost = arcs
    for a in range(len(tail)):
        u = tail[a]
        v = head[a]
        apart = label[u] < 0 or label[u] != label[v]
        if apart or cost[a] + distance[u] - distance[v] > tolerance:
            tail[a] = -1


@kernel
def _turn_negative_cycles(
    pairs: TightPairs,
    partner: Codes,
    label: Codes,
    distance: Floats,
    tolerance: float,
    most_cycles: int,
    meter: Meter,
) -> bool:
    """Turn cycles that cost less than nothing, in place, until distances show that none is left.

    False where there are more of them than may be turned. Distances are found by passes over all
    arcs (Bellman 1958); where a cycle is negative, the arcs that gave nodes their distances close.
    """
    n_nodes = len(distance)
    by = np.empty(n_nodes, np.int32)
    mark = np.empty(n_nodes, np.int32)
    turned = 0
    while True:
        every = _arcs(pairs, partner)
        inside = np.zeros(len(every.tail), np.bool_)
        for a in range(len(every.tail)):
            u = every.tail[a]
            v = every.head[a]
            inside[a] = label[u] >= 0 and label[u] == label[v]
        tail = every.tail[inside]
        head = every.head[inside]
        cost = every.cost[inside]
        distance[:] = 0.0
        by[:] = -1
        n_cycles = 0
        moved = True
        while moved and n_cycles == 0:
            moved = False
            meter[STEPS] += 3 * len(tail) + 3 * n_nodes
            for a in range(len(tail)):
                far = distance[tail[a]] + cost[a]
                if far < distance[head[a]] - tolerance:
                    distance[head[a]] = far
                    by[head[a]] = tail[a]
                    moved = True
            if moved:
                n_cycles = _turn_cycles(partner, by, mark, pairs.n_first)
        if n_cycles == 0:
            return True
        turned += n_cycles
        meter[NODES] += n_cycles
        if turned > most_cycles:
            return False


@kernel
def _turn_cycles(partner: Codes, by: Codes, mark: Codes, n_first: int) -> int:
    """Turn all cycles among the arcs `by[node]` → node, in place; how many there were.

    Each node has one such arc at most, so that cycles share none.
    """
    n = len(partner)
    mark[:] = -1
    n_cycles = 0
    for root in range(len(by)):
        x = root
        while x >= 0 and mark[x] < 0:
            mark[x] = root
            x = by[x]
        if x < 0 or mark[x] != root:
            continue
        n_cycles += 1
        # Pairs are undone first, and then made.
        y = x
        while True:
            z = by[y]
            if y < n_first and n_first <= z < n:
                partner[z] = -1
                partner[y] = -1
            y = z
            if y == x:
                break
        while True:
            z = by[y]
            if n_first <= y < n and z < n_first:
                partner[y] = z
                partner[z] = y
            y = z
            if y == x:
                break
    return n_cycles


@kernel
def _settle(
    pairs: TightPairs,
    partner: Codes,
    order: Codes,
    label: Codes,
    distance: Floats,
    tolerance: float,
    meter: Meter,
) -> None:
    """Give each unit in turn the first partner that it can have, in place.

    A unit can have a partner if the arc of the pair closes a cycle. So from a unit of the second
    annotator one looks for units that it leads to, from one of the first annotator for nodes that
    lead to it: the search runs against the arcs.
    """
    n_first, start, other, cost, _ = pairs
    n = len(partner)
    place = np.empty(n, np.int32)
    for i in range(n):
        place[order[i]] = i
    settled = np.zeros(n + 2, np.bool_)
    seen = np.full(n + 2, -1, np.int32)
    by = np.empty(n + 2, np.int32)
    queue = np.empty(n + 2, np.int32)
    for i in range(n):
        u = order[i]
        if settled[u]:
            continue
        if label[u] >= 0:
            graph = pairs, partner, label, distance, tolerance, settled
            _search(u, graph, seen, by, queue, meter)
            best = partner[u]
            for p in range(start[u], start[u + 1]):
                v = other[p]
                if seen[v] != u or v == partner[u]:
                    continue
                a, b = (u, v) if u < n_first else (v, u)
                if abs(cost[p] + distance[a] - distance[b]) > tolerance:
                    continue
                if best < 0 or place[v] < place[best]:
                    best = v
            if best != partner[u]:
                _turn(partner, by, u, best, n_first)
        settled[u] = True
        if partner[u] >= 0:
            settled[partner[u]] = True


@kernel
def _search(
    u: int,
    graph: tuple[TightPairs, Codes, Codes, Floats, float, Bools],
    seen: Codes,
    by: Codes,
    queue: Codes,
    meter: Meter,
) -> None:
    """Mark in `seen` the nodes that unit u leads to, or that lead to it if it is of the first.

    Both are the same walk: to partners along their arcs, or against them. `by` is where each node
    was reached from.
    """
    pairs, partner, label, distance, tolerance, settled = graph
    n_first, start, other, cost, free = pairs
    n = len(partner)
    # Against the arcs, who is paired is left for the partner where along them it is for others.
    back = u < n_first
    seen[u] = u
    queue[0] = u
    size = 1
    at = 0
    while at < size:
        x = queue[at]
        at += 1
        meter[STEPS] += 10
        if x < n and (x < n_first) != back:
            # To all tight partners but the own one.
            meter[STEPS] += 3 * (start[x + 1] - start[x])
            for p in range(start[x], start[x + 1]):
                y = other[p]
                if seen[y] == u or settled[y] or y == partner[x] or label[y] != label[u]:
                    continue
                a, b = (x, y) if x < n_first else (y, x)
                if abs(cost[p] + distance[a] - distance[b]) <= tolerance:
                    seen[y] = u
                    by[y] = x
                    queue[size] = y
                    size += 1
            if x < n_first:
                inside = n
            else:
                inside = n + 1
            out = partner[x] >= 0 and free[x]
        elif x < n:
            y = partner[x]
            if y >= 0 and seen[y] != u and not settled[y] and label[y] == label[u]:
                seen[y] = u
                by[y] = x
                queue[size] = y
                size += 1
            if x < n_first:
                inside = n
            else:
                inside = n + 1
            out = partner[x] < 0
        else:
            # From source or sink to the units at its other side.
            meter[STEPS] += n
            low, high = (0, n_first) if x == n else (n_first, n)
            single = (x == n) != back
            for y in range(low, high):
                if seen[y] == u or settled[y] or label[y] != label[u]:
                    continue
                if single:
                    fits = partner[y] < 0
                else:
                    fits = partner[y] >= 0 and free[y]
                if fits and abs(distance[x] - distance[y]) <= tolerance:
                    seen[y] = u
                    by[y] = x
                    queue[size] = y
                    size += 1
            continue
        out = out and seen[inside] != u and label[inside] == label[u]
        if out and abs(distance[inside] - distance[x]) <= tolerance:
            seen[inside] = u
            by[inside] = x
            queue[size] = inside
            size += 1


@kernel
def _turn(partner: Codes, by: Codes, u: int, best: int, n_first: int) -> None:
    """Pair u with its new partner, in place, and turn the way by which that was reached."""
    n = len(partner)
    back = u < n_first
    # Pairs are undone first, and then made.
    for making in (False, True):
        y = best
        while y != u:
            z = by[y]
            tail, head = (y, z) if back else (z, y)
            if tail < n and head < n and (tail < n_first) == making:
                partner[tail] = head if making else -1
                partner[head] = tail if making else -1
            y = z
    partner[u] = best
    partner[best] = u
