"""Inversion of curves: the magnitude at which γ has a given value.

γ falls as annotators err more (Mathet, Widlöcher & Métivier 2015, §6.3: it is "strictly
decreasing"), but a handful of sets per magnitude are noisy. So the means are made monotone
(isotonic regression, weighted by the number of sets) and the polygon through them is inverted.
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
        Ascending, from 0.
    sets
        γ of each set, one array per magnitude; at 0 everybody agrees, so it is 1.
    misfits
        Distances of the simulated annotations from the observed ones
        (`shuffling.before_errors.Fitted`), shape (magnitudes,).
    residuals
        Distances of γ of simulated campaigns, at the magnitude that was found, from the curve that
        is learnt from each. Empty where nothing varies.
    """

    magnitudes: Floats
    sets: tuple[Floats, ...]
    misfits: Floats
    residuals: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def means(self) -> Floats:
        """Mean γ per magnitude, as measured."""
        return np.array([float(np.mean(s)) for s in self.sets])

    @property
    def smooth(self) -> Floats:
        """The means made monotone (never rising)."""
        return falling(self.means, np.array([float(len(s)) for s in self.sets]))

    def as_dict(self) -> list[dict[str, float]]:
        """One point per magnitude: mean, sd, smooth, sets, misfit."""
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
        """Return the curve's point at magnitude 0, where everybody agrees.

        Parameters
        ----------
        sets
            Number of sets.
        """
        return cls(np.zeros(1), (np.ones(sets),), np.zeros(1))

    def misfit_at(self, magnitude: float) -> float:
        """Return the misfit next to a magnitude; of the last one beyond it."""
        return float(np.interp(magnitude, self.magnitudes, self.misfits))

    def with_cell(self, magnitude: float, gammas: Floats, misfit: float) -> Curve:
        """Return the curve with a further magnitude.

        Parameters
        ----------
        magnitude
            In [0, 1].
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
        Values that are to fall, shape (points,).
    weights
        Their weights, > 0, of the same shape.

    >>> falling(np.array([1.0, 0.4, 0.6, 0.1]), np.ones(4))
    array([1. , 0.5, 0.5, 0.1])
    """
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(values, weights=weights, increasing=False)
    return np.asarray(fitted.x, np.float64)


def invert(magnitudes: Floats, values: Floats, target: float) -> float:
    """Return where a falling polygon through `magnitudes` and `values` takes the value `target`.

    Returns 0 above its first value, ∞ below its last one, and the middle of a level stretch.

    Parameters
    ----------
    magnitudes
        Rising, shape (points,).
    values
        Falling, of the same shape.
    target
        The value to be found.

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
    """The magnitude at which a curve takes a value, with its interval; ∞ is "beyond 1"."""

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
    """Invert a curve at a measured γ.

    The interval answers "which magnitudes could have given this γ": a campaign's γ is not that of
    another one, nor is the reference that is learnt from it, the curve is known from a few sets
    only, and the measured γ has a Monte-Carlo error. Each draw moves the means by their standard
    errors, the target by its own and by the spread of the curve's residuals (Student's t), and
    inverts. A γ of 1 needs no error; its interval ends where no simulated set has it any more.

    Parameters
    ----------
    curve
        γ over magnitudes, with its single sets.
    target
        The measured γ.
    standard_error
        Monte-Carlo standard error of the measured γ.
    draws, confidence, seed
        Number of draws, the coverage that is aimed at in (0, 1), and numbers that the draws depend
        on.
    """
    if target >= 1:  # from where on no set has such a γ
        perfect = np.array([s.max() >= 1 for s in curve.sets])
        above = curve.magnitudes[1 + int(np.flatnonzero(perfect)[-1]) :]
        return Magnitude(value=0.0, low=0.0, high=float(above[0]) if len(above) else math.inf)
    point = invert(curve.magnitudes, curve.smooth, target)
    rng = np.random.default_rng(np.random.SeedSequence(list(seed), spawn_key=(0xCA1,)))
    moved = target + standard_error * rng.standard_normal(draws)
    if len(curve.residuals) < 2:  # how far a campaign may be off is not known
        return Magnitude(value=point, low=0.0, high=math.inf)
    # About 0, not about their mean: the sets that all of them share are off for the user, too.
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
    # Interpolation between ∞ and a number would be neither.
    low, high = np.quantile(magnitudes, [tail, 1 - tail], method="nearest")
    return Magnitude(value=point, low=float(min(low, point)), high=float(max(high, point)))
