"""2011, Figure 2: agreement against boundary noise k and against omission p."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments._common import in_sets, write_csv
from experiments._random_2011 import Degrade, annotation_set, e_random, moved, omitted
from gammacp.base.arrays import Floats
from gammacp.base.plots import COLOURS, DASHES, figure
from gammacp.pools import open_pool
from gammacp.problems.entropy import agreement, best_entropy

# Units of one annotator over a place, on average; the paper does not state its own.
DENSITIES = (0.1, 0.25, 0.5, 1.0)
MAIN = 0.25
PRINTED_RANDOM = 3.48
SWEEPS: dict[str, tuple[Callable[[float], Degrade], float, float]] = {
    "k": (moved, 4.0, 0.2),
    "p": (omitted, 1.0, 0.05),
}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Both curves for several densities, against our e_random and against the paper's 3.48."""
    del data
    sets, draws = (5, 15) if quick else (40, 200)
    densities = (MAIN,) if quick else DENSITIES
    coarser = 2 if quick else 1
    with open_pool() as pool:
        begin = pool.executor.submit
        chance = {density: begin(e_random, density, draws) for density in densities}
        entropy_by_setting = {
            (density, parameter, float(value)): begin(entropies, density, parameter, value, sets)
            for density in densities
            for parameter, (_, end, step) in SWEEPS.items()
            for value in np.arange(0, end + step / 2, step * coarser)
        }
        random = {density: means.result() for density, means in chance.items()}
        rows = [
            row
            for (density, parameter, value), e in entropy_by_setting.items()
            for row in _points(parameter, value, density, e.result(), random[density]["random"])
        ]
    write_csv(out / "agreement.csv", rows)
    write_csv(
        out / "random.csv", [{"density": d, **means, "draws": draws} for d, means in random.items()]
    )
    _draw(out, rows, densities)


def entropies(density: float, parameter: str, value: float, sets: int) -> Floats:
    """Return the entropies of sets that are degraded so far."""
    degrade = SWEEPS[parameter][0](float(value))
    drawn = (
        annotation_set(np.random.default_rng((4, i)), degrade, density=density) for i in range(sets)
    )
    return np.array([best_entropy(c).entropy for c in drawn])


def _points(
    parameter: str, value: float, density: float, entropies: Floats, random: float
) -> list[dict[str, object]]:
    return [
        {
            "parameter": parameter,
            "value": round(value, 9),
            "density": density,
            "against": name,
            "mean": float(np.mean([agreement(e, by) for e in entropies])),
            "sd": float(np.std(entropies, ddof=1)) / by,
            "sets": len(entropies),
            "entropy": float(entropies.mean()),
            "values": in_sets(agreement(e, by) for e in entropies),
        }
        for name, by in (("own", random), ("printed", PRINTED_RANDOM))
    ]


def _draw(out: Path, rows: list[dict[str, object]], densities: tuple[float, ...]) -> None:
    labels = {
        "k": "k (each boundary moved by up to ±k/2 lengths)",
        "p": "p (each unit omitted with probability p)",
    }
    with figure(out / "agreement", width=7.5, height=3.2, columns=2) as axes:
        for panel, parameter in zip(axes, SWEEPS, strict=True):
            for i, density in enumerate(densities):
                mine = [
                    r
                    for r in rows
                    if (r["parameter"], r["density"], r["against"]) == (parameter, density, "own")
                ]
                x = np.array([float(str(r["value"])) for r in mine])
                y = np.array([float(str(r["mean"])) for r in mine])
                sd = np.array([float(str(r["sd"])) for r in mine])
                colour = COLOURS[i]
                panel.plot(x, y, color=colour, linestyle=DASHES[i], label=f"{density:g}")
                if density == MAIN:
                    panel.fill_between(x, y - sd, y + sd, color=colour, alpha=0.15, linewidth=0)
            at = {"k": 1.2, "p": 0.46}[parameter]
            panel.plot([at], [0.37], "X", color="black", markersize=7, label="printed reading")
            panel.axhline(0, color="black", linewidth=0.6)
            panel.set(xlabel=labels[parameter], ylabel="agreement", ylim=(-0.3, 1.02))
        axes[0].set_title("Boundary noise")
        axes[1].set_title("Omission")
        axes[1].legend(title="units over a place")
