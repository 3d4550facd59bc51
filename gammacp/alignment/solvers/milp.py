"""Solver `milp`: the full set partitioning model in scipy's HiGHS."""

import numpy as np

from gammacp.alignment.columns import all_columns, to_groups
from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.highs import highs_packing
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.solvers.enumeration import combine_proven, heuristic_solution
from gammacp.alignment.solvers.registry import registered
from gammacp.base.stopping import note


@registered("milp", "full set partitioning model, scipy's HiGHS", constrained=True)
def solve_milp(problem: Problem, limits: Limits) -> Solution:
    """Minimise Σ cost(G)·x_G, each unit in exactly one group (in at least one for a cover)."""
    if problem.rules is not None and (problem.rules.excludes or not problem.rules.hereditary):
        from gammacp.alignment.constraints.engine import solve_by_highs

        return solve_by_highs(problem, limits)
    deadline = limits.deadline()
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return heuristic_solution(problem)
    ones = np.ones(problem.n_units, np.int64)
    packing_problem = PackingProblem(columns, ones, problem.opening + problem.reuse, problem.cover)
    packing = highs_packing(packing_problem, limits.until(deadline))
    total = problem.n_units * problem.opening
    if packing is None:
        return heuristic_solution(problem)
    groups = to_groups(problem, columns.select(np.flatnonzero(packing.times)))
    result = solution(problem, groups, total - packing.bound)
    if packing.proven:
        note(columns_listed=columns.number, columns_kept=columns.number, proved_by="HiGHS")
        return result
    # At its limit HiGHS may have a far worse solution than a heuristic finds at once.
    return combine_proven(problem, result, heuristic_solution(problem))
