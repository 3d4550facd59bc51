"""Lower bound on the cost of an alignment from prices of single units, without a solver.

Each unit gets a price such that no group gains more than the prices of its units. So no alignment
gains more than the sum of all prices.
"""

import numpy as np

from gammacp.alignment.problem import Problem, Proof, Solution, TieCandidates, solution
from gammacp.base.arrays import Codes, Floats


def unit_prices(problem: Problem, *, beyond: float = 0.0) -> Floats:
    """Return a price for each unit such that no group gains more than its units' prices.

    The result has shape (units,).

    gain(G) ≤ Σ_{u∈G} [(n−1)/n·opening + ½ Σ_k max(0, best w(u, ·) of annotator k)], and the
    brackets are the prices. Pairs that are not in the problem gain at most `beyond` each (≤ 0 if
    all pairs that may gain anything are listed). If the opening is negative, ½ takes the place of
    (n−1)/n, and prices are at least 0, as a single unit gains 0.
    """
    from gammacp.alignment.kernels.pairs import best_per_annotator

    n = problem.n_annotators
    best_of_annotators = best_per_annotator(problem.graph)
    per_annotator = np.maximum(best_of_annotators[:, :-1] - best_of_annotators[:, 1:], beyond)
    per_annotator[np.arange(problem.n_units), problem.annotator] = 0.0
    if problem.opening >= 0:
        share = (n - 1) / n
    else:
        share = 0.5
    price = np.asarray(share * problem.opening + 0.5 * per_annotator.sum(axis=1))
    return price if problem.opening >= 0 else np.maximum(price, 0.0)


def unit_bound(problem: Problem, *, beyond: float = 0.0) -> float:
    """Return Σ (opening − price) over units: no alignment costs less."""
    total_price = float(unit_prices(problem, beyond=beyond).sum())
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
        proof = Proof(unit_prices(problem))
    return solution(problem, groups, bound, tie_candidates, proof)
