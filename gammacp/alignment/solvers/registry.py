"""Registry of solvers, which share one contract."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Unpack

from gammacp.alignment.limits import Limiting, Limits
from gammacp.alignment.problem import Problem, Solution
from gammacp.registry import Registry


class Solve(Protocol):
    """A solver, which finds the best alignment that it can, with a bound."""

    def __call__(self, problem: Problem, limits: Limits) -> Solution:
        """Return a solution with status `optimal`, or `feasible` and a bound.

        Ends soon after `limits.time_limit` and after Ctrl-C (`gammacp.base.stopping`), with the
        best so far.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A registered solver.

    - `exact`: it proves optimality if it is given enough time (`auto` may end without a proof, as
      it hands crowds to a solver that is not exact).
    - `pruned`: it expects candidate pairs without those that cannot be in an optimal alignment;
      other solvers expect all pairs.
    - `presolved`: before it is called, identical units are merged and dense continua thinned out.
    - `constrained`: it keeps `Problem.rules`. Other solvers are refused if there are any.
    """

    name: str
    summary: str
    solve: Solve
    exact: bool = True
    pruned: bool = True
    presolved: bool = False
    constrained: bool = False


SOLVERS: Registry[Solver] = Registry("solver")


def register(solver: Solver) -> Solver:
    """Add a solver to the registry.

    Parameters
    ----------
    solver
        The solver; a UsageError is raised if its name is taken.
    """
    return SOLVERS.register(solver.name, solver)


def registered(name: str, summary: str, **facts: bool) -> Callable[[Solve], Solve]:
    """Register the decorated function as a solver; the function itself is not changed.

    Parameters
    ----------
    name, summary, facts
        The attributes of `Solver`.
    """

    def add(solve: Solve) -> Solve:
        register(Solver(name=name, summary=summary, solve=solve, **facts))
        return solve

    return add


def solve(problem: Problem, *, method: str = "auto", **limited: Unpack[Limiting]) -> Solution:
    """Return the best partition of the units into groups that the named solver finds.

    Parameters
    ----------
    problem
        Units, candidate pairs and the cost of opening a group.
    method
        A name in SOLVERS.
    limited
        `gap`, `time_limit`, `seed`, `tuning`: the fields of `Limits`.

    Raises
    ------
    UsageError
        An unknown method, a gap outside [0, 1) or a time limit that is not above 0.
    DataError
        There are too many groups for a solver that lists them all.
    """
    return SOLVERS[method].solve(problem, Limits(**limited))
