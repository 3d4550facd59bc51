"""An alignment as a table: a row per unitary alignment, a column per annotator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.base.csv_files import write_rows
from gammacp.base.record_tables import Column, Table, number
from gammacp.cli.output import message, messages, show

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.alignment.reporting import TracePoint


def alignment_records(alignment: Alignment) -> list[dict[str, Any]]:
    """Return the disorder and units of every unitary alignment, in order of position."""
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
    """Print an alignment as a table, under an optional title."""
    print_alignment_rows(alignment, range(len(alignment)), title=title)


def print_alignment_rows(alignment: Alignment, rows: Iterable[int], *, title: str = "") -> None:
    """Print a table of some of the unitary alignments.

    Parameters
    ----------
    alignment
        The alignment.
    rows
        Indices of the unitary alignments to print.
    title
        Title printed above the table.
    """
    columns = [
        Column(name, name, _unit, value=partial(_of, name), left=True)
        for name in alignment.continuum.annotators
    ]
    disorder = Column("disorder", "disorder", number)
    records = alignment_records(alignment)
    show(Table((disorder, *columns), [records[row] for row in rows]), title=title)


def write_trace(points: Sequence[TracePoint], alignment: Alignment, path: Path) -> None:
    """Write the anytime curve as CSV; its last point is the alignment itself.

    Solvers without intermediate results have only that point.
    """
    if alignment.effort is None:
        work = 0
    else:
        work = alignment.effort.work
    last = (work, alignment.disorder, alignment.bound)
    write_rows(path, [("work", "best", "bound"), *points, last])
    message(f"wrote {path} ({len(points) + 1} points)")


def tell_open(alignments: Mapping[str, Alignment], of: int) -> None:
    """Print which alignments are not proven to be the best, in one line, and the notes of others.

    Parameters
    ----------
    alignments
        Alignments by name. Proven alignments without notes may be missing.
    of
        Total number of alignments.
    """
    gaps = {name: a.gap for name, a in alignments.items() if a.status != "optimal"}
    if gaps:
        worst = max(gaps, key=gaps.__getitem__)
        message(
            f"gammacp: {len(gaps)} of {of} alignments not proven to be the best; the "
            f"largest gap is {gaps[worst]:.2%} ({worst})"
        )
    entries = ((note, n) for n, a in alignments.items() if n not in gaps for note in a.notes)
    messages(entries, before="gammacp: ")


def _of(annotator: str, record: Any) -> Any:
    return record["units"][annotator]


def _unit(unit: dict[str, Any] | None, _digits: int) -> str:
    if unit is None:
        return "∅"
    spans = unit.get("fragments") or [(unit["start"], unit["end"])]
    place = ";".join(f"{_position(s)}–{_position(e)}" for s, e in spans)
    for low, high in (unit.get("shape") or {}).get("box", [])[1:]:
        place += f"×{_position(low)}–{_position(high)}"
    if unit["category"] is None:
        return place
    return f"{unit['category']} {place}"


def _position(value: float) -> str:
    if value.is_integer():
        return f"{value:.0f}"
    return f"{value:.10g}"
