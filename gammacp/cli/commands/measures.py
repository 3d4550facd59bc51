"""`gammacp measures`: the table of measures."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from gammacp.cli.output import AsJson, print_json, show
from gammacp.tables import Column, Record, Table

if TYPE_CHECKING:
    from gammacp.measures.registry import Measure


def _needs(record: Record) -> str:
    of_units = record["applies_to"] == "continuum"
    return ", ".join(record["needs"]) if of_units else str(record["applies_to"])


def _zero(record: Record) -> str:
    found = record["zero"]
    if found is None:
        return "–"
    return "yes" if found["holds"] else f"no: {found['lowest']:.2f} to {found['highest']:.2f}"


_COLUMNS = (
    Column("name", "measure"),
    Column("summary", "what it sees"),
    Column("needs", "needs", value=_needs),
    Column("range", "range"),
    Column("zero", "0 for independent annotators", value=_zero),
    Column("reference", "reference"),
)


def measures(as_json: AsJson = False) -> None:
    """Measures: what each sees, needs and can reach, its options and its reference."""
    from gammacp.measures.registry import MEASURES
    from gammacp.measures.zeros import zeros

    found = {
        key: zeros(beyond_chance=beyond)
        for key, beyond in (("zero", False), ("zero_beyond_chance", True))
    }
    records = [
        {
            **_record(entry),
            **{k: asdict(z[name]) if name in z else None for k, z in found.items()},
        }
        for name, entry in MEASURES.items()
    ]
    if as_json:
        print_json({"measures": records})
        return
    show(Table(_COLUMNS, records))


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
