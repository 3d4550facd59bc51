"""Generalised Hamming distance: published examples, nltk, and an assignment problem as oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics import segmentation as nltk
from scipy.optimize import linear_sum_assignment

from gammacp.errors import UsageError
from gammacp.segmentation import Segmentation, ghd, ghd_of_positions

masses = Segmentation.from_masses
costs = st.floats(0, 5).map(lambda x: round(x, 2))


@pytest.mark.parametrize(
    ("reference", "hypothesis", "insertion", "deletion", "shift", "distance"),
    [
        ("1100100000", "1100010000", 1, 1, 0.5, 0.5),
        ("011", "110", 1, 1, 0.5, 1),
        ("111", "000", 1, 1, 0.5, 3),
        # Further examples by Kulyukin, from nltk's documentation.
        ("1100100000", "1100000001", 1, 1, 0.5, 2),
        ("1", "0", 1, 1, 0.5, 1),
        ("000", "111", 1, 2, 0.5, 6),
    ],
)
def test_published_examples(
    reference: str,
    hypothesis: str,
    insertion: float,
    deletion: float,
    shift: float,
    distance: float,
) -> None:
    score = ghd(
        Segmentation.from_string(reference),
        Segmentation.from_string(hypothesis),
        insertion=insertion,
        deletion=deletion,
        shift=shift,
    )
    assert score.distance == pytest.approx(distance)


def assigned(
    ref: list[float], hyp: list[float], insertion: float, deletion: float, shift: float
) -> float:
    """Return the same distance as a square assignment problem, in which pairs may cross."""
    n, m = len(ref), len(hyp)
    cost = np.zeros((n + m, n + m))
    cost[:n, :m] = shift * np.abs(np.subtract.outer(ref, hyp))
    cost[:n, m:] = insertion
    cost[n:, :m] = deletion
    return float(cost[linear_sum_assignment(cost)].sum())


@settings(max_examples=50, deadline=None)
@given(
    st.sets(st.integers(1, 60), max_size=12),
    st.sets(st.integers(1, 60), max_size=12),
    costs,
    costs,
    costs,
)
def test_distances_are_optimal(
    ref: set[int], hyp: set[int], insertion: float, deletion: float, shift: float
) -> None:
    positions = np.array(sorted(ref), np.int64), np.array(sorted(hyp), np.int64)
    distance = ghd_of_positions(*positions, insertion=insertion, deletion=deletion, shift=shift)
    want = assigned(sorted(ref), sorted(hyp), insertion, deletion, shift)
    assert distance.distance == pytest.approx(want, abs=1e-9)
    assert 0 <= distance.distance <= distance.largest + 1e-9


def test_a_thousand_random_cases_equal_nltk() -> None:
    rng = np.random.default_rng(0)
    for _ in range(1000):
        length = int(rng.integers(1, 80))
        strings = ["".join(rng.choice(["0", "1"], length, p=[0.8, 0.2])) for _ in range(2)]
        # nltk's recursion is exact if insertion and deletion cost the same.
        cost, shift = float(rng.uniform(0.5, 8)), float(rng.uniform(0.1, 2))
        score = ghd(
            *(Segmentation.from_string(s) for s in strings),
            insertion=cost,
            deletion=cost,
            shift=shift,
        )
        want = nltk.ghd(*strings, ins_cost=cost, del_cost=cost, shift_cost_coeff=shift)
        assert score.distance == pytest.approx(want)


def test_agreement_is_relative_to_deleting_and_inserting_everything() -> None:
    # The mean segment of the reference is 11/3. The boundary at 2 is inserted: 1/(2 + 1) of the
    # most.
    score = ghd(masses([2, 3, 6]), masses([5, 6]))
    assert score.distance == pytest.approx(11 / 3)
    assert score.agreement == pytest.approx(2 / 3)
    assert ghd(masses([7]), masses([7])).agreement == 1
    assert ghd(masses([7]), masses([3, 4])).agreement == 0
    same = masses([3, 1, 7, 2, 11])
    assert ghd(same, same).agreement == 1


def test_bad_costs() -> None:
    with pytest.raises(UsageError, match="shift cost -1"):
        ghd(masses([7]), masses([7]), shift=-1)
