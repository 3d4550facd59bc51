"""Compiled kernels that move prices towards feasibility within the support's affine space.

The support is the set of groups that the master uses. At the best prices each of them is paid
exactly, so prices only move in directions that keep the sums over these groups. A group that gains
more than the prices of its units stands for a half-space of prices that pay it. The prices are
projected on this half-space (Agmon 1954, Motzkin and Schoenberg 1954), orthogonally to the support.

In a `SupportProjection`, units are divided into parts; units that share a group are in one part.
`part[u]` is the part of unit u and `at[u]` its index there. Part k has `size[k]` units, which begin
at `unit_from[k]` in `units`. At `row_from[k]` in `rows` begins its symmetric matrix, size[k] ×
size[k], which projects on the vectors that are orthogonal to all groups of the support.
"""

from typing import NamedTuple

import numpy as np

from gammacp.alignment.duals.projection import SupportProjection
from gammacp.alignment.kernels.array_slices import is_over
from gammacp.alignment.kernels.growing_columns import append, no_columns, trim
from gammacp.alignment.kernels.records import Columns, Graph
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import STEPS, Meter
from gammacp.kernel import kernel

# Largest number of passes over the half-spaces of all columns. They end early if ten passes did not
# reduce the largest lack to below `_STALLED_PROJECTIONS` of what it was. Each projection goes
# beyond the half-space's face by the factor `_RELAXATION`: at 1 passes never end, at 2 they
# oscillate.
_PROJECTIONS = 300
_STALLED_PROJECTIONS = 0.8
_RELAXATION = 1.3
# Number of rounds over the annotators in which a group near the alignment is improved, and largest
# number of neighbours of a root. Roots with more are left to exact pricing, because a square matrix
# of neighbours is filled.
_IMPROVING_ROUNDS = 6
_NEIGHBOURS = 1500


class Around(NamedTuple):
    """Neighbours of a root, `unit`, sorted by annotator: those of annotator k begin at `begin[k]`.

    `near` are the weights between them, `into` what each of them adds to the root's group, and
    `inside` the neighbour of each annotator that is in the group, −1 for none.
    """

    unit: Codes
    begin: Indices
    near: Floats
    into: Floats
    inside: Codes


@kernel
def project(price: Floats, members: Codes, lacking: float, support: SupportProjection) -> bool:
    """Move prices in place until a group pays `lacking` more; False if the support forbids it.

    `members` are the units of the group.
    """
    part = support.part
    at = support.at
    size = support.size
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
            price[support.units[first + j]] += _RELAXATION * lacking / norm * support.rows[row + j]
    return True


@kernel
def project_on_all(
    price: Floats, columns: Columns, enough: float, support: SupportProjection, meter: Meter
) -> float:
    """Project prices on the half-spaces of all columns in turn; return the largest remaining lack.

    The passes end early once no column lacks more than `enough`, or if ten more passes hardly help.
    """
    begin, members, gain = columns
    worst = 0.0
    before = np.inf
    for done in range(_PROJECTIONS):
        if done % 10 == 0:
            if done and worst > _STALLED_PROJECTIONS * before:
                break
            if done:
                before = worst
            else:
                before = np.inf
        worst = 0.0
        meter[STEPS] += 2 * len(members)
        for c in range(len(gain)):
            lacking = gain[c]
            for p in range(begin[c], begin[c + 1]):
                lacking -= price[members[p]]
            if lacking > enough:
                worst = max(worst, lacking)
                group = members[begin[c] : begin[c + 1]]
                meter[STEPS] += 100 * len(group)
                project(price, group, lacking, support)
        if worst == 0.0:
            break
    return worst


@kernel
def settle(
    price: Floats,
    columns: Columns,
    multiplier: Floats,
    passes: int,
    enough: float,
    meter: Meter,
) -> None:
    """Move prices, in place, towards the nearest ones that pay all columns (Hildreth 1957).

    On entry `price` includes what the multipliers have added so far. The multipliers are ≥ 0 and
    are updated in place.
    """
    begin, members, gain = columns
    for _ in range(passes):
        meter[STEPS] += 3 * len(members)
        most = 0.0
        for c in range(len(gain)):
            lacking = gain[c]
            for p in range(begin[c], begin[c + 1]):
                lacking -= price[members[p]]
            step = max(lacking / (begin[c + 1] - begin[c]), -multiplier[c])
            if step != 0.0:
                multiplier[c] += step
                most = max(most, abs(step))
                for p in range(begin[c], begin[c + 1]):
                    price[members[p]] += step
        if most <= enough:
            break


@kernel
def price_near(
    graph: Graph,
    price: Floats,
    opening: float,
    groups: Codes,
    group_of: Codes,
    floor: float,
    support: SupportProjection,
    meter: Meter,
) -> Columns:
    """List groups near `groups` that gain more than their prices + `floor`; prices move in place.

    Each unit is added to each of the groups around it, and that group is then improved annotator by
    annotator. If it gains too much, prices are projected at once until they pay it, so that the
    groups that are found differ from each other.
    """
    annotator = graph.annotator
    n_annotators = graph.n_annotators
    columns = no_columns()
    place = np.full(len(annotator), -1, np.int32)
    tried = np.full(len(groups), -1, np.int32)
    inside = np.empty(n_annotators, np.int32)
    group = np.empty(n_annotators, np.int32)
    begin = np.zeros(n_annotators + 1, np.int64)
    near = np.empty((0, 0), np.float64)
    into = np.empty(0, np.float64)
    total = np.empty(0, np.float64)
    for root in range(len(annotator)):
        if is_over(meter):
            break
        lo = graph.start[root]
        size = graph.start[root + 1] - lo
        if size == 0 or size > _NEIGHBOURS:
            continue
        if size > len(into):
            near = np.empty((size, size), np.float64)
            into = np.empty(size, np.float64)
            total = np.empty(size, np.float64)
        _weights_between(graph, lo, size, place, begin, near)
        meter[STEPS] += 4 * size * size
        beside = graph.neighbour[lo : lo + size]
        for q in range(size):
            g = group_of[beside[q]]
            if tried[g] == root:
                continue
            tried[g] = root
            for i in range(size):
                into[i] = opening + graph.weight[lo + i]
            for k in range(n_annotators):
                inside[k] = -1
                x = groups[g, k]
                if x >= 0 and k != annotator[root] and place[x] >= 0:
                    inside[k] = place[x]
            around = Around(beside, begin, near, into, inside)
            meter[STEPS] += 10 * size * n_annotators
            _improve(around, price, total, _IMPROVING_ROUNDS)
            _keep_cliques(near, inside)
            group[0] = root
            members, gained, paid = _gain_of_root(around, price, group)
            paid += price[root]
            if gained - paid <= floor or members == 1:
                continue
            project(price, group[:members], gained - paid, support)
            columns = append(columns, np.sort(group[:members]), members, gained)
        for i in range(size):
            place[beside[i]] = -1
    return trim(columns)


@kernel
def _weights_between(
    graph: Graph, lo: int, around: int, place: Codes, begin: Indices, near: Floats
) -> None:
    """Write where each annotator's neighbours of a root begin, and their weights as a matrix."""
    begin[:] = 0
    for i in range(around):
        place[graph.neighbour[lo + i]] = i
        begin[graph.annotator[graph.neighbour[lo + i]] + 1] += 1
    for k in range(len(begin) - 1):
        begin[k + 1] += begin[k]
    for i in range(around):
        near[i, :around] = -np.inf
        u = graph.neighbour[lo + i]
        for p in range(graph.start[u], graph.start[u + 1]):
            if place[graph.neighbour[p]] >= 0:
                near[i, place[graph.neighbour[p]]] = graph.weight[p]


@kernel
def _gain_of_root(around: Around, price: Floats, group: Codes) -> tuple[int, float, float]:
    """Return size and gain of the root's group and the prices of its other units; write `group`."""
    members = 1
    gained = 0.0
    paid = 0.0
    for k in range(len(around.inside)):
        i = around.inside[k]
        if i >= 0:
            gained += around.into[i]
            for j in range(k):
                if around.inside[j] >= 0:
                    gained += around.near[i, around.inside[j]]
            group[members] = around.unit[i]
            paid += price[around.unit[i]]
            members += 1
    return members, gained, paid


@kernel
def _improve(around: Around, price: Floats, total: Floats, rounds: int) -> None:
    """Give each annotator in turn the unit that is best for the group, or none, in `inside`.

    `total` is working space, a number per neighbour.
    """
    neighbour, begin, near, into, inside = around
    n_annotators = len(inside)
    for _ in range(rounds):
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
            best_neighbour = -1
            for i in range(begin[k], begin[k + 1]):
                if total[i] > best:
                    best = total[i]
                    best_neighbour = i
            if best_neighbour != inside[k]:
                inside[k] = best_neighbour
                changed = True
        if not changed:
            break


@kernel
def _keep_cliques(near: Floats, inside: Codes) -> None:
    """Remove units that are not neighbours of an earlier one, as they cannot be together."""
    for k in range(len(inside)):
        for j in range(k):
            if inside[k] >= 0 and inside[j] >= 0 and near[inside[k], inside[j]] == -np.inf:
                inside[k] = -1
