"""2015, §7: does γ of segmentations depend on how unequal the sizes of segments are, as WD and GHD?

The paper says that it does not, without an experiment. Here three annotators make the same errors
in segmentations of 25 segments and 2500 positions, whose sizes are lognormal with another
coefficient of variation each time. A set has the same random numbers at each of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np

from experiments._common import MATHET_2015, in_sets, write_csv
from gammacp.base.arrays import Indices
from gammacp.base.plots import COLOURS, MARKERS, figure
from gammacp.bench.figures import measure_title
from gammacp.continuum import Continuum
from gammacp.dissimilarity import Combined
from gammacp.measures.measuring import measure

SEGMENTS, MASS, ANNOTATORS = 25, 2500, 3
VARIATION = (0.0, 0.25, 0.5, 1.0, 1.5)
"""Coefficients of variation of the law of sizes; that of 25 sizes is less where it is large."""
MEASURES = ("gamma", "windowdiff", "ghd")
DISORDERS = ("observed disorder", "expected disorder")
MISSED, MOVED = 0.3, 0.4
"""Probability that a boundary is missed; greatest shift, in sizes of a segment."""
SETS, SAMPLES = 40, 19

Rng = np.random.Generator
Errors: TypeAlias = Callable[[Indices, Rng], Indices]


def boundaries_of(variation: float, rng: Rng) -> Indices:
    """Return the inner boundaries of segments whose sizes vary so much, all different."""
    spread = np.sqrt(np.log1p(variation**2))
    sizes = np.exp(spread * rng.standard_normal(SEGMENTS))
    # Every segment has four positions at least, so that none vanishes when boundaries move.
    whole = 4 + sizes * (MASS - 4 * SEGMENTS) / sizes.sum()
    boundaries: Indices = np.round(np.cumsum(whole))[:-1].astype(np.int64)
    return boundaries


def missed(boundaries: Indices, rng: Rng) -> Indices:
    """Miss each boundary with the same probability."""
    return boundaries[rng.random(len(boundaries)) >= MISSED]


def moved_by_size(boundaries: Indices, rng: Rng) -> Indices:
    """Move each boundary by a share of the smaller one of its two segments."""
    sizes = np.diff(boundaries, prepend=0, append=MASS)
    smaller = np.minimum(sizes[:-1], sizes[1:])
    shifts = np.round(MOVED * smaller * rng.uniform(-1, 1, len(boundaries)))
    return _ordered(boundaries + shifts)


def moved_alike(boundaries: Indices, rng: Rng) -> Indices:
    """Move each boundary by a share of the mean size, whatever the sizes of its segments."""
    shifts = np.round(MOVED * MASS / SEGMENTS * rng.uniform(-1, 1, len(boundaries)))
    return _ordered(boundaries + shifts)


def _ordered(boundaries: np.ndarray) -> Indices:
    """Return boundaries in order and inside; those that meet are one."""
    inside: Indices = np.unique(boundaries.clip(1, MASS - 1)).astype(np.int64)
    return inside


ERRORS: Mapping[str, Errors] = {
    "boundaries missed": missed,
    "moved by a share of the segment": moved_by_size,
    "moved by the same amount": moved_alike,
}


def annotated(error: str, variation: float, number: int) -> Continuum:
    """Draw the segmentations of one set."""
    truth = boundaries_of(variation, np.random.default_rng([7, number]))
    rows: list[tuple[str, float, float]] = []
    for k in range(ANNOTATORS):
        rng = np.random.default_rng([7, number, k])
        edges = [0, *ERRORS[error](truth, rng).tolist(), MASS]
        rows += [(f"A{k}", a, b) for a, b in pairwise(edges)]
    names, starts, ends = zip(*rows, strict=True)
    return Continuum.from_columns(names, [None] * len(names), starts, ends, bounds=(0, MASS))


def values_of(error: str, variation: float, sets: int) -> dict[str, list[float]]:
    """Return the values of all sets by measure, and the two disorders of γ."""
    found: dict[str, list[float]] = {name: [] for name in (*MEASURES, *DISORDERS)}
    options = {**MATHET_2015, "dissimilarity": Combined(beta=0), "samples": SAMPLES}
    for number in range(sets):
        scores = measure(annotated(error, variation, number), MEASURES, seed=number, **options)
        for name, score in scores.items():
            found[name].append(score.value)
        gamma = scores["gamma"]
        for name, disorder in zip(DISORDERS, (gamma.observed, gamma.expected), strict=True):
            found[name].append(math.nan if disorder is None else disorder)
    return found


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`sizes.csv`: means by coefficient of variation; `change.csv`: less those of equal sizes."""
    del data
    sets = 3 if quick else SETS
    rows: list[dict[str, object]] = []
    changes: list[dict[str, object]] = []
    for error in ERRORS:
        values = {variation: values_of(error, variation, sets) for variation in VARIATION}
        for name in (*MEASURES, *DISORDERS):
            equal = np.array(values[0.0][name])
            for variation in VARIATION:
                mine = np.array(values[variation][name])
                cell = {"error": error, "measure": name, "variation": variation}
                rows.append(_row(cell, mine))
                if variation:
                    changes.append(_row(cell, mine - equal))
        write_csv(out / "sizes.csv", rows)
        write_csv(out / "change.csv", changes)
    _draw(out / "sizes", rows)


def _row(cell: Mapping[str, object], values: np.ndarray) -> dict[str, object]:
    error = float(values.std(ddof=1)) / np.sqrt(len(values))
    return {
        **cell,
        "mean": float(values.mean()),
        "standard_error": float(error),
        "values": in_sets(values.tolist()),
    }


def _draw(stem: Path, rows: list[dict[str, object]]) -> None:
    """Draw a line per measure; the line style tells the errors apart."""
    styles = dict(zip(ERRORS, ("-", "--", ":"), strict=True))
    with figure(stem, width=6.4, height=4.0) as axes:
        for k, name in enumerate(MEASURES):
            for error, style in styles.items():
                mine = [r for r in rows if (r["measure"], r["error"]) == (name, error)]
                axes.plot(
                    [float(str(r["variation"])) for r in mine],
                    [float(str(r["mean"])) for r in mine],
                    style,
                    marker=MARKERS[k],
                    color=COLOURS[k],
                    label=f"{measure_title(name)}, {error}",
                )
        axes.set_ylim(-0.05, 1.05)
        axes.set_xlabel("coefficient of variation of segment sizes")
        axes.set_ylabel("agreement")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize="small")
