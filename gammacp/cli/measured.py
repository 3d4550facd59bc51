"""Scores of documents, and of all documents together, for `gammacp measure`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.measures.corpora.score import CorpusScore
    from gammacp.measures.matching.label_matching import LabelMatching, MatchedDocuments
    from gammacp.measures.score import Score

# Largest number of documents that a worker measures in one batch.
_AT_ONCE = 100


@dataclass(frozen=True)
class MeasureTask:
    """Measures and options of a run.

    Attributes
    ----------
    names
        All measures, in order.
    alone, shared
        Measures computed for each document separately, and measures for which all documents share
        random sets.
    options
        Options of the measures and of the chance model.
    beyond_chance
        Whether scores are also compared with chance.
    matching
        How labels are matched; None if they are not.
    """

    names: Sequence[str]
    alone: Sequence[str]
    shared: Sequence[str]
    options: Mapping[str, Any]
    beyond_chance: bool
    matching: LabelMatching | None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        options: Mapping[str, Any],
        beyond_chance: bool,
        matching: LabelMatching | None,
        read: Mapping[str, Any],
    ) -> MeasureTask:
        """Return the task for these data.

        Parameters
        ----------
        names, options, beyond_chance, matching
            Values of the attributes with these names.
        read
            The documents.
        """
        from gammacp.continuum import Continuum
        from gammacp.measures.corpora.measuring import measured_jointly

        shared: list[str] = []
        several = len(read) > 1 and all(isinstance(c, Continuum) for c in read.values())
        # If labels are matched, those of random sets are as well, so random sets cannot be shared.
        if several and not (matching is not None and beyond_chance):
            shared = measured_jointly(names)
        alone = [name for name in names if name not in shared]
        return cls(names, alone, shared, options, beyond_chance, matching)

    def measure(
        self, read: Mapping[str, Any], pool: Any, progress: Callable[[int, int], None]
    ) -> tuple[dict[str, Mapping[str, Score]], Mapping[str, Score]]:
        """Compute the measures of single documents, and those of documents that share random sets.

        Parameters
        ----------
        read
            The documents.
        pool
            Executor with worker processes; None to compute in this process.
        progress
            Called with the number of documents done and their total.

        Returns
        -------
        tuple
            Scores by document and measure, and joint scores of all documents by measure.
        """
        scores: dict[str, Mapping[str, Score]] = {}
        if self.alone:
            one = self._one(len(read))
            size = min(_AT_ONCE, 1 + len(read) // 64)
            spread = map if pool is None else partial(pool.map, chunksize=size)
            for name, document_scores in zip(read, spread(one, read.values()), strict=False):
                scores[name] = document_scores
                if len(read) > 1:
                    progress(len(scores), len(read))
            # After Ctrl-C workers skip documents. Measuring these here yields scores that say so.
            scores |= {name: one(c) for name, c in read.items() if name not in scores}
        if not self.shared:
            return scores, {}
        from gammacp.continuum import Corpus
        from gammacp.measures.corpora.measuring import measure_jointly

        joint, each = measure_jointly(
            Corpus.from_continua(read),
            self.shared,
            beyond_chance=self.beyond_chance,
            executor=pool,
            **self.options,
        )
        every = {d: {**scores.get(d, {}), **each[d]} for d in read}
        return {
            d: {name: document_scores[name] for name in self.names}
            for d, document_scores in every.items()
        }, joint

    def _one(self, documents: int) -> Callable[[Any], Mapping[str, Score]]:
        """Return the function that measures one document by itself."""
        from gammacp.measures.beyond_chance import CHANCE_OPTIONS
        from gammacp.measures.measuring import measure, measure_matched
        from gammacp.measures.registry import MEASURES

        accepted = frozenset[str]().union(*(MEASURES[name].options for name in self.alone))
        if self.beyond_chance:
            accepted |= CHANCE_OPTIONS
        how: dict[str, Any] = {k: v for k, v in self.options.items() if k in accepted}
        how |= {"names": self.alone, "beyond_chance": self.beyond_chance}
        if self.matching is None:
            return partial(measure, **how)
        return partial(measure_matched, matching=self.matching, alone=documents == 1, **how)


@dataclass(frozen=True)
class Together:
    """Scores of single documents and of all documents together.

    Attributes
    ----------
    documents
        Scores by document and measure.
    parts
        The same scores against a reference, by category or by pair; empty unless requested.
    corpus
        Scores of all documents together. None for a single document, and for data that are not
        continua.
    by
        Requested tables.
    matched
        Mappings of labels; None if labels were not matched.
    """

    documents: Mapping[str, Mapping[str, Score]]
    parts: Mapping[str, Mapping[str, CorpusScore]]
    corpus: Mapping[str, CorpusScore] | None
    by: Sequence[str]
    matched: MatchedDocuments | None = None

    @classmethod
    def of(
        cls,
        read: Mapping[str, Any],
        scores: Mapping[str, Mapping[str, Score]],
        by: Sequence[str],
        reference: str | None,
        *,
        beyond_chance: bool,
        options: Mapping[str, Any],
        executor: Any,
        matching: LabelMatching | None = None,
        joint: Mapping[str, Score] | None = None,
    ) -> Together:
        """Measure the documents together, from their scores."""
        from gammacp.continuum import Continuum, Corpus
        from gammacp.measures.corpora.measuring import check_reference, measure_corpus
        from gammacp.measures.registry import MEASURES

        if not all(isinstance(c, Continuum) for c in read.values()):
            if reference is not None or by:
                raise UsageError("--reference and --by are for units, but these are no continua")
            return cls(scores, {}, None, by)
        check_reference(read, reference)
        names = [*next(iter(scores.values()), {})]
        how: dict[str, Any] = {"by": by, "reference": reference, **options}
        parts = {}
        if reference is not None or (by and len(read) == 1):
            # Parts are not compared with chance, so options of the chance model do not apply.
            declared = frozenset[str]().union(*(MEASURES[name].options for name in names))
            measure_options = {k: v for k, v in options.items() if k in declared}
            parts = {
                d: measure_corpus(
                    Corpus.from_continua({d: c}),
                    names,
                    by=by,
                    reference=reference,
                    scores={d: scores[d]},
                    check=False,
                    **measure_options,
                )
                for d, c in read.items()
            }
        if len(read) < 2:
            return cls(scores, parts, None, by)
        corpus = measure_corpus(
            Corpus.from_continua(read),
            names,
            beyond_chance=beyond_chance,
            scores=scores,
            executor=executor,
            matching=matching,
            joint=joint,
            **how,
        )
        return cls(scores, parts, corpus, by)

    @property
    def headline(self) -> Mapping[str, Any]:
        """Return the scores of the corpus, or of the only document."""
        if self.corpus is not None:
            return self.corpus
        return next(iter((self.parts or self.documents).values()))

    @property
    def each(self) -> Iterator[Mapping[str, Any]]:
        """Yield the scores of each document, of the parts, and of the corpus."""
        yield from self.documents.values()
        yield from self.parts.values()
        if self.corpus is not None:
            yield self.corpus

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON: a result per document, and the corpus."""
        results = [
            {
                "file": file,
                "measures": {name: self._record(file, name) for name in document_scores},
            }
            for file, document_scores in self.documents.items()
        ]
        if self.matched is not None:
            self._add_labels(results)
        corpus = self.corpus
        whole: dict[str, Any] | None = None
        if corpus is not None:
            whole = {"measures": {name: score.as_dict() for name, score in corpus.items()}}
            if self.matched is not None:
                whole["labels"] = self.matched.labels_of("")
        return {"results": results, "corpus": whole}

    def _add_labels(self, results: Sequence[dict[str, Any]]) -> None:
        """Add the mapping of labels to each document that has one of its own."""
        assert self.matched is not None
        for record in results:
            record["labels"] = self.matched.labels_of(
                record["file"] if len(results) > 1 or record["file"] in self.matched.maps else ""
            )

    def _record(self, file: str, name: str) -> dict[str, Any]:
        record = self.documents[file][name].as_dict()
        part = self.parts.get(file, {}).get(name)
        if part is None:
            return record
        part_record = part.as_dict()
        keys = ("value", "recall", "precision", "support", "by_category", "by_pair", "reason")
        others = {"observed": None, "expected": None, "interval": None}
        return record | others | {key: part_record[key] for key in keys}
