"""Chance-corrected coefficients of categorisation, from who chooses what how often.

All four correct the same observed agreement P_o, the mean over pairs of annotators, and differ in
what they expect by chance (Artstein & Poesio 2008, §2):

- "fleiss": Fleiss' K (1971), everybody draws from the pooled distribution (Scott's π for two);
- "cohen": the mean of Cohen's κ (1960) of all pairs, each annotator with a distribution of her own;
- "conger": Conger's κ (1980), P_o and P_e averaged over pairs before they are combined;
- "alpha": Krippendorff's nominal α: as Fleiss, corrected for the finite number of values.
"""

import math
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratio, ratios
from gammacp.measures.score import Score

COEFFICIENTS = ("fleiss", "cohen", "conger", "alpha")
_ONE_LABEL = "only one label is used, so no disagreement can be expected"


@dataclass(frozen=True)
class Choices:
    """Who chooses which label how often, and how often two annotators differ.

    Attributes
    ----------
    annotators
        Names.
    shares
        Share of each label in each annotator's choices, shape (m, labels); rows sum to 1.
    apart
        Share of items about which two annotators differ, shape (m, m), symmetric.
    values
        Number of choices of all annotators; infinite where items are a continuum.
    """

    annotators: tuple[str, ...]
    shares: Floats
    apart: Floats
    values: float


@dataclass(frozen=True, kw_only=True)
class CategorisationScore(Score):
    """A coefficient; `observed` and `expected` are agreements P_o and P_e, of α D_o and D_e."""

    coefficient: str


def coefficient_score(choices: Choices, coefficient: str, signature: str) -> CategorisationScore:
    """The coefficient of these choices; NaN with the reason where P_e = 1.

    It is computed as 1 − D_o/D_e from disagreements, so that perfect agreement is exactly 1.
    """
    m = len(choices.annotators)
    pairs = np.triu_indices(m, 1)
    apart = float(choices.apart[pairs].mean())
    shares = choices.shares
    if coefficient in ("fleiss", "alpha"):
        chance = _differing(shares.mean(axis=0), shares.mean(axis=0))
        if coefficient == "alpha" and math.isfinite(choices.values):
            chance *= choices.values / (choices.values - 1)
    else:
        chances = np.array([_differing(shares[i], shares[j]) for i, j in zip(*pairs, strict=True)])
        chance = float(chances.mean())
    value, reason = ratio(apart, chance, _ONE_LABEL)
    if coefficient == "cohen":
        value = float(ratios(choices.apart[pairs], chances).mean())
        reason = _constant_pair(choices, chances, pairs)
    disagreements = coefficient == "alpha"
    return CategorisationScore(
        value=value,
        observed=apart if disagreements else 1 - apart,
        expected=chance if disagreements else 1 - chance,
        reason=reason,
        signature=signature,
        coefficient=coefficient,
    )


def disagreement_of_choices(score: Score) -> float | None:
    """D of a coefficient: 1 − P_o; α observes a disagreement already."""
    if score.observed is None or getattr(score, "coefficient", "") == "alpha":
        return score.observed
    return 1 - score.observed


def _differing(p: Floats, q: Floats) -> float:
    """Σ_{c≠k} p_c q_k: the probability that two draws differ; exactly 0 where they cannot."""
    used = (p > 0) | (q > 0)
    # No p @ q: a BLAS product has other last bits on other processors.
    return 1 - math.fsum(p * q) if np.count_nonzero(used) > 1 else 0.0


def _constant_pair(
    choices: Choices, chances: Floats, pairs: tuple[np.ndarray[tuple[int]], ...]
) -> str | None:
    for k in np.flatnonzero(chances == 0)[:1]:
        first, second = (choices.annotators[int(side[k])] for side in pairs)
        return f"Cohen's κ of {first} and {second} is undefined: both use one label throughout"
    return None
