"""Find the best alignment that keeps constraints: first without rules on groups, then with them.

Any solver first finds the best alignment that keeps the constraints on pairs and the links. If it
happens to keep the rules on groups as well, it is the result, with its proof. Otherwise its bound
remains valid, and the problem is solved again with the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gammacp.alignment.candidates import TooManyPairsError
from gammacp.alignment.constraints.base import Constraint
from gammacp.alignment.constraints.rules import Built, Rules
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.presolve import Presolved
from gammacp.alignment.problem import Problem, Solution, Status
from gammacp.alignment.solvers.registry import Solver
from gammacp.alignment.ties import break_ties
from gammacp.base.stopping import due
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity
from gammacp.errors import UsageError


class Constrained(NamedTuple):
    """The solution found, and the first of all equally good ones as far as ties were broken."""

    solution: Solution
    chosen: Solution


def solve_constrained(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    solver: Solver,
    limits: Limits,
    constraints: Sequence[Constraint],
    *,
    cover: bool,
    ties: bool,
) -> Constrained:
    """Find the best alignment that keeps all constraints.

    Parameters
    ----------
    continuum, dissimilarity
        The text, and the dissimilarity bound to it.
    solver
        The solver; its own limits apply.
    limits
        Limits at which to stop.
    constraints
        At least one.
    cover
        Whether units may be in several groups.
    ties
        Whether to look for the first of several best alignments.

    Raises
    ------
    DataError
        A unit that a constraint names is not there, no alignment keeps all constraints, or the
        groups are too many to list.
    UsageError
        The solver, or a cover, cannot keep a constraint.
    """
    deadline = limits.deadline()
    rules = Rules.of(continuum, constraints)
    if cover:
        rules.check_cover()
    _check_solver(solver, rules)
    prune = solver.pruned and rules.hereditary
    try:
        built = rules.build(dissimilarity, prune=prune, cover=cover, deadline=deadline)
    except TooManyPairsError as error:
        raise error.within(f"with constraints ({rules.names})") from None
    problem = built.problem
    if not rules.hereditary:
        ruled = solver.solve(replace(problem, rules=rules), limits.until(deadline))
        return _with_true_costs(ruled, built)
    without_rules = solver.solve(problem, limits.until(deadline))
    chosen = without_rules
    if ties and solver.exact and not due(deadline):
        presolved = Presolved(without_rules, problem)
        chosen = break_ties(continuum, dissimilarity, presolved, limits.until(deadline))
    if rules.broken(without_rules.groups) is None:
        if rules.broken(chosen.groups) is not None:
            chosen = without_rules
        return _with_true_costs(without_rules, built, chosen)
    if not rules.beyond_pairs:
        raise AssertionError(f"{solver.name} returned a group that is none: {rules.names}")
    problem = replace(problem, rules=rules)
    ruled = solver.solve(problem, limits.until(deadline))
    if without_rules.bound > ruled.bound and ruled.status is not Status.OPTIMAL:
        ruled = _with_bound(problem, ruled, without_rules.bound)
    chosen = ruled
    if ties and not rules.excludes and not due(deadline):
        presolved = Presolved(ruled, problem)
        chosen = break_ties(continuum, dissimilarity, presolved, limits.until(deadline))
    return _with_true_costs(ruled, built._replace(unchanged=False), chosen)


def _with_bound(problem: Problem, solved: Solution, bound: float) -> Solution:
    """Return the solution with the bound of the problem without rules, which holds as well."""
    if bound >= solved.objective - problem.slack:
        return replace(solved, bound=solved.objective, status=Status.OPTIMAL)
    return replace(solved, bound=bound)


def _with_true_costs(solved: Solution, built: Built, chosen: Solution | None = None) -> Constrained:
    """Return the solution with its true costs, without the change by links.

    The proof is kept only if it is valid for the problem without constraints.
    """
    restored = replace(
        solved,
        objective=solved.objective + built.change,
        bound=solved.bound + built.change,
        tie_candidates=None,
        proof=solved.proof if chosen is not None and built.unchanged else None,
    )
    if chosen is None:
        return Constrained(restored, restored)
    return Constrained(restored, replace(restored, groups=chosen.groups, first=chosen.first))


def _check_solver(solver: Solver, rules: Rules) -> None:
    """Raise UsageError if a solver cannot keep constraints on more than pairs."""
    if rules.beyond_pairs and not solver.constrained:
        kinds = " and ".join(dict.fromkeys(e.kind for e in (*rules.on_groups, *rules.on_both)))
        raise UsageError(f"method {solver.name!r} cannot keep {kinds}; use 'auto'")
