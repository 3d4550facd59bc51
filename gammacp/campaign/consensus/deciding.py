"""Decide which unitary alignments become units of the gold standard, and with what properties.

The category is decided by the votes of the annotators, or by the posterior of a model of the
annotators. The span follows from a rule of boundaries. Everything is computed in columns, with a
row for each unitary alignment of a stretch of documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.alignment import costs_of_pairs
from gammacp.base.arguments import number, one_of, text
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.campaign.consensus.boundaries import BoundaryRule, ConsensusSpans, GroupedUnits, spans
from gammacp.campaign.consensus.cells import Cells
from gammacp.campaign.consensus.votes import (
    CategoryVote,
    common_fragments,
    needed_support,
    vote_on_category,
)
from gammacp.continuum import Unit
from gammacp.continuum.fragments import Fragments
from gammacp.continuum.label import category_of, features_of, to_label
from gammacp.continuum.shapes import Shape, box
from gammacp.dissimilarity import unit_columns
from gammacp.dissimilarity.base import BoundDissimilarity, joined_columns
from gammacp.errors import UsageError
from gammacp.formats.spans import MILLISECONDS, SECONDS

# Probabilities that differ by less count as tied, so that rounding does not choose a category.
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False)
class Truth:
    """Posterior of a model of the annotators for each unitary alignment.

    Attributes
    ----------
    of_kinds
        P(true label | marked labels) for each kind of unitary alignment, shape (kinds, labels). The
        last label is ∅. Unitary alignments with the same responses are of the same kind.
    kind
        Kind of each unitary alignment, shape (unitary alignments,).
    threshold
        Least posterior of the category for a unit to be kept.
    boundaries
        Weight of each annotator's boundaries, shape (annotators,).
    """

    of_kinds: Floats
    kind: Codes
    threshold: float
    boundaries: Floats

    @cached_property
    def posterior(self) -> Floats:
        """Posterior of each label, shape (unitary alignments, labels)."""
        return np.asarray(self.of_kinds[self.kind])

    def of(self, cells: Cells) -> Truth:
        """Select the unitary alignments of one stretch of documents.

        Parameters
        ----------
        cells
            Cells of the stretch.
        """
        rows = slice(cells.before, cells.before + len(cells))
        return replace(self, kind=self.kind[rows])

    @cached_property
    def entropies(self) -> list[float]:
        """Entropy of the posterior of each unitary alignment, in bits."""
        bits = self.posterior * np.log2(np.maximum(self.posterior, 1e-300))
        return [-x for x in bits.sum(axis=1).tolist()]


@dataclass(frozen=True)
class ConsensusRules:
    """Rules for choosing and placing units: options of `consensus`.

    Attributes
    ----------
    boundaries, tolerance, annotator
        As for `consensus`.
    support
        As for `consensus`; None stands for more than half, or for one annotator if there is a
        model.
    """

    boundaries: BoundaryRule
    support: str | float | None
    tolerance: float
    annotator: str

    @classmethod
    def of(
        cls, support: str | float | None, boundaries: str, tolerance: float, annotator: str
    ) -> ConsensusRules:
        """Check the values and return the rules.

        Parameters
        ----------
        support, boundaries, tolerance, annotator
            As for `consensus`.

        Raises
        ------
        UsageError
            A value is outside its range, or the name of the annotator is empty.
        """
        if not text("annotator", annotator).strip():
            raise UsageError("annotator is empty: the gold standard needs a name")
        rule = BoundaryRule(one_of("boundaries", boundaries, BoundaryRule))
        return cls(rule, support, number("tolerance", tolerance, 0.0), annotator)

    def needed(self, people: Indices, truth: Truth | None) -> Indices:
        """Return the number of annotators that a unit of each document needs to be kept.

        Parameters
        ----------
        people
            Number of annotators of each document.
        truth
            Posterior of a model; None for votes.
        """
        support = 1 if truth is not None and self.support is None else self.support
        each = {n: needed_support(support, n) for n in dict.fromkeys(people.tolist())}
        return np.array([each[n] for n in people.tolist()], np.int64)


class Piece(NamedTuple):
    """Fragments and shape of a unit of the gold standard."""

    fragments: Fragments = ()
    shape: Shape | None = None
    boxed: bool = False
    """Whether all marked shapes are boxes; the rule of boundaries is then applied to each axis."""


@dataclass(frozen=True, eq=False)
class Decided:
    """Decisions on the unitary alignments of a stretch; shape (unitary alignments,) each.

    Attributes
    ----------
    cells, labels, truth, rules, dissimilarity
        Input of the decisions.
    needed
        Number of annotators that a unit of each document needs, shape (documents,).
    label
        Code of the category; −1 if several are tied.
    is_kept
        Whether the unit is in the gold standard.
    spans
        Starts and ends of the units.
    pieces
        Fragments and shapes of units that have any, by number of the unitary alignment.
    """

    cells: Cells
    labels: tuple[str | None, ...]
    truth: Truth | None
    rules: ConsensusRules
    dissimilarity: BoundDissimilarity
    needed: Indices
    label: Indices
    is_kept: Bools
    spans: ConsensusSpans
    pieces: Mapping[int, Piece]

    @cached_property
    def _cells(self) -> list[int]:
        """Place of the first cell of each unitary alignment, and the end of the last one."""
        edges: list[int] = np.searchsorted(
            self.cells.group, np.arange(len(self.cells) + 1)
        ).tolist()
        return edges

    def rows(self, group: int) -> list[int]:
        """Return the row in the stretch of each unit of a unitary alignment, −1 for ∅.

        Parameters
        ----------
        group
            Number of the unitary alignment.
        """
        places: list[int] = self.cells.unit[self._cells[group] : self._cells[group + 1]].tolist()
        return places

    @cached_property
    def decisions(self) -> list[tuple[float, float, bool, float, float | None]]:
        """Start, end, whether it is kept, disorder in units of Δ, and posterior of each unit."""
        posterior: list[float | None] = [None] * len(self.cells)
        if self.truth is not None:
            posterior = self.truth.posterior[:, :-1].max(axis=1).tolist()
        s = self.spans
        columns = (
            s.starts.tolist(),
            s.ends.tolist(),
            self.is_kept.tolist(),
            self.disorders,
            posterior,
        )
        return [*zip(*columns, strict=True)]

    def category(
        self, group: int, categories: Sequence[str | None]
    ) -> tuple[str | None, dict[str, CategoryVote]]:
        """Return the category with its features, None if it is tied, and the votes on each feature.

        Parameters
        ----------
        group
            Number of the unitary alignment.
        categories
            Labels of its units, with features.
        """
        if self.label[group] < 0:
            return None, {}
        # Only annotators who chose the category vote on its features.
        category = self.labels[self.label[group]]
        features_of_supporters = [features_of(x) for x in categories if category_of(x) == category]
        names = sorted({name for features in features_of_supporters for name in features})
        vote_by_feature = {
            n: vote_on_category([features.get(n) for features in features_of_supporters])
            for n in names
        }
        return to_label(
            category, {name: v.winner for name, v in vote_by_feature.items()}
        ), vote_by_feature

    def gold(self, document: int) -> list[Unit]:
        """Return the units of the gold standard of a document.

        Parameters
        ----------
        document
            Place of the document in the stretch.
        """
        first, end = self.cells.edges[document : document + 2].tolist()
        names = (*self.cells.continua[0].categories, None)
        units = []
        for group in (first + np.flatnonzero(self.is_kept[first:end])).tolist():
            real = [row for row in self.rows(group) if row >= 0]
            category, _ = self.category(group, [names[k] for k in self.cells.codes[real].tolist()])
            start = float(self.spans.starts[group])
            end = float(self.spans.ends[group])
            piece = self.pieces.get(group, Piece())
            if len(piece.fragments) > 1:
                fragments = piece.fragments
            else:
                fragments = ()
            units.append(Unit(self.rules.annotator, start, end, category, fragments, piece.shape))
        return units

    @cached_property
    def disorders(self) -> list[float]:
        """Disorder of each unitary alignment, in units of Δ."""
        cells, costs_of_groups = self.cells, np.empty(len(self.cells))
        continua, n = cells.continua, cells.continua.n_annotators
        batches = [np.flatnonzero(n == k) for k in np.unique(n)]
        if any(c.inside is not None for c in continua.structured):
            batches = [np.array([d]) for d in range(len(n))]
        for places in batches:
            in_batch = np.zeros(len(n), np.bool_)
            in_batch[places] = True
            groups = cells.unit[in_batch[cells.document[cells.group]]].reshape(-1, n[places[0]])
            alone = len(batches) == len(n)
            units = joined_columns(continua.at(places) if alone else continua)
            if alone:
                local = groups - continua.edges[places[0]]
            else:
                local = groups
            costs = costs_of_pairs(np.where(groups < 0, -1, local), units, self.dissimilarity)
            costs_of_groups[in_batch[cells.document]] = costs.mean(axis=1)
        relative: list[float] = (costs_of_groups / self.dissimilarity.delta).tolist()
        return relative

    def deviations(self) -> tuple[Codes, Floats]:
        """Return how far the annotators' units are from the kept consensus units.

        The first value is the annotator of each unit, the second its offsets at start and end,
        shape (units, 2).
        """
        m = self.cells.grouped_units
        kept_marks = np.flatnonzero(self.is_kept[m.group])
        group = m.group[kept_marks]
        off = (
            m.starts[kept_marks] - self.spans.starts[group],
            m.ends[kept_marks] - self.spans.ends[group],
        )
        return self.cells.annotator[self.cells.marks[kept_marks]], np.stack(off, axis=1)


def votes(cells: Cells, labels: int) -> tuple[Indices, Indices]:
    """Return the categories with most votes of each unitary alignment, several on a tie.

    The values are two columns: the number of the unitary alignment, and the code of the category.

    Parameters
    ----------
    cells
        Cells whose units vote.
    labels
        Number of labels.
    """
    m = cells.grouped_units
    labels_of_units = cells.response_codes[cells.unit[cells.marks]]
    cells_with_votes, heads = np.unique(m.group * labels + labels_of_units, return_counts=True)
    group = cells_with_votes // labels
    most = np.maximum.reduceat(heads, np.flatnonzero(np.diff(group, prepend=-1)))
    top = heads == most[group]
    return group[top], cells_with_votes[top] % labels


def decide(
    cells: Cells,
    labels: tuple[str | None, ...],
    rules: ConsensusRules,
    dissimilarity: BoundDissimilarity,
    truth: Truth | None = None,
    needed: Indices | None = None,
) -> Decided:
    """Decide on each unitary alignment of a stretch.

    Parameters
    ----------
    cells, labels
        Cells of the stretch, and the labels that their codes stand for.
    rules
        Rules of the consensus.
    dissimilarity
        Dissimilarity of the alignments.
    truth
        Posterior of a model, which decides instead of votes; None for votes.
    needed
        Number of annotators that a unit of each document needs; default: as the rules say.
    """
    if truth is None:
        group, code = votes(cells, len(labels))
        weights = None
    else:
        shares = truth.posterior[:, :-1]
        likely = shares >= shares.max(axis=1, keepdims=True) - _EQUAL
        group, code = np.nonzero(likely)
        weights = truth.boundaries[cells.annotator[cells.marks]]
    label = np.full(len(cells), -1)
    label[group] = code
    label[np.bincount(group, minlength=len(cells)) > 1] = -1
    if needed is None:
        needed = rules.needed(cells.continua.n_annotators, truth)
    is_kept = cells.support >= needed[cells.document]
    if truth is not None:
        is_kept &= truth.posterior[:, :-1].max(axis=1) >= truth.threshold
    spans, pieces = _places(cells, rules.boundaries, dissimilarity, weights)
    return Decided(
        cells, labels, truth, rules, dissimilarity, needed, label, is_kept, spans, pieces
    )


def _places(
    cells: Cells, rule: BoundaryRule, dissimilarity: BoundDissimilarity, weights: Floats | None
) -> tuple[ConsensusSpans, dict[int, Piece]]:
    """Return positions of the gold standard's units, with fragments and shapes if any."""
    if weights is None:
        marked = cells.grouped_units
    else:
        marked = cells.grouped_units._replace(weights=weights)
    edges = cells.continua.edges
    n = cells.continua.n_units
    fractions = np.flatnonzero((cells.starts % 1 != 0) | (cells.ends % 1 != 0))
    whole = np.ones(len(n), np.bool_)
    whole[np.searchsorted(edges, fractions, side="right") - 1] = False
    # Positions that count characters or tokens must be chosen by some annotator; times may be
    # averaged.
    continua_of_documents = [cells.continua[0]] * len(n) if cells.continua.plain else cells.continua
    counts = [
        c.axes == 1 and c.offset_unit not in (SECONDS, MILLISECONDS) for c in continua_of_documents
    ]
    discrete = whole & np.array(counts, np.bool_)
    whole = whole[cells.document]
    consensus_spans = spans(marked, rule, discrete=discrete[cells.document], whole=whole)
    pieces: dict[int, Piece] = {}
    for d, c in enumerate(cells.continua.structured):
        if c.inside is not None:
            _add_pieces(cells, d, dissimilarity, marked, consensus_spans, pieces)
    boxes = {group: p.shape.axes for group, p in pieces.items() if p.boxed and p.shape}
    for axes in sorted(set(boxes.values())):
        boxed = np.isin(marked.group, [group for group, n in boxes.items() if n == axes])
        _add_boxes(cells, boxed, marked, rule, whole, consensus_spans, pieces)
    return consensus_spans, pieces


def _add_pieces(
    cells: Cells,
    d: int,
    dissimilarity: BoundDissimilarity,
    marked: GroupedUnits,
    spans: ConsensusSpans,
    pieces: dict[int, Piece],
) -> None:
    """Add fragments and outlines of a document; for boxes, the first one as a placeholder."""
    c = cells.continua[d]
    first = int(cells.continua.edges[d])
    for group in range(*cells.edges[d : d + 2].tolist()):
        rows_of_group = slice(*np.searchsorted(marked.group, (group, group + 1)))
        rows = cells.unit[cells.marks[rows_of_group]] - first
        units = [c.unit(row) for row in rows.tolist()]
        shapes = [u.shape for u in units if u.shape]
        if {s.kind for s in shapes} - {"box"}:
            # Outlines have no median: take the one with the least weighted cost to all others.
            columns = unit_columns(c)[rows]
            costs = dissimilarity.pairwise(columns[:, None], columns[None])
            middle = units[int(np.argmin(costs @ marked.weights[rows_of_group]))]
            start, end, pieces[group] = middle.start, middle.end, Piece(shape=middle.shape)
        elif shapes:
            pieces[group] = Piece(shape=shapes[0], boxed=True)
            continue
        elif any(u.fragments for u in units):
            fragments = common_fragments(units)
            start, end, pieces[group] = fragments[0][0], fragments[-1][1], Piece(fragments)
        else:
            continue
        spans.starts[group] = start
        spans.ends[group] = end
        spans.tied.pop(group, None)


def _add_boxes(
    cells: Cells,
    boxed: Bools,
    marked: GroupedUnits,
    rule: BoundaryRule,
    whole: Bools,
    consensus_spans: ConsensusSpans,
    pieces: dict[int, Piece],
) -> None:
    """Add boxes, whose extents follow from the rule of boundaries on each axis."""
    groups, group = np.unique(marked.group[boxed], return_inverse=True)
    document = cells.document[marked.group[boxed]]
    rows = cells.unit[cells.marks[boxed]] - cells.continua.edges[document]
    shapes = [
        cells.continua[d].unit(r).shape
        for d, r in zip(document.tolist(), rows.tolist(), strict=True)
    ]
    axes = np.array([[*s.extents] for s in shapes if s]).transpose(1, 2, 0)
    flags: Any = {"discrete": np.zeros(len(groups), np.bool_), "whole": whole[groups]}
    further = [
        spans(GroupedUnits(group, low, high, marked.weights[boxed]), rule, **flags)
        for low, high in axes
    ]
    for k, g in enumerate(groups.tolist()):
        first = float(consensus_spans.starts[g]), float(consensus_spans.ends[g])
        extents = [(float(s.starts[k]), float(s.ends[k])) for s in further]
        pieces[g] = Piece(shape=box(first, *extents)[1], boxed=True)
