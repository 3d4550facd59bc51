"""Good alignments of many annotators by repeated simulated annealing."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import as_groups, group_of_units
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes
from gammacp.base.stopping import due, halting

# Initial temperatures of runs, as shares of the opening. Crowds of 209 annotators need the high
# ones, which open and close groups; those of 35 need the low ones.
HEATS = (0.1, 0.03, 0.01, 0.003)

# Moves per unit of the first runs; 500 units of 200 annotators take 0.4 s, and with 500 moves the
# best alignments are not met (209 × 493).
MOVES = 2000

# Final temperature of runs, as a share of the opening per annotator.
_COLD = 1e-3
# Number of groups allowed beyond twice the initial number; and largest number of entries in the
# table of units by groups (160 MB), above which there is no annealing.
_SPARE_GROUPS = 30
_TABLE = 20_000_000


def annealing_runs(
    problem: Problem,
    groups: Codes,
    *,
    seed: int = 0,
    deadline: float = np.inf,
) -> Iterator[Codes]:
    """Yield alignments from longer and longer runs, each at least as good as the one before.

    Each run starts from the best alignment so far, at one of several temperatures: low ones refine
    it, high ones open and close groups. The same seed gives the same alignments unless the deadline
    cuts a run short. Runs end at the deadline, or if the table of units by groups gets too large.
    """
    moves = MOVES
    run = 0
    while not due(deadline) and fits(problem, groups):
        for heat in HEATS:
            run += 1
            schedule = Schedule(heat, moves, (seed % 2**64, run))
            groups = anneal_once(problem, groups, schedule, deadline)
            yield groups
        moves *= 2


class Schedule(NamedTuple):
    """One run: initial temperature as a share of the opening, moves per unit, and seed."""

    heat: float
    moves: int
    seed: tuple[int, int]


def fits(problem: Problem, groups: Codes) -> bool:
    """Return whether the table of units by groups is small enough."""
    return _most_groups(problem, groups) * problem.n_units <= _TABLE


def _most_groups(problem: Problem, groups: Codes) -> int:
    return min(problem.n_units, 2 * len(groups) + _SPARE_GROUPS)


def anneal_once(problem: Problem, groups: Codes, schedule: Schedule, deadline: float) -> Codes:
    """Return the best alignment found in one run that starts from `groups`, perhaps that itself."""
    from gammacp.alignment.kernels.annealing import anneal

    n = problem.n_units
    pairs = len(problem.graph.weight)
    row = np.repeat(np.arange(n), np.diff(problem.graph.start))
    by_weight = np.lexsort((-problem.graph.weight, row)).astype(np.int64)
    counts = np.bincount(problem.annotator, minlength=problem.n_annotators).astype(np.int64)
    complete = pairs == n * n - int((counts**2).sum())
    if complete:
        missing = 0.0
    else:
        missing = 4.0 * (problem.scale + problem.n_annotators * problem.delta)
    # In a long continuum most groups are out of reach.
    near = max(0.5, 0.97 - 0.47 * pairs / max(n * n, 1))
    group_of, _ = halting(
        lambda meter: anneal(
            problem.graph,
            by_weight,
            near,
            problem.opening,
            problem.scale,
            missing,
            group_of_units(groups, n),
            _most_groups(problem, groups),
            schedule.moves * n,
            schedule.heat * problem.scale,
            _COLD * problem.scale / problem.n_annotators,
            np.random.default_rng(schedule.seed),
            meter,
        ),
        deadline,
    )
    return as_groups(problem, group_of)
