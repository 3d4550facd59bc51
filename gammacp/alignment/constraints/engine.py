"""Problems with rules on groups: the choice of an algorithm for each method.

If all rules are hereditary and no group excludes another, the allowed groups are listed and the
problem is solved as without rules. If groups exclude each other, `exclusion` solves the problem;
for two annotators and a rule that their pairs keep one order, the method `auto` uses dynamic
programming (`in_order`). If a rule is not hereditary, every allowed group is listed, even one whose
parts would do better (`all_groups`).
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.columns import all_columns
from gammacp.alignment.constraints.all_groups import solve_over_all_groups
from gammacp.alignment.constraints.exclusion import (
    CliquePacking,
    PackColumns,
    pack_by_components,
    solve_with_exclusions,
)
from gammacp.alignment.constraints.in_order import solve_in_order
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.cpsat import best_packing
from gammacp.alignment.packing.highs import highs_bound, highs_packing
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.problem import Problem, Solution
from gammacp.alignment.solvers.enumeration import heuristic_solution, solve_listed
from gammacp.base.arrays import Floats
from gammacp.base.stopping import note


def solve_constrained_groups(problem: Problem, limits: Limits) -> Solution:
    """Solve as `auto` does: by dynamic programming, confirmed CP-SAT, or components.

    Parameters
    ----------
    problem
        A problem with `rules`.
    limits
        Limits at which to stop.
    """
    rules = problem.rules
    if rules is not None and rules.hereditary and rules.excludes:
        solved = solve_in_order(problem)
        if solved is not None:
            return solved
        return solve_with_exclusions(problem, limits, _pack_by_cpsat)
    return solve_by_components(problem, limits)


def solve_by_components(problem: Problem, limits: Limits) -> Solution:
    """Solve by listing groups and by the search of components.

    Parameters
    ----------
    problem, limits
        As for `solve_constrained_groups`.
    """
    return _solve(problem, limits, pack_by_components)


def solve_by_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Solve by packing the remaining groups with CP-SAT; its bound must be confirmed by HiGHS.

    Parameters
    ----------
    problem, limits
        As for `solve_constrained_groups`.
    """
    return _solve(problem, limits, _pack_by_cpsat)


def solve_by_highs(problem: Problem, limits: Limits) -> Solution:
    """Solve by packing the remaining groups with HiGHS.

    Parameters
    ----------
    problem, limits
        As for `solve_constrained_groups`.
    """
    return _solve(problem, limits, _pack_by_highs)


def _solve(problem: Problem, limits: Limits, pack: PackColumns) -> Solution:
    rules = problem.rules
    assert rules is not None
    if not rules.hereditary:
        return solve_over_all_groups(problem, limits)
    if rules.excludes or pack is not pack_by_components:
        return solve_with_exclusions(problem, limits, pack)
    deadline = limits.deadline()
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return heuristic_solution(problem)
    return solve_listed(problem, columns, limits.until(deadline))


def _pack_by_cpsat(
    problem: Problem, columns: Columns, price: Floats, limits: Limits
) -> CliquePacking:
    packing_problem = _packing_problem(problem, columns)
    packing = best_packing(packing_problem, limits)
    note(proved_by="HiGHS")
    confirmed = highs_bound(packing_problem, limits, presolve=False)
    gain_bound = min(float(price.sum()), confirmed)
    return CliquePacking(np.flatnonzero(packing.times), gain_bound, min(packing.bound, gain_bound))


def _pack_by_highs(
    problem: Problem, columns: Columns, price: Floats, limits: Limits
) -> CliquePacking:
    gain_bound = float(price.sum())
    packing = highs_packing(_packing_problem(problem, columns), limits, presolve=False)
    if packing is None:
        return CliquePacking(np.zeros(0, np.int64), gain_bound, gain_bound)
    note(proved_by="HiGHS")
    gain_bound = min(gain_bound, packing.bound)
    return CliquePacking(np.flatnonzero(packing.times), gain_bound, gain_bound)


def _packing_problem(problem: Problem, columns: Columns) -> PackingProblem:
    """Return the problem of packing these columns; rows are the units and the cliques."""
    rows = np.ones(problem.n_units, np.int64)
    return PackingProblem(columns, rows, problem.opening)
