"""2012, Figure 11: where coders put boundaries, as a heat map per chapter."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp.base.plots import can_plot, figure
from gammacp.segmentation import Codings, load_codings, read_codings


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the share of coders with a boundary at each place; `--data` may hold more chapters."""
    del quick
    more = None if data is None else data / "segmentation/moonstone.json"
    codings = read_codings(more) if more and more.exists() else load_codings("moonstone")
    heat = shares(codings)
    rows = [
        {"chapter": item, "place": place, "share": float(share)}
        for item, row in heat.items()
        for place, share in enumerate(row, start=1)
    ]
    write_csv(out / "fig11.csv", rows)
    if can_plot():
        _plot(out / "fig11", heat)


def shares(codings: Codings) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Per item the share of its coders at each potential boundary, shape (mass − 1,)."""
    heat = {}
    for item, coders in codings.items():
        mass = next(iter(coders.values())).mass
        counts = np.zeros(mass - 1)
        for segmentation in coders.values():
            counts[segmentation.places - 1] += 1
        heat[item] = counts / len(coders)
    return heat


def _plot(stem: Path, heat: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]) -> None:
    with figure(stem, width=7.2, height=0.42 * len(heat) + 0.5, rows=len(heat)) as axes:
        for panel, (item, row) in zip(np.atleast_1d(axes), heat.items(), strict=True):
            panel.imshow(row[None, :], cmap="Greys", vmin=0, vmax=1, aspect="auto")
            panel.set(yticks=[], xticks=[0, len(row) - 1])
            panel.set_xticklabels([1, len(row)], fontsize=6)
            panel.tick_params(length=0, pad=1)
            panel.grid(visible=False)
            panel.set_ylabel(item, rotation=0, ha="right", va="center", fontsize=8)
