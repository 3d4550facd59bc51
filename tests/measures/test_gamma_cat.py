import math

import numpy as np
import pytest

from gammacp import Combined, Continuum, Unit, measure
from gammacp.datasets import load as dataset
from gammacp.measures.gamma_cat import aligned_pairs, gamma_cat, gamma_k


def predefined(labels: dict[str, str], length: int = 5) -> Continuum:
    return Continuum.from_units(
        [
            Unit(a, 10 * i, 10 * i + length, k)
            for a, text in labels.items()
            for i, k in enumerate(text)
        ]
    )


def test_weights_and_disorder_by_hand() -> None:
    # Three aligned units of length 4 are shifted by 1 (d_pos = (2/8)² = .0625) and by 2 (.25).
    c = Continuum.from_units([Unit("A", 0, 4, "x"), Unit("B", 1, 5, "x"), Unit("C", 2, 6, "y")])
    pairs = aligned_pairs(c, np.array([[0, 1, 2]], np.int32), Combined().bind(c))
    assert pairs.weight.tolist() == [0.9375 / 2, 0.75 / 2, 0.9375 / 2]
    assert pairs.cost.tolist() == [0, 1, 1]
    assert pairs.disorder(None) == pytest.approx((0.75 + 0.9375) / (0.9375 + 0.75 + 0.9375))
    assert pairs.disorder(1) == 1
    assert pairs.disorder(0) == pairs.disorder(None)


def test_pairs_with_an_empty_unit_and_distant_pairs_do_not_count() -> None:
    c = Continuum.from_units([Unit("A", 0, 4, "x"), Unit("B", 5, 9, "y")], annotators=["C"])
    combined = Combined().bind(c)
    # The annotators are C, A, B, and d_pos = (10/8)² > 1.
    assert math.isnan(aligned_pairs(c, np.array([[-1, 0, 1]], np.int32), combined).disorder(None))
    assert math.isnan(aligned_pairs(c, np.array([[-1, 0, -1]], np.int32), combined).disorder(None))


def test_equal_categories_give_1() -> None:
    c = Continuum.from_units(
        [Unit(a, s + d, s + 5, k) for a, d in (("A", 0), ("B", 1)) for s, k in ((0, "x"), (9, "y"))]
    )
    assert gamma_cat(c, samples=20).value == 1


def test_pure_categorisation_is_nominal_alpha_in_the_limit() -> None:
    # Labels of two annotators are at the same places; D_e with replacement is 1 − Σ p².
    c = predefined({"A": "xxyyzzxxyyxzxyzxxxyx", "B": "xxyyzyxxyzxzxyxxxxyy"})
    disagreements = 4 / 20
    share = np.array([18 + 1, 13, 8], float)
    share = np.array([sum(u.category == k for u in c) for k in "xyz"], float) / 40
    expected = 1 - (share**2).sum()
    score = gamma_cat(c, chance="fixed-positions", samples=400)
    assert score.observed == pytest.approx(disagreements)
    assert score.expected == pytest.approx(expected, rel=0.02)
    assert score.interval is not None
    assert score.interval[0] <= 1 - disagreements / expected <= score.interval[1]


def test_gamma_k_of_every_category() -> None:
    c = predefined({"A": "xxxxyyzz", "B": "xxxxyyzy"})
    score = gamma_k(c, chance="fixed-positions", samples=50)
    assert math.isnan(score.value)
    assert score.by_category["x"] == 1
    assert score.by_category["z"] < score.by_category["y"] < 1


def test_a_category_without_aligned_pairs_is_undefined() -> None:
    units = [Unit(a, s, s + 4, "x") for a in "AB" for s in (0, 50)]
    c = Continuum.from_units([*units, Unit("A", 200, 204, "lonely")])
    score = gamma_k(c, samples=20)
    assert math.isnan(score.by_category["lonely"])
    assert "lonely: no two aligned units" in (score.reason or "")


def test_measure_shares_the_alignments_of_the_family(monkeypatch: pytest.MonkeyPatch) -> None:
    from gammacp.measures import random_sets as module

    c = predefined({"A": "xxyyzzxy", "B": "xxyyzyxx"})
    calls = []
    solve = module.align_each
    monkeypatch.setattr(module, "align_each", lambda *a, **k: calls.append(a) or solve(*a, **k))
    found = measure(c, ["gamma", "gamma-cat", "gamma-k"], samples=10)
    assert len(calls) == 1
    assert found["gamma-cat"].value == gamma_cat(c, samples=10).value


def test_a_single_category_is_undefined() -> None:
    score = gamma_cat(predefined({"A": "xxxx", "B": "xxxx"}), samples=4)
    assert math.isnan(score.value)
    assert score.expected == 0
    assert score.reason == "the expected disorder is 0: random sets agree on categories"


def test_status_is_the_worst_of_observed_and_random_alignments() -> None:
    """Greedy proves the perfect alignment of equal annotators, but not those of random sets."""
    c = predefined({"A": "xyzx", "B": "xyzx", "C": "xyzx"}, length=10)
    proven = measure(c, ["gamma", "gamma-cat", "gamma-k"], samples=6)
    assert [s.status for s in proven.values()] == ["optimal"] * 3  # type: ignore[attr-defined]
    greedy = measure(c, ["gamma", "gamma-k"], samples=6, method="greedy", chance="shift")
    assert greedy["gamma"].alignment.status == "optimal"  # type: ignore[attr-defined]
    assert [s.status for s in greedy.values()] == ["feasible"] * 2  # type: ignore[attr-defined]


def test_gamma_cat_has_a_note_on_unproven_alignments() -> None:
    """γ_cat depends on the alignment that is taken, while γ's interval includes the bound."""
    c = dataset("3by100")
    exact, greedy = (
        measure(c, ["gamma-cat", "gamma-k"], samples=6, method=m, dissimilarity=Combined(beta=0.5))
        for m in ("auto", "greedy")
    )
    open_gap = [any("not proven to be the best" in n for n in s.notes) for s in greedy.values()]
    assert open_gap == [True, True]
    assert not any("proven" in n for s in exact.values() for n in s.notes)
