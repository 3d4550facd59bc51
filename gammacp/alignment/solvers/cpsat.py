"""Back-end `cpsat`: prices bound, and OR-tools' CP-SAT packs and proves what they leave open.

Prices that no group beats turn gains into losses: of a group Σ price − gain, of a unit alone its
price. Every alignment gains Σ price less what its parts lose. So CP-SAT packs only the groups that
lose no more than a threshold τ. If the packing itself loses no more than τ, no alignment is better:
one with any other group loses more than τ by that group alone. Otherwise τ is raised, at most to
what the packing loses, with which the next one is the best.

Prices are those of the linear relaxation over all groups, where these are few enough to be listed,
and otherwise those of column generation, under which all groups within τ are searched for.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import enumerate_columns, to_groups
from gammacp.alignment.duals.lp import block_prices
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.pricing.exact import search
from gammacp.alignment.problem import Certificate, Problem, Proof, Solution, solution, total_cost
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.reporting import tell
from gammacp.alignment.solvers.enumeration import at_hand, better
from gammacp.alignment.solvers.generation import Generation, generate
from gammacp.alignment.solvers.packing import Model, best_packing
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes, Floats
from gammacp.base.stopping import budget, current_work, due, note

# Members of all groups up to which they are listed, and priced by one linear program: above, column
# generation is sooner (8 × 10 has 300,000).
_LISTED = 100_000
# Of the scale: τ at first, and the factor by which it is raised.
_FIRST_LOSS = 0.01
_RAISED = 4.0
# By how much more columns τ is raised at once to what the packing loses: packing half as many again
# takes less time than packing twice (3 × 200).
_FEW_MORE = 1.5


class _Priced(NamedTuple):
    """Prices that no group beats, all groups where they are listed, and an alignment at hand."""

    price: Floats
    columns: Columns | None
    groups: Codes | None


@registered(
    "cpsat", "prices of a linear program, and OR-tools' CP-SAT packs, one worker", constrained=True
)
def solve_cpsat(problem: Problem, limits: Limits) -> Solution:
    """Pack the groups that lose little under prices, until none that is left out could matter.

    CP-SAT's word is checked by the search of components over the groups that were packed; what it
    alone proves is told as that.
    """
    if problem.rules is not None:
        from gammacp.alignment.constraints.engine import solve_by_cpsat

        return solve_by_cpsat(problem, limits)
    deadline = limits.deadline()
    try:
        priced = _prices(problem, limits, deadline)
        if due(deadline):
            packed = None
        else:
            packed = _packed(problem, priced, limits, deadline)
    except TimeoutError:
        return at_hand(problem)
    if packed is not None and not due(deadline):
        return packed
    bound = problem.n_units * problem.opening - float(priced.price.sum())
    own = at_hand(problem, priced.groups, bound, Proof(priced.price))
    if packed is None:
        return own
    return better(problem, packed, own)


def _prices(problem: Problem, limits: Limits, deadline: float) -> _Priced:
    """Prices of all groups if they can be listed, otherwise of column generation."""
    from gammacp.alignment.kernels.duals import make_feasible

    columns = enumerate_columns(problem, most_members=_LISTED, deadline=deadline)
    if columns is None:
        note(prices_by="column generation")
        with budget(limits.steps(limits.of(Generation).proof)):
            generated = generate(problem, limits, deadline)
        return _Priced(generated.price, None, generated.groups)
    note(prices_by="GLOP")
    ranked = columns.renumber(problem.ranks)
    price = block_prices(problem.n_units, ranked, problem.cover_cost, deadline=deadline)
    price = np.minimum(price, problem.highest_price)
    make_feasible(price, ranked, problem.highest_price)
    return _Priced(price[problem.ranks], columns, None)


def _packed(problem: Problem, priced: _Priced, limits: Limits, deadline: float) -> Solution | None:
    """Find the best packing of the groups within τ; raise τ while one beyond could be better.

    None where the groups within τ are too many to list, or there is no time to.
    """
    total = float(priced.price.sum())
    most_loss = _FIRST_LOSS * problem.scale
    slack = problem.tolerance * problem.n_units
    if priced.groups is not None:
        # Column generation has an alignment already: nothing beyond its loss is of use.
        lost = total - _gain(problem, priced.groups)
        if limits.gap and lost <= limits.gap * (problem.n_units * problem.opening - total):
            return None
        most_loss = max(min(most_loss, lost), 0.0)
    exactly = replace(limits.until(deadline), gap=0.0)
    while True:
        columns = _within(problem, priced, most_loss + slack, limits, deadline)
        if columns is None:
            return None
        current_work().rounds += 1
        ones = np.ones(problem.n_units, np.int64)
        model = Model(columns, ones, problem.opening + problem.reuse, problem.cover)
        packed = best_packing(model, exactly)
        chosen = columns.select(np.flatnonzero(packed.times))
        groups = to_groups(problem, chosen)
        loss = total - _gain(problem, groups)
        all_alone = problem.n_units * problem.opening
        tell(all_alone - total + loss, all_alone - total)
        if loss <= most_loss + slack or not packed.proven:
            break
        most_loss = _raised(priced, columns, most_loss, loss, slack)
    # An alignment with any other group costs at least this.
    beyond = problem.n_units * problem.opening - total + most_loss + slack
    told = min(problem.n_units * problem.opening - packed.bound, beyond)
    if packed.proven and loss <= most_loss + slack:
        # Proven on integers: what is better than the rounding would have shown.
        told = np.inf
    solved = _checked(problem, groups, columns, priced, (told, beyond), exactly, deadline)
    note(columns_kept=columns.number)
    return solved


def _raised(priced: _Priced, kept: Columns, most_loss: float, loss: float, slack: float) -> float:
    """Return the next τ: the loss of the packing, or less where that takes in many columns."""
    if priced.columns is not None:
        losses = priced.columns.losses(priced.price)
        if np.count_nonzero(losses <= loss + slack) <= _FEW_MORE * kept.number:
            return loss
    return min(loss, _RAISED * most_loss)


def _within(
    problem: Problem, priced: _Priced, most_loss: float, limits: Limits, deadline: float
) -> Columns | None:
    """All groups that lose no more than that; None if they are too many, or once due."""
    if priced.columns is not None:
        note(columns_listed=priced.columns.number)
        return priced.columns.select(
            np.flatnonzero(priced.columns.losses(priced.price) <= most_loss)
        )
    listed = limits.of(Generation).listed
    priced_groups = search(
        problem, priced.price, -most_loss, every=True, limit=listed, deadline=deadline
    )
    if priced_groups is None:
        return None
    note(columns_listed=priced_groups.columns.number)
    return priced_groups.columns


def _checked(
    problem: Problem,
    groups: Codes,
    kept: Columns,
    priced: _Priced,
    bounds: tuple[float, float],
    limits: Limits,
    deadline: float,
) -> Solution:
    """Return the packing with the bound to which the components of the same groups come.

    `bounds` are what CP-SAT tells, and what an alignment with any other group costs.
    """
    told, beyond = bounds
    proof = Proof(priced.price)
    all_units = problem.n_units * problem.opening
    bound = all_units - float(priced.price.sum())
    certificate = Certificate(kept, priced.price)
    note(proved_by="prices")
    result = solution(problem, groups, bound, certificate, proof, told)
    if result.objective - bound <= problem.slack:
        return result
    ranked = np.empty(problem.n_units)
    ranked[problem.ranks] = priced.price
    note(proved_by="components")
    with budget(limits.steps(limits.of(Components).proof)):
        best = best_of_columns(problem, kept, ranked, limits, deadline)
    least = min(all_units - best.most_gain, beyond)
    return solution(problem, groups, max(bound, least), certificate, proof, told)


def _gain(problem: Problem, groups: Codes) -> float:
    return problem.n_units * problem.opening - total_cost(problem, groups)
