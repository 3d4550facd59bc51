"""A bound that needs no solver."""

import numpy as np

from gammacp.alignment.problem import Certificate, Problem, Proof, Solution, solution
from gammacp.base.arrays import Codes, Floats


def unit_prices(problem: Problem, *, beyond: float = 0.0) -> Floats:
    """The most of a group's gain that each unit can have; shape (units,).

    gain(G) ≤ Σ_{u∈G} [(n−1)/n·opening + ½ Σ_k max(0, best w(u, ·) of annotator k)]: the brackets
    are prices that no group beats. Pairs that the problem leaves out earn at most `beyond` (≤ 0
    where all that could pay are listed). Of an opening below 0 each unit of a group bears at least
    a half in place of (n−1)/n, and the price of one alone is 0.
    """
    from gammacp.alignment.kernels.pairs import best_per_annotator

    n = problem.n_annotators
    rest = best_per_annotator(problem.graph)
    per_annotator = np.maximum(rest[:, :-1] - rest[:, 1:], beyond)
    per_annotator[np.arange(problem.n_units), problem.annotator] = 0.0
    if problem.opening >= 0:
        share = (n - 1) / n
    else:
        share = 0.5
    price = np.asarray(share * problem.opening + 0.5 * per_annotator.sum(axis=1))
    return price if problem.opening >= 0 else np.maximum(price, 0.0)


def unit_bound(problem: Problem, *, beyond: float = 0.0) -> float:
    """No alignment costs less: Σ over units of what their prices leave of the opening."""
    most = float(unit_prices(problem, beyond=beyond).sum())
    bound = problem.n_units * problem.opening - most
    # A cover pays no less than nothing for its groups: w ≤ Δ.
    if problem.cover:
        return max(bound, 0.0)
    return bound


def least_bounded(
    problem: Problem,
    groups: Codes,
    bound: float = -np.inf,
    certificate: Certificate | None = None,
    proof: Proof | None = None,
) -> Solution:
    """The solution with that bound, or with the units' own where that is higher."""
    own = unit_bound(problem)
    if own > bound:
        bound = own
        proof = Proof(unit_prices(problem))
    return solution(problem, groups, bound, certificate, proof)
