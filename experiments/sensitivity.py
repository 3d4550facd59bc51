"""Beyond the papers: the curves over what the papers do not state (factors, models, annotators)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, model_of, write_csv
from gammacp.base.arrays import Floats
from gammacp.base.plots import COLOURS, DASHES, MARKERS, figure
from gammacp.bench.curves import point_of
from gammacp.bench.figures import measure_title
from gammacp.measures.measuring import measure
from gammacp.pools import open_pool
from shuffling import ReferenceModel, shuffled_set

MEASURES = ("gamma", "u-alpha-2013", "cu-alpha", "kappa-d", "ser")
SHOWN = ("gamma", "u-alpha-2013", "ser")
# Beyond so many annotators γ is left out: its random sets take seconds each.
FEW = 5
MAGNITUDES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SETS = 3
SHARES = (0.4, 0.3, 0.2, 0.1)  # of the default model

Row = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """One value of one setting that the papers leave open."""

    about: str
    value: str
    error: str
    model: ReferenceModel = field(default_factory=ReferenceModel)
    n_annotators: int = 3


@dataclass(frozen=True)
class Cell:
    """One annotation set of a variant."""

    variant: Variant
    magnitude: float
    index: int


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Curves of each variant, and how far those of one thing lie apart."""
    del data
    cells = [
        Cell(variant, magnitude, index)
        for variant in _variants(quick)
        for magnitude in ((0.0, 0.6) if quick else MAGNITUDES)
        for index in range(2 if quick else SETS)
    ]
    # Longest tasks first, so that no worker begins one at the end.
    cells.sort(key=lambda c: -c.variant.n_annotators)
    with open_pool() as pool:
        scores_by_cell = list(pool.executor.map(measured, cells))
    values: dict[tuple[Variant, float], list[dict[str, float]]] = {}
    for cell, scores in zip(cells, scores_by_cell, strict=True):
        values.setdefault((cell.variant, cell.magnitude), []).append(scores)
    rows = [
        _row(variant, magnitude, name, [s[name] for s in values[variant, magnitude]])
        for variant in _variants(quick)
        for name in MEASURES
        for magnitude in sorted(m for v, m in values if v == variant)
    ]
    write_csv(out / "curves.csv", rows)
    write_csv(out / "spread.csv", _spread(rows))
    _draw(out, rows)


def measured(cell: Cell) -> dict[str, float]:
    """Return all measures of one set; γ only for up to FEW annotators."""
    n = cell.variant.n_annotators
    c = shuffled_set(cell.variant.model, cell.variant.error, cell.magnitude, n, index=cell.index)
    names = MEASURES if n <= FEW else MEASURES[1:]
    options: dict[str, Any] = {"samples": 30, **MATHET_2015} if n <= FEW else {}
    scores = measure(c, names, **options)
    return dict.fromkeys(MEASURES, math.nan) | {name: s.value for name, s in scores.items()}


def _row(variant: Variant, magnitude: float, name: str, values: Sequence[float]) -> Row:
    point = point_of(variant.error, name, magnitude, list(values))
    return {
        "about": variant.about,
        "value": variant.value,
        "error": variant.error,
        "measure": name,
        "magnitude": magnitude,
        "mean": point.mean,
        "sd": point.sd,
        "sets": point.sets,
        "undefined": point.undefined,
    }


def _variants(quick: bool) -> list[Variant]:
    variants = [
        *(
            Variant(f"factor of {error}", f"{factor:g}", f"{error}:factor={factor:g}")
            for error, factors in (
                ("position", (1.5, 3, 6)),
                ("split", (1, 2, 5)),
                ("false-positive", (0.5, 1, 3)),
            )
            for factor in factors
        ),
        *(
            Variant("number of categories", f"{k}", "position+category", model_of([1 / k] * k))
            for k in (1, 2, 4, 8)
        ),
        *(
            Variant("prevalence of the first category", f"{p:g}", "category", model_of(shares))
            for p in (0.25, 0.7, 0.9)
            for shares in [[p, *[(1 - p) / 3] * 3]]
        ),
        *(
            Variant("unit lengths", f"{low}–{high}", "position", model_of(SHARES, low, high))
            for low, high in ((100, 100), (50, 150), (5, 195))
        ),
        *(Variant("annotators", f"{n}", "position", n_annotators=n) for n in (2, 3, 5, 10)),
    ]
    return variants[::6] if quick else variants


def _spread(rows: list[Row]) -> list[Row]:
    """Compare variants per thing and measure.

    A row gives the largest distance between the variants' means. It also tells whether each variant
    falls from its first to its last magnitude without a rise of more than two standard errors.
    """
    table = []
    for about, name in dict.fromkeys((r["about"], r["measure"]) for r in rows):
        mine = [r for r in rows if (r["about"], r["measure"]) == (about, name)]
        by_value: dict[str, list[tuple[float, float, float]]] = {}
        for r in mine:
            se = r["sd"] / max(r["sets"], 1) ** 0.5
            by_value.setdefault(r["value"], []).append((r["magnitude"], r["mean"], se))
        curves = [np.array(sorted(c)) for c in by_value.values()]
        curves = [c for c in curves if not np.isnan(c[:, 1]).all()]
        if not curves:
            continue
        at, apart = _farthest(curves)
        table.append(
            {
                "about": about,
                "measure": name,
                "largest_spread": apart,
                "at_magnitude": at,
                "falling": int(sum(_falls(c) for c in curves)),
                "variants": len(curves),
                "share_falling": sum(_falls(c) for c in curves) / len(curves),
            }
        )
    return table


def _farthest(curves: Sequence[Floats]) -> tuple[float, float]:
    """Return the magnitude at which the means lie farthest apart, and how far."""
    spread = {}
    for magnitude in sorted({m for c in curves for m in c[:, 0]}):
        means = [y for c in curves for m, y, _ in c if m == magnitude and not np.isnan(y)]
        spread[magnitude] = max(means) - min(means) if means else 0.0
    at = max(spread, key=lambda m: spread[m])
    return float(at), float(spread[at])


def _falls(curve: Floats) -> bool:
    defined = curve[~np.isnan(curve[:, 1])]
    steps = np.diff(defined[:, 1])
    noise = 2 * np.nan_to_num(np.hypot(defined[1:, 2], defined[:-1, 2])) + 1e-9
    return bool((steps <= noise).all() and defined[-1, 1] < defined[0, 1] - 1e-9)


def _draw(out: Path, rows: list[Row]) -> None:
    """One row per thing varied, one panel per measure shown."""
    things = list(dict.fromkeys(r["about"] for r in rows))
    tall, wide = max(len(things), 2), len(SHOWN)
    with figure(out / "curves", width=7.2, height=1.55 * tall, rows=tall, columns=wide) as axes:
        for row, about in enumerate(things):
            for column, name in enumerate(SHOWN):
                panel = axes[row][column]
                mine = [r for r in rows if (r["about"], r["measure"]) == (about, name)]
                for i, value in enumerate(dict.fromkeys(r["value"] for r in mine)):
                    curve = [r for r in mine if r["value"] == value]
                    panel.plot(
                        [r["magnitude"] for r in curve],
                        [r["mean"] for r in curve],
                        color=COLOURS[i],
                        marker=MARKERS[i],
                        linestyle=DASHES[i],
                        label=value,
                    )
                panel.axhline(0, color="black", linewidth=0.6)
                panel.set(xlim=(-0.03, 1.03), ylim=(-0.6, 1.05))
                if not row:
                    panel.set_title(f"{measure_title(name)}, mean of {SETS} sets", fontsize=9)
            axes[row][0].set_ylabel("agreement")
            axes[row][-1].legend(
                title=about.replace(" of the ", "\nof the "),
                alignment="left",
                fontsize=7.5,
                title_fontsize=7.5,
                loc="center left",
                bbox_to_anchor=(1.0, 0.5),
            )
        for column in range(len(SHOWN)):
            axes[len(things) - 1][column].set_xlabel("magnitude")
