"""Continua whose units crowd so much that the candidate pairs alone would fill the memory.

Identical units are merged (`duplicates`). Where distinct units crowd too, only the closest pairs
are kept, as many as memory should hold: the alignment is then a good one, and its bound allows for
every pair that was left out.
"""

from __future__ import annotations

import time

import numpy as np

from gammacp.alignment.bounds import unit_bound
from gammacp.alignment.candidates import MOST_PAIRS, TooManyPairsError, build_problem, pair_count
from gammacp.alignment.crowds import by_category
from gammacp.alignment.duplicates import distinct, rows_of, whole_groups
from gammacp.alignment.local_search import improve
from gammacp.alignment.problem import Problem, Solution, Status, solution
from gammacp.alignment.solvers import Limits, Solve
from gammacp.alignment.stopping import due
from gammacp.arrays import Codes, Indices
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, columns

_SHRINK = 0.25
_SMALLEST = 1e-12
_MINUTE = 60.0
# Pairs per unit that are kept of a crowd, and of how many its density is estimated.
_KEPT = 30
_SAMPLED = 2_000_000


def solve_continuum(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    *,
    cover: bool = False,
) -> tuple[Problem | None, Solution]:
    """The best alignment at any density, and its problem where it is a plain one."""
    deadline = time.monotonic() + (limits.time_limit or np.inf)
    runs = None if cover else distinct(continuum)
    if runs is not None:
        merged = _solve_merged(continuum, dissimilarity, solve, limits, runs, deadline)
        if merged is not None:
            return None, merged
    try:
        problem = build_problem(
            continuum,
            dissimilarity,
            cover=cover,
            most_pairs=_bearable(continuum),
            deadline=deadline,
        )
    except TooManyPairsError:
        return None, _solve_closest(continuum, dissimilarity, solve, limits, cover, deadline)
    found = solve(problem, limits.until(deadline))
    if found.status is not Status.OPTIMAL and not cover:
        pooled = _pooled(continuum, dissimilarity, deadline)
        if pooled is not None and (
            pooled.bound > found.bound or pooled.objective < found.objective
        ):
            found = _better(found, pooled)
    return problem, found


def _pooled(
    continuum: Continuum, dissimilarity: BoundDissimilarity, deadline: float
) -> Solution | None:
    """What categories alone give; it may take a second, or there would be nothing at all."""
    at_least = max(deadline, time.monotonic() + 1.0)
    pooled = by_category(continuum, dissimilarity, at_least)
    if pooled is None:
        return None
    groups, bound = pooled
    return Solution(groups, _cost(groups, continuum, dissimilarity), bound, Status.FEASIBLE)


def _bearable(continuum: Continuum) -> int:
    """Candidate pairs that can still be solved exactly.

    All pairs of two thousand units by each of two annotators, or what a sparse continuum of that
    many units has many times over.
    """
    counts = continuum.counts
    all_pairs = (int(counts.sum()) ** 2 - int((counts**2).sum())) // 2
    return MOST_PAIRS if all_pairs <= MOST_PAIRS else 50 * len(counts) * continuum.n_units


def _solve_merged(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    runs: Indices,
    deadline: float,
) -> Solution | None:
    try:
        problem = build_problem(rows_of(continuum, runs[:-1]), dissimilarity, deadline=deadline)
    except TooManyPairsError:
        return None
    whole = whole_groups(problem, runs, deadline)
    if whole is None:
        return None
    groups, left, gain = whole
    bound = continuum.n_units * problem.opening - gain
    objective = _cost(groups, continuum, dissimilarity)
    if len(left):
        rest = rows_of(continuum, left)
        found = solve(build_problem(rest, dissimilarity), limits.until(deadline))
        rows = np.append(left, -1).astype(np.int32)
        groups = np.concatenate((groups, rows[found.groups]))
        objective += found.objective
    proven = bound >= objective - problem.tolerance * continuum.n_units
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    return Solution(groups, objective, objective if proven else bound, status)


def _cost(groups: Codes, continuum: Continuum, dissimilarity: BoundDissimilarity) -> float:
    """Σ over groups and pairs of annotators of d, Δ where a unit is empty."""
    units, total = columns(continuum), 0.0
    n = continuum.n_annotators
    for i in range(n):
        for j in range(i + 1, n):
            both = (groups[:, i] >= 0) & (groups[:, j] >= 0)
            costs = dissimilarity.pairwise(units[groups[both, i]], units[groups[both, j]])
            total += float(np.sum(costs)) + dissimilarity.delta * int((~both).sum())
    return total


def _solve_closest(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    cover: bool,
    deadline: float,
) -> Solution:
    """The best alignment at hand: of the closest pairs, or by categories alone."""
    n, delta = continuum.n_annotators, dissimilarity.delta
    alone = np.full((continuum.n_units, n), -1, np.int32)
    alone[np.arange(continuum.n_units), continuum.annotator_codes] = np.arange(continuum.n_units)
    cost = continuum.n_units * delta * pair_count(n)
    best = Solution(alone, cost, 0.0, Status.FEASIBLE)
    pooled = None if cover else _pooled(continuum, dissimilarity, deadline)
    if pooled is not None:
        best = _better(best, pooled)
    found = _closest(continuum, dissimilarity, cover, deadline)
    if found is None:
        return best
    problem, most = found
    groups = improve(problem, None, deadline)
    best = _better(best, solution(problem, groups, unit_bound(problem, beyond=delta - most)))
    if not due(deadline):
        within_a_minute = min(deadline, time.monotonic() + _MINUTE)
        solved = solve(problem, limits.until(within_a_minute))
        # At most a minute: its bound knows nothing of the pairs that are left out.
        best = _better(best, solution(problem, solved.groups, -np.inf))
    return best


def _better(a: Solution, b: Solution) -> Solution:
    """The cheaper groups with the higher bound; a proof needs the true problem."""
    best = b if b.objective < a.objective else a
    bound = min(max(a.bound, b.bound), best.objective)
    return Solution(best.groups, best.objective, bound, Status.FEASIBLE)


def _closest(
    continuum: Continuum, dissimilarity: BoundDissimilarity, cover: bool, deadline: float
) -> tuple[Problem, float] | None:
    """A problem of the closest pairs alone, with the largest d among them; None without time."""
    n, delta = continuum.n_annotators, dissimilarity.delta
    most = min((n - 1 + pair_count(n)) * delta, _expected_reach(continuum, dissimilarity))
    while most > _SMALLEST * delta and not due(deadline):
        try:
            return build_problem(
                continuum,
                dissimilarity,
                cover=cover,
                most=most,
                most_pairs=_KEPT * continuum.n_units,
                deadline=deadline,
            ), most
        except TooManyPairsError:
            most *= _SHRINK
    return None


def _expected_reach(continuum: Continuum, dissimilarity: BoundDissimilarity) -> float:
    """A distance within which there are about as many pairs as are kept, from a sample of pairs."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, continuum.n_units, (2, _SAMPLED))
    codes = continuum.annotator_codes
    different = codes[first] != codes[second]
    units = columns(continuum)
    cost = dissimilarity.pairwise(units[first[different]], units[second[different]])
    share = 0.7 * _KEPT * continuum.n_units / (0.5 * float(continuum.n_units) ** 2)
    wanted = int(share * _SAMPLED)
    return float(np.partition(cost, wanted)[wanted]) if 0 < wanted < len(cost) else np.inf
