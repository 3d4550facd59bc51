"""Beyond the papers: what γ and its rivals give independent annotators of one continuum."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._independent import PROCESSES, continuum, worded
from experiments._zero import (
    FEWEST_SAMPLES,
    SAMPLES,
    Independent,
    Row,
    StudyPart,
    findings,
    limit_of,
    ratio,
    study,
    study_measure,
)
from gammacp.continuum import Continuum
from gammacp.measures.measuring import measure
from gammacp.measures.score import Score

# Cells: process, annotators × units per annotator; "declared" bounds are those of the process.
CELLS = (
    "like 3x3", "like 3x5", "unlike 3x5", "overlaps 3x5", "unlike 2x10", "like 8x10",
    "unlike 2x20", "like 3x20", "unlike 3x20", "unlike 3x20 declared", "bursts 3x20",
    "regular 3x20", "overlaps 3x20", "nested 3x20", "tokens 3x20", "tiled 3x20",
    "one sparse 3x20", "cut off 3x20 declared", "unlike 5x20", "like 10x20", "unlike 3x60",
    "overlaps 3x60", "tiled 3x60", "cut off 3x60 declared", "unlike 3x300",
    "even tiles 2x20", "even tiles cut off 2x20 declared", "even tiles cut off 2x8 declared",
    "own tiles cut off 3x20 declared", "rhythm 2x20", "rhythm 3x20 declared", "mixed rhythms 3x20",
    "words 3x20", "sentences 3x20", "stopping told 3x20 declared", "quota told 3x20 declared",
    "reading half 3x20 declared", "stopping 3x20 declared", "quota 3x20 declared",
    "fatigue 3x20 declared",
)  # fmt: skip
# Where all that can be said of other measures and models is computed too.
COMPARED = (
    "like 3x5", "like 3x20", "unlike 3x20", "bursts 3x20", "overlaps 3x20", "tiled 3x20",
)  # fmt: skip
# Ten annotators' random sets take half of all the time.
CROWDS = ("like 10x20",)
OTHERS = ("ser", "f1-overlap", "f1-exact", "kappa-d", "u-alpha", "u-alpha-2013", "cu-alpha")
MODELS = ("shift", "statistical", "non-overlapping")
SHOWN = ("gamma by cut", "gamma-cat by cut")


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """Draw the annotators of a cell."""
    people, n, units, declared = parsed(cell)
    if people in ("words", "sentences"):
        return worded(people, n, units, rng)
    return continuum(PROCESSES[people](n), units, rng, declared=declared)


def parsed(cell: str) -> tuple[str, int, int, bool]:
    """Process, annotators, units per annotator and whether bounds are declared."""
    name = cell.removesuffix(" declared")
    people, _, size = name.rpartition(" ")
    n, _, units = size.partition("x")
    return people, int(n), int(units), name != cell


def of_gamma(c: Continuum, model: str, samples: int, seed: int, *measures: str) -> dict[str, Score]:
    """γ's family by one model, under the names of the study."""
    scores = measure(c, measures, samples=samples, seed=seed, chance=model)
    return {f"{name} by {model}": score for name, score in scores.items()}


def on_average(c: Continuum, seed: int) -> dict[str, float]:
    """γ and γ_cat by `cut`, and γ by `shift`."""
    scores = of_gamma(c, "cut", FEWEST_SAMPLES, seed, "gamma", "gamma-cat")
    if not c.read_until:
        scores |= of_gamma(c, "shift", FEWEST_SAMPLES, seed, "gamma")
    return {key: v for name, s in scores.items() for key, v in ratio(name, s).items()}


def by_default(c: Continuum, seed: int) -> dict[str, float]:
    """γ and γ_cat as they are printed."""
    scores = of_gamma(c, "cut", SAMPLES, seed, "gamma", "gamma-cat")
    return {
        key: v
        for name, score in scores.items()
        for key, v in findings(name, score, getattr(score, "p", None)).items()
    }


def by_model(c: Continuum, seed: int) -> dict[str, float]:
    """γ by other models."""
    findings_by_name: dict[str, float] = {}
    for model in MODELS:
        for name, score in of_gamma(c, model, SAMPLES, seed, "gamma").items():
            ratios = ratio(name, score) if model != "shift" else {}
            findings_by_name |= findings(name, score, getattr(score, "p", None)) | ratios
    return findings_by_name


def others(c: Continuum, seed: int) -> dict[str, float]:
    """Return the other measures as they are, and beyond chance."""
    findings_by_name: dict[str, float] = {}
    scores = measure(c, OTHERS, beyond_chance=True, chance="cut", samples=SAMPLES, seed=seed)
    for name, score in scores.items():
        findings_by_name |= findings(name, score)
        if (beyond := score.beyond_chance) is not None:
            key = f"{name} by cut"
            findings_by_name |= findings(key, beyond, beyond.p) | ratio(key, beyond)
    return findings_by_name


study_measure("zero-mean", on_average)
study_measure("zero-gamma", by_default)
study_measure("zero-models", by_model)
study_measure("zero-others", others)


def about(cell: str) -> Row:
    """Return the columns that describe a cell."""
    people, n, units, declared = parsed(cell)
    return {"process": people, "annotators": n, "units": units, "declared": declared}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Every cell with γ and γ_cat by `cut`; the smaller ones with other models and measures."""
    del data
    cells = CELLS[1:2] if quick else CELLS
    compared = tuple(c for c in COMPARED if c in cells)
    parts = (
        StudyPart(
            "zero-mean", cells, most=1600, shown=SHOWN[:1], limit=lambda c: limit_of(parsed(c)[2])
        ),
        StudyPart("zero-gamma", tuple(c for c in cells if c not in CROWDS), most=100),
        StudyPart("zero-models", compared, most=200),
        StudyPart("zero-others", compared, most=200),
    )
    study(
        out, Independent("continua", drawn), parts, about, ("gamma by shift", *SHOWN), quick=quick
    )
