"""Kinds of differences in random annotation sets: expected parts, and counts of each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.dissimilarity import BoundDissimilarity
from gammacp.kinds.charging import SlotSums, add_up, shares_of, sides_of, sums_over
from gammacp.kinds.differences import AlignedUnits, differences_in
from gammacp.kinds.documents import AlignedDocuments
from gammacp.kinds.forms import KINDS


@dataclass(frozen=True, eq=False)
class RandomSets:
    """Random sets that stand for chance in some of the documents.

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
class ByChance:
    """Differences that chance gives in the documents.

    Attributes
    ----------
    parts
        Expected disorder by kind.
    counts, variances
        Count of each person's differences by kind that other random sets would give in the same
        documents, and its variance; shape (people, kinds). None where the sets have no names.
    cautious
        The same counts as if the sets together had one difference more.
    """

    parts: Floats
    counts: Floats | None
    variances: Floats | None
    cautious: Floats | None


def by_chance(
    documents: AlignedDocuments, groups: Sequence[RandomSets], dissimilarity: BoundDissimilarity
) -> ByChance:
    """Count the differences in random sets.

    A set of the size x̄ stands for as much of a document as its share of the units, so counts are
    rates per x̄. Their variance is that of the sets around their rate, and that of the rate.

    Parameters
    ----------
    documents
        What was observed.
    groups
        Random sets of all documents.
    dissimilarity
        Bound to the documents.
    """
    size = len(documents.people)
    parts = np.zeros(len(KINDS))
    counts, variances, cautious = (np.zeros((size, len(KINDS))) for _ in range(3))
    named = all(group.named for group in groups)
    units = np.array([a.continuum.mean_units for a in documents.alignments.values()])
    for group in groups:
        costs, seen = _counted(documents, group, dissimilarity, named=named)
        parts += costs
        if seen is None:
            continue
        slots = [documents.slots[k] for k in group.documents.tolist()]
        people = np.concatenate(slots)
        weight = np.repeat(units[group.documents], [len(s) for s in slots])
        stands_for = np.bincount(people, weight, size)[:, None]
        size_of_set = np.array([c.mean_units for c, _ in group.sets])[seen.document]
        total = np.bincount(seen.person, size_of_set, size)[:, None]
        number = np.bincount(seen.person, minlength=size)[:, None]
        known = np.maximum(total, 1e-300)
        rate = seen.by_person(size) / known
        residual = seen.values - rate[seen.person] * size_of_set[:, None]
        spread = sums_over(seen.person, residual**2, size) / known
        spread *= number / np.maximum(1, number - 1)
        there = total > 0
        counts += np.where(there, rate * stands_for, 0.0)
        cautious += np.where(there, (rate + 1 / known) * stands_for, np.inf)
        variances += np.where(there, spread * stands_for * (1 + stands_for / known), 0.0)
    if not named:
        return ByChance(parts, None, None, None)
    return ByChance(parts, counts, variances, cautious)


def _counted(
    documents: AlignedDocuments,
    group: RandomSets,
    dissimilarity: BoundDissimilarity,
    *,
    named: bool,
) -> tuple[Floats, SlotSums | None]:
    """Return costs by kind, and counts of each annotator of each set."""
    code = {name: k for k, name in enumerate(documents.people)}
    costs = np.zeros(len(KINDS))
    counts: list[SlotSums] = []
    for begin, found in differences_in(group.sets, dissimilarity, group.scales):
        continua = [c for c, _ in group.sets[begin : begin + len(found.edges) - 1]]
        slots = [
            np.array([code.get(a, 0) if named else 0 for a in c.annotators], np.int32)
            for c in continua
        ]
        shares = shares_of(found)
        costs += add_up(found, shares, found.cost, slots).values.sum(axis=0)
        if not named:
            continue
        if not documents.charging:
            shares = sides_of(found)
        counts.append(add_up(found, shares, np.ones(len(found.form)), slots, begin))
    return costs, SlotSums.joined(counts) if named else None
