"""The first of all best packings: CP-SAT optimizes one criterion after the other."""

from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.cpsat import (
    Program,
    build_program,
    largest_scale,
    run_cpsat,
    to_integers,
    weighted_sum,
)
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import due

# Number of binary digits of the largest weight of a column in one lexicographic objective.
_WEIGHT_BITS = 40
# Integers of CP-SAT must stay below 2⁶³.
_LARGEST_LIMIT = 2.0**61


class TieBreaking(NamedTuple):
    """Criteria that rank packings: loss, then number of groups, Σ d_cat, and order of columns.

    Attributes
    ----------
    loss
        Loss of each column.
    alone_loss
        Loss of each unit that is left alone.
    covering_loss
        Loss of each further group that a unit of a cover is in.
    category_cost
        Σ d_cat of each column.
    optimum
        Least total loss.
    slack
        Packings that lose up to this much more are equally good.
    """

    loss: Floats
    alone_loss: Floats
    covering_loss: Floats
    category_cost: Floats
    optimum: float
    slack: float


def first_packing(problem: PackingProblem, ties: TieBreaking, limits: Limits) -> Indices | None:
    """Return how often the first best packing uses each column; None if the deadline passes.

    Lexicographic optimization by a sequence of integer programs, each of which keeps the optima of
    the previous ones as constraints. The total loss is bounded by the optimum; then the number of
    groups is minimized, then Σ d_cat. Finally, the columns are used as often as possible in their
    order. As many columns at a time as fit into one objective are optimized together.
    """
    deadline = limits.deadline()
    program = build_program(problem)
    model = program.model
    _bound_loss(problem, program, ties)
    groups = [*program.times, *program.alone]
    fewest = _minimum(program, groups, [1] * len(groups), limits.until(deadline))
    if fewest is None:
        return None
    model.add(sum(groups) <= fewest)
    if ties.category_cost.any():
        total_capacity = int(problem.capacity[program.units].sum())
        costs = to_integers(ties.category_cost, total_capacity)[0].tolist()
        least_cost = _minimum(program, program.times, costs, limits.until(deadline))
        if least_cost is None:
            return None
        # Each group that is taken was rounded by at most half a step.
        model.add(weighted_sum(program.times, costs) <= least_cost + total_capacity)
    return _lexicographic_times(problem, program, limits, deadline)


def _lexicographic_times(
    problem: PackingProblem, program: Program, limits: Limits, deadline: float
) -> Indices | None:
    """Use the first column as often as possible, then the second, and so on.

    Return the number of uses of each column, or None if the deadline passes.
    """
    most_uses = problem.most_uses
    times = np.zeros(len(most_uses), np.int64)
    block = np.cumsum(np.log2(most_uses + 1)) // _WEIGHT_BITS
    for rows in (np.flatnonzero(block == b) for b in np.unique(block)):
        variables = [program.times[c] for c in rows]
        # Weights of a mixed radix: one use of a column outweighs all uses of those that follow.
        radices = most_uses[rows[1:]] + 1
        weights = np.append(np.cumprod(radices[::-1])[::-1], 1)
        program.model.maximize(weighted_sum(variables, weights.tolist()))
        if due(deadline):
            return None
        solver, status = run_cpsat(program, limits.until(deadline))
        if status is not Status.OPTIMAL:
            return None
        for c, variable in zip(rows, variables, strict=True):
            times[c] = solver.value(variable)
            program.model.add(variable == times[c])
    return times


def _bound_loss(problem: PackingProblem, program: Program, ties: TieBreaking) -> None:
    """Add the constraint that the loss is at most that of the best packing, plus the slack."""
    units = program.units
    loss = np.concatenate((ties.loss, ties.alone_loss[units]))
    covering_loss = ties.covering_loss[units]
    largest = max(
        float(np.abs(ties.loss).max(initial=0.0)),
        float(ties.alone_loss[units].max(initial=0.0)),
        float(covering_loss.max(initial=0.0)),
    )
    if largest == 0:
        return
    n = int(problem.capacity[units].sum())
    scale = float(largest_scale(n) / max(largest, 1e-200))
    integers = np.rint(loss * scale).astype(np.int64).tolist()
    total = weighted_sum([*program.times, *program.alone], integers)
    if problem.cover:
        covering_integers = np.rint(covering_loss * scale).astype(np.int64).tolist()
        for variables, alone, cost in zip(
            program.covering, program.alone, covering_integers, strict=True
        ):
            total += cost * (sum(variables) + alone - 1)
    largest_total = min((ties.optimum + ties.slack) * scale, _LARGEST_LIMIT)
    # Each group that is taken was rounded by at most half a step.
    program.model.add(total <= int(largest_total) + n + 1)


def _minimum(
    program: Program, terms: list[Any], coefficients: list[int], limits: Limits
) -> int | None:
    """Return the least Σ coefficient·term; None if CP-SAT does not prove it."""
    program.model.minimize(weighted_sum(terms, coefficients))
    solver, status = run_cpsat(program, limits)
    if status is not Status.OPTIMAL:
        return None
    minimum: int = round(solver.objective_value)
    return minimum
