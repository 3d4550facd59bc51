"""Statements about curves: each test holds where the truth is known, and can fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from gammacp.bench import trends
from gammacp.bench.curves import paired_values
from gammacp.bench.sweep import magnitudes_by
from gammacp.bench.trends import Trend, TrendVerdict
from gammacp.errors import UsageError

X = np.array(magnitudes_by(0.05))
FALLING = 1 - 0.9 * X
Floats = NDArray[np.float64]


def drawn(curve: Floats, *, sets: int = 10, seed: int = 0, noise: float = 0.05) -> Floats:
    """Return sets around a curve, with noise common to a set's magnitudes and some of their own."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((sets, 1)) * noise
    return curve + (common + rng.standard_normal((sets, len(curve))) * noise / 4) * (X > 0)


def verdicts(curve: Floats, times: int = 20, **options: float) -> list[TrendVerdict]:
    return [trends.falls(drawn(curve, seed=k), X, **options).verdict for k in range(times)]


def test_a_falling_curve_is_shown_to_fall_and_its_mutants_are_not() -> None:
    assert verdicts(FALLING).count(TrendVerdict.HOLDS) >= 19
    raised = np.where(X > 0.6, FALLING + 0.2, FALLING)
    swapped = FALLING.copy()
    swapped[[8, 14]] = swapped[[14, 8]]
    for mutant in (
        np.where(X > 0.5, FALLING[10], FALLING),  # the right half is flat
        np.full(21, 0.5),
        FALLING[::-1],
        raised,
        swapped,
    ):
        outcomes = verdicts(mutant)
        assert TrendVerdict.HOLDS not in outcomes
        assert outcomes.count(TrendVerdict.FAILS) >= 19


def test_few_noisy_sets_leave_a_statement_open() -> None:
    trend = trends.falls(drawn(FALLING, sets=3, noise=1.0), X)
    assert trend.verdict is trend.negate().verdict is TrendVerdict.OPEN
    assert trend.detectable > abs(trend.effect)


@pytest.mark.parametrize(
    ("sets", "times"),
    [(10, 40), *(pytest.param(sets, 100, marks=pytest.mark.slow) for sets in (5, 10, 40))],
)
def test_a_flat_curve_is_rarely_called_rising(sets: int, times: int) -> None:
    flat = np.full(21, 0.5)
    falling = [trends.falls(drawn(flat, sets=sets, seed=k), X, flat=0) for k in range(times)]
    assert np.mean([t.verdict is TrendVerdict.FAILS for t in falling]) <= 0.1


def test_one_rising_step_is_found_beside_steep_falls() -> None:
    curve = np.where(X > 0.5, FALLING + 0.1, FALLING)
    assert trends.falls(drawn(curve), X, flat=0).contradicted < 0.01
    assert trends.falls(drawn(FALLING), X).contradicted > 0.2


def test_a_single_window_is_the_paired_t_test() -> None:
    values = np.array([[0.9, 0.5], [0.8, 0.45], [0.95, 0.9], [0.7, 0.6]])
    trend = trends.falls(values, np.array([0.0, 1.0]), window=1, flat=0)
    wanted = ttest_1samp(values[:, 0] - values[:, 1], 0, alternative="greater")
    assert trend.shown == pytest.approx(wanted.pvalue)
    assert trend.effect == pytest.approx((0.4 + 0.35 + 0.05 + 0.1) / 4)
    assert trend.where == "from 0 to 1"


def test_near_is_two_one_sided_tests() -> None:
    values = np.array([[0.11], [0.08], [0.14], [0.1], [0.09]])
    trend = trends.near(values, 0.1, margin=0.05)
    sides = [
        ttest_1samp(values[:, 0], 0.05, alternative="greater").pvalue,
        ttest_1samp(values[:, 0], 0.15, alternative="less").pvalue,
    ]
    assert trend.shown == pytest.approx(max(sides))
    assert trend.verdict is TrendVerdict.HOLDS
    assert trends.near(values, 0.4, margin=0.05).verdict is TrendVerdict.FAILS
    assert trends.near(values, 0.15, margin=0.05).verdict is TrendVerdict.OPEN


def test_curves_are_compared_set_by_set() -> None:
    """Two curves that differ far less than sets do are still distinguished, set by set."""
    one = drawn(FALLING, noise=0.3, sets=10)
    other = one + 0.01 * (X > 0)
    assert trends.near(other, one, margin=0.02).verdict is TrendVerdict.HOLDS
    assert trends.below(one[:, 1:], other[:, 1:]).verdict is TrendVerdict.HOLDS
    assert trends.below(other[:, 1:], one[:, 1:]).verdict is TrendVerdict.FAILS


def test_near_finds_a_flat_curve_but_not_a_falling_one() -> None:
    level = drawn(np.full(21, 0.7), noise=0.01)
    assert trends.near(level, level[:, :1], margin=0.05).verdict is TrendVerdict.HOLDS
    assert trends.near(np.ones((2, 21)), 1, margin=1e-6).verdict is TrendVerdict.HOLDS
    falling = drawn(FALLING)
    assert trends.near(falling, falling[:, :1], margin=0.05).verdict is TrendVerdict.FAILS


def test_linear() -> None:
    assert trends.linear(drawn(FALLING), X).verdict is TrendVerdict.HOLDS
    assert trends.linear(drawn(1 - 0.7 * X**0.4), X).verdict is TrendVerdict.FAILS
    assert trends.linear(drawn(np.full(21, 0.5)), X).verdict is not TrendVerdict.HOLDS
    assert trends.linear(np.ones((5, 21)), X).verdict is not TrendVerdict.HOLDS


def test_below_from() -> None:
    curve = 0.6 - X
    trend = trends.below_from(drawn(curve, noise=0.01), X, 0, 0.65)
    assert trend.verdict is TrendVerdict.HOLDS
    assert trends.below_from(drawn(curve, noise=0.01), X, 0, 0.3).verdict is TrendVerdict.FAILS
    assert trends.below_from(drawn(curve, noise=0.01), X, 0, 0.9).verdict is TrendVerdict.FAILS
    assert (
        trends.below_from(drawn(curve - 0.7, noise=0.01), X, 0, 0.6).verdict is TrendVerdict.FAILS
    )


def test_the_only_one_that() -> None:
    falling = trends.falls(drawn(FALLING), X)
    half = trends.falls(drawn(np.where(X > 0.5, FALLING[10], FALLING)), X)
    wide = trends.falls(drawn(FALLING, sets=3, noise=1.0), X)
    assert trends.only("γ", {"γ": falling, "SER": half}).verdict is TrendVerdict.HOLDS
    assert trends.only("γ", {"γ": falling, "SER": falling}).verdict is TrendVerdict.FAILS
    assert trends.only("γ", {"γ": half, "SER": half}).verdict is TrendVerdict.FAILS
    assert trends.only("γ", {"γ": falling, "SER": wide}).verdict is TrendVerdict.OPEN


def test_the_detectable_difference_is_found_as_often_as_promised() -> None:
    flat = np.full(21, 0.5)
    trend, detected = trends.below(drawn(flat, sets=10)[:, 5:6], 0.5), 0
    effect = trend.detectable
    for k in range(200):
        values = drawn(flat - effect, sets=10, seed=k)[:, 5:6]
        detected += trends.below(values, 0.5).verdict is TrendVerdict.HOLDS
    assert detected / 200 > 0.7  # the deviation of ten sets is itself uncertain


@pytest.mark.parametrize(("sd", "effect", "wanted"), [(0.1, 0.05, 36), (0.1, 0.1, 11)])
def test_sets_needed_are_those_of_textbooks(sd: float, effect: float, wanted: int) -> None:
    """The number of sets is that of G*Power for the paired t-test.

    One-sided, level .05, power .9: d = .5 and d = 1.
    """
    assert trends.sets_needed(sd, effect) == wanted


def test_undefined_values_leave_a_statement_open() -> None:
    values = drawn(FALLING)
    values[:, 15:] = math.nan
    trend = trends.falls(values, X)
    assert trend.verdict is TrendVerdict.OPEN
    assert math.isnan(trends.near(np.full((4, 1), math.nan), 0, margin=0.1).effect)
    values = drawn(FALLING)
    values[0, 3] = math.nan
    assert trends.falls(values, X).verdict is TrendVerdict.HOLDS


def test_untestable_values_are_refused() -> None:
    with pytest.raises(UsageError, match="shape"):
        trends.falls(np.ones(5), X)
    with pytest.raises(UsageError, match="window 2"):
        trends.falls(np.ones((5, 21)), X, window=2)
    with pytest.raises(UsageError, match="margin 0"):
        trends.near(np.ones((5, 21)), 1, margin=0)
    with pytest.raises(UsageError, match="effect 0"):
        trends.sets_needed(1, 0)


def test_a_line_says_verdict_effect_and_power() -> None:
    text = str(Trend(0.001, 1.0, 0.12, 0.02, "from 0.5 to 0.75"))
    assert text == ("holds, p 0.001; +0.120 from 0.5 to 0.75; 0.020 is found with probability 0.9")


def test_the_values_of_a_store_become_an_array() -> None:
    values = {("e", "ser", 0.5): {0: 0.3, 2: 0.2}, ("e", "ser", 0.0): {0: 1.0, 1: 0.9, 2: 0.8}}
    magnitudes, array = paired_values(values, "e", "ser")
    assert magnitudes.tolist() == [0.0, 0.5]
    np.testing.assert_equal(array, [[1.0, 0.3], [0.9, math.nan], [0.8, 0.2]])
    with pytest.raises(UsageError, match="no values of 'gamma'"):
        paired_values(values, "e", "gamma")


def test_a_steeper_curve_distinguishes_more_and_a_flatter_one_less() -> None:
    steep = drawn(1 - 0.5 * X, sets=12, noise=0.2, seed=1)
    flat = drawn(1 - 0.1 * X, sets=12, noise=0.2, seed=2)
    assert trends.tells_more(steep, flat, X).verdict is TrendVerdict.HOLDS
    turned = trends.tells_more(flat, steep, X)
    assert turned.verdict is TrendVerdict.FAILS
    assert turned.effect == pytest.approx(-trends.tells_more(steep, flat, X).effect)
    assert trends.tells_more(steep, steep.copy(), X).verdict is TrendVerdict.OPEN
    nothing = np.full_like(steep, math.nan)
    assert trends.tells_more(steep, nothing, X).verdict is TrendVerdict.OPEN
    with pytest.raises(UsageError, match="one sweep"):
        trends.tells_more(steep, steep[1:], X)
