"""Chance-corrected coefficients of categorisation, from who chooses what how often.

All four correct the same observed agreement P_o, the mean over pairs of annotators, and differ in
what they expect by chance (Artstein & Poesio 2008, §2):

- "fleiss": Fleiss' K (1971), everybody draws from the pooled distribution (Scott's π for two);
- "cohen": the mean of Cohen's κ (1960) of all pairs, each annotator with a distribution of her own;
- "conger": Conger's κ (1980), P_o and P_e averaged over pairs before they are combined;
- "alpha": Krippendorff's nominal α: as Fleiss, corrected for the finite number of values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.beyond import ratio, ratios
from gammacp.continuum import Continuum
from gammacp.measures.counting import Counting, Counts, Numbers, Pooling, Rates, pairs_of, share
from gammacp.measures.score import Score

COEFFICIENTS = ("fleiss", "cohen", "conger", "alpha")
_ONE_LABEL = "only one label is used, so no disagreement can be expected"


@dataclass(frozen=True, kw_only=True)
class CategorisationScore(Score):
    """A coefficient; `observed` and `expected` are agreements P_o and P_e, of α D_o and D_e."""

    coefficient: str


def counts_of_choices(
    continuum: Continuum,
    coefficient: str,
    chosen: Floats | Indices,
    apart: Floats | Indices,
    *,
    items: float,
    values: float,
    units: float,
    labels: tuple[str, ...] | None = None,
) -> Counts:
    """Return what a coefficient is made of.

    Parameters
    ----------
    continuum
        Continuum whose annotators chose.
    coefficient
        One of `COEFFICIENTS`.
    chosen
        Amount of each label that each annotator chose, shape (m, labels).
    apart
        Amount that two annotators differ about, shape (m, m), symmetric.
    items
        Amount that there is to choose about.
    values
        Number of choices of an annotator; infinite where items are a continuum.
    units
        Number of units that this amount is.
    labels
        Their names; None: the continuum's categories.
    """
    m = continuum.n_annotators
    i, j = np.triu_indices(m, 1)
    numbers: dict[str, np.ndarray[Any, Any]]
    if coefficient in ("cohen", "conger"):
        numbers = {"apart": apart[i, j], "first_choices": chosen[i], "second_choices": chosen[j]}
        numbers |= {"items": np.full(len(i), items), "units": np.full(len(i), units)}
        parties: tuple[tuple[str, ...], ...] = pairs_of(continuum.annotators)
    else:
        # α weighs an item by its values, of which there are as many as annotators.
        if coefficient == "alpha":
            weight = float(m)
        else:
            weight = 1.0
        numbers = {
            "apart": weight * apart[i, j].mean(keepdims=True),
            "choices": weight * chosen.mean(axis=0, keepdims=True),
            "items": np.array([weight * items]),
            "units": np.array([units]),
        }
        if coefficient == "alpha":
            numbers["values"] = np.array([m * values if math.isfinite(values) else 0.0])
        parties = (continuum.annotators,)
    floats = {name: x.astype(np.float64) for name, x in numbers.items()}
    return Counts(parties, floats, continuum.categories if labels is None else labels)


def coefficient_rates(numbers: Numbers) -> Rates:
    """Return 1 − D_o/D_e from disagreements, so that perfect agreement is exactly 1.

    Parameters
    ----------
    numbers
        Numbers of `counts_of_choices`; `values` is 0 where items are a continuum.
    """
    items = numbers["items"]
    observed = share(numbers["apart"], items)
    if "choices" in numbers:
        sides = ("choices", "choices")
    else:
        sides = ("first_choices", "second_choices")
    expected = _differing(*(share(numbers[side], items[..., None]) for side in sides))
    if "values" in numbers:
        n = numbers["values"]
        expected = expected * np.where(n > 1, n / np.maximum(n - 1, 1), 1.0)
    return Rates(
        value=ratios(observed, expected),
        disagreement=observed,
        size=numbers["units"],
        expected=expected,
    )


def counting_of_choices(count: Callable[..., Counts], *, relabelled: bool = False) -> Counting:
    """Return the counting of a measure that has the option `coefficient`.

    Parameters
    ----------
    count
        `(continuum, **options)`.
    relabelled
        Field `relabelled` of `Counting`.
    """
    return Counting(
        count=count,
        rates=coefficient_rates,
        pooling=_pooling,
        relabelled=relabelled,
        nothing=_ONE_LABEL,
    )


def _pooling(*, coefficient: str = "fleiss", **_: Any) -> Pooling:
    others: dict[str, Pooling] = {"cohen": "values", "conger": "parts"}
    return others.get(coefficient, "all")


def coefficient_score(counts: Counts, coefficient: str, signature: str) -> CategorisationScore:
    """Return the coefficient of these choices; NaN with the reason where P_e = 1.

    Parameters
    ----------
    counts
        Counts made by `counts_of_choices`.
    coefficient
        One of `COEFFICIENTS`.
    signature
        Signature of the value.
    """
    rates = coefficient_rates(counts.numbers)
    assert rates.expected is not None
    apart = float(rates.disagreement.mean())
    chance = float(rates.expected.mean())
    value, reason = ratio(apart, chance, _ONE_LABEL)
    if coefficient == "cohen":
        value = float(rates.value.mean())
        reason = _constant_pair(counts, rates.expected)
    disagreements = coefficient == "alpha"
    return CategorisationScore(
        value=value,
        observed=apart if disagreements else 1 - apart,
        expected=chance if disagreements else 1 - chance,
        reason=reason,
        signature=signature,
        counts=counts,
        coefficient=coefficient,
    )


def disagreement_of_choices(score: Score) -> float | None:
    """D of a coefficient: 1 − P_o; α observes a disagreement already."""
    if score.observed is None or getattr(score, "coefficient", "") == "alpha":
        return score.observed
    return 1 - score.observed


def _differing(p: Floats, q: Floats) -> Floats:
    """Σ_{c≠k} p_c q_k: the probability that two draws differ; exactly 0 where they cannot."""
    used = (p > 0) | (q > 0)
    # No p @ q: a BLAS product has other last bits on other processors.
    return np.where(np.count_nonzero(used, axis=-1) > 1, 1 - (p * q).sum(axis=-1), 0.0)


def _constant_pair(counts: Counts, chances: Floats) -> str | None:
    for k in np.flatnonzero(chances == 0)[:1]:
        first, second = counts.parties[int(k)]
        return f"Cohen's κ of {first} and {second} is undefined: both use one label throughout"
    return None
