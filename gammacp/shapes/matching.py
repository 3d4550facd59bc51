"""Shapes that two annotators have in common: F₁ at IoU .5, and how well those shapes coincide.

Two shapes match if they have the same category and an intersection over union (IoU) of at least
one half (Everingham et al. 2010, §4.2, who compare a detector with the truth). Matches are one to
one. The largest possible number of matches is made and, among such matchings, the one with the
largest sum of IoU. A detector's shapes could be matched in the order of its confidence, but people
give none. With a reference, its unmatched shapes count as missed, and unmatched shapes of the other
annotator as added. Nothing is corrected for chance.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require, require_whole
from gammacp.dissimilarity.base import unit_columns
from gammacp.errors import DataError
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.matching.f1 import counts_of_pairs, match_rates, pairs_without_units
from gammacp.measures.matching.overlapping import overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score
from gammacp.shapes.dissimilarity import shared_and_covered

LEAST_IOU = 0.5
_KINDS = frozenset({"box", "polygon", "stack"})


def count_shapes(continuum: Continuum) -> Counts:
    """Count matched shapes of each pair of annotators, their IoU, and the shapes of both.

    Parameters
    ----------
    continuum
        Boxes, polygons, stacks of polygons, or units on one axis.
    """
    columns = unit_columns(continuum)
    matched = []
    common = []
    doubled = []
    for met in overlaps(continuum):
        alike = continuum.category_codes[met.left] == continuum.category_codes[met.right]
        first = met.left[alike]
        second = met.right[alike]
        shared, covered = shared_and_covered(columns[first], columns[second])
        ious_of_pairs = np.divide(shared, covered, out=np.zeros(len(first)), where=covered > 0)
        near = ious_of_pairs >= LEAST_IOU
        ious = _match_ious(first[near], second[near], ious_of_pairs[near])
        matched.append(float(len(ious)))
        common.append(float(ious.sum()))
        doubled.append(float((2 * ious / (1 + ious)).sum()))
    return counts_of_pairs(
        continuum,
        matched=np.array(matched),
        iou=np.array(common),
        dice=np.array(doubled),
    )


def _match_ious(first: Indices, second: Indices, ious: Floats) -> Floats:
    """Return the IoU of each match: most matches first, then the largest sum."""
    from scipy.optimize import linear_sum_assignment

    if not len(first):
        return np.zeros(0)
    rows, row = np.unique(first, return_inverse=True)
    columns, column = np.unique(second, return_inverse=True)
    # The weight of one more match exceeds the sum of all IoU.
    gains = np.zeros((len(rows), len(columns)))
    gains[row, column] = ious + min(gains.shape)
    chosen = gains[linear_sum_assignment(gains, maximize=True)]
    return np.asarray(chosen[chosen > 0] - min(gains.shape))


def iou_rates(numbers: Numbers, *, overlap: str = "iou") -> Rates:
    """Return the mean IoU, or Dice, of matched shapes; NaN where none is matched.

    Parameters
    ----------
    numbers
        Number of shapes `matched`, and the sum of their `iou` or `dice`.
    overlap
        Which of the two sums to use: "iou" or "dice".
    """
    value = share(numbers[overlap], numbers["matched"])
    return Rates(value=value, disagreement=1 - value, size=numbers["matched"])


def tell_matches(numbers: Numbers) -> tuple[str, ...]:
    """Return a note on how many shapes are matched, missed and added.

    Parameters
    ----------
    numbers
        Sums over documents and annotators; the reference is the first annotator.
    """
    matched = int(numbers["matched"].sum())
    missed = int(numbers["first_units"].sum()) - matched
    added = int(numbers["second_units"].sum()) - matched
    return (f"{matched} matched, {missed} missed, {added} added (IoU of at least {LEAST_IOU:g})",)


_F1 = Counting(
    count=count_shapes,
    rates=match_rates,
    nothing="nobody has a unit",
    reference_remarks=tell_matches,
)
_MEAN = Counting(count=count_shapes, rates=iou_rates, nothing="no shapes are matched")
_DICE = Counting(
    count=count_shapes,
    rates=partial(iou_rates, overlap="dice"),
    nothing="no shapes are matched",
)
_registered = partial(
    registered,
    reference="Everingham et al. 2010, §4.2",
    range="[0, 1]",
    chance_corrected=False,
    fragments="whole",
)


@_registered("f1-iou", "F₁ of shapes of one category with an IoU of at least .5", counting=_F1)
def f1_iou(continuum: Continuum) -> Score:
    """F₁ of matched shapes, the mean over pairs of annotators.

    Parameters
    ----------
    continuum
        At least two annotators and one unit: boxes, polygons, stacks, or units on one axis.

    Worked value: A has squares of side 2 at (0, 0) and (9, 9), B one at (0, 0.5): IoU 3/5, 1 match
    of 2 and 1 shapes, F₁ 2/3.
    """
    return _score("f1-iou", continuum, _F1)


@_registered("mean-iou", "mean IoU of the shapes that f1-iou matches", counting=_MEAN)
def mean_iou(continuum: Continuum) -> Score:
    """Mean IoU of matched shapes, the mean over pairs of annotators.

    Parameters
    ----------
    continuum
        As for `f1_iou`.

    Worked value: as there, .6.
    """
    return _score("mean-iou", continuum, _MEAN)


@_registered("mean-dice", "mean Dice of the shapes that f1-iou matches", counting=_DICE)
def mean_dice(continuum: Continuum) -> Score:
    """Mean Dice coefficient of matched shapes, the mean over pairs of annotators.

    The Dice coefficient is twice the area that two shapes share, divided by the sum of their areas:
    2·IoU/(1 + IoU).

    Parameters
    ----------
    continuum
        As for `f1_iou`.

    Worked value: as there, IoU .6 is Dice .75.
    """
    return _score("mean-dice", continuum, _DICE)


def _score(name: str, continuum: Continuum, counting: Counting) -> Score:
    require(continuum, fragments=True)
    if continuum.shapes is None:
        require_whole(continuum)
    if others := sorted(continuum.kinds - _KINDS):
        raise DataError(f"units of kind {others[0]} cover nothing, so they have no IoU")
    counts = counting.count(continuum)
    values: Any = counting.rates_of(counts).value
    value = float(values.mean())
    reason = pairs_without_units(continuum, values)
    if reason is not None and counting is not _F1:
        reason = "two annotators have no shape that matches"
    return Score(
        value=value,
        observed=None if reason else value,
        reason=reason,
        signature=signature(name, selection=continuum.selection),
        counts=counts,
    )
