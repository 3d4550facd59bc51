"""α, κ and AC where units are predefined: all annotators label the same places.

This is pure categorisation: a place is an item, and gaps do not count. Krippendorff (2013), §12.3,
for α; Artstein & Poesio (2008) for the κ family; Gwet (2008) for AC. A continuum whose annotators
have units at different places that overlap is refused, as is a place that one annotator marked
twice: nobody can say which of the two labels belongs to which of another annotator's. A place where
an annotator has no unit is a missing label, as one without a category is: α and AC leave it out and
say how many there are, κ refuses.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Codes, Floats
from gammacp.base.signature import signature
from gammacp.chance.beyond import ratio, ratios
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require
from gammacp.errors import DataError
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.labels.category_metrics import Metric, metric_name
from gammacp.measures.labels.coefficients import (
    COEFFICIENTS,
    CategorisationScore,
    coefficient_score,
    counting_of_choices,
    counts_of_choices,
    disagreement_of_choices,
)
from gammacp.measures.labels.coincidences import Coincidences, coincidence_rates
from gammacp.measures.registry import observed_disagreement, registered, unobserved_agreement
from gammacp.measures.score import Score, undefined
from gammacp.measures.unitizing.krippendorff import (
    CoincidenceScore,
    ratio_of_coincidences,
    settle_metric,
    signature_of,
)

_ONE_LABEL = "only one label is used, so no disagreement can be expected"
_ONE_CATEGORY = "AC needs two categories, because chance is spread over them"


def count_values(continuum: Continuum, **_: Any) -> Counts:
    """Count coincidences of the labels of places that two annotators labelled.

    Parameters
    ----------
    continuum
        Continuum with predefined units; unlabelled ones are missing values.
    """
    labels = _labels(continuum)
    k = len(continuum.categories)
    cells = np.arange(labels.shape[1]) * k + labels
    every = np.bincount(cells[labels >= 0], minlength=labels.shape[1] * k).reshape(-1, k)
    counts = every[every.sum(axis=1) > 1]
    values = counts.sum(axis=1)
    weights = (counts / (values - 1)[:, None])[:, :, None]
    observed = (weights * counts[:, None, :]).sum(axis=0) - np.diag(weights[:, :, 0].sum(axis=0))
    pairs = (counts[:, :, None] * counts[:, None, :]).sum(axis=0) - np.diag(counts.sum(axis=0))
    pairs[np.diag_indices(k)] //= 2
    numbers = {
        "observed": observed,
        "marginal": counts.sum(axis=0),
        "alone": counts.sum(axis=0),
        "pairs": pairs,
        "labelled": every.sum(axis=0),
        "possible": np.array(values.sum()),
        "units": np.array(len(counts)),
        **_missing(labels),
    }
    columns = {name: x[None].astype(np.float64) for name, x in numbers.items()}
    return Counts((continuum.annotators,), columns, continuum.categories)


@registered(
    "alpha",
    "Krippendorff's α of the labels of predefined units",
    "Krippendorff 2013, §12.3",
    needs={Need.PLACES},
    disagreement=observed_disagreement,
    fragments="whole",
    counting=Counting(
        count=count_values,
        rates=coincidence_rates,
        settle=settle_metric,
        pooling="all",
        relabelled=True,
        nothing=_ONE_LABEL,
    ),
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
        Units at different places overlap, or an annotator has two at the same place.
    """
    coincidences = Coincidences.of(count_values(continuum))
    squared = settle_metric(coincidences.counts, metric=metric)["squared"]
    score = ratio_of_coincidences(
        coincidences,
        squared,
        score_signature=signature_of(
            "alpha", continuum, bootstrap, seed, metric=metric_name(metric, squared)
        ),
        if_none_expected=_ONE_LABEL,
        bootstrap=bootstrap,
        seed=seed,
        if_none_observed="no unit is labelled by two annotators",
    )
    return replace(score, notes=(*score.notes, *missing_note(coincidences.counts)))


def count_labels(continuum: Continuum, *, coefficient: str = "fleiss") -> Counts:
    """Count who chooses which label, and how often two annotators differ.

    Parameters
    ----------
    continuum
        Continuum with predefined units, all of them labelled.
    coefficient
        As for `kappa`.
    """
    labels = _complete_labels(continuum)
    k = len(continuum.categories)
    chosen = np.stack([np.bincount(row, minlength=k) for row in labels])
    apart = np.stack([(labels != row).sum(axis=1) for row in labels])
    n_places = float(labels.shape[1])
    return counts_of_choices(
        continuum, coefficient, chosen, apart, values=n_places, items=n_places, units=n_places
    )


@registered(
    "kappa",
    "Fleiss' K (or Cohen's, Conger's κ) of the labels of predefined units",
    "Fleiss 1971; Cohen 1960; Conger 1980; Artstein & Poesio 2008",
    needs={Need.PLACES, Need.CATEGORIES},
    range="[−1, 1]",
    disagreement=disagreement_of_choices,
    fragments="whole",
    counting=counting_of_choices(count_labels, relabelled=True),
)
def kappa(continuum: Continuum, *, coefficient: str = "fleiss") -> CategorisationScore:
    """κ of the labels of a continuum's predefined units.

    Parameters
    ----------
    continuum
        Annotators have units at the same places, each with a category.
    coefficient
        "fleiss" (default), "cohen" (mean over pairs), "conger" or "alpha": see
        `gammacp.measures.labels.coefficients`.

    Worked value: Cohen's κ of 50 units, 20 of them labelled yes by both, 15 no by both, 5 yes by
    the first alone, 10 yes by the second alone: (.7 − .5)/(1 − .5) = 0.4.

    Raises
    ------
    DataError
        A label is missing, units at different places overlap, or an annotator has two at the same
        place.
    """
    one_of("coefficient", coefficient, COEFFICIENTS)
    require(continuum, {Need.CATEGORIES}, fragments=True)
    return coefficient_score(
        count_labels(continuum, coefficient=coefficient),
        coefficient,
        signature("kappa", selection=continuum.selection, coefficient=coefficient),
    )


def count_items(continuum: Continuum, **_: Any) -> Counts:
    """Count what pairs of labels items have, and the annotators' mean shares of labels.

    Parameters
    ----------
    continuum
        Continuum with predefined units; unlabelled ones are missing values.
    """
    labels = _labels(continuum)
    q = len(continuum.categories)
    every = np.stack([(labels == k).sum(axis=0) for k in range(q)], axis=1).astype(np.float64)
    counts = every[every.sum(axis=1) > 0]
    raters = counts.sum(axis=1)
    paired = counts[raters > 1]
    n = paired.sum(axis=1)
    # Pairs of labels of an item, summed without BLAS, whose rounding differs between machines.
    together = paired[:, :, None] * paired[:, None, :] / (n * (n - 1))[:, None, None]
    same_rating = (paired / (n * (n - 1))[:, None]).sum(axis=0)
    numbers = {
        "together": together.sum(axis=0) - np.diag(same_rating),
        "shares": (counts / raters[:, None]).sum(axis=0),
        "labelled": every.sum(axis=0),
        "items": np.array(len(counts)),
        "units": np.array(len(paired)),
        **_missing(labels),
    }
    columns = {name: x[None].astype(np.float64) for name, x in numbers.items()}
    return Counts((continuum.annotators,), columns, continuum.categories)


def chance_of_guessing(numbers: Numbers, *, squared: Floats) -> Rates:
    """Return AC = 1 − (1 − P_a)/(1 − P_e), P_e = T/(q(q − 1)) Σ π_k(1 − π_k).

    Parameters
    ----------
    numbers
        `together`, `shares`, `items` and `units`.
    squared
        δ² of labels, shape (q, q).
    """
    q = len(squared)
    apart = squared / (squared.max(initial=0.0) or 1.0)
    observed = share((numbers["together"] * apart).sum(axis=(-2, -1)), numbers["units"])
    shares = share(numbers["shares"], numbers["items"][..., None])
    spread = (shares * (1 - shares)).sum(axis=-1) * float((1 - apart).sum()) / max(q * (q - 1), 1)
    if squared.any():
        expected = 1 - spread
    else:
        expected = np.full(spread.shape, math.nan)
    return Rates(
        value=ratios(observed, expected),
        disagreement=observed,
        size=numbers["units"],
        expected=expected,
    )


@registered(
    "gwet-ac",
    "Gwet's AC1 of the labels of predefined units; AC2 with `metric=`",
    "Gwet 2008; Gwet 2014, ch. 4",
    needs={Need.PLACES},
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
    fragments="whole",
    counting=Counting(
        count=count_items,
        rates=chance_of_guessing,
        settle=settle_metric,
        pooling="all",
        relabelled=True,
        nothing=_ONE_CATEGORY,
    ),
)
def gwet_ac(continuum: Continuum, *, metric: Metric = "nominal") -> Score:
    """Gwet's AC1 (AC2 of another metric) of the labels of predefined units.

    Chance is an annotator who labels at random: P_e is high where labels are evenly spread and low
    where one prevails, so that AC stays high where κ falls. P_e = T/(q(q − 1)) Σ π_k(1 − π_k), of q
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
        Units at different places overlap, or an annotator has two at the same place.
    """
    counts = count_items(continuum)
    settled = settle_metric(counts, metric=metric)
    squared = settled["squared"]
    score_signature = signature(
        "gwet-ac", selection=continuum.selection, metric=metric_name(metric, squared)
    )
    if not counts.numbers["units"][0]:
        # The shares of its labels count in a corpus all the same.
        nothing = "no unit is labelled by two annotators"
        return undefined(nothing, signature=score_signature, counts=counts)
    if not squared.any():
        return undefined(_ONE_CATEGORY, signature=score_signature, counts=counts)
    rates = chance_of_guessing(counts.numbers, squared=squared)
    assert rates.expected is not None
    observed = float(rates.disagreement[0])
    expected = float(rates.expected[0])
    value, reason = ratio(observed, expected, "")
    return Score(
        value=value,
        observed=1 - observed,
        expected=1 - expected,
        reason=reason,
        signature=score_signature,
        counts=counts,
        notes=missing_note(counts),
    )


def _labels(continuum: Continuum) -> Codes:
    """Category codes per annotator and place, shape (m, places); −1 is missing or unlabelled."""
    require(continuum, {Need.PLACES}, fragments=True)
    inside = continuum.inside
    if inside is None:
        breaks = [()] * continuum.n_units
    else:
        breaks = [tuple(x) for x in inside]
    keys = zip(continuum.starts.tolist(), continuum.ends.tolist(), breaks, strict=True)
    number: dict[Any, int] = {}
    places = [number.setdefault(key, len(number)) for key in keys]
    labels = np.full((continuum.n_annotators, len(number)), -1, np.int32)
    is_marked = np.zeros(labels.shape, np.bool_)
    for row, (who, place) in enumerate(zip(continuum.annotator_codes, places, strict=True)):
        if is_marked[who, place]:
            start, end, _ = [*number][place]
            raise DataError(
                f"{start:.15g}-{end:.15g} is marked twice by the same annotator",
                hint="Each annotator marks a predefined unit once; use kappa-d or gamma otherwise",
            )
        is_marked[who, place] = True
        labels[who, place] = continuum.category_codes[row]
    return labels


def _missing(labels: Codes) -> dict[str, np.ndarray[Any, Any]]:
    """Count the missing labels and all labels."""
    return {"missing": np.array((labels < 0).sum()), "asked": np.array(labels.size)}


def missing_note(counts: Counts) -> tuple[str, ...]:
    """Return how many labels are missing, as notes of a score; none where all are there.

    Parameters
    ----------
    counts
        Counts of α or AC.
    """
    missing, asked = (int(counts.numbers[name].sum()) for name in ("missing", "asked"))
    if missing:
        return (f"{missing} of {asked} labels are missing",)
    return ()


def _complete_labels(continuum: Continuum) -> Codes:
    """Return the labels as `_labels` does; raise a DataError if one is missing."""
    labels = _labels(continuum)
    rows, columns = np.nonzero(labels < 0)
    if len(rows):
        places = [*dict.fromkeys(zip(continuum.starts, continuum.ends, strict=True))]
        where = ""
        if continuum.inside is None:
            where = " at {:.15g}-{:.15g}".format(*places[int(columns[0])])
        raise DataError(
            f"{continuum.annotators[int(rows[0])]} has no label{where}; {len(rows)} of "
            f"{labels.size} labels are missing, but κ needs all of them: its chance is about "
            "annotators who label everything",
            hint="alpha and gwet-ac take missing labels",
        )
    return labels
