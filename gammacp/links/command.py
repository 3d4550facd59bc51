"""`gammacp links`: how far annotators agree on relations and chains between their units."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gammacp.base.arguments import one_of
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import load
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.options.settings import ComputingFlags, GammaFlags, Thresholds
from gammacp.cli.output import PIPED, AsJson, message, print_json, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gammacp.base.record_tables import Column
    from gammacp.cli.judging import Judged
    from gammacp.links.report import LinkReport


def links(
    reading: Reading,
    settings: GammaFlags,
    computing: ComputingFlags,
    thresholds: Thresholds,
    files: Files = None,
    types: str = option(
        "How types of links differ: nominal, ordinal=A<B, tree, a CSV file with a matrix, …",
        "NAME|MATRIX.csv",
        default="nominal",
    ),
    ends: str = option(
        "How the ends of two links are compared: aligned (whether their units are aligned) or "
        "places (how far apart their units are).",
        default="aligned",
    ),
    explain: bool = option(
        "Show what links differ in (ends, types, missing links), whose, and which.",
        default=False,
    ),
    json: AsJson = False,
) -> None:
    """Agreement on links and chains between units.

    Several files are a corpus. --fail-under tests γ of the links, or where there are none of the
    chains.

    Example: gammacp links exports/ --explain

    Most used: --explain, --types and --json.
    """
    from gammacp.links.collecting import collecting
    from gammacp.links.field_tables import field_tables
    from gammacp.links.measures.joined import ENDS
    from gammacp.links.report import link_report

    thresholds.require_interval(
        False,
        "--fail-under-lower needs an interval over documents, which links does not compute; give "
        "it to gammacp measure -m gamma-link",
    )
    one_of("ends", ends, ENDS)
    with collecting() as collected:
        loaded = load(files, reading, settings.weighing.features, links=True)
    fields = field_tables(collected, loaded.continua.values(), loaded.renamed)
    several = len(loaded.continua) > 1 or bool(loaded.failures)
    if several:
        continua: Any = loaded.corpus()
    else:
        continua = loaded.continua
    with computing.pool("aligning") as (executor, _):
        report = link_report(
            continua,
            types=types,
            ends=ends,
            singletons=bool(collected.get("coreference")),
            executor=executor,
            **settings.options(),
        )
    if json:
        print_json({**report.as_dict(), **fields.as_dict(), **loaded.json})
    else:
        _print(report, explain=explain)
        for table in fields.tables():
            show(table, piped=PIPED)
        for note in fields.notes():
            message(note)
        message(f"seed {settings.sampling.seed}")
    settings.solving.check_proven(*(score.status for score in report.scores.values()))
    thresholds.check(partial(_judged, report))


def _judged(report: LinkReport) -> Judged:
    """Return γ of the links, or of chains if there are no links, to compare with thresholds."""
    from gammacp.cli.judging import Judged

    names = {"gamma-link": "γ of the links", "gamma-chain": "γ of the chains"}
    name = next(name for name in names if name in report.scores)
    score = report.scores[name]
    return Judged(what=names[name], value=score.value, reason=score.reason)


def _print(report: LinkReport, *, explain: bool) -> None:
    from gammacp.base.record_tables import Column, Table, count, number
    from gammacp.links.report import SCORERS, WHAT
    from gammacp.measures.score_tables import measure_table

    def who(record: Mapping[str, Any]) -> str:
        return ", ".join(record["annotators"])

    show(measure_table(report.scores))
    for name, score in report.scores.items():
        for remark in (*score.notes, *filter(None, (score.reason,))):
            message(f"{name}: {remark}")
    if report.coreference:
        values = (Column(n, n, number, value=partial(_f1, n)) for n in SCORERS)
        named = Column("document", "document"), Column("annotators", "F₁ of", value=who)
        show(Table((*named, *values), report.coreference), piped=PIPED)
    if report.relations:
        show(Table(_relation_columns(report), report.relations), piped=PIPED)
    if not explain or not report.pairs:
        return
    counts = tuple(Column(what, what, count) for what in WHAT)
    parts = [{"component": k, "observed": v} for k, v in report.components.items()]
    show(Table((Column("component", "component"), Column("observed", "observed", number)), parts))
    show(Table((Column("annotators", "links of", value=who), *counts), report.pairs))
    show(Table((Column("type", "type"), *counts), report.types))
    shown = (
        Column("document", "document"),
        Column("what", "what differs", value=lambda r: "; ".join(r["what"])),
        Column("links", "links", value=_links, wrapped=True),
        Column("disorder", "disorder", number),
    )
    show(Table(shown, report.differing), piped=PIPED)


def _relation_columns(report: LinkReport) -> tuple[Column, ...]:
    """Return the columns of relation F₁; the first annotator of a pair is the reference."""
    from gammacp.base.record_tables import Column, number

    def rate(rule: str, name: str, record: Mapping[str, Any]) -> float:
        return float(record[rule][name])

    rules = [rule for rule in ("strict", "relaxed") if report.relations[0][rule]]
    named = (
        Column("annotators", "links of", value=lambda r: ", ".join(r["annotators"])),
        Column("type", "type", value=lambda r: r["type"] or "all"),
    )
    rates = (
        Column(f"{rule} {name}", f"{rule} {title}", number, value=partial(rate, rule, name))
        for rule in rules
        for name, title in (("recall", "R"), ("precision", "P"), ("f1", "F₁"))
    )
    return (*named, *rates)


def _f1(name: str, record: Mapping[str, Any]) -> float:
    return float(record[name]["f1"])


def _links(record: Mapping[str, Any]) -> str:
    def place(unit: Mapping[str, Any]) -> str:
        return f"{unit['start']:g}-{unit['end']:g}"

    return "; ".join(
        f"{who}: –"
        if link is None
        else f"{who}: {link['type']} {place(link['source'])} → {place(link['target'])}"
        for who, link in record["links"].items()
    )
