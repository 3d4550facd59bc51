"""Measures of segmentation on a continuum that every annotator covers without gaps.

Windows and GHD take each annotator in turn as the reference and each other one as the hypothesis;
the score is the mean over these ordered pairs. S and B are symmetric, so that their mean is that
over unordered pairs. Categories do not count.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations
from statistics import fmean
from typing import Any, TypeVar

from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need
from gammacp.errors import DataError
from gammacp.measures.registry import registered, unobserved_agreement
from gammacp.measures.score import Score
from gammacp.segmentation.measures.coefficients import coefficients, pool
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion, Mode
from gammacp.segmentation.measures.edits import EditSearch
from gammacp.segmentation.measures.hamming import ghd_of_positions
from gammacp.segmentation.measures.rows import Pairs, Rows, compare_rows
from gammacp.segmentation.measures.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.measures.value import ONE_TYPE
from gammacp.segmentation.measures.windows import pk, window_diff

T = TypeVar("T")
Pair = tuple[str, str]

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
    return _window_score("windowdiff", window_diff, continuum, window, padded)


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
    return _window_score("pk", pk, continuum, window, padded)


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
    for pair, (reference, hypothesis) in pair_annotators(
        inner_boundaries(continuum), ordered=True
    ).items():
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


@_edited(
    "s",
    "segmentation similarity S: places that no edit touches",
    "Fournier & Inkpen 2012",
    range="[0, 1] for n = 2",
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
    return _edits("s", continuum, CorrectedSimilarity.S, n, edit)


@_edited(
    "b", "boundary similarity B: boundaries that no edit touches", "Fournier 2013", range="[0, 1]"
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
    return _edits("b", continuum, CorrectedSimilarity.B, n, "published")


def _window_score(
    name: str, error: Callable[..., float], continuum: Continuum, window: int | None, padded: bool
) -> PairwiseScore:
    both = pair_annotators(from_continuum(continuum), ordered=True)
    made = signature(
        name,
        selection=continuum.selection,
        window=window or "half",
        padded="yes" if padded else None,
    )
    errors = {pair: error(*texts, k=window, padded=padded) for pair, texts in both.items()}
    return _of_errors(errors, made)


def pair_annotators(by_annotator: Mapping[str, T], *, ordered: bool) -> dict[Pair, tuple[T, T]]:
    """Return every measure of every two annotators; `ordered` also the other way round.

    Parameters
    ----------
    by_annotator
        Each annotator's own; a DataError for fewer than two.
    """
    if len(by_annotator) < 2:
        raise DataError(
            "agreement needs two annotators, but there is one", hint="Give at least two annotators"
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
                reason=f"too short for a window with {reference} as reference for {hypothesis}",
                signature=made,
            )
    mean, observed = fmean(pairs.values()), fmean(errors.values())
    return PairwiseScore(value=mean, observed=observed, pairs=pairs, signature=made)


def _compare(
    continuum: Continuum, comparison: Criterion, *, together: bool = False
) -> tuple[list[Pair], Pairs]:
    """Every two annotators as an item of their own, compared; `together`: all in one item."""
    coders = from_continuum(continuum)
    both = pair_annotators(coders, ordered=False)
    items = {" ".join(pair): dict(zip(pair, texts, strict=True)) for pair, texts in both.items()}
    return list(both), compare_rows(
        Rows.of({"": coders} if together else items, ONE_TYPE), comparison
    )


def _edits(
    name: str, continuum: Continuum, basis: CorrectedSimilarity, n: int, edit: str
) -> PairwiseScore:
    names, found = _compare(continuum, Criterion(basis=basis, n=n, search=EditSearch(edit)))
    values = dict(zip(names, found.values[basis][:, 0].tolist(), strict=True))
    mean = fmean(values.values())
    searched = {} if basis is CorrectedSimilarity.B else {"edit": edit}
    return PairwiseScore(
        value=mean,
        observed=1 - mean,
        pairs=values,
        signature=signature(name, selection=continuum.selection, n=n, **searched),
    )


def _register_coefficient(name: str, summary: str) -> None:
    together, which = "multi" in name, "pi" if "pi" in name else "kappa"

    @_edited(
        name,
        summary,
        "Fournier & Inkpen 2012",
        range="(−∞, 1]",
        disagreement=unobserved_agreement,
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
            Of S.
        mode
            `equations` or `published` (`gammacp.segmentation.measures.coefficients`).

        `observed` is A_a, `expected` A_e, of pairs both means over them.
        """
        comparison = Criterion(n=n, search=EditSearch(edit), mode=Mode(mode))
        names, pairs = _compare(continuum, comparison, together=together)
        arrays = pool(pairs)
        found = [
            coefficients(arrays.only([k]), mode=comparison.mode) for k in range(len(arrays.similar))
        ]
        values = [float(getattr(c, which)) for c in found]
        reasons = [
            c.reason if together else f"{' and '.join(names[k])}: {c.reason}"
            for k, c in enumerate(found)
            if c.reason is not None
        ]
        return PairwiseScore(
            value=math.nan if reasons else fmean(values),
            observed=fmean(c.actual for c in found),
            expected=fmean(getattr(c, f"expected_{which}") for c in found),
            reason=reasons[0] if reasons else None,
            pairs={} if together else dict(zip(names, values, strict=True)),
            signature=signature(name, selection=continuum.selection, n=n, edit=edit, mode=mode),
        )


# What each takes off is the chance of agreeing on boundaries alone: see `coefficients`.
for _name, _summary in {
    "pi-s": "Scott's π on S, mean over pairs; .96 for random boundaries at 2 % of places",
    "kappa-s": "Cohen's κ on S, mean over pairs; random boundaries as for pi-s",
    "multi-pi-s": "Fleiss' multi-π on S; random boundaries as for pi-s",
    "multi-kappa-s": "Davies & Fleiss' multi-κ on S; random boundaries as for pi-s",
}.items():
    _register_coefficient(_name, _summary)
