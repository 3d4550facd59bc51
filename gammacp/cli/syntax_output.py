"""The tables of `gammacp syntax`: columns over the records of its JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gammacp.cli.output import message, number, print_table

if TYPE_CHECKING:
    from gammacp.syntax.report import SyntaxReport

Record = Mapping[str, Any]
Column = tuple[str, Callable[[Record], str]]

_SCORES = {"las": "LAS", "uas": "UAS", "label": "label", "jaccard": "Jaccard", "f1": "F₁"}
_DELTAS = ("plain", "diff", "norm")


def print_tables(report: SyntaxReport) -> None:
    """α and accuracies with their intervals; annotators; sentences: each a table."""
    document = report.as_dict()
    names = [name for name in _SCORES if document[name] is not None]
    _print([("", _text("title")), *_values(names)], _rows(document, names), left=1)
    ignored = f", {document['ignored']} ignored in the accuracies" if document["ignored"] else ""
    message(f"{document['items']} sentences, {document['tokens']} tokens{ignored}")
    if document["reason"]:
        message(document["reason"])
    if "pairs" in document:
        parts = [{"title": " – ".join(p["annotators"]), **p} for p in document["pairs"]]
        for part in document["without"]:
            (missing,) = set(document["annotators"]) - set(part["annotators"])
            parts.append({"title": f"without {missing}", **part})
        columns = [("annotators", _text("title")), ("sentences", _text("items")), *_values(names)]
        _print(columns, parts, left=1)
    if "sentences" in document:
        _print(_SENTENCES, document["sentences"], left=1, right=4)


def _rows(document: Record, names: Sequence[str]) -> list[Record]:
    """The agreement, its intervals, and the disagreements, as records of the same columns."""
    rows: list[Record] = [{"title": "agreement", **document}]
    for title, key in (("95 % sampling", "interval"), ("bootstrap", "bootstrap")):
        if found := document.get(key):
            alpha = {delta: found.get(delta) for delta in _DELTAS}
            rows.append({"title": title, "alpha": alpha, **{n: found.get(n) for n in names}})
    rows += [{"title": name, "alpha": document[name]} for name in ("observed", "expected")]
    return rows


def _values(names: Iterable[str]) -> list[Column]:
    return [
        *((f"α {delta}", lambda record, d=delta: _cell(record["alpha"][d])) for delta in _DELTAS),
        *((_SCORES[n], lambda record, n=n: _cell(record.get(n, ""))) for n in names),
    ]


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{number(value[0])} … {number(value[1])}"
    return "" if value is None or value == "" else number(value)


def _text(key: str) -> Callable[[Record], str]:
    return lambda record: str(record[key])


def _share(delta: str) -> Callable[[Record], str]:
    return lambda record: f"{100 * record['share'][delta]:.1f} %"


_SENTENCES: tuple[Column, ...] = (
    ("sentence", lambda record: f"{record['document']} {record['sentence']}".strip()),
    ("of Dₒ plain", _share("plain")),
    ("diff", _share("diff")),
    ("norm", _share("norm")),
    (
        "lines",
        lambda record: " ".join(f"{a}:{x['line']}" for a, x in record["annotations"].items()),
    ),
    ("what", _text("what")),
)


def _print(
    columns: Sequence[Column], records: Iterable[Record], *, left: int, right: int | None = None
) -> None:
    """Columns from `left` to `right` are numbers."""
    headers = [header for header, _ in columns]
    rows = [[value(record) for _, value in columns] for record in records]
    print_table(headers, rows, numeric=headers[left:right])
