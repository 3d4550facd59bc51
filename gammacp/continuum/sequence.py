"""Sequences of continua with arrays of their quantities.

Computations over a whole corpus use these arrays, so that a million objects need not be made for a
sum. The continua may exist as objects, or be made on access.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Codes, Floats, Indices, freeze, rows_at, smallest
from gammacp.continuum.continuum import Continuum

# Number of units that are processed together.
_UNITS = 40_000
# Number of continua whose units are put into columns together.
_CONTINUA = 2000
# Cached properties that a part of a sequence takes from the whole sequence, or makes from those.
_LOOKED_UP = ("n_units", "n_annotators", "bounds", "own_bounds", "edges", "people_edges")


class Stacked(NamedTuple):
    """Concatenated units of several continua; annotator codes are those of each continuum."""

    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes

    @classmethod
    def of_rows(cls, columns: Sequence[NDArray[Any]], rows: Any) -> Stacked:
        """Return some rows of columns of any type, in the types that continua have.

        Parameters
        ----------
        columns
            Starts, ends, codes of annotators and codes of categories.
        rows
            A slice, or numbers.
        """
        starts, ends, annotator_codes, category_codes = columns
        return cls(
            np.asarray(starts[rows], np.float64),
            np.asarray(ends[rows], np.float64),
            np.asarray(annotator_codes[rows], np.int32),
            np.asarray(category_codes[rows], np.int32),
        )


class ContinuumSequence(Sequence[Continuum]):
    """A sequence of continua that exist as objects; `of` makes one from any sequence.

    `document_table.TableDocuments` has the same interface for the documents of a table.

    A large corpus is processed in many small parts, and several times. So a sequence that was cut
    from another one does not ask its continua for their numbers and units: it looks them up in the
    columns of the whole sequence, which are made once.

    Parameters
    ----------
    continua
        Continua in order.
    """

    plain = False
    """Whether all continua consist of plain units: no fragments, shape, grid, link, weight, …"""

    _cut: _Cut | None = None

    def __init__(self, continua: Iterable[Continuum]) -> None:
        """Keep the continua unchanged."""
        self._continua = tuple(continua)

    @staticmethod
    def of(continua: Iterable[Continuum]) -> ContinuumSequence:
        """Return the continua as a sequence of this kind; return such a sequence unchanged.

        Parameters
        ----------
        continua
            Objects, or the documents of a table.
        """
        if isinstance(continua, ContinuumSequence):
            return continua
        return ContinuumSequence(continua)

    def __len__(self) -> int:
        """Return the number of continua."""
        return len(self._continua)

    def __iter__(self) -> Iterator[Continuum]:
        """Iterate over the continua in order."""
        return iter(self._continua)

    @overload
    def __getitem__(self, index: int) -> Continuum: ...
    @overload
    def __getitem__(self, index: slice) -> ContinuumSequence: ...
    def __getitem__(self, index: int | slice) -> Continuum | ContinuumSequence:
        """Return one continuum, or the continua of a slice."""
        if isinstance(index, slice):
            return self._part(self._continua[index], np.arange(*index.indices(len(self))))
        return self._continua[index]

    def _part(self, continua: Iterable[Continuum], numbers: Indices) -> ContinuumSequence:
        """Return the continua with these numbers; they know the sequence they were cut from."""
        part = ContinuumSequence(continua)
        numbers = numbers.astype(np.int64, copy=False)  # an empty array may be one of floats
        if self._cut is None:
            part._cut = _Cut(self, numbers)
        else:
            part._cut = _Cut(self._cut.source, self._cut.numbers[numbers])
        return part

    def __eq__(self, other: object) -> bool:
        """Return whether both are sequences of objects with equal continua."""
        return type(other) is ContinuumSequence and self._continua == other._continua

    def __hash__(self) -> int:
        """Return a hash that is consistent with `==`."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Hash of the number of continua, the first and the last one.

        Hashing all units of a large corpus would be slow, and these three rarely coincide for
        different sequences.
        """
        return hash((len(self._continua), self._continua[:1], self._continua[-1:]))

    def __getstate__(self) -> dict[str, Any]:
        """Keep the continua alone: hashes differ in other processes, and the whole is large."""
        return {"_continua": self._continua, "_cut": None}

    def at(self, numbers: Indices) -> ContinuumSequence:
        """Return the continua with these numbers, in this order.

        Parameters
        ----------
        numbers
            Numbers of the continua, from 0.
        """
        if len(numbers) == len(self) and np.array_equal(numbers, np.arange(len(self))):
            return self
        return self._part((self._continua[i] for i in numbers.tolist()), numbers)

    @cached_property
    def n_units(self) -> Indices:
        """Number of units of each continuum, shape (continua,)."""
        if self._cut is not None:
            return self._cut.source.n_units[self._cut.numbers]
        return np.array([c.n_units for c in self], np.int64)

    @cached_property
    def n_annotators(self) -> Indices:
        """Number of annotators of each continuum, shape (continua,)."""
        if self._cut is not None:
            return self._cut.source.n_annotators[self._cut.numbers]
        return np.array([c.n_annotators for c in self], np.int64)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the continua, each of shape (continua,)."""
        if self._cut is not None:
            low, high = self._cut.source.bounds
            return low[self._cut.numbers], high[self._cut.numbers]
        low, high = np.array([c.bounds for c in self], np.float64).reshape(-1, 2).T
        return low, high

    @cached_property
    def own_bounds(self) -> Sequence[bool]:
        """For each continuum, True if its bounds differ from the extent of its units."""
        if self._cut is not None:
            own_bounds = self._cut.source.own_bounds
            return [own_bounds[number] for number in self._cut.numbers.tolist()]
        first, last = extents(self.edges, *self._columns[:2])
        low, high = self.bounds
        return list(map(bool, (low != first) | (high != last)))

    @property
    def people(self) -> tuple[tuple[str, ...], Codes]:
        """Names of all annotators, and the code of each continuum's annotators, concatenated."""
        code: dict[str, int] = {}
        codes = np.fromiter(
            (code.setdefault(a, len(code)) for c in self for a in c.annotators),
            np.int32,
            count=int(self.n_annotators.sum()),
        )
        return tuple(code), codes

    @property
    def selection(self) -> tuple[str, ...]:
        """Selections made in any continuum, each entry once."""
        return tuple(dict.fromkeys(entry for c in self for entry in c.selection))

    def selection_at(self, number: int) -> tuple[str, ...]:
        """Return the selections made in one continuum.

        Parameters
        ----------
        number
            Number of the continuum, from 0.
        """
        return self._continua[number].selection

    def all_units(self) -> Stacked:
        """Return the units of all continua."""
        if self._cut is not None:
            rows = rows_of(self._cut.source.edges, self._cut.numbers)
            return Stacked.of_rows(self._cut.source._columns, rows)
        none: list[Floats] = [np.empty(0)]
        return Stacked(
            np.concatenate([c.starts for c in self] or none),
            np.concatenate([c.ends for c in self] or none),
            np.concatenate([np.empty(0, np.int32), *(c.annotator_codes for c in self)]),
            np.concatenate([np.empty(0, np.int32), *(c.category_codes for c in self)]),
        )

    @cached_property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        """Columns of `all_units`, kept for the parts of this sequence in the smallest types.

        A column is made of a few continua at a time, so that the large types of all need no memory
        at once.
        """
        columns = []
        for name in Stacked._fields:
            batches: list[NDArray[Any]] = [np.empty(0, np.int8)]
            for first in range(0, len(self), _CONTINUA):
                some = self._continua[first : first + _CONTINUA]
                batches.append(smallest(np.concatenate([getattr(c, name) for c in some])))
            columns.append(np.concatenate(batches))
            freeze(columns[-1])
        return tuple(columns)

    @property
    def mean_units(self) -> Floats:
        """x̄ of each continuum: units per annotator, 0 without annotators."""
        return np.asarray(self.n_units / np.maximum(self.n_annotators, 1))

    @cached_property
    def edges(self) -> Indices:
        """First row of each continuum's units, and the total; shape (continua + 1,)."""
        return np.concatenate(([0], np.cumsum(self.n_units))).astype(np.int64)

    @cached_property
    def people_edges(self) -> Indices:
        """First index of each continuum's annotators, and the total; shape (continua + 1,)."""
        return np.concatenate(([0], np.cumsum(self.n_annotators))).astype(np.int64)

    @cached_property
    def counts(self) -> Codes:
        """Number of units of each annotator of each continuum, concatenated."""
        counts_by_document = [np.empty(0, np.int32)]
        for part in self.stretches(_UNITS):
            first = np.repeat(part.people_edges[:-1], part.n_units)
            codes = part.all_units().annotator_codes
            counts = np.bincount(first + codes, minlength=part.people_edges[-1])
            counts_by_document.append(counts.astype(np.int32))
        return np.concatenate(counts_by_document)

    @cached_property
    def most_units(self) -> Indices:
        """Largest number of units of an annotator, for each continuum; shape (continua,)."""
        return self.of_annotators(np.maximum, self.counts)

    def of_annotators(self, reduce: np.ufunc, values: Codes) -> Indices:
        """Reduce the values of each continuum's annotators; 0 without annotators.

        Parameters
        ----------
        reduce
            `np.add`, `np.maximum`, …
        values
            Value of each annotator of each continuum, in the order of `counts`.
        """
        numbers = np.zeros(len(self), np.int64)
        some = np.flatnonzero(self.n_annotators)
        if len(some):
            numbers[some] = reduce.reduceat(values, self.people_edges[some])
        return numbers

    @property
    def structured(self) -> Sequence[Continuum]:
        """Return the continua that may have more than plain units, or none if all are `plain`.

        This is more than a start, an end, an annotator and a category: fragments, shapes, links,
        weights, declared stretches or ends of reading.
        """
        if self.plain:
            return ()
        return self

    def forget_numbers(self) -> None:
        """Drop the numbers of continua that were cut from others: they are looked up again there.

        Each array of numbers of 100,000 continua takes 0.8 MB.
        """
        if self._cut is not None:
            for name in _LOOKED_UP:
                self.__dict__.pop(name, None)

    def stretches(self, units: int) -> Iterator[ContinuumSequence]:
        """Yield the continua in order, in slices of about so many units.

        Parameters
        ----------
        units
            Number of units of a slice; the last one has fewer.
        """
        cuts = np.flatnonzero(np.diff(self.edges[1:] // units)) + 1
        edges = [0, *cuts.tolist(), len(self)]
        for low, high in pairwise(edges):
            if low < high:
                yield self[low:high]


def extents(edges: Indices, starts: NDArray[Any], ends: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the first start and the last end of each document's units; 0 without units.

    Parameters
    ----------
    edges
        Units of document d are rows `edges[d]:edges[d + 1]`.
    starts, ends
        Columns of all units.
    """
    low, high = np.zeros((2, len(edges) - 1))
    some = np.flatnonzero(np.diff(edges))
    if len(some):
        low[some] = np.minimum.reduceat(starts, edges[some])
        high[some] = np.maximum.reduceat(ends, edges[some])
    return low, high


def rows_of(edges: Indices, numbers: Indices) -> Any:
    """Return the rows of some documents in a column with these edges; a slice if consecutive.

    Parameters
    ----------
    edges
        The rows of document d are `edges[d]:edges[d + 1]`.
    numbers
        Numbers of the documents.
    """
    if not len(numbers):
        return slice(0)
    if (np.diff(numbers) == 1).all():
        return slice(edges[numbers[0]], edges[numbers[-1] + 1])
    return rows_at(edges, numbers)[0]


class _Cut(NamedTuple):
    """Sequence that another one was cut from, and the numbers there of its continua."""

    source: ContinuumSequence
    numbers: Indices
