"""Test whether γ changes over time, for all annotators together and for each one.

A regression line is fitted to the relative disorder of the documents in the order of annotation,
where the first document is at 0 and the last at 1 (`part_tests.change_in_order`).

For a single annotator, the line is fitted to the disorder of the pairs with this annotator minus ρ
times the disorder of the document's other pairs. ρ is the ratio of the two over all documents, and
the other pairs are corrected for which annotators are present. In this way an annotator's change is
not confused with documents that become harder for everybody, with learning by everybody at the same
rate, or with a careless annotator who joins late. This requires three annotators per document. A
document of disorder z has the weight 1 / (z̄ + z), so that a few hard documents do not dominate. The
uncertainty of the mean disorder is included in the interval.

The measured levels and power are in docs/sampling.md (`experiments/samples_hold.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.text import visible
from gammacp.inference.part_tests import (
    FEWEST_PARTS,
    change_in_order,
    cluster_sums,
    independent_parts,
    with_holm,
)
from gammacp.inference.populations import PairSums
from gammacp.measures.agreement import Agreement

_LEVEL = 0.05
_ROUNDS = 30


@dataclass(frozen=True, kw_only=True)
class ChangeOverTime:
    """Change of γ from the first document to the last, along a regression line.

    Attributes
    ----------
    annotator
        Annotator whose γ with the others changes, beyond the change of the others' γ; "" for γ of
        all annotators.
    documents
        Number of documents to which the line is fitted.
    change
        Change of γ; NaN if there are too few documents.
    interval
        95 % confidence interval over documents.
    p, p_holm
        Two-sided p-value of no change, before and after Holm's correction for all annotators.
    """

    annotator: str
    documents: int
    change: float = math.nan
    interval: tuple[float, float] | None = None
    p: float = math.nan
    p_holm: float = math.nan

    def in_words(self) -> str:
        """Return a sentence on the change if it is significant, otherwise ""."""
        if not self.p_holm <= _LEVEL:
            return ""
        low, high = self.interval or (math.nan, math.nan)
        if self.change > 0:
            direction = "rises"
        else:
            direction = "falls"
        if self.annotator:
            name = visible(self.annotator)
            direction = f"of {name} with the others {direction}, more than the others' own,"
        return (
            f"γ {direction} by {abs(self.change):.2f} from the first document to the last "
            f"({low:+.2f} to {high:+.2f}; p = {self.p_holm:.2g}{', Holm' * bool(self.annotator)})."
        )


@dataclass(frozen=True, kw_only=True)
class OverTime:
    """Changes of γ over time: of all annotators (`all`), and of each one (`annotators`)."""

    all: ChangeOverTime
    annotators: tuple[ChangeOverTime, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the two as JSON has them."""
        return {"all": asdict(self.all), "annotators": [asdict(c) for c in self.annotators]}

    def in_words(self) -> list[str]:
        """Return a sentence on what changes, or that no change is shown."""
        if not any(math.isfinite(c.p) for c in (self.all, *self.annotators)):
            if self.all.documents < FEWEST_PARTS:
                return [f"No change over time can be tested: it takes {FEWEST_PARTS} documents."]
            takes = f"it takes {FEWEST_PARTS} documents or clusters of them, not all of the same γ"
            return [f"No change over time can be tested: {takes}."]
        # If one annotator changes, the others seem to change relative to this one. Therefore only
        # the annotator with the smallest p is mentioned.
        surest = sorted(self.annotators, key=lambda c: c.p if math.isfinite(c.p) else 1.0)[:1]
        sentences = [words for c in (self.all, *surest) if (words := c.in_words())]
        if self.annotators:
            none = ", neither for all annotators together nor for any one against the others"
        else:
            none = (
                " for all annotators together; single annotators are tested only where "
                "documents have three or more"
            )
        return sentences or [f"No change of γ over time is shown{none}."]


def over_time(overall: Agreement, *, in_order: bool) -> OverTime | None:
    """Test for changes of γ in the order of the documents.

    Parameters
    ----------
    overall
        γ of everybody.
    in_order
        Whether the documents are in the order in which they were annotated. If not, the result is
        None.
    """
    if not in_order:
        return None
    names = dict.fromkeys(
        name for s in overall.rated.values() for name in s.alignment.continuum.annotators
    )
    clusters = [overall.clusters.get(d) or f"\0{d}" for d in overall.rated]
    return changes([*names], overall.pair_sums, np.unique(clusters, return_inverse=True)[1])


def changes(names: Sequence[str], sums: PairSums, clusters: Indices) -> OverTime:
    """Test for changes of γ, given the costs of pairs.

    Parameters
    ----------
    names
        Names of the annotators, by their numbers.
    sums
        Sums of the documents, which are numbered in the order of annotation.
    clusters
        Number of each document's cluster, from 0.
    """
    n = len(clusters)
    whole = np.array([np.bincount(sums.document, x, n) for x in (sums.observed, sums.expected)])
    shapes = _others_to_own(sums, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        disorder = whole[0] / whole[1]
        mean = whole[0].sum() / whole[1].sum()
    everybody = _change("", disorder, whole[1], whole[1] > 0, clusters)
    tested = []
    for k, name in enumerate(names):
        is_theirs = sums.annotator == k
        at = sums.document[is_theirs]
        own_costs = np.zeros((2, n))
        # A row has half of the cost of the annotator's pairs; the other half is in the rows of the
        # other annotators.
        own_costs[:, at] = 2 * sums.observed[is_theirs], 2 * sums.expected[is_theirs]
        rest = whole - own_costs
        is_present = (own_costs[1] > 0) & (rest[1] > 1e-9 * whole[1])
        if not is_present.any():
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            z = own_costs[0] / own_costs[1]
            others = rest[0] / rest[1]
            weight = own_costs[1] * rest[1] / whole[1]
            others[at] *= shapes[is_theirs]
            even = weight * mean / (mean + disorder)
            times = (even * z)[is_present].sum() / (even * others)[is_present].sum()
            beyond = z - times * others
        if not (whole[0] * is_present).any():
            tested.append(ChangeOverTime(annotator=name, documents=int(is_present.sum())))
            continue
        typical = _mean(disorder[is_present], weight[is_present]) / _mean(
            disorder[is_present], even[is_present]
        )
        parts = ((weight * disorder)[is_present], weight[is_present])
        spread = independent_parts(*(cluster_sums(x, clusters[is_present]) for x in parts))
        unsure = math.sqrt(spread.variance) / float(spread.ratio)
        tested.append(_change(name, typical * beyond, even, is_present, clusters, unsure))
    return OverTime(all=replace(everybody, p_holm=everybody.p), annotators=with_holm(tested))


def _mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def _others_to_own(sums: PairSums, n: int) -> Floats:
    """Return the factor for the other pairs of each row's document that makes them comparable.

    The factor is the ratio of the disorder of the row's annotator's pairs to that of the other
    pairs, as expected from the annotators who are present. The model assumes that each annotator
    contributes a constant amount of disorder, and that a pair has the mean of its annotators'
    amounts. In a document of k annotators whose amounts sum to S, the factor for an annotator with
    the amount r is (r·(k − 2) + S)/2(S − r). If everybody annotates everything, it is the same in
    each document.
    """
    where = sums.document
    who = sums.annotator
    k = np.bincount(where, minlength=n)[where]
    total = np.bincount(where, sums.observed, n)[where]
    adds = np.ones(int(who.max()) + 1)
    beyond = np.bincount(who, 2 * (k - 1) * sums.observed - total)
    for _ in range(_ROUNDS):
        together = np.maximum(np.bincount(where, adds[who], n)[where], 1e-9)
        base = np.bincount(who, (k - 2) * total / together)
        adds = np.divide(np.maximum(beyond, 0), base, out=np.ones(len(adds)), where=base > 0)
        adds /= adds.mean()
    together = np.bincount(where, adds[who], n)[where]
    rest = together - adds[who]
    above = ((k - 2) * adds[who] + together) / 2
    return np.divide(above, rest, out=np.ones(len(k)), where=rest > 1e-3 * together)


def _change(
    name: str,
    disorder: Floats,
    weight: Floats,
    is_present: Bools,
    clusters: Indices,
    unsure: float = 0,
) -> ChangeOverTime:
    """Return the change of γ; `unsure` is the relative error of the scale of the disorder."""
    change = ChangeOverTime(annotator=name, documents=int(is_present.sum()))
    if len(np.unique(clusters[is_present])) < FEWEST_PARTS:
        return change
    places = np.flatnonzero(is_present) / (len(is_present) - 1)
    trend = change_in_order(-disorder[is_present], weight[is_present], places, clusters[is_present])
    if not float(trend.error) > 0:
        return change
    value = float(trend.value)
    t = float(trend.half_width() / trend.error)
    low, high = (_end_of_product(value, float(end), t * unsure) for end in trend.interval())
    return replace(change, change=value, interval=(low, high), p=float(trend.p))


def _end_of_product(value: float, end: float, unsure: float) -> float:
    """Return an end of the interval of `value` times an uncertain positive factor.

    Because the factor is positive, the uncertainty never moves an end across 0.
    """
    if value * end <= 0 or not unsure:
        return end
    leg = math.log(end / value)
    return value * math.exp(math.copysign(math.hypot(leg, unsure), leg))
