"""Good alignments of many annotators by repeated simulated annealing."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import as_groups, group_of_units
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes
from gammacp.base.stopping import due, halting

# Initial temperatures of runs, as shares of the problem's scale. Crowds of 209 annotators need the
# high ones, which open and close groups; those of 35 need the low ones.
TEMPERATURES = (0.1, 0.03, 0.01, 0.003)
# Temperatures for an alignment that only a local search has improved, and for one that was rounded
# from a linear program.
FIRST_TEMPERATURES = (0.1, 0.03)
ROUNDED_TEMPERATURES = (0.01,)

# Moves per unit of the first runs: 500 units of 200 annotators take 0.4 s. With 500 moves, the best
# alignment of 209 annotators with 493 units is missed.
MOVES = 2000

# Final temperature of runs, as a share of the scale per annotator.
_FINAL_TEMPERATURE = 1e-3
# Number of groups allowed beyond twice the initial number; and largest number of entries in the
# table of units by groups (160 MB), above which there is no annealing.
_SPARE_GROUPS = 30
_LARGEST_TABLE = 20_000_000


class Schedule(NamedTuple):
    """Parameters of one run: initial temperature as a share of the scale, moves per unit, and seed.

    The seed is that of all runs, and the number of the run.
    """

    temperature: float
    moves: int
    seed: tuple[int, int]


def annealing_runs(
    problem: Problem,
    groups: Codes,
    *,
    seed: int = 0,
    deadline: float = np.inf,
) -> Iterator[Codes]:
    """Yield alignments, each at least as good as the one before.

    Each run starts from the best alignment so far, at one of several temperatures: low ones refine
    it, high ones open and close groups. After a run at each temperature, the runs get twice as
    long. The same seed gives the same alignments unless the deadline
    cuts a run short. Runs end at the deadline, or if the table of units by groups gets too large.
    """
    moves = MOVES
    run = 0
    while not due(deadline) and table_fits(problem, groups):
        for temperature in TEMPERATURES:
            run += 1
            schedule = Schedule(temperature, moves, (seed % 2**64, run))
            groups = anneal_once(problem, groups, schedule, deadline)
            yield groups
        moves *= 2


def table_fits(problem: Problem, groups: Codes) -> bool:
    """Return whether the table of units by groups is small enough."""
    return _most_groups(problem, groups) * problem.n_units <= _LARGEST_TABLE


def _most_groups(problem: Problem, groups: Codes) -> int:
    return min(problem.n_units, 2 * len(groups) + _SPARE_GROUPS)


def anneal_once(problem: Problem, groups: Codes, schedule: Schedule, deadline: float) -> Codes:
    """Return the best alignment found in one run from `groups`, or that one if none is better."""
    from gammacp.alignment.kernels.annealing import anneal

    n = problem.n_units
    n_directed_pairs = len(problem.graph.weight)
    unit_of_pair = np.repeat(np.arange(n), np.diff(problem.graph.start))
    by_weight = np.lexsort((-problem.graph.weight, unit_of_pair)).astype(np.int64)
    counts = np.bincount(problem.annotator, minlength=problem.n_annotators).astype(np.int64)
    # Are any two units of different annotators a pair?
    complete = n_directed_pairs == n * n - int((counts**2).sum())
    if complete:
        missing = 0.0
    else:
        # More than any move saves, so that no group keeps a pair that is not listed.
        missing = 4.0 * (problem.scale + problem.n_annotators * problem.delta)
    # Share of moves into a neighbour's group: in a long continuum, few units are neighbours and
    # most other groups are out of reach.
    near = max(0.5, 0.97 - 0.47 * n_directed_pairs / max(n * n, 1))
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
            schedule.temperature * problem.scale,
            _FINAL_TEMPERATURE * problem.scale / problem.n_annotators,
            np.random.default_rng(schedule.seed),
            meter,
        ),
        deadline,
    )
    return as_groups(problem, group_of)
