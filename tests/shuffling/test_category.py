from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Unit, UsageError
from shuffling import Category, ReferenceModel, shuffle

prevalences = st.lists(st.integers(1, 20), min_size=1, max_size=6).map(
    lambda weights: np.array(weights) / sum(weights)
)


@settings(max_examples=60, deadline=None)
@given(prevalences, st.floats(0, 1), st.booleans())
def test_matrices_are_stochastic_and_keep_the_prevalence(
    prevalence: np.ndarray, magnitude: float, overlap: bool
) -> None:
    matrix = Category(overlap=overlap).matrix(magnitude, prevalence)
    assert (matrix >= 0).all()
    assert matrix.sum(axis=1) == pytest.approx(np.ones(len(prevalence)))
    assert prevalence @ matrix == pytest.approx(prevalence)


@pytest.mark.parametrize("overlap", [False, True])
def test_matrices_run_from_the_identity_to_chance(overlap: bool) -> None:
    prevalence = np.array([0.5, 0.3, 0.2])
    error = Category(overlap=overlap)
    assert error.matrix(0, prevalence) == pytest.approx(np.eye(3))
    assert error.matrix(1, prevalence) == pytest.approx(np.tile(prevalence, (3, 1)))


def test_with_overlap_close_categories_are_confused_first() -> None:
    matrix = Category(overlap=True).matrix(0.3, np.full(4, 0.25))
    assert matrix[0, 1] > matrix[0, 2] > matrix[0, 3]


def test_plain_row_normalised_closeness() -> None:
    """The matrix for m = .5, computed by hand, is .5·I + .125·P + .375·O.

    Rows of closeness [1 .5; .5 1] are normalised to [2/3 1/3].
    """
    error = Category(overlap=True, closeness=((1, 0.5), (0.5, 1)), keep_prevalence=False)
    matrix = error.matrix(0.5, np.array([0.9, 0.1]))
    assert matrix[0] == pytest.approx([0.5 + 0.1125 + 0.25, 0.0125 + 0.125])


def test_a_category_without_prevalence_is_confused_with_the_others() -> None:
    matrix = Category(overlap=True).matrix(0.5, np.array([0.5, 0.0, 0.5]))
    assert matrix.sum(axis=1) == pytest.approx(np.ones(3))
    assert matrix[0, 1] == matrix[2, 1] == 0


@pytest.mark.parametrize(
    ("closeness", "message"),
    [
        (((1, 0.5),), "not a 4 × 4 matrix"),
        (tuple((1.0, 0.5, 0.2, -0.1) for _ in range(4)), "not symmetric"),
        (tuple((0.0, 0.0, 0.0, 0.0) for _ in range(4)), "with itself"),
    ],
)
def test_bad_closeness(closeness: tuple[tuple[float, ...], ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Category(overlap=True, closeness=closeness).matrix(0.5, np.full(4, 0.25))


def kappa(a: np.ndarray, b: np.ndarray) -> float:
    """Compute Cohen's κ from its definition."""
    observed = (a == b).mean()
    expected = sum((a == c).mean() * (b == c).mean() for c in np.unique(np.append(a, b)))
    return float((observed - expected) / (1 - expected))


def large_reference(n: int) -> tuple[Continuum, ReferenceModel]:
    model = ReferenceModel(n_units=n).fixed()
    return model.draw(np.random.default_rng(7)), model


@pytest.mark.parametrize("magnitude", [0.1, 0.5, 0.8, 1.0])
def test_kappa_between_two_annotators_tends_to_1_minus_m2_squared(magnitude: float) -> None:
    """κ tends to (1 − m²)² (MEASURES.md); its standard error is below 1/√n."""
    reference, model = large_reference(20_000)
    shuffled = shuffle(reference, "category", magnitude, 2, model=model, seed=1)
    first, second = (shuffled.category_codes[shuffled.rows_of(a)] for a in shuffled.annotators)
    assert kappa(first, second) == pytest.approx((1 - magnitude**2) ** 2, abs=4 / np.sqrt(20_000))


@pytest.mark.parametrize("overlap", [False, True])
def test_draws_follow_the_matrix(overlap: bool) -> None:
    reference, model = large_reference(20_000)
    error = Category(overlap=overlap)
    shuffled = shuffle(reference, error, 0.6, 1, model=model)
    matrix = error.matrix(0.6, model.prevalence)
    for c in range(4):
        rows = reference.category_codes == c
        shares = np.bincount(shuffled.category_codes[rows], minlength=4) / rows.sum()
        assert shares == pytest.approx(matrix[c], abs=4 * 0.5 / np.sqrt(rows.sum()))


def test_labels_without_prevalence_in_the_model_are_redrawn_evenly() -> None:
    named = replace(ReferenceModel().categories[0], prevalence=0)
    other = replace(ReferenceModel().categories[1], prevalence=0)
    unlabelled = replace(named, name=None, prevalence=1)
    model = ReferenceModel(categories=(named, other, unlabelled))
    reference = Continuum.from_units([Unit("R", i, i + 1, "A") for i in range(2000)])
    shuffled = shuffle(reference, "category", 1, 1, model=model)
    assert shuffled.category_codes.mean() == pytest.approx(0.5, abs=0.05)


def test_positions_are_unchanged() -> None:
    reference, model = large_reference(50)
    shuffled = shuffle(reference, "category", 1, 1, model=model)
    assert np.array_equal(shuffled.starts, reference.starts)
    assert np.array_equal(shuffled.ends, reference.ends)
