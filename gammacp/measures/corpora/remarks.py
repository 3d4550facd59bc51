"""Sentences about the value of a corpus: why there is none, what was left out, how it was made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gammacp.base.signature import extend
from gammacp.measures.corpora.measured_documents import MeasuredDocuments
from gammacp.measures.counting import Counts, Rates

# Largest number of reasons for leaving out documents that are spelled out.
_SHOWN = 3


def _reasons(part: MeasuredDocuments) -> dict[str, int]:
    """Count the documents without counts, by reason."""
    count_by_reason: dict[str, int] = {}
    for name, score in part.measured_scores.items():
        if score.counts is None and name not in part.counts:
            reason = score.reason or "it has no counts"
            count_by_reason[reason] = count_by_reason.get(reason, 0) + 1
    return count_by_reason


def why_nothing(part: MeasuredDocuments) -> str:
    """Return the reason why no document has counts.

    Parameters
    ----------
    part
        The measure and the documents.
    """
    if part.reference is not None and part.measure.counting is not None and part.pairs:
        both = f"{part.reference} and somebody to compare"
        if len(part.documents) == 1:
            return f"it does not have {both}"
        return f"no document has {both}"
    reasons = [s.reason for s in part.measured_scores.values() if s.reason]
    if reasons:
        return reasons[0]
    return "no document has anything to compare"


def why_undefined(part: MeasuredDocuments, rates: Rates) -> str:
    """Return why the sums have no value.

    Parameters
    ----------
    part
        The measure and the documents.
    rates
        The rates of the sums.
    """
    if part.measure.per_category:
        return "it has a value per category only"
    if rates.expected is not None and float(rates.expected) < 0:
        return f"the expected disagreement is negative ({float(rates.expected):.3g})"
    if len(part.documents) == 1:
        reason = next(iter(part.measured_scores.values())).reason
        return reason or part.counting.nothing
    return part.counting.nothing


def notes_on_documents(part: MeasuredDocuments) -> tuple[str, ...]:
    """Return a note on documents that do not count, for each reason.

    Parameters
    ----------
    part
        The measure and the documents.
    """
    if len(part.documents) == 1:
        return ()
    every = sorted(_reasons(part).items(), key=lambda entry: -entry[1])
    of = len(part.documents)
    notes = [f"{n} of {of} documents left out: {reason}" for reason, n in every[:_SHOWN]]
    if rest := sum(number for _, number in every[_SHOWN:]):
        notes.append(f"{rest} of {of} documents left out for other reasons")
    return tuple(notes)


def notes_of_scores(part: MeasuredDocuments) -> tuple[str, ...]:
    """Return the notes of the only document's score, or of a score of all documents together.

    Parameters
    ----------
    part
        The measure and the documents.
    """
    if len(part.documents) == 1:
        (score,) = part.measured_scores.values()
    else:
        score = part.joint_score
    return tuple(getattr(score, "notes", ()))


def notes_on_sums(part: MeasuredDocuments) -> tuple[str, ...]:
    """Return notes on what was counted against the reference; none where there is no reference.

    Parameters
    ----------
    part
        The measure and the documents.
    """
    if part.reference is None:
        return ()
    every = part.counts.values()
    names = next(iter(every)).numbers
    sums = {name: np.sum([c.numbers[name].sum(axis=0) for c in every], axis=0) for name in names}
    return part.counting.reference_remarks(sums)


def note_on_missing(counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """Return a note on missing labels, of measures that count them.

    Parameters
    ----------
    counts
        Counts of the documents.
    """
    sums = [
        int(sum(c.numbers[name].sum() for c in counts.values() if name in c.numbers))
        for name in ("missing", "asked")
    ]
    if sums[0]:
        return (f"{sums[0]} of {sums[1]} labels are missing",)
    return ()


def signature_of(part: MeasuredDocuments) -> str:
    """Return the signature of the corpus, or of the first document that counts.

    Parameters
    ----------
    part
        The measure and the documents.
    """
    lines = [
        s.signature for s in part.measured_scores.values() if s.counts is not None and s.signature
    ]
    line = getattr(part.joint_score, "signature", "") or (lines[0] if lines else "")
    if not line:
        return ""
    return extend(line, documents=len(part.counts), reference=part.reference)
