"""Compiled kernels that move prices towards feasibility within the support's affine space.

The support are the groups the master uses. At the best prices each of them just pays, so prices
only move where those sums stay as they are. A group that gains more than its prices is a
half-space that the prices have yet to enter: they are projected on it (Agmon 1954, Motzkin and
Schoenberg 1954), orthogonally to the support.

A `Support` has units in parts that share groups, `part[u]` and the unit's place in it `at[u]`;
part k has `size[k]` units listed at `unit_from[k]` in `units`, and at `row_from[k]` in `rows` the
symmetric matrix, size[k] × size[k], that takes from a vector what lies in the span of the groups.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.support import Support
from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel

# A little beyond the half-space's face, so that sweeps end.
_OVER = 1.3
# Ten sweeps are worth it if they bring the largest lack down to this share of itself.
_STUCK = 0.8
# Starts are improved so many times, annotator by annotator.
_ROUNDS = 6
# Roots with more neighbours are left to pricing.
_MOST_NEIGHBOURS = 1500


@kernel
def enter(
    price: Floats,
    members: Codes,
    lacking: float,
    support: Support,
) -> bool:
    """Move prices in place until the group pays `lacking` more; False where the support forbids."""
    part, at, size = support.part, support.at, support.size
    norm = 0.0
    for u in members:
        row = support.row_from[part[u]] + at[u] * size[part[u]]
        for v in members:
            if part[v] == part[u]:
                norm += support.rows[row + at[v]]
    if norm < 1e-9:
        return False
    for u in members:
        row = support.row_from[part[u]] + at[u] * size[part[u]]
        first = support.unit_from[part[u]]
        for j in range(size[part[u]]):
            price[support.units[first + j]] += _OVER * lacking / norm * support.rows[row + j]
    return True


@kernel
def sweep(
    price: Floats,
    begin: Indices,
    members: Codes,
    gain: Floats,
    enough: float,
    sweeps: int,
    support: Support,
) -> float:
    """Enter the half-spaces of all columns in turn, `sweeps` times; the largest lack left.

    Ends early when no column lacks more than `enough`, and when ten more sweeps hardly helped.
    """
    worst = 0.0
    before = np.inf
    for done in range(sweeps):
        if done % 10 == 0:
            if done and worst > _STUCK * before:
                break
            before = worst if done else np.inf
        worst = 0.0
        for c in range(len(gain)):
            lacking = gain[c]
            for p in range(begin[c], begin[c + 1]):
                lacking -= price[members[p]]
            if lacking > enough:
                worst = max(worst, lacking)
                enter(
                    price,
                    members[begin[c] : begin[c + 1]],
                    lacking,
                    support,
                )
        if worst == 0.0:
            break
    return worst


@kernel
def probe(
    annotator: Codes,
    n_annotators: int,
    start: Indices,
    neighbour: Codes,
    weight: Floats,
    price: Floats,
    opening: float,
    groups: Codes,
    group_of: Codes,
    floor: float,
    halted: Bools,
    support: Support,
) -> tuple[Indices, Codes, Floats]:
    """Groups that gain more than their prices + floor, sought near `groups`; prices move in place.

    Each unit is put into each of the groups around it, which then is improved annotator by
    annotator. Whatever lacks is entered at once, so that what is found differs.
    Returns (begin, members, gain).
    """
    n_units = len(annotator)
    out_begin = np.zeros(1024, np.int64)
    out_members = np.empty(4096, np.int32)
    out_gain = np.empty(1024, np.float64)
    count = 0
    filled = 0
    place = np.full(n_units, -1, np.int32)
    tried = np.full(len(groups), -1, np.int32)
    inside = np.empty(n_annotators, np.int32)
    group = np.empty(n_annotators, np.int32)
    begin = np.zeros(n_annotators + 1, np.int64)
    near = np.empty((0, 0), np.float64)
    into = np.empty(0, np.float64)
    total = np.empty(0, np.float64)
    for root in range(n_units):
        if halted[0]:
            break
        lo = start[root]
        around = start[root + 1] - lo
        if around == 0 or around > _MOST_NEIGHBOURS:
            continue
        if around > len(into):
            near = np.empty((around, around), np.float64)
            into = np.empty(around, np.float64)
            total = np.empty(around, np.float64)
        begin[:] = 0
        for i in range(around):
            place[neighbour[lo + i]] = i
            begin[annotator[neighbour[lo + i]] + 1] += 1
        for k in range(n_annotators):
            begin[k + 1] += begin[k]
        for i in range(around):
            near[i, :around] = -np.inf
            u = neighbour[lo + i]
            for p in range(start[u], start[u + 1]):
                if place[neighbour[p]] >= 0:
                    near[i, place[neighbour[p]]] = weight[p]
        for q in range(around):
            g = group_of[neighbour[lo + q]]
            if tried[g] == root:
                continue
            tried[g] = root
            for i in range(around):
                into[i] = opening + weight[lo + i]
            for k in range(n_annotators):
                inside[k] = -1
                x = groups[g, k]
                if x >= 0 and k != annotator[root] and place[x] >= 0:
                    inside[k] = place[x]
            _improved(near, into, total, inside, begin, price, neighbour[lo : lo + around])
            members = 1
            group[0] = root
            gained = 0.0
            paid = price[root]
            for k in range(n_annotators):
                i = inside[k]
                if i >= 0:
                    gained += into[i]
                    for j in range(k):
                        if inside[j] >= 0:
                            gained += near[i, inside[j]]
                    group[members] = neighbour[lo + i]
                    paid += price[group[members]]
                    members += 1
            if gained - paid <= floor or members == 1:
                continue
            enter(
                price,
                group[:members],
                gained - paid,
                support,
            )
            if filled + members > len(out_members):
                out_members = np.concatenate((out_members, np.empty_like(out_members)))
            if count + 2 > len(out_begin):
                out_begin = np.concatenate((out_begin, np.empty_like(out_begin)))
                out_gain = np.concatenate((out_gain, np.empty_like(out_gain)))
            out_members[filled : filled + members] = np.sort(group[:members])
            out_gain[count] = gained
            filled += members
            count += 1
            out_begin[count] = filled
        for i in range(around):
            place[neighbour[lo + i]] = -1
    return out_begin[: count + 1], out_members[:filled], out_gain[:count]


@kernel
def _improved(
    near: Floats,
    into: Floats,
    total: Floats,
    inside: Codes,
    begin: Indices,
    price: Floats,
    neighbour: Codes,
) -> None:
    """Give each annotator in turn its best unit for the others' units, or none, in `inside`."""
    n_annotators = len(inside)
    for _ in range(_ROUNDS):
        changed = False
        for k in range(n_annotators):
            if begin[k] == begin[k + 1]:
                continue
            for i in range(begin[k], begin[k + 1]):
                total[i] = into[i] - price[neighbour[i]]
            for j in range(n_annotators):
                if j != k and inside[j] >= 0:
                    row = near[inside[j]]
                    for i in range(begin[k], begin[k + 1]):
                        total[i] += row[i]
            best = 1e-9
            found = -1
            for i in range(begin[k], begin[k + 1]):
                if total[i] > best:
                    best = total[i]
                    found = i
            if found != inside[k]:
                inside[k] = found
                changed = True
        if not changed:
            break
    # Units that are no neighbours of each other cannot be together.
    for k in range(n_annotators):
        for j in range(k):
            if inside[k] >= 0 and inside[j] >= 0 and near[inside[k], inside[j]] == -np.inf:
                inside[k] = -1
