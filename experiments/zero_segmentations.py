"""Beyond the papers: what measures of segmentation give independent coders."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments import _independent_coders as processes
from experiments._independent_coders import PROCESSES, codings_of
from experiments._zero import (
    SAMPLES,
    Independent,
    Row,
    StudyPart,
    findings,
    ratio,
    study,
    study_measure,
)
from gammacp.chance.beyond import BeyondChance
from gammacp.chance.expected import SampleRule
from gammacp.continuum import Continuum
from gammacp.segmentation import measures_beyond_chance

SHOWN = ("pi_s", "s by turned", "windowdiff by turned", "pk by turned", "ghd by turned")
# Sets: a claim about a level at 5 % takes a thousand, one about power some hundreds.
MOST, MOST_SHARED = 1600, 200


def coded(c: Continuum, seed: int) -> dict[str, float]:
    """Every measure as it is and against the coders' own segmentations turned."""
    findings_by_name: dict[str, float] = {}
    measures = measures_beyond_chance(codings_of(c), rule=SampleRule(samples=SAMPLES), seed=seed)
    for name, m in measures.items():
        key = f"{name} by turned"
        findings_by_name |= findings(name, BeyondChance(value=m.value))
        findings_by_name |= findings(key, m.beyond_chance, m.beyond_chance.p) | ratio(
            key, m.beyond_chance
        )
    return findings_by_name


study_measure("zero-segmentations", coded)


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """One set of a process; a worker that is told to draw it knows the measure of this module."""
    return processes.drawn(cell, rng)


def about(cell: str) -> Row:
    """Return the columns that describe a cell."""
    process = PROCESSES[cell]
    items, coders = len(process.masses), len(process.means)
    return {"items": items, "coders": coders, "apart": process.apart}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Over the processes; all of them, whatever their precision, since p is told."""
    del data
    cells = tuple(PROCESSES)[2:3] if quick else tuple(PROCESSES)
    shared = tuple(cell for cell in cells if PROCESSES[cell].shared)
    alone = tuple(cell for cell in cells if cell not in shared)
    parts = (
        StudyPart("zero-segmentations", alone, most=MOST),
        StudyPart("zero-segmentations", shared, most=MOST_SHARED),
    )
    study(out, Independent("segmentations", drawn), parts, about, SHOWN, quick=quick)
