"""2012, Table 1: how stable WD and S are when segment sizes vary (simulation).

1000 segments, sizes uniform in a range; a hypothesis drops each boundary with p = .5 (1: false
negatives), has one more, uniformly placed, in each segment with p = .5 (2: false positives), or
both (3). 10 trials of 100 hypotheses. The paper leaves open: whether sizes are whole and ranges
include their ends (here yes, as the boundaries), whether the hypotheses of a trial share their
reference (yes), where an added boundary may fall (any place inside the segment), what happens in
segments too short for one (nothing), and of what the standard deviation is (all hypotheses).

The mean segment of 25 is the worst there is for WD: k is 12 or 13, as the draw of the reference
has it, and WD with it some 10 % lower or higher. So a printed WD is a mixture of the two, and
`share_of_13` is the mixture that would give it; of ten references about half have k = 13.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import write_csv
from experiments._fournier import published_window_diff
from gammacp.base.arrays import Indices
from gammacp.base.plots import COLOURS, can_plot, figure
from gammacp.pools import open_pool
from gammacp.segmentation import (
    Segmentation,
    boundary_similarity,
    segmentation_similarity,
    window_diff,
)

SEGMENTS = 1000
RATE = 0.5
SCENARIOS = {"FN": (True, False), "FP": (False, True), "FP and FN": (True, True)}
# Mean and standard deviation as printed: (scenario, range) → WD, its sd, S, its sd.
PRINTED = {
    ("FN", "20–30"): (0.2340, 0.0113, 0.9801, 0.0006),
    ("FN", "15–35"): (0.2292, 0.0104, 0.9801, 0.0006),
    ("FN", "10–40"): (0.2297, 0.0105, 0.9799, 0.0007),
    ("FN", "5–45"): (0.2206, 0.0079, 0.9796, 0.0007),
    ("FP", "20–30"): (0.2265, 0.0114, 0.9800, 0.0006),
    ("FP", "15–35"): (0.2265, 0.0111, 0.9800, 0.0006),
    ("FP", "10–40"): (0.2256, 0.0102, 0.9800, 0.0006),
    ("FP", "5–45"): (0.2184, 0.0069, 0.9796, 0.0007),
    ("FP and FN", "20–30"): (0.3635, 0.0126, 0.9605, 0.0009),
    ("FP and FN", "15–35"): (0.3599, 0.0117, 0.9603, 0.0009),
    ("FP and FN", "10–40"): (0.3516, 0.0110, 0.9606, 0.0010),
    ("FP and FN", "5–45"): (0.3254, 0.0087, 0.9598, 0.0011),
}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """One row per scenario and range: mean, sd over hypotheses, the error of the mean of trials."""
    del data
    trials, hypotheses = (3, 10) if quick else (10, 100)
    cells = np.random.SeedSequence(2012).spawn(len(PRINTED))
    with open_pool() as pool:
        trials_by_cell = {
            key: [
                pool.executor.submit(trial, seed, *key, hypotheses) for seed in cell.spawn(trials)
            ]
            for key, cell in zip(PRINTED, cells, strict=True)
        }
        rows = [
            {"scenario": key[0], "sizes": key[1]}
            | summary(np.array([values.result() for values in mine]), PRINTED[key])
            for key, mine in trials_by_cell.items()
        ]
    write_csv(out / "table1.csv", rows)
    if can_plot():
        _plot(out / "table1", rows)


def trial(
    seed: np.random.SeedSequence, scenario: str, span: str, hypotheses: int
) -> list[tuple[float, ...]]:
    """WD as published (also with k = 12 and 13), by eq. 1, S and B, per hypothesis."""
    rng = np.random.default_rng(seed)
    sizes = [int(x) for x in span.split("–")]
    masses = rng.integers(sizes[0], sizes[1] + 1, SEGMENTS)
    ends = np.cumsum(masses)
    mass = int(ends[-1])
    reference = Segmentation.from_positions(ends[:-1].tolist(), mass=mass)
    rows: list[tuple[float, ...]] = []
    for _ in range(hypotheses):
        places = erred(rng, masses, ends, *SCENARIOS[scenario])
        hypothesis = Segmentation.from_positions(places.tolist(), mass=mass)
        rows.append(
            (
                published_window_diff(reference, hypothesis),
                window_diff(reference, hypothesis, k=12 - 1),
                window_diff(reference, hypothesis, k=13 - 1),
                window_diff(reference, hypothesis),
                segmentation_similarity(reference, hypothesis).value,
                boundary_similarity(reference, hypothesis).value,
            )
        )
    return rows


def erred(
    rng: np.random.Generator, masses: Indices, ends: Indices, drop: bool, add: bool
) -> Indices:
    """Return the reference's boundaries after false negatives and false positives."""
    places = ends[:-1]
    if drop:
        places = places[rng.random(len(places)) >= RATE]
    if add:
        chosen = (rng.random(len(masses)) < RATE) & (masses > 1)
        inside = ends[chosen] - rng.integers(1, masses[chosen])
        places = np.union1d(places, inside)
    return places


def summary(values: np.ndarray[Any, Any], printed: tuple[float, ...]) -> dict[str, Any]:
    """Means over trials × hypotheses beside what is printed.

    The error of a mean is that over trials, since all hypotheses of a trial share their reference.
    """
    by_trial = values.mean(axis=1)
    mean, sd = by_trial.mean(axis=0), values.std(axis=(0, 1))
    error = by_trial.std(axis=0, ddof=1) / np.sqrt(len(values))
    row: dict[str, Any] = {}
    for i, name in enumerate(("wd", "wd_12", "wd_13", "wd_eq1", "s", "b")):
        row |= {name: mean[i], f"{name}_sd": sd[i], f"{name}_error": error[i]}
    row |= {"printed_wd": printed[0], "printed_wd_sd": printed[1]}
    row |= {"printed_s": printed[2], "printed_s_sd": printed[3]}
    row["share_of_13"] = (printed[0] - mean[1]) / (mean[2] - mean[1])
    row["s_minus_printed"] = mean[4] - printed[2]
    return row


def _plot(stem: Path, rows: list[dict[str, Any]]) -> None:
    with figure(stem, width=8.4, columns=2) as axes:
        labels = [f"{row['scenario']}, {row['sizes']}" for row in rows]
        for panel, name in zip(axes, ("wd", "s"), strict=True):
            at = np.arange(len(rows))
            for offset, prefix, colour, label in (
                (-0.12, "", COLOURS[0], "here"),
                (0.12, "printed_", COLOURS[1], "printed"),
            ):
                panel.errorbar(
                    [row[prefix + name] for row in rows],
                    at + offset,
                    xerr=[row[f"{prefix}{name}_sd"] for row in rows],
                    fmt="o",
                    color=colour,
                    label=label,
                )
            panel.set(title={"wd": "WD", "s": "S"}[name], yticks=at)
            panel.invert_yaxis()
        axes[0].set_yticklabels(labels)
        axes[1].set_yticklabels([])
        axes[0].legend()
