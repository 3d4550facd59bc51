"""Back-end `milp`: the full set partitioning model in scipy's HiGHS."""

from typing import Any

import numpy as np

from gammacp.alignment.columns import all_columns, to_groups
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.proof.unit_bound import least_bounded
from gammacp.alignment.solvers.registry import registered
from gammacp.stopping import abandoned

# Seconds that HiGHS may overrun its time limit before it is left to itself.
_PATIENCE = 0.5


@registered("milp", "full set partitioning model, scipy's HiGHS")
def solve_milp(problem: Problem, limits: Limits) -> Solution:
    """Minimise Σ cost(G)·x_G, each unit in exactly one group (in at least one for a cover)."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array, eye_array, hstack

    deadline = limits.deadline()
    columns = all_columns(problem)
    n, m = problem.n_units, columns.number
    cost = np.append(columns.sizes * problem.opening - columns.gain, np.full(n, problem.opening))
    # HiGHS proves to an absolute 1e-6 of the objective: less than the problem's own tolerance then.
    unit = 2.0 ** float(16 - np.frexp(problem.scale)[1])
    groups = csc_array((np.ones(len(columns.members)), columns.members, columns.begin), (n, m))
    options: Any = {"mip_rel_gap": limits.gap or 1e-12}
    if limits.time_limit is not None:
        options["time_limit"] = limits.until(deadline).time_limit
    constraints = LinearConstraint(
        csc_array(hstack((groups, eye_array(n)))), 1, np.inf if problem.cover else 1
    )
    # HiGHS keeps its time limit but for a step now and then, and knows nothing of Ctrl-C.
    result = abandoned(
        lambda: milp(
            cost * unit,
            integrality=np.ones(m + n, np.int64),
            bounds=Bounds(0, 1),
            constraints=constraints,
            options=options,
        ),
        deadline + _PATIENCE,
    )
    dual = None if result is None else result.mip_dual_bound
    bound = -np.inf if dual is None else float(dual) / unit
    if result is None or result.x is None:
        start = improve(problem, None, deadline)
        return least_bounded(problem, start, bound)
    found = to_groups(problem, columns.select(np.flatnonzero(result.x[:m] > 0.5)))
    # Where it calls that a proof its bound is the optimum.
    slack = 1e-6 / unit if result.status == 0 and not limits.gap else 0.0
    return solution(problem, found, bound + slack)
