"""The tables of a report on segmentations: columns over the records of its JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gammacp.base.record_tables import (
    Column,
    Form,
    Record,
    Table,
    count,
    interval,
    number,
    signed_number,
)
from gammacp.segmentation.gold import RECORDING, SHOWN, GoldReport
from gammacp.segmentation.levels import LEVEL, HierarchyReport
from gammacp.segmentation.measures.rows import COLUMNS
from gammacp.segmentation.report import SegmentationReport

_COEFFICIENTS = (
    Column("pi_s", "π*", number),
    Column("kappa_s", "κ*", number),
    Column("bias", "bias", number),
)
_MISSES = (Column("full", "full", count), Column("near", "near", count))


def _inside(key: str, header: str, *path: str) -> Column:
    """Return a number that is deeper in the record."""

    def value(record: Any) -> Any:
        for name in path:
            record = record.get(name)
            if record is None:
                break
        return record

    return Column(key, header, number, value=value)


ITEMS = (
    Column("item", "item"),
    *_COEFFICIENTS,
    _inside("windowdiff", "1−WD", "windowdiff", "mean"),
    _inside("windowdiff_sd", "± sd", "windowdiff", "sd"),
    Column("coders", "coders", count),
    Column("boundaries", "boundaries", count),
    Column("mass", "mass", count),
    *_MISSES,
)
GROUPS = (Column("group", "group"), *_COEFFICIENTS, *_MISSES)
CANDIDATES = (
    Column("candidate", "B beyond chance"),
    Column("items", "items", count),
    _inside("people", "people", "without", "b"),
    _inside("joined", "people and it", "with", "b"),
    _inside("own", "it with people", "own", "b"),
    _inside("drop", "drop", "drop", "b"),
    Column("interval", "95 %", interval, value=lambda record: record["interval"]["b"]),
    _inside("pi_drop", "drop of π*", "drop", "pi_s"),
)
_PAIR = dict(
    zip(
        COLUMNS,
        ("S", "B", "1−WD", "1−P_k", "1−GHD", "precision", "recall", "F₁"),
        strict=True,
    )
)
_NAMES = {**_PAIR, "pi_s": "π*", "kappa_s": "κ*"}
PAIRS = (
    *(Column(name, name) for name in ("item", "reference", "hypothesis")),
    *(Column(name, header, number) for name, header in _PAIR.items()),
)


def _beyond(key: str, header: str, form: Form) -> Column:
    return Column(f"beyond_{key}", header, form, value=lambda record: record["beyond_chance"][key])


BEYOND = (
    Column("measure", "measure", value=lambda record: _NAMES[record["measure"]]),
    Column("value", "value", number),
    _beyond("value", "beyond chance", number),
    _beyond("interval", "95 %", interval),
    _beyond("p", "p", number),
    _beyond("samples", "sets", count),
)


def _mean_and_sd(value: Mapping[str, float], digits: int = 4) -> str:
    return f"{number(value['mean'], digits)} ± {number(value['sd'], digits)}"


MEANS = (
    Column("item", "mean ± sd"),
    *(Column(name, header, _mean_and_sd) for name, header in _PAIR.items()),
)


def tables(report: SegmentationReport) -> list[Table]:
    """Items; groups with the corpus; chance, candidates, pairs and means where there are any."""
    document = report.as_dict()
    corpus = document["corpus"]
    groups = [{"group": ", ".join(g["items"]), **g} for g in document["groups"]]
    summary = [
        _spread(corpus, "mean", "mean of groups"),
        _spread(corpus, "sd", "± sd"),
        {**corpus, **corpus["pooled"], "group": "all items pooled"},
    ]
    shown = [
        Table(ITEMS, [{"item": item, **row} for item, row in document["items"].items()]),
        Table(GROUPS, [*groups, *summary], total=len(summary)),
    ]
    if "measures" in corpus:
        rows = [{"measure": name, **m} for name, m in corpus["measures"].items()]
        shown.append(Table(BEYOND, rows))
    if document["candidates"]:
        shown.append(Table(CANDIDATES, document["candidates"]))
    if "pairs" in document:
        means = [{"item": item, **row} for item, row in document["means"]["items"].items()]
        overall = {"item": "all pairs", **document["means"]["corpus"]}
        shown += [Table(PAIRS, document["pairs"]), Table(MEANS, [*means, overall], total=1)]
    return shown


_HEADERS = ("B", "S", "1−WD", "1−P_k", "1−GHD", "F₁", "F₁ ±{near}", "over", "under", "shift")
_GOLD = dict(zip(SHOWN, _HEADERS, strict=True))
_RECORDING = dict(zip(RECORDING, ("purity", "coverage", "from gold", "to gold"), strict=True))


def gold_tables(
    report: GoldReport, *, documents: bool = False, unit: float | None = None
) -> list[Table]:
    """Systems over all documents together and as means of documents; differences; documents.

    With the length of a base unit also what recordings are judged by, deviations in its measure.
    """
    document = report.as_dict()
    named = {name: header.format(near=report.near) for name, header in _GOLD.items()}
    values = tuple(Column(name, header, number) for name, header in named.items())
    means = tuple(replace(column, form=_mean) for column in values)
    system = Column("system", "all documents")
    systems = [{**s["micro"], **s} for s in document["systems"]]
    next_below = {d["first"]: d for d in reversed(document["differences"])}
    shown = [
        Table((system, Column("documents", "documents", count), *values), systems),
        Table((replace(system, header="mean"), *means), [{**s, **s["macro"]} for s in systems]),
        Table(DIFFERENCES, [{**d, **d["b"]} for d in reversed(next_below.values())]),
    ]
    if unit is not None:
        units = dict(zip(RECORDING, (1.0, 1.0, unit, unit), strict=True))
        rows = [
            {**s, **{name: s["macro"][name]["mean"] * units[name] for name in units}}
            for s in systems
        ]
        columns = tuple(Column(name, header, number) for name, header in _RECORDING.items())
        shown.insert(2, Table((replace(system, header="mean"), *columns), rows))
    if documents:
        shown.append(_documents(values, [s for s in systems if not s["baseline"]]))
    return shown


def _documents(values: tuple[Column, ...], systems: Sequence[Record]) -> Table:
    rows = [
        {"item": item, "system": s["system"], **row}
        for s in systems
        for item, row in s["by_document"].items()
    ]
    return Table((Column("item", "item"), Column("system", "system"), *values), rows)


def _mean(value: Mapping[str, float], digits: int = 4) -> str:
    return number(value["mean"], digits)


DIFFERENCES = (
    Column("first", "system"),
    Column("second", "next"),
    Column("value", "more B", signed_number),
    Column("interval", "95 %", lambda value, digits: interval(value, digits, signed_number)),
    Column("p", "p", number),
    Column("p_holm", "p by Holm", number),
)


def level_tables(report: HierarchyReport, *, pairs: bool = False) -> list[Table]:
    """Means of each level and of all of them; every pair."""
    document = report.as_dict()
    rows: list[dict[str, Any]] = []
    for name, system_means in document["means"].items():
        named = {"system": name, "pairs": system_means["pairs"]}
        rows += [{**named, "level": level, **m} for level, m in system_means["levels"].items()]
        rows.append({**named, "level": "all levels", "t": system_means["t"]})
    level_columns = tuple(_inside(name, _PAIR[name], name, "mean") for name in LEVEL)
    mean_columns = tuple(
        _inside(f"t_{key}", header, "t", key, "mean") for key, header in _T.items()
    )
    who = Column("system", "system"), Column("level", "level"), Column("pairs", "pairs", count)
    tables = [Table((*who, *level_columns, *mean_columns), rows)]
    beyond = [
        {
            "system": name,
            "measure": _T[key],
            "value": system_means["t"][key]["mean"],
            "beyond_chance": b,
        }
        for name, system_means in document["means"].items()
        for key, b in system_means.get("beyond_chance", {}).items()
    ]
    if beyond:
        tables.append(Table((who[0], Column("measure", "measure"), *BEYOND[1:]), beyond))
    if pairs:
        t = tuple(_inside(f"t_{key}", header, "t", key) for key, header in _T.items())
        names = ("item", "reference", "hypothesis")
        tables.append(Table((*(Column(name, name) for name in names), *t), document["pairs"]))
    return tables


_T = {"precision": "T precision", "recall": "T recall", "f": "T F₁"}


def bootstrap_in_words(report: SegmentationReport) -> str | None:
    """Return the intervals of the pooled coefficients; None without bootstrap."""
    drawn = report.agreement.intervals
    if drawn is None:
        return None
    pi = interval(drawn.pi)
    kappa = interval(drawn.kappa)
    return f"95 % over {drawn.draws} draws of items, pooled: π* {pi}, κ* {kappa}"


def _spread(corpus: Record, statistic: str, title: str) -> dict[str, Any]:
    values = {name: corpus[name][statistic] for name in ("pi_s", "kappa_s", "bias")}
    lost = corpus["pi_s"]["undefined"]
    misses = {key: corpus[key] for key in ("full", "near") if statistic == "mean"}
    return {"group": f"{title} ({lost} undefined)" if lost else title, **values, **misses}
