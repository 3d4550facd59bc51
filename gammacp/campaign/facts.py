"""State facts about the compared documents: who differs, from whom, on what, and by how much.

Facts are counts and values of these documents, so they need no test. Whether the findings hold for
other documents is the subject of `gammacp.campaign.standing_out`. The rule of `bearers` can name
somebody although all annotators err equally often; docs/verdict.md says how often that happens
(`benchmarks/bears_most.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gammacp.base.text import visible
from gammacp.campaign.compare.categories import NO_UNIT, Confusion
from gammacp.campaign.compare.comparison import Comparison
from gammacp.campaign.statements import Statement

if TYPE_CHECKING:
    from gammacp.kinds.kinds import Kinds

_SHARED = 5  # least number of documents of an annotator, or shared by a pair, to be named
_LEAST = 0.005
"""Smallest difference of γ that is stated; smaller ones vanish in print, at two decimals."""
FEWEST_CASES = 20
"""Least number of cases of a kind before an annotator is named.

A case is one annotator against all others, so it counts as one difference with each of them.
"""
_WORTH_NAMING = 0.05
"""Least share of the observed disorder that a kind must have to be mentioned."""
_MOST_BEARERS = 2
_SUCH = {
    "position": "differences about where units begin and end",
    "category": "differences about labels",
    "split": "cases where one unit is marked as several",
    "merged": "cases where several units are marked as one",
    "missing": "missing units",
    "extra": "units that nobody else has",
    "level": "differences about units inside others",
}


def facts(comparison: Comparison) -> list[Statement]:
    """Return statements about these documents, which need not hold for others.

    Parameters
    ----------
    comparison
        The comparison. There are no statements about results that were not computed.
    """
    sentences = [
        *_farthest_annotator(comparison),
        *_least_and_most_alike(comparison),
        *_most_confused(comparison.confusion),
    ]
    if comparison.kinds is not None:
        sentences += bearers(comparison.kinds)
    return [Statement(about="here", words=words, names=names) for words, names in sentences]


def agreement_of_pairs(comparison: Comparison) -> dict[tuple[str, str], float]:
    """Return γ of the pairs that can be named as agreeing least or most.

    Only pairs that share at least `_SHARED` documents are considered (or all documents, if there
    are fewer): among many pairs with one document each, the extremes would be due to chance.

    Parameters
    ----------
    comparison
        The comparison.
    """
    fewest = min(_SHARED, len(comparison.overall.computed))
    return {
        pair: agreement.value
        for pair, agreement in comparison.pairs.agreements.items()
        if math.isfinite(agreement.value) and len(agreement.computed) >= fewest
    }


def _farthest_annotator(comparison: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a sentence on the annotator without whom γ rises most, and the annotator's name.

    Only annotators with as many documents are considered as in `agreement_of_pairs`: whoever
    met two others in one document would seem far away by chance.
    """
    fewest = min(_SHARED, len(comparison.overall.computed))
    defined = [
        e
        for e in comparison.without
        if math.isfinite(e.gain) and len(e.agreement.computed) >= fewest
    ]
    if len(defined) < 3:
        return
    most = max(defined, key=lambda e: e.gain)
    if most.gain >= _LEAST:
        name = visible(most.annotator)
        yield (
            f"{name} is farthest from the others here: γ is {most.baseline:.2f} with {name} and "
            f"{most.agreement.value:.2f} without.",
            (most.annotator,),
        )


def _least_and_most_alike(comparison: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a sentence on the pairs that agree least and most, and the pair that agrees least."""
    values = agreement_of_pairs(comparison)
    if len(values) < 3:
        return
    least = min(values, key=values.__getitem__)
    most = max(values, key=values.__getitem__)
    if values[most] - values[least] >= _LEAST:
        low, high = (" and ".join(map(visible, pair)) for pair in (least, most))
        yield (
            f"Of the pairs, {low} agree least here (γ {values[least]:.2f}), {high} most "
            f"({values[most]:.2f}).",
            least,
        )


def _most_confused(table: Confusion) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a sentence on the most frequent difference in category, and the two categories."""
    pairs = table.confused_pairs
    if not pairs:
        return
    one, other, most = pairs[0]
    half = np.triu_indices(len(table.rows)) if not table.directed else slice(None)
    n_cases = int(table.counts[half].sum())
    label = visible(one if other == NO_UNIT else other if one == NO_UNIT else one)
    if NO_UNIT in (one, other):
        confused_pair = f"one annotator marks “{label}”, and the other has no counterpart to it"
    else:
        confused_pair = f"one annotator says “{label}” and the other “{visible(other)}”"
    yield (
        f"The most frequent difference here: {confused_pair}, in {most} of {n_cases} comparisons "
        f"({most / n_cases:.0%}; each compares two annotators at one unit).",
        (one, other),
    )


def bearers(kinds: Kinds, *, fewest: int = FEWEST_CASES) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield a sentence on an annotator who bears most of a kind, with the annotator and the kind.

    An annotator bears most of a kind with more than half of its differences and more than twice an
    even share. At most two sentences are yielded: those with the most disorder charged.

    Parameters
    ----------
    kinds
        The kinds of differences.
    fewest
        Least number of cases of a kind before an annotator is named.
    """
    if kinds.reason is not None or not kinds.observed:
        return
    continua = [a.continuum for a in kinds.documents.alignments.values()]
    # An annotator who differs from all others makes one difference with each of them.
    others = max(1.0, sum(c.n_annotators for c in continua) / len(continua) - 1)
    total = dict.fromkeys(_SUCH, 0.0)
    for record in kinds.people:
        if record["kind"] in total:
            total[record["kind"]] += record["count"]
    bearing = []
    for record in kinds.people:
        name, kind, count = record["annotator"], record["kind"], record["count"]
        enough = total.get(kind, 0.0) >= fewest * others
        if not enough or kinds.parts[kind]["share"] < _WORTH_NAMING:
            continue
        if count > total[kind] / 2 and count > 2 * kinds.even[name, kind]:
            bearing.append(record)
    bearing.sort(key=lambda record: -(record["charged"] or 0.0))
    for record in bearing[:_MOST_BEARERS]:
        name, kind, count = record["annotator"], record["kind"], record["count"]
        even = kinds.even[name, kind]
        yield (
            f"{visible(name)} bears most of the {_SUCH[kind]} here: {count:.0f} of "
            f"{total[kind]:.0f} ({count / total[kind]:.0%}; {even:.0f} at an even share).",
            (name, kind),
        )
