"""The assignment of two annotators' units against scipy, and the prices of a halted run."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from gammacp.alignment.kernels.matching import best_matching
from gammacp.base.arrays import Floats
from gammacp.base.stopping import UNLIMITED, new_meter


def table(seed: int) -> Floats:
    """Return random gains of rows and columns, most of them negative; every other table
    has ties.
    """
    rng = np.random.default_rng(seed)
    gain = rng.normal(-0.5, 1, rng.integers(0, 30, 2))
    return np.round(gain, 1) if seed % 2 else gain


def matched(gain: Floats, *, halted: bool = False) -> tuple[Floats, Floats, Floats]:
    """Return the column of each row, the prices of the rows and the prices of the columns."""
    rows, columns = np.nonzero(gain > -0.3)
    begin = np.searchsorted(rows, np.arange(len(gain) + 1)).astype(np.int64)
    meter = new_meter(0 if halted else UNLIMITED)
    offers = columns.astype(np.int32), gain[rows, columns], gain.shape[1]
    return best_matching(begin, *offers, meter)


@pytest.mark.parametrize("seed", range(60))
def test_no_matching_gains_more(seed: int) -> None:
    gain = table(seed)
    column, of_rows, of_columns = matched(gain)
    pairs = np.flatnonzero(column >= 0)
    assert len(set(column[pairs])) == len(pairs)
    useful = np.maximum(gain, 0)
    best = useful[linear_sum_assignment(useful, maximize=True)].sum()
    assert gain[pairs, column[pairs]].sum() == pytest.approx(best, abs=1e-9)
    # By linear programming duality, feasible prices with the same sum prove the matching.
    assert of_rows.sum() + of_columns.sum() == pytest.approx(best, abs=1e-9)
    assert (of_rows[:, None] + of_columns >= gain - 1e-9).all()
    assert min(of_rows.min(initial=0), of_columns.min(initial=0)) >= 0


@pytest.mark.parametrize("seed", range(10))
def test_prices_of_a_halted_run_are_feasible(seed: int) -> None:
    gain = table(seed)
    column, of_rows, of_columns = matched(gain, halted=True)
    pairs = np.flatnonzero(column >= 0)
    assert len(set(column[pairs])) == len(pairs)
    assert (of_rows[:, None] + of_columns >= gain - 1e-9).all()
