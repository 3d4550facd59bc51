"""Compiled kernel that finds groups by their reduced cost: branch and bound over annotators."""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel


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
    fraction: float,
    per_root: int,
    node_limit: int,
    limit: int,
    halted: Bools,
) -> tuple[Indices, Codes, Floats, Floats, int]:
    """Groups whose gain exceeds their units' prices by more than `floor` (which may be negative).

    A group is built from its first unit, its root, annotator by annotator. What the annotators to
    come can add is bounded by their best unit each, with its weights to the group and half of its
    best weights to the other annotators to come. Units that cannot be in a group of the root that
    counts are dropped first, which makes these bounds local.

    With `fraction` ≥ 0 only groups better than that fraction of the root's best so far are kept,
    and after `per_root` of them only better ones: this is pricing. With `fraction` < 0 all are
    kept: this is enumeration.

    Returns (begin, members, gain, excess, count): `excess[root]` is an upper bound on gain − Σ
    price of all groups of that root, exact unless the root's `node_limit` was reached. With more
    than `limit` members it stops and the count is −1. Once `halted[0]` is set, by another thread,
    an enumeration stops likewise, and pricing visits no further node.
    """
    n_units = len(annotator)
    members = np.empty(4096, np.int32)
    begin = np.zeros(1024, np.int64)
    gain = np.empty(1024, np.float64)
    excess = np.zeros(n_units, np.float64)
    count = 0
    filled = 0
    unit_at = np.empty((n_annotators + 1, 64), np.int32)
    value_at = np.empty((n_annotators + 1, 64), np.float64)
    bound_at = np.empty((n_annotators + 1, 64), np.float64)
    size_at = np.zeros(n_annotators + 1, np.int64)
    next_at = np.zeros(n_annotators + 1, np.int64)
    total_at = np.zeros(n_annotators + 1, np.float64)
    inside = np.empty(n_annotators + 1, np.int32)
    best_of = np.zeros(n_annotators + 2, np.float64)
    place = np.full(n_units, -1, np.int32)
    near = np.empty((64, n_annotators + 1), np.float64)
    for root in range(n_units):
        lo = start[root]
        hi = start[root + 1]
        while lo < hi and neighbour[lo] < root:
            lo += 1
        size = hi - lo
        if size == 0:
            continue
        if size > unit_at.shape[1]:
            unit_at = np.empty((n_annotators + 1, 2 * size), np.int32)
            value_at = np.empty((n_annotators + 1, 2 * size), np.float64)
            bound_at = np.empty((n_annotators + 1, 2 * size), np.float64)
            near = np.empty((2 * size, n_annotators + 1), np.float64)
        inside[0] = root
        total_at[0] = -price[root]
        for i in range(size):
            x = neighbour[lo + i]
            unit_at[0, i] = x
            value_at[0, i] = opening - price[x] + weight[lo + i]
        size = _reduced(
            annotator,
            n_annotators,
            start,
            neighbour,
            weight,
            unit_at[0],
            value_at[0],
            size,
            floor - total_at[0],
            place,
            near,
            best_of,
        )
        size_at[0] = size
        _bound_candidates(
            annotator,
            n_annotators,
            near,
            place,
            unit_at[0],
            value_at[0],
            bound_at[0],
            size,
            annotator[root],
            best_of,
        )
        next_at[0] = 0
        depth = 0
        best = 0.0
        kept = 0
        nodes = 0
        while depth >= 0:
            i = next_at[depth]
            if i >= size_at[depth]:
                depth -= 1
                continue
            threshold = floor
            if fraction >= 0.0:
                threshold = max(floor, best if kept >= per_root else fraction * best)
            total = total_at[depth]
            if total + bound_at[depth, i] <= threshold:
                next_at[depth] = i + 1
                continue
            if halted[0]:
                if fraction < 0.0:
                    return begin, members, gain, excess, -1
                nodes = node_limit
            if nodes >= node_limit:
                break
            nodes += 1
            next_at[depth] = i + 1
            x = unit_at[depth, i]
            total += value_at[depth, i]
            inside[depth + 1] = x
            if total > threshold:
                best = max(best, total)
                kept += 1
                if filled + depth + 2 > len(members):
                    if filled + depth + 2 > limit:
                        return begin, members, gain, excess, -1
                    larger = np.empty(2 * len(members), np.int32)
                    larger[:filled] = members[:filled]
                    members = larger
                if count + 2 > len(begin):
                    more = np.empty(2 * len(begin), np.int64)
                    more[: count + 1] = begin[: count + 1]
                    begin = more
                    gains = np.empty(2 * len(gain), np.float64)
                    gains[:count] = gain[:count]
                    gain = gains
                gain[count] = total
                for m in range(depth + 2):
                    members[filled + m] = inside[m]
                    gain[count] += price[inside[m]]
                filled += depth + 2
                count += 1
                begin[count] = filled
            # Candidates of the larger group: those after x that are also its neighbours.
            d = depth + 1
            p = start[x]
            stop = start[x + 1]
            k = 0
            for j in range(i + 1, size_at[depth]):
                y = unit_at[depth, j]
                while p < stop and neighbour[p] < y:
                    p += 1
                if p == stop:
                    break
                if neighbour[p] == y:
                    unit_at[d, k] = y
                    value_at[d, k] = value_at[depth, j] + weight[p]
                    k += 1
            if k == 0:
                continue
            size_at[d] = k
            total_at[d] = total
            next_at[d] = 0
            _bound_candidates(
                annotator,
                n_annotators,
                near,
                place,
                unit_at[d],
                value_at[d],
                bound_at[d],
                k,
                annotator[x],
                best_of,
            )
            depth = d
        for i in range(size):
            place[unit_at[0, i]] = -1
        excess[root] = best
        if nodes >= node_limit:
            for d in range(depth + 1):
                for i in range(next_at[d], size_at[d]):
                    excess[root] = max(excess[root], total_at[d] + bound_at[d, i])
    return begin[: count + 1], members[:filled], gain[:count], excess, count


@kernel
def _bound_candidates(
    annotator: Codes,
    n_annotators: int,
    near: Floats,
    place: Codes,
    unit: Codes,
    value: Floats,
    bound: Floats,
    size: int,
    last: int,
    best_of: Floats,
) -> None:
    """What each candidate and the annotators after it can add at most, in place."""
    for k in range(last + 1, n_annotators + 1):
        best_of[k] = 0.0
    for i in range(size):
        x = unit[i]
        bound[i] = value[i] + 0.5 * near[place[x], last + 1]
        k = annotator[x]
        best_of[k] = max(best_of[k], bound[i])
    for k in range(n_annotators - 1, last, -1):
        best_of[k] += best_of[k + 1]
    for i in range(size):
        bound[i] += best_of[annotator[unit[i]] + 1]


@kernel
def _reduced(
    annotator: Codes,
    n_annotators: int,
    start: Indices,
    neighbour: Codes,
    weight: Floats,
    unit: Codes,
    value: Floats,
    size: int,
    threshold: float,
    place: Codes,
    near: Floats,
    best_of: Floats,
) -> int:
    """How many candidates are left once those that reach no more than `threshold` are dropped.

    `unit` and `value` are packed in place; `place[unit]` is a candidate's number, −1 for others;
    `near[i, k]` is Σ over annotators ≥ k of candidate i's best weight to a candidate of theirs.
    """
    for i in range(size):
        place[unit[i]] = i
    while True:
        for k in range(n_annotators + 1):
            best_of[k] = 0.0
        for i in range(size):
            for k in range(n_annotators + 1):
                near[i, k] = 0.0
            for p in range(start[unit[i]], start[unit[i] + 1]):
                if place[neighbour[p]] >= 0:
                    k = annotator[neighbour[p]]
                    near[i, k] = max(near[i, k], weight[p])
            for k in range(n_annotators - 1, -1, -1):
                near[i, k] += near[i, k + 1]
            k = annotator[unit[i]]
            best_of[k] = max(best_of[k], value[i] + 0.5 * near[i, 0])
        together = 0.0
        for k in range(n_annotators):
            together += best_of[k]
        kept = 0
        for i in range(size):
            x = unit[i]
            most = value[i] + 0.5 * near[i, 0] + together - best_of[annotator[x]]
            if most > threshold:
                unit[kept] = x
                value[kept] = value[i]
                place[x] = kept
                kept += 1
            else:
                place[x] = -1
        if kept == size:
            return size
        size = kept
