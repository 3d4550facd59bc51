"""Build tables of the costs of each kind, and of the differences charged to each annotator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gammacp.base.record_tables import Column, Excerpt, Record, Table, number, share, word
from gammacp.kinds.codes import DIFFERENCE_KINDS

# Columns that are dropped first on a narrow terminal: these kinds are the rarest, and their totals
# are shown in the table of kinds.
_RANKS = {"unmatched": 2, "level": 1}
_MEANINGS = {
    "position": "position: other boundaries",
    "category": "category: another label",
    "split": "split: several units where others have one",
    "merged": "merged: one where others have several",
    "missing": "missing: none where most others have one",
    "extra": "extra: one that most others do not have",
    "unmatched": "unmatched: half of the annotators have one, half do not",
    "level": "level: one inside or around a unit of both",
}
_EVEN = "in brackets: the count if all of a document differed equally often; halves come from ties"
_CHARGED = "charged: of two who differ, the one whom more of the others contradict"
_BY_SHARE = Excerpt("with the largest share of the disorder", lambda r: r["all"])


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
    records = [{"kind": kind, **part} for kind, part in parts.items()]
    shown_records = [r for r in records if r["observed"] or r["expected"]]
    kinds = "; ".join(_MEANINGS[r["kind"]] for r in shown_records)
    columns = (
        Column("kind", "kind", meaning=kinds),
        Column("observed", "observed", number, meaning="observed: part of the disorder"),
        Column("share", "share", share),
        Column("expected", "expected", number, meaning="expected: the same in random annotations"),
    )
    return Table(columns, shown_records).without_empty("expected")


def people_tables(people: Sequence[Record], total: float | None) -> Iterator[tuple[str, Table]]:
    """Yield the tables of counts (with even shares) and of shares of the disorder.

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
    used = [kind for kind in DIFFERENCE_KINDS if any(row[kind]["count"] for row in rows.values())]
    name = Column("annotator", "annotator", meaning=_EVEN)
    counts = tuple(Column(kind, kind, word, rank=_RANKS.get(kind, 0)) for kind in used)
    cells = [
        {
            "annotator": who,
            **{kind: _count(row[kind]) for kind in used},
            "all": sum(row[kind]["charged"] or 0.0 for kind in used),
        }
        for who, row in rows.items()
    ]
    yield (
        "Differences of each annotator (at an even share)",
        Table((name, *counts), cells, excerpt=_BY_SHARE),
    )
    if total is None:
        return
    shares: list[dict[str, Any]] = []
    for who, row in rows.items():
        charged = {kind: row[kind]["charged"] / total if total else 0.0 for kind in used}
        shares.append({"annotator": who, **charged, "all": sum(charged.values())})
    shares.sort(key=lambda record: -record["all"])
    columns = tuple(Column(kind, kind, share, rank=_RANKS.get(kind, 0)) for kind in (*used, "all"))
    name = Column("annotator", "annotator", meaning=_CHARGED)
    yield (
        "Share of the disorder charged to each annotator",
        Table((name, *columns), shares, excerpt=_BY_SHARE),
    )


def _count(record: Record) -> str:
    return f"{record['count']:g} ({record['even']:.0f})"
