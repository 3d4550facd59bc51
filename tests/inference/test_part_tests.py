"""Tests of ratios, against brute force, scipy and hand-computed cases, and their levels."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gammacp.inference.part_tests import (
    below_the_rest,
    difference,
    exchanged,
    gain,
    holm,
    independent_parts,
    paired_difference,
    parts_in_order,
)
from gammacp.inference.replication import replication


def sides(seed: int, n: int, m: int) -> list[np.ndarray]:  # type: ignore[type-arg]
    rng = np.random.default_rng(seed)
    return [rng.gamma(2, 0.2, n), np.ones(n), rng.gamma(2, 0.3, m), np.ones(m)]


def test_influences_are_the_jackknife() -> None:
    rng = np.random.default_rng(1)
    o, e = rng.gamma(2, 1, 7), rng.uniform(1, 3, 7)
    parts = independent_parts(o, e)
    whole = o.sum() / e.sum()
    without = [np.delete(o, i).sum() / np.delete(e, i).sum() for i in range(7)]
    assert parts.influences == pytest.approx(whole - np.array(without))


@given(st.integers(0, 10**6), st.integers(5, 12), st.integers(5, 12))
def test_the_test_is_never_more_liberal_than_welchs(seed: int, n: int, m: int) -> None:
    a, e, b, f = sides(seed, n, m)
    found = difference(independent_parts(a, e), independent_parts(b, f))
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert found.p >= welch.pvalue - 1e-12
    v, w = a.var(ddof=1) / (n - 1), b.var(ddof=1) / (m - 1)
    plain, logs = math.sqrt(v + w), math.sqrt(v / a.mean() ** 2 + w / b.mean() ** 2)
    by_ratio = logs * (a.mean() - b.mean()) / math.log(a.mean() / b.mean())
    assert found.error == pytest.approx(max(plain, by_ratio))
    # The interval and p always agree.
    low, high = found.interval()
    assert (found.p <= 0.05) == (not low < 0 < high)
    # Johnson (1978), with the third moments of both sides: Hall's t is Johnson's plus the cube.
    third = [((x - x.mean()) ** 3).sum() / (k - 1) ** 3 for x, k in ((a, n), (b, m))]
    few = [math.sqrt(k * (k - 1)) / (k - 2) for k in (n, m)]
    skew = (few[1] * third[1] - few[0] * third[0]) / plain**3
    t = (b.mean() - a.mean()) / plain
    hall = t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / 6
    by_hand = 2 * stats.t.sf([abs(hall), abs(float(found.value / found.error))], float(found.df))
    assert found.p == pytest.approx(max(by_hand))


@given(st.integers(0, 10**6), st.integers(5, 15))
def test_the_test_is_never_more_liberal_than_the_paired_t_test(seed: int, n: int) -> None:
    a, e, b, _ = sides(seed, n, n)
    found = paired_difference(independent_parts(a, e), independent_parts(b, e))
    assert found.p >= stats.ttest_rel(a, b).pvalue - 1e-12
    assert found.df == pytest.approx(n - 1)


def test_scaling_both_sides_changes_nothing() -> None:
    a, e, b, f = sides(3, 6, 9)
    one = difference(independent_parts(a, e), independent_parts(b, f))
    two = difference(independent_parts(7 * a, 7 * e), independent_parts(7 * b, 7 * f))
    assert one.p == pytest.approx(float(two.p))


def test_a_side_without_disorder_has_the_plain_error() -> None:
    a, e, _, f = sides(4, 6, 9)
    found = difference(independent_parts(a, e), independent_parts(0 * f, f))
    assert found.error == pytest.approx(a.std(ddof=1) / math.sqrt(5))
    assert found.df == pytest.approx(5)


def test_the_error_of_random_sets_is_added() -> None:
    a, e, b, f = sides(5, 2000, 2000)
    parts = independent_parts(a, e), independent_parts(b, f)
    plain, with_error = difference(*parts), difference(*parts, (0.03, 0.04))
    added = (0.03 * a.mean()) ** 2 + (0.04 * b.mean()) ** 2
    assert with_error.error**2 >= plain.error**2 + added - 1e-12


def test_levels_hold_where_those_of_permutations_failed() -> None:
    """The level of .05 holds for two hard cases.

    They are 20 documents of deviation .03 against 6 of .25 (.33 by permutation), and 30 long
    against 30 short documents.
    """
    rng, runs = np.random.default_rng(7), 4000
    even, wild = rng.normal(0.4, 0.03, (runs, 20)), rng.normal(0.4, 0.25, (runs, 6))
    found = difference(*(independent_parts(x, np.ones_like(x)) for x in (even, wild)))
    assert (found.p <= 0.05).mean() <= 0.06
    lengths = np.array([10.0, 1.0])
    long, short = (
        length * (0.4 + 0.3 / math.sqrt(length) * rng.standard_normal((runs, 30)))
        for length in lengths
    )
    parts = [
        independent_parts(x, np.full_like(x, length))
        for x, length in zip((long, short), lengths, strict=True)
    ]
    assert (difference(*parts).p <= 0.05).mean() <= 0.06


def test_the_level_holds_for_texts_with_similar_neighbours() -> None:
    rng, runs, n = np.random.default_rng(8), 2000, 60
    texts = []
    for _ in range(2):
        x = rng.standard_normal((runs, n + 50))
        for t in range(1, n + 50):
            x[:, t] = 0.5 * x[:, t - 1] + math.sqrt(0.75) * x[:, t]
        texts.append(0.4 + 0.1 * x[:, 50:])
    parts = [parts_in_order(x, np.ones_like(x)) for x in texts]
    assert (difference(*parts).p <= 0.05).mean() <= 0.06
    alone = [independent_parts(x, np.ones_like(x)) for x in texts]
    assert (difference(*alone).p <= 0.05).mean() > 0.15  # under the assumption of independence


def test_a_gain_is_tested_one_sided_and_by_hand() -> None:
    # With equal parts, g = (o − θ)/(n − 1), so t is that of a paired t-test times √((n − 1)/n).
    full, rest = np.array([0.5, 0.6, 0.4, 0.7, 0.5]), np.array([0.3, 0.5, 0.2, 0.4, 0.4])
    e = np.ones(5)
    found = gain(independent_parts(full, e), independent_parts(rest, e))
    by_scipy = stats.ttest_rel(full, rest, alternative="greater")
    t = by_scipy.statistic * math.sqrt(4 / 5)
    assert float(found.p_of_more) == pytest.approx(stats.t.sf(t, 4))
    with_error = gain(independent_parts(full, e), independent_parts(rest, e), (0.1, 0.0))
    assert with_error.p_of_more > found.p_of_more


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_rejects_by_its_definition(p: list[float]) -> None:
    corrected, level = holm(np.array(p)), 0.05
    order = sorted(range(len(p)), key=lambda i: p[i])
    rejected = set()
    for k, i in enumerate(order):
        if p[i] * (len(p) - k) > level:
            break
        rejected.add(i)
    assert {i for i in range(len(p)) if corrected[i] <= level} == rejected


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4))
def test_exchanging_counts_all_recombinations(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    own, sets = rng.integers(0, 9, n).astype(float), rng.integers(0, 9, (n, m)).astype(float)
    sums = [sum(c) for c in product(*([o, *s] for o, s in zip(own, sets, strict=True)))]
    p, least = exchanged(own, list(sets))
    assert p == pytest.approx(np.mean([x <= own.sum() + 1e-9 for x in sums]))
    assert least == pytest.approx(1 / (m + 1) ** n)


def test_many_recombinations_are_sampled() -> None:
    rng = np.random.default_rng(9)
    own, sets = rng.normal(10, 1, 12), rng.normal(10, 1, (12, 3))
    p, least = exchanged(own, list(sets), seed=1)
    # The sum of independent draws from the values of each document is nearly normal.
    rows = np.column_stack((own, sets))
    z = (own.sum() - rows.mean(1).sum()) / math.sqrt(rows.var(1).sum())
    assert p == pytest.approx(stats.norm.cdf(z), abs=0.03)
    assert least == 1e-4


def _pairs(seed: int, n: int, parts: int, across: float) -> list[np.ndarray]:  # type: ignore[type-arg]
    """Return disorders of n + n annotators; across groups they are `across` times those within."""
    rng = np.random.default_rng(seed)
    group = np.arange(2 * n) < n
    times = np.where(group[:, None] == group, 1.0, across)[..., None]
    o = rng.gamma(4, 0.1, (2 * n, 2 * n, parts)) * times
    o = (o + o.swapaxes(0, 1)) / 2
    e = np.ones_like(o)
    for d in (o, e):
        d[np.arange(2 * n), np.arange(2 * n)] = 0
    return [o, e]


def test_the_normalised_ratio_equals_loops() -> None:
    o, e = _pairs(1, 3, 6, 1.2)
    first, second = [0, 1, 2], [3, 4, 5]

    def log_value(o, e, a, b):  # type: ignore[no-untyped-def]
        def g(rows, columns):  # type: ignore[no-untyped-def]
            pairs = [(i, j) for i in rows for j in columns if i != j]
            return 1 - sum(o[i, j].sum() for i, j in pairs) / sum(e[i, j].sum() for i, j in pairs)

        return math.log(g(a, b)) - (math.log(g(a, a)) + math.log(g(b, b))) / 2

    whole = log_value(o, e, first, second)
    parts = [log_value(np.delete(o, k, 2), np.delete(e, k, 2), first, second) for k in range(6)]
    by_parts = stats.t.cdf(whole / math.sqrt(5 * np.var(parts)), 5)
    one = [log_value(o, e, [a for a in first if a != x], second) for x in first]
    two = [log_value(o, e, first, [b for b in second if b != x]) for x in second]
    spread = 2 * np.var(one) + 2 * np.var(two)
    found = replication(o, e, first, second)
    assert found.value == pytest.approx(math.exp(whole))
    assert found.p_parts == pytest.approx(by_parts)
    assert found.p_annotators == pytest.approx(stats.t.cdf(whole / math.sqrt(spread), 4))
    assert found.p == max(found.p_parts, found.p_annotators)
    assert replication(o, e, first, second, (0.05, 0.05, 0.05)).p > found.p


def test_two_schools_are_found_and_one_school_is_not() -> None:
    assert replication(*_pairs(2, 4, 12, 1.6), [0, 1, 2, 3], [4, 5, 6, 7]).p < 0.01
    assert replication(*_pairs(2, 4, 12, 1.0), [0, 1, 2, 3], [4, 5, 6, 7]).p > 0.05


def test_small_groups_have_a_value_and_no_p() -> None:
    found = replication(*_pairs(3, 3, 6, 1.6), [0, 1], [3, 4, 5])
    assert 0 < found.value < 1
    assert math.isnan(found.p)
    few = replication(*_pairs(3, 3, 4, 1.2), [0, 1, 2], [3, 4, 5])
    assert math.isnan(few.p)
    assert few.p_annotators > 0


def test_below_the_rest_is_a_paired_t_test_where_parts_weigh_alike() -> None:
    """With equal weights, the test is scipy's paired t-test times √((n − 1)/n), the safer one."""
    observed = np.random.default_rng(5).random((3, 8))
    test = below_the_rest(observed, np.ones((3, 8)))
    for k in range(3):
        rest = np.delete(observed, k, axis=0).mean(axis=0)
        t = stats.ttest_rel(observed[k], rest).statistic * math.sqrt(7 / 8)
        assert test.value[k] / np.asarray(test.spread)[k] == pytest.approx(t)
        assert test.df[k] == pytest.approx(7)
        # The error is the larger of those of the difference and of the log ratio.
        assert test.error[k] >= np.asarray(test.spread)[k] - 1e-12


def test_rows_with_few_parts_have_no_p_and_do_not_count() -> None:
    observed, expected = np.random.default_rng(1).random((3, 8)), np.ones((3, 8))
    observed[2, 4:] = expected[2, 4:] = 0
    p = below_the_rest(observed, expected).p
    assert np.isnan(p[2])
    assert np.isfinite(p[:2]).all()


def test_a_row_is_compared_with_the_others_on_its_own_parts() -> None:
    """Parts in which a row has nothing do not count for the other rows either."""
    observed, expected = np.random.default_rng(2).random((3, 12)), np.ones((3, 12))
    observed[0, 6:] = expected[0, 6:] = 0
    alone = below_the_rest(observed[:, :6], expected[:, :6])
    assert below_the_rest(observed, expected).p[0] == pytest.approx(alone.p[0])
