"""The support of the master problem, and prices that exactly pay each of its groups.

A price vector pays a group exactly if the prices of its units add up to its gain.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import group_of_units
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices


class SupportProjection(NamedTuple):
    """Projections orthogonal to the groups' indicators, part by part; see `kernels.projection`."""

    part: Codes
    at: Codes
    size: Indices
    unit_from: Indices
    units: Codes
    row_from: Indices
    rows: Floats


def support_of(
    n_units: int, columns: Columns, value: Floats, price: Floats, used: float
) -> tuple[SupportProjection, Floats]:
    """Return the support of columns with values above `used`, and the nearest prices that pay it.

    A unit that is covered less than once is partly alone, so that its price must be 0.
    """
    picked = columns.select(np.flatnonzero(value > used))
    weights = np.repeat(value[value > used], picked.sizes)
    covered = np.bincount(picked.members, weights=weights, minlength=n_units)
    alone = np.flatnonzero(covered < 1 - used).astype(np.int32)
    begin = np.concatenate((picked.begin, picked.begin[-1] + 1 + np.arange(len(alone))))
    members = np.concatenate((picked.members, alone))
    gain = np.append(picked.gain, np.zeros(len(alone)))
    return _parts(n_units, Columns(begin, members, gain), price)


def _parts(n_units: int, columns: Columns, price: Floats) -> tuple[SupportProjection, Floats]:
    """Return the support and the prices, given columns that cover every unit."""
    from gammacp.alignment.kernels.components import label_components

    label = np.empty(n_units, np.int32)
    label_components(columns, np.ones(columns.number, np.bool_), label)
    size = np.unique(label, return_counts=True)[1].astype(np.int64)
    part = np.unique(label, return_inverse=True)[1].astype(np.int32)
    units = np.argsort(part, kind="stable").astype(np.int32)
    unit_from: Indices = np.cumsum(size) - size
    at = np.empty(n_units, np.int32)
    at[units] = np.arange(n_units) - np.repeat(unit_from, size)
    of_column = part[columns.members[columns.begin[:-1]]]
    ranked = columns.select(np.argsort(of_column, kind="stable"))
    ends = np.cumsum(np.bincount(of_column, minlength=len(size)))
    price = price.copy()
    matrices = []
    for k, (lo, hi) in enumerate(pairwise([0, *ends.tolist()])):
        # The nearest prices that pay all groups of a part are price + A⁺·(gain − A·price), where A
        # is the matrix of its groups by its units, and A⁺ the pseudo-inverse of A. I − A⁺A projects
        # on the changes of prices that keep them paid.
        inside = units[unit_from[k] : unit_from[k] + size[k]]
        matrix = np.zeros((hi - lo, size[k]))
        members = slice(ranked.begin[lo], ranked.begin[hi])
        row_of_member = np.repeat(np.arange(hi - lo), ranked.sizes[lo:hi])
        matrix[row_of_member, at[ranked.members[members]]] = 1.0
        if hi - lo == 1:
            inverse = matrix.T / size[k]
        else:
            inverse = np.linalg.pinv(matrix, 1e-9)
        price[inside] += inverse @ (ranked.gain[lo:hi] - matrix @ price[inside])
        matrices.append((np.eye(len(inside)) - inverse @ matrix).ravel())
    row_from: Indices = np.cumsum(size**2) - size**2
    rows = np.concatenate(matrices)
    return SupportProjection(part, at, size, unit_from, units, row_from, rows), price


def shared_prices(problem: Problem, groups: Codes) -> Floats:
    """Return prices that pay each group exactly: its gain, divided by what each unit contributes.

    (size − 1)/size·opening + ½ Σ w(u, ·) within the group.
    """
    group_of = group_of_units(groups, problem.n_units)
    sizes = np.bincount(group_of)[group_of]
    within = group_of[problem.first] == group_of[problem.second]
    halves = np.tile(0.5 * problem.weight[within], 2)
    units = np.concatenate((problem.first[within], problem.second[within]))
    price = (sizes - 1) / sizes * problem.opening
    price += np.bincount(units, weights=halves, minlength=problem.n_units)
    return np.maximum(price, 0.0)
