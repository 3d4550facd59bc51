"""Non-crossing alignments of several kinds of data: python benchmarks/non_crossing.py [--texts N].

Each text has three annotators with about twenty units. *Overlapping* units lie anywhere, *turns*
follow one another with pauses, *segments* tile the text; all annotators mark the same units, move
their boundaries, leave one in seven out (segments: drop one boundary in seven) and change one
category in seven.
For each text: γ with and without the constraint, whether it makes the best alignment dearer and by
how much, and the same for the random sets of γ (chance `cut`, the same for both).

Writes non-crossing.csv: a row per kind, means over texts.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from alignment_case import coded

import gammacp as gc
from gammacp import datasets
from gammacp.alignment.constraints import NonCrossing
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import sample_seed

HERE = Path(__file__).parent
FIELDS = ["kind", "texts", "gamma", "gamma_non_crossing", "binding", "dearer", "random_sets"]
FIELDS += ["random_binding", "random_dearer", "not_proven", "cpu_per_alignment"]
ANNOTATORS, UNITS = 3, 20
CHANGED = 1 / 7
EQUAL = 1e-7
Draw = Callable[[np.random.Generator], gc.Continuum]


def marked(rng: np.random.Generator, starts: np.ndarray, ends: np.ndarray) -> gc.Continuum:
    """Return a text whose units every annotator marks with errors."""
    kinds = rng.integers(0, 3, len(starts))
    annotator, unit = np.nonzero(rng.random((ANNOTATORS, len(starts))) > CHANGED)
    wrong = rng.random(len(unit)) < CHANGED
    category = (kinds[unit] + wrong * rng.integers(1, 3, len(unit))) % 3
    own_starts = starts[unit] + rng.normal(0, 1, len(unit))
    own_ends = np.maximum(ends[unit] + rng.normal(0, 1, len(unit)), own_starts + 0.1)
    return coded(ANNOTATORS, own_starts, own_ends, annotator, category)


def overlapping(rng: np.random.Generator) -> gc.Continuum:
    starts = rng.uniform(0, 3 * UNITS, UNITS)
    return marked(rng, starts, starts + rng.uniform(5, 20, UNITS))


def turns(rng: np.random.Generator) -> gc.Continuum:
    lengths, pauses = rng.uniform(5, 20, (2, UNITS))
    ends = np.cumsum(lengths + pauses)
    return marked(rng, ends - lengths, ends)


def segments(rng: np.random.Generator) -> gc.Continuum:
    edges = np.cumsum(rng.uniform(5, 20, UNITS + 1))
    kinds = rng.integers(0, 3, UNITS + 1)
    columns: list[list[float]] = [[], [], [], []]
    for a in range(ANNOTATORS):
        is_kept = rng.random(UNITS + 1) > CHANGED
        is_kept[[0, -1]] = True
        moved = rng.normal(0, 1, is_kept.sum())
        moved[[0, -1]] = 0
        own_edges = np.sort(edges[is_kept] + moved)
        wrong = rng.random(len(own_edges) - 1) < CHANGED
        kind = (kinds[is_kept][:-1] + wrong * rng.integers(1, 3, len(own_edges) - 1)) % 3
        for column, values in zip(
            columns, (own_edges[:-1], own_edges[1:], [a] * len(kind), kind), strict=True
        ):
            column.extend(values)
    starts, ends, annotators, categories = map(np.array, columns)
    return coded(ANNOTATORS, starts, ends, annotators.astype(int), categories.astype(int))


KINDS: dict[str, Draw] = {
    "turns": turns,
    "segments": segments,
    "overlapping": overlapping,
}


class Tally:
    """Sums over the texts of a kind."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.gammas: list[tuple[float, float]] = []
        self.texts: list[float] = []
        self.random: list[float] = []
        self.open = 0
        self.spent: list[float] = []

    def add(self, text: gc.Continuum, samples: int) -> None:
        """Align a text and its random sets, with and without the constraint."""
        model = CHANCE_MODELS["cut"].prepare([text], text.n_annotators)
        sets = [model.draw(sample_seed(0, i)) for i in range(samples)]
        disorders = np.array([self._both(each) for each in (text, *sets)])
        free, ordered = disorders.T
        self.texts.append(ordered[0] / free[0] - 1)
        self.random += (ordered[1:] / free[1:] - 1).tolist()
        self.gammas.append((1 - free[0] / free[1:].mean(), 1 - ordered[0] / ordered[1:].mean()))

    def _both(self, text: gc.Continuum) -> tuple[float, float]:
        free = gc.align(text)
        start = time.process_time()
        ordered = gc.align(text, constraints=[NonCrossing()])
        self.spent.append(time.process_time() - start)
        self.open += ordered.status != "optimal"
        return free.disorder, ordered.disorder

    def row(self, kind: str) -> dict[str, object]:
        """Return the means."""
        free, ordered = np.mean(self.gammas, axis=0)
        return {
            "kind": kind,
            "texts": len(self.texts),
            "gamma": f"{free:.4f}",
            "gamma_non_crossing": f"{ordered:.4f}",
            "binding": f"{np.mean(np.array(self.texts) > EQUAL):.3f}",
            "dearer": f"{np.mean(self.texts):.4f}",
            "random_sets": len(self.random),
            "random_binding": f"{np.mean(np.array(self.random) > EQUAL):.3f}",
            "random_dearer": f"{np.mean(self.random):.4f}",
            "not_proven": self.open,
            "cpu_per_alignment": f"{np.mean(self.spent):.2f}",
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10, help="of every kind")
    parser.add_argument("--samples", type=int, default=20, help="random sets of each text")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    rows = []
    texts = {kind: [*range(options.texts)] for kind in KINDS}
    shipped = ["alex-paul-suzan", "dalton"]
    for kind in (*texts, *shipped):
        tally = Tally()
        if kind in KINDS:
            for seed in texts[kind]:
                tally.add(KINDS[kind](np.random.default_rng(seed)), options.samples)
        else:
            tally.add(datasets.load(kind), options.samples)
        rows.append(tally.row(kind))
        print(rows[-1], flush=True)
        with (options.out / "non-crossing.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
