"""The gold standard of several documents, each from its best alignment."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.alignment import Alignment, Solving, Status, align_each
from gammacp.arguments import one_of
from gammacp.arrays import Floats
from gammacp.campaign.annotators.models import AnnotatorModel, Fit, fit
from gammacp.campaign.annotators.responses import Responses
from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus,
    gold_units,
    to_be_reviewed,
)
from gammacp.campaign.consensus.links import add_links
from gammacp.campaign.consensus.weighing import (
    AnnotatorQuality,
    Truth,
    best_threshold,
    qualities,
    qualities_by_vote,
    responses_of,
    shares_of_boundaries,
    truths_of,
)
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import DataError
from gammacp.measures.random_sets import Continua, named_continua
from gammacp.measures.settings import Settings
from gammacp.needs import require

WEIGHTS = ("auto", "vote", *AnnotatorModel)
_FITTED = ("iterations", "converged", "log_likelihood")
# What a unit is, is the model's to judge. One more unitary alignment costs as much as n(n − 1)/2
# empty units. So γ's own α = 1 puts a mark to others from afar, the farther the more people there
# are, and a model would take it for seeing a unit that its author missed.
MODELLED = Combined(alpha=3, beta=0.5)


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
        What was asked for; a support or dissimilarity of None was left open.
    failures
        Why documents that are missing have none, each with its name.
    """

    documents: Mapping[str, Consensus]
    alignments: Mapping[str, Alignment]
    belief: Belief
    support: str | float | None = None
    boundaries: str = "majority"
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
        """What a person should look at in all documents, in the order of `to_be_reviewed`."""
        return to_be_reviewed(self.documents)


def consensus_of_each(
    continua: Continua,
    *,
    dissimilarity: Any = None,
    weights: str = "auto",
    support: str | float | None = None,
    boundaries: str = "majority",
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
        Default `Combined()` for votes, `MODELLED` (α = 3, β = ½) with a model: marks far apart are
        different places, and categories keep fewer units apart.
    weights
        `vote`; `dawid-skene`, `one-coin` or `mace`, fitted over all documents (`annotators.fit`);
        `auto` is Dawid & Skene where weights can be told. Where they cannot, the votes decide,
        and `belief.notes` says so.
    support, boundaries, tolerance, annotator
        As for `consensus`; with a model the default support is 1, and medians are weighted.
    method, gap, time_limit, seed
        As for `gammacp.align`.
    executor
        Where documents are aligned.

    Raises
    ------
    DataError
        No document can be aligned.
    UsageError
        A value is outside its range.
    """
    named = named_continua(continua)
    corpus = continua if isinstance(continua, Corpus) else Corpus.from_continua(named)
    weights = one_of("weights", weights, WEIGHTS)
    failures = _failures(corpus)
    sound = [name for name in corpus if name not in failures]
    if not sound:
        raise next(iter(failures.values()), DataError("there is no document"))
    solving: Solving = {"method": method, "gap": gap, "time_limit": time_limit, "seed": seed}

    def align_by_default(default: Combined) -> dict[str, Alignment]:
        bound = bind(default if dissimilarity is None else dissimilarity, corpus)
        found = align_each([corpus[n] for n in sound], bound, executor=executor, **solving)
        return dict(zip(sound, found, strict=True))

    alignments = align_by_default(Combined() if weights == "vote" else MODELLED)
    responses, untold = responses_of(alignments.values()), None
    if weights != "vote" and (untold := responses.overlap.too_little) and dissimilarity is None:
        alignments = align_by_default(Combined())
        responses = responses_of(alignments.values())
        untold = responses.overlap.too_little
    rules: dict[str, Any] = {"support": support, "boundaries": boundaries}
    rules |= {"tolerance": tolerance, "annotator": annotator}
    if weights == "vote" or untold is not None:
        documents = {name: consensus(found, **rules) for name, found in alignments.items()}
        belief = Belief(
            weights="vote",
            notes=() if untold is None else (f"votes decide, because {untold}",),
            annotators=qualities_by_vote(responses, alignments, documents),
        )
    else:
        documents, belief = _weigh(alignments, responses, weights, rules)
    joining = Settings.of(dissimilarity=dissimilarity, **solving)
    for name, found in alignments.items():
        if found.continuum.links:
            documents[name] = add_links(documents[name], found, joining)
    if belief.fit is not None and any(c.links for c in documents.values()):
        belief = replace(belief, notes=(*belief.notes, "links are decided by votes"))
    return CorpusConsensus(
        documents=documents,
        alignments=alignments,
        belief=belief,
        support=support,
        boundaries=boundaries,
        dissimilarity=dissimilarity,
        failures=tuple(failures.values()),
    )


def _weigh(
    alignments: Mapping[str, Alignment], responses: Responses, model: str, rules: Mapping[str, Any]
) -> tuple[dict[str, Consensus], Belief]:
    """The consensus of each document by a model that is fitted to all of them, and its belief."""
    model = "dawid-skene" if model == "auto" else model
    fitted = fit(responses, model, unseen=True)
    unseen = float(fitted.unseen[:-1].sum())
    code = {name: i for i, name in enumerate(responses.annotators)}
    mine = [[code[a] for a in f.continuum.annotators] for f in alignments.values()]

    def truths(shares: Floats) -> Iterator[tuple[Alignment, Truth]]:
        known = fitted.posterior, responses.labels, unseen
        each = truths_of(alignments.values(), *known, [shares[people] for people in mine])
        return zip(alignments.values(), each, strict=True)

    alike = truths(np.ones(len(code)))
    shares = shares_of_boundaries(
        responses.annotators, (gold_units(f, truth=truth, **rules) for f, truth in alike)
    )
    each = (consensus(f, truth=truth, **rules) for f, truth in truths(shares))
    documents = dict(zip(alignments, each, strict=True))
    told = (responses.overlap.caution, _against_heads(str(fitted.model), documents.values()))
    notes = [note for note in told if note is not None]
    if not fitted.converged:
        notes.append(f"the model had not converged after {fitted.iterations} iterations")
    return documents, Belief(
        weights=str(fitted.model),
        notes=tuple(notes),
        threshold=best_threshold(fitted.posterior, unseen),
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
        f"the model {model} leaves out {dropped} of the {len(most)} units that more than half of "
        f"the annotators marked, and keeps {lone} of the {len(alone)} that only one marked; "
        'with the weights "vote", every annotator counts the same'
    )


def _failures(corpus: Corpus) -> dict[str, DataError]:
    """Why documents have no alignment, by their names."""
    found: dict[str, DataError] = {}
    for name, continuum in corpus.items():
        try:
            require(continuum, fragments=True)
        except DataError as error:
            found[name] = error.at(name)
    return found
