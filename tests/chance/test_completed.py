"""Annotators with a rhythm: windows of their completed circle, and γ of independent ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import kstest

from gammacp import Continuum, Unit
from gammacp.chance.annotation import Annotation
from gammacp.chance.completed import CompletedAnnotation, completion, margin
from gammacp.chance.cut import prepare_cut

RNG = np.random.default_rng


def annotation(starts: list[float], ends: list[float], length: float) -> Annotation:
    s, e = np.array(starts), np.array(ends)
    return Annotation(s, e - s, np.arange(len(s), dtype=np.int32), length)


def tiling(rng: np.random.Generator, *, length: float = 400.0, mean: float = 20.0) -> Annotation:
    """Return units of length 20 ± 2 that begin before the text and end after it, cut by
    its bounds.
    """
    edges = np.cumsum(rng.normal(mean, mean / 10, 60)) - rng.uniform(10, 11) * mean
    edges = np.concatenate([[0.0], edges[(edges > 0) & (edges < length)], [length]])
    return annotation(edges[:-1].tolist(), edges[1:].tolist(), length)


def test_only_a_rhythm_is_completed() -> None:
    starts = [10.0 * k + k % 2 for k in range(8)]
    even = annotation(starts, [s + 4 for s in starts], 90)
    assert completion(even, declared=True) is not None
    scattered = annotation([s * s / 90 for s in starts], [s * s / 90 + 1 for s in starts], 90)
    assert completion(scattered, declared=True) is None
    overlapping = annotation(starts, [15, *(s + 4 for s in starts[1:])], 90)
    assert completion(overlapping, declared=True) is None
    few = annotation(starts[:7], [s + 4 for s in starts[:7]], 90)
    assert completion(few, declared=True) is None


def test_a_window_holds_as_many_units_as_the_text() -> None:
    for seed in range(30):
        own = completion(tiling(RNG(seed)), declared=True)
        assert isinstance(own, CompletedAnnotation)
        assert own.torn
        drawn = own.draw(RNG(seed))
        assert len(drawn.starts) == len(own.starts)
        assert drawn.starts[0] == pytest.approx(0)
        assert (drawn.starts + drawn.lengths)[-1] == pytest.approx(400)
        assert np.allclose(drawn.starts[1:], (drawn.starts + drawn.lengths)[:-1])
        assert drawn.lengths[1:-1].min() > 10


def test_a_part_at_the_end_of_the_text_has_the_length_of_another_text() -> None:
    """The first part of a random text has the distribution of that of real ones
    (Kolmogorov-Smirnov).
    """
    real = [tiling(RNG(k)).lengths[0] for k in range(400)]
    drawn = []
    for k in range(400):
        own = completion(tiling(RNG(1000 + k)), declared=True)
        assert own is not None
        drawn.append(own.draw(RNG(k)).lengths[0])
    assert kstest(drawn, real).pvalue > 0.01


def _disorder(c: Continuum) -> float:
    """Return the disorder of two annotators by scipy's assignment, with sporadic positions
    alone.
    """
    a, b = (slice(int(c.offsets[k]), int(c.offsets[k + 1])) for k in (0, 1))
    apart = np.abs(c.starts[a, None] - c.starts[b]) + np.abs(c.ends[a, None] - c.ends[b])
    cost = (apart / (c.lengths[a, None] + c.lengths[b])) ** 2
    saved = np.maximum(0.0, 2 - cost)
    i, j = linear_sum_assignment(saved, maximize=True)
    return float((c.n_units - saved[i, j].sum()) / c.mean_units)


@pytest.mark.slow
def test_independent_annotators_with_one_rhythm_have_a_gamma_of_zero() -> None:
    """Observed and expected disorder of positions are equal.

    Without the completion, γ would be −.30 ± .04.
    """
    observed, expected = [], []
    for k in range(300):
        rng = RNG([35, k])
        units = []
        for name in "AB":
            pitches = rng.normal(20, 1.5, 45)
            starts = np.cumsum(pitches) - rng.uniform(200, 300)
            units += [Unit(name, s, s + 14) for s in starts if s >= 0 and s + 14 <= 400]
        c = Continuum.from_units(units)
        sampler = prepare_cut([c], 2)
        assert "completed=2" in sampler.signature
        observed.append(_disorder(c))
        expected.append(np.mean([_disorder(sampler.draw(rng)) for _ in range(3)]))
    o, e = np.array(observed), np.array(expected)
    ratio = o.sum() / e.sum()
    error = float((o - ratio * e).std(ddof=1) / e.mean() / np.sqrt(len(o)))
    assert error < 0.04
    assert abs(1 - ratio) < 3 * error


def test_a_mixed_margin_is_that_of_residual_gaps_and_times() -> None:
    """By hand, exponential gaps give 1/Σ(1/gap), and a pitch of exactly 20 the mean of U(0, 20)."""
    loose = annotation([0, 30, 75], [10, 45, 80], 90)
    gap = (90 - 30) / 3
    assert margin([loose, loose], [False, False]) == pytest.approx(gap / 2)
    even = annotation([0, 20, 40, 60, 80], [5, 25, 45, 65, 85], 90)
    assert margin([even], [True]) == pytest.approx(10, rel=1e-3)


def test_a_unit_cut_by_a_window_is_left_out_unless_bounds_cut_units() -> None:
    starts = [3.0 + 20 * k for k in range(8)]
    even = annotation(starts, [s + 5 for s in starts], 160)
    own = completion(even, declared=True)
    assert own is not None
    assert not own.torn
    for seed in range(50):
        drawn = own.draw(RNG(seed))
        assert np.allclose(drawn.lengths, 5)
        assert np.allclose(np.diff(drawn.starts), 20)
        assert drawn.starts[0] >= -1e-9
        assert drawn.starts[-1] + 5 <= 160 + 1e-9
