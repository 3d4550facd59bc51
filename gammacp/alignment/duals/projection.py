"""The groups that the master uses, and the prices under which each of them just pays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import Columns, group_of_units
from gammacp.alignment.problem import Problem
from gammacp.arrays import Codes, Floats, Indices


class Support(NamedTuple):
    """Projections orthogonal to the groups' indicators, part by part; see `kernels.projection`."""

    part: Codes
    at: Codes
    size: Indices
    unit_from: Indices
    units: Codes
    row_from: Indices
    rows: Floats


def supported(
    n_units: int, columns: Columns, value: Floats, price: Floats, used: float
) -> tuple[Support, Floats]:
    """The support of columns with values above `used`, and the nearest prices that just pay each.

    A unit covered less than once is partly alone, which gains nothing.
    """
    picked = columns.select(np.flatnonzero(value > used))
    weights = np.repeat(value[value > used], picked.sizes)
    covered = np.bincount(picked.members, weights=weights, minlength=n_units)
    alone = np.flatnonzero(covered < 1 - used).astype(np.int32)
    begin = np.concatenate((picked.begin, picked.begin[-1] + 1 + np.arange(len(alone))))
    members = np.concatenate((picked.members, alone))
    return _parts(
        n_units, Columns(begin, members, np.append(picked.gain, np.zeros(len(alone)))), price
    )


def _parts(n_units: int, columns: Columns, price: Floats) -> tuple[Support, Floats]:
    """The same for columns that are all used, each unit by one at least."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    column_of = columns.column_of
    links = coo_matrix(
        (
            np.ones(len(column_of), np.int8),
            (columns.members[columns.begin[:-1]][column_of], columns.members),
        ),
        shape=(n_units, n_units),
    )
    n_parts, part = connected_components(links, directed=False)
    units = np.argsort(part, kind="stable").astype(np.int32)
    size = np.bincount(part, minlength=n_parts).astype(np.int64)
    unit_from: Indices = np.concatenate(([0], np.cumsum(size)))[:-1].astype(np.int64)
    at = np.empty(n_units, np.int32)
    at[units] = np.arange(n_units) - np.repeat(unit_from, size)
    part_of_column = part[columns.members[columns.begin[:-1]]]
    by_part = np.argsort(part_of_column, kind="stable")
    ends = np.cumsum(np.bincount(part_of_column, minlength=n_parts))
    price = price.copy()
    matrices: list[Floats] = []
    for k in range(n_parts):
        inside = units[unit_from[k] : unit_from[k] + size[k]]
        mine = by_part[ends[k - 1] if k else 0 : ends[k]]
        kept = np.eye(len(inside))
        if len(mine) == 1:
            price[inside] += (columns.gain[mine[0]] - price[inside].sum()) / len(inside)
            kept -= 1 / len(inside)
        else:
            matrix = np.zeros((len(mine), len(inside)))
            for row, c in enumerate(mine):
                matrix[row, at[columns.members[columns.begin[c] : columns.begin[c + 1]]]] = 1.0
            missing = columns.gain[mine] - matrix @ price[inside]
            left, values, right = np.linalg.svd(matrix, full_matrices=False)
            rank = int((values > 1e-9 * values[0]).sum())
            right = right[:rank]
            price[inside] += right.T @ ((left.T @ missing)[:rank] / values[:rank])
            kept -= right.T @ right
        matrices.append(kept.ravel())
    row_from: Indices = np.concatenate(([0], np.cumsum(size**2)))[:-1].astype(np.int64)
    rows = np.concatenate(matrices)
    return Support(part.astype(np.int32), at, size, unit_from, units, row_from, rows), price


def shared_prices(problem: Problem, groups: Codes) -> Floats:
    """Prices under which each group just pays: its gain shared by what each unit brings.

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
