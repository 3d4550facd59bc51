"""Back-end `cpsat`: the full set packing model in OR-tools' CP-SAT.

Costs are integers there: gains are scaled so that their sum stays below 2⁵⁰, and the rounding of
every column that a solution could use is part of the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.groups import Columns, all_columns, as_groups
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.solvers import Limits, Solver, register
from gammacp.alignment.stopping import watched
from gammacp.arrays import Bools, Floats, Indices

_LARGEST = 2.0**50


class Packing(NamedTuple):
    """Chosen columns, an upper bound on Σ gain, and whether the solver proved it."""

    chosen: Indices
    bound: float
    proven: bool


def solve_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Maximise the gain of the full model."""
    columns = all_columns(problem)
    found = best_packing(problem.opening, columns, limits, cover=problem.cover)
    groups = as_groups(problem, columns, found.chosen)
    result = solution(problem, groups, problem.n_units * problem.opening - found.bound)
    # Proven on integers: what is better than the rounding would have shown.
    return solution(problem, groups, result.objective) if found.proven else result


def best_packing(
    opening: float,
    columns: Columns,
    limits: Limits,
    *,
    cover: bool = False,
    hint: Bools | None = None,
) -> Packing:
    """Columns that maximise Σ gain, each unit in at most one.

    For a cover units may be shared, and each further covering costs one `opening`. Units that are
    in no column do not matter.
    """
    from ortools.sat.python import cp_model

    if not len(columns):
        return Packing(np.zeros(0, np.int64), 0.0, True)
    local, units = columns.compressed()
    sizes = np.diff(local.begin)
    value = local.gain - (sizes * opening if cover else 0.0)
    scaled, scale = _scaled(value, opening, len(units))
    model = cp_model.CpModel()
    use = [model.new_bool_var("") for _ in range(len(local))]
    order = np.argsort(local.members, kind="stable")
    column_of = np.repeat(np.arange(len(local)), sizes)[order]
    ends = np.searchsorted(local.members[order], np.arange(len(units) + 1))
    coefficients = scaled.tolist()
    terms = list(use)
    for u in range(len(units)):
        inside = [use[c] for c in column_of[ends[u] : ends[u + 1]]]
        if cover:
            alone = model.new_bool_var("")
            model.add_at_least_one([*inside, alone])
            terms.append(alone)
            coefficients.append(-round(opening * scale))
        elif len(inside) > 1:
            model.add_at_most_one(inside)
    model.maximize(cp_model.LinearExpr.weighted_sum(terms, coefficients))
    if hint is not None:
        for variable, taken in zip(use, hint.tolist(), strict=True):
            model.add_hint(variable, taken)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.random_seed = limits.seed % 2**31
    solver.parameters.relative_gap_limit = limits.gap
    if limits.time_limit is not None:
        solver.parameters.max_time_in_seconds = limits.time_limit
    # Its own handler would keep Ctrl-C from everybody else.
    solver.parameters.catch_sigint_signal = False
    status = watched(lambda: solver.solve(model), solver.stop_search)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Packing(np.zeros(0, np.int64), float(np.maximum(columns.gain, 0).sum()), False)
    chosen = np.flatnonzero([solver.boolean_value(x) for x in use])
    # Each chosen column was rounded by at most half a step.
    rounding = 0.5 * (len(units) + 1) / scale
    shift = len(units) * opening if cover else 0.0
    bound = solver.best_objective_bound / scale + shift + rounding
    return Packing(chosen, bound, status == cp_model.OPTIMAL and limits.gap == 0)


def _scaled(value: Floats, opening: float, n_units: int) -> tuple[Indices, float]:
    largest = max(float(np.abs(value).max(initial=0.0)), opening, 1e-300)
    scale = 2.0 ** np.floor(np.log2(min(_LARGEST / (n_units + 1), 2.0**40) / largest))
    return np.rint(value * scale).astype(np.int64), float(scale)


register(
    Solver(
        name="cpsat",
        summary="full set packing model, OR-tools' CP-SAT, one worker",
        solve=solve_cpsat,
    )
)
