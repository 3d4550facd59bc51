"""Normalised xRR of two groups of annotators, and the tests of whether it is below 1.

Cross-replication reliability (xRR; Wong, Paritosh & Aroyo 2021) is the agreement over pairs with
one annotator of each group. Normalised, it is divided by the geometric mean of the agreement within
the groups, and is 1 if the groups differ no more from each other than their own members do. Its
logarithm is tested with the jackknife variance, over documents or stretches and over annotators.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.beyond import ratios
from gammacp.inference.part_tests import FEWEST_ANNOTATORS, FEWEST_PARTS


@dataclass(frozen=True, eq=False)
class Replication:
    """Normalised xRR of two groups with its two tests, one-sided against less than 1.

    Attributes
    ----------
    value
        γ between the groups divided by the geometric mean of the γ within each group; NaN if a γ
        within a group is not positive.
    p_parts, p_annotators
        p-values by a jackknife over documents or stretches, and by one over annotators; NaN if they
        cannot be computed.
    """

    value: float
    p_parts: float = math.nan
    p_annotators: float = math.nan

    @property
    def p(self) -> float:
        """Return the larger of the two p-values."""
        return float(np.maximum(self.p_parts, self.p_annotators))


def replication(
    observed: Floats,
    expected: Floats,
    first: Sequence[int],
    second: Sequence[int],
    errors: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Replication:
    """Compute normalised xRR (Wong, Paritosh & Aroyo 2021) and test whether it is below 1.

    Parameters
    ----------
    observed, expected
        Disorders of each pair of annotators, shape (annotators, annotators, parts), symmetric.
    first, second
        Annotators of the two groups. If a group has fewer than three, there is no p.
    errors
        Relative standard errors of the expected disorder between the groups, within the first
        group, and within the second.
    """
    from scipy.special import stdtr

    a, b = (np.asarray(group, np.int64) for group in (first, second))
    o = observed.sum(axis=-1)
    e = expected.sum(axis=-1)
    value = _normalised_ratio(o, e, a, b)
    if not value > 0 or min(len(a), len(b)) < FEWEST_ANNOTATORS:
        return Replication(value)
    pieces = np.moveaxis(observed, -1, 0), np.moveaxis(expected, -1, 0)
    parts = _jackknife(_normalised_ratio(o - x, e - y, a, b) for x, y in zip(*pieces, strict=True))
    people = _jackknife(_normalised_ratio(o, e, np.delete(a, i), b) for i in range(len(a)))
    people += _jackknife(_normalised_ratio(o, e, a, np.delete(b, i)) for i in range(len(b)))
    gammas = _gammas(o, e, a, b)
    chance = float(((np.array([1, 0.5, 0.5]) * errors * (1 - gammas) / gammas) ** 2).sum())
    shares = expected.sum(axis=(0, 1)) / expected.sum()
    if len(shares) >= FEWEST_PARTS:
        df = 1 / float((shares**2).sum()) - 1
    else:
        df = math.nan
    with np.errstate(invalid="ignore", divide="ignore"):
        by_parts, by_people = (
            float(stdtr(n, math.log(value) / np.sqrt(spread + chance)))
            for n, spread in ((df, parts), (len(a) + len(b) - 2, people))
        )
    return Replication(value, by_parts, by_people)


def _gammas(o: Floats, e: Floats, a: Indices, b: Indices) -> Floats:
    """Return γ between two groups, within the first and within the second."""
    sides = ((a, b), (a, a), (b, b))
    return ratios(*(np.array([d[np.ix_(r, c)].sum() for r, c in sides]) for d in (o, e)))


def _normalised_ratio(o: Floats, e: Floats, a: Indices, b: Indices) -> float:
    across, one, other = _gammas(o, e, a, b)
    if min(one, other) > 0:
        return float(across / math.sqrt(one * other))
    return math.nan


def _jackknife(left_out: Iterable[float]) -> float:
    """Return the variance of a value's logarithm from its values without each part."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log([*left_out])
    return (len(logs) - 1) * float(np.var(logs))
