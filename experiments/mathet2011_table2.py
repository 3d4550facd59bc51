"""2011, Table 2: candidates within n·Δ∅ and times of Algorithm 1, beside exact alignment."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._random_2011 import annotation_set, moved
from gammacp.alignment import build_problem
from gammacp.alignment.solvers.greedy import unitary_alignments_within
from gammacp.continuum import Continuum
from gammacp.dissimilarity import bind
from gammacp.problems.entropy import DISSIMILARITY_2011, best_entropy

# Annotators, units each, candidates and seconds as printed ("instantané" as 0).
CASES = (
    (3, 25, 1145, 0.0),
    (3, 100, 4347, 1.0),
    (4, 100, 38_624, 5.0),
    (4, 200, 69_994, 16.0),
    (5, 25, 96_794, 9.0),
)
# How crowded and how noisy the paper's sets were is not published: one density, chosen once, has to
# give all five counts.
DENSITIES = (0.4, 0.85, 1.3)
ANCHORED = 0.85
NOISE = 1.2


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Each case at each density, ours beside theirs."""
    del data
    rows = [
        _row(n, units, density, paper_count, seconds, 1 if quick else 5)
        for n, units, paper_count, seconds in CASES
        if not (quick and n * units > 300)
        for density in ((ANCHORED,) if quick else DENSITIES)
    ]
    write_csv(out / "table2.csv", rows)


def _row(
    n: int, units: int, density: float, paper_count: int, seconds: float, sets: int
) -> dict[str, object]:
    drawn = [
        annotation_set(
            np.random.default_rng((2, i)),
            moved(NOISE),
            n_annotators=n,
            n_units=units,
            density=density,
        )
        for i in range(sets)
    ]
    means = np.array([_measured(c) for c in drawn]).mean(axis=0)
    total = (units + 1) ** n - 1
    return {
        "case": f"{n} × {units}",
        "density": density,
        "candidates": float(means[0]),
        "candidates_theirs": paper_count,
        "ratio": float(means[0]) / paper_count,
        "total": total,
        "share": float(means[0]) / total,
        "seconds_listing_and_greedy": round(float(means[1]), 4),
        "seconds_exact": round(float(means[2]), 4),
        "seconds_theirs": seconds,
        "exact_over_theirs": round(float(means[2]) / seconds, 4) if seconds else None,
        "entropy_greedy": float(means[3]),
        "entropy_exact": float(means[4]),
        "sets": sets,
    }


def _measured(c: Continuum) -> tuple[float, float, float, float, float]:
    bound = bind(DISSIMILARITY_2011, c)
    begun = time.process_time()
    within = unitary_alignments_within(
        build_problem(c, bound, prune=False), c.n_annotators * bound.delta
    )
    greedy = best_entropy(c, bound, method="greedy")
    listed = time.process_time()
    exact = best_entropy(c, bound)
    return (
        c.n_units + within.number,
        listed - begun,
        time.process_time() - listed,
        greedy.entropy,
        exact.entropy,
    )
