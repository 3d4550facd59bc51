"""Costs of groups as they are reported: computed from the units, not from a problem's weights."""

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns


def costs_of(continuum: Continuum, groups: Codes, dissimilarity: BoundDissimilarity) -> Floats:
    """Return the cost of each group, C(n, 2) times its disorder; shape (groups,)."""
    from gammacp.alignment.kernels.pairs import Costs, UnitArrays, costs_inside

    formula, factor = dissimilarity.formula
    table = dissimilarity.category_costs
    delta = dissimilarity.delta
    if formula >= 0 and table is not None and continuum.inside is None:
        places = continuum.starts, continuum.ends, continuum.category_codes
        units = UnitArrays(*places, continuum.annotator_codes)
        return costs_inside(groups, units, Costs(formula, float(factor), table), float(delta))
    i, j = np.triu_indices(groups.shape[1], 1)
    group, pair = np.nonzero((groups[:, i] >= 0) & (groups[:, j] >= 0))
    columns = unit_columns(continuum)
    first = columns[groups[group, i[pair]]]
    second = columns[groups[group, j[pair]]]
    inside = np.bincount(group, dissimilarity.pairwise(first, second), len(groups))
    return np.asarray(
        inside + dissimilarity.delta * (len(i) - np.bincount(group, minlength=len(groups)))
    )
