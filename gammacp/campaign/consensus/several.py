"""The gold standard of several documents, each from its best alignment."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from gammacp.alignment import Alignment, Status, align_each
from gammacp.campaign.consensus.consensus import Consensus, ConsensusUnit, consensus
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import DataError
from gammacp.measures.agreement import Continua, named_continua
from gammacp.needs import require


@dataclass(frozen=True, kw_only=True)
class CorpusConsensus:
    """Gold standards by document.

    Attributes
    ----------
    documents
        By name, in order.
    alignments
        The best alignments that they come from.
    failures
        Why documents that are missing have none, each with its name.
    """

    documents: Mapping[str, Consensus]
    alignments: Mapping[str, Alignment]
    failures: tuple[DataError, ...] = ()

    @property
    def gold(self) -> Continuum | Corpus:
        """What the annotators say together: a continuum, or a corpus of several."""
        continua = {name: c.continuum for name, c in self.documents.items()}
        return (
            next(iter(continua.values())) if len(continua) == 1 else Corpus.from_continua(continua)
        )

    @property
    def status(self) -> Status:
        """The worst of the alignments'."""
        proven = all(a.status is Status.OPTIMAL for a in self.alignments.values())
        return Status.OPTIMAL if proven else Status.FEASIBLE

    @property
    def review(self) -> list[tuple[str, ConsensusUnit]]:
        """What a person should look at in all documents, by falling disorder."""
        rows = [(name, unit) for name, c in self.documents.items() for unit in c.review]
        return sorted(rows, key=lambda row: -row[1].disorder)


def consensus_of_each(
    continua: Continua,
    *,
    dissimilarity: Any = None,
    support: str | float | None = None,
    boundaries: str = "median",
    tolerance: float = 0.25,
    annotator: str = "consensus",
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    executor: Executor | None = None,
) -> CorpusConsensus:
    """The consensus of each document; those that have none are listed, and the others go on.

    Parameters
    ----------
    continua
        One, a corpus, or several by name; the dissimilarity is bound to all of them.
    dissimilarity
        Default `Combined()`.
    support, boundaries, tolerance, annotator
        As for `consensus`.
    method, gap, time_limit, seed
        As for `gammacp.align`.
    executor
        Where documents are aligned.

    Raises
    ------
    DataError
        No document can be aligned.
    UsageError
        An argument cannot be meant.
    """
    named = named_continua(continua)
    corpus = continua if isinstance(continua, Corpus) else Corpus.from_continua(named)
    bound = bind(Combined() if dissimilarity is None else dissimilarity, corpus)
    failures: dict[str, DataError] = {}
    for name, continuum in corpus.items():
        try:
            require(continuum)
        except DataError as error:
            failures[name] = error.at(name)
    sound = [name for name in corpus if name not in failures]
    if not sound:
        raise next(iter(failures.values()), DataError("there is no document"))
    found = align_each(
        [corpus[name] for name in sound],
        bound,
        executor=executor,
        method=method,
        gap=gap,
        time_limit=time_limit,
        seed=seed,
    )
    alignments = dict(zip(sound, found, strict=True))
    documents = {
        name: consensus(
            alignment,
            support=support,
            boundaries=boundaries,
            tolerance=tolerance,
            annotator=annotator,
        )
        for name, alignment in alignments.items()
    }
    return CorpusConsensus(
        documents=documents, alignments=alignments, failures=tuple(failures.values())
    )
