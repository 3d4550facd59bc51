"""Count the units that a candidate and people mark in the same documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.campaign.compare.scoring import Selection, categories_of
from gammacp.continuum import Continuum

_FEWEST = 3
"""Least number of documents for a correlation: two points always lie on a line."""


@dataclass(frozen=True, kw_only=True)
class UnitCounts:
    """Numbers of units per document of an annotator and of the others.

    Attributes
    ----------
    documents
        Number of documents that the annotator and at least one of the others annotated.
    own
        Mean number of units of the annotator per document.
    others
        Mean number of units per document of the others who annotated it.
    own_marked
        Share of the documents in which the annotator has any unit.
    others_marked
        Mean share, over documents, of the others who have any unit.
    r
        Pearson's correlation between the numbers of the annotator and of the others over documents;
        NaN if undefined.
    r_by_category
        Correlation of the numbers over documents and categories (Kasner et al. 2025).
    reason
        Reason why `r` is undefined; None if it is defined.
    """

    documents: int
    own: float = math.nan
    others: float = math.nan
    own_marked: float = math.nan
    others_marked: float = math.nan
    r: float = math.nan
    r_by_category: float = math.nan
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        """Return a dictionary for JSON."""
        return dict(vars(self))


def unit_counts(continua: Selection, name: str, others: Sequence[str]) -> UnitCounts:
    """Count the units of an annotator, and those of the others in the same documents.

    Parameters
    ----------
    continua
        Documents by name.
    name
        Annotator whose units are counted.
    others
        Names of the annotators to compare with, without `name`.
    """
    categories = categories_of(continua)
    own_rows: list[Floats] = []
    other_rows: list[Floats] = []
    marked: list[float] = []
    for continuum in continua.values():
        present = [a for a in others if a in continuum.annotators]
        if not present or name not in continuum.annotators:
            continue
        numbers = numbers_of_units(continuum, categories)
        rows = numbers[[continuum.annotators.index(a) for a in present]]
        own_rows.append(numbers[continuum.annotators.index(name)])
        other_rows.append(rows.mean(axis=0))
        marked.append(float((rows.sum(axis=1) > 0).mean()))
    if not own_rows:
        return UnitCounts(documents=0, reason=f"{name} shares no document with anybody")
    own_numbers = np.array(own_rows)
    other_numbers = np.array(other_rows)
    r, reason = correlation(own_numbers.sum(axis=1), other_numbers.sum(axis=1))
    # The column of units without a category counts only where there is one.
    used = [*range(len(categories))]
    if own_numbers[:, -1].any() or other_numbers[:, -1].any() or not used:
        used.append(len(categories))
    return UnitCounts(
        documents=len(own_numbers),
        own=float(own_numbers.sum(axis=1).mean()),
        others=float(other_numbers.sum(axis=1).mean()),
        own_marked=float((own_numbers.sum(axis=1) > 0).mean()),
        others_marked=float(np.mean(marked)),
        r=r,
        r_by_category=correlation(own_numbers[:, used].ravel(), other_numbers[:, used].ravel())[0],
        reason=reason,
    )


def counts_among(continua: Selection, people: Sequence[str]) -> UnitCounts:
    """Compare the numbers of units of each person with those of the others, and return means.

    Parameters
    ----------
    continua
        Documents by name.
    people
        Names of the people.
    """
    each = [unit_counts(continua, a, [b for b in people if b != a]) for a in people]
    each = [one for one in each if one.documents]
    if not each:
        return UnitCounts(documents=0, reason="no document has two people")
    shared = sum(len({*c.annotators} & {*people}) > 1 for c in continua.values())
    defined = [one for one in each if not math.isnan(one.r)]
    by_category = [one.r_by_category for one in each if not math.isnan(one.r_by_category)]
    weights = [one.documents for one in each]

    def mean_of(read: Callable[[UnitCounts], float]) -> float:
        return float(np.average([read(one) for one in each], weights=weights))

    return UnitCounts(
        documents=shared,
        own=mean_of(lambda one: one.own),
        others=mean_of(lambda one: one.others),
        own_marked=mean_of(lambda one: one.own_marked),
        others_marked=mean_of(lambda one: one.others_marked),
        r=float(np.mean([one.r for one in defined])) if defined else math.nan,
        r_by_category=float(np.mean(by_category)) if by_category else math.nan,
        reason=None if defined else each[0].reason,
    )


def numbers_of_units(continuum: Continuum, categories: Sequence[str]) -> Floats:
    """Count units by annotator and category, shape (annotators, categories + 1).

    Parameters
    ----------
    continuum
        One document.
    categories
        Categories of all documents, which are the columns. A last column is for units without a
        category.
    """
    places = {name: place for place, name in enumerate(categories)}
    columns = np.array([*(places[name] for name in continuum.categories), len(categories)])
    numbers = np.zeros((continuum.n_annotators, len(categories) + 1))
    # The code of a unit without a category is −1, which is the last column.
    np.add.at(numbers, (continuum.annotator_codes, columns[continuum.category_codes]), 1.0)
    return numbers


def correlation(first: Floats, second: Floats) -> tuple[float, str | None]:
    """Return Pearson's correlation, and None or the reason why it is undefined (NaN).

    Parameters
    ----------
    first, second
        Numbers to correlate, arrays of equal length.
    """
    if len(first) < _FEWEST:
        return math.nan, f"fewer than {_FEWEST} documents tell no correlation"
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan, "all documents have the same number of units"
    return float(np.corrcoef(first, second)[0, 1]), None
