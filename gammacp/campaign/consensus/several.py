"""The gold standard of several documents, each from its best alignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gammacp.alignment import Alignment, Status, align_each
from gammacp.arguments import one_of, whole
from gammacp.arrays import Codes, Floats
from gammacp.campaign.annotators import AnnotatorModel, Fit, Responses, fit
from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus,
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
# Of four planted crowds two were recovered better with rounds, two worse, all by less than a point.
ROUNDS = 0
# Names of annotators are sorted nowhere, but no file can have this one.
_LAST = "\0consensus"


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
        The probability of its category from which a unit is kept; None for votes.
    rounds
        How often the documents were aligned again with the consensus as one more annotator.
    fit, responses, annotators
        The model, what it rests on, and what it says of each annotator; None and empty for votes.
    """

    weights: str
    notes: tuple[str, ...] = ()
    threshold: float | None = None
    rounds: int = 0
    fit: Fit | None = None
    responses: Responses | None = None
    annotators: tuple[AnnotatorQuality, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """How the consensus was weighed, and its annotators, as JSON has it."""
        return {
            "weights": self.weights,
            "notes": list(self.notes),
            "threshold": self.threshold,
            "rounds": self.rounds,
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
    support, boundaries, dissimilarity
        What was asked for; None where it was left open.
    failures
        Why documents that are missing have none, each with its name.
    """

    documents: Mapping[str, Consensus]
    alignments: Mapping[str, Alignment]
    belief: Belief
    support: str | float | None = None
    boundaries: str | None = None
    dissimilarity: Any = None
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
    rounds: int = ROUNDS,
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
        Default `Combined()` for votes, β = ½ with a model: what a unit is, is the model's to
        judge, and planted truth is recovered better when categories keep fewer units apart.
    weights
        `vote`; `dawid-skene`, `one-coin` or `mace`, fitted over all documents (`annotators.fit`);
        `auto` is Dawid & Skene where weights can be told. Where they cannot, the votes decide,
        and `belief.notes` says so.
    rounds
        With a model: how often at most documents are aligned again with the consensus as one more
        annotator, ≥ 0; it ends when nothing changes, or with a note when it goes round in a cycle.
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
    weights, rounds = one_of("weights", weights, WEIGHTS), whole("rounds", rounds, 0)
    chosen = Combined(beta=1.0 if weights == "vote" else 0.5)
    bound = bind(chosen if dissimilarity is None else dissimilarity, corpus)
    failures: dict[str, DataError] = {}
    for name, continuum in corpus.items():
        try:
            require(continuum, fragments=True)
        except DataError as error:
            failures[name] = error.at(name)
    sound = [name for name in corpus if name not in failures]
    if not sound:
        raise next(iter(failures.values()), DataError("there is no document"))

    align = partial(
        align_each, executor=executor, method=method, gap=gap, time_limit=time_limit, seed=seed
    )
    alignments = dict(zip(sound, align([corpus[n] for n in sound], bound), strict=True))
    rules: dict[str, Any] = {"support": support, "tolerance": tolerance, "annotator": annotator}
    overlap = responses_of(alignments.values()).overlap
    if weights == "vote" or overlap.too_little:
        if dissimilarity is None and weights != "vote":
            bound = bind(Combined(), corpus)
            alignments = dict(zip(sound, align([corpus[n] for n in sound], bound), strict=True))
        documents = {
            name: consensus(alignment, boundaries=boundaries or "median", **rules)
            for name, alignment in alignments.items()
        }
        notes = [] if weights == "vote" else [f"{overlap.too_little}: votes decide"]
        belief = Belief(weights="vote", notes=tuple(notes))
    else:
        decide = partial(
            _weighed,
            model="dawid-skene" if weights == "auto" else weights,
            boundaries=boundaries or "majority",
            rules=rules,
        )
        again = partial(align, dissimilarity=bound)
        documents, belief = _in_rounds(alignments, decide, again, rounds)
    return CorpusConsensus(
        documents=documents,
        alignments=alignments,
        belief=belief,
        support=support,
        boundaries=boundaries,
        dissimilarity=dissimilarity,
        failures=tuple(failures.values()),
    )


def _in_rounds(
    alignments: Mapping[str, Alignment],
    decide: Callable[[Mapping[str, Alignment]], tuple[dict[str, Consensus], Belief]],
    align: Callable[[list[Continuum]], list[Alignment]],
    rounds: int,
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus, decided again on alignments in which it took part itself."""
    seen = [_groups_of(alignments)]
    documents, belief = decide(alignments)
    for done in range(1, rounds + 1):
        joined = [_joined(f.continuum, documents[n].continuum) for n, f in alignments.items()]
        found = align(joined)
        alignments = {
            name: replace(f, groups=_without_last(again))
            for (name, f), again in zip(alignments.items(), found, strict=True)
        }
        groups = _groups_of(alignments)
        if groups in seen:
            if groups != seen[-1]:
                note = f"realigning goes round in a cycle of {len(seen) - seen.index(groups)}"
                belief = replace(belief, notes=(*belief.notes, note))
            break
        seen.append(groups)
        documents, belief = decide(alignments)
        belief = replace(belief, rounds=done)
    return documents, belief


def _groups_of(alignments: Mapping[str, Alignment]) -> tuple[bytes, ...]:
    return tuple(f.groups.tobytes() for f in alignments.values())


def _joined(continuum: Continuum, gold: Continuum) -> Continuum:
    """The continuum with its consensus as the last annotator; its own rows stay where they are."""
    codes, k = continuum.category_codes, continuum.categories
    return Continuum.from_columns(
        [continuum.annotators[a] for a in continuum.annotator_codes] + [_LAST] * gold.n_units,
        [None if c < 0 else k[c] for c in codes] + [u.category for u in gold],
        [*continuum.starts, *gold.starts],
        [*continuum.ends, *gold.ends],
        fragments=[u.fragments for c in (continuum, gold) for u in c],
        annotators=[*continuum.annotators, _LAST],
        categories=k,
        bounds=gold.bounds,
    )


def _without_last(alignment: Alignment) -> Codes:
    groups = alignment.groups[:, :-1]
    return np.ascontiguousarray(groups[(groups >= 0).any(axis=1)])


def _weighed(
    alignments: Mapping[str, Alignment], *, model: str, boundaries: str, rules: Mapping[str, Any]
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus of each document by a model, which is fitted over all of them."""
    responses = responses_of(alignments.values())
    fitted = fit(responses, model)
    threshold = best_threshold(fitted.posterior)
    sizes = np.cumsum([len(f.groups) for f in alignments.values()])[:-1]
    posteriors = np.split(fitted.posterior, sizes)
    code = {name: i for i, name in enumerate(responses.annotators)}

    def decided(shares: Floats) -> dict[str, Consensus]:
        return {
            name: consensus(
                f,
                boundaries=boundaries,
                truth=Truth(
                    posterior,
                    responses.labels,
                    threshold,
                    shares[[code[a] for a in f.continuum.annotators]],
                ),
                **rules,
            )
            for (name, f), posterior in zip(alignments.items(), posteriors, strict=True)
        }

    documents = decided(np.ones(len(code)))
    documents = decided(shares_of_boundaries(responses.annotators, documents.values()))
    caution = responses.overlap.caution
    notes = [] if caution is None else [caution]
    if not fitted.converged:
        notes.append(f"the model still moved after {fitted.iterations} iterations")
    return documents, Belief(
        weights=str(fitted.model),
        notes=tuple(notes),
        threshold=threshold,
        fit=fitted,
        responses=responses,
        annotators=qualities(responses, fitted, documents.values()),
    )
