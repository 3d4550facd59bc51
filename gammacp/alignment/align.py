"""The best alignment of a continuum: for people (`align`) and for random sets (`best_disorder`).

References
----------
Mathet, Widlöcher & Métivier (2015), §4.5: disorder of a unitary alignment and of an alignment.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.candidates import build_problem, pair_count, position_ranks
from gammacp.alignment.canonical import canonical, in_order
from gammacp.alignment.dense import solve_continuum
from gammacp.alignment.problem import Problem, Solution, Status
from gammacp.alignment.solvers import SOLVERS, Limits
from gammacp.alignment.stopping import due
from gammacp.arrays import Codes, Floats
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, bind, columns
from gammacp.dissimilarity.combined import Combined
from gammacp.needs import require


class BestDisorder(NamedTuple):
    """Disorder of the best alignment found; the optimum lies in [bound, disorder]."""

    disorder: float
    bound: float
    status: Status


class BestGroups(NamedTuple):
    """`BestDisorder` with its groups: rows of units, int32 (groups, annotators), −1 empty."""

    disorder: float
    bound: float
    status: Status
    groups: Codes


def align(
    continuum: Continuum,
    dissimilarity: Any = None,
    *,
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    cover: bool = False,
) -> Alignment:
    """The alignment of least disorder, with its proof.

    Parameters
    ----------
    dissimilarity
        Default `Combined()`: α = β = Δ = 1, sporadic, nominal. It is bound to the continuum
        unless it is bound already (to a corpus).
    method
        A name in SOLVERS: auto, cpsat, milp, bipartite, greedy, brute.
    gap
        Relative gap that is good enough; 0 asks for a proof.
    time_limit
        Wall-clock seconds; then the best so far with its bound.
    cover
        Soft γ: each unit in at least one unitary alignment.

    Raises
    ------
    DataError
        One annotator, or no unit.

    Notes
    -----
    Among alignments of equal disorder every exact back-end returns the same: fewest unitary
    alignments, then smallest Σ d_cat, then lexicographic order of the units (`canonical`), as far
    as the time limit leaves time for it.
    2015, Fig. 10's units: 1.185185….
    """
    bound = bind(Combined() if dissimilarity is None else dissimilarity, continuum)
    limits = Limits(gap=gap, time_limit=time_limit, seed=seed)
    deadline = time.monotonic() + (limits.time_limit or np.inf)
    problem, found = _solved(continuum, bound, method, limits, cover)
    if SOLVERS[method].exact and problem is not None and not due(deadline):
        second = _category_costs(continuum, bound, problem)
        found = canonical(problem, found, second, limits.until(deadline))
    scale = 1.0 / (pair_count(continuum.n_annotators) * continuum.mean_units)
    return Alignment(
        continuum=continuum,
        dissimilarity=bound,
        groups=in_order(position_ranks(continuum), found.groups),
        disorder=found.objective * scale,
        bound=max(found.bound, 0.0) * scale,
        status=found.status,
        method=method,
        cover=cover,
    )


def best_disorder(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    *,
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    cover: bool = False,
) -> BestDisorder:
    """Disorder of the best alignment, without the alignment's objects and without tie-breaking.

    `dissimilarity` is bound (`gammacp.dissimilarity.bind`), so that random continua are measured
    with the observed continuum's normalisers.
    """
    return BestDisorder(
        *best_groups(
            continuum,
            dissimilarity,
            method=method,
            gap=gap,
            time_limit=time_limit,
            seed=seed,
            cover=cover,
        )[:3]
    )


def best_groups(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    *,
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    cover: bool = False,
) -> BestGroups:
    """`best_disorder` with the groups."""
    limits = Limits(gap=gap, time_limit=time_limit, seed=seed)
    _, found = _solved(continuum, dissimilarity, method, limits, cover)
    scale = 1.0 / (pair_count(continuum.n_annotators) * continuum.mean_units)
    lowest = max(found.bound, 0.0) * scale
    return BestGroups(found.objective * scale, lowest, found.status, found.groups)


def _category_costs(
    continuum: Continuum, dissimilarity: BoundDissimilarity, problem: Problem
) -> Floats:
    """d_cat of each candidate pair, for breaking ties; 0 where a dissimilarity has no parts."""
    part = getattr(dissimilarity, "categorial_part", None)
    if part is None:
        return np.zeros(len(problem.first))
    units = columns(continuum)
    return np.asarray(part(units[problem.first], units[problem.second]), np.float64)


def _solved(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    method: str,
    limits: Limits,
    cover: bool,
) -> tuple[Problem | None, Solution]:
    solver = SOLVERS[method]
    if solver.any_density:
        require(continuum)
        return solve_continuum(continuum, dissimilarity, solver.solve, limits, cover=cover)
    problem = build_problem(continuum, dissimilarity, cover=cover, prune=solver.pruned)
    return problem, solver.solve(problem, limits)
