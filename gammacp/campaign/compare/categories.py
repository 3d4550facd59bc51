"""Compute agreement by category: γ_k, and how often categories are confused."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.arrays import Codes, Indices
from gammacp.base.record_tables import record_of
from gammacp.base.text import UNLABELLED
from gammacp.campaign.compare.scoring import Selection, categories_of
from gammacp.continuum import Continuum
from gammacp.continuum.label import plain
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import Agreement
from gammacp.measures.random_sets import Basis

NO_UNIT = "(no unit)"


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """Counts of aligned pairs by category.

    Between annotators the matrix is symmetric: a pair with different categories is counted once on
    each side of the diagonal.

    Attributes
    ----------
    rows, columns
        Names of categories, with `(no unit)` for an annotator who has no unit in a unitary
        alignment. If there is a reference, rows are its categories.
    counts
        Number of pairs of aligned units whose categories are that of the row and that of the
        column, shape (rows, columns).
    directed
        Whether the pairs are those of a reference with the others.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Indices
    directed: bool

    @property
    def confused_pairs(self) -> list[tuple[str, str, int]]:
        """Pairs of different categories with their counts, most frequent first."""
        confused = [
            (row, column, int(self.counts[i, j]))
            for i, row in enumerate(self.rows)
            for j, column in enumerate(self.columns)
            if row != column and (self.directed or i < j) and self.counts[i, j]
        ]
        return sorted(confused, key=lambda entry: -entry[2])

    def share_equal(self, category: str) -> float:
        """Return the share of the aligned pairs with this category that have it on both sides."""
        i = self.rows.index(category)
        return _share(int(self.counts[i, i]), int(self.counts[i, :-1].sum()))

    def share_matched(self, category: str) -> float:
        """Return the share of the pairs with this category that have a unit on both sides."""
        i = self.rows.index(category)
        return _share(int(self.counts[i, :-1].sum()), int(self.counts[i].sum()))

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {**record_of(self, "rows columns"), "counts": self.counts.tolist()}


def _share(part: int, whole: int) -> float:
    if whole:
        return part / whole
    return math.nan


def confusion(
    alignments: Iterable[Alignment], categories: Sequence[str], *, reference: str | None = None
) -> Confusion:
    """Count the aligned pairs of all alignments by category.

    Parameters
    ----------
    alignments
        Best alignments; categories are matched by name.
    categories
        Names of categories, in the order of rows and columns. "(unlabelled)" is added if it occurs.
    reference
        Name of an annotator. If given, only pairs with this annotator are counted, whose categories
        are the rows.
    """
    names = [*plain(categories)[0], UNLABELLED, NO_UNIT]
    counts = np.zeros((len(names), len(names)), np.int64)
    for alignment in alignments:
        for first, second in _pairs_of_codes(alignment, names, reference):
            np.add.at(counts, (first, second), 1)
            if reference is None:
                unlike = first != second
                np.add.at(counts, (second[unlike], first[unlike]), 1)
    # Two annotators without a unit are not a pair of units.
    counts[-1, -1] = 0
    shown = [
        i for i, n in enumerate(names) if n != UNLABELLED or counts[i].any() or counts[:, i].any()
    ]
    labels = tuple(names[i] for i in shown)
    return Confusion(
        rows=labels,
        columns=labels,
        counts=counts[np.ix_(shown, shown)],
        directed=reference is not None,
    )


def _pairs_of_codes(
    alignment: Alignment, names: Sequence[str], reference: str | None
) -> Iterable[tuple[Indices, Indices]]:
    """Return, for each pair of annotators, the places in `names` of their units' categories."""
    continuum = alignment.continuum
    index_of = {name: i for i, name in enumerate(names)}
    categories, code = plain(continuum.categories)
    recode = np.array([*(index_of[c] for c in categories), len(names) - 2], np.int64)
    per_unit = recode[code[continuum.category_codes]]
    cells = np.where(alignment.groups >= 0, per_unit[alignment.groups], len(names) - 1)
    n = continuum.n_annotators
    if reference is not None:
        r = continuum.annotators.index(reference)
        return [(cells[:, r], cells[:, j]) for j in range(n) if j != r]
    return [(cells[:, i], cells[:, j]) for i in range(n) for j in range(i + 1, n)]


def same_label(groups: Codes, codes: Codes) -> Indices:
    """Count, for each unit, the units of its unitary alignment with the same label.

    The unit itself is counted, too.

    Parameters
    ----------
    groups
        Rows of the units, −1 for an empty unit, shape (unitary alignments, annotators).
    codes
        Code of the label of each unit.

    Returns
    -------
    Indices
        Shape (unitary alignments, annotators); 0 for an empty unit.
    """
    real = groups >= 0
    labels = np.where(real, codes[groups], -2)
    votes = np.zeros(labels.shape, np.int64)
    for column in labels.T:
        votes += (labels == column[:, None]) & real
    return votes


@dataclass(frozen=True, kw_only=True)
class CategoryAgreement:
    """Agreement on one category.

    Attributes
    ----------
    category
        Name of the category.
    gamma_k
        γ_k (Mathet 2017). For several documents, it is the mean over those in which γ_k is defined,
        weighted by their numbers of units of the category **(choice)** and by the weights of the
        documents, if they have any. NaN if undefined.
    units
        Number of units of the category.
    documents
        Number of documents in which γ_k is defined.
    share_equal
        Share of the aligned pairs with this category that have it on both sides.
    share_matched
        Share of the pairs with this category that have a unit on both sides.
    reason
        Reason why γ_k is undefined; None if it is defined.
    """

    category: str
    gamma_k: float
    units: int
    documents: int
    share_equal: float
    share_matched: float
    reason: str | None = None


def by_category(
    continua: Selection, table: Confusion, overall: Agreement, basis: Basis
) -> tuple[CategoryAgreement, ...]:
    """Return the agreement on each category that has units.

    Parameters
    ----------
    continua
        Documents by name.
    table
        Counts of aligned pairs by category.
    overall
        Agreement of all annotators.
    basis
        Alignments and random sets from which `overall` was computed; γ_k uses the same ones.
    """
    names = plain(categories_of(continua))[0]
    scores, reasons = _gamma_k(overall, basis)
    agreements = []
    for name in names:
        counts = {d: _count(c, name) for d, c in continua.items()}
        defined = [
            (counts[d] * continua[d].weight, s[name])
            for d, s in scores.items()
            if not math.isnan(s.get(name, math.nan))
        ]
        total = sum(n for n, _ in defined)
        units = sum(counts.values())
        if not units:
            continue
        agreements.append(
            CategoryAgreement(
                category=name,
                gamma_k=sum(n * v for n, v in defined) / total if total else math.nan,
                units=units,
                documents=len(defined),
                share_equal=table.share_equal(name),
                share_matched=table.share_matched(name),
                reason=None if total else reasons or "no two aligned units in any document",
            )
        )
    return tuple(agreements)


def _gamma_k(overall: Agreement, basis: Basis) -> tuple[dict[str, dict[str, float]], str | None]:
    from gammacp.measures.gamma_cat import gamma_k_on

    scores: dict[str, dict[str, float]] = {}
    reason = None
    for name, score in overall.computed.items():
        try:
            scores[name] = dict(gamma_k_on(score.alignment.continuum, basis).by_category)
        except (DataError, UsageError) as error:
            reason = str(error)
    return scores, reason


def _count(continuum: Continuum, category: str) -> int:
    names, code = plain(continuum.categories)
    if category not in names:
        return 0
    return int((code[continuum.category_codes] == names.index(category)).sum())
