"""Count kinds of differences in random annotation sets, to compare them with the observed ones.

The result has two parts: the disorder that chance alone gives for each kind, and the number of
differences that each annotator would have if all annotated independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from gammacp.base.arrays import Floats, Indices
from gammacp.dissimilarity import BoundDissimilarity
from gammacp.kinds.charging import SlotSums, add_up, shares_of, sides_of, sums_over
from gammacp.kinds.codes import DIFFERENCE_KINDS
from gammacp.kinds.differences import AlignedUnits, differences_in
from gammacp.kinds.documents import DocumentAlignments

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class RandomSets:
    """Random annotation sets that serve as the chance baseline of some of the documents.

    Attributes
    ----------
    documents
        Indices of the documents.
    sets
        Random sets with the groups of their alignments.
    scales
        Factor by which each set's disorders enter the expected disorder of these documents.
    named
        Whether the annotators of the sets have the names of real annotators.
    """

    documents: Indices
    sets: Sequence[AlignedUnits]
    scales: Sequence[float]
    named: bool


@dataclass(frozen=True, eq=False)
class DrawnCounts:
    """Predicted counts of differences by chance in the documents, shape (people, kinds).

    Attributes
    ----------
    mean, variance
        Means and variances of the counts.
    cautious
        Mean if there were one more difference in all sets together: a cautious value that is
        above 0 even if the sets have no difference of a kind.
    """

    mean: Floats
    variance: Floats
    cautious: Floats


@dataclass(frozen=True, eq=False)
class ByChance:
    """Differences that are expected by chance in the documents.

    Attributes
    ----------
    parts
        Expected disorder by kind.
    p_of_agreement
        p-value of the observed agreement: the probability that independent annotators differ as
        little as those of the documents.
    counts, clear
        Counts of all differences, and of clear ones, by person. None if the annotators of the sets
        do not have the names of real ones.
    """

    parts: Floats
    p_of_agreement: float
    counts: DrawnCounts | None = None
    clear: DrawnCounts | None = None


def by_chance(
    documents: DocumentAlignments, groups: Sequence[RandomSets], dissimilarity: BoundDissimilarity
) -> ByChance:
    """Count the differences in random sets.

    Sets and documents have different sizes x̄ (mean number of units per annotator). Therefore counts
    in the sets are converted to rates per x̄ and multiplied by the size of the documents. The
    variance of a predicted count includes the variance of the sets around their rate and the
    variance of the estimated rate itself.

    Parameters
    ----------
    documents
        Observed documents.
    groups
        Groups of random sets, which together cover all documents.
    dissimilarity
        Dissimilarity that is bound to the documents.
    """
    parts = np.zeros(len(DIFFERENCE_KINDS))
    sums: list[tuple[SlotSums, SlotSums]] = []
    disorders: list[Floats] = []
    for group in groups:
        costs, disorder, group_sums = _counted(documents, group, dissimilarity)
        parts += costs
        disorders.append(disorder)
        sums.append(group_sums)
    p = _p_of_agreement(documents, groups, disorders)
    if not all(group.named for group in groups):
        return ByChance(parts, p)
    counts = _drawn(documents, groups, [every for every, _ in sums])
    return ByChance(parts, p, counts, _drawn(documents, groups, [clear for _, clear in sums]))


def _p_of_agreement(
    documents: DocumentAlignments, groups: Sequence[RandomSets], disorders: Sequence[Floats]
) -> float:
    """Return the one-sided p of the observed disorder against random sets, by Student's t."""
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
    documents: DocumentAlignments, groups: Sequence[RandomSets], sums: Sequence[SlotSums]
) -> DrawnCounts:
    """Return the counts in the documents that are predicted from the random sets."""
    size = len(documents.people)
    mean, variance, cautious = (np.zeros((size, len(DIFFERENCE_KINDS))) for _ in range(3))
    units = np.array([a.continuum.mean_units for a in documents.alignments.values()])
    for group, group_sums in zip(groups, sums, strict=True):
        slots = [documents.slots[k] for k in group.documents.tolist()]
        weight = np.repeat(units[group.documents], [len(s) for s in slots])
        stands_for = np.bincount(np.concatenate(slots), weight, size)[:, None]
        size_of_set = np.array([c.mean_units for c, _ in group.sets])[group_sums.document]
        total = np.bincount(group_sums.person, size_of_set, size)[:, None]
        number = np.bincount(group_sums.person, minlength=size)[:, None]
        is_positive = total > 0
        safe_total = np.maximum(total, _TINY)
        rate = group_sums.by_person(size) / safe_total
        residual = group_sums.values - rate[group_sums.person] * size_of_set[:, None]
        spread = sums_over(group_sums.person, residual**2, size) / safe_total
        spread *= number / np.maximum(1, number - 1)
        mean += np.where(is_positive, rate * stands_for, 0.0)
        cautious += np.where(is_positive, rate * stands_for + stands_for / safe_total, np.inf)
        variance += np.where(is_positive, spread * stands_for * (1 + stands_for / safe_total), 0.0)
    return DrawnCounts(mean, variance, cautious)


def _counted(
    documents: DocumentAlignments, group: RandomSets, dissimilarity: BoundDissimilarity
) -> tuple[Floats, Floats, tuple[SlotSums, SlotSums]]:
    """Return costs by kind, the disorder of each set, and counts of all and of clear differences.

    Both counts are by annotator of a set.
    """
    code = {name: k for k, name in enumerate(documents.people)}
    costs = np.zeros(len(DIFFERENCE_KINDS))
    disorders = np.zeros(len(group.sets))
    every: list[SlotSums] = []
    clear: list[SlotSums] = []
    for begin, differences in differences_in(group.sets, dissimilarity, group.scales):
        continua = [c for c, _ in group.sets[begin : begin + len(differences.edges) - 1]]
        slots = [
            np.array([code.get(a, 0) if group.named else 0 for a in c.annotators], np.int32)
            for c in continua
        ]
        shares = shares_of(differences)
        of_slots = add_up(differences, shares, differences.cost, slots, begin)
        costs += of_slots.values.sum(axis=0)
        whole = of_slots.values.sum(axis=1)
        disorders += np.bincount(of_slots.document, whole, len(disorders))
        if not documents.charging:
            shares = sides_of(differences)
        every.append(add_up(differences, shares, np.ones(len(differences.form)), slots, begin))
        clear.append(
            add_up(differences, shares, differences.clear.astype(np.float64), slots, begin)
        )
    counts = SlotSums.joined(every), SlotSums.joined(clear)
    return costs, disorders / np.asarray(group.scales), counts
