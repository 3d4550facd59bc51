"""Measures of a corpus: the counts of its documents are summed, and one formula is applied.

The value of a document is the mean over its pairs of annotators. The value of a corpus is that of
the counts summed over documents, with weights as in γ; the mean of the documents is reported beside
it. Parts of the data (a category, a pair of annotators, all against a reference) are measured like
a corpus of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arguments import one_of, several
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import Need
from gammacp.continuum.selecting import keep_annotators, keep_categories, relabel
from gammacp.errors import DataError, UsageError
from gammacp.measures.corpora.intervals import with_intervals
from gammacp.measures.corpora.measured_documents import MeasuredDocuments
from gammacp.measures.corpora.remarks import (
    note_on_missing,
    notes_of_scores,
    notes_on_documents,
    notes_on_sums,
    signature_of,
    why_nothing,
    why_undefined,
)
from gammacp.measures.corpora.score import CorpusScore, Retrieval
from gammacp.measures.counting import Counts, Numbers, Rates
from gammacp.measures.pooling import pooled_rates
from gammacp.measures.registry import MEASURES, UNITS, Measure, expand_names
from gammacp.measures.score import Score

if TYPE_CHECKING:
    from gammacp.measures.matching.label_matching import LabelMatching

BY = ("category", "pair", "document")
OTHERS = "others"
"""Label that stands for all categories but one, when a category is measured against the rest."""


def measure_corpus(
    corpus: Corpus,
    names: Iterable[str],
    *,
    by: Iterable[str] = (),
    reference: str | None = None,
    beyond_chance: bool = False,
    scores: Mapping[str, Mapping[str, Score]] | None = None,
    executor: Executor | None = None,
    check: bool = True,
    matching: LabelMatching | None = None,
    joint: Mapping[str, Score] | None = None,
    **options: Any,
) -> dict[str, CorpusScore]:
    """Measure a corpus; `gammacp.measure` of a corpus does so.

    Parameters
    ----------
    corpus
        The documents.
    names
        Names of registered measures.
    by
        Any of "category" and "pair"; "document" adds nothing here.
    reference
        An annotator: the others are compared with this one, with recall and precision.
    beyond_chance
        Whether each value has its disagreement against chance.
    scores
        Scores of the documents, by measure within document, where they were computed before.
    executor
        For random sets of measures whose documents share them.
    check
        Whether a reference who is in no document is an error. If not, scores have no value.
    matching
        How labels of the corpus were matched, so that those of random sets are matched likewise.
    joint
        Result of `measure_jointly`, where it was called before.
    options
        Options of the measures, and of chance.

    Raises
    ------
    DataError
        The reference is in no document.
    UsageError
        A measure or an option is unknown.
    """
    chosen = {name: MEASURES[name] for name in expand_names(names)}
    tables = [one_of("by", part, BY) for part in several("by", by)]
    _check_options(options, chosen, beyond_chance=beyond_chance)
    if check:
        check_reference(corpus, reference)
    corpus_scores = {}
    for name, m in chosen.items():
        earlier = {d: s[name] for d, s in (scores or {}).items() if name in s}
        known_joint_score = (joint or {}).get(name)
        part = MeasuredDocuments(
            m, dict(corpus), options, reference, earlier, executor, known_joint_score
        )
        corpus_scores[name] = _score_by(part, tables)
    if beyond_chance:
        # Imported here, as that module imports this one.
        from gammacp.measures.corpora.chance import corpus_beyond_chance

        corpus_scores = corpus_beyond_chance(
            corpus, corpus_scores, reference, options, matching, joint
        )
    return corpus_scores


def _check_options(
    options: Mapping[str, Any], measures: Mapping[str, Measure], *, beyond_chance: bool
) -> None:
    """Raise UsageError for an option of no measure, nor of chance if that is asked for."""
    from gammacp.measures.beyond_chance import CHANCE_OPTIONS

    options_of_measures = frozenset[str]().union(*(m.options for m in measures.values()))
    if beyond_chance:
        options_of_measures |= CHANCE_OPTIONS
    for option in options.keys() - options_of_measures:
        raise UsageError(f"{option} is an option of none of: {', '.join(measures)}")


def measured_jointly(names: Iterable[str]) -> list[str]:
    """Return the measures that are computed on all documents of a corpus at once, such as γ.

    Parameters
    ----------
    names
        Names of registered measures.
    """
    counting = {name: MEASURES[name].counting for name in expand_names(names)}
    return [name for name, c in counting.items() if c is not None and c.together is not None]


def measure_jointly(
    corpus: Corpus,
    names: Iterable[str],
    *,
    beyond_chance: bool = False,
    executor: Executor | None = None,
    **options: Any,
) -> tuple[dict[str, Score], dict[str, dict[str, Score]]]:
    """Measure a corpus whose documents share random sets.

    Parameters
    ----------
    corpus
        At least two documents.
    names
        Names that `measured_jointly` returned.
    beyond_chance
        Whether each score of a document has itself as its value beyond chance.
    executor
        For random sets.
    options
        Options of the measures.

    Returns
    -------
    tuple
        The score of the corpus by measure, and those of the documents by document and measure.
    """
    from gammacp.measures.beyond_chance import against_own_chance

    parts = {
        name: MeasuredDocuments(MEASURES[name], dict(corpus), options, executor=executor)
        for name in names
    }
    documents: dict[str, dict[str, Score]] = {name: {} for name in corpus}
    for name, part in parts.items():
        for document, score in part.measured_scores.items():
            remarks = part.counting.remarks(corpus[document])
            document_score = replace(score, notes=(*score.notes, *remarks))
            if beyond_chance:
                document_score = against_own_chance(document_score)
            documents[document][name] = document_score
    return {name: part.joint_score for name, part in parts.items()}, documents


def as_corpus(data: Any) -> Corpus:
    """Return a corpus, or a corpus of one continuum.

    Parameters
    ----------
    data
        Data to be measured.

    Raises
    ------
    UsageError
        It is neither.
    """
    if isinstance(data, Corpus):
        return data
    if not isinstance(data, Continuum):
        raise UsageError("by and reference are for a Continuum or a Corpus")
    return Corpus.from_continua({data.name or "": data})


def check_reference(documents: Mapping[str, Continuum], reference: str | None) -> None:
    """Raise a DataError if the reference is no annotator of any document.

    Parameters
    ----------
    documents
        The continua.
    reference
        A name; None is fine.
    """
    people = dict.fromkeys(a for c in documents.values() for a in c.annotators)
    if reference is not None and reference not in people:
        raise DataError(
            f"reference {reference!r} is not an annotator",
            hint=f"There are: {', '.join(people) or 'none'}",
        )


def _score_by(part: MeasuredDocuments, by: Collection[str]) -> CorpusScore:
    """Return the score of one measure, with its scores by category and by pair."""
    score = corpus_score(part)
    m = part.measure
    if m.counting is None or m.applies_to not in UNITS:
        return score
    # Skip measures that need a full covering, which units of one category are not, and measures
    # that give a value per category anyway.
    if "category" in by and not m.per_category and Need.FULL_COVERING not in m.needs:
        score = replace(score, by_category=_by_category(part))
    if "pair" in by:
        score = replace(score, by_pair=_by_pair(part))
    return score


def corpus_score(part: MeasuredDocuments, *, plain: bool = False) -> CorpusScore:
    """Return the score of one measure of some documents.

    Parameters
    ----------
    part
        The measure and the documents.
    plain
        Whether intervals are left out.
    """
    m = part.measure
    of = len(part.documents)
    if m.counting is None:
        return _without_sums(part)
    counts = part.counts
    if not counts:
        return CorpusScore(value=math.nan, of=of, reason=why_nothing(part))
    settled = m.counting.settle(_all(counts), **part.own_options)

    def formula(numbers: Numbers) -> Rates:
        return part.counting.rates(numbers, **settled)

    pooling = m.counting.pooling_of(**part.own_options)
    pooled = part.joint_rates or pooled_rates(part.pool(pooling), formula, pooling)
    if of == 1:
        rates = _mean_of_pairs(part, counts, formula)
    else:
        rates = pooled.rates
    value = float(rates.value)
    labels = next(iter(counts.values())).labels
    score = CorpusScore(
        value=value,
        mean=part.mean,
        documents=len(counts),
        of=of,
        retrieval=_retrieval(rates) if part.reference is not None else Retrieval(),
        support=_support(part),
        reason=None if not math.isnan(value) else why_undefined(part, rates),
        notes=_notes(part, counts),
        signature=signature_of(part),
        disagreement=float(rates.disagreement),
        by_category=_by_label(rates, labels, len(counts), of),
    )
    if math.isnan(value) or of == 1 or plain:
        return score
    return with_intervals(score, part, pooled, formula)


def _notes(part: MeasuredDocuments, counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """Return all notes on a score, without repetition."""
    every = (
        *notes_of_scores(part),
        *notes_on_documents(part),
        *note_on_missing(counts),
        *notes_on_sums(part),
    )
    return tuple(dict.fromkeys(every))


def _all(counts: Mapping[str, Counts]) -> Counts:
    """Concatenate the counts of all documents, a row per pair."""
    every = [*counts.values()]
    numbers = {name: np.concatenate([c.numbers[name] for c in every]) for name in every[0].numbers}
    return Counts(tuple(p for c in every for p in c.parties), numbers, every[0].labels)


def _mean_of_pairs(
    part: MeasuredDocuments, counts: Mapping[str, Counts], formula: Callable[[Numbers], Rates]
) -> Rates:
    """Return the rates of the only document: the means over its pairs.

    The value is that of the document's score. With a reference, it is the mean over pairs, too, for
    measures that are defined for one document.
    """
    (only,) = counts.values()
    rates = formula(only.numbers)
    if part.reference is None or not part.counting.alone:
        value = next(iter(part.measured_scores.values())).value
    else:
        value = rates.value.mean()
    columns = {
        name: None if (x := getattr(rates, name)) is None else np.asarray(x.mean(axis=0))
        for name in ("disagreement", "size", "expected", "recall", "precision", "by_label")
    }
    return Rates(value=np.asarray(value), **columns, most=rates.most)  # type: ignore[arg-type]


def _by_label(
    rates: Rates, labels: Sequence[str], documents: int, of: int
) -> dict[str, CorpusScore]:
    """Return the scores by label, for measures whose formula gives them."""
    if rates.by_label is None:
        return {}
    values = dict(zip(labels, rates.by_label.tolist(), strict=True))
    return {
        name: CorpusScore(value=value, documents=documents, of=of) for name, value in values.items()
    }


def _retrieval(rates: Rates) -> Retrieval:
    sides = {}
    for name in ("recall", "precision"):
        rate = getattr(rates, name)
        sides[name] = None if rate is None or math.isnan(float(rate)) else float(rate)
    return Retrieval(**sides)


def _support(part: MeasuredDocuments) -> int:
    """Return the number of units of the reference, or of all annotators without a reference."""
    if part.reference is None:
        return sum(c.n_units for c in part.documents.values())
    with_reference = [c for c in part.documents.values() if part.reference in c.annotators]
    return sum(len(c.starts[c.rows_of(part.reference)]) for c in with_reference)


def _without_sums(part: MeasuredDocuments) -> CorpusScore:
    """Return a score with only the mean over documents, for a measure that does not add up."""
    name = part.measure.name
    of = len(part.documents)
    why = part.measure.unsummed or "it counts nothing that could be summed"
    reason = f"it does not add up over documents: {why}; a corpus has their mean only"
    if part.reference is not None:
        return CorpusScore(value=math.nan, of=of, reason=f"{name} takes no reference; {reason}")
    values = part.values
    if not values:
        return CorpusScore(value=math.nan, of=of, reason=why_nothing(part))
    return CorpusScore(
        value=math.nan, mean=part.mean, documents=len(values), of=of, reason=reason,
        support=_support(part),
    )  # fmt: skip


def _by_category(part: MeasuredDocuments) -> dict[str, CorpusScore]:
    """Return the score of each category: of its units alone, or of its label against the rest."""
    every = dict.fromkeys(k for c in part.documents.values() for k in c.categories)
    scores = {}
    for category in every:
        units_alone = part.with_changed_documents(partial(_only_category, category=category))
        if part.counting.relabelled:
            if "metric" in part.measure.options:
                options = {"metric": "nominal"}
            else:
                options = {}
            rest = part.with_changed_documents(partial(_against_rest, category=category), **options)
            scores[category] = replace(corpus_score(rest), support=_support(units_alone))
        else:
            scores[category] = corpus_score(units_alone)
    return scores


def _only_category(continuum: Continuum, category: str) -> Continuum:
    return keep_categories(continuum, [category] if category in continuum.categories else [])


def _against_rest(continuum: Continuum, category: str) -> Continuum:
    return relabel(continuum, [k if k == category else OTHERS for k in continuum.categories])


def _by_pair(part: MeasuredDocuments) -> dict[str, CorpusScore]:
    """Return the score of each pair of annotators, on the documents that both annotated."""
    scores = {}
    for first, second in part.pairs_of_people():
        shared = {d: c for d, c in part.documents.items() if {first, second} <= set(c.annotators)}
        if shared:
            alone = MeasuredDocuments(
                part.measure, shared, part.options, part.reference, executor=part.executor
            )
            alone = alone.with_changed_documents(partial(keep_annotators, names=(first, second)))
            scores[f"{first}, {second}"] = corpus_score(alone)
    return scores
