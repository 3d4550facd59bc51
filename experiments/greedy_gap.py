"""Distance of the greedy algorithm of 2011 from the optimum: in entropy, disorder and γ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, write_csv
from gammacp.alignment import best_disorder
from gammacp.base.plots import COLOURS, DASHES, MARKERS, figure
from gammacp.dissimilarity import Combined, bind
from gammacp.measures.gamma import gamma
from gammacp.pools import open_pool
from gammacp.problems.entropy import best_entropy
from shuffling import Layout, Position, ReferenceModel, Uniform, shuffled_set

UNIT = 100.0  # mean length in the reference model
DENSITIES = (0.4, 0.8, 2.0, 4.0)
MAGNITUDES = (0.1, 0.2, 0.4, 0.6, 1.0)
# Number of sets by number of annotators, limited by time; density as in the model of 2015 §6.3.
ANNOTATORS = {2: 4, 3: 4, 4: 4, 5: 3, 6: 2, 8: 1}
# Beyond so many annotators γ is left out: its random sets take seconds each.
MOST_FOR_GAMMA = 5
USUAL = 0.8
QUANTITIES = {
    "entropy": "entropy, greedy / exact − 1",
    "disorder": "disorder, greedy / exact − 1",
    "gamma": "γ, greedy − exact",
}

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One annotation set to align both ways."""

    n_annotators: int
    density: float
    magnitude: float
    index: int
    samples: int


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Over density and magnitude for three annotators, and over annotators at one density."""
    del data
    cells = _cells(quick)
    with open_pool() as pool:
        measured_cells = list(pool.executor.map(measured, cells))
    rows: list[Row] = [
        {
            "annotators": n,
            "density": density,
            "magnitude": magnitude,
            "quantity": quantity,
            "mean": float(np.mean(values)),
            "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
            "worst": float(np.max(np.abs(values))),
            "optimal": float(np.mean(np.abs(values) < 1e-9)),
            "sets": len(values),
        }
        for (n, density, magnitude), mine in _grouped(cells, measured_cells).items()
        for quantity, values in zip(QUANTITIES, np.array(mine).T, strict=True)
        if not np.isnan(values).any()
    ]
    write_csv(out / "gap.csv", rows)
    write_csv(
        out / "overall.csv", [_overall(measured_cells, i, q) for i, q in enumerate(QUANTITIES)]
    )
    _draw(out, rows)


def _cells(quick: bool) -> list[Cell]:
    magnitudes = (0.1, 0.6) if quick else MAGNITUDES
    densities = (0.8, 2.0) if quick else DENSITIES
    by_density = [
        Cell(3, density, magnitude, i, 8 if quick else 20)
        for density in densities
        for magnitude in magnitudes
        for i in range(2 if quick else ANNOTATORS[3])
    ]
    by_annotators = [
        Cell(n, USUAL, magnitude, i, 4 if quick else 8)
        for n, sets in ANNOTATORS.items()
        if n != 3 and not (quick and n > 4)
        for magnitude in ((0.1, 0.6) if quick else (0.1, 0.4, 1.0))
        for i in range(2 if quick else sets)
    ]
    # Longest tasks first, so that no worker begins one at the end.
    return sorted(by_density + by_annotators, key=lambda c: -c.n_annotators)


def measured(cell: Cell) -> tuple[float, float, float]:
    """Return the excess of greedy over exact: in entropy and disorder (relative), γ (absolute)."""
    c = shuffled_set(
        model(cell.density),
        (Position(overlap=True),),
        cell.magnitude,
        cell.n_annotators,
        index=cell.index,
    )
    entropy, by_greedy = best_entropy(c).entropy, best_entropy(c, method="greedy").entropy
    dissimilarity = bind(Combined(), c)
    exact = best_disorder(c, dissimilarity).disorder
    greedy = best_disorder(c, dissimilarity, method="greedy").disorder
    gap = math.nan
    if cell.n_annotators <= MOST_FOR_GAMMA:
        options = {"samples": cell.samples, **MATHET_2015}
        gap = gamma(c, method="greedy", **options).value - gamma(c, **options).value
    return _excess(by_greedy, entropy), _excess(greedy, exact), gap


def model(density: float) -> ReferenceModel:
    """Return references with `density` units over a place on average; gaps vary by half a unit."""
    gap = UNIT / density - UNIT
    return ReferenceModel(layout=Layout.OVERLAPPING, gaps=Uniform(round(gap - 25), round(gap + 25)))


def _excess(greedy: float, exact: float) -> float:
    return greedy / exact - 1 if exact > 0 else 0.0


def _grouped(
    cells: Sequence[Cell], measured_cells: Sequence[tuple[float, float, float]]
) -> dict[tuple[int, float, float], list[tuple[float, float, float]]]:
    groups: dict[tuple[int, float, float], list[tuple[float, float, float]]] = {}
    for cell, values in zip(cells, measured_cells, strict=True):
        key = (cell.n_annotators, cell.density, cell.magnitude)
        groups.setdefault(key, []).append(values)
    return dict(sorted(groups.items()))


def _overall(
    measured_cells: Sequence[tuple[float, float, float]], column: int, quantity: str
) -> Row:
    values = np.array(measured_cells)[:, column]
    values = values[~np.isnan(values)]
    return {
        "quantity": quantity,
        "least": float(values.min()),
        "median": float(np.median(values)),
        "most": float(values.max()),
        "optimal": float((np.abs(values) < 1e-9).mean()),
        "sets": len(values),
    }


def _draw(out: Path, rows: list[Row]) -> None:
    """Above over density (three annotators), below over annotators (density .8)."""
    with figure(out / "gap", width=7.2, height=5.4, rows=2, columns=3) as axes:
        for column, (quantity, label) in enumerate(QUANTITIES.items()):
            for row, (key, fixed, at) in enumerate(
                (("density", "annotators", 3), ("annotators", "density", USUAL))
            ):
                panel = axes[row][column]
                mine = [r for r in rows if r["quantity"] == quantity and r[fixed] == at]
                for i, value in enumerate(sorted({r[key] for r in mine})):
                    _curve(panel, [r for r in mine if r[key] == value], i, f"{value:g}")
                panel.axhline(0, color="black", linewidth=0.6)
                panel.set_xlabel("magnitude of position errors", fontsize=8)
                if not row:
                    panel.set_title(label, fontsize=8.5)
        axes[0][0].set_ylabel("three annotators; mean, band ± 1 s.e.", fontsize=8)
        axes[1][0].set_ylabel(f"{USUAL:g} units over a place", fontsize=8)
        axes[0][0].legend(title="units over a place", ncols=2, fontsize=7, title_fontsize=7)
        # γ lacks the largest numbers, so the names come from its neighbour.
        handles, labels = axes[1][1].get_legend_handles_labels()
        axes[1][2].legend(
            handles, labels, title="annotators", ncols=3, fontsize=7, title_fontsize=7
        )


def _curve(panel: Any, rows: list[Row], i: int, label: str) -> None:
    x = np.array([r["magnitude"] for r in rows])
    y = np.array([r["mean"] for r in rows])
    se = np.array([(r["sd"] or 0) / r["sets"] ** 0.5 for r in rows])
    colour = COLOURS[i % len(COLOURS)]
    panel.plot(
        x, y, color=colour, marker=MARKERS[i], linestyle=DASHES[i % len(DASHES)], label=label
    )
    panel.fill_between(x, y - se, y + se, color=colour, alpha=0.15, linewidth=0)
