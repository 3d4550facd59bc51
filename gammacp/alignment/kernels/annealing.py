"""Compiled kernel: simulated annealing over alignments."""

from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.array_slices import copy_values, is_over
from gammacp.alignment.kernels.records import Graph
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel


class Grouping(NamedTuple):
    """An alignment that units are moved in.

    `member[g]` are the units of group g by annotator, −1 empty. `tie[g, u]` is Σ w of unit u with
    the units of group g, plus `missing` for each pair that is a candidate. `listed` are the groups,
    those that have units first, and `slot` is the index of each group in it.
    """

    group_of: Codes
    member: Codes
    size: Indices
    tie: Floats
    listed: Indices
    slot: Indices


@kernel
def anneal(
    graph: Graph,
    by_weight: Indices,
    near: float,
    opening: float,
    scale: float,
    missing: float,
    group_of: Codes,
    n_groups: int,
    moves: int,
    initial_temperature: float,
    final_temperature: float,
    random: np.random.Generator,
    meter: Meter,
) -> tuple[Codes, float]:
    """Return the best alignment met on the way from `group_of`, and how much it gains over that.

    A move puts one unit into another group or a new one. If that group has a unit of the same
    annotator, the two units are exchanged. A move that gains d ≥ 0 is accepted; one with d < 0 is
    accepted with probability exp(d/T) (Metropolis et al. 1953). The temperature T falls
    geometrically over the moves (Kirkpatrick, Gelatt & Vecchi 1983).

    `near` is the share of moves into a neighbour's group. `by_weight` are the indices in the graph
    of each unit's pairs, heaviest first. A pair that is not a candidate costs `missing`. There are
    at most `n_groups` groups.
    """
    n = len(group_of)
    best_of = group_of.copy()
    grouping, n_used = _start(graph, group_of, n_groups, missing)
    gain = 0.0
    best = 0.0
    temperature = initial_temperature
    for move in range(moves):
        if move % 256 == 0:
            if is_over(meter):
                break
            meter[STEPS] += 256 * 40
            ratio = final_temperature / initial_temperature
            temperature = initial_temperature * ratio ** (move / moves)
        u = int(random.random() * n)
        target = _draw_group(u, graph, by_weight, near, grouping, n_used, random)
        here = grouping.group_of[u]
        if target < 0 or target == here:
            continue
        other = grouping.member[target, graph.annotator[u]]
        size = grouping.size
        tie = grouping.tie
        pairs = size[target] - size[here] + 1
        d = tie[target, u] - tie[here, u] - missing * pairs
        if other >= 0:
            d += missing * pairs + tie[here, other] - tie[target, other]
        else:
            if size[here] == 1:
                d += opening
            if size[target] == 0:
                d -= opening
        if d < 0.0 and random.random() >= np.exp(d / temperature):
            continue
        gain += d
        n_used = _move(u, other, target, graph, grouping, n_used, missing)
        meter[STEPS] += 4 * (graph.start[u + 1] - graph.start[u])
        if gain > best + 1e-9 * scale:
            best = gain
            copy_values(grouping.group_of, best_of)
    return best_of, best


@kernel
def _start(graph: Graph, group_of: Codes, n_groups: int, missing: float) -> tuple[Grouping, int]:
    """Return the groups of `group_of` as a `Grouping`, and their number."""
    n = len(group_of)
    grouping = Grouping(
        group_of.copy(),
        np.full((n_groups, graph.n_annotators), -1, np.int32),
        np.zeros(n_groups, np.int64),
        np.zeros((n_groups, n), np.float64),
        np.empty(n_groups, np.int64),
        np.empty(n_groups, np.int64),
    )
    for u in range(n):
        g = group_of[u]
        grouping.member[g, graph.annotator[u]] = u
        grouping.size[g] += 1
        _change(grouping.tie[g], u, 1.0, graph, missing)
    copy_values(np.argsort(-grouping.size), grouping.listed)
    for i in range(n_groups):
        grouping.slot[grouping.listed[i]] = i
    return grouping, int(np.sum(grouping.size > 0))


@kernel
def _draw_group(
    u: int,
    graph: Graph,
    by_weight: Indices,
    near: float,
    grouping: Grouping,
    n_used: int,
    random: np.random.Generator,
) -> int:
    """Draw a group that unit u may move to: a neighbour's, any other, or a new one; −1 for none."""
    way = random.random()
    if way < near:
        count = graph.start[u + 1] - graph.start[u]
        if count == 0:
            return -1
        # Heavy pairs are drawn more often than light ones.
        at = by_weight[graph.start[u] + int(count * random.random() ** 3)]
        return int(grouping.group_of[graph.neighbour[at]])
    if way < 0.97:
        return int(grouping.listed[int(random.random() * n_used)])
    if n_used < len(grouping.listed) and grouping.size[grouping.group_of[u]] > 1:
        return int(grouping.listed[n_used])
    return -1


@kernel
def _move(
    u: int, other: int, target: int, graph: Graph, grouping: Grouping, n_used: int, missing: float
) -> int:
    """Move unit u to group `target` and unit `other` (−1: none) to u's group, in place.

    Return the number of groups that have units.
    """
    group_of, member, size, tie, listed, slot = grouping
    here = group_of[u]
    _change(tie[here], u, -1.0, graph, missing)
    _change(tie[target], u, 1.0, graph, missing)
    group_of[u] = target
    member[target, graph.annotator[u]] = u
    member[here, graph.annotator[u]] = other
    if other >= 0:
        _change(tie[target], other, -1.0, graph, missing)
        _change(tie[here], other, 1.0, graph, missing)
        group_of[other] = here
        return n_used
    size[here] -= 1
    size[target] += 1
    if size[target] == 1:
        n_used += 1
    if size[here] == 0:
        n_used -= 1
        last = listed[n_used]
        listed[slot[here]] = last
        slot[last] = slot[here]
        listed[n_used] = here
        slot[here] = n_used
    return n_used


@kernel
def _change(tie: Floats, unit: int, sign: float, graph: Graph, missing: float) -> None:
    """Add a unit to the group whose row of ties is `tie` (`sign` 1), or remove it (`sign` −1)."""
    for p in range(graph.start[unit], graph.start[unit + 1]):
        tie[graph.neighbour[p]] += sign * (graph.weight[p] + missing)
