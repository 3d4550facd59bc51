"""Two annotators whose pairs keep their order: dynamic programming, as of two sequences."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.problem import Problem, Solution, solution
from gammacp.base.arrays import Indices
from gammacp.base.stopping import note, spend


def solve_in_order(problem: Problem) -> Solution | None:
    """Find the chain of pairs with the largest gain; None if the rule is not one of order.

    `Constraint.places` gives the order. Where it gives none, or there are more than two annotators
    or other rules, None comes back and the caller solves the problem by `solve_with_exclusions`.

    The pairs are sorted by the first annotator's units, so that the best chain that ends in a pair
    is looked up among the second annotator's units before it: O(pairs · log units).

    Parameters
    ----------
    problem
        A problem of two annotators, with `rules`.
    """
    assert problem.rules is not None
    rank = problem.rules.order_of_two()
    if rank is None:
        return None
    from gammacp.alignment.kernels.chains import heaviest_chain

    gain = problem.weight + problem.opening
    useful = np.flatnonzero(gain > 0)
    first = rank[problem.first[useful]]
    second = rank[problem.second[useful]]
    order = np.lexsort((-second, first))
    lowest = second.min(initial=0)
    chain: Indices = heaviest_chain((second - lowest)[order], gain[useful][order])
    spend(20 * len(order))
    pairs = useful[order[chain]]
    groups = np.full((problem.n_units, 2), -1, np.int32)
    groups[np.arange(problem.n_units), problem.annotator] = np.arange(problem.n_units)
    groups[problem.first[pairs], 1] = problem.second[pairs]
    groups = np.delete(groups, problem.second[pairs], axis=0)
    note(prices_by="none", proved_by="dynamic programming")
    cost = problem.n_units * problem.opening - float(gain[pairs].sum())
    return solution(problem, groups, cost)
