"""Alignment of two annotators with too many pairs to list, by column generation.

An assignment over a few close pairs gives an alignment and a price for each unit. A pair that is
not listed can improve the alignment only if it gains more than the prices of its two units. Such
pairs are added and the assignment is solved again, until there are none; the prices then prove that
the alignment is the best one. Costs are computed in blocks of units, so that never all pairs are
listed.
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

# Number of costs that are computed at a time, and largest number that is kept for the next round
# (0.25 GB).
_AT_ONCE = 1_000_000
_KEPT = 32_000_000
# Largest number of pairs that are added per unit and round. For 2 × 3000 units within 20 lengths,
# 10 is fastest: 3 take more rounds, and 40 add more pairs.
_ADDED = 10


def solve_implicit(
    problem: Problem,
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    deadline: float,
) -> Solution:
    """Return the best alignment over all pairs, or the best by the deadline with its bound.

    Parameters
    ----------
    problem
        Problem of two annotators with some of their pairs.
    continuum, dissimilarity
        Units and dissimilarity, from which the cost of every pair is computed.
    solve, limits, deadline
        Solver of the assignment over the listed pairs, which also gives prices; and its limits.
    """
    stored_blocks: list[tuple[Indices, Floats]] | None = None
    best: Solution | None = None
    highest = 0.0
    while True:
        solved = solve(problem, limits.until(deadline))
        if solved.proof is None:
            return best or replace(solved, bound=highest)
        price = solved.proof.price.copy()
        listed = []
        blocks = stored_blocks or _costs(continuum, dissimilarity)
        new_blocks: list[tuple[Indices, Floats]] = []
        few = np.prod(continuum.counts, dtype=np.int64) <= _KEPT
        second = np.searchsorted(continuum.annotator_codes, 1)
        for rows, cost in blocks:
            if due(deadline):  # Pairs not yet checked may gain more than the prices.
                return best or solution(problem, solved.groups, highest)
            if few and stored_blocks is None:
                new_blocks.append((rows, cost))
            more = (problem.delta + problem.opening) - cost
            more -= solved.proof.price[second:]
            more -= solved.proof.price[rows, None]
            # Raise the price of each first unit by its largest excess: the prices are then valid.
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
        stored_blocks = new_blocks or stored_blocks
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
    """Yield blocks of the first annotator's units, with the costs of all their pairs."""
    units = unit_columns(continuum)
    first, second = (np.flatnonzero(continuum.annotator_codes == k) for k in (0, 1))
    size = max(1, _AT_ONCE // len(second))
    for low in range(0, len(first), size):
        rows = first[low : low + size]
        pairs = np.repeat(rows, len(second)), np.tile(second, len(rows))
        cost = dissimilarity.pairwise(units[pairs[0]], units[pairs[1]])
        yield rows, np.asarray(cost, np.float64).reshape(len(rows), len(second))
