"""Solver `crowd`: heuristics from above and a relaxation from below, for many annotators.

With dozens of annotators who mark nearly the same spans, there are too many groups to generate all
that matter. Annealing (`heuristics.annealing`) improves the alignment, and a semidefinite
relaxation (`duals.nested`) improves the bound, in turns. Column generation runs first for a limited
time. It continues once the relaxation makes no more progress; in a large crowd, only if the gap is
small by then. For thousands of units by fewer annotators, recombination (`heuristics.local_search`)
and proximal steps (`duals.proximal`) take the place of annealing and the relaxation.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.alignment.columns import to_columns
from gammacp.alignment.duals.nested import relaxations
from gammacp.alignment.duals.proximal import proximal_steps
from gammacp.alignment.duals.semidefinite import Semidefinite
from gammacp.alignment.heuristics.annealing import annealing_runs
from gammacp.alignment.heuristics.local_search import Recombination, improve, recombinations, resize
from gammacp.alignment.limits import Limits, Stage
from gammacp.alignment.problem import Problem, Solution, group_costs
from gammacp.alignment.reporting import report_bounds
from gammacp.alignment.solvers.generation import (
    SEARCHED_PAIRS,
    Generated,
    Generation,
    conclude,
    generate,
    solve_generation,
)
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Floats
from gammacp.base.stopping import GIGA, budget, clock, current_work, due

# Largest share of a time limit for the initial column generation.
_HEAD_SHARE = 0.2
# The relaxation ends after a share `_PATIENCE` of the work so far without progress (a share
# `_PROGRESS` of the gap). Column generation of a crowd without a time limit then continues for a
# share `_LAST_SHARE` of that work. It does not continue if a large crowd's gap exceeds `_FAR`, or
# if the bound of the initial column generation was below 0 by more than `_HOPELESS` times the cost.
# Experience: at gaps of .08 to .15 % it proved the alignment within a second (28 × 8, 40 × 4); with
# 28 × 8 (bound at most 2 times below) it reduced the gap of 9.8 % after poor annealing to .3 %. It
# was of no use at .3 % (60 × 10), 9 % (200 × 5) and 36 % (comment by 356 people, bound 257 times
# below).
_PATIENCE = 0.3
_PROGRESS = 0.02
_LAST_SHARE = 0.5
_FAR = 0.01
_HOPELESS = 20


@dataclass(frozen=True)
class Crowds(Stage):
    """Effort of the first stages of the solver `crowd`.

    Attributes
    ----------
    first
        Steps of the initial column generation for a crowd.
    first_of_few
        Steps of the initial column generation for fewer annotators (20 × 30 random units take 5 to
        11 s). Heuristics and relaxation then get as many steps as that took: column generation
        reaches a proof before the relaxation comes near it (27 × 20 random).
    patience
        Number of steps without progress, in addition to a share of all steps, after which the
        relaxation ends.
    """

    first: float = GIGA // 2
    first_of_few: float = 20 * GIGA
    patience: float = GIGA


@registered(
    "crowd",
    "annealing and a semidefinite bound, for dozens of annotators",
    exact=False,
    presolved=True,
)
def solve_crowd(problem: Problem, limits: Limits) -> Solution:
    """Generate columns for a while, then improve alignment and bound, then generate again.

    The search ends when the gap is small enough, or at the deadline. Without a deadline, it ends
    for a crowd some time after progress stops, and for fewer annotators when column generation is
    finished.
    """
    from threadpoolctl import threadpool_limits

    work = current_work()
    deadline = limits.deadline()
    began = work.steps
    small = problem.n_annotators < limits.of(Generation).crowd
    if problem.cover or problem.opening <= 0:
        return solve_generation(problem, limits)
    generated = _head_start(problem, limits, deadline)
    total = problem.n_units * problem.opening
    hopeless = generated.gain_bound - total > _HOPELESS * (total - generated.gain)
    if not _is_over(problem, generated, limits, deadline):
        if small and not _long(problem, limits):
            steps = work.steps - began
        else:
            steps = None
        # Two threads of BLAS take up to fourteen times the CPU seconds on a busy machine.
        with threadpool_limits(1, "blas"), budget(steps):
            generated = improve_in_turns(problem, generated, limits, deadline)
        if not _is_over(problem, generated, limits, deadline):
            generation_steps = limits.of(Generation).proof
            if not small and not limits.time_limit:
                large = len(problem.first) >= SEARCHED_PAIRS
                far = large and not generated.close(problem, replace(limits, gap=_FAR), 0.0)
                if hopeless or far:
                    return conclude(problem, generated, limits, deadline)
                generation_steps = _LAST_SHARE * (work.steps - began)
            with budget(limits.steps(generation_steps)):
                generated = generate(problem, limits, deadline, generated)
    return conclude(problem, generated, limits, deadline)


def _long(problem: Problem, limits: Limits) -> bool:
    """Return whether few annotators have too many units for a semidefinite matrix."""
    few = problem.n_annotators < limits.of(Generation).crowd
    return few and problem.n_units > limits.of(Semidefinite).largest


def _is_over(problem: Problem, generated: Generated, limits: Limits, deadline: float) -> bool:
    return generated.complete or due(deadline) or generated.close(problem, limits, problem.slack)


def _head_start(problem: Problem, limits: Limits, deadline: float) -> Generated:
    """Generate columns for a while; for a large crowd, return only a heuristic alignment."""
    crowd = problem.n_annotators >= limits.of(Generation).crowd
    tuning = limits.of(Crowds)
    until = deadline
    if limits.time_limit is not None:
        until = min(clock() + _HEAD_SHARE * limits.time_limit, deadline)
    if crowd and len(problem.first) >= SEARCHED_PAIRS:
        groups = resize(problem, improve(problem, None, deadline), until)
        columns = to_columns(problem, groups)
        price = np.full(problem.n_units, problem.opening)
        return Generated(columns, price, groups, float(columns.gain.sum()), float(price.sum()))
    with budget(tuning.first if crowd else tuning.first_of_few):
        return generate(problem, limits, until, trying=_long(problem, limits))


def _turns(
    problem: Problem,
    generated: Generated,
    limits: Limits,
    deadline: float,
    together: Callable[[], Floats | None],
) -> dict[str, Iterator[Any]]:
    """Return iterators of steps that improve the bound ("relax") and the alignment ("anneal").

    `together` returns the relaxation's current value for each pair of units, or None.
    """
    groups = generated.groups
    how: dict[str, Any] = {"seed": limits.seed, "deadline": deadline}
    if _long(problem, limits):
        tuning = limits.of(Recombination)
        return {
            "relax": proximal_steps(problem, groups, deadline),
            "anneal": recombinations(problem, groups, together=together, tuning=tuning, **how),
        }
    disorder = problem.n_units * problem.opening - generated.gain
    return {
        "relax": relaxations(problem, disorder, deadline, limits.of(Semidefinite)),
        "anneal": annealing_runs(problem, groups, **how),
    }


def improve_in_turns(
    problem: Problem, generated: Generated, limits: Limits, deadline: float
) -> Generated:
    """Improve the alignment and the bound in turns, until the deadline or progress stops.

    Turns and patience are counted in steps, so that the load of the machine has no influence.
    """
    work = current_work()
    noise = limits.of(Recombination)
    patience = limits.of(Crowds).patience
    began = work.steps
    total = problem.n_units * problem.opening
    # The relaxation starts. From then on, the one that has taken fewer steps is next, where the
    # steps of annealing count double, three times and so on after each run without success.
    long = _long(problem, limits)
    together: Floats | None = None
    turns = _turns(problem, generated, limits, deadline, lambda: together)
    n_inside = 0
    reached = -np.inf
    spent = dict.fromkeys(turns, 0)
    idle = 0
    progressed = began
    open_gap = np.inf
    while turns and not due(deadline) and not generated.close(problem, limits, problem.slack):
        if long:
            fruitless = idle // len(noise.noises)
        else:
            fruitless = idle
        anneals = spent["anneal"] * (1 + fruitless) <= spent["relax"] > 0
        if anneals and "anneal" in turns:
            turn = "anneal"
        else:
            turn = next(iter(turns))
        started = work.steps
        item = next(turns[turn], None)
        spent[turn] += work.steps - started
        if item is None:
            del turns[turn]
        elif turn == "relax":
            # Each larger relaxation starts below the bound so far: measure its progress anew.
            if item.n_inside > n_inside:
                n_inside = item.n_inside
                reached = -np.inf
                progressed = work.steps
                open_gap = np.inf
            reached = max(reached, item.bound)
            together = item.together
            # Convert shares of costs to prices: price = opening − share.
            if total - item.bound < generated.gain_bound:
                price = problem.opening - item.share
                generated = replace(
                    generated, price=price, gain_bound=total - item.bound, matrix=item.matrix
                )
        else:
            gain = total - float(group_costs(problem, item).sum())
            idle += 1
            if gain > generated.gain + problem.tolerance:
                generated = replace(generated, groups=item, gain=gain)
                idle = 0
        report_bounds(total - generated.gain, total - generated.gain_bound)
        now = work.steps
        gap = total - generated.gain - reached
        if gap < (1 - _PROGRESS) * open_gap:
            progressed = now
            open_gap = gap
        # A step of the relaxation may exceed the patience: always wait for the next one.
        waiting = turn == "anneal" and "relax" in turns
        if not waiting and now - progressed > patience + _PATIENCE * (now - began):
            break
    return generated
