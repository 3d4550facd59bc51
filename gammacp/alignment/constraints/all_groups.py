"""Solver for rules that are not hereditary: list every group, and let HiGHS find the partition.

A group cannot be left out because its parts would do better, since the parts may not be allowed.
So every possible unitary alignment is listed, and only small texts can be solved: three annotators
with 60 units each give 230,000 groups.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.columns import MEMBERS, group_table, singletons
from gammacp.alignment.kernels.pairs import group_weights
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import (
    GroupRules,
    Problem,
    Solution,
    no_alignment,
    solution,
)
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import (
    abandoned,
    current_work,
    due,
    halting,
    note,
    spend,
    was_interrupted,
)
from gammacp.errors import DataError

# Largest total number of members of all listed groups: HiGHS takes minutes for more.
_LISTED = min(MEMBERS, 1_000_000)
# Opening cost, as a multiple of the scale, at which no split of a group pays, so that every group
# is listed. The costs of groups are computed afterwards, with the true opening.
_NEVER_SPLIT = 1e9
# Seconds that HiGHS may overrun its time limit before it is abandoned, and its steps per node and
# member of a group, as in `packing.highs`.
_OVERRUN = 0.5
_STEPS_OF_A_MEMBER = 200
# HiGHS's status of a problem without a solution.
_INFEASIBLE = 2


class _Partition(NamedTuple):
    """Groups of a partition, a lower bound on the cost, and whether the partition is optimal."""

    chosen: Indices
    cost_bound: float
    proven: bool


def solve_over_all_groups(problem: Problem, limits: Limits) -> Solution:
    """Find the best partition into allowed groups.

    Parameters
    ----------
    problem
        A problem with `rules`, built without pruning its pairs.
    limits
        Limits at which to stop.

    Raises
    ------
    DataError
        The groups are too many to list, no alignment keeps the rules, or none is found in time.
    KeyboardInterrupt
        Ctrl-C was pressed before any alignment was found.
    """
    rules = problem.rules
    assert rules is not None
    deadline = limits.deadline()
    table = _all_groups(problem, rules, deadline)
    if not len(table):
        raise no_alignment(problem)
    costs = np.asarray(problem.opening - group_weights(table, problem.graph))
    note(columns_listed=len(table), prices_by="none")
    cliques: list[Indices] = []
    while True:
        partition = _partition(problem, table, costs, cliques, limits.until(deadline))
        groups = table[partition.chosen]
        large = np.flatnonzero((groups >= 0).sum(axis=1) > 1)
        if rules.excludes:
            excluded = rules.excluding(groups[large])
        else:
            excluded = np.zeros((len(large), len(large)), np.bool_)
        np.fill_diagonal(excluded, val=False)
        if not excluded.any():
            break
        members = partition.chosen[large]
        cliques += [members[pair] for pair in np.argwhere(np.triu(excluded))]
    note(proved_by="HiGHS")
    best = solution(problem, groups, -np.inf)
    if partition.proven:
        # HiGHS stops within 1e-6 of the optimum.
        bound = max(partition.cost_bound, best.objective - problem.slack)
    else:
        bound = partition.cost_bound
    return solution(problem, groups, bound)


def _all_groups(problem: Problem, rules: GroupRules, deadline: float) -> Codes:
    """List all allowed groups, including single units, as rows of units."""
    from gammacp.alignment.kernels.enumeration import profitable_groups

    never = _NEVER_SPLIT * problem.scale
    largest_group = min(problem.n_annotators, rules.largest)
    columns, complete = halting(
        lambda meter: profitable_groups(problem.graph, never, 0.0, largest_group, _LISTED, meter),
        deadline,
    )
    if not complete and due(deadline):
        raise _nothing_found(problem)
    if not complete:
        raise DataError(
            f"too many unitary alignments to list them all, as {rules.names} asks: it is not "
            "hereditary, so that none may be left out",
            hint="Align parts of the text, or fewer annotators",
        )
    table = np.concatenate((group_table(problem, columns), singletons(problem)))
    return table[rules.allowed_groups(table)]


def _partition(
    problem: Problem, table: Codes, costs: Floats, cliques: list[Indices], limits: Limits
) -> _Partition:
    """Choose groups such that each unit is in exactly one, with at most one of each clique."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    group, annotator = np.nonzero(table >= 0)
    unit = table[group, annotator]
    numbers = [np.full(len(c), problem.n_units + i) for i, c in enumerate(cliques)]
    rows = np.concatenate([unit, *numbers]).astype(np.int64)
    columns = np.concatenate([group, *cliques]).astype(np.int64)
    shape = (problem.n_units + len(cliques), len(table))
    matrix = csc_array((np.ones(len(rows)), (rows, columns)), shape)
    low = np.concatenate((np.ones(problem.n_units), np.full(len(cliques), -np.inf)))
    # HiGHS proves the objective up to an absolute 1e-6. Costs are scaled such that this is less
    # than the problem's own tolerance.
    largest = max(problem.opening, float(np.abs(costs).max(initial=0.0)) / 64, 1e-200)
    cost_scale = 2.0 ** float(16 - np.frexp(largest)[1])
    # Its presolve may print to stdout.
    options: Any = {"mip_rel_gap": limits.gap or 1e-12, "presolve": False}
    if limits.time_limit is not None:
        options["time_limit"] = limits.time_limit
    result = abandoned(
        lambda: milp(
            costs * cost_scale,
            integrality=np.ones(len(table), np.int64),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, low, np.ones(shape[0])),
            options=options,
        ),
        limits.deadline() + _OVERRUN,
    )
    if result is not None and result.status == _INFEASIBLE:
        raise no_alignment(problem)
    if result is None or result.x is None:
        raise _nothing_found(problem)
    nodes = int(getattr(result, "mip_node_count", None) or 0)
    current_work().nodes += nodes
    spend(_STEPS_OF_A_MEMBER * len(rows) * (10 + nodes))
    proven = result.status == 0 and not limits.gap
    chosen = np.flatnonzero(np.rint(result.x))
    return _Partition(chosen, float(result.mip_dual_bound) / cost_scale, proven)


def _nothing_found(problem: Problem) -> BaseException:
    """Return the exception for a search that ended without an alignment: Ctrl-C, or time limit.

    There is no initial alignment to return, since single units may not be allowed.
    """
    if was_interrupted():
        return KeyboardInterrupt()
    assert problem.rules is not None
    return DataError(
        f"no alignment that keeps {problem.rules.names} was found in the time",
        hint="Give more time, or leave a constraint out",
    )
