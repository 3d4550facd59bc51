"""Groups that an alignment within a limit can use, and the components into which they fall.

Prices y ≥ 0 of the units that no group beats turn gains into losses: of a group Σ y − gain, of a
unit alone its price. Every alignment costs Σ (opening − y) and what its parts lose, so that none
within the limit has a group that alone loses more than the limit leaves.

Most groups go for a better reason. Take those that lose next to nothing; they fall into components
of least losses δ_K. A group that was left out and loses more than the δ_K of all components that it
touches and what the limit leaves beyond Σ δ_K, cannot be in any alignment within the limit: the
components that no such group touches lose δ_K each, and the others are more than paid for. A group
that loses less is taken in and joins its components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.alternatives.covers import Allowance, Component, Option, TooManyError
from gammacp.alignment.columns import group_table
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.pricing.exact import search
from gammacp.alignment.problem import Problem
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import GIGA, budget

# Members of all groups that are listed.
_LISTED = 3_000_000
# Steps of a solver for prices, where the alignment has left none.
_PRICING = 5 * GIGA
# Of the scale: groups that lose less are looked at first; then twice as far as the least of those
# that have to be taken in.
_FIRST_LOSS = 0.004


class Priced(NamedTuple):
    """An optimum of a problem with prices that no group beats.

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
    """All groups of two and more units that lose no more than some amount, with their losses."""

    columns: Columns
    loss: Floats


class Part(NamedTuple):
    """A component: its units in order, and the rows of its groups among those listed."""

    units: Indices
    rows: Indices


def price_units(problem: Problem, limits: Limits) -> Priced:
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
    return Priced(problem, np.maximum(solved.proof.price, 0.0), solved.objective)


def list_groups(priced: Priced, most: float, deadline: float) -> tuple[Priced, Listed]:
    """List all groups that lose no more than the gap and `most`; the prices are mended for them.

    Parameters
    ----------
    priced
        Prices that groups beat by rounding at most.
    most
        Largest cost of an alignment beyond the best one.
    deadline
        Time at which to give up.

    Raises
    ------
    TooManyError
        There are too many groups, or there is no time.
    """
    from gammacp.alignment.kernels.duals import make_feasible

    problem = priced.problem
    while True:
        limit = priced.cost - priced.bound + most
        reserve = problem.slack
        price = priced.price
        floor = -limit - reserve
        groups = search(problem, price, floor, every=True, limit=_LISTED, deadline=deadline)
        if groups is None or groups.unsure.any():
            raise TooManyError
        price = price.copy()
        loss = make_feasible(price, groups.columns, np.inf)
        priced = priced._replace(price=price)
        # What was not listed is beyond the limit by the mended prices, too.
        if priced.cost - priced.bound + most <= limit + reserve:
            cheap = np.flatnonzero(loss <= priced.cost - priced.bound + most)
            return priced, Listed(groups.columns.select(cheap), loss[cheap])


class Parts:
    """The components of the groups that an alignment within the limit can use.

    Parameters
    ----------
    priced, listed
        Results of `list_groups`.
    second
        Σ d_cat of each group listed, which decides ties.
    most
        Largest cost of an alignment beyond the best one.
    allowance
        Steps of the search of components.
    """

    def __init__(
        self, priced: Priced, listed: Listed, second: Floats, most: float, allowance: Allowance
    ) -> None:
        """Order the groups; none is looked at yet."""
        self.priced = priced
        self.listed = listed
        self.second = second.tolist()
        self.most = most
        self.allowance = allowance
        self.places = priced.problem.ranks
        self.gap = max(priced.cost - priced.bound, 0.0)
        self.order = _lexicographic(priced.problem, listed.columns)
        self._searched: dict[tuple[int, bytes], Component] = {}

    def settle(self) -> list[Component]:
        """Take groups in until no other can matter; the components of all units, searched.

        Raises
        ------
        TooManyError
            The allowance is used up.
        """
        columns, loss = self.listed
        active = loss <= max(self.most, self.priced.problem.tolerance)
        step = _FIRST_LOSS * self.priced.problem.scale
        while True:
            label = self._label(active)
            least = np.zeros(len(label))
            for root, component in self._search(label, active, self.gap + self.most).items():
                least[root] = component.least
            needed = ~active & (loss <= _touched(columns, label, least) + self.most)
            if not needed.any():
                break
            step = max(step, 2 * float(loss[needed].min()))
            active |= needed & (loss <= step)
        # Within a component no group may lose more than its least loss and what is left.
        active &= loss <= least[label[columns.members[columns.begin[:-1]]]] + self.most
        label = self._label(active)
        whole = self._search(label, active, self.gap + self.most)
        total = sum(component.least for component in whole.values())
        self.priced = self.priced._replace(cost=self.priced.bound + total)
        return [Component(c.sources, c.least + self.most, self.allowance) for c in whole.values()]

    def _label(self, active: Bools) -> Codes:
        from gammacp.alignment.kernels.components import label_components

        label = np.empty(self.priced.problem.n_units, np.int32)
        label_components(self.listed.columns, active, label)
        return label

    def _search(self, label: Codes, active: Bools, most: float) -> dict[int, Component]:
        """Search each component, by its root, unless that was done before."""
        lists = {}
        for root, part in self._parts(label, active).items():
            key = root, part.rows.tobytes() + part.units.tobytes()
            if key not in self._searched:
                self._searched[key] = Component(self._options(part), most, self.allowance)
            lists[root] = self._searched[key]
        return lists

    def _parts(self, label: Codes, active: Bools) -> dict[int, Part]:
        """Units in order of position and groups in lexicographic order, by component."""
        by_place = np.argsort(self.places)
        columns = self.listed.columns
        rows = self.order[active[self.order]]
        row_label = label[columns.members[columns.begin[rows]]]
        units = _split(by_place, label[by_place])
        groups = _split(rows, row_label)
        none = np.empty(0, np.int64)
        return {root: Part(own, groups.get(root, none)) for root, own in units.items()}

    def _options(self, part: Part) -> list[list[Option]]:
        """Return the groups by their first unit, each unit alone behind them."""
        columns, loss = self.listed
        place = {u: i for i, u in enumerate(part.units.tolist())}
        options: list[list[Option]] = [[] for _ in place]
        for row in part.rows.tolist():
            members = columns.members[columns.begin[row] : columns.begin[row + 1]].tolist()
            inside = [place[u] for u in members]
            bits = sum(1 << i for i in inside)
            options[min(inside)].append(Option(bits, float(loss[row]), self.second[row], row))
        for unit, i in place.items():
            options[i].append(Option(1 << i, float(self.priced.price[unit]), 0.0, ~unit))
        return options


def _split(values: Indices, label: Codes) -> dict[int, Indices]:
    """Return the values of each label, in their order."""
    order = np.argsort(label, kind="stable")
    roots, begin = np.unique(label[order], return_index=True)
    if not len(roots):
        return {}
    return dict(zip(roots.tolist(), np.split(values[order], begin[1:]), strict=True))


def _touched(columns: Columns, label: Codes, least: Floats) -> Floats:
    """Return for each group the least losses of all components that it has units of, added up."""
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
