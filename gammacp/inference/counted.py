"""The interval over documents of any value that is made of counts.

What document i moves 1 − value by is g_i = value(all without i) − value(all), with all that is
expected by chance computed anew. Σ g² is the value's variance, and Hall's transformation counts the
skew of the g, as for γ (`gammacp.inference.part_tests`).

Where disagreements are so few that the documents at hand hardly have one, the g say nothing of
those that other documents would have. So both ends reach at least as far as the exact bound of a
share of units that disagree (Clopper & Pearson 1934), of as many units as the variance says the
sample is worth: n* = D(1 − D) / Var(D), at most those that there are, times (t_{n−1} / t_df)²
(Korn & Graubard 1998). What the intervals cover is in docs/which-number.md.
"""

import math
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.inference.part_tests import FEWEST_PARTS, hall_moves

_NO_VARIANCE = 1e-24


@dataclass(frozen=True)
class Pooled:
    """A value with what an interval over documents needs.

    Attributes
    ----------
    value
        Value of all documents.
    without
        The value without each document, shape (documents,).
    sizes
        Share of each document in the whole, shape (documents,).
    disagreement, expected
        D_o as a share of the largest that can be, and D_e as a share of the same: the value is
        1 − disagreement / expected.
    units
        Number of units that the value is about.
    error
        Relative standard error of D_e from random sets.
    exact
        Whether the exact bound is taken in; of a cost, which is rarely all or nothing, it is far
        wider than need be, so that γ takes it in only where few documents have any.
    least
        The least value that the measure can have.
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
    """Return the interval of a value over documents like these; None where they tell none.

    Parameters
    ----------
    pooled
        The value, with and without each document; documents that count nothing are left out.
    confidence
        Coverage that is aimed at, in (0, 1).

    Of twelve perfect documents of 10 units the exact bound is .025 ** (1 / n), n being 120 units
    times (1.980 / 2.201)², the squared ratio of Student's t of 119 and of 11 degrees of freedom.

    >>> sizes = np.full(12, 10.0)
    >>> ends = interval_of_counts(Pooled(1.0, np.ones(12), sizes, 0.0, 1.0, 120.0))
    >>> [round(float(end), 3) for end in ends]
    [0.963, 1.0]
    """
    influences = pooled.without - pooled.value
    if len(influences) < FEWEST_PARTS or not np.isfinite(influences).all():
        return None
    theta = 1 - pooled.value
    own = float((influences**2).sum())
    variance = own + (theta * pooled.error) ** 2
    df = _degrees_of_freedom(pooled.sizes)
    ends = [pooled.value, pooled.value]
    if variance > _NO_VARIANCE:
        if own > _NO_VARIANCE:
            wide = df * (variance / own) ** 2
        else:
            wide = math.inf
        up, down = hall_moves(influences, variance, min(wide, 1e9), confidence)
        ends = [pooled.value + min(down, 0.0), pooled.value + max(up, 0.0)]
    # An error rate of 1 and more is no share of anything.
    if not pooled.exact or pooled.disagreement >= 1:
        return max(pooled.least, ends[0]), min(1.0, ends[1])
    low, high = _exact_bounds(pooled, variance, df, confidence)
    lower = min(ends[0], 1 - high)
    upper = max(ends[1], 1 - low)
    return max(pooled.least, lower), min(1.0, upper)


def _degrees_of_freedom(sizes: Floats) -> float:
    """Satterthwaite's, of a variance that grows with size^1.5, as for γ."""
    share = sizes / sizes.sum()
    return max(1.0, float((share**1.5).sum() ** 2 / (share**3).sum()) - 1)


def _exact_bounds(
    pooled: Pooled, variance: float, df: float, confidence: float
) -> tuple[float, float]:
    """Korn and Graubard's bounds of D_o / D_e."""
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
