"""Gain by common random numbers: neighbouring magnitudes with own draws, and with shared ones.

For each error and measure: the correlation of a set's values at two neighbouring magnitudes, the
standard deviation of their difference, and how many sets a paired test needs to see the fall
between them (level .05, power .9). The fall is the same however sets are drawn: it is taken from
the shared draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, write_csv
from gammacp.base.arrays import Floats
from gammacp.bench.trends import sets_needed
from gammacp.measures.measuring import measure
from gammacp.pools import open_pool
from shuffling import ReferenceModel, reference_set, shuffle
from shuffling.setting import fewer_errors

MEASURES = ("gamma", "u-alpha-2013", "cu-alpha", "kappa-d", "ser")
ERRORS = (
    "position",
    "category",
    "position+category",
    "split",
    "false-positive",
    "false-negative",
    "position+false-positive",
)
NEIGHBOURS = (0.5, 0.55)
SETS = 10


@dataclass(frozen=True)
class Row:
    """One annotation set, with random numbers `shared` by magnitudes or own ones for each."""

    error: str
    magnitude: float
    index: int
    shared: bool


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the table, with both ways of drawing."""
    del data
    sets = 6 if quick else SETS
    rows = [
        Row(error, magnitude, index, shared)
        for error in (ERRORS[:2] if quick else ERRORS)
        for shared in (False, True)
        for index in range(sets)
        for magnitude in NEIGHBOURS
    ]
    with open_pool() as pool:
        sweeps = list(pool.executor.map(measured, rows))
    values: dict[tuple[str, bool], Floats] = {}
    for error, shared in dict.fromkeys((row.error, row.shared) for row in rows):
        mine = [
            f
            for row, f in zip(rows, sweeps, strict=True)
            if (row.error, row.shared) == (error, shared)
        ]
        values[error, shared] = np.array(mine).reshape(sets, 2, len(MEASURES))
    write_csv(
        out / "neighbours.csv",
        [
            compared(error, shared, name, table[:, :, k], values[error, True][:, :, k])
            for (error, shared), table in values.items()
            for k, name in enumerate(MEASURES)
        ],
    )


def measured(row: Row) -> list[float]:
    """Return the values of all measures on one set."""
    model = ReferenceModel()
    own_key = () if row.shared else (round(row.magnitude * 1e9),)
    seed = np.random.SeedSequence(0, spawn_key=(1, row.index, *own_key))
    reference = reference_set(model, index=row.index)
    with fewer_errors():
        c = shuffle(reference, row.error, row.magnitude, 3, model=model, seed=seed)
    options: dict[str, Any] = {"seed": int(seed.generate_state(1)[0]), "samples": 10, **MATHET_2015}
    scores = measure(c, MEASURES, **options)
    return [scores[name].value for name in MEASURES]


def compared(
    error: str, shared: bool, name: str, values: Floats, sharp: Floats
) -> dict[str, object]:
    """Return a row of the table from values of shape (sets, 2); empty cells if none varies."""
    defined = values[~np.isnan(values).any(axis=1)]
    row: dict[str, object] = {
        "error": error,
        "measure": name,
        "draws": "shared" if shared else "own",
        "sets": len(defined),
    }
    fall = defined[:, 0] - defined[:, 1]
    if len(defined) < 3 or np.ptp(defined[:, 0]) * np.ptp(defined[:, 1]) < 1e-12:
        return row | {"correlation": "", "fall": "", "sd": "", "needed": ""}
    mean, sd = float(np.nanmean(sharp[:, 0] - sharp[:, 1])), float(fall.std(ddof=1))
    return row | {
        "correlation": float(np.asarray(np.corrcoef(defined.T))[0, 1]),
        "fall": mean,
        "sd": sd,
        "needed": sets_needed(sd, mean) if mean > sd / 50 else "",
    }
