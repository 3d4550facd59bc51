"""Make the consensus of an alignment, of a continuum or of a corpus."""

from collections.abc import Mapping
from concurrent.futures import Executor
from inspect import signature
from typing import Any, overload

from gammacp.alignment import Alignment
from gammacp.base.arguments import instance
from gammacp.campaign.consensus.consensus import Consensus
from gammacp.campaign.consensus.consensus import consensus as consensus_of_alignment
from gammacp.campaign.consensus.several import CorpusConsensus, consensus_of_each
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.measures.random_sets import Continua

_NEEDED = (
    "an Alignment, a Continuum, a Corpus or continua by name (read makes a continuum of a file, "
    "align an alignment)"
)


@overload
def consensus(
    continua: Alignment,
    *,
    support: str | float | None = None,
    boundaries: str = "majority",
    tolerance: float = 0.25,
    annotator: str = "consensus",
) -> Consensus: ...


@overload
def consensus(
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
) -> CorpusConsensus: ...


def consensus(
    continua: Continua | Alignment,
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
) -> Consensus | CorpusConsensus:
    """Make a gold standard from best alignments.

    Parameters
    ----------
    continua
        A continuum, a corpus or several continua by name, which are aligned and whose annotators
        are weighed as by `gammacp consensus`. Or an alignment that `gammacp.align` returned, in
        which the votes of all annotators have equal weights.
    dissimilarity
        Dissimilarity for the alignments; default: `Combined()` for votes, and `Combined` with α = 3
        and β = ½ for a model of the annotators.
    weights
        `vote`, `dawid-skene`, `one-coin` or `mace`. With `auto`, the model of Dawid & Skene is used
        if the data suffice, otherwise votes; `belief.notes` then gives the reason.
    support
        Least number or share of annotators who must have marked a unit. Default: more than half, or
        one if a model weighs the annotators.
    boundaries
        `majority`, `median` or `mean` of the starts and of the ends.
    tolerance
        Largest distance between boundaries, as a share of the mean length of the units, that is not
        yet a reason to review a unit; ≥ 0.
    annotator
        Name of the annotator of the gold standard.
    method, gap, time_limit, seed, executor
        As for `gammacp.align`; the executor aligns the documents. For an alignment, which has been
        computed already, these options, the dissimilarity and the weights are refused.

    Returns
    -------
    Consensus | CorpusConsensus
        For an alignment, a `Consensus` with `units`, `continuum` and `review`. For continua, a
        `CorpusConsensus` with the consensus of each document in `documents`, the gold standards in
        `gold`, and the units of all documents to review in `review`.

    Raises
    ------
    DataError
        No document can be aligned.
    UsageError
        A value is outside its range, or an option does not apply to an alignment.
    """
    rules: dict[str, Any] = {
        "support": support,
        "boundaries": boundaries,
        "tolerance": tolerance,
        "annotator": annotator,
    }
    before: dict[str, Any] = {
        "dissimilarity": dissimilarity,
        "weights": weights,
        "method": method,
        "gap": gap,
        "time_limit": time_limit,
        "seed": seed,
        "executor": executor,
    }
    if isinstance(continua, Alignment):
        defaults = signature(consensus_of_each).parameters
        for name, value in before.items():
            if value != defaults[name].default:
                raise UsageError(f"`{name}=` is for continua, but this is an alignment already")
        return consensus_of_alignment(continua, **rules)
    instance("continua", continua, (Continuum, Mapping), _NEEDED)
    return consensus_of_each(continua, **before, **rules)
