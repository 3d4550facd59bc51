"""The chance model `tilted`: the time in which units are evenly dense, and common tilts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.chance.tilted import even, prepare_tilted, tilt_of, uneven


def thinning(seed: int, *, whole: bool = False) -> Continuum:
    """Return three annotators who share nothing except that they mark less and less."""
    rng, units = np.random.default_rng([9, seed]), []
    for who in "ABC":
        starts = np.cumsum(8 + rng.gamma(2.0, 3.0, 70)) - 8
        starts = starts[(rng.random(70) < 1 - 0.75 * starts / 600) & (starts < 590)]
        units += [
            Unit(who, float(s // 1 if whole else s), float(s // 1 if whole else s) + 8, "x")
            for s in starts
        ]
    return Continuum.from_units(units, bounds=(0, 600))


@pytest.mark.parametrize("mean", [0.1, 0.3, 0.45, 0.5, 0.62, 0.9])
def test_the_density_has_the_mean_and_even_is_its_distribution(mean: float) -> None:
    tilt = tilt_of(mean)

    def density(x: float) -> float:
        return 1.0 if tilt == 0 else tilt * np.exp(tilt * x) / np.expm1(tilt)

    assert quad(density, 0, 1)[0] == pytest.approx(1)
    assert quad(lambda x: x * density(x), 0, 1)[0] == pytest.approx(mean)
    for place in (0.0, 0.2, 0.7, 1.0):
        share = float(even(np.array([place]), tilt)[0])
        assert share == pytest.approx(quad(density, 0, place)[0], abs=1e-9)
        assert uneven(np.array([share]), tilt)[0] == pytest.approx(place)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 30), st.integers(0, 2**32 - 1), st.booleans())
def test_random_units_keep_their_lengths_order_and_bounds(
    seed: int, drawn: int, whole: bool
) -> None:
    c = thinning(seed, whole=whole)
    made = prepare_tilted([c], 3).draw(np.random.default_rng(drawn))
    for name in c.annotators:
        own, new = c.rows_of(name), made.rows_of(name)
        assert np.sort(made.lengths[new]) == pytest.approx(np.sort(c.lengths[own]))
        starts, ends = made.starts[new], made.ends[new]
        assert starts.min() >= -1e-9 and ends.max() <= 600 + 1e-9
        assert (starts[1:] >= ends[:-1] - 1e-6).all()


def test_random_units_lie_towards_the_same_end_as_real_ones() -> None:
    c = thinning(1)
    sampler = prepare_tilted([c], 3)
    drawn = [sampler.draw(np.random.default_rng(k)) for k in range(80)]
    middles = np.mean([float((d.starts + d.ends).mean()) / 2 for d in drawn])
    assert middles == pytest.approx(float((c.starts + c.ends).mean()) / 2, abs=12)
    assert middles < 270


def test_a_common_tilt_is_no_agreement() -> None:
    scores = [gc.gamma(thinning(k), samples=10, seed=k) for k in range(16)]
    told = [s for s in scores if s.with_tilt is not None]
    assert len(told) >= 8
    assert np.mean([s.value - (s.with_tilt or 0.0) for s in told]) > 0.02
    for score in told:
        assert score.as_dict()["gamma_with_tilt"] == score.with_tilt
        said = any(
            "random annotations that lie towards the beginning, too" in n for n in score.notes
        )
        assert said == (abs(score.value - (score.with_tilt or 0.0)) > 0.05)
        assert not any("fatigue" in note for note in score.notes)
