import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.campaign.calibrate.curves import Curve, falling, invert, magnitude_at


def curve_of(gamma: float, noise: float, seed: int = 0) -> Curve:
    """Return a curve γ = 1 − gamma·m with noisy sets."""
    rng = np.random.default_rng(seed)
    magnitudes = np.array([0, 0.1, 0.25, 0.5, 0.75, 1.0])
    sets = (np.ones(6), *(1 - gamma * m + noise * rng.standard_normal(6) for m in magnitudes[1:]))
    # The campaign has one document, and its reference is known.
    return Curve(magnitudes, sets, np.zeros(6), noise * rng.standard_normal(8))


def test_pool_adjacent_violators_by_hand() -> None:
    values = np.array([1.0, 0.4, 0.6, 0.1])
    assert falling(values, np.ones(4)).tolist() == [1.0, 0.5, 0.5, 0.1]
    assert falling(values, np.array([1.0, 3, 1, 1])).tolist() == pytest.approx([1, 0.45, 0.45, 0.1])


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8), st.floats(-1, 1))
@settings(max_examples=60)
def test_inverting_gives_back_the_value(values: list[float], target: float) -> None:
    smooth = falling(np.array(values), np.ones(len(values)))
    assert (np.diff(smooth) <= 1e-12).all()
    magnitudes = np.linspace(0, 1, len(values))
    magnitude = invert(magnitudes, smooth, target)
    if target >= smooth[0]:
        assert magnitude == 0
    elif target < smooth[-1]:
        assert math.isinf(magnitude)
    else:
        assert np.interp(magnitude, magnitudes, smooth) == pytest.approx(target, abs=1e-9)


def test_a_level_stretch_is_cut_in_the_middle() -> None:
    assert invert(np.array([0, 0.2, 0.6, 1]), np.array([1, 0.5, 0.5, 0]), 0.5) == pytest.approx(0.4)


def test_a_line_is_inverted_without_noise() -> None:
    magnitude = magnitude_at(curve_of(0.8, 0), 0.6)
    assert [magnitude.value, magnitude.low, magnitude.high] == pytest.approx([0.5] * 3)


@pytest.mark.slow
def test_intervals_cover_the_true_magnitude() -> None:
    # A further set at magnitude .4 is measured; the interval must hold .4 in 95 % of the cases.
    rng = np.random.default_rng(3)
    inside = 0
    for i in range(120):
        measured = 1 - 0.8 * 0.4 + 0.05 * rng.standard_normal()
        magnitude = magnitude_at(curve_of(0.8, 0.05, seed=i), measured, draws=400)
        inside += magnitude.low <= 0.4 <= magnitude.high
    assert inside >= 0.9 * 120


def test_a_value_beyond_the_curve_has_an_infinite_magnitude() -> None:
    magnitude = magnitude_at(curve_of(0.5, 0.01), 0.3)
    assert math.isinf(magnitude.value)
    assert math.isinf(magnitude.high)
    near = magnitude_at(curve_of(0.5, 0.05), 0.52)
    assert math.isfinite(near.low)
    assert math.isinf(near.high)


def test_perfect_agreement_needs_no_error() -> None:
    """A γ of 1 has magnitude 0, and the interval ends where no simulated set has γ = 1 by
    chance.
    """
    sets = (np.ones(3), np.array([1, 1, 0.9]), np.array([1, 0.8, 0.9]), np.full(3, 0.7))
    curve = Curve(np.array([0, 0.05, 0.15, 0.3]), sets, np.zeros(4))
    magnitude = magnitude_at(curve, 1.0)
    assert (magnitude.value, magnitude.low, magnitude.high) == (0.0, 0.0, 0.3)
    magnitude = magnitude_at(Curve(np.array([0, 0.05]), sets[:2], np.zeros(2)), 1.0)
    assert (magnitude.value, magnitude.low, magnitude.high) == (0.0, 0.0, math.inf)


def test_cells_are_sorted_by_magnitude() -> None:
    curve = Curve.start(3)
    curve = curve.with_cell(0.5, np.full(3, 0.4), 0.2).with_cell(0.2, np.full(3, 0.7), 0.1)
    assert curve.magnitudes.tolist() == [0, 0.2, 0.5]
    assert curve.means.tolist() == pytest.approx([1, 0.7, 0.4])
    assert curve.misfit_at(0.1) == pytest.approx(0.05)
    assert curve.misfit_at(math.inf) == 0.2


def test_without_simulated_campaigns_nothing_is_excluded() -> None:
    curve = Curve.start(3).with_cell(0.5, np.array([0.5, 0.4, 0.3]), 0)
    magnitude = magnitude_at(curve, 0.6)
    assert (magnitude.low, magnitude.high) == (0, math.inf)
    assert magnitude.value == pytest.approx(1 / 3)
