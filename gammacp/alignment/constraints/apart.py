"""The best alignment where groups exclude each other: set packing with a row for each clique.

A *clique* is a set of groups that all exclude each other, so that an alignment contains at most one
of them. In the packing problem a clique acts like a unit, which at most one group can contain. Each
clique found therefore becomes a further row beside the units, with a price of its own, and all
properties of prices carry over. No group gains more than the prices of its units and cliques, so
that the sum of all prices bounds the gain of every alignment. A group whose loss exceeds the
difference of that sum and the gain of the current alignment cannot be in a better one; such groups
are removed.

The search looks for cliques that the solution of the linear program violates, and enlarges each by
further groups that exclude all of its members. The remaining groups are then packed exactly. If two
groups of the packing exclude each other, they give another clique; otherwise the packing is the
best alignment.
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

# Number of groups with the least loss among which cliques are searched and enlarged (3 × 20 on 60:
# 300 to 1500 are equally fast, more take longer to compare).
_CORE = 800
# Least violation of a clique, in groups; and number of rounds that may fail to improve the bound.
_BROKEN = 1e-4
_PATIENCE = 6
# First threshold of loss, as a share of the scale, and the factor by which it is raised.
_FIRST_LOSS = 0.05
_RAISED = 4.0
# Share of the gap between bound and alignment that a round of cliques must close.
_CLOSING = 0.005


class Packed(NamedTuple):
    """Columns of a packing, and upper bounds on the gain of any packing.

    `trusted_gain` is a bound that may rest on CP-SAT alone; `most_gain` does not.
    """

    chosen: Indices
    most_gain: float
    trusted_gain: float


Pack: TypeAlias = Callable[[Problem, Columns, Floats, Limits], Packed]


def by_components(problem: Problem, columns: Columns, price: Floats, limits: Limits) -> Packed:
    """Pack by the search of components, as if no groups excluded each other.

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
    return Packed(best.chosen, best.most_gain, best.trusted_gain)


class _State:
    """State of the search: columns that may matter, cliques, prices, and the best alignment.

    Mutable, and private to one call.
    """

    def __init__(self, problem: Problem, rules: GroupRules, columns: Columns) -> None:
        """Start with zero prices and all columns; the alignment is that of `first_groups`."""
        self.problem = problem
        self.rules = rules
        self.columns = columns
        self.table = group_table(problem, columns)
        self.cliques: list[Indices] = []
        self.remaining: Indices = np.arange(columns.number)
        self.price: Floats = np.zeros(problem.n_units)
        self.most_gain = np.inf
        self.groups: Codes = first_groups(problem, rules)
        self.gain = self._gain_of(self.groups)

    def _gain_of(self, groups: Codes) -> float:
        costs = group_costs(self.problem, groups)
        return self.problem.n_units * self.problem.opening - float(costs.sum())

    @property
    def gap(self) -> float:
        """Bound minus gain of the best alignment; no column of a better one loses more."""
        return self.most_gain - self.gain

    def offer(self, chosen: Indices) -> None:
        """Keep the alignment of these columns if it is better than the current one."""
        groups = to_groups(self.problem, self.columns.select(chosen))
        gain = self._gain_of(groups)
        if gain > self.gain:
            self.gain = gain
            self.groups = groups

    def extended(self) -> Columns:
        """Return the remaining columns, with their cliques as further members."""
        kept_columns = self.columns.select(self.remaining)
        place = np.full(self.columns.number, -1, np.int64)
        place[self.remaining] = np.arange(len(self.remaining))
        n = self.problem.n_units
        column = [kept_columns.column_of]
        member = [kept_columns.members.astype(np.int64)]
        for number, clique in enumerate(self.cliques):
            clique_columns = place[clique]
            clique_columns = clique_columns[clique_columns >= 0]
            column.append(clique_columns)
            member.append(np.full(len(clique_columns), n + number))
        columns = np.concatenate(column)
        order = np.argsort(columns, kind="stable")
        begin = np.searchsorted(columns[order], np.arange(kept_columns.number + 1))
        members = np.concatenate(member)[order].astype(np.int32)
        return Columns(begin.astype(np.int64), members, kept_columns.gain)

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
        """Solve the linear program: update the prices and remove columns that cannot matter.

        Return the value of each remaining column in the solution.
        """
        from gammacp.alignment.kernels.duals import make_feasible

        extended = self.extended()
        size = self.problem.n_units + len(self.cliques)
        relaxation = relax(size, extended, deadline=deadline)
        price = relaxation.price.copy()
        loss = make_feasible(price, extended, np.inf)
        most = float(price.sum())
        if most < self.most_gain:
            self.most_gain = most
        allowed = max(most - self.gain, 0.0) + self.problem.tolerance * self.problem.n_units
        stays = loss <= allowed
        self.remaining = self.remaining[stays]
        self.price = price
        self.loss = loss[stays]
        return np.asarray(relaxation.value[stays])

    def drop_idle(self) -> None:
        """Drop cliques whose price is 0; a later round finds them again if they matter."""
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
        Limits at which to stop and return the best alignment so far with its bound.
    pack
        Function that packs the groups that remain in the end.
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
    trusted_gain = np.inf
    try:
        _price(state, limits, deadline)
        if not _is_done(state, limits):
            trusted_gain = _pack(state, limits, deadline, pack)
    except TimeoutError:
        pass
    note(columns_kept=len(state.remaining))
    total = problem.n_units * problem.opening
    bound = total - max(state.most_gain, state.gain)
    if not np.isfinite(bound):
        return least_bounded(problem, state.groups)
    return solution(
        problem, state.groups, bound, trusted_bound=total - max(trusted_gain, state.gain)
    )


def _is_done(state: _State, limits: Limits) -> bool:
    """Return whether the gap is closed, or within the gap that the limits allow."""
    cost = state.problem.n_units * state.problem.opening - state.gain
    return state.gap <= max(state.problem.tolerance, limits.gap * cost)


def _price(state: _State, limits: Limits, deadline: float) -> None:
    """Add cliques to the linear program as long as they improve the bound."""
    idle = 0
    while True:
        before = state.gap
        value = state.relax(deadline)
        current_work().rounds += 1
        core = _core(state, value)
        excluded = state.rules.excluding(state.table[state.remaining[core]])
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
        state.cliques += [state.remaining[core[clique]] for clique in cliques]


def _core(state: _State, value: Floats) -> Indices:
    """Return the columns that the linear program uses, and further ones with the least loss."""
    used = value > _BROKEN
    order = np.lexsort((state.loss, ~used))
    return np.asarray(order[: max(_CORE, int(used.sum()))])


def _round(state: _State, core: Indices, value: Floats, excluded: Bools) -> None:
    """Round the solution of the linear program to an alignment, greedily.

    Columns are taken by decreasing value, then by increasing loss, unless one that was already
    taken excludes them.
    """
    order = np.lexsort((state.loss[core], -value[core]))
    blocked = np.zeros(len(core), np.bool_)
    chosen = []
    for place in order.tolist():
        if not blocked[place]:
            chosen.append(place)
            blocked |= excluded[place]
    state.offer(state.remaining[core[chosen]])


def _broken_cliques(value: Floats, excluded: Bools) -> list[Indices]:
    """Return violated cliques, enlarged by further groups.

    A clique is violated if the values of its groups in the linear program add up to more than 1.
    """
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
    """Pack the columns exactly, and return the bound on the gain if CP-SAT is trusted.

    Only columns whose loss is within a threshold are packed. An alignment with any other column
    loses more than the threshold, so that a packing that loses no more is the best one; otherwise
    the threshold is raised. If groups of the packing exclude each other, cliques are added and the
    columns are packed again. The result is ∞ if the deadline passes before.
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
        beyond = -np.inf if len(inside) == len(state.remaining) else total - threshold
        state.most_gain = min(state.most_gain, max(best.most_gain, beyond, state.gain))
        chosen = state.remaining[inside[best.chosen]]
        excluded = state.rules.excluding(state.table[chosen])
        np.fill_diagonal(excluded, val=False)
        if excluded.any():
            _exclude(state, chosen, excluded)
        else:
            state.offer(chosen)
            lost = total - state.gain
            if lost <= threshold + slack or beyond == -np.inf:
                return max(best.trusted_gain, beyond)
            threshold = min(_RAISED * threshold, lost)
        if due(deadline):
            return np.inf


def _exclude(state: _State, chosen: Indices, excluded: Bools) -> None:
    """Add a clique for each pair of packed groups that exclude each other, and enlarge it."""
    rows, others = np.nonzero(np.triu(excluded))
    order = np.argsort(state.loss, kind="stable")[: 2 * _CORE]
    core = state.remaining[order]
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
    """Return an alignment that keeps all constraints: linked groups, then pairs, best first.

    Parameters
    ----------
    problem, rules
        The problem, and the rules that its groups must keep.
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
