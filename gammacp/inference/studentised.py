"""The bootstrap-t interval that every resampled statistic of gammacp has.

Efron & Tibshirani 1993, §12.5: what is resampled is t = (statistic* − statistic)/error*, so that
ratios of few and skewed parts are covered as often as said. Draws that have moved and tell nothing
of the error have an infinite t. Where such draws leave t without a finite quantile, percentiles
that are widened for small samples stand in (Hesterberg 2015, §3.3).
"""

import math

import numpy as np

from gammacp.base.arrays import Floats

_NO_ERROR = 1e-9
_NOT_MOVED = 1e-12


def studentised_interval(
    value: float, error: float, values: Floats, errors: Floats, *, parts: float, tail: float = 0.025
) -> tuple[float, float]:
    """Return the interval of a statistic between two tails; the statistic is in it.

    Parameters
    ----------
    value, error
        The statistic and its standard error.
    values, errors
        The same of each draw, shape (draws,).
    parts
        Number of independent parts that are resampled.
    tail
        Share of the draws beyond either end.

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
    """Return the tail whose percentile is as extreme as Student's t with that many parts."""
    from scipy.special import ndtr, stdtrit

    if parts < 2:
        return tail
    return float(ndtr(math.sqrt(parts / (parts - 1)) * stdtrit(parts - 1, tail)))
