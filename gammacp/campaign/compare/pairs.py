"""Who agrees with whom, and who pulls the agreement down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from gammacp.arrays import Floats
from gammacp.campaign.compare.scoring import (
    Agreement,
    annotators_of,
    common_chance,
    many,
    with_annotators,
)
from gammacp.continuum import Continuum

if TYPE_CHECKING:
    from gammacp.measures.settings import GammaOptions


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
        row = np.delete(
            self.values[self.annotators.index(annotator)], self.annotators.index(annotator)
        )
        return float(np.nanmean(row)) if not np.isnan(row).all() else math.nan


def pair_matrix(
    continua: Mapping[str, Continuum],
    options: GammaOptions,
    *,
    executor: Executor | None = None,
) -> PairMatrix:
    """γ of every pair of annotators, each against chance modelled on the two of them.

    All with the same chance model (`common_chance`).
    """
    names = annotators_of(continua)
    pairs = list(combinations(names, 2))
    selections = [with_annotators(continua, pair, all_of_them=True) for pair in pairs]
    common = common_chance(selections, options)
    found = many([(s, common) for s in selections], executor=executor)
    return PairMatrix(annotators=names, agreements=dict(zip(pairs, found, strict=True)))


@dataclass(frozen=True)
class LeftOut:
    """Agreement without one annotator.

    Attributes
    ----------
    annotator
        Who is left out.
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


def left_out(
    continua: Mapping[str, Continuum],
    overall: Agreement,
    pairs: PairMatrix,
    options: GammaOptions,
    *,
    executor: Executor | None = None,
) -> tuple[LeftOut, ...]:
    """Agreement with each annotator left out; empty for fewer than three annotators.

    Both values of an entry are of the same documents and use the same chance model. What is known
    already is not computed again: γ of everybody on all documents, and, of three annotators of one
    continuum, γ of the two that remain.
    """
    names = pairs.annotators
    if len(names) < 3:
        return ()
    rest = [tuple(n for n in names if n != name) for name in names]
    selections = [with_annotators(continua, others) for others in rest]
    complete = [{d: continua[d] for d in selection} for selection in selections]
    if len(names) == 3 and len(continua) == 1:
        found = [pairs.agreements[others[0], others[1]] for others in rest]
        return tuple(map(LeftOut, names, found, [overall.value] * 3))
    tasks = [
        (selection, common_chance([everybody, selection], options))
        for everybody, selection in zip(complete, selections, strict=True)
    ]
    same = [
        len(c) == len(continua) and settings["chance"] == overall.chance
        for c, (_, settings) in zip(complete, tasks, strict=True)
    ]
    again = [(c, s) for c, (_, s), known in zip(complete, tasks, same, strict=True) if not known]
    found = many(tasks + again, executor=executor)
    baselines = iter(found[len(tasks) :])
    return tuple(
        LeftOut(name, agreement, overall.value if known else next(baselines).value)
        for name, agreement, known in zip(names, found, same, strict=False)
    )
