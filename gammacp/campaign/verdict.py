"""State the verdict on a campaign in a few sentences, the most important one first.

The verdict says whether agreement is good, who differs from whom, on which labels and in which
way, and what to do next. Every adjective and every name follows a rule, and the error rates of the
rules have been measured (`experiments/verdicts.py`, docs/verdict.md):

- *high*, *moderate*, *low*: γ is at least `HIGH`, between `LOW` and `HIGH`, or below `LOW`. For the
  documents themselves, the Monte-Carlo interval of γ must lie on one side of these bars. For other
  documents like them, the 99 % interval over documents must do so, and at least
  `DOCUMENTS_FOR_MORE` documents are needed. Its low end allows for kinds of documents that the
  sample may lack, as if their γ were 0 (`lowest_elsewhere`).
- an annotator, a pair of annotators or a label is named if it differs from all others in a test
  over documents or stretches of a text: p ≤ .05 (for pairs .01) after Holm's correction.
- what an annotator does differently (joins, cuts, misses or adds units, …) is said by the sentences
  of `gammacp.kinds.kinds.kinds_of`, if the count is larger than in the random sets.
- a kind of difference is named if its share of the disorder is the largest, and larger than the
  second with p ≤ .05.

The statements have two layers: values and counts of these documents, which need no test, and what
tests show beyond them. `CampaignVerdict.parts` puts each under its heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gammacp.base.record_tables import record_of
from gammacp.base.text import with_commas
from gammacp.campaign.statements import LEVEL, LOOK, NOT_SHOWN, UNDEFINED, UNTESTED, Statement
from gammacp.inference.contributions import ALIGNMENTS, DOCUMENTS
from gammacp.inference.part_tests import FEWEST_ANNOTATORS
from gammacp.measures.agreement import ANSWERS, Agreement
from gammacp.measures.gamma_corpus import CorpusGamma

if TYPE_CHECKING:
    from gammacp.campaign.calibrate.calibration import Calibration
    from gammacp.campaign.compare.comparison import Comparison
    from gammacp.campaign.copies import CopiesFound
    from gammacp.measures.gamma import Gamma

HIGH = 0.8
LOW = 0.667
"""Agreement is called high from `HIGH` on and low below `LOW` (Krippendorff's usual bars for α)."""
DOCUMENTS_FOR_MORE = 20
ALIGNED_FOR_MORE = 150
"""Least number of unitary alignments of a single text for a verdict on other text like it.

`DOCUMENTS_FOR_MORE` is the least number of documents or clusters for a verdict on other documents.
"""
CONFIDENCE = 0.99
"""Confidence of the interval of γ for other documents or text."""
_WORDS = ("low", "moderate", "high")
PLACES = f"{LOOK} (document, from–to, who marks what)"
_ALL_PLACES = f"{PLACES[:-1]}; gammacp consensus lists all that need a decision)"
FEWEST_DOCUMENTS = 5
DIVIDED = 0.2
"""Conditions of the sentence on documents with and without units.

At least `FEWEST_DOCUMENTS` documents, of which at least the share `DIVIDED` has units according to
some annotators and none according to others, and an α below `LOW`.
"""


class VerdictPart(NamedTuple):
    """Sentences of a verdict that belong together.

    Attributes
    ----------
    name
        `agreement`, `here`, `beyond`, `next` or `places`.
    heading
        Heading over the sentences; "" for none.
    sentences
        The sentences.
    """

    name: str
    heading: str
    sentences: list[str]


@dataclass(frozen=True, kw_only=True)
class CampaignVerdict:
    """Verdict on a campaign's numbers in plain words.

    Attributes
    ----------
    agreement
        `high`, `moderate` or `low`; two of them joined by " or " or " to " if the random sets are
        too few to decide; otherwise `NOT_SHOWN`, `UNTESTED` or `UNDEFINED`.
    elsewhere
        The word for agreement on other documents like these; None if there are too few to tell.
    statements
        Statements in order: first those about these documents (agreement, facts), then findings
        that hold beyond them, and last the next step.
    extent
        Words for the annotated documents: "this text" or "these documents".
    """

    agreement: str
    elsewhere: str | None = None
    statements: tuple[Statement, ...]
    extent: str = "these documents"

    def in_words(self) -> list[str]:
        """Return each statement in words."""
        return [s.in_words() for s in self.statements]

    def headline(self) -> list[str]:
        """Return the sentences on the agreement of these documents."""
        return [s.in_words() for s in self.statements if s.layer == "here"]

    def parts(self) -> list[VerdictPart]:
        """Return the words of the statements in parts.

        The answer comes first, and the next step last; both have no heading. Between them, facts
        about these documents stand apart from what is said beyond them. Below the next step are the
        places to look at. Parts without statements are left out.
        """
        headings = {
            "agreement": "",
            "here": f"In {self.extent} (values and counts, no test needed)",
            "beyond": f"Beyond {self.extent} (what tests show, and what they do not)",
            "next": "",
            "places": _ALL_PLACES,
        }
        parts = {name: VerdictPart(name, heading, []) for name, heading in headings.items()}
        for statement in self.statements:
            if statement.about == "agreement":
                part = "agreement"
            elif statement.about in ("worth", "next"):
                part = "next"
            else:
                part = statement.layer
            parts[part].sentences.append(statement.words)
            parts["places"].sentences.extend(place.in_words() for place in statement.places)
        return [part for part in parts.values() if part.sentences]

    def of(self, about: str) -> Statement | None:
        """Return the first statement about this subject; None if there is none."""
        return next((s for s in self.statements if s.about == about), None)

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        statements = [s.as_dict() for s in self.statements]
        return {**record_of(self, "agreement elsewhere"), "statements": statements}


def verdict(
    found: Agreement | Comparison,
    *,
    calibration: Calibration | None = None,
    to_review: int | None = None,
) -> CampaignVerdict:
    """Return the verdict on whether the annotation is good.

    Parameters
    ----------
    found
        The agreement of all annotators; or a comparison, whose annotators, pairs, labels and kinds
        of differences are named where the evidence suffices.
    calibration
        Calibration that translates γ into amounts of errors, if it is known.
    to_review
        Number of units of the gold standard that a person has yet to review, if it is known.

    Examples
    --------
    `verdict(agreement).in_words()[0]` is the sentence of `gammacp gamma`;
    `verdict(comparison, to_review=7).in_words()` are those of the report's first page.
    """
    if isinstance(found, Agreement):
        comparison = None
    else:
        comparison = found
    if isinstance(found, Agreement):
        overall = found
    else:
        overall = found.overall
    word, elsewhere, statements = _agreement(overall)
    extent = "this text" if len(overall.rated) == 1 else "these documents"
    if comparison is None and calibration is None:
        return CampaignVerdict(
            agreement=word, elsewhere=elsewhere, statements=tuple(statements), extent=extent
        )
    # Imported only if needed: `gammacp gamma` has neither a comparison nor a calibration.
    from gammacp.campaign.facts import facts
    from gammacp.campaign.standing_out import by_luck, kinds_told, next_step, standing_out, worth

    if comparison is not None and word not in (UNDEFINED, NOT_SHOWN):
        statements_on_kinds = kinds_told(comparison)
        shown = [*statements_on_kinds, *standing_out(comparison, statements_on_kinds)]
        named = {s.names for s in shown if s.about in ("annotator", "pair", "difference")}
        # If a test shows that an annotator differs, leave out the fact that says the same.
        place = sum(s.layer == "here" for s in statements)
        remaining = [s for s in facts(comparison) if s.names not in named]
        statements[place:place] = remaining
        statements += [by_luck(s, remaining) for s in shown]
    if calibration is not None and (price := worth(calibration, statements)):
        statements.append(price)
    if comparison is not None:
        statements.append(next_step(word, statements, comparison, to_review))
    return CampaignVerdict(
        agreement=word, elsewhere=elsewhere, statements=tuple(statements), extent=extent
    )


def grade(low: float, high: float) -> str:
    """Return the word for γ between two bounds; two words if a bar lies between them.

    Parameters
    ----------
    low, high
        Ends of an interval of γ; equal if γ is known exactly.

    >>> grade(0.81, 0.9), grade(0.7, 0.7), grade(0.6, 0.7), grade(0.5, 0.9)
    ('high', 'moderate', 'low or moderate', 'low to high')
    """
    a, b = (int(np.searchsorted((LOW, HIGH), v, side="right")) for v in (low, high))
    if a == b:
        return _WORDS[a]
    return f"{_WORDS[a]} {'or' if b == a + 1 else 'to'} {_WORDS[b]}"


def lowest_elsewhere(low: float, documents: int) -> float:
    """Lower the low end of an interval of γ to allow for documents unlike those of the sample.

    If a sample of n documents has none of a certain kind, up to 3/n of all documents may still be
    of that kind, with 95 % confidence (the rule of three; Hanley & Lippman-Hand 1983, JAMA
    249(13)). These documents are assumed to have a γ of 0.

    Parameters
    ----------
    low
        Low end of the interval over the documents of the sample.
    documents
        Number of documents, or clusters of them.

    >>> round(lowest_elsewhere(0.9, 30), 3), lowest_elsewhere(-0.5, 30)
    (0.81, -0.5)
    """
    if low > 0:
        return low * (1 - unseen_share(documents))
    return low


def unseen_share(documents: int) -> float:
    """Return the largest share that documents unlike any of the sample may have (rule of three).

    Parameters
    ----------
    documents
        Number of documents, or clusters of them.
    """
    return min(1.0, 3 / documents)


def _agreement(overall: Agreement) -> tuple[str, str | None, list[Statement]]:
    """Return the words for these documents and for others like them, with their statements."""
    word, statement = graded(overall.score, len(overall.rated))
    if word in (UNDEFINED, UNTESTED, NOT_SHOWN):
        return word, None, [statement]
    elsewhere, more = _elsewhere(overall)
    return word, elsewhere, [statement, *_marked(overall.score), *more]


def _marked(score: Gamma) -> list[Statement]:
    """Return a statement on whether documents have units at all, if annotators often differ on it.

    It is a count of these documents with its α, and there is no test.
    """
    if not isinstance(score, CorpusGamma) or score.marked is None:
        return []
    marked = score.marked
    often = marked.divided >= DIVIDED * marked.documents
    if marked.documents < FEWEST_DOCUMENTS or not often or not marked.alpha < LOW:
        return []
    words = (
        "Annotators often differ here on whether a document has any unit at all: in "
        f"{marked.divided} of {with_commas(marked.documents)} documents some mark units and others "
        f"none (α {marked.alpha:.2f}; 1 is full agreement, 0 is chance)."
    )
    return [Statement(about="here", words=words)]


def graded(score: Gamma, documents: int) -> tuple[str, Statement]:
    """Return the word for γ of the documents themselves, and the statement of it.

    Parameters
    ----------
    score
        γ of the documents.
    documents
        Number of documents that have a γ.
    """
    if not score.defined:
        statement = Statement(about="agreement", words=f"γ is undefined: {score.reason}.")
        return UNDEFINED, statement
    if documents == 1:
        texts = "this text"
    else:
        texts = f"these {with_commas(documents)} documents"
    # With very few random sets, p cannot get below the level, so there is no test.
    if score.p is None or (score.least_p or 0.0) > LEVEL:
        words = (
            f"γ of {texts} is {score.value:.2f}. Whether that is better than chance could not be "
            "tested: there are too few data, or the chance model has no test."
        )
        return UNTESTED, Statement(about="agreement", words=words)
    if score.p > LEVEL:
        words = (
            f"Agreement is not shown to be better than chance: γ is {score.value:.2f}, and "
            f"{score.p:.0%} of random annotations agree as well or better."
        )
        return NOT_SHOWN, Statement(about="agreement", words=words, p=score.p)
    word = grade(*(score.interval or (score.value, score.value)))
    differ = "agree in everything"
    if score.value < 1:
        share = max(0.01, round(1 - score.value, 2))
        less = "less than " * (score.value > 0.995)
        differ = f"disagree {less}{share:.0%} as much as random annotators would"
    words = f"Agreement on {texts} is {word}: γ is {score.value:.2f}, so the annotators {differ}."
    return word, Statement(about="agreement", words=words, p=score.p)


def _elsewhere(overall: Agreement) -> tuple[str | None, list[Statement]]:
    """Return the word for other documents like these, None if unknown, with its statement."""
    parts = overall.contributions()
    word = None
    text = parts.kind == ALIGNMENTS
    if text:
        least = ALIGNED_FOR_MORE
    else:
        least = DOCUMENTS_FOR_MORE
    if parts.kind == DOCUMENTS:
        kind = ""
    else:
        kind = f" {parts.kind}"
    if text:
        others = "text"
    else:
        others = "documents"
    words = (
        f"Agreement on other {others} of this kind is not graded: at least {least}{kind} are "
        f"needed, and there are {len(parts)}."
    )
    if len(parts) >= least:
        interval = overall.bootstrap(confidence=CONFIDENCE)
        assert interval is not None
        if text:
            low = interval.low
        else:
            low = lowest_elsewhere(interval.low, len(parts))
        word = grade(low, interval.high)
        words = (
            f"On other {others} of this kind, agreement of these annotators is {word}: γ is "
            f"{interval.low:.2f} to {interval.high:.2f} ({CONFIDENCE:.0%} confidence, stricter "
            "than the usual 95%, so that the word is rarely wrong)."
        )
        if not text:
            words += f" {_unseen(parts.kind, len(parts))}"
    return word, [Statement(about="elsewhere", words=words)]


def _unseen(kind: str, number: int) -> str:
    """Return a sentence on kinds of documents that the sample may lack."""
    return (
        f"These {with_commas(number)} {kind} may by chance lack a kind that makes up as much as "
        f"{unseen_share(number):.0%} of all. If annotators agree less on that kind, γ is lower, "
        "and more so if such documents are long."
    )


def copies_among(agreement: Agreement) -> CopiesFound | None:
    """Return the annotators with identical documents; None if copies cannot be recognised.

    That needs at least two documents, and one with at least `FEWEST_ANNOTATORS` annotators.

    Parameters
    ----------
    agreement
        The agreement of all annotators.
    """
    continua = {name: score.alignment.continuum for name, score in agreement.computed.items()}
    if len(continua) < 2 or max(c.n_annotators for c in continua.values()) < FEWEST_ANNOTATORS:
        return None
    # Imported only if copies can be recognised.
    from gammacp.campaign.copies import copies

    return copies(continua)


ANSWERS.register("verdict", verdict)
ANSWERS.register("copies", copies_among)
