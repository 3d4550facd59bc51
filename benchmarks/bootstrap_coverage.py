"""How often the bootstrap interval of γ holds the true value, for few parts of several kinds.

Parts are drawn from populations whose γ is known: documents of unequal size, documents of which a
few are bad, documents where the larger ones are worse, unitary alignments that are mostly perfect,
and unitary alignments whose neighbours are alike. 1000 samples of each size; the interval aims
at .95.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gammacp.arrays import Floats
from gammacp.measures.contributions import Contributions
from gammacp.measures.resampling import interval_of_gamma

SIZES = (5, 8, 10, 15, 20, 30, 60, 150)
SAMPLES = 1000
DRAWS = 1000
Population = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def unequal(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Documents of unequal size and much the same disorder."""
    expected = rng.lognormal(0, 0.5, n)
    return expected * rng.beta(2, 4, n), expected


def few_bad(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """One document of seven is at chance."""
    expected = rng.lognormal(0, 0.5, n)
    bad = rng.random(n) < 0.15
    return expected * np.where(bad, rng.uniform(0.6, 1.4, n), rng.beta(2, 8, n)), expected


def large_worse(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """The larger a document, the worse."""
    expected = rng.lognormal(0, 0.8, n)
    worse = 0.2 + 0.3 * expected / (1 + expected) + rng.normal(0, 0.1, n)
    return expected * np.maximum(worse, 0), expected


def passages(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Unitary alignments of three annotators, a quarter of them with an empty unit."""
    full = rng.random(n) < 0.75
    observed = np.where(rng.random(n) < 0.5, 0.0, rng.beta(1, 6, n))
    return np.where(full, observed, rng.uniform(0.66, 1, n)), np.where(full, 0.9, 0.6)


def alike(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """The same, but an annotator loses the thread for four unitary alignments on average."""
    lost = np.empty(n, np.bool_)
    now = rng.random() < 0.25
    for i in range(n):
        now = rng.random() > 0.25 if now else rng.random() < 0.25 / 3
        lost[i] = now
    observed = np.where(rng.random(n) < 0.5, 0.0, rng.beta(1, 6, n))
    return np.where(lost, rng.uniform(0.66, 1, n), observed), np.where(lost, 0.6, 0.9)


POPULATIONS: dict[str, tuple[str, Population]] = {
    "documents of unequal size": ("documents", unequal),
    "a few bad documents": ("documents", few_bad),
    "larger documents worse": ("documents", large_worse),
    "unitary alignments": ("unitary alignments", passages),
    "unitary alignments, neighbours alike": ("unitary alignments", alike),
}


def coverage(kind: str, population: Population, size: int) -> tuple[float, float]:
    """Share of samples whose interval holds the true γ, and the interval's median width."""
    rng = np.random.default_rng([size, len(kind)])
    observed, expected = population(rng, 400_000)
    true = 1 - observed.sum() / expected.sum()
    held, widths = 0, []
    for sample in range(SAMPLES):
        found = interval_of_gamma(
            Contributions(*population(rng, size), kind), draws=DRAWS, seed=sample
        )
        held += found.low <= true <= found.high
        widths.append(found.high - found.low)
    return held / SAMPLES, float(np.median(widths))


def main() -> None:
    """Print `population, parts, coverage, median width` as CSV."""
    print("population,parts,coverage,width")
    for name, (kind, population) in POPULATIONS.items():
        for size in SIZES:
            share, width = coverage(kind, population, size)
            print(f'"{name}",{size},{share:.3f},{width:.3f}', flush=True)


if __name__ == "__main__":
    main()
