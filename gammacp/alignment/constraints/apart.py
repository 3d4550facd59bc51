"""The best alignment where groups exclude each other: set packing with rows for what conflicts.

At most one of groups that all exclude each other is taken: a *clique*. A clique is to the packing
problem what a unit is, something that at most one of its groups may have; so each clique that is
found becomes one more row beside the units, with a price of its own, and everything known of prices
holds. No group gains more than its units and cliques are priced at, so Σ prices bounds all
alignments, and one better than the alignment at hand has no group that loses more than Σ prices
exceed it by. The others are left out.

Cliques are looked for where the linear program breaks them, and widened by what excludes all of
their groups. Then the groups that are left are packed exactly. A packing in which two groups still
exclude each other gives another clique; one without is the best alignment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from gammacp.alignment.columns import all_columns, group_table, to_columns, to_groups
from gammacp.alignment.duals.lp import relax
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import GroupRules, Problem, Solution, group_costs, solution
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.proof.unit_bound import least_bounded
from gammacp.alignment.reporting import tell
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import budget, current_work, due, note

# Groups that lose least, among which cliques are looked for and widened (3 × 20 on 60: 300 to 1500
# are as soon, more take longer to compare).
_CORE = 800
# What a clique must be broken by, in groups; and rounds of cliques without a better bound.
_BROKEN = 1e-4
_PATIENCE = 6
# Of the scale: the threshold at first, and the factor by which it is raised.
_FIRST_LOSS = 0.05
_RAISED = 4.0
# Share of the gap between bound and alignment that a round of cliques must close.
_CLOSING = 0.005


class Packed(NamedTuple):
    """Columns that were packed, what no packing can gain more than, and what CP-SAT tells."""

    chosen: Indices
    most_gain: float
    told: float


Pack: TypeAlias = Callable[[Problem, Columns, Floats, Limits], Packed]


def by_components(problem: Problem, columns: Columns, price: Floats, limits: Limits) -> Packed:
    """Pack by the search of components, as where nothing is excluded.

    Parameters
    ----------
    problem, columns, price
        A problem with a row for each clique beside the units.
    limits
        Limits at which to stop.
    """
    with budget(limits.steps(limits.of(Components).proof)):
        best = best_of_columns(problem, columns, price, limits, limits.deadline())
    note(proved_by="components")
    return Packed(best.chosen, best.most_gain, best.told)


class _State:
    """The work on one problem: columns that may matter, cliques, prices, and the best alignment.

    Mutable, and private to one call.
    """

    def __init__(self, problem: Problem, rules: GroupRules, columns: Columns) -> None:
        """Begin without prices: no group is taken, and none left out."""
        self.problem = problem
        self.rules = rules
        self.columns = columns
        self.table = group_table(problem, columns)
        self.cliques: list[Indices] = []
        self.kept: Indices = np.arange(columns.number)
        self.price: Floats = np.zeros(problem.n_units)
        self.most_gain = np.inf
        self.groups: Codes = first_groups(problem, rules)
        self.gain = self._gain_of(self.groups)

    def _gain_of(self, groups: Codes) -> float:
        costs = group_costs(self.problem, groups)
        return self.problem.n_units * self.problem.opening - float(costs.sum())

    @property
    def gap(self) -> float:
        """Gain that the bound leaves open; no column of a better alignment loses more."""
        return self.most_gain - self.gain

    def offer(self, chosen: Indices) -> None:
        """Take an alignment of these columns if it is better than the one at hand."""
        groups = to_groups(self.problem, self.columns.select(chosen))
        gain = self._gain_of(groups)
        if gain > self.gain:
            self.gain = gain
            self.groups = groups

    def extended(self) -> Columns:
        """Return the columns that are left, with their cliques as further members."""
        own = self.columns.select(self.kept)
        place = np.full(self.columns.number, -1, np.int64)
        place[self.kept] = np.arange(len(self.kept))
        n = self.problem.n_units
        column = [own.column_of]
        member = [own.members.astype(np.int64)]
        for number, clique in enumerate(self.cliques):
            there = place[clique]
            there = there[there >= 0]
            column.append(there)
            member.append(np.full(len(there), n + number))
        columns = np.concatenate(column)
        order = np.argsort(columns, kind="stable")
        begin = np.searchsorted(columns[order], np.arange(own.number + 1))
        members = np.concatenate(member)[order].astype(np.int32)
        return Columns(begin.astype(np.int64), members, own.gain)

    def with_rows(self) -> Problem:
        """Return the problem with a row for each clique beside the units."""
        k = len(self.cliques)
        n = self.problem.n_units
        return replace(
            self.problem,
            annotator=np.concatenate((self.problem.annotator, np.zeros(k, np.int32))),
            rank=np.concatenate((self.problem.ranks, np.arange(n, n + k, dtype=np.int32))),
            rules=None,
        )

    def relax(self, deadline: float) -> Floats:
        """Price units and cliques anew, leave out what cannot matter; x of the columns left."""
        from gammacp.alignment.kernels.duals import make_feasible

        extended = self.extended()
        size = self.problem.n_units + len(self.cliques)
        found = relax(size, extended, deadline=deadline)
        price = found.price.copy()
        loss = make_feasible(price, extended, np.inf)
        most = float(price.sum())
        if most < self.most_gain:
            self.most_gain = most
        allowed = max(most - self.gain, 0.0) + self.problem.tolerance * self.problem.n_units
        stays = loss <= allowed
        self.kept = self.kept[stays]
        self.price = price
        self.loss = loss[stays]
        return np.asarray(found.value[stays])

    def drop_idle(self) -> None:
        """Forget cliques without a price, which a later round finds again if they matter."""
        n = self.problem.n_units
        paid = self.price[n:] > 0
        self.cliques = [c for c, has_price in zip(self.cliques, paid, strict=False) if has_price]
        self.price = np.concatenate((self.price[:n], self.price[n:][paid]))


def solve_apart(problem: Problem, limits: Limits, pack: Pack = by_components) -> Solution:
    """Find the best alignment in which no two groups exclude each other.

    Parameters
    ----------
    problem
        A problem with `rules`; DataError if its groups are too many to list.
    limits
        Limits at which to stop with the best so far and its bound.
    pack
        Function that packs the groups that are left in the end.
    """
    deadline = limits.deadline()
    rules = problem.rules
    assert rules is not None
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return least_bounded(problem, first_groups(problem, rules))
    note(columns_listed=columns.number, prices_by="GLOP", proved_by="prices")
    state = _State(problem, rules, columns)
    told = np.inf
    try:
        _price(state, limits, deadline)
        if not _is_done(state, limits):
            told = _pack(state, limits, deadline, pack)
    except TimeoutError:
        pass
    note(columns_kept=len(state.kept))
    total = problem.n_units * problem.opening
    bound = total - max(state.most_gain, state.gain)
    if not np.isfinite(bound):
        return least_bounded(problem, state.groups)
    return solution(problem, state.groups, bound, told=total - max(told, state.gain))


def _is_done(state: _State, limits: Limits) -> bool:
    """Return whether the bound meets the alignment, or is near enough."""
    cost = state.problem.n_units * state.problem.opening - state.gain
    return state.gap <= max(state.problem.tolerance, limits.gap * cost)


def _price(state: _State, limits: Limits, deadline: float) -> None:
    """Add cliques to the linear program as long as they better the bound."""
    idle = 0
    while True:
        before = state.gap
        value = state.relax(deadline)
        current_work().rounds += 1
        core = _core(state, value)
        excluded = state.rules.excluding(state.table[state.kept[core]])
        _round(state, core, value, excluded)
        total = state.problem.n_units * state.problem.opening
        tell(total - state.gain, total - state.most_gain)
        if _is_done(state, limits) or due(deadline):
            return
        if state.gap > (1 - _CLOSING) * before:
            idle += 1
        else:
            idle = 0
        if idle > _PATIENCE:
            return
        state.drop_idle()
        cliques = _broken_cliques(value[core], excluded)
        if not cliques:
            return
        state.cliques += [state.kept[core[clique]] for clique in cliques]


def _core(state: _State, value: Floats) -> Indices:
    """Return the columns in use, and those that lose least."""
    used = value > _BROKEN
    order = np.lexsort((state.loss, ~used))
    return np.asarray(order[: max(_CORE, int(used.sum()))])


def _round(state: _State, core: Indices, value: Floats, excluded: Bools) -> None:
    """Take the columns most in use, then those that lose least, while nothing excludes them."""
    order = np.lexsort((state.loss[core], -value[core]))
    blocked = np.zeros(len(core), np.bool_)
    chosen = []
    for place in order.tolist():
        if not blocked[place]:
            chosen.append(place)
            blocked |= excluded[place]
    state.offer(state.kept[core[chosen]])


def _broken_cliques(value: Floats, excluded: Bools) -> list[Indices]:
    """Return cliques of which the linear program takes more than one group, widened."""
    used = np.flatnonzero(value > _BROKEN)
    order = used[np.argsort(-value[used], kind="stable")]
    cliques_by_key: dict[bytes, Indices] = {}
    for first in order.tolist():
        clique = [first]
        near = excluded[first].copy()
        for other in order.tolist():
            if near[other] and other != first:
                clique.append(other)
                near &= excluded[other]
        if value[clique].sum() <= 1 + _BROKEN:
            continue
        near[clique] = False
        for other in np.flatnonzero(near).tolist():
            if near[other]:
                clique.append(other)
                near &= excluded[other]
                near[other] = False
        rows = np.array(sorted(clique))
        cliques_by_key[rows.tobytes()] = rows
    return list(cliques_by_key.values())


def _pack(state: _State, limits: Limits, deadline: float, pack: Pack) -> float:
    """Pack exactly what loses no more than a threshold; return what CP-SAT tells of all.

    An alignment with any other group loses more than the threshold, which is raised until the
    packing itself loses no more; and with further cliques while groups still exclude each other.
    """
    exactly = replace(limits, gap=0.0)
    total = float(state.price.sum())
    slack = state.problem.tolerance * state.problem.n_units
    threshold = _FIRST_LOSS * state.problem.scale
    while True:
        inside = np.flatnonzero(state.loss <= threshold + slack)
        part = state.extended().select(inside)
        best = pack(state.with_rows(), part, state.price, exactly.until(deadline))
        current_work().rounds += 1
        beyond = -np.inf if len(inside) == len(state.kept) else total - threshold
        state.most_gain = min(state.most_gain, max(best.most_gain, beyond, state.gain))
        chosen = state.kept[inside[best.chosen]]
        excluded = state.rules.excluding(state.table[chosen])
        np.fill_diagonal(excluded, val=False)
        if excluded.any():
            _exclude(state, chosen, excluded)
        else:
            state.offer(chosen)
            lost = total - state.gain
            if lost <= threshold + slack or beyond == -np.inf:
                return max(best.told, beyond)
            threshold = min(_RAISED * threshold, lost)
        if due(deadline):
            return np.inf


def _exclude(state: _State, chosen: Indices, excluded: Bools) -> None:
    """Add a clique for each two groups that were taken together, widened among those left."""
    rows, others = np.nonzero(np.triu(excluded))
    order = np.argsort(state.loss, kind="stable")[: 2 * _CORE]
    core = state.kept[order]
    for one, other in zip(chosen[rows].tolist(), chosen[others].tolist(), strict=True):
        pair = np.array([one, other])
        near = core[state.rules.excluding(state.table[core], state.table[pair]).all(axis=1)]
        near = near[~np.isin(near, pair)]
        inside = state.rules.excluding(state.table[near])
        clique = [one, other]
        free = np.ones(len(near), np.bool_)
        for place in range(len(near)):
            if free[place]:
                clique.append(int(near[place]))
                free &= inside[place]
        state.cliques.append(np.array(sorted(clique)))
    state.price = np.concatenate((state.price, np.zeros(len(rows))))


def first_groups(problem: Problem, rules: GroupRules) -> Codes:
    """Return an alignment that keeps all constraints: links, then the best pairs one by one.

    Parameters
    ----------
    problem, rules
        The problem, and what groups must keep.
    """
    gain = problem.weight + problem.opening
    table = np.full((problem.n_units, problem.n_annotators), -1, np.int32)
    number = 0
    free = np.ones(problem.n_units, np.bool_)
    for group in rules.linked_table:
        table[number] = group
        number += 1
        free[group[group >= 0]] = False
    for pair in np.argsort(-gain, kind="stable").tolist():
        units = np.array([problem.first[pair], problem.second[pair]])
        if gain[pair] <= 0 or not free[units].all():
            continue
        group = np.full((1, problem.n_annotators), -1, np.int32)
        group[0, problem.annotator[units]] = units
        if not rules.allowed_groups(group)[0]:
            continue
        if not rules.allowed_both(table[:number], np.repeat(group, number, axis=0)).all():
            continue
        table[number] = group
        number += 1
        free[units] = False
    return to_groups(problem, to_columns(problem, table[:number]))
