"""F₁ with credit for a part: half of a match, or the share that overlaps.

`f1-partial` is the partial match of MUC-5 (Chinchor & Sundheim 1993) as nervaluate prints it: a
unit with the same boundaries counts 1, one that merely overlaps ½, whatever the category. Matches
are one to one and of the largest sum; nervaluate takes units in their order, which differs where
one unit overlaps several. `soft-f1` gives each pair of overlapping units of one category the share
that they have in common (Da San Martino et al. 2019, §5).
"""

import math

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.matching import largest_matching
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require, unmet_need
from gammacp.continuum.selecting import keep_categories
from gammacp.errors import DataError
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, harmonic_mean, share
from gammacp.measures.matching.f1 import counts_of_pairs, match_rates, pairs_without_units
from gammacp.measures.matching.overlapping import overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score

_HALF = 0.5


def count_partial_matches(continuum: Continuum) -> Counts:
    """Count matches of each pair of annotators, ½ of units that merely overlap.

    Parameters
    ----------
    continuum
        The units.
    """
    matched = []
    for met in overlaps(continuum):
        starts = continuum.starts
        ends = continuum.ends
        same = starts[met.left] == starts[met.right]
        same &= ends[met.left] == ends[met.right]
        credit = np.where(same, 1.0, _HALF)
        chosen = largest_matching(met.left, met.right, credit)
        matched.append(math.fsum(credit[chosen]))
    return counts_of_pairs(continuum, matched=np.array(matched))


def count_shared_lengths(continuum: Continuum, **_: object) -> Counts:
    """Count what units of one category have in common, as shares of each side's units.

    Parameters
    ----------
    continuum
        The units; one of no length is wholly shared with its like.
    """
    credits: list[list[float]] = [[], []]
    lengths = continuum.lengths
    for met in overlaps(continuum):
        same = continuum.category_codes[met.left] == continuum.category_codes[met.right]
        for side, rows in zip(credits, (met.left[same], met.right[same]), strict=True):
            whole = lengths[rows]
            parts = np.divide(met.lengths[same], whole, out=np.ones(len(rows)), where=whole > 0)
            side.append(float(parts.sum()))
    return counts_of_pairs(
        continuum, first_shared=np.array(credits[0]), second_shared=np.array(credits[1])
    )


def soft_rates(numbers: Numbers) -> Rates:
    """Return F₁ of recall and precision, both shares of units; NaN where neither has a unit.

    Parameters
    ----------
    numbers
        `first_shared`, `second_shared`, `first_units` and `second_units`.
    """
    units = numbers["first_units"], numbers["second_units"]
    shared = numbers["first_shared"], numbers["second_shared"]
    sides = [share(part, n_units) for part, n_units in zip(shared, units, strict=True)]
    rates = [np.where(np.isnan(side), 0.0, side) for side in sides]
    value = np.where(units[0] + units[1] > 0, harmonic_mean(*rates), math.nan)
    return Rates(
        value=value,
        disagreement=1 - value,
        size=(units[0] + units[1]) / 2,
        recall=sides[0],
        precision=sides[1],
    )


_PARTIAL = Counting(count=count_partial_matches, rates=match_rates, nothing="nobody has a unit")
SOFT = Counting(count=count_shared_lengths, rates=soft_rates, nothing="nobody has a unit")


@registered(
    "f1-partial",
    "F₁ of units that overlap, ½ of those with other boundaries (nervaluate)",
    "Chinchor & Sundheim 1993",
    range="[0, 1]",
    chance_corrected=False,
    counting=_PARTIAL,
)
def f1_partial(continuum: Continuum) -> Score:
    """F₁ with ½ for overlapping units whose boundaries differ, the mean over pairs of annotators.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.

    Worked value: A [0,10) [15,25), B [0,10) [16,25): 1 + ½ of 2 and 2 units, .75.
    """
    require(continuum)
    return _score("f1-partial", continuum, _PARTIAL)


@registered(
    "soft-f1",
    "F₁ with credit for the share of units of one category that overlaps",
    "Da San Martino et al. 2019, §5",
    range="[0, 1]",
    chance_corrected=False,
    needs={Need.CATEGORIES},
    counting=SOFT,
)
def soft_f1(continuum: Continuum) -> Score:
    """F₁ of C(s, t, h) = |s ∩ t| / h where categories are equal, the mean over pairs of annotators.

    Recall has h = |t| of a unit t of the reference, precision h = |s|; both are sums over pairs of
    units, divided by the number of units. Units of one category and one annotator must not overlap.

    Parameters
    ----------
    continuum
        At least two annotators and one unit; all units have a category.

    Raises
    ------
    DataError
        Units of one category and one annotator overlap (they are named).

    Worked value: A [0,10)x, B [0,5)x: recall 5/10, precision 5/5, F₁ 2/3.
    """
    require(continuum, {Need.CATEGORIES})
    for category in continuum.categories:
        # Shared lengths would count twice.
        require_apart(keep_categories(continuum, [category]))
    return _score("soft-f1", continuum, SOFT)


def require_apart(continuum: Continuum) -> None:
    """Raise a DataError where units of one annotator overlap.

    Parameters
    ----------
    continuum
        Units of one category.
    """
    reason = unmet_need(continuum, {Need.NO_OVERLAP})
    if reason is not None:
        raise DataError(f"{reason}, and both have the same category")


def _score(name: str, continuum: Continuum, counting: Counting) -> Score:
    counts = counting.count(continuum)
    values: Floats = counting.rates_of(counts).value
    reason = pairs_without_units(continuum, values)
    value = float(values.mean())
    return Score(
        value=value,
        observed=None if reason else value,
        reason=reason,
        signature=signature(name, selection=continuum.selection),
        counts=counts,
    )
