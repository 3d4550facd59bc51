"""The gold standard of several documents, each from its best alignment."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Unpack

from gammacp.alignment import Alignment, Solving, Status, align_each
from gammacp.arguments import one_of
from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus,
    to_be_reviewed,
)
from gammacp.campaign.consensus.deciding import WEIGHTS, Belief, weighed
from gammacp.campaign.consensus.voters import voters
from gammacp.campaign.consensus.weighing import responses_of
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import DataError
from gammacp.measures.agreement import Continua, named_continua
from gammacp.needs import require

# What a unit is, is the model's to judge. One more unitary alignment costs as much as n(n − 1)/2
# empty units. So γ's own α = 1 puts a mark to others from afar, the farther the more people there
# are, and a model would take it for seeing a unit that its author missed.
MODELLED = Combined(alpha=3, beta=0.5)


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
    executor: Executor | None = None,
    **solving: Unpack[Solving],
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
    executor
        Where documents are aligned.
    solving
        `method`, `gap`, `time_limit`, `seed` as for `gammacp.align`.

    Raises
    ------
    DataError
        No document can be aligned.
    UsageError
        An argument cannot be meant.
    """
    named = named_continua(continua)
    corpus = continua if isinstance(continua, Corpus) else Corpus.from_continua(named)
    weights = one_of("weights", weights, WEIGHTS)
    failures = _failures(corpus)
    sound = [name for name in corpus if name not in failures]
    if not sound:
        raise next(iter(failures.values()), DataError("there is no document"))

    def aligned(default: Combined) -> dict[str, Alignment]:
        bound = bind(default if dissimilarity is None else dissimilarity, corpus)
        found = align_each([corpus[n] for n in sound], bound, executor=executor, **solving)
        return dict(zip(sound, found, strict=True))

    alignments = aligned(Combined() if weights == "vote" else MODELLED)
    responses, untold = responses_of(alignments.values()), None
    if weights != "vote" and (untold := responses.overlap.too_little) and dissimilarity is None:
        alignments = aligned(Combined())
        responses = responses_of(alignments.values())
        untold = responses.overlap.too_little
    rules: dict[str, Any] = {"support": support, "boundaries": boundaries}
    rules |= {"tolerance": tolerance, "annotator": annotator}
    if weights == "vote" or untold is not None:
        documents = {name: consensus(found, **rules) for name, found in alignments.items()}
        belief = Belief(
            weights="vote",
            notes=() if untold is None else (f"{untold}: votes decide",),
            annotators=voters(responses, alignments, documents),
        )
    else:
        documents, belief = weighed(alignments, responses, weights, rules)
    return CorpusConsensus(
        documents=documents,
        alignments=alignments,
        belief=belief,
        support=support,
        boundaries=boundaries,
        dissimilarity=dissimilarity,
        failures=tuple(failures.values()),
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
