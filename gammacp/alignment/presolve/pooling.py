"""Units as if all were in one place: the relaxation in which positions do not matter.

With everything at one place, all units of one annotator with one category are identical and are
merged (`duplicates`). The bound of that problem holds for the true one, whose costs are higher; its
groups, the units of each category taken by position, are a good alignment where everything is at
one place, and a bad one elsewhere.
"""

from dataclasses import replace

import numpy as np

from gammacp.alignment.costs import costs_of
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.duplicates import merge_identical
from gammacp.alignment.presolve.packing import pack
from gammacp.alignment.problem import Proof, Solution, Status
from gammacp.base.stopping import clock
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity

# Pairs of annotator and category; above, their groups are too many to list.
_KINDS = 200
# Seconds for the relaxation beyond the time limit; without it there is no bound.
_SECONDS = 1.0


def solve_pooled(
    continuum: Continuum, dissimilarity: BoundDissimilarity, deadline: float
) -> Solution | None:
    """Solve for categories alone: groups with their true cost, and a bound.

    None where that is not to be had: it needs a dissimilarity whose categorial part is a table
    that the positional one adds to. It may take a second more than there is.
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
    # Whole solutions of the relaxation are not worth CP-SAT's time.
    packed = pack(few, Limits(gap=0.999), at_least)
    if packed is None:
        return None
    groups = few.groups(packed.certificate.columns, packed.times)
    bound = continuum.n_units * few.problem.opening - packed.bound
    cost = float(costs_of(continuum, groups, dissimilarity).sum())
    proof = Proof(few.prices_of_units(packed.certificate.price), pooled=True)
    return Solution(groups, cost, max(bound, 0.0), Status.FEASIBLE, proof=proof)


def better(a: Solution, b: Solution) -> Solution:
    """Return the cheaper groups with the higher bound; a proof needs the true problem."""
    if b.objective < a.objective:
        best = b
    else:
        best = a
    bound = min(max(a.bound, b.bound), best.objective)
    if b.bound > a.bound:
        proof = b.proof
    else:
        proof = a.proof
    return replace(best, bound=bound, status=Status.FEASIBLE, certificate=None, proof=proof)
