"""Beyond the papers: what α over trees and accuracies give independent annotators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments import _independent_trees as processes
from experiments._independent_trees import PROCESSES
from experiments._zero import (
    Independent,
    Row,
    StudyPart,
    findings,
    ratio,
    study,
    study_measure,
)
from gammacp.measures.measuring import measure
from gammacp.trees.measures.annotations import Treebank

MEASURES = ("alpha-plain", "alpha-diff", "alpha-norm", "las")
SHOWN = ("alpha-plain", "alpha-norm", "alpha-plain by length-matched", "las by length-matched")
# Sets: a claim about a level at 5 % takes a thousand, one about power a hundred.
MOST, MOST_SHARED = 1600, 100


def parsed(treebank: Treebank, seed: int) -> dict[str, float]:
    """Every measure as it is and against sentences of the same length."""
    findings_by_name: dict[str, float] = {}
    # The published D_e is none of the questions here, and takes longer than all the rest.
    options: dict[str, Any] = {"sample_pairs": 1000, "seed": seed}
    for name, score in measure(treebank, MEASURES, beyond_chance=True, **options).items():
        findings_by_name |= findings(name, score)
        if (beyond := score.beyond_chance) is not None:
            key = f"{name} by length-matched"
            findings_by_name |= findings(key, beyond, beyond.p) | ratio(key, beyond)
            findings_by_name["equal lengths: value"] = beyond.details["equal_length"]
    return findings_by_name


study_measure("zero-trees", parsed, "trees")


def drawn(cell: str, rng: np.random.Generator) -> Treebank:
    """One set of a process; a worker that is told to draw it knows the measure of this module."""
    return processes.drawn(cell, rng)


def about(cell: str) -> Row:
    """Return the columns that describe a cell."""
    process = PROCESSES[cell]
    apart = "by place" if process.labels == "places" else ""
    return {
        "sentences": process.sentences,
        "annotators": len(process.shapes),
        "apart": f"shared {process.shared}" if process.shared else apart,
    }


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Over the processes; all of them, whatever their precision, since p is told."""
    del data
    cells = tuple(PROCESSES)[:1] if quick else tuple(PROCESSES)
    shared = tuple(cell for cell in cells if PROCESSES[cell].shared)
    alone = tuple(cell for cell in cells if cell not in shared)
    parts = (
        StudyPart("zero-trees", alone, most=MOST),
        StudyPart("zero-trees", shared, most=MOST_SHARED),
    )
    study(out, Independent("trees", drawn), parts, about, SHOWN, quick=quick)
