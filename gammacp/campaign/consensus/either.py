"""The consensus of an alignment, a continuum or a corpus, whichever is there."""

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
    """Make the gold standard that best alignments suggest.

    Parameters
    ----------
    continua
        A continuum, a corpus or several continua by name: they are aligned, and the votes are
        weighed as `gammacp consensus` weighs them. Or an alignment that `gammacp.align` returned:
        its votes count alike.
    dissimilarity
        Default `Combined()` for votes; with a model α = 3, β = ½.
    weights
        `vote`, `dawid-skene`, `one-coin` or `mace`; `auto` is Dawid & Skene where the data suffice,
        and votes elsewhere, as `belief.notes` says.
    support
        Least number or share of annotators; default: more than half, and 1 where a model weighs
        the annotators.
    boundaries
        `majority`, `median` or `mean` of the starts and of the ends.
    tolerance
        Largest distance of boundaries, as a share of the mean length of the units, before they are
        a reason to look at a unit; ≥ 0.
    annotator
        Name under which the gold standard is written.
    method, gap, time_limit, seed, executor
        As for `gammacp.align`; the executor aligns the documents. Like the dissimilarity and the
        weights, they are refused for an alignment, which has been made already.

    Returns
    -------
    Consensus | CorpusConsensus
        Of an alignment a `Consensus`, with `units`, `continuum` and `review`. Of continua a
        `CorpusConsensus`, with the consensus of each in `documents`, `gold` to be written, and
        `review` over all documents.

    Raises
    ------
    DataError
        No document can be aligned.
    UsageError
        A value is outside its range, or an option is not one of an alignment.
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
