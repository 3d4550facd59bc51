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

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratios

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
    """Return the 95 % percentile interval of α; None without resamples or without any coincidence.

    Parameters
    ----------
    observed
        Observed coincidences, shape (K, K), symmetric; or the column of one category, shape (K,),
        for its (k)uα.
    squared
        δ², of the same shape.
    expected_disagreement
        D_e, the mean δ² of the expected coincidences, > 0.
    pairs
        Number of pairs that were compared.
    resamples
        Number of resamples; 0 means no interval.
    seed
        The same seed gives the same interval.

    As in the published algorithm α is cut at −1, and resamples without variation, whose draws
    all fall into one cell of the diagonal, do not count: α is undefined for them. A column without
    disagreement is perfect rather than undefined, so none of its resamples is left out.
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
        # No counts @ squared: a BLAS product has other last bits on other processors.
        mean = (counts[~constant] * squared).sum(axis=1) / draws
        alphas.append(np.maximum(ratios(mean, expected_disagreement), -1))
    drawn_values = np.concatenate(alphas)
    if not len(drawn_values):
        return None
    low, high = np.quantile(drawn_values, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)
