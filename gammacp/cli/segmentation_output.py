"""The tables of `gammacp segmentation`: columns over the records of its JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gammacp.cli.output import number, print_table

if TYPE_CHECKING:
    from gammacp.segmentation import SegmentationReport

Record = Mapping[str, Any]
# Header, and the value of a record: a number has four decimals, a count none.
Column = tuple[str, Callable[[Record], Any]]


def _key(*path: str) -> Callable[[Record], Any]:
    def value(record: Any) -> Any:
        for name in path:
            record = record.get(name) if isinstance(record, Mapping) else None
        return record

    return value


def _mean_and_sd(name: str) -> Callable[[Record], str]:
    return lambda record: " ± ".join(number(record[name][key]) for key in ("mean", "sd"))


_COEFFICIENTS: tuple[Column, ...] = (
    ("π*", _key("pi_s")),
    ("κ*", _key("kappa_s")),
    ("bias", _key("bias")),
)
_MISSES: tuple[Column, ...] = (("full", _key("full")), ("near", _key("near")))
_ITEMS: tuple[Column, ...] = (
    ("item", _key("item")),
    *_COEFFICIENTS,
    ("1−WD", _key("windowdiff", "mean")),
    ("± sd", _key("windowdiff", "sd")),
    ("coders", _key("coders")),
    ("boundaries", _key("boundaries")),
    ("mass", _key("mass")),
    *_MISSES,
)
_GROUPS: tuple[Column, ...] = (("group", _key("group")), *_COEFFICIENTS, *_MISSES)
_CANDIDATES: tuple[Column, ...] = (
    ("candidate", _key("candidate")),
    ("items", _key("items")),
    ("π* without", _key("without", "pi_s")),
    ("π* with", _key("with", "pi_s")),
    ("drop of π*", _key("drop", "pi_s")),
    ("95 %", lambda record: _interval(record["interval"]["pi_s"])),
    ("drop of κ*", _key("drop", "kappa_s")),
)
_PAIR = {
    "s": "S",
    "b": "B",
    "windowdiff": "1−WD",
    "pk": "1−P_k",
    "ghd": "1−GHD",
    "precision": "precision",
    "recall": "recall",
    "f": "F₁",
    "r_fn": "R_FN",
    "r_fp": "R_FP",
}
_PAIRS: tuple[Column, ...] = (
    *((name, _key(name)) for name in ("item", "reference", "hypothesis")),
    *((header, _key(name)) for name, header in _PAIR.items()),
)
_MEANS: tuple[Column, ...] = (
    ("mean ± sd", _key("item")),
    *((header, _mean_and_sd(name)) for name, header in _PAIR.items()),
)


def print_tables(report: SegmentationReport) -> None:
    """Items, groups with the corpus, candidates, and pairs with their means, each a table."""
    document = report.as_dict()
    _print(_ITEMS, ({"item": item, **row} for item, row in document["items"].items()))
    corpus = document["corpus"]
    groups = [{"group": ", ".join(g["items"]), **g} for g in document["groups"]]
    groups += [
        _spread(corpus, "mean", "mean of groups"),
        _spread(corpus, "sd", "± sd"),
        {**corpus, "group": "all items pooled", **corpus["pooled"]},
    ]
    _print(_GROUPS, groups)
    if drawn := corpus["bootstrap"]:
        print(f"95 % over {drawn['draws']} draws of items, pooled:", end=" ")
        print(f"π* {_interval(drawn['pi_s'])}, κ* {_interval(drawn['kappa_s'])}\n")
    if document["candidates"]:
        _print(_CANDIDATES, document["candidates"])
    if "pairs" in document:
        _print(_PAIRS, document["pairs"], left=3)
        means = [{"item": item, **row} for item, row in document["means"]["items"].items()]
        _print(_MEANS, [*means, {"item": "all pairs", **document["means"]["corpus"]}])


def _spread(corpus: Record, statistic: str, title: str) -> dict[str, Any]:
    row: dict[str, Any] = {"group": title}
    for name in ("pi_s", "kappa_s", "bias"):
        row[name] = corpus[name][statistic]
        if lost := corpus[name]["undefined"]:
            row["group"] = f"{title} ({lost} undefined)"
    return row | {k: corpus[k] for k in ("full", "near") if statistic == "mean"}


def _print(columns: Sequence[Column], records: Iterable[Record], *, left: int = 1) -> None:
    headers = [header for header, _ in columns]
    rows = [[_cell(value(record)) for _, value in columns] for record in records]
    print_table(headers, rows, numeric=headers[left:])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return number(value)
    return "" if value is None else str(value)


def _interval(interval: Sequence[float] | None) -> str:
    return "–" if interval is None else f"{number(interval[0])} to {number(interval[1])}"
