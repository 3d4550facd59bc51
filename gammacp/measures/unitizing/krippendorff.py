"""Krippendorff's α family for unitizing: uα, |uα, cuα, (k)uα.

Krippendorff, Mathet, Bouvry & Widlöcher (2016), "On the reliability of unitizing textual
continua: further developments", Quality & Quantity 50: 2347–2364. It replaces the form of 2013
(`gammacp.measures.unitizing.krippendorff_2013`), which went wrong for more than two annotators.

Conventions
-----------
m annotators tile a continuum of length L (its bounds) into sections: units and gaps φ. The
observed coincidence ℓ_ck is the length of all intersections of a section with label c and one of
another annotator with label k, over ordered pairs of annotators, divided by m − 1; ℓ.. = mL.
Disagreements are given per position, D = Σ δ² ℓ / ℓ.. , so that they lie within [0, 1] for
nominal labels. A star restricts a quantity to units: ℓ*_ck and ε*_ck are of intersections of units
with units, without gaps.

Expected coincidences pair every position with every other one, except those that cannot meet:
the positions of a unit with positions of the same unit (ℓ² pairs), and a position of a gap with
itself. The latter are ℓ pairs per gap when positions are integers, ℓ·τ when a position is τ long.
Positions that are not integers have no such τ: a continuum that is measured ever more finely has
τ → 0, and the term vanishes, while all others keep their meaning. So the term is ℓ·τ with τ = 1
if all positions and bounds are whole numbers, as published, and τ = 0, the continuous limit,
otherwise; the option `atom` sets τ. Only |uα, uα and the 2013 form depend on τ.

Unlabelled units are one more category of uα and |uα; cuα and (k)uα need labels.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.base.signature import signature
from gammacp.chance.beyond import ratio, ratios
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require, unmet_need
from gammacp.dissimilarity.base import category_counts
from gammacp.inference.bootstrap import bootstrap_interval
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.labels.category_metrics import Metric, metric_name, squared_differences
from gammacp.measures.labels.coincidences import (
    Coincidences,
    coincidence_rates,
    count_intersections,
    count_sections,
    count_units_and_gaps,
    expected_coincidences,
)
from gammacp.measures.registry import observed_disagreement, registered
from gammacp.measures.score import Score
from gammacp.measures.unitizing.sections import NO_LENGTH, atom_of

_registered = partial(
    registered,
    reference="Krippendorff, Mathet, Bouvry & Widlöcher 2016",
    disagreement=observed_disagreement,
    fragments="atoms",
)


@dataclass(frozen=True, kw_only=True)
class CoincidenceScore(Score):
    """A coefficient with the coincidence matrices that it is computed from.

    Attributes
    ----------
    labels
        Row and column names of the matrices; φ is the gap.
    observed_coincidences, expected_coincidences
        ℓ_ck and ε_ck, shape (labels, labels); lengths, in positions.
    coverage
        cuα and (k)uα: ℓ*.. / ℓ.., the length of intersections of units relative to all sections.
    bootstrap_by_category
        (k)uα: bootstrap interval per category.
    """

    labels: tuple[str, ...]
    observed_coincidences: Floats
    expected_coincidences: Floats
    coverage: float | None = None
    bootstrap_by_category: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _count_sections(continuum: Continuum, *, atom: float | None = None, **_: Any) -> Counts:
    return count_sections(continuum, atom_of(continuum, atom))


def _count_units_and_gaps(continuum: Continuum, *, atom: float | None = None, **_: Any) -> Counts:
    return count_units_and_gaps(continuum, atom_of(continuum, atom))


def _count_intersections(continuum: Continuum, **_: Any) -> Counts:
    return count_intersections(continuum)


def settle_metric(counts: Counts, *, metric: Metric = "nominal", **_: Any) -> dict[str, Floats]:
    """Return δ² of the labels, as `squared`.

    Parameters
    ----------
    counts
        Counts. Metrics that weigh labels by their frequency need `labelled`, the number of units of
        each label.
    metric
        Metric as `alpha` takes it.
    """
    labelled = counts.numbers.get("labelled")
    units: dict[str, int] = {}
    if labelled is not None:
        numbers = labelled.sum(axis=0).round().astype(np.int64).tolist()
        units = dict(zip(counts.labels, numbers, strict=True))
    return {"squared": squared_differences(metric, counts.labels, units)}


def _nominal(counts: Counts, **_: Any) -> dict[str, Floats]:
    return {"squared": 1.0 - np.eye(len(counts.labels))}


_ONE_LABEL = "one label covers everything: no disagreement can be expected"
_NO_CONTRAST = "no gap (or nothing but gaps): unit against gap cannot disagree"
_ONE_CATEGORY = "all intersecting units have the same category: no disagreement can be expected"


@_registered(
    "u-alpha",
    "positions and categories together, by the length of intersections",
    needs={Need.NO_OVERLAP},
    counting=Counting(
        count=_count_sections,
        rates=coincidence_rates,
        settle=_nominal,
        pooling="all",
        nothing=_ONE_LABEL,
    ),
)
def u_alpha(
    continuum: Continuum, *, atom: float | None = None, bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """Return uα: agreement on stretches with their categories.

    Parameters
    ----------
    continuum
        Units of one annotator must not overlap.
    atom
        Length of a position, see the module's conventions. Default: 1 or the limit 0.
    bootstrap
        Number of bootstrap resamples; 0 for none.
    seed
        Seed of the bootstrap.

    Worked value: L = 60, Alex [2,5)1, Paul [2,5)1 [10,20)2, Susan [2,5)2 [15,20)2: 0.398298143.

    Raises
    ------
    DataError
        Units of one annotator overlap (the unit is named), or nothing can be compared.
    """
    require(continuum, {Need.NO_OVERLAP})
    tau = atom_of(continuum, atom)
    coincidences = Coincidences.of(count_sections(continuum, tau))
    return ratio_of_coincidences(
        coincidences,
        1.0 - np.eye(len(coincidences.labels)),
        score_signature=signature_of("u-alpha", continuum, bootstrap, seed, atom=tau),
        if_none_expected=_ONE_LABEL,
        bootstrap=bootstrap,
        seed=seed,
    )


@_registered(
    "binary-u-alpha",
    "units against gaps, whatever the category",
    needs={Need.NO_OVERLAP},
    counting=Counting(
        count=_count_units_and_gaps,
        rates=coincidence_rates,
        settle=_nominal,
        pooling="all",
        nothing=_NO_CONTRAST,
    ),
)
def binary_u_alpha(
    continuum: Continuum, *, atom: float | None = None, bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """Return |uα: agreement on what is a unit and what is a gap, whatever the category.

    Arguments and errors as for `u_alpha`. Worked value (same example): 0.523801045.
    """
    require(continuum, {Need.NO_OVERLAP})
    tau = atom_of(continuum, atom)
    return ratio_of_coincidences(
        Coincidences.of(count_units_and_gaps(continuum, tau)),
        1.0 - np.eye(2),
        score_signature=signature_of("binary-u-alpha", continuum, bootstrap, seed, atom=tau),
        if_none_expected=_NO_CONTRAST,
        bootstrap=bootstrap,
        seed=seed,
    )


@_registered(
    "cu-alpha",
    "categories where units intersect; blind to boundaries and to missing units",
    needs={Need.CATEGORIES},
    counting=Counting(
        count=_count_intersections,
        rates=coincidence_rates,
        settle=settle_metric,
        pooling="all",
        relabelled=True,
        nothing=_ONE_CATEGORY,
    ),
)
def cu_alpha(
    continuum: Continuum, *, metric: Metric = "nominal", bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """Return cuα: agreement on the categories of units that intersect.

    Gaps and boundaries do not matter.

    Also c|uα in Mathet et al. (2015). Units of one annotator may overlap; each intersection
    counts.

    Parameters
    ----------
    metric
        δ² between categories: "nominal", "interval", "ratio", "jaccard", "masi", "tree", a
        symmetric matrix in the order of `continuum.categories`, or the path of a CSV file (see
        `squared_differences`).
    bootstrap, seed
        As for `u_alpha`.

    Worked value (the example of `u_alpha`): 0.357142857 with a coverage of 0.0777778.
    """
    require(continuum, {Need.CATEGORIES})
    squared = squared_differences(metric, continuum.categories, category_counts(continuum))
    coincidences = Coincidences.of(count_intersections(continuum))
    score = ratio_of_coincidences(
        coincidences,
        squared,
        score_signature=signature_of(
            "cu-alpha", continuum, bootstrap, seed, metric=metric_name(metric, squared)
        ),
        if_none_expected=_ONE_CATEGORY,
        bootstrap=bootstrap,
        seed=seed,
        coverage=_coverage(coincidences),
    )
    if score.defined:
        return replace(score, notes=(*score.notes, *_overlap_notes(continuum)))
    return score


def _overlap_notes(continuum: Continuum) -> tuple[str, ...]:
    """Return a note on annotators whose own units overlap."""
    if unmet_need(continuum, {Need.NO_OVERLAP}) is None:
        return ()
    return (
        "units of one annotator overlap, and each intersection with another annotator's units "
        "counts: even identical annotations may have a value below 1",
    )


def category_rates(numbers: Numbers, *, squared: Floats) -> Rates:
    """Return (k)uα of each category: coincidences of its column alone.

    Parameters
    ----------
    numbers, squared
        As for `coincidence_rates`.
    """
    counts = numbers["observed"]
    chance = expected_coincidences(numbers["marginal"], numbers["alone"])
    observed = share((squared * counts).sum(axis=-2), counts.sum(axis=-2))
    expected = share((squared * chance).sum(axis=-2), chance.sum(axis=-2))
    rates = coincidence_rates(numbers, squared=squared)
    return replace(
        rates, value=np.full(rates.value.shape, math.nan), by_label=ratios(observed, expected)
    )


@_registered(
    "ku-alpha",
    "cu-alpha of each category alone",
    needs={Need.CATEGORIES},
    per_category=True,
    counting=Counting(
        count=_count_intersections, rates=category_rates, settle=settle_metric, pooling="all"
    ),
)
def ku_alpha(
    continuum: Continuum, *, metric: Metric = "nominal", bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """Return (k)uα: cuα of each category alone, in `by_category`; the value is NaN.

    1 − (ε*_.k / ℓ*_.k) · Σ_c δ²_ck ℓ*_ck / Σ_c δ²_ck ε*_ck. Arguments as for `cu_alpha`; worked
    values (same example): category 1 0.3125, category 2 0.390625.
    """
    require(continuum, {Need.CATEGORIES})
    squared = squared_differences(metric, continuum.categories, category_counts(continuum))
    coincidences = Coincidences.of(count_intersections(continuum))
    rates = category_rates(coincidences.counts.numbers, squared=squared).by_label
    assert rates is not None
    values = dict(zip(coincidences.labels, rates[0].tolist(), strict=True))
    reasons: dict[str, str] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for k, name in enumerate(coincidences.labels):
        if math.isnan(values[name]):
            reasons[name] = _why_undefined(coincidences, k)
            continue
        column = coincidences.expected[:, k]
        interval = bootstrap_interval(
            coincidences.observed[:, k],
            squared[:, k],
            math.fsum(squared[:, k] * column) / math.fsum(column),
            pairs=round(coincidences.pairs[:, k].sum()),
            resamples=bootstrap,
            seed=seed,
        )
        if interval is not None:
            intervals[name] = interval
    return CoincidenceScore(
        value=math.nan,
        by_category=values,
        reason="no category has a value" if len(reasons) == len(values) else None,
        notes=(
            *_negative_notes(coincidences),
            *(f"{name}: {why}" for name, why in reasons.items()),
        ),
        signature=signature_of(
            "ku-alpha", continuum, bootstrap, seed, metric=metric_name(metric, squared)
        ),
        counts=coincidences.counts,
        labels=coincidences.labels,
        observed_coincidences=coincidences.observed,
        expected_coincidences=coincidences.expected,
        coverage=_coverage(coincidences),
        bootstrap_by_category=intervals,
    )


def _why_undefined(coincidences: Coincidences, k: int) -> str:
    """Return why category k has no (k)uα."""
    column = coincidences.observed[:, k]
    expected = coincidences.expected[:, k]
    if not column.any():
        return "no unit of this category intersects one of another annotator"
    if np.isnan(expected).any():
        return "too few intersections to estimate the expected disagreement"
    if not math.fsum(expected) > 0:
        return "too few units meet all annotators, so no coincidence of this category is expected"
    return "no other category intersects anything"


def _negative_notes(coincidences: Coincidences) -> tuple[str, ...]:
    """Return a note on labels whose expected coincidence with themselves is negative.

    ε*_kk = (ℓ*_.k)² − Σ … is below 0 if a category has only a few units, which meet units of some
    annotators and not of others. Other coincidences are then expected too often, so that D_e is too
    large and the value too high.
    """
    low = np.flatnonzero(np.diag(coincidences.expected) < 0)
    if not len(low):
        return ()
    names = ", ".join(coincidences.labels[i] for i in low)
    return (
        f"the expected coincidences of {names} with itself are negative, because its units are few "
        "and do not meet all annotators: the expected disagreement is too large, the value too "
        "high",
    )


def _coverage(coincidences: Coincidences) -> float:
    if coincidences.possible:
        return coincidences.total / coincidences.possible
    return 0.0


def signature_of(
    name: str, continuum: Continuum, bootstrap: int, seed: int, **parts: object
) -> str:
    """Return the signature of a coefficient; the seed matters only to the bootstrap.

    Parameters
    ----------
    name
        Name of the measure.
    continuum
        Continuum; a selection that was made of it is part of the signature.
    bootstrap, seed
        Resamples and their seed.
    parts
        Further options by name; None is left out.
    """
    resamples = whole("bootstrap", bootstrap, 0) or None
    seed = whole("seed", seed, 0)
    drawn = {"bootstrap": resamples, "seed": seed if resamples else None}
    return signature(name, selection=continuum.selection, **parts, **drawn)


def ratio_of_coincidences(
    coincidences: Coincidences,
    squared: Floats,
    *,
    score_signature: str,
    if_none_expected: str,
    bootstrap: int,
    seed: int,
    coverage: float | None = None,
    if_none_observed: str = NO_LENGTH,
) -> CoincidenceScore:
    """Return 1 − D_o/D_e with its matrices, or NaN with the reason.

    Parameters
    ----------
    coincidences
        Observed and expected, shape (K, K).
    squared
        δ², shape (K, K).
    score_signature
        Signature of the score.
    if_none_expected, if_none_observed
        Reasons why there is no value if no disagreement is expected, or if there is no coincidence.
    bootstrap, seed
        Resamples (0 for none) and their seed.
    coverage
        Share of the positions that the value is about, for cuα.
    """
    total = coincidences.total
    observed = expected = interval = None
    value = math.nan
    reason = None
    if total == 0:
        if coverage is None:
            reason = if_none_observed
        else:
            reason = "no units of different annotators intersect"
    elif np.isnan(coincidences.expected).any():
        reason = "too few intersections to estimate the expected disagreement"
    else:
        rates = coincidence_rates(coincidences.counts.numbers, squared=squared)
        assert rates.expected is not None
        observed = float(rates.disagreement[0])
        expected = float(rates.expected[0])
        value, reason = ratio(observed, expected, if_none_expected)
    if reason is None and expected is not None:
        interval = bootstrap_interval(
            coincidences.observed,
            squared,
            expected,
            pairs=round(np.triu(coincidences.pairs).sum()),
            resamples=bootstrap,
            seed=seed,
        )
    return CoincidenceScore(
        value=value,
        observed=observed,
        expected=expected,
        bootstrap=interval,
        reason=reason,
        notes=_negative_notes(coincidences) if reason is None else (),
        signature=score_signature,
        counts=coincidences.counts,
        labels=coincidences.labels,
        observed_coincidences=coincidences.observed,
        expected_coincidences=coincidences.expected,
        coverage=coverage,
    )
