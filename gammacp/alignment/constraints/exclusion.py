"""The best alignment where groups exclude each other: set packing with a row for each clique.

A *clique* is a set of groups that all exclude each other, so that an alignment contains at most one
of them. In the packing problem a clique acts like a unit, which at most one group can contain. Each
clique found therefore becomes a further row beside the units, with a price of its own. No group
gains more than the prices of its units and cliques, so that the sum of all prices bounds the gain
of every alignment. A group whose loss exceeds the difference of that sum and the gain of the
current alignment cannot be in a better one; such groups are removed.

The search looks for cliques that the solution of the linear program violates, and enlarges each by
further groups that exclude all of its members. The remaining groups are then packed exactly. If two
groups of the packing exclude each other, they give another clique; otherwise the packing is the
best alignment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from gammacp.alignment.columns import all_columns, group_table, to_columns, to_groups
from gammacp.alignment.duals.lp import relax
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import GroupRules, Problem, Solution, group_costs, solution
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.proof.unit_bound import solution_with_unit_bound
from gammacp.alignment.reporting import report_bounds
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import budget, current_work, due, note

# Number of groups with the least loss among which cliques are searched and enlarged. For three
# annotators with 20 units each on a length of 60, 300 to 1500 are equally fast, and more take
# longer to compare.
_CORE = 800
# A linear program uses a group whose value is above this; and a clique is violated if the values
# of its groups exceed 1 by more than this.
_LEAST_VALUE = 1e-4
# Number of rounds in a row that may fail to improve the bound.
_IDLE_ROUNDS = 6
# First threshold of loss, as a share of the scale, and the factor by which it is raised.
_FIRST_LOSS = 0.05
_LOSS_FACTOR = 4.0
# Share of the gap between bound and alignment that a round of cliques must close.
_LEAST_PROGRESS = 0.005


class CliquePacking(NamedTuple):
    """Columns of a packing, and upper bounds on the gain of any packing.

    `unconfirmed_gain_bound` may rest on CP-SAT alone; `gain_bound` does not.
    """

    chosen: Indices
    gain_bound: float
    unconfirmed_gain_bound: float


PackColumns: TypeAlias = Callable[[Problem, Columns, Floats, Limits], CliquePacking]


def pack_by_components(
    problem: Problem, columns: Columns, price: Floats, limits: Limits
) -> CliquePacking:
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
    return CliquePacking(best.chosen, best.gain_bound, best.unconfirmed_gain_bound)


class _Search:
    """State of the search: columns that may matter, cliques, prices, and the best alignment.

    Mutable, and private to one call.

    Attributes
    ----------
    columns, table
        All columns, and the same as rows of units.
    cliques
        Columns of each clique.
    remaining
        Columns that a better alignment could use.
    loss
        Loss of each remaining column.
    price
        Prices of the units, followed by those of the cliques.
    groups, gain
        The best alignment so far.
    gain_bound
        Upper bound on the gain of any alignment.
    """

    def __init__(self, problem: Problem, rules: GroupRules, columns: Columns) -> None:
        """Start with all columns, without prices; the alignment is that of `greedy_groups`."""
        self.problem = problem
        self.rules = rules
        self.columns = columns
        self.table = group_table(problem, columns)
        self.cliques: list[Indices] = []
        self.remaining: Indices = np.arange(columns.number)
        self.loss: Floats = np.zeros(columns.number)
        self.price: Floats = np.zeros(problem.n_units)
        self.gain_bound = np.inf
        self.groups: Codes = greedy_groups(problem, rules)
        self.gain = self._gain_of(self.groups)

    def _gain_of(self, groups: Codes) -> float:
        costs = group_costs(self.problem, groups)
        return self.cost_alone - float(costs.sum())

    @property
    def cost_alone(self) -> float:
        """Cost of leaving all units alone."""
        return self.problem.n_units * self.problem.opening

    @property
    def gap(self) -> float:
        """Bound minus gain of the best alignment; no column of a better one loses more."""
        return self.gain_bound - self.gain

    def offer(self, chosen: Indices) -> None:
        """Keep the alignment of these columns if it is better than the current one."""
        groups = to_groups(self.problem, self.columns.select(chosen))
        gain = self._gain_of(groups)
        if gain > self.gain:
            self.gain = gain
            self.groups = groups

    def columns_with_cliques(self) -> Columns:
        """Return the remaining columns, with their cliques as further members."""
        columns = self.columns.select(self.remaining)
        new_index = np.full(self.columns.number, -1, np.int64)
        new_index[self.remaining] = np.arange(len(self.remaining))
        n = self.problem.n_units
        column_parts = [columns.column_of]
        member_parts = [columns.members.astype(np.int64)]
        for number, clique in enumerate(self.cliques):
            clique_columns = new_index[clique]
            clique_columns = clique_columns[clique_columns >= 0]
            column_parts.append(clique_columns)
            member_parts.append(np.full(len(clique_columns), n + number))
        column_of = np.concatenate(column_parts)
        order = np.argsort(column_of, kind="stable")
        begin = np.searchsorted(column_of[order], np.arange(columns.number + 1))
        members = np.concatenate(member_parts)[order].astype(np.int32)
        return Columns(begin.astype(np.int64), members, columns.gain)

    def problem_with_cliques(self) -> Problem:
        """Return the problem with a row for each clique beside the units."""
        k = len(self.cliques)
        n = self.problem.n_units
        return replace(
            self.problem,
            # Packing the columns does not ask for the annotators of their members.
            annotator=np.concatenate((self.problem.annotator, np.zeros(k, np.int32))),
            rank=np.concatenate((self.problem.ranks, np.arange(n, n + k, dtype=np.int32))),
            rules=None,
        )

    def update_prices(self, deadline: float) -> Floats:
        """Solve the linear program: update the prices and remove columns that cannot matter.

        Return the value of each remaining column in the solution.
        """
        from gammacp.alignment.kernels.feasible_prices import make_feasible

        columns = self.columns_with_cliques()
        size = self.problem.n_units + len(self.cliques)
        relaxation = relax(size, columns, deadline=deadline)
        price = relaxation.price.copy()
        loss = make_feasible(price, columns, np.inf)
        total_price = float(price.sum())
        self.gain_bound = min(self.gain_bound, total_price)
        allowed = max(total_price - self.gain, 0.0) + self.problem.tolerance * self.problem.n_units
        stays = loss <= allowed
        self.remaining = self.remaining[stays]
        self.price = price
        self.loss = loss[stays]
        return np.asarray(relaxation.value[stays])

    def add_cliques(self, cliques: list[Indices]) -> None:
        """Add cliques, at a price of 0."""
        self.cliques += cliques
        self.price = np.concatenate((self.price, np.zeros(len(cliques))))

    def drop_unpriced_cliques(self) -> None:
        """Drop cliques whose price is 0; a later round finds them again if they matter."""
        n = self.problem.n_units
        paid = self.price[n:] > 0
        self.cliques = [c for c, has_price in zip(self.cliques, paid, strict=True) if has_price]
        self.price = np.concatenate((self.price[:n], self.price[n:][paid]))


def solve_with_exclusions(
    problem: Problem, limits: Limits, pack: PackColumns = pack_by_components
) -> Solution:
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
        return solution_with_unit_bound(problem, greedy_groups(problem, rules))
    note(columns_listed=columns.number, prices_by="GLOP", proved_by="prices")
    search = _Search(problem, rules, columns)
    unconfirmed_gain_bound = np.inf
    try:
        _cut_with_cliques(search, limits, deadline)
        if not _is_done(search, limits):
            unconfirmed_gain_bound = _pack_exactly(search, limits, deadline, pack)
    except TimeoutError:
        pass  # The best alignment and bound so far are returned.
    note(columns_kept=len(search.remaining))
    bound = search.cost_alone - max(search.gain_bound, search.gain)
    if not np.isfinite(bound):
        return solution_with_unit_bound(problem, search.groups)
    unconfirmed_bound = search.cost_alone - max(unconfirmed_gain_bound, search.gain)
    return solution(problem, search.groups, bound, unconfirmed_bound=unconfirmed_bound)


def _is_done(search: _Search, limits: Limits) -> bool:
    """Return whether the gap is closed, or within the gap that the limits allow."""
    cost = search.cost_alone - search.gain
    return search.gap <= max(search.problem.tolerance, limits.gap * cost)


def _cut_with_cliques(search: _Search, limits: Limits, deadline: float) -> None:
    """Add cliques to the linear program as long as they improve the bound."""
    idle_rounds = 0
    while True:
        gap_before = search.gap
        value = search.update_prices(deadline)
        current_work().rounds += 1
        core = _core(search, value)
        excluded = search.rules.excluding(search.table[search.remaining[core]])
        _offer_rounded(search, core, value, excluded)
        report_bounds(search.cost_alone - search.gain, search.cost_alone - search.gain_bound)
        if _is_done(search, limits) or due(deadline):
            return
        if search.gap > (1 - _LEAST_PROGRESS) * gap_before:
            idle_rounds += 1
        else:
            idle_rounds = 0
        if idle_rounds > _IDLE_ROUNDS:
            return
        search.drop_unpriced_cliques()
        cliques = _violated_cliques(value[core], excluded)
        if not cliques:
            return
        search.add_cliques([search.remaining[core[clique]] for clique in cliques])


def _core(search: _Search, value: Floats) -> Indices:
    """Return the columns that the linear program uses, and further ones with the least loss."""
    used = value > _LEAST_VALUE
    order = np.lexsort((search.loss, ~used))
    return np.asarray(order[: max(_CORE, int(used.sum()))])


def _offer_rounded(search: _Search, core: Indices, value: Floats, excluded: Bools) -> None:
    """Round the solution of the linear program to an alignment, greedily.

    Columns are taken by decreasing value, then by increasing loss, unless one that was already
    taken excludes them. In `excluded`, each column also excludes itself.
    """
    order = np.lexsort((search.loss[core], -value[core]))
    blocked = np.zeros(len(core), np.bool_)
    chosen = []
    for column in order.tolist():
        if not blocked[column]:
            chosen.append(column)
            blocked |= excluded[column]
    search.offer(search.remaining[core[chosen]])


def _violated_cliques(value: Floats, excluded: Bools) -> list[Indices]:
    """Return violated cliques, enlarged by further groups.

    A clique is violated if the values of its groups in the linear program add up to more than 1.
    """
    used = np.flatnonzero(value > _LEAST_VALUE)
    order = used[np.argsort(-value[used], kind="stable")].tolist()
    cliques_by_key: dict[bytes, Indices] = {}
    for first in order:
        clique = [first]
        candidates = excluded[first].copy()
        candidates[first] = False
        _grow_clique(clique, order, candidates, excluded)
        if value[clique].sum() <= 1 + _LEAST_VALUE:
            continue
        _grow_clique(clique, np.flatnonzero(candidates).tolist(), candidates, excluded)
        rows = np.array(sorted(clique))
        cliques_by_key[rows.tobytes()] = rows
    return list(cliques_by_key.values())


def _grow_clique(
    clique: list[int], order: Iterable[int], candidates: Bools, excluded: Bools
) -> None:
    """Add to a clique, in this order, each group that all its members exclude.

    `candidates` marks the groups that are not members and that all members exclude. It is updated
    in place, like the clique.
    """
    for group in order:
        if candidates[group]:
            clique.append(group)
            candidates &= excluded[group]
            candidates[group] = False


def _pack_exactly(search: _Search, limits: Limits, deadline: float, pack: PackColumns) -> float:
    """Pack the columns exactly, and return an upper bound on the gain that may rest on CP-SAT.

    Only columns whose loss is within a threshold are packed. An alignment with any other column
    loses more than the threshold, so that a packing that loses no more is the best one; otherwise
    the threshold is raised. If groups of the packing exclude each other, cliques are added and the
    columns are packed again. Return ∞ if the deadline passes before.
    """
    exact_limits = replace(limits, gap=0.0)
    total_price = float(search.price.sum())
    slack = search.problem.tolerance * search.problem.n_units
    threshold = _FIRST_LOSS * search.problem.scale
    while True:
        packed = np.flatnonzero(search.loss <= threshold + slack)
        columns = search.columns_with_cliques().select(packed)
        problem = search.problem_with_cliques()
        best = pack(problem, columns, search.price, exact_limits.until(deadline))
        current_work().rounds += 1
        all_packed = len(packed) == len(search.remaining)
        if all_packed:
            gain_of_others = -np.inf
        else:
            gain_of_others = total_price - threshold
        search.gain_bound = min(
            search.gain_bound, max(best.gain_bound, gain_of_others, search.gain)
        )
        chosen = search.remaining[packed[best.chosen]]
        excluded = search.rules.excluding(search.table[chosen])
        np.fill_diagonal(excluded, val=False)
        if excluded.any():
            _add_cliques_of_conflicts(search, chosen, excluded)
        else:
            search.offer(chosen)
            loss = total_price - search.gain
            if loss <= threshold + slack or all_packed:
                return max(best.unconfirmed_gain_bound, gain_of_others)
            threshold = min(_LOSS_FACTOR * threshold, loss)
        if due(deadline):
            return np.inf


def _add_cliques_of_conflicts(search: _Search, chosen: Indices, excluded: Bools) -> None:
    """Add a clique for each pair of packed groups that exclude each other, and enlarge it."""
    order = np.argsort(search.loss, kind="stable")[: 2 * _CORE]
    core = search.remaining[order]
    cliques = []
    for pair in chosen[np.argwhere(np.triu(excluded))]:
        excluded_by_both = search.rules.excluding(search.table[core], search.table[pair])
        others = core[excluded_by_both.all(axis=1)]
        others = others[~np.isin(others, pair)]
        grown: list[int] = []
        candidates = np.ones(len(others), np.bool_)
        others_excluded = search.rules.excluding(search.table[others])
        _grow_clique(grown, range(len(others)), candidates, others_excluded)
        cliques.append(np.sort(np.concatenate((pair, others[grown]))))
    search.add_cliques(cliques)


def greedy_groups(problem: Problem, rules: GroupRules) -> Codes:
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
        # Compared with each group so far, row by row.
        if not rules.allowed_both(table[:number], np.repeat(group, number, axis=0)).all():
            continue
        table[number] = group
        number += 1
        free[units] = False
    return to_groups(problem, to_columns(problem, table[:number]))
