import numpy as np
import pytest

from gammacp import Continuum, DataError, Unit, UsageError
from shuffling import ERRORS, ReferenceModel, reference_set, shuffle, shuffled_set, shuffled_sets


@pytest.fixture(scope="module")
def reference() -> Continuum:
    return reference_set(ReferenceModel(), seed=1)


@pytest.mark.parametrize("error", [*ERRORS, "position+category+split"])
def test_magnitude_0_changes_only_the_annotators(error: str, reference: Continuum) -> None:
    shuffled = shuffle(reference, error, 0, 2)
    assert shuffled.annotators == ("annotator-1", "annotator-2")
    assert shuffled.bounds == reference.bounds
    for annotator in shuffled.annotators:
        rows = shuffled.rows_of(annotator)
        assert np.array_equal(shuffled.starts[rows], reference.starts)
        assert np.array_equal(shuffled.ends[rows], reference.ends)
        assert np.array_equal(shuffled.category_codes[rows], reference.category_codes)


@pytest.mark.parametrize("error", list(ERRORS))
def test_the_reference_is_not_in_the_output(error: str, reference: Continuum) -> None:
    shuffled = shuffle(reference, error, 0.8, 2)
    assert "reference" not in shuffled.annotators
    assert shuffled.bounds == reference.bounds
    units = {(u.start, u.end, u.category) for u in reference}
    for annotator in shuffled.annotators:
        theirs = {(u.start, u.end, u.category) for u in shuffled if u.annotator == annotator}
        assert theirs != units


@pytest.mark.parametrize("error", list(ERRORS))
def test_the_same_seed_gives_the_same_bits(error: str, reference: Continuum) -> None:
    assert shuffle(reference, error, 0.5, seed=3) == shuffle(reference, error, 0.5, seed=3)
    assert shuffle(reference, error, 0.5, seed=3) != shuffle(reference, error, 0.5, seed=4)


def test_an_annotator_does_not_depend_on_the_number_of_others(reference: Continuum) -> None:
    few, many = (shuffle(reference, "position", 0.5, n) for n in (1, 4))
    assert np.array_equal(few.starts, many.starts[many.rows_of("annotator-1")])


def test_a_single_set_equals_that_of_the_sweep() -> None:
    model = ReferenceModel(n_units=4)
    sweep = list(shuffled_sets(model, "position", 0.15, sets=4, seed=2))
    assert sweep[2] == shuffled_set(model, "position", 3 * 0.05, index=2, seed=2)
    assert sweep[1] != sweep[2]


def test_sets_of_a_sweep_share_their_reference() -> None:
    model = ReferenceModel()
    split = shuffled_set(model, "split", 0, index=3)
    shifted = shuffled_set(model, "position", 0, index=3)
    assert split == shifted
    assert split.bounds == reference_set(model, index=3).bounds


def test_annotators_err_independently(reference: Continuum) -> None:
    shuffled = shuffle(reference, "position", 1, 2)
    first, second = (shuffled.starts[shuffled.rows_of(a)] for a in shuffled.annotators)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("magnitude", [-0.1, 1.1, float("nan")])
def test_bad_magnitudes_are_refused(magnitude: float, reference: Continuum) -> None:
    with pytest.raises(UsageError, match=r"magnitude .* is outside \[0, 1\]"):
        shuffle(reference, "split", magnitude)
    with pytest.raises(UsageError, match="outside"):
        shuffled_set(ReferenceModel(), "split", magnitude)


def test_bad_calls_are_refused(reference: Continuum) -> None:
    with pytest.raises(UsageError, match="annotators 0 < 1"):
        shuffle(reference, "split", 0.1, 0)
    with pytest.raises(UsageError, match="did you mean 'split'"):
        shuffle(reference, "splits", 0.1)
    with pytest.raises(UsageError, match="no error type"):
        shuffle(reference, [], 0.1)
    with pytest.raises(UsageError, match="seed -1"):
        shuffle(reference, "split", 0.1, seed=-1)
    with pytest.raises(UsageError, match="index -1"):
        shuffled_set(ReferenceModel(), "split", 0.1, index=-1)
    two = Continuum.from_units([Unit("A", 0, 1), Unit("B", 0, 1)])
    with pytest.raises(DataError, match="2 annotators, but one is needed"):
        shuffle(two, "split", 0.1)


def test_a_reference_that_does_not_fit_the_model_is_refused() -> None:
    strange = Continuum.from_units([Unit("A", 0, 9, "X")])
    with pytest.raises(DataError, match="'X' of the reference is not in the reference model"):
        shuffle(strange, "split", 0.1, model=ReferenceModel())
    fractional = Continuum.from_units([Unit("A", 0, 9.5, "A")])
    with pytest.raises(DataError, match="not whole numbers"):
        shuffle(fractional, "split", 0.1, model=ReferenceModel())


def test_unlabelled_units_of_a_users_reference_are_accepted() -> None:
    own = Continuum.from_units([Unit("Ann", 0.5, 2.25), Unit("Ann", 3, 9)], bounds=(0, 10))
    for error in ERRORS:
        shuffled = shuffle(own, error, 0.5, 2)
        assert shuffled.bounds == (0, 10)
        assert all(u.category is None for u in shuffled)
