"""Beyond the papers: the curves over what the papers do not state (factors, models, annotators)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._sweep import sweep_into
from gammacp.arrays import Floats
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep, magnitudes_by
from gammacp.plots import COLOURS, DASHES, MARKERS, figure
from shuffling import CategoryModel, ReferenceModel, Uniform

MEASURES = ("gamma", "u-alpha-2013", "cu-alpha", "kappa-d", "ser")
SHOWN = ("gamma", "u-alpha-2013", "ser")
MOST_ANNOTATORS = 10


@dataclass(frozen=True)
class Variant:
    """One value of one thing that the papers leave open."""

    about: str
    value: str
    error: str
    model: ReferenceModel = field(default_factory=ReferenceModel)
    n_annotators: int = 3


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Small sweeps of each variant, and how far its curves lie from the configured ones."""
    del data
    rows: list[dict[str, object]] = []
    for number, variant in enumerate(_variants(quick)):
        sweep = Sweep(
            source=Shuffled(variant.model),
            errors=(variant.error,),
            measures=MEASURES,
            magnitudes=magnitudes_by(0.5 if quick else 0.2),
            sets=2 if quick else (4 if variant.n_annotators > 5 else 8),
            n_annotators=variant.n_annotators,
            options={"precision": 0.05},
            experiment=f"sensitivity_{number}",
        )
        folder = out.parent / f"variant-{number}"
        folder.mkdir()
        rows += [
            {
                "about": variant.about,
                "value": variant.value,
                "error": variant.error,
                "measure": p.measure,
                "magnitude": p.magnitude,
                "mean": p.mean,
                "sd": p.sd,
                "sets": p.sets,
                "undefined": p.undefined,
            }
            for p in sweep_into(folder, [sweep], figures=False)
        ]
    write_csv(out / "curves.csv", rows)
    write_csv(out / "spread.csv", _spread(rows))
    _draw(out, rows)


def _variants(quick: bool) -> list[Variant]:
    found = [
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
            Variant("number of categories", f"{k}", "position+category", _categories([1 / k] * k))
            for k in (1, 2, 4, 8)
        ),
        *(
            Variant("prevalence of the first category", f"{p:g}", "category", _one_of_four(p))
            for p in (0.25, 0.7, 0.9)
        ),
        *(
            Variant("unit lengths", f"{low}–{high}", "position", _lengths(low, high))
            for low, high in ((100, 100), (50, 150), (5, 195))
        ),
        *(
            Variant("annotators", f"{n}", "position", n_annotators=n)
            for n in (2, 3, 5, MOST_ANNOTATORS)
        ),
    ]
    return found[::6] if quick else found


def _categories(prevalence: list[float]) -> ReferenceModel:
    return replace(
        ReferenceModel(),
        categories=tuple(
            CategoryModel(name=f"c{i}", prevalence=p, lengths=Uniform(50, 150))
            for i, p in enumerate(prevalence)
        ),
    )


def _one_of_four(share: float) -> ReferenceModel:
    return _categories([share, *[(1 - share) / 3] * 3])


def _lengths(low: int, high: int) -> ReferenceModel:
    model = ReferenceModel()
    return replace(
        model, categories=tuple(replace(c, lengths=Uniform(low, high)) for c in model.categories)
    )


def _spread(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Per thing and measure: how far the variants' means lie apart at most, and whether each
    variant still falls from its first to its last magnitude without a rise beyond two se."""
    table = []
    for about, measure in dict.fromkeys((str(r["about"]), str(r["measure"])) for r in rows):
        mine = [r for r in rows if (r["about"], r["measure"]) == (about, measure)]
        by_value: dict[str, list[tuple[float, float, float]]] = {}
        for r in mine:
            se = float(str(r["sd"])) / max(float(str(r["sets"])), 1) ** 0.5
            by_value.setdefault(str(r["value"]), []).append(
                (float(str(r["magnitude"])), float(str(r["mean"])), se)
            )
        curves = [np.array(sorted(c)) for c in by_value.values()]
        means = np.array([c[:, 1] for c in curves])
        apart = np.nanmax(means, axis=0) - np.nanmin(means, axis=0)
        table.append(
            {
                "about": about,
                "measure": measure,
                "largest_spread": float(np.nanmax(apart)),
                "at_magnitude": float(curves[0][int(np.nanargmax(apart)), 0]),
                "falling": int(sum(_falls(c) for c in curves)),
                "variants": len(curves),
            }
        )
    return table


def _falls(curve: Floats) -> bool:
    known = curve[~np.isnan(curve[:, 1])]
    steps = np.diff(known[:, 1])
    noise = 2 * np.nan_to_num(np.hypot(known[1:, 2], known[:-1, 2])) + 1e-9
    return bool((steps <= noise).all() and known[-1, 1] < known[0, 1] - 1e-9)


def _draw(out: Path, rows: list[dict[str, object]]) -> None:
    """One row per measure shown, one panel per thing varied."""
    things = list(dict.fromkeys(str(r["about"]) for r in rows))
    with figure(
        out / "curves",
        width=2.3 * max(len(things), 2),
        height=6.0,
        rows=3,
        columns=max(len(things), 2),
    ) as axes:
        for column, about in enumerate(things):
            for row, measure in enumerate(SHOWN):
                panel = axes[row][column]
                mine = [r for r in rows if (r["about"], r["measure"]) == (about, measure)]
                for i, value in enumerate(dict.fromkeys(str(r["value"]) for r in mine)):
                    curve = [r for r in mine if r["value"] == value]
                    panel.plot(
                        [float(str(r["magnitude"])) for r in curve],
                        [float(str(r["mean"])) for r in curve],
                        color=COLOURS[i],
                        marker=MARKERS[i],
                        linestyle=DASHES[i],
                        label=value,
                    )
                panel.axhline(0, color="black", linewidth=0.6)
                panel.set_ylim(-0.6, 1.05)
                if not row:
                    panel.set_title(about, fontsize=8.5)
                    panel.legend(fontsize=7)
                if not column:
                    panel.set_ylabel(measure)
        for column in range(len(things)):
            axes[-1][column].set_xlabel("magnitude")
