"""Variance components of disorder: by analysis of variance, for known variances, and by hand."""

from itertools import combinations

import numpy as np
import pytest

from gammacp.errors import DataError
from gammacp.measures.explaining.variance_components import VarianceComponents, estimate_components

# Interval labels by 4 annotators of 5 given units, one in each document; a pair costs |x − y|.
LABELS = np.array(
    [[1, 2, 4, 3], [5, 5, 8, 6], [2, 1, 2, 5], [7, 9, 4, 6], [3, 3, 5, 4]], np.float64
)


def of_labels() -> tuple[VarianceComponents, np.ndarray]:
    documents, people = LABELS.shape
    pairs = [*combinations(range(people), 2)]
    costs = np.array([[abs(row[i] - row[j]) for i, j in pairs] for row in LABELS])
    where = np.repeat(np.arange(documents), len(pairs))
    ones = np.ones(costs.size)
    return estimate_components(where, pairs * documents, costs.ravel(), ones), costs


def test_interval_labels_have_the_components_of_the_analysis_of_variance() -> None:
    """By hand with Griffing's method 4: sums of squares, and their expectations for random
    effects.
    """
    found, costs = of_labels()
    d, n = LABELS.shape
    incidence = np.array([[a in pair for pair in combinations(range(n), 2)] for a in range(n)])
    total = costs.sum()
    by_document, by_annotator = costs.sum(axis=1), costs.sum(axis=0) @ incidence.T
    own = costs @ incidence.T
    pairs = n * (n - 1) / 2
    s_document = (by_document**2).sum() / pairs - total**2 / (d * pairs)
    s_annotator = ((by_annotator**2).sum() - 4 * total**2 / n) / (d * (n - 2))
    s_own = ((own**2).sum() - 4 * (by_document**2).sum() / n) / (n - 2) - s_annotator
    s_rest = (costs**2).sum() - total**2 / (d * pairs) - s_document - s_annotator - s_own
    m_document, m_annotator = s_document / (d - 1), s_annotator / (n - 1)
    m_own, m_rest = s_own / ((d - 1) * (n - 1)), s_rest / (d * n * (n - 3) / 2)
    own_half, half = (m_own - m_rest) / (n - 2), (m_annotator - m_own) / (d * (n - 2))
    known = {
        "document": (m_document - m_rest - 2 * (n - 1) * own_half) / pairs,
        "annotator": 4 * half,
        "annotator × document": 4 * own_half,
        "rest": m_rest,
    }
    assert {k: c.variance for k, c in found.parts.items()} == pytest.approx(known)
    assert [c.df for c in found.parts.values()] == pytest.approx([4, 3, 12, 10])


def test_the_components_are_those_of_statsmodels() -> None:
    """Values are from statsmodels 0.15: `ols` of documents, annotators and both, with `anova_lm`.

    Mean squares are 7.3333/4, 5.1/3, 24.4/12 and 5.3333/10.
    """
    found, _ = of_labels()
    assert [c.variance for c in found.parts.values()] == pytest.approx(
        [-0.533333333333, -0.133333333333, 3.0, 0.533333333333]
    )


def simulated(seed: int, sizes: tuple[int, int], there: float) -> VarianceComponents:
    documents, people = sizes
    g = np.random.default_rng(seed)
    level, care = 0.3 * g.standard_normal(documents), 0.2 * g.standard_normal(people)
    cells, kinds = 0.25 * g.standard_normal(sizes), np.array([-0.2, 0.2])
    rows = [
        (d, (i, j), c)
        for d in range(documents)
        for i, j in combinations(range(people), 2)
        for c in range(2)
        if g.random() < there
    ]
    e = g.gamma(4, 0.25, len(rows))
    z = [
        2 + level[d] + (care[i] + care[j] + cells[d, i] + cells[d, j]) / 2 + kinds[c]
        for d, (i, j), c in rows
    ] + 0.3 * g.standard_normal(len(rows)) / np.sqrt(e)
    where, pairs, labels = ([row[k] for row in rows] for k in range(3))
    return estimate_components(where, pairs, z * e, e, category=labels)


@pytest.mark.slow
@pytest.mark.parametrize("there", [1.0, 0.5])
def test_known_variances_are_found_and_held(there: float) -> None:
    known = {"document": 0.09, "annotator": 0.04, "annotator × document": 0.0625, "rest": 0.09}
    runs = [simulated(seed, (12, 6), there).parts for seed in range(60)]
    for name, variance in known.items():
        values = [r[name].variance for r in runs]
        assert np.mean(values) == pytest.approx(variance, abs=4 * np.std(values) / 60**0.5)
        held = [r[name].interval[0] <= variance <= r[name].interval[1] for r in runs]
        assert np.mean(held) >= 0.8
    # Two levels at ±.2 have a variance of .08, with divisor n − 1.
    assert np.mean([r["category"].variance for r in runs]) == pytest.approx(0.08, abs=0.01)


@pytest.mark.parametrize(
    ("people", "holds"),
    [
        (3, {"annotator × document": ("rest",)}),
        (2, {"rest": ("annotator × document", "document", "annotator")}),
    ],
)
def test_confounded_components_are_named(people: int, holds: dict[str, tuple[str, ...]]) -> None:
    g = np.random.default_rng(4)
    pairs = [*combinations(range(people), 2)] * 8
    where = np.repeat(np.arange(8), len(pairs) // 8)
    found = estimate_components(where, pairs, g.random(len(pairs)), np.ones(len(pairs)))
    assert {k: c.holds for k, c in found.parts.items() if c.holds} == holds
    for name, others in holds.items():
        assert f"{name}, with {' and '.join(others)}" in found.in_words()


def test_a_study_of_designs_divides_variances_by_numbers() -> None:
    found, _ = of_labels()
    document, annotator, both, rest = (max(0, c.variance) for c in found.parts.values())
    assert found.error(20, 3) ** 2 == pytest.approx(
        document / 20 + annotator / 3 + both / 60 + rest / 60
    )
    assert found.error(20, 3, 9) ** 2 == pytest.approx(
        document / 20 + annotator / 9 + both / 60 + rest / 60
    )


def test_one_document_has_no_components() -> None:
    with pytest.raises(DataError, match="two documents"):
        estimate_components([0, 0], [(0, 1), (0, 2)], [1, 2], [1, 1])
