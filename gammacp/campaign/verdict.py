"""The answer first: is it good, who, with whom, on what label, what kind of difference, what next.

Nothing is said by impression. Every adjective and every name has a rule, and how often the rule is
wrong is measured (`experiments/verdicts.py`, docs/verdict.md):

- *high*, *moderate*, *low*: γ from `HIGH` on, below it, below `LOW`. Of the material itself it is
  said where the Monte-Carlo interval lies on one side of a bar, of more material like it where the
  99 % interval over documents does, from `DOCUMENTS_FOR_MORE` documents on.
- an annotator, a pair of annotators, a label: compared with all the others part by part, on
  documents or stretches of a text, p ≤ .05 (of a pair .01) after Holm's correction for all of them.
- a kind of difference: it has the largest share of the disorder, and more than the second, p ≤ .05.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.record_tables import record_of
from gammacp.base.text import visible, with_commas
from gammacp.campaign.calibrate.calibration import Calibration
from gammacp.campaign.compare.categories import NO_UNIT, same_label
from gammacp.campaign.compare.comparison import Comparison
from gammacp.campaign.compare.pairs import PairTest
from gammacp.campaign.compare.scoring import categories_of
from gammacp.campaign.compare.stretches import DocumentParts
from gammacp.continuum.label import plain
from gammacp.inference.contributions import ALIGNMENTS, DOCUMENTS, places_of
from gammacp.inference.part_tests import below_the_rest, gain, holm, independent_parts
from gammacp.measures.agreement import Agreement
from gammacp.measures.answer import ANSWERS
from gammacp.measures.borne import ABSENCE, borne_in, components_of

HIGH, LOW = 0.8, 0.667
"""From where on agreement is called high, below which low (Krippendorff's customary bars for α)."""
DOCUMENTS_FOR_MORE, ALIGNED_FOR_MORE = 20, 150
"""Documents or clusters, or unitary alignments of one text, from which more like them is told."""
CONFIDENCE = 0.99
"""Of the interval that tells of more material."""
LEVEL, LEVEL_OF_PAIRS = 0.05, 0.01
"""p from which something is said; of pairs less: they share annotators, who err in spells."""
UNDEFINED = "undefined"
NOT_SHOWN, UNTESTED = "not shown to be better than chance", "not tested against chance"
_MOST_PEOPLE = 30
_WORDS = ("low", "moderate", "high")
_KINDS = {
    "position": "boundaries: the same unit, marked at another place",
    "category": "labels: the same unit, labelled differently",
    ABSENCE: "missing units: one annotator marks what another does not",
}
_ERRORS = {"position": "position", "category": "category", ABSENCE: "false-negative"}


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One sentence of a verdict.

    Attributes
    ----------
    about
        `agreement`, `elsewhere` (more material like this), `annotator`, `pair`, `label`, `kind`,
        `none` (what does not stand out), `worth` or `next`.
    words
        The sentence, for people.
    names
        What it singles out: one annotator, two, a label, a component of the disorder.
    p
        Of the test that carries it; None where it rests on none.
    """

    about: str
    words: str
    names: tuple[str, ...] = ()
    p: float | None = None


@dataclass(frozen=True, kw_only=True)
class CampaignVerdict:
    """What a campaign's numbers say, in plain words.

    Attributes
    ----------
    agreement
        `high`, `moderate`, `low`; two of them joined by " or " where the random sets leave it
        open; otherwise `NOT_SHOWN`, `UNTESTED` or `UNDEFINED`.
    elsewhere
        The same of more material like this; None where there is too little to say.
    statements
        In their order: about agreement first, the next step last.
    """

    agreement: str
    elsewhere: str | None = None
    statements: tuple[Statement, ...]

    def in_words(self) -> list[str]:
        """A sentence each."""
        return [s.words for s in self.statements]

    def of(self, about: str) -> Statement | None:
        """The statement about this, if there is one."""
        return next((s for s in self.statements if s.about == about), None)

    def as_dict(self) -> dict[str, Any]:
        """The verdict as JSON has it."""
        statements = [asdict(s) for s in self.statements]
        return {**record_of(self, "agreement elsewhere"), "statements": statements}


def verdict(
    found: Agreement | Comparison,
    *,
    calibration: Calibration | None = None,
    to_review: int | None = None,
) -> CampaignVerdict:
    """What to tell somebody who asks whether the annotation is good.

    Parameters
    ----------
    found
        γ of everybody; or a comparison, of which annotators, pairs, labels and kinds of difference
        are told where the evidence carries it.
    calibration
        What the number is worth in errors, if it is known.
    to_review
        How many units of the gold standard wait for a person, if it is known.

    Examples
    --------
    `verdict(agreement).in_words()[0]` is the sentence of `gammacp gamma`;
    `verdict(comparison, to_review=7).in_words()` are those of the report's first page.
    """
    overall = found.overall if isinstance(found, Comparison) else found
    word, elsewhere, said = _agreement(overall)
    if isinstance(found, Comparison) and word not in (UNDEFINED, NOT_SHOWN):
        said += _standing_out(found)
    if calibration is not None and (worth := _worth(calibration, said)):
        said.append(worth)
    if isinstance(found, Comparison):
        said.append(_next_step(word, said, found, to_review))
    return CampaignVerdict(agreement=word, elsewhere=elsewhere, statements=tuple(said))


def grade(low: float, high: float) -> str:
    """The word for γ between two bounds; two words where they lie on two sides of a bar.

    Parameters
    ----------
    low, high
        Of γ; equal for a value that is known.

    >>> grade(0.81, 0.9), grade(0.7, 0.7), grade(0.6, 0.7), grade(0.5, 0.9)
    ('high', 'moderate', 'low or moderate', 'low to high')
    """
    a, b = (int(np.searchsorted((LOW, HIGH), v, side="right")) for v in (low, high))
    return _WORDS[a] if a == b else f"{_WORDS[a]} {'or' if b == a + 1 else 'to'} {_WORDS[b]}"


def _agreement(overall: Agreement) -> tuple[str, str | None, list[Statement]]:
    """The word for the material, that for more like it, and what is said of both."""
    score = overall.score
    if not score.defined:
        said = Statement(about="agreement", words=f"γ is undefined: {score.reason}.")
        return UNDEFINED, None, [said]
    what = (
        "this text"
        if len(overall.rated) == 1
        else f"these {with_commas(len(overall.rated))} documents"
    )
    # So few random sets that no p can be small test nothing.
    if score.p is None or (score.least_p or 0.0) > LEVEL:
        words = (
            f"γ of {what} is {score.value:.2f}. Whether that is better than chance could not be "
            "tested: there are too few data, or the chance model has no test."
        )
        return UNTESTED, None, [Statement(about="agreement", words=words)]
    if score.p > LEVEL:
        words = (
            f"Agreement is not shown to be better than chance: γ is {score.value:.2f}, and "
            f"{score.p:.0%} of random annotations agree as well or better."
        )
        return NOT_SHOWN, None, [Statement(about="agreement", words=words, p=score.p)]
    word = grade(*(score.interval or (score.value, score.value)))
    differ = "agree in everything"
    if score.value < 1:
        share = max(0.01, round(1 - score.value, 2))
        less = "less than " * (score.value > 0.995)
        differ = f"disagree {less}{share:.0%} as much as they would by chance"
    words = f"Agreement on {what} is {word}: γ is {score.value:.2f}, so the annotators {differ}."
    elsewhere, more = _elsewhere(overall)
    return word, elsewhere, [Statement(about="agreement", words=words, p=score.p), *more]


def _elsewhere(overall: Agreement) -> tuple[str | None, list[Statement]]:
    """The word for more material like this, with its sentence; None where there is too little."""
    parts, word = overall.contributions(), None
    text = parts.kind == ALIGNMENTS
    least = ALIGNED_FOR_MORE if text else DOCUMENTS_FOR_MORE
    kind = "" if parts.kind == DOCUMENTS else f" {parts.kind}"
    these, others = ("this text", "text") if text else ("these documents", "documents")
    words = (
        f"This holds for {these} only: a statement about other {others} of this kind needs at "
        f"least {least}{kind}, and there are {len(parts)}."
    )
    if len(parts) >= least:
        found = overall.bootstrap(confidence=CONFIDENCE)
        assert found is not None
        word = grade(found.low, found.high)
        words = (
            f"On other {others} of this kind, agreement of these annotators is {word}: γ lies "
            f"between {found.low:.2f} and {found.high:.2f} ({CONFIDENCE:.0%} confidence)."
        )
    return word, [Statement(about="elsewhere", words=words)]


def _standing_out(found: Comparison) -> list[Statement]:
    """Annotator, pair, label and kind of difference, each where it is shown."""
    cuts, names = DocumentParts(found.overall), [*found.overall.rated]
    tested = {}
    if any(math.isfinite(e.p_value) for e in found.without):
        tested["annotator"] = _annotator(found)
    if cuts.n:
        parts = cuts.of_alignments(found.overall, names)
        if found.pairs.tests and len(found.pairs.annotators) <= _MOST_PEOPLE:
            tested["pair"] = _pair(found.pairs.tests)
        labels = plain(
            categories_of({n: found.overall.rated[n].alignment.continuum for n in names})
        )[0]
        if len(labels) > 1:
            tested["label"] = _label(found.overall, labels, cuts.n, parts)
        tested["kind of difference"] = _kind(found.overall, cuts.n, parts)
    said = [statement for statement in tested.values() if statement]
    if none := [name for name, statement in tested.items() if statement is None]:
        *others, last = none
        listed = f"{', '.join(others)} or {last}" if others else last
        words = f"No {listed} is shown to be worse than the others."
        said.append(Statement(about="none", words=words))
    elif not tested:
        words = f"Which annotators and labels differ most cannot be tested: {cuts.reason}."
        said.append(Statement(about="none", words=words))
    return said


def _annotator(found: Comparison) -> Statement | None:
    """The annotator without whom the others agree better, most of those of whom it is shown."""
    shown = [e for e in found.without if e.p_value <= LEVEL]
    if not shown:
        return None
    worst = max(shown, key=lambda e: e.gain)
    name = visible(worst.annotator)
    words = (
        f"{name} differs most from the others: without {name}, γ is "
        f"{worst.agreement.value:.2f} instead of {worst.baseline:.2f}."
    )
    return Statement(about="annotator", words=words, names=(worst.annotator,), p=worst.p_value)


def _pair(tests: Mapping[tuple[str, str], PairTest]) -> Statement | None:
    """The pair whose γ is lowest of those that are shown to be below the other pairs."""
    low = {p: t for p, t in tests.items() if t.p_holm <= LEVEL_OF_PAIRS and t.gamma < t.others}
    if not low:
        return None
    one, other = pair = min(low, key=lambda p: low[p].gamma)
    words = (
        f"{visible(one)} and {visible(other)} agree least: their γ is {low[pair].gamma:.2f}; "
        f"the other pairs together have {low[pair].others:.2f}."
    )
    return Statement(about="pair", words=words, names=pair, p=low[pair].p_holm)


def _worst(observed: Floats, expected: Floats) -> tuple[int | None, float]:
    """The row of the largest ratio among those that are shown to stand out, one-sided."""
    p = holm(below_the_rest(observed, expected).p_of_more)
    shown = np.flatnonzero(p <= LEVEL)
    if not len(shown):
        return None, math.nan
    ratio = observed.sum(axis=-1)[shown] / expected.sum(axis=-1)[shown]
    worst = int(shown[np.argmax(ratio)])
    return worst, float(p[worst])


def _in_order(overall: Agreement) -> Iterator[tuple[Alignment, Codes]]:
    """Alignments of the documents with a γ, with their unitary alignments in the text's order."""
    for score in overall.rated.values():
        aligned = score.alignment
        places = places_of(aligned.groups, aligned.continuum.starts)
        yield aligned, aligned.groups[np.argsort(places, kind="stable")]


def _label(
    overall: Agreement, names: Sequence[str], n: int, parts: list[Indices]
) -> Statement | None:
    """The label that one annotator marks and another does not, most often."""
    place = {name: i for i, name in enumerate(names)}
    asked, missed = np.zeros((2, len(names), n))
    for (aligned, groups), part in zip(_in_order(overall), parts, strict=True):
        own, codes = plain(aligned.continuum.categories)
        to_all = np.array([*(place[name] for name in own), -1], np.int32)
        labels = to_all[codes[aligned.continuum.category_codes]]
        same = same_label(groups, labels)
        real = (groups >= 0) & (labels[groups] >= 0)
        where = labels[groups][real], np.broadcast_to(part[:, None], groups.shape)[real]
        np.add.at(asked, where, groups.shape[1] - 1)
        np.add.at(missed, where, groups.shape[1] - same[real])
    there = np.flatnonzero(asked.any(axis=1))
    worst, p = _worst(missed[there], asked[there])
    if worst is None:
        return None
    k = there[worst]
    shares = [
        1 - float(a.sum() / b.sum())
        for a, b in (
            (missed[k], asked[k]),
            (np.delete(missed, k, axis=0), np.delete(asked, k, axis=0)),
        )
    ]
    words = (
        f"The label “{visible(names[k])}” is disputed most: where one annotator marks it, another "
        f"marks it too in {shares[0]:.0%} of the cases (other labels: {shares[1]:.0%})"
    )
    return Statement(about="label", words=f"{words}.", names=(names[k],), p=p)


def _kind(overall: Agreement, n: int, parts: list[Indices]) -> Statement | None:
    """The component with the largest share of the disorder, if it is larger than the second."""
    totals: dict[str, Floats] = {}
    weight = np.zeros(n)
    for (aligned, groups), part in zip(_in_order(overall), parts, strict=True):
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
    one, other = (independent_parts(totals[kind], weight) for kind in (first, second))
    p = float(gain(one, other).p)
    if not p <= LEVEL:
        return None
    share = float(totals[first].sum()) / whole
    most = "Most" if share > 0.5 else "The largest part"
    what = _KINDS.get(first, f"about {first}")
    words = f"{most} of the disagreement ({share:.0%}) is {what}."
    return Statement(about="kind", words=words, names=(first,), p=p)


def _worth(found: Calibration, said: list[Statement]) -> Statement | None:
    """The errors that would give this γ: of the kind that is shown to weigh most, or the first."""
    known = {e.error: e for e in found.equivalents if e.words}
    kind = next((s.names[0] for s in said if s.about == "kind"), None)
    chosen = known.get(_ERRORS.get(kind or "", "")) or next(iter(known.values()), None)
    if chosen is None:
        return None
    words = (
        f"What the number is worth: γ would be the same if {chosen.words}, and nothing else "
        "went wrong."
    )
    return Statement(about="worth", words=words, names=(chosen.error,))


def _next_step(
    word: str,
    said: list[Statement],
    found: Comparison,
    to_review: int | None,
) -> Statement:
    """What to do now, by the first that applies."""
    named = {s.about: s.names for s in said}
    label, person = named.get("label"), named.get("annotator")
    if word == UNDEFINED:
        words = "make sure that at least two annotators mark something in the same document"
    elif word == NOT_SHOWN:
        words = "look at the alignment first: do the annotators mark the same kind of thing?"
    elif word == "high":
        words = "make the gold standard"
        if to_review:
            words += f"; {with_commas(to_review)} units wait for somebody to decide"
    elif label is not None:
        words = f"make the guideline for “{visible(label[0])}” clearer{_taken_for(found, label[0])}"
    elif person is not None:
        words = f"go through the differences with {visible(person[0])}"
    else:
        words = "go through the worst places with all annotators, and make the guideline clearer"
    if word not in (UNDEFINED, "high") and to_review:
        end = "" if words[-1] in ".?" else "."
        words += f"{end} The {with_commas(to_review)} units to review show where"
    return Statement(about="next", words=f"Next: {words}{'' if words[-1] == '?' else '.'}")


def _taken_for(found: Comparison, label: str) -> str:
    """What it is taken for most often."""
    table = found.confusion
    if label not in table.rows:
        return ""
    row = np.where(np.array(table.columns) == label, 0, table.counts[table.rows.index(label)])
    other, most = table.columns[int(row.argmax())], int(row.max())
    if not most:
        return ""
    what = "marks nothing" if other == NO_UNIT else f"says “{visible(other)}”"
    return f": in {most} of {int(row.sum())} differences about it, the other annotator {what}"


ANSWERS.register("verdict", verdict)
