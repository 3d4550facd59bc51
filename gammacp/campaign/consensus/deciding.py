"""What documents say by a model of the annotators that is fitted to all of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.arrays import Floats
from gammacp.campaign.annotators import AnnotatorModel, Fit, Responses, fit
from gammacp.campaign.consensus.consensus import Consensus, consensus
from gammacp.campaign.consensus.weighing import (
    AnnotatorQuality,
    Truth,
    best_threshold,
    qualities,
    shares_of_boundaries,
)

WEIGHTS = ("auto", "vote", *AnnotatorModel)
_FITTED = ("iterations", "converged", "log_likelihood")


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
    fit, responses, annotators
        The model, what it rests on, and what it says of each annotator; for votes None, None, and
        what was counted against them.
    """

    weights: str
    notes: tuple[str, ...] = ()
    threshold: float | None = None
    fit: Fit | None = None
    responses: Responses | None = None
    annotators: tuple[AnnotatorQuality, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """How the consensus was weighed, and its annotators, as JSON has it."""
        return {
            "weights": self.weights,
            "notes": list(self.notes),
            "threshold": self.threshold,
            **{name: self.fit and getattr(self.fit, name) for name in _FITTED},
            "annotators": {a.name: a.as_dict() for a in self.annotators},
        }


def weighed(
    alignments: Mapping[str, Alignment],
    responses: Responses,
    model: str = "auto",
    rules: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus of each document by a model that is fitted to all of them, and its belief.

    Parameters
    ----------
    alignments
        By document.
    responses
        What these say (`responses_of`).
    model
        Of `WEIGHTS`, but for the vote.
    rules
        Options of `consensus`.
    """
    model = "dawid-skene" if model == "auto" else model
    fitted = fit(responses, model, unseen=True)
    threshold = best_threshold(fitted.posterior, float(fitted.unseen[:-1].sum()))
    sizes = np.cumsum([len(f.groups) for f in alignments.values()])[:-1]
    posteriors = np.split(fitted.posterior, sizes)
    code = {name: i for i, name in enumerate(responses.annotators)}

    def decided(shares: Floats) -> dict[str, Consensus]:
        return {
            name: consensus(
                f,
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
