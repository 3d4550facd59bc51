"""All ways to divide the units of one component into groups, by dynamic programming.

Each group has a loss (see `listing`), and a division loses the sum of these. A state is the set of
units that are already in a group. The next group is one that contains the first unit outside this
set, so that each division corresponds to exactly one path from the empty set to the full set. Only
states on the path of a division within the limit are kept. A forward pass finds the least loss with
which each state can be reached, and a backward pass the least loss with which it can be completed.
A further backward pass then counts the divisions by their loss, or finds the best of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from gammacp.base.stopping import due

# Number of steps between two checks of the deadline.
_UNWATCHED = 4096


class TooManyError(Exception):
    """Raised when the allowed number of steps, or the time, is used up."""


class Option(NamedTuple):
    """A group: its units as a bit mask, its loss, its Σ d_cat, and its column number.

    The column number of a unit alone is ~unit, which is negative.
    """

    units: int
    loss: float
    second: float
    column: int


class Division(NamedTuple):
    """A division of a component: total loss, number of groups, Σ d_cat, and column numbers."""

    loss: float
    groups: int
    second: float
    columns: tuple[int, ...]


class Tally(NamedTuple):
    """Number of divisions that have this loss, up to the grain by which losses are told apart."""

    loss: float
    number: int


@dataclass
class Allowance:
    """Budget of steps that all components share, and a deadline.

    Attributes
    ----------
    steps
        Options that may still be tried, and divisions that may still be kept.
    deadline
        Time at which to stop, on the clock of `stopping.clock`.
    """

    steps: int
    deadline: float = inf
    watched: int = 0

    def spend(self, steps: int) -> None:
        """Subtract steps; raise TooManyError if none are left or the deadline has passed.

        Parameters
        ----------
        steps
            Number of steps to subtract.
        """
        self.steps -= steps
        self.watched += steps
        if self.steps < 0:
            raise TooManyError
        if self.watched >= _UNWATCHED:
            self.watched = 0
            if due(self.deadline):
                raise TooManyError


class Component:
    """Units 0 … m − 1 that are connected by groups, and the divisions of them into groups.

    Parameters
    ----------
    options
        For each unit, the groups whose first unit it is, including the unit alone, in the order
        that breaks ties.
    largest_loss
        Largest loss of a division that is considered.
    allowance
        Budget of steps.
    """

    def __init__(
        self, options: Sequence[Sequence[Option]], largest_loss: float, allowance: Allowance
    ):
        """Find the states that can be reached within `largest_loss`, and the least loss.

        `sources` keeps the options as they are. In `options`, each loss is smaller by what its
        units lose in any case, which is `paid` for all units together (`_share_out`).
        """
        self.sources = options
        self.allowance = allowance
        self.largest_loss = largest_loss
        self.options, self.paid = _share_out(options)
        self.before = self._reach()
        self.after = self._complete()
        self.least = self.after[0].get(0, inf) + self.paid

    def _reach(self) -> list[dict[int, float]]:
        """Return the least loss with which each state can be reached.

        Item i of the list holds the states whose first uncovered unit is i.
        """
        size = len(self.options)
        before: list[dict[int, float]] = [{} for _ in range(size + 1)]
        before[0][0] = 0.0
        unpaid = self.largest_loss - self.paid
        for first, states in enumerate(before[:-1]):
            for covered, lost in states.items():
                self.allowance.spend(len(self.options[first]))
                for option in self.options[first]:
                    total = lost + option.loss
                    if covered & option.units or total > unpaid:
                        continue
                    after = covered | option.units
                    layer = before[_first_open(after)]
                    if total < layer.get(after, inf):
                        layer[after] = total
        return before

    def _complete(self) -> list[dict[int, float]]:
        """Return the least loss with which each state can be completed to a division.

        States that no division within the limit passes through are left out.
        """
        size = len(self.options)
        after: list[dict[int, float]] = [{} for _ in range(size + 1)]
        after[size] = dict.fromkeys(self.before[size], 0.0)
        unpaid = self.largest_loss - self.paid
        for first in range(size - 1, -1, -1):
            for covered, lost in self.before[first].items():
                least = inf
                for option in self.options[first]:
                    if not covered & option.units:
                        then = covered | option.units
                        rest = after[_first_open(then)].get(then, inf)
                        least = min(least, option.loss + rest)
                if lost + least <= unpaid:
                    after[first][covered] = least
        return after

    def tally(self, grain: float) -> list[Tally]:
        """Count the divisions within the limit by their loss, in ascending order.

        Parameters
        ----------
        grain
            Losses that differ by no more than this are counted together.
        """
        unpaid = self.largest_loss - self.paid
        counts: list[dict[int, list[Tally]]] = [{} for _ in self.after]
        counts[-1] = {covered: [Tally(0.0, 1)] for covered in self.after[-1]}
        for first in range(len(self.options) - 1, -1, -1):
            for covered in self.after[first]:
                limit = unpaid - self.before[first][covered]
                rows: list[Tally] = []
                for option in self.options[first]:
                    if covered & option.units:
                        continue
                    then = covered | option.units
                    for loss, count in counts[_first_open(then)].get(then, ()):
                        if option.loss + loss <= limit:
                            rows.append(Tally(option.loss + loss, count))
                self.allowance.spend(len(rows) + 1)
                counts[first][covered] = merge_tallies(rows, grain)
        lists_of_first = counts[0].get(0, [])
        return [Tally(loss + self.paid, count) for loss, count in lists_of_first]

    def best(self, number: int, grain: float) -> list[Division]:
        """Return the first divisions: by loss, then by fewest groups, Σ d_cat and order of groups.

        Parameters
        ----------
        number
            Largest number of divisions to return.
        grain
            Width to which losses, and Σ d_cat, are rounded before they are compared.
        """
        lists: list[dict[int, list[Division]]] = [{} for _ in self.after]
        lists[-1] = {covered: [Division(0.0, 0, 0.0, ())] for covered in self.after[-1]}
        for first in range(len(self.options) - 1, -1, -1):
            for covered, least in self.after[first].items():
                limit = self.largest_loss - self.paid - self.before[first][covered]
                rows: list[Division] = []
                for option in self.options[first]:
                    if covered & option.units:
                        continue
                    then = covered | option.units
                    for rest in lists[_first_open(then)].get(then, ()):
                        if option.loss + rest.loss <= limit:
                            rows.append(_join(option, rest))
                self.allowance.spend(len(rows) + 1)
                lists[first][covered] = first_divisions(rows, least, number, grain)
        cheapest = lists[0].get(0, [])
        return [row._replace(loss=row.loss + self.paid) for row in cheapest]


def merge_tallies(rows: list[Tally], grain: float) -> list[Tally]:
    """Sort tallies by loss, and add up those whose losses differ by no more than the grain.

    Parameters
    ----------
    rows
        Tallies, in any order.
    grain
        See `Component.tally`.
    """
    merged: list[Tally] = []
    for loss, count in sorted(rows):
        if merged and loss - merged[-1].loss <= grain:
            merged[-1] = Tally(merged[-1].loss, merged[-1].number + count)
        else:
            merged.append(Tally(loss, count))
    return merged


def first_divisions(
    rows: list[Division], least: float, number: int, grain: float
) -> list[Division]:
    """Return the best divisions; those of equal rank keep their order.

    Parameters
    ----------
    rows
        Divisions, in the order that breaks ties.
    least
        Smallest loss among them; the excess of the others is rounded to whole grains.
    number, grain
        See `Component.best`.
    """

    def rank(row: Division) -> tuple[int, int, int]:
        return round((row.loss - least) / grain), row.groups, round(row.second / grain)

    return sorted(rows, key=rank)[:number]


def _join(option: Option, rest: Division) -> Division:
    return Division(
        option.loss + rest.loss,
        1 + rest.groups,
        option.second + rest.second,
        (option.column, *rest.columns),
    )


def _first_open(covered: int) -> int:
    """Return the index of the first unit that is not covered."""
    return (~covered & (covered + 1)).bit_length() - 1


def _share_out(options: Sequence[Sequence[Option]]) -> tuple[list[list[Option]], float]:
    """Subtract from the options what each unit loses in every group; return the sum as well.

    A unit loses at least the minimum, over its groups, of the loss per unit. Subtracting these
    minima makes 0 a tighter lower bound on the loss still to come, and lowers the loss of every
    division by the same amount.
    """
    fair = [inf] * len(options)
    for option in (o for some in options for o in some):
        places = _places(option.units)
        for u in places:
            fair[u] = min(fair[u], option.loss / len(places))
    shared = [
        [o._replace(loss=max(o.loss - sum(fair[u] for u in _places(o.units)), 0.0)) for o in some]
        for some in options
    ]
    return shared, sum(fair)


def _places(units: int) -> list[int]:
    return [u for u in range(units.bit_length()) if units >> u & 1]
