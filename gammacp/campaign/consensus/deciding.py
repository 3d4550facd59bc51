"""What documents say by votes, or by a model of the annotators that is fitted to all of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from gammacp.alignment import Alignment, Status
from gammacp.arrays import Codes, Floats
from gammacp.campaign.annotators import AnnotatorModel, Fit, Responses, fit
from gammacp.campaign.consensus.consensus import Consensus, consensus
from gammacp.campaign.consensus.weighing import (
    AnnotatorQuality,
    Truth,
    best_threshold,
    qualities,
    responses_of,
    shares_of_boundaries,
)
from gammacp.continuum import Continuum

WEIGHTS = ("auto", "vote", *AnnotatorModel)
_FITTED = ("iterations", "converged", "log_likelihood")
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
        The posterior of its category from which a unit is kept; None for votes.
    rounds
        How often the documents were aligned again with the consensus as one more annotator.
    unproven
        How many alignments of the last of these rounds are not proven.
    fit, responses, annotators
        The model, what it rests on, and what it says of each annotator; for votes None, None, and
        what was counted against them.
    """

    weights: str
    notes: tuple[str, ...] = ()
    threshold: float | None = None
    rounds: int = 0
    unproven: int = 0
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
            "unproven": self.unproven,
            **{name: self.fit and getattr(self.fit, name) for name in _FITTED},
            "annotators": {a.name: a.as_dict() for a in self.annotators},
        }


def untold(alignments: Mapping[str, Alignment]) -> str | None:
    """Why weights cannot be told from these alignments; None if they can.

    Parameters
    ----------
    alignments
        By document.
    """
    return responses_of(alignments.values()).overlap.too_little


def decided(
    alignments: Mapping[str, Alignment],
    *,
    weights: str = "auto",
    boundaries: str = "majority",
    rules: Mapping[str, Any] = MappingProxyType({}),
    align: Callable[[list[Continuum]], list[Alignment]] | None = None,
    rounds: int = 0,
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus of each alignment, and whom it believes.

    Parameters
    ----------
    alignments
        By document.
    weights, boundaries, rounds
        As for `consensus_of_each`.
    rules
        Further options of `consensus`.
    align
        How documents are aligned again in rounds.
    """
    why = None if weights == "vote" else untold(alignments)
    if weights == "vote" or why is not None:
        documents = {
            name: consensus(alignment, boundaries=boundaries, **rules)
            for name, alignment in alignments.items()
        }
        notes = () if why is None else (f"{why}: votes decide",)
        return documents, Belief(weights="vote", notes=notes)
    decide = partial(
        _weighed,
        model="dawid-skene" if weights == "auto" else weights,
        boundaries=boundaries,
        rules=rules,
    )
    return _in_rounds(alignments, decide, align, rounds) if align else decide(alignments)


def _in_rounds(
    alignments: Mapping[str, Alignment],
    decide: Callable[[Mapping[str, Alignment]], tuple[dict[str, Consensus], Belief]],
    align: Callable[[list[Continuum]], list[Alignment]],
    rounds: int,
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus, decided again on alignments in which it took part itself."""
    seen = [_groups_of(alignments)]
    documents, belief = decide(alignments)
    unproven = 0
    for done in range(1, rounds + 1):
        joined = [_joined(f.continuum, documents[n].continuum) for n, f in alignments.items()]
        found = align(joined)
        unproven = sum(again.status is not Status.OPTIMAL for again in found)
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
    if unproven:
        note = f"{unproven} of {len(alignments)} alignments of the last round are not proven"
        belief = replace(belief, notes=(*belief.notes, note), unproven=unproven)
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
    fitted = fit(responses, model, unseen=True)
    threshold = best_threshold(fitted.posterior, float(fitted.unseen[:-1].sum()))
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
    told = (responses.overlap.caution, _against_heads(str(fitted.model), documents.values()))
    notes = [note for note in told if note is not None]
    if not fitted.converged:
        notes.append(f"the model still moved after {fitted.iterations} iterations")
    return documents, Belief(
        weights=str(fitted.model),
        notes=tuple(notes),
        threshold=threshold,
        fit=fitted,
        responses=responses,
        annotators=qualities(responses, fitted.counts, fitted.confusion, documents.values()),
    )


def _against_heads(model: str, documents: Iterable[Consensus]) -> str | None:
    """In how many units the model goes against the number of those who marked them."""
    units = [u for found in documents for u in found.units]
    most = [u for u in units if 2 * u.support > len(u.units)]
    alone = [u for u in units if u.support == 1]
    dropped, lone = sum(not u.kept for u in most), sum(u.kept for u in alone)
    if not dropped and not lone:
        return None
    return (
        f"{model} leaves out {dropped} of the {len(most)} units that more than half of the "
        f"annotators marked, and keeps {lone} of the {len(alone)} that one alone marked; "
        "--weights vote counts heads instead"
    )
