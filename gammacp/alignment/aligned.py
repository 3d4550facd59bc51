"""The best alignments of many continua: columns, of which each alignment is made when looked at.

An alignment of a few units is some kilobytes as an object, and two hundred bytes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.problem import Proof, RelaxedMatrix, Status
from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import BoundDissimilarity

_STATUSES = tuple(Status)
# Alignments that are kept once they are made.
_KEPT = 2000


@dataclass(frozen=True, eq=False)
class AlignedPart:
    """Columns of some alignments: what a task gives.

    Attributes
    ----------
    groups, edges
        Rows of units in the groups of each, flat, and where those of each begin.
    prices, price_edges
        Of its units, where there is a proof, and where those of each begin.
    disorder, bound, tolerance, status, first
        As of an `Alignment`; of the status its place among all.
    has_proof
        Whether there is a proof.
    matrices
        What it rests on beside prices, by number of the alignment.
    """

    groups: Codes
    edges: Indices
    prices: Floats
    price_edges: Indices
    disorder: Floats
    bound: Floats
    tolerance: Floats
    status: Codes
    first: Bools
    has_proof: Bools
    matrices: dict[int, RelaxedMatrix]

    @classmethod
    def of(cls, alignments: Sequence[Alignment]) -> AlignedPart:
        """The columns of these.

        Parameters
        ----------
        alignments
            Of small continua, or large ones.
        """
        prices = [np.empty(0) if a.proof is None else a.proof.price for a in alignments]
        groups = [a.groups.ravel() for a in alignments]
        matrices = {
            k: a.proof.matrix
            for k, a in enumerate(alignments)
            if a.proof is not None and a.proof.matrix is not None
        }
        return cls(
            np.concatenate([np.empty(0, np.int32), *groups]),
            _edges(groups),
            np.concatenate([np.empty(0), *prices]),
            _edges(prices),
            np.array([a.disorder for a in alignments], np.float64),
            np.array([a.bound for a in alignments], np.float64),
            np.array([a.tolerance for a in alignments], np.float64),
            np.array([_STATUSES.index(a.status) for a in alignments], np.int32),
            np.array([a.first for a in alignments], np.bool_),
            np.array([a.proof is not None for a in alignments], np.bool_),
            matrices,
        )


def _edges(parts: Sequence[Any]) -> Indices:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


class Aligned(Sequence[Alignment]):
    """The best alignments of continua, in order; fewer where an interruption came between.

    Parameters
    ----------
    continua, dissimilarity, method, cover
        What was aligned, and how.
    parts
        Their columns.
    """

    def __init__(
        self,
        continua: ContinuumSequence,
        dissimilarity: BoundDissimilarity,
        method: str,
        *,
        cover: bool,
        parts: Sequence[AlignedPart],
    ) -> None:
        """No object is made yet."""
        self.continua, self.dissimilarity = continua, dissimilarity
        self.method, self.cover = method, cover
        self._parts = tuple(parts)
        self._first = np.cumsum([0, *(len(p.disorder) for p in self._parts)], dtype=np.int64)
        self._made: dict[int, Alignment] = {}

    def __len__(self) -> int:
        """How many there are."""
        return int(self._first[-1])

    @overload
    def __getitem__(self, place: int) -> Alignment: ...
    @overload
    def __getitem__(self, place: slice) -> list[Alignment]: ...
    def __getitem__(self, place: int | slice) -> Alignment | list[Alignment]:
        """One of them, or several."""
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        found = self._made.get(number)
        if found is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            found = self._made[number] = self._make(number)
        return found

    def _make(self, number: int) -> Alignment:
        which = int(np.searchsorted(self._first, number, side="right")) - 1
        part, k = self._parts[which], number - int(self._first[which])
        continuum = self.continua[number]
        groups = part.groups[part.edges[k] : part.edges[k + 1]]
        price = part.prices[part.price_edges[k] : part.price_edges[k + 1]]
        return Alignment(
            continuum=continuum,
            dissimilarity=self.dissimilarity,
            groups=groups.reshape(-1, continuum.n_annotators),
            disorder=float(part.disorder[k]),
            bound=float(part.bound[k]),
            status=_STATUSES[part.status[k]],
            method=self.method,
            cover=self.cover,
            first=bool(part.first[k]),
            tolerance=float(part.tolerance[k]),
            proof=Proof(price, part.matrices.get(k)) if part.has_proof[k] else None,
        )

    @property
    def disorders(self) -> Floats:
        """Of each, shape (alignments,)."""
        return np.concatenate([np.empty(0), *(p.disorder for p in self._parts)])

    @property
    def bounds(self) -> Floats:
        """Of each, shape (alignments,)."""
        return np.concatenate([np.empty(0), *(p.bound for p in self._parts)])

    @property
    def optimal(self) -> Bools:
        """Whether each is proven to be the best, shape (alignments,)."""
        best = _STATUSES.index(Status.OPTIMAL)
        return np.concatenate([np.empty(0, np.bool_), *(p.status == best for p in self._parts)])
