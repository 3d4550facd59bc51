"""2015, Figure 23: a set of three annotations with position errors at m = .1."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import MATHET_2015, write_csv
from experiments._figures import examples_page
from gammacp.continuum import Continuum, Unit
from gammacp.measures.gamma import gamma
from shuffling import ReferenceModel, reference_set, shuffled_set

MODEL = ReferenceModel(n_units=12)
MAGNITUDE = 0.1
MAGNITUDES = tuple(m / 10 for m in range(1, 11))
ANNOTATORS, SETS = 3, 40


def order_by_magnitude(sets: int) -> list[dict[str, float]]:
    """Return how many annotators keep the reference's units in its order, by magnitude."""
    rows = []
    for magnitude in MAGNITUDES:
        same_order = same_number = 0
        for index in range(sets):
            reference = reference_set(MODEL, index=index, seed=0)
            drawn = shuffled_set(MODEL, "position", magnitude, ANNOTATORS, index=index, seed=0)
            for name in drawn.annotators:
                codes = drawn.category_codes[drawn.rows_of(name)]
                same_number += len(codes) == reference.n_units
                same_order += np.array_equal(codes, reference.category_codes)
        annotators = ANNOTATORS * sets
        rows.append(
            {
                "magnitude": magnitude,
                "annotators": annotators,
                "share_same_number": same_number / annotators,
                "share_same_order": same_order / annotators,
            }
        )
    return rows


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Draw the reference and three annotators; tell how far boundaries and units moved."""
    del data
    write_csv(out / "order.csv", order_by_magnitude(8 if quick else SETS))
    reference = reference_set(MODEL, index=0, seed=0)
    drawn = shuffled_set(MODEL, "position", MAGNITUDE, 3, index=0, seed=0)
    rows = [
        {"annotator": u.annotator, "category": u.category, "start": u.start, "end": u.end}
        for c in (reference, drawn)
        for u in c
    ]
    write_csv(out / "set.csv", rows)
    checks = []
    for name in drawn.annotators:
        mine = drawn.rows_of(name)
        moved = np.abs(drawn.starts[mine] - reference.starts) / reference.lengths
        same = np.array_equal(drawn.category_codes[mine], reference.category_codes)
        checks.append(
            {
                "annotator": name,
                "units": mine.stop - mine.start,
                "same_order_and_categories": str(same).lower(),
                "largest_shift": float(moved.max()),
                "gamma": gamma(drawn, samples=200, **MATHET_2015).value,
            }
        )
    write_csv(out / "checks.csv", checks)
    both = Continuum.from_units(
        [
            Unit(
                str(r["annotator"]),
                float(str(r["start"])),
                float(str(r["end"])),
                str(r["category"]),
            )
            for r in rows
        ],
        annotators=[reference.annotators[0], *drawn.annotators],
    )
    title = f"Position errors at m = {MAGNITUDE:g}: {MODEL.n_units} units, three annotators"
    examples_page(out / "set", {title: both}, columns=1, width=6.5)
