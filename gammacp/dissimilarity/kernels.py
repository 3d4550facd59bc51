"""Compiled formulas of the positional dissimilarities: each stands here once.

`positional_cost` chooses by the number that the bound dissimilarity hands over (`formula`). The
scan for candidate pairs and `pairwise` both call it, so that they agree to the last bit.
"""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Floats
from gammacp.dissimilarity.positional import HAMMING, SPORADIC
from gammacp.kernel import kernel


@kernel
def positional_cost(formula: int, factor: float, s: float, e: float, t: float, f: float) -> float:
    """`factor` times the formula for the units [s, e] and [t, f]; 0 without one."""
    if formula == SPORADIC:
        return sporadic(factor, s, e, t, f)
    if formula == HAMMING:
        return factor * abs(e - f)
    return 0.0


@kernel
def sporadic(factor: float, s: float, e: float, t: float, f: float) -> float:
    """factor · ((|s − t| + |e − f|) / (e − s + f − t))² (2015, eq. 3); ∞ for two points apart."""
    apart = abs(s - t) + abs(e - f)
    if apart == 0.0:
        return 0.0
    lengths = (e - s) + (f - t)
    if lengths == 0.0:
        return np.inf
    ratio = apart / lengths
    return factor * ratio * ratio


@kernel
def positional_costs(
    formula: int, factor: float, start_u: Floats, end_u: Floats, start_v: Floats, end_v: Floats
) -> Floats:
    """`positional_cost` of pairs of units in columns of equal length."""
    costs = np.empty(len(start_u), np.float64)
    for i in range(len(start_u)):
        costs[i] = positional_cost(formula, factor, start_u[i], end_u[i], start_v[i], end_v[i])
    return costs
