"""Back-end `auto`: the cheapest exact way for the problem at hand."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.bipartite import solve_bipartite
from gammacp.alignment.cpsat import best_packing
from gammacp.alignment.groups import Columns, all_columns, as_groups
from gammacp.alignment.milp import solve_milp
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.solvers import Limits, Solver, register
from gammacp.arrays import Floats, Indices


def solve_auto(problem: Problem, limits: Limits) -> Solution:
    """Two annotators: assignment. More: the LP, and CP-SAT on what stays fractional."""
    if problem.n_annotators == 2:
        return solve_bipartite(problem, limits)
    if problem.cover:
        return solve_milp(problem, limits)
    columns = all_columns(problem)
    chosen, gain = packed(problem, columns, limits)
    return solution(
        problem, as_groups(problem, columns, chosen), problem.n_units * problem.opening - gain
    )


def packed(problem: Problem, columns: Columns, limits: Limits) -> tuple[Indices, float]:
    """Columns that maximise Σ gain, and an upper bound on it."""
    from gammacp.alignment.greedy_kernels import take_disjoint
    from gammacp.alignment.lp import relax

    if not len(columns):
        return np.zeros(0, np.int64), 0.0
    relaxed = relax(problem.n_units, columns)
    loss, bound = certificate(columns, relaxed.price)
    order = np.lexsort((loss, -np.rint(relaxed.value * 1e6)))
    hint = np.asarray(take_disjoint(problem.n_units, columns.begin, columns.members, order))
    hint = hint[columns.gain[hint] > 0]
    gap = bound - float(columns.gain[hint].sum())
    if gap <= problem.tolerance * problem.n_units:
        return hint, bound
    # A column whose reduced cost exceeds the gap is in no better packing.
    kept = np.flatnonzero(loss <= gap + problem.tolerance)
    used = np.zeros(len(columns), np.bool_)
    used[hint] = True
    chosen, reached = best_packing(problem, columns.select(kept), limits, hint=used[kept])
    return kept[chosen], min(bound, reached)


def certificate(columns: Columns, price: Floats) -> tuple[Floats, float]:
    """Reduced costs Σ price − gain ≥ 0 of the columns, and the bound Σ price on the gain.

    Prices from floating point are made feasible: what a column lacks is added to its first unit.
    """
    from gammacp.alignment.price_kernels import repair

    price = price.copy()
    loss = repair(price, columns.begin, columns.members, columns.gain)
    return np.asarray(loss), float(price.sum())


register(
    Solver(
        name="auto",
        summary="assignment for two annotators, otherwise LP, reduced-cost fixing and CP-SAT",
        solve=solve_auto,
    )
)
