"""Solver `auto`: the cheapest method that suits the given problem."""

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution
from gammacp.alignment.solvers.registry import registered


@registered(
    "auto",
    "assignment for two annotators, otherwise enumeration or `crowd`",
    presolved=True,
    constrained=True,
)
def solve_auto(problem: Problem, limits: Limits) -> Solution:
    """Solve a problem of two annotators by assignment, others by listing all groups or as a crowd.

    A problem is solved as a crowd if its groups cannot all be listed. Problems with constraints
    have a method of their own (`constraints.engine`). Each method is imported when it is first
    used, so that two annotators load no other.
    """
    if problem.rules is not None:
        from gammacp.alignment.constraints.engine import solve_constrained_groups

        return solve_constrained_groups(problem, limits)
    if problem.n_annotators == 2:
        from gammacp.alignment.solvers.bipartite import solve_bipartite

        return solve_bipartite(problem, limits)
    from gammacp.alignment.solvers.enumeration import listed_columns, solve_listed

    deadline = limits.deadline()
    columns = listed_columns(problem, deadline)
    if columns is None:
        from gammacp.alignment.solvers.crowds import solve_crowd

        return solve_crowd(problem, limits.until(deadline))
    return solve_listed(problem, columns, limits.until(deadline))
