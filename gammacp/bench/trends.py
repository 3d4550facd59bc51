"""Sentences about curves as paired tests over annotation sets.

Examples are "strictly decreasing", "flat", "almost linear", "below 0 from .6", "quite close" and
"the only one that".

Every function takes `values`, shape (sets, magnitudes), one row per annotation set, NaN where
undefined, and compares within rows: the magnitudes of a set share their random numbers, so that
differences within a set are sharp. A sentence has two tests: one that *shows* it (its null
hypothesis is that the sentence is false) and one that *contradicts* it. Where neither is
significant the sets are too few to tell, and the verdict is open. So no sentence holds for want of
data, and none fails by chance alone.

"Everywhere" is shown if each part is shown at the same level (intersection–union test, Berger
1982). "Somewhere" is tested by the largest difference of all places, whatever their dependence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.bench.power import Moments, pair_power, pseudo_values
from gammacp.errors import UsageError

LEVEL = 0.05
"""Of all tests."""

POWER = 0.9
"""The probability that `Trend.detectable` stands for."""

_FLIPS = 999
_EXACT = 1e-9  # differences below are rounding
_BELOW = -3.0  # so many standard errors below 0 a difference is no candidate for one above it


class TrendVerdict(StrEnum):
    """Verdict of the sets on a sentence."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Trend:
    """A sentence about a curve, tested.

    Attributes
    ----------
    shown, contradicted
        p-values of the test that shows the sentence and of the one that contradicts it.
    effect
        Measured effect where the sentence is weakest, in the unit of the curve: the smallest fall
        over a window, the largest distance from a target or from a line.
    detectable
        Difference that the showing test would detect there with probability .9 (its power).
    where
        Description of the place of `effect`.
    """

    shown: float
    contradicted: float
    effect: float
    detectable: float
    where: str

    @property
    def verdict(self) -> TrendVerdict:
        """Return the verdict: contradicted, shown, or neither."""
        if self.contradicted < LEVEL:
            return TrendVerdict.FAILS
        if self.shown < LEVEL:
            return TrendVerdict.HOLDS
        return TrendVerdict.OPEN

    @property
    def p(self) -> float:
        """Return p of the test that decided, or of the showing test if neither did."""
        if self.verdict is TrendVerdict.FAILS:
            return self.contradicted
        return self.shown

    def negate(self) -> Trend:
        """Return the negated sentence, for which the two tests change roles."""
        return replace(self, shown=self.contradicted, contradicted=self.shown)

    def __str__(self) -> str:
        """Return verdict, p, effect and power in a line."""
        return (
            f"{self.verdict}, p {self.p:.2g}; {self.effect:+.3f} {self.where}; "
            f"{self.detectable:.3f} is found with probability {POWER:g}"
        )


def falls(values: Floats, magnitudes: Floats, *, window: float = 0.25, flat: float = 0.05) -> Trend:
    """Test "strictly decreasing".

    The sentence is shown if the curve falls over every window. It is contradicted if the curve
    rises between any two magnitudes, or if it hardly falls over a stretch at least as wide as the
    window.

    Parameters
    ----------
    values
        Shape (sets, magnitudes); NaN where undefined.
    magnitudes
        Shape (magnitudes,), ascending.
    window
        Width over which the curve must fall: the resolution of the sentence.
    flat
        Slope up to which a stretch counts as flat, in agreement per magnitude (the straight line
        from 1 to 0 has 1); 0: only rises contradict.
    """
    values, x = _check_shapes(values, magnitudes)
    starts, ends = _windows(x, window)
    mean, se, n = _moments(values[:, starts] - values[:, ends])
    i, j = np.triu_indices(len(x), 1)
    least = np.where(x[j] - x[i] >= window - _EXACT, flat * (x[j] - x[i]), 0.0)
    return _trend(
        _above(mean, se, n),
        _largest(values[:, j] - values[:, i] + least),
        (mean, se, n),
        np.argmin(np.where(n > 1, mean, np.inf)),
        [f"from {x[a]:g} to {x[b]:g}" for a, b in zip(starts, ends, strict=True)],
    )


def near(
    values: Floats, target: Floats | float, *, margin: float, magnitudes: Floats | None = None
) -> Trend:
    """Test "reaches .1", "blocked at 1", "quite close": within `margin` of the target everywhere.

    This is an equivalence test. The sentence is shown if the mean is both above target − margin and
    below target + margin, and contradicted if the mean is outside the margin somewhere. Raises
    UsageError for a margin that is not > 0.

    Parameters
    ----------
    values
        Shape (sets, magnitudes); NaN where undefined.
    target
        A number, or the values of another curve of the same sets, to be compared set by set.
    margin
        > 0.
    magnitudes
        Shape (magnitudes,): names the places; default: their numbers.
    """
    if not margin > 0:
        raise UsageError(f"margin {margin:g} is not > 0")
    values, x = _check_shapes(values, magnitudes)
    gap = values - target
    return _nowhere_above(np.hstack([gap, -gap]) - margin, gap, [f"at {m:g}" for m in x])


def below(
    values: Floats, target: Floats | float, *, margin: float = 0.0, magnitudes: Floats | None = None
) -> Trend:
    """Test "below 0", "below γ": mean < target + margin at every magnitude.

    Parameters
    ----------
    values, target, magnitudes
        As for `near`.
    margin
        Margin that still counts as "at or below"; negative: how far below it has to be.
    """
    values, x = _check_shapes(values, magnitudes)
    gap = values - target
    return _nowhere_above(gap - margin, gap, [f"at {m:g}" for m in x])


def below_from(
    values: Floats, magnitudes: Floats, target: Floats | float, since: float, *, slack: float = 0.1
) -> Trend:
    """Test "below 0 from .6 onwards": below from there on, and above up to `slack` before it.

    Parameters
    ----------
    values, magnitudes, target
        As for `below`.
    since
        Magnitude at which the curve is claimed to pass the target.
    slack
        Distance before `since` within which the curve need not be above the target yet.
    """
    values, x = _check_shapes(values, magnitudes)
    goal = np.broadcast_to(np.asarray(target, np.float64), values.shape)
    after = x >= since - _EXACT
    before = x <= since - slack + _EXACT
    parts = [below(values[:, after], goal[:, after], magnitudes=x[after])]
    if before.any():
        over = below(-values[:, before], -goal[:, before], magnitudes=x[before])
        parts.append(replace(over, effect=-over.effect))
    return every(*parts)


def linear(values: Floats, magnitudes: Floats, *, tolerance: float = 0.1) -> Trend:
    """Test "almost linear": no point is far from the regression line, as a share of its range.

    A curve without any slope does not count as linear.

    Parameters
    ----------
    values
        Shape (sets, magnitudes), without NaN in the sets to be used.
    magnitudes
        Shape (magnitudes,), ascending.
    tolerance
        Share of the distance between the line's ends.
    """
    values, x = _check_shapes(values, magnitudes)
    rows = values[~np.isnan(values).any(axis=1)]
    centred = x - x.mean()
    slopes = (rows @ centred / (centred**2).sum())[:, None]
    off = rows - rows.mean(axis=1, keepdims=True) - slopes * centred
    slope, se, sets = _moments(slopes)
    # Use the slope of each set, so that its uncertainty is taken into account.
    beyond = np.hstack([off, -off]) - tolerance * np.ptp(x) * np.sign(slope) * slopes
    trend = _nowhere_above(beyond, off, [f"from the line at {m:g}" for m in x])
    return replace(trend, shown=max(trend.shown, float(_above(np.abs(slope), se, sets)[0])))


def tells_more(
    values: Floats,
    other: Floats,
    magnitudes: Floats | None = None,
    *,
    documents: int = 10,
    margin: float = 0.0,
) -> Trend:
    """Test "sees splits better than SER": more power of Welch's test than another measure.

    Compares what `gammacp.bench.ranking` ranks by, the mean power over pairs of magnitudes, by
    jackknife over sets.

    Parameters
    ----------
    values, other
        Values of the measure and of the one that it is compared with, of the same sets and
        magnitudes.
    magnitudes
        As for `near`.
    documents
        D: annotation sets of each of the two corpora that Welch's test compares.
    margin
        Margin by which its power must be greater.
    """
    values, _ = _check_shapes(values, magnitudes)
    other, _ = _check_shapes(other, magnitudes)
    if values.shape != other.shape:
        raise UsageError(f"values of shapes {values.shape} and {other.shape} are not of one sweep")
    both = np.stack([values, other], axis=1)
    pseudo = pseudo_values(both, documents, LEVEL)
    one, another = pair_power(Moments.of(both), documents, LEVEL).mean
    if math.isnan(one) or math.isnan(another):
        return Trend(1.0, 1.0, math.nan, math.nan, "too few values")
    # Use the estimate itself; pseudo-values only give its error, as for ranks.
    difference = pseudo[:, :1] - pseudo[:, 1:]
    difference += (one - another) - difference.mean()
    return _nowhere_above(margin - difference, difference, ["in mean power"])


def every(*trends: Trend) -> Trend:
    """Test that all `trends` hold: the weakest shows it, any contradicts it (Bonferroni)."""
    weakest = max(trends, key=lambda t: t.shown)
    contradicted = min(1.0, len(trends) * min(t.contradicted for t in trends))
    return replace(weakest, contradicted=contradicted)


def only(name: str, trends: Mapping[str, Trend]) -> Trend:
    """Test "the only one that": the sentence holds for one measure, and for no other.

    Parameters
    ----------
    name
        Name of the measure that the sentence is about.
    trends
        The same sentence tested for each of them, by name.
    """
    return every(trends[name], *(t.negate() for other, t in trends.items() if other != name))


def sets_needed(sd: float, effect: float) -> int:
    """Return the number of sets that a one-sided paired test needs for power `POWER`.

    Parameters
    ----------
    sd
        Spread of the difference over sets.
    effect
        The mean difference, > 0.

    Raises
    ------
    UsageError
        The effect is not > 0.

    >>> sets_needed(0.1, 0.05)
    36
    """
    from scipy.stats import nct, t

    if not effect > 0:
        raise UsageError(f"effect {effect:g} is not > 0")
    n = 2
    while sd > 0 and nct.sf(t.isf(LEVEL, n - 1), n - 1, effect / sd * math.sqrt(n)) < POWER:
        n += max(1, n // 50)
    return n


def _largest(differences: Floats) -> float:
    """Return p of the largest mean difference if none is above 0; shape (sets, differences).

    The statistic is the largest t. Its distribution is simulated by flipping the signs of whole
    sets, which is exact for differences symmetric around 0, the least favourable case. Differences
    that are clearly below 0 are excluded (Hansen 2005), as are those that most sets lack.
    """
    differences = np.where(np.abs(differences) < _EXACT, 0.0, differences)
    mean, se, n = _moments(differences)
    t = _ratio(mean, se)
    candidates = (n > 2) & (2 * n >= len(differences)) & (t > _BELOW)
    if not candidates.any() or t[candidates].max() <= 0:
        return 1.0
    defined = np.nan_to_num(differences[:, candidates])
    n = n[candidates]
    flips = np.random.default_rng(0).choice([-1.0, 1.0], (_FLIPS, len(defined)))
    means = flips @ defined / n
    variances = np.maximum((defined**2).sum(axis=0) / n - means**2, 0.0) / (n - 1)
    flipped = _ratio(means, np.sqrt(variances)).max(axis=1)
    return float((1 + (flipped >= t[candidates].max() - _EXACT).sum()) / (1 + _FLIPS))


def _check_shapes(values: Floats, magnitudes: Floats | None) -> tuple[Floats, Floats]:
    values = np.asarray(values, np.float64)
    if values.ndim == 2:
        n = values.shape[1]
    else:
        n = 0
    if magnitudes is None:
        x = np.arange(n, dtype=np.float64)
    else:
        x = np.asarray(magnitudes, np.float64)
    if values.ndim != 2 or not n or x.shape != (n,) or (np.diff(x) <= 0).any():
        raise UsageError(
            f"values of shape {values.shape} with magnitudes of shape {x.shape}: give "
            "(sets, magnitudes) and ascending magnitudes"
        )
    return values, x


def _windows(x: Floats, width: float) -> tuple[Indices, Indices]:
    """Return the first and last column of each window, the narrowest of at least this width."""
    ends = np.searchsorted(x, x + width - _EXACT)
    starts = np.flatnonzero(ends < len(x))
    if not width > 0 or not len(starts):
        raise UsageError(f"window {width:g} does not fit magnitudes from {x[0]:g} to {x[-1]:g}")
    return starts, ends[starts]


def _moments(differences: Floats) -> tuple[Floats, Floats, Indices]:
    """Return mean, standard error and number of defined sets of each column."""
    moments = Moments.of(differences)
    n = (~np.isnan(differences)).sum(axis=0)
    error = np.sqrt(np.nan_to_num(moments.variance) / np.maximum(n, 1))
    return np.nan_to_num(moments.mean), error, n


def _ratio(mean: Floats, se: Floats) -> Floats:
    """Return t; without any spread, it is infinite in the direction of the mean."""
    sharp = np.maximum(se, _EXACT * _EXACT)
    return np.where(np.abs(mean) < _EXACT, 0.0, mean / sharp)


def _above(mean: Floats, se: Floats, n: Indices) -> Floats:
    """Return the one-sided p that each mean is above 0; 1 for fewer than two sets."""
    from scipy.stats import t

    p = t.sf(_ratio(mean, se), np.maximum(n - 1, 1))
    return np.where(n > 1, p, 1.0)


def _nowhere_above(beyond: Floats, reported: Floats, places: list[str]) -> Trend:
    """Test that no mean of `beyond` is above 0.

    `beyond` has one difference for each place, or two, one for either side.
    """
    mean, _, n = _moments(beyond)
    at = np.argmax(np.where(n > 0, mean, -np.inf)) % len(places)
    shown = _above(*_moments(-beyond))
    return _trend(shown, _largest(beyond), _moments(reported), at, places)


def _trend(
    shown: Floats,
    contradicted: float,
    moments: tuple[Floats, Floats, Indices],
    at: np.intp,
    places: list[str],
) -> Trend:
    from scipy.stats import t

    mean, se, n = moments
    freedom = max(int(n[at]) - 1, 1)
    detectable = float(se[at] * (t.isf(LEVEL, freedom) + t.ppf(POWER, freedom)))
    return Trend(
        float(shown.max()),
        float(contradicted),
        float(mean[at]) if n[at] else math.nan,
        detectable if n[at] > 1 else math.nan,
        places[at],
    )
