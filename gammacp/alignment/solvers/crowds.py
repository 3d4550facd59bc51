"""Back-end `crowd`: annealing from above and a semidefinite relaxation from below.

Dozens of annotators who mark nearly the same spans have more groups that matter than can be
generated. Their alignments are annealed (`heuristics.annealing`) and their bound comes from prices
that no group beats (`duals.nested`); both are better all the time. Column generation has a head
start, and it goes on from there once the relaxation makes no more progress.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Generic, TypeVar

import numpy as np

from gammacp.alignment.columns import to_columns
from gammacp.alignment.duals.nested import Relaxed, relaxations
from gammacp.alignment.heuristics.annealing import annealed
from gammacp.alignment.heuristics.contraction import contracted
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Certificate, Problem, Solution, group_costs, solution
from gammacp.alignment.proof.unit_bound import unit_bound
from gammacp.alignment.reporting import tell
from gammacp.alignment.solvers.generation import (
    Generated,
    concluded,
    generate,
    rivals,
    solve_generation,
)
from gammacp.alignment.solvers.registry import registered
from gammacp.arrays import Codes, Floats
from gammacp.stopping import due

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Enclosed:
    """An alignment and prices that no group gains more than: what the optimum lies between.

    Attributes
    ----------
    groups
        The best alignment so far.
    objective
        What it costs.
    price
        Dual price of each unit, ≥ 0: Σ over any group is at least its gain.
    bound
        No alignment costs less.
    """

    groups: Codes
    objective: float
    price: Floats
    bound: float

    @property
    def gap(self) -> float:
        """What is left open, ≥ 0."""
        return max(self.objective - self.bound, 0.0)


@registered(
    "crowd",
    "annealing and a semidefinite bound, for dozens of annotators",
    exact=False,
    presolved=True,
)
def solve_crowd(problem: Problem, limits: Limits) -> Solution:
    """Generate for a while, then anneal and relax, then generate again.

    It ends when the gap is small enough, at the deadline, and without a time limit some
    time after nothing more comes of it.
    """
    from threadpoolctl import threadpool_limits

    began, deadline = time.monotonic(), limits.deadline()
    small = problem.n_annotators < limits.tuning.crowd
    if (
        problem.cover
        or problem.opening <= 0
        or (small and problem.n_units > limits.tuning.most_relaxed)
    ):
        return solve_generation(problem, limits)
    generated = _head_start(problem, limits, deadline)
    found = _enclosed(problem, generated)
    if generated.complete or due(deadline) or found.gap <= enough(problem, found.objective, limits):
        return concluded(problem, replace(generated, groups=found.groups), limits, deadline)
    # Two threads of BLAS take up to fourteen times the CPU seconds on a busy machine.
    with threadpool_limits(1, "blas"):
        found = enclose(problem, found, limits, deadline)
    if not due(deadline) and found.gap > enough(problem, found.objective, limits):
        known = _known(generated, found)
        generated = generate(
            problem, limits, deadline if small else _last(began, limits, deadline), known
        )
        if generated.complete:
            return concluded(problem, generated, limits, deadline)
        found = _enclosed(problem, generated)
    known = _known(generated, found)
    columns = rivals(problem, known, limits, deadline) or to_columns(problem, found.groups)
    certificate = Certificate(columns, found.price)
    return solution(problem, found.groups, found.bound, certificate)


def _known(generated: Generated, found: Enclosed) -> Generated:
    """What generation goes on from; its bound is what the prices prove, `unit_bound` has none."""
    most = float(found.price.sum())
    return Generated(generated.columns, found.price, found.groups, most, complete=False)


def _head_start(problem: Problem, limits: Limits, deadline: float) -> Generated:
    """Columns that are generated first; none but those of a start in a large crowd."""
    tuning = limits.tuning
    crowd = problem.n_annotators >= tuning.crowd
    if crowd and len(problem.first) >= tuning.searched_pairs:
        groups = improve(problem, None, deadline, tuning)
        price = np.full(problem.n_units, problem.opening)
        return Generated(
            to_columns(problem, groups), price, groups, float(price.sum()), complete=False
        )
    seconds = tuning.head_start if crowd else tuning.long_head_start
    most = np.inf if limits.time_limit is None else tuning.head_share * limits.time_limit
    return generate(problem, limits, min(time.monotonic() + min(seconds, most), deadline))


def _last(began: float, limits: Limits, deadline: float) -> float:
    """Until when columns are generated again: the time limit, or a share of all before."""
    now = time.monotonic()
    return deadline if limits.time_limit else now + limits.tuning.last_share * (now - began)


def _enclosed(problem: Problem, generated: Generated) -> Enclosed:
    both = generated.groups, contracted(problem, generated.groups)
    # The second, but for dissimilarities under which alike units differ.
    objective, groups = min(
        ((float(group_costs(problem, g).sum()), g) for g in both[::-1]), key=itemgetter(0)
    )
    bound = max(problem.n_units * problem.opening - generated.bound, unit_bound(problem))
    return Enclosed(groups, objective, generated.price, bound)


def enclose(problem: Problem, found: Enclosed, limits: Limits, deadline: float) -> Enclosed:
    """A better alignment and a better bound, in turn, until due or nothing more comes of it."""
    tuning = limits.tuning
    began = time.monotonic()
    above = _Turn(
        annealed(problem, found.groups, seed=limits.seed, deadline=deadline, tuning=tuning)
    )
    below = _Turn(relaxations(problem, found.objective, deadline, tuning))
    found = _raised(problem, found, below)
    progressed, open_gap = began, found.gap
    while not due(deadline) and found.gap > enough(problem, found.objective, limits):
        turn_above = above.seconds * (1 + above.idle) <= below.seconds or not below.alive
        if above.alive and turn_above:
            found = _lowered(problem, found, above)
        else:
            found = _raised(problem, found, below)
        tell(found.objective, found.bound)
        now = time.monotonic()
        if found.gap < (1 - tuning.progress) * open_gap or below.grown:
            progressed, open_gap, below.grown = now, found.gap, False
        stalled = now - progressed > 1 + tuning.patience_share * (now - began)
        if stalled or not (above.alive or below.alive):
            break
    return found


def enough(problem: Problem, objective: float, limits: Limits) -> float:
    """The gap that is small enough."""
    return max(limits.gap * abs(objective), problem.slack)


class _Turn(Generic[T]):
    """An iterator with the seconds it has taken, and how often in a row it brought nothing.

    `size` is how many units a relaxation holds, and `grown` that it holds more than before.

    Private to one call of the solver.
    """

    def __init__(self, steps: Iterator[T]) -> None:
        """Nothing taken yet."""
        self.seconds, self.idle, self.alive = 0.0, 0, True
        self.size, self.grown = 0, False
        self._steps = steps

    def take(self) -> T | None:
        """The next item; None once there is none."""
        began = time.monotonic()
        item = next(self._steps, None)
        self.seconds += time.monotonic() - began
        self.alive = item is not None
        return item


def _lowered(problem: Problem, found: Enclosed, turn: _Turn[Codes]) -> Enclosed:
    """With the alignment that annealing comes to next, if it costs less."""
    groups = turn.take()
    objective = np.inf if groups is None else float(group_costs(problem, groups).sum())
    turn.idle += 1
    if groups is None or objective >= found.objective - problem.tolerance:
        return found
    turn.idle = 0
    return replace(found, groups=groups, objective=objective)


def _raised(problem: Problem, found: Enclosed, turn: _Turn[Relaxed]) -> Enclosed:
    """With the prices that the relaxation comes to next, if they prove more."""
    relaxed = turn.take()
    if relaxed is None:
        return found
    turn.grown |= len(relaxed.units) > turn.size
    turn.size = len(relaxed.units)
    if relaxed.bound <= found.bound:
        return found
    # From shares of costs to prices of gains: a unit alone costs the opening and gains nothing.
    return replace(found, price=problem.opening - relaxed.price, bound=relaxed.bound)
