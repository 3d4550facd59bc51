"""Kinds of differences in random annotation sets: expected parts, and counts of each person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from gammacp.base.arrays import Floats, Indices
from gammacp.dissimilarity import BoundDissimilarity
from gammacp.kinds.charging import SlotSums, add_up, shares_of, sides_of, sums_over
from gammacp.kinds.differences import AlignedUnits, differences_in
from gammacp.kinds.documents import AlignedDocuments
from gammacp.kinds.forms import KINDS

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class RandomSets:
    """Random annotations that are the chance baseline of some of the documents.

    Attributes
    ----------
    documents
        Places of the documents.
    sets
        Random sets with the groups of their alignments.
    scales
        Factor of each set's disorders in the expected disorder of these documents.
    named
        Whether the sets' annotators have the names of real ones.
    """

    documents: Indices
    sets: Sequence[AlignedUnits]
    scales: Sequence[float]
    named: bool


@dataclass(frozen=True, eq=False)
class DrawnCounts:
    """Counts that other random sets would give in the same documents, shape (people, kinds).

    Attributes
    ----------
    mean, variance
        Means and variances of the counts.
    cautious
        The mean as if the sets together had one difference more.
    """

    mean: Floats
    variance: Floats
    cautious: Floats


@dataclass(frozen=True, eq=False)
class ByChance:
    """Differences that chance gives in the documents.

    Attributes
    ----------
    parts
        Expected disorder by kind.
    p_of_agreement
        Chance that independent annotators differ as little as those of the documents.
    counts, clear
        Differences of each person, and clear ones. None where the sets have no names.
    """

    parts: Floats
    p_of_agreement: float
    counts: DrawnCounts | None = None
    clear: DrawnCounts | None = None


def by_chance(
    documents: AlignedDocuments, groups: Sequence[RandomSets], dissimilarity: BoundDissimilarity
) -> ByChance:
    """Count the differences in random sets.

    A set of the size x̄ stands for as much of a document as its share of the units, so counts are
    rates per x̄. Their variance is that of the sets around their rate, and that of the rate.

    Parameters
    ----------
    documents
        Documents that were observed.
    groups
        Random sets of all documents.
    dissimilarity
        Bound to the documents.
    """
    parts = np.zeros(len(KINDS))
    sums: list[tuple[SlotSums, SlotSums]] = []
    disorders: list[Floats] = []
    for group in groups:
        costs, disorder, seen = _counted(documents, group, dissimilarity)
        parts += costs
        disorders.append(disorder)
        sums.append(seen)
    p = _p_of_agreement(documents, groups, disorders)
    if not all(group.named for group in groups):
        return ByChance(parts, p)
    counts = _drawn(documents, groups, [every for every, _ in sums])
    return ByChance(parts, p, counts, _drawn(documents, groups, [clear for _, clear in sums]))


def _p_of_agreement(
    documents: AlignedDocuments, groups: Sequence[RandomSets], disorders: Sequence[Floats]
) -> float:
    """Return p of the observed disorder among those of other random sets (Student's t)."""
    alignments = [*documents.alignments.values()]
    difference = 0.0
    variance = 0.0
    degrees = 0
    for group, drawn in zip(groups, disorders, strict=True):
        units = np.array([c.mean_units for c, _ in group.sets])
        mine = [alignments[k] for k in group.documents.tolist()]
        stands_for = sum(a.continuum.mean_units for a in mine)
        rate = float(drawn.sum() / units.sum())
        spread = float(((drawn - rate * units) ** 2).sum() / units.sum())
        spread *= len(drawn) / max(1, len(drawn) - 1)
        difference += sum(a.disorder * a.continuum.mean_units for a in mine) - rate * stands_for
        variance += spread * stands_for * (1 + stands_for / float(units.sum()))
        degrees += len(drawn) - 1
    if variance <= 0 or degrees < 1:
        if difference < 0:
            return 0.0
        return 1.0
    return float(stdtr(degrees, difference / math.sqrt(variance)))


def _drawn(
    documents: AlignedDocuments, groups: Sequence[RandomSets], sums: Sequence[SlotSums]
) -> DrawnCounts:
    """Return what the sets of all groups let expect in the documents."""
    size = len(documents.people)
    mean, variance, cautious = (np.zeros((size, len(KINDS))) for _ in range(3))
    units = np.array([a.continuum.mean_units for a in documents.alignments.values()])
    for group, seen in zip(groups, sums, strict=True):
        slots = [documents.slots[k] for k in group.documents.tolist()]
        weight = np.repeat(units[group.documents], [len(s) for s in slots])
        stands_for = np.bincount(np.concatenate(slots), weight, size)[:, None]
        size_of_set = np.array([c.mean_units for c, _ in group.sets])[seen.document]
        total = np.bincount(seen.person, size_of_set, size)[:, None]
        number = np.bincount(seen.person, minlength=size)[:, None]
        there = total > 0
        known = np.maximum(total, _TINY)
        rate = seen.by_person(size) / known
        residual = seen.values - rate[seen.person] * size_of_set[:, None]
        spread = sums_over(seen.person, residual**2, size) / known
        spread *= number / np.maximum(1, number - 1)
        mean += np.where(there, rate * stands_for, 0.0)
        cautious += np.where(there, rate * stands_for + stands_for / known, np.inf)
        variance += np.where(there, spread * stands_for * (1 + stands_for / known), 0.0)
    return DrawnCounts(mean, variance, cautious)


def _counted(
    documents: AlignedDocuments, group: RandomSets, dissimilarity: BoundDissimilarity
) -> tuple[Floats, Floats, tuple[SlotSums, SlotSums]]:
    """Return costs by kind, sums of disorders by set, and counts of its annotators: all, clear."""
    code = {name: k for k, name in enumerate(documents.people)}
    costs = np.zeros(len(KINDS))
    disorders = np.zeros(len(group.sets))
    every: list[SlotSums] = []
    clear: list[SlotSums] = []
    for begin, found in differences_in(group.sets, dissimilarity, group.scales):
        continua = [c for c, _ in group.sets[begin : begin + len(found.edges) - 1]]
        slots = [
            np.array([code.get(a, 0) if group.named else 0 for a in c.annotators], np.int32)
            for c in continua
        ]
        shares = shares_of(found)
        of_slots = add_up(found, shares, found.cost, slots, begin)
        costs += of_slots.values.sum(axis=0)
        whole = of_slots.values.sum(axis=1)
        disorders += np.bincount(of_slots.document, whole, len(disorders))
        if not documents.charging:
            shares = sides_of(found)
        every.append(add_up(found, shares, np.ones(len(found.form)), slots, begin))
        clear.append(add_up(found, shares, found.clear.astype(np.float64), slots, begin))
    counts = SlotSums.joined(every), SlotSums.joined(clear)
    return costs, disorders / np.asarray(group.scales), counts
