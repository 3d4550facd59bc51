"""Estimate which difference of γ a test of two corpora would find in about three of four cases.

This is the detectable difference of a power analysis. The test itself is repeated on resampled
documents (or clusters of them). The disorder of the first corpus is scaled so that γ differs by D,
and the share of tests with p ≤ .05 gives the power as a function of D. Another sample of the same
kind would have another spread and therefore another estimate of the detectable difference. D is
adjusted until the mean power over such samples, each with its own spread, reaches a target; without
this adjustment, few skewed documents would promise too much power. Resampled corpora differ less in
their spread than new ones do, because a skewed sample lacks the rarest documents. Therefore the
spreads of two resampled corpora are multiplied. The measured power of other corpora of the same
kind at the estimated difference is in docs/tests.md (`benchmarks/detectable.py`).

Decreases and increases of γ are treated separately, because the tests depend on skew and because γ
is at most 1. If each document has its own level, the spread grows in proportion to the disorder; if
errors are independent of each other, with its square root; if noise is added to all documents, not
at all. The sample does not tell which of these is so, so the exponent `SCALING` lies between them.
The targets were set where the processes that are scaled in other ways lie about .775. No estimate
is given for fewer than `LEAST` documents of equal size, if few long documents have most of the
expected disorder, if many documents have no disorder (these are then very short), or if one of two
rounds has nearly all of the variance (then its documents alone decide, and they are too few).
"""

import math
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.inference.part_tests import (
    GammaDifference,
    Parts,
    difference,
    independent_parts,
    paired_difference,
)

LEAST = 50
"""Smallest effective number of documents of equal size, (Σ e)² / Σ e². A sample of 20 to 40 skewed
documents looks too homogeneous: the true power is then .57 to .70 (benchmarks/detectable.py)."""
LEAST_PAIRED = 60
"""The same for the documents of two rounds, where a document with a large difference is rarer."""
LEAST_SHARE = 0.6
"""Smallest effective number of documents as a share of the actual number of documents."""
MOST_WITHOUT = 0.25
"""Share of documents without any disorder above which no estimate is given."""
MOST_OF_ONE = 0.9
"""Share of one corpus in the variance of the difference above which no estimate is given."""
LEVEL = 0.05
FOUND = 0.82
"""Power that a planned number of documents must reach in resampled pilots."""
TARGETS = {
    (False, -1): 0.785,
    (False, 1): 0.765,
    (True, -1): 0.83,
    (True, 1): 0.8,
}
"""Mean power over resampled corpora that a difference must reach: (paired, sign of the difference).
Pairs need a higher one, as a document that only one round spoils is rarer in a sample."""
SCALING = 0.8
"""Exponent of the factor of the disorder that multiplies its spread."""
DRAWS = 400
FEWEST_DRAWS = 100
CELLS = 2_000_000
_SEED = 0xDE7EC7
_SHIFTS = (1, 7, 31)
"""Places by which resampled corpora are shifted against each other to multiply their spreads."""
_ERRORS = np.array([0.5, 1.0, 1.5, 2.0, 2.4, 2.8, 3.2, 3.7, 4.3, 5.0, 6.0, 7.5, 10.0])
"""Differences at which the power is computed, as multiples of the standard error."""

Side = tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class DetectableDifference:
    """Differences that about three of four such comparisons would find at the 5 % level.

    Attributes
    ----------
    worse, better
        Distance by which γ of the first corpus would have to be below, or above, that of the
        second; None if no possible γ is that far away.
    """

    worse: float | None
    better: float | None

    def in_words(self) -> str:
        """Return the sentence on both; "" where neither is known."""
        named = [(self.worse, "lower"), (self.better, "higher")]
        phrases = [f"{word} by {by:.3f}" for by, word in named if by is not None]
        if not phrases:
            return ""
        return (
            f"If γ were {' or '.join(phrases)}, about three of four such comparisons would find it."
        )


def detectable(
    first: Side, second: Side, *, paired: bool, errors: tuple[float, float] = (0.0, 0.0)
) -> DetectableDifference | None:
    """Return the differences that the test would find; None if there are too few data.

    Parameters
    ----------
    first, second
        Observed and expected disorders of the documents or clusters of each corpus, shape
        (parts,) each.
    paired
        Whether the two corpora have the same parts.
    errors
        Relative standard errors of the two expected disorders.
    """
    fewest = LEAST
    if paired:
        fewest = LEAST_PAIRED
    if any(too_unequal(*side, least=fewest) for side in (first, second)):
        return None
    theta = [float(o.sum() / e.sum()) for o, e in (first, second)]
    size = math.hypot(*errors)

    def test(side: Parts, other: Parts, gain: float) -> GammaDifference:
        moved = scaled(scaled(side, theta[1] / theta[0], evenly=True), 1 - gain / theta[1])
        if paired:
            return paired_difference(moved, other, size)
        return difference(moved, other, errors)

    sides = [independent_parts(*first), independent_parts(*second)]
    error = float(test(sides[0], sides[1], 0.0).error)
    if not error > 0:
        return None
    relative = [float(side.variance / side.ratio**2) for side in sides]
    if not paired and max(relative) > MOST_OF_ONE * sum(relative):
        return None
    one, two = _resampled(first, second, paired)
    once = test(one, two, 0.0).error / error
    spreads = np.concatenate([once * np.roll(once, by) for by in _SHIFTS])

    def least_gain(sign: int, most: float) -> float | None:
        gains = error * _ERRORS
        if most < gains[-1]:
            gains = np.append(gains[gains < most], most)
        tests = [test(one, two, sign * float(d)) for d in gains]
        shares = [((t.p <= LEVEL) & (np.sign(t.value) == sign)).mean() for t in tests]
        return _least(gains, np.maximum.accumulate(shares), spreads, TARGETS[paired, sign])

    return DetectableDifference(
        worse=least_gain(-1, math.inf), better=least_gain(1, 0.98 * theta[1])
    )


def scaled(parts: Parts, factor: float, *, evenly: bool = False) -> Parts:
    """Return parts whose disorder is multiplied by a factor.

    Parameters
    ----------
    parts
        Parts of one side.
    factor
        Factor of the disorder.
    evenly
        Whether the spread is multiplied by the same factor. Otherwise it is multiplied by the
        factor to the power of `SCALING`.
    """
    if evenly:
        times = factor
    else:
        times = factor**SCALING
    return Parts(factor * parts.ratio, times * parts.influences, parts.df, times**3 * parts.third)


def too_unequal(observed: Floats, expected: Floats, *, least: int = LEAST) -> bool:
    """Return whether documents are too few, too unequal or too short to estimate a power.

    Parameters
    ----------
    observed, expected
        Disorders of the documents, shape (parts,).
    least
        Smallest sufficient number of documents of equal size.
    """
    equal = equal_parts(expected)
    number = len(expected)
    without = float((observed <= 0).mean())
    return equal < max(least, LEAST_SHARE * number) or without > MOST_WITHOUT


def equal_parts(expected: Floats) -> float:
    """Return the effective number of parts: parts of equal size with the same information.

    Parameters
    ----------
    expected
        Expected disorder of each part, shape (parts,).

    >>> equal_parts(np.ones(4)), round(equal_parts(np.array([10.0, 1, 1])), 2)
    (4.0, 1.41)
    """
    return float(expected.sum() ** 2 / (expected**2).sum())


def _resampled(first: Side, second: Side, paired: bool) -> tuple[Parts, Parts]:
    """Return the parts of resampled corpora, whose documents are drawn with replacement."""
    rng = np.random.default_rng(np.random.SeedSequence(_SEED))
    sizes = len(first[0]), len(second[0])
    draws = int(min(DRAWS, max(FEWEST_DRAWS, CELLS // max(sizes))))
    chosen = rng.integers(sizes[0], size=(draws, sizes[0]))
    if paired:
        other = chosen
    else:
        other = rng.integers(sizes[1], size=(draws, sizes[1]))
    return (
        independent_parts(*(x[chosen] for x in first)),
        independent_parts(*(x[other] for x in second)),
    )


def _least(gains: Floats, shares: Floats, spreads: Floats, target: float) -> float | None:
    """Return the difference whose mean probability to be found is the target; None if none is.

    Parameters
    ----------
    gains, shares
        Increasing differences, and the share of tests that find each of them.
    spreads
        Standard errors of resampled corpora as multiples of the observed standard error. A corpus
        whose standard error is k times as large would estimate k times the difference.
    target
        Mean probability to be found.
    """

    def mean_share(gain: float) -> float:
        return float(np.interp(gain * spreads, gains, shares, left=0.0).mean())

    low = 0.0
    high = float(gains[-1])
    if mean_share(high) < target:
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_share(middle) < target else (low, middle)
    return high
