"""Back-end `bipartite`: two annotators are a sparse assignment problem (scipy)."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.problem import Certificate, Problem, Solution, solution
from gammacp.alignment.solvers import Limits, Solver, register
from gammacp.arrays import Codes, Floats
from gammacp.errors import UsageError

# Candidate pairs per unit beyond which the dense assignment is the faster one, and the size of the
# table up to which it is so anyway: building sparse matrices costs more than a small assignment.
_CROWDED = 60
_SMALL = 10_000


def solve_bipartite(problem: Problem, limits: Limits) -> Solution:  # noqa: ARG001
    """Maximise Σ (w + opening) over pairs; UsageError unless there are two annotators."""
    if problem.n_annotators != 2:
        raise UsageError(
            f"method 'bipartite' is for two annotators, not {problem.n_annotators}; use 'auto'"
        )
    groups = cover(problem) if problem.cover else match(problem, problem.weight + problem.opening)
    found = solution(problem, groups, -np.inf)
    certificate = None if problem.cover else _certificate(problem, groups)
    return solution(problem, groups, found.objective, certificate)


def _certificate(problem: Problem, groups: Codes) -> Certificate:
    """All pairs that gain anything, with prices under which the matched ones just pay."""
    from gammacp.alignment.price_kernels import matching_prices

    gain = problem.weight + problem.opening
    kept = gain >= -problem.tolerance
    members = np.column_stack((problem.first[kept], problem.second[kept])).ravel()
    begin = 2 * np.arange(len(members) // 2 + 1, dtype=np.int64)
    partner = np.full(problem.n_units, -1, np.int32)
    both = groups[(groups >= 0).all(axis=1)]
    partner[both[:, 0]], partner[both[:, 1]] = both[:, 1], both[:, 0]
    n_first = int(np.searchsorted(problem.annotator, 1))
    price = matching_prices(n_first, partner, *problem.adjacency, problem.opening)
    return Certificate(begin, members, gain[kept], price)


def cover(problem: Problem) -> Codes:
    """The cheapest cover: an edge cover, which reduces to a matching.

    Every unit has a cheapest way of its own to be covered; a pair in one group saves the ways of
    both and pays its own. Who is not matched takes its cheapest way.
    """
    cost = problem.opening - problem.weight
    n = problem.n_units
    own, partner = np.full(n, problem.opening), np.full(n, -1, np.int32)
    for here, there in ((problem.first, problem.second), (problem.second, problem.first)):
        order = np.lexsort((cost, here))
        rows, at = np.unique(here[order], return_index=True)
        cheaper = cost[order][at] < own[rows]
        own[rows[cheaper]] = cost[order][at][cheaper]
        partner[rows[cheaper]] = there[order][at][cheaper]
    groups = match(problem, own[problem.first] + own[problem.second] - cost)
    single = (groups >= 0).sum(axis=1) == 1
    unit = groups[single].max(axis=1)
    pairs = np.column_stack((unit, partner[unit]))
    owner = problem.annotator[pairs]
    covered = np.full_like(pairs, -1)
    covered[np.arange(len(pairs)), owner[:, 0]] = pairs[:, 0]
    has = pairs[:, 1] >= 0
    covered[np.flatnonzero(has), owner[has, 1]] = pairs[has, 1]
    return np.asarray(np.unique(np.concatenate((groups[~single], covered)), axis=0), np.int32)


def match(problem: Problem, gain: Floats) -> Codes:
    """The matching of largest Σ gain over the problem's pairs, as groups, int32 (groups, 2).

    A unit may stay alone: each has a partner of its own on the other side, which gains nothing,
    and those partners are matched with one another.
    """
    n_first = int(np.searchsorted(problem.annotator, 1))
    n = problem.n_units
    n_second = n - n_first
    if n_first * n_second <= _SMALL or len(gain) > _CROWDED * n:
        return _match_densely(problem, gain)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    keep = gain > 0
    i, j, gain = problem.first[keep], problem.second[keep] - n_first, gain[keep]
    most = gain.max(initial=0.0) + 1.0
    first, second = np.arange(n_first), np.arange(n_second)
    rows = np.concatenate((i, first, n_first + second, n_first + j))
    cols = np.concatenate((j, n_second + first, second, n_second + i))
    # Costs must not be zero in a sparse matrix; every full matching has n edges, so adding 1 to
    # each changes nothing.
    costs = np.concatenate(
        (most - gain, np.full(n_first, most), np.ones(n_second), np.ones(len(i)))
    )
    matrix = csr_array((costs, (rows, cols)), shape=(n, n))
    partner = min_weight_full_bipartite_matching(matrix)[1][:n_first]
    paired = partner < n_second
    groups = np.full((n - int(paired.sum()), 2), -1, np.int32)
    groups[:n_first, 0] = first
    groups[:n_first, 1] = np.where(paired, partner + n_first, -1)
    alone = np.ones(n_second, np.bool_)
    alone[partner[paired]] = False
    groups[n_first:, 1] = np.flatnonzero(alone) + n_first
    return groups


def _match_densely(problem: Problem, gain: Floats) -> Codes:
    """`match` where most pairs are candidates: an assignment on the full matrix."""
    from scipy.optimize import linear_sum_assignment

    n_first = int(np.searchsorted(problem.annotator, 1))
    table = np.zeros((n_first, problem.n_units - n_first))
    table[problem.first, problem.second - n_first] = np.maximum(gain, 0.0)
    rows, cols = linear_sum_assignment(table, maximize=True)
    worth = table[rows, cols] > 0
    groups = np.full((problem.n_units, 2), -1, np.int32)
    groups[np.arange(problem.n_units), problem.annotator] = np.arange(problem.n_units)
    groups[rows[worth], 1] = cols[worth] + n_first
    return np.delete(groups, cols[worth] + n_first, axis=0)


register(
    Solver(
        name="bipartite",
        summary="sparse assignment, two annotators only (scipy)",
        solve=solve_bipartite,
    )
)
