"""The gold standard of several documents, each from its best alignment."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.alignment import Alignment, Status, align_each
from gammacp.arguments import one_of
from gammacp.campaign.annotators import AnnotatorModel, Fit, fit
from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus,
    consensus_of_groups,
    doubt,
)
from gammacp.campaign.consensus.weighing import (
    AnnotatorQuality,
    Truth,
    best_threshold,
    qualities,
    responses_of,
    shares_of_boundaries,
)
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import DataError
from gammacp.measures.agreement import Continua, named_continua
from gammacp.needs import require

WEIGHTS = ("auto", "vote", *AnnotatorModel)


@dataclass(frozen=True, kw_only=True)
class Belief:
    """Whom the consensus believed.

    Attributes
    ----------
    weights
        `vote` or an annotator model.
    notes
        Why it is the vote although weights were asked for, and what the weights cannot say.
    threshold
        The probability from which units are kept; None for votes.
    fit, annotators
        The model and what it says of each annotator; None and empty for votes.
    """

    weights: str
    notes: tuple[str, ...] = ()
    threshold: float | None = None
    fit: Fit | None = None
    annotators: tuple[AnnotatorQuality, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """How the consensus was weighed, and its annotators, as JSON has it."""
        return {
            "weights": self.weights,
            "notes": list(self.notes),
            "threshold": self.threshold,
            "iterations": self.fit and self.fit.iterations,
            "converged": self.fit and self.fit.converged,
            "log_likelihood": self.fit and self.fit.log_likelihood,
            "annotators": {a.name: a.as_dict() for a in self.annotators},
        }


@dataclass(frozen=True, kw_only=True)
class CorpusConsensus:
    """Gold standards by document.

    Attributes
    ----------
    documents
        By name, in order.
    alignments
        The best alignments that they come from.
    belief
        Whom they believe.
    failures
        Why documents that are missing have none, each with its name.
    """

    documents: Mapping[str, Consensus]
    alignments: Mapping[str, Alignment]
    belief: Belief
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
        """What a person should look at in all documents, by falling entropy or disorder."""
        rows = [(name, unit) for name, c in self.documents.items() for unit in c.review]
        return sorted(rows, key=lambda row: -doubt(row[1]))


def consensus_of_each(
    continua: Continua,
    *,
    dissimilarity: Any = None,
    weights: str = "auto",
    support: str | float | None = None,
    boundaries: str | None = None,
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
    weights
        `vote`; `dawid-skene`, `one-coin` or `mace`, fitted over all documents (`annotators.fit`);
        `auto` is Dawid & Skene where weights can be told. Where they cannot, the votes decide,
        and `belief.notes` says so.
    support, tolerance, annotator
        As for `consensus`; with a model the default support is 1.
    boundaries
        As for `consensus`; default `median` for votes, `majority` (weighted) with a model.
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
    rules = {"support": support, "tolerance": tolerance, "annotator": annotator}
    documents, belief = _weighed(alignments, one_of("weights", weights, WEIGHTS), boundaries, rules)
    return CorpusConsensus(
        documents=documents,
        alignments=alignments,
        belief=belief,
        failures=tuple(failures.values()),
    )


def _weighed(
    alignments: Mapping[str, Alignment],
    weights: str,
    boundaries: str | None,
    rules: Mapping[str, Any],
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus of each document by votes or by a model, which is fitted over all of them."""
    responses = responses_of(alignments.values())
    overlap = responses.overlap
    if weights == "vote" or overlap.too_little:
        notes = [] if weights == "vote" else [f"{overlap.too_little}: votes decide"]
        votes = {
            name: consensus(alignment, boundaries=boundaries or "median", **rules)
            for name, alignment in alignments.items()
        }
        return votes, Belief(weights="vote", notes=tuple(notes))
    fitted = fit(responses, "dawid-skene" if weights == "auto" else weights)
    threshold = best_threshold(1 - fitted.posterior[:, -1])
    sizes = np.cumsum([len(f.groups) for f in alignments.values()])[:-1]
    posteriors = dict(zip(alignments, np.split(fitted.posterior, sizes), strict=True))
    code = {name: i for i, name in enumerate(responses.annotators)}

    def decided(shares: Any) -> dict[str, Consensus]:
        return {
            name: consensus_of_groups(
                f.continuum,
                f.groups,
                f.disorders,
                delta=float(f.dissimilarity.delta),
                boundaries=boundaries or "majority",
                truth=Truth(
                    posteriors[name],
                    responses.labels,
                    threshold,
                    shares[[code[a] for a in f.continuum.annotators]],
                ),
                **rules,
            )
            for name, f in alignments.items()
        }

    plain = decided(np.ones(len(code)))
    documents = decided(shares_of_boundaries(responses.annotators, plain.values()))
    notes = [] if overlap.caution is None else [overlap.caution]
    if not fitted.converged:
        notes.append(f"the model still moved after {fitted.iterations} iterations")
    return documents, Belief(
        weights=str(fitted.model),
        notes=tuple(notes),
        threshold=threshold,
        fit=fitted,
        annotators=qualities(responses, fitted, documents.values()),
    )
