"""Solver `cpsat`: prices give a bound, and OR-tools' CP-SAT packs the groups that may matter.

The prices are such that no group gains more than the prices of its units. The loss of a group is
Σ price − gain, and that of a unit alone is its price; an alignment gains Σ price minus its losses.
CP-SAT packs only the groups whose loss is at most a threshold τ. If the total loss of the packing
is at most τ as well, no alignment is better: one with any other group loses more than τ through
that group alone. Otherwise τ is raised, at most to the loss of the packing; at that value, the next
packing is the best one.

If the groups are few enough to be listed, the prices are those of the linear relaxation over all of
them. Otherwise they come from column generation, and all groups within τ are searched for.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import enumerate_columns, to_groups
from gammacp.alignment.duals.lp import block_prices
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.cpsat import best_packing
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.pricing.exact import find_groups
from gammacp.alignment.problem import (
    Problem,
    Proof,
    Solution,
    Status,
    TieCandidates,
    solution,
    total_cost,
)
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.reporting import report_bounds
from gammacp.alignment.solvers.enumeration import combine_proven, heuristic_solution
from gammacp.alignment.solvers.generation import Generation, generate
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes, Floats
from gammacp.base.stopping import budget, current_work, due, note

# Largest total number of members with which all groups are listed and priced by one linear program.
# Above it, column generation is faster (8 × 10 has 300,000).
_LISTED = 100_000
# First value of τ, as a share of the scale, and the factor by which it is raised.
_FIRST_LOSS = 0.01
_RAISED = 4.0
# Largest factor of columns at which τ is raised to the loss of the packing at once: packing half as
# many columns again takes less time than packing twice (3 × 200).
_FEW_MORE = 1.5


class _Prices(NamedTuple):
    """Feasible prices, all groups if they were listed, and an alignment if one is known."""

    price: Floats
    columns: Columns | None
    groups: Codes | None


@registered(
    "cpsat", "prices of a linear program, and OR-tools' CP-SAT packs, one worker", constrained=True
)
def solve_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Pack the groups with little loss, and include more until no other group can matter.

    The search of components over the packed groups checks the claims of CP-SAT. An alignment that
    only CP-SAT proves has the status `UNCHECKED`.
    """
    if problem.rules is not None:
        from gammacp.alignment.constraints.engine import solve_by_cpsat

        return solve_by_cpsat(problem, limits)
    deadline = limits.deadline()
    try:
        priced = _prices(problem, limits, deadline)
        if due(deadline):
            solved = None
        else:
            solved = _pack_within_loss(problem, priced, limits, deadline)
    except TimeoutError:
        return heuristic_solution(problem)
    unproven = solved is not None and solved.status is Status.FEASIBLE and not limits.gap
    if solved is not None and not unproven and not due(deadline):
        return solved
    bound = problem.n_units * problem.opening - float(priced.price.sum())
    heuristic = heuristic_solution(problem, priced.groups, bound, Proof(priced.price))
    if solved is None:
        return heuristic
    return combine_proven(problem, solved, heuristic)


def _prices(problem: Problem, limits: Limits, deadline: float) -> _Prices:
    """Return prices from all groups if they can be listed, otherwise from column generation."""
    from gammacp.alignment.kernels.feasible_prices import make_feasible

    columns = enumerate_columns(problem, most_members=_LISTED, deadline=deadline)
    if columns is None:
        note(prices_by="column generation")
        with budget(limits.steps(limits.of(Generation).proof)):
            generated = generate(problem, limits, deadline)
        return _Prices(generated.price, None, generated.groups)
    note(prices_by="GLOP")
    ranked = columns.renumber(problem.ranks)
    price = block_prices(problem.n_units, ranked, problem.cover_cost, deadline=deadline)
    price = np.minimum(price, problem.highest_price)
    make_feasible(price, ranked, problem.highest_price)
    return _Prices(price[problem.ranks], columns, None)


def _pack_within_loss(
    problem: Problem, priced: _Prices, limits: Limits, deadline: float
) -> Solution | None:
    """Pack the groups within τ, and raise τ while a group beyond it could matter.

    Return None if there are too many groups within τ to list, or no time is left.
    """
    total = float(priced.price.sum())
    most_loss = _FIRST_LOSS * problem.scale
    slack = problem.tolerance * problem.n_units
    if priced.groups is not None:
        # Column generation has an alignment already: nothing beyond its loss is of use.
        loss = total - _gain(problem, priced.groups)
        if limits.gap and loss <= limits.gap * (problem.n_units * problem.opening - total):
            return None
        most_loss = max(min(most_loss, loss), 0.0)
    exactly = replace(limits.until(deadline), gap=0.0)
    while True:
        columns = _within(problem, priced, most_loss + slack, limits, deadline)
        if columns is None:
            return None
        current_work().rounds += 1
        ones = np.ones(problem.n_units, np.int64)
        packing_problem = PackingProblem(
            columns, ones, problem.opening + problem.reuse, problem.cover
        )
        # Of costs that differ by less than its own tolerance, CP-SAT might compare all packings.
        with budget(limits.steps(limits.of(Components).proof)):
            packing = best_packing(packing_problem, exactly)
        chosen = columns.select(np.flatnonzero(packing.times))
        groups = to_groups(problem, chosen)
        loss = total - _gain(problem, groups)
        all_alone = problem.n_units * problem.opening
        report_bounds(all_alone - total + loss, all_alone - total)
        if loss <= most_loss + slack or not packing.proven:
            break
        most_loss = _raised(priced, columns, most_loss, loss, slack)
    # An alignment with any other group costs at least this.
    beyond = problem.n_units * problem.opening - total + most_loss + slack
    unconfirmed_bound = min(problem.n_units * problem.opening - packing.bound, beyond)
    if packing.proven and loss <= most_loss + slack:
        # Proven on integers: what is better than the rounding would have shown.
        unconfirmed_bound = np.inf
    solved = _checked(
        problem, groups, columns, priced, (unconfirmed_bound, beyond), exactly, deadline
    )
    note(columns_kept=columns.number)
    return solved


def _raised(
    priced: _Prices, columns: Columns, most_loss: float, loss: float, slack: float
) -> float:
    """Return the next τ: the loss of the packing, or less if that would add many columns."""
    if priced.columns is not None:
        losses = priced.columns.losses(priced.price)
        if np.count_nonzero(losses <= loss + slack) <= _FEW_MORE * columns.number:
            return loss
    return min(loss, _RAISED * most_loss)


def _within(
    problem: Problem, priced: _Prices, most_loss: float, limits: Limits, deadline: float
) -> Columns | None:
    """List all groups within a loss; None if there are too many, or after the deadline."""
    if priced.columns is not None:
        note(columns_listed=priced.columns.number)
        return priced.columns.select(
            np.flatnonzero(priced.columns.losses(priced.price) <= most_loss)
        )
    listed = limits.of(Generation).listed
    priced_groups = find_groups(
        problem, priced.price, -most_loss, every=True, limit=listed, deadline=deadline
    )
    if priced_groups is None:
        return None
    note(columns_listed=priced_groups.columns.number)
    return priced_groups.columns


def _checked(
    problem: Problem,
    groups: Codes,
    columns: Columns,
    priced: _Prices,
    bounds: tuple[float, float],
    limits: Limits,
    deadline: float,
) -> Solution:
    """Return the packing with the bound that the search of components proves for its groups.

    `bounds` are the bound of CP-SAT, and the least cost of an alignment with any other group.
    """
    unconfirmed_bound, beyond = bounds
    proof = Proof(priced.price)
    all_units = problem.n_units * problem.opening
    bound = all_units - float(priced.price.sum())
    tie_candidates = TieCandidates(columns, priced.price)
    note(proved_by="prices")
    result = solution(problem, groups, bound, tie_candidates, proof, unconfirmed_bound)
    if result.objective - bound <= problem.slack:
        return result
    ranked = np.empty(problem.n_units)
    ranked[problem.ranks] = priced.price
    note(proved_by="components")
    with budget(limits.steps(limits.of(Components).proof)):
        best = best_of_columns(problem, columns, ranked, limits, deadline)
    cost_bound = min(all_units - best.gain_bound, beyond)
    return solution(
        problem, groups, max(bound, cost_bound), tie_candidates, proof, unconfirmed_bound
    )


def _gain(problem: Problem, groups: Codes) -> float:
    return problem.n_units * problem.opening - total_cost(problem, groups)
