"""Disorder divided among those who bear it: continua, units, annotators, categories and pairs.

The disorder δ(s) of an alignment is the sum of its pairs' costs, divided by C(n, 2) and by x̄ (2015,
§4.5, eq. 7). Here the costs are added up by component and by bearer. The module
`gammacp.measures.explaining.explanation` says what the components are, and how a cost is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.label import plain
from gammacp.dissimilarity.base import BoundDissimilarity, UnitColumns, unit_columns

ABSENCE = "absence"
# Largest number of pairs whose costs are held in memory at a time.
_AT_ONCE = 1_000_000


def components_of(dissimilarity: BoundDissimilarity) -> tuple[str, ...]:
    """Return the names of the components of a cost, absence last."""
    if dissimilarity.positional_part is not None:
        return "position", *(dissimilarity.category_parts or ("category",)), ABSENCE
    return "dissimilarity", ABSENCE


def costs_by_component(
    dissimilarity: BoundDissimilarity, u: UnitColumns, v: UnitColumns
) -> tuple[Floats, ...]:
    """Return the costs of pairs of units, an array for each component except absence."""
    place = dissimilarity.positional_part
    label = dissimilarity.categorial_part
    if place is None or label is None:
        return (dissimilarity.pairwise(u, v),)
    costs = [table[u.category, v.category] for table in dissimilarity.category_parts.values()]
    return place(u, v), *(costs or [label(u, v)])


@dataclass(frozen=True, eq=False)
class Borne:
    """Sums of costs by bearer, with components along the last axis.

    Attributes
    ----------
    total, items, units, annotators, categories
        Sums over all, and for each continuum, unit, annotator and category (the last one is
        "unlabelled"); shape (…, components).
    pairs
        Sums for each pair of annotators, only above the diagonal; shape (annotators, annotators,
        components).
    met
        Whether two annotators annotated some continuum together.
    missed
        For each annotator, the cost of the pairs in which a unit of another annotator faces an
        empty unit of this one.
    """

    items: Floats
    units: Floats
    annotators: Floats
    categories: Floats
    pairs: Floats
    met: Floats
    missed: Floats

    @property
    def total(self) -> Floats:
        """Return the sum over all continua."""
        return np.asarray(self.items.sum(axis=0))


def add_up(place: Indices | Codes, values: Floats, size: int) -> Floats:
    """Add up the rows of `values` that have the same `place`; return shape (size, components)."""
    sums = np.zeros((size, values.shape[1]))
    for c in range(values.shape[1]):
        sums[:, c] += np.bincount(place, values[:, c], size)
    return sums


def borne_in(
    alignments: Sequence[tuple[Continuum, Codes]],
    weights: Sequence[float],
    people: Sequence[str] | None,
    categories: int,
    dissimilarity: BoundDissimilarity,
) -> Borne:
    """Return the weighted costs of alignments by bearer.

    Without names (`people` is None), all annotators count as one.
    """
    names = ("",) if people is None else people
    code = {name: k for k, name in enumerate(names)}
    size = len(names)
    parts = len(components_of(dissimilarity))
    items = np.zeros((len(alignments), parts))
    pairs = np.zeros((size * size, parts))
    met = np.zeros((size, size), bool)
    missed = np.zeros(size)
    borne: list[Floats] = [np.zeros((0, parts))]
    of_unit: list[Codes] = [np.zeros(0, np.int32)]
    label: list[Codes] = [np.zeros(0, np.int32)]
    for k, ((continuum, groups), weight) in enumerate(zip(alignments, weights, strict=True)):
        slots = np.array([code.get(a, 0) for a in continuum.annotators], np.int32)
        met[np.ix_(slots, slots)] = True
        columns = unit_columns(continuum)
        units = np.zeros((continuum.n_units, parts))
        step = max(1, _AT_ONCE // max(1, len(slots) * (len(slots) - 1) // 2))
        for at in range(0, len(groups), step):
            costs = _Costs.of(columns, groups[at : at + step], dissimilarity, weight)
            items[k] += costs.of_pairs.sum(axis=(0, 1))
            pairs += add_up(costs.slots(slots, size), costs.of_pairs.sum(axis=0), size * size)
            units += costs.units(continuum.n_units)
            missed += costs.missed_costs(slots, size)
        borne.append(units)
        of_unit.append(slots[continuum.annotator_codes])
        label.append(plain(continuum.categories)[1][continuum.category_codes])
    every = np.concatenate(borne)
    labels = np.concatenate(label)
    return Borne(
        items,
        every,
        add_up(np.concatenate(of_unit), every, size),
        add_up(np.where(labels < 0, categories, labels), every, categories + 1),
        pairs.reshape(size, size, parts),
        met,
        missed,
    )


@dataclass(frozen=True, eq=False)
class _Costs:
    """Costs of all pairs of some unitary alignments.

    Attributes
    ----------
    groups
        Row of each annotator's unit, −1 if it is empty; shape (groups, annotators).
    first, second
        Rows of the two units of each pair, shape (groups, pairs).
    of_pairs
        Weighted cost of each pair, its share of the whole disorder; shape (groups, pairs,
        components).
    """

    groups: Codes
    first: Codes
    second: Codes
    of_pairs: Floats

    @classmethod
    def of(
        cls, units: UnitColumns, groups: Codes, dissimilarity: BoundDissimilarity, weight: float
    ) -> _Costs:
        i, j = np.triu_indices(groups.shape[1], 1)
        first = groups[:, i]
        second = groups[:, j]
        both = (first >= 0) & (second >= 0)
        parts = costs_by_component(dissimilarity, units[first[both]], units[second[both]])
        costs = np.zeros((*first.shape, len(parts) + 1))
        for k, part in enumerate(parts):
            costs[both, k] = part
        costs[~both, -1] = dissimilarity.delta
        return cls(groups, first, second, costs * (weight / len(i)))

    def slots(self, annotators: Codes, size: int) -> Indices:
        """Return the index of each pair of annotators in a flattened (size, size) table.

        The lower number is the row, so that only entries above the diagonal are used.
        """
        i, j = np.triu_indices(len(annotators), 1)
        a = annotators[i].astype(np.int64)
        b = annotators[j].astype(np.int64)
        return np.asarray(np.minimum(a, b) * size + np.maximum(a, b))

    def units(self, number: int) -> Floats:
        """Return what each unit bears, shape (units, components)."""
        both = (self.first >= 0) & (self.second >= 0)
        none = (self.first < 0) & (self.second < 0)
        halves = self.of_pairs[both] / 2
        alone = ~both & ~none
        facing = np.maximum(self.first, self.second)[alone]
        real = self.groups >= 0
        absent = (self.of_pairs[:, :, -1] * none).sum(axis=1) / real.sum(axis=1)
        borne = add_up(self.first[both], halves, number)
        borne += add_up(self.second[both], halves, number)
        borne += add_up(facing, self.of_pairs[alone], number)
        borne[:, -1] += np.bincount(self.groups[real], absent[np.nonzero(real)[0]], number)
        return borne

    def missed_costs(self, annotators: Codes, size: int) -> Floats:
        """Return for each annotator the cost of others' units that face an empty unit of theirs."""
        i, j = np.triu_indices(len(annotators), 1)
        cost = self.of_pairs[:, :, -1]
        lone_first = (self.first >= 0) & (self.second < 0)
        lone_second = (self.first < 0) & (self.second >= 0)
        by_second = np.bincount(annotators[j], (cost * lone_first).sum(axis=0), size)
        by_first = np.bincount(annotators[i], (cost * lone_second).sum(axis=0), size)
        return np.asarray(by_first + by_second)
