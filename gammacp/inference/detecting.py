"""Differences of γ that a test of two corpora would find in about three of four comparisons.

The test itself is repeated on resampled documents (or clusters of them): the disorder of the first
corpus is multiplied until γ differs by D, which gives the share of p ≤ .05 by D. Another sample of
the same kind would have another spread, and would be told another difference: D is moved until the
mean share over such samples, each with its own spread, is `FOUND`. Otherwise few skewed documents
promise too much. How often a difference that is told is found by other corpora of the same kind is
in docs/tests.md (`benchmarks/detectable.py`).

Better and worse are apart: the tests count skew, and no γ is above 1. What spreads grows with the
disorder where that is larger, and with its root where it is smaller, the more careful choice of
either side. Nothing is told below `LEAST` documents of one size, where few long documents have most
of the disorder that is expected, and where many have none (they are very short then).
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

LEAST = 40
"""Documents of one size to which a corpus must be equal, (Σ e)² / Σ e²; 20 to 30 skewed documents
look too much alike: the power is then .57 to .70 (benchmarks/detectable.py)."""
LEAST_PAIRED = 60
"""The same of the documents of two rounds: a document in which they differ a lot is rarer."""
LEAST_SHARE = 0.6
"""The same as a share of its documents."""
MOST_WITHOUT = 0.25
"""Share of documents without any disorder above which nothing is told."""
LEVEL = 0.05
FOUND = 0.8
DRAWS = 400
FEWEST_DRAWS = 100
CELLS = 2_000_000
_SEED = 0xDE7EC7
_ERRORS = np.array([0.5, 1.0, 1.5, 2.0, 2.4, 2.8, 3.2, 3.7, 4.3, 5.0, 6.0, 7.5, 10.0])
"""Standard errors at which the share is computed."""

Side = tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """Differences that about three of four such comparisons would find at 5 %.

    Attributes
    ----------
    worse, better
        Distance by which γ of the first corpus would have to be below, and above, that of the
        second; None where no γ is so far above.
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
) -> Detectable | None:
    """Return the differences that the test finds; None where there is too little to tell.

    Parameters
    ----------
    first, second
        Observed and expected disorders of the documents or clusters of either corpus; shape
        (parts,).
    paired
        Whether the two have the same parts.
    errors
        Relative standard errors of the two expected disorders.
    """
    least = LEAST
    if paired:
        least = LEAST_PAIRED
    if any(too_unequal(*side, least=least) for side in (first, second)):
        return None
    theta = [float(o.sum() / e.sum()) for o, e in (first, second)]
    size = math.hypot(*errors)

    def test(side: Parts, other: Parts, gain: float) -> GammaDifference:
        moved = scaled(scaled(side, theta[1] / theta[0], evenly=True), 1 - gain / theta[1])
        if paired:
            return paired_difference(moved, other, size)
        return difference(moved, other, errors)

    error = float(test(independent_parts(*first), independent_parts(*second), 0.0).error)
    if not error > 0:
        return None
    one, two = _resampled(first, second, paired)
    spreads = test(one, two, 0.0).error / error

    def least_gain(sign: int, most: float) -> float | None:
        gains = error * _ERRORS
        if most < gains[-1]:
            gains = np.append(gains[gains < most], most)
        tests = [test(one, two, sign * float(d)) for d in gains]
        shares = [((t.p <= LEVEL) & (np.sign(t.value) == sign)).mean() for t in tests]
        return _least(gains, np.maximum.accumulate(shares), spreads)

    return Detectable(worse=least_gain(-1, math.inf), better=least_gain(1, 0.98 * theta[1]))


def scaled(parts: Parts, factor: float, *, evenly: bool = False) -> Parts:
    """Return parts whose disorder is so many times as large.

    Parameters
    ----------
    parts
        Parts of one side.
    factor
        Factor of the disorder.
    evenly
        Whether the spread has the same factor, also where that is less than 1; otherwise its root.
    """
    if evenly or factor > 1:
        times = factor
    else:
        times = math.sqrt(factor)
    return Parts(factor * parts.ratio, times * parts.influences, parts.df, times**3 * parts.third)


def too_unequal(observed: Floats, expected: Floats, *, least: int = LEAST) -> bool:
    """Return whether documents are too few, too unequal or too short to tell a power.

    Parameters
    ----------
    observed, expected
        Disorders of the documents, shape (parts,).
    least
        Documents of one size that are enough.
    """
    equal = equal_parts(expected)
    number = len(expected)
    without = float((observed <= 0).mean())
    return equal < max(least, LEAST_SHARE * number) or without > MOST_WITHOUT


def equal_parts(expected: Floats) -> float:
    """Return how many parts of one size tell as much.

    Parameters
    ----------
    expected
        Expected disorder of each, shape (parts,).

    >>> equal_parts(np.ones(4)), round(equal_parts(np.array([10.0, 1, 1])), 2)
    (4.0, 1.41)
    """
    return float(expected.sum() ** 2 / (expected**2).sum())


def _resampled(first: Side, second: Side, paired: bool) -> tuple[Parts, Parts]:
    """Return the parts of corpora whose documents are drawn with replacement."""
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


def _least(gains: Floats, shares: Floats, spreads: Floats) -> float | None:
    """Return the difference that is found in `FOUND` on average; None if none is.

    Parameters
    ----------
    gains, shares
        Differences, increasing, and how often each is found.
    spreads
        Standard errors of other samples as multiples of this one's: each would be told a difference
        so many times as large.
    """

    def mean_share(gain: float) -> float:
        return float(np.interp(gain * spreads, gains, shares, left=0.0).mean())

    low = 0.0
    high = float(gains[-1])
    if mean_share(high) < FOUND:
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_share(middle) < FOUND else (low, middle)
    return high
