"""Bootstrap intervals of Krippendorff's coefficients.

Krippendorff (2006, revised 2011), "Algorithm for bootstrapping a distribution of α"; carried over
to the unitizing coefficients by Krippendorff, Mathet, Bouvry & Widlöcher (2016). The cells of the
observed coincidence matrix are drawn with replacement, each draw brings the δ² of its cell, and
the expected disagreement stays as it is: α = 1 − mean δ² / D_e.

The number of draws per resample is a choice. Krippendorff takes M = min(25·Q, pairs), where Q is
the number of non-empty cells (c ≤ k) and *pairs* is the number of compared pairs of values. For the
unitizing coefficients, a pair is an *intersection* of the sections of two annotators and not a pair
of positions: annotators decide on sections, and the interval must not depend on whether positions
are counted in seconds or in milliseconds.
"""

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratios

_CONFIDENCE = 0.95
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
    """Return the 95 % percentile interval of α; None without resamples or without any coincidence.

    Parameters
    ----------
    observed
        Observed coincidences, shape (K, K), symmetric; or the column of one category, shape (K,),
        for its (k)uα.
    squared
        Squared differences δ², of the same shape as `observed`.
    expected_disagreement
        D_e, the mean δ² of the expected coincidences, > 0.
    pairs
        Number of pairs that were compared.
    resamples
        Number of resamples; 0 means no interval.
    seed
        The same seed gives the same interval.

    As in the published algorithm, values of α below −1 are set to −1. Resamples without variation,
    whose draws all fall into one cell of the diagonal, are discarded, because α is undefined for
    them. For a single column, a resample without disagreement is perfect rather than undefined, so
    no resample is discarded.
    """
    whole("bootstrap", resamples, 0)
    weight = observed
    diagonal = np.zeros(len(observed), np.bool_)
    if observed.ndim == 2:
        upper = np.triu_indices(len(observed))
        diagonal = upper[0] == upper[1]
        squared = squared[upper]
        weight = observed[upper] * np.where(diagonal, 1.0, 2.0)
    filled = weight > 0
    share = weight[filled] / weight[filled].sum()
    squared = squared[filled]
    diagonal = diagonal[filled]
    cells = len(share)
    draws = min(25 * cells, pairs)
    if resamples == 0 or draws == 0:
        return None
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    batch = max(1, _CELLS_AT_ONCE // cells)
    alphas: list[Floats] = []
    for start in range(0, resamples, batch):
        counts = rng.multinomial(draws, share, size=min(batch, resamples - start))
        constant = (counts[:, diagonal] == draws).any(axis=1)
        # Not `counts @ squared`: the last bits of a BLAS product depend on the processor.
        mean = (counts[~constant] * squared).sum(axis=1) / draws
        alphas.append(np.maximum(ratios(mean, expected_disagreement), -1))
    drawn_values = np.concatenate(alphas)
    if not len(drawn_values):
        return None
    low, high = np.quantile(drawn_values, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    return float(low), float(high)
