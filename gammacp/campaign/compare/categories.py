"""Agreement category by category: γ_k, and which categories are taken for which."""

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

    `counts[c, k]` counts pairs of annotators whose units are aligned and have the categories
    `rows[c]` and `columns[k]`; `(no unit)` where one of the two has no unit there. Between
    annotators the matrix is symmetric (each unlike pair counts once on either side of the
    diagonal); against a reference, rows are the reference's categories.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Indices
    directed: bool

    @property
    def confused_pairs(self) -> list[tuple[str, str, int]]:
        """Unlike pairs of categories with their counts, most frequent first."""
        found = [
            (row, column, int(self.counts[i, j]))
            for i, row in enumerate(self.rows)
            for j, column in enumerate(self.columns)
            if row != column and (self.directed or i < j) and self.counts[i, j]
        ]
        return sorted(found, key=lambda entry: -entry[2])

    def share_equal(self, category: str) -> float:
        """Return how many of the aligned pairs with this category agree on it, as a share."""
        i = self.rows.index(category)
        return _share(int(self.counts[i, i]), int(self.counts[i, :-1].sum()))

    def share_matched(self, category: str) -> float:
        """Return how many of the pairs with this category have units on both sides, as a share."""
        i = self.rows.index(category)
        return _share(int(self.counts[i, :-1].sum()), int(self.counts[i].sum()))

    def as_dict(self) -> dict[str, Any]:
        """Names and counts as JSON has them."""
        return {**record_of(self, "rows columns"), "counts": self.counts.tolist()}


def _share(part: int, whole: int) -> float:
    if whole:
        return part / whole
    return math.nan


def confusion(
    alignments: Iterable[Alignment], categories: Sequence[str], *, reference: str | None = None
) -> Confusion:
    """Aligned pairs by category, over all alignments.

    Parameters
    ----------
    alignments
        Best alignments; categories are matched by name.
    categories
        Names, in the order to show them. "(unlabelled)" is added if it occurs.
    reference
        An annotator: only pairs with it count, and its category is the row.
    """
    names = [*plain(categories)[0], UNLABELLED, NO_UNIT]
    counts = np.zeros((len(names), len(names)), np.int64)
    for alignment in alignments:
        for first, second in _pairs_of_codes(alignment, names, reference):
            np.add.at(counts, (first, second), 1)
            if reference is None:
                unlike = first != second
                np.add.at(counts, (second[unlike], first[unlike]), 1)
    # Two empty units are no pair of anybody's.
    counts[-1, -1] = 0
    kept = [
        i for i, n in enumerate(names) if n != UNLABELLED or counts[i].any() or counts[:, i].any()
    ]
    labels = tuple(names[i] for i in kept)
    return Confusion(
        rows=labels,
        columns=labels,
        counts=counts[np.ix_(kept, kept)],
        directed=reference is not None,
    )


def _pairs_of_codes(
    alignment: Alignment, names: Sequence[str], reference: str | None
) -> Iterable[tuple[Indices, Indices]]:
    """Codes into `names` of both sides, pair of annotators by pair of annotators."""
    continuum = alignment.continuum
    place = {name: i for i, name in enumerate(names)}
    categories, code = plain(continuum.categories)
    recode = np.array([*(place[c] for c in categories), len(names) - 2], np.int64)
    per_unit = recode[code[continuum.category_codes]]
    cells = np.where(alignment.groups >= 0, per_unit[alignment.groups], len(names) - 1)
    n = continuum.n_annotators
    if reference is not None:
        r = continuum.annotators.index(reference)
        return [(cells[:, r], cells[:, j]) for j in range(n) if j != r]
    return [(cells[:, i], cells[:, j]) for i in range(n) for j in range(i + 1, n)]


def same_label(groups: Codes, codes: Codes) -> Indices:
    """Count the units of a unitary alignment that share each unit's label, itself included.

    Parameters
    ----------
    groups
        Shape (unitary alignments, annotators): rows of units, −1 where the unit is empty.
    codes
        The label of each unit.

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
    """One category.

    Attributes
    ----------
    gamma_k
        γ_k (Mathet 2017); for several documents the mean over those where it is defined, weighted
        by their units of the category **(choice)**, and by the documents' weights if they have
        any. NaN where undefined.
    units
        Units of the category.
    documents
        Number of documents in which γ_k is defined.
    share_equal, share_matched
        Shares from the confusion: aligned pairs that agree among the aligned ones, and aligned
        pairs among all.
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
    """γ_k of every category, with its counts; categories without units are left out.

    γ_k rests on the alignments and the random sets that `overall` rests on: those of `basis`.
    """
    names = plain(categories_of(continua))[0]
    scores, reasons = _gamma_k(overall, basis)
    found = []
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
        found.append(
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
    return tuple(found)


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
