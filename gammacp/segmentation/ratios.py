"""Differences of two fractions of sums over items, and how far they depend on the items drawn.

Items are drawn again with replacement, as many as there are. Fractions of few and skewed items are
not well served by percentiles; the interval is studentised (bootstrap-t, Efron & Tibshirani 1993,
§12.5), as that of γ: what is resampled is (difference* − difference)/error*, the error being that
of the linearised difference.
"""

from __future__ import annotations

import math

import numpy as np

from gammacp.arrays import Floats
from gammacp.segmentation.rows import share

# With fewer items there is no interval.
FEWEST = 5
# Draws of items that are all alike have no error to speak of; of more than so many, no interval.
_NO_ERROR = 1e-9
_MOST_ALIKE = 0.02


def draw_items(items: int, draws: int, seed: int) -> Floats:
    """How often each item is drawn, shape (draws, items): as many as there are, put back."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(items, np.full(items, 1 / items), size=draws).astype(np.float64)


def linearised(parts: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The difference of two fractions for weights of documents (draws, documents), and its error.

    `parts`, shape (4, documents), are the numerators and denominators of either.
    """
    sums = np.einsum("wd,pd->pw", weights, parts)
    ratios = share(sums[::2], sums[1::2], math.nan)
    left = parts[::2, None] - ratios[..., None] * parts[1::2, None]
    left = share(left, np.broadcast_to(sums[1::2, :, None], left.shape), math.nan)
    size = parts.shape[1]
    squares = np.einsum("wd,wd->w", weights, (left[0] - left[1]) ** 2)
    return ratios[0] - ratios[1], np.sqrt(squares * size / max(size - 1, 1))


def interval(parts: Floats, drawn: Floats, limit: float = math.inf) -> tuple[float, float] | None:
    """The 95 % interval of the difference from the draws, within ± limit.

    None for fewer than `FEWEST` items, and where too many draws tell nothing of the error. `parts`
    and `drawn` as `parts` and `weights` of `linearised`.
    """
    if parts.shape[1] < FEWEST:
        return None
    (value,), (error,) = linearised(parts, np.ones((1, parts.shape[1])))
    values, errors = linearised(parts, drawn)
    known = ~np.isnan(values)
    if not known.any() or math.isnan(value):
        return None
    same = np.abs(values - value) <= _NO_ERROR
    told = known & ((errors > _NO_ERROR) | same)
    if told.sum() < (1 - _MOST_ALIKE) * known.sum():
        return None
    t = np.where(same, 0.0, values - value)[told] / np.maximum(errors[told], _NO_ERROR)
    high, low = np.quantile(t, (0.025, 0.975))
    ends = np.clip((value - low * error, value - high * error), -limit, limit)
    return float(ends[0]), float(ends[1])
