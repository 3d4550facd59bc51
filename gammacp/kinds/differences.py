"""Table of all differences between annotators in aligned documents.

Each row is a difference between two annotators in one group of aligned units: its kind (position,
category, missing, split, …), what it costs, and the annotator who bears it. Rows are computed for
batches of documents, as numba kernels work on flat arrays (`gammacp.kinds.row_kernels`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.text import counted
from gammacp.continuum import Continuum
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import BoundDissimilarity, joined_columns
from gammacp.errors import DataError

AlignedUnits: TypeAlias = tuple[Continuum, Codes]

# Pairs of annotators, summed over groups, in one batch of documents.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Differences:
    """Every difference between two annotators in a batch of documents.

    Attributes
    ----------
    document, form, first, second, bearer, clear, cost, unit, other
        Columns of `row_kernels.rows_of`; documents are numbered within the batch.
    parts, wholes
        Units that are parts of a larger unit of another annotator, and these larger units, as row
        numbers of the batch's units. A larger unit and its parts are a *family*. Sorted by
        `wholes`.
    owner
        Annotator of each unit, as a number in its document.
    edges
        Row of the first unit of each document, and the end of the last one.
    """

    document: Codes
    form: Codes
    first: Codes
    second: Codes
    bearer: Codes
    clear: Codes
    cost: Floats
    unit: Indices
    other: Indices
    parts: Indices
    wholes: Indices
    owner: Codes
    edges: Indices

    def at(self, rows: Indices) -> Differences:
        """Return the table with these rows alone; units and families are those of the batch.

        Parameters
        ----------
        rows
            Rows of the table.
        """
        columns = (
            "document",
            "form",
            "first",
            "second",
            "bearer",
            "clear",
            "cost",
            "unit",
            "other",
        )
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def parts_of(self, row: int) -> Indices:
        """Return the units of the second annotator in a family, by row of their document.

        Parameters
        ----------
        row
            Row of the family in this table.
        """
        low, high = np.searchsorted(self.wholes, [self.unit[row], self.unit[row] + 1])
        parts = self.parts[low:high]
        members = parts[self.owner[parts] == self.second[row]]
        return np.asarray(members - self.edges[self.document[row]])


def check_pieces(continua: Sequence[Continuum]) -> None:
    """Raise a DataError if units are not stretches of one piece.

    Parameters
    ----------
    continua
        All documents.

    Raises
    ------
    DataError
        If some units have a shape or several fragments; the message states their number.
    """
    shaped = sum(c.n_units for c in continua if c.axes > 1)
    broken = sum(c.n_broken for c in continua)
    if shaped or broken:
        if shaped:
            what = f"{counted(shaped, 'unit')} with a shape"
        else:
            what = f"{counted(broken, 'unit')} of several fragments"
        raise DataError(
            f"kinds of differences need units that are single stretches, but there are {what}"
        )


def check_parts(dissimilarity: BoundDissimilarity) -> None:
    """Raise a DataError if a cost is not the sum of a position and a category.

    Parameters
    ----------
    dissimilarity
        Dissimilarity that is bound to the documents.

    Raises
    ------
    DataError
        If the dissimilarity has no separate parts for position and category.
    """
    if dissimilarity.positional_part is None or dissimilarity.categorial_part is None:
        raise DataError(
            "this dissimilarity has no separate parts for position and category, so differences "
            "have no kinds",
            hint="Use one with both parts, such as `Combined`",
        )


def differences_in(
    aligned: Sequence[AlignedUnits], dissimilarity: BoundDissimilarity, scales: Sequence[float]
) -> Iterator[tuple[int, Differences]]:
    """Yield the differences of each batch of documents, with the index of its first document.

    Parameters
    ----------
    aligned
        Documents with the groups of their alignments.
    dissimilarity
        Dissimilarity that is bound to all of the documents.
    scales
        Factor by which each document's disorder is multiplied.
    """
    sizes = [len(g) * (g.shape[1] * (g.shape[1] - 1) // 2) for _, g in aligned]
    begin = 0
    total = 0
    for end, size in enumerate(sizes):
        if total and total + size > _AT_ONCE:
            yield begin, _differences(aligned[begin:end], dissimilarity, scales[begin:end])
            begin = end
            total = 0
        total += size
    if begin < len(aligned):
        yield begin, _differences(aligned[begin:], dissimilarity, scales[begin:])


def _differences(
    aligned: Sequence[AlignedUnits], dissimilarity: BoundDissimilarity, scales: Sequence[float]
) -> Differences:
    # Imported here, as numba is slow to load and only needed for computing.
    from gammacp.kinds.relation_kernels import UnitSpans, relate_units
    from gammacp.kinds.row_kernels import rows_of

    continua = ContinuumSequence.of([c for c, _ in aligned])
    stacked = continua.all_units()
    edges = continua.edges
    people_edges = continua.people_edges
    shifted = [
        np.where(g < 0, -1, g.astype(np.int64) + edge)
        for (_, g), edge in zip(aligned, edges[:-1].tolist(), strict=True)
    ]
    groups = np.concatenate([g.ravel() for g in shifted])
    group_edges = np.concatenate(([0], np.cumsum([g.size for g in shifted])))
    spans = UnitSpans(
        np.ascontiguousarray(stacked.starts),
        np.ascontiguousarray(stacked.ends),
        _latest_ends(continua, stacked.ends),
        stacked.annotator_codes.astype(np.int32),
        np.concatenate(([0], np.cumsum(continua.counts))).astype(np.int64),
        edges,
        people_edges,
    )
    relations = relate_units(spans, groups, group_edges, int(np.diff(people_edges).max()))
    position, category = _pair_costs(continua, shifted, dissimilarity)
    n = continua.n_annotators
    factors = np.asarray(scales) / np.maximum(1, n * (n - 1) // 2)
    rows = rows_of(
        spans,
        relations,
        groups,
        group_edges,
        position,
        category,
        np.asarray(factors, np.float64),
        float(dissimilarity.delta),
    )
    part, slot = np.nonzero(relations.cover >= 0)
    wholes = relations.cover[part, slot]
    order = np.lexsort((part, wholes))
    return Differences(
        *rows, parts=part[order], wholes=wholes[order], owner=spans.owner, edges=edges
    )


def _latest_ends(continua: ContinuumSequence, ends: Floats) -> Floats:
    """Return, for each unit, the latest end of its annotator's units up to this one."""
    latest = np.array(ends, np.float64)
    counts = continua.counts
    last = np.cumsum(counts)
    for low, high in zip((last - counts).tolist(), last.tolist(), strict=True):
        np.maximum.accumulate(latest[low:high], out=latest[low:high])
    return latest


def _pair_costs(
    continua: ContinuumSequence, groups: Sequence[Indices], dissimilarity: BoundDissimilarity
) -> tuple[Floats, Floats]:
    """Return the costs of aligned pairs by position and by category, 0 if a unit is empty."""
    place = dissimilarity.positional_part
    label = dissimilarity.categorial_part
    assert place is not None and label is not None
    first: list[Indices] = []
    second: list[Indices] = []
    for rows in groups:
        i, j = np.triu_indices(rows.shape[1], 1)
        first.append(rows[:, i].ravel())
        second.append(rows[:, j].ravel())
    u = np.concatenate(first)
    v = np.concatenate(second)
    both = (u >= 0) & (v >= 0)
    columns = joined_columns(continua)
    one = columns[u[both]]
    other = columns[v[both]]
    position = np.zeros(len(u))
    category = np.zeros(len(u))
    position[both] = place(one, other)
    category[both] = label(one, other)
    return position, category
