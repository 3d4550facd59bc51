"""The best alignment of a continuum: for people (`align`) and for random sets (`best_disorder`).

References
----------
Mathet, Widlöcher & Métivier (2015), §4.5: disorder of a unitary alignment and of an alignment.
"""

from typing import Any, NamedTuple, Unpack

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.candidates import build_problem, pair_count, position_ranks
from gammacp.alignment.limits import Limiting, Limits, Solving
from gammacp.alignment.presolve.presolve import Presolved, solve_presolved
from gammacp.alignment.problem import Status
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.alignment.ties import break_ties, in_order
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Codes
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, bind
from gammacp.dissimilarity.combined import Combined
from gammacp.needs import require
from gammacp.stopping import due


class BestDisorder(NamedTuple):
    """Disorder of the best alignment found; the optimum lies in [bound, disorder]."""

    disorder: float
    bound: float
    status: Status


class BestGroups(NamedTuple):
    """`BestDisorder` with its groups: rows of units, int32 (groups, annotators), −1 empty.

    `first`: ties are broken, see `Alignment`.
    """

    disorder: float
    bound: float
    status: Status
    groups: Codes
    first: bool = False


def align(
    continuum: Continuum,
    dissimilarity: Any = None,
    *,
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    cover: bool = False,
    tuning: Tuning = DEFAULT,
) -> Alignment:
    """The alignment of least disorder, with its proof.

    Parameters
    ----------
    dissimilarity
        Default `Combined()`: α = β = Δ = 1, sporadic, nominal. It is bound to the continuum
        unless it is bound already (to a corpus).
    method
        A name in SOLVERS: auto, enumeration, generation, crowd, bipartite, cpsat, milp, greedy,
        brute.
    gap
        Relative gap in [0, 1) that is good enough; 0 asks for a proof.
    time_limit
        Wall-clock seconds; then the best so far with its bound.
    seed
        For back-ends with random choices.
    cover
        Soft γ: each unit in at least one unitary alignment.
    tuning
        Sizes and numbers of passes; the alignment is the same with any, once it is proven.

    Raises
    ------
    DataError
        One annotator, or no unit.
    UsageError
        An unknown method, or a gap or time limit that cannot be meant.

    Notes
    -----
    Among alignments of equal disorder every exact back-end returns the same: fewest unitary
    alignments, then smallest Σ d_cat, then lexicographic order of the units (`ties`). Where that
    cannot be found out, in the time or because too many groups are in question, `Alignment.first`
    is false.
    2015, Fig. 10's units: 1.185185….
    """
    measured = bind(Combined() if dissimilarity is None else dissimilarity, continuum)
    found = best_groups(
        continuum,
        measured,
        ties=True,
        method=method,
        gap=gap,
        time_limit=time_limit,
        seed=seed,
        cover=cover,
        tuning=tuning,
    )
    return shown(continuum, measured, found, method, cover=cover)


def shown(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    found: BestGroups,
    method: str,
    *,
    cover: bool,
) -> Alignment:
    """The alignment of the groups that were found."""
    return Alignment(
        continuum=continuum,
        dissimilarity=dissimilarity,
        groups=in_order(position_ranks(continuum), found.groups),
        disorder=found.disorder,
        bound=found.bound,
        status=found.status,
        method=method,
        cover=cover,
        first=found.first,
    )


def best_disorder(
    continuum: Continuum, dissimilarity: BoundDissimilarity, **solving: Unpack[Solving]
) -> BestDisorder:
    """Disorder of the best alignment, without the alignment's objects and without tie-breaking.

    Parameters
    ----------
    continuum, dissimilarity
        The dissimilarity is bound (`gammacp.dissimilarity.bind`), so that random continua are
        measured with the observed continuum's normalisers.
    solving
        The other keywords of `align`.
    """
    return BestDisorder(*best_groups(continuum, dissimilarity, **solving)[:3])


def best_groups(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    *,
    ties: bool = False,
    method: str = "auto",
    cover: bool = False,
    **limited: Unpack[Limiting],
) -> BestGroups:
    """`best_disorder` with the groups.

    With `ties` they are those that `align` returns, for whatever depends on which of several best
    alignments is taken (γ_cat, γ_k); the disorder is the same to the bit either way.

    Parameters
    ----------
    continuum, dissimilarity, method, cover, limited
        As for `best_disorder`.
    """
    solver, limits = SOLVERS[method], Limits(**limited)
    deadline = limits.deadline()
    require(continuum, fragments=True)
    if solver.presolved:
        found = solve_presolved(continuum, dissimilarity, solver.solve, limits, cover=cover)
    else:
        problem = build_problem(
            continuum, dissimilarity, cover=cover, prune=solver.pruned, tuning=limits.tuning
        )
        found = Presolved(solver.solve(problem, limits), problem)
    chosen = solved = found.solution
    if ties and solver.exact and not due(deadline):
        chosen = break_ties(continuum, dissimilarity, found, limits.until(deadline))
    scale = disorder_scale(continuum)
    lowest = max(solved.bound, 0.0) * scale
    objective = solved.objective * scale
    return BestGroups(objective, lowest, solved.status, chosen.groups, chosen.first)


def disorder_scale(continuum: Continuum) -> float:
    """What Σ cost(G) is multiplied by to be the disorder: 1 / (C(n, 2)·x̄)."""
    return 1.0 / (pair_count(continuum.n_annotators) * continuum.mean_units)
