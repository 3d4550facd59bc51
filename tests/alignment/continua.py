"""Random continua of many shapes, for comparisons of solvers."""

import numpy as np

from gammacp import Combined, Continuum

DISSIMILARITIES = (
    Combined(),
    Combined(alpha=3),
    Combined(beta=0),
    Combined(alpha=0.2, beta=3),
    Combined(f_cat="steep"),
    Combined(positional="sporadic-2011", delta=4),
    Combined(positional="hamming"),
    Combined(categorial="ordinal", delta=2),
)


def random_continuum(seed: int, n_annotators: int, n_units: int) -> Continuum:
    """Return a random continuum with unlabelled units, points and duplicates.

    It is dense or sparse by chance, and some annotators may have no units.
    """
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, rng.integers(2, 60), n_units).astype(float)
    lengths = rng.integers(rng.integers(0, 2), 8, n_units)
    lengths[0] = 3
    return Continuum.from_codes(
        tuple(f"A{i}" for i in range(n_annotators)),
        ("a", "b", "c"),
        starts,
        starts + lengths,
        rng.integers(0, n_annotators, n_units),
        rng.integers(-1, 3, n_units),
    )
