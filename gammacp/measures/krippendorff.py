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
from gammacp.measures.registry import Measure, register
from gammacp.measures.score import Score
from gammacp.measures.sections import (
    GAP,
    Sections,
    atom_of,
    intersections,
    sections_of,
    units_of,
)
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


@dataclass(frozen=True)
class _Coincidences:
    labels: tuple[str, ...]
    observed: Floats
    expected: Floats
    pairs: Floats  # how many intersections have these two labels, symmetric
    possible: float  # ℓ.. of all sections, m·L

    @property
    def total(self) -> float:
        return float(self.observed.sum())


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
    coincidences = _of_sections(sections_of(continuum), tau)
    return _score(
        coincidences,
        1.0 - np.eye(len(coincidences.labels)),
        name=signature("u-alpha", atom=tau, bootstrap=bootstrap or None, seed=_of(bootstrap, seed)),
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
    of_labels = _of_sections(sections_of(continuum), tau)
    coincidences = _Coincidences(
        ("unit", GAP),
        _folded(of_labels.observed),
        _folded(of_labels.expected),
        _folded(of_labels.pairs),
        of_labels.possible,
    )
    return _score(
        coincidences,
        1.0 - np.eye(2),
        name=signature(
            "binary-u-alpha", atom=tau, bootstrap=bootstrap or None, seed=_of(bootstrap, seed)
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
    coincidences = _of_units(continuum)
    return _score(
        coincidences,
        squared,
        name=signature(
            "cu-alpha",
            metric=metric_name(metric),
            bootstrap=bootstrap or None,
            seed=_of(bootstrap, seed),
        ),
        nothing="all intersecting units have the same category: no disagreement can be expected",
        bootstrap=bootstrap,
        seed=seed,
        coverage=coincidences.total / coincidences.possible if coincidences.possible else 0.0,
    )


def ku_alpha(
    continuum: Continuum, *, metric: Metric = "nominal", bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """(k)uα: cuα of each category alone, in `by_category`; the value is NaN.

    1 − (ε*_.k / ℓ*_.k) · Σ_c δ²_ck ℓ*_ck / Σ_c δ²_ck ε*_ck. Arguments as for `cu_alpha`; worked
    values (same example): category 1 0.3125, category 2 0.390625.
    """
    overall = cu_alpha(continuum, metric=metric)
    squared = squared_differences(metric, continuum.categories)
    coincidences = _of_units(continuum)
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for k, name in enumerate(overall.labels):
        values[name] = math.nan
        column, expected = coincidences.observed[:, k], coincidences.expected[:, k]
        if not column.any():
            reasons[name] = "no unit of this category intersects one of another annotator"
            continue
        expected_disagreement = float(squared[:, k] @ expected / expected.sum())
        if not expected_disagreement > 0:
            reasons[name] = overall.reason or "no other category intersects anything"
            continue
        observed_disagreement = float(squared[:, k] @ column / column.sum())
        values[name] = 1 - observed_disagreement / expected_disagreement
        interval = bootstrap_column(
            column,
            squared[:, k],
            expected_disagreement,
            pairs=round(coincidences.pairs[:, k].sum()),
            resamples=bootstrap,
            seed=seed,
        )
        if interval is not None:
            intervals[name] = interval
    return CoincidenceScore(
        value=math.nan,
        by_category=values,
        reason=overall.reason if len(reasons) == len(values) else None,
        signature=signature(
            "ku-alpha",
            metric=metric_name(metric),
            bootstrap=bootstrap or None,
            seed=_of(bootstrap, seed),
        ),
        labels=overall.labels,
        observed_coincidences=overall.observed_coincidences,
        expected_coincidences=overall.expected_coincidences,
        coverage=overall.coverage,
        bootstrap_by_category=intervals,
        undefined_categories=reasons,
    )


def _of(bootstrap: int, seed: int) -> int | None:
    """The seed for a signature: it matters only to the bootstrap."""
    return seed if bootstrap else None


def _score(
    coincidences: _Coincidences,
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
        reason = "no units of different annotators intersect" if coverage is not None else nothing
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


def _counted(sections: Sections) -> tuple[Floats, Floats, Floats]:
    """ℓ_ck · (m − 1), the number of intersections, and Σ_h ℓ(g∩h) per section and annotator."""
    k, m, n = len(sections.names), sections.n_annotators, len(sections.starts)
    shared = np.zeros(k * k)
    pairs = np.zeros(k * k)
    covered = np.zeros(n * m)
    for met in intersections(sections):
        cell = sections.labels[met.first].astype(np.int64) * k + sections.labels[met.second]
        shared += np.bincount(cell, met.lengths, minlength=k * k)
        pairs += np.bincount(cell, minlength=k * k)
        for g, h in ((met.first, met.second), (met.second, met.first)):
            covered += np.bincount(g * m + sections.annotators[h], met.lengths, minlength=n * m)
    lengths, counts = shared.reshape(k, k), pairs.reshape(k, k)
    diagonal = np.diag(np.diag(counts))
    return lengths + lengths.T, counts + counts.T - diagonal, covered.reshape(n, m)


def _of_sections(sections: Sections, atom: float) -> _Coincidences:
    """ℓ_ck and ε_ck over units and gaps; the gap is the last label."""
    lengths, pairs, _ = _counted(sections)
    observed = lengths / (sections.n_annotators - 1)
    marginal = sections.label_lengths().sum(axis=0)
    total = float(marginal.sum())
    with_itself = np.bincount(sections.labels, sections.lengths**2, minlength=len(sections.names))
    with_itself[-1] = atom * marginal[-1]
    possible = total**2 - with_itself.sum()
    expected = np.outer(marginal, marginal) - np.diag(with_itself)
    if total:
        expected *= total / possible
    return _Coincidences(sections.names, observed, expected, pairs, total)


def _of_units(continuum: Continuum) -> _Coincidences:
    """ℓ*_ck and ε*_ck over intersecting units; expected is NaN where nothing can be expected."""
    units = units_of(continuum)
    lengths, pairs, covered = _counted(units)
    others = units.n_annotators - 1
    observed = lengths / others
    marginal = observed.sum(axis=0)
    total = float(marginal.sum())
    squares = np.bincount(units.labels, (covered**2).sum(axis=1), minlength=len(units.names))
    with_itself = squares / others
    expected = np.full_like(observed, math.nan)
    # Below zero when a single pair of annotators out of many has anything in common.
    possible = total**2 - float(with_itself.sum())
    if possible > 0:
        expected = (np.outer(marginal, marginal) - np.diag(with_itself)) * (total / possible)
    possible_length = units.n_annotators * continuum.length
    return _Coincidences(units.names, observed, expected, pairs, possible_length)


def _folded(matrix: Floats) -> Floats:
    """All labels but the last (the gap) as one: a 2 × 2 matrix."""
    kinds = np.array([[matrix[:-1, :-1].sum(), matrix[:-1, -1].sum()], [0.0, matrix[-1, -1]]])
    kinds[1, 0] = kinds[0, 1]
    return kinds


_REFERENCE = "Krippendorff, Mathet, Bouvry & Widlöcher 2016"

register(
    Measure(
        name="u-alpha",
        summary="positions and categories together, by the length of intersections",
        reference=_REFERENCE,
        function=u_alpha,
        needs=frozenset({Need.NO_OVERLAP}),
    )
)
register(
    Measure(
        name="binary-u-alpha",
        summary="units against gaps, whatever the category",
        reference=_REFERENCE,
        function=binary_u_alpha,
        needs=frozenset({Need.NO_OVERLAP}),
    )
)
register(
    Measure(
        name="cu-alpha",
        summary="categories where units intersect; blind to boundaries and to missing units",
        reference=_REFERENCE,
        function=cu_alpha,
        needs=frozenset({Need.CATEGORIES}),
    )
)
register(
    Measure(
        name="ku-alpha",
        summary="cu-alpha of each category alone",
        reference=_REFERENCE,
        function=ku_alpha,
        needs=frozenset({Need.CATEGORIES}),
        per_category=True,
    )
)
