"""Back-end `cpsat`: the full set packing model in OR-tools' CP-SAT."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.columns import all_columns, to_groups
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.solvers.packing import Model, best_packing
from gammacp.alignment.solvers.registry import Solver, register


def solve_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Maximise the gain of the full model."""
    columns = all_columns(problem, limits.tuning)
    ones = np.ones(problem.n_units, np.int64)
    found = best_packing(Model(columns, ones, problem.opening, problem.cover), limits)
    groups = to_groups(problem, columns.select(np.flatnonzero(found.times)))
    result = solution(problem, groups, problem.n_units * problem.opening - found.bound)
    # Proven on integers: what is better than the rounding would have shown.
    return solution(problem, groups, result.objective) if found.proven else result


register(
    Solver(
        name="cpsat",
        summary="full set packing model, OR-tools' CP-SAT, one worker",
        solve=solve_cpsat,
    )
)
