"""The study of intervals of ranks, whose true ranks are known."""

from __future__ import annotations

import numpy as np

from experiments import ranks_hold


def test_the_true_ranks_follow_the_slopes_and_equal_curves_share_theirs() -> None:
    assert ranks_hold.true_ranks(ranks_hold.straight_curves(0.2, 0.9, 0.5)) == [
        (3, 3),
        (1, 1),
        (2, 2),
    ]
    assert ranks_hold.true_ranks(ranks_hold.straight_curves(0.5, 0.5, 0.1)) == [
        (1, 2),
        (1, 2),
        (3, 3),
    ]
    saturated = ranks_hold.true_ranks(ranks_hold.saturated_curves())
    assert saturated[-1] == (5, 5)


def test_noise_has_the_stated_variance() -> None:
    z = np.random.default_rng(0).standard_normal(400_000)
    for noise in ranks_hold.NOISES.values():
        drawn = noise(z)
        assert abs(drawn.mean()) < 0.01
        assert abs(drawn.std() - 1) < 0.03


def test_a_share_of_tables_that_hold() -> None:
    row = ranks_hold.coverage_row("all different", "normal", 4, 6)
    assert row["runs"] == 6
    assert float(str(row["holds"])) >= 4 / 6
    assert float(str(row["mean_width"])) > 2  # four sets say little
