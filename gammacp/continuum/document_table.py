"""The documents of a large corpus as columns, from which continua are made on demand.

A million documents of fifteen units take 24 bytes per unit here, but several gigabytes as objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Bools, Codes, Floats, Indices, freeze, rows_at, smallest
from gammacp.continuum.about import About
from gammacp.continuum.columns import Bounds, all_names, checked_bounds, recode
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.fragments import Inside, ranks, split_inside
from gammacp.continuum.sequence import ContinuumSequence, Stacked, extents, rows_of

_COLUMNS = ("starts", "ends", "annotator_codes", "category_codes")
# Number of rows that are sorted at once.
_ROWS = 1 << 16
# Number of groups of annotators whose tuples of names are cached.
_NAMED = 10_000
_ABOUT = About()


@dataclass(frozen=True, eq=False)
class DocumentAnnotators:
    """Annotators of each document of a table.

    Attributes
    ----------
    names
        Names that the codes index.
    codes, edges
        Annotators of document d are `codes[edges[d]:edges[d + 1]]`.
    """

    names: tuple[str, ...]
    codes: Codes
    edges: Indices
    _names_by_codes: dict[bytes, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def of_document(self, number: int) -> tuple[str, ...]:
        """Return the names of a document's annotators; equal tuples are shared between documents.

        Parameters
        ----------
        number
            Number of the document.
        """
        codes = self.codes[self.edges[number] : self.edges[number + 1]]
        key = codes.tobytes()
        names = self._names_by_codes.get(key)
        if names is None:
            if len(self._names_by_codes) >= _NAMED:
                self._names_by_codes.clear()
            names = tuple(self.names[k] for k in codes.tolist())
            self._names_by_codes[key] = names
        return names


@dataclass(frozen=True, eq=False)
class DocumentTable(Mapping[str, Continuum]):
    """A mapping of continua by name, stored as columns of all units; each is made on look-up.

    Build it with `of_rows`.

    Attributes
    ----------
    number_by_name
        The number of each document by its name, in their order.
    people
        Names of all annotators, and the annotators of each document.
    categories
        Names that the category codes index.
    edges
        Units of document d are rows `edges[d]:edges[d + 1]`, sorted as in a `Continuum`.
    starts, ends, annotator_codes, category_codes
        Columns of the units. An annotator's code is an index into the annotators of the document.
        Each column has the smallest type that holds it exactly; `units` returns the types of
        continua.
    lows, highs
        Bounds of the documents.
    inside
        Breaks or shapes of the units; None where all are of one piece.
    about
        Statements that hold for all documents: offset unit and selection.
    """

    number_by_name: Mapping[str, int]
    people: DocumentAnnotators
    categories: tuple[str, ...]
    edges: Indices
    starts: NDArray[Any]
    ends: NDArray[Any]
    annotator_codes: NDArray[np.signedinteger]
    category_codes: NDArray[np.signedinteger]
    lows: Floats
    highs: Floats
    inside: Inside | None = None
    about: About = _ABOUT

    def __post_init__(self) -> None:
        """Make the columns read-only, since continua are views of them."""
        for name in _COLUMNS:
            freeze(getattr(self, name))

    @classmethod
    def of_rows(
        cls,
        number_by_name: Mapping[str, int],
        annotators: Sequence[str],
        categories: Sequence[str],
        document_codes: Codes,
        annotator_codes: Codes,
        category_codes: Codes,
        starts: Floats,
        ends: Floats,
        *,
        inside: Inside | None = None,
        bounds: Mapping[int, Bounds] | None = None,
        offset_unit: str = "",
    ) -> DocumentTable:
        """Make a table of rows in any order; the arrays are taken over and sorted in place.

        Parameters
        ----------
        number_by_name
            The number of each document by its name, ascending from 0.
        annotators, categories
            Names that the codes index.
        document_codes, annotator_codes, category_codes
            int32, one entry per unit. A row that only declares a document has annotator −1;
            category −1 is unlabelled.
        starts, ends
            Valid positions; NaN in a row that declares an annotator without units.
        inside
            Breaks or shapes of units, or None.
        bounds
            Bounds of documents for which they are declared, by number.
        offset_unit
            Unit of positions.

        Raises
        ------
        DataError
            A unit lies outside the bounds.
        """
        names = all_names(None, annotators, "annotator")
        labels = all_names(None, categories, "category")
        columns: dict[str, Any] = {
            "annotator_codes": recode(annotators, names)[annotator_codes],
            "category_codes": recode(categories, labels)[category_codes],
            "starts": starts,
            "ends": ends,
        }
        if inside is not None:
            columns["inside"] = inside.copy()
        document_codes = _sort_by_document(document_codes, columns)
        sizes, people = _sort_rows(document_codes, columns, len(number_by_name))
        edges = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        lows, highs = _bounds(bounds or {}, edges, columns["starts"], columns["ends"])
        for name in _COLUMNS:
            columns[name] = smallest(columns[name])
        codes = np.concatenate([np.empty(0, np.int32), *(codes for codes, _ in people)])
        counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in people)])
        people_edges = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return cls(
            number_by_name=number_by_name,
            people=DocumentAnnotators(names, codes, people_edges),
            categories=labels,
            edges=edges,
            lows=lows,
            highs=highs,
            about=About(offset_unit=offset_unit),
            **columns,
        )

    def noting(self, key: str, *values: str) -> DocumentTable:
        """Return a copy with the entry `key=values` added to the `selection` of each document.

        Parameters
        ----------
        key, values
            As for `Continuum.noting`.
        """
        return replace(self, about=self.about.noting(key, *values))

    def only(self, numbers: Indices) -> DocumentTable:
        """Return a table of these documents, in this order.

        Parameters
        ----------
        numbers
            Numbers of the documents.
        """
        rows, edges = rows_at(self.edges, numbers)
        people_rows, people_edges = rows_at(self.people.edges, numbers)
        names = self.names
        return replace(
            self,
            number_by_name={names[d]: k for k, d in enumerate(numbers.tolist())},
            edges=edges,
            **{name: getattr(self, name)[rows] for name in _COLUMNS},
            inside=None if self.inside is None else self.inside[rows],
            people=replace(self.people, codes=self.people.codes[people_rows], edges=people_edges),
            lows=self.lows[numbers],
            highs=self.highs[numbers],
        )

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of the annotators of all documents."""
        return self.people.names

    @cached_property
    def names(self) -> Sequence[str]:
        """Return the names of the documents, in order."""
        return tuple(self.number_by_name)

    @cached_property
    def own_bounds(self) -> tuple[Floats, Floats]:
        """First start and last end of the units of each document; 0 without units."""
        return extents(self.edges, self.starts, self.ends)

    def __getitem__(self, name: str) -> Continuum:
        """Return the continuum of that name, made anew."""
        return self.at(self.number_by_name[name])

    def at(self, number: int) -> Continuum:
        """Return the continuum of the document with this number, made anew.

        Parameters
        ----------
        number
            Place of the document, from 0.
        """
        rows = slice(self.edges[number], self.edges[number + 1])
        breaks = None
        shapes = None
        if self.inside is not None:
            breaks, shapes = split_inside(_or_none(self.inside[rows]))
        return Continuum(
            self.people.of_document(number),
            self.categories,
            *self.units(rows),
            (float(self.lows[number]), float(self.highs[number])),
            breaks,
            shapes,
            about=About(self.names[number], self.about.offset_unit, selection=self.about.selection),
        )

    def units(self, rows: Any) -> Stacked:
        """Return the columns of some units, in the types that continua have.

        Parameters
        ----------
        rows
            A slice, or numbers.
        """
        return Stacked.of_rows([getattr(self, name) for name in _COLUMNS], rows)

    def values(self) -> TableDocuments:
        """Return the continua in order, each made when it is accessed."""
        return TableDocuments(self, np.arange(len(self)))

    def __iter__(self) -> Iterator[str]:
        """Names, in order."""
        return iter(self.number_by_name)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.number_by_name)


def table_of_several(tables: Sequence[DocumentTable]) -> DocumentTable | None:
    """Join tables in order; return None if a document is in two of them.

    Also return None if offset units differ, or if units have fragments or shapes.

    Parameters
    ----------
    tables
        Tables, each with complete documents.
    """
    names = [name for table in tables for name in table.names]
    number_by_name = {name: number for number, name in enumerate(names)}
    if len(tables) == 1:
        return tables[0]
    alike = len({t.about.offset_unit for t in tables}) == 1
    alike &= all(t.inside is None for t in tables)
    if not alike or len(number_by_name) < len(names):
        return None
    annotators = all_names(None, (name for t in tables for name in t.annotators), "annotator")
    labels = all_names(None, (name for t in tables for name in t.categories), "category")

    def column(of: Callable[[DocumentTable], Any]) -> Any:
        return np.concatenate([of(table) for table in tables])

    def edges(of: Callable[[DocumentTable], Indices]) -> Indices:
        return np.append(0, np.cumsum(column(lambda t: np.diff(of(t)))))

    return replace(
        tables[0],
        number_by_name=number_by_name,
        people=DocumentAnnotators(
            annotators,
            column(lambda t: recode(t.annotators, annotators)[t.people.codes]),
            edges(lambda t: t.people.edges),
        ),
        categories=labels,
        edges=edges(lambda t: t.edges),
        starts=column(lambda t: t.starts),
        ends=column(lambda t: t.ends),
        annotator_codes=column(lambda t: t.annotator_codes),
        # Names are sorted in each table, so the order of units and annotators does not change.
        category_codes=smallest(column(lambda t: recode(t.categories, labels)[t.category_codes])),
        lows=column(lambda t: t.lows),
        highs=column(lambda t: t.highs),
    )


class TableDocuments(ContinuumSequence, ValuesView[Continuum]):
    """A sequence of documents of a table; each is made anew at every access."""

    def __init__(self, table: DocumentTable, numbers: Indices) -> None:
        """Select the documents with these numbers, in this order."""
        self.table = table
        self.numbers = numbers
        self.plain = table.inside is None

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[Continuum]:
        """Iterate over the documents in order."""
        return map(self.table.at, self.numbers.tolist())

    def __contains__(self, other: object) -> bool:
        """Return whether a document is equal to the given one."""
        return any(other == c for c in self)

    def __getitem__(self, number: int | slice) -> Continuum | ContinuumSequence:  # type: ignore[override]
        """Return one document, or the documents of a slice."""
        if isinstance(number, slice):
            return TableDocuments(self.table, self.numbers[number])
        return self.table.at(int(self.numbers[number]))

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same documents of the same table."""
        return (
            isinstance(other, TableDocuments)
            and self.table is other.table
            and np.array_equal(self.numbers, other.numbers)
        )

    def __hash__(self) -> int:
        """Return a hash that is consistent with `==`."""
        return hash((id(self.table), self.numbers.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a table of these documents alone, for other processes."""
        return DocumentTable.values, (self.table.only(self.numbers),)

    def at(self, numbers: Indices) -> ContinuumSequence:
        """Return the documents with these numbers, in this order.

        Parameters
        ----------
        numbers
            Places of the documents, from 0.
        """
        every = len(numbers) == len(self) and np.array_equal(numbers, np.arange(len(self)))
        if every:
            return self
        return TableDocuments(self.table, self.numbers[numbers])

    @cached_property
    def n_units(self) -> Indices:
        """Number of units of each document, shape (continua,)."""
        edges = self.table.edges
        return edges[self.numbers + 1] - edges[self.numbers]

    @cached_property
    def n_annotators(self) -> Indices:
        """Number of annotators of each document, shape (continua,)."""
        edges = self.table.people.edges
        return edges[self.numbers + 1] - edges[self.numbers]

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the documents, each of shape (continua,)."""
        return self.table.lows[self.numbers], self.table.highs[self.numbers]

    @property
    def own_bounds(self) -> Sequence[bool]:
        """For each document, True if its bounds differ from the extent of its units."""
        low, high = self.table.own_bounds
        differ: Bools = (low != self.table.lows) | (high != self.table.highs)
        return list(map(bool, differ[self.numbers]))

    @property
    def people(self) -> tuple[tuple[str, ...], Codes]:
        """Names of all annotators, and the code of each document's annotators, concatenated."""
        codes = self.table.people.codes[rows_of(self.table.people.edges, self.numbers)]
        first = np.full(len(self.table.annotators), len(codes))
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
        number = np.empty(len(first), np.int32)
        number[order] = np.arange(len(order))
        return tuple(self.table.annotators[k] for k in order), number[codes]

    @property
    def selection(self) -> tuple[str, ...]:
        """Selections made in any document, each entry once."""
        if len(self):
            return tuple(dict.fromkeys(self.table.about.selection))
        return ()

    def selection_at(self, number: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the selections made in a document, which are the same in all."""
        return self.table.about.selection

    def all_units(self) -> Stacked:
        """Return all units; for consecutive documents the columns are views, not copies."""
        return self.table.units(rows_of(self.table.edges, self.numbers))


def _or_none(inside: Inside) -> Inside | None:
    """Return the breaks or shapes of some units; None if all are of one piece."""
    if any(inside):
        return inside
    return None


def _sort_by_document(document_codes: Codes, columns: dict[str, Any]) -> Codes:
    """Sort columns by document, in place and in the order of rows within; return sorted codes."""
    if not (document_codes[1:] < document_codes[:-1]).any():
        return document_codes
    order = np.argsort(document_codes, kind="stable")
    for name, values in columns.items():
        columns[name] = values[order]
    return document_codes[order]


def _sort_rows(
    documents: Codes, columns: dict[str, Any], n: int
) -> tuple[Indices, list[tuple[Codes, Indices]]]:
    """Sort the rows of each document, and drop rows that only declare something.

    Rows must be sorted by document. The new code of an annotator is the index among the document's
    annotators. Returns the number of units of each document, and the old codes of its annotators
    with their number.
    """
    names = ("annotator_codes", "starts", "ends", "category_codes", "inside")
    sorted_by = ("category_codes", "ends", "starts", "annotator_codes")
    sizes = np.zeros(n, np.int64)
    people = []
    n_kept = 0
    first = np.searchsorted(documents, np.arange(n + 1))
    cuts = np.flatnonzero(np.diff(first[1:] // _ROWS)) + 1
    stretches = [0, *cuts.tolist(), n]
    for low, high in pairwise(stretches):
        rows = slice(first[low], first[high])
        numbers = documents[rows] - low
        inside = (ranks(columns["inside"][rows]),) if "inside" in columns else ()
        order = np.lexsort((*inside, *(columns[name][rows] for name in sorted_by), numbers))
        who = columns["annotator_codes"][rows][order]
        sorted_starts = columns["starts"][rows][order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (who[1:] != who[:-1]) | (numbers[1:] != numbers[:-1])
        new &= who >= 0
        each = np.bincount(numbers[new], minlength=high - low)
        people.append((who[new], each))
        code = np.cumsum(new) - 1 - (np.cumsum(each) - each)[numbers]
        units = ~np.isnan(sorted_starts)
        sizes[low:high] = np.bincount(numbers[units], minlength=high - low)
        target = slice(n_kept, n_kept + int(np.count_nonzero(units)))
        order = order[units]
        # Rows are written in front of those that are still to be read, so no copy is needed.
        values = {name: columns[name][rows][order] for name in names[1:] if name in columns}
        columns["annotator_codes"][target] = code[units]
        for name, column in values.items():
            columns[name][target] = column
        n_kept = target.stop
    for name, column in columns.items():
        columns[name] = column if len(column) == n_kept else column[:n_kept].copy()
    return sizes, people


def _bounds(
    declared: Mapping[int, Bounds], edges: Indices, starts: Floats, ends: Floats
) -> tuple[Floats, Floats]:
    """Return the bounds of each document; raise a DataError if units lie outside declared ones."""
    low, high = extents(edges, starts, ends)
    for number, bounds in declared.items():
        rows = slice(edges[number], edges[number + 1])
        low[number], high[number] = checked_bounds(bounds, starts[rows], ends[rows])
    return low, high
