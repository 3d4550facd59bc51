"""Good alignments of many annotators: simulated annealing, heated again and again."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import as_groups, group_of_units
from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Codes
from gammacp.stopping import due, halting


def annealed(
    problem: Problem,
    groups: Codes,
    *,
    seed: int = 0,
    deadline: float = np.inf,
    tuning: Tuning = DEFAULT,
) -> Iterator[Codes]:
    """Alignments, each at least as good as the one before; longer and longer runs, for ever.

    Each run starts at the best so far, and at one of several temperatures: low ones mend it, high
    ones open and close groups. The same seed gives the same alignments unless the deadline cuts a
    run short. Ends where there are too many units for its table.
    """
    moves, run = tuning.moves, 0
    while not due(deadline) and fits(problem, groups, tuning):
        for heat in tuning.heats:
            run += 1
            schedule = Schedule(heat, moves, (seed % 2**64, run))
            groups = cooled(problem, groups, schedule, deadline, tuning)
            yield groups
        moves *= 2


class Schedule(NamedTuple):
    """One run: temperature at first (of the opening), moves per unit, seed."""

    heat: float
    moves: int
    seed: tuple[int, int]


def fits(problem: Problem, groups: Codes, tuning: Tuning) -> bool:
    """Whether the table of units by groups is small enough."""
    return _most_groups(problem, groups, tuning) * problem.n_units <= tuning.table


def _most_groups(problem: Problem, groups: Codes, tuning: Tuning) -> int:
    return min(problem.n_units, 2 * len(groups) + tuning.spare_groups)


def cooled(
    problem: Problem, groups: Codes, schedule: Schedule, deadline: float, tuning: Tuning
) -> Codes:
    """The best alignment that one run from `groups` meets, which it may be itself."""
    from gammacp.alignment.kernels.annealing import anneal

    n, pairs = problem.n_units, len(problem.graph.weight)
    row = np.repeat(np.arange(n), np.diff(problem.graph.start))
    by_weight = np.lexsort((-problem.graph.weight, row)).astype(np.int64)
    counts = np.bincount(problem.annotator, minlength=problem.n_annotators).astype(np.int64)
    complete = pairs == n * n - int((counts**2).sum())
    missing = 0.0 if complete else 4.0 * (problem.scale + problem.n_annotators * problem.delta)
    # In a long continuum most groups are out of reach.
    near = max(0.5, 0.97 - 0.47 * pairs / max(n * n, 1))
    group_of, _ = halting(
        lambda halted: anneal(
            problem.graph,
            by_weight,
            near,
            problem.opening,
            problem.scale,
            missing,
            group_of_units(groups, n),
            _most_groups(problem, groups, tuning),
            schedule.moves * n,
            schedule.heat * problem.scale,
            tuning.cold * problem.scale / problem.n_annotators,
            np.random.default_rng(schedule.seed),
            halted,
        ),
        deadline,
    )
    return as_groups(problem, group_of)
