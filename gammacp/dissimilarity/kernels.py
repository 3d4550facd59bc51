"""Compiled formulas of the positional dissimilarities: each stands here once.

`positional_cost` chooses by the number that the bound dissimilarity hands over (`formula`). The
scan for candidate pairs and `pairwise` both call it, so that they agree to the last bit.
"""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Floats, Indices
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


@kernel
def costs_of_fragments(
    factor: float,
    edge_u: Floats,
    edge_v: Floats,
    first_u: Indices,
    last_u: Indices,
    first_v: Indices,
    last_v: Indices,
    costs: Floats,
) -> None:
    """The sporadic formula for pairs with a unit of several fragments, into their costs."""
    for i in range(len(costs)):
        if last_u[i] - first_u[i] > 2 or last_v[i] - first_v[i] > 2:
            u, v = edge_u[first_u[i] : last_u[i]], edge_v[first_v[i] : last_v[i]]
            costs[i] = sporadic_of_fragments(factor, u, v)


@kernel
def sporadic_of_fragments(factor: float, u: Floats, v: Floats) -> float:
    """factor · ((what one alone covers + 2·distance) / (length + length))², see docs/method.

    Starts and ends of the fragments of both, ascending, are passed in one sweep; starts first where
    both have one, so that units that touch have a place in common.
    """
    i = j = 0
    place = u[0] if u[0] < v[0] else v[0]
    alone = lengths = 0.0
    distance = np.inf
    while i < len(u) or j < len(v):
        if j == len(v):
            mine = True
        elif i == len(u) or u[i] != v[j]:
            mine = i < len(u) and u[i] < v[j]
        else:
            mine = i % 2 == 0 or j % 2 == 1
        reached = u[i] if mine else v[j]
        if (i + j) % 2:
            alone += reached - place
        lengths += (i % 2 + j % 2) * (reached - place)
        place = reached
        if mine:
            if i % 2 == 0:
                if j % 2:
                    distance = 0.0
                elif j:
                    distance = min(distance, place - v[j - 1])
            i += 1
        else:
            if j % 2 == 0:
                if i % 2:
                    distance = 0.0
                elif i:
                    distance = min(distance, place - u[i - 1])
            j += 1
    if alone == 0.0:
        return 0.0
    ratio = (alone + 2.0 * distance) / lengths
    return factor * ratio * ratio
