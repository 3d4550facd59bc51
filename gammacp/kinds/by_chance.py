"""Kinds of differences in random annotation sets: expected parts, and counts of each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.dissimilarity import BoundDissimilarity
from gammacp.kinds.charging import add_up, shares_of, sides_of
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
    counts, variances = np.zeros((size, len(KINDS))), np.zeros((size, len(KINDS)))
    cautious = np.zeros((size, len(KINDS)))
    named = all(group.named for group in groups)
    units = np.array([a.continuum.mean_units for a in documents.alignments.values()])
    for group in groups:
        costs, seen, there = _counted(documents, group, dissimilarity, named=named)
        parts += costs
        if not named:
            continue
        weight = np.array([c.mean_units for c, _ in group.sets])
        for person in range(size):
            mine = [k for k in group.documents.tolist() if person in documents.slots[k]]
            sets = there[:, person]
            if not mine or not sets.any():
                continue
            total, stands_for = float(weight[sets].sum()), float(units[mine].sum())
            rate = seen[sets, person].sum(axis=0) / total
            residual = seen[sets, person] - rate * weight[sets, None]
            spread = (residual**2).sum(axis=0) / total * (sets.sum() / max(1, sets.sum() - 1))
            counts[person] += rate * stands_for
            cautious[person] += (rate + 1 / total) * stands_for
            variances[person] += spread * stands_for * (1 + stands_for / total)
    if not named:
        return ByChance(parts, None, None, None)
    return ByChance(parts, counts, variances, cautious)


def _counted(
    documents: AlignedDocuments,
    group: RandomSets,
    dissimilarity: BoundDissimilarity,
    *,
    named: bool,
) -> tuple[Floats, Floats, Floats]:
    """Return costs by kind, counts by set, person and kind, and who is in which set."""
    size = len(documents.people)
    code = {name: k for k, name in enumerate(documents.people)}
    costs = np.zeros(len(KINDS))
    counts = np.zeros((len(group.sets), size, len(KINDS)))
    there = np.zeros((len(group.sets), size), np.bool_)
    for begin, found in differences_in(group.sets, dissimilarity, group.scales):
        number = len(found.edges) - 1
        continua = [c for c, _ in group.sets[begin : begin + number]]
        slots = [
            np.array([code.get(a, 0) if named else 0 for a in c.annotators], np.int32)
            for c in continua
        ]
        shares = shares_of(found)
        costs += add_up(found, shares, found.cost, slots, size).sum(axis=(0, 1))
        if not named:
            continue
        if not documents.charging:
            shares = sides_of(found)
        rows = np.ones(len(found.form))
        counts[begin : begin + number] = add_up(found, shares, rows, slots, size)
        for k, people in enumerate(slots, begin):
            there[k, people] = True
    return costs, counts, there
