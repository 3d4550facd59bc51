"""Detectable differences, against new samples of known processes."""

from collections.abc import Callable

import numpy as np
import pytest

from gammacp.base.arrays import Floats
from gammacp.inference.detecting import DetectableDifference, detectable, equal_parts
from gammacp.inference.part_tests import difference, independent_parts, paired_difference

Law = Callable[[np.random.Generator, tuple[int, int]], Floats]
LAWS: dict[str, Law] = {
    "gamma": lambda g, shape: g.gamma(5, 0.2, shape),
    "two kinds": lambda g, shape: (
        np.where(g.random(shape) < 0.3, 2.0, 0.57) * g.gamma(9, 1 / 9, shape)
    ),
}


def shares_found(law: Law, factor: float, n: int, runs: int = 1500) -> float:
    """Return how often the test finds new corpora with θ = .4 times the factor different from
    others.
    """
    g = np.random.default_rng(17)
    sides = [
        independent_parts(0.4 * k * law(g, (runs, n)), np.ones((runs, n))) for k in (factor, 1.0)
    ]
    result = difference(*sides)
    return float(((result.p <= 0.05) & (np.sign(result.value) == np.sign(1 - factor))).mean())


@pytest.mark.parametrize("name", LAWS)
def test_the_difference_is_found_by_about_three_in_four_other_corpora(name: str) -> None:
    law, n, g = LAWS[name], 50, np.random.default_rng(4)
    e, powers = np.ones(n), []
    for _ in range(8):
        first, second = (0.4 * law(g, (1, n))[0] for _ in range(2))
        smallest = detectable((first, e), (second, e), paired=False)
        assert smallest is not None and smallest.worse is not None and smallest.better is not None
        powers += [shares_found(law, 1 + smallest.worse / 0.4, n)]
        powers += [shares_found(law, 1 - smallest.better / 0.4, n)]
    assert 0.65 < np.mean(powers) < 0.9


def test_pairs_of_documents_are_drawn_together() -> None:
    """Documents that are hard in both rounds are drawn in pairs, which detects smaller
    differences.
    """
    g = np.random.default_rng(1)
    hard = g.gamma(2, 0.5, 60)
    rounds = [0.3 * hard * g.gamma(60, 1 / 60, 60) for _ in range(2)]
    sides = [(o, np.ones(60)) for o in rounds]
    paired, apart = (detectable(*sides, paired=p) for p in (True, False))
    assert paired is not None and apart is not None
    assert paired.worse is not None and apart.worse is not None
    assert paired.worse < apart.worse / 1.7
    ratio = independent_parts(*sides[0]), independent_parts(*sides[1])
    assert paired_difference(*ratio).error < difference(*ratio).error


def test_few_short_or_unequal_documents_have_no_detectable_difference() -> None:
    g = np.random.default_rng(3)

    def detectable_in(o: Floats, e: Floats) -> DetectableDifference | None:
        return detectable((o, e), (o[::-1], e[::-1]), paired=False)

    o = g.gamma(4, 0.1, 100)
    assert detectable_in(o[:50], np.ones(50)) is not None
    assert detectable_in(o[:49], np.ones(49)) is None
    # There are enough documents, but the longest have most of the text.
    lengths = np.where(np.arange(100) < 45, 8.0, 1.0)
    assert 50 < equal_parts(lengths) < 60
    assert detectable_in(o * lengths, lengths) is None
    assert detectable_in(np.where(np.arange(60) % 3 == 0, 0.0, o[:60]), np.ones(60)) is None
    assert detectable_in(np.full(60, 0.4), np.ones(60)) is None


def test_no_difference_is_detectable_where_one_round_decides_alone() -> None:
    """Spreads of 2 and 1 give shares of .8 and .2 in the variance, 4 and 1 of .94 and .06."""
    g = np.random.default_rng(6)
    noise = g.permutation(np.linspace(-0.1, 0.1, 60))
    e = np.ones(60)
    for times, there in ((2, True), (4, False)):
        smallest = detectable((0.4 + times * noise, e), (0.4 + noise[::-1], e), paired=False)
        assert (smallest is not None) is there


def test_no_detectable_gamma_is_above_1() -> None:
    g = np.random.default_rng(5)
    o = 0.05 * g.gamma(8, 0.125, 55)
    smallest = detectable((4 * o, np.ones(55)), (o, np.ones(55)), paired=False)
    assert smallest is not None
    assert smallest.better is None or smallest.better < o.mean()
    assert DetectableDifference(worse=None, better=None).in_words() == ""
    assert (
        DetectableDifference(worse=0.1, better=None)
        .in_words()
        .startswith("If γ were lower by 0.100, ")
    )
