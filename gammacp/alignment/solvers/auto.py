"""Back-end `auto`: the cheapest exact way for the problem at hand."""

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution
from gammacp.alignment.solvers.bipartite import solve_bipartite
from gammacp.alignment.solvers.crowds import solve_crowd
from gammacp.alignment.solvers.enumeration import listed_columns, solve_listed
from gammacp.alignment.solvers.registry import registered


@registered(
    "auto", "assignment for two annotators, otherwise enumeration or `crowd`", presolved=True
)
def solve_auto(problem: Problem, limits: Limits) -> Solution:
    """Two annotators: assignment; more: all groups if they can be listed, else `solve_crowd`."""
    if problem.n_annotators == 2:
        return solve_bipartite(problem, limits)
    columns = listed_columns(problem)
    if columns is None:
        return solve_crowd(problem, limits)
    return solve_listed(problem, columns, limits)
