"""Good alignments of many annotators: simulated annealing, heated again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gammacp.alignment.columns import group_of_units
from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.stopping import due, watched
from gammacp.arrays import Codes


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
    from gammacp.alignment.kernels.annealing import anneal

    n = problem.n_units
    most = min(n, 2 * len(groups) + tuning.spare_groups)
    if most * n > tuning.ties:
        return
    start, _, weight = problem.adjacency
    row = np.repeat(np.arange(n), np.diff(start))
    by_weight = np.lexsort((-weight, row)).astype(np.int64)
    counts = np.bincount(problem.annotator, minlength=problem.n_annotators).astype(np.int64)
    complete = len(weight) == n * n - int((counts**2).sum())
    missing = 0.0 if complete else 4.0 * (problem.opening + problem.n_annotators * problem.delta)
    group_of = group_of_units(groups, n)
    # In a long continuum most groups are out of reach.
    near = max(0.5, 0.97 - 0.47 * len(weight) / max(n * n, 1))
    moves, run = tuning.moves * n, 0
    while not due(deadline):
        for heat in tuning.heats:
            halted = np.zeros(1, np.bool_)
            run += 1
            group_of, _ = watched(
                lambda: anneal(
                    problem.annotator,
                    problem.n_annotators,
                    problem.adjacency,
                    by_weight,
                    near,
                    problem.opening,
                    missing,
                    group_of,  # noqa: B023
                    most,
                    moves,  # noqa: B023
                    heat * problem.opening,  # noqa: B023
                    tuning.cold * problem.opening / problem.n_annotators,
                    seed + run,  # noqa: B023
                    halted,  # noqa: B023
                ),
                lambda: halted.fill(True),  # noqa: B023
                deadline,
            )
            yield as_rows(problem, group_of)
        moves *= 2


def as_rows(problem: Problem, group_of: Codes) -> Codes:
    """Groups as rows of units, −1 where a unit is empty."""
    present, row = np.unique(group_of, return_inverse=True)
    groups = np.full((len(present), problem.n_annotators), -1, np.int32)
    groups[row, problem.annotator] = np.arange(problem.n_units)
    return groups
