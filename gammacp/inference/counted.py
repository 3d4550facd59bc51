"""Compute an interval over documents for any agreement value that is based on counts.

The influence of document i on 1 − value is g_i = value(all without i) − value(all), where the
agreement expected by chance is computed again without document i. Σ g² estimates the variance of
the value, and Hall's transformation corrects for the skew of the g, as it does for γ
(`gammacp.inference.part_tests`).

When disagreements are very rare, the influences of the observed documents say little about the
disagreements in other documents. Therefore both ends of the interval reach at least as far as the
exact binomial bounds of the share D of units that disagree (Clopper & Pearson 1934). The number of
units in these bounds is the effective sample size n* = D(1 − D) / Var(D), at most the actual number
of units, times (t_{n−1} / t_df)² (Korn & Graubard 1998). The measured coverage of the intervals is
in docs/which-number.md.
"""

import math
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.inference.part_tests import FEWEST_PARTS, hall_moves

_NO_VARIANCE = 1e-24


@dataclass(frozen=True)
class Pooled:
    """An agreement value with everything that its interval over documents needs.

    Attributes
    ----------
    value
        Value computed from all documents.
    without
        Value computed without each document in turn, shape (documents,).
    sizes
        Share of each document in the whole, shape (documents,).
    disagreement, expected
        Observed disagreement D_o and expected disagreement D_e, both as shares of the largest
        possible disagreement. The value is 1 − disagreement / expected.
    units
        Number of units on which the value is based.
    error
        Relative standard error of D_e, if it is estimated from random sets.
    exact
        Whether the interval includes the exact bounds. For costs, which are rarely all or nothing,
        these are much wider than necessary; γ therefore uses them only if few documents have any
        disorder.
    least
        Smallest possible value of the measure.
    """

    value: float
    without: Floats
    sizes: Floats
    disagreement: float
    expected: float
    units: float
    error: float = 0.0
    exact: bool = True
    least: float = -math.inf


def interval_of_counts(pooled: Pooled, *, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the interval of a value over documents like these; None if it cannot be computed.

    Parameters
    ----------
    pooled
        The value, with and without each document. Documents without any units must be left out.
    confidence
        Nominal coverage, in (0, 1).

    For twelve perfect documents of 10 units each, the exact bound is .025 ** (1 / n), where n is
    120 units times (1.980 / 2.201)², the squared ratio of the quantiles of Student's t with 119 and
    with 11 degrees of freedom.

    >>> sizes = np.full(12, 10.0)
    >>> ends = interval_of_counts(Pooled(1.0, np.ones(12), sizes, 0.0, 1.0, 120.0))
    >>> [round(float(end), 3) for end in ends]
    [0.963, 1.0]
    """
    influences = pooled.without - pooled.value
    if len(influences) < FEWEST_PARTS or not np.isfinite(influences).all():
        return None
    theta = 1 - pooled.value
    sampling_variance = float((influences**2).sum())
    variance = sampling_variance + (theta * pooled.error) ** 2
    df = _degrees_of_freedom(pooled.sizes)
    ends = [pooled.value, pooled.value]
    if variance > _NO_VARIANCE:
        if sampling_variance > _NO_VARIANCE:
            wide = df * (variance / sampling_variance) ** 2
        else:
            wide = math.inf
        up, down = hall_moves(influences, variance, min(wide, 1e9), confidence)
        ends = [pooled.value + min(down, 0.0), pooled.value + max(up, 0.0)]
    # An error rate of 1 or more cannot be treated as a binomial share.
    if not pooled.exact or pooled.disagreement >= 1:
        return max(pooled.least, ends[0]), min(1.0, ends[1])
    low, high = _exact_bounds(pooled, variance, df, confidence)
    lower = min(ends[0], 1 - high)
    upper = max(ends[1], 1 - low)
    return max(pooled.least, lower), min(1.0, upper)


def _degrees_of_freedom(sizes: Floats) -> float:
    """Return Satterthwaite's degrees of freedom, with variances that grow with size^1.5."""
    share = sizes / sizes.sum()
    return max(1.0, float((share**1.5).sum() ** 2 / (share**3).sum()) - 1)


def _exact_bounds(
    pooled: Pooled, variance: float, df: float, confidence: float
) -> tuple[float, float]:
    """Return Korn and Graubard's exact bounds of D_o / D_e."""
    from scipy.special import betaincinv, stdtrit

    disagreement = min(max(pooled.disagreement, 0.0), 1.0)
    tail = (1 - confidence) / 2
    if not pooled.expected > 0:
        return 0.0, math.inf
    spread = variance * pooled.expected**2
    units = max(pooled.units, 1.0)
    if spread <= 0:
        worth = units
    else:
        worth = min(units, disagreement * (1 - disagreement) / spread)
    worth = max(worth, 1e-3)
    if units > 1:
        worth *= float(stdtrit(units - 1, tail) / stdtrit(df, tail)) ** 2
    count = worth * disagreement
    if count > 0:
        low = float(betaincinv(count, worth - count + 1, tail))
    else:
        low = 0.0
    if disagreement < 1:
        high = float(betaincinv(count + 1, worth - count, 1 - tail))
    else:
        high = 1.0
    return low / pooled.expected, high / pooled.expected
