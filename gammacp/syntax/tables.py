"""The tables of a report on a treebank: columns over the records of its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gammacp.syntax.alpha import DELTAS
from gammacp.syntax.report import SyntaxReport
from gammacp.tables import Column, Record, Table, count, interval, number, share

_SCORES = {"las": "LAS", "uas": "UAS", "label": "label", "jaccard": "Jaccard", "f1": "F₁"}


def _value(value: Any, digits: int = 4) -> str:
    """A number or an interval; nothing where a row has none."""
    if value is None:
        return ""
    return interval(value, digits) if isinstance(value, tuple) else number(value, digits)


def _of(group: str, delta: str, header: str, form: Any) -> Column:
    return Column(f"{group}_{delta}", header, form, value=lambda record: record[group][delta])


SENTENCES = (
    Column(
        "sentence",
        "sentence",
        value=lambda record: f"{record['document']} {record['sentence']}".strip(),
    ),
    _of("share", "plain", "of Dₒ plain", share),
    _of("share", "diff", "diff", share),
    _of("share", "norm", "norm", share),
    Column(
        "lines",
        "lines",
        value=lambda record: " ".join(f"{a}:{x['line']}" for a, x in record["annotations"].items()),
    ),
    Column("what", "what"),
)


def tables(report: SyntaxReport) -> list[Table]:
    """α and accuracies; annotators, and the sentences that disagree most, where asked for."""
    document = report.as_dict()
    names = [name for name in _SCORES if document[name] is not None]
    values = (
        *(_of("alpha", delta, f"α {delta}", _value) for delta in DELTAS),
        *(Column(name, _SCORES[name], _value) for name in names),
    )
    found = [Table((Column("title", ""), *values), _rows(document, names))]
    if "pairs" in document:
        parts = [{"title": " – ".join(p["annotators"]), **p} for p in document["pairs"]]
        for part in document["without"]:
            (missing,) = set(document["annotators"]) - set(part["annotators"])
            parts.append({"title": f"without {missing}", **part})
        columns = (Column("title", "annotators"), Column("items", "sentences", count), *values)
        found.append(Table(columns, parts))
    if "sentences" in document:
        found.append(Table(SENTENCES, document["sentences"]))
    return found


def _rows(document: Record, names: Sequence[str]) -> list[Record]:
    """The agreement, its intervals, and the disagreements, as records of the same columns."""
    rows: list[Record] = [{"title": "agreement", **document}]
    for title, key in (("95 % sampling", "interval"), ("bootstrap", "bootstrap")):
        if drawn := document.get(key):
            alpha = {delta: drawn.get(delta) for delta in DELTAS}
            rows.append({"title": title, "alpha": alpha, **{n: drawn.get(n) for n in names}})
    return [*rows, *({"title": n, "alpha": document[n]} for n in ("observed", "expected"))]


def in_words(report: SyntaxReport) -> list[str]:
    """How much was compared, and why an α is undefined."""
    result = report.agreement
    ignored = f", {result.ignored} ignored in the accuracies" if result.ignored else ""
    items, tokens = result.total.items, result.tokens
    sizes = f"{items} sentence{'s' * (items != 1)}, {tokens} token{'s' * (tokens != 1)}"
    found = [f"{sizes}{ignored}"]
    return found if result.reason is None else [*found, result.reason]
