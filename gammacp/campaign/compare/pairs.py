"""Who agrees with whom, and who pulls the agreement down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.arrays import Floats
from gammacp.campaign.compare.scoring import Scores, Selection, annotators_of, with_annotators
from gammacp.measures.agreement import Agreement


@dataclass(frozen=True, kw_only=True)
class PairMatrix:
    """γ of every pair of annotators, on the documents that both annotated.

    `agreements[a, b]` for a before b in `annotators`.
    """

    annotators: tuple[str, ...]
    agreements: Mapping[tuple[str, str], Agreement]

    @property
    def values(self) -> Floats:
        """γ, shape (annotators, annotators), symmetric; 1 on the diagonal, NaN where undefined."""
        n = len(self.annotators)
        matrix = np.full((n, n), math.nan)
        np.fill_diagonal(matrix, 1.0)
        for i, j in combinations(range(n), 2):
            pair = self.annotators[i], self.annotators[j]
            matrix[i, j] = matrix[j, i] = self.agreements[pair].value
        return matrix

    def mean_with_others(self, annotator: str) -> float:
        """Plain mean of the annotator's defined pair values; NaN if there is none."""
        place = self.annotators.index(annotator)
        row = np.delete(self.values[place], place)
        return float(np.nanmean(row)) if not np.isnan(row).all() else math.nan

    def as_dict(self) -> list[dict[str, Any]]:
        """One entry per pair, as JSON has it."""
        return [
            {**a.score.as_dict(), "annotators": list(pair), "documents": len(a.documents)}
            for pair, a in self.agreements.items()
        ]


def selections_of_pairs(continua: Selection) -> dict[tuple[str, str], Selection]:
    """What each pair of annotators annotated together."""
    return {
        pair: with_annotators(continua, pair, all_of_them=True)
        for pair in combinations(annotators_of(continua), 2)
    }


def pair_matrix(continua: Selection, scores: Scores) -> PairMatrix:
    """γ of every pair of annotators, each against chance modelled on the two of them."""
    selections = selections_of_pairs(continua)
    found = scores.each(list(selections.values()))
    return PairMatrix(
        annotators=annotators_of(continua), agreements=dict(zip(selections, found, strict=True))
    )


@dataclass(frozen=True)
class WithoutAnnotator:
    """Agreement without one annotator.

    Attributes
    ----------
    annotator
        Who is missing.
    agreement
        γ of the others, on documents where at least two others remain.
    baseline
        γ of all annotators on the same documents; NaN where undefined.
    """

    annotator: str
    agreement: Agreement
    baseline: float

    @property
    def gain(self) -> float:
        """γ without the annotator minus γ with: positive for who pulls it down."""
        return self.agreement.value - self.baseline

    @property
    def beyond_sampling(self) -> bool:
        """Whether the gain is positive and larger than the Monte-Carlo interval leaves open."""
        interval = self.agreement.score.interval
        return interval is not None and interval[0] > self.baseline


def selections_without(continua: Selection) -> dict[str, tuple[Selection, Selection]]:
    """Per annotator: the others alone, and everybody on the same documents.

    Empty for fewer than three annotators.
    """
    names = annotators_of(continua)
    if len(names) < 3:
        return {}
    found: dict[str, tuple[Selection, Selection]] = {}
    for name in names:
        others = with_annotators(continua, (n for n in names if n != name))
        found[name] = others, {document: continua[document] for document in others}
    return found


def without_each(continua: Selection, scores: Scores) -> tuple[WithoutAnnotator, ...]:
    """Agreement without each annotator; empty for fewer than three annotators.

    Both values of an entry are of the same documents. What `scores` know already (γ of everybody,
    of the two that remain of three) is not computed again.
    """
    selections = selections_without(continua)
    found = scores.each([s for both in selections.values() for s in both])
    return tuple(
        WithoutAnnotator(name, others, everybody.value)
        for name, others, everybody in zip(selections, found[::2], found[1::2], strict=True)
    )
