"""Mean and spread of values that may be undefined, and intervals over items.

Items are drawn with replacement, as many as there are. The interval is studentised
(`gammacp.inference.studentised`) by the error of the linearised statistic.
"""

import math
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.inference.studentised import studentised_interval
from gammacp.segmentation.measures.rows import share

# Least number of items for an interval.
FEWEST = 5


class Spread(NamedTuple):
    """Mean and population standard deviation of the defined values, and how many are undefined.

    Mean and sd are NaN where no value is defined.
    """

    mean: float
    sd: float
    undefined: int = 0


def in_words(counts: Mapping[str, int]) -> str:
    """Return the counts that are not 0 as text: `s 2, windowdiff 4`.

    Parameters
    ----------
    counts
        Counts by name.
    """
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def spread(values: Iterable[float]) -> Spread:
    """Return mean and spread of values; NaN stands for an undefined value.

    >>> spread([0.5, 1.0, math.nan])
    Spread(mean=0.75, sd=0.25, undefined=1)
    """
    listed = np.fromiter(values, np.float64)
    defined = listed[~np.isnan(listed)]
    if not len(defined):
        return Spread(math.nan, math.nan, len(listed))
    return Spread(fmean(defined.tolist()), float(np.std(defined)), len(listed) - len(defined))


def draw_items(items: int, draws: int, seed: int) -> Floats:
    """Draw weights of items, shape (1 + draws, items).

    The first row is 1 for all items; the others count how often each item is drawn with
    replacement.
    """
    drawn = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=draws)
    return np.concatenate((np.ones((1, items)), drawn))


def error_of(influences: Floats, weights: Floats) -> Floats:
    """Return the error of a statistic with these `influences` of items, shape (draws, items)."""
    items = influences.shape[-1]
    squares = np.einsum("wd,wd,wd->w", weights, influences, influences)
    return np.asarray(np.sqrt(squares * items / max(items - 1, 1)))


def fractions_apart(parts: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the difference of two fractions of weighted sums over items, and its error.

    Parameters
    ----------
    parts
        Numerator and denominator of the first, then of the second fraction, shape (4, items).
    weights
        Weights of the items, shape (draws, items).
    """
    sums = np.einsum("wd,pd->pw", weights, parts)
    ratios, per = (share(x, sums[1::2], math.nan) for x in (sums[::2], np.ones_like(sums[1::2])))
    slopes = np.stack((per[0], -ratios[0] * per[0], -per[1], ratios[1] * per[1]))
    return ratios[0] - ratios[1], error_of(np.einsum("pw,pd->wd", slopes, parts), weights)


def interval(
    values: Floats, errors: Floats, items: int, limit: float = math.inf
) -> tuple[float, float] | None:
    """Return the 95 % interval of a statistic from draws of items, within ± limit.

    None for fewer than `FEWEST` items, and where there is no value.

    Parameters
    ----------
    values, errors
        The statistic for the weights of `draw_items`, and its errors: shape (1 + draws,).
    items
        Number of items that are drawn.
    limit
        The largest magnitude that the statistic can have.
    """
    is_defined = ~np.isnan(values[1:])
    if items < FEWEST or math.isnan(values[0]) or not is_defined.any():
        return None
    drawn = values[1:][is_defined], errors[1:][is_defined]
    ends = studentised_interval(float(values[0]), float(errors[0]), *drawn, parts=items)
    low, high = np.clip(ends, -limit, limit)
    return float(low), float(high)


def difference_interval(
    parts: Floats, weights: Floats, limit: float = math.inf
) -> tuple[float, float] | None:
    """Return the `interval` of the difference of two fractions (`fractions_apart`)."""
    return interval(*fractions_apart(parts, weights), weights.shape[1], limit)
