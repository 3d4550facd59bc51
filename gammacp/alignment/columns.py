"""Groups with their gains: the columns of the set packing problem.

The gain of a group is what it saves compared with leaving its units alone:
gain(G) = (|G| − 1)·opening + Σ_{pairs of G} w. Single units gain 0 and are not listed. The cost of
an alignment is units·opening − Σ gain.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes
from gammacp.base.stopping import due, halting
from gammacp.errors import DataError

# Total number of members up to which groups are always listed: some 10 MB, and a linear program
# that is solved in seconds.
LISTED = 1_000_000

# Largest total number of members for methods that need all groups, some 300 MB.
MEMBERS = 30_000_000

# Number of candidate pairs up to which listing takes milliseconds, or soon finds too many groups.
_UNWATCHED = 2_000


def enumerate_columns(
    problem: Problem,
    *,
    most_members: int = MEMBERS,
    largest: int | None = None,
    deadline: float = np.inf,
) -> Columns | None:
    """List all allowed groups of at most `largest` units that no profitable split beats.

    Return None if they have more than `most_members` members in total, or if the deadline passes.
    """
    from gammacp.alignment.kernels.enumeration import profitable_groups

    if largest is None:
        most_units = problem.n_annotators
    else:
        most_units = largest
    if problem.rules is not None:
        most_units = min(most_units, problem.rules.largest)
    bounds = problem.graph, problem.opening, problem.tolerance, most_units, most_members
    columns, complete = halting(
        lambda meter: profitable_groups(*bounds, meter),
        deadline,
        quick=len(problem.first) <= _UNWATCHED,
    )
    if not complete:
        return None
    if problem.rules is not None:
        return problem.rules.keep(problem, columns)
    return columns


def all_columns(problem: Problem, largest: int | None = None, deadline: float = np.inf) -> Columns:
    """List groups as `enumerate_columns` does, but raise an error instead of returning None.

    Raises DataError if there are too many groups, and TimeoutError if the deadline has passed.
    """
    columns = enumerate_columns(problem, largest=largest, deadline=deadline)
    if columns is None and due(deadline):
        raise TimeoutError("no time left to list the unitary alignments")
    if columns is None and problem.rules is not None:
        raise DataError(
            f"too many unitary alignments to list them all, as {problem.rules.names} asks",
            hint="Align parts of the text, or fewer annotators",
        )
    if columns is None:
        raise DataError(
            "too many unitary alignments to list them all",
            hint="Use the method 'auto', which generates only those it needs",
        )
    return columns


def to_groups(problem: Problem, columns: Columns) -> Codes:
    """Return the columns, and the units in none of them, as groups.

    The result is int32, shape (groups, annotators), −1 where a group has no unit. In a cover the
    columns may share units.
    """
    table = group_table(problem, columns)
    covered = np.zeros(problem.n_units, np.bool_)
    covered[columns.members] = True
    return np.concatenate((table, singletons(problem)[~covered]))


def group_table(problem: Problem, columns: Columns) -> Codes:
    """Return the columns as rows of units, int32 (columns, annotators), −1 empty."""
    groups = np.full((columns.number, problem.n_annotators), -1, np.int32)
    groups[columns.column_of, problem.annotator[columns.members]] = columns.members
    return groups


def to_columns(problem: Problem, groups: Codes) -> Columns:
    """Return the groups of two and more units as columns."""
    from gammacp.alignment.kernels.pairs import group_weights

    groups = groups[(groups >= 0).sum(axis=1) > 1]
    sizes = (groups >= 0).sum(axis=1)
    gain = (sizes - 1) * problem.opening + group_weights(groups, problem.graph)
    begin = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Columns(begin, groups[groups >= 0].astype(np.int32), gain)


def singletons(problem: Problem) -> Codes:
    """Return groups of one unit each, for all units."""
    groups = np.full((problem.n_units, problem.n_annotators), -1, np.int32)
    groups[np.arange(problem.n_units), problem.annotator] = np.arange(problem.n_units)
    return groups


def group_of_units(groups: Codes, n_units: int) -> Codes:
    """Return the group of each unit in a partition, −1 for units in none."""
    group_of = np.full(n_units, -1, np.int32)
    rows, annotators = np.nonzero(groups >= 0)
    group_of[groups[rows, annotators]] = rows
    return group_of


def as_groups(problem: Problem, group_of: Codes) -> Codes:
    """Return the groups as rows of units; units without a group get one of their own."""
    ungrouped = np.flatnonzero(group_of < 0)
    group_of = group_of.copy()
    group_of[ungrouped] = group_of.max(initial=-1) + 1 + np.arange(len(ungrouped))
    present, row = np.unique(group_of, return_inverse=True)
    groups = np.full((len(present), problem.n_annotators), -1, np.int32)
    groups[row, problem.annotator] = np.arange(problem.n_units)
    return groups
