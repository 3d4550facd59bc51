"""γ_cat and γ_k (Mathet 2017): agreement on categories of the units that γ aligns.

Both measures use the best alignment that γ finds. In a unitary alignment with n_v ≥ 2 real (that
is, not empty) units, each pair of real units (u, v) has the weight

    w = 1/(n_v − 1) · max(0, 1 − d_pos(u, v)/Δ).

The disorder of categories is δ_cat = Σ w·d_cat / Σ w, and γ_cat = 1 − δ_cat(observed) / mean
δ_cat(random), where each random set has its own best alignment. γ_k uses only the pairs with at
least one unit of category k. Pairs with an empty unit are ignored. If there is no pair, the value
is undefined. In a corpus, both disorders of a document are weighted by W, the Σ w of its observed
pairs: γ_cat = 1 − Σ W·δ_cat / Σ W·E[δ_cat].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from gammacp.alignment import Status, align
from gammacp.base.arguments import instance
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.chance.beyond import ratio_interval, ratios
from gammacp.chance.expected import ExpectedDisorder
from gammacp.continuum import Continuum
from gammacp.continuum.label import plain
from gammacp.continuum.needs import Need, require
from gammacp.dissimilarity import BoundDissimilarity, Combined, unit_columns
from gammacp.dissimilarity.base import bind
from gammacp.errors import DataError, UsageError
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.gamma import disorder_rates
from gammacp.measures.gamma_notes import few_units, not_shown, notes_on
from gammacp.measures.random_sets import Basis, RandomSet
from gammacp.measures.registry import registered
from gammacp.measures.score import ChanceBaseline, Score
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

# Least number of units per annotator for which independent annotators have a γ_cat of about 0
# (docs/chance.md). γ_cat rests on fewer pairs than γ: with five overlapping units each, independent
# annotators had .29 ± .15.
_FEWEST_UNITS = 10.0
_NO_PAIR = "no two aligned units are close enough to count"
_ALIKE = "the expected disorder is 0: random sets agree on categories"


def count_category_disorder(continuum: Continuum, **options: Any) -> Counts:
    """Return δ_cat of the best alignment and its mean over random sets, as counts.

    Parameters
    ----------
    continuum, options
        As for `gamma_cat`.

    Raises
    ------
    DataError
        There is no aligned pair, or the random sets have none.
    """
    score = gamma_cat(continuum, **options)
    if score.counts is None:
        raise DataError(str(score.reason))
    return score.counts


def observe_category_disorder(continuum: Continuum, **options: Any) -> Counts:
    """Return δ_cat of the best alignment alone, as counts; the expected disorder is NaN.

    Parameters
    ----------
    continuum, options
        As for `gamma_cat`.

    Raises
    ------
    DataError
        There is no aligned pair.
    """
    settings = Settings.of(**options)
    parts = _parts_of(settings).bind(continuum)
    pairs = aligned_pairs(
        continuum, align(continuum, settings.dissimilarity, **settings.solving).groups, parts
    )
    if not pairs.total(None) > 0:
        raise DataError(_NO_PAIR)
    numbers = {"observed": np.array([pairs.disorder(None)]), "expected": np.array([math.nan])}
    delta = bind(settings.dissimilarity, continuum).delta
    numbers |= {"units": np.ones(1), "most": np.array([delta])}
    return Counts((continuum.annotators,), numbers, weight=pairs.total(None))


def count_disorder_by_category(continuum: Continuum, **options: Any) -> Counts:
    """Return δ_cat for each category, over the pairs with a unit of it, as counts.

    Parameters
    ----------
    continuum, options
        As for `gamma_k`.
    """
    counts = gamma_k(continuum, **options).counts
    assert counts is not None
    return counts


def category_disorder_rates(numbers: Numbers) -> Rates:
    """Return γ_k of each category.

    Parameters
    ----------
    numbers
        Arrays `observed`, `expected`, `units` and `most`, with categories along the last axis.
    """
    sums = {name: x.sum(axis=-1) for name, x in numbers.items()}
    return Rates(
        value=np.full(sums["units"].shape, math.nan),
        disagreement=share(sums["observed"], sums["most"]),
        size=sums["units"],
        by_label=ratios(numbers["observed"], numbers["expected"]),
    )


@registered(
    "gamma-cat",
    "categories of the units that γ aligns",
    "Mathet 2017",
    needs={Need.CATEGORIES},
    fragments="whole",
    counting=Counting(
        count=count_category_disorder,
        rates=disorder_rates,
        pooling="all",
        relabelled=True,
        nothing=_ALIKE,
        observe=observe_category_disorder,
    ),
)
@spelled_out_with_computing
def gamma_cat(continuum: Continuum, **options: Unpack[FamilyOptions]) -> Score:
    """Return γ_cat of one continuum.

    It is 1 if all units that are aligned with each other have equal categories. Arguments and
    errors are as for `gamma`, options those of `FamilyOptions`.
    """
    disorders = _disorders(continuum, options)
    counts = disorders.counts()
    value = float(disorder_rates(counts.numbers).value[0])
    score = disorders.score("gamma-cat", None, value)
    # A document without any pair says nothing about categories, and sums leave it out.
    return replace(score, counts=counts if counts.weight else None)


@registered(
    "gamma-k",
    "γ_cat of the pairs with a unit of one category, for each",
    "Mathet 2017",
    needs={Need.CATEGORIES},
    per_category=True,
    fragments="whole",
    counting=Counting(
        count=count_disorder_by_category,
        rates=category_disorder_rates,
        pooling="all",
        nothing=_ALIKE,
    ),
)
@spelled_out_with_computing
def gamma_k(continuum: Continuum, **options: Unpack[FamilyOptions]) -> Score:
    """Return a score with γ_k of every category in `by_category`, NaN where undefined.

    Arguments and errors are as for `gamma`, options those of `FamilyOptions`.
    """
    return _disorders(continuum, options).by_category()


def gamma_k_on(continuum: Continuum, basis: Basis) -> Score:
    """Return γ_k of a continuum, from the same alignment and random sets as its γ.

    `basis` must have a memory, because without one it keeps no random sets.
    """
    return _Disorders.of(continuum, basis).by_category()


def _disorders(continuum: Continuum, options: FamilyOptions) -> _Disorders:
    settings, how = Settings.and_computing(options, keeping=True)
    instance("continuum", continuum, Continuum, "a Continuum")
    require(continuum, fragments=True)
    return _Disorders.of(continuum, Basis(continuum, settings, **how))


def _parts_of(settings: Settings) -> Combined:
    """Return the dissimilarity with α = β = 1, whatever α and β the alignment uses."""
    dissimilarity = settings.dissimilarity
    if not isinstance(dissimilarity, Combined):
        raise UsageError(
            f"dissimilarity {type(dissimilarity).__name__} has no positional and "
            "categorial parts, which γ_cat and γ_k need: use Combined"
        )
    return replace(dissimilarity, alpha=1.0, beta=1.0)


@dataclass(frozen=True)
class AlignedPairs:
    """Pairs of real units in the same unitary alignment.

    `left` and `right` are the category codes of the two units, `weight` is w (see the docstring of
    the module), and `cost` is d_cat.
    """

    left: Codes
    right: Codes
    weight: Floats
    cost: Floats

    def disorder(self, category: int | None) -> float:
        """Return δ_cat over all pairs, or those with a unit of `category`; NaN if Σ w is 0."""
        total = self.total(category)
        cost = float((self.weight * self.cost)[self.rows(category)].sum())
        if total > 0:
            return cost / total
        return math.nan

    def total(self, category: int | None) -> float:
        """Return Σ w of all pairs, or of those with a unit of `category`."""
        return float(self.weight[self.rows(category)].sum())

    def rows(self, category: int | None) -> slice | Bools:
        """Return an index of all pairs, or of those with a unit of `category`."""
        if category is None:
            return slice(None)
        return np.asarray((self.left == category) | (self.right == category))


def aligned_pairs(
    continuum: Continuum, groups: Codes, dissimilarity: BoundDissimilarity
) -> AlignedPairs:
    """Return the pairs of an alignment.

    Parameters
    ----------
    groups
        Rows of the continuum's units, shape (unitary alignments, annotators), −1 for none.
    dissimilarity
        A `Combined` with α = β = 1, so that its parts are d_pos and d_cat.
    """
    place = dissimilarity.positional_part
    label = dissimilarity.categorial_part
    assert place is not None
    assert label is not None
    a, b = np.triu_indices(groups.shape[1], 1)
    real = np.count_nonzero(groups >= 0, axis=1)
    group, pair = np.nonzero((groups[:, a] >= 0) & (groups[:, b] >= 0))
    u = groups[group, a[pair]]
    v = groups[group, b[pair]]
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
    """Aligned pairs of all random sets in one table; `owner` is the number of a pair's set."""

    pairs: AlignedPairs
    owner: Indices
    sets: int
    confidence: float
    expected_by_category: dict[int | None, ExpectedDisorder | None] = field(default_factory=dict)

    @classmethod
    def of(cls, sets: Sequence[RandomSet], parts: BoundDissimilarity, confidence: float) -> _Random:
        pairs = [aligned_pairs(s.continuum, s.groups, parts) for s in sets]
        none = AlignedPairs(*np.zeros((2, 0), np.int32), *np.zeros((2, 0)))
        columns = zip(*(vars(p).values() for p in (none, *pairs)), strict=True)
        owner = np.repeat(np.arange(len(pairs), dtype=np.int64), [len(p.left) for p in pairs])
        return cls(AlignedPairs(*map(np.concatenate, columns)), owner, len(pairs), confidence)

    def expected(self, category: int | None) -> ExpectedDisorder | None:
        """Return δ_cat of the random sets for which it is defined; None if there is none."""
        if category not in self.expected_by_category:
            rows = self.pairs.rows(category)
            weight = np.bincount(self.owner[rows], self.pairs.weight[rows], self.sets)
            cost = (self.pairs.weight * self.pairs.cost)[rows]
            total = np.bincount(self.owner[rows], cost, self.sets)
            disorders = total[weight > 0] / weight[weight > 0]
            self.expected_by_category[category] = (
                ExpectedDisorder(disorders, disorders, True, self.confidence)
                if len(disorders)
                else None
            )
        return self.expected_by_category[category]


@dataclass(frozen=True)
class _Disorders:
    """Aligned pairs of a continuum's best alignment, and of all random sets of its basis."""

    continuum: Continuum
    basis: Basis
    observed: AlignedPairs
    random: _Random

    @classmethod
    def of(cls, continuum: Continuum, basis: Basis) -> _Disorders:
        separate = _parts_of(basis.settings)
        parts = basis.once(("parts",), lambda: separate.bind(basis.source))
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
        """Expected disorder of γ, which tells how many sets there are and whether they suffice."""
        return self.basis.chance(self.continuum).expected

    @property
    def status(self) -> Status:
        proven = self.basis.align([self.continuum])[0].status is Status.OPTIMAL
        complete = self.expected.proven and self.expected.complete
        if proven and complete:
            return Status.OPTIMAL
        return Status.FEASIBLE

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on sampling, and on ties of the observed alignment, which may change γ_cat."""
        alignment = self.basis.align([self.continuum])[0]
        return (*notes_on(self.expected, self.basis.settings), *alignment.notes)

    def signature(self, name: str) -> str:
        chance = self.basis.chance(self.continuum)
        return self.basis.signature(name, chance, selection=self.continuum.selection)

    def counts(self) -> Counts:
        """Return δ_cat of all pairs, with their Σ w as the weight of the document in sums."""
        columns, weights = self._columns([None])
        return Counts((self.continuum.annotators,), columns, weight=float(weights[0]))

    def counts_by_category(self) -> Counts:
        """Return δ_cat for each category, with the Σ w of its pairs as its weight in sums."""
        labels = tuple(plain(self.continuum.categories)[0])
        columns, weights = self._columns(range(len(labels)))
        numbers = {name: values[None] for name, values in columns.items()}
        return Counts((self.continuum.annotators,), numbers, labels, weight=weights)

    def _columns(self, categories: Sequence[int | None]) -> tuple[dict[str, Floats], Floats]:
        """Return both disorders and the weight of each category; all 0 if one is undefined."""
        chances = [self._chance(k) for k in categories]
        observed = np.array([self.observed.disorder(k) for k in categories])
        expected = np.array([math.nan if c is None else c.mean for c in chances])
        is_defined = ~np.isnan(observed + expected)
        weights = np.array([self.observed.total(k) for k in categories])
        one = np.ones(len(is_defined))
        most = one * self.basis.dissimilarity.delta
        numbers = {
            "observed": np.where(is_defined, observed, 0.0),
            "expected": np.where(is_defined, expected, 0.0),
            "units": one,
            "most": most,
        }
        return numbers, np.where(is_defined, weights, 0.0)

    def _chance(self, category: int | None) -> ExpectedDisorder | None:
        if self.expected.enough:
            return self.random.expected(category)
        return None

    def by_category(self) -> Score:
        counts = self.counts_by_category()
        values = category_disorder_rates(counts.numbers).by_label
        assert values is not None
        scores = {
            name: self.score("gamma-k", k, float(values[0, k]))
            for k, name in enumerate(counts.labels)
        }
        reasons = "; ".join(f"{name}: {s.reason}" for name, s in scores.items() if s.reason)
        return Score(
            value=math.nan,
            baseline=ChanceBaseline(samples=self.expected.samples),
            status=self.status,
            by_category={name: s.value for name, s in scores.items()},
            reason=reasons or None,
            notes=self.notes,
            signature=self.signature("gamma-k"),
            counts=counts,
        )

    def score(self, name: str, category: int | None, value: float) -> Score:
        """Return the score with this value, or with the reason why it has none."""
        observed = self.observed.disorder(category)
        chance = self._chance(category)
        if math.isnan(value):
            reason = _ALIKE
        else:
            reason = None
        if math.isnan(observed):
            reason = _NO_PAIR
        elif not self.expected.enough:
            reason = f"interrupted after {self.random.sets} random annotation sets, too few"
        elif chance is None:
            reason = "no random set has two aligned units that are close enough to count"
        defined_score = Score(
            value=value,
            reason=reason,
            observed=None if math.isnan(observed) else observed,
            expected=chance.mean if chance and not math.isnan(observed) else None,
            signature=self.signature(name),
        )
        if reason or chance is None:
            return defined_score
        p = chance.p_value(observed)
        several = chance.samples > 1
        return replace(
            defined_score,
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
