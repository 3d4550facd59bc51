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
    """Make a gold standard: a `Consensus` of an alignment, or a `CorpusConsensus` of continua.

    Its units are in `units` and `continuum`, those of several documents in `documents` and `gold`.
    Units that need a review are in `review`.

    Parameters
    ----------
    continua
        A continuum, a corpus or several continua by name, which are aligned, and whose annotators
        are weighed by `weights`. Or an alignment, in which the votes of all annotators count alike.
    dissimilarity
        Default: `Combined()` for votes, and with α = 3 and β = ½ for a model of the annotators.
    weights
        `vote`, `dawid-skene`, `one-coin` or `mace`. With `auto`, the model of Dawid & Skene is used
        if the data suffice, otherwise votes; `belief.notes` then gives the reason.
    support
        Least number or share of annotators who must have marked a unit; default: more than half, or
        one with a model.
    boundaries
        `majority`, `median` or `mean` of the starts and of the ends.
    tolerance
        Largest distance of boundaries without review, as a share of the units' mean length; ≥ 0.
    annotator
        Name of the annotator of the gold standard.
    method, gap, time_limit, seed, executor
        As for `gammacp.align`; the executor aligns the documents. These options, the dissimilarity
        and the weights do not apply to an alignment.

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
        _refuse_options_of_continua(before)
        return consensus_of_alignment(continua, **rules)
    instance("continua", continua, (Continuum, Mapping), _NEEDED)
    return consensus_of_each(continua, **before, **rules)


def _refuse_options_of_continua(options: Mapping[str, Any]) -> None:
    """Raise UsageError if an option of `consensus_of_each` differs from its default."""
    defaults = signature(consensus_of_each).parameters
    for name, value in options.items():
        if value != defaults[name].default:
            raise UsageError(f"`{name}=` is for continua, but this is an alignment already")
