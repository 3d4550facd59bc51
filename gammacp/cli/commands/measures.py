"""`gammacp measures`: the table of measures."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from gammacp.base.record_tables import Column, Record, Table, record_of
from gammacp.cli.output import PIPED, AsJson, print_json, show

if TYPE_CHECKING:
    from gammacp.measures.registry import Measure


def _needs(record: Record) -> str:
    of_units = record["applies_to"] == "continuum"
    if of_units:
        return ", ".join(record["needs"])
    return str(record["applies_to"])


def _zero(record: Record) -> str:
    verdict = record["zero"]
    if verdict is None:
        return "not studied"
    if verdict["verdict"] == "not":
        return f"{verdict['lowest']:.2f} to {verdict['highest']:.2f}"
    return f"0 in {verdict['shown']} of {verdict['cells']} simulations"


_COLUMNS = (
    Column("name", "measure"),
    Column("summary", "what it sees", wrapped=True),
    Column("needs", "needs", value=_needs, wrapped=True, rank=1),
    Column("range", "range", rank=2),
    Column("zero", "independent annotators get", value=_zero),
    Column("reference", "reference", wrapped=True, rank=3),
)


_SHOWN = "name summary reference needs range chance_corrected per_category applies_to options"


def measures(as_json: AsJson = False) -> None:
    """List the measures: what each sees, needs, and rests on."""
    from gammacp.measures.registry import MEASURES
    from gammacp.measures.zeros import zeros

    zero_tables = {"zero": zeros(), "zero_beyond_chance": zeros(beyond_chance=True)}
    records = []
    for name, entry in MEASURES.items():
        studied = {k: asdict(z[name]) if name in z else None for k, z in zero_tables.items()}
        records.append(_record(entry) | studied)
    if as_json:
        print_json({"measures": records})
        return
    show(Table(_COLUMNS, records), piped=PIPED)


def _record(entry: Measure) -> dict[str, object]:
    lists = {"needs": sorted(entry.needs), "options": sorted(entry.options)}
    return record_of(entry, _SHOWN) | lists
