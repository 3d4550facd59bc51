"""S, B and the coefficients on S, on a continuum that every annotator covers without gaps.

S and B are symmetric, so the mean over ordered pairs of annotators is that over unordered ones.
The calculations are in `gammacp.segmentation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from gammacp.continuum import Continuum
from gammacp.measures.registry import registered, unobserved_agreement
from gammacp.measures.score import Score
from gammacp.measures.segmentation import Pair, PairwiseScore, paired
from gammacp.needs import Need
from gammacp.segmentation.agreement import compared_pairs
from gammacp.segmentation.boundary import BoundarySimilarity, boundary_similarity
from gammacp.segmentation.choices import EditSearch, Mode
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.coefficients import Coefficients, coefficients, pool
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.similarity import Similarity, segmentation_similarity
from gammacp.segmentation.tiling import from_continuum
from gammacp.segmentation.value import Segmentation
from gammacp.signature import signature

# π and κ on S take off the chance of agreeing on boundaries alone: see `coefficients`.
_registered = partial(registered, needs={Need.FULL_COVERING, Need.INTEGERS}, chance_corrected=False)
_coefficient = partial(
    _registered,
    reference="Fournier & Inkpen 2012",
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
)


@dataclass(frozen=True, kw_only=True)
class EditScore(PairwiseScore):
    """A mean over pairs with the edits behind it.

    Attributes
    ----------
    full, near
        Full and near misses of all pairs.
    suboptimal
        Pairs whose published edits cost more than the cheapest.
    """

    full: int = 0
    near: int = 0
    suboptimal: int = 0


@_registered(
    "s",
    "segmentation similarity S: places that no edit touches",
    "Fournier & Inkpen 2012",
    range="[0, 1] for n = 2",
)
def s(continuum: Continuum, *, n: int = 2, edit: str = "published") -> EditScore:
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
    search = EditSearch(edit)
    found = {
        pair: segmentation_similarity(*both, n=n, search=search)
        for pair, both in _pairs(continuum).items()
    }
    return _edit_score(found, signature("s", selection=continuum.selection, n=n, edit=edit))


@_registered(
    "b", "boundary similarity B: boundaries that no edit touches", "Fournier 2013", range="[0, 1]"
)
def b(continuum: Continuum, *, n: int = 2) -> EditScore:
    """B (Fournier 2013), mean over pairs; `observed` is 1 − B. `n` is its n_t.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    n
        A boundary may be transposed over fewer places than this.
    """
    found = {pair: boundary_similarity(*both, n_t=n) for pair, both in _pairs(continuum).items()}
    return _edit_score(found, signature("b", selection=continuum.selection, n=n))


@_coefficient("pi-s", "Scott's π on S, mean over pairs; .96 for random boundaries at 2 % of places")
def pi_s(
    continuum: Continuum, *, n: int = 2, edit: str = "published", mode: str = "equations"
) -> PairwiseScore:
    """Scott's π on S (2012, eq. 5–8) of each pair of a continuum, mean over pairs.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    n, edit
        Of S.
    mode
        `equations` or `published` (`gammacp.segmentation.coefficients`).

    `observed` is A_a, `expected` A_e, both means over pairs.
    """
    return _by_pair("pi-s", continuum, n, edit, mode, lambda c: (c.pi, c.expected_pi))


@_coefficient("kappa-s", "Cohen's κ on S, mean over pairs; random boundaries as for pi-s")
def kappa_s(
    continuum: Continuum, *, n: int = 2, edit: str = "published", mode: str = "equations"
) -> PairwiseScore:
    """Cohen's κ on S (2012, eq. 9–11) of each pair, mean over pairs; options of `pi_s`.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    """
    return _by_pair("kappa-s", continuum, n, edit, mode, lambda c: (c.kappa, c.expected_kappa))


@_coefficient("multi-pi-s", "Fleiss' multi-π on S; random boundaries as for pi-s")
def multi_pi_s(
    continuum: Continuum, *, n: int = 2, edit: str = "published", mode: str = "equations"
) -> Score:
    """Fleiss' multi-π on S of all annotators (2012, eq. 12–13); options of `pi_s`.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    """
    return _of_all("multi-pi-s", continuum, n, edit, mode, lambda c: (c.pi, c.expected_pi))


@_coefficient("multi-kappa-s", "Davies & Fleiss' multi-κ on S; random boundaries as for pi-s")
def multi_kappa_s(
    continuum: Continuum, *, n: int = 2, edit: str = "published", mode: str = "equations"
) -> Score:
    """Davies & Fleiss' multi-κ on S of all annotators (2012, eq. 14–15); options of `pi_s`.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds without gaps; at least two annotators.
    """
    return _of_all("multi-kappa-s", continuum, n, edit, mode, lambda c: (c.kappa, c.expected_kappa))


_Choice = Callable[[Coefficients], tuple[float, float]]


def _pairs(continuum: Continuum) -> dict[Pair, tuple[Segmentation, Segmentation]]:
    return paired(from_continuum(continuum), ordered=False)


def _edit_score(found: Mapping[Pair, Similarity | BoundarySimilarity], made: str) -> EditScore:
    values = {pair: x.value for pair, x in found.items()}
    mean = fmean(values.values())
    return EditScore(
        value=mean,
        observed=1 - mean,
        pairs=values,
        full=sum(x.edits.full for x in found.values()),
        near=sum(x.edits.near for x in found.values()),
        suboptimal=sum(getattr(x, "warning", None) is not None for x in found.values()),
        signature=made,
    )


def _coefficients(coders: Mapping[str, Segmentation], n: int, edit: str, mode: str) -> Coefficients:
    comparison = Comparison(n=n, search=EditSearch(edit), mode=Mode(mode))
    pairs = compared_pairs(Codings.of({"continuum": coders}), comparison)
    return coefficients(pool(pairs), mode=comparison.mode)


def _by_pair(
    name: str, continuum: Continuum, n: int, edit: str, mode: str, choose: _Choice
) -> PairwiseScore:
    made = signature(name, selection=continuum.selection, n=n, edit=edit, mode=mode)
    found = {
        pair: _coefficients(dict(zip(pair, both, strict=True)), n, edit, mode)
        for pair, both in _pairs(continuum).items()
    }
    values = {pair: choose(c)[0] for pair, c in found.items()}
    for pair, c in found.items():
        if c.reason is not None:
            reason = f"{' and '.join(pair)}: {c.reason}"
            return PairwiseScore(value=math.nan, pairs=values, reason=reason, signature=made)
    return PairwiseScore(
        value=fmean(values.values()),
        observed=fmean(c.actual for c in found.values()),
        expected=fmean(choose(c)[1] for c in found.values()),
        pairs=values,
        signature=made,
    )


def _of_all(
    name: str, continuum: Continuum, n: int, edit: str, mode: str, choose: _Choice
) -> Score:
    found = _coefficients(from_continuum(continuum), n, edit, mode)
    value, expected = choose(found)
    return Score(
        value=value,
        observed=found.actual,
        expected=expected,
        reason=found.reason,
        signature=signature(name, selection=continuum.selection, n=n, edit=edit, mode=mode),
    )
