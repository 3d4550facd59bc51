"""Statements on what stands out in a comparison: an annotator, pair, label or kind of difference.

Each is a sentence of the verdict, and is made only if a test supports it; the parts of the corpus
(documents, or stretches of one text) are the sample. Each sentence has the p of its test, and says
which test it is. What was tested without result is named in one statement. `next_step` turns the
statements into advice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.text import counted, p_of_test, visible, with_commas
from gammacp.campaign.compare.categories import NO_UNIT, same_label
from gammacp.campaign.compare.comparison import Comparison
from gammacp.campaign.compare.scoring import categories_of
from gammacp.campaign.compare.stretches import DocumentParts
from gammacp.campaign.facts import agreement_of_pairs
from gammacp.campaign.places import Place, costliest_places, places_of_kind
from gammacp.campaign.statements import (
    LEVEL,
    LEVEL_OF_PAIRS,
    NOT_SHOWN,
    UNDEFINED,
    Statement,
)
from gammacp.continuum.label import plain
from gammacp.inference.between_documents import p_of_equal_documents
from gammacp.inference.contributions import places_of
from gammacp.inference.part_tests import below_the_rest, gain, holm, independent_parts
from gammacp.measures.agreement import Agreement, contributions_within
from gammacp.measures.explaining.cost_shares import ABSENCE, borne_in, components_of
from gammacp.measures.gamma_notes import FEWEST_UNITS

if TYPE_CHECKING:
    from gammacp.campaign.calibrate.calibration import Calibration
    from gammacp.kinds.kinds import Kinds

_MOST_PEOPLE = 30
_ANY = 0.005  # smallest share of confirmed labels that is printed as more than 0 %
_LOWEST = 2  # documents that the next step names
# Number of documents that are tested for differences: of more, some that are evenly spread.
_TESTED = 500
_KINDS = {
    "position": "boundaries: the same unit, marked at another place",
    "category": "labels: the same unit, labelled differently",
    ABSENCE: "units without a counterpart: where one annotator marks them, another marks something "
    "else, or nothing",
}
_TOPICS = {
    "position": "where units begin and end",
    "category": "the labels",
    "split": "what {name} marks as several units and others as one",
    "merged": "what {name} marks as one unit and others as several",
    "missing": "units that {name} leaves out",
    "extra": "units that only {name} marks",
    "level": "units inside other units",
}
"""What to talk about, by the kind of difference."""
_DIFFERENCE = "difference"
_NOT_SHOWN = {
    _DIFFERENCE: "that an annotator has more differences of one kind than the others",
    "annotator": "that γ is higher without one of the annotators",
    "pair": "that a pair agrees less than the others",
    "label": "that a label is disputed more than the others",
    "kind of difference": "that one kind of difference costs more than the second",
}
"""What is said of a test without result, by the kind of the statement."""
_ERRORS = {"position": "position", "category": "category", ABSENCE: "false-negative"}


def standing_out(found: Comparison, told: Sequence[Statement] = ()) -> list[Statement]:
    """Return statements on annotator, pair, label and kind of difference, where they are shown.

    Parameters
    ----------
    found
        The comparison.
    told
        Statements of `kinds_told`.
    """
    cuts = DocumentParts(found.overall)
    several = False
    names = [*found.overall.rated]
    statement_of: dict[str, Statement | None] = {}
    if found.kinds is not None and any(r["p"] is not None for r in found.kinds.people):
        statement_of[_DIFFERENCE] = told[0] if told else None
    if any(math.isfinite(e.p_value) for e in found.without):
        statement_of["annotator"] = _annotator(found)
    if cuts.n:
        parts = cuts.of_alignments(found.overall, names)
        if found.pairs.tests and len(found.pairs.annotators) <= _MOST_PEOPLE:
            statement_of["pair"] = _pair(found)
        labels = plain(
            categories_of({n: found.overall.rated[n].alignment.continuum for n in names})
        )[0]
        if len(labels) > 1:
            label, several = _label(found.overall, labels, cuts.n, parts)
            if not several:
                statement_of["label"] = label
        statement_of["kind of difference"] = _kind(found, cuts.n, parts)
    statements = [s for name, s in statement_of.items() if s and name != _DIFFERENCE]
    if not statement_of:
        words = f"There is too little data to test who or what stands out: {cuts.reason}."
        return [Statement(about="none", words=words)]
    if none := [name for name, statement in statement_of.items() if statement is None]:
        words = _not_shown(none, nothing=len(none) == len(statement_of) and not several)
        statements.append(Statement(about="none", words=words))
    return statements


def _not_shown(none: Sequence[str], *, nothing: bool) -> str:
    """Return a sentence on tests without result; `nothing` says whether no test has a result."""
    *others, last = (_NOT_SHOWN[name] for name in none)
    if others:
        listed = f"{', '.join(others)}, or {last}"
    else:
        listed = last
    if nothing:
        shown = f"No test shows that anybody or anything differs; not shown is {listed}."
    else:
        shown = f"Not shown by a test: {listed}."
    return shown


def by_luck(statement: Statement, named_here: Sequence[Statement]) -> Statement:
    """Add to the statement on tests without result that facts may be so by luck.

    Parameters
    ----------
    statement
        A statement of `standing_out`; any other than that one is returned as it is.
    named_here
        Facts about these documents.
    """
    if statement.about != "none" or not named_here:
        return statement
    words = (
        f"{statement.words} What is named as least or most in these documents may be so by luck."
    )
    return replace(statement, words=words)


def kinds_told(found: Comparison) -> list[Statement]:
    """Return statements on annotators who significantly differ from the others, and in what."""
    from gammacp.kinds.sentences import telling

    kinds = found.kinds
    if kinds is None:
        return []
    statements = []
    for words, r in zip(kinds.sentences, telling(kinds.people), strict=False):
        # With two annotators no name is given, because neither can be said to be at fault.
        names = (r["annotator"], r["kind"]) if kinds.reason is None else ()
        statements.append(Statement(about="difference", words=words, names=names, p=r["p"]))
    return statements


def _annotator(found: Comparison) -> Statement | None:
    """Return a statement on the annotator whose removal raises γ most, if that is significant."""
    shown = [e for e in found.without if e.p_value <= LEVEL]
    if not shown:
        return None
    worst = max(shown, key=lambda e: e.gain)
    name = visible(worst.annotator)
    words = (
        f"{name} differs most from the others: without {name}, γ is "
        f"{worst.agreement.value:.2f} instead of {worst.baseline:.2f} "
        f"({p_of_test(worst.p_value)}: gain of each of {counted(worst.among, 'annotator')} tested)."
    )
    return Statement(about="annotator", words=words, names=(worst.annotator,), p=worst.p_value)


def _pair(found: Comparison) -> Statement | None:
    """Return a statement on the pair with the lowest γ among those shown to be below the others."""
    tests = found.pairs.tests
    low = {p: t for p, t in tests.items() if t.p_holm <= LEVEL_OF_PAIRS and t.gamma < t.others}
    if not low:
        return None
    one, other = pair = min(low, key=lambda p: low[p].gamma)
    words = (
        f"{visible(one)} and {visible(other)} agree less than the other pairs: their γ is "
        f"{low[pair].gamma:.2f}, that of the others together {low[pair].others:.2f} "
        f"({p_of_test(low[pair].p_holm)}: each of {len(tests)} pairs tested against the others)."
        f"{_least_is_another(found, pair)}"
    )
    return Statement(about="pair", words=words, names=pair, p=low[pair].p_holm)


def _least_is_another(found: Comparison, pair: tuple[str, str]) -> str:
    """Return a sentence on the pair that agrees least here, if the test does not name it."""
    values = agreement_of_pairs(found)
    if pair not in values:
        return ""
    least = min(values, key=values.__getitem__)
    if least == pair:
        return ""
    names = " and ".join(map(visible, least))
    test = found.pairs.tests.get(least)
    if test is None:
        return f" {names}, who agree least here, could not be tested."
    if test.p_holm <= LEVEL_OF_PAIRS:
        return ""
    return (
        f" {names}, who agree least here, are not named by this test ({p_of_test(test.p_holm)}, "
        f"above {LEVEL_OF_PAIRS:g})."
    )


def _worst(observed: Floats, expected: Floats) -> tuple[int | None, float]:
    """Return the row with the largest ratio among those significantly above the rest, and its p."""
    p = holm(below_the_rest(observed, expected).p_of_more)
    shown = np.flatnonzero(p <= LEVEL)
    if not len(shown):
        return None, math.nan
    ratio = observed.sum(axis=-1)[shown] / expected.sum(axis=-1)[shown]
    worst = int(shown[np.argmax(ratio)])
    return worst, float(p[worst])


def _in_order(overall: Agreement) -> Iterator[tuple[Alignment, Codes]]:
    """Yield the alignment of each document with a γ, and its groups in the order of the text."""
    for score in overall.rated.values():
        aligned = score.alignment
        places = places_of(aligned.groups, aligned.continuum.starts)
        yield aligned, aligned.groups[np.argsort(places, kind="stable")]


def _label(
    overall: Agreement, names: Sequence[str], n: int, parts: list[Indices]
) -> tuple[Statement | None, bool]:
    """Return a statement on the label that other annotators least often confirm, if significant.

    The second value says whether it is one of several labels that are never confirmed. Then there
    is no statement, since none of them is disputed most.
    """
    index_of = {name: i for i, name in enumerate(names)}
    comparisons, differing = np.zeros((2, len(names), n))
    for (aligned, groups), part in zip(_in_order(overall), parts, strict=True):
        own_categories, codes = plain(aligned.continuum.categories)
        to_all = np.array([*(index_of[name] for name in own_categories), -1], np.int32)
        labels = to_all[codes[aligned.continuum.category_codes]]
        same = same_label(groups, labels)
        real = (groups >= 0) & (labels[groups] >= 0)
        where = labels[groups][real], np.broadcast_to(part[:, None], groups.shape)[real]
        np.add.at(comparisons, where, groups.shape[1] - 1)
        np.add.at(differing, where, groups.shape[1] - same[real])
    used = np.flatnonzero(comparisons.any(axis=1))
    worst, p = _worst(differing[used], comparisons[used])
    if worst is None:
        return None, False
    confirmed = 1 - differing[used].sum(axis=1) / comparisons[used].sum(axis=1)
    if confirmed[worst] < _ANY and (confirmed < _ANY).sum() > 1:
        return None, True
    k = used[worst]
    shares = [
        1 - float(a.sum() / b.sum())
        for a, b in (
            (differing[k], comparisons[k]),
            (np.delete(differing, k, axis=0), np.delete(comparisons, k, axis=0)),
        )
    ]
    words = (
        f"The label “{visible(names[k])}” is disputed most: where one annotator marks it, another "
        f"marks it too in {shares[0]:.0%} of the cases (other labels: {shares[1]:.0%}; "
        f"{p_of_test(p)}: each label tested against the others)."
    )
    return Statement(about="label", words=words, names=(names[k],), p=p), False


def _kind(found: Comparison, n: int, parts: list[Indices]) -> Statement | None:
    """Return a statement on the largest component of the disorder, if it is shown to be largest."""
    totals: dict[str, Floats] = {}
    weight = np.zeros(n)
    for (aligned, groups), part in zip(_in_order(found.overall), parts, strict=True):
        kinds = components_of(aligned.dissimilarity)
        if aligned.cover or len(kinds) < 3:
            return None
        totals = totals or {kind: np.zeros(n) for kind in kinds}
        c = aligned.continuum
        units = borne_in([(c, groups)], [1.0], None, len(c.categories), aligned.dissimilarity).units
        real = groups >= 0
        where = np.broadcast_to(part[:, None], groups.shape)[real]
        for total, of_units in zip(totals.values(), units[groups[real]].T, strict=True):
            np.add.at(total, where, of_units)
        np.add.at(weight, where, 1.0)
    first, second = sorted(totals, key=lambda kind: -totals[kind].sum())[:2]
    whole = math.fsum(t.sum() for t in totals.values())
    if not whole:
        return None
    what = _KINDS.get(first, f"about {first}")
    one, other = (independent_parts(totals[kind], weight) for kind in (first, second))
    p = float(gain(one, other).p)
    if not p <= LEVEL:
        return None
    share = float(totals[first].sum()) / whole
    test = f"({p_of_test(p)}: largest share tested against the second)"
    if not totals[second].any():
        words = f"All of the disagreement is {what} (no other kind occurs)."
    elif share > 0.5:
        words = f"Most of the disagreement ({share:.0%}) is {what} {test}."
    else:
        words = f"The largest part of the disagreement ({share:.0%}) is {what} {test}."
    if first == ABSENCE:
        words += _divided(found.kinds, share)
    return Statement(about="kind", words=words, names=(first,), p=p)


def _divided(kinds: Kinds | None, share: float) -> str:
    """Return a sentence on units that one annotator divides, if most units alone are such.

    Parameters
    ----------
    kinds
        The kinds of differences, if they were counted.
    share
        Share of the disorder due to units without a counterpart.
    """
    divided = _share_of_divided(kinds)
    if not divided > share / 2:
        return ""
    return (
        f" Most of it ({divided:.0%} of the disagreement) comes from stretches that one annotator "
        "divides into more units than another."
    )


def _share_of_divided(kinds: Kinds | None) -> float:
    """Return the share of the disorder from units that one annotator divides or joins."""
    if kinds is None or kinds.reason is not None or not kinds.observed:
        return 0.0
    share: float = kinds.parts["split"]["share"] + kinds.parts["merged"]["share"]
    return share


def worth(found: Calibration, said: list[Statement]) -> Statement | None:
    """Return the errors that would give this γ: of the kind that weighs most, or the first."""
    equivalent_of = {e.error: e for e in found.equivalents if e.words}
    kind = next((s.names[0] for s in said if s.about == "kind"), None)
    chosen = equivalent_of.get(_ERRORS.get(kind or "", "")) or next(
        iter(equivalent_of.values()), None
    )
    if chosen is None:
        return None
    words = (
        f"What the number is worth: γ would be the same if {chosen.words}, and nothing else "
        "went wrong."
    )
    return Statement(about="worth", words=words, names=(chosen.error,))


def _units_per_annotator(overall: Agreement) -> float:
    """Return the mean number of units of an annotator, in all documents together."""
    return math.fsum(score.units / score.annotators for score in overall.computed.values())


def next_step(
    word: str,
    said: list[Statement],
    found: Comparison,
    to_review: int | None,
) -> Statement:
    """Return what to do now, by the first rule that applies."""
    words, places = _advice(word, {s.about: s.names for s in reversed(said)}, found)
    if word == "high" and to_review:
        words += f"; {with_commas(to_review)} units need a decision"
    elif word != UNDEFINED and to_review:
        end = "" if words[-1] in ".?" else "."
        words += f"{end} The {with_commas(to_review)} units to review show where"
    words = f"Next: {words}{'' if words[-1] == '?' else '.'}"
    return Statement(about="next", words=words, places=places)


def _advice(
    word: str, names_of: Mapping[str, tuple[str, ...]], found: Comparison
) -> tuple[str, tuple[Place, ...]]:
    """Return what to do now, and the places to look at first."""
    overall = found.overall
    label = names_of.get("label")
    person = names_of.get("annotator")
    difference = names_of.get("difference")
    if word == UNDEFINED:
        return "make sure that at least two annotators mark something in the same document", ()
    if word == NOT_SHOWN:
        words = "look at the alignment first: do the annotators mark the same kind of thing?"
        return words, costliest_places(overall)
    if (units := _units_per_annotator(overall)) < FEWEST_UNITS:
        return (
            f"annotate more: {units:.2g} units per annotator are too few to decide anything on",
            (),
        )
    if difference:
        assert found.kinds is not None
        words = _talk(*difference)
        places = places_of_kind(found.kinds, *difference)
        if word == "high":
            words += "; then make the gold standard"
        elif label is not None:
            words += f", and make the guideline for “{visible(label[0])}” clearer"
        return words, places
    if word == "high":
        return "make the gold standard", ()
    if label is not None:
        words = f"make the guideline for “{visible(label[0])}” clearer{_taken_for(found, label[0])}"
        return words, costliest_places(overall, label=label[0])
    if person is not None:
        words = f"go through the differences with {visible(person[0])}"
        return words, costliest_places(overall, annotator=person[0])
    words = f"look at the places that cost most{_lowest(found)}, and "
    if _share_of_divided(found.kinds) > 0.5:
        words += "agree on when a stretch is one unit and when several"
    else:
        words += "make the guideline clearer"
    return words, costliest_places(overall)


def _lowest(found: Comparison) -> str:
    """Return a clause that names the documents with the lowest γ.

    It is "" if there are few documents, or if they are not shown to differ: then the lowest ones
    are so by luck, and would be others if the same people annotated them again.
    """
    overall = found.overall
    values = {name: score.value for name, score in overall.rated.items()}
    if len(values) <= _LOWEST:
        return ""
    tested = [*values][:: math.ceil(len(values) / _TESTED)]
    # Without weights: the F-test assumes that all unitary alignments have the same variance.
    if not p_of_equal_documents([contributions_within(overall.rated[n]) for n in tested]) <= LEVEL:
        return ""
    *others, last = (visible(name) for name in sorted(values, key=values.__getitem__)[:_LOWEST])
    return f", first in {', '.join(others)} and {last}, where γ is lowest"


def _talk(name: str, kind: str) -> str:
    """Return the advice to talk with an annotator about their kind of difference."""
    topic = _TOPICS.get(kind, "the differences").format(name=visible(name))
    return f"talk with {visible(name)} and the others about {topic}"


def _taken_for(found: Comparison, label: str) -> str:
    """Return a clause on what the other annotator does instead of a label most often."""
    table = found.confusion
    if label not in table.rows:
        return ""
    row = np.where(np.array(table.columns) == label, 0, table.counts[table.rows.index(label)])
    other = table.columns[int(row.argmax())]
    most = int(row.max())
    if not most:
        return ""
    if other == NO_UNIT:
        what = "has no such unit"
    else:
        what = f"says “{visible(other)}”"
    return f": in {most} of {int(row.sum())} differences about it, the other annotator {what}"
