"""The tests behind the alternative annotator test, and beside it.

Calderon, Reichart & Dror (2025), §3: per person j and instance i the candidate wins if it agrees
with the others at least as well as j does (W^f = 1), and j wins likewise (W^h = 1; both on a tie).
With d = W^h − W^f in {−1, 0, 1} the null hypothesis is E d = ρ_h − ρ_f ≥ ε.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from gammacp.arrays import Bools, Floats

FEW = 30
"""Instances from which the t test is used; with fewer, the exact one."""

_GRID = 401


def t_test(n: Floats, total: Floats, squares: Floats, epsilon: float) -> Floats:
    """p of the one-sided paired t test of E d ≥ ε, from n, Σ d and Σ d²; any common shape.

    A constant difference has no variance: p is 0 where it is below ε, and 1 elsewhere, also with
    fewer than two instances.
    """
    from scipy.special import stdtr

    n = np.asarray(n, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        spread = n * squares - total**2  # whole numbers: exactly 0 where d is constant
        t = (mean - epsilon) * n * np.sqrt((n - 1) / spread)
        p = np.where(spread > 0, stdtr(n - 1, t), np.where(mean < epsilon, 0.0, 1.0))
    return np.asarray(np.where(n < 2, 1.0, p))


def exact_test(n: int, total: int, epsilon: float) -> float:
    """p of E d ≥ ε without any approximation, from the number of instances and Σ d.

    Σ d of n independent instances depends on P(d = 1) and P(d = −1); the probability of a sum as
    small as the observed one is taken where it is largest among all pairs whose difference is ε
    (an unconditional test, as Barnard's). Symmetry of d, which the signed-rank test needs and ties
    do not give, is not assumed.

    >>> round(exact_test(5, -5, 0.2), 5)  # all lost: ((1 - .2) / 2) ** 5
    0.01024
    """
    return float(_largest_tails(n, epsilon)[total + n])


@cache
def _largest_tails(n: int, epsilon: float) -> Floats:
    """sup P(Σ d ≤ s) for s from −n to n."""
    lost = np.linspace(0.0, (1 - epsilon) / 2, _GRID)[:, None]
    won = lost + epsilon
    step = np.concatenate([lost, 1 - lost - won, won], axis=1)
    sums = np.ones((_GRID, 1))
    for _ in range(n):
        longer = np.zeros((_GRID, sums.shape[1] + 2))
        for k in range(3):
            longer[:, k : k + sums.shape[1]] += step[:, k : k + 1] * sums
        sums = longer
    return np.asarray(np.minimum(1.0, np.cumsum(sums, axis=1).max(axis=0)))


def p_value(differences: Floats, epsilon: float) -> float:
    """p of E d ≥ ε: the t test's from `FEW` instances on, the exact one's below."""
    n, total = len(differences), float(differences.sum())
    if n == 0:
        return math.nan
    if n < FEW:
        return exact_test(n, round(total), epsilon)
    squares = np.array(float((differences**2).sum()))
    return float(t_test(np.array(float(n)), np.array(total), squares, epsilon))


def equivalence(differences: Floats, epsilon: float) -> float:
    """p of |E d| ≥ ε: two one-sided tests (TOST, Schuirmann 1987), the larger p of the two."""
    return max(p_value(differences, epsilon), p_value(-differences, epsilon))


def rejected(p: Floats, q: float) -> Bools:
    """What Benjamini & Yekutieli (2001) reject at a false discovery rate of q, along the last axis.

    NaN is never rejected and does not count.

    >>> rejected(np.array([0.001, 0.02, 0.9]), 0.05).tolist()
    [True, False, False]
    """
    m = np.isfinite(p).sum(axis=-1, keepdims=True)
    order = np.argsort(p, axis=-1)
    rank = np.arange(1, p.shape[-1] + 1)
    harmonic = np.concatenate(([1.0], np.cumsum(1.0 / rank)))[m]
    below = np.take_along_axis(p, order, -1) <= rank / np.maximum(m, 1) * (q / harmonic)
    last = np.where(below, rank, 0).max(axis=-1, keepdims=True)
    found = np.zeros(p.shape, np.bool_)
    np.put_along_axis(found, order, rank <= last, -1)
    return found
