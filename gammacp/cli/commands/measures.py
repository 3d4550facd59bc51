"""`gammacp measures`: the table of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from gammacp.cli.output import AsJson, print_json, print_table

if TYPE_CHECKING:
    from gammacp.measures.registry import Measure

_COLUMNS = ("measure", "what it sees", "needs", "range", "beyond chance", "reference")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("measures")(measures)


def measures(as_json: AsJson = False) -> None:
    """Measures: what each sees, needs and can reach, its options and its reference."""
    from gammacp.measures.registry import MEASURES

    entries = [entry for _, entry in MEASURES.items()]
    if as_json:
        print_json({"measures": [_record(entry) for entry in entries]})
        return
    print_table(_COLUMNS, (_row(entry) for entry in entries))


def _record(entry: Measure) -> dict[str, object]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "reference": entry.reference,
        "needs": sorted(entry.needs),
        "range": entry.range,
        "chance_corrected": entry.chance_corrected,
        "per_category": entry.per_category,
        "applies_to": entry.applies_to,
        "options": sorted(entry.options),
    }


def _row(entry: Measure) -> tuple[str, ...]:
    needs = ", ".join(sorted(entry.needs))
    return (
        entry.name,
        entry.summary,
        needs if entry.applies_to == "continuum" else entry.applies_to,
        entry.range,
        "yes" if entry.chance_corrected else "no",
        entry.reference,
    )
