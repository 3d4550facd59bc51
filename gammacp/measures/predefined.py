"""α, κ and AC where units are predefined: all annotators label the same places.

Pure categorisation: a place is an item, gaps are nothing. Krippendorff (2013), §12.3, for α;
Artstein & Poesio (2008) for the κ family; Gwet (2008) for AC. A continuum whose annotators have
units at different places is refused, as is a place that one annotator marked twice: nobody can say
which of the two labels belongs to which of another annotator's.
"""

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Codes, Floats
from gammacp.base.signature import signature
from gammacp.chance.beyond import ratio
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require
from gammacp.dissimilarity.base import category_counts
from gammacp.errors import DataError
from gammacp.measures.category_metrics import Metric, metric_name, squared_differences
from gammacp.measures.coefficients import (
    COEFFICIENTS,
    CategorisationScore,
    Choices,
    coefficient_score,
    disagreement_of_choices,
)
from gammacp.measures.coincidences import Coincidences
from gammacp.measures.krippendorff import CoincidenceScore, ratio_of_coincidences, signature_of
from gammacp.measures.registry import observed_disagreement, registered, unobserved_agreement
from gammacp.measures.score import Score, undefined


@registered(
    "alpha",
    "Krippendorff's α of the labels of predefined units",
    "Krippendorff 2013, §12.3",
    needs={Need.PREDEFINED},
    disagreement=observed_disagreement,
    fragments="whole",
)
def alpha(
    continuum: Continuum, *, metric: Metric = "nominal", bootstrap: int = 0, seed: int = 0
) -> CoincidenceScore:
    """Krippendorff's α of the labels of predefined units; unlabelled units are missing values.

    Parameters
    ----------
    metric
        δ²: "nominal", "interval", "ratio", "jaccard", "masi", "tree", a symmetric matrix in the
        order of `continuum.categories`, or the path of a CSV file.
    bootstrap, seed
        Number of bootstrap resamples (0 for none) and their seed.

    Worked value: two annotators, ten units, labels 0100000000 and 1110010010 (Krippendorff 2011,
    "Computing Krippendorff's alpha-reliability", A): 0.095.

    Raises
    ------
    DataError
        Annotators have units at different places, or one has two at the same place.
    """
    labels = _labels(continuum)
    squared = squared_differences(metric, continuum.categories, category_counts(continuum))
    return ratio_of_coincidences(
        _coincidences(labels, continuum.categories),
        squared,
        name=signature_of("alpha", continuum, bootstrap, seed, metric=metric_name(metric, squared)),
        nothing="only one label is used, so no disagreement can be expected",
        bootstrap=bootstrap,
        seed=seed,
        empty="no unit is labelled by two annotators",
    )


def _coincidences(labels: Codes, categories: tuple[str, ...]) -> Coincidences:
    """Those of the places that two annotators labelled, from labels of shape (m, places)."""
    k = len(categories)
    cells = np.arange(labels.shape[1]) * k + labels
    counts = np.bincount(cells[labels >= 0], minlength=labels.shape[1] * k).reshape(-1, k)
    counts = counts[counts.sum(axis=1) > 1]
    values = counts.sum(axis=1)
    weights = (counts / (values - 1)[:, None])[:, :, None]
    observed = (weights * counts[:, None, :]).sum(axis=0) - np.diag(weights[:, :, 0].sum(axis=0))
    pairs = (counts[:, :, None] * counts[:, None, :]).sum(axis=0) - np.diag(counts.sum(axis=0))
    pairs[np.diag_indices(k)] //= 2
    marginal, total = counts.sum(axis=0), float(values.sum())
    expected = (np.outer(marginal, marginal) - np.diag(marginal)) / max(total - 1, 1.0)
    return Coincidences(categories, observed, expected, pairs.astype(np.float64), total)


@registered(
    "kappa",
    "Fleiss' K (or Cohen's, Conger's κ) of the labels of predefined units",
    "Fleiss 1971; Cohen 1960; Conger 1980; Artstein & Poesio 2008",
    needs={Need.PREDEFINED, Need.CATEGORIES},
    range="[−1, 1]",
    disagreement=disagreement_of_choices,
    fragments="whole",
)
def kappa(continuum: Continuum, *, coefficient: str = "fleiss") -> CategorisationScore:
    """κ of the labels of a continuum's predefined units.

    Parameters
    ----------
    continuum
        Annotators have units at the same places, each with a category.
    coefficient
        "fleiss" (default), "cohen" (mean over pairs), "conger" or "alpha": see
        `gammacp.measures.coefficients`.

    Worked value: Cohen's κ of 50 units, 20 of them labelled yes by both, 15 no by both, 5 yes by
    the first alone, 10 yes by the second alone: (.7 − .5)/(1 − .5) = 0.4.

    Raises
    ------
    DataError
        A unit is unlabelled, annotators have units at different places, or one has two at the
        same place.
    """
    one_of("coefficient", coefficient, COEFFICIENTS)
    require(continuum, {Need.CATEGORIES}, fragments=True)
    labels = _labels(continuum)
    m, k = continuum.n_annotators, len(continuum.categories)
    shares: Floats = np.stack([np.bincount(row, minlength=k) for row in labels]) / labels.shape[1]
    apart: Floats = np.stack([(labels != row).mean(axis=1) for row in labels])
    choices = Choices(continuum.annotators, shares, apart, float(m * labels.shape[1]))
    return coefficient_score(
        choices,
        coefficient,
        signature("kappa", selection=continuum.selection, coefficient=coefficient),
    )


@registered(
    "gwet-ac",
    "Gwet's AC1 of the labels of predefined units; AC2 with `metric=`",
    "Gwet 2008; Gwet 2014, ch. 4",
    needs={Need.PREDEFINED},
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
    fragments="whole",
)
def gwet_ac(continuum: Continuum, *, metric: Metric = "nominal") -> Score:
    """Gwet's AC1 (AC2 of another metric) of the labels of predefined units.

    Chance is who labels at random: P_e is high where labels are evenly spread and low where one
    prevails, so that AC stays high where κ falls. P_e = T/(q(q − 1)) Σ π_k(1 − π_k), of q
    categories with mean shares π_k and weights w = 1 − δ²/max δ² that sum to T.

    Parameters
    ----------
    continuum
        Annotators have units at the same places; unlabelled units are missing values.
    metric
        δ²: as `alpha` takes it. "nominal" gives AC1.

    Returns
    -------
    Score
        `observed` and `expected` are agreements P_a and P_e.

    Worked value: 50 units, two annotators, yes by both 20, no by both 15, yes by the first alone
    5, by the second alone 10: P_a = .7, π = .55, P_e = 2(.55)(.45) = .495: .205/.505 = .4059.

    Raises
    ------
    DataError
        Annotators have units at different places, or one has two at the same place.
    """
    labels, q = _labels(continuum), len(continuum.categories)
    squared = squared_differences(metric, continuum.categories, category_counts(continuum))
    made = signature("gwet-ac", selection=continuum.selection, metric=metric_name(metric, squared))
    counts = np.stack([(labels == k).sum(axis=0) for k in range(q)], axis=1)
    counts = counts[counts.sum(axis=1) > 0].astype(np.float64)
    raters = counts.sum(axis=1)
    paired = counts[raters > 1]
    if not len(paired):
        return undefined("no unit is labelled by two annotators", signature=made)
    if not squared.any():
        return undefined(
            "AC needs two categories, because chance is spread over them", signature=made
        )
    # What two labels of an item differ by; no product of BLAS.
    apart = squared / squared.max()
    differing = (paired[:, :, None] * paired[:, None, :] * apart).sum(axis=(1, 2))
    n = paired.sum(axis=1)
    observed = float((differing / (n * (n - 1))).mean())
    shares = (counts / raters[:, None]).mean(axis=0)
    spread = float((1 - apart).sum()) / (q * (q - 1)) * float((shares * (1 - shares)).sum())
    value, reason = ratio(observed, 1 - spread, "")
    return Score(value=value, observed=1 - observed, expected=spread, reason=reason, signature=made)


def _labels(continuum: Continuum) -> Codes:
    """Category codes per annotator and place, shape (m, places); −1 is unlabelled."""
    require(continuum, {Need.PREDEFINED}, fragments=True)
    first = continuum.rows_of(continuum.annotators[0])
    starts, ends = continuum.starts[first], continuum.ends[first]
    for i in np.flatnonzero((starts[1:] == starts[:-1]) & (ends[1:] == ends[:-1]))[:1]:
        raise DataError(
            f"{starts[i]:.15g}-{ends[i]:.15g} is marked twice by the same annotator",
            hint="Each annotator marks a predefined unit once; use kappa-d or gamma otherwise",
        )
    return continuum.category_codes.reshape(continuum.n_annotators, -1)
