"""Soft γ with a price for reuse under the errors of the Corpus Shuffling Tool, and its zero.

With the price p a unit that is used once more costs p·(n − 1)·Δ: p = 1 is γ, p = 0 soft γ. The
price should move the value of splits, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, in_sets, write_csv
from experiments._sweep import points_of, sets
from gammacp.base.plots import COLOURS, DASHES, MARKERS, can_plot, figure
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep
from gammacp.continuum import Continuum, Unit
from gammacp.measures.gamma import soft_gamma
from gammacp.pools import open_pool
from shuffling import ReferenceModel, Split, shuffled_set

PRICES = (1.0, 0.75, 0.5, 0.25, 0.1, 0.0)
ERRORS = {"split": "splits", "position": "positions", "false-negative": "missing units"}
MAGNITUDES = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)
SHOWN = 0.3
ANNOTATORS = 3

Row = dict[str, Any]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a table of every price, error and magnitude; one of the zero; a figure."""
    del data
    rows = [row for price in PRICES for row in _rows(out, price, quick)]
    write_csv(out / "errors.csv", rows)
    zeros = _zeros(quick)
    write_csv(out / "zero.csv", zeros)
    shown = [r for r in rows if r["magnitude"] == SHOWN]
    write_csv(out / "at_three_tenths.csv", [_differences(shown, zeros, p) for p in PRICES])
    if can_plot():
        _draw(out / "soft_reuse", rows, zeros)


def sweep_of(price: float, quick: bool) -> Sweep:
    """Return the sweep of one price; all prices share annotation sets and random sets."""
    return Sweep(
        source=Shuffled(),
        errors=tuple(ERRORS),
        measures=("soft-gamma",),
        options={**MATHET_2015, "samples": 6 if quick else 20, "reuse": price},
        experiment=f"soft_reuse_{price:g}",
        n_annotators=ANNOTATORS,
        sets=sets(quick),
        magnitudes=(0.0, SHOWN) if quick else MAGNITUDES,
    )


def _rows(out: Path, price: float, quick: bool) -> list[Row]:
    _, rows = points_of(out, sweep_of(price, quick))
    return [{"reuse": price, **row} for row in rows]


def independent_set(index: int) -> Continuum:
    """Annotators who each have a text of their own: nothing of theirs belongs together."""
    units = []
    for a in range(ANNOTATORS):
        alone = shuffled_set(
            ReferenceModel(), (Split(),), 0.0, 1, index=ANNOTATORS * index + a, seed=7
        )
        units += [Unit(f"annotator {a}", u.start, u.end, u.category) for u in alone]
    return Continuum.from_units(units)


def _zero_of(cell: tuple[int, float, int]) -> float:
    index, price, samples = cell
    score = soft_gamma(
        independent_set(index), reuse=price, samples=samples, seed=index, **MATHET_2015
    )
    return float(score.value)


def _zeros(quick: bool) -> list[Row]:
    number = 5 if quick else 40
    samples = 6 if quick else 20
    cells = [(i, price, samples) for price in PRICES for i in range(number)]
    with open_pool() as pool:
        values = np.array(list(pool.executor.map(_zero_of, cells))).reshape(len(PRICES), number)
    return [
        {
            "reuse": price,
            "mean": float(mine.mean()),
            "sd": float(mine.std(ddof=1)),
            "sets": number,
            "values": in_sets(mine.tolist()),
        }
        for price, mine in zip(PRICES, values, strict=True)
    ]


def _differences(rows: Sequence[Row], zeros: Sequence[Row], price: float) -> Row:
    """Mean of each error at this price, and how far it is from that of γ."""
    differences: Row = {"reuse": price}
    for error, name in ERRORS.items():
        means = {r["reuse"]: r["mean"] for r in rows if r["error"] == error}
        differences |= {name: means[price], f"{name}: beyond γ": means[price] - means[1.0]}
    means = {r["reuse"]: r["mean"] for r in zeros}
    return {**differences, "zero": means[price], "zero: beyond γ": means[price] - means[1.0]}


def _draw(stem: Path, rows: Sequence[Row], zeros: Sequence[Row]) -> None:
    """Draw a panel per error, a curve per price; the last one has the zero by price."""
    with figure(stem, width=8.4, height=2.9, rows=1, columns=4) as axes:
        for panel, (error, name) in zip(axes, ERRORS.items(), strict=False):
            for i, price in enumerate(PRICES):
                mine = [r for r in rows if (r["error"], r["reuse"]) == (error, price)]
                panel.plot(
                    [r["magnitude"] for r in mine],
                    [r["mean"] for r in mine],
                    color=COLOURS[i % len(COLOURS)],
                    marker=MARKERS[i],
                    linestyle=DASHES[i % len(DASHES)],
                    label=f"{price:g}",
                )
            panel.set_title(name, fontsize=9)
            panel.set_xlabel("magnitude", fontsize=8)
            panel.set_ylim(-0.1, 1.02)
        axes[0].set_ylabel("soft γ", fontsize=8)
        axes[0].legend(title="price p", fontsize=7, title_fontsize=7)
        panel = axes[3]
        half = [1.96 * r["sd"] / r["sets"] ** 0.5 for r in zeros]
        panel.errorbar(
            [r["reuse"] for r in zeros], [r["mean"] for r in zeros], yerr=half, fmt="o-", capsize=2
        )
        panel.axhline(0, color="black", linewidth=0.6)
        panel.set_ylim(-0.1, 1.02)
        panel.set_title("independent annotators", fontsize=9)
        panel.set_xlabel("price p", fontsize=8)
