"""Measures of segmentation on a continuum that every annotator covers without gaps.

Windows and GHD take each annotator in turn as the reference and each other one as the hypothesis;
the score is the mean over these ordered pairs. S and B are symmetric, so that their mean is that
over unordered pairs. Categories do not count.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need
from gammacp.measures.counting import Counting, Counts, share
from gammacp.measures.registry import registered, unobserved_agreement
from gammacp.measures.score import Score
from gammacp.segmentation.measures.counts import (
    GHD,
    PK,
    WINDOWDIFF,
    B,
    Pair,
    S,
    counting_of_coefficient,
    expected_agreements,
    reasons_without_coefficient,
)

_registered = partial(registered, range="[0, 1]", chance_corrected=False)
_edited = partial(_registered, needs={Need.FULL_COVERING, Need.INTEGERS})


@dataclass(frozen=True, kw_only=True)
class PairwiseScore(Score):
    """A mean over pairs of annotators; `pairs` is that of each (reference, hypothesis)."""

    pairs: Mapping[Pair, float] = field(default_factory=dict)


@_registered(
    "windowdiff",
    "1 − WindowDiff: windows with equally many boundaries",
    "Pevzner & Hearst 2002",
    needs={Need.FULL_COVERING, Need.INTEGERS},
    counting=WINDOWDIFF,
)
def windowdiff(
    continuum: Continuum, *, window: int | None = None, padded: bool = False
) -> PairwiseScore:
    """1 − WindowDiff (Pevzner & Hearst 2002), mean over ordered pairs; `observed` is WindowDiff.

    Parameters
    ----------
    window
        Potential boundaries a window spans; default: half the mean segment of each reference.
    padded
        Whether the continuum is padded at both ends (Lamprier et al. 2007).
    """
    return _window_score("windowdiff", WINDOWDIFF, continuum, window, padded)


@_registered(
    "pk",
    "1 − P_k: windows whose ends are in one segment, or not, for both",
    "Beeferman, Berger & Lafferty 1999",
    needs={Need.FULL_COVERING, Need.INTEGERS},
    counting=PK,
)
def p_k(continuum: Continuum, *, window: int | None = None, padded: bool = False) -> PairwiseScore:
    """1 − P_k (Beeferman et al. 1999), mean over ordered pairs; `observed` is P_k.

    Parameters as for `windowdiff`.
    """
    return _window_score("pk", PK, continuum, window, padded)


@_registered(
    "ghd",
    "1 − generalised Hamming distance, relative to deleting and inserting everything",
    "Bookstein, Kulyukin & Raita 2002",
    needs={Need.FULL_COVERING},
    counting=GHD,
)
def ghd(
    continuum: Continuum,
    *,
    insertion: float | None = None,
    deletion: float | None = None,
    shift: float = 2.0,
) -> PairwiseScore:
    """1 − GHD/largest (Bookstein et al. 2002) of a continuum, mean over ordered pairs.

    Positions may be real.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    insertion, deletion
        Cost of a boundary that only one side has; default: the mean unit length of the reference.
    shift
        Cost of moving a boundary by one base unit.

    `observed` is GHD divided by the cost of deleting and inserting every boundary.
    """
    counts = GHD.count(continuum, insertion=insertion, deletion=deletion, shift=shift)
    score_signature = signature(
        "ghd",
        selection=continuum.selection,
        ins="mean" if insertion is None else float(insertion),
        **dict[str, Any]({"del": "mean" if deletion is None else float(deletion)}),
        shift=float(shift),
    )
    return _score_of_errors(GHD, counts, score_signature)


@_edited(
    "s",
    "segmentation similarity S: places that no edit touches",
    "Fournier & Inkpen 2012",
    range="[0, 1] for n = 2",
    counting=S,
)
def s(continuum: Continuum, *, n: int = 2, edit: str = "published") -> PairwiseScore:
    """S (Fournier & Inkpen 2012, eq. 4) of a continuum, mean over pairs; `observed` is 1 − S.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    n
        Potential boundaries that a transposition may span.
    edit
        `published` or `optimal` search.
    """
    counts = S.count(continuum, n=n, edit=edit)
    score_signature = signature("s", selection=continuum.selection, n=n, edit=edit)
    return _score_of_similarity(S, counts, score_signature)


@_edited(
    "b",
    "boundary similarity B: boundaries that no edit touches",
    "Fournier 2013",
    range="[0, 1]",
    counting=B,
)
def b(continuum: Continuum, *, n: int = 2) -> PairwiseScore:
    """B (Fournier 2013), mean over pairs; `observed` is 1 − B. `n` is its n_t.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    n
        A boundary may be transposed over fewer places than this.
    """
    score_signature = signature("b", selection=continuum.selection, n=n)
    return _score_of_similarity(B, B.count(continuum, n=n), score_signature)


def _window_score(
    name: str, counting: Counting, continuum: Continuum, window: int | None, padded: bool
) -> PairwiseScore:
    counts = counting.count(continuum, window=window, padded=padded)
    score_signature = signature(
        name,
        selection=continuum.selection,
        window=window or "half",
        padded="yes" if padded else None,
    )
    return _score_of_errors(counting, counts, score_signature)


def _score_of_errors(counting: Counting, counts: Counts, score_signature: str) -> PairwiseScore:
    """Return the mean of ordered pairs; undefined where one has no window."""
    rates = counting.rates(counts.numbers)
    values = rates.value.tolist()
    pairs = _value_by_pair(counts, values)
    for (reference, hypothesis), value in pairs.items():
        if math.isnan(value):
            return PairwiseScore(
                value=math.nan,
                pairs=pairs,
                reason=f"too short for a window with {reference} as reference for {hypothesis}",
                signature=score_signature,
                counts=counts if counts.numbers["units"].any() else None,
            )
    observed = fmean(rates.disagreement.tolist())
    return PairwiseScore(
        value=fmean(values),
        observed=observed,
        pairs=pairs,
        signature=score_signature,
        counts=counts,
    )


def _score_of_similarity(counting: Counting, counts: Counts, score_signature: str) -> PairwiseScore:
    """Return the mean of pairs."""
    values = counting.rates(counts.numbers).value.tolist()
    mean = fmean(values)
    pairs = _value_by_pair(counts, values)
    return PairwiseScore(
        value=mean, observed=1 - mean, pairs=pairs, signature=score_signature, counts=counts
    )


def _value_by_pair(counts: Counts, values: list[float]) -> dict[Pair, float]:
    return {(a, b): value for (a, b), value in zip(counts.parties, values, strict=True)}


def _register_coefficient(name: str, summary: str) -> None:
    together = "multi" in name
    if "pi" in name:
        which = "pi"
    else:
        which = "kappa"
    counting = counting_of_coefficient(together=together, own=which == "kappa")

    @_edited(
        name,
        summary,
        "Fournier & Inkpen 2012",
        range="(−∞, 1]",
        disagreement=unobserved_agreement,
        counting=counting,
    )
    def coefficient(
        continuum: Continuum, *, n: int = 2, edit: str = "published", mode: str = "equations"
    ) -> PairwiseScore:
        """π or κ on S: the mean over pairs of annotators, or one value of all together.

        Parameters
        ----------
        continuum
            Units of every annotator cover its bounds without gaps; at least two annotators.
        n, edit
            Parameters of S.
        mode
            `equations` or `published` (`gammacp.segmentation.measures.coefficients`).

        `observed` is A_a, `expected` A_e, of pairs both means over them.
        """
        counts = counting.count(continuum, n=n, edit=edit, mode=mode)
        values = counting.rates(counts.numbers).value.tolist()
        actual = share(counts.numbers["similar"], counts.numbers["compared"])
        expected = expected_agreements(counts.numbers)[which == "kappa"]
        reasons = [
            reason if together else f"{' and '.join(pair)}: {reason}"
            for pair, reason in zip(
                counts.parties, reasons_without_coefficient(counts), strict=True
            )
            if reason is not None
        ]
        return PairwiseScore(
            value=math.nan if reasons else fmean(values),
            observed=fmean(actual.tolist()),
            expected=fmean(expected.tolist()),
            reason=reasons[0] if reasons else None,
            pairs={} if together else _value_by_pair(counts, values),
            signature=signature(name, selection=continuum.selection, n=n, edit=edit, mode=mode),
            counts=counts,
        )


# What each takes off is the chance of agreeing on boundaries alone: see `coefficients`.
for _name, _summary in {
    "pi-s": "Scott's π on S, mean over pairs; .96 for random boundaries at 2 % of places",
    "kappa-s": "Cohen's κ on S, mean over pairs; random boundaries as for pi-s",
    "multi-pi-s": "Fleiss' multi-π on S; random boundaries as for pi-s",
    "multi-kappa-s": "Davies & Fleiss' multi-κ on S; random boundaries as for pi-s",
}.items():
    _register_coefficient(_name, _summary)
