"""Contributions and intervals of γ, with known answers."""

import math

import numpy as np
import pytest

from gammacp.errors import DataError, UsageError
from gammacp.inference.contributions import (
    Contributions,
    contributions_of_alignment,
    contributions_of_documents,
)
from gammacp.inference.resampling import bootstrap, interval_of_gamma


def documents(observed: list[float], expected: list[float]) -> Contributions:
    return Contributions(np.array(observed), np.array(expected), "documents")


def test_gamma_is_a_ratio_of_sums() -> None:
    # With x̄ 10 and 20, δ .5 and .2, δ_e 1 and 1.5, γ = 1 − (5 + 4)/(10 + 30).
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
    # With x̄ = 2 and δ = 3.1/2, γ = 1 − 1.55/3.
    assert parts.gamma == pytest.approx(1 - 1.55 / 3)


def test_bootstrap_of_equal_parts_has_no_width() -> None:
    interval = bootstrap(documents([1.0] * 8, [4.0] * 8), draws=50)
    assert interval.interval == pytest.approx((0.75, 0.75))


def test_bootstrap_width_is_that_of_the_mean() -> None:
    # Equal expected disorders make γ a mean, whose standard error is known.
    rng = np.random.default_rng(1)
    observed = rng.normal(0.4, 0.1, 400)
    interval = bootstrap(documents(observed.tolist(), [1.0] * 400), draws=4000)
    standard_error = observed.std(ddof=1) / 20
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * standard_error, rel=0.1)
    assert (interval.high + interval.low) / 2 == pytest.approx(1 - observed.mean(), abs=0.002)


def test_the_interval_of_one_text_keeps_the_dependence_of_neighbours() -> None:
    rng, widths = np.random.default_rng(2), []
    for _ in range(30):
        observed = np.repeat(rng.normal(0.5, 0.2, 40), 5)
        text = interval_of_gamma(Contributions(observed, np.ones(200), "unitary alignments"))
        apart = bootstrap(documents(observed.tolist(), [1.0] * 200), draws=200)
        widths.append((text.high - text.low, apart.high - apart.low))
    assert np.median(widths, axis=0)[0] > 1.5 * np.median(widths, axis=0)[1]
    assert (text.method, text.draws) == ("four-cosines", 0)
    assert "one text of 200 unitary alignments" in text.in_words()


def test_bootstrap_says_when_there_is_too_little() -> None:
    interval = bootstrap(documents([1, 1, 1, 1], [4, 4, 4, 4]))
    assert interval.interval is None
    assert "4 documents are too few" in interval.in_words()
    text = interval_of_gamma(Contributions(np.ones(29), np.ones(29) * 2, "unitary alignments"))
    assert "(at least 30)" in text.in_words()


def test_the_sentence_names_confidence_and_these_annotators() -> None:
    sentences = interval_of_gamma(documents([1, 1, 1, 1, 2], [4] * 5)).in_words()
    for part in (
        "95% confidence",
        "these annotators",
        "independent of each other",
        "1.4 times as wide",
    ):
        assert part in sentences
    assert "these 5 may include none" in sentences
    assert "in 95" not in sentences


def test_the_interval_of_gamma_is_that_of_hall() -> None:
    """The interval holds all θ whose transformed t lies within Student's quantiles, by
    brute force.
    """
    from scipy.stats import t as student

    o, e = np.array([0.2, 0.3, 2.9, 0.4, 0.7, 0.1]), np.array([1.0, 2.0, 4.0, 1.0, 3.0, 1.0])
    theta, n = o.sum() / e.sum(), len(o)
    g = [theta - np.delete(o, i).sum() / np.delete(e, i).sum() for i in range(n)]
    error = math.sqrt(sum(x**2 for x in g))
    b = sum(x**3 for x in g) / error**3 * math.sqrt(n * (n - 1)) / (n - 2)
    s = (e / e.sum()) ** 1.5
    df = s.sum() ** 2 / (s**2).sum() - 1
    tried = np.linspace(theta - 20 * error, theta + 20 * error, 400_001)
    x = (theta - tried) / error
    transformed = x + b * x**2 / 3 + b**2 * x**3 / 27 + b / 6
    held = 1 - tried[np.abs(transformed) <= student.ppf(0.975, df)]
    interval = interval_of_gamma(documents(o.tolist(), e.tolist()))
    assert (interval.method, interval.draws) == ("hall-t", 0)
    assert interval.low == pytest.approx(held.min(), abs=1e-3)
    assert interval.high == pytest.approx(min(1.0, held.max()), abs=1e-3)


def test_random_sets_add_their_error_to_the_interval() -> None:
    alike = documents([1.0] * 8, [4.0] * 8)
    assert interval_of_gamma(alike).interval == (0.75, 0.75)
    low, high = interval_of_gamma(alike, error=0.01).interval or (0, 0)
    # θ = .25 has a relative error of 1 %, times 1.96 of the normal distribution.
    assert (low, high) == pytest.approx((0.75 - 0.0049, 0.75 + 0.0049), abs=1e-5)


def test_one_document_with_all_units_has_no_lower_limit() -> None:
    interval = interval_of_gamma(documents([1.0, 0, 0, 0, 0], [4.0, 0, 0, 0, 0]))
    assert interval.interval == (-math.inf, 1.0)


def test_clusters_are_resampled_as_a_whole() -> None:
    rows = [(1.0, 0.1, 1.0), (1.0, 0.2, 1.0), (2.0, 0.5, 1.0), (1.0, math.nan, 1.0)]
    parts = contributions_of_documents(rows, ["x", "", "x", "x"])
    assert parts.kind == "clusters of documents"
    # The single document has x̄·δ = .2 of 1; the cluster has .1 + 1.0 of 3.
    assert sorted(parts.observed) == pytest.approx([0.2, 1.1])
    assert sorted(parts.expected) == pytest.approx([1.0, 3.0])
    assert parts.gamma == pytest.approx(contributions_of_documents(rows).gamma)


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"confidence": 1.0}])
def test_bootstrap_refuses(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        bootstrap(documents([1] * 8, [2] * 8), **wrong)


def test_the_same_seed_gives_the_same_interval() -> None:
    parts = documents([0.1, 0.4, 0.2, 0.9, 0.3, 0.5], [1.0] * 6)
    assert bootstrap(parts, seed=3) == bootstrap(parts, seed=3)
    assert bootstrap(parts, seed=3) != bootstrap(parts, seed=4)
