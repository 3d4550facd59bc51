"""Proofs of alignments by dual prices, component by component.

The proof. Prices y ≥ 0 of the units with Σ_{u∈G} y_u ≥ gain(G) turn gains into losses ≥ 0: of a
column, Σ y − gain; of a unit left alone, its price. Every alignment gains Σ y − Σ losses. Take the
columns that lose next to nothing; they fall into small components, whose least losses δ_K an
exhaustive search finds. A column that was left out may be left out for good if it alone loses at
least what all components that it touches lose together; otherwise it is taken in, and joins them.
When none is left to take in, no alignment loses less than Σ δ_K: in any alignment the components
without a left-out column lose δ_K each, and the others are paid for by the left-out columns.
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
    from gammacp.alignment.solvers.packing import Model

# Of the scale: columns that lose more than the first are looked at only once those below are
# decided; how far columns are taken in at first, then four times as far each time.
_FIRST_LOSS = 0.05
_LOSS_STEP = 0.004
# How much longer a component may be searched once CP-SAT has told its best packing.
_LONGER = 50


@dataclass(frozen=True)
class Components(Stage):
    """Effort put into the search of components.

    Attributes
    ----------
    nodes
        Nodes of the search of one component, some milliseconds; then CP-SAT takes it.
    steps
        Steps of CP-SAT on one component without a time limit; then the component's bound is what it
        has come to.
    proof
        Steps of a whole proof without a time limit, those of ties not counted.
    """

    nodes: int = 20_000
    steps: float = 20 * GIGA
    proof: float = 100 * GIGA


class Decomposition:
    """The state of a proof over columns whose units are numbered by position.

    `complete` when the components' least losses are proven to be all that an alignment must lose.
    By column: `loss`, and whether it is `active` and `chosen`. By unit: what it loses `alone`, what
    covering it again costs (`over`), and its component's root (`label`). By root: the `least` loss
    found (`total` is that of all), the `lower` bound of it, and what CP-SAT has `told` beyond that
    and nobody has checked. `waiting` are columns that may have to be taken in; a round looks at
    these alone, and searches the components alone that columns joined.

    Mutable while it is worked out, and private to one call of the solver.
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
        """Columns sorted by loss; only those that lose nothing are active.

        With `ties` also columns that an equally good alignment could use are taken in.
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
        # Not that of all units: they may be those of many small continua, in a row.
        self.equal = problem.tolerance * min(len(alone), SMALL_UNITS)
        self.allowed = max(self.equal, limits.gap * cost)
        n_units = len(alone)
        size = columns.number
        self._units = np.arange(n_units)
        self.active: Bools = loss <= self.tolerance
        self.chosen: Bools = np.zeros(size, np.bool_)
        self.label: Codes = np.arange(n_units, dtype=np.int32)
        self.least: Floats = np.zeros(n_units)
        self.lower: Floats = np.zeros(n_units)
        self.told: dict[int, float] = {}
        self.total = 0.0
        self.waiting: Indices = np.flatnonzero(~self.active)

    @property
    def lower_total(self) -> float:
        """Loss that no alignment of the active columns undercuts."""
        return self._of_components(self.lower)

    def _of_components(self, of_roots: Floats) -> float:
        return float(of_roots[self.label == self._units].sum())

    def run(self) -> None:
        """Take columns in until none of them matters any more, or time runs out."""
        step = _LOSS_STEP * self.problem.scale
        self._search(self._units, np.flatnonzero(self.active))
        while True:
            # Tied columns that lose more than nothing may still have to be taken in.
            if self.total <= self.allowed and not self.ties:
                self.complete = self.total <= self.equal
                return
            if due(self.deadline):
                return
            while (left := self._take_in(step)) is not None:
                if left == np.inf:
                    self.complete = True
                    return
                step = max(4 * step, left)

    def _take_in(self, most: float) -> float | None:
        """Take columns in; None if there were any.

        Otherwise the least loss of one that still should be, or ∞.
        """
        from gammacp.alignment.kernels.components import activate

        before = self.waiting
        left, self.waiting = activate(
            self.columns,
            self.loss,
            self.active,
            before,
            self.label,
            self.least,
            -self.tolerance if self.ties else self.tolerance,
            min(most, self.total + self.tolerance),
        )
        taken = before[self.active[before]]
        if not len(taken):
            if left > self.total + self.tolerance:
                return np.inf
            return float(left)
        begin, members, _ = self.columns
        joined = np.zeros(len(self.label), np.bool_)
        entries = spread(begin[taken], begin[taken + 1] - begin[taken])
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
        """Find the components of these units, which all active columns at them join, and search."""
        from gammacp.alignment.kernels.components import label_components

        part = self._part(units, inside)
        label = np.empty(len(units), np.int32)
        label_components(part, np.ones(part.number, np.bool_), label)
        chosen = self.chosen[inside]
        least = self.least[units]
        nodes = self.limits.of(Components).nodes
        hard = self._what_is_hard(units, inside, part, label, least, chosen, nodes)
        self.label[units] = units[label]
        self.chosen[inside] = chosen
        self.least[units] = self.lower[units] = least
        if self.told:
            gone = set(units.tolist())
            self.told = {root: told for root, told in self.told.items() if root not in gone}
        for root in units[hard].tolist():
            self._solve_hard(root)
        self.total = self._of_components(self.least)

    def _part(self, units: Indices, inside: Indices) -> Columns:
        """Return these columns, of these units by their number among them."""
        part = self.columns.select(inside)
        if len(units) == len(self.alone):
            return part
        return part._replace(members=np.searchsorted(units, part.members).astype(np.int32))

    def _what_is_hard(
        self,
        units: Indices,
        inside: Indices,
        part: Columns,
        label: Codes,
        least: Floats,
        chosen: Bools,
        nodes: int,
    ) -> Indices:
        """Search components, `least` and `chosen` in place; the roots of those that are hard."""
        from gammacp.alignment.kernels.component_search import Rules, SearchCosts, search_components

        loss = self.loss[inside]
        costs = SearchCosts(loss, loss, self.alone[units], self.over[units])
        every = np.ones(len(inside), np.bool_)
        never = np.full(len(units), -1, np.int32)
        rules = Rules(self.problem.cover, False, self.tolerance, nodes)
        searched = part, costs, every, label, never, least, chosen, rules
        return halting(lambda meter: search_components(*searched, meter), quick=True)

    def _solve_hard(self, root: int) -> None:
        """CP-SAT on one component; its prices minus its gain is what it loses."""
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
        from gammacp.alignment.solvers.packing import Model, best_packing

        again = self.problem.opening + self.problem.reuse
        packing = Model(part, ones, again, self.problem.cover)
        share = self.problem.slack * len(np.unique(part.members)) / len(self.alone)
        with budget(self.limits.steps(self.limits.of(Components).steps)):
            found = best_packing(packing, limits, hint=had.astype(np.int64), slack=0.5 * share)
        taken = found.times > 0
        if self._loss(part, taken, price) > self._loss(part, had, price):
            taken = had
        self.chosen[inside] = taken
        self.least[root] = self._loss(part, taken, price)
        if found.proven:
            told = self.least[root]
        else:
            told = max(price - found.bound, 0.0)
        self.lower[root] = self._confirm(inside, packing, price, told)
        self.told[root] = told - self.lower[root]

    def _confirm(self, inside: Indices, packing: Model, price: float, told: float) -> float:
        """Return as much of the loss told by CP-SAT as a longer search, or HiGHS, confirms."""
        units = np.unique(self.columns.select(inside).members).astype(np.int64)
        least = np.zeros(len(units))
        chosen = np.zeros(len(inside), np.bool_)
        part = self._part(units, inside)
        label = np.zeros(len(units), np.int32)
        nodes = _LONGER * self.limits.of(Components).nodes
        if not len(self._what_is_hard(units, inside, part, label, least, chosen, nodes)):
            return min(told, float(least[0]))
        from gammacp.alignment.solvers.packing import highs_bound

        return min(told, max(price - highs_bound(packing, self.limits.until(self.deadline)), 0.0))

    def _loss(self, part: Columns, taken: Bools, price: float) -> float:
        picked = part.select(np.flatnonzero(taken))
        shared = len(picked.members) - len(np.unique(picked.members))
        return (
            price - float(picked.gain.sum()) + shared * (self.problem.opening + self.problem.reuse)
        )


class BestColumns(NamedTuple):
    """Columns of a best alignment, what none can gain more than, and prices no column beats.

    `told` is what none can gain more than if CP-SAT is believed.
    """

    chosen: Indices
    most_gain: float
    price: Floats
    told: float


def best_of_columns(
    problem: Problem, columns: Columns, price: Floats, limits: Limits, deadline: float
) -> BestColumns:
    """Columns of a best alignment, and what no alignment can gain more than.

    `columns` must hold every column that could matter; `price` (by rank) need not be feasible.
    Units of `columns` are rows of the problem.
    """
    kept, state, price = decompose(problem, columns, price, limits, deadline)
    note(columns_kept=len(kept))
    most = float(price.sum())
    if state.complete:
        lower = state.lower_total
    else:
        lower = 0.0
    if state.complete:
        told = lower + sum(state.told.values())
    else:
        told = 0.0
    return BestColumns(kept[state.chosen], most - lower, price, most - told)


def decompose(
    problem: Problem,
    columns: Columns,
    price: Floats,
    limits: Limits,
    deadline: float,
    *,
    ties: bool = False,
) -> tuple[Indices, Decomposition, Floats]:
    """Work out the proof: which columns it is about, its state, and prices none of all beats."""
    from gammacp.alignment.kernels.duals import make_feasible

    ranked = columns.renumber(problem.ranks)
    # In a cover no price need be above that: w ≤ Δ, so that no group gains more.
    highest = problem.highest_price
    price = np.minimum(price, highest)
    loss = make_feasible(price, columns._replace(members=ranked.members), highest)
    most_loss = _FIRST_LOSS * problem.scale
    while True:
        kept = np.flatnonzero(loss <= most_loss)
        kept = kept[np.argsort(loss[kept], kind="stable")]
        state = Decomposition(
            ranked.select(kept), loss[kept], price, problem, limits, deadline, ties=ties
        )
        state.run()
        everything = len(kept) == len(loss)
        if not state.complete or everything or not _matters(state, ranked, loss, most_loss):
            return kept, state, price
        most_loss *= 8


def _matters(state: Decomposition, columns: Columns, loss: Floats, most_loss: float) -> bool:
    """Return whether a column beyond that loses less than the components it touches."""
    from gammacp.alignment.kernels.components import activate

    if state.total <= most_loss:
        return False
    decided = loss <= most_loss
    beyond = np.flatnonzero(loss > most_loss)
    activate(columns, loss, decided, beyond, state.label, state.least, state.tolerance, np.inf)
    return bool(decided[beyond].any())
