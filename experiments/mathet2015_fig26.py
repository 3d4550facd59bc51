"""2015, Figures 26–30: unitizing with categories under every error of the Corpus Shuffling Tool."""

from __future__ import annotations

from pathlib import Path

from experiments._common import MATHET_2015
from experiments._sweep import magnitudes, sets, sweep_into
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep
from shuffling import FalsePositive, Position

# Figure 30: position and false positives, overlaps allowed. A name of its own, because the
# parameters differ from those of Figures 26 and 28.
OVERLAPPING = "position+false-positive"
ERRORS = ("position", "position+category", "split", "false-positive", "false-negative", "category")
MEASURES = ("gamma", "u-alpha-2013", "cu-alpha", "kappa-d", "ser")


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """26a position, 26b position and category, 27 splits, 28 false positives and negatives,
    29 one figure per measure, 30 position and false positives with overlaps."""
    del data
    overlapping = (Position(overlap=True), FalsePositive(overlap=True))
    sweep = Sweep(
        source=Shuffled(named={OVERLAPPING: overlapping}),
        errors=(*ERRORS, OVERLAPPING),
        measures=MEASURES,
        options=MATHET_2015,
        experiment="mathet2015_fig26",
        sets=sets(quick),
        magnitudes=magnitudes(quick),
    )
    sweep_into(out, [sweep])
