"""The solver back-ends by name, behind one contract."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Protocol

from gammacp.alignment.problem import Problem, Solution
from gammacp.errors import UsageError
from gammacp.registry import Registry

_LEAST = 0.001


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When a solver may stop, and with what randomness.

    Attributes
    ----------
    gap
        Relative gap (objective − bound)/|objective| that is good enough; 0 asks for a proof.
    time_limit
        Wall-clock seconds; None for no limit.
    seed
        For solvers with random choices.
    """

    gap: float = 0.0
    time_limit: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """UsageError for what cannot be meant."""
        if not 0 <= self.gap < 1:
            raise UsageError(f"gap {self.gap!r} is not in [0, 1)")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"time limit {self.time_limit!r} is not a number of seconds > 0")

    def until(self, deadline: float) -> Limits:
        """These limits with the time that is left until then (of `time.monotonic`)."""
        if deadline == math.inf:
            return replace(self, time_limit=None)
        return replace(self, time_limit=max(deadline - time.monotonic(), _LEAST))


class Solve(Protocol):
    """A back-end: the best alignment it can find, with a bound."""

    def __call__(self, problem: Problem, limits: Limits) -> Solution:
        """Solution with status `optimal`, or `feasible` and a bound."""
        ...


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A registered back-end.

    `exact` back-ends prove optimality when they are given time; `pruned` ones expect candidate
    pairs without those that cannot be in an optimal alignment, the others all pairs. With
    `any_density`, crowded continua are merged or thinned before they come to it.
    """

    name: str
    summary: str
    solve: Solve
    exact: bool = True
    pruned: bool = True
    any_density: bool = False


SOLVERS: Registry[Solver] = Registry(
    "solver",
    modules=(
        "gammacp.alignment.auto",
        "gammacp.alignment.cpsat",
        "gammacp.alignment.milp",
        "gammacp.alignment.bipartite",
        "gammacp.alignment.greedy",
        "gammacp.alignment.brute",
    ),
)


def register(solver: Solver) -> Solver:
    """Add a back-end under its name."""
    return SOLVERS.register(solver.name, solver)


def solve(
    problem: Problem,
    *,
    method: str = "auto",
    time_limit: float | None = None,
    gap: float = 0.0,
    seed: int = 0,
) -> Solution:
    """The best partition of the units into groups, by the back-end of that name.

    Parameters
    ----------
    method
        A name in SOLVERS.
    time_limit
        Wall-clock seconds; None for no limit.
    gap
        Relative gap that is good enough; 0 asks for a proof.
    """
    limits = Limits(gap=gap, time_limit=time_limit, seed=seed)
    return SOLVERS[method].solve(problem, limits)
