"""Scores of measures on several documents together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gammacp.base.record_tables import record_of
from gammacp.chance.beyond import BeyondChance
from gammacp.inference.populations import PopulationIntervals
from gammacp.measures.score import described


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """Recall and precision of annotators who are compared with a reference.

    Attributes
    ----------
    recall
        Share of the reference's units that the others have, too; None where it is not defined.
    precision
        Share of the others' units that the reference has, too.
    """

    recall: float | None = None
    precision: float | None = None


@dataclass(frozen=True, kw_only=True)
class CorpusScore:
    """One measure of a corpus: 1 is perfect; a fraction, never percent.

    Attributes
    ----------
    value
        The measure's formula on counts that are summed over all documents; NaN where undefined
        (then `reason` says why).
    mean
        The mean of the documents that have a value, each by itself.
    interval
        95 % interval of `value` over documents like these, of these annotators.
    over
        Intervals by whose population they are about.
    documents, of
        Number of documents that count, and number of all documents.
    retrieval
        Recall and precision against a reference; both can be read of the score itself.
    support
        Units of the reference, or of all annotators where there is none.
    by_category, by_pair
        The same of each category alone, and of each pair of annotators ("A, B").
    reason
        Reason why there is no value.
    notes
        Facts that a reader must know; sentences without a full stop.
    signature
        Signature of the value.
    disagreement
        The measure's D on the summed counts, before any correction for chance.
    beyond_chance
        The disagreement of the whole corpus against random sets, one of every document.
    """

    value: float
    mean: float = math.nan
    interval: tuple[float, float] | None = None
    over: PopulationIntervals = field(default_factory=PopulationIntervals)
    documents: int = 0
    of: int = 0
    retrieval: Retrieval = Retrieval()
    support: int | None = None
    by_category: Mapping[str, CorpusScore] = field(default_factory=dict)
    by_pair: Mapping[str, CorpusScore] = field(default_factory=dict)
    reason: str | None = None
    notes: tuple[str, ...] = ()
    signature: str = ""
    disagreement: float = math.nan
    beyond_chance: BeyondChance | None = None

    def __repr__(self) -> str:
        """Return the value and what a reader of it needs; `as_dict` has everything.

        >>> print(repr(CorpusScore(value=0.5, interval=(0.4, 0.6), documents=3, of=4)))
        CorpusScore(0.5, interval=(0.4, 0.6), documents=3 of 4)
        """
        parts = {name: score.value for name, score in self.by_category.items()}
        attributes: dict[str, Any] = {"interval": self.interval, "recall": self.recall}
        attributes |= {"precision": self.precision, "documents": f"{self.documents} of {self.of}"}
        attributes |= {"by_category": parts or None, "reason": self.reason}
        return described(self, attributes)

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("corpus_score", self)

    @property
    def defined(self) -> bool:
        """Return whether there is a value."""
        return not math.isnan(self.value)

    @property
    def recall(self) -> float | None:
        """Share of the reference's units that the others have, too."""
        return self.retrieval.recall

    @property
    def precision(self) -> float | None:
        """Share of the others' units that the reference has, too."""
        return self.retrieval.precision

    @property
    def macro(self) -> float | None:
        """The plain mean of the categories' values; None where they were not asked for."""
        values = [score.value for score in self.by_category.values() if score.defined]
        if values:
            return math.fsum(values) / len(values)
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return the score as JSON has it; NaN stays, for the writer to make null."""
        record = record_of(
            self, "value mean interval over documents of recall precision support macro"
        )
        for name in ("by_category", "by_pair"):
            parts = getattr(self, name)
            record[name] = {key: part.as_dict() for key, part in parts.items()} or None
        record |= {"reason": self.reason, "notes": list(self.notes), "signature": self.signature}
        if self.beyond_chance is not None:
            record["beyond_chance"] = self.beyond_chance.as_dict()
        return record
