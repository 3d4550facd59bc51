"""Simultaneous confidence intervals for the ranks of measures (max-t test of all pairs).

Each difference of two measures has a standard error from jackknife pseudo-values, one per set. The
order of two measures is taken as known if its |t| exceeds a critical value, which the largest |t|
of all pairs exceeds with probability `alpha` if no measures differ. The best rank of a measure is
1 + the number of measures known to be better, its worst rank the number of all measures less those
known to be worse. So all intervals hold together unless some pair is put in the wrong order.

Estimates are not corrected for bias by the pseudo-values, which only give the errors of
differences: with few skewed sets, corrected estimates are put in a wrong order too often.

References
----------
Hothorn, Bretz & Westfall 2008. Simultaneous inference in general parametric models. Biometrical
Journal 50 (max-t over pairs).
Zhang, Luo, Yu & Kim 2014 and Mohamad, Goeman & van Zwet 2022 (ranks from the order of pairs).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gammacp.base.arrays import Bools, Floats

TIE = 0.005
"""Difference of two estimates (powers) below which no order is claimed."""

_DRAWS = 1999  # Number of simulated largest |t|.
_DRAWS_AT_ONCE = 50
_SEED = 0
_NO_VARIANCE = 1e-12  # Differences of two columns that are all smaller are rounding.


def critical_value(tables: Sequence[Floats], alpha: float) -> float:
    """Return the |t| that the largest of all pairs of columns exceeds with probability `alpha`.

    The distribution is simulated with normal rows that have the covariances of the tables. The rows
    of all tables come from the same sets and depend on each other, so they are simulated together.

    Parameters
    ----------
    tables
        Values of the same sets, each of shape (sets, measures).
    alpha
        Probability of an error, in (0, 1).
    """
    n_sets = len(tables[0])
    residuals = np.hstack([table - table.mean(axis=0) for table in tables]) / np.sqrt(n_sets - 1)
    first_columns = []
    second_columns = []
    offset = 0
    for table in tables:
        n_measures = table.shape[1]
        first, second = np.triu_indices(n_measures, 1)
        first_columns.append(offset + first)
        second_columns.append(offset + second)
        offset += n_measures
    contrasts = (
        residuals[:, np.concatenate(first_columns)] - residuals[:, np.concatenate(second_columns)]
    )
    contrasts = contrasts[:, np.abs(contrasts).max(axis=0) > _NO_VARIANCE]
    if not contrasts.shape[1]:
        return 0.0
    rng = np.random.default_rng(_SEED)
    largest: list[float] = []
    while len(largest) < _DRAWS:
        size = min(_DRAWS_AT_ONCE, _DRAWS - len(largest))
        # Rows of normal noise with the covariance of the contrasts, shape (size, sets, pairs).
        simulated = rng.standard_normal((size, n_sets, n_sets)) @ contrasts
        errors = simulated.std(axis=1, ddof=1) / np.sqrt(n_sets)
        t_values = np.abs(simulated.mean(axis=1)) / errors
        largest += np.max(t_values, axis=1).tolist()
    return float(np.quantile(largest, 1 - alpha, method="higher"))


def shown_better(estimates: Floats, pseudo: Floats, critical: float) -> Bools:
    """Return which measures are shown to be better than which others, (measures, measures).

    Parameters
    ----------
    estimates
        Estimates, shape (measures,); greater is better.
    pseudo
        Jackknife pseudo-values of the estimates, shape (sets, measures).
    critical
        Result of `critical_value`.
    """
    gains = estimates[:, None] - estimates
    differences = pseudo[:, :, None] - pseudo[:, None, :]
    errors = differences.std(axis=0, ddof=1) / np.sqrt(len(pseudo))
    return np.asarray((gains > TIE) & (gains > critical * errors))


def rank_intervals(estimates: Floats, pseudo: Floats, critical: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each measure; parameters as for `shown_better`."""
    is_better = shown_better(estimates, pseudo, critical)
    n_better = is_better.sum(axis=0)
    n_worse = is_better.sum(axis=1)
    count = len(estimates)
    return [
        (1 + int(better), count - int(worse))
        for better, worse in zip(n_better, n_worse, strict=True)
    ]
