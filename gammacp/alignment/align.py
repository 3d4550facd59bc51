"""The best alignment of a continuum: for people (`align`) and for random sets (`best_disorder`).

A solver works on a problem whose pairs have weights. The reported disorder is computed from the
units of the groups instead. Both numbers are compared for every alignment; if they differ, nothing
counts as proven.

References
----------
Mathet, Widlöcher & Métivier (2015), §4.5: disorder of a unitary alignment and of an alignment.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.candidates import build_problem, position_ranks
from gammacp.alignment.costs import alignment_cost, disorder_scale, tolerance_at
from gammacp.alignment.limits import Limiting, Limits, Solving, Tuning
from gammacp.alignment.presolve.presolve import Presolved, solve_presolved
from gammacp.alignment.problem import Effort, Proof, Solution, Status
from gammacp.alignment.reporting import disorder_unit
from gammacp.alignment.solvers.registry import SOLVERS, Solver
from gammacp.alignment.ties import break_ties, sort_groups
from gammacp.base.arguments import instance, number
from gammacp.base.arrays import Codes, Floats
from gammacp.base.stopping import counting, due
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require
from gammacp.dissimilarity.base import BoundDissimilarity, bind, to_unit
from gammacp.dissimilarity.combined import Combined
from gammacp.errors import UsageError

# A proof may leave open this share of the disorder. If it leaves more open, the problem is solved
# again with a smaller Δ, which must be smaller by at least a factor.
_LARGEST_OPEN_SHARE = 1e-6
_LEAST_REDUCTION = 16


class BestDisorder(NamedTuple):
    """Disorder of the best alignment found; the optimum lies in [bound, disorder]."""

    disorder: float
    bound: float
    status: Status


class BestGroups(NamedTuple):
    """`BestDisorder` with its groups: rows of units, int32 (groups, annotators), −1 empty.

    `first` tells whether ties were broken (see `Alignment`); the disorder is then that of an
    equally good alignment. `tolerance` is the cost difference below which alignments count as
    equal, 1e-8·Δ or less. `proof` proves the bound for costs in the unit of `to_unit`, at Δ or at
    the smaller Δ that the proof names.
    """

    disorder: float
    bound: float
    status: Status
    groups: Codes
    first: bool = False
    tolerance: float = 0.0
    proof: Proof | None = None
    effort: Effort | None = None


def align(
    continuum: Continuum,
    dissimilarity: Any = None,
    *,
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    cover: bool = False,
    constraints: Sequence[Any] = (),
    reuse: float = 0.0,
    tuning: Tuning = (),
) -> Alignment:
    """Return the alignment of least disorder, with its proof.

    Among alignments of equal disorder every exact solver returns the same: fewest unitary
    alignments, then smallest Σ d_cat, then lexicographic order of the units (`ties`). If the time
    or the number of groups does not allow to find it, `Alignment.first` is false.

    The units of Fig. 10 (Mathet et al. 2015) have a disorder of 1.185185….

    Parameters
    ----------
    dissimilarity
        Default `Combined()`: α = β = Δ = 1, sporadic, nominal. It is bound to the continuum
        unless it is bound already (to a corpus).
    method
        One of SOLVERS: auto, enumeration, generation, crowd, bipartite, cpsat, milp, greedy, brute.
    gap
        Relative gap in [0, 1) that is good enough; 0 asks for a proof.
    time_limit
        Wall-clock seconds after which the best alignment so far is returned, with its bound.
    seed
        For solvers with random choices.
    cover
        Soft γ: each unit in at least one unitary alignment.
    constraints
        Rules that the alignment must keep: `NonCrossing()`, `AtMost(3)`, `MustLink(u, v)`, … of
        `gammacp.alignment.constraints`.
    reuse
        Price of using a unit again in a cover, p in [0, 1]: each further time costs p·(n − 1)·Δ.
        0 is soft γ; with 1 no cover is better than the best partition.
    tuning
        Changes in the tuning of stages (docs/dev/alignment.md); a proven optimum stays the same.

    Raises
    ------
    DataError
        One annotator, or no unit; or no alignment keeps all constraints.
    UsageError
        A method is unknown or cannot keep a constraint, or a value is outside its range.
    """
    instance("continuum", continuum, Continuum, "a Continuum")
    measured = bind(Combined() if dissimilarity is None else dissimilarity, continuum)
    solution = best_groups(
        continuum,
        measured,
        ties=True,
        method=method,
        gap=gap,
        time_limit=time_limit,
        seed=seed,
        cover=cover,
        constraints=constraints,
        reuse=reuse,
        tuning=tuning,
    )
    return to_alignment(
        continuum, measured, solution, method, cover=cover, constraints=constraints, reuse=reuse
    )


def to_alignment(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    best: BestGroups,
    method: str,
    *,
    cover: bool,
    constraints: Sequence[Any] = (),
    reuse: float = 0.0,
) -> Alignment:
    """Return the groups that were found as an `Alignment`, with the disorder of its own units."""
    cost = alignment_cost(continuum, best.groups, dissimilarity, reuse)
    disorder = cost * disorder_scale(continuum.n_annotators, continuum.mean_units)
    return Alignment(
        continuum=continuum,
        dissimilarity=dissimilarity,
        groups=sort_groups(position_ranks(continuum), best.groups),
        disorder=disorder,
        bound=disorder if best.status is Status.OPTIMAL else min(best.bound, disorder),
        status=best.status,
        method=method,
        cover=cover,
        reuse=reuse,
        first=best.first,
        tolerance=best.tolerance,
        proof=best.proof,
        effort=best.effort,
        constraints=tuple(constraints or ()),
    )


def best_disorder(
    continuum: Continuum, dissimilarity: BoundDissimilarity, **solving: Unpack[Solving]
) -> BestDisorder:
    """Return the disorder of the best alignment, without making its objects or breaking ties.

    Parameters
    ----------
    continuum, dissimilarity
        The units, and a bound dissimilarity (`gammacp.dissimilarity.bind`): random continua are
        measured with the normalisers of the observed continuum.
    solving
        The other keywords of `align`.
    """
    best = best_groups(continuum, dissimilarity, **solving)
    return BestDisorder(best.disorder, best.bound, best.status)


def best_groups(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    *,
    ties: bool = False,
    method: str = "auto",
    cover: bool = False,
    constraints: Sequence[Any] = (),
    reuse: float = 0.0,
    **limited: Unpack[Limiting],
) -> BestGroups:
    """Return the groups of the best alignment with the result of `best_disorder`.

    With `ties` the groups are the ones that `align` returns. This is for measures that depend on
    which of several best alignments is taken (γ_cat, γ_k). The disorder is bit for bit the same
    either way.

    Parameters
    ----------
    continuum, dissimilarity, method, cover, constraints, reuse, limited
        As for `best_disorder`.
    """
    limits = Limits(**limited)
    check_reuse(reuse, cover=cover)
    require(continuum, fragments=True)
    request = _Request(SOLVERS[method], limits, ties, cover, reuse, _checked(constraints))
    with counting() as work:
        best = _best_groups(continuum, dissimilarity, request)
    if best.status is Status.OPTIMAL:
        facts = work.facts
    else:
        facts = {**work.facts, "proved_by": None}
    return best._replace(effort=Effort(work.steps, work.nodes, work.rounds, **facts))


class _Request(NamedTuple):
    """Request for the best alignment, with the solver that is to find it."""

    solver: Solver
    limits: Limits
    ties: bool
    cover: bool
    reuse: float
    constraints: Sequence[Any]


def _checked(constraints: Sequence[Any]) -> Sequence[Any]:
    """Return the constraints, or raise UsageError if one of them is not a constraint."""
    if constraints is None or (isinstance(constraints, Sequence) and not constraints):
        return ()
    # Imported here: most alignments have no constraints.
    from gammacp.alignment.constraints.base import checked

    return checked(constraints)


def _best_groups(
    continuum: Continuum, dissimilarity: BoundDissimilarity, request: _Request
) -> BestGroups:
    """Return the best groups, without the effort.

    If the proof is not precise enough, solve again at a smaller Δ.
    """
    deadline = request.limits.deadline()
    best: BestGroups | None = None
    delta: float | None = dissimilarity.delta
    while delta is not None:
        measured = to_unit(dissimilarity, delta)
        remaining = request.limits.until(deadline)
        cost_scale = delta / measured.delta
        scale = disorder_scale(continuum.n_annotators, continuum.mean_units)
        with disorder_unit(cost_scale * scale):
            solved, chosen = _solutions(continuum, measured, request, remaining)
        cost = alignment_cost(continuum, solved.groups, dissimilarity, request.reuse)
        solution = solved
        if chosen is not solved:
            solution = replace(solved, groups=chosen.groups, first=chosen.first)
        result = result_at_delta(continuum, solution, cost, delta, cost_scale)
        if best is None:
            best = result
        elif result.status is not Status.OPTIMAL:
            break
        elif result.proof is None:
            best = result._replace(proof=best.proof)
        else:
            best = result._replace(proof=result.proof._replace(delta=delta))
        delta = smaller_delta(continuum, result, delta)
    assert best is not None
    return best


def _solutions(
    continuum: Continuum, measured: BoundDissimilarity, request: _Request, limits: Limits
) -> tuple[Solution, Solution]:
    """Return the solver's solution and the one to report.

    They differ if ties are broken: the second is then the first of the equally good ones.
    """
    solver = request.solver
    if request.constraints:
        from gammacp.alignment.constraints.solving import solve_constrained

        rules = request.constraints
        if request.reuse:
            raise UsageError("constraints do not go with a price for reuse: leave one of them out")
        return solve_constrained(
            continuum, measured, solver, limits, rules, cover=request.cover, ties=request.ties
        )
    deadline = limits.deadline()
    if solver.presolved:
        presolved = solve_presolved(
            continuum, measured, solver.solve, limits, cover=request.cover, reuse=request.reuse
        )
    else:
        problem = build_problem(
            continuum, measured, cover=request.cover, reuse=request.reuse, prune=solver.pruned
        )
        presolved = Presolved(solver.solve(problem, limits), problem)
    if request.ties and solver.exact and not due(deadline):
        broken = break_ties(continuum, measured, presolved, limits.until(deadline))
        return presolved.solution, broken
    return presolved.solution, presolved.solution


def result_at_delta(
    continuum: Continuum, solved: Solution, cost: float, delta: float, cost_scale: float
) -> BestGroups:
    """Return a solution as the result that is reported, at this Δ.

    A cost of 1 in `solved` is one of `cost_scale` at this Δ. `cost` is what its groups cost when
    they are computed from the units. If this differs from the solver's objective, nothing is
    proven: a dissimilarity might return other numbers when it is called again.
    """
    scale = disorder_scale(continuum.n_annotators, continuum.mean_units)
    tolerance = tolerance_at(delta, continuum.n_annotators)
    disorder = cost * scale
    status = solved.status
    bound = min(max(solved.bound * cost_scale * scale, 0.0), disorder)
    if abs(solved.objective * cost_scale * scale - disorder) > tolerance:
        status = Status.FEASIBLE
        bound = 0.0
    if status is Status.OPTIMAL:
        bound = disorder
    groups = solved.groups
    first = solved.first
    proof = solved.proof
    return BestGroups(disorder, bound, status, groups, first, tolerance, proof)


def smaller_delta(continuum: Continuum, best: BestGroups, delta: float) -> float | None:
    """Return a smaller Δ with the same best alignments, or None if the proof is precise enough.

    An alignment without empty units that costs less than Δ' beats every alignment with an empty
    unit, at Δ' and at every larger Δ. So the best alignment is the same at Δ', where tolerances are
    finer. None is also returned if there is no such Δ'.
    """
    # The usual case, decided first: the proof is precise enough.
    if best.tolerance <= _LARGEST_OPEN_SHARE * best.disorder or (best.groups < 0).any():
        return None
    cost = best.disorder / disorder_scale(continuum.n_annotators, continuum.mean_units)
    smaller = float(smaller_deltas(best.disorder, cost, best.tolerance, delta))
    if math.isnan(smaller):
        return None
    return smaller


def smaller_deltas(
    disorder: Floats | float, cost: Floats | float, tolerance: float, delta: float
) -> Floats:
    """Return what `smaller_delta` does for alignments without empty units; NaN stands for None."""
    smaller = np.ldexp(1.0, 1 + np.frexp(cost)[1])
    wanted = (tolerance > _LARGEST_OPEN_SHARE * np.asarray(disorder)) & (np.asarray(disorder) > 0)
    # Below the smallest normal number floating-point costs lose digits.
    possible = (smaller * _LEAST_REDUCTION <= delta) & (smaller >= sys.float_info.min)
    return np.where(wanted & possible, smaller, math.nan)


def check_reuse(reuse: float, *, cover: bool) -> float:
    """Return `reuse` as a float; raise UsageError outside [0, 1], or above 0 without a cover."""
    if number("reuse", reuse, 0.0) > 1:
        raise UsageError(f"reuse {reuse} > 1: with 1 no unit is used again, as in γ")
    if reuse and not cover:
        raise UsageError("reuse is a price of covers (soft γ); an alignment uses each unit once")
    return float(reuse)
