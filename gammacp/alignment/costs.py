"""Costs as they are reported: computed from the units, not from a problem's weights."""

import math
from typing import TypeVar

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns

N = TypeVar("N", float, Floats)


def pair_count(n_annotators: int) -> int:
    """Return the number of pairs of annotators, C(n, 2)."""
    return n_annotators * (n_annotators - 1) // 2


def disorder_scale(n_annotators: int, mean_units: N) -> N:
    """Return the factor that turns Σ cost(G) into a disorder: 1 / (C(n, 2)·x̄)."""
    return 1.0 / (pair_count(n_annotators) * mean_units)


def tolerance_at(delta: float, n_annotators: int) -> float:
    """Return the cost difference below which alignments count as tied."""
    return max(1e-8, 1e-10 * n_annotators) * delta


def reuse_price(reuse: float, n_annotators: int, delta: float) -> float:
    """Return what a unit costs in each further unitary alignment: p·(n − 1)·Δ.

    A group never pays more than that for leaving a unit out, so with p = 1 no unit is used again.
    """
    return reuse * (n_annotators - 1) * delta


def alignment_cost(
    continuum: Continuum, groups: Codes, dissimilarity: BoundDissimilarity, reuse: float = 0.0
) -> float:
    """Return the cost of an alignment, computed from its units.

    It is bit for bit the same in any order of the groups.

    Parameters
    ----------
    continuum, groups, dissimilarity
        The units, their groups, and the dissimilarity that prices them.
    reuse
        As for `align`.
    """
    costs = costs_from_units(continuum, groups, dissimilarity)
    if not reuse:
        return math.fsum(costs)
    again = int((groups >= 0).sum()) - continuum.n_units
    price = reuse_price(reuse, continuum.n_annotators, dissimilarity.delta)
    return math.fsum((*costs, again * price))


def costs_from_units(
    continuum: Continuum, groups: Codes, dissimilarity: BoundDissimilarity
) -> Floats:
    """Return the cost of each group, C(n, 2) times its disorder; shape (groups,)."""
    from gammacp.alignment.kernels.pairs import Costs, UnitArrays, costs_inside

    formula, factor = dissimilarity.formula
    table = dissimilarity.category_costs
    delta = dissimilarity.delta
    if formula >= 0 and table is not None and continuum.inside is None:
        units = UnitArrays(
            continuum.starts,
            continuum.ends,
            continuum.category_codes,
            continuum.annotator_codes,
        )
        return costs_inside(groups, units, Costs(formula, float(factor), table), float(delta))
    i, j = np.triu_indices(groups.shape[1], 1)
    group, pair = np.nonzero((groups[:, i] >= 0) & (groups[:, j] >= 0))
    columns = unit_columns(continuum)
    first = columns[groups[group, i[pair]]]
    second = columns[groups[group, j[pair]]]
    inside = np.bincount(group, dissimilarity.pairwise(first, second), len(groups))
    n_with_empty = len(i) - np.bincount(group, minlength=len(groups))
    return np.asarray(inside + dissimilarity.delta * n_with_empty)
