"""2015, Figure 24: false negatives and shifts in pure segmentation (γ, WD, GHD)."""

from __future__ import annotations

from pathlib import Path

from experiments._common import MATHET_2015
from experiments._figures import curves_page
from experiments._sweep import magnitudes, sets, sweep_into
from gammacp.bench.baseline import read_curves
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep
from gammacp.dissimilarity import Combined
from shuffling import ReferenceModel


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Both errors on a full-covering reference without categories; S and B beside."""
    del data
    sweep = Sweep(
        source=Shuffled(ReferenceModel().laid_out("covering")),
        errors=("false-negative", "position"),
        measures=("gamma", "windowdiff", "ghd", "pk", "s", "b", "multi-pi-s"),
        # Few segments make random sets vary much; 40 sets average what this leaves open.
        options={"dissimilarity": Combined(beta=0), "precision": 0.05, **MATHET_2015},
        experiment="mathet2015_fig24",
        sets=sets(quick),
        magnitudes=magnitudes(quick),
    )
    sweep_into(out, sweep)
    panels = {"24: false negatives": "false-negative", "24: shifts": "position"}
    shown = {t: read_curves(out / f"{e}.csv") for t, e in panels.items()}
    curves_page(out / "fig24", shown, about="3 annotators, 25 segments of 2500 positions,")
