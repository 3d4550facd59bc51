"""Units that crowd on one spot: the relaxation in which positions do not matter.

All units of one annotator with one category are then interchangeable, so that the problem has a
few distinct units with multiplicities (`duplicates`). Its bound holds for the true problem, whose
costs are higher; its groups, the units of each category taken by position, are a good alignment
where everything is at one place, and a bad one elsewhere.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from gammacp.alignment.candidates import pair_count
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.duplicates import Merged, pack
from gammacp.alignment.problem import Problem, Solution, Status
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Codes
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, columns


def pooled(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    deadline: float,
    tuning: Tuning = DEFAULT,
) -> Solution | None:
    """What categories alone give: groups with their true cost, and a bound.

    None where that is not to be had: it needs a dissimilarity whose categorial part is a table
    that the positional one adds to. It may take a second more than there is.
    """
    merged = _merged(continuum, dissimilarity, tuning)
    if merged is None:
        return None
    at_least = max(deadline, time.monotonic() + tuning.pooling_seconds)
    # Whole solutions of the relaxation are not worth CP-SAT's time.
    packed = pack(merged, Limits(gap=0.999, tuning=tuning), at_least)
    if packed is None:
        return None
    groups = merged.groups(packed.certificate.columns, packed.times)
    bound = continuum.n_units * merged.problem.opening - packed.bound
    cost = _cost(groups, continuum, dissimilarity)
    return Solution(groups, cost, max(bound, 0.0), Status.FEASIBLE)


def one_spot(continuum: Continuum, tuning: Tuning) -> bool:
    """Whether all units are all but at the same place, without being there."""
    first, last = continuum.starts[[0, -1]]
    if abs(last - first) > tuning.spot * (continuum.ends[0] - first):
        return False  # As nearly always, at once.
    spread = float(np.ptp(continuum.starts) + np.ptp(continuum.ends))
    return 0.0 < spread <= tuning.spot * float(continuum.lengths.min())


def better(a: Solution, b: Solution) -> Solution:
    """The cheaper groups with the higher bound; a proof needs the true problem."""
    best = b if b.objective < a.objective else a
    bound = min(max(a.bound, b.bound), best.objective)
    return replace(best, bound=bound, status=Status.FEASIBLE, certificate=None)


def _merged(
    continuum: Continuum, dissimilarity: BoundDissimilarity, tuning: Tuning
) -> Merged | None:
    """One unit for each annotator and category; None if they are too many."""
    costs = getattr(dissimilarity, "category_costs", None)
    if costs is None:
        return None
    annotator, category = continuum.annotator_codes, continuum.category_codes
    order = np.lexsort((continuum.ends, continuum.starts, category, annotator))
    new = (np.diff(annotator[order]) != 0) | (np.diff(category[order]) != 0)
    runs = np.concatenate(([0], np.flatnonzero(new) + 1, [continuum.n_units])).astype(np.int64)
    if len(runs) > tuning.kinds:
        return None
    kinds = order[runs[:-1]]
    first, second = np.triu_indices(len(kinds), 1)
    different = annotator[kinds[first]] != annotator[kinds[second]]
    first, second = first[different].astype(np.int32), second[different].astype(np.int32)
    cost = costs[category[kinds[first]], category[kinds[second]]]
    finite = np.isfinite(cost)
    problem = Problem(
        annotator=annotator[kinds],
        n_annotators=continuum.n_annotators,
        first=first[finite],
        second=second[finite],
        weight=dissimilarity.delta - cost[finite],
        opening=dissimilarity.delta * pair_count(continuum.n_annotators),
        delta=dissimilarity.delta,
    )
    return Merged(problem, order, runs)


def _cost(groups: Codes, continuum: Continuum, dissimilarity: BoundDissimilarity) -> float:
    """Σ over groups and pairs of annotators of d, Δ where a unit is empty."""
    units, total = columns(continuum), 0.0
    n = continuum.n_annotators
    for i in range(n):
        for j in range(i + 1, n):
            both = (groups[:, i] >= 0) & (groups[:, j] >= 0)
            costs = dissimilarity.pairwise(units[groups[both, i]], units[groups[both, j]])
            total += float(np.sum(costs)) + dissimilarity.delta * int((~both).sum())
    return total
