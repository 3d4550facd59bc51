"""2015, Figures 26–30: unitizing with categories under every error of the Corpus Shuffling Tool.

In Figure 26a the units also get shorter (from 99 to 62 at m = 1) and cover less (from .79 to .50 of
the text), since shifted units must not overlap; see docs/shuffling.md.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from experiments._common import MATHET_2015, write_csv
from experiments._figures import curves_page, error_title
from experiments._sweep import magnitudes, sets, sweep_into
from gammacp.bench.baseline import read_curves
from gammacp.bench.figures import measure_title
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep
from shuffling import FalsePositive, Position

# Figure 30: position and false positives, overlaps allowed, and what the paper compares it with.
# Names of their own, because the parameters differ from those of Figures 26 and 28.
OVERLAPPING, APART = "position+false-positive", "position+false-positive apart"
ERRORS = ("position", "position+category", "split", "false-positive", "false-negative", "category")
# The reference model's own.
ABOUT = "3 annotators, 25 units\nof some 100 positions,\ngaps of some 25,"
PANELS = {
    "26a: position": "position",
    "26b: position + category": "position+category",
    "27: splits": "split",
    "28a: false positives": "false-positive",
    "28b: false negatives": "false-negative",
}
MEASURES = ("gamma", "u-alpha-2013", "cu-alpha", "kappa-d", "ser")


def sweep_of(quick: bool) -> Sweep:
    """Every error of Figures 26–30."""
    named = {
        name: (Position(overlap=overlap), FalsePositive(overlap=overlap))
        for name, overlap in ((OVERLAPPING, True), (APART, False))
    }
    return Sweep(
        source=Shuffled(named=named),
        errors=(*ERRORS, OVERLAPPING, APART),
        measures=MEASURES,
        options={**MATHET_2015, "samples": 10} if quick else MATHET_2015,
        experiment="mathet2015_fig26",
        sets=sets(quick),
        magnitudes=magnitudes(quick),
    )


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Draw Figures 26 to 30.

    26a is position, 26b position and category, 27 splits, 28 false positives and negatives, 29 one
    figure per measure, 30 position and false positives with overlaps.
    """
    del data
    rows = sweep_into(out, sweep_of(quick))
    overlaps = {OVERLAPPING: "yes", APART: "no"}
    both = [{"overlap": overlaps[str(r["error"])], **r} for r in rows if r["error"] in overlaps]
    write_csv(out / "overlaps.csv", both)
    points = {e: read_curves(out / f"{e}.csv") for e in (*ERRORS, OVERLAPPING)}
    pages = {"fig26-28": PANELS, "fig30": {"30: position + false positives": OVERLAPPING}}
    for stem, panels in pages.items():
        shown = {title: points[error] for title, error in panels.items()}
        curves_page(out / stem, shown, about=ABOUT)
    every = [p for error in PANELS.values() for p in points[error]]
    overview = {
        f"29: {measure_title(m)}": [
            replace(p, measure=error_title(p.error)) for p in every if p.measure == m
        ]
        for m in MEASURES
    }
    curves_page(out / "fig29", overview, about=ABOUT)
