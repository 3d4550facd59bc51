"""Two annotators, however dense: an assignment of listed pairs, priced against all others.

The best alignment of a few close pairs comes with a price of each unit. A pair that was not listed
could only improve it if it gains more than its two prices; such pairs are listed and the assignment
is found anew, until there is none. Then the prices pay for every pair, and prove the alignment.
Costs are looked up row by row: the pairs themselves are never all listed.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Proof, Solution, solution
from gammacp.alignment.solvers.registry import Solve
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import due
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns

# Costs that are computed at a time, and kept for the next round: 0.25 GB.
_AT_ONCE = 1_000_000
_KEPT = 32_000_000
# Pairs of a unit that are added at a time. Of 2 × 3000 units within 20 lengths 10 take the fewest
# seconds: with 3 there are more rounds, with 40 more pairs.
_ADDED = 10


def solve_implicit(
    problem: Problem,
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    deadline: float,
) -> Solution:
    """Return the best alignment over all pairs, or the best at the deadline with its bound.

    Parameters
    ----------
    problem
        Some of the pairs of two annotators.
    continuum, dissimilarity
        Units and dissimilarity that give the cost of every pair.
    solve, limits, deadline
        The assignment of listed pairs, which prices the units.
    """
    known: list[tuple[Indices, Floats]] | None = None
    best: Solution | None = None
    highest = 0.0
    while True:
        solved = solve(problem, limits.until(deadline))
        if solved.proof is None:
            return best or replace(solved, bound=highest)
        price = solved.proof.price.copy()
        listed = []
        blocks = known or _costs(continuum, dissimilarity)
        kept: list[tuple[Indices, Floats]] = []
        few = np.prod(continuum.counts, dtype=np.int64) <= _KEPT
        second = np.searchsorted(continuum.annotator_codes, 1)
        for rows, cost in blocks:
            if due(deadline):  # The prices of what was not looked at may not hold.
                return best or solution(problem, solved.groups, highest)
            if few and known is None:
                kept.append((rows, cost))
            more = (problem.delta + problem.opening) - cost
            more -= solved.proof.price[second:]
            more -= solved.proof.price[rows, None]
            # What a pair gains beyond its prices, its first unit pays: the prices then hold.
            beyond = np.maximum(more.max(axis=1), 0.0)
            price[rows] += beyond
            paying = np.flatnonzero(beyond > problem.tolerance)
            gain = more[paying]
            most = min(_ADDED, more.shape[1])
            at = np.argpartition(-gain, most - 1, axis=1)[:, :most]
            row, place = np.nonzero(np.take_along_axis(gain, at, axis=1) > problem.tolerance)
            column = at[row, place]
            row = paying[row]
            listed.append((rows[row], column + second, problem.delta - cost[row, column]))
        known = kept or known
        first, other, weight = (np.concatenate(part) for part in zip(*listed, strict=True))
        bound = problem.n_units * problem.opening - float(price.sum())
        highest = max(highest, bound)
        best = solution(problem, solved.groups, highest, proof=Proof(price))
        if not len(first) or due(deadline):
            return best
        problem = replace(
            problem,
            first=np.concatenate([problem.first, first.astype(np.int32)]),
            second=np.concatenate([problem.second, other.astype(np.int32)]),
            weight=np.concatenate([problem.weight, weight]),
        )


def _costs(
    continuum: Continuum, dissimilarity: BoundDissimilarity
) -> Iterator[tuple[Indices, Floats]]:
    """Yield some units of the first annotator, and what they cost with each of the second's."""
    units = unit_columns(continuum)
    first, second = (np.flatnonzero(continuum.annotator_codes == k) for k in (0, 1))
    size = max(1, _AT_ONCE // len(second))
    for low in range(0, len(first), size):
        rows = first[low : low + size]
        pairs = np.repeat(rows, len(second)), np.tile(second, len(rows))
        cost = dissimilarity.pairwise(units[pairs[0]], units[pairs[1]])
        yield rows, np.asarray(cost, np.float64).reshape(len(rows), len(second))
