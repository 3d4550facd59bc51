"""Bootstrap intervals of Krippendorff's coefficients.

Krippendorff (2006, revised 2011), "Algorithm for bootstrapping a distribution of α"; carried over
to the unitizing coefficients by Krippendorff, Mathet, Bouvry & Widlöcher (2016). The cells of the
observed coincidence matrix are drawn with replacement, each draw brings the δ² of its cell, and
the expected disagreement stays as it is: α = 1 − mean δ² / D_e.

How many draws make one resample is a choice. Krippendorff takes M = min(25·Q, pairs), Q the
number of cells (c ≤ k) that are not empty and *pairs* the number of values that were compared.
Here the pairs of unitizing coefficients are the *intersections* of two annotators' sections, not
the positions: intersections are what was decided, and the interval must not depend on whether
positions count seconds or milliseconds.
"""

from __future__ import annotations

import numpy as np

from gammacp.arguments import whole
from gammacp.arrays import Bools, Floats

_LEVEL = 0.95
_CELLS_AT_ONCE = 2**22


def bootstrap_interval(
    observed: Floats,
    squared: Floats,
    expected_disagreement: float,
    *,
    pairs: int,
    resamples: int,
    seed: int,
) -> tuple[float, float] | None:
    """The 95 % percentile interval of α; None without resamples or without any coincidence.

    Parameters
    ----------
    observed
        Observed coincidences, shape (K, K), symmetric.
    squared
        δ², shape (K, K).
    expected_disagreement
        D_e, the mean δ² of the expected coincidences, > 0.
    pairs
        How many pairs were compared.
    resamples
        How many resamples; 0 means no interval.
    seed
        The same seed gives the same interval.

    As in the published algorithm α is cut at −1, and resamples without variation, whose draws
    all fall into one cell of the diagonal, do not count: α is undefined for them.
    """
    upper = np.triu_indices(len(observed))
    weight = observed[upper] * np.where(upper[0] == upper[1], 1.0, 2.0)
    filled = weight > 0
    share = weight[filled] / weight[filled].sum()
    diagonal = (upper[0] == upper[1])[filled]
    return _interval(
        _resampled(
            share, squared[upper][filled], diagonal, expected_disagreement, pairs, resamples, seed
        )
    )


def bootstrap_column(
    observed: Floats,
    squared: Floats,
    expected_disagreement: float,
    *,
    pairs: int,
    resamples: int,
    seed: int,
) -> tuple[float, float] | None:
    """The interval of one category's (k)uα: draws come from its column, shape (K,).

    A column without disagreement is perfect rather than undefined, so no resample is left out.
    """
    filled = observed > 0
    share = observed[filled] / observed.sum()
    never = np.zeros(len(share), np.bool_)
    return _interval(
        _resampled(share, squared[filled], never, expected_disagreement, pairs, resamples, seed)
    )


def _interval(alphas: Floats) -> tuple[float, float] | None:
    if not len(alphas):
        return None
    lo, hi = np.quantile(alphas, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(lo), float(hi)


def _resampled(
    share: Floats,
    squared: Floats,
    diagonal: Bools,
    expected_disagreement: float,
    pairs: int,
    resamples: int,
    seed: int,
) -> Floats:
    whole("bootstrap", resamples, 0)
    cells = len(share)
    draws = min(25 * cells, pairs)
    if resamples == 0 or draws == 0:
        return np.empty(0)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    batch = max(1, _CELLS_AT_ONCE // cells)
    alphas = []
    for start in range(0, resamples, batch):
        counts = rng.multinomial(draws, share, size=min(batch, resamples - start))
        constant = (counts[:, diagonal] == draws).any(axis=1)
        # No counts @ squared: a BLAS product has other last bits on other processors.
        mean = (counts[~constant] * squared).sum(axis=1) / draws
        alphas.append(np.maximum(1 - mean / expected_disagreement, -1))
    return np.concatenate(alphas)
