"""Groups that an alignment within a limit can use, and the components into which they fall.

The *gain* of a group is what it saves compared with leaving its units alone (`columns`). Let y ≥ 0
be prices of the units such that no group gains more than the prices of its units. The *loss* of a
group is Σ y − gain, and that of a unit left alone is its price. An alignment costs Σ (opening − y),
which is a lower bound, plus its losses. So an alignment within the limit cannot contain a group
whose loss exceeds the limit minus this bound.

A stronger argument excludes most of the remaining groups. The groups with almost no loss are
*active*. They connect the units into components, and δ_K is the least loss of component K. An
inactive group is excluded if its loss exceeds the sum of δ_K over the components that it touches by
more than the limit exceeds Σ δ_K over all components: the components that it does not touch lose at
least δ_K each, so that the total is above the limit. A group with a smaller loss becomes active and
joins the components that it touches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.alternatives.divisions import (
    Allowance,
    CandidateGroup,
    DivisionSearch,
    TooManyError,
)
from gammacp.alignment.columns import group_table
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.pricing.exact import find_groups
from gammacp.alignment.problem import Problem
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import GIGA, budget

# Largest total number of members of all listed groups.
_LISTED = 3_000_000
# Steps of the solver that computes prices if the alignment came without any.
_PRICING = 5 * GIGA
# First threshold of loss up to which groups become active, as a share of the scale. In each round
# it rises to at least twice the least loss of the groups that still have to become active.
_FIRST_LOSS = 0.004


class PricedProblem(NamedTuple):
    """Cost of the best alignment of a problem, with prices that no group's gain exceeds.

    Attributes
    ----------
    problem
        The problem, with all pairs that an alignment within the limit can use; `rank` orders its
        units.
    price
        Price of each unit.
    cost
        Cost Σ cost(G) of the best alignment that is known.
    """

    problem: Problem
    price: Floats
    cost: float

    @property
    def bound(self) -> float:
        """Σ (opening − price): no alignment costs less."""
        return self.problem.n_units * self.problem.opening - float(self.price.sum())


class Listed(NamedTuple):
    """All groups of two or more units whose loss is within some limit, with their losses."""

    columns: Columns
    loss: Floats


class ComponentRows(NamedTuple):
    """A component: its units in order, and the rows of its groups among those listed."""

    units: Indices
    rows: Indices


def price_units(problem: Problem, limits: Limits) -> PricedProblem:
    """Solve a problem, for its prices.

    Parameters
    ----------
    problem
        A problem with any candidate pairs.
    limits
        Limits of the solver.

    Raises
    ------
    TooManyError
        The solver leaves no prices.
    """
    with budget(limits.steps(_PRICING)):
        solved = SOLVERS["auto"].solve(problem, limits)
    if solved.proof is None:
        raise TooManyError
    return PricedProblem(problem, np.maximum(solved.proof.price, 0.0), solved.objective)


def list_groups(
    priced: PricedProblem, excess: float, deadline: float
) -> tuple[PricedProblem, Listed]:
    """List all groups that lose at most the gap of the prices plus `excess`.

    The gap is the cost of the best alignment minus the bound. Return the prices, raised where
    rounding let a listed group gain more, and the groups.

    Parameters
    ----------
    priced
        Prices that the gain of a group exceeds by rounding errors at most.
    excess
        Largest cost of an alignment beyond the best one.
    deadline
        Time at which to give up.

    Raises
    ------
    TooManyError
        There are too many groups, or there is no time.
    """
    from gammacp.alignment.kernels.feasible_prices import make_feasible

    problem = priced.problem
    while True:
        limit = priced.cost - priced.bound + excess
        reserve = problem.slack
        price = priced.price
        floor = -limit - reserve
        groups = find_groups(problem, price, floor, every=True, limit=_LISTED, deadline=deadline)
        if groups is None or groups.unsure.any():
            raise TooManyError
        price = price.copy()
        loss = make_feasible(price, groups.columns, np.inf)
        priced = priced._replace(price=price)
        # Groups that were not listed exceed the limit under the raised prices as well.
        if priced.cost - priced.bound + excess <= limit + reserve:
            cheap = np.flatnonzero(loss <= priced.cost - priced.bound + excess)
            return priced, Listed(groups.columns.select(cheap), loss[cheap])


class UsableComponents:
    """The components of the groups that an alignment within the limit can use.

    Parameters
    ----------
    priced, listed
        Results of `list_groups`.
    category_costs
        Σ d_cat of each group listed, which decides ties.
    excess
        Largest cost of an alignment beyond the best one.
    allowance
        Steps of the search of components.
    """

    def __init__(
        self,
        priced: PricedProblem,
        listed: Listed,
        category_costs: Floats,
        excess: float,
        allowance: Allowance,
    ) -> None:
        """Sort the groups; `settle` then finds the components."""
        self.priced = priced
        self.listed = listed
        self.category_costs: list[float] = category_costs.tolist()
        self.excess = excess
        self.allowance = allowance
        self.ranks = priced.problem.ranks
        self.gap = max(priced.cost - priced.bound, 0.0)
        self.order = _lexicographic(priced.problem, listed.columns)
        self._searched: dict[tuple[int, bytes], DivisionSearch] = {}

    def settle(self) -> list[DivisionSearch]:
        """Activate groups until no other one can matter, and return a search for each component.

        Together the components contain all units.

        Raises
        ------
        TooManyError
            The allowance is used up.
        """
        columns, loss = self.listed
        active = loss <= max(self.excess, self.priced.problem.tolerance)
        step = _FIRST_LOSS * self.priced.problem.scale
        while True:
            label = self._label(active)
            least = np.zeros(len(label))
            for root, component in self._search(label, active, self.gap + self.excess).items():
                least[root] = component.least
            needed = ~active & (loss <= _touched(columns, label, least) + self.excess)
            if not needed.any():
                break
            step = max(step, 2 * float(loss[needed].min()))
            active |= needed & (loss <= step)
        # A group cannot lose more than the least loss of its component plus `excess`.
        active &= loss <= least[label[columns.members[columns.begin[:-1]]]] + self.excess
        label = self._label(active)
        components = list(self._search(label, active, self.gap + self.excess).values())
        total = sum(component.least for component in components)
        self.priced = self.priced._replace(cost=self.priced.bound + total)
        # Searched again with the tightest limit.
        return [
            DivisionSearch(c.groups_by_unit, c.least + self.excess, self.allowance)
            for c in components
        ]

    def _label(self, active: Bools) -> Codes:
        from gammacp.alignment.kernels.components import label_components

        label = np.empty(self.priced.problem.n_units, np.int32)
        label_components(self.listed.columns, active, label)
        return label

    def _search(
        self, label: Codes, active: Bools, largest_loss: float
    ) -> dict[int, DivisionSearch]:
        """Return the search of each root's component; earlier ones are reused."""
        searches = {}
        for root, part in self._parts(label, active).items():
            key = root, part.rows.tobytes() + part.units.tobytes()
            if key not in self._searched:
                groups = self._groups_by_unit(part)
                self._searched[key] = DivisionSearch(groups, largest_loss, self.allowance)
            searches[root] = self._searched[key]
        return searches

    def _parts(self, label: Codes, active: Bools) -> dict[int, ComponentRows]:
        """Return the units, by position, and the groups, in tie-breaking order, per root."""
        by_rank = np.argsort(self.ranks)
        columns = self.listed.columns
        rows = self.order[active[self.order]]
        row_label = label[columns.members[columns.begin[rows]]]
        units = _split(by_rank, label[by_rank])
        groups = _split(rows, row_label)
        none = np.empty(0, np.int64)
        return {
            root: ComponentRows(inside, groups.get(root, none)) for root, inside in units.items()
        }

    def _groups_by_unit(self, part: ComponentRows) -> list[list[CandidateGroup]]:
        """Return for each unit the groups whose first unit it is, and last the unit alone."""
        columns, loss = self.listed
        index = {u: i for i, u in enumerate(part.units.tolist())}
        groups: list[list[CandidateGroup]] = [[] for _ in index]
        for row in part.rows.tolist():
            members = columns.members[columns.begin[row] : columns.begin[row + 1]].tolist()
            indices = [index[u] for u in members]
            mask = sum(1 << i for i in indices)
            group = CandidateGroup(mask, float(loss[row]), self.category_costs[row], row)
            groups[min(indices)].append(group)
        for unit, i in index.items():
            groups[i].append(CandidateGroup(1 << i, float(self.priced.price[unit]), 0.0, ~unit))
        return groups


def _split(values: Indices, label: Codes) -> dict[int, Indices]:
    """Return the values that have each label, in their original order."""
    order = np.argsort(label, kind="stable")
    roots, begin = np.unique(label[order], return_index=True)
    if not len(roots):
        return {}
    return dict(zip(roots.tolist(), np.split(values[order], begin[1:]), strict=True))


def _touched(columns: Columns, label: Codes, least: Floats) -> Floats:
    """Return for each group the sum of the least losses of the components that it touches."""
    if not columns.number:
        return np.zeros(0)
    n_units = len(label)
    pairs = np.unique(columns.column_of * n_units + label[columns.members])
    weights = least[pairs % n_units]
    sums = np.bincount(pairs // n_units, weights=weights, minlength=columns.number)
    return np.asarray(sums, np.float64)


def _lexicographic(problem: Problem, columns: Columns) -> Indices:
    """Sort groups in the order in which ties are decided: by first unit, fuller ones first."""
    table = np.append(problem.ranks, problem.n_units)[group_table(problem, columns)]
    table.sort(axis=1)
    return np.asarray(np.lexsort(table.T[::-1]), np.int64)
