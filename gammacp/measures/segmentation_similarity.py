"""S, B and the coefficients on S, on a continuum that every annotator covers without gaps.

S and B are symmetric, so the mean over ordered pairs of annotators is that over unordered ones.
The calculations are in `gammacp.segmentation`.
"""

import math
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from gammacp.continuum import Continuum
from gammacp.measures.registry import registered, unobserved_agreement
from gammacp.measures.score import Score
from gammacp.measures.segmentation import Pair, PairwiseScore, paired
from gammacp.needs import Need
from gammacp.segmentation.agreement import CodingAgreement, coding_agreement
from gammacp.segmentation.choices import Basis, EditSearch, Mode
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.tiling import from_continuum
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
    return _edits("s", continuum, Basis.S, n, edit)


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
    return _edits("b", continuum, Basis.B, n, "published")


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
    return _corrected("pi-s", continuum, n, edit, mode)


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
    return _corrected("kappa-s", continuum, n, edit, mode)


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
    return _corrected("multi-pi-s", continuum, n, edit, mode, together=True)


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
    return _corrected("multi-kappa-s", continuum, n, edit, mode, together=True)


def _compared(
    continuum: Continuum, comparison: Comparison, *, together: bool = False
) -> dict[Pair, CodingAgreement]:
    """The agreement of every two annotators; `together`: of all in one, under no name."""
    both = paired(from_continuum(continuum), ordered=False)
    parts = {pair: dict(zip(pair, texts, strict=True)) for pair, texts in both.items()}
    if together:
        parts = {("", ""): from_continuum(continuum)}
    return {
        pair: coding_agreement(Codings.of({"": coders}), comparison=comparison)
        for pair, coders in parts.items()
    }


def _edits(name: str, continuum: Continuum, basis: Basis, n: int, edit: str) -> EditScore:
    comparison = Comparison(basis=basis, n=n, search=EditSearch(edit))
    found = _compared(continuum, comparison)
    values = {pair: float(c.pairs.values[basis][0, 0]) for pair, c in found.items()}
    mean = fmean(values.values())
    searched = {} if basis is Basis.B else {"edit": edit}
    return EditScore(
        value=mean,
        observed=1 - mean,
        pairs=values,
        full=sum(c.corpus.full for c in found.values()),
        near=sum(c.corpus.near for c in found.values()),
        suboptimal=sum(c.corpus.suboptimal for c in found.values()),
        signature=signature(name, selection=continuum.selection, n=n, **searched),
    )


def _corrected(
    name: str, continuum: Continuum, n: int, edit: str, mode: str, *, together: bool = False
) -> PairwiseScore:
    """π or κ, as the name says: the mean over pairs of annotators, or one value of all together."""
    comparison = Comparison(n=n, search=EditSearch(edit), mode=Mode(mode))
    compared = _compared(continuum, comparison, together=together)
    found = {pair: c.pooled for pair, c in compared.items()}
    which = "pi" if "pi" in name else "kappa"
    values = {pair: float(getattr(c, which)) for pair, c in found.items()}
    reasons = [
        c.reason if together else f"{' and '.join(pair)}: {c.reason}"
        for pair, c in found.items()
        if c.reason is not None
    ]
    return PairwiseScore(
        value=math.nan if reasons else fmean(values.values()),
        observed=fmean(c.actual for c in found.values()),
        expected=fmean(getattr(c, f"expected_{which}") for c in found.values()),
        reason=reasons[0] if reasons else None,
        pairs={} if together else values,
        signature=signature(name, selection=continuum.selection, n=n, edit=edit, mode=mode),
    )
