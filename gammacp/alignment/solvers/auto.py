"""Back-end `auto`: the cheapest exact way for the problem at hand."""

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
    """Solve by assignment for two annotators, by all groups if they can be listed, else as a crowd.

    Each way is imported when it is first taken: a problem of two annotators loads no other.
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
