"""Invert curves: find the magnitude of errors at which γ has a given value.

γ falls as annotators err more (Mathet, Widlöcher & Métivier 2015, §6.3: it is "strictly
decreasing"), but means of a few sets for each magnitude are noisy. Therefore they are made monotone
by isotonic regression, weighted by the numbers of sets, and the polygonal line through them is
inverted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gammacp.base.arrays import Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """γ of shuffled sets against the magnitude of one error.

    Attributes
    ----------
    magnitudes
        Magnitudes, ascending from 0, shape (magnitudes,).
    sets
        γ of each set, one array for each magnitude. At magnitude 0 all annotators agree, so γ is 1.
    misfits
        Distances of the simulated annotations from the observed ones
        (`shuffling.indirect_inference.FittedSets`), shape (magnitudes,).
    residuals
        For simulated campaigns at the magnitude that was found, the difference between the γ of the
        campaign and the γ that is expected after learning a reference from it. Empty if none could
        be simulated.
    """

    magnitudes: Floats
    sets: tuple[Floats, ...]
    misfits: Floats
    residuals: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def means(self) -> Floats:
        """Mean γ at each magnitude."""
        return np.array([float(np.mean(s)) for s in self.sets])

    @property
    def smooth(self) -> Floats:
        """Mean γ at each magnitude, made monotone (never rising)."""
        return falling(self.means, np.array([float(len(s)) for s in self.sets]))

    def as_dict(self) -> list[dict[str, float]]:
        """Return a record for each magnitude: magnitude, mean, sd, smooth, sets and misfit."""
        return [
            {
                "magnitude": float(m),
                "mean": float(s.mean()),
                "sd": float(s.std(ddof=1)) if len(s) > 1 else 0.0,
                "smooth": float(v),
                "sets": len(s),
                "misfit": float(off),
            }
            for m, s, v, off in zip(
                self.magnitudes, self.sets, self.smooth, self.misfits, strict=True
            )
        ]

    @classmethod
    def start(cls, sets: int) -> Curve:
        """Return a curve with a single point at magnitude 0, where all annotators agree.

        Parameters
        ----------
        sets
            Number of sets.
        """
        return cls(np.zeros(1), (np.ones(sets),), np.zeros(1))

    def misfit_at(self, magnitude: float) -> float:
        """Return the misfit at a magnitude, interpolated; beyond the last magnitude, that of it."""
        return float(np.interp(magnitude, self.magnitudes, self.misfits))

    def with_cell(self, magnitude: float, gammas: Floats, misfit: float) -> Curve:
        """Return the curve with a further magnitude.

        Parameters
        ----------
        magnitude
            The magnitude, in [0, 1].
        gammas
            γ of the sets at that magnitude, shape (sets,).
        misfit
            Misfit of those sets.
        """
        order = int(np.searchsorted(self.magnitudes, magnitude))
        return replace(
            self,
            magnitudes=np.insert(self.magnitudes, order, magnitude),
            sets=(*self.sets[:order], gammas, *self.sets[order:]),
            misfits=np.insert(self.misfits, order, misfit),
        )


def falling(values: Floats, weights: Floats) -> Floats:
    """Return the sequence closest to `values` that never rises, in least squares with `weights`.

    Parameters
    ----------
    values
        Values to approximate, shape (points,).
    weights
        Weights of the values, > 0, shape (points,).

    >>> falling(np.array([1.0, 0.4, 0.6, 0.1]), np.ones(4))
    array([1. , 0.5, 0.5, 0.1])
    """
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(values, weights=weights, increasing=False)
    return np.asarray(fitted.x, np.float64)


def invert(magnitudes: Floats, values: Floats, target: float) -> float:
    """Return the magnitude at which a falling polygonal line reaches the value `target`.

    The result is 0 if the target is at least the first value, and ∞ if it is below the last one. If
    the line is level at the target, the result is the middle of the level stretch.

    Parameters
    ----------
    magnitudes
        Magnitudes of the points, rising, shape (points,).
    values
        Values at these magnitudes, never rising, shape (points,).
    target
        Value to find.

    >>> invert(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.6, 0.2]), 0.4)
    0.75
    """
    if target >= values[0]:
        return 0.0
    if target < values[-1]:
        return math.inf
    level = np.flatnonzero(values == target)
    if len(level):
        return float((magnitudes[level[0]] + magnitudes[level[-1]]) / 2)
    after = int(np.flatnonzero(values < target)[0])
    high = values[after - 1]
    low = values[after]
    share = (high - target) / (high - low)
    return float(magnitudes[after - 1] + share * (magnitudes[after] - magnitudes[after - 1]))


@dataclass(frozen=True, kw_only=True)
class Magnitude:
    """Magnitude at which a curve reaches a value, with its interval; ∞ if the curve ends before."""

    value: float
    low: float
    high: float


def magnitude_at(
    curve: Curve,
    target: float,
    *,
    standard_error: float = 0.0,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: Sequence[int] = (0,),
) -> Magnitude:
    """Find the magnitude at which a curve reaches the measured γ, with an interval.

    The interval contains the magnitudes that could have given this γ. It covers three sources of
    error: campaigns with the same errors differ in γ and in the reference that is learnt from them,
    the curve is estimated from a few sets, and the measured γ has a Monte-Carlo error. Each draw
    moves the means of the curve by their standard errors, moves the target by its own standard
    error and by the spread of the curve's residuals (Student's t), and inverts the curve. For a γ
    of 1, the magnitude is 0, and the interval ends where no simulated set has a γ of 1 any more.

    Parameters
    ----------
    curve
        γ against the magnitude, with the γ of each set.
    target
        The measured γ.
    standard_error
        Monte-Carlo standard error of the measured γ.
    draws, confidence, seed
        Number of draws, coverage of the interval in (0, 1), and seed of the draws.
    """
    if target >= 1:  # the interval ends at the first magnitude after the last set with γ = 1
        perfect = np.array([s.max() >= 1 for s in curve.sets])
        above = curve.magnitudes[1 + int(np.flatnonzero(perfect)[-1]) :]
        return Magnitude(value=0.0, low=0.0, high=float(above[0]) if len(above) else math.inf)
    point = invert(curve.magnitudes, curve.smooth, target)
    rng = np.random.default_rng(np.random.SeedSequence(list(seed), spawn_key=(0xCA1,)))
    moved = target + standard_error * rng.standard_normal(draws)
    if len(curve.residuals) < 2:  # the spread between campaigns is unknown
        return Magnitude(value=point, low=0.0, high=math.inf)
    # Spread about 0, not about the mean: all campaigns share the same sets, whose error is a common
    # offset that affects the user's campaign, too.
    deviation = math.sqrt(float((curve.residuals**2).mean()))
    moved += deviation * rng.standard_t(len(curve.residuals), draws)
    sizes = np.array([float(len(s)) for s in curve.sets])
    errors = np.array([float(np.std(s, ddof=1)) for s in curve.sets]) / np.sqrt(sizes)
    means = curve.means + errors * rng.standard_normal((draws, len(sizes)))
    magnitudes = [
        invert(curve.magnitudes, falling(row, sizes), float(m))
        for row, m in zip(means, moved, strict=True)
    ]
    tail = (1 - confidence) / 2
    # Do not interpolate between quantiles, because some magnitudes may be ∞.
    low, high = np.quantile(magnitudes, [tail, 1 - tail], method="nearest")
    return Magnitude(value=point, low=float(min(low, point)), high=float(max(high, point)))
