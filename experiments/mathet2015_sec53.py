"""2015, §5.3: the sample-size rule, its example, and what a sample of γ varies by."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import MATHET_2015, write_csv
from gammacp.chance.expected import SampleRule, coefficient_of_variation, required_samples
from gammacp.datasets import load
from gammacp.measures.gamma import gamma
from gammacp.plots import COLOURS, figure

# A sample of 30 with the paper's mean and standard deviation (divisor n).
EXAMPLE = np.array([3.49 - 0.1379] * 15 + [3.49 + 0.1379] * 15)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """n₀ of the paper's example; the spread of γ against the number of samples."""
    del data
    variation = coefficient_of_variation(EXAMPLE)
    rows = [
        {"quantity": "mean", "value": float(EXAMPLE.mean())},
        {"quantity": "sd", "value": float(EXAMPLE.std(ddof=1))},
        {"quantity": "coefficient of variation", "value": variation},
        {"quantity": "n0 at 2 %", "value": (variation * 1.96 / 0.02) ** 2},
        {"quantity": "n0 at 1 %", "value": (variation * 1.96 / 0.01) ** 2},
        {"quantity": "samples at 2 %", "value": required_samples(EXAMPLE, SampleRule(0.02))},
        {"quantity": "samples at 1 %", "value": required_samples(EXAMPLE, SampleRule(0.01))},
    ]
    write_csv(out / "sample_size.csv", rows)
    sizes = (10, 30, 100) if quick else (10, 30, 100, 300)
    repeats = 10 if quick else 60
    c = load("alex-paul-suzan")
    spread = []
    for samples in sizes:
        scores = [gamma(c, samples=samples, seed=seed, **MATHET_2015) for seed in range(repeats)]
        widths = [(s.interval[1] - s.interval[0]) / 2 for s in scores if s.interval]
        spread.append(
            {
                "samples": samples,
                "sd": float(np.std([s.value for s in scores], ddof=1)),
                "half_interval": float(np.mean(widths)),
                "repeats": repeats,
            }
        )
    write_csv(out / "stability.csv", spread)
    with figure(out / "stability", width=4.5, height=3.0) as axes:
        axes.loglog(
            sizes,
            [1.96 * float(r["sd"]) for r in spread],
            "o-",
            color=COLOURS[0],
            label="1.96 sd of γ over seeds",
        )
        axes.loglog(
            sizes,
            [float(r["half_interval"]) for r in spread],
            "s--",
            color=COLOURS[1],
            label="half of the reported interval",
        )
        axes.set(xlabel="random annotation sets", ylabel="γ", title="Spread of γ (16 units)")
        axes.legend()
