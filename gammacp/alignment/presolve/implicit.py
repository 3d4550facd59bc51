"""Alignment of two annotators with too many pairs to list, by column generation.

An assignment over a few close pairs gives an alignment and a price for each unit. A pair that is
not listed can improve the alignment only if it gains more than the prices of its two units. Such
pairs are added and the assignment is solved again, until there are none; the prices then prove that
the alignment is the best one. Costs are computed in blocks of units, so that never all pairs are
listed.

Every best alignment consists of *tight* pairs, which gain exactly the prices of their units. They
are found in the last round, and ties are broken among them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gammacp.alignment.candidates import MOST_PAIRS
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Proof, Solution, TieCandidates, solution
from gammacp.alignment.solvers.registry import Solve
from gammacp.base.arrays import Codes, Floats, Indices
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


class WeightedPairs(NamedTuple):
    """Pairs of units with their weights."""

    first: Codes
    second: Codes
    weight: Floats

    @classmethod
    def joined(cls, parts: list["WeightedPairs"]) -> "WeightedPairs":
        """Concatenate several lists of pairs."""
        first, second, weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return cls(first, second, weight)


def solve_implicit(
    problem: Problem,
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    deadline: float,
) -> tuple[Solution, Problem | None]:
    """Return the best alignment over all pairs, or the best by the deadline with its bound.

    If the alignment is proven, the problem of all tight pairs is returned with it, and these pairs
    are the solution's tie candidates. Otherwise, or if they are more than
    `MOST_PAIRS`, the problem is None.

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
            return best or replace(solved, bound=highest), None
        price = solved.proof.price.copy()
        listed: list[WeightedPairs] = []
        tight: list[WeightedPairs] = []
        blocks = stored_blocks or _costs(continuum, dissimilarity)
        new_blocks: list[tuple[Indices, Floats]] = []
        few = np.prod(continuum.counts, dtype=np.int64) <= _KEPT
        second = int(np.searchsorted(continuum.annotator_codes, 1))
        for rows, cost in blocks:
            if due(deadline):  # Pairs not yet checked may gain more than the prices.
                return best or solution(problem, solved.groups, highest), None
            if few and stored_blocks is None:
                new_blocks.append((rows, cost))
            more = (problem.delta + problem.opening) - cost
            more -= solved.proof.price[second:]
            more -= solved.proof.price[rows, None]
            # Raise the price of each first unit by its largest excess: the prices are then valid.
            excess = np.maximum(more.max(axis=1), 0.0)
            price[rows] += excess
            paying = np.flatnonzero(excess > problem.tolerance)
            if len(paying):
                to_add = _most_paying(paying, more[paying], problem.tolerance)
                listed.append(_pairs_at(problem, to_add, rows, second, cost))
            elif not listed and sum(len(part.first) for part in tight) <= MOST_PAIRS:
                at = np.nonzero(more >= -problem.tolerance)
                tight.append(_pairs_at(problem, at, rows, second, cost))
        stored_blocks = new_blocks or stored_blocks
        bound = problem.n_units * problem.opening - float(price.sum())
        highest = max(highest, bound)
        best = solution(problem, solved.groups, highest, proof=Proof(price))
        if not listed:
            return _certified(problem, best, solved.proof.price, WeightedPairs.joined(tight))
        if due(deadline):
            return best, None
        so_far = WeightedPairs(problem.first, problem.second, problem.weight)
        every = WeightedPairs.joined([so_far, *listed])
        problem = replace(problem, first=every.first, second=every.second, weight=every.weight)


def _most_paying(paying: Indices, excess: Floats, tolerance: float) -> tuple[Indices, Indices]:
    """Return rows and columns of the pairs to add: of each paying row, those of largest excess."""
    n_added = min(_ADDED, excess.shape[1])
    at = np.argpartition(-excess, n_added - 1, axis=1)[:, :n_added]
    row, rank = np.nonzero(np.take_along_axis(excess, at, axis=1) > tolerance)
    return paying[row], at[row, rank]


def _pairs_at(
    problem: Problem, at: tuple[Indices, ...], rows: Indices, second: int, cost: Floats
) -> WeightedPairs:
    """Return the pairs at these rows and columns of a block of costs."""
    row, column = at
    first = rows[row].astype(np.int32)
    return WeightedPairs(
        first, (column + second).astype(np.int32), problem.delta - cost[row, column]
    )


def _certified(
    problem: Problem, best: Solution, price: Floats, tight: WeightedPairs
) -> tuple[Solution, Problem | None]:
    """Return a proven solution with its tight pairs, as a problem and as tie candidates."""
    if len(tight.first) > MOST_PAIRS:
        return best, None
    members = np.column_stack((tight.first, tight.second)).ravel()
    begin = 2 * np.arange(len(tight.first) + 1, dtype=np.int64)
    columns = Columns(begin, members, tight.weight + problem.opening)
    problem = replace(problem, first=tight.first, second=tight.second, weight=tight.weight)
    return replace(best, tie_candidates=TieCandidates(columns, price)), problem


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
