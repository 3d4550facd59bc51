"""What `gammacp compare` prints: its tables, each with what has to be said in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gammacp.campaign import result_tables
from gammacp.cli.output import messages, say, show
from gammacp.record_tables import number
from gammacp.text import group_by_text, visible

if TYPE_CHECKING:
    from gammacp.campaign.compare import (
        Comparison,
        Confusion,
        Groups,
        LinkComparison,
        OtherRound,
        OverTime,
        Sessions,
    )
    from gammacp.measures.score import Score

_WIDEST = 12  # a matrix with more columns is a list


def print_documents(found: Comparison) -> None:
    """γ per document and for all, with both intervals in words."""
    from gammacp.campaign.verdict import verdict

    if found.overall.score.defined:
        say(verdict(found.overall).in_words()[0])
    show(result_tables.documents(found).without("reason"), title="By document")
    for why, names in group_by_text(found.overall.reasons):
        say(f"{names}: γ is undefined: {why}")
    score = found.overall.score
    interval = score.interval
    for sentence in score.in_words():
        say(sentence)
    if interval is not None:
        say(
            f"What chance gives is estimated from random annotation sets: with ever more of them, "
            f"γ of these data would lie between {interval[0]:.3f} and {interval[1]:.3f}."
        )
    if found.bootstrap is not None:
        say(found.bootstrap.in_words())
    if score.over is not None:
        say(score.over.in_words())


def print_annotators(found: Comparison) -> None:
    """Each annotator among the others."""
    show(result_tables.annotators(found), title="By annotator")
    for entry in found.without:
        if said := entry.in_words():
            say(said)


def print_pairs(found: Comparison) -> None:
    """γ of every pair: a matrix for a few annotators, a list for many."""
    few = len(found.pairs.annotators) <= _WIDEST
    table = result_tables.pairs(found.pairs) if few else result_tables.listed_pairs(found.pairs)
    show(table, title="By pair of annotators", digits=3)
    for sentence in found.pairs.in_words():
        say(sentence)


def print_categories(found: Comparison) -> None:
    """γ_k per category, then what is taken for what."""
    show(result_tables.categories(found), title="By category")
    undefined = [c for c in found.categories if c.reason]
    messages(((f"undefined: {c.reason}", c.category) for c in undefined), before="γ_k of ")
    _print_confusion(found.confusion, "aligned pairs")


def _print_confusion(found: Confusion, corner: str) -> None:
    few = len(found.rows) <= _WIDEST
    show(
        (result_tables.confusion if few else result_tables.listed_confusions)(found, corner=corner)
    )


def print_reference(found: Comparison) -> None:
    """The reference against each annotator."""
    reference = found.reference
    if reference is None:
        return
    name = visible(reference.name)
    show(result_tables.reference(reference), title=f"{name} against the annotators")
    say(
        f"γ of the annotators is {number(found.overall.value, 3)}, "
        f"with {name} among them {number(reference.everybody.value, 3)}; "
        f"mean γ of {name} with each is {number(reference.mean, 3)}."
    )
    _print_confusion(reference.confusion, f"{name}, then the others")


def print_against(first: Score, other: OtherRound) -> None:
    """Another round, with the difference in words."""
    show(result_tables.rounds(first, other.agreement.score), title="Against the other round")
    say(other.in_words())


def print_groups(found: Groups) -> None:
    """γ within each group, and a sentence per two of them."""
    show(result_tables.groups(found), title="Groups of annotators")
    say(f"\n{found.in_words()}")


def print_links(found: LinkComparison) -> None:
    """γ of links and of chains, where there are any."""
    for title, table in result_tables.links(found):
        if table.records:
            show(table, title=title)


def print_sessions(found: Sessions) -> None:
    """Each person with themselves and with others, and a sentence on all."""
    show(result_tables.sessions(found), title="The same people twice")
    say(f"\n{found.in_words()}")


def print_over_time(found: OverTime) -> None:
    """The changes of γ, and those that are shown in words."""
    show(result_tables.over_time(found), title="Over time")
    for sentence in found.in_words():
        say(sentence)


PRINTERS: Mapping[str, Callable[[Comparison], None]] = {
    "document": print_documents,
    "annotator": print_annotators,
    "pair": print_pairs,
    "category": print_categories,
    "reference": print_reference,
}
