"""Compiled kernel that finds the first of all best matchings of two annotators.

Every best matching consists of tight pairs, which gain exactly the prices of both units, and leaves
no unit alone whose price is above 0. Any best matching can be turned into any other along the
*residual graph*. From a unit of the first annotator an arc goes to each of its tight partners
except its current one; from a unit of the second annotator an arc goes back to its current partner.
Through two further nodes, units that may be alone change places: an arc goes from `source` to each
single unit of the first annotator, and from each paired one that may be alone back to it; likewise
for the second annotator and `sink`.

1. Augmenting paths between single units add pairs until there are as many as possible.
2. All other best matchings with as many pairs differ by cycles, which lie in strong components. An
   arc costs d_cat of the pair that it makes, or minus that of the pair that it undoes. Cycles of
   negative cost are exchanged until there is none (Klein 1967). The distances that prove this are
   prices of a second kind.
3. Cycles along arcs that are tight under these prices, too, cost nothing, and lie in smaller strong
   components. Their units are settled in order: a search along such arcs tells which partners a
   unit can have, the first of them is taken, and both units leave the graph.
"""

from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import NODES, STEPS, Meter
from gammacp.kernel import kernel, late_kernel


class TightPairs(NamedTuple):
    """Tight pairs from both sides: partners of unit u are `other[start[u]:start[u + 1]]`.

    Units of the first annotator are 0 … `n_first` − 1, and those of the second follow. `cost` is
    d_cat of each pair, and `free` tells which units may be alone.
    """

    n_first: int
    start: Indices
    other: Codes
    cost: Floats
    free: Bools


class Arcs(NamedTuple):
    """Arcs of the residual graph: first node (`tail`), last node (`head`), and cost."""

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
    """Turn a best matching, `partner` (−1: alone), into the first of all best ones, in place.

    Parameters
    ----------
    order
        The units in the order in which their partners are determined.
    tolerance
        Largest difference of costs that counts as a tie.
    most_cycles
        Largest number of cycles that are exchanged in step 2.

    Returns
    -------
    bool
        False if there were more cycles; another matching may then come before this one.
    """
    n = len(partner)
    _augment(pairs, partner, meter)
    label = _strong_components(_arcs(pairs, partner), n + 2, meter)
    distance = np.zeros(n + 2, np.float64)
    if not _turn_negative_cycles(pairs, partner, label, distance, tolerance, most_cycles, meter):
        return False
    arcs = _arcs(pairs, partner)
    _keep(arcs, label, distance, tolerance)
    is_arc = arcs.tail >= 0
    tight = Arcs(arcs.tail[is_arc], arcs.head[is_arc], arcs.cost[is_arc])
    label = _strong_components(tight, n + 2, meter)
    _settle(pairs, partner, order, label, distance, tolerance, meter)
    return True


@kernel
def _augment(pairs: TightPairs, partner: Codes, meter: Meter) -> None:
    """Add as many pairs as possible, in place, along paths from one single unit to another."""
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
        # If no path was found, the units reached stay marked: no later path can lead through them.
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
        # Arcs go from the source to single units of the first annotator, and from single units of
        # the second annotator to the sink.
        if partner[u] < 0 or free[u]:
            outwards = (partner[u] < 0) != (u < n_first)
            tail[count] = u if outwards else inside
            head[count] = inside if outwards else u
            count += 1
    return Arcs(tail[:count], head[:count], price[:count])


@kernel
def _strong_components(arcs: Arcs, n_nodes: int, meter: Meter) -> Codes:
    """Label nodes by their strong component (Tarjan 1972); −1 for components of a single node."""
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
    """Set the tail of arcs that leave their component or are not tight to −1, in place."""
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
    """Exchange cycles of negative cost, in place, until distances show that none is left.

    Return False if there are more of them than `most_cycles`. Distances are found by passes over
    all arcs (Bellman 1958). If there is a negative cycle, it shows up among the arcs that nodes got
    their distances from.
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
    """Exchange all cycles among the arcs `by[node]` → node, in place; return their number.

    A node has at most one such arc, so no two cycles share a node.
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

    A unit can have a partner if the arc between them lies on a cycle. For a unit of the second
    annotator, this means that the unit leads to the partner. For a unit of the first annotator, the
    partner must lead to the unit, so the search runs against the arcs.
    """
    n_first, start, other, cost, _ = pairs
    n = len(partner)
    place = np.empty(n, np.int32)
    for i in range(n):
        place[order[i]] = i
    settled = np.zeros(n + 2, np.bool_)
    visited_by = np.full(n + 2, -1, np.int32)
    by = np.empty(n + 2, np.int32)
    queue = np.empty(n + 2, np.int32)
    for i in range(n):
        u = order[i]
        if settled[u]:
            continue
        if label[u] >= 0:
            graph = pairs, partner, label, distance, tolerance, settled
            _search(u, graph, visited_by, by, queue, meter)
            best = partner[u]
            for p in range(start[u], start[u + 1]):
                v = other[p]
                if visited_by[v] != u or v == partner[u]:
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
    visited_by: Codes,
    by: Codes,
    queue: Codes,
    meter: Meter,
) -> None:
    """Mark the nodes that unit u leads to or, for a first annotator's u, that lead to u.

    Both are the same walk, along the arcs or against them. At these nodes, `visited_by` is u
    afterwards, and `by` the node that they were reached from.
    """
    pairs, partner, label, distance, tolerance, settled = graph
    n_first, start, other, cost, free = pairs
    n = len(partner)
    # Along the arcs, a walk goes from a first annotator's unit to all other tight partners, and
    # from a second annotator's unit to its current partner. Against the arcs it is the other way
    # round.
    back = u < n_first
    visited_by[u] = u
    queue[0] = u
    size = 1
    at = 0
    while at < size:
        x = queue[at]
        at += 1
        meter[STEPS] += 10
        if x < n and (x < n_first) != back:
            # Continue to all tight partners except the current one.
            meter[STEPS] += 3 * (start[x + 1] - start[x])
            for p in range(start[x], start[x + 1]):
                y = other[p]
                if visited_by[y] == u or settled[y] or y == partner[x] or label[y] != label[u]:
                    continue
                a, b = (x, y) if x < n_first else (y, x)
                if abs(cost[p] + distance[a] - distance[b]) <= tolerance:
                    size = _visit(y, x, u, visited_by, by, queue, size)
            out = partner[x] >= 0 and free[x]
        elif x < n:
            y = partner[x]
            if y >= 0 and visited_by[y] != u and not settled[y] and label[y] == label[u]:
                size = _visit(y, x, u, visited_by, by, queue, size)
            out = partner[x] < 0
        else:
            # Continue from the source or the sink to its units.
            meter[STEPS] += n
            low, high = (0, n_first) if x == n else (n_first, n)
            single = (x == n) != back
            for y in range(low, high):
                if visited_by[y] == u or settled[y] or label[y] != label[u]:
                    continue
                if single:
                    fits = partner[y] < 0
                else:
                    fits = partner[y] >= 0 and free[y]
                if fits and abs(distance[x] - distance[y]) <= tolerance:
                    size = _visit(y, x, u, visited_by, by, queue, size)
            continue
        # Continue to the source or the sink, through which units that may be alone change places.
        inside = n if x < n_first else n + 1
        out = out and visited_by[inside] != u and label[inside] == label[u]
        if out and abs(distance[inside] - distance[x]) <= tolerance:
            size = _visit(inside, x, u, visited_by, by, queue, size)


@kernel
def _visit(
    node: int, previous: int, u: int, visited_by: Codes, by: Codes, queue: Codes, size: int
) -> int:
    """Mark a node as reached from `previous` on the walk of unit u, and put it into the queue.

    Return the new number of entries of the queue.
    """
    visited_by[node] = u
    by[node] = previous
    queue[size] = node
    return size + 1


@kernel
def _turn(partner: Codes, by: Codes, u: int, best: int, n_first: int) -> None:
    """Pair u with its new partner, and exchange the pairs along the path in `by`, in place."""
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
