"""Proofs of alignments by dual prices, component by component.

Let y ≥ 0 be prices of the units such that no column G gains more than Σ_{u∈G} y_u. The *loss* of a
column is then Σ y − gain ≥ 0, and the loss of a unit that is left alone is its price. An alignment
gains Σ y − Σ losses, so that the best alignment is the one with the least total loss.

The columns with almost no loss are *active*. They connect the units into small components, and an
exhaustive search finds the least loss δ_K of each component K. Consider a column that is not
active. If its loss is at least the sum of δ_K over the components that it touches, it can be
ignored. Otherwise it becomes active and joins these components. Once no further column must become
active, no alignment loses less than Σ δ_K: a component that no inactive column touches loses at
least δ_K, and the losses of the inactive columns make up for the other components.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns, spread
from gammacp.alignment.limits import SMALL_UNITS, Limits, Stage
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import GIGA, budget, due, halting, note

if TYPE_CHECKING:
    from gammacp.alignment.packing.problem import PackingProblem

# Thresholds of loss, as shares of the scale. Columns above `_FIRST_LOSS` are considered only after
# the proof over the others. `_LOSS_STEP` is the first limit up to which columns become active; the
# limit then grows at least fourfold each time.
_FIRST_LOSS = 0.05
_LOSS_STEP = 0.004
# Factor on the node limit when a component is searched again to confirm the result of CP-SAT.
_LONGER = 50


@dataclass(frozen=True)
class Components(Stage):
    """Effort put into the search of components.

    Attributes
    ----------
    nodes
        Largest number of nodes in the search of one component (some milliseconds). A component that
        needs more is given to CP-SAT.
    steps
        Largest number of steps of CP-SAT on one component, without a time limit. After that, the
        bound that CP-SAT has reached is used.
    proof
        Largest number of steps of a whole proof, without a time limit. Breaking ties is not
        included.
    """

    nodes: int = 20_000
    steps: float = 20 * GIGA
    proof: float = 100 * GIGA


class Decomposition:
    """The state of a proof over columns whose units are numbered by position.

    Each round considers only the columns in `waiting`, and searches only the components that newly
    active columns have joined. The object is mutable, and private to one call of the solver.

    Attributes
    ----------
    complete
        Whether no further column has to become active.
    loss, active, chosen
        Loss of each column, whether it is active, and whether the best solution uses it.
    alone, over
        Loss of each unit if it is left alone, and its loss for each further column that covers it.
    label
        Root of each unit's component: its smallest unit.
    least, lower
        Least loss found for each component, and a lower bound on it, at the component's root.
    unproven_loss
        For components that CP-SAT solved, by root: the part of its lower bound above `lower`, which
        nothing else confirms.
    total
        Sum of `least` over all components.
    tie_tolerance, allowed_loss
        Total loss up to which the solution counts as optimal, and up to which the search may end.
    waiting
        Inactive columns that may still have to become active.
    """

    def __init__(
        self,
        columns: Columns,
        loss: Floats,
        alone: Floats,
        problem: Problem,
        limits: Limits,
        deadline: float,
        *,
        ties: bool = False,
    ) -> None:
        """Start with only the columns that lose nothing active; columns are sorted by loss.

        With `ties`, columns that only an equally good alignment could use become active as well.
        """
        self.problem = problem
        self.ties = ties
        self.complete = False
        self.columns = columns
        self.loss = loss
        self.alone = alone
        self.tolerance = problem.tolerance
        self.over = problem.opening + problem.reuse - alone
        self.limits = limits
        self.deadline = deadline
        cost = len(alone) * problem.opening - float(alone.sum())
        # Capped: the units may belong to many small continua, one after the other.
        self.tie_tolerance = problem.tolerance * min(len(alone), SMALL_UNITS)
        self.allowed_loss = max(self.tie_tolerance, limits.gap * cost)
        n_units = len(alone)
        size = columns.number
        self._units = np.arange(n_units)
        self.active: Bools = loss <= self.tolerance
        self.chosen: Bools = np.zeros(size, np.bool_)
        self.label: Codes = np.arange(n_units, dtype=np.int32)
        self.least: Floats = np.zeros(n_units)
        self.lower: Floats = np.zeros(n_units)
        self.unproven_loss: dict[int, float] = {}
        self.total = 0.0
        self.waiting: Indices = np.flatnonzero(~self.active)

    @property
    def lower_total(self) -> float:
        """Lower bound on the loss of any alignment that uses active columns only."""
        return self._sum_over_roots(self.lower)

    def _sum_over_roots(self, values: Floats) -> float:
        """Return the sum of values of components, which are at their roots."""
        return float(values[self.label == self._units].sum())

    def run(self) -> None:
        """Activate columns until no further one matters, or time runs out."""
        step = _LOSS_STEP * self.problem.scale
        self._search(self._units, np.flatnonzero(self.active))
        while True:
            # With `ties`, columns with a positive loss may still have to become active.
            if self.total <= self.allowed_loss and not self.ties:
                self.complete = self.total <= self.tie_tolerance
                return
            if due(self.deadline):
                return
            while (next_loss := self._activate_columns(step)) is not None:
                if next_loss == np.inf:
                    self.complete = True
                    return
                step = max(4 * step, next_loss)

    def _activate_columns(self, most: float) -> float | None:
        """Activate the columns that must be and lose at most `most`; search what they join.

        Return None if there were any. Otherwise return the least loss of the columns that must
        become active but lose more than `most`, or ∞ if no column can matter any more.
        """
        from gammacp.alignment.kernels.components import activate

        before = self.waiting
        next_loss, self.waiting = activate(
            self.columns,
            self.loss,
            self.active,
            before,
            self.label,
            self.least,
            -self.tolerance if self.ties else self.tolerance,
            min(most, self.total + self.tolerance),
        )
        new_columns = before[self.active[before]]
        if not len(new_columns):
            if next_loss > self.total + self.tolerance:
                return np.inf
            return float(next_loss)
        begin, members, _ = self.columns
        joined = np.zeros(len(self.label), np.bool_)
        entries = spread(begin[new_columns], begin[new_columns + 1] - begin[new_columns])
        joined[self.label[members[entries]]] = True
        units = np.flatnonzero(joined[self.label])
        start, at = self._columns_at
        looked = np.zeros(len(self.active), np.bool_)
        looked[at[spread(start[units], start[units + 1] - start[units])]] = True
        inside = np.flatnonzero(looked & self.active)
        looked[self.waiting] = True
        self.waiting = np.flatnonzero(looked & ~self.active)
        self._search(units, inside)
        return None

    @cached_property
    def _columns_at(self) -> tuple[Indices, Codes]:
        from gammacp.alignment.kernels.components import columns_at

        return columns_at(len(self.alone), self.columns)

    def _search(self, units: Indices, inside: Indices) -> None:
        """Divide the units into components and search each of them.

        `inside` are all active columns of these units.
        """
        from gammacp.alignment.kernels.components import label_components

        part = self._part(units, inside)
        label = np.empty(len(units), np.int32)
        label_components(part, np.ones(part.number, np.bool_), label)
        chosen = self.chosen[inside]
        least = self.least[units]
        nodes = self.limits.of(Components).nodes
        unfinished = self._search_components(units, inside, part, label, least, chosen, nodes)
        self.label[units] = units[label]
        self.chosen[inside] = chosen
        self.least[units] = self.lower[units] = least
        if self.unproven_loss:
            gone = set(units.tolist())
            self.unproven_loss = {
                root: loss for root, loss in self.unproven_loss.items() if root not in gone
            }
        for root in units[unfinished].tolist():
            self._solve_hard(root)
        self.total = self._sum_over_roots(self.least)

    def _part(self, units: Indices, inside: Indices) -> Columns:
        """Return the columns `inside`, with their members renumbered by position in `units`."""
        part = self.columns.select(inside)
        if len(units) == len(self.alone):
            return part
        return part._replace(members=np.searchsorted(units, part.members).astype(np.int32))

    def _search_components(
        self,
        units: Indices,
        inside: Indices,
        part: Columns,
        label: Codes,
        least: Floats,
        chosen: Bools,
        nodes: int,
    ) -> Indices:
        """Search components of units `units` and columns `inside`; write `least` and `chosen`.

        Return the roots of the components that need more than `nodes` nodes: they are not finished.
        """
        from gammacp.alignment.kernels.component_search import (
            SearchCosts,
            SearchRules,
            search_components,
        )

        loss = self.loss[inside]
        costs = SearchCosts(loss, loss, self.alone[units], self.over[units])
        every = np.ones(len(inside), np.bool_)
        never = np.full(len(units), -1, np.int32)
        rules = SearchRules(self.problem.cover, False, self.tolerance, nodes)
        searched = part, costs, every, label, never, least, chosen, rules
        return halting(lambda meter: search_components(*searched, meter), quick=True)

    def _solve_hard(self, root: int) -> None:
        """Solve one component with CP-SAT: its loss is the sum of its prices minus its gain."""
        first = self.columns.members[self.columns.begin[:-1]]
        inside = np.flatnonzero(self.active & (self.label[first] == root))
        part = self.columns.select(inside)
        price = float(self.alone[self.label == root].sum())
        had = self.chosen[inside]
        if due(self.deadline):
            self.least[root], self.lower[root] = self._loss(part, had, price), 0.0
            return
        limits = replace(self.limits.until(self.deadline), gap=0.0)
        ones = np.ones(len(self.alone), np.int64)
        # Imported here: few components are so hard that they go to CP-SAT.
        from gammacp.alignment.packing.cpsat import best_packing
        from gammacp.alignment.packing.problem import PackingProblem

        opening = self.problem.opening + self.problem.reuse
        problem = PackingProblem(part, ones, opening, self.problem.cover)
        share = self.problem.slack * len(np.unique(part.members)) / len(self.alone)
        with budget(self.limits.steps(self.limits.of(Components).steps)):
            best = best_packing(problem, limits, hint=had.astype(np.int64), slack=0.5 * share)
        times = best.times > 0
        if self._loss(part, times, price) > self._loss(part, had, price):
            times = had
        self.chosen[inside] = times
        self.least[root] = self._loss(part, times, price)
        if best.proven:
            unconfirmed_loss = self.least[root]
        else:
            unconfirmed_loss = max(price - best.bound, 0.0)
        self.lower[root] = self._confirm(inside, problem, price, unconfirmed_loss)
        self.unproven_loss[root] = unconfirmed_loss - self.lower[root]

    def _confirm(
        self, inside: Indices, problem: PackingProblem, price: float, unconfirmed_loss: float
    ) -> float:
        """Return the part of CP-SAT's lower bound on the loss that can be confirmed.

        A longer search confirms it if it ends; otherwise the bound of HiGHS does.
        """
        units = np.unique(self.columns.select(inside).members).astype(np.int64)
        least = np.zeros(len(units))
        chosen = np.zeros(len(inside), np.bool_)
        part = self._part(units, inside)
        label = np.zeros(len(units), np.int32)
        nodes = _LONGER * self.limits.of(Components).nodes
        if not len(self._search_components(units, inside, part, label, least, chosen, nodes)):
            return min(unconfirmed_loss, float(least[0]))
        from gammacp.alignment.packing.highs import highs_bound

        gain_bound = highs_bound(problem, self.limits.until(self.deadline))
        return min(unconfirmed_loss, max(price - gain_bound, 0.0))

    def _loss(self, part: Columns, times: Bools, price: float) -> float:
        picked = part.select(np.flatnonzero(times))
        shared = len(picked.members) - len(np.unique(picked.members))
        return (
            price - float(picked.gain.sum()) + shared * (self.problem.opening + self.problem.reuse)
        )


class BestColumns(NamedTuple):
    """Columns of a best alignment, with upper bounds on the gain of any alignment, and prices.

    Attributes
    ----------
    chosen
        Columns of the best alignment found.
    gain_bound
        Upper bound on the gain of any alignment.
    price
        Prices, by rank, that no column exceeds.
    unconfirmed_gain_bound
        Upper bound on the gain if CP-SAT's own bounds are trusted.
    """

    chosen: Indices
    gain_bound: float
    price: Floats
    unconfirmed_gain_bound: float


def best_of_columns(
    problem: Problem, columns: Columns, price: Floats, limits: Limits, deadline: float
) -> BestColumns:
    """Return the columns of a best alignment, with an upper bound on the gain of any alignment.

    `columns` must contain every column that could matter; its members are rows of the problem.
    `price` is by rank and need not be feasible.
    """
    candidates, state, price = decompose(problem, columns, price, limits, deadline)
    note(columns_kept=len(candidates))
    total_price = float(price.sum())
    if state.complete:
        lower = state.lower_total
        unconfirmed_loss = lower + sum(state.unproven_loss.values())
    else:
        lower = 0.0
        unconfirmed_loss = 0.0
    return BestColumns(
        candidates[state.chosen], total_price - lower, price, total_price - unconfirmed_loss
    )


def decompose(
    problem: Problem,
    columns: Columns,
    price: Floats,
    limits: Limits,
    deadline: float,
    *,
    ties: bool = False,
) -> tuple[Indices, Decomposition, Floats]:
    """Run the proof over the columns with little loss, and include more of them while needed.

    Return the rows of the columns that were included, the final state, and feasible prices by rank:
    no column gains more than the prices of its units.
    """
    from gammacp.alignment.kernels.feasible_prices import make_feasible

    ranked = columns.renumber(problem.ranks)
    # In a cover, no unit needs a higher price than this (see `Problem.cover_cost`).
    highest = problem.highest_price
    price = np.minimum(price, highest)
    loss = make_feasible(price, columns._replace(members=ranked.members), highest)
    most_loss = _FIRST_LOSS * problem.scale
    while True:
        candidates = np.flatnonzero(loss <= most_loss)
        candidates = candidates[np.argsort(loss[candidates], kind="stable")]
        state = Decomposition(
            ranked.select(candidates), loss[candidates], price, problem, limits, deadline, ties=ties
        )
        state.run()
        everything = len(candidates) == len(loss)
        if not state.complete or everything or not _matters(state, ranked, loss, most_loss):
            return candidates, state, price
        most_loss *= 8


def _matters(state: Decomposition, columns: Columns, loss: Floats, most_loss: float) -> bool:
    """Return whether a column that loses more than `most_loss` would have to become active."""
    from gammacp.alignment.kernels.components import activate

    if state.total <= most_loss:
        return False
    decided = loss <= most_loss
    beyond = np.flatnonzero(loss > most_loss)
    activate(columns, loss, decided, beyond, state.label, state.least, state.tolerance, np.inf)
    return bool(decided[beyond].any())
