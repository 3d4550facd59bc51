"""Compute the span protocol: all numbers that studies of language models as annotators report.

Studies of language models as span annotators (Kasner et al. 2025, "Large Language Models as Span
Annotators"; factgenie) report several numbers for each model: agreement on the spans, on their
number, and on whether there are any. Each number is computed as by another command: by `measure`
with the candidate as the reference, or by `replace`. The same numbers for the people among
themselves show what a candidate can be expected to reach.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from gammacp.base.arguments import several
from gammacp.campaign.compare.scoring import (
    Selection,
    annotators_of,
    check_annotator,
    with_annotators,
)
from gammacp.campaign.replace.counts import UnitCounts, counts_among, unit_counts
from gammacp.campaign.replace.replacement import Replacement, replace
from gammacp.campaign.replace.verdict import Candidacy
from gammacp.continuum import Corpus
from gammacp.continuum.selecting import relabel
from gammacp.errors import DataError, UsageError
from gammacp.measures.corpora.measuring import measure_corpus
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.random_sets import Continua, named_continua

LABELLED = "f1-category"
"""Name of the F₁ for data in which every unit has a category."""
UNLABELLED = "f1-overlap"
"""Name of the F₁ for data in which some units have no category."""
ONE_PERSON = "there is one person only"


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Numbers of the protocol for a candidate and the people, or for the people among themselves.

    Attributes
    ----------
    name
        Name of the candidate; "people" for the people among themselves.
    scores
        Scores by measure: `gamma`; `soft-f1` and an F₁, both with their values beyond chance; and
        `presence` of any unit.
    counts
        Numbers of units.
    test
        Result of the alternative annotator test; None if there is none.
    reason
        Reason why a candidate has no test.
    """

    name: str
    scores: Mapping[str, CorpusScore]
    counts: UnitCounts
    test: Candidacy | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; `replace` is as in the JSON of `gammacp replace`."""
        record: dict[str, Any] = {name: score.as_dict() for name, score in self.scores.items()}
        record["counts"] = self.counts.as_dict()
        record["replace"] = None if self.test is None else self.test.as_dict()
        record["reason"] = self.reason
        return record

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Reasons why values are missing, each with the name of the value."""
        missing = [(s.reason, name) for name, s in self.scores.items() if s.reason is not None]
        if self.counts.reason is not None:
            missing.append((self.counts.reason, "r"))
        if self.reason is not None:
            missing.append((self.reason, "test"))
        return missing

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Notes on scores and on the test, each with the name of the measure."""
        notes = [(note, name) for name, score in self.scores.items() for note in score.notes]
        if self.test is not None:
            notes += [(note, "test") for note in self.test.notes]
        return notes


@dataclass(frozen=True, kw_only=True)
class SpanProtocol:
    """Protocols of candidates and of the people.

    Attributes
    ----------
    candidates
        Protocol of each candidate, in the order in which they were named.
    people
        Protocol of the people among themselves; None if there is only one person.
    f1
        Name of the F₁ that was computed.
    signatures
        Signatures of the values.
    """

    candidates: tuple[Protocol, ...]
    people: Protocol | None
    f1: str
    signatures: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON of `gammacp replace --protocol`."""
        return {
            "candidates": {one.name: one.as_dict() for one in self.candidates},
            "people": None if self.people is None else self.people.as_dict(),
            "f1": self.f1,
            "signatures": list(self.signatures),
        }


def span_protocol(
    continua: Continua,
    candidates: Collection[str],
    *,
    seed: int = 0,
    samples: int | None = None,
    dissimilarity: Any = None,
    executor: Executor | None = None,
    method: str = "auto",
    gap: float | None = None,
    time_limit: float | None = None,
    **test: Any,
) -> SpanProtocol:
    """Return the protocol of each candidate with the people, and of the people among themselves.

    Parameters
    ----------
    continua
        Documents of all annotators, including the candidates. All other annotators are people.
    candidates
        Names of the candidates. Each is measured with the people only, without the others.
    seed
        Seed of the test, and of the random sets for γ and for values beyond chance.
    samples
        Number of random sets; None for as many as the precision of γ requires.
    dissimilarity, executor, method, gap, time_limit
        As for `gammacp.align`, for γ and for scores of the test that need alignments.
    test
        Further options of `replace`.

    Raises
    ------
    DataError
        A candidate is not an annotator, or every annotator is a candidate.
    UsageError
        No candidate is named, or a value is outside its range.
    """
    named = named_continua(continua)
    names = tuple(dict.fromkeys(several("candidates", candidates)))
    people = _people(named, names)
    solving: dict[str, Any] = {"method": method, "gap": gap, "time_limit": time_limit}
    solving |= {"dissimilarity": dissimilarity, "seed": seed}
    measuring = {**solving, "samples": samples}
    labelled = all((c.category_codes >= 0).all() for c in named.values())
    f1 = LABELLED if labelled else UNLABELLED
    tests, reasons, signatures = _tests(named, names, executor, {**solving, **test})
    rows = []
    for name in names:
        documents = with_annotators(named, (*people, name), least=1)
        rows.append(
            Protocol(
                name=name,
                scores=_scores(documents, f1, executor, measuring, reference=name),
                counts=unit_counts(documents, name, people),
                test=tests.get(name),
                reason=reasons.get(name),
            )
        )
    among = None
    if len(people) > 1:
        documents = with_annotators(named, people, least=1)
        among = Protocol(
            name="people",
            scores=_scores(documents, f1, executor, measuring),
            counts=counts_among(documents, people),
        )
    for row in (*rows, *([among] if among is not None else [])):
        signatures += tuple(filter(None, _signatures(row)))
    unique = tuple(dict.fromkeys(filter(None, signatures)))
    return SpanProtocol(candidates=tuple(rows), people=among, f1=f1, signatures=unique)


def _signatures(row: Protocol) -> tuple[str | None, ...]:
    """Return the signatures of the scores of a row, and of their values beyond chance."""
    signatures: list[str | None] = []
    for score in row.scores.values():
        signatures.append(score.signature)
        if score.beyond_chance is not None:
            signatures.append(score.beyond_chance.signature)
    return tuple(signatures)


def _people(named: Selection, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the annotators who are not candidates; raise a DataError if there are none."""
    if not names:
        raise UsageError("no candidate is named: `candidates=NAME`")
    for name in names:
        check_annotator(named, name, "candidate")
    people = tuple(a for a in annotators_of(named) if a not in names)
    if not people:
        raise DataError(
            "every annotator is a candidate",
            hint="The protocol compares each candidate with people: leave these out of "
            "`candidates=`",
        )
    return people


def _scores(
    documents: Selection,
    f1: str,
    executor: Executor | None,
    options: Mapping[str, Any],
    *,
    reference: str | None = None,
) -> dict[str, CorpusScore]:
    """Measure documents with a candidate as the reference, or all annotators with each other."""
    corpus = Corpus.from_continua(documents)
    given_options = {key: value for key, value in options.items() if value is not None}
    chance = {key: given_options[key] for key in ("seed", "samples") if key in given_options}
    scores = measure_corpus(
        corpus, ["gamma"], reference=reference, executor=executor, **given_options
    )
    scores |= measure_corpus(
        corpus,
        ["soft-f1", f1],
        reference=reference,
        beyond_chance=True,
        executor=executor,
        **chance,
    )
    # Without labels, presence is about any unit instead of each category.
    bare = {name: relabel(c, [None] * len(c.categories)) for name, c in documents.items()}
    scores |= measure_corpus(Corpus.from_continua(bare), ["presence"], reference=reference)
    return scores


def _tests(
    named: Selection,
    names: tuple[str, ...],
    executor: Executor | None,
    options: Mapping[str, Any],
) -> tuple[dict[str, Candidacy], dict[str, str], tuple[str, ...]]:
    """Test all candidates that can be tested.

    Return the results by name, the reasons why others cannot be tested, and signatures.
    """
    if len({*annotators_of(named)} - {*names}) < 2:
        return {}, dict.fromkeys(names, ONE_PERSON), ()
    try:
        together = replace(named, names, executor=executor, **options)
    except DataError as error:
        if len(names) == 1:
            return {}, {names[0]: str(error)}, ()
    else:
        return _candidacy_by_name(together), {}, (together.signature,)
    # One candidate that cannot be tested stops the test of all: find those that can.
    reasons = {}
    for name in names:
        try:
            replace(_with_one_candidate(named, names, name), [name], executor=executor, **options)
        except DataError as error:
            reasons[name] = str(error)
    rest = tuple(name for name in names if name not in reasons)
    if not rest:
        return {}, reasons, ()
    people = [a for a in annotators_of(named) if a not in names]
    tested = replace(
        with_annotators(named, (*people, *rest), least=1), rest, executor=executor, **options
    )
    return _candidacy_by_name(tested), reasons, (tested.signature,)


def _candidacy_by_name(replacement: Replacement) -> dict[str, Candidacy]:
    return {candidacy.name: candidacy for candidacy in replacement.candidates}


def _with_one_candidate(named: Selection, names: tuple[str, ...], candidate: str) -> Selection:
    """Return the documents without the candidates `names`, except for `candidate`."""
    others = {*names} - {candidate}
    return with_annotators(named, [a for a in annotators_of(named) if a not in others], least=1)
