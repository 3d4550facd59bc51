"""Beyond the papers: what measures of segmentation give independent coders."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._zero import (
    SAMPLES,
    Independent,
    Part,
    Row,
    findings,
    ratio,
    study,
    study_measure,
)
from gammacp.arrays import Floats
from gammacp.chance.beyond import BeyondChance
from gammacp.chance.expected import SampleRule
from gammacp.continuum import Continuum
from gammacp.segmentation import Codings, Segmentation, measures_beyond_chance

# Cells: coders' habits and boundary rate; items × coders of a mass.
CELLS = ("like .02", "like .05", "like .1", "like .3", "unlike .1")
ITEMS, CODERS, MASS = 5, 4, 200
# Of times of the average rate; and the shape of the gamma distribution of segments' masses.
UNLIKE = (0.4, 0.8, 1.2, 2.0)
REGULARITY = 2.0
SHOWN = ("pi_s", "s by segments", "b by segments", "pk by segments")


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """What the coders of a cell did, item after item: units that cover everything."""
    habits, _, rate = cell.partition(" ")
    starts, ends, coders = [], [], []
    for item in range(ITEMS):
        for coder in range(CODERS):
            own = float(rate) * (UNLIKE[coder] if habits == "unlike" else 1.0)
            edges = np.concatenate([[0], _boundaries(own, rng), [MASS]]) + item * MASS
            starts.append(edges[:-1])
            ends.append(edges[1:])
            coders.append(np.full(len(edges) - 1, coder, np.int32))
    number = sum(len(s) for s in starts)
    return Continuum.from_codes(
        tuple(f"C{k + 1}" for k in range(CODERS)),
        (),
        np.concatenate(starts).astype(np.float64),
        np.concatenate(ends).astype(np.float64),
        np.concatenate(coders),
        np.full(number, -1, np.int32),
    )


def _boundaries(rate: float, rng: np.random.Generator) -> Floats:
    """Places after which a coder's segments end; segments at either end of an item are torn."""
    many = int(3 * MASS * rate) + 40
    masses = np.maximum(1, np.round(rng.gamma(REGULARITY, 1 / rate / REGULARITY, many)))
    places: Floats = np.cumsum(masses) - rng.integers(1, round(6 / rate))
    inside: Floats = places[(places > 0) & (places < MASS)]
    return inside


def codings_of(c: Continuum) -> Codings:
    """The items of a set, told apart again."""
    items: dict[str, dict[str, Segmentation]] = {}
    for item in range(ITEMS):
        inside = (c.starts >= item * MASS) & (c.starts < (item + 1) * MASS)
        items[str(item)] = {
            name: Segmentation.from_masses(
                [int(x) for x in c.lengths[inside & (c.annotator_codes == code)]]
            )
            for code, name in enumerate(c.annotators)
        }
    return Codings.of(items)


def coded(c: Continuum, seed: int) -> dict[str, float]:
    """Every measure as it is and against segments in random order."""
    found: dict[str, float] = {}
    measures = measures_beyond_chance(codings_of(c), rule=SampleRule(samples=SAMPLES), seed=seed)
    for name, m in measures.items():
        own = f"{name} by segments"
        found |= findings(name, BeyondChance(value=m.value))
        found |= findings(own, m.beyond_chance, m.beyond_chance.p) | ratio(own, m.beyond_chance)
    return found


study_measure("zero-segmentations", coded)


def about(cell: str) -> Row:
    """What the columns say of a cell."""
    habits, _, rate = cell.partition(" ")
    return {"process": habits, "rate": float(rate)}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Over boundary rates; π* and κ* as they are, all others beyond chance too."""
    del data
    cells = CELLS[-1:] if quick else CELLS
    part = Part("zero-segmentations", cells, most=400, shown=("s by segments", "b by segments"))
    study(out, Independent("segmentations", drawn), (part,), about, SHOWN, quick=quick)
