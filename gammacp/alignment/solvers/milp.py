"""Back-end `milp`: the full set partitioning model in scipy's HiGHS."""

import numpy as np

from gammacp.alignment.columns import all_columns, to_groups
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.proof.unit_bound import least_bounded
from gammacp.alignment.solvers.packing import Model, highs_packing
from gammacp.alignment.solvers.registry import registered


@registered("milp", "full set partitioning model, scipy's HiGHS")
def solve_milp(problem: Problem, limits: Limits) -> Solution:
    """Minimise Σ cost(G)·x_G, each unit in exactly one group (in at least one for a cover)."""
    deadline = limits.deadline()
    columns = all_columns(problem)
    ones = np.ones(problem.n_units, np.int64)
    model = Model(columns, ones, problem.opening, problem.cover)
    found = highs_packing(model, limits.until(deadline))
    total = problem.n_units * problem.opening
    if found is None or not (found.proven or found.times.any()):
        bound = -np.inf if found is None else total - found.bound
        return least_bounded(problem, improve(problem, None, deadline), bound)
    groups = to_groups(problem, columns.select(np.flatnonzero(found.times)))
    return solution(problem, groups, total - found.bound)
