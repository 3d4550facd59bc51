"""Back-end `auto`: the cheapest exact way for the problem at hand."""

from __future__ import annotations

import time

import numpy as np

from gammacp.alignment.bipartite import solve_bipartite
from gammacp.alignment.bounds import unit_bound
from gammacp.alignment.generation import generate
from gammacp.alignment.groups import Columns, as_groups, enumerate_columns
from gammacp.alignment.local_search import improve
from gammacp.alignment.prices import prices
from gammacp.alignment.problem import Certificate, Problem, Solution, Status, solution
from gammacp.alignment.settle import settle
from gammacp.alignment.solvers import Limits, Solver, register
from gammacp.arrays import Codes

# Unitary alignments are listed outright, for few annotators, up to this many members, in long
# continua up to as many per unit; beyond, they are generated.
_LISTED = 1_000_000
_LISTED_PER_UNIT = 300
_MOST_LISTED = 10_000_000
_FEW = 7


def solve_auto(problem: Problem, limits: Limits) -> Solution:
    """Two annotators: assignment; more: `solve_groups`."""
    if problem.n_annotators == 2:
        return solve_bipartite(problem, limits)
    return solve_groups(problem, limits)


def solve_groups(problem: Problem, limits: Limits) -> Solution:
    """List or generate groups, price them, settle components; the solution has a certificate."""
    deadline = time.monotonic() + (limits.time_limit or np.inf)
    groups: Codes | None = None
    bound = np.inf
    few = problem.n_annotators <= _FEW
    listed = max(_LISTED, min(_LISTED_PER_UNIT * problem.n_units, _MOST_LISTED))
    columns = enumerate_columns(problem, most_members=listed) if few else None
    if columns is None:
        generated = generate(problem, limits, deadline)
        columns, groups, bound = generated.columns, generated.groups, generated.bound
        if not generated.complete:
            certificate = Certificate(columns.begin, columns.members, columns.gain, generated.price)
            cost = max(problem.n_units * problem.opening - bound, unit_bound(problem))
            return solution(problem, groups, cost, certificate)
    try:
        found = settled(problem, columns, limits, deadline)
    except TimeoutError:
        found = solution(problem, improve(problem, groups, deadline), unit_bound(problem))
    if found.status is Status.OPTIMAL:
        return found
    best = solution(
        problem, improve(problem, groups, deadline), problem.n_units * problem.opening - bound
    )
    cheaper = found if found.objective <= best.objective else best
    return solution(problem, cheaper.groups, max(found.bound, best.bound), found.certificate)


def settled(problem: Problem, columns: Columns, limits: Limits, deadline: float) -> Solution:
    """The best alignment out of these columns, which hold all that matter."""
    ranked = Columns(columns.begin, problem.ranks[columns.members], columns.gain)
    scale = max(problem.opening, problem.delta)
    cover_cost = problem.opening if problem.cover else None
    price = prices(problem.n_units, ranked, scale, cover_cost, deadline=deadline)
    chosen, gain = settle(problem, columns, price, limits, deadline)
    return solution(
        problem,
        as_groups(problem, columns, chosen),
        problem.n_units * problem.opening - gain,
        Certificate(columns.begin, columns.members, columns.gain, price[problem.ranks]),
    )


register(
    Solver(
        name="auto",
        summary="assignment for two annotators, otherwise LP prices and a proof by components",
        solve=solve_auto,
        any_density=True,
    )
)
