"""Rates of false verdicts of "high" on other documents where some kinds of them are spoiled.

    python benchmarks/unseen_kinds.py [--runs 2000]

γ of all documents is .799, just below the bar. A share of them is of a kind with a γ of its own
(0, less, or a third of the others'), and a sample of n may contain none. Printed is how often a
verdict calls agreement on other documents high, by the interval alone and by the rule of three. In
the last rows the spoiled documents are two and four times as long as the others, which no rule
about numbers of documents can know.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.campaign.verdict import CONFIDENCE, HIGH, lowest_elsewhere
from gammacp.inference.part_tests import interval_over_documents

TRUE = HIGH - 0.001


@dataclass(frozen=True)
class Kinds:
    """Documents of which a share is spoiled.

    Attributes
    ----------
    share, gamma
        Share of the spoiled documents among all, and their γ.
    length
        Their mean length, the others' being 1.
    spread
        Standard deviation of the logarithm of a document's disorder and of its length.
    """

    share: float
    gamma: float
    length: float = 1.0
    spread: float = 0.4

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
        """Return observed and expected disorders of samples; shape (samples, documents)."""
        spoiled = rng.random(shape) < self.share
        weight = self.share * self.length
        remainder = (1 - TRUE) * (1 - self.share + weight) - weight * (1 - self.gamma)
        others = remainder / (1 - self.share)
        if others <= 0:
            raise ValueError("the spoiled documents alone have more disorder than all together")
        sizes = np.exp(self.spread * rng.standard_normal(shape) - self.spread**2 / 2)
        expected = sizes * np.where(spoiled, self.length, 1.0)
        noise = np.exp(self.spread * rng.standard_normal(shape) - self.spread**2 / 2)
        return expected * noise * np.where(spoiled, 1 - self.gamma, others), expected


def cells() -> Iterator[tuple[str, Kinds]]:
    """Yield the kinds of documents with their names."""
    for share in (0.03, 0.05, 0.10):
        for gamma in (0.0, -0.3, 0.3):
            yield f"{share:.0%} of γ {gamma:g}", Kinds(share, gamma)
    yield "10% of γ 0, all much alike", Kinds(0.10, 0.0, spread=0.1)
    yield "10% of γ 0, lengths unequal", Kinds(0.10, 0.0, spread=0.9)
    yield "14% of γ -.2, all much alike", Kinds(0.14, -0.2, spread=0.1)
    for length in (2.0, 4.0):
        yield f"5% of γ 0, {length:g} times as long", Kinds(0.05, 0.0, length)


def rates(kinds: Kinds, documents: int, runs: int) -> tuple[float, float]:
    """Return how often "high" is said by the interval alone and by the rule."""
    rng = np.random.default_rng([58, documents, runs])
    observed, expected = kinds.draw(rng, (runs, documents))
    low, _ = interval_over_documents(observed, expected, confidence=CONFIDENCE)
    ruled = np.array([lowest_elsewhere(end, documents) for end in low])
    return float((low >= HIGH).mean()), float((ruled >= HIGH).mean())


def main() -> None:
    """Print a row per kind of documents and size of the sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print("documents  spoiled                            interval alone  rule of three")
    for name, kinds in cells():
        for documents in (20, 30, 50, 100, 200):
            try:
                alone, ruled = rates(kinds, documents, runs)
            except ValueError:
                continue
            print(f"{documents:9}  {name:33}  {alone:14.3f}  {ruled:13.3f}")


if __name__ == "__main__":
    main()
