"""Beyond the papers: what α over trees and accuracies give independent annotators."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._zero import (
    Independent,
    Part,
    Row,
    findings,
    ratio,
    study,
    study_measure,
)
from gammacp.measures.registry import measure
from gammacp.measures.trees.annotations import Dependencies, Treebank

# Cells: lengths of sentences, from and to.
CELLS = ("3-8 tokens", "3-30 tokens", "15-40 tokens")
SENTENCES = 40
RELATIONS = 12
MEASURES = ("alpha-plain", "alpha-diff", "alpha-norm", "las")
SHOWN = ("alpha-plain", "alpha-diff", "alpha-norm", "alpha-plain by length-matched")


def drawn(cell: str, rng: np.random.Generator) -> Treebank:
    """Two annotators who attach and label without looking at the sentences."""
    low, high = lengths_of(cell)
    lengths = rng.integers(low, high + 1, size=SENTENCES)
    # Each has a taste of his or her own for relations, and for how far attachments go.
    return Treebank.from_annotations(
        {
            f"A{k}": [
                zero_sentence(int(n), rng.dirichlet(np.full(RELATIONS, 2.0)), k, rng)
                for n in lengths
            ]
            for k in (1, 2)
        }
    )


def zero_sentence(n: int, tastes: np.ndarray, reach: int, rng: np.random.Generator) -> Dependencies:
    """Tokens in random order; each is attached to one that is, nearer ones more often."""
    order = rng.permutation(n)
    heads = np.zeros(n, np.int64)
    for k in range(1, n):
        there = order[:k]
        likely = np.exp(-np.abs(there - order[k]) / reach / 2) + 1e-9
        heads[order[k]] = 1 + rng.choice(there, p=likely / likely.sum())
    labels = rng.choice(RELATIONS, size=n, p=tastes)
    return Dependencies(tuple(int(h) for h in heads), tuple(f"r{x}" for x in labels))


def lengths_of(cell: str) -> tuple[int, int]:
    """The shortest and the longest sentence."""
    low, _, high = cell.removesuffix(" tokens").partition("-")
    return int(low), int(high)


def parsed(treebank: Treebank, seed: int) -> dict[str, float]:
    """Every measure as it is and against sentences of the same length."""
    found: dict[str, float] = {}
    for name, score in measure(treebank, MEASURES, beyond_chance=True, seed=seed).items():
        found |= findings(name, score)
        if (beyond := score.beyond_chance) is not None:
            own = f"{name} by length-matched"
            found |= findings(own, beyond, beyond.p) | ratio(own, beyond)
    return found


study_measure("zero-trees", parsed, "trees")


def about(cell: str) -> Row:
    """What the columns say of a cell."""
    low, high = lengths_of(cell)
    return {"shortest": low, "longest": high}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Over lengths of sentences."""
    del data
    cells = CELLS[:1] if quick else CELLS
    part = Part("zero-trees", cells, most=400, shown=SHOWN[-1:])
    study(out, Independent("trees", drawn), (part,), about, SHOWN, quick=quick)
