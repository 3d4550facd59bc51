"""From γ at some magnitudes to the magnitude at some γ.

γ falls as annotators err more (Mathet, Widlöcher & Métivier 2015, §6.3: it is "strictly
decreasing"), but a handful of sets per magnitude are noisy. So the means are made monotone
(isotonic regression, weighted by the number of sets) and the polygon through them is inverted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.arrays import Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """γ of shuffled sets against the magnitude of one error.

    Attributes
    ----------
    magnitudes
        Ascending, from 0.
    sets
        γ of each set, one array per magnitude; at 0 everybody agrees, so it is 1.
    """

    magnitudes: Floats
    sets: tuple[Floats, ...]

    @property
    def means(self) -> Floats:
        """Mean γ per magnitude, as measured."""
        return np.array([float(np.mean(s)) for s in self.sets])

    @property
    def smooth(self) -> Floats:
        """The means made monotone (never rising)."""
        return falling(self.means, np.array([float(len(s)) for s in self.sets]))

    def as_dict(self) -> list[dict[str, float]]:
        """One point per magnitude: mean, sd, smooth, sets."""
        return [
            {
                "magnitude": float(m),
                "mean": float(s.mean()),
                "sd": float(s.std(ddof=1)) if len(s) > 1 else 0.0,
                "smooth": float(v),
                "sets": len(s),
            }
            for m, s, v in zip(self.magnitudes, self.sets, self.smooth, strict=True)
        ]

    def with_cell(self, magnitude: float, gammas: Floats) -> Curve:
        """The curve with a further magnitude.

        Parameters
        ----------
        magnitude
            In [0, 1].
        gammas
            γ of the sets at that magnitude, shape (sets,).
        """
        order = int(np.searchsorted(self.magnitudes, magnitude))
        return Curve(
            np.insert(self.magnitudes, order, magnitude),
            (*self.sets[:order], gammas, *self.sets[order:]),
        )


def falling(values: Floats, weights: Floats) -> Floats:
    """The sequence closest to `values` that never rises, in least squares with `weights`.

    Parameters
    ----------
    values
        What is to fall, shape (points,).
    weights
        Their weights, > 0, of the same shape.

    >>> falling(np.array([1.0, 0.4, 0.6, 0.1]), np.ones(4))
    array([1. , 0.5, 0.5, 0.1])
    """
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(values, weights=weights, increasing=False)
    return np.asarray(fitted.x, np.float64)


def invert(magnitudes: Floats, values: Floats, target: float) -> float:
    """Where a falling polygon through `magnitudes` and `values` takes the value `target`.

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
    high, low = values[after - 1], values[after]
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
    documents: int = 1,
    draws: int = 500,
    confidence: float = 0.95,
    seed: Sequence[int] = (0,),
) -> Magnitude:
    """Invert a curve at a measured γ.

    The interval answers "which magnitudes could have given this γ": sets of one magnitude differ
    from each other, the curve is known from a few sets only, and the measured γ has a Monte-Carlo
    error. Each draw moves the means by their standard errors, the target by its own and by the
    deviation of one set from its mean (Student's t, its spread pooled over the magnitudes around
    the crossing), and inverts.

    Parameters
    ----------
    curve
        γ over magnitudes, with its single sets.
    target
        The measured γ.
    standard_error
        Monte-Carlo standard error of the measured γ.
    documents
        How many documents the measured γ pools; deviations shrink with its square root.
    draws, confidence, seed
        How many draws, the coverage that is aimed at in (0, 1), and what the draws depend on.
    """
    point = invert(curve.magnitudes, curve.smooth, target)
    rng = np.random.default_rng(np.random.SeedSequence(list(seed), spawn_key=(0xCA1,)))
    deviation, freedom = _spread(curve, point)
    moved = target + standard_error * rng.standard_normal(draws)
    moved += deviation / math.sqrt(documents) * rng.standard_t(freedom, draws)
    sizes = np.array([float(len(s)) for s in curve.sets])
    errors = np.array([float(np.std(s, ddof=1)) for s in curve.sets]) / np.sqrt(sizes)
    means = curve.means + errors * rng.standard_normal((draws, len(sizes)))
    found = [
        invert(curve.magnitudes, falling(row, sizes), float(m))
        for row, m in zip(means, moved, strict=True)
    ]
    tail = (1 - confidence) / 2
    # Interpolation between ∞ and a number would be neither.
    low, high = np.quantile(found, [tail, 1 - tail], method="nearest")
    return Magnitude(value=point, low=float(min(low, point)), high=float(max(high, point)))


def _spread(curve: Curve, point: float) -> tuple[float, int]:
    """Standard deviation of single sets around the point, and its degrees of freedom.

    Pooled over up to two magnitudes on either side; magnitude 0, where nothing varies, is not one.
    """
    place = int(np.searchsorted(curve.magnitudes, min(point, curve.magnitudes[-1])))
    near = curve.sets[max(1, place - 2) : place + 2] or curve.sets[-1:]
    squares = sum(float(((s - s.mean()) ** 2).sum()) for s in near)
    freedom = max(1, sum(len(s) - 1 for s in near))
    return math.sqrt(squares / freedom), freedom
