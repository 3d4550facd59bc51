"""Power of Welch's test between corpora, against tables, simulation and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import nct, t, ttest_ind

from gammacp.bench.power import Moments, pair_power, pseudo_values


def moments(means: list[float], sds: list[float], defined: list[float] | None = None) -> Moments:
    shares = np.ones(len(means)) if defined is None else np.array(defined)
    return Moments(np.array(means), np.array(sds) ** 2, shares)


@pytest.mark.parametrize(
    ("documents", "effect", "power"),
    # Two groups, two-sided .05: Cohen 1988, table 2.3.5, and G*Power 3.1.
    [(10, 1.0, 0.562), (20, 0.5, 0.338), (26, 0.8, 0.807), (64, 0.5, 0.801), (5, 2.0, 0.791)],
)
def test_power_is_that_of_published_tables(documents: int, effect: float, power: float) -> None:
    by_pair = pair_power(moments([1.0, 1.0 - 0.1 * effect], [0.1, 0.1]), documents, 0.05)
    assert by_pair.right[0] + by_pair.wrong[0] == pytest.approx(power, abs=0.003)
    turned = pair_power(moments([0.5, 0.5 + 0.1 * effect], [0.1, 0.1]), documents, 0.05)
    assert turned.wrong[0] == pytest.approx(by_pair.right[0])
    assert turned.right[0] < 0.01


def test_power_with_unequal_spreads_is_that_of_simulated_tests() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(0.9, 0.02, (20_000, 6))
    second = rng.normal(0.8, 0.12, (20_000, 6))
    test = ttest_ind(first, second, axis=1, equal_var=False)
    rate = ((test.pvalue < 0.05) & (test.statistic > 0)).mean()
    by_pair = pair_power(moments([0.9, 0.8], [0.02, 0.12]), 6, 0.05)
    assert by_pair.right[0] == pytest.approx(rate, abs=0.02)


def test_power_of_curves_without_spread_is_1_or_half_the_level() -> None:
    by_pair = pair_power(moments([1.0, 1.0, 0.5], [0.0, 0.0, 0.0]), 10, 0.05)
    assert by_pair.right.tolist() == [0.025, 1.0, 1.0]
    assert by_pair.wrong.tolist() == [0.025, 0.0, 0.0]
    noisy = pair_power(moments([0.5, 0.5], [0.1, 0.1]), 10, 0.05)
    assert noisy.right[0] == pytest.approx(0.025, abs=1e-9)


def test_power_is_1_where_the_tail_underflows() -> None:
    for drop in np.geomspace(0.01, 1e4, 200):
        by_pair = pair_power(moments([drop, 0.0], [0.05, 0.05]), 10, 0.05)
        assert 0 <= by_pair.wrong[0] <= by_pair.right[0] <= 1
        assert drop < 1 or by_pair.right[0] == 1


def test_undefined_values_cost_documents_and_are_not_zero() -> None:
    half = pair_power(moments([1.0, 0.9], [0.1, 0.1], [1.0, 0.5]), 20, 0.05)
    a, b = 0.01 / 20, 0.01 / 10
    freedom = (a + b) ** 2 / (a**2 / 19 + b**2 / 9)
    critical = t.isf(0.025, freedom)
    assert half.right[0] == pytest.approx(nct.sf(critical, freedom, 0.1 / math.sqrt(a + b)))
    values = np.array([[1.0, 0.5, np.nan], [1.0, 0.4, np.nan], [1.0, np.nan, np.nan]])
    by_pair = pair_power(Moments.of(values), 10, 0.05)
    assert by_pair.testable.tolist() == [True, False, False]
    assert by_pair.right[1:].tolist() == [0, 0]
    nothing = pair_power(Moments.of(np.full((5, 3), np.nan)), 10, 0.05)
    assert math.isnan(nothing.mean)


def power_by_hand(values: np.ndarray, documents: int) -> float:
    """Compute the mean power in the right direction over pairs of columns, pair by pair."""
    powers = []
    for i in range(values.shape[1]):
        for j in range(i + 1, values.shape[1]):
            sides = [values[:, k][~np.isnan(values[:, k])] for k in (i, j)]
            n = [documents * len(side) / len(values) for side in sides]
            a, b = (side.var(ddof=1) / size for side, size in zip(sides, n, strict=True))
            freedom = (a + b) ** 2 / (a**2 / (n[0] - 1) + b**2 / (n[1] - 1))
            effect = (sides[0].mean() - sides[1].mean()) / math.sqrt(a + b)
            powers.append(nct.sf(t.isf(0.025, freedom), freedom, effect))
    return float(np.mean(powers))


def test_pseudo_values_are_those_of_a_brute_force_jackknife() -> None:
    rng = np.random.default_rng(2)
    values = 1 - np.array([0, 0.2, 0.3]) + 0.2 * rng.standard_normal((7, 3))
    values[2, 1] = np.nan
    whole = power_by_hand(values, 10)
    without = [power_by_hand(np.delete(values, k, axis=0), 10) for k in range(7)]
    expected = [7 * whole - 6 * other for other in without]
    assert pseudo_values(values, 10, 0.05) == pytest.approx(expected, abs=1e-9)
