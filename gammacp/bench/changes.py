"""Differences between a sweep and its baseline, with a test of the means of curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.bench.curves import Point
from gammacp.bench.store import Values

POWER = 0.9
_EXACT = 1e-9


@dataclass(frozen=True, slots=True)
class PointChange:
    """One point that moved, or has values on one side only.

    Attributes
    ----------
    what
        `mean`, `curve` (the mean over all magnitudes, which has none of its own: NaN), `undefined`
        (how many sets) or, of the same sets, also `sets`: some of them moved and the mean did not.
    p
        The adjusted p-value of the test; NaN where there was none.
    """

    what: str
    measure: str
    magnitude: float
    baseline: float
    now: float
    p: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Detectable:
    """Difference of a curve's mean over magnitudes that is found with power .9."""

    error: str
    measure: str
    difference: float


@dataclass(frozen=True)
class CurveTest:
    """Welch's test of the means of a curve over its magnitudes.

    Attributes
    ----------
    change
        Both means, and the p-value.
    error, freedom
        Standard error of the difference of means, and degrees of freedom.
    """

    change: PointChange
    error: float
    freedom: float

    def detectable(self, level: float) -> Detectable:
        """Return the difference that a two-sided test at this level finds with power .9."""
        from scipy.stats import t

        difference = self.error * (t.isf(level / 2, self.freedom) + t.ppf(POWER, self.freedom))
        return Detectable(self.change.error, self.change.measure, float(difference))


def curve_test(
    curve: tuple[str, str],
    pairs: Sequence[tuple[Point, Point]],
    values_before: Values | None,
    values_now: Values | None,
) -> CurveTest | None:
    """Test the mean of a curve over its magnitudes; return None if it has no noise.

    Parameters
    ----------
    curve
        Error and measure.
    pairs
        The curve's points of the baseline and of now.
    values_before, values_now
        Values of single sets, if known.
    """
    from scipy.stats import t

    # Points without any spread are compared exactly.
    used = [pair for pair in pairs if any(p.sd > _EXACT for p in pair)]
    if len(used) < 2:
        return None
    one = _side([pair[0] for pair in used], values_before)
    other = _side([pair[1] for pair in used], values_now)
    if one is None or other is None:
        return None
    (before, a, n), (now, b, m) = one, other
    error = math.sqrt(a / n + b / m)
    if error <= _EXACT:
        return None
    freedom = error**4 / ((a / n) ** 2 / (n - 1) + (b / m) ** 2 / (m - 1))
    p = 2 * float(t.sf(abs(now - before) / error, freedom))
    change = PointChange("curve", curve[1], math.nan, before, now, p, curve[0])
    return CurveTest(change, error, freedom)


def _side(points: Sequence[Point], values: Values | None) -> tuple[float, float, int] | None:
    """Return the mean of a curve, the variance of the mean of a set, and the number of sets."""
    keys = [(p.error, p.measure, p.magnitude) for p in points]
    if values is not None and all(key in values for key in keys):
        common = sorted(set.intersection(*(set(values[key]) for key in keys)))
        table = np.array([[values[key][k] for key in keys] for k in common], np.float64)
        means: Floats = table.reshape(len(common), len(keys)).mean(axis=1)
        means = means[~np.isnan(means)]
        if len(means) < 2:
            return None
        return float(means.mean()), float(means.var(ddof=1)), len(means)
    if any(math.isnan(p.mean) or math.isnan(p.sd) for p in points):
        return None
    # Assume deviations in one direction: this gives the largest possible variance.
    sd = float(np.mean([p.sd for p in points]))
    sets = min(p.sets - p.undefined for p in points)
    return float(np.mean([p.mean for p in points])), sd**2, sets
