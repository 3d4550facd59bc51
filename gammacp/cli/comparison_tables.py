"""Tables of `gammacp compare`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gammacp.cli.output import message, number, print_table

if TYPE_CHECKING:
    from gammacp.campaign.compare import Comparison, Confusion, OtherRound
    from gammacp.measures.score import Score


def print_documents(found: Comparison) -> None:
    """γ per document and for all, with both intervals in words."""
    several = len(found.overall.documents) > 1
    rows = [_document_row(n, s) for n, s in found.overall.documents.items()]
    if several:
        rows.append(_document_row("all", found.overall.score))
    columns = ("γ", "Monte-Carlo interval", "observed", "expected", "units")
    _title("By document")
    print_table(("document", *columns), rows, numeric=columns)
    for name, score in found.overall.documents.items():
        if score.reason:
            message(f"{name}: γ is undefined: {score.reason}")
    interval = found.overall.score.interval
    if interval is not None:
        print(
            f"Expected disorder from random annotation sets: γ is known to lie between "
            f"{interval[0]:.3f} and {interval[1]:.3f} for this material."
        )
    if found.bootstrap is not None:
        print(found.bootstrap.in_words())


def _document_row(name: str, score: Score) -> list[str]:
    interval = score.interval
    units = getattr(score, "units", None)
    return [
        name,
        number(score.value),
        "–" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}",
        number(score.observed),
        number(score.expected),
        "–" if units is None else str(units),
    ]


def print_annotators(found: Comparison) -> None:
    """Each annotator among the others."""
    columns = (
        "units",
        "mean length",
        "mean γ with others",
        "γ without",
        "gain",
        "alone",
        "outvoted",
    )
    rows = [
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
        for a in found.annotators
    ]
    _title("By annotator")
    print_table(("annotator", *columns), rows, numeric=columns)
    worst = max(found.without, key=lambda entry: entry.gain, default=None)
    if worst is not None and worst.beyond_sampling:
        print(f"Without {worst.annotator} γ of the others is higher by {worst.gain:.3f}.")


def print_pairs(found: Comparison) -> None:
    """γ of every pair: a matrix for a few annotators, a list for many."""
    names, values = found.pairs.annotators, found.pairs.values
    _title("By pair of annotators")
    if len(names) <= 12:
        rows = [
            [name, *("" if i == j else number(values[i, j], 3) for j in range(len(names)))]
            for i, name in enumerate(names)
        ]
        print_table(("γ", *names), rows, numeric=names)
    else:
        listed = sorted(found.pairs.agreements.items(), key=lambda e: e[1].value)
        rows = [[*pair, number(a.value), str(len(a.documents))] for pair, a in listed]
        print_table(("annotator", "and", "γ", "documents"), rows, numeric=("γ", "documents"))


def print_categories(found: Comparison) -> None:
    """γ_k per category, then what is taken for what."""
    columns = ("γ_k", "units", "aligned", "same category")
    rows = [
        [c.name, number(c.value), str(c.units), _percent(c.share_matched), _percent(c.share_equal)]
        for c in found.categories
    ]
    _title("By category")
    print_table(("category", *columns), rows, numeric=columns)
    for c in found.categories:
        if c.reason:
            message(f"γ_k of {c.name} is undefined: {c.reason}")
    _print_confusion(found.confusion)


def _print_confusion(table: Confusion, *, row: str = "aligned pairs") -> None:
    if len(table.rows) <= 12:
        rows = [
            [name, *(str(n) if n else "·" for n in counts)]
            for name, counts in zip(table.rows, table.counts.tolist(), strict=True)
        ]
        print_table((row, *table.columns), rows, numeric=table.columns)
        return
    listed = [[a, b, str(n)] for a, b, n in table.confused[:20]]
    print_table((row, "with", "pairs"), listed, numeric=("pairs",))


def print_reference(found: Comparison) -> None:
    """The reference against each annotator."""
    reference = found.reference
    if reference is None:
        return
    columns = ("γ", "their γ with others", "aligned", "same category", "missed", "added")
    rows = [
        [
            a.annotator,
            number(a.agreement.value),
            number(a.with_others),
            str(a.aligned),
            str(a.equal),
            str(a.missed),
            str(a.added),
        ]
        for a in reference.annotators
    ]
    _title(f"{reference.name} against the annotators")
    print_table(("annotator", *columns), rows, numeric=columns)
    print(
        f"γ of the annotators is {number(found.overall.value, 3)}, "
        f"with {reference.name} among them {number(reference.everybody.value, 3)}; "
        f"mean γ of {reference.name} with each is {number(reference.mean, 3)}."
    )
    _print_confusion(reference.confusion, row=f"{reference.name}, then the others")


def print_against(other: OtherRound) -> None:
    """Another round, with the permutation test in words."""
    _title("Against the other round")
    print(other.in_words())


PRINTERS: Mapping[str, Callable[[Comparison], None]] = {
    "document": print_documents,
    "annotator": print_annotators,
    "pair": print_pairs,
    "category": print_categories,
    "reference": print_reference,
}


def _title(text: str) -> None:
    print(f"\n{text}")


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.4f}"


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0%}"
