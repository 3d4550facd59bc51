"""Errors that change the number of units: splits, false positives, false negatives, merges."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, DataError, Unit, UsageError
from shuffling import (
    CategoryModel,
    FalseNegative,
    FalsePositive,
    Merge,
    ReferenceModel,
    Split,
    Uniform,
    fit,
    reference_set,
    shuffle,
)

# Some of these tests ask for more errors than can be made.
pytestmark = pytest.mark.filterwarnings("ignore::shuffling.FewerErrors")
seeds = st.integers(0, 999)
magnitudes = st.floats(0, 1)


def units_of(continuum: Continuum, annotator: int) -> list[Unit]:
    return [u for u in continuum if u.annotator == continuum.annotators[annotator]]


def overlapping(continuum: Continuum) -> bool:
    return any(
        (continuum.starts[rows][1:] < continuum.ends[rows][:-1]).any()
        for rows in (continuum.rows_of(a) for a in continuum.annotators)
    )


def tiles(continuum: Continuum) -> bool:
    lo, hi = continuum.bounds
    for annotator in continuum.annotators:
        rows = continuum.rows_of(annotator)
        starts, ends = continuum.starts[rows], continuum.ends[rows]
        if not np.array_equal(np.append(starts, hi), np.append(lo, ends)):
            return False
    return True


@settings(max_examples=50, deadline=None)
@given(seeds, magnitudes, st.floats(0, 5), st.sampled_from([(True, 6), (True, 60), (False, 1)]))
def test_splits_tile_their_units_exactly(
    seed: int, magnitude: float, factor: float, shape: tuple[bool, int]
) -> None:
    integer, longest = shape
    lengths = Uniform(1 if integer else 0.25, longest)
    model = ReferenceModel(
        n_units=8,
        categories=(CategoryModel(name="a", prevalence=1, lengths=lengths),),
        gaps=Uniform(1, 9),
        integer=integer,
    )
    reference = reference_set(model, seed=seed)
    shuffled = shuffle(reference, Split(factor=factor), magnitude, 2, model=model, seed=seed)
    for a in range(2):
        parts = units_of(shuffled, a)
        for unit in reference:
            inside = [p for p in parts if unit.start <= p.start and p.end <= unit.end]
            assert inside[0].start == unit.start
            assert inside[-1].end == unit.end
            assert all(p.end == q.start for p, q in pairwise(inside))
            assert all(p.length > 0 and p.category == unit.category for p in inside)
            assert not integer or all(p.start % 1 == 0 == p.end % 1 for p in inside)
        wanted = int(np.floor(factor * magnitude * 8 + 0.5 + 1e-9))
        possible = int((reference.lengths - 1).sum()) if integer else wanted
        assert len(parts) == 8 + min(wanted, possible)


def test_number_of_splits_is_capped_at_five_times_the_units() -> None:
    reference = reference_set(ReferenceModel())
    assert shuffle(reference, Split(factor=5), 1, 1).n_units == 25 + 125
    with pytest.raises(UsageError, match="factor 6 > 5"):
        Split(factor=6)


def test_each_split_cuts_one_of_the_current_units() -> None:
    """Both splits of Pólya's urn with 2 units hit the same unit with probability 2/3, by hand.

    After the first split of unit i, two of the three current units are parts of i.
    """
    reference = Continuum.from_units([Unit("R", 0, 1000.5, "a"), Unit("R", 2000, 3000.5, "a")])
    shuffled = shuffle(reference, Split(factor=1), 1, 1500)
    in_first = np.bincount(shuffled.annotator_codes[shuffled.ends < 1500], minlength=1500)
    assert np.isin(in_first, [1, 3]).mean() == pytest.approx(2 / 3, abs=4 * np.sqrt(2 / 9 / 1500))


def test_units_that_cannot_be_split_are_unchanged() -> None:
    reference = Continuum.from_units([Unit("R", 0, 1), Unit("R", 4, 4), Unit("R", 6, 8)])
    shuffled = shuffle(reference, Split(factor=5), 1, 1)
    assert [(u.start, u.end) for u in shuffled] == [(0, 1), (4, 4), (6, 7), (7, 8)]


@pytest.mark.parametrize("magnitude", [0.2, 0.5, 0.9])
def test_false_negatives_drop_each_unit_with_probability_m(magnitude: float) -> None:
    reference = reference_set(ReferenceModel(n_units=25))
    shuffled = shuffle(reference, "false-negative", magnitude, 400, seed=3)
    shares = np.array(
        [
            np.isin(reference.starts, shuffled.starts[shuffled.rows_of(a)])
            for a in shuffled.annotators
        ]
    ).mean(axis=0)
    error = np.sqrt(magnitude * (1 - magnitude) / 400)
    assert shares == pytest.approx(np.full(25, 1 - magnitude), abs=4.5 * error)
    assert shares.mean() == pytest.approx(1 - magnitude, abs=4 * error / 5)


def test_false_negatives_at_magnitude_1_leave_nothing() -> None:
    shuffled = shuffle(reference_set(ReferenceModel()), "false-negative", 1, 3)
    assert shuffled.n_units == 0
    assert shuffled.n_annotators == 3


@settings(max_examples=40, deadline=None)
@given(seeds, magnitudes, st.sampled_from([None, False, True]))
def test_false_positives_are_added_to_the_reference(
    seed: int, magnitude: float, overlap: bool | None
) -> None:
    model = ReferenceModel()
    reference = reference_set(model, seed=seed)
    error = FalsePositive(factor=0.8, overlap=overlap)
    shuffled = shuffle(reference, error, magnitude, 2, model=model, seed=seed)
    lo, hi = reference.bounds
    assert lo <= shuffled.starts.min() and shuffled.ends.max() <= hi
    wanted = int(np.floor(0.8 * magnitude * 25 + 0.5 + 1e-9))
    for a in range(2):
        theirs = [(u.start, u.end, u.category) for u in units_of(shuffled, a)]
        true = [(u.start, u.end, u.category) for u in reference]
        new = list(theirs)
        for unit in true:
            new.remove(unit)
        assert len(new) <= wanted if overlap is False else len(new) == wanted
        assert all(50 <= end - start <= 150 for start, end, _ in new)
        assert all(start % 1 == 0 for start, _, _ in new)
    assert overlap is not False or not overlapping(shuffled)


def test_false_positives_have_the_models_prevalence_and_uniform_places() -> None:
    model = ReferenceModel(n_units=3000)
    reference = reference_set(model)
    shuffled = shuffle(reference, FalsePositive(factor=2), 1, 1, model=model)
    counts = np.bincount(shuffled.category_codes) - np.bincount(reference.category_codes)
    assert counts / 6000 == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=4 * 0.5 / np.sqrt(6000))
    half = (shuffled.starts < reference.length / 2).sum()
    half -= (reference.starts < reference.length / 2).sum()
    assert half / 6000 == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(6000))


def test_false_positives_without_overlap_fill_the_gaps_and_stop() -> None:
    reference = Continuum.from_units([Unit("R", 10, 20, "a"), Unit("R", 25, 35, "a")])
    shuffled = shuffle(reference, FalsePositive(factor=9, overlap=False), 1, 1)
    # The only gap is 5 long, shorter than the shortest unit.
    assert shuffled.n_units == 2
    wider = Continuum.from_units([Unit("R", 10, 20, "a"), Unit("R", 30, 50, "a")])
    model = replace(fit(wider), integer=True)
    filled = shuffle(wider, FalsePositive(factor=9, overlap=False), 1, 1, model=model)
    assert [(u.start, u.end) for u in filled] == [(10, 20), (20, 30), (30, 50)]


@settings(max_examples=30, deadline=None)
@given(seeds, magnitudes)
def test_merges_are_unions_of_neighbours(seed: int, magnitude: float) -> None:
    reference = reference_set(ReferenceModel(), seed=seed)
    shuffled = shuffle(reference, "merge", magnitude, 1, seed=seed)
    merges = int(np.floor(magnitude * 25 + 0.5 + 1e-9))
    assert shuffled.n_units == max(1, 25 - merges)
    assert not overlapping(shuffled)
    assert np.isin(shuffled.starts, reference.starts).all()
    assert np.isin(shuffled.ends, reference.ends).all()
    # Every unit of the reference is inside exactly one merged unit.
    inside = (shuffled.starts[:, None] <= reference.starts) & (
        reference.ends <= shuffled.ends[:, None]
    )
    assert (inside.sum(axis=0) == 1).all()


def test_a_merged_unit_has_the_category_of_the_longer() -> None:
    reference = Continuum.from_units([Unit("R", 0, 5, "a"), Unit("R", 7, 20, "b")])
    assert list(shuffle(reference, "merge", 0.5, 1)) == [Unit("annotator-1", 0, 20, "b")]
    assert shuffle(reference, Merge(same_category=True), 1, 1).n_units == 2


@settings(max_examples=30, deadline=None)
@given(
    seeds,
    magnitudes,
    st.sampled_from(
        ["split", "false-negative", "false-positive", "merge", "false-negative+position"]
    ),
    st.booleans(),
)
def test_segmentations_stay_covering(
    seed: int, magnitude: float, error: str, integer: bool
) -> None:
    model = ReferenceModel(n_units=9, integer=integer).laid_out("covering")
    reference = reference_set(model, seed=seed)
    shuffled = shuffle(reference, error, magnitude, 2, model=model, seed=seed)
    assert tiles(shuffled)


def test_a_missed_unit_of_a_segmentation_is_taken_by_the_unit_before() -> None:
    model = ReferenceModel(n_units=40).laid_out("covering")
    reference = reference_set(model)
    shuffled = shuffle(reference, "false-negative", 0.5, 200, model=model)
    boundaries = shuffled.n_units / 200 - 1
    assert boundaries == pytest.approx(39 / 2, abs=4 * np.sqrt(39 / 4 / 200))
    assert np.isin(shuffled.starts, reference.starts).all()
    gaps = shuffle(reference, FalseNegative(gaps=True), 0.5, 1, model=model)
    assert not tiles(gaps)


@pytest.mark.parametrize("error", ["false-negative", "false-positive"])
def test_a_covering_model_needs_a_segmentation(error: str) -> None:
    reference = Continuum.from_units([Unit("R", 0, 5, "A"), Unit("R", 7, 20, "B")])
    with pytest.raises(DataError, match="between 5 and 7"):
        shuffle(reference, error, 0.5, model=ReferenceModel().laid_out("covering"))


@settings(max_examples=30, deadline=None)
@given(seeds, magnitudes, st.sampled_from(["split", "position", "merge", "false-negative"]))
def test_disjoint_units_stay_disjoint(seed: int, magnitude: float, error: str) -> None:
    model = ReferenceModel()
    reference = reference_set(model, seed=seed)
    assert not overlapping(shuffle(reference, error, magnitude, 2, model=model, seed=seed))


def test_timestamps_in_milliseconds_are_shuffled_without_an_array_of_places() -> None:
    start = 1_700_000_000_000
    units = [Unit("R", start + i * 10**7, start + (i + 1) * 10**7, "a") for i in range(20)]
    reference = Continuum.from_units(units)
    model = fit(reference)
    for error in ("false-positive", "position", "split", "merge"):
        shuffled = shuffle(reference, error, 0.5, 2, model=model)
        assert tiles(shuffled)
        assert not (shuffled.starts % 1).any()
