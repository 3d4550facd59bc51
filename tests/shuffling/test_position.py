from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gammacp import Continuum, DataError, Unit, UsageError
from shuffling import Layout, Position, fit, shuffle
from shuffling.ordered import draw_ordered

steps = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), min_size=1, max_size=12)


def disjoint(steps: list[tuple[int, int]], scale: float) -> Continuum:
    """Return units after gaps, from (gap, length) pairs, with positions times `scale`."""
    units, at = [], 0.0
    for gap, length in steps:
        name = f"{len(units):02d}"
        units.append(Unit("R", (at + gap) * scale, (at + gap + length) * scale, name))
        at += gap + length
    return Continuum.from_units(units, bounds=(0, at * scale))


def tiled(lengths: list[int]) -> Continuum:
    return disjoint([(0, length) for length in lengths], 1)


@settings(max_examples=60, deadline=None)
@given(
    steps,
    st.sampled_from([1, 0.37]),
    st.floats(0, 1),
    st.floats(0, 4),
    st.sampled_from([None, False, True]),
    st.integers(0, 99),
)
def test_shifts_stay_within_f_m_len_and_within_the_bounds(
    steps: list[tuple[int, int]],
    scale: float,
    magnitude: float,
    factor: float,
    overlap: bool | None,
    seed: int,
) -> None:
    reference = disjoint(steps, scale)
    model = fit(reference)
    error = Position(factor=factor, overlap=overlap)
    shuffled = shuffle(reference, error, magnitude, 2, model=model, seed=seed)
    lo, hi = reference.bounds
    assert lo <= shuffled.starts.min() and shuffled.ends.max() <= hi
    assert not model.integer or not ((shuffled.starts % 1).any() or (shuffled.ends % 1).any())
    for name in shuffled.annotators:
        rows = shuffled.rows_of(name)
        # Units are identified by their category, because they may pass each other.
        unit = np.argsort(shuffled.category_codes[rows])
        starts, ends = shuffled.starts[rows], shuffled.ends[rows]
        reach = factor * magnitude * reference.lengths + 1e-6
        assert (np.abs(starts[unit] - reference.starts) <= reach).all()
        assert (np.abs(ends[unit] - reference.ends) <= reach).all()
        assert ((ends > starts)[unit] == (reference.lengths > 0)).all()
        assert overlap is True or (starts[1:] >= ends[:-1]).all()


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 50),
    st.integers(0, 40),
    st.integers(0, 50),
    st.floats(0, 1),
    st.floats(0, 4),
    st.integers(0, 99),
)
def test_free_shifts_of_a_unit_stay_within_f_m_len(
    before: int, length: int, after: int, magnitude: float, factor: float, seed: int
) -> None:
    unit = Unit("R", before, before + length, "a")
    reference = Continuum.from_units([unit], bounds=(0, before + length + after))
    shuffled = shuffle(reference, Position(factor=factor, overlap=True), magnitude, 3, seed=seed)
    reach = factor * magnitude * length + 1e-6
    assert (np.abs(shuffled.starts - unit.start) <= reach).all()
    assert (np.abs(shuffled.ends - unit.end) <= reach).all()
    assert ((shuffled.lengths > 0) == (length > 0)).all()
    assert shuffled.starts.min() >= 0
    assert shuffled.ends.max() <= reference.bounds[1]


def test_free_shifts_are_uniform() -> None:
    """U(−s, s) has mean 0 and variance s²/3; here s = .5·200 = 100."""
    units = [Unit("R", 1000 * i + 0.5, 1000 * i + 200.5, "a") for i in range(2000)]
    reference = Continuum.from_units(units, bounds=(-1000, 3_000_000))
    shuffled = shuffle(reference, Position(factor=1, overlap=True), 0.5, 1)
    for new, old in ((shuffled.starts, reference.starts), (shuffled.ends, reference.ends)):
        shift = new - old
        assert abs(shift.mean()) < 4 * 100 / np.sqrt(3 * 2000)
        assert shift.var() == pytest.approx(100**2 / 3, rel=0.06)


def test_units_kept_apart_move_freely_if_nothing_is_in_the_way() -> None:
    units = [Unit("R", 1000 * i + 0.5, 1000 * i + 200.5, "a") for i in range(1000)]
    reference = Continuum.from_units(units, bounds=(-1000, 3_000_000))
    shuffled = shuffle(reference, Position(factor=1, overlap=False), 0.4, 1)
    shift = np.concatenate((shuffled.starts - reference.starts, shuffled.ends - reference.ends))
    assert shift.var() == pytest.approx(80**2 / 3, rel=0.06)


@pytest.mark.parametrize("integer", [pytest.param(True, marks=pytest.mark.slow), False])
def test_units_kept_apart_have_the_conditional_distribution(integer: bool) -> None:
    """Brute force draws all boundaries freely and keeps the draws without overlap."""
    places = np.array([[10, 14], [15, 19], [22, 24]])
    units = [Unit("R", s, e, name) for (s, e), name in zip(places, "abc", strict=True)]
    reference = Continuum.from_units(units, bounds=(7, 29))
    model = replace(fit(reference), integer=integer)
    shuffled = shuffle(reference, Position(factor=2), 1, 1200, model=model)
    drawn = np.stack((shuffled.starts, shuffled.ends), axis=1)
    drawn = drawn[np.lexsort((shuffled.category_codes, shuffled.annotator_codes))]
    drawn = drawn.reshape(1200, 3, 2)
    reach = 2 * (places[:, 1:] - places[:, :1])
    low, high = np.maximum(places - reach, 7), np.minimum(places + reach, 29)
    rng = np.random.default_rng(3)
    shape = (400_000, 3, 2)
    free = rng.integers(low, high + 1, shape) if integer else rng.uniform(low, high, shape)
    kept = free[(free[..., 0] < free[..., 1]).all(axis=1)]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        apart = (kept[:, i, 1] <= kept[:, j, 0]) | (kept[:, j, 1] <= kept[:, i, 0])
        kept = kept[apart]
    assert len(kept) > 10_000
    assert drawn.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.3)
    assert drawn.std(axis=0) == pytest.approx(kept.std(axis=0), abs=0.2)
    swapped = (drawn[:, 1, 0] < drawn[:, 0, 0]).mean()
    assert swapped == pytest.approx((kept[:, 1, 0] < kept[:, 0, 0]).mean(), abs=0.03)


def test_ordered_places_have_the_conditional_distribution() -> None:
    """Brute force draws independently and keeps the draws that are in order."""
    present = np.array([10.0, 14.0, 14.0, 19.0])
    reach = np.array([5.0, 5.0, 4.0, 4.0])
    strict = np.array([True, False, True])
    rng = np.random.default_rng(5)
    drawn = np.array(
        [draw_ordered(present, reach, 7, 21, strict, integer=True, rng=rng) for _ in range(4000)]
    )
    low, high = np.maximum(present - reach, 7), np.minimum(present + reach, 21)
    free = rng.integers(low.astype(int), high.astype(int) + 1, (60_000, 4))
    kept = free[(free[:, 0] < free[:, 1]) & (free[:, 1] <= free[:, 2]) & (free[:, 2] < free[:, 3])]
    assert drawn.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.15)
    assert drawn.std(axis=0) == pytest.approx(kept.std(axis=0), abs=0.12)


def test_ordered_fractional_places_have_the_conditional_distribution() -> None:
    present, reach = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 2.0])
    rng = np.random.default_rng(5)
    strict = np.array([True, False])
    drawn = np.array(
        [draw_ordered(present, reach, 0, 9, strict, integer=False, rng=rng) for _ in range(3000)]
    )
    free = rng.uniform(np.maximum(present - reach, 0), present + reach, (40_000, 3))
    kept = free[(np.diff(free, axis=1) > 0).all(axis=1)]
    assert drawn.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.05)
    assert drawn.std(axis=0) == pytest.approx(kept.std(axis=0), abs=0.04)


def test_long_ranges_of_whole_places_are_sampled() -> None:
    present, reach = np.array([5000.0, 5001.0]), np.array([4000.0, 4000.0])
    rng = np.random.default_rng(1)
    drawn = np.array(
        [
            draw_ordered(present, reach, 0, 10_000, np.array([True]), integer=True, rng=rng)
            for _ in range(500)
        ]
    )
    assert not (drawn % 1).any()
    assert (np.abs(drawn - present) <= 4000).all()
    assert (drawn[:, 1] > drawn[:, 0]).all()
    # Order statistics of two uniform draws on [0, 8000] are a third and two thirds.
    assert drawn.mean(axis=0) - 1000 == pytest.approx([8000 / 3, 16000 / 3], rel=0.08)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.floats(0, 1), st.integers(0, 99))
def test_segmentations_stay_covering(lengths: list[int], magnitude: float, seed: int) -> None:
    reference = tiled(lengths)
    model = fit(reference)
    assert model.layout is Layout.COVERING
    shuffled = shuffle(reference, Position(factor=2), magnitude, 2, model=model, seed=seed)
    for name in shuffled.annotators:
        rows = shuffled.rows_of(name)
        starts, ends = shuffled.starts[rows], shuffled.ends[rows]
        assert (starts[0], ends[-1]) == reference.bounds
        assert np.array_equal(starts[1:], ends[:-1])
        assert len(starts) == len(lengths) and (ends > starts).all()
        bound = 2 * magnitude * reference.lengths + 1e-6
        assert (np.abs(starts - reference.starts) <= bound).all()
        assert (np.abs(ends - reference.ends) <= bound).all()


def test_the_variant_follows_the_model_by_default() -> None:
    reference = disjoint([(1, 50), (1, 50), (1, 50)], 1)
    apart = fit(reference)
    assert shuffle(reference, Position(factor=3), 1, 20, model=apart).n_units == 60
    free = shuffle(reference, Position(factor=3, overlap=True), 1, 20, model=apart)
    overlaps = [
        (free.starts[rows][1:] < free.ends[rows][:-1]).any()
        for rows in (free.rows_of(a) for a in free.annotators)
    ]
    assert any(overlaps)


def test_units_that_overlap_cannot_be_kept_apart() -> None:
    reference = Continuum.from_units([Unit("R", 0, 9, "a"), Unit("R", 5, 12, "a")])
    with pytest.raises(DataError, match="unit 5-12 overlaps an earlier one"):
        shuffle(reference, Position(overlap=False), 0.5)
    shuffle(reference, Position(), 0.5)


def test_a_covering_model_needs_a_segmentation() -> None:
    reference = disjoint([(3, 50), (1, 50)], 1)
    with pytest.raises(DataError, match="between 0 and 3"):
        shuffle(reference, "position", 0.5, model=fit(tiled([4, 5])))


@pytest.mark.parametrize("factor", [-1, float("inf"), float("nan")])
def test_bad_factors_are_refused(factor: float) -> None:
    with pytest.raises(UsageError, match="factor"):
        Position(factor=factor)


@settings(max_examples=60, deadline=None)
@given(
    steps,
    st.sampled_from([1, 0.37]),
    st.floats(0, 1),
    st.sampled_from([None, True]),
    st.integers(0, 99),
)
def test_units_that_keep_their_lengths_are_moved_whole(
    steps: list[tuple[int, int]], scale: float, magnitude: float, overlap: bool | None, seed: int
) -> None:
    reference = disjoint(steps, scale)
    model = replace(fit(reference), integer=scale == 1)
    assume(overlap or model.layout != "covering")  # units of a segmentation share their boundaries
    error = Position(overlap=overlap, keep_lengths=True)
    before = {u.category: u for u in reference}
    shuffled = shuffle(reference, error, magnitude, 2, model=model, seed=seed)
    low, high = reference.bounds
    for unit in shuffled:
        own = before[unit.category]
        length = own.end - own.start
        assert unit.end - unit.start == pytest.approx(length, abs=1e-9)
        assert abs(unit.start - own.start) <= 3 * magnitude * length + 1e-9
        assert low - 1e-9 <= unit.start <= unit.end <= high + 1e-9
    if overlap is None:
        for name in shuffled.annotators:
            rows = shuffled.rows_of(name)
            starts, ends = shuffled.starts[rows], shuffled.ends[rows]
            order = np.lexsort((ends, starts))
            assert (starts[order][1:] >= ends[order][:-1] - 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("integer", [True, False])
def test_whole_units_kept_apart_have_the_conditional_distribution(integer: bool) -> None:
    """Brute force draws all starts freely and keeps the draws without overlap."""
    places = np.array([[10, 14], [15, 19], [22, 24]])
    units = [Unit("R", s, e, name) for (s, e), name in zip(places, "abc", strict=True)]
    reference = Continuum.from_units(units, bounds=(7, 29))
    model = replace(fit(reference), integer=integer)
    shuffled = shuffle(reference, Position(factor=2, keep_lengths=True), 1, 400, model=model)
    drawn = shuffled.starts[np.lexsort((shuffled.category_codes, shuffled.annotator_codes))]
    drawn = drawn.reshape(400, 3)
    starts, lengths = places[:, 0], places[:, 1] - places[:, 0]
    low = np.maximum(starts - 2 * lengths, 7)
    high = np.minimum(starts + 2 * lengths, 29 - lengths)
    rng = np.random.default_rng(3)
    shape = (200_000, 3)
    kept = rng.integers(low, high + 1, shape) if integer else rng.uniform(low, high, shape)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        apart = kept[:, i] + lengths[i] <= kept[:, j]
        kept = kept[apart | (kept[:, j] + lengths[j] <= kept[:, i])]
    assert len(kept) > 10_000
    assert drawn.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.7)
    assert drawn.std(axis=0) == pytest.approx(kept.std(axis=0), abs=0.5)
    swapped = (drawn[:, 1] < drawn[:, 0]).mean()
    assert swapped == pytest.approx((kept[:, 1] < kept[:, 0]).mean(), abs=0.1)


def test_segmentations_cannot_keep_lengths() -> None:
    reference = tiled([3, 4, 5])
    with pytest.raises(UsageError, match="overlap=true"):
        shuffle(reference, Position(keep_lengths=True), 0.5, 1)
    found = shuffle(reference, Position(keep_lengths=True, overlap=True), 0.5, 1)
    assert sorted(found.lengths.tolist()) == [3, 4, 5]
