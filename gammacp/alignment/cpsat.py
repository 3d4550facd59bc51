"""Back-end `cpsat`: the full set partitioning model in OR-tools' CP-SAT.

Costs are integers there: gains are scaled so that their sum stays below 2⁵³, and the rounding of
every column that a solution could use is part of the bound.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.groups import Columns, all_columns, as_groups
from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.alignment.solvers import Limits, Solver, register
from gammacp.arrays import Bools, Floats, Indices

_LARGEST = 2.0**50


def solve_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Maximise the gain of the full model."""
    columns = all_columns(problem)
    chosen, gain_bound = best_packing(problem, columns, limits)
    groups = as_groups(problem, columns, chosen)
    return solution(problem, groups, problem.n_units * problem.opening - gain_bound)


def best_packing(
    problem: Problem, columns: Columns, limits: Limits, *, hint: Bools | None = None
) -> tuple[Indices, float]:
    """Columns that maximise Σ gain, each unit in at most one, and an upper bound on Σ gain.

    For a cover units may be shared, and a unit that is in no column costs one opening.
    """
    from ortools.sat.python import cp_model

    if not len(columns):
        return np.zeros(0, np.int64), 0.0
    sizes = np.diff(columns.begin)
    value = columns.gain - (sizes * problem.opening if problem.cover else 0.0)
    scaled, scale = _scaled(value, problem)
    model = cp_model.CpModel()
    use = [model.new_bool_var("") for _ in range(len(columns))]
    order = np.argsort(columns.members, kind="stable")
    column_of = np.repeat(np.arange(len(columns)), sizes)[order]
    ends = np.searchsorted(columns.members[order], np.arange(problem.n_units + 1))
    coefficients = scaled.tolist()
    terms = list(use)
    for u in range(problem.n_units):
        inside = [use[c] for c in column_of[ends[u] : ends[u + 1]]]
        if problem.cover:
            alone = model.new_bool_var("")
            model.add_at_least_one([*inside, alone])
            terms.append(alone)
            coefficients.append(-round(problem.opening * scale))
        elif len(inside) > 1:
            model.add_at_most_one(inside)
    model.maximize(cp_model.LinearExpr.weighted_sum(terms, coefficients))
    if hint is not None:
        for c, chosen in enumerate(hint):
            model.add_hint(use[c], bool(chosen))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = limits.seed % 2**31
    solver.parameters.relative_gap_limit = limits.gap
    if limits.time_limit is not None:
        solver.parameters.max_time_in_seconds = limits.time_limit
    status = solver.solve(model)
    most = problem.n_units if problem.cover else problem.n_units // 2
    rounding = 0.5 * (most + 1) / scale
    shift = problem.n_units * problem.opening if problem.cover else 0.0
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        total = float(np.maximum(columns.gain, 0).sum())
        return np.zeros(0, np.int64), total
    chosen_columns = np.flatnonzero([solver.boolean_value(x) for x in use])
    bound = solver.best_objective_bound / scale + shift
    if status == cp_model.OPTIMAL and limits.gap == 0:
        # Proven on integers: nothing is better by more than the rounding, which `tolerance` holds.
        return chosen_columns, max(bound - rounding, _gain(problem, columns, chosen_columns))
    return chosen_columns, bound + rounding


def _gain(problem: Problem, columns: Columns, chosen: Indices) -> float:
    picked = columns.select(chosen)
    gain = float(picked.gain.sum())
    shared = len(picked.members) - len(np.unique(picked.members))
    return gain - shared * problem.opening


def _scaled(value: Floats, problem: Problem) -> tuple[Indices, float]:
    largest = float(np.abs(value).max(initial=problem.opening)) or 1.0
    scale = 2.0 ** np.floor(np.log2(_LARGEST / (largest * (problem.n_units + 1))))
    scale = min(scale, 2.0 ** np.floor(np.log2(2.0**40 / largest)))
    return np.rint(value * scale).astype(np.int64), float(scale)


register(
    Solver(
        name="cpsat",
        summary="full set packing model, OR-tools' CP-SAT, one worker",
        solve=solve_cpsat,
    )
)
