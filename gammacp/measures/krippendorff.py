"""Krippendorff's α family for unitizing: uα, |uα, cuα, (k)uα.

Krippendorff, Mathet, Bouvry & Widlöcher (2016), "On the reliability of unitizing textual
continua: further developments", Quality & Quantity 50: 2347–2364. It replaces the form of 2013
(`gammacp.measures.krippendorff_2013`), which went wrong for more than two annotators.

Conventions
-----------
m annotators tile a continuum of length L (its bounds) into sections: units and gaps φ. The
observed coincidence ℓ_ck is the length of all intersections of a section with label c and one of
another annotator with label k, over ordered pairs of annotators, divided by m − 1; ℓ.. = mL.
Disagreements are given per position, D = Σ δ² ℓ / ℓ.. , so that they lie within [0, 1] for
nominal labels.

Expected coincidences pair every position with every other one, except those that cannot meet:
the positions of a unit with positions of the same unit (ℓ² pairs), and a position of a gap with
itself. The latter are ℓ pairs per gap when positions are integers, ℓ·τ when a position is τ long.
Positions that are not integers have no such τ: a continuum that is measured ever more finely has
τ → 0, and the term vanishes, while all others keep their meaning. So the term is ℓ·τ with τ = 1
if all positions and bounds are whole numbers, as published, and τ = 0, the continuous limit,
otherwise; the option `atom` sets τ. Only |uα, uα and the 2013 form depend on τ.

Unlabelled units are one more category of uα and |uα; cuα and (k)uα need labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gammacp.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.measures.bootstrap import bootstrap_column, bootstrap_interval
from gammacp.measures.category_metrics import Metric, metric_name, squared_differences
from gammacp.measures.coincidences import Coincidences, of_kinds, of_sections, of_units
from gammacp.measures.registry import Measure, observed_disagreement, register
from gammacp.measures.score import Score
from gammacp.measures.sections import NO_LENGTH, atom_of
from gammacp.needs import Need, require
from gammacp.signature import signature


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
        cuα and (k)uα: the share of all positions that it speaks of, ℓ*.. / ℓ..
    bootstrap_by_category, undefined_categories
        (k)uα: bootstrap interval per category, and why a category has no value.
    """

    labels: tuple[str, ...]
    observed_coincidences: Floats
    expected_coincidences: Floats
    coverage: float | None = None
    bootstrap_by_category: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    undefined_categories: Mapping[str, str] = field(default_factory=dict)


def u_alpha(
    continuum: Continuum, *, atom: float | None = None, bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """uα: do annotators mark the same stretches with the same categories? (2016, eq. for uα)

    Parameters
    ----------
    continuum
        Units of one annotator must not overlap.
    atom
        Length of a position, see the module's conventions. Default: 1 or the limit 0.
    bootstrap
        Number of bootstrap resamples; 0 for none.
    seed
        Of the bootstrap.

    Worked value: L = 60, Alex [2,5)1, Paul [2,5)1 [10,20)2, Susan [2,5)2 [15,20)2: 0.398298143.

    Raises
    ------
    DataError
        Units of one annotator overlap (the unit is named), or nothing can be compared.
    """
    require(continuum, {Need.NO_OVERLAP})
    tau = atom_of(continuum, atom)
    coincidences = of_sections(continuum, tau)
    return _score(
        coincidences,
        1.0 - np.eye(len(coincidences.labels)),
        name=signature(
            "u-alpha",
            selection=continuum.selection,
            atom=tau,
            bootstrap=bootstrap or None,
            seed=_of(bootstrap, seed),
        ),
        nothing="one label covers everything: no disagreement can be expected",
        bootstrap=bootstrap,
        seed=seed,
    )


def binary_u_alpha(
    continuum: Continuum, *, atom: float | None = None, bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """|uα: do annotators agree on what is a unit and what is a gap? Categories do not matter.

    Arguments and errors as for `u_alpha`. Worked value (same example): 0.523801045.
    """
    require(continuum, {Need.NO_OVERLAP})
    tau = atom_of(continuum, atom)
    coincidences = of_kinds(continuum, tau)
    return _score(
        coincidences,
        1.0 - np.eye(2),
        name=signature(
            "binary-u-alpha",
            selection=continuum.selection,
            atom=tau,
            bootstrap=bootstrap or None,
            seed=_of(bootstrap, seed),
        ),
        nothing="no gap (or nothing but gaps): unit against gap cannot disagree",
        bootstrap=bootstrap,
        seed=seed,
    )


def cu_alpha(
    continuum: Continuum, *, metric: Metric = "nominal", bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """cuα: where units intersect, do their categories agree? Gaps and boundaries do not matter.

    Also c|uα in Mathet et al. (2015). Units of one annotator may overlap; each intersection
    counts.

    Parameters
    ----------
    metric
        δ² between categories: "nominal", "interval", "ratio", a symmetric matrix in the order of
        `continuum.categories`, or the path of a CSV file (see `squared_differences`).
    bootstrap, seed
        As for `u_alpha`.

    Worked value (the example of `u_alpha`): 0.357142857 with a coverage of 0.0777778.
    """
    require(continuum, {Need.CATEGORIES})
    squared = squared_differences(metric, continuum.categories)
    coincidences = of_units(continuum)
    return _score(
        coincidences,
        squared,
        name=signature(
            "cu-alpha",
            selection=continuum.selection,
            metric=metric_name(metric),
            bootstrap=bootstrap or None,
            seed=_of(bootstrap, seed),
        ),
        nothing="all intersecting units have the same category: no disagreement can be expected",
        bootstrap=bootstrap,
        seed=seed,
        coverage=_coverage(coincidences),
    )


def ku_alpha(
    continuum: Continuum, *, metric: Metric = "nominal", bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """(k)uα: cuα of each category alone, in `by_category`; the value is NaN.

    1 − (ε*_.k / ℓ*_.k) · Σ_c δ²_ck ℓ*_ck / Σ_c δ²_ck ε*_ck. Arguments as for `cu_alpha`; worked
    values (same example): category 1 0.3125, category 2 0.390625.
    """
    require(continuum, {Need.CATEGORIES})
    squared = squared_differences(metric, continuum.categories)
    coincidences = of_units(continuum)
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for k, name in enumerate(coincidences.labels):
        found = _of_category(coincidences, squared[:, k], k)
        if isinstance(found, str):
            values[name], reasons[name] = math.nan, found
            continue
        observed, expected = found
        values[name] = 1 - observed / expected
        interval = bootstrap_column(
            coincidences.observed[:, k],
            squared[:, k],
            expected,
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
        signature=signature(
            "ku-alpha",
            selection=continuum.selection,
            metric=metric_name(metric),
            bootstrap=bootstrap or None,
            seed=_of(bootstrap, seed),
        ),
        labels=coincidences.labels,
        observed_coincidences=coincidences.observed,
        expected_coincidences=coincidences.expected,
        coverage=_coverage(coincidences),
        bootstrap_by_category=intervals,
        undefined_categories=reasons,
    )


def _of_category(coincidences: Coincidences, squared: Floats, k: int) -> tuple[float, float] | str:
    """Observed and expected disagreement of category k with all, or why there is none."""
    column, expected = coincidences.observed[:, k], coincidences.expected[:, k]
    if not column.any():
        return "no unit of this category intersects one of another annotator"
    if np.isnan(expected).any():
        return "too few intersections to expect anything of others"
    if not (chance := float(squared @ expected)) > 0:
        return "no other category intersects anything"
    return float(squared @ column / column.sum()), chance / float(expected.sum())


def _coverage(coincidences: Coincidences) -> float:
    return coincidences.total / coincidences.possible if coincidences.possible else 0.0


def _of(bootstrap: int, seed: int) -> int | None:
    """The seed for a signature: it matters only to the bootstrap."""
    return seed if bootstrap else None


def _score(
    coincidences: Coincidences,
    squared: Floats,
    *,
    name: str,
    nothing: str,
    bootstrap: int,
    seed: int,
    coverage: float | None = None,
) -> CoincidenceScore:
    """1 − D_o/D_e with its matrices; NaN and the reason where there is nothing to expect."""
    total = coincidences.total
    observed = expected = None
    value, interval, reason = math.nan, None, None
    if total == 0:
        reason = NO_LENGTH if coverage is None else "no units of different annotators intersect"
    elif np.isnan(coincidences.expected).any():
        reason = "too few intersections to expect anything of others"
    else:
        observed = float((squared * coincidences.observed).sum()) / total
        expected = float((squared * coincidences.expected).sum()) / total
        if expected > 0:
            value = 1 - observed / expected
            interval = bootstrap_interval(
                coincidences.observed,
                squared,
                expected,
                pairs=round(np.triu(coincidences.pairs).sum()),
                resamples=bootstrap,
                seed=seed,
            )
        else:
            reason = nothing
    return CoincidenceScore(
        value=value,
        observed=observed,
        expected=expected,
        bootstrap=interval,
        reason=reason,
        signature=name,
        labels=coincidences.labels,
        observed_coincidences=coincidences.observed,
        expected_coincidences=coincidences.expected,
        coverage=coverage,
    )


for _name, _summary, _function, _need in (
    (
        "u-alpha",
        "positions and categories together, by the length of intersections",
        u_alpha,
        Need.NO_OVERLAP,
    ),
    (
        "binary-u-alpha",
        "units against gaps, whatever the category",
        binary_u_alpha,
        Need.NO_OVERLAP,
    ),
    (
        "cu-alpha",
        "categories where units intersect; blind to boundaries and to missing units",
        cu_alpha,
        Need.CATEGORIES,
    ),
    ("ku-alpha", "cu-alpha of each category alone", ku_alpha, Need.CATEGORIES),
):
    register(
        Measure(
            name=_name,
            summary=_summary,
            reference="Krippendorff, Mathet, Bouvry & Widlöcher 2016",
            function=_function,
            needs=frozenset({_need}),
            disagreement=observed_disagreement,
            per_category=_name == "ku-alpha",
        )
    )
