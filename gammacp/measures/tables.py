"""Tables of scores: columns over `Score.as_dict()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gammacp.measures.score import Score
from gammacp.tables import Column, Record, Table, count, interval, number, word

GAMMA = (
    Column("file", "file"),
    Column("gamma", "γ", number),
    Column("interval", "interval", interval),
    Column("bootstrap", "bootstrap", interval),
    Column("observed_disorder", "observed", number),
    Column("expected_disorder", "expected", number),
    Column("samples", "samples", count),
    Column("status", "status", word),
    Column("annotators", "annotators", count),
    Column("units", "units", count),
)

MEASURES = (
    Column("measure", "measure"),
    Column("value", "value", number),
    Column("observed", "observed", number),
    Column("expected", "expected", number),
    Column("interval", "interval", interval, value=lambda r: r["interval"] or r["bootstrap"]),
    Column("beyond_chance", "beyond chance", number, value=lambda r: _beyond(r, "value")),
    Column("beyond_interval", "its interval", interval, value=lambda r: _beyond(r, "interval")),
    Column("p", "p", number, value=lambda r: _beyond(r, "p")),
)


def _beyond(record: Record, key: str) -> Any:
    return (record.get("beyond_chance") or {}).get(key)


def gamma_table(records: Sequence[Record], *, total: int = 0) -> Table:
    """γ of continua; `total` of the last rows are for all of them."""
    return Table(GAMMA, records, total).without_empty("bootstrap")


def measure_table(scores: Mapping[str, Score]) -> Table:
    """Measures of one continuum, one row each, or one row per category."""
    rows = [row for name, s in scores.items() for row in _measured(name, s)]
    columns = MEASURES if any(s.beyond_chance for s in scores.values()) else MEASURES[:-3]
    return Table(columns, rows)


def _measured(name: str, score: Score) -> Iterator[dict[str, Any]]:
    if not score.by_category:
        yield {"measure": name, **Score.as_dict(score)}
    for category, value in score.by_category.items():
        yield {
            "measure": f"{name}[{category}]",
            "value": value,
            "interval": None,
            "bootstrap": None,
        }
