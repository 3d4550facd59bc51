import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gammacp.chance.expected import (
    MOST_SAMPLES,
    ExpectedDisorder,
    SampleRule,
    coefficient_of_variation,
    required_samples,
)
from gammacp.chance.sampling import Disagreement, Draws, OneByOne, expectations, sample_seed
from gammacp.errors import UsageError

# Mathet et al. 2015, §5.3: mean 3.49 and σ' 0.1379 (divisor n) of 30 samples.
PAPER = np.array([3.49 - 0.1379] * 15 + [3.49 + 0.1379] * 15)


class Numbers(Draws[int]):
    """Random data that are their own numbers, as far as these are below an end."""

    def __init__(self, end: int) -> None:
        super().__init__(sampler=None, seed=0)  # type: ignore[arg-type]
        self.end, self.taken = end, list[int]()

    def take(self, indices: Sequence[int]) -> list[int]:
        found = [k for k in indices if k < self.end]
        self.taken += found
        return found


def expected_of(
    rule: SampleRule,
    count: Callable[[int], Sequence[Disagreement]],
    draws: Numbers | None = None,
    measures: int = 1,
) -> tuple[ExpectedDisorder, ...]:
    """Return the expected disorders of data whose number k has the value `count(k)`."""
    of_each = OneByOne(count)
    return expectations(draws or Numbers(10**9), of_each, rule, 0, measures=measures)[0]


def known(values: Sequence[float]) -> Callable[[int], Sequence[Disagreement]]:
    return lambda k: (Disagreement(float(values[k]), float(values[k])),)


def test_worked_example_of_section_5_3() -> None:
    assert np.std(PAPER, ddof=1) == pytest.approx(0.1403, abs=5e-5)
    # The paper divides the rounded 0.1403 by 3.49 and gets 0.040188.
    assert coefficient_of_variation(PAPER) == pytest.approx(0.040188, abs=2e-5)
    assert required_samples(PAPER, SampleRule(precision=0.02)) == 16
    assert required_samples(PAPER, SampleRule(precision=0.01)) == 63


def test_quantile_of_95_percent() -> None:
    assert SampleRule().quantile == pytest.approx(1.96, abs=5e-5)


def test_samples_are_topped_up_until_the_rule_holds() -> None:
    rng = np.random.default_rng(0)
    values = 1 + 0.3 * rng.standard_normal(10_000)
    rule, drawn, first = SampleRule(precision=0.02), Numbers(10_000), Numbers(10_000)
    (expected,) = expected_of(rule, known(values), drawn)
    (few,) = expected_of(SampleRule(precision=0.5), known(values), first)
    assert few.samples == len(first.taken) == 30
    assert expected.samples >= required_samples(expected.disorders, rule)
    assert expected.samples == pytest.approx((0.3 * 1.96 / 0.02) ** 2, rel=0.2)
    assert drawn.taken == list(range(expected.samples))


def test_a_fixed_number_of_samples() -> None:
    (expected,) = expected_of(
        SampleRule(samples=7), lambda k: (Disagreement(float(k), 0.0, False),)
    )
    assert expected.samples == 7
    assert not expected.proven
    assert expected.interval[0] == 0


def test_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        x = 5 + rng.standard_normal(60)
        lo, hi = ExpectedDisorder(x, x, True, 0.95).interval
        covered += lo <= 5 <= hi
    assert 0.92 <= covered / 400 <= 0.98


def test_the_interval_is_that_of_the_normal_distribution() -> None:
    """The interval is mean ± U·σ/√n, and below it starts from the mean of the bounds."""
    half = 1.959964 * 0.140257 / np.sqrt(30)
    lo, hi = ExpectedDisorder(PAPER, PAPER - 0.5, False, 0.95).interval
    assert (lo, hi) == (pytest.approx(2.99 - half, abs=1e-5), pytest.approx(3.49 + half, abs=1e-5))


def test_random_sets_without_disorder_need_no_more_samples() -> None:
    """With σ = 0 and μ = 0 nothing varies."""
    nothing = np.zeros(30)
    assert coefficient_of_variation(nothing) == 0
    assert SampleRule().missing(ExpectedDisorder(nothing, nothing, True, 0.95), 30) == 0


def test_two_samples_are_the_fewest() -> None:
    two = np.array([1.0, 2.0])
    assert SampleRule(samples=2).missing(ExpectedDisorder(two, two, True, 0.95), 2) == 0


def test_a_sample_does_not_depend_on_the_others() -> None:
    assert sample_seed(3, 17).random() == sample_seed(3, 17).random()
    assert sample_seed(3, 17).random() != sample_seed(3, 18).random()
    assert sample_seed(3, 17).random() != sample_seed(4, 17).random()


@pytest.mark.parametrize(
    "bad",
    [
        {"precision": 0.0},
        {"precision": 2.0},
        {"confidence": 0.0},
        {"confidence": 1.0},
        {"samples": 1},
    ],
)
def test_bad_rules(bad: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        SampleRule(**bad)  # type: ignore[arg-type]


def test_an_interruption_keeps_the_finished_samples() -> None:
    count = known([k % 7 for k in range(33)])
    (expected,) = expected_of(SampleRule(precision=0.001), count, Numbers(33))
    assert (expected.samples, expected.complete, expected.enough) == (33, False, True)
    (few,) = expected_of(SampleRule(), count, Numbers(9))
    assert (few.samples, few.complete, few.enough) == (9, False, False)


def test_an_unreachable_precision_is_capped_and_reported() -> None:
    draws = np.random.default_rng(0).random(2 * MOST_SAMPLES)
    drawn = Numbers(len(draws))
    (found,) = expected_of(SampleRule(precision=1e-6), known(draws), drawn)
    assert len(drawn.taken) == found.samples == MOST_SAMPLES
    assert found.complete
    assert found.capped
    # σ/μ of the uniform distribution on (0, 1) is 1/√3.
    assert found.precision == pytest.approx(1.96 / math.sqrt(3 * MOST_SAMPLES), rel=0.05)
    low, high = found.interval
    assert (high - low) / 2 == pytest.approx(found.precision * found.mean)
    for rule in (SampleRule(samples=MOST_SAMPLES + 7), SampleRule(precision=0.1)):
        assert not expected_of(rule, known(draws))[0].capped


def test_a_ratio_of_sums_and_its_standard_error() -> None:
    """The standard error is close to the delete-one jackknife of Σ w·d / Σ w."""
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 6, 400).astype(float)
    disorders = 1 + 0.2 * rng.standard_normal(400)
    found = ExpectedDisorder(disorders, disorders - 0.5, False, 0.95, weights=weights)
    assert found.mean == pytest.approx((weights @ disorders) / weights.sum())
    assert found.proven_mean == pytest.approx(found.mean - 0.5)
    without = (weights @ disorders - weights * disorders) / (weights.sum() - weights)
    jackknife = np.sqrt(399 / 400 * ((without - without.mean()) ** 2).sum())
    assert found.standard_error == pytest.approx(jackknife, rel=0.02)


def test_several_measures_are_drawn_until_each_is_precise_and_gaps_are_counted() -> None:
    rng = np.random.default_rng(5)
    noisy = 1 + 0.2 * rng.standard_normal(10_000)

    def count(k: int) -> Sequence[Disagreement]:
        return Disagreement(1.0, 1.0), Disagreement(math.nan if k % 10 == 0 else noisy[k], 0.0)

    flat, found = expected_of(SampleRule(precision=0.02), count, measures=2)
    assert (flat.samples, flat.without_value) == (found.samples + found.without_value, 0)
    assert found.without_value == -(-flat.samples // 10)
    assert found.samples >= required_samples(found.disorders, SampleRule(precision=0.02))
    assert found.p_value(found.disorders.min()) == pytest.approx(2 / (1 + found.samples))
    assert found.p_value(0.0) == pytest.approx(1 / (1 + found.samples))
