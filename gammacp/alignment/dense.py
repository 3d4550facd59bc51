"""Continua whose units crowd so much that the candidate pairs alone would fill the memory.

Identical units are merged (`duplicates`). Where distinct units crowd too, only the closest pairs
are kept, as many as memory should hold: the alignment is then a good one, and its bound allows for
every pair that was left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gammacp.alignment.bounds import unit_bound
from gammacp.alignment.candidates import MOST_PAIRS, TooManyPairsError, build_problem, pair_count
from gammacp.alignment.duplicates import distinct, rows_of, whole_groups
from gammacp.alignment.groups import Columns, as_groups
from gammacp.alignment.problem import Problem, Solution, Status, solution
from gammacp.alignment.solvers import Limits, Solve
from gammacp.arrays import Codes
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity

_SHRINK = 0.25
_SMALLEST = 1e-12
_MINUTE = 60.0


def solve_continuum(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    *,
    cover: bool = False,
) -> tuple[Problem | None, Solution]:
    """The best alignment at any density, and its problem where it is a plain one."""
    runs = None if cover else distinct(continuum)
    if runs is not None:
        merged = _solve_merged(continuum, dissimilarity, solve, limits, runs)
        if merged is not None:
            return None, merged
    try:
        problem = build_problem(
            continuum, dissimilarity, cover=cover, most_pairs=_bearable(continuum)
        )
    except TooManyPairsError:
        return None, _solve_closest(continuum, dissimilarity, solve, limits, cover)
    return problem, solve(problem, limits)


def _paired(problem: Problem) -> Codes:
    """Two annotators' units paired closest first: an assignment takes too long in a crowd."""
    from gammacp.alignment.greedy_kernels import take_disjoint

    members = np.column_stack((problem.first, problem.second)).ravel()
    begin = 2 * np.arange(len(problem.first) + 1, dtype=np.int64)
    columns = Columns(begin, members, problem.weight + problem.opening)
    order = np.argsort(-problem.weight, kind="stable").astype(np.int64)
    return as_groups(problem, columns, take_disjoint(problem.n_units, begin, members, order))


def _brief(limits: Limits) -> Limits:
    """At most a minute: a bound that allows for missing pairs does not become a proof."""
    return replace(limits, time_limit=min(limits.time_limit or _MINUTE, _MINUTE))


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
    runs: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Solution | None:
    try:
        problem = build_problem(rows_of(continuum, runs[:-1]), dissimilarity)
    except TooManyPairsError:
        return None
    whole = whole_groups(problem, runs)
    if whole is None:
        return None
    groups, left, gain = whole
    bound = continuum.n_units * problem.opening - gain
    objective = _cost(groups, continuum, dissimilarity)
    if len(left):
        rest = rows_of(continuum, left)
        found = solve(build_problem(rest, dissimilarity), limits)
        rows = np.append(left, -1).astype(np.int32)
        groups = np.concatenate((groups, rows[found.groups]))
        objective += found.objective
    proven = bound >= objective - problem.tolerance * continuum.n_units
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    return Solution(groups, objective, objective if proven else bound, status)


def _cost(groups: Codes, continuum: Continuum, dissimilarity: BoundDissimilarity) -> float:
    """Σ over groups and pairs of annotators of d, Δ where a unit is empty."""
    from gammacp.dissimilarity.base import columns

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
) -> Solution:
    n, delta = continuum.n_annotators, dissimilarity.delta
    most = (n - 1 + pair_count(n)) * delta
    while most > _SMALLEST * delta:
        most *= _SHRINK
        try:
            problem = build_problem(
                continuum, dissimilarity, cover=cover, most=most, most_pairs=30 * continuum.n_units
            )
        except TooManyPairsError:
            continue
        groups = _paired(problem) if n == 2 else solve(problem, _brief(limits)).groups
        return solution(problem, groups, unit_bound(problem, beyond=delta - most))
    alone = np.full((continuum.n_units, n), -1, np.int32)
    alone[np.arange(continuum.n_units), continuum.annotator_codes] = np.arange(continuum.n_units)
    cost = continuum.n_units * delta * pair_count(n)
    return Solution(alone, cost, 0.0, Status.FEASIBLE)
