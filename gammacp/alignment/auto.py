"""Back-end `auto`: the cheapest exact way for the problem at hand."""

from __future__ import annotations

import time

import numpy as np

from gammacp.alignment.bipartite import solve_bipartite
from gammacp.alignment.groups import Columns, all_columns, as_groups
from gammacp.alignment.lp import prices
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.settle import settle
from gammacp.alignment.solvers import Limits, Solver, register


def solve_auto(problem: Problem, limits: Limits) -> Solution:
    """Two annotators: assignment. More: the LP's prices, then component by component."""
    if problem.n_annotators == 2:
        return solve_bipartite(problem, limits)
    deadline = time.monotonic() + (limits.time_limit or np.inf)
    columns = all_columns(problem)
    ranked = Columns(columns.begin, problem.ranks[columns.members], columns.gain)
    price = prices(problem.n_units, ranked, problem.opening if problem.cover else None)
    chosen, gain = settle(problem, columns, price, limits, deadline)
    return solution(
        problem, as_groups(problem, columns, chosen), problem.n_units * problem.opening - gain
    )


register(
    Solver(
        name="auto",
        summary="assignment for two annotators, otherwise LP prices and a proof by components",
        solve=solve_auto,
    )
)
