"""A bound that needs no solver."""

import numpy as np

from gammacp.alignment.problem import Problem


def unit_bound(problem: Problem, *, beyond: float = 0.0) -> float:
    """Σ over units of the least share of a group's cost that each can have.

    gain(G) ≤ Σ_{u∈G} [(n−1)/n·opening + ½ Σ_k max(0, best w(u, ·) of annotator k)], so no
    alignment gains more than the sum of the brackets over all units. Pairs that the problem leaves
    out earn at most `beyond` (≤ 0 where all that could pay are listed). With an opening below 0 the
    bracket is at most ½·opening in place of (n−1)/n of it in a group, and 0 alone.
    """
    from gammacp.alignment.kernels.pairs import best_per_annotator

    n = problem.n_annotators
    rest = best_per_annotator(problem.graph)
    per_annotator = np.maximum(rest[:, :-1] - rest[:, 1:], beyond)
    per_annotator[np.arange(problem.n_units), problem.annotator] = 0.0
    if problem.opening < 0:
        gains = 0.5 * (problem.opening + per_annotator.sum(axis=1))
        return problem.n_units * problem.opening - float(np.maximum(gains, 0.0).sum())
    most = problem.n_units * (n - 1) / n * problem.opening + 0.5 * float(per_annotator.sum())
    bound = problem.n_units * problem.opening - most
    # A cover pays no less than nothing for its groups: w ≤ Δ.
    return max(bound, 0.0) if problem.cover else bound
