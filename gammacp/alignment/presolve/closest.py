"""Alignment of dense continua whose candidate pairs do not fit into memory.

Only the closest pairs are aligned; the bound takes account of all others, so that it is valid. For
two annotators, the prices are checked against the other pairs too (`implicit`), which can prove the
alignment.
"""

import numpy as np

from gammacp.alignment.candidates import TooManyPairsError, build_problem
from gammacp.alignment.costs import pair_count
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.implicit import solve_implicit
from gammacp.alignment.presolve.pooling import combine_relaxed, solve_pooled
from gammacp.alignment.problem import Problem, Solution, Status, solution
from gammacp.alignment.proof.unit_bound import unit_bound
from gammacp.alignment.solvers.registry import Solve
from gammacp.base.stopping import GIGA, budget, due
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns

# Least distance, as a share of Δ, down to which the limit for listed pairs is cut.
_SMALLEST = 1e-12
# Number of sampled pairs from which the density is estimated (0.2 GB for a moment), and the factor
# by which the largest distance of kept pairs is cut while they are too many.
_SAMPLED = 2_000_000
_SHRINK = 0.25
# Steps for the problem of the closest pairs. More are of little use, as its own bound proves
# nothing about the true problem.
_STEPS = 60 * GIGA


def solve_closest(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    *,
    cover: bool,
    reuse: float,
    deadline: float,
    per_unit: int,
) -> tuple[Solution, Problem | None]:
    """Return the best alignment found, from the closest pairs or from categories alone.

    If it is proven and its ties can be broken, the problem with which to do so is returned too.
    """
    n = continuum.n_annotators
    delta = dissimilarity.delta
    alone = np.full((continuum.n_units, n), -1, np.int32)
    alone[np.arange(continuum.n_units), continuum.annotator_codes] = np.arange(continuum.n_units)
    cost = continuum.n_units * delta * pair_count(n)
    best = Solution(alone, cost, 0.0, Status.FEASIBLE)
    if cover:
        pooled = None
    else:
        pooled = solve_pooled(continuum, dissimilarity, deadline)
    if pooled is not None:
        best = combine_relaxed(best, pooled)
    closest = _closest(continuum, dissimilarity, cover, reuse, deadline, per_unit)
    if closest is None:
        return best, None
    problem, largest_cost = closest
    if n == 2 and not cover:
        over_all_pairs, tight = solve_implicit(
            problem, continuum, dissimilarity, solve, limits, deadline
        )
        if over_all_pairs.status is Status.OPTIMAL:
            return over_all_pairs, tight
        best = combine_relaxed(best, over_all_pairs)
    groups = improve(problem, None, deadline)
    best = combine_relaxed(
        best, solution(problem, groups, unit_bound(problem, unlisted_weight=delta - largest_cost))
    )
    if not due(deadline):
        with budget(_STEPS):
            solved = solve(problem, limits.until(deadline))
        # Its bound is not valid for the pairs that are left out.
        best = combine_relaxed(best, solution(problem, solved.groups, -np.inf))
    return best, None


def _closest(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    cover: bool,
    reuse: float,
    deadline: float,
    per_unit: int,
) -> tuple[Problem, float] | None:
    """Return a problem of the closest pairs, and the largest d among them; None without time."""
    n = continuum.n_annotators
    delta = dissimilarity.delta
    largest_cost = (n - 1 + pair_count(n)) * delta
    largest_cost = min(largest_cost, _expected_distance(continuum, dissimilarity, per_unit))
    while largest_cost > _SMALLEST * delta and not due(deadline):
        try:
            return build_problem(
                continuum,
                dissimilarity,
                cover=cover,
                reuse=reuse,
                most=largest_cost,
                most_pairs=per_unit * continuum.n_units,
                deadline=deadline,
            ), largest_cost
        except TooManyPairsError:
            largest_cost *= _SHRINK
    return None


def _expected_distance(
    continuum: Continuum, dissimilarity: BoundDissimilarity, per_unit: int
) -> float:
    """Estimate from a sample the distance within which about `per_unit` pairs per unit lie."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, continuum.n_units, (2, _SAMPLED))
    codes = continuum.annotator_codes
    different = codes[first] != codes[second]
    units = unit_columns(continuum)
    cost = dissimilarity.pairwise(units[first[different]], units[second[different]])
    kept_pairs = per_unit * continuum.n_units
    rank = int(0.7 * kept_pairs / (0.5 * float(continuum.n_units) ** 2) * _SAMPLED)
    if 0 < rank < len(cost):
        return float(np.partition(cost, rank)[rank])
    return np.inf
