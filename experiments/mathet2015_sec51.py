"""2015, §5.1: how many unitary alignments can be discarded, and how long 3 × 100 takes."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp.alignment import align, build_problem
from gammacp.alignment.columns import all_columns
from gammacp.alignment.solvers.greedy import unitary_alignments_within
from gammacp.datasets import load
from gammacp.dissimilarity import Combined, bind
from shuffling import ReferenceModel, shuffled_set


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Unitary alignments in all, within n·Δ (eq. 9), and left by the profitable-split pruning."""
    del data
    sizes = (10, 25) if quick else (10, 25, 50, 100)
    continua = {
        f"{n} × {units}": shuffled_set(
            ReferenceModel(n_units=units), "position+category", 0.3, n, index=0
        )
        for n in (3, 4)
        for units in sizes
    }
    continua["3by100"] = load("3by100")
    rows = []
    for name, c in continua.items():
        bound = bind(Combined(), c)
        total = float(np.prod(c.counts + 1.0)) - 1
        every = build_problem(c, bound, prune=False)
        within = c.n_units + unitary_alignments_within(every, c.n_annotators * 1.0).number
        n_remaining = c.n_units + all_columns(build_problem(c, bound)).number
        begun = time.process_time()
        status = align(c).status
        rows.append(
            {
                "continuum": name,
                "total": int(total),
                "within_bound": within,
                "discarded_by_bound": 1 - within / total,
                "left": n_remaining,
                "discarded_by_splits": 1 - n_remaining / total,
                "seconds": round(time.process_time() - begun, 4),
                "status": status,
            }
        )
    write_csv(out / "pruning.csv", rows)
