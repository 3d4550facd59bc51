"""Units as if all were in one place: the relaxation in which positions do not matter.

With everything at one place, all units of one annotator with one category are identical and are
merged (`duplicates`). The bound of that problem holds for the true one, whose costs are higher; its
groups, the units of each category taken by position, are a good alignment where everything is at
one place, and a bad one elsewhere.
"""

from dataclasses import replace

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.duplicates import merge_identical, pack
from gammacp.alignment.problem import Solution, Status
from gammacp.base.arrays import Codes, Floats
from gammacp.base.stopping import clock
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns

# Pairs of annotator and category; above, their groups are too many to list.
_KINDS = 200
# For the relaxation beyond the time limit; without it there is no bound.
_SECONDS = 1.0
# Of the shortest unit: spread of starts and ends below which positions hardly matter, so that
# pooled units may be proof enough (d ≤ 2.5e-7).
_SPOT = 1e-3


def solve_pooled(
    continuum: Continuum, dissimilarity: BoundDissimilarity, deadline: float
) -> Solution | None:
    """What categories alone give: groups with their true cost, and a bound.

    None where that is not to be had: it needs a dissimilarity whose categorial part is a table
    that the positional one adds to. It may take a second more than there is.
    """
    if dissimilarity.category_costs is None:
        return None
    annotator, category = continuum.annotator_codes, continuum.category_codes
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
    return Solution(groups, cost, max(bound, 0.0), Status.FEASIBLE)


def costs_of(continuum: Continuum, groups: Codes, dissimilarity: BoundDissimilarity) -> Floats:
    """What each group costs, straight from its units: C(n, 2) times its disorder."""
    from gammacp.alignment.kernels.pairs import Costs, UnitArrays, costs_inside

    formula, factor = dissimilarity.formula
    table, delta = dissimilarity.category_costs, dissimilarity.delta
    if formula >= 0 and table is not None and continuum.inside is None:
        places = continuum.starts, continuum.ends, continuum.category_codes
        units = UnitArrays(*places, continuum.annotator_codes)
        return costs_inside(groups, units, Costs(formula, float(factor), table), float(delta))
    i, j = np.triu_indices(groups.shape[1], 1)
    group, pair = np.nonzero((groups[:, i] >= 0) & (groups[:, j] >= 0))
    columns = unit_columns(continuum)
    first, second = columns[groups[group, i[pair]]], columns[groups[group, j[pair]]]
    inside = np.bincount(group, dissimilarity.pairwise(first, second), len(groups))
    return np.asarray(
        inside + dissimilarity.delta * (len(i) - np.bincount(group, minlength=len(groups)))
    )


def one_spot(continuum: Continuum) -> bool:
    """Whether all units are all but at the same place, without being there."""
    first, last = continuum.starts[[0, -1]]
    if abs(last - first) > _SPOT * (continuum.ends[0] - first):
        return False  # As nearly always, at once.
    spread = float(np.ptp(continuum.starts) + np.ptp(continuum.ends))
    return 0.0 < spread <= _SPOT * float(continuum.lengths.min())


def better(a: Solution, b: Solution) -> Solution:
    """The cheaper groups with the higher bound; a proof needs the true problem."""
    best = b if b.objective < a.objective else a
    bound = min(max(a.bound, b.bound), best.objective)
    return replace(best, bound=bound, status=Status.FEASIBLE, certificate=None, proof=None)
