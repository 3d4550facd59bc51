"""Compiled kernels that find groups by their reduced cost, and prove that there are no others.

For each root, the first unit of its groups, a branch and bound over labels: one annotator after
the other is given one of its units, or none. Messages between annotators (`message_kernels`) bound
what is left and drop most labels at once.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.message_kernels import bound_labels, pair_at, pass_messages
from gammacp.alignment.root_kernels import glance, graph, labels, reduced
from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel

# Messages are passed again while the distance of the bound to its goal falls by this share.
_WORTH = 0.02
# A label that falls short by all that the bound has left counts exp(−_DECIDED) as much.
_DECIDED = 2.5
# Numbers in a root's edges; with more, its bound is the half-sum bound.
_MOST_EDGES = 30_000_000


@kernel
def price_groups(
    annotator: Codes,
    n_annotators: int,
    start: Indices,
    neighbour: Codes,
    weight: Floats,
    price: Floats,
    opening: float,
    floor: float,
    every: bool,
    passes: int,
    roots: Indices,
    node_limit: int,
    limit: int,
    halted: Bools,
) -> tuple[Indices, Codes, Floats, Floats, Bools, int]:
    """Groups of these roots whose gain exceeds their units' prices by more than `floor`.

    `floor` may be negative. With `every` all of them (enumeration), otherwise of each root one
    better than the other, the best one last (pricing). At each node of the search messages are
    passed at most `passes` times, at a root four times as often.

    Returns (begin, members, gain, excess, unsure, count): no group of a root gains more than its
    prices and `excess[root]` ≥ max(floor, 0), which is exact unless `unsure[root]`: its
    `node_limit` was reached or its graph is too large. With more than `limit` members it stops and
    the count is −1. Once `halted[0]` is set, by another thread, an enumeration stops likewise, and
    pricing bounds the other roots without search.
    """
    n_units = len(annotator)
    out_begin = np.zeros(1024, np.int64)
    out_members = np.empty(4096, np.int32)
    out_gain = np.empty(1024, np.float64)
    excess = np.zeros(n_units, np.float64)
    unsure = np.zeros(n_units, np.bool_)
    count = 0
    filled = 0
    place = np.full(n_units, -1, np.int32)
    widest = 1
    for root in roots:
        widest = max(widest, start[root + 1] - start[root])
    unit = np.empty(widest, np.int32)
    value = np.empty(widest, np.float64)
    near = np.empty((widest, n_annotators + 1), np.float64)
    best_of = np.zeros(n_annotators + 2, np.float64)
    never = 1.0 + 10.0 * n_annotators * abs(opening)
    most_weight = 0.0
    for w in weight:
        most_weight = max(most_weight, w)
    never += 10.0 * n_annotators * n_annotators * most_weight
    group = np.empty(n_annotators, np.int32)
    for root in roots:
        excess[root] = max(floor, 0.0)
        if halted[0]:
            if every:
                return out_begin, out_members, out_gain, excess, unsure, -1
            excess[root] = max(
                excess[root],
                glance(annotator, start, neighbour, weight, price, opening, most_weight, root),
            )
            unsure[root] = True
            continue
        size = 0
        for p in range(start[root], start[root + 1]):
            if neighbour[p] > root:
                unit[size] = neighbour[p]
                value[size] = opening - price[neighbour[p]] + weight[p]
                size += 1
        size, most = reduced(
            annotator,
            n_annotators,
            start,
            neighbour,
            weight,
            unit,
            value,
            size,
            floor + price[root],
            place,
            near,
            best_of,
            halted,
        )
        if size == 0:
            continue
        m, begin, widest_label = labels(annotator, unit, size)
        pairs = m * (m - 1) // 2
        if halted[0] or pairs * widest_label * widest_label > _MOST_EDGES:
            if every:
                return out_begin, out_members, out_gain, excess, unsure, -1
            excess[root] = max(excess[root], most - price[root])
            unsure[root] = True
            for i in range(size):
                place[unit[i]] = -1
            continue
        values, edge = graph(
            start, neighbour, weight, unit, value, place, begin, widest_label, never
        )
        # Branch and bound: at most one level per annotator.
        alive = np.zeros((m + 1, m, widest_label), np.int32)
        alive_count = np.zeros((m + 1, m), np.int64)
        sent = np.zeros((m + 1, pairs, 2, widest_label), np.float64)
        short = np.zeros((m, widest_label), np.float64)
        room = np.zeros((3, widest_label), np.float64)
        branch = np.zeros(m + 1, np.int64)
        choices = np.zeros((m + 1, widest_label), np.int32)
        reach = np.zeros((m + 1, widest_label), np.float64)
        next_at = np.zeros(m + 1, np.int64)
        n_choices = np.zeros(m + 1, np.int64)
        for s in range(m):
            alive_count[0, s] = begin[s + 1] - begin[s] + 1
            for i in range(alive_count[0, s]):
                alive[0, s, i] = i
        threshold = floor
        open_bound = -np.inf
        nodes = 0
        depth = 0
        entered = True
        while depth >= 0:
            if entered:
                entered = False
                nodes += 1
                bound = _bounded(
                    values,
                    edge,
                    sent[depth],
                    alive[depth],
                    alive_count[depth],
                    short,
                    room,
                    threshold + price[root],
                    passes if depth else 4 * passes,
                )
                bound -= price[root]
                if bound <= threshold:
                    depth -= 1
                    continue
                if halted[0]:
                    if every:
                        return out_begin, out_members, out_gain, excess, unsure, -1
                    node_limit = 0
                if nodes > node_limit:
                    open_bound = bound
                    unsure[root] = True
                    break
                s = _most_decided(alive_count[depth], short, bound - threshold)
                if s < 0:
                    size_of = 1
                    group[0] = root
                    total = -price[root]
                    for t in range(m):
                        x = alive[depth, t, 0]
                        if x:
                            group[size_of] = unit[begin[t] + x - 1]
                            size_of += 1
                            total += values[t, x]
                            for r in range(t):
                                total += edge[pair_at(r, t, m), alive[depth, r, 0], x]
                    depth -= 1
                    # A root alone is no group.
                    if total <= threshold or size_of == 1:
                        continue
                    if not every:
                        threshold = total
                        excess[root] = max(excess[root], total)
                    if filled + size_of > limit:
                        return out_begin, out_members, out_gain, excess, unsure, -1
                    if filled + size_of > len(out_members):
                        out_members = np.concatenate((out_members, np.empty_like(out_members)))
                    if count + 2 > len(out_begin):
                        out_begin = np.concatenate((out_begin, np.empty_like(out_begin)))
                        out_gain = np.concatenate((out_gain, np.empty_like(out_gain)))
                    out_gain[count] = total
                    for i in range(size_of):
                        out_members[filled + i] = group[i]
                        out_gain[count] += price[group[i]]
                    filled += size_of
                    count += 1
                    out_begin[count] = filled
                    continue
                n_choices[depth] = alive_count[depth, s]
                next_at[depth] = 0
                branch[depth] = s
                order = np.argsort(-short[s, : n_choices[depth]])
                for i in range(n_choices[depth]):
                    choices[depth, i] = alive[depth, s, order[i]]
                    reach[depth, i] = bound + short[s, order[i]]
            i = next_at[depth]
            if i >= n_choices[depth]:
                depth -= 1
                continue
            next_at[depth] = i + 1
            if reach[depth, i] <= threshold:
                continue
            alive[depth + 1] = alive[depth]
            alive_count[depth + 1] = alive_count[depth]
            sent[depth + 1] = sent[depth]
            depth += 1
            alive_count[depth, branch[depth - 1]] = 1
            alive[depth, branch[depth - 1], 0] = choices[depth - 1, i]
            entered = True
        for d in range(depth):
            for i in range(next_at[d], n_choices[d]):
                open_bound = max(open_bound, reach[d, i])
        excess[root] = max(excess[root], open_bound)
        for i in range(size):
            place[unit[i]] = -1
    return out_begin[: count + 1], out_members[:filled], out_gain[:count], excess, unsure, count


@kernel
def _bounded(
    value: Floats,
    edge: Floats,
    sent: Floats,
    alive: Codes,
    count: Indices,
    short: Floats,
    room: Floats,
    threshold: float,
    passes: int,
) -> float:
    """Bound after passing messages; labels that reach no more than the threshold are dropped.

    −∞ when none is left.
    """
    m = len(count)
    bound = np.inf
    for _ in range(passes):
        before = bound
        pass_messages(value, edge, sent, alive, count, room[0])
        bound = bound_labels(value, edge, sent, alive, count, short, room[1], room[2])
        for s in range(m):
            kept = 0
            for i in range(count[s]):
                if bound + short[s, i] > threshold:
                    alive[s, kept] = alive[s, i]
                    short[s, kept] = short[s, i]
                    kept += 1
            count[s] = kept
            if kept == 0:
                return -np.inf
        if bound <= threshold or before - bound <= _WORTH * (bound - threshold):
            break
    return bound


@kernel
def _most_decided(count: Indices, short: Floats, slack: float) -> int:
    """The annotator with the fewest labels, by how little they fall short; −1 if all have one.

    A subtree whose bound is nearer to its goal is smaller by orders of magnitude.
    """
    found = -1
    least = np.inf
    for s in range(len(count)):
        if count[s] > 1:
            weight = 0.0
            for i in range(count[s]):
                weight += np.exp(_DECIDED * short[s, i] / slack)
            if weight < least:
                least = weight
                found = s
    return found
