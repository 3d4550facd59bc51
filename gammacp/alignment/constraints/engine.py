"""Problems with rules on groups: the choice of an algorithm for each method.

If all rules are hereditary and no group excludes another, the allowed groups are listed and the
problem is solved as without rules. If groups exclude each other, `apart` solves the problem; for
two annotators and a rule that their pairs keep one order, the method `auto` uses dynamic
programming (`in_order`). If a rule is not hereditary, every allowed group is listed, even one whose
parts would do better (`whole`).
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.columns import all_columns
from gammacp.alignment.constraints.apart import Pack, Packed, by_components, solve_apart
from gammacp.alignment.constraints.in_order import solve_in_order
from gammacp.alignment.constraints.whole import solve_whole
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution
from gammacp.alignment.solvers.enumeration import at_hand, solve_listed
from gammacp.alignment.solvers.packing import Model, best_packing, highs_bound, highs_packing
from gammacp.base.arrays import Floats
from gammacp.base.stopping import note


def solve_constrained_groups(problem: Problem, limits: Limits) -> Solution:
    """Solve as `auto` does: by dynamic programming, confirmed CP-SAT, or components.

    Parameters
    ----------
    problem
        A problem with `rules`.
    limits
        Limits at which to stop.
    """
    rules = problem.rules
    if rules is not None and rules.hereditary and rules.excludes:
        solved = solve_in_order(problem)
        if solved is not None:
            return solved
        return solve_apart(problem, limits, _by_cpsat)
    return solve_by_components(problem, limits)


def solve_by_components(problem: Problem, limits: Limits) -> Solution:
    """Solve by listing groups and by the search of components.

    Parameters
    ----------
    problem, limits
        As for `solve_constrained_groups`.
    """
    return _solve(problem, limits, by_components)


def solve_by_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Solve by packing the remaining groups with CP-SAT; its bound must be confirmed by HiGHS.

    Parameters
    ----------
    problem, limits
        As for `solve_constrained_groups`.
    """
    return _solve(problem, limits, _by_cpsat)


def solve_by_highs(problem: Problem, limits: Limits) -> Solution:
    """Solve by packing the remaining groups with HiGHS.

    Parameters
    ----------
    problem, limits
        As for `solve_constrained_groups`.
    """
    return _solve(problem, limits, _by_highs)


def _solve(problem: Problem, limits: Limits, pack: Pack) -> Solution:
    rules = problem.rules
    assert rules is not None
    if not rules.hereditary:
        return solve_whole(problem, limits)
    if rules.excludes or pack is not by_components:
        return solve_apart(problem, limits, pack)
    deadline = limits.deadline()
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return at_hand(problem)
    return solve_listed(problem, columns, limits.until(deadline))


def _by_cpsat(problem: Problem, columns: Columns, price: Floats, limits: Limits) -> Packed:
    model = _model(problem, columns)
    packed = best_packing(model, limits)
    note(proved_by="HiGHS")
    most = min(float(price.sum()), highs_bound(model, limits, presolve=False))
    return Packed(np.flatnonzero(packed.times), most, min(packed.bound, most))


def _by_highs(problem: Problem, columns: Columns, price: Floats, limits: Limits) -> Packed:
    most = float(price.sum())
    packed = highs_packing(_model(problem, columns), limits, presolve=False)
    if packed is None:
        return Packed(np.zeros(0, np.int64), most, most)
    note(proved_by="HiGHS")
    most = min(most, packed.bound)
    return Packed(np.flatnonzero(packed.times), most, most)


def _model(problem: Problem, columns: Columns) -> Model:
    """Return the packing model of the columns; rows are the units and the cliques."""
    rows = np.ones(problem.n_units, np.int64)
    return Model(columns, rows, problem.opening)
