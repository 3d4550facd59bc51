"""Groups with their gains: the columns of the set packing problem.

In packing form a unit alone is implicit: gain(G) = (|G| − 1)·opening + Σ_{pairs of G} w is what
a group saves against its units alone, and Σ cost = units·opening − Σ gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gammacp.alignment.problem import Problem
from gammacp.arrays import Codes, Floats, Indices
from gammacp.errors import DataError

MOST_MEMBERS = 30_000_000


@dataclass(frozen=True, eq=False)
class Columns:
    """Groups of two and more units: members of column c are `members[begin[c]:begin[c + 1]]`."""

    begin: Indices
    members: Codes
    gain: Floats

    def __len__(self) -> int:
        """Number of columns."""
        return len(self.gain)

    def select(self, which: Indices) -> Columns:
        """These columns, in this order."""
        sizes = np.diff(self.begin)[which]
        begin = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        offset = np.repeat(self.begin[which] - begin[:-1], sizes)
        return Columns(begin, self.members[np.arange(begin[-1]) + offset], self.gain[which])

    def compressed(self) -> tuple[Columns, Indices]:
        """The same columns over units 0 … k − 1, and which units those are."""
        units, local = np.unique(self.members, return_inverse=True)
        return Columns(self.begin, local.astype(np.int32), self.gain), units.astype(np.int64)


def enumerate_columns(problem: Problem, *, most_members: int = MOST_MEMBERS) -> Columns | None:
    """All groups that no profitable split beats; None if they exceed `most_members` units."""
    from gammacp.alignment.group_kernels import best_per_annotator, profitable_groups

    rest = best_per_annotator(problem.annotator, problem.n_annotators, *problem.adjacency)
    begin, members, gain, count = profitable_groups(
        problem.annotator,
        problem.n_annotators,
        *problem.adjacency,
        rest,
        problem.opening,
        problem.tolerance,
        most_members,
    )
    return None if count < 0 else Columns(begin, members, gain)


def as_groups(problem: Problem, columns: Columns, chosen: Indices) -> Codes:
    """The chosen columns and the units left alone, int32 (groups, annotators), −1 empty.

    In a cover the chosen columns may share units.
    """
    picked = columns.select(np.asarray(chosen, np.int64))
    rows = np.repeat(np.arange(len(picked)), np.diff(picked.begin))
    alone = np.ones(problem.n_units, np.bool_)
    alone[picked.members] = False
    single = np.flatnonzero(alone).astype(np.int32)
    groups = np.full((len(picked) + len(single), problem.n_annotators), -1, np.int32)
    groups[rows, problem.annotator[picked.members]] = picked.members
    groups[len(picked) + np.arange(len(single)), problem.annotator[single]] = single
    return groups


def all_columns(problem: Problem) -> Columns:
    """`enumerate_columns`, or a DataError where they are too many."""
    columns = enumerate_columns(problem)
    if columns is None:
        raise DataError(
            "too many unitary alignments to list them all",
            hint="Use the method 'auto', which generates only those it needs",
        )
    return columns
