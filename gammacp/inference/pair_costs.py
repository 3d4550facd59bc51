"""Costs of the pairs of annotators, by document and category, from the documents' alignments.

They are the sums that `gammacp.inference.populations` computes intervals from. The disorder of a
unitary alignment is divided among its pairs with at least one unit, in proportion to their costs.
Documents are handled block by block, since the costs of all pairs of a corpus are too many to be in
memory at once.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.alignment import Alignment
from gammacp.alignment.aligned import AlignedPart
from gammacp.alignment.alignment import costs_of_pairs
from gammacp.base.arrays import Floats, Indices
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import BoundDissimilarity, joined_columns
from gammacp.errors import DataError
from gammacp.inference.populations import PairSums

# Number of pairs whose costs are kept in memory at once.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class PairCells:
    """Contributions of pairs of annotators to Σ o and Σ e, by document and category.

    Attributes
    ----------
    document, category
        Numbers of the document and of the category, from 0, shape (cells,) each.
    pair
        Numbers of the two annotators, shape (cells, 2).
    observed, expected
        Contributions to Σ o and Σ e, shape (cells,) each.
    """

    document: Indices
    category: Indices
    pair: Indices
    observed: Floats
    expected: Floats

    def without_categories(self) -> "PairCells":
        """Return the cells summed over categories, one per document and pair."""
        keys = np.column_stack((self.document, self.pair))
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        o, e = (
            np.bincount(place.ravel(), x).astype(np.float64) for x in (self.observed, self.expected)
        )
        return PairCells(distinct[:, 0], np.zeros(len(distinct), np.int64), distinct[:, 1:], o, e)

    def sums(self, weights: Sequence[float] | Floats = ()) -> PairSums:
        """Return the sums by document and annotator.

        Parameters
        ----------
        weights
            Weights of the documents; none: 1 each.
        """
        w = np.asarray(weights)[self.document] if len(weights) else 1.0
        return PairSums.of_pairs(self.document, self.pair, w * self.observed, w * self.expected)


@dataclass(frozen=True, eq=False)
class AlignedDocuments:
    """Documents with their best alignments and expected disorders.

    Attributes
    ----------
    continua
        Continua in order, with the same categories.
    columns
        Function that returns the alignments of some documents, given their numbers. The documents
        must be neighbours with equal numbers of annotators.
    expected
        Expected disorder of each document.
    dissimilarity
        Dissimilarity used for the alignments; None if there are no documents.
    """

    continua: ContinuumSequence
    columns: Callable[[Indices], AlignedPart]
    expected: Floats
    dissimilarity: BoundDissimilarity | None

    @classmethod
    def of(cls, scored: Sequence[tuple[Alignment, float]]) -> "AlignedDocuments":
        """Build the documents from alignments that use the same dissimilarity.

        Parameters
        ----------
        scored
            Best alignment and expected disorder of each document.
        """
        part = AlignedPart.of([alignment for alignment, _ in scored])
        continua = ContinuumSequence.of(alignment.continuum for alignment, _ in scored)
        if scored:
            by = scored[0][0].dissimilarity
        else:
            by = None
        return cls(continua, part.at, np.array([e for _, e in scored]), by)

    def blocks(self) -> Iterator[Indices]:
        """Yield blocks of neighbouring documents with equal numbers of annotators.

        Each block contains the numbers of its documents. Its size is limited to save memory.
        """
        n = self.continua.n_annotators
        if len(n):
            kinds = len(self.continua[0].categories) + 1
        else:
            kinds = 0
        size = np.cumsum((self.continua.n_units + kinds) * n**2) // (_AT_ONCE // 10)
        new = (n[1:] != n[:-1]) | (size[1:] != size[:-1])
        if self.continua.structured:
            broken = np.array([c.inside is not None for c in self.continua.structured])
            new |= broken[1:] | broken[:-1]
        if len(n):
            yield from np.split(np.arange(len(n)), np.flatnonzero(new) + 1)


def pair_cells_of(scored: AlignedDocuments) -> PairCells:
    """Return the costs of the pairs of annotators, by document and category.

    The cost of a pair of units is divided equally between the categories of the two units. The cost
    of an unaligned unit belongs to its own category.

    Parameters
    ----------
    scored
        The documents with their alignments.

    Raises
    ------
    DataError
        There is no document.
    """
    blocks = [*_cells_of_blocks(scored)]
    if not blocks:
        raise DataError("no document has a γ")
    columns = zip(*(vars(cells).values() for cells in blocks), strict=True)
    return PairCells(*map(np.concatenate, columns))


def pair_sums_of(scored: AlignedDocuments, weights: Sequence[float] = ()) -> PairSums:
    """Return the costs of each annotator's pairs in each document, block by block to save memory.

    Parameters
    ----------
    scored
        As for `pair_cells_of`.
    weights
        Weights of the documents; none: 1 each.

    Raises
    ------
    DataError
        There is no document.
    """
    heavy = np.asarray(weights, np.float64)
    sums = [vars(cells.sums(heavy)) for cells in _cells_of_blocks(scored)]
    if not sums:
        raise DataError("no document has a γ")
    # Free each block's column as soon as it is concatenated, so that only one exists twice.
    return PairSums(**{name: np.concatenate([s.pop(name) for s in sums]) for name in [*sums[0]]})


def _cells_of_blocks(scored: AlignedDocuments) -> Iterator[PairCells]:
    people: dict[str, int] = {}
    for block in scored.blocks():
        continua = scored.continua.at(block)
        n = int(continua.n_annotators[0])
        kinds = len(continua[0].categories) + 1
        names, whose = continua.people
        number = np.array([people.setdefault(a, len(people)) for a in names])
        who = number[whose].reshape(-1, n)
        # Unlabelled units have code −1, so they become kind 0.
        kind = continua.all_units().category_codes.astype(np.int64) + 1
        owner = np.repeat(np.arange(len(block)), continua.n_units)
        i, j = np.triu_indices(n, 1)
        shape = len(block), n, kinds
        slots = owner * n + continua.all_units().annotator_codes
        units = np.bincount(slots * kinds + kind, minlength=math.prod(shape)).reshape(shape)
        expected = scored.expected[block][:, None, None]
        chance = (units[:, i] + units[:, j]) / 2 / len(i) * expected
        assert scored.dissimilarity is not None
        borne = _borne(continua, scored.columns(block), scored.dissimilarity, kind, kinds)
        cell = which, at, of = np.nonzero((borne > 0) | (chance > 0))
        pairs = np.stack((who[which, i[at]], who[which, j[at]]), axis=1)
        yield PairCells(block[0] + which, of, pairs, borne[cell], chance[cell])


def _borne(
    continua: ContinuumSequence,
    aligned: AlignedPart,
    dissimilarity: BoundDissimilarity,
    kind: Indices,
    kinds: int,
) -> Floats:
    """Return the share of each pair of annotators in x̄·δ, shape (documents, pairs, kinds).

    The disorder of a unitary alignment is divided among its pairs with at least one unit, in
    proportion to their costs.
    """
    n = int(continua.n_annotators[0])
    group_table = aligned.groups.reshape(-1, n)
    owner = np.repeat(np.arange(len(continua)), np.diff(aligned.edges) // n)
    every = np.where(group_table < 0, -1, group_table + continua.edges[owner][:, None])
    units = joined_columns(continua)
    i, j = np.triu_indices(n, 1)
    borne = np.zeros(len(continua) * len(i) * kinds)
    step = max(1, _AT_ONCE // len(i))
    for at in range(0, len(every), step):
        groups = every[at : at + step]
        costs = costs_of_pairs(groups, units, dissimilarity)
        real = groups >= 0
        costs_of_units = np.where(real[:, i] | real[:, j], costs, 0.0)
        totals = costs_of_units.sum(axis=1)
        scale = np.divide(costs.mean(axis=1), totals, out=np.zeros(len(totals)), where=totals > 0)
        halves = (scale[:, None] * costs_of_units / 2).ravel()
        cells = (owner[at : at + step, None] * len(i) + np.arange(len(i))) * kinds
        for one, other in ((i, j), (j, i)):
            of = kind[np.where(real[:, one], groups[:, one], groups[:, other])]
            borne += np.bincount((cells + of).ravel(), halves, len(borne))
    return borne.reshape(len(continua), len(i), kinds)
