"""Simultaneous intervals of ranks from values of single sets (max-t over all pairs).

The intervals hold simultaneously if no two measures are put in a wrong order. Each difference of
two measures has a standard error from jackknife pseudo-values, one per set. The order of two
measures is taken as known if its |t| exceeds a critical value, which the largest |t| of all pairs
exceeds with probability `level` if no measures differ. The best rank of a measure is 1 + the number
of measures known to be better, its worst rank the number of all measures less those known to be
worse.

References
----------
Hothorn, Bretz & Westfall 2008 (max-t over pairs); Zhang, Luo, Yu & Kim 2014; Mohamad, Goeman & van
Zwet 2022 (ranks from it).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gammacp.base.arrays import Bools, Floats

TIE = 0.005
"""Difference of two powers below which no order is claimed."""

_DRAWS = 1999
_AT_ONCE = 50
_SEED = 0
_EXACT = 1e-12


def critical_value(tables: Sequence[Floats], level: float) -> float:
    """Return the |t| that the largest of all pairs of columns exceeds with probability `level`.

    The distribution is simulated with normal rows that have the covariances of the tables. The rows
    of all tables come from the same sets, so that the tables depend on each other.

    Parameters
    ----------
    tables
        Values of the same sets, each of shape (sets, measures).
    level
        Probability of an error, in (0, 1).
    """
    sets = len(tables[0])
    widths = [table.shape[1] for table in tables]
    residuals = np.hstack([table - table.mean(axis=0) for table in tables]) / np.sqrt(sets - 1)
    ends = np.cumsum(widths)
    pairs = [np.triu_indices(width, 1) for width in widths]
    first, second = (
        np.concatenate(
            [end - width + p[k] for end, width, p in zip(ends, widths, pairs, strict=True)]
        )
        for k in (0, 1)
    )
    contrasts = residuals[:, first] - residuals[:, second]
    contrasts = contrasts[:, np.abs(contrasts).max(axis=0) > _EXACT]
    if not contrasts.shape[1]:
        return 0.0
    rng = np.random.default_rng(_SEED)
    largest: list[float] = []
    while len(largest) < _DRAWS:
        size = min(_AT_ONCE, _DRAWS - len(largest))
        drawn = rng.standard_normal((size, sets, sets)) @ contrasts
        error = drawn.std(axis=1, ddof=1) / np.sqrt(sets)
        largest += np.max(np.abs(drawn.mean(axis=1)) / error, axis=1).tolist()
    return float(np.quantile(largest, 1 - level, method="higher"))


def better(estimates: Floats, pseudo: Floats, critical: float) -> Bools:
    """Return which measures are shown to be better than which others, (measures, measures).

    Parameters
    ----------
    estimates
        Estimates, shape (measures,); greater is better. They are not corrected for bias by the
        pseudo-values, which only give the errors of differences: with few skewed sets, corrected
        estimates are put in a wrong order too often.
    pseudo
        Jackknife pseudo-values of the estimates, shape (sets, measures).
    critical
        Result of `critical_value`.
    """
    gain = estimates[:, None] - estimates
    differences = pseudo[:, :, None] - pseudo[:, None, :]
    error = differences.std(axis=0, ddof=1) / np.sqrt(len(pseudo))
    is_better: Bools = (gain > TIE) & (gain > critical * error)
    return is_better


def rank_intervals(estimates: Floats, pseudo: Floats, critical: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each measure; parameters as for `better`."""
    is_better = better(estimates, pseudo, critical)
    ahead = is_better.sum(axis=0)
    behind = is_better.sum(axis=1)
    count = len(estimates)
    return [(1 + int(a), count - int(b)) for a, b in zip(ahead, behind, strict=True)]
