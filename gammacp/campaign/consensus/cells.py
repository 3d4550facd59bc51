"""Represent unitary alignments as columns of cells.

A cell is one annotator in one unitary alignment: it has the annotator's unit, or none. The columns
are built for one stretch of consecutive documents at a time, so that those of a million documents
are never all in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gammacp.alignment.aligned import Aligned
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.campaign.annotators.responses import Responses
from gammacp.campaign.consensus.boundaries import GroupedUnits
from gammacp.continuum.label import category_of
from gammacp.continuum.sequence import ContinuumSequence

ABSENT = "∅"
# Largest mean distances of boundaries, as shares of the length, of the two closest levels.
_FAR = (0.05, 0.25)
# Approximate number of units in the documents of a stretch.
STRETCH = 40_000


@dataclass(frozen=True, eq=False)
class Cells:
    """A cell for each unitary alignment and annotator of its document, for a stretch of documents.

    Attributes
    ----------
    continua
        The documents.
    first, before
        Number of the first document, and number of unitary alignments in all documents before it.
    edges
        First unitary alignment of each document, and the end of the last; shape (documents + 1,).
    group, annotator, unit
        Number of each cell's unitary alignment, ascending from 0; code of the annotator; row of the
        unit in the columns of units, −1 for ∅. Shape (cells,).
    starts, ends, codes, response_codes
        Columns of the units: starts, ends, codes of the labels in the continua, and codes of the
        categories. Shape (units,).
    """

    continua: ContinuumSequence
    first: int
    before: int
    edges: Indices
    group: Indices
    annotator: Codes
    unit: Indices
    starts: Floats
    ends: Floats
    codes: Codes
    response_codes: Codes

    def __len__(self) -> int:
        """Return the number of unitary alignments."""
        return int(self.edges[-1])

    @cached_property
    def document(self) -> Indices:
        """Return the document of each unitary alignment, from 0."""
        return np.repeat(np.arange(len(self.continua)), np.diff(self.edges))

    @cached_property
    def marks(self) -> Indices:
        """Return the indices of the cells with a unit."""
        return np.flatnonzero(self.unit >= 0)

    @cached_property
    def grouped_units(self) -> GroupedUnits:
        """Return the units of the unitary alignments, each with the weight 1."""
        rows = self.unit[self.marks]
        group = self.group[self.marks]
        return GroupedUnits(group, self.starts[rows], self.ends[rows], np.ones(len(rows)))

    @cached_property
    def support(self) -> Indices:
        """Return the number of units of each unitary alignment."""
        return np.bincount(self.grouped_units.group, minlength=len(self))

    def closeness(self) -> Indices:
        """Return the level of closeness of each alignment's units: 0 is closest, −1 is one unit.

        The level depends on the mean distance of starts and ends from their medians, as a share of
        the mean length.
        """
        m = self.grouped_units
        number = self.support
        first = np.cumsum(number) - number
        far = np.zeros(len(self))
        for side in (m.starts, m.ends):
            ascending = side[np.lexsort((side, m.group))]
            median = (ascending[first + (number - 1) // 2] + ascending[first + number // 2]) / 2
            far += np.bincount(m.group, np.abs(side - median[m.group]), len(self)) / number
        length = np.bincount(m.group, m.ends - m.starts, len(self)) / number
        level = np.searchsorted(_FAR, far / np.maximum(length, 1e-300))
        return np.where(number > 1, level, -1)

    def select(self, selected: Bools) -> Cells:
        """Select some cells, without unitary alignments in which these have no unit.

        Parameters
        ----------
        selected
            Whether to select each cell, shape (cells,).
        """
        has_unit = np.zeros(len(self), np.bool_)
        has_unit[self.group[selected & (self.unit >= 0)]] = True
        chosen = selected & has_unit[self.group]
        number = np.concatenate(([0], np.cumsum(has_unit)))
        return replace(
            self,
            edges=number[self.edges],
            group=number[self.group[chosen]],
            annotator=self.annotator[chosen],
            unit=self.unit[chosen],
        )


class AlignedCells:
    """The best alignments of documents with one list of categories, as cells.

    Parameters
    ----------
    aligned
        The alignments.
    """

    def __init__(self, aligned: Aligned) -> None:
        """Collect annotators, labels and the sizes of stretches; cells are built on demand."""
        self.aligned, self.continua = aligned, aligned.continua[: len(aligned)]
        self.annotators, self._whose = self.continua.people
        categories = [*map(category_of, self.continua[0].categories), None]
        used = np.zeros(len(categories), np.bool_)
        self.parts: list[tuple[int, int, int]] = []
        """First and last document of each stretch, and how many unitary alignments come before."""
        sizes = [np.empty(0, np.int64)]
        first = before = 0
        for stretch in self.continua.stretches(STRETCH):
            end = first + len(stretch)
            self.parts.append((first, end, before))
            used[stretch.all_units().category_codes] = True
            cells = np.diff(aligned.columns(np.arange(first, end)).edges)
            sizes.append(cells // stretch.n_annotators)
            before = before + int(sizes[-1].sum())
            first = end
        self.sizes = np.concatenate(sizes)
        """Unitary alignments of each document, shape (documents,)."""
        bare = any(c is None for c, u in zip(categories, used.tolist(), strict=True) if u)
        named = dict.fromkeys(c for c in categories if c is not None)
        self.labels: tuple[str | None, ...] = (*named, *([None] if bare else []), ABSENT)
        index_of = {label: k for k, label in enumerate(self.labels)}
        self._codes = np.array([index_of.get(c, -1) for c in categories], np.int32)

    def __iter__(self) -> Iterator[Cells]:
        """Iterate over the cells, stretch by stretch."""
        return map(self.stretch, range(len(self.parts)))

    def select(self, people: Bools) -> Iterator[Cells]:
        """Yield the cells of some annotators, without unitary alignments in which none has a unit.

        Parameters
        ----------
        people
            Whether to select each annotator of each document, concatenated over documents.
        """
        before = 0
        for number, (first, _, _) in enumerate(self.parts):
            cells = self.stretch(number)
            annotator_in_document = np.arange(len(cells.group)) - np.searchsorted(
                cells.group, cells.group
            )
            place = (
                self.continua.people_edges[first + cells.document[cells.group]]
                + annotator_in_document
            )
            some = replace(cells.select(people[place]), before=before)
            before += len(some)
            yield some

    def stretch(self, number: int) -> Cells:
        """Return the cells of one stretch of documents.

        Parameters
        ----------
        number
            Number of the stretch, from 0.
        """
        first, end, before = self.parts[number]
        continua = self.continua[first:end]
        columns = self.aligned.columns(np.arange(first, end))
        n = continua.n_annotators
        cells = np.diff(columns.edges)
        owner = np.repeat(np.arange(len(continua)), cells)
        place = np.arange(len(owner)) - columns.edges[owner]
        edges = np.concatenate(([0], np.cumsum(cells // n)))
        units = continua.all_units()
        people = self.continua.people_edges[first] + continua.people_edges[owner] + place % n[owner]
        row = columns.groups + continua.edges[owner]
        return Cells(
            continua,
            first,
            before,
            edges,
            edges[owner] + place // n[owner],
            self._whose[people],
            np.where(columns.groups >= 0, row, -1),
            units.starts,
            units.ends,
            units.category_codes,
            self._codes[units.category_codes],
        )

    def responses(self, cells: Iterable[Cells] | None = None) -> Responses:
        """Return a response for each cell: its category (without features), or ∅.

        Parameters
        ----------
        cells
            Cells of stretches of documents; default: all.
        """
        columns = []
        groups = 0
        for part in self if cells is None else cells:
            labels_of_cells = np.where(
                part.unit < 0, len(self.labels) - 1, part.response_codes[part.unit]
            )
            response_columns = (
                part.group + groups,
                part.annotator,
                labels_of_cells,
                part.closeness(),
            )
            columns.append([column.astype(np.int32) for column in response_columns])
            groups += len(part)
        item, annotator, label, close = map(np.concatenate, zip(*columns, strict=True))
        return Responses(item, annotator, label, groups, self.annotators, self.labels, close)
