"""γ in the order in which documents were annotated: of all, of each annotator beside the others.

A straight line is laid through the documents' relative disorder in their order, the first at 0, the
last at 1 (`part_tests.change_in_order`). Of an annotator that is the disorder of the pairs with
this annotator minus ρ times that of the other pairs of the document, ρ how many times as large it
is over all documents, corrected for who is there: what becomes harder for everybody, or what
everybody learns, by the same factor, is not taken for somebody's own, nor is a careless annotator
who joins late. It takes three annotators of a document. Documents of disorder z weigh 1 / (z̄ + z),
lest a few hard ones decide; what their mean disorder leaves open is in the interval.
What levels and power are is in docs/sampling.md (`experiments/samples_hold.py`).
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
class Change:
    """Change of γ from the first document to the last, along a straight line.

    Attributes
    ----------
    annotator
        Annotator whose γ with the others is meant, beyond what that of the others lets expect; ""
        for γ of all.
    documents
        Number of documents that the line is laid through.
    change
        Change of γ; NaN where there are too few documents.
    interval
        95 %, over documents.
    p, p_holm
        p of no change, two-sided; and after Holm's correction for all annotators.
    """

    annotator: str
    documents: int
    change: float = math.nan
    interval: tuple[float, float] | None = None
    p: float = math.nan
    p_holm: float = math.nan

    def in_words(self) -> str:
        """Return a sentence that it changes, where that is shown; empty where it is not."""
        if not self.p_holm <= _LEVEL:
            return ""
        low, high = self.interval or (math.nan, math.nan)
        if self.change > 0:
            how = "rises"
        else:
            how = "falls"
        if self.annotator:
            how = f"of {visible(self.annotator)} with the others {how}, more than the others' own,"
        return (
            f"γ {how} by {abs(self.change):.2f} from the first document to the last "
            f"({low:+.2f} to {high:+.2f}; p = {self.p_holm:.2g}{', Holm' * bool(self.annotator)})."
        )


@dataclass(frozen=True, kw_only=True)
class OverTime:
    """γ of all over time (`all`), and of each annotator beside the others (`annotators`)."""

    all: Change
    annotators: tuple[Change, ...]

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
        # Beside somebody who changes all others change, too: of these nothing is said.
        surest = sorted(self.annotators, key=lambda c: c.p if math.isfinite(c.p) else 1.0)[:1]
        said = [words for c in (self.all, *surest) if (words := c.in_words())]
        if self.annotators:
            none = ", neither for all annotators together nor for any one against the others"
        else:
            none = (
                " for all annotators together; single annotators are tested only where "
                "documents have three or more"
            )
        return said or [f"No change of γ over time is shown{none}."]


def over_time(overall: Agreement, *, in_order: bool) -> OverTime | None:
    """Return the changes, in the order in which the documents come.

    Parameters
    ----------
    overall
        γ of everybody.
    in_order
        Whether its documents are in the order in which they were annotated; without one there is
        no time.
    """
    if not in_order:
        return None
    names = dict.fromkeys(
        name for s in overall.rated.values() for name in s.alignment.continuum.annotators
    )
    clusters = [overall.clusters.get(d) or f"\0{d}" for d in overall.rated]
    return changes([*names], overall.pair_sums, np.unique(clusters, return_inverse=True)[1])


def changes(names: Sequence[str], sums: PairSums, clusters: Indices) -> OverTime:
    """Return the changes from what pairs cost.

    Parameters
    ----------
    names
        Names of the annotators, by their numbers.
    sums
        Sums of documents that are numbered in their order.
    clusters
        The cluster of each document, numbers from 0.
    """
    n = len(clusters)
    whole = np.array([np.bincount(sums.document, x, n) for x in (sums.observed, sums.expected)])
    shapes = _others_to_own(sums, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        disorder = whole[0] / whole[1]
        mean = whole[0].sum() / whole[1].sum()
    everybody = _change("", disorder, whole[1], whole[1] > 0, clusters)
    found = []
    for k, name in enumerate(names):
        mine = sums.annotator == k
        at = sums.document[mine]
        own = np.zeros((2, n))
        # A row holds half of what the annotator's pairs cost, the other annotators the other half.
        own[:, at] = 2 * sums.observed[mine], 2 * sums.expected[mine]
        rest = whole - own
        there = (own[1] > 0) & (rest[1] > 1e-9 * whole[1])
        if not there.any():
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            z = own[0] / own[1]
            others = rest[0] / rest[1]
            weight = own[1] * rest[1] / whole[1]
            others[at] *= shapes[mine]
            even = weight * mean / (mean + disorder)
            times = (even * z)[there].sum() / (even * others)[there].sum()
            beyond = z - times * others
        if not (whole[0] * there).any():
            found.append(Change(annotator=name, documents=int(there.sum())))
            continue
        typical = _mean(disorder[there], weight[there]) / _mean(disorder[there], even[there])
        parts = ((weight * disorder)[there], weight[there])
        spread = independent_parts(*(cluster_sums(x, clusters[there]) for x in parts))
        unsure = math.sqrt(spread.variance) / float(spread.ratio)
        found.append(_change(name, typical * beyond, even, there, clusters, unsure))
    return OverTime(all=replace(everybody, p_holm=everybody.p), annotators=with_holm(found))


def _mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def _others_to_own(sums: PairSums, n: int) -> Floats:
    """Return the ratio of all other pairs to the pairs of each row's annotator, by who is there.

    A pair is taken for the mean of what its two annotators add, which each does all the time; in a
    document of k that add S together, those of one who adds r are (r·(k − 2) + S)/2(S − r) times
    as large as the others. Where everybody annotates everything that is the same in each document.
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
    name: str, disorder: Floats, weight: Floats, there: Bools, clusters: Indices, unsure: float = 0
) -> Change:
    """Return the change of γ (1 minus the disorder); `unsure` is a relative error of its scale."""
    told = Change(annotator=name, documents=int(there.sum()))
    if len(np.unique(clusters[there])) < FEWEST_PARTS:
        return told
    places = np.flatnonzero(there) / (len(there) - 1)
    found = change_in_order(-disorder[there], weight[there], places, clusters[there])
    if not float(found.error) > 0:
        return told
    value = float(found.value)
    t = float(found.half_width() / found.error)
    low, high = (_end_of_product(value, float(end), t * unsure) for end in found.interval())
    return replace(told, change=value, interval=(low, high), p=float(found.p))


def _end_of_product(value: float, end: float, unsure: float) -> float:
    """Return an end of the interval of a product whose other factor is above 0: no end passes 0."""
    if value * end <= 0 or not unsure:
        return end
    leg = math.log(end / value)
    return value * math.exp(math.copysign(math.hypot(leg, unsure), leg))
