"""Compiled formulas of the positional dissimilarities, each in one place.

`positional_cost` chooses the formula by the number in `formula` of the bound dissimilarity. The
scan for candidate pairs and `pairwise` both call it, so that they agree to the last bit.
"""

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.dissimilarity.positional import HAMMING, SPORADIC
from gammacp.kernel import kernel, late_kernel


@kernel
def positional_cost(formula: int, factor: float, s: float, e: float, t: float, f: float) -> float:
    """Return `factor` times a formula for the units [s, e] and [t, f]; 0 without a formula."""
    if formula == SPORADIC:
        return sporadic(factor, s, e, t, f)
    if formula == HAMMING:
        return factor * abs(e - f)
    return 0.0


@kernel
def sporadic(factor: float, s: float, e: float, t: float, f: float) -> float:
    """Return factor · ((|s − t| + |e − f|) / (e − s + f − t))² (2015, eq. 3), or ∞."""
    distance = abs(s - t) + abs(e - f)
    if distance == 0.0:
        return 0.0
    lengths = (e - s) + (f - t)
    if lengths == 0.0:
        return np.inf
    ratio = distance / lengths
    return factor * ratio * ratio


@late_kernel
def positional_costs(
    formula: int, factor: float, start_u: Floats, end_u: Floats, start_v: Floats, end_v: Floats
) -> Floats:
    """Return `positional_cost` for pairs of units in columns of equal length."""
    costs = np.empty(len(start_u), np.float64)
    for i in range(len(start_u)):
        costs[i] = positional_cost(formula, factor, start_u[i], end_u[i], start_v[i], end_v[i])
    return costs


@kernel
def costs_of_fragments(
    factor: float, edge_u: Floats, edge_v: Floats, rows: Indices, costs: Floats
) -> None:
    """Write the costs of pairs with a unit of several fragments by the sporadic formula.

    `rows`: first and last edge of u and of v, shape (pairs, 4).
    """
    for i in range(len(costs)):
        a, b, c, d = rows[i]
        if b - a > 2 or d - c > 2:
            costs[i] = sporadic_of_fragments(factor, edge_u[a:b], edge_v[c:d])


@kernel
def sporadic_of_fragments(factor: float, u: Floats, v: Floats) -> float:
    """Return factor · ((length covered by one unit only + 2·distance) / (sum of lengths))²."""
    length_u = length_v = shared = 0.0
    distance = np.inf
    for j in range(0, len(v), 2):
        length_v += v[j + 1] - v[j]
    for i in range(0, len(u), 2):
        length_u += u[i + 1] - u[i]
        for j in range(0, len(v), 2):
            common = min(u[i + 1], v[j + 1]) - max(u[i], v[j])
            # For equal units the same lengths are added in the same order, so the difference is
            # exactly 0.
            shared += max(common, 0.0)
            distance = min(distance, max(-common, 0.0))
    lengths = length_u + length_v
    ratio = (max(lengths - 2.0 * shared, 0.0) + 2.0 * distance) / lengths
    return factor * ratio * ratio
