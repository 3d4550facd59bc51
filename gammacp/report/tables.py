"""Tables of the report: documents, annotators, pairs, categories, reference, what to review."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gammacp.report.markup import Content, Markup, between, element, join, number, table

if TYPE_CHECKING:
    from gammacp.campaign.compare import Comparison, Confusion, PairMatrix, ReferenceComparison
    from gammacp.campaign.consensus import Consensus, ConsensusUnit

# A list that nobody reads to its end is cut; the command line writes it whole.
REVIEW_ROWS = 200
_QUOTE = 80


def documents(comparison: Comparison) -> Markup:
    """γ per document and for all."""
    scores = dict(comparison.overall.documents)
    rows: list[list[Content]] = []
    for name, score in scores.items():
        units = getattr(score, "units", None)
        annotators = getattr(score, "annotators", None)
        rows.append(
            [
                name,
                number(score.value),
                between(score.interval),
                number(score.observed),
                number(score.expected),
                "–" if annotators is None else str(annotators),
                "–" if units is None else str(units),
                score.reason or str(getattr(score, "status", "")),
            ]
        )
    if len(scores) > 1:
        total = comparison.overall.score
        rows.append(
            [
                element("strong", "all"),
                number(total.value),
                between(total.interval),
                number(total.observed),
                number(total.expected),
                str(getattr(total, "annotators", "–")),
                str(getattr(total, "units", "–")),
                total.reason or str(getattr(total, "status", "")),
            ]
        )
    columns = ["Document", "γ", "Monte-Carlo interval", "Disorder", "Expected", "Annotators"]
    return table([*columns, "Units", "Alignment"], rows, numeric=(1, 2, 3, 4, 5, 6))


def annotators(comparison: Comparison) -> Markup:
    """Each annotator among the others, and γ without them."""
    rows: list[list[Content]] = [
        [
            a.name,
            str(a.units),
            number(a.mean_length, 1),
            number(a.mean_pair),
            number(a.without),
            _signed(a.gain),
            _percent(a.alone),
            _percent(a.outvoted),
        ]
        for a in comparison.annotators
    ]
    columns = ["Annotator", "Units", "Mean length", "Mean γ with others", "γ without", "Gain"]
    found = table([*columns, "Alone", "Outvoted"], rows, numeric=tuple(range(1, 8)))
    note = element(
        "p",
        "Gain: γ of the others minus γ with the annotator. Alone: units that nobody else marked. "
        "Outvoted: units whose category has fewer votes than another.",
        class_="hint",
    )
    return join(found, note)


def pairs(matrix: PairMatrix) -> Markup:
    """γ of every pair as a matrix; darker is higher."""
    values = matrix.values
    head = element("tr", element("td"), *(element("th", n, scope="col") for n in matrix.annotators))
    rows = [
        element(
            "tr",
            element("th", name, scope="row", class_="name"),
            *(
                element("td", "·", class_="cell self")
                if i == j
                else element("td", number(v, 2), class_="cell", style=f"background:{_shade(v)}")
                for j, v in enumerate(values[i].tolist())
            ),
        )
        for i, name in enumerate(matrix.annotators)
    ]
    return _scrolling(element("table", element("thead", head), element("tbody", *rows)))


def categories(comparison: Comparison) -> Markup:
    """γ_k per category with how often its units are aligned and agreed on."""
    rows: list[list[Content]] = [
        [
            c.name,
            number(c.value),
            str(c.units),
            _percent(c.share_matched),
            _percent(c.share_equal),
        ]
        for c in comparison.categories
    ]
    columns = ["Category", "γ_k", "Units", "Aligned", "Same category"]
    return table(columns, rows, numeric=(1, 2, 3, 4))


def confusion(found: Confusion, *, corner: str = "") -> Markup:
    """Counts of aligned pairs; the shade is the share of the row."""
    sums = found.counts.sum(axis=1)
    head = element(
        "tr", element("td", corner), *(element("th", c, scope="col") for c in found.columns)
    )
    rows = []
    for i, name in enumerate(found.rows):
        cells = []
        for j, count in enumerate(found.counts[i].tolist()):
            share = count / sums[i] if sums[i] else 0.0
            agrees = name == found.columns[j]
            colour = "0,114,178" if agrees else "213,94,0"
            cells.append(
                element(
                    "td",
                    str(count) if count else "·",
                    class_="cell tint",
                    style=f"background:rgba({colour},{0.7 * share:.2f})" if count else None,
                )
            )
        rows.append(element("tr", element("th", name, scope="row", class_="name"), *cells))
    return _scrolling(element("table", element("thead", head), element("tbody", *rows)))


def reference(found: ReferenceComparison) -> Markup:
    """The reference against each annotator, and what is taken for what."""
    rows: list[list[Content]] = [
        [
            a.annotator,
            number(a.agreement.value),
            number(a.with_others),
            str(a.aligned),
            str(a.equal),
            str(a.missed),
            str(a.added),
        ]
        for a in found.annotators
    ]
    columns = ["Annotator", "γ", "Their γ with others", "Aligned", "Same category"]
    return join(
        table(
            [*columns, f"Missed by {found.name}", f"Only {found.name}"],
            rows,
            numeric=tuple(range(1, 7)),
        ),
        confusion(found.confusion, corner=found.name),
    )


def review(found: Mapping[str, Consensus], *, buttons: bool = True) -> Markup:
    """What a person should look at, worst first, with buttons that show it in the view."""
    listed = [(n, i, u) for i, (n, c) in enumerate(found.items()) for u in c.review]
    listed.sort(key=lambda entry: -entry[2].disorder)
    several = len(found) > 1
    quoted = any(unit.text is not None for _, _, unit in listed)
    rows: list[list[Content]] = [
        [
            *([_show(document, unit)] if buttons else []),
            *([name] if several else []),
            f"{_position(unit.start)} – {_position(unit.end)}",
            *([quote(unit)] if quoted else []),
            "?" if unit.vote.tied else (unit.category or "(unlabelled)"),
            f"{unit.confidence:.2f}",
            "; ".join(unit.reasons),
        ]
        for name, document, unit in listed[:REVIEW_ROWS]
    ]
    columns = [
        *([""] if buttons else []),
        *(["Document"] if several else []),
        "From – to",
        *(["Text"] if quoted else []),
        "Category",
        "Confidence",
        "Why",
    ]
    cut = None
    if len(listed) > REVIEW_ROWS:
        cut = element(
            "p",
            f"The worst {REVIEW_ROWS} of {len(listed)}; gammacp consensus --review FILE.csv "
            "writes them all.",
            class_="hint",
        )
    return join(table(columns, rows, numeric=(len(columns) - 2,), long=True), cut)


def _show(document: int, unit: ConsensusUnit) -> Markup:
    where = f"{_position(unit.start)} to {_position(unit.end)}"
    return element(
        "button",
        "Show",
        type="button",
        class_="link",
        data_document=document,
        data_show=unit.group,
        aria_label=f"Show the unitary alignment from {where}",
    )


def quote(unit: ConsensusUnit) -> str:
    """What the unit covers, cut where it is long."""
    text = unit.text or ""
    return text if len(text) <= _QUOTE else f"{text[:_QUOTE]}…"


def _position(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _scrolling(content: Markup) -> Markup:
    return element("div", content, class_="scroll")


def _shade(value: float) -> str:
    """From sand at 0 to blue at 1, light enough for dark text; none where undefined."""
    if math.isnan(value):
        return "none"
    t = min(1.0, max(0.0, value))
    low, high = (244, 226, 190), (126, 184, 226)
    return (
        "rgb(" + ",".join(str(round(a + t * (b - a))) for a, b in zip(low, high, strict=True)) + ")"
    )


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.3f}".replace("-", "−")


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0%}"
