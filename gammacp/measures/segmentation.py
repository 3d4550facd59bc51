"""Measures of segmentation on a continuum that every annotator covers without gaps.

Each annotator in turn is the reference, each other one the hypothesis; the score is the mean over
these ordered pairs. Categories do not count. The calculations are in `gammacp.segmentation`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations
from statistics import fmean, pstdev
from typing import Any, TypeVar

from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.measures.registry import registered
from gammacp.measures.score import Score
from gammacp.needs import Need
from gammacp.segmentation.hamming import ghd_of_positions
from gammacp.segmentation.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.windows import pk, window_diff
from gammacp.signature import signature

T = TypeVar("T")
Pair = tuple[str, str]

_registered = partial(registered, range="[0, 1]", chance_corrected=False)


@dataclass(frozen=True, kw_only=True)
class PairwiseScore(Score):
    """A mean over pairs of annotators.

    Attributes
    ----------
    pairs
        Agreement of each (reference, hypothesis) pair.
    sd
        Their population standard deviation.
    """

    pairs: Mapping[Pair, float] = field(default_factory=dict)

    @property
    def sd(self) -> float:
        """Population standard deviation over the pairs; NaN where there is none."""
        return pstdev(self.pairs.values()) if self.defined and self.pairs else math.nan


@_registered(
    "windowdiff",
    "1 − WindowDiff: windows with equally many boundaries",
    "Pevzner & Hearst 2002",
    needs={Need.FULL_COVERING, Need.INTEGERS},
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
    return _windowed("windowdiff", window_diff, continuum, window, padded)


@_registered(
    "pk",
    "1 − P_k: windows whose ends are in one segment, or not, for both",
    "Beeferman, Berger & Lafferty 1999",
    needs={Need.FULL_COVERING, Need.INTEGERS},
)
def p_k(continuum: Continuum, *, window: int | None = None, padded: bool = False) -> PairwiseScore:
    """1 − P_k (Beeferman et al. 1999), mean over ordered pairs; `observed` is P_k.

    Parameters as for `windowdiff`.
    """
    return _windowed("pk", pk, continuum, window, padded)


@_registered(
    "ghd",
    "1 − generalised Hamming distance, relative to deleting and inserting everything",
    "Bookstein, Kulyukin & Raita 2002",
    needs={Need.FULL_COVERING},
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
    errors = {}
    for pair, (reference, hypothesis) in paired(inner_boundaries(continuum), ordered=True).items():
        mean = continuum.length / (len(reference) + 1)
        found = ghd_of_positions(
            reference,
            hypothesis,
            insertion=mean if insertion is None else insertion,
            deletion=mean if deletion is None else deletion,
            shift=shift,
        )
        errors[pair] = 1 - found.agreement
    made = signature(
        "ghd",
        selection=continuum.selection,
        ins="mean" if insertion is None else float(insertion),
        **dict[str, Any]({"del": "mean" if deletion is None else float(deletion)}),
        shift=float(shift),
    )
    return _of_errors(errors, made)


def _windowed(
    name: str, error: Callable[..., float], continuum: Continuum, window: int | None, padded: bool
) -> PairwiseScore:
    both = paired(from_continuum(continuum), ordered=True)
    made = signature(
        name,
        selection=continuum.selection,
        window=window or "half",
        padded="yes" if padded else None,
    )
    errors = {pair: error(*texts, k=window, padded=padded) for pair, texts in both.items()}
    return _of_errors(errors, made)


def paired(by_annotator: Mapping[str, T], *, ordered: bool) -> dict[Pair, tuple[T, T]]:
    """What every two annotators have; `ordered` also the other way round.

    Parameters
    ----------
    by_annotator
        Each annotator's own; a DataError for fewer than two.
    """
    if len(by_annotator) < 2:
        raise DataError(
            "one annotator has nobody to agree with", hint="Give two annotators at least"
        )
    pairs = (permutations if ordered else combinations)(by_annotator, 2)
    return {(a, b): (by_annotator[a], by_annotator[b]) for a, b in pairs}


def _of_errors(errors: Mapping[Pair, float], made: str) -> PairwiseScore:
    pairs = {pair: 1 - error for pair, error in errors.items()}
    for (reference, hypothesis), error in errors.items():
        if math.isnan(error):
            return PairwiseScore(
                value=math.nan,
                pairs=pairs,
                reason=f"too short for a window, with {reference} as reference of {hypothesis}",
                signature=made,
            )
    mean, observed = fmean(pairs.values()), fmean(errors.values())
    return PairwiseScore(value=mean, observed=observed, pairs=pairs, signature=made)
