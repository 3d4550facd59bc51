"""2015, Figure 5: slot error rate with its five kinds of errors."""

from __future__ import annotations

from pathlib import Path

from experiments._common import Span, continuum, write_csv
from experiments._figures import examples_page
from gammacp.measures.matching.slot_error_rate import slot_error_rate

REFERENCE: list[Span] = [(0, 10, "a"), (15, 25, "b"), (30, 40, "c"), (50, 60, "a"), (70, 80, "b")]
HYPOTHESIS: list[Span] = [(0, 10, "a"), (15, 25, "a"), (31, 40, "c"), (49, 60, "b"), (90, 95, "c")]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """One error of each kind (T, B, TB, I, D), and why SER has no upper bound."""
    del quick, data
    more: list[Span] = [*REFERENCE[:1], (20, 25, "b"), (30, 35, "c"), (40, 45, "a")]
    rows = []
    shown = {}
    for example, reference, hypothesis in (
        ("one error of each kind", REFERENCE, HYPOTHESIS),
        ("one unit and three false positives", REFERENCE[:1], more),
    ):
        c = continuum(100, reference=reference, hypothesis=hypothesis)
        errors = next(p for p in slot_error_rate(c).pairs if p.reference == "reference")
        shown[f"{example}: SER {errors.rate:.2f}"] = c
        rows.append(
            {
                "example": example,
                "ser": errors.rate,
                "T": errors.type_errors,
                "B": errors.boundary_errors,
                "TB": errors.both_errors,
                "I": errors.insertions,
                "D": errors.deletions,
            }
        )
    write_csv(out / "ser.csv", rows)
    examples_page(out / "ser", shown, columns=1)
