"""Solver `enumeration`: list and price all groups, and prove the best alignment by components."""

import numpy as np

from gammacp.alignment.columns import LISTED, all_columns, enumerate_columns, to_groups
from gammacp.alignment.duals.diffusion import PriceTuning, prices
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import FEW_ANNOTATORS, Limits
from gammacp.alignment.problem import Problem, Proof, Solution, Status, TieCandidates, solution
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes
from gammacp.base.stopping import GIGA, budget, note

# Largest total number of members with which groups are listed: per unit, so that listing is linear
# in the length of a long continuum, and in all, some 100 MB.
_LISTED_PER_UNIT = 300
_LISTED_AT_MOST = 10_000_000
# Steps of the heuristic that runs when time is up.
_MOMENT = GIGA // 4


@registered(
    "enumeration",
    "all unitary alignments listed, priced, and proven by components",
    presolved=True,
    constrained=True,
)
def solve_enumeration(problem: Problem, limits: Limits) -> Solution:
    """Solve by listing all groups that no profitable split beats; DataError if too many."""
    if problem.rules is not None and (problem.rules.excludes or not problem.rules.hereditary):
        from gammacp.alignment.constraints.engine import solve_by_components

        return solve_by_components(problem, limits)
    deadline = limits.deadline()
    try:
        columns = all_columns(problem, deadline=deadline)
    except TimeoutError:
        return heuristic_solution(problem)
    return solve_listed(problem, columns, limits.until(deadline))


def heuristic_solution(
    problem: Problem,
    groups: Codes | None = None,
    bound: float = -np.inf,
    proof: Proof | None = None,
) -> Solution:
    """Find a good alignment quickly, with the bound of `unit_bound`, when time is up.

    The heuristic is limited by steps rather than time, since no time may be left.
    """
    # Imported here, as below: a small problem is proven without a heuristic.
    from gammacp.alignment.heuristics.local_search import improve
    from gammacp.alignment.proof.unit_bound import solution_with_unit_bound

    if problem.rules is not None:
        from gammacp.alignment.constraints.exclusion import greedy_groups

        return solution_with_unit_bound(
            problem, greedy_groups(problem, problem.rules), bound, proof=proof
        )
    with budget(_MOMENT, beyond=True):
        groups = improve(problem, groups)
    return solution_with_unit_bound(problem, groups, bound, proof=proof)


def listed_columns(problem: Problem, deadline: float = np.inf) -> Columns | None:
    """Return all groups, or None if generating those that matter is cheaper than listing all."""
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
    """Return the best alignment of these columns, which must contain all that matter.

    If time is up before prices are known, a good alignment is returned. `groups` is an alignment to
    start from, and `bound` a known lower bound. `proof` contains prices that are valid for all
    groups, including those that are not among the columns. Without it, the columns must be all
    groups, and the prices found for them are the proof.
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
        return heuristic_solution(problem, groups, bound, proof)
    result = solution(
        problem,
        to_groups(problem, columns.select(best.chosen)),
        problem.n_units * problem.opening - best.gain_bound,
        TieCandidates(columns, price[problem.ranks]),
        Proof(best.price[problem.ranks]) if proof is None else proof,
        problem.n_units * problem.opening - best.unconfirmed_gain_bound,
    )
    if result.status is not Status.FEASIBLE:
        return result
    return combine_proven(problem, result, heuristic_solution(problem, groups, bound, proof))


def combine_proven(problem: Problem, one: Solution, other: Solution) -> Solution:
    """Return the cheaper of two solutions, with the higher bound and its proof."""
    if one.objective <= other.objective:
        cheaper = one
    else:
        cheaper = other
    if one.bound >= other.bound:
        higher = one
    else:
        higher = other
    return solution(problem, cheaper.groups, higher.bound, one.tie_candidates, higher.proof)
