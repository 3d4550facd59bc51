"""Groups with their gains: the columns of the set packing problem.

In packing form a unit alone is implicit: gain(G) = (|G| − 1)·opening + Σ_{pairs of G} w is what
a group saves against its units alone, and Σ cost = units·opening − Σ gain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.errors import DataError

# Members of all groups that are always listed: some 10 MB, and a linear program that is solved in
# seconds.
LISTED = 1_000_000

# Members of all groups for back-ends that need the full model, some 300 MB.
MEMBERS = 30_000_000


class Columns(NamedTuple):
    """Groups of two and more units: members of column c are `members[begin[c]:begin[c + 1]]`."""

    begin: Indices
    members: Codes
    gain: Floats

    @property
    def number(self) -> int:
        """How many columns."""
        return len(self.gain)

    @property
    def sizes(self) -> Indices:
        """Units of each column."""
        return np.diff(self.begin)

    @property
    def column_of(self) -> Indices:
        """The column of each member."""
        return np.repeat(np.arange(self.number), self.sizes)

    def select(self, which: Indices) -> Columns:
        """These columns, in this order."""
        first = self.begin[which]
        sizes = self.begin[which + 1] - first
        begin = np.zeros(len(sizes) + 1, np.int64)
        sizes.cumsum(out=begin[1:])
        return Columns(begin, self.members[spread(first, sizes)], self.gain[which])

    def renumber(self, number: Codes) -> Columns:
        """The same columns over units numbered anew, `number[unit]`."""
        return Columns(self.begin, number[self.members], self.gain)

    def compress(self) -> tuple[Columns, Indices]:
        """The same columns over units 0 … k − 1, and which units those are."""
        units, local = np.unique(self.members, return_inverse=True)
        return Columns(self.begin, local.astype(np.int32), self.gain), units.astype(np.int64)

    def join(self, others: Columns) -> Columns:
        """These and the others."""
        if not others.number:
            return self
        begin = np.concatenate((self.begin, others.begin[1:] + self.begin[-1]))
        members = np.concatenate((self.members, others.members))
        return Columns(begin, members, np.concatenate((self.gain, others.gain)))

    def losses(self, price: Floats) -> Floats:
        """Σ price − gain of each column: its reduced cost."""
        if not self.number:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(price[self.members], self.begin[:-1]) - self.gain)


def spread(starts: Indices, sizes: Indices) -> Indices:
    """The numbers from each start on, so many as its size says.

    >>> spread(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    made: Indices = (starts + sizes - sizes.cumsum()).repeat(sizes)
    made += np.arange(len(made))
    return made


def enumerate_columns(
    problem: Problem, *, most_members: int = MEMBERS, largest: int | None = None
) -> Columns | None:
    """All groups, of at most `largest` units, that no profitable split beats.

    None if they exceed `most_members` units.
    """
    from gammacp.alignment.kernels.enumeration import profitable_groups

    found, whole = profitable_groups(
        problem.graph,
        problem.opening,
        problem.tolerance,
        problem.n_annotators if largest is None else largest,
        most_members,
    )
    return found if whole else None


def all_columns(problem: Problem, largest: int | None = None) -> Columns:
    """`enumerate_columns`, or a DataError where they are too many."""
    columns = enumerate_columns(problem, largest=largest)
    if columns is None:
        raise DataError(
            "too many unitary alignments to list them all",
            hint="Use the method 'auto', which generates only those it needs",
        )
    return columns


def to_groups(problem: Problem, columns: Columns) -> Codes:
    """The columns and the units left alone, int32 (groups, annotators), −1 empty.

    In a cover the columns may share units.
    """
    table = group_table(problem, columns)
    covered = np.zeros(problem.n_units, np.bool_)
    covered[columns.members] = True
    single = np.flatnonzero(~covered)
    return np.concatenate((table, alone(problem)[single]))


def group_table(problem: Problem, columns: Columns) -> Codes:
    """The columns alone as rows of units, int32 (columns, annotators), −1 empty."""
    groups = np.full((columns.number, problem.n_annotators), -1, np.int32)
    groups[columns.column_of, problem.annotator[columns.members]] = columns.members
    return groups


def to_columns(problem: Problem, groups: Codes) -> Columns:
    """The groups of two and more units as columns."""
    from gammacp.alignment.kernels.pairs import group_weights

    groups = groups[(groups >= 0).sum(axis=1) > 1]
    sizes = (groups >= 0).sum(axis=1)
    gain = (sizes - 1) * problem.opening + group_weights(groups, problem.graph)
    begin = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Columns(begin, groups[groups >= 0].astype(np.int32), gain)


def alone(problem: Problem) -> Codes:
    """Each unit in a group of its own."""
    groups = np.full((problem.n_units, problem.n_annotators), -1, np.int32)
    groups[np.arange(problem.n_units), problem.annotator] = np.arange(problem.n_units)
    return groups


def group_of_units(groups: Codes, n_units: int) -> Codes:
    """The group of each unit in a partition, −1 for units in none."""
    group_of = np.full(n_units, -1, np.int32)
    rows, annotators = np.nonzero(groups >= 0)
    group_of[groups[rows, annotators]] = rows
    return group_of


def as_groups(problem: Problem, group_of: Codes) -> Codes:
    """Groups as rows of units; units without a group get one of their own."""
    alone = np.flatnonzero(group_of < 0)
    group_of = group_of.copy()
    group_of[alone] = group_of.max(initial=-1) + 1 + np.arange(len(alone))
    present, row = np.unique(group_of, return_inverse=True)
    groups = np.full((len(present), problem.n_annotators), -1, np.int32)
    groups[row, problem.annotator] = np.arange(problem.n_units)
    return groups
