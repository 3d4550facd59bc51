"""γ_cat and γ_k (Mathet 2017): agreement on categories of the units that γ aligns.

On γ's best alignment every pair of real units (u, v) of a unitary alignment with n_v ≥ 2 real
units has the weight w = 1/(n_v − 1) · max(0, 1 − d_pos(u, v)/Δ). δ_cat = Σ w·d_cat / Σ w, and
γ_cat = 1 − δ_cat(observed) / mean δ_cat(random), each random set on its own best alignment. γ_k
keeps the pairs with at least one unit of category k. Pairs with an empty unit are ignored; where
there is no pair at all the value is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

import numpy as np

from gammacp.alignment import Status
from gammacp.base.arguments import instance
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.chance.beyond import ratio, ratio_interval
from gammacp.chance.expected import ExpectedDisorder
from gammacp.continuum import Continuum
from gammacp.continuum.label import plain
from gammacp.continuum.needs import Need, require
from gammacp.dissimilarity import BoundDissimilarity, Combined, unit_columns
from gammacp.errors import UsageError
from gammacp.measures.gamma import few_units, not_shown, notes_on
from gammacp.measures.random_sets import Basis, RandomSet
from gammacp.measures.registry import registered
from gammacp.measures.score import ChanceBaseline, Score
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

# Units per annotator from which the zero of γ_cat is chance (docs/chance.md): it rests on fewer
# pairs than γ, and where units overlap five gave independent annotators .29 ± .15.
_FEWEST_UNITS = 10.0
_ALIKE = "the expected disorder is 0: random sets agree on categories"


@registered(
    "gamma-cat",
    "categories of the units that γ aligns",
    "Mathet 2017",
    needs={Need.CATEGORIES},
    fragments="whole",
)
@spelled_out_with_computing
def gamma_cat(continuum: Continuum, **options: Unpack[FamilyOptions]) -> Score:
    """γ_cat of one continuum; arguments and errors as for `gamma`, options `FamilyOptions`.

    Units aligned with equal categories throughout give 1.
    """
    return _disorders(continuum, options).score("gamma-cat", None)


@registered(
    "gamma-k",
    "γ_cat of the pairs with a unit of one category, for each",
    "Mathet 2017",
    needs={Need.CATEGORIES},
    per_category=True,
    fragments="whole",
)
@spelled_out_with_computing
def gamma_k(continuum: Continuum, **options: Unpack[FamilyOptions]) -> Score:
    """γ_k of every category in `by_category`, NaN where undefined.

    Arguments and errors as for `gamma`, options those of `FamilyOptions`.
    """
    return _disorders(continuum, options).by_category()


def gamma_k_on(continuum: Continuum, basis: Basis) -> Score:
    """γ_k of a continuum on the alignment and the random sets that its γ rests on.

    `basis` must have a memory, without which no random sets are kept.
    """
    return _Disorders.of(continuum, basis).by_category()


def _disorders(continuum: Continuum, options: FamilyOptions) -> _Disorders:
    settings, how = Settings.and_computing(options, keeping=True)
    instance("continuum", continuum, Continuum, "a Continuum")
    require(continuum, fragments=True)
    return _Disorders.of(continuum, Basis(continuum, settings, **how))


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
        rows = self.rows(category)
        total = float(self.weight[rows].sum())
        return float((self.weight * self.cost)[rows].sum()) / total if total > 0 else math.nan

    def rows(self, category: int | None) -> slice | Bools:
        """All pairs, or those with a unit of `category`."""
        if category is None:
            return slice(None)
        return np.asarray((self.left == category) | (self.right == category))


def aligned_pairs(
    continuum: Continuum, groups: Codes, dissimilarity: BoundDissimilarity
) -> AlignedPairs:
    """The pairs of an alignment.

    Parameters
    ----------
    groups
        Rows of the continuum's units, shape (unitary alignments, annotators), −1 for none.
    dissimilarity
        A `Combined` with α = β = 1, so that its parts are d_pos and d_cat.
    """
    place, label = dissimilarity.positional_part, dissimilarity.categorial_part
    assert place is not None
    assert label is not None
    a, b = np.triu_indices(groups.shape[1], 1)
    real = np.count_nonzero(groups >= 0, axis=1)
    group, pair = np.nonzero((groups[:, a] >= 0) & (groups[:, b] >= 0))
    u, v = groups[group, a[pair]], groups[group, b[pair]]
    units = unit_columns(continuum)
    closeness = 1 - place(units[u], units[v]) / dissimilarity.delta
    category = plain(continuum.categories)[1][continuum.category_codes]
    return AlignedPairs(
        category[u],
        category[v],
        np.maximum(0.0, closeness) / (real[group] - 1),
        label(units[u], units[v]),
    )


@dataclass(frozen=True)
class _Random:
    """Aligned pairs of random sets, one behind another; `owner` is the number of their set."""

    pairs: AlignedPairs
    owner: Indices
    sets: int
    confidence: float
    known: dict[int | None, ExpectedDisorder | None] = field(default_factory=dict)

    @classmethod
    def of(cls, sets: Sequence[RandomSet], parts: BoundDissimilarity, confidence: float) -> _Random:
        found = [aligned_pairs(s.continuum, s.groups, parts) for s in sets]
        none = AlignedPairs(*np.zeros((2, 0), np.int32), *np.zeros((2, 0)))
        columns = zip(*(vars(p).values() for p in (none, *found)), strict=True)
        owner = np.repeat(np.arange(len(found), dtype=np.int64), [len(p.left) for p in found])
        return cls(AlignedPairs(*map(np.concatenate, columns)), owner, len(found), confidence)

    def expected(self, category: int | None) -> ExpectedDisorder | None:
        """δ_cat of the sets that have one; None if none has."""
        if category not in self.known:
            rows = self.pairs.rows(category)
            weight = np.bincount(self.owner[rows], self.pairs.weight[rows], self.sets)
            cost = (self.pairs.weight * self.pairs.cost)[rows]
            total = np.bincount(self.owner[rows], cost, self.sets)
            disorders = total[weight > 0] / weight[weight > 0]
            self.known[category] = (
                ExpectedDisorder(disorders, disorders, True, self.confidence)
                if len(disorders)
                else None
            )
        return self.known[category]


@dataclass(frozen=True)
class _Disorders:
    """Aligned pairs of the observed alignment and of every random set, on a continuum's basis."""

    continuum: Continuum
    basis: Basis
    observed: AlignedPairs
    random: _Random

    @classmethod
    def of(cls, continuum: Continuum, basis: Basis) -> _Disorders:
        dissimilarity = basis.settings.dissimilarity
        if not isinstance(dissimilarity, Combined):
            raise UsageError(
                f"dissimilarity {type(dissimilarity).__name__} has no positional and "
                "categorial parts, which γ_cat and γ_k need: use Combined"
            )
        # γ_cat weighs positions and categories by themselves, whatever α and β align with.
        parts = basis.once(
            ("parts",), lambda: replace(dissimilarity, alpha=1.0, beta=1.0).bind(basis.source)
        )
        chance = basis.chance(continuum)
        confidence = basis.settings.rule.confidence
        return cls(
            continuum,
            basis,
            aligned_pairs(continuum, basis.align([continuum])[0].groups, parts),
            basis.once(("random", chance), lambda: _Random.of(chance.sets, parts, confidence)),
        )

    @property
    def expected(self) -> ExpectedDisorder:
        """That of γ: how many random sets there are, whether they are proven and enough."""
        return self.basis.chance(self.continuum).expected

    @property
    def status(self) -> Status:
        proven = self.basis.align([self.continuum])[0].status is Status.OPTIMAL
        complete = self.expected.proven and self.expected.complete
        return Status.OPTIMAL if proven and complete else Status.FEASIBLE

    @property
    def notes(self) -> tuple[str, ...]:
        """What sampling and the observed alignment leave open; which one is best matters here."""
        alignment = self.basis.align([self.continuum])[0]
        return (*notes_on(self.expected, self.basis.settings), *alignment.notes)

    def signature(self, name: str) -> str:
        chance = self.basis.chance(self.continuum)
        return self.basis.signature(name, chance, selection=self.continuum.selection)

    def by_category(self) -> Score:
        names = enumerate(plain(self.continuum.categories)[0])
        found = {name: self.score("gamma-k", k) for k, name in names}
        reasons = "; ".join(f"{name}: {s.reason}" for name, s in found.items() if s.reason)
        return Score(
            value=math.nan,
            baseline=ChanceBaseline(samples=self.expected.samples),
            status=self.status,
            by_category={name: s.value for name, s in found.items()},
            reason=reasons or None,
            notes=self.notes,
            signature=self.signature("gamma-k"),
        )

    def score(self, name: str, category: int | None) -> Score:
        """1 − δ_cat/E[δ_cat], or NaN and why."""
        observed = self.observed.disorder(category)
        chance = self.random.expected(category) if self.expected.enough else None
        value, reason = ratio(observed, chance.mean if chance else math.nan, _ALIKE)
        if math.isnan(observed):
            reason = "no two aligned units are close enough to count"
        elif not self.expected.enough:
            reason = f"interrupted after {self.random.sets} random annotation sets, too few"
        elif chance is None:
            reason = "no random set has two aligned units that are close enough to count"
        known = Score(
            value=value,
            reason=reason,
            observed=None if math.isnan(observed) else observed,
            expected=chance.mean if chance and not math.isnan(observed) else None,
            signature=self.signature(name),
        )
        if reason or chance is None:
            return known
        p = chance.p_value(observed)
        several = chance.samples > 1
        return replace(
            known,
            status=self.status,
            baseline=ChanceBaseline(
                model=self.basis.chance(self.continuum).model,
                samples=self.random.sets,
                p=p,
                least_p=1 / (1 + chance.samples),
            ),
            interval=ratio_interval(observed, observed, *chance.interval) if several else None,
            notes=(
                *self.notes,
                *few_units(self.continuum, "γ_cat", _FEWEST_UNITS),
                *not_shown(p, chance.samples),
            ),
        )
