import math
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, DataError, Unit, UsageError
from gammacp.measures.labels.category_metrics import squared_differences
from gammacp.measures.measuring import measure
from gammacp.measures.unitizing.krippendorff import (
    CoincidenceScore,
    binary_u_alpha,
    cu_alpha,
    ku_alpha,
    u_alpha,
)
from gammacp.measures.unitizing.krippendorff_2013 import u_alpha_2013
from gammacp.testing import continua
from tests.measures import oracles

CASES = 100


def agrees(ours: float, theirs: float) -> bool:
    return bool(np.isclose(ours, theirs, rtol=1e-9, atol=1e-9, equal_nan=True))


@pytest.mark.parametrize(
    ("ours", "oracle"),
    [
        (u_alpha, oracles.u_alpha),
        (binary_u_alpha, oracles.binary_u_alpha),
        (u_alpha_2013, oracles.u_alpha_2013),
    ],
)
def test_values_are_those_of_single_positions(ours, oracle) -> None:
    rng = np.random.default_rng(1)
    for case in range(CASES):
        c = oracles.disjoint(rng, annotators=2 + case % 3, length=9 + case % 5, units=1 + case % 4)
        if c.n_units:
            assert agrees(ours(c).value, oracle(c)), list(c)


@pytest.mark.parametrize("metric", ["nominal", "interval", "ratio"])
@pytest.mark.parametrize("draw", [oracles.disjoint, oracles.overlapping])
def test_cu_alpha_is_that_of_single_positions(metric: str, draw) -> None:
    rng = np.random.default_rng(2)
    for case in range(CASES):
        c = draw(rng, annotators=2 + case % 3)
        if c.n_units:
            squared = squared_differences(metric, c.categories)
            assert agrees(cu_alpha(c, metric=metric).value, oracles.cu_alpha(c, squared)), list(c)


def labels_to_units(rng: np.random.Generator, m: int, items: int, length: int) -> Continuum:
    return Continuum.from_units(
        Unit(f"a{a}", i * length, (i + 1) * length, str(rng.integers(1, 4)))
        for a in range(m)
        for i in range(items)
    )


@pytest.mark.parametrize("metric", ["nominal", "interval", "ratio"])
def test_cu_alpha_of_equal_fixed_units_is_alpha(metric: str) -> None:
    rng = np.random.default_rng(3)
    for case in range(CASES):
        c = labels_to_units(rng, 2 + case % 3, 6, 3)
        values = [[float(u.category or 0) for u in c if u.annotator == a] for a in c.annotators]
        if len(set(np.ravel(values))) > 1:
            expected = krippendorff.alpha(values, level_of_measurement=metric)
            assert agrees(cu_alpha(c, metric=metric).value, expected)


def test_u_alpha_of_units_of_one_position_is_alpha_with_blanks_as_a_category() -> None:
    rng = np.random.default_rng(4)
    for case in range(CASES):
        m, length = 2 + case % 3, 8
        labels = rng.integers(0, 4, size=(m, length))
        c = Continuum.from_units(
            [
                Unit(f"a{a}", p, p + 1, str(labels[a, p]))
                for a in range(m)
                for p in range(length)
                if labels[a, p]
            ],
            annotators=[f"a{a}" for a in range(m)],
            bounds=(0, length),
        )
        if len(set(labels.ravel())) > 1 and c.n_units:
            expected = krippendorff.alpha(labels, level_of_measurement="nominal")
            assert agrees(u_alpha(c).value, expected)


@given(st.integers(0, 10_000), st.sampled_from([3, 0.1, 1e-3, 1e6]), st.sampled_from([0, 7, -2.5]))
@settings(max_examples=40, deadline=None)
def test_the_limit_depends_on_neither_scale_nor_origin(
    seed: int, scale: float, origin: float
) -> None:
    c = oracles.disjoint(np.random.default_rng(seed), annotators=3)
    if not c.n_units:
        return
    moved = Continuum.from_units(
        [
            Unit(u.annotator, u.start * scale + origin, u.end * scale + origin, u.category)
            for u in c
        ],
        annotators=c.annotators,
        bounds=(c.bounds[0] * scale + origin, c.bounds[1] * scale + origin),
    )
    for function in (u_alpha, binary_u_alpha, u_alpha_2013):
        assert agrees(function(c, atom=0).value, function(moved, atom=0).value)
        # If positions are as long as the scale, the discrete value is the same too.
        assert agrees(function(c, atom=1).value, function(moved, atom=scale).value)
    assert agrees(cu_alpha(c).value, cu_alpha(moved).value)


def test_finer_and_finer_positions_approach_the_limit() -> None:
    c = oracles.disjoint(np.random.default_rng(5), annotators=3)
    fine = Continuum.from_units(
        [Unit(u.annotator, u.start * 10_000, u.end * 10_000, u.category) for u in c],
        annotators=c.annotators,
        bounds=(0, c.bounds[1] * 10_000),
    )
    for function in (u_alpha, binary_u_alpha, u_alpha_2013):
        limit = function(c, atom=0).value
        assert function(fine).value == pytest.approx(limit, abs=1e-4)
        assert function(fine).value != limit
        assert function(c).value != limit


def test_a_fractional_position_or_bound_means_the_limit() -> None:
    units = [Unit("A", 1, 4, "a"), Unit("B", 2, 5, "a")]
    assert "atom:1|" in u_alpha(Continuum.from_units(units, bounds=(0, 9))).signature
    assert "atom:0|" in u_alpha(Continuum.from_units(units, bounds=(0, 9.5))).signature
    half = [*units, Unit("B", 6.5, 7, "a")]
    assert "atom:0|" in u_alpha_2013(Continuum.from_units(half, bounds=(0, 9))).signature
    half = [*units, Unit("B", 6, 6.5, "a")]
    assert "atom:0|" in u_alpha_2013(Continuum.from_units(half, bounds=(0, 9))).signature


def test_touching_fractional_units_leave_no_gap() -> None:
    units = [Unit(n, s, e, "a") for n in "AB" for s, e in ((0, 0.1), (0.1, 0.3), (0.3, 1.0))]
    score = binary_u_alpha(Continuum.from_units(units))
    assert np.isnan(score.value)
    assert score.reason is not None
    assert "no gap" in score.reason


@pytest.mark.parametrize("function", [u_alpha, binary_u_alpha, u_alpha_2013])
def test_overlap_is_refused_and_the_unit_named(function) -> None:
    c = Continuum.from_units(
        [
            Unit("A", 1, 9, "a"),
            Unit("A", 1_700_000_000_001, 1_700_000_000_009, "a"),
            Unit("A", 1_700_000_000_005, 1_700_000_000_019, "b"),
            Unit("B", 1, 9, "a"),
        ]
    )
    with pytest.raises(DataError, match="unit 1700000000005-1700000000019 of A overlaps unit 17"):
        function(c)


@pytest.mark.parametrize("function", [u_alpha, binary_u_alpha, cu_alpha, ku_alpha, u_alpha_2013])
def test_nothing_to_compare(function) -> None:
    with pytest.raises(DataError, match="needs two"):
        function(Continuum.from_units([Unit("A", 1, 9, "a")]))
    with pytest.raises(DataError, match="no unit at all"):
        function(Continuum.from_units([], annotators=["A", "B"], bounds=(0, 5)))


def test_undefined_has_a_reason() -> None:
    whole = Continuum.from_units([Unit("A", 0, 9, "a"), Unit("B", 0, 9, "a")])
    points = Continuum.from_units([Unit("A", 4, 4, "a"), Unit("B", 4, 4, "b")])
    for c in (whole, points):
        for function in (u_alpha, binary_u_alpha, cu_alpha, ku_alpha, u_alpha_2013):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                score = function(c, **({"bootstrap": 10} if function is not u_alpha_2013 else {}))
            assert np.isnan(score.value)
            assert score.reason
    assert "no length" in (u_alpha(points).reason or "")
    assert "no length" in (u_alpha_2013(points).reason or "")


def test_a_single_pair_of_intersecting_units_has_no_expectation() -> None:
    c = Continuum.from_units(
        [Unit("A", 0, 4, "a"), Unit("B", 0, 4, "b")], annotators=list("ABCD"), bounds=(0, 9)
    )
    score = cu_alpha(c)
    assert np.isnan(score.value)
    assert score.reason is not None
    assert score.reason.startswith("too few intersections")
    assert all(np.isnan(v) for v in ku_alpha(c).by_category.values())


def test_ku_alpha_names_the_category_without_a_value() -> None:
    c = Continuum.from_units(
        [
            Unit("A", 0, 4, "a"),
            Unit("A", 5, 8, "b"),
            Unit("B", 0, 4, "a"),
            Unit("B", 5, 8, "a"),
            Unit("B", 10, 12, "c"),
        ]
    )
    score = ku_alpha(c)
    assert [note.partition(":")[0] for note in score.notes] == ["c"]
    assert np.isnan(score.by_category["c"])
    assert score.reason is None


def test_unlabelled_units_are_a_category_of_u_alpha() -> None:
    labelled = [Unit("A", 0, 4, "a"), Unit("B", 1, 4, "a"), Unit("B", 6, 8, "z")]
    unlabelled = [
        Unit(u.annotator, u.start, u.end, None if u.category == "z" else "a") for u in labelled
    ]
    c, d = (Continuum.from_units(u, bounds=(0, 10)) for u in (labelled, unlabelled))
    assert u_alpha(c).value == u_alpha(d).value
    assert u_alpha(d).labels == ("a", "(unlabelled)", "φ")
    with pytest.raises(DataError, match="unit 6-8 of B has no category"):
        cu_alpha(d)


def test_marginals_of_both_matrices_agree() -> None:
    c = oracles.disjoint(np.random.default_rng(6), annotators=3)
    score = u_alpha(c)
    assert score.observed_coincidences.sum() == pytest.approx(3 * c.length)
    assert score.expected_coincidences.sum() == pytest.approx(3 * c.length)
    kinds = binary_u_alpha(c)
    assert kinds.observed_coincidences.sum() == pytest.approx(3 * c.length)
    assert kinds.expected_coincidences.sum() == pytest.approx(3 * c.length)
    assert kinds.observed_coincidences[1, 1] == score.observed_coincidences[-1, -1]
    units = cu_alpha(c)
    assert units.expected_coincidences.sum() == pytest.approx(units.observed_coincidences.sum())


def test_bootstrap_is_repeatable_and_surrounds_the_value() -> None:
    c = oracles.disjoint(np.random.default_rng(7), annotators=3, length=400, units=40)
    for function in (u_alpha, binary_u_alpha, cu_alpha):
        score = function(c, bootstrap=2000, seed=3)
        assert score.bootstrap == function(c, bootstrap=2000, seed=3).bootstrap
        few = [function(c, bootstrap=9, seed=seed).bootstrap for seed in range(5)]
        assert len(set(few)) > 1
        assert score.bootstrap is not None
        lo, hi = score.bootstrap
        assert -1 <= lo < score.value < hi <= 1
        assert function(c).bootstrap is None
    intervals = ku_alpha(c, bootstrap=500).bootstrap_by_category
    assert intervals.keys() == set(c.categories)


def test_bootstrap_has_the_width_of_the_binomial() -> None:
    # With one cell of disagreement, 1 − α is a binomial share over D_e, whose deviation is known.
    from gammacp.inference.bootstrap import bootstrap_interval

    observed = np.array([[60.0, 10.0], [10.0, 20.0]])
    lo, hi = bootstrap_interval(
        observed, 1 - np.eye(2), 0.42, pairs=75, resamples=40_000, seed=1
    ) or (0, 0)
    sd = np.sqrt(0.2 * 0.8 / 75) / 0.42
    assert (hi - lo) / (2 * 1.96 * sd) == pytest.approx(1, abs=0.05)
    assert (hi + lo) / 2 == pytest.approx(1 - 0.2 / 0.42, abs=0.05)
    # Many intersections do not narrow the interval further than 25 draws for each of three cells.
    assert bootstrap_interval(
        observed, 1 - np.eye(2), 0.42, pairs=10**6, resamples=500, seed=1
    ) == bootstrap_interval(observed, 1 - np.eye(2), 0.42, pairs=75, resamples=500, seed=1)


def test_bootstrap_of_a_column_counts_only_filled_cells() -> None:
    """There are 25 draws for each filled cell, and none for empty cells."""
    from gammacp.inference.bootstrap import bootstrap_interval

    full = bootstrap_interval(
        np.array([30.0, 10.0]), np.array([0.0, 1.0]), 0.5, pairs=10**6, resamples=400, seed=2
    )
    with_empty = bootstrap_interval(
        np.array([30.0, 0.0, 10.0]),
        np.array([0.0, 1.0, 1.0]),
        0.5,
        pairs=10**6,
        resamples=400,
        seed=2,
    )
    assert full is not None
    assert with_empty == full


@pytest.mark.parametrize("atom", [-1.0, np.inf, np.nan])
def test_an_atom_is_a_length(atom: float) -> None:
    c = Continuum.from_units([Unit("A", 1, 4, "a"), Unit("B", 2, 5, "b")])
    with pytest.raises(UsageError, match="is not a length"):
        u_alpha(c, atom=atom)


@settings(max_examples=60, deadline=None)
@given(continua(n_annotators=(2, 4), n_units=(2, 8), categories=("a", "b", "c")))
def test_few_units_give_a_value_of_at_most_one_or_a_reason(c: Continuum) -> None:
    """Expectations of 0 or below do not cause errors or values above 1, as they once did."""
    found = measure(c, ["cu-alpha", "ku-alpha"])
    cu, ku = found["cu-alpha"], found["ku-alpha"]
    for score in (cu, ku):
        if not isinstance(score, CoincidenceScore):
            continue
        low = bool((np.diag(score.expected_coincidences) < 0).any())
        assert low == any("negative" in n for n in score.notes) or score.reason is not None
    values = [cu.value, *ku.by_category.values()]
    assert all(math.isnan(v) or v <= 1 + 1e-12 for v in values)
    assert not math.isnan(cu.value) or cu.reason
    if isinstance(ku, CoincidenceScore):
        undefined = {k for k, v in ku.by_category.items() if math.isnan(v)}
        told = {note.partition(":")[0] for note in ku.notes}
        assert undefined == told & set(ku.by_category)


def test_a_category_with_a_negative_expectation_has_a_note() -> None:
    """Of three annotators, a's only unit meets one other, so that (ℓ*_.a)² < Σ ℓ²."""
    units = [Unit("A", 0, 10, "a"), Unit("B", 0, 10, "b"), Unit("C", 20, 30, "b")]
    units += [Unit("A", 20, 30, "b"), Unit("B", 20, 30, "b")]
    score = cu_alpha(Continuum.from_units(units))
    a = score.labels.index("a")
    assert score.expected_coincidences[a, a] < 0
    assert any("coincidences of a" in note for note in score.notes)
    assert score.as_dict()["notes"] == list(score.notes)
