"""Lower bound on the cost of an alignment from prices of single units, without a solver.

Each unit gets a price such that no group gains more than the prices of its units. So no alignment
gains more than the sum of all prices.
"""

import numpy as np

from gammacp.alignment.problem import Problem, Proof, Solution, TieCandidates, solution
from gammacp.base.arrays import Codes, Floats


def unit_prices(problem: Problem, *, unlisted_weight: float = 0.0) -> Floats:
    """Return a price for each unit such that no group gains more than its units' prices.

    The result has shape (units,).

    A group gains (|G| − 1)·opening + Σ w over its pairs. The first term is at most
    |G|·(n−1)/n·opening, as |G| ≤ n. Of each w(u, v), one half is paid by u and one by v, and u's
    weight with annotator k is at most the largest w(u, v) over the units v of k. Hence

        gain(G) ≤ Σ_{u∈G} [(n−1)/n·opening + ½ Σ_k max(0, largest w(u, ·) of annotator k)],

    and the brackets are the prices. If the opening is negative, ½ takes the place of (n−1)/n, and
    prices are at least 0, as a single unit gains 0.

    Parameters
    ----------
    problem
        The problem.
    unlisted_weight
        Largest weight of a pair that is not in the problem; ≤ 0 if all others are listed.
    """
    from gammacp.alignment.kernels.pairs import sums_of_best_weights

    n = problem.n_annotators
    # Sums over the annotators from k on; their differences are the largest weights.
    sums = sums_of_best_weights(problem.graph)
    largest_weight = np.maximum(sums[:, :-1] - sums[:, 1:], unlisted_weight)
    largest_weight[np.arange(problem.n_units), problem.annotator] = 0.0
    weights: Floats = 0.5 * largest_weight.sum(axis=1)
    if problem.opening >= 0:
        return np.asarray((n - 1) / n * problem.opening + weights)
    return np.maximum(0.5 * problem.opening + weights, 0.0)


def unit_bound(problem: Problem, *, unlisted_weight: float = 0.0) -> float:
    """Return Σ (opening − price) over units: no alignment costs less."""
    total_price = float(unit_prices(problem, unlisted_weight=unlisted_weight).sum())
    bound = problem.n_units * problem.opening - total_price
    # Groups of a cover cost at least 0, as w ≤ Δ.
    if problem.cover:
        return max(bound, 0.0)
    return bound


def solution_with_unit_bound(
    problem: Problem,
    groups: Codes,
    bound: float = -np.inf,
    tie_candidates: TieCandidates | None = None,
    proof: Proof | None = None,
) -> Solution:
    """Return a solution of these groups with the higher of two bounds: `bound` and `unit_bound`."""
    bound_of_units = unit_bound(problem)
    if bound_of_units > bound:
        bound = bound_of_units
        # The tie candidates stay: they are only used if the solution is proven.
        proof = Proof(unit_prices(problem))
    return solution(problem, groups, bound, tie_candidates, proof)
