"""2015, §5.3: the sample-size rule and its example."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp.chance.expected import SampleRule, coefficient_of_variation, required_samples

# A sample of 30 with the paper's mean and standard deviation (divisor n).
EXAMPLE = np.array([3.49 - 0.1379] * 15 + [3.49 + 0.1379] * 15)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """n₀ of the paper's example, and how many sets are drawn."""
    del quick, data
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
