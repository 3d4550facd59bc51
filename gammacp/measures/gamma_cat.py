"""γ_cat and γ_k (Mathet 2017): agreement on categories of the units that γ aligns.

On γ's best alignment every pair of real units (u, v) of a unitary alignment with n_v ≥ 2 real
units has the weight w = 1/(n_v − 1) · max(0, 1 − d_pos(u, v)/Δ). δ_cat = Σ w·d_cat / Σ w, and
γ_cat = 1 − δ_cat(observed) / mean δ_cat(random), each random set on its own best alignment. γ_k
keeps the pairs with at least one unit of category k. Pairs with an empty unit are ignored; where
there is no pair at all the value is undefined.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from gammacp.alignment import Alignment, Status
from gammacp.arrays import Codes, Floats
from gammacp.chance.sampling import ExpectedDisorder
from gammacp.continuum import Continuum
from gammacp.dissimilarity import BoundCombined, Combined, columns
from gammacp.errors import UsageError
from gammacp.measures.gamma import observed_and_chance
from gammacp.measures.gamma_run import Chance, GammaOptions, Settings, agreement_interval
from gammacp.measures.registry import Measure, register
from gammacp.measures.score import Score, undefined
from gammacp.needs import Need
from gammacp.signature import signature


@dataclass(frozen=True, kw_only=True)
class CategoryScore(Score):
    """γ_cat or γ_k with what it rests on.

    Attributes
    ----------
    samples
        Random sets.
    status
        `optimal` if the observed alignment and those of all random sets are proven.
    """

    samples: int
    status: Status


def gamma_cat(
    continuum: Continuum,
    *,
    executor: Executor | None = None,
    shared: dict[object, object] | None = None,
    **options: Unpack[GammaOptions],
) -> Score:
    """γ_cat of one continuum; arguments as for `gamma`.

    Units aligned with equal categories throughout give 1.
    """
    settings = Settings.of(**options)
    alignment, chance = observed_and_chance(
        continuum, settings, executor=executor, shared=shared, keep=True
    )
    disorders = _Disorders.of(continuum, alignment, chance, settings)
    return disorders.score("gamma-cat", None)


def gamma_k(
    continuum: Continuum,
    *,
    executor: Executor | None = None,
    shared: dict[object, object] | None = None,
    **options: Unpack[GammaOptions],
) -> Score:
    """γ_k of every category in `by_category` (NaN where undefined); arguments as for `gamma`."""
    settings = Settings.of(**options)
    alignment, chance = observed_and_chance(
        continuum, settings, executor=executor, shared=shared, keep=True
    )
    disorders = _Disorders.of(continuum, alignment, chance, settings)
    scores = {name: disorders.score("gamma-k", k) for k, name in enumerate(continuum.categories)}
    reasons = "; ".join(f"{name}: {s.reason}" for name, s in scores.items() if s.reason)
    return CategoryScore(
        value=math.nan,
        samples=chance.expected.samples,
        status=disorders.status,
        by_category={name: s.value for name, s in scores.items()},
        reason=reasons or None,
        signature=disorders.signature("gamma-k"),
    )


@dataclass(frozen=True)
class AlignedPairs:
    """Pairs of real units that share a unitary alignment.

    `left` and `right` are category codes, `weight` is w (see the module), `cost` is d_cat.
    """

    left: Codes
    right: Codes
    weight: Floats
    cost: Floats

    def disorder(self, category: int | None) -> float:
        """δ_cat over all pairs, or those with a unit of `category`; NaN without any weight."""
        rows = slice(None)
        if category is not None:
            rows = (self.left == category) | (self.right == category)
        total = float(self.weight[rows].sum())
        return float((self.weight * self.cost)[rows].sum()) / total if total > 0 else math.nan


def aligned_pairs(
    continuum: Continuum, groups: Codes, dissimilarity: BoundCombined
) -> AlignedPairs:
    """The pairs of an alignment.

    Parameters
    ----------
    groups
        Rows of the continuum's units, shape (unitary alignments, annotators), −1 for none.
    dissimilarity
        With α = β = 1, so that its parts are d_pos and d_cat.
    """
    a, b = np.triu_indices(groups.shape[1], 1)
    real = np.count_nonzero(groups >= 0, axis=1)
    group, pair = np.nonzero((groups[:, a] >= 0) & (groups[:, b] >= 0))
    u, v = groups[group, a[pair]], groups[group, b[pair]]
    units = columns(continuum)
    closeness = 1 - dissimilarity.positional_part(units[u], units[v]) / dissimilarity.delta
    return AlignedPairs(
        continuum.category_codes[u],
        continuum.category_codes[v],
        np.maximum(0.0, closeness) / (real[group] - 1),
        dissimilarity.categorial_part(units[u], units[v]),
    )


@dataclass(frozen=True)
class _Disorders:
    """Aligned pairs of the observed alignment and of every random set."""

    observed: AlignedPairs
    random: tuple[AlignedPairs, ...]
    confidence: float
    proven: bool
    enough: bool
    parts: dict[str, object]

    @property
    def status(self) -> Status:
        return Status.OPTIMAL if self.proven else Status.FEASIBLE

    @classmethod
    def of(
        cls, continuum: Continuum, alignment: Alignment, chance: Chance, settings: Settings
    ) -> _Disorders:
        if not isinstance(settings.dissimilarity, Combined):
            raise UsageError(
                f"dissimilarity {type(settings.dissimilarity).__name__} has no positional and "
                "categorial parts, which γ_cat and γ_k need: use Combined"
            )
        # γ_cat weighs positions and categories by themselves, whatever α and β align with.
        parts = replace(settings.dissimilarity, alpha=1.0, beta=1.0).bind(continuum)
        return cls(
            aligned_pairs(continuum, alignment.groups, parts),
            tuple(aligned_pairs(s.continuum, s.groups, parts) for s in chance.sets),
            settings.rule.confidence,
            alignment.status is Status.OPTIMAL
            and chance.expected.proven
            and chance.expected.complete,
            chance.expected.enough,
            settings.signature_parts(chance.sampler, chance.expected, settings.method),
        )

    def signature(self, name: str) -> str:
        return signature(name, **self.parts)

    def score(self, name: str, category: int | None) -> Score:
        line = self.signature(name)
        observed = self.observed.disorder(category)
        disorders = np.array([pairs.disorder(category) for pairs in self.random])
        disorders = disorders[~np.isnan(disorders)]
        if math.isnan(observed):
            return undefined(
                "no two units are aligned and intersect enough to count", signature=line
            )
        if not self.enough:
            return undefined(
                f"interrupted after {len(self.random)} random annotation sets, too few",
                observed=observed,
                signature=line,
            )
        if not len(disorders):
            return undefined(
                "no random set has two aligned units that count", observed=observed, signature=line
            )
        expected = float(disorders.mean())
        if expected == 0:
            return undefined(
                "the expected disorder is 0: random sets agree on categories",
                observed=observed,
                expected=expected,
                signature=line,
            )
        return CategoryScore(
            value=1 - observed / expected,
            samples=len(self.random),
            status=self.status,
            observed=observed,
            expected=expected,
            interval=agreement_interval(
                observed, observed, ExpectedDisorder(disorders, disorders, True, self.confidence)
            )
            if len(disorders) > 1
            else None,
            signature=line,
        )


for _name, _function, _summary, _per_category in (
    ("gamma-cat", gamma_cat, "categories of the units that γ aligns", False),
    ("gamma-k", gamma_k, "γ_cat of the pairs with a unit of one category, for each", True),
):
    register(
        Measure(
            name=_name,
            summary=_summary,
            reference="Mathet 2017",
            function=_function,
            needs=frozenset({Need.CATEGORIES}),
            per_category=_per_category,
        )
    )
