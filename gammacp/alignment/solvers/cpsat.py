"""Back-end `cpsat`: the full set packing model in OR-tools' CP-SAT."""

import numpy as np

from gammacp.alignment.columns import all_columns, to_groups
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.solvers.enumeration import at_hand, better, solve_listed
from gammacp.alignment.solvers.greedy import take_first
from gammacp.alignment.solvers.packing import Model, best_packing
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes, Indices
from gammacp.base.stopping import due


@registered("cpsat", "full set packing model, OR-tools' CP-SAT, one worker")
def solve_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Maximise the gain of the full model, from the greedy alignment on.

    Its word is checked by `enumeration`, whose bound is told.
    """
    deadline = limits.deadline()
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return at_hand(problem)
    greedy = np.zeros(columns.number, np.int64)
    greedy[take_first(problem, columns)] = 1
    model = Model(columns, np.ones(problem.n_units, np.int64), problem.opening, problem.cover)
    found = best_packing(model, limits.until(deadline), hint=greedy)

    def groups_of(times: Indices) -> Codes:
        return to_groups(problem, columns.select(np.flatnonzero(times)))

    groups = groups_of(found.times)
    told = problem.n_units * problem.opening - found.bound
    if found.proven:
        # Proven on integers: what is better than the rounding would have shown.
        told = np.inf
    if due(deadline):
        return better(problem, solution(problem, groups, -np.inf, told=told), at_hand(problem))
    own = solve_listed(problem, columns, limits.until(deadline))
    return solution(problem, groups, own.bound, own.certificate, own.proof, told)
