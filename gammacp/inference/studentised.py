"""Compute the bootstrap-t interval that gammacp uses for every resampled statistic.

The bootstrap-t method (Efron & Tibshirani 1993, §12.5) takes quantiles of
t = (statistic* − statistic) / error* over the draws, where * marks the values of a draw. This keeps
the coverage close to the nominal one even for ratios of few and skewed parts. A draw whose standard
error is 0 although its statistic differs from the observed one has an infinite t. If a quantile of
t is therefore infinite, that end of the interval is a percentile of the statistic, widened for
small samples (Hesterberg 2015, §3.3).
"""

import math

import numpy as np

from gammacp.base.arrays import Floats

_NO_ERROR = 1e-9
_NOT_MOVED = 1e-12


def studentised_interval(
    value: float, error: float, values: Floats, errors: Floats, *, parts: float, tail: float = 0.025
) -> tuple[float, float]:
    """Return the bootstrap-t interval of a statistic, which always contains the statistic.

    Parameters
    ----------
    value, error
        The statistic and its standard error.
    values, errors
        Statistic and standard error of each draw, shape (draws,).
    parts
        Number of independent parts that are resampled.
    tail
        Probability of each tail that the interval excludes.

    >>> studentised_interval(0.5, 0.1, np.array([0.4, 0.5, 0.6]), np.full(3, 0.1), parts=9)
    (0.4, 0.6)
    """
    moved = values - value
    usable = errors > _NO_ERROR
    t = np.divide(moved, errors, out=np.where(moved > 0, np.inf, -np.inf), where=usable)
    t[~usable & (np.abs(moved) <= _NOT_MOVED)] = 0.0
    upper, lower = np.quantile(t, [1 - tail, tail], method="nearest")
    widened = _widen(tail, parts)
    least, most = np.quantile(values, [widened, 1 - widened])
    if math.isfinite(upper):
        low = value - upper * error
    else:
        low = least
    if math.isfinite(lower):
        high = value - lower * error
    else:
        high = most
    return float(min(low, value)), float(max(high, value))


def _widen(tail: float, parts: float) -> float:
    """Return the normal tail probability of a t quantile, widened for this number of parts."""
    from scipy.special import ndtr, stdtrit

    if parts < 2:
        return tail
    return float(ndtr(math.sqrt(parts / (parts - 1)) * stdtrit(parts - 1, tail)))
