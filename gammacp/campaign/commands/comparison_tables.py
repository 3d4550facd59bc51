"""Output of `gammacp compare`: the answer, then a table for each way to look at it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from gammacp.base.record_tables import Table, number
from gammacp.base.text import group_by_text, visible
from gammacp.campaign import result_tables
from gammacp.campaign.parts import ComparisonTable
from gammacp.cli.output import fits, message, say, show

if TYPE_CHECKING:
    from gammacp.campaign.compare import Comparison, Confusion, PairMatrix
    from gammacp.campaign.verdict import CampaignVerdict

_WIDEST = 12  # a matrix with more columns is a list
_Part: TypeAlias = tuple[str, Table, Iterable[str]]


def print_comparison(comparison: Comparison, by: Collection[str]) -> None:
    """Show the verdict, the tables that were asked for, and what goes into a methods section."""
    from gammacp.campaign.verdict import verdict

    by_document = "document" in by
    if by_document and comparison.overall.score.defined:
        outcome = verdict(comparison)
        if {"annotator", "pair", "category"} <= {*by}:
            _say_parts(outcome)
        else:
            say(outcome.in_words()[0])
    if by_document and comparison.copies is not None and comparison.copies.pairs:
        say("\nDocuments that two annotators share whole (tested)")
        for sentence in comparison.copies.in_words():
            say(f"- {sentence}", hang="  ")
    for title, table, words in chain(_main_tables(comparison, by), _further_tables(comparison, by)):
        show(table, title=title)
        for sentence in words:
            say(sentence)
    if by_document and (methods := [*_methods(comparison)]):
        say("\nFor the methods section")
        for sentence in methods:
            say(sentence)
    notes = comparison.overall.score.caveats()
    if notes:
        message("\nNotes")
    for note in notes:
        message(f"- {note if comparison.against is None else f'first round: {note}'}")
    for name, reason in comparison.refused.items():
        message(f"no table by {name}: {reason}")


def _say_parts(outcome: CampaignVerdict) -> None:
    """Print the verdict: facts and what tests show are lists, each under its heading."""
    for part in outcome.parts():
        if part.name != "agreement":
            say("")
        if part.heading:
            say(part.heading)
        for sentence in part.sentences:
            if part.heading:
                say(f"- {sentence}", hang="  ")
            else:
                say(sentence)


def _main_tables(comparison: Comparison, by: Collection[str]) -> Iterator[_Part]:
    """Yield the tables of `--by`, each with its title and sentences."""
    if "document" in by:
        undefined = group_by_text(comparison.overall.reasons)
        words = (f"{names}: γ is undefined: {reason}" for reason, names in undefined)
        yield "By document", result_tables.documents(comparison).without("reason"), words
    if "annotator" in by:
        words = (sentence for entry in comparison.without if (sentence := entry.in_words()))
        yield "By annotator", result_tables.annotators(comparison), words
    if "pair" in by:
        yield "By pair of annotators", _pairs(comparison.pairs), comparison.pairs.in_words()
    if "category" in by:
        undefined = group_by_text((c.reason, c.category) for c in comparison.categories if c.reason)
        words = (f"γ_k of {names}: undefined: {reason}" for reason, names in undefined)
        yield "By category", result_tables.categories(comparison), words
        yield "", *_confusion(comparison.confusion, "aligned pairs")


def _further_tables(comparison: Comparison, by: Collection[str]) -> Iterator[_Part]:
    """Yield what else was asked for, such as a reference, another round, groups or sessions."""
    if (reference := comparison.reference) is not None:
        name = visible(reference.name)
        words = (
            f"γ of the annotators is {number(comparison.overall.value, 3)}, "
            f"with {name} among them {number(reference.everybody.value, 3)}; "
            f"mean γ of {name} with each is {number(reference.mean, 3)}."
        )
        title = f"{name} against the annotators"
        yield title, result_tables.reference(reference), [words]
        yield "", *_confusion(reference.confusion, f"{name}, then the others")
    if (other := comparison.against) is not None:
        rounds = result_tables.rounds(comparison.overall.score, other.agreement.score)
        yield "Against the other round", rounds, [other.in_words()]
    if (groups := comparison.groups) is not None:
        yield "Groups of annotators", result_tables.groups(groups), [f"\n{groups.in_words()}"]
    for part in comparison.parts.values():
        sentences: list[str] = []
        if isinstance(part, ComparisonTable) and "document" not in by:
            sentences = part.in_words()
        for title, table in part.tables():
            if table.records:
                yield title, table, sentences
                sentences = []
    if (twice := comparison.sessions) is not None:
        yield "The same people twice", result_tables.sessions(twice), [f"\n{twice.in_words()}"]
    if (ordered := comparison.over_time) is not None:
        yield "Over time", result_tables.over_time(ordered), ordered.in_words()


def _pairs(pairs: PairMatrix) -> Table:
    """Return the matrix of pairs, or a list if it is too wide."""
    if len(pairs.annotators) <= _WIDEST:
        matrix = _three_decimals(result_tables.pairs(pairs))
        if fits(matrix):
            return matrix
    return _three_decimals(result_tables.listed_pairs(pairs))


def _three_decimals(table: Table) -> Table:
    return replace(table, columns=tuple(replace(c, digits=3) for c in table.columns))


def _confusion(table: Confusion, corner: str) -> tuple[Table, list[str]]:
    """Return the matrix of confusions, or a list if it is too wide, and what the list lacks."""
    if len(table.rows) <= _WIDEST:
        matrix = result_tables.confusion(table, corner=corner)
        if fits(matrix):
            return matrix, []
    listed = result_tables.listed_confusions(table, corner=corner)
    others = len(table.confused_pairs) - len(listed.records)
    if others <= 0:
        return listed, []
    return listed, [f"{others} less frequent pairs are not shown; --json has all counts."]


def _methods(comparison: Comparison) -> Iterator[str]:
    """Return how sure γ is and what it is made of."""
    score = comparison.overall.score
    yield from score.in_words()
    yield from result_tables.intervals(comparison)
