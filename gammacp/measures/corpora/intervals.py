"""Intervals of the value of a corpus: over documents, annotators, and both."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gammacp.inference.counted import Pooled, interval_of_counts
from gammacp.inference.pair_costs import pair_sums_of
from gammacp.inference.part_tests import FEWEST_PARTS
from gammacp.inference.populations import (
    PairSums,
    PopulationIntervals,
    intervals_over,
)
from gammacp.measures.corpora.measured_documents import MeasuredDocuments
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.counting import Numbers, Rates
from gammacp.measures.pooling import PooledRates, with_common_labels

_MOST_PAIRS = 45
_FEW = f"fewer than {FEWEST_PARTS} documents with units tell no interval"
_HELD = "one document has nearly all that is compared, so that the others tell no interval"


def with_intervals(
    score: CorpusScore,
    part: MeasuredDocuments,
    pooled: PooledRates,
    formula: Callable[[Numbers], Rates],
) -> CorpusScore:
    """Return the score with its intervals over documents, annotators and both.

    Parameters
    ----------
    score
        The score without intervals.
    part, pooled
        The documents, and the rates of their sums.
    formula
        Function from numbers to rates.
    """
    rates = pooled.rates
    marked = pooled.sizes > 0
    if part.measure.per_category:
        return score
    if np.count_nonzero(marked) < FEWEST_PARTS:
        return replace(score, notes=(*score.notes, _FEW))
    interval = interval_of_counts(_pooled(part, pooled, marked))
    if interval is None:
        return replace(score, notes=(*score.notes, _HELD))
    return replace(score, interval=interval, over=_over(part, rates, interval, formula))


def _pooled(part: MeasuredDocuments, pooled: PooledRates, marked: np.ndarray[Any, Any]) -> Pooled:
    rates = pooled.rates
    weights = np.array([part.documents[n].weight for n in part.counts])
    if rates.expected is None:
        expected = 1.0
    else:
        expected = float(rates.expected)
    most = rates.most or 1.0
    sizes = pooled.sizes[marked]
    # With documents of unequal weight, the sample is worth fewer units.
    units = sizes.sum() ** 2 / (sizes * weights[marked]).sum()
    return Pooled(
        value=float(rates.value),
        without=pooled.without[marked],
        sizes=sizes,
        disagreement=float(rates.disagreement) / most,
        expected=expected / most,
        units=float(units),
        error=float(getattr(part.joint_score, "chance_error", 0.0)),
        exact=part.counting.together is None or _few_disagree(part),
        least=part.measure.least,
    )


def _few_disagree(part: MeasuredDocuments) -> bool:
    """Return whether too few documents have a disagreement to estimate how others would differ."""
    costs = [float(c.numbers["observed"].sum()) for c in part.counts.values()]
    return bool(np.count_nonzero(costs) < FEWEST_PARTS)


def _sums_of_alignments(part: MeasuredDocuments) -> PairSums | None:
    """Return the terms of pairs of annotators in γ, from all alignments; None without γ."""
    scores = getattr(part.joint_score, "scores", None)
    if scores is None:
        return None
    # Only γ needs it.
    from gammacp.measures.gamma_corpus import ScoreTable

    if not isinstance(scores, ScoreTable):
        return None
    rated = scores.with_gamma
    return pair_sums_of(rated.aligned_to, [part.documents[name].weight for name in rated])


def _over(
    part: MeasuredDocuments,
    rates: Rates,
    interval: tuple[float, float],
    formula: Callable[[Numbers], Rates],
) -> PopulationIntervals:
    """Return the interval over documents, and those over annotators and both from the pairs."""
    plain = PopulationIntervals(documents=interval, n_documents=len(part.counts))
    if part.reference is not None:
        return replace(plain, reason="a reference is not one of many such annotators")
    of_alignments = _sums_of_alignments(part)
    if of_alignments is not None and rates.value < 1:
        return intervals_over(of_alignments, interval, error=part.joint_score.chance_error)
    own_sets = "samples" in part.measure.options
    if own_sets and not all(c.of_pairs for c in part.counts.values()):
        return replace(plain, reason="its random sets are not drawn for each pair of annotators")
    if len(part.pairs_of_people()) > _MOST_PAIRS:
        return replace(plain, reason=f"more than {_MOST_PAIRS} pairs are not measured by pair")
    if rates.value >= 1:
        return replace(plain, reason="there is no disagreement")
    labels = next(iter(part.counts.values())).labels
    rows = [(k, part.pairs[n]) for k, n in enumerate(part.counts) if n in part.pairs]
    alike = with_common_labels([c for _, c in rows], labels)
    if rates.expected is None:
        expected = 1.0
    else:
        expected = float(rates.expected)
    names = dict.fromkeys(a for c in alike for pair in c.parties for a in pair)
    people = {name: i for i, name in enumerate(names)}
    columns: list[tuple[int, tuple[int, int], float, float]] = []
    for (k, _), counts in zip(rows, alike, strict=True):
        pair_rates = formula(counts.numbers)
        weight = float(counts.weight * part.documents[[*part.counts][k]].weight)
        weight /= len(counts.parties)
        for pair, disagreement, size in zip(
            counts.parties, pair_rates.disagreement, pair_rates.size, strict=True
        ):
            if size > 0 and not math.isnan(disagreement):
                cell = weight * float(size)
                who = (people[pair[0]], people[pair[1]])
                columns.append((k, who, cell * float(disagreement), cell * expected))
    if not columns:
        return plain
    documents, pairs, observed, chance = zip(*columns, strict=True)
    # The sum over pairs may differ from the value of the corpus; only the spread of pairs is used.
    scale = (1 - float(rates.value)) / (math.fsum(observed) / math.fsum(chance) or 1.0)
    sums = PairSums.of_pairs(documents, pairs, [scale * x for x in observed], chance)
    return intervals_over(sums, interval)
