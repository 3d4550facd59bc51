"""An alignment as a table: a row per unitary alignment, a column per annotator."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gammacp.cli.output import show
from gammacp.tables import Column, Table, number

if TYPE_CHECKING:
    from gammacp.alignment import Alignment


def alignment_records(alignment: Alignment) -> list[dict[str, Any]]:
    """Disorder and units of every unitary alignment, in order of position."""
    return [
        {
            "disorder": unitary.disorder,
            "units": {
                name: None if unit is None else unit.json for name, unit in unitary.units.items()
            },
        }
        for unitary in alignment.unitary_alignments
    ]


def print_alignment(alignment: Alignment, *, title: str = "") -> None:
    """The table."""
    columns = [
        Column(name, name, _unit, value=partial(_of, name), left=True)
        for name in alignment.continuum.annotators
    ]
    disorder = Column("disorder", "disorder", number)
    show(Table((disorder, *columns), alignment_records(alignment)), title=title)


def _of(annotator: str, record: Any) -> Any:
    return record["units"][annotator]


def _unit(unit: dict[str, Any] | None, _digits: int) -> str:
    if unit is None:
        return "∅"
    spans = unit.get("fragments") or [(unit["start"], unit["end"])]
    place = ";".join(f"{_position(s)}–{_position(e)}" for s, e in spans)
    return place if unit["category"] is None else f"{unit['category']} {place}"


def _position(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.10g}"
