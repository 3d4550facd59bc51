"""An alignment as a table: a row per unitary alignment, a column per annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammacp.cli.output import number, print_table

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.continuum import Unit


def print_alignment(alignment: Alignment, *, title: str = "") -> None:
    """Disorder and units of every unitary alignment, in order of position."""
    annotators = alignment.continuum.annotators
    rows = [
        [number(unitary.disorder), *(_unit(unitary.units[a]) for a in annotators)]
        for unitary in alignment.unitary_alignments
    ]
    if title:
        print(f"\n{title}")
    print_table(("disorder", *annotators), rows, numeric=("disorder",))


def _unit(unit: Unit | None) -> str:
    if unit is None:
        return "∅"
    place = f"{_position(unit.start)}–{_position(unit.end)}"
    return place if unit.category is None else f"{unit.category} {place}"


def _position(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.10g}"
