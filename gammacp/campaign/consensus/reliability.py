"""Estimate the reliability of the consensus itself, rather than that of a single annotator.

The k-rater reliability (Wong & Paritosh 2022) asks whether another crowd of the same size would
have produced the same gold standard. To estimate it, the annotators of each document are split at
random into two halves, a consensus is made from each half, and γ compares the two. For means of
ratings, the Spearman–Brown formula extrapolates from half to whole crowds. No such formula holds
for γ, so the result is about halves, and nothing is extrapolated.
"""

import math
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Bools, Indices
from gammacp.campaign.annotators.models import posterior_of, unseen_by
from gammacp.campaign.consensus.consensus import gold_of
from gammacp.campaign.consensus.deciding import ConsensusRules, Truth, decide
from gammacp.campaign.consensus.several import CorpusConsensus
from gammacp.campaign.consensus.votes import needed_support
from gammacp.campaign.consensus.weighing import best_threshold
from gammacp.chance.beyond import ratio
from gammacp.continuum import Corpus, Unit
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError
from gammacp.measures.agreement import agreement

# Default number of splits, which is reduced until all splits together have at most `GROUPS` unitary
# alignments.
SPLITS = 20
GROUPS = 10_000
_HALVES = ("half 1", "half 2")


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """γ between the consensuses of two halves of the annotators.

    Attributes
    ----------
    value
        γ over all splits: 1 − Σ observed / Σ expected disorder.
    sd
        Standard deviation of γ between splits.
    splits
        Number of splits.
    documents
        Mean number of documents with a γ in a split: those in which a half kept a unit.
    left_out
        Number of documents that have fewer than four annotators.
    people
        Smallest and largest number of annotators in a half.
    """

    value: float
    sd: float
    splits: int
    documents: float
    left_out: int
    people: tuple[int, int]

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        rest = {name: value for name, value in vars(self).items() if name != "value"}
        return {"gamma": self.value, **rest, "people": list(self.people), "extrapolated": None}

    def in_words(self) -> str:
        """Return the reliability in sentences."""
        low, high = self.people
        if low == high:
            size = f"{low}"
        else:
            size = f"{low} to {high}"
        if self.left_out:
            few = f"; {self.left_out} with fewer than four left out"
        else:
            few = ""
        return (
            f"Reliability of the consensus: two consensuses of {size} annotators each agree "
            f"with γ = {self.value:.3f} in {self.documents:.4g} documents (standard deviation "
            f"{self.sd:.3f} over {self.splits} splits of the same people{few}). The consensus of "
            "all rests on more people and may be more reliable; no formula says by how much."
        )


def reliability(
    found: CorpusConsensus,
    *,
    splits: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
) -> Reliability:
    """Return γ between the consensuses of random halves of the annotators of each document.

    The halves use the alignment of all annotators, the same rules (with the same share of support)
    and, with a model, the confusion matrices that were fitted to all annotators. They are therefore
    a little less independent than two crowds.

    Parameters
    ----------
    found
        Result of `consensus_of_each`.
    splits
        Number of splits; default: 20, or fewer for large corpora, but at least 2.
    seed, executor
        Seed of the splits and of the random sets, and the pool of processes that align these. Two
        random sets for each split are enough, because the expected disorder is summed over splits.

    Raises
    ------
    DataError
        No document has two annotators in each half, or no split has a γ.
    """
    cells = found.cells
    people = cells.continua.n_annotators
    parts = np.flatnonzero(people >= 4)
    if not len(parts):
        raise DataError(
            "no document has four annotators, two for each half",
            hint="Have more people annotate some documents",
        )
    if splits is None:
        count = _default_splits(int(cells.sizes[parts].sum()))
    else:
        count = whole("splits", splits, 1)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0x4A1F,)))
    sums = np.zeros(2)
    values = []
    sizes = []
    for split in range(count):
        corpus = _split(found, parts, rng)
        score = agreement(
            corpus,
            dissimilarity=found.dissimilarity or Combined(),
            samples=2,
            seed=seed + split,
            executor=executor,
        )
        if score.computed:
            contributions = score.contributions()
            sums += contributions.observed.sum(), contributions.expected.sum()
            values.append(contributions.gamma)
            sizes.append(len(score.computed))
    if not values:
        raise DataError("no split of the annotators has a γ")
    halves = people[parts] // 2
    return Reliability(
        value=ratio(float(sums[0]), float(sums[1]), "")[0],
        sd=float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
        splits=len(values),
        documents=float(np.mean(sizes)),
        left_out=len(people) - len(parts),
        people=(int(halves.min()), int(halves.max())),
    )


def _default_splits(groups: int) -> int:
    """Return the number of splits for documents with this number of groups."""
    return max(2, min(SPLITS, GROUPS // max(groups, 1)))


def _split(consensus: CorpusConsensus, parts: Indices, rng: np.random.Generator) -> Corpus:
    """Return documents with two annotators each, which are the consensuses of the two halves."""
    continua = consensus.cells.continua
    masks = np.zeros((2, int(continua.people_edges[-1])), np.bool_)
    for k in parts.tolist():
        first, end = continua.people_edges[k : k + 2].tolist()
        shuffled_people = first + rng.permutation(end - first)
        half = (end - first) // 2
        masks[0, shuffled_people[:half]] = masks[1, shuffled_people[half : 2 * half]] = True
    halves = [
        _half(consensus, parts, mask, name) for mask, name in zip(masks, _HALVES, strict=True)
    ]
    names = [*consensus.documents]
    return Corpus.from_continua(
        {
            names[k]: gold_of(continua[k], [*one, *other], _HALVES)
            for k, one, other in zip(parts.tolist(), *halves, strict=True)
        }
    )


def _half(consensus: CorpusConsensus, parts: Indices, people: Bools, name: str) -> list[list[Unit]]:
    """Make the gold standard of some annotators of each document, as that of all was made."""
    every = consensus.cells
    fit = consensus.belief.fit
    truth = None
    if fit is not None:
        responses = every.responses(every.select(people))
        r, kind, times = responses.distinct
        posterior, _ = posterior_of(r, fit.confusion, fit.prevalence, fit.closeness)
        missed = 0.0
        if fit.unseen.any():
            missed = float(unseen_by(responses, fit.confusion, fit.prevalence)[:-1].sum())
        threshold = best_threshold(posterior, missed, times)
        truth = Truth(posterior, kind, threshold, np.ones(len(r.annotators)))
    rules = ConsensusRules.of(None, consensus.boundaries, 0.0, name)
    n = every.continua.n_annotators
    support = {k: _support(consensus, k) for k in dict.fromkeys(n.tolist())}
    needed = np.array([support[k] for k in n.tolist()])
    units: list[list[Unit]] = []
    is_chosen = np.zeros(len(n), np.bool_)
    is_chosen[parts] = True
    for cells in every.select(people):
        documents = slice(cells.first, cells.first + len(cells.continua))
        if truth is None:
            truth_of_cells = None
        else:
            truth_of_cells = truth.of(cells)
        bound = every.aligned.dissimilarity
        decided = decide(cells, every.labels, rules, bound, truth_of_cells, needed[documents])
        units += map(decided.gold, np.flatnonzero(is_chosen[documents]).tolist())
    return units


def _support(consensus: CorpusConsensus, people: int) -> int:
    """Return the support needed among half of so many `people`: the same share as among all."""
    half = people // 2
    if consensus.support is None:
        if consensus.belief.fit:
            return 1
        return half // 2 + 1
    return max(1, math.ceil(needed_support(consensus.support, people) * half / people))
