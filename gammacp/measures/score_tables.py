"""Tables of scores: columns over `Score.as_dict()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gammacp.base.record_tables import (
    Column,
    Excerpt,
    Record,
    Table,
    count,
    defined,
    interval,
    number,
    percent,
    permille,
    position,
    word,
)

if TYPE_CHECKING:
    from gammacp.measures.corpora.score import CorpusScore
    from gammacp.measures.explaining.explanation import Explanation
    from gammacp.measures.score import Score


def _gap(record: Record) -> float | None:
    """Return by how much an unproven disorder may exceed the optimum, as a share of itself."""
    bound, disorder = record.get("bound"), record.get("observed_disorder")
    return 1 - bound / disorder if bound is not None and disorder and bound < disorder else None


_STATUSES = {
    "optimal": "optimal: proven that no better alignment exists",
    "feasible": "feasible: not proven that no better alignment exists",
}
GAMMA = (
    Column("file", "file"),
    Column("gamma", "γ", number),
    Column("interval", "Monte-Carlo interval", interval),
    # A sentence below the table has this interval, too.
    Column("bootstrap", "bootstrap", interval, rank=1),
    Column(
        "observed_disorder",
        "observed",
        number,
        rank=4,
        meaning="observed: disorder of the best alignment",
    ),
    Column(
        "expected_disorder",
        "expected",
        number,
        rank=6,
        meaning="expected: mean disorder of random annotations (γ = 1 − observed/expected)",
    ),
    Column("samples", "samples", count, rank=5),
    Column("status", "status", word),
    Column("gap", "gap", permille, value=_gap),
    Column("annotators", "annotators", count, rank=2),
    Column("units", "units", count, rank=3),
    Column("reason", "undefined because", wrapped=True),
)

MEASURES = (
    Column("measure", "measure"),
    Column("value", "value", number),
    Column("observed", "observed", number, rank=1),
    Column("expected", "expected", number, rank=2),
    Column("interval", "Monte-Carlo interval", interval),
    Column("bootstrap", "bootstrap", interval),
    Column("beyond_chance", "beyond chance", number, value=lambda r: _beyond(r, "value")),
    Column("beyond_interval", "its interval", interval, value=lambda r: _beyond(r, "interval")),
    Column("p", "p", number, value=lambda r: _beyond(r, "p")),
)


CORPUS = (
    Column("measure", "measure"),
    Column("value", "value", number),
    Column("mean", "mean of documents", number, rank=1),
    Column("interval", "95 % interval over documents", interval),
    Column("recall", "recall", number),
    Column("precision", "precision", number),
    Column("support", "units", count, rank=2),
    Column("documents", "documents", value=lambda r: f"{r['documents']} of {r['of']}", rank=3),
    *MEASURES[-3:],
)
_OF_REFERENCE = ("recall", "precision")


def _beyond(record: Record, key: str) -> Any:
    return (record.get("beyond_chance") or {}).get(key)


BY_GAMMA = Excerpt("with the lowest and the highest γ", lambda r: defined(r["gamma"]), True)
"""Rows of a long table of documents that are shown."""


def gamma_table(records: Sequence[Record], *, total: int = 0) -> Table:
    """γ of continua.

    Parameters
    ----------
    records
        Records of scores.
    total
        How many of the last records stand for all the others. A table of one continuum alone has no
        legend.
    """
    columns = explained(GAMMA[:-1], records)
    if not total:
        columns = tuple(replace(column, meaning="") for column in columns)
    table = Table(columns, records, total=total, excerpt=BY_GAMMA)
    return table.without_empty("bootstrap", "gap")


def explained(columns: Sequence[Column], records: Sequence[Record]) -> tuple[Column, ...]:
    """Return the columns; the legend of the status explains only what occurs in the records.

    Parameters
    ----------
    columns, records
        Columns and records of a table of γ.
    """
    occurring = {str(r.get("status")) for r in records}
    meaning = "; ".join(words for status, words in _STATUSES.items() if status in occurring)
    return tuple(replace(c, meaning=meaning) if c.key == "status" else c for c in columns)


def measure_table(scores: Mapping[str, Score]) -> Table:
    """Measures of one continuum, one row each, or one row per category."""
    rows = [row for name, s in scores.items() for row in _measure_rows(name, s)]
    columns = MEASURES if any(s.beyond_chance for s in scores.values()) else MEASURES[:-3]
    return Table(columns, rows).without_empty("bootstrap")


def corpus_table(scores: Mapping[str, CorpusScore]) -> Table:
    """Measures of a corpus, and those of its categories and pairs below each."""
    rows = [row for name, score in scores.items() for row in _corpus_rows(name, score)]
    columns = CORPUS if any(s.beyond_chance for s in scores.values()) else CORPUS[:-3]
    table = Table(columns, rows).without_empty(*_OF_REFERENCE, "interval")
    return table.without("documents", "mean", when=all(r["of"] == 1 for r in rows))


def document_table(scores: Mapping[str, Score | CorpusScore]) -> Table:
    """One measure of several documents, a row each."""
    columns = (Column("document", "document"), Column("value", "value", number), *CORPUS[4:7])
    rows = [{"document": name, **score.as_dict()} for name, score in scores.items()]
    return Table(columns, rows).without_empty(*_OF_REFERENCE, "support")


def _corpus_rows(name: str, score: CorpusScore) -> Iterator[dict[str, Any]]:
    yield {"measure": name, **score.as_dict()}
    if score.by_category and score.macro is not None:
        empty = dict.fromkeys(("interval", "recall", "precision", "support", "mean"))
        counts = {"documents": score.documents, "of": score.of}
        yield {"measure": f"{name} (mean of categories)", "value": score.macro, **empty, **counts}
    for category, part in score.by_category.items():
        yield {"measure": f"{name}[{category}]", **part.as_dict()}
    for pair, part in score.by_pair.items():
        yield {"measure": f"{name} ({pair})", **part.as_dict()}


def _measure_rows(name: str, score: Score) -> Iterator[dict[str, Any]]:
    if score.defined or not score.by_category:
        yield {"measure": name, **score.as_dict()}
    for category, value in score.by_category.items():
        yield {
            "measure": f"{name}[{category}]",
            "value": value,
            "interval": None,
            "bootstrap": None,
        }


_PARTS = (Column("observed", "observed", number), Column("share", "share", percent))
_SHOWN = {
    "annotators": Column("annotator", "annotator"),
    "pairs": Column("annotators", "pair", value=lambda r: " · ".join(r["annotators"])),
    "categories": Column("category", "of category"),
    "documents": Column("document", "document"),
}


def explanation_tables(explanation: Explanation, most: int = 10) -> Iterator[tuple[str, Table]]:
    """Yield title and table of each list with more than one row, up to its worst `most` rows."""
    components = [r["component"] for r in explanation.components]
    columns_of_parts = (*_PARTS, Column("expected", "expected", number))
    perfect = Column("gamma_if_perfect", "γ if perfect", number)
    yield (
        "",
        Table(
            (Column("component", "component"), *columns_of_parts, perfect), explanation.components
        ),
    )
    parts = [_part(name) for name in components]
    missed = Column("missed", "missed", number)
    for key, first in _SHOWN.items():
        records = sorted(getattr(explanation, key), key=_worst_first)
        if len(records) < 2:
            continue
        columns = (first, *_PARTS, *parts, missed, columns_of_parts[-1])
        shown = Table(columns, records[:most]).without_empty("missed", "expected")
        titles = []
        if len(records) > most:
            titles.append(f"worst {most} of {len(records)} {key}")
        if key == "annotators":
            titles.append(
                "observed: cost of their own units; missed: cost of others' units that they lack"
            )
        yield ", ".join(titles), shown
    if len(explanation.stretches) > 1:
        ends = Column("start", "from", position), Column("end", "to", position)
        yield "", Table((*ends, *_PARTS, *parts), explanation.stretches)


def _worst_first(record: Mapping[str, Any]) -> float:
    """Return a key that sorts the worst records first.

    It includes the cost of missed units, which the annotators who missed them do not bear.
    """
    return -float(record["observed"] + record.get("missed", 0.0))


def _part(name: str) -> Column:
    return Column(name, name, number, value=lambda r: r["observed_parts"][name])
