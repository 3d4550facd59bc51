"""Steps around the solver: merge identical units, and thin out problems that are too dense.

If distinct units are so dense that the candidate pairs would fill the memory, only the closest
pairs are kept (`closest`). The alignment is then a good one, and its bound takes account of the
pairs that were left out. If the solver does not prove its solution, the relaxation that ignores
positions (`pooling`) may give a better bound or alignment. If all units are almost at the same
place, this relaxation may prove the alignment.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gammacp.alignment.candidates import MOST_PAIRS, TooManyPairsError, build_problem
from gammacp.alignment.limits import Limits, Stage
from gammacp.alignment.presolve.duplicates import Merged, merge_identical
from gammacp.alignment.problem import Problem, Proof, Solution, Status, solution_from_objective
from gammacp.alignment.solvers.registry import Solve
from gammacp.base.stopping import GIGA, budget, note
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity

# Steps spent on the true problem before pooling, if all units are almost at the same place.
_SPOT_STEPS = 4 * GIGA // 10
# Spread of starts and ends, as a share of the shortest unit, below which positions hardly matter
# (d ≤ 2.5e-7), so that pooling may prove the alignment.
_SPOT = 1e-3


@dataclass(frozen=True)
class Presolve(Stage):
    """Thresholds for merging identical units and for thinning out dense problems.

    Attributes
    ----------
    merged
        Identical units are merged if that leaves less than this share of the units. For example,
        400 units at one place by 12 annotators become 12.
    pairs
        Number of candidate pairs that is always accepted. If there are more, only the closest are
        kept and `status` is `feasible`.
    pairs_per_unit
        Number of candidate pairs per unit and annotator that is accepted in longer continua. Those
        of constant density stay far below it.
    closest
        Number of pairs per unit that are kept if there are too many: several times the number of
        units that a unit can be aligned with.
    """

    merged: float = 0.5
    pairs: int = MOST_PAIRS
    pairs_per_unit: int = 50
    closest: int = 30


class Presolved(NamedTuple):
    """A solution and the problem that it solves, as needed to break ties.

    The problem is None if the solution is that of another problem (the closest pairs of more than
    two annotators, or pooled categories). `merged` is set if identical units were merged: it maps
    the problem's units to the units of the continuum.
    """

    solution: Solution
    problem: Problem | None
    merged: Merged | None = None


def solve_presolved(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solve: Solve,
    limits: Limits,
    *,
    cover: bool = False,
    reuse: float = 0.0,
) -> Presolved:
    """Find the best alignment at any density: build the problem, thin it out, solve it."""
    deadline = limits.deadline()
    if cover:
        presolved = None
    else:
        presolved = _solve_merged(continuum, dissimilarity, limits, deadline)
    if presolved is not None:
        return presolved
    try:
        problem = build_problem(
            continuum,
            dissimilarity,
            cover=cover,
            reuse=reuse,
            most_pairs=_bearable(continuum, limits.of(Presolve)),
            deadline=deadline,
        )
    except TooManyPairsError:
        # Imported here, like `pooling` below: most continua need neither.
        from gammacp.alignment.presolve.closest import solve_closest

        solved, tight_problem = solve_closest(
            continuum,
            dissimilarity,
            solve,
            limits,
            cover=cover,
            reuse=reuse,
            deadline=deadline,
            per_unit=limits.of(Presolve).closest,
        )
        return Presolved(solved, tight_problem)
    if not cover and one_spot(continuum):
        from gammacp.alignment.presolve.pooling import solve_pooled

        with budget(_SPOT_STEPS):
            solved = solve(problem, limits.until(deadline))
        if solved.status is Status.OPTIMAL:
            return Presolved(solved, problem)
        other = solve_pooled(continuum, dissimilarity, deadline)
        if other is not None and other.objective - other.bound <= problem.slack:
            note(prices_by="GLOP", proved_by="prices of pooled categories")
            return Presolved(replace(other, status=Status.OPTIMAL, bound=other.objective), None)
    solved = solve(problem, limits.until(deadline))
    if solved.status is not Status.OPTIMAL and not cover:
        from gammacp.alignment.presolve.pooling import combine_relaxed, solve_pooled

        other = solve_pooled(continuum, dissimilarity, deadline)
        if other is not None and (other.bound > solved.bound or other.objective < solved.objective):
            return Presolved(combine_relaxed(solved, other), None)
    return Presolved(solved, problem)


def one_spot(continuum: Continuum) -> bool:
    """Return whether all units are almost, but not exactly, at the same place."""
    first, last = continuum.starts[[0, -1]]
    if abs(last - first) > _SPOT * (continuum.ends[0] - first):
        return False  # A quick test that settles nearly all cases.
    spread = float(np.ptp(continuum.starts) + np.ptp(continuum.ends))
    return 0.0 < spread <= _SPOT * float(continuum.lengths.min())


def _bearable(continuum: Continuum, tuning: Presolve) -> int:
    """Return the largest number of candidate pairs with which the problem is solved exactly.

    All pairs of 2000 units by each of two annotators are accepted. For longer continua the number
    is many times what a sparse continuum of the same number of units has.
    """
    counts = continuum.counts
    all_pairs = (int(counts.sum()) ** 2 - int((counts**2).sum())) // 2
    if all_pairs <= tuning.pairs:
        return tuning.pairs
    return tuning.pairs_per_unit * len(counts) * continuum.n_units


def _solve_merged(
    continuum: Continuum, dissimilarity: BoundDissimilarity, limits: Limits, deadline: float
) -> Presolved | None:
    """Merge identical units and solve; None if merging does not pay or does not end in time."""
    tuning = limits.of(Presolve)
    few = merge_identical(
        continuum,
        dissimilarity,
        np.arange(continuum.n_units),
        most=np.nextafter(tuning.merged * continuum.n_units, 0),
        most_pairs=tuning.pairs,
        deadline=deadline,
    )
    if few is None:
        return None
    from gammacp.alignment.presolve.merged_packing import pack_merged

    packing = pack_merged(few, limits, deadline)
    if packing is None:
        return None
    note(prices_by="GLOP", proved_by="prices of merged units")
    problem = few.problem
    columns = packing.tie_candidates.columns
    objective = continuum.n_units * problem.opening - float(columns.gain @ packing.times)
    bound = max(continuum.n_units * problem.opening - packing.gain_bound, 0.0)
    slack = problem.slack * continuum.n_units / problem.n_units
    groups = few.groups(columns, packing.times)
    price = few.prices_of_units(packing.tie_candidates.price)
    unconfirmed_bound = continuum.n_units * problem.opening - packing.unconfirmed_gain_bound
    solved = solution_from_objective(
        groups, objective, bound, slack, packing.tie_candidates, Proof(price), unconfirmed_bound
    )
    return Presolved(solved, problem, few)
