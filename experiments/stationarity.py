"""Beyond the papers: how often the test of direction speaks, with and without reason.

Annotators who should be left alone stand beside those who stop early, who make a number of units,
and who tire.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from zlib import crc32

import numpy as np

from experiments._common import write_csv
from experiments._independent import NOT_STATIONARY, PITCH, PROCESSES, Habits, annotation, continuum
from gammacp.chance.direction import direction
from gammacp.continuum import Continuum, Unit

RUNS = 1000
DOCUMENTS = 8
# What is read then ends with a unit, which is no place like the others.
ENDS_WITH_A_UNIT = "quota told"
Maker = Callable[[np.random.Generator], list[Continuum]]


def of_process(
    name: str, n: int, units: int, *, declared: bool = True, documents: int = 1
) -> Maker:
    """Documents of a process of `_independent`."""
    return lambda rng: [
        continuum(PROCESSES[name](n), units, rng, declared=declared) for _ in range(documents)
    ]


def who_agree(n: int, share_agreed: float) -> Maker:
    """One truth without a direction: everybody keeps a share of it, and adds others."""

    def made(rng: np.random.Generator) -> list[Continuum]:
        true, units = annotation(Habits(), 20, rng), []
        for k in range(n):
            own_spans = annotation(Habits(), 20, rng)
            for spans, share in ((true, share_agreed), (own_spans, 1 - share_agreed)):
                chosen = rng.random(len(spans[0])) < share
                rows = zip(spans[0][chosen], spans[1][chosen], strict=True)
                units += [Unit(f"A{k}", float(s), float(e), "a") for s, e in rows]
        return [Continuum.from_units(units, bounds=(0, 20 * PITCH))]

    return made


def cells() -> Mapping[str, Maker]:
    """Return by name the processes to be left alone, and those to be found."""
    left_alone = [name for name in PROCESSES if name not in NOT_STATIONARY]
    makers: dict[str, Maker] = {}
    for name in left_alone:
        makers[f"{name} 3x20 declared"] = of_process(name, 3, 20)
        if not name.endswith("told"):
            makers[f"{name} 3x20"] = of_process(name, 3, 20, declared=False)
    for name, n, units in (("like", 2, 20), ("bursts", 2, 20), ("like", 3, 60), ("bursts", 8, 20)):
        makers[f"{name} {n}x{units} declared"] = of_process(name, n, units)
    for share_agreed in (0.3, 0.6, 0.9, 1.0):
        makers[f"agreeing on {share_agreed:.0%} 3x20"] = who_agree(3, share_agreed)
    makers["agreeing on 90% 6x20"] = who_agree(6, 0.9)
    for name in ("bursts", "unlike", "stopping", "quota", "fatigue"):
        makers[f"{name} 2x10 in {DOCUMENTS}"] = of_process(name, 2, 10, documents=DOCUMENTS)
    for name in NOT_STATIONARY:
        for n, units in ((3, 20), (2, 20), (3, 10), (3, 60)):
            makers[f"{name} {n}x{units} declared"] = of_process(name, n, units)
    return makers


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`direction.csv`: a row per cell with the share of p ≤ .05, its error and its upper limit."""
    del data
    runs = 20 if quick else RUNS
    rows = []
    for cell, make in list(cells().items())[: 3 if quick else None]:
        seeds = [np.random.SeedSequence([35, crc32(cell.encode()), k]) for k in range(runs)]
        directions = [direction(make(np.random.default_rng(seed))) for seed in seeds]
        share = sum(d is not None and d.p <= 0.05 for d in directions) / runs
        error = math.sqrt(max(share * (1 - share), 1 / runs / 4) / runs)
        name = next(name for name in PROCESSES if cell.startswith((name, "agreeing")))
        rows.append(
            {
                "cell": cell,
                "stationary": name not in (*NOT_STATIONARY, ENDS_WITH_A_UNIT),
                "runs": runs,
                "significant": share,
                "error": error,
                "upper": share + 1.645 * error,
            }
        )
    write_csv(out / "direction.csv", rows)
