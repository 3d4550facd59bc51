"""Pooling: the relaxation that ignores positions, as if all units were at one place.

All units of one annotator and category are then identical, and are merged (`duplicates`). The bound
of this problem is valid for the true problem, in which no pair costs less. Its solution says how
many units of each category form a group; units are taken by position. This gives a good alignment
if all units are almost at one place, and a bad one otherwise.
"""

from dataclasses import replace

import numpy as np

from gammacp.alignment.costs import costs_from_units
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.duplicates import merge_identical
from gammacp.alignment.presolve.merged_packing import pack_merged
from gammacp.alignment.problem import Proof, Solution, Status
from gammacp.base.stopping import clock
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity

# Largest number of combinations of annotator and category; with more, there are too many groups.
_KINDS = 200
# Seconds that the relaxation may take even after the time limit, so that there is always a bound.
_SECONDS = 1.0


def solve_pooled(
    continuum: Continuum, dissimilarity: BoundDissimilarity, deadline: float
) -> Solution | None:
    """Solve the relaxation that ignores positions; return groups with their true cost, and a bound.

    The dissimilarity must be the sum of a table of category costs and a positional part. Return
    None if it is not, or if there are too many groups. This may exceed the deadline by a second.
    """
    if dissimilarity.category_costs is None:
        return None
    annotator = continuum.annotator_codes
    category = continuum.category_codes
    order = np.lexsort((continuum.ends, continuum.starts, category, annotator))
    nowhere = np.zeros(continuum.n_units)
    flat = Continuum(
        continuum.annotators,
        continuum.categories,
        nowhere,
        nowhere + 1,
        annotator[order],
        category[order],
        bounds=(0.0, 1.0),
    )
    few = merge_identical(flat, dissimilarity, order, most=_KINDS)
    if few is None:
        return None
    at_least = max(deadline, clock() + _SECONDS)
    # A loose gap: exact integer solutions of the relaxation are not worth CP-SAT's time.
    packing = pack_merged(few, Limits(gap=0.999), at_least)
    if packing is None:
        return None
    groups = few.groups(packing.tie_candidates.columns, packing.times)
    bound = continuum.n_units * few.problem.opening - packing.gain_bound
    cost = float(costs_from_units(continuum, groups, dissimilarity).sum())
    proof = Proof(few.prices_of_units(packing.tie_candidates.price), pooled=True)
    return Solution(groups, cost, max(bound, 0.0), Status.FEASIBLE, proof=proof)


def combine_relaxed(a: Solution, b: Solution) -> Solution:
    """Combine two solutions: the cheaper groups with the higher bound.

    The status is `feasible`, since the bounds may be those of relaxations.
    """
    if b.objective < a.objective:
        best = b
    else:
        best = a
    bound = min(max(a.bound, b.bound), best.objective)
    if b.bound > a.bound:
        proof = b.proof
    else:
        proof = a.proof
    return replace(best, bound=bound, status=Status.FEASIBLE, tie_candidates=None, proof=proof)
