"""Compiled kernels of the greedy algorithm of 2011."""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel


@kernel
def take_disjoint(n_units: int, begin: Indices, members: Codes, order: Indices) -> Indices:
    """In that order, every column none of whose units is taken yet."""
    taken = np.zeros(n_units, np.bool_)
    chosen = np.empty(len(order), np.int64)
    count = 0
    for c in order:
        free = True
        for p in range(begin[c], begin[c + 1]):
            if taken[members[p]]:
                free = False
                break
        if free:
            for p in range(begin[c], begin[c + 1]):
                taken[members[p]] = True
            chosen[count] = c
            count += 1
    return chosen[:count]


@kernel
def groups_within(
    annotator: Codes,
    n_annotators: int,
    start: Indices,
    neighbour: Codes,
    weight: Floats,
    opening: float,
    most: float,
    delta: float,
    limit: int,
) -> tuple[Indices, Codes, Floats, int]:
    """Groups of two and more units with opening − Σ w ≤ `most`, as in `profitable_groups`."""
    members = np.empty(1024, np.int32)
    begin = np.zeros(512, np.int64)
    gain = np.empty(512, np.float64)
    count = 0
    filled = 0
    inside = np.empty(n_annotators + 1, np.int32)
    place = np.empty(n_annotators + 1, np.int64)
    total = np.zeros(n_annotators + 1, np.float64)
    for root in range(len(annotator)):
        inside[0] = root
        depth = 1
        place[1] = start[root]
        while depth > 0:
            p = place[depth]
            if p >= start[root + 1]:
                depth -= 1
                continue
            place[depth] += 1
            x = neighbour[p]
            k = annotator[x]
            if k <= annotator[inside[depth - 1]]:
                continue
            into = 0.0
            for m in range(depth):
                u = inside[m]
                q = start[u] + np.searchsorted(neighbour[start[u] : start[u + 1]], x)
                if q < start[u + 1] and neighbour[q] == x:
                    into += weight[q]
                else:
                    into = -np.inf
                    break
            # At best every later annotator adds Δ for each pair.
            later = n_annotators - 1 - k
            size = depth + 1
            more = delta * (later * size + later * (later - 1) / 2.0)
            if opening - total[depth] - into - more > most:
                continue
            inside[depth] = x
            depth += 1
            total[depth] = total[depth - 1] + into
            place[depth] = p + 1
            if opening - total[depth] > most:
                continue
            if filled + depth > len(members):
                if filled + depth > limit:
                    return begin, members, gain, -1
                larger = np.empty(2 * len(members), np.int32)
                larger[:filled] = members[:filled]
                members = larger
            if count + 2 > len(begin):
                more_begin = np.empty(2 * len(begin), np.int64)
                more_begin[: count + 1] = begin[: count + 1]
                begin = more_begin
                more_gain = np.empty(2 * len(gain), np.float64)
                more_gain[:count] = gain[:count]
                gain = more_gain
            members[filled : filled + depth] = inside[:depth]
            gain[count] = (depth - 1) * opening + total[depth]
            filled += depth
            count += 1
            begin[count] = filled
    return begin[: count + 1], members[:filled], gain[:count], count
