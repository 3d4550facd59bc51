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

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum.continuum import Continuum

# Number of units that are processed together.
_UNITS = 40_000


class Stacked(NamedTuple):
    """Concatenated units of several continua; annotator codes are those of each continuum."""

    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes


class ContinuumSequence(Sequence[Continuum]):
    """A sequence of continua that exist as objects; `of` makes one from any sequence.

    `document_table.TableDocuments` has the same interface for the documents of a table.

    Parameters
    ----------
    continua
        Continua in order.
    """

    plain = False
    """Whether each is units of one piece alone: no shape, text, grid, link, weight, …"""

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
    def __getitem__(self, place: int) -> Continuum: ...
    @overload
    def __getitem__(self, place: slice) -> ContinuumSequence: ...
    def __getitem__(self, place: int | slice) -> Continuum | ContinuumSequence:
        """Return one continuum, or the continua of a slice."""
        if isinstance(place, slice):
            return ContinuumSequence(self._continua[place])
        return self._continua[place]

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
        """Leave out the hash, since strings hash differently in another process."""
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    def at(self, places: Indices) -> ContinuumSequence:
        """Return the continua at these places, in this order.

        Parameters
        ----------
        places
            Places of the continua, from 0.
        """
        return ContinuumSequence(self._continua[i] for i in places.tolist())

    @cached_property
    def n_units(self) -> Indices:
        """Number of units of each continuum, shape (continua,)."""
        return np.array([c.n_units for c in self], np.int64)

    @cached_property
    def n_annotators(self) -> Indices:
        """Number of annotators of each continuum, shape (continua,)."""
        return np.array([c.n_annotators for c in self], np.int64)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the continua, each of shape (continua,)."""
        low, high = np.array([c.bounds for c in self], np.float64).reshape(-1, 2).T
        return low, high

    @property
    def own_bounds(self) -> Sequence[bool]:
        """For each continuum, True if its bounds differ from the extent of its units."""
        return [c.declared for c in self]

    @property
    def people(self) -> tuple[tuple[str, ...], Codes]:
        """Names of all annotators, and the code of each continuum's annotators, concatenated."""
        code: dict[str, int] = {}
        codes = [code.setdefault(a, len(code)) for c in self for a in c.annotators]
        return tuple(code), np.array(codes, np.int32)

    @property
    def selection(self) -> tuple[str, ...]:
        """Selections made in any continuum, each entry once."""
        return tuple(dict.fromkeys(entry for c in self for entry in c.selection))

    def selection_at(self, place: int) -> tuple[str, ...]:
        """Return the selections made in one continuum.

        Parameters
        ----------
        place
            Index of the continuum, from 0.
        """
        return self._continua[place].selection

    def all_units(self) -> Stacked:
        """Return the units of all continua."""
        none: list[Floats] = [np.empty(0)]
        return Stacked(
            np.concatenate([c.starts for c in self] or none),
            np.concatenate([c.ends for c in self] or none),
            np.concatenate([np.empty(0, np.int32), *(c.annotator_codes for c in self)]),
            np.concatenate([np.empty(0, np.int32), *(c.category_codes for c in self)]),
        )

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
    def beside(self) -> Sequence[Continuum]:
        """Return the continua that may have units with fragments or shapes."""
        if self.plain:
            return ()
        return self

    def stretches(self, units: int) -> Iterator[ContinuumSequence]:
        """Yield the continua in order, in slices of about so many units.

        Parameters
        ----------
        units
            Number of units of a slice; the last one has fewer.
        """
        cuts = np.flatnonzero(np.diff(self.edges[1:] // units)) + 1
        places = [0, *cuts.tolist(), len(self)]
        for low, high in pairwise(places):
            if low < high:
                yield self[low:high]
