"""2015, §3.1 and §4.8.2: the numeric examples of chance correction."""

from __future__ import annotations

from pathlib import Path

from experiments._common import write_csv


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Eq. 1, and expected agreement as Σ p² of a prevalence (mean distribution)."""
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
    ]
    write_csv(out / "examples.csv", rows)


def _corrected(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected)


def _expected(prevalence: list[float]) -> float:
    return sum(p * p for p in prevalence)


def _row(example: str, value: float) -> dict[str, object]:
    return {"example": example, "value": value}
