"""Build tables of the costs of each kind, and of the differences charged to each annotator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gammacp.base.record_tables import Column, Record, Table, number, share, word
from gammacp.kinds.forms import KINDS

# Columns that are dropped first on a narrow terminal: these kinds are the rarest, and their totals
# are shown in the table of kinds.
_RANKS = {"unmatched": 2, "level": 1}


def tables_of(
    parts: Mapping[str, Record], people: Sequence[Record], *, charging: bool
) -> Iterator[tuple[str, Table]]:
    """Yield the tables with their titles.

    Parameters
    ----------
    parts, people
        Records of `Kinds`.
    charging
        Whether annotators are charged.
    """
    yield "By kind of difference", parts_table(parts)
    total = sum(part["observed"] for part in parts.values())
    yield from people_tables(people, total if charging else None)


def parts_table(parts: Mapping[str, Record]) -> Table:
    """Return a table of the observed and the expected cost of each kind.

    Parameters
    ----------
    parts
        Records of `Kinds`.
    """
    columns = (
        Column("kind", "kind"),
        Column("observed", "observed", number),
        Column("share", "share", share),
        Column("expected", "expected", number),
    )
    records = [{"kind": kind, **part} for kind, part in parts.items()]
    shown_records = [r for r in records if r["observed"] or r["expected"]]
    return Table(columns, shown_records).without_empty("expected")


def people_tables(people: Sequence[Record], total: float | None) -> Iterator[tuple[str, Table]]:
    """Yield the tables of counts (with counts by chance) and of shares of the disorder.

    Parameters
    ----------
    people
        Records of `Kinds`.
    total
        The observed disorder; None where nobody is charged.
    """
    rows: dict[str, dict[str, Record]] = {}
    for record in people:
        rows.setdefault(record["annotator"], {})[record["kind"]] = record
    used = [kind for kind in KINDS if any(row[kind]["count"] for row in rows.values())]
    name = Column("annotator", "annotator")
    counts = tuple(Column(kind, kind, word, rank=_RANKS.get(kind, 0)) for kind in used)
    chance = any(record["by_chance"] is not None for record in people)
    cells = [
        {"annotator": who, **{kind: _count(row[kind]) for kind in used}}
        for who, row in rows.items()
    ]
    yield (
        f"Differences of each annotator{' (by chance)' if chance else ''}",
        Table((name, *counts), cells),
    )
    if total is None:
        return
    shares: list[dict[str, Any]] = []
    for who, row in rows.items():
        charged = {kind: row[kind]["charged"] / total if total else 0.0 for kind in used}
        shares.append({"annotator": who, **charged, "all": sum(charged.values())})
    shares.sort(key=lambda record: -record["all"])
    columns = tuple(Column(kind, kind, share, rank=_RANKS.get(kind, 0)) for kind in (*used, "all"))
    yield "Share of the disorder charged to each annotator", Table((name, *columns), shares)


def _count(record: Record) -> str:
    count = f"{record['count']:g}"
    chance = record["by_chance"]
    if chance is None:
        return count
    return f"{count} ({chance:.0f})"
