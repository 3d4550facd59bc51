"""All ways to divide the units of one component into groups, by dynamic programming.

Each group has a loss (see `listing`), and a division loses the sum of these. A state is the set of
units that are already in a group. The next group is one that contains the first unit outside this
set, so that each division corresponds to exactly one path from the empty set to the full set. Only
states on the path of a division within the limit are kept. A forward pass finds the least loss with
which each state can be reached, and a backward pass the least loss with which it can be completed.
A further backward pass then counts the divisions by their loss, or finds the best of them.

States, and the units of groups, are bit masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from gammacp.base.stopping import due

# Number of steps between two checks of the deadline.
_STEPS_PER_CHECK = 4096


class TooManyError(Exception):
    """Raised when the allowed number of steps, or the time, is used up."""


class CandidateGroup(NamedTuple):
    """A group: its units as a bit mask, its loss, its Σ d_cat, and its column number.

    The column number of a unit alone is ~unit, which is negative.
    """

    units: int
    loss: float
    category_cost: float
    column: int


class Division(NamedTuple):
    """A division of a component: total loss, number of groups, Σ d_cat, and column numbers."""

    loss: float
    n_groups: int
    category_cost: float
    columns: tuple[int, ...]


class LossCount(NamedTuple):
    """Number of divisions that have a loss, up to some resolution."""

    loss: float
    n_divisions: int


@dataclass
class Allowance:
    """Budget of steps that all components share, and a deadline.

    Attributes
    ----------
    steps
        Groups that may still be tried, and divisions that may still be kept.
    deadline
        Time at which to stop, on the clock of `stopping.clock`.
    steps_since_check
        Steps since the deadline was last checked.
    """

    steps: int
    deadline: float = inf
    steps_since_check: int = 0

    def spend(self, steps: int) -> None:
        """Subtract steps; raise TooManyError if none are left or the deadline has passed.

        Parameters
        ----------
        steps
            Number of steps to subtract.
        """
        self.steps -= steps
        self.steps_since_check += steps
        if self.steps < 0:
            raise TooManyError
        if self.steps_since_check >= _STEPS_PER_CHECK:
            self.steps_since_check = 0
            if due(self.deadline):
                raise TooManyError


class DivisionSearch:
    """Divisions of the units 0 … m − 1 of one component into groups.

    Parameters
    ----------
    groups_by_unit
        For each unit, the groups whose first unit it is, including the unit alone, in the order
        that breaks ties.
    largest_loss
        Largest loss of a division that is considered.
    allowance
        Budget of steps.

    Attributes
    ----------
    least
        Least loss of a division; ∞ if none is within `largest_loss`.

    Raises
    ------
    TooManyError
        The allowance is used up.
    """

    def __init__(
        self,
        groups_by_unit: Sequence[Sequence[CandidateGroup]],
        largest_loss: float,
        allowance: Allowance,
    ):
        """Find the states on the path of a division within `largest_loss`, by the first two passes.

        Within this class losses are *reduced*: each unit's part that every division loses is
        subtracted from them, in sum `_unavoidable` (see `_reduce_losses`).
        """
        self.groups_by_unit = groups_by_unit
        self._allowance = allowance
        self._reduced, self._unavoidable = _reduce_losses(groups_by_unit)
        self._limit = largest_loss - self._unavoidable
        self._loss_so_far = self._forward_pass()
        self._loss_to_go = self._backward_pass()
        self.least = self._loss_to_go[0].get(0, inf) + self._unavoidable

    @property
    def n_units(self) -> int:
        """Number of units of the component."""
        return len(self.groups_by_unit)

    def _forward_pass(self) -> list[dict[int, float]]:
        """Return the least loss with which each state can be reached.

        Item i of the list holds the states whose first unit outside is i.
        """
        tables: list[dict[int, float]] = [{} for _ in range(self.n_units + 1)]
        tables[0][0] = 0.0
        # The next group contains the first unit outside, so the next state is in a later table.
        for first, table in enumerate(tables[:-1]):
            for state, loss in table.items():
                self._allowance.spend(len(self._reduced[first]))
                for group, next_state in self._steps(first, state):
                    total = loss + group.loss
                    if total > self._limit:
                        continue
                    next_table = tables[_first_outside(next_state)]
                    if total < next_table.get(next_state, inf):
                        next_table[next_state] = total
        return tables

    def _backward_pass(self) -> list[dict[int, float]]:
        """Return the least loss with which each state can be completed to a division.

        States that no division within the limit passes through are left out.
        """
        n = self.n_units
        tables: list[dict[int, float]] = [{} for _ in range(n + 1)]
        tables[n] = dict.fromkeys(self._loss_so_far[n], 0.0)
        for first in range(n - 1, -1, -1):
            for state, loss in self._loss_so_far[first].items():
                least = inf
                for group, next_state in self._steps(first, state):
                    rest = tables[_first_outside(next_state)].get(next_state, inf)
                    least = min(least, group.loss + rest)
                if loss + least <= self._limit:
                    tables[first][state] = least
        return tables

    def _steps(self, first: int, state: int) -> Iterator[tuple[CandidateGroup, int]]:
        """Yield the groups that can follow a state whose first unit outside is given.

        Each comes with the state that it leads to.
        """
        for group in self._reduced[first]:
            if not state & group.units:
                yield group, state | group.units

    def count_by_loss(self, resolution: float) -> list[LossCount]:
        """Count the divisions within the limit by their loss, in ascending order.

        Parameters
        ----------
        resolution
            Losses that differ by no more than this are counted together.
        """
        tables: list[dict[int, list[LossCount]]] = [{} for _ in self._loss_to_go]
        tables[-1] = {state: [LossCount(0.0, 1)] for state in self._loss_to_go[-1]}
        for first in range(self.n_units - 1, -1, -1):
            for state in self._loss_to_go[first]:
                limit = self._limit - self._loss_so_far[first][state]
                counts: list[LossCount] = []
                for group, next_state in self._steps(first, state):
                    for loss, count in tables[_first_outside(next_state)].get(next_state, ()):
                        if group.loss + loss <= limit:
                            counts.append(LossCount(group.loss + loss, count))
                self._allowance.spend(len(counts) + 1)
                tables[first][state] = merge_counts(counts, resolution)
        counts_of_all = tables[0].get(0, [])
        return [LossCount(loss + self._unavoidable, count) for loss, count in counts_of_all]

    def best(self, number: int, resolution: float) -> list[Division]:
        """Return the first divisions: by loss, then by fewest groups, Σ d_cat and order of groups.

        Parameters
        ----------
        number
            Largest number of divisions to return.
        resolution
            Width to which losses, and Σ d_cat, are rounded before they are compared.
        """
        tables: list[dict[int, list[Division]]] = [{} for _ in self._loss_to_go]
        tables[-1] = {state: [Division(0.0, 0, 0.0, ())] for state in self._loss_to_go[-1]}
        for first in range(self.n_units - 1, -1, -1):
            for state, least in self._loss_to_go[first].items():
                limit = self._limit - self._loss_so_far[first][state]
                divisions: list[Division] = []
                for group, next_state in self._steps(first, state):
                    for rest in tables[_first_outside(next_state)].get(next_state, ()):
                        if group.loss + rest.loss <= limit:
                            divisions.append(_prepend(group, rest))
                self._allowance.spend(len(divisions) + 1)
                tables[first][state] = best_divisions(divisions, least, number, resolution)
        divisions_of_all = tables[0].get(0, [])
        return [d._replace(loss=d.loss + self._unavoidable) for d in divisions_of_all]


def merge_counts(counts: list[LossCount], resolution: float) -> list[LossCount]:
    """Sort counts by loss, and add up those whose losses differ by no more than the resolution.

    Parameters
    ----------
    counts
        Counts, in any order.
    resolution
        See `DivisionSearch.count_by_loss`.
    """
    merged: list[LossCount] = []
    for loss, count in sorted(counts):
        if merged and loss - merged[-1].loss <= resolution:
            merged[-1] = LossCount(merged[-1].loss, merged[-1].n_divisions + count)
        else:
            merged.append(LossCount(loss, count))
    return merged


def best_divisions(
    divisions: list[Division], least: float, number: int, resolution: float
) -> list[Division]:
    """Return the best divisions: by loss, number of groups and Σ d_cat; ties keep their order.

    Parameters
    ----------
    divisions
        Divisions, in the order that breaks ties.
    least
        Smallest loss among them; the excess of the others is rounded.
    number, resolution
        See `DivisionSearch.best`.
    """

    def rank(division: Division) -> tuple[int, int, int]:
        excess = round((division.loss - least) / resolution)
        return excess, division.n_groups, round(division.category_cost / resolution)

    return sorted(divisions, key=rank)[:number]


def _prepend(group: CandidateGroup, rest: Division) -> Division:
    """Return a division with one more group, before the others."""
    return Division(
        group.loss + rest.loss,
        1 + rest.n_groups,
        group.category_cost + rest.category_cost,
        (group.column, *rest.columns),
    )


def _first_outside(state: int) -> int:
    """Return the index of the first unit outside a state: its lowest bit that is 0."""
    return (~state & (state + 1)).bit_length() - 1


def _reduce_losses(
    groups_by_unit: Sequence[Sequence[CandidateGroup]],
) -> tuple[list[list[CandidateGroup]], float]:
    """Subtract from each group what its units lose in every group; return the sum as well.

    A unit loses at least the minimum, over its groups, of the loss per unit. Subtracting these
    minima makes 0 a tighter lower bound on the loss still to come, and lowers the loss of every
    division by the same amount.
    """
    least = [inf] * len(groups_by_unit)
    for groups in groups_by_unit:
        for group in groups:
            units = _units_in(group.units)
            for u in units:
                least[u] = min(least[u], group.loss / len(units))
    reduced = []
    for groups in groups_by_unit:
        reduced_groups = []
        for group in groups:
            unavoidable = sum(least[u] for u in _units_in(group.units))
            reduced_groups.append(group._replace(loss=max(group.loss - unavoidable, 0.0)))
        reduced.append(reduced_groups)
    return reduced, sum(least)


def _units_in(mask: int) -> list[int]:
    """Return the units of a bit mask."""
    return [u for u in range(mask.bit_length()) if mask >> u & 1]
