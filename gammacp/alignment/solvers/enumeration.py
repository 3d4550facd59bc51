"""Back-end `enumeration`: all groups listed and priced, the best alignment proven by components."""

import numpy as np

from gammacp.alignment.columns import LISTED, all_columns, enumerate_columns, to_groups
from gammacp.alignment.duals.diffusion import PriceTuning, prices
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import FEW_ANNOTATORS, Limits
from gammacp.alignment.problem import Certificate, Problem, Proof, Solution, Status, solution
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes
from gammacp.base.stopping import GIGA, budget, note

# Members of all groups up to which they are listed: per unit of a long continuum, where listing
# stays linear in the length, and at the most, some 100 MB.
_LISTED_PER_UNIT = 300
_LISTED_AT_MOST = 10_000_000
# Steps of the heuristic that has the last word when time is up.
_MOMENT = GIGA // 4


@registered(
    "enumeration",
    "all unitary alignments listed, priced, and proven by components",
    presolved=True,
    constrained=True,
)
def solve_enumeration(problem: Problem, limits: Limits) -> Solution:
    """List all groups that no profitable split beats; DataError if they are too many."""
    if problem.rules is not None and (problem.rules.excludes or not problem.rules.hereditary):
        from gammacp.alignment.constraints.engine import solve_by_components

        return solve_by_components(problem, limits)
    deadline = limits.deadline()
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return at_hand(problem)
    return solve_listed(problem, columns, limits.until(deadline))


def at_hand(
    problem: Problem,
    groups: Codes | None = None,
    bound: float = -np.inf,
    proof: Proof | None = None,
) -> Solution:
    """Find a good alignment within a moment, and the best known bound: for when time is up.

    The time that it takes is counted in steps, so that it has some where the limit has none left.
    """
    # Imported here, as below: a small problem is proven without a heuristic.
    from gammacp.alignment.heuristics.local_search import improve
    from gammacp.alignment.proof.unit_bound import least_bounded

    if problem.rules is not None:
        from gammacp.alignment.constraints.apart import first_groups

        return least_bounded(problem, first_groups(problem, problem.rules), bound, proof=proof)
    with budget(_MOMENT, beyond=True):
        groups = improve(problem, groups)
    return least_bounded(problem, groups, bound, proof=proof)


def listed_columns(problem: Problem, deadline: float = np.inf) -> Columns | None:
    """All groups, where listing them is cheaper than generating those that matter."""
    if problem.n_annotators > FEW_ANNOTATORS:
        return None
    per_unit = min(_LISTED_PER_UNIT * problem.n_units, _LISTED_AT_MOST)
    return enumerate_columns(problem, most_members=max(LISTED, per_unit), deadline=deadline)


def solve_listed(
    problem: Problem,
    columns: Columns,
    limits: Limits,
    groups: Codes | None = None,
    bound: float = -np.inf,
    proof: Proof | None = None,
) -> Solution:
    """Return the best alignment out of these columns, which hold all that matter.

    If the time is up before there are prices, a good one. `groups` are an alignment to begin with,
    and `bound` what is known that none is below. `proof` has prices that no group beats, not even
    one that is not among the columns; without it they hold all groups, and their prices are that.
    """
    deadline = limits.deadline()
    note(columns_listed=columns.number, proved_by="components")
    try:
        with budget(limits.steps(limits.of(Components).proof)):
            price = prices(
                problem.n_units,
                columns.renumber(problem.ranks),
                problem.scale,
                problem.cover_cost,
                deadline=deadline,
                tuning=limits.of(PriceTuning),
            )
            best = best_of_columns(problem, columns, price, limits, deadline)
    except TimeoutError:
        return at_hand(problem, groups, bound, proof)
    result = solution(
        problem,
        to_groups(problem, columns.select(best.chosen)),
        problem.n_units * problem.opening - best.most_gain,
        Certificate(columns, price[problem.ranks]),
        Proof(best.price[problem.ranks]) if proof is None else proof,
        problem.n_units * problem.opening - best.told,
    )
    if result.status is not Status.FEASIBLE:
        return result
    return better(problem, result, at_hand(problem, groups, bound, proof))


def better(problem: Problem, found: Solution, other: Solution) -> Solution:
    """Return the cheaper of two solutions, with the higher bound and its proof."""
    if found.objective <= other.objective:
        cheaper = found
    else:
        cheaper = other
    if found.bound >= other.bound:
        higher = found
    else:
        higher = other
    return solution(problem, cheaper.groups, higher.bound, found.certificate, higher.proof)
