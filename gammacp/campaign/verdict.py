"""The answer first: is it good, who, with whom, on what label, what kind of difference, what next.

Nothing is said by impression. Every adjective and every name has a rule, and how often the rule is
wrong is measured (`experiments/verdicts.py`, docs/verdict.md):

- *high*, *moderate*, *low*: γ from `HIGH` on, below it, below `LOW`. Of the material itself it is
  said where the Monte-Carlo interval lies on one side of a bar, of more material like it where the
  99 % interval over documents does, from `DOCUMENTS_FOR_MORE` documents on; its low end counts as
  if the documents had no γ that may be of a kind that a sample lacks (`lowest_elsewhere`).
- an annotator, a pair of annotators, a label: compared with all the others part by part, on
  documents or stretches of a text, p ≤ .05 (of a pair .01) after Holm's correction for all of them.
- what somebody does differently (joins, cuts, misses, adds, …): the sentences of
  `gammacp.kinds.kinds_of`, made where the count exceeds the random sets.
- a kind of difference: it has the largest share of the disorder, and more than the second, p ≤ .05.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.record_tables import record_of
from gammacp.base.text import with_commas
from gammacp.campaign.statements import LEVEL, NOT_SHOWN, UNDEFINED, UNTESTED, Statement
from gammacp.inference.contributions import ALIGNMENTS, DOCUMENTS
from gammacp.inference.part_tests import FEWEST_ANNOTATORS
from gammacp.measures.agreement import ANSWERS, Agreement

if TYPE_CHECKING:
    from gammacp.campaign.calibrate.calibration import Calibration
    from gammacp.campaign.compare.comparison import Comparison
    from gammacp.campaign.copies import CopiesFound
    from gammacp.measures.gamma import Gamma

HIGH = 0.8
LOW = 0.667
"""From where on agreement is called high, below which low (Krippendorff's customary bars for α)."""
DOCUMENTS_FOR_MORE = 20
ALIGNED_FOR_MORE = 150
"""Documents or clusters, or unitary alignments of one text, from which more like them is told."""
CONFIDENCE = 0.99
"""Of the interval that tells of more material."""
_WORDS = ("low", "moderate", "high")


@dataclass(frozen=True, kw_only=True)
class CampaignVerdict:
    """Verdict on a campaign's numbers in plain words.

    Attributes
    ----------
    agreement
        `high`, `moderate`, `low`; two of them joined by " or " where the random sets leave it
        open; otherwise `NOT_SHOWN`, `UNTESTED` or `UNDEFINED`.
    elsewhere
        The same of more material like this; None where there is too little to say.
    statements
        Statements in their order: first what is so in these documents (agreement, facts), then what
        is shown beyond them, the next step last.
    """

    agreement: str
    elsewhere: str | None = None
    statements: tuple[Statement, ...]

    def in_words(self) -> list[str]:
        """Return a sentence each."""
        return [s.words for s in self.statements]

    def of(self, about: str) -> Statement | None:
        """Return the statement about this, if there is one."""
        return next((s for s in self.statements if s.about == about), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON has it."""
        statements = [s.as_dict() for s in self.statements]
        return {**record_of(self, "agreement elsewhere"), "statements": statements}


def verdict(
    found: Agreement | Comparison,
    *,
    calibration: Calibration | None = None,
    to_review: int | None = None,
) -> CampaignVerdict:
    """Answer somebody who asks whether the annotation is good.

    Parameters
    ----------
    found
        γ of everybody; or a comparison, of which annotators, pairs, labels and kinds of difference
        are told where the evidence carries it.
    calibration
        Calibration that tells what the number is worth in errors, if it is known.
    to_review
        Number of units of the gold standard that wait for a person, if it is known.

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
    if comparison is None and calibration is None:
        return CampaignVerdict(agreement=word, elsewhere=elsewhere, statements=tuple(statements))
    # Imported only for what a comparison or a calibration shows: `gammacp gamma` has neither.
    from gammacp.campaign.facts import facts
    from gammacp.campaign.standing_out import kinds_told, next_step, standing_out, worth

    if comparison is not None and word not in (UNDEFINED, NOT_SHOWN):
        told = kinds_told(comparison)
        shown = [*told, *standing_out(comparison, told)]
        named = {s.names for s in shown if s.about in ("annotator", "pair", "difference")}
        # Who is shown to differ is told once, with the test.
        statements[1:1] = [s for s in facts(comparison) if s.names not in named]
        statements += shown
    if calibration is not None and (price := worth(calibration, statements)):
        statements.append(price)
    if comparison is not None:
        statements.append(next_step(word, statements, comparison, to_review))
    return CampaignVerdict(agreement=word, elsewhere=elsewhere, statements=tuple(statements))


def grade(low: float, high: float) -> str:
    """Return the word for γ between two bounds; two words where they lie on two sides of a bar.

    Parameters
    ----------
    low, high
        Ends of an interval of γ; equal for a value that is known.

    >>> grade(0.81, 0.9), grade(0.7, 0.7), grade(0.6, 0.7), grade(0.5, 0.9)
    ('high', 'moderate', 'low or moderate', 'low to high')
    """
    a, b = (int(np.searchsorted((LOW, HIGH), v, side="right")) for v in (low, high))
    if a == b:
        return _WORDS[a]
    return f"{_WORDS[a]} {'or' if b == a + 1 else 'to'} {_WORDS[b]}"


def lowest_elsewhere(low: float, documents: int) -> float:
    """Return γ of other documents if as many as a sample may lack had a γ of 0.

    A sample of n documents without a certain kind leaves it open up to 3/n of all documents with
    95 % confidence (the rule of three; Hanley & Lippman-Hand 1983, JAMA 249(13)).

    Parameters
    ----------
    low
        Low end of the interval over documents of the kinds that the sample has.
    documents
        Number of documents, or clusters of them.

    >>> round(lowest_elsewhere(0.9, 30), 3), lowest_elsewhere(-0.5, 30)
    (0.81, -0.5)
    """
    if low > 0:
        return low * (1 - unseen_share(documents))
    return low


def unseen_share(documents: int) -> float:
    """Return the share of documents that may be of a kind that none of these is of.

    Parameters
    ----------
    documents
        Number of documents, or clusters of them.
    """
    return min(1.0, 3 / documents)


def _agreement(overall: Agreement) -> tuple[str, str | None, list[Statement]]:
    """Return the word for the material, that for more like it, and what is said of both."""
    word, statement = graded(overall.score, len(overall.rated))
    if word in (UNDEFINED, UNTESTED, NOT_SHOWN):
        return word, None, [statement]
    elsewhere, more = _elsewhere(overall)
    return word, elsewhere, [statement, *more]


def graded(score: Gamma, documents: int) -> tuple[str, Statement]:
    """Return the word for γ of the material itself, and the sentence that says it.

    Parameters
    ----------
    score
        γ of the material.
    documents
        Number of its documents that have a γ.
    """
    if not score.defined:
        said = Statement(about="agreement", words=f"γ is undefined: {score.reason}.")
        return UNDEFINED, said
    if documents == 1:
        what = "this text"
    else:
        what = f"these {with_commas(documents)} documents"
    # So few random sets that no p can be small test nothing.
    if score.p is None or (score.least_p or 0.0) > LEVEL:
        words = (
            f"γ of {what} is {score.value:.2f}. Whether that is better than chance could not be "
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
    words = f"Agreement on {what} is {word}: γ is {score.value:.2f}, so the annotators {differ}."
    return word, Statement(about="agreement", words=words, p=score.p)


def _elsewhere(overall: Agreement) -> tuple[str | None, list[Statement]]:
    """Return the word for more material like this, with its sentence, or None."""
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
    these, others = ("this text", "text") if text else ("these documents", "documents")
    words = (
        f"This holds for {these} only: to grade agreement on other {others} of this kind, at "
        f"least {least}{kind} are needed, and there are {len(parts)}."
    )
    if len(parts) >= least:
        found = overall.bootstrap(confidence=CONFIDENCE)
        assert found is not None
        if text:
            low = found.low
        else:
            low = lowest_elsewhere(found.low, len(parts))
        word = grade(low, found.high)
        words = (
            f"On other {others} of this kind, agreement of these annotators is {word}: γ lies "
            f"between {found.low:.2f} and {found.high:.2f} ({CONFIDENCE:.0%} confidence)"
        )
        if text:
            words += "."
        else:
            words += f". {_unseen(parts.kind, len(parts))}"
    return word, [Statement(about="elsewhere", words=words)]


def _unseen(kind: str, number: int) -> str:
    """Return what a sample cannot tell of kinds of documents that it lacks."""
    return (
        f"But up to {unseen_share(number):.0%} of such {kind} may be of a kind that these "
        f"{with_commas(number)} do not contain, and more of the text if they are long; then γ is "
        "lower."
    )


def copies_among(found: Agreement) -> CopiesFound | None:
    """Return who shares whole documents; None for a single one, and without three annotators.

    Parameters
    ----------
    found
        γ of everybody.
    """
    continua = {name: score.alignment.continuum for name, score in found.computed.items()}
    if len(continua) < 2 or max(c.n_annotators for c in continua.values()) < FEWEST_ANNOTATORS:
        return None
    # Imported only where copies can be told.
    from gammacp.campaign.copies import copies

    return copies(continua)


ANSWERS.register("verdict", verdict)
ANSWERS.register("copies", copies_among)
