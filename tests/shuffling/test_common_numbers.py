"""Common random numbers of the magnitudes of a set, and the distribution of each magnitude."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, ks_2samp

from gammacp import Continuum
from shuffling import (
    Category,
    FalsePositive,
    FewerErrors,
    Merge,
    Position,
    ReferenceModel,
    Split,
    fit,
    reference_set,
    shuffle,
    shuffled_set,
)
from shuffling.setting import fewer_errors, operations
from shuffling.shuffle import Errors

MODEL = ReferenceModel()
MAGNITUDES = (0.2, 0.25, 0.3, 0.9, 1.0)
Floats = NDArray[np.float64]
Rng = np.random.Generator


def made(error: Errors, magnitude: float, model: ReferenceModel = MODEL) -> Continuum:
    return shuffled_set(model, error, magnitude, 1, index=2, seed=5)


def units(continuum: Continuum) -> set[tuple[float, float, str | None]]:
    return {(u.start, u.end, u.category) for u in continuum}


def steps(error: Errors, model: ReferenceModel = MODEL) -> list[tuple[Continuum, Continuum]]:
    sets = [made(error, m, model) for m in MAGNITUDES]
    assert units(sets[0]) != units(sets[-1])
    return list(pairwise(sets))


@pytest.mark.parametrize("covering", [False, True])
def test_missed_units_stay_missed_at_larger_magnitudes(covering: bool) -> None:
    for less, more in steps("false-negative", MODEL.laid_out("covering") if covering else MODEL):
        assert set(more.starts) <= set(less.starts)


@pytest.mark.parametrize("overlap", [True, False])
def test_new_units_are_added_to_those_of_smaller_magnitudes(overlap: bool) -> None:
    error = FalsePositive(overlap=overlap, factor=0.4)
    for less, more in steps(error, replace(MODEL, length=8000)):
        assert units(less) <= units(more)


@pytest.mark.parametrize("integer", [True, False])
def test_boundaries_are_added_one_by_one(integer: bool) -> None:
    for less, more in steps("false-positive", replace(MODEL.laid_out("covering"), integer=integer)):
        assert set(less.starts) <= set(more.starts)


def test_splits_and_merges_continue_those_of_smaller_magnitudes() -> None:
    for less, more in steps("split"):
        assert set(less.starts) <= set(more.starts)
    for less, more in steps("merge"):
        assert set(more.starts) <= set(less.starts)


@pytest.mark.parametrize("overlap", [False, True])
def test_changed_categories_stay_changed(overlap: bool) -> None:
    truth = reference_set(MODEL, index=2, seed=5).category_codes
    for less, more in steps(Category(overlap=overlap)):
        # A redrawn unit may get its former category.
        back = (less.category_codes != truth) & (more.category_codes == truth)
        assert not back.any() or overlap
    last = [made(Category(), m).category_codes for m in (0.7, 0.8)]
    changed = last[0] != truth
    assert (last[0] == last[1])[changed].all()


def test_free_shifts_are_scaled() -> None:
    model = replace(MODEL, integer=False, length=20_000)
    truth = reference_set(model, index=2, seed=5)
    small, large = (
        made(Position(overlap=True, factor=0.1), m, model).starts - truth.starts for m in (0.4, 0.8)
    )
    assert large == pytest.approx(2 * small)


@pytest.mark.parametrize(
    "model", [MODEL, MODEL.laid_out("covering"), replace(MODEL, integer=False)]
)
def test_units_without_overlap_move_little_between_magnitudes(model: ReferenceModel) -> None:
    """Independent draws would be as far apart as two annotators are."""
    apart = []
    for k in range(20):
        one, other = (shuffled_set(model, "position", m, 2, index=k) for m in (0.3, 0.32))
        first = [c.starts[c.rows_of("annotator-1")] for c in (one, other)]
        second = one.starts[one.rows_of("annotator-2")]
        apart.append([np.abs(first[0] - first[1]).mean(), np.abs(first[0] - second).mean()])
    near, far = np.mean(apart, axis=0)
    assert near < far / 3


def test_growth_makes_counted_errors_rarer_at_small_magnitudes() -> None:
    """By hand, there are 2·.5³·25 = 6.25 splits, .5²·25 = 6.25 new units and .5³·25 = 3.1
    merges.
    """
    assert operations(2, 0.5, 25, 3) == 6
    assert made("split:growth=3", 0.5).n_units == 31
    assert made(FalsePositive(growth=2), 0.5).n_units == 31
    assert made(Merge(growth=3), 0.5).n_units == 22
    assert made(Split(growth=3), 1) == made(Split(), 1)


def test_errors_without_room_are_counted() -> None:
    reference = Continuum.from_units(list(reference_set(MODEL.laid_out("covering"))))
    model = replace(fit(reference), integer=True)
    error = FalsePositive(overlap=False)
    with pytest.warns(FewerErrors, match="false-positive: 0 of 25 made, no room for more"):
        shuffle(reference, error, 1, 1, model=model)
    with fewer_errors() as told:
        shuffle(reference, error, 1, 3, model=model)
    assert [str(t) for t in told] == [
        "false-positive: 0 of 75 made by 3 annotators, no room for more"
    ]
    assert told[0].lacking(6) == 0.5  # if three more annotators had made all of theirs


# The former generator drew every magnitude independently, with NumPy's own bounded draws.


def shift(truth: Continuum, m: float, rng: Rng) -> tuple[Floats, Floats]:
    reach = np.floor(3 * m * truth.lengths + 1e-9)
    present = np.stack((truth.starts, truth.ends))
    low, high = np.maximum(present - reach, 0), np.minimum(present + reach, truth.bounds[1])
    places = rng.integers(low.astype(int), high.astype(int) + 1).astype(np.float64)
    starts, ends = places.min(axis=0), places.max(axis=0)
    empty = starts == ends
    up = empty & (ends < truth.bounds[1])
    return starts - (empty & ~up), ends + up


def added(truth: Continuum, m: float, rng: Rng) -> tuple[Floats, Floats]:
    new = operations(1, m, len(truth))
    _, lengths = MODEL.draw_units(rng, new)
    starts = rng.integers(0, (truth.bounds[1] - lengths).astype(int) + 1).astype(np.float64)
    return np.append(truth.starts, starts), np.append(truth.ends, starts + lengths)


def cut(truth: Continuum, m: float, rng: Rng) -> tuple[Floats, Floats]:
    places = rng.choice(np.arange(1, truth.bounds[1]), operations(1, m, len(truth)), replace=False)
    starts = np.sort(np.unique(np.append(truth.starts, places)))
    return starts, np.append(starts[1:], truth.bounds[1])


@pytest.mark.parametrize(
    ("error", "former", "model"),
    [
        (Position(overlap=True), shift, MODEL),
        (FalsePositive(), added, MODEL),
        (FalsePositive(), cut, MODEL.laid_out("covering")),
    ],
)
@pytest.mark.parametrize("magnitude", [0.2, 1.0])
def test_each_magnitude_has_the_distribution_of_independent_draws(
    error: Position | FalsePositive,
    former: Callable[[Continuum, float, Rng], tuple[Floats, Floats]],
    model: ReferenceModel,
    magnitude: float,
) -> None:
    truth = reference_set(model, seed=3)
    now = shuffle(truth, error, magnitude, 150, model=model, seed=11)
    rng = np.random.default_rng(12)
    before = [former(truth, magnitude, rng) for _ in range(150)]
    for column, k in ((now.starts, 0), (now.ends, 1), (now.lengths, None)):
        values = np.concatenate([b[1] - b[0] if k is None else b[k] for b in before])
        if former is cut:  # as many boundaries, except at places that were already taken
            column, values = (np.setdiff1d(v, truth.starts) for v in (column, values))
        assert ks_2samp(column, values).pvalue > 1e-3


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("magnitude", [0.2, 0.8])
def test_categories_are_confused_by_the_matrix(overlap: bool, magnitude: float) -> None:
    model = replace(MODEL, n_units=8000)
    truth = reference_set(model, seed=3)
    error = Category(overlap=overlap)
    now = shuffle(truth, error, magnitude, 1, model=model, seed=11).category_codes
    rng = np.random.default_rng(1)
    matrix = error.matrix(magnitude, model.prevalence)
    before = np.array([rng.choice(4, p=matrix[c]) for c in truth.category_codes])
    for c in range(4):
        rows = truth.category_codes == c
        counts = [np.bincount(codes[rows], minlength=4) for codes in (now, before)]
        assert chi2_contingency(np.array(counts) + 1).pvalue > 1e-3
