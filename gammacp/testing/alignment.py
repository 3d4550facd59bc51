"""Check of a solver's contract; a failure names the problem and the solver's answer.

Part of `gammacp.testing`.
"""

import numpy as np

from gammacp.alignment.candidates import build_problem
from gammacp.alignment.limits import Limits, Tuning
from gammacp.alignment.problem import Problem, Solution, Status, group_costs
from gammacp.alignment.solvers.registry import SOLVERS, Solver
from gammacp.continuum import Continuum
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import UsageError

# Numbers of annotators and units of the problems: small enough to try every partition.
_SIZES = ((2, 11), (3, 11), (4, 10), (5, 9), (6, 8))
_COSTS = (Combined(), Combined(alpha=0.2, beta=3), Combined(positional="sporadic-2011", delta=4))


def check_solver(
    solver: Solver | str,
    *,
    cover: bool = False,
    problems: int = 15,
    seed: int = 0,
    tuning: Tuning = (),
) -> None:
    """Raise an AssertionError that names the first clause of the contract a solver breaks.

    The solver is tried on small random problems of 2 to 6 annotators, for which brute force tries
    every partition. Its groups must partition the units (or cover them, with `cover`), contain
    only candidate pairs, and have the reported cost. Its bound must not be above the optimum, and
    its objective not below; both must also hold with a gap. A result that it calls optimal must be
    optimal, and without limits an exact solver must prove it. Problems that the solver refuses with
    a UsageError are left out.

    Parameters
    ----------
    solver
        A `Solver`, or the name of a registered one.
    cover
        Whether units may be in several groups (soft γ).
    problems
        Number of problems.
    seed
        Seed of the problems.
    tuning
        Tuning that replaces the default one of its stage.

    Examples
    --------
    >>> check_solver("generation", problems=3)
    """
    if isinstance(solver, str):
        s = SOLVERS[solver]
    else:
        s = solver
    n_tried = 0
    for number in range(problems):
        continuum = _continuum(seed + number, *_SIZES[number % len(_SIZES)])
        bound = bind(_COSTS[number % len(_COSTS)], continuum)
        problem = build_problem(continuum, bound, cover=cover, prune=s.pruned)
        everything = build_problem(continuum, bound, cover=cover, prune=False)
        least = SOLVERS["brute"].solve(everything, Limits()).objective
        for gap in (0.0, 0.2):
            where = f"{problem.n_annotators} annotators, seed {seed + number}, gap {gap:g}"
            try:
                solution = s.solve(problem, Limits(gap=gap, tuning=tuning))
            except UsageError:
                continue
            n_tried += 1
            _check(f"{s.name} ({where})", problem, solution, least, proves=s.exact and not gap)
    if not n_tried:
        raise AssertionError(f"{s.name} was not tried: it refused every problem")


def _check(name: str, problem: Problem, solution: Solution, least: float, *, proves: bool) -> None:
    groups = solution.groups
    slack = problem.slack + 1e-9 * problem.scale
    units, counts = np.unique(groups[groups >= 0], return_counts=True)
    rows, annotators = np.nonzero(groups >= 0)
    numbers = f"objective {solution.objective:.10g}, bound {solution.bound:.10g}, {solution.status}"
    numbers += f"; the optimum is {least:.10g}"
    promises = {
        "leaves units out": np.array_equal(units, np.arange(problem.n_units)),
        "has units in several groups": problem.cover or bool((counts == 1).all()),
        "has units in other annotators' columns": np.array_equal(
            problem.annotator[groups[rows, annotators]], annotators
        ),
        "does not cost what it says": abs(group_costs(problem, groups).sum() - solution.objective)
        <= slack,
        "costs less than the optimum": solution.objective >= least - slack,
        "has a bound above the optimum": solution.bound <= least + slack,
        "is called optimal and is not": solution.status is not Status.OPTIMAL
        or solution.objective <= least + slack,
        "is not proven": not proves or solution.status is Status.OPTIMAL,
    }
    for clause, holds in promises.items():
        if not holds:
            raise AssertionError(f"{name} {clause}: {numbers}")


def _continuum(seed: int, n_annotators: int, n_units: int) -> Continuum:
    """Return a dense or sparse continuum with unlabelled units, points and duplicates."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, rng.integers(2, 60), n_units).astype(float)
    return Continuum.from_codes(
        tuple(f"A{i}" for i in range(n_annotators)),
        ("a", "b", "c"),
        starts,
        starts + np.append(rng.integers(0, 8, n_units - 1), 3),
        rng.integers(0, n_annotators, n_units, np.int32),
        rng.integers(-1, 3, n_units, np.int32),
    )
