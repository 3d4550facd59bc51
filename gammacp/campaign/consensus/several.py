"""The gold standard of several documents, each from its best alignment."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gammacp.alignment import Alignment, Status, align_each
from gammacp.arguments import one_of, whole
from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    to_be_reviewed,
)
from gammacp.campaign.consensus.deciding import WEIGHTS, Belief, decided, untold
from gammacp.campaign.consensus.voters import voters
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import DataError
from gammacp.measures.agreement import Continua, named_continua
from gammacp.needs import require

# Of four planted crowds two were recovered better with rounds, two worse, all by less than a point.
ROUNDS = 0
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
        The best alignments that they come from; with rounds, those of the first.
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
        """The worst of the alignments', those of the last round included."""
        proven = not self.belief.unproven and all(
            a.status is Status.OPTIMAL for a in self.alignments.values()
        )
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
    rounds: int = ROUNDS,
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
    rounds
        With a model: how often at most documents are aligned again with the consensus as one more
        annotator, ≥ 0; it ends when nothing changes, or with a note when it goes round in a cycle.
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
        An argument cannot be meant.
    """
    named = named_continua(continua)
    corpus = continua if isinstance(continua, Corpus) else Corpus.from_continua(named)
    weights, rounds = one_of("weights", weights, WEIGHTS), whole("rounds", rounds, 0)
    failures = _failures(corpus)
    sound = [name for name in corpus if name not in failures]
    if not sound:
        raise next(iter(failures.values()), DataError("there is no document"))
    align = partial(
        align_each, executor=executor, method=method, gap=gap, time_limit=time_limit, seed=seed
    )

    def aligned(default: Combined) -> tuple[Any, dict[str, Alignment]]:
        bound = bind(default if dissimilarity is None else dissimilarity, corpus)
        return bound, dict(zip(sound, align([corpus[n] for n in sound], bound), strict=True))

    bound, alignments = aligned(Combined() if weights == "vote" else MODELLED)
    if weights != "vote" and dissimilarity is None and untold(alignments):
        bound, alignments = aligned(Combined())
    documents, belief = decided(
        alignments,
        weights=weights,
        boundaries=boundaries,
        rules={"support": support, "tolerance": tolerance, "annotator": annotator},
        align=partial(align, dissimilarity=bound),
        rounds=rounds,
    )
    if belief.fit is None:
        belief = replace(belief, annotators=voters(alignments, documents))
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
