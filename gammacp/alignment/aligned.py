"""The best alignments of many continua, as columns; `Alignment` objects are made on access.

The object for an alignment of a few units takes some kilobytes; here it takes two hundred bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from gammacp.alignment.alignment import OPEN_SHARE, Alignment
from gammacp.alignment.problem import Proof, Status
from gammacp.base.arrays import Bools, Codes, Floats, Indices, MadeWhenRead, rows_at, smallest
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import BoundDissimilarity

_STATUSES = tuple(Status)
# Largest number of `Alignment` objects that are kept for further accesses.
_KEPT = 2000


@dataclass(frozen=True, eq=False)
class AlignedPart:
    """Alignments as columns, one entry per alignment: for example the result of one task.

    Attributes
    ----------
    groups, edges
        Rows of the units in the groups of all alignments, as one flat array, and the indices in it
        where each alignment begins.
    disorder, bound, tolerance, status, first
        The fields of `Alignment` of the same names, one entry per alignment; `status` holds the
        index of the status.
    proofs
        Evidence for the bounds, by number of the alignment. Small alignments have none, because
        their proof is quickly found again (`certificate`).
    """

    groups: Codes
    edges: Indices
    disorder: Floats
    bound: Floats
    tolerance: Floats
    status: Codes
    first: Bools
    proofs: dict[int, Proof]

    @classmethod
    def of(cls, alignments: Sequence[Any]) -> AlignedPart:
        """Return the columns of some alignments.

        Parameters
        ----------
        alignments
            `Alignment` or `BestGroups` objects.
        """
        groups = [a.groups.ravel() for a in alignments]
        return cls(
            np.concatenate([np.empty(0, np.int32), *groups]),
            _edges([*map(len, groups)]),
            np.array([a.disorder for a in alignments], np.float64),
            np.array([a.bound for a in alignments], np.float64),
            np.array([a.tolerance for a in alignments], np.float64),
            np.array([_STATUSES.index(a.status) for a in alignments], np.int32),
            np.array([a.first for a in alignments], np.bool_),
            {k: a.proof for k, a in enumerate(alignments) if a.proof is not None},
        )

    @classmethod
    def proven(
        cls, groups: Codes, edges: Indices, disorder: Floats, tolerance: float, *, first: bool
    ) -> AlignedPart:
        """Return the columns of alignments that were all proven to be the best.

        Parameters
        ----------
        groups, edges, disorder, tolerance, first
            Fields of the class; `tolerance` and `first` are the same for all alignments.
        """
        n = len(disorder)
        status = np.full(n, _STATUSES.index(Status.OPTIMAL), np.int32)
        first_each = np.full(n, first)
        each = np.full(n, tolerance)
        return cls(groups.ravel(), edges, disorder, disorder, each, status, first_each, {})

    @classmethod
    def joined(cls, parts: Sequence[AlignedPart]) -> AlignedPart:
        """Concatenate several parts.

        Parameters
        ----------
        parts
            Parts in order; at least one.
        """
        columns: dict[str, Any] = {
            f.name: np.concatenate([getattr(p, f.name) for p in parts])
            for f in fields(cls)
            if f.name not in ("edges", "proofs")
        }
        edges = _edges(np.concatenate([np.diff(p.edges) for p in parts]))
        before = np.cumsum([0, *map(len, parts)]).tolist()
        numbered = zip(before, parts, strict=False)
        proofs = {k + i: proof for i, p in numbered for k, proof in p.proofs.items()}
        return cls(**columns, edges=edges, proofs=proofs)

    def __len__(self) -> int:
        """Return the number of alignments."""
        return len(self.disorder)

    def at(self, numbers: Indices) -> AlignedPart:
        """Return the alignments with these numbers, in this order.

        Parameters
        ----------
        numbers
            Numbers of alignments, counted from 0.
        """
        groups, edges = rows_at(self.edges, numbers)
        return AlignedPart(
            self.groups[groups],
            edges,
            self.disorder[numbers],
            self.bound[numbers],
            self.tolerance[numbers],
            self.status[numbers],
            self.first[numbers],
            {new: self.proofs[k] for new, k in enumerate(numbers.tolist()) if k in self.proofs},
        )

    def small(self) -> AlignedPart:
        """Return the same columns in less memory.

        Integers have the smallest type that holds them. Bounds that are the disorders are not kept
        twice, and tolerances that are all alike are kept once.
        """
        bound = self.bound
        # Compared as bits: 0 and −0 are different.
        if np.array_equal(bound.view(np.int64), self.disorder.view(np.int64)):
            bound = self.disorder
        tolerance = self.tolerance
        if len(tolerance) and (tolerance == tolerance[0]).all():
            tolerance = np.broadcast_to(tolerance[0], tolerance.shape)
        return replace(
            self,
            groups=smallest(self.groups),
            status=smallest(self.status),
            edges=self.edges.astype(np.int32),
            bound=bound,
            tolerance=tolerance,
        )

    def fields_of(self, k: int, n_annotators: int) -> dict[str, Any]:
        """Return the fields that `BestGroups` and `Alignment` share, for one alignment.

        Parameters
        ----------
        k
            Number of the alignment, counted from 0.
        n_annotators
            Number of annotators of its continuum.
        """
        groups = self.groups[self.edges[k] : self.edges[k + 1]].astype(np.int32, copy=False)
        return {
            "groups": groups.reshape(-1, n_annotators),
            "disorder": float(self.disorder[k]),
            "bound": float(self.bound[k]),
            "status": _STATUSES[self.status[k]],
            "first": bool(self.first[k]),
            "tolerance": float(self.tolerance[k]),
            "proof": self.proofs.get(k),
        }


def _edges(sizes: Sequence[int] | Indices) -> Indices:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


class Aligned(MadeWhenRead[Alignment]):
    """The best alignments of a sequence of continua, in order.

    There are fewer alignments than continua if the work was interrupted.

    Parameters
    ----------
    continua, dissimilarity, method, cover, reuse
        The arguments of `align` that the alignments were made with.
    parts
        Columns of the alignments.
    constraints
        Rules that each alignment had to keep.
    """

    def __init__(
        self,
        continua: ContinuumSequence,
        dissimilarity: BoundDissimilarity,
        method: str,
        *,
        cover: bool,
        parts: Sequence[AlignedPart],
        constraints: tuple[Any, ...] = (),
        reuse: float = 0.0,
    ) -> None:
        """Keep the columns; no `Alignment` is made yet."""
        self.continua = continua
        self.dissimilarity = dissimilarity
        self.method = method
        self.cover = cover
        self.constraints = constraints
        self.reuse = reuse
        self._parts = tuple(parts)
        self._first = np.cumsum([0, *(len(p.disorder) for p in self._parts)], dtype=np.int64)
        super().__init__(int(self._first[-1]), _KEPT)

    @classmethod
    def of(cls, alignment: Alignment) -> Aligned:
        """Return a sequence of one alignment.

        Parameters
        ----------
        alignment
            An alignment of one document.
        """
        continua = ContinuumSequence.of([alignment.continuum])
        parts = [AlignedPart.of([alignment])]
        how = alignment.dissimilarity, alignment.method
        return cls(
            continua,
            *how,
            cover=alignment.cover,
            parts=parts,
            constraints=alignment.constraints,
            reuse=alignment.reuse,
        )

    def make(self, number: int) -> Alignment:
        """Make the alignment with this number, counted from 0."""
        which = int(np.searchsorted(self._first, number, side="right")) - 1
        part = self._parts[which]
        k = number - int(self._first[which])
        continuum = self.continua[number]
        return Alignment(
            continuum=continuum,
            dissimilarity=self.dissimilarity,
            method=self.method,
            cover=self.cover,
            constraints=self.constraints,
            reuse=self.reuse,
            **part.fields_of(k, continuum.n_annotators),
        )

    def document(self, number: int) -> AlignedDocument:
        """Return a document with its alignment; neither is made yet.

        Parameters
        ----------
        number
            Number of the document, counted from 0.
        """
        return AlignedDocument(self, number)

    def columns(self, rows: Indices) -> AlignedPart:
        """Return the columns of some of the alignments.

        Parameters
        ----------
        rows
            Numbers of the alignments, ascending; at least one.
        """
        which = np.searchsorted(self._first, rows, side="right") - 1
        parts = np.unique(which).tolist()
        return AlignedPart.joined(
            [self._parts[k].at(rows[which == k] - self._first[k]) for k in parts]
        )

    @cached_property
    def disorders(self) -> Floats:
        """Return the disorder of each alignment, shape (alignments,)."""
        return np.concatenate([np.empty(0), *(p.disorder for p in self._parts)])

    @cached_property
    def bounds(self) -> Floats:
        """Return the bound of each alignment, shape (alignments,)."""
        if all(part.bound is part.disorder for part in self._parts):
            return self.disorders
        return np.concatenate([np.empty(0), *(p.bound for p in self._parts)])

    @cached_property
    def optimal(self) -> Bools:
        """Return whether each alignment is proven to be the best, shape (alignments,)."""
        best = _STATUSES.index(Status.OPTIMAL)
        return np.concatenate([np.empty(0, np.bool_), *(p.status == best for p in self._parts)])

    @property
    def with_notes(self) -> Indices:
        """Numbers of the alignments that have `notes`."""
        open_places = [
            ~p.first | (p.tolerance > OPEN_SHARE * np.maximum(p.disorder, 0)) & (p.disorder > 0)
            for p in self._parts
        ]
        return np.flatnonzero(~self.optimal | np.concatenate([np.empty(0, np.bool_), *open_places]))


class AlignedDocument:
    """A document with its best alignment; both are made on access.

    Numbers such as the disorder come from the columns of all documents, so that scoring a million
    documents needs no objects. Two documents are equal if their alignments are. A pickled document
    contains its own alignment, not the columns of all.

    Parameters
    ----------
    aligned
        The alignments of all documents.
    number
        Number of this document, counted from 0.
    """

    __slots__ = ("_aligned", "_alignment", "_number")

    def __init__(self, aligned: Aligned, number: int) -> None:
        """Keep the number; no object is made yet."""
        self._aligned = aligned
        self._number = number
        self._alignment: Alignment | None = None

    @classmethod
    def of(cls, alignment: Alignment) -> AlignedDocument:
        """Return the document of an existing alignment.

        Parameters
        ----------
        alignment
            An alignment of any continuum.
        """
        document = cls(Aligned.of(alignment), 0)
        document._alignment = alignment
        return document

    def __eq__(self, other: object) -> bool:
        """Compare the alignments."""
        if not isinstance(other, AlignedDocument):
            return NotImplemented
        return self.alignment == other.alignment

    def __hash__(self) -> int:
        """Return the hash of the alignment."""
        return hash(self.alignment)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the alignment alone."""
        return AlignedDocument.of, (self.alignment,)

    @property
    def alignment(self) -> Alignment:
        """The best alignment."""
        if self._alignment is None:
            self._alignment = self._aligned[self._number]
        return self._alignment

    @property
    def continuum(self) -> Continuum:
        """The units of all annotators."""
        return self.alignment.continuum

    @property
    def disorder(self) -> float:
        """Disorder of the alignment."""
        return float(self._aligned.disorders[self._number])

    @property
    def bound(self) -> float:
        """Proven lower bound of the disorder."""
        return float(self._aligned.bounds[self._number])

    @property
    def optimal(self) -> bool:
        """True if the alignment is proven to be the best."""
        return bool(self._aligned.optimal[self._number])

    @property
    def method(self) -> str:
        """Name of the solver."""
        return self._aligned.method

    @property
    def n_annotators(self) -> int:
        """Number of annotators."""
        return int(self._aligned.continua.n_annotators[self._number])

    @property
    def n_units(self) -> int:
        """Number of units of all annotators."""
        return int(self._aligned.continua.n_units[self._number])

    @property
    def most_units(self) -> int:
        """Largest number of units of one annotator."""
        return int(self._aligned.continua.most_units[self._number])

    @property
    def selection(self) -> tuple[str, ...]:
        """The selection of the continuum; see `Continuum.selection`."""
        return self._aligned.continua.selection_at(self._number)


class MergedAlignments(MadeWhenRead[Alignment]):
    """The best alignments of continua in the order of these, though aligned in several batches.

    A batch holds the continua that were aligned with the same gap.

    Parameters
    ----------
    size
        Number of continua.
    batches
        For each batch, the numbers of its continua and their alignments.
    """

    def __init__(self, size: int, batches: Sequence[tuple[Indices, Aligned]]) -> None:
        """Merge the batches; after an interruption, end before the first missing alignment."""
        self._batches = [aligned for _, aligned in batches]
        self._which = np.full((2, size), -1, np.int32)
        for k, (numbers, aligned) in enumerate(batches):
            self._which[:, numbers] = np.full(len(aligned), k), np.arange(len(aligned))
        missing = np.flatnonzero(self._which[0] < 0)
        super().__init__(int(missing[0]) if len(missing) else size, 1)

    def make(self, number: int) -> Alignment:
        """Return the alignment of the continuum with this number, counted from 0."""
        return self._batches[int(self._which[0, number])][int(self._which[1, number])]

    def document(self, number: int) -> AlignedDocument:
        """Return a document with its alignment, whose objects are only made when they are read.

        Parameters
        ----------
        number
            Number of the document, counted from 0.
        """
        return self._batches[int(self._which[0, number])].document(int(self._which[1, number]))

    def columns(self, rows: Indices) -> AlignedPart:
        """Return the columns of alignments that all have the same number of annotators.

        Parameters
        ----------
        rows
            Numbers of their continua, ascending.
        """
        which, inner_rows = self._which[:, rows]
        return self._batches[int(which[0])].columns(inner_rows)

    def column(self, name: str) -> Floats:
        """Return one number per alignment: `disorders`, `bounds` or `optimal` (1 or 0).

        Parameters
        ----------
        name
            Name of a property of `Aligned`.
        """
        numbers = np.zeros(self._which.shape[1])
        for k, aligned in enumerate(self._batches):
            numbers[self._which[0] == k] = getattr(aligned, name)
        return numbers[: self._size]
