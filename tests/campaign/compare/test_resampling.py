"""Bootstrap and permutation on contributions with known answers."""

import math
from itertools import combinations

import numpy as np
import pytest

from gammacp.campaign.compare.permutation import permutation_test
from gammacp.errors import DataError, UsageError
from gammacp.measures.contributions import (
    Contributions,
    contributions_of_alignment,
    contributions_of_documents,
)
from gammacp.measures.resampling import bootstrap


def documents(observed: list[float], expected: list[float]) -> Contributions:
    return Contributions(np.array(observed), np.array(expected), "documents")


def test_gamma_is_a_ratio_of_sums() -> None:
    # x̄ 10 and 20, δ .5 and .2, δ_e 1 and 1.5: 1 − (5 + 4)/(10 + 30).
    assert contributions_of_documents([(10, 0.5, 1), (20, 0.2, 1.5)]).gamma == pytest.approx(
        1 - 9 / 40
    )


def test_undefined_documents_are_left_out() -> None:
    parts = contributions_of_documents([(10, 0.5, 1), (5, 0.1, 0), (math.nan, 1, 1)])
    assert len(parts) == 1
    with pytest.raises(DataError, match="no document"):
        contributions_of_documents([(5, 0.1, 0)])


def test_parts_of_an_alignment_are_in_order_of_position() -> None:
    groups = np.array([[1, 3], [0, -1], [-1, 2]], np.int32)
    starts = np.array([50.0, 10.0, 30.0, 12.0])
    parts = contributions_of_alignment(groups, np.array([0.1, 1.0, 2.0]), starts, 3.0)
    assert parts.observed.tolist() == [0.1, 2.0, 1.0]
    assert parts.expected.tolist() == [3.0, 1.5, 1.5]
    # x̄ = 2, δ = 3.1/2: γ = 1 − 1.55/3.
    assert parts.gamma == pytest.approx(1 - 1.55 / 3)


def test_bootstrap_of_equal_parts_has_no_width() -> None:
    found = bootstrap(documents([1.0] * 8, [4.0] * 8), draws=50)
    assert found.interval == pytest.approx((0.75, 0.75))


def test_bootstrap_width_is_that_of_the_mean() -> None:
    # Equal expected disorders make γ a mean; its standard error is known.
    rng = np.random.default_rng(1)
    observed = rng.normal(0.4, 0.1, 400)
    found = bootstrap(documents(observed.tolist(), [1.0] * 400), draws=4000)
    standard_error = observed.std(ddof=1) / 20
    assert found.high - found.low == pytest.approx(2 * 1.96 * standard_error, rel=0.1)
    assert (found.high + found.low) / 2 == pytest.approx(1 - observed.mean(), abs=0.002)


def test_blocks_keep_dependence_that_single_draws_lose() -> None:
    observed = np.repeat(np.random.default_rng(2).normal(0.5, 0.2, 40), 5)
    parts = Contributions(observed, np.ones(200), "unitary alignments")
    single, blocks = bootstrap(parts, block=1), bootstrap(parts, block=10)
    assert blocks.high - blocks.low > 1.5 * (single.high - single.low)
    assert bootstrap(parts).block == 6


def test_bootstrap_says_when_there_is_too_little() -> None:
    found = bootstrap(documents([1, 1, 1, 1], [4, 4, 4, 4]))
    assert found.interval is None
    assert "4 documents are too few" in found.in_words()
    assert "rather too narrow" in bootstrap(documents([1] * 5, [2] * 5)).in_words()


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"confidence": 1.0}, {"block": 9}])
def test_bootstrap_refuses(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        bootstrap(documents([1] * 8, [2] * 8), **wrong)


def test_the_same_seed_gives_the_same_interval() -> None:
    parts = documents([0.1, 0.4, 0.2, 0.9, 0.3, 0.5], [1.0] * 6)
    assert bootstrap(parts, seed=3) == bootstrap(parts, seed=3)
    assert bootstrap(parts, seed=3) != bootstrap(parts, seed=4)


def test_few_documents_are_dealt_in_all_ways() -> None:
    first, second = [0.1, 0.2, 0.3], [0.6, 0.7, 0.8]
    found = permutation_test(documents(first, [1] * 3), documents(second, [1] * 3))
    # Brute force: of the 20 deals only the observed one and its mirror are as extreme.
    both = first + second
    observed = abs(np.mean(second) - np.mean(first))
    extreme = sum(
        abs(np.mean([both[i] for i in c]) - np.mean([both[i] for i in range(6) if i not in c]))
        >= observed - 1e-12
        for c in combinations(range(6), 3)
    )
    assert found.exact
    assert found.deals == 20
    assert found.p_value == extreme / 20 == 0.1
    assert found.difference == pytest.approx(0.5)


def test_pairs_are_swapped() -> None:
    # All five differences have the same sign: 2 of 2⁵ deals are as extreme.
    first = documents([0.1, 0.2, 0.3, 0.4, 0.5], [1] * 5)
    second = documents([0.2, 0.3, 0.4, 0.5, 0.6], [1] * 5)
    paired = permutation_test(first, second, paired=True)
    assert paired.p_value == 2 / 32
    assert "(5 pairs of documents swapped within pairs, all 32 deals)" in paired.in_words()
    assert permutation_test(first, second).p_value > 0.3


def test_equal_sides_give_p_of_one_and_many_deals_are_random() -> None:
    same = documents(np.linspace(0, 1, 30).tolist(), [1.0] * 30)
    found = permutation_test(same, same, deals=199)
    assert found.p_value == 1
    assert not found.exact
    assert found.deals == 199


def test_p_values_are_uniform_when_nothing_differs() -> None:
    rng = np.random.default_rng(5)
    values = []
    for _ in range(200):
        x = rng.normal(0.5, 0.1, (2, 8)).tolist()
        values.append(
            permutation_test(documents(x[0], [1] * 8), documents(x[1], [1] * 8), deals=199).p_value
        )
    assert 0.01 <= np.mean(np.array(values) <= 0.05) <= 0.1
    assert 0.42 <= np.mean(values) <= 0.58


def test_permutation_refuses() -> None:
    few = documents([1], [2])
    with pytest.raises(DataError, match="too few"):
        permutation_test(few, few)
