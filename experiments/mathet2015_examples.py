"""2015: the arithmetic of §3.1, §4.4.4, §4.8.2, §5.1, §6.1.7 and note 2."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from experiments._common import continuum, write_csv
from gammacp.dissimilarity import Combined, bind, unit_columns


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Eq. 1, expected agreement as Σ p² of a prevalence (mean distribution), and counts."""
    del quick, data
    rows = [
        _row("agreement at .9 with expected .5", _corrected(0.9, 0.5)),
        _row("agreement at .9 with expected .7", _corrected(0.9, 0.7)),
        _row("agreement at .9 with expected .9", _corrected(0.9, 0.9)),
        _row("expected, 10 equal categories", _expected([0.1] * 10)),
        _row("expected, 2 equal categories", _expected([0.5] * 2)),
        _row("expected, 90 % and 10 %", _expected([0.9, 0.1])),
        _row("expected, corpus of three equal categories", _expected([1 / 3] * 3)),
        _row("expected, text of two equal categories", _expected([0.5, 0.5])),
        _row("d_combi of incompatible categories in one place", _incompatible()),
        _row("f_cat(x) − x, largest on [0, .9]", max(_f_cat(x) - x for x in np.linspace(0, 0.9))),
        _row("f_cat(1 − 1e-15)", _f_cat(1 - 1e-15)),
        _row("alignments of 2 × 2, listed", _alignments(2)),
        _row("80² + 2 · 20²", 80**2 + 2 * 20**2),
        _row("100²", 100**2),
    ]
    write_csv(out / "examples.csv", rows)


def _corrected(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected)


def _expected(prevalence: list[float]) -> float:
    return sum(p * p for p in prevalence)


def _incompatible() -> float:
    """Return d of two units that differ in nothing but their categories (α = β = 1, Δ = 1)."""
    c = continuum(A=[(0, 10, "x")], B=[(0, 10, "y")])
    units = unit_columns(c)
    return float(bind(Combined(), c).pairwise(units[:1], units[1:])[0])


def _f_cat(x: float) -> float:
    return -math.log(1 - x) * x**30 + x


def _alignments(p: int) -> int:
    """Alignments of two annotators with p units each: k pairs, all others alone."""
    return sum(math.comb(p, k) ** 2 * math.factorial(k) for k in range(p + 1))


def _row(example: str, value: float) -> dict[str, object]:
    return {"example": example, "value": value}
