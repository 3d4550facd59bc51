"""Documents that are measured together, and the counts that they add to the sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError
from gammacp.measures.counting import Counting, Counts, Pooling
from gammacp.measures.evaluation import evaluate
from gammacp.measures.pooling import PooledCounts, PooledRates, with_common_labels
from gammacp.measures.registry import Measure
from gammacp.measures.score import Score


@dataclass(frozen=True)
class MeasuredDocuments:
    """One measure of some documents.

    Attributes
    ----------
    measure
        The measure.
    documents
        The continua by name.
    options
        Options of the measure.
    reference
        Annotator with whom the others are compared; None to compare everybody with everybody.
    scores
        Scores of documents that were already computed.
    executor
        Executor for the computation of random sets.
    known_joint_score
        Score of all documents together, if it was already computed. Only measures whose documents
        share an expected value have one.
    """

    measure: Measure
    documents: Mapping[str, Continuum]
    options: Mapping[str, Any]
    reference: str | None = None
    scores: Mapping[str, Score] = field(default_factory=dict)
    executor: Executor | None = None
    known_joint_score: Any = None

    @property
    def counting(self) -> Counting:
        """The way the measure counts."""
        assert self.measure.counting is not None
        return self.measure.counting

    @cached_property
    def own_options(self) -> dict[str, Any]:
        """The options that the measure declares."""
        return {k: v for k, v in self.options.items() if k in self.measure.options}

    def with_changed_documents(
        self, change: Callable[[Continuum], Continuum], **options: Any
    ) -> MeasuredDocuments:
        """Return the same measure of changed documents.

        Parameters
        ----------
        change
            Function that returns what is left of a document.
        options
            Options to change.
        """
        documents = {name: change(c) for name, c in self.documents.items()}
        changed = {**self.options, **options}
        return MeasuredDocuments(
            self.measure, documents, changed, self.reference, executor=self.executor
        )

    @cached_property
    def joint_score(self) -> Any:
        """The score of all documents together; None for measures that score each one by itself."""
        if self.known_joint_score is not None:
            return self.known_joint_score
        if self.measure.counting is None:
            together = None
        else:
            together = self.measure.counting.together
        if together is None or len(self.documents) < 2:
            return None
        try:
            corpus = Corpus.from_continua(self.documents)
            return together(corpus, executor=self.executor, **self.own_options)
        except DataError as error:
            return Score(value=math.nan, reason=str(error))

    @cached_property
    def measured_scores(self) -> Mapping[str, Score]:
        """The score of each document, without a reference."""
        if self.joint_score is not None:
            return getattr(
                self.joint_score, "scores", dict.fromkeys(self.documents, self.joint_score)
            )
        return {
            name: self.scores[name]
            if name in self.scores
            else evaluate(self.measure, c, self.options, None)
            for name, c in self.documents.items()
        }

    @cached_property
    def pairs(self) -> dict[str, Counts]:
        """The counts of each document that has any, with a row for each pair of annotators."""
        counts = {
            name: s.counts for name, s in self.measured_scores.items() if s.counts is not None
        }
        if all(c.of_pairs for c in counts.values()):
            return counts
        rows: dict[str, list[Counts]] = {}
        for pair in self.pairs_of_people():
            shared = {d: c for d, c in self.documents.items() if set(pair) <= set(c.annotators)}
            documents_of_pair = MeasuredDocuments(
                self.measure, shared, self.options, executor=self.executor
            )
            documents_of_pair = documents_of_pair.with_changed_documents(
                partial(keep_annotators, names=pair)
            )
            for name, score in documents_of_pair.measured_scores.items():
                if score.counts is not None:
                    rows.setdefault(name, []).append(replace(score.counts, parties=(pair,)))
        return {name: _joined(rows[name]) for name in self.documents if name in rows}

    def pairs_of_people(self) -> list[tuple[str, str]]:
        """Return all pairs of annotators, or those of the reference with each other annotator."""
        people = dict.fromkeys(a for c in self.documents.values() for a in c.annotators)
        if self.reference is not None:
            return [(self.reference, a) for a in people if a != self.reference]
        return list(combinations(people, 2))

    @cached_property
    def counts(self) -> dict[str, Counts]:
        """The counts that each document adds to the sums."""
        if self.reference is None:
            counts_by_name = {
                n: s.counts for n, s in self.measured_scores.items() if s.counts is not None
            }
        else:
            turned = {n: c.against(self.reference) for n, c in self.pairs.items()}
            counts_by_name = {n: c for n, c in turned.items() if c.parties}
        if self.documents:
            order = next(iter(self.documents.values())).categories
        else:
            order = ()
        return dict(
            zip(counts_by_name, with_common_labels([*counts_by_name.values()], order), strict=True)
        )

    @property
    def joint_rates(self) -> PooledRates | None:
        """The rates of all documents if they were measured together; None otherwise."""
        if self.reference is not None or self.joint_score is None:
            return None
        rates: PooledRates | None = getattr(self.joint_score, "pooled", None)
        return rates

    def pool(self, pooling: Pooling) -> PooledCounts:
        """Return the counts of all documents, with the weight of each document.

        Parameters
        ----------
        pooling
            Field `pooling` of `Counting`.
        """
        weights = [self.documents[name].weight for name in self.counts]
        return PooledCounts.of([*self.counts.values()], weights, pooling)

    @cached_property
    def values(self) -> dict[str, float]:
        """The values of the documents that have one."""
        if self.reference is None:
            value_by_name = {name: s.value for name, s in self.measured_scores.items()}
        elif not self.counting.alone:
            value_by_name = {}
        else:
            value_by_name = {name: self.value_of(c) for name, c in self.counts.items()}
        return {name: value for name, value in value_by_name.items() if not math.isnan(value)}

    @property
    def mean(self) -> float:
        """The mean of the documents' values, weighted by document; NaN if there are none."""
        if not self.values:
            return math.nan
        weights = [self.documents[name].weight for name in self.values]
        return float(np.average([*self.values.values()], weights=weights))

    def value_of(self, counts: Counts) -> float:
        """Return the mean of the values of a document's pairs.

        Parameters
        ----------
        counts
            Counts of the document.
        """
        return float(self.counting.rates_of(counts, **self.own_options).value.mean())


def _joined(counts: Sequence[Counts]) -> Counts:
    """Join counts of single pairs of one document, after multiplying each by its weight."""
    alike = with_common_labels(counts)
    numbers = {
        name: np.concatenate([c.weight * c.numbers[name] for c in alike])
        for name in alike[0].numbers
    }
    return Counts(tuple(c.parties[0] for c in alike), numbers, alike[0].labels)
