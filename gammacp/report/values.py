"""Values of the corpus on the page: γ, and other requested measures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Executor
from typing import Any

from gammacp.campaign.compare import Comparison
from gammacp.continuum import Continuum, Corpus
from gammacp.inference.populations import PopulationIntervals
from gammacp.measures.corpora.measuring import measure_corpus
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.gamma_corpus import CorpusGamma
from gammacp.measures.registry import MEASURES, expand_names
from gammacp.measures.score_tables import corpus_table
from gammacp.report.markup import Markup, element, hint, join, table

_GAMMA = "gamma"
_MEANING = (
    "Value: the measure's formula on counts that are summed over the documents. Mean of documents: "
    "each document counts the same. Interval: where the value of other documents like these, by "
    "these annotators, would lie (95 %). Documents: those that count, of all."
)


def corpus_values(
    documents: Mapping[str, Continuum],
    comparison: Comparison,
    measures: Collection[str],
    *,
    reference: str | None = None,
    executor: Executor | None = None,
    options: Mapping[str, Any],
) -> dict[str, CorpusScore]:
    """Return the values of the corpus by measure, starting with γ if there are several documents.

    Parameters
    ----------
    documents
        Documents that the page is about.
    comparison
        Comparison that already has γ of all documents.
    measures
        Names of other measures.
    reference
        Annotator to compare the others with, in the other measures.
    executor
        Workers that draw random sets.
    options
        Options of γ; each measure uses those that it declares.
    """
    values = {}
    gamma = _gamma(comparison)
    if gamma is not None:
        values[_GAMMA] = gamma
    names = [name for name in expand_names(measures) if name not in values]
    option_names = frozenset[str]().union(*(MEASURES[name].options for name in names))
    used_options = {k: v for k, v in options.items() if k in option_names}
    if names:
        corpus = Corpus.from_continua(documents)
        values |= measure_corpus(
            corpus, names, reference=reference, executor=executor, **used_options
        )
    return values


def _gamma(comparison: Comparison) -> CorpusScore | None:
    """Return γ of the corpus; None for a single document."""
    score = comparison.overall.score
    if not isinstance(score, CorpusGamma) or len(score.scores) < 2:
        return None
    if comparison.bootstrap is None:
        interval = None
    else:
        interval = comparison.bootstrap.interval
    return CorpusScore(
        value=score.value,
        mean=score.mean,
        interval=interval,
        over=score.over or PopulationIntervals(documents=interval, n_documents=score.continua),
        documents=score.continua,
        of=len(score.scores),
        support=score.units,
        reason=score.reason,
        signature=score.signature,
    )


def values_section(values: Mapping[str, CorpusScore]) -> Markup:
    """Return the table of values, with reasons for missing ones.

    Parameters
    ----------
    values
        Scores by measure.
    """
    remarks = (element("p", remark) for remark in _remarks(values))
    return join(table(corpus_table(values)), hint(_MEANING), *remarks)


def _remarks(values: Mapping[str, CorpusScore]) -> Iterator[str]:
    for name, score in values.items():
        for remark in filter(None, (score.reason, *score.notes)):
            yield f"{name}: {remark}."
