"""2015, Figure 25: category errors on fixed, equal units (three annotators, four categories)."""

from __future__ import annotations

from pathlib import Path

from experiments._common import write_csv
from experiments._figures import curves_page
from experiments._sweep import magnitudes, sets, sweep_into
from gammacp.bench.baseline import read_curves
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep
from gammacp.measures.measuring import measure
from shuffling import ReferenceModel, shuffled_set

MEASURES = ("gamma", "gamma-cat", "cu-alpha", "alpha", "kappa", "u-alpha-2013", "kappa-d", "ser")
# Gaps in unit lengths; the paper does not state its own.
GAPS = (0.0, 0.5, 1.0, 3.0)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the figure with gaps of half a unit, and uα and κ_d with others."""
    del data
    rows: list[dict[str, object]] = []
    for gap in GAPS:
        main = gap == 0.5
        sweep = Sweep(
            source=Shuffled(ReferenceModel().fixed(length=100, gap=100 * gap)),
            errors=("category",),
            measures=MEASURES if main else ("u-alpha-2013", "kappa-d", "gamma"),
            options={"chance": "fixed-positions" if main else "shift", "precision": 0.05},
            experiment=f"mathet2015_fig25_{gap:g}",
            sets=sets(quick),
            magnitudes=magnitudes(quick),
        )
        sweep_rows = sweep_into(out, sweep, part="" if main else f"gap-{gap:g}")
        rows += [{"gap": gap, "chance": sweep.options["chance"], **row} for row in sweep_rows]
    write_csv(out / "gaps.csv", rows)
    write_csv(out / "observed.csv", _observed())
    title = "25: category errors on equal units"
    about = "3 annotators, 25 units\nof 100, gaps of 50,"
    curves_page(out / "fig25", {title: read_curves(out / "category.csv")}, about=about)


def _observed() -> list[dict[str, object]]:
    """Return the observed disagreement of γ and its rivals in one set at each magnitude."""
    model, names = ReferenceModel().fixed(length=100, gap=50), ("gamma", "cu-alpha", "alpha")
    return [
        {"magnitude": m, "measure": name, "observed": score.observed}
        for m in magnitudes(False)[1:]
        for name, score in measure(
            shuffled_set(model, "category", m, 3, index=0),
            names,
            chance="fixed-positions",
            samples=2,
        ).items()
    ]
