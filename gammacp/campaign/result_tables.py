"""Tables of a campaign's results: their columns, and records with the same keys as the JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.record_tables import (
    NONE,
    Column,
    Excerpt,
    Form,
    Table,
    Tint,
    count,
    general,
    interval,
    number,
    percent,
    share,
    signed_number,
    text,
    yes_no,
)
from gammacp.measures.score_tables import BY_GAMMA, GAMMA, explained

if TYPE_CHECKING:
    from gammacp.campaign.calibrate import Calibration
    from gammacp.campaign.calibrate.magnitudes import Magnitudes
    from gammacp.campaign.compare import (
        Comparison,
        Confusion,
        Groups,
        OverTime,
        PairMatrix,
        ReferenceComparison,
        Sessions,
    )
    from gammacp.campaign.plan import Plan
    from gammacp.campaign.replace import Candidacy, Replacement
    from gammacp.campaign.replace.span_protocol import Protocol, SpanProtocol
    from gammacp.measures.score import Score

_INTERVAL = itemgetter("interval")
_PASSES = {True: "yes", False: "no", None: "not tested"}


def _columns_of_form(form: Form, **headers: str) -> Iterator[Column]:
    """Return columns of one form: a key and a header each."""
    return (Column(key, header, form) for key, header in headers.items())


# Columns that several tables share, each defined once; those of γ are those of `gammacp gamma`.
_SHARED_COLUMNS = (
    *GAMMA,
    *_columns_of_form(
        text, annotator="annotator", category="category", group="group", round="round"
    ),
    *_columns_of_form(text, error="error", of="of", candidate="candidate"),
    *_columns_of_form(
        count, documents="documents", sets="sets", aligned="aligned", equal="same category"
    ),
    *_columns_of_form(count, missed="missed", added="added"),
    *_columns_of_form(number, mean_pair="mean γ with others", without="γ without"),
    Column(
        "gamma_k",
        "γ_k",
        number,
        meaning="γ_k: agreement on the label of aligned units of this category (0 is chance)",
    ),
    *_columns_of_form(
        number, with_others="their γ with others", mean="mean γ", sd="sd", smooth="smooth"
    ),
    *_columns_of_form(
        number,
        p="p",
        p_value="p by Holm",
        p_holm="p by Holm",
        p_exact="exact p",
        p_equivalence="p of equivalence",
    ),
    Column(
        "gain",
        "gain",
        signed_number,
        meaning="gain: how much higher γ is without the annotator, on the same documents",
    ),
    Column("alone", "alone", percent, meaning="alone: share of their units that nobody else marks"),
    Column(
        "outvoted",
        "outvoted",
        percent,
        meaning="outvoted: share of their units for which another category has more votes",
    ),
    Column(
        "share_matched",
        "aligned",
        percent,
        meaning="aligned: of the pairs of annotators at such a unit, those who both have a unit",
    ),
    Column(
        "share_equal",
        "same category",
        percent,
        meaning="same category: of these, those who give the same category",
    ),
    # A person is `beaten` if the candidate is shown to be better, or worse by less than ε.
    *_columns_of_form(yes_no, beaten="holds its own", equivalent="equivalent"),
    *_columns_of_form(share, amount="amount"),
    *_columns_of_form(general, magnitude="magnitude"),
    Column("reason", "undefined because", wrapped=True),
    Column("signature", "signature", wrapped=True),
    Column("p_raw", "p of gain", number, rank=9),
    Column("mean_length", "mean length", number, digits=1),
    Column("amounts", "interval", partial(interval, form=share), value=_INTERVAL),
    Column("advantage_probability", "ρ", number, digits=2),
    Column("rho_interval", "95 % interval", interval, digits=2, value=_INTERVAL),
    Column("winning_rate", "ω as published", number, digits=2),
    Column("confirmed_rate", "ω by both tests", number, digits=2),
    Column("passes", "passes", value=lambda r: _PASSES[r["passes"]]),
    Column("rho_candidate", "ρ of the candidate", number, digits=2),
    Column("rho_annotator", "ρ of the person", number, digits=2),
)
_COLUMN_BY_KEY = {column.key: column for column in _SHARED_COLUMNS}


_PAIRS = "aligned pairs: two annotators at one unit; (no unit): one of them has none there"
_OF_GAIN = "p by Holm: test of the gain alone, corrected for all annotators"
_BY_DOCUMENTS = Excerpt(
    "with most documents, of equals those with most units",
    lambda r: (r["documents"], r["units"]),
)
_BY_UNITS = Excerpt("with most units", lambda r: r["units"])
_SHARED_FIRST = Excerpt(
    "with most documents in common, of equals those with the lowest γ", lambda r: r["documents"]
)
SIZES = (Column("document", "document"), *map(_COLUMN_BY_KEY.__getitem__, ("annotators", "units")))
"""Columns of a table of documents and their numbers of annotators and units."""


def _columns(keys: str, **headers: str) -> tuple[Column, ...]:
    """Return the columns with these keys, some with another header."""
    columns = (_COLUMN_BY_KEY[key] for key in keys.split())
    return tuple(replace(c, header=headers.get(c.key, c.header)) for c in columns)


def documents(comparison: Comparison) -> Table:
    """Return a table of γ for each document with units, and of γ for all documents."""
    records = [*comparison.overall.results(marked=True)]
    if len(records) > 1:
        records.append({"file": "all", **comparison.overall.score.as_dict()})
    columns = _columns(
        "file gamma interval observed_disorder expected_disorder annotators units status reason",
        file="document",
    )
    table = Table(
        explained(columns, records), records, total=int(len(records) > 1), excerpt=BY_GAMMA
    )
    return table.without_empty("reason")


def annotators(comparison: Comparison) -> Table:
    """Return a table of annotators: their units, and their agreement with the others."""
    columns = _columns(
        "annotator units mean_length mean_pair without gain p_raw p_value alone outvoted"
    )
    untested = all(math.isnan(a.p_value) for a in comparison.annotators)
    columns = tuple(replace(c, meaning=_OF_GAIN) if c.key == "p_value" else c for c in columns)
    table = Table(columns, [asdict(a) for a in comparison.annotators], excerpt=_BY_DOCUMENTS)
    return table.without("p_raw", "p_value", when=untested)


def categories(comparison: Comparison) -> Table:
    """Return a table of γ_k for each category."""
    columns = _columns("category gamma_k units share_matched share_equal")
    return Table(columns, [asdict(c) for c in comparison.categories], excerpt=_BY_UNITS)


def reference(comparison: ReferenceComparison) -> Table:
    """Return a table of the agreement of the reference with each annotator."""
    columns = _columns("annotator gamma with_others aligned equal missed added")
    return Table(columns, [a.as_dict() for a in comparison.annotators])


def rounds(first: Score, second: Score) -> Table:
    """Return a table of two rounds: γ of each, with its signature."""
    named = (("this one", first), ("the other", second))
    columns = _columns("round gamma interval signature")
    return Table(columns, [{"round": name, **score.as_dict()} for name, score in named])


def groups(comparison: Groups) -> Table:
    """Return a table of the agreement within each group of annotators."""
    records = [
        {"group": name, "annotators": len(people), "gamma": comparison.within[name]}
        for name, people in comparison.members.items()
    ]
    return Table(_columns("group annotators gamma", gamma="γ within"), records)


def sessions(comparison: Sessions) -> Table:
    """Return a table of each person's agreement with themselves and with others."""
    columns = (
        *_columns("annotator documents"),
        Column("intra", "γ with oneself", number),
        Column("inter", "γ with others", number),
        Column("between", "γ between", number),
        *_columns("p p_holm"),
    )
    records = [{"annotator": p.person, **asdict(p)} for p in comparison.people]
    untested = all(math.isnan(p.p) for p in comparison.people)
    return Table(columns, records).without("p", "p_holm", when=untested)


def over_time(trends: OverTime) -> Table:
    """Return a table of changes over time: of γ of all annotators, and for each annotator."""
    columns = (
        *_columns("annotator documents"),
        Column("change", "change of γ", signed_number, digits=2),
        Column("interval", "95 % interval", interval, digits=2),
        *_columns("p p_holm"),
    )
    everybody = {**asdict(trends.all), "annotator": "(all)", "p_holm": math.nan}
    return Table(columns, [everybody, *map(asdict, trends.annotators)])


def pairs(matrix: PairMatrix) -> Table:
    """Return the γ of all pairs of annotators as a matrix."""
    names = matrix.annotators
    values = matrix.values.astype(object)
    np.fill_diagonal(values, None)
    columns = tuple(
        Column(name, name, _number_or_blank, tint=partial(_pair_tint, name)) for name in names
    )
    rows = zip(names, values.tolist(), strict=True)
    records = [{"γ": name, **dict(zip(names, row, strict=True))} for name, row in rows]
    return Table((Column("γ", "γ"), *columns), records)


def listed_pairs(matrix: PairMatrix) -> Table:
    """Return the γ of all pairs as a list, lowest first, for when a matrix would be too large."""
    records = [
        {
            **r,
            **(r["against_others"] or {"p": None}),
            "gamma": r["gamma"],
            "annotator": r["annotators"][0],
            "and": r["annotators"][1],
        }
        for r in matrix.as_dict()
    ]
    columns = (
        _COLUMN_BY_KEY["annotator"],
        Column("and", "and"),
        *_columns("gamma documents p p_holm"),
    )
    if len({r["documents"] for r in records}) > 1:
        excerpt = _SHARED_FIRST
    else:
        excerpt = BY_GAMMA
    # An excerpt keeps the order of equals: `_SHARED_FIRST` names the lowest γ first among them.
    by_gamma = sorted(records, key=lambda r: r["gamma"])
    table = Table(columns, by_gamma, excerpt=excerpt)
    return table.without("p", "p_holm", when=not matrix.tests)


def _pair_tint(name: str, record: Mapping[str, Any]) -> Tint | None:
    value = record[name]
    if value is None or value != value:
        return None
    return Tint("agrees", min(1.0, max(0.0, value)))


def confusion(table: Confusion, *, corner: str = "aligned pairs") -> Table:
    """Return the counts of aligned pairs as a matrix, each cell tinted by its share of the row."""
    columns = tuple(
        Column(f"{j}", name, _count_or_dot, tint=partial(_confusion_tint, table.columns, j))
        for j, name in enumerate(table.columns)
    )
    records = [
        {"row": name, **{f"{j}": n for j, n in enumerate(counts)}}
        for name, counts in zip(table.rows, table.counts.tolist(), strict=True)
    ]
    head = Column("row", corner, meaning=_PAIRS)
    return Table((head, *columns), records)


def listed_confusions(table: Confusion, *, corner: str, most: int = 20) -> Table:
    """Return the most frequent confusions as a list, for when a matrix would be too large."""
    columns = (
        Column("row", corner, wrapped=True),
        Column("with", "with", wrapped=True),
        Column("pairs", "pairs", count, meaning=_PAIRS),
    )
    keys = ("row", "with", "pairs")
    return Table(
        columns, [dict(zip(keys, entry, strict=True)) for entry in table.confused_pairs[:most]]
    )


def _number_or_blank(value: float | None, digits: int = 4) -> str:
    if value is None:
        return ""
    return number(value, digits)


def _count_or_dot(value: int, _digits: int = 0) -> str:
    if value:
        return count(value)
    return "·"


def _confusion_tint(names: Sequence[str], column: int, record: Mapping[str, Any]) -> Tint | None:
    counts = [record[f"{j}"] for j in range(len(names))]
    if not counts[column]:
        return None
    if record["row"] == names[column]:
        kind = "agrees"
    else:
        kind = "differs"
    return Tint(kind, counts[column] / sum(counts))


def equivalents(calibration: Calibration) -> Table:
    """Return a table of the amount of each error that would give the measured γ."""
    from gammacp.campaign.calibrate.meaning import unit_of_amount

    records = [{**e.as_dict(), "of": unit_of_amount(e.error)} for e in calibration.equivalents]
    columns = (
        *_columns("error amount amounts of"),
        Column("magnitude", "magnitude", number, digits=3),
        *_columns("reason", reason="note"),
    )
    return Table(columns, records).without_empty("reason")


def magnitudes(estimates: Magnitudes) -> Table:
    """Return a table of the amount of each error of each annotator, with intervals."""
    by_person: dict[str, dict[str, Any]] = {}
    for one in estimates.people:
        by_person.setdefault(one.annotator, {"annotator": one.annotator})[one.error] = one.as_dict()
    headers = {
        "merge": "joined",
        "split": "cut",
        "false-negative": "missing",
        "false-positive": "extra",
        "category": "wrong label",
        "position": "shifted by up to",
    }
    columns = (Column(error, header, _amount_and_interval) for error, header in headers.items())
    return Table((_COLUMN_BY_KEY["annotator"], *columns), list(by_person.values()))


def _amount_and_interval(record: Mapping[str, Any] | None, _digits: int = 4) -> str:
    if record is None or record["amount"] is None:
        return text(None)
    middle = share(record["amount"])
    around = record["interval"]
    if around is None:
        return middle
    low, high = map(share, around)
    return f"{middle} ({low.removesuffix(' %')}–{high})"


def replacement(result: Replacement) -> Table:
    """Return a table of all candidates, in their order."""
    keys = (
        "candidate advantage_probability rho_interval winning_rate confirmed_rate p p_holm passes "
        "documents"
    )
    table = Table(_columns(keys), [{"candidate": c.name, **c.as_dict()} for c in result.candidates])
    return table.without("p", "p_holm", when=all(math.isnan(c.p_holm) for c in result.candidates))


def people(candidacy: Candidacy) -> Table:
    """Return a table that compares a candidate with each person."""
    records = [{"annotator": p.annotator, **p.as_dict()} for p in candidacy.people]
    tested = ("p", "p_exact", "p_equivalence", "equivalent")
    keys = (
        "annotator documents rho_candidate rho_annotator p p_exact beaten p_equivalence equivalent"
    )
    return Table(_columns(keys, annotator="against"), records).without_empty(*tested)


def protocol(result: SpanProtocol) -> Table:
    """Return a table of the span protocol, a row for each candidate and one for the people."""
    rows = [*result.candidates]
    if result.people is not None:
        rows.append(result.people)
    columns = (
        Column("name", "with the people"),
        Column("documents", "documents", count),
        Column("gamma", "γ", number, digits=3),
        Column("soft-f1", "soft-F₁", number, digits=3),
        Column("f1", "F₁", number, digits=3),
        Column("beyond_chance", "F₁ beyond chance", number, digits=3),
        Column("presence", "presence", number, digits=3),
        Column("units", "units (theirs)"),
        Column("r", "r of units", number, digits=3),
        Column("confirmed_rate", "ω", number, digits=2),
        Column("advantage_probability", "ρ", number, digits=2),
        Column("passes", "passes", value=lambda r: _PASSES.get(r["passes"], NONE)),
    )
    records = [_protocol_record(row, result.f1) for row in rows]
    total = int(result.people is not None)
    return Table(columns, records, total=total).without_empty("confirmed_rate")


def _protocol_record(row: Protocol, f1: str) -> dict[str, Any]:
    """Return the record of one row of the protocol; `f1` is the name of its F₁."""
    beyond = row.scores[f1].beyond_chance
    record: dict[str, Any] = {name: score.value for name, score in row.scores.items()}
    record |= {"name": row.name, "f1": row.scores[f1].value}
    record["beyond_chance"] = None if beyond is None else beyond.value
    record |= {"documents": row.counts.documents, "r": row.counts.r}
    record["units"] = f"{number(row.counts.own, 2)} ({number(row.counts.others, 2)})"
    record |= {"confirmed_rate": None, "advantage_probability": None, "passes": NONE}
    if row.test is not None:
        for key in ("confirmed_rate", "advantage_probability", "passes"):
            record[key] = getattr(row.test, key)
    return record


def designs(plan: Plan) -> Table:
    """Return a table of the designs that reach the goal, one for each number of annotators."""
    records = [asdict(d) for d in plan.designs]
    if any(d.documents_range for d in plan.designs):
        from gammacp.campaign.plan.advice import cost_of, number_of

        sizes = (Column("range", "documents", text), Column("price", "cost", text))
        for record, design in zip(records, plan.designs, strict=True):
            record |= {"range": number_of(design), "price": cost_of(design)}
    else:
        sizes = (
            Column("documents", "documents", number, digits=0),
            Column("cost", "cost", number, digits=0),
        )
    columns = (
        *_columns("annotators", annotators="annotators each"),
        *sizes,
        Column("spread", "spread", number, digits=3),
    )
    return Table(columns, records)


def curves(calibration: Calibration) -> Table:
    """Return a table of the points of all curves."""
    points = [{"error": e.error, **p} for e in calibration.equivalents for p in e.curve.as_dict()]
    return Table(_columns("error magnitude mean sd smooth sets"), points)


def intervals(comparison: Comparison) -> list[str]:
    """Return a sentence per interval of γ: of random sets, over documents, and over annotators.

    Each sentence names the annotators and documents that its interval is about. The interval over
    documents is given once, as the bootstrap's if there is one.

    Parameters
    ----------
    comparison
        The comparison.
    """
    score = comparison.overall.score
    sentences = []
    if score.interval is not None:
        low, high = score.interval
        scope = "this text" if len(comparison.overall.rated) == 1 else "these documents"
        sentences.append(
            f"γ of these annotators on {scope}, if random sets were unlimited: {low:.3f} to "
            f"{high:.3f} (Monte-Carlo interval; {score.samples} random annotation sets)."
        )
    if comparison.bootstrap is not None:
        sentences.append(comparison.bootstrap.in_words())
    if score.over is not None:
        sentences.append(score.over.in_words(documents=comparison.bootstrap is None))
    return sentences
