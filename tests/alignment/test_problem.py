from __future__ import annotations

from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

from gammacp import Continuum, Unit
from gammacp.alignment import Status, build_problem
from gammacp.alignment.problem import Solution, solution
from gammacp.alignment.solvers.greedy import unitary_alignments_within
from gammacp.dissimilarity import Combined, bind, unit_columns
from gammacp.dissimilarity.base import UnitColumns
from gammacp.errors import UsageError
from tests.alignment.continua import random_continuum

NONE = np.zeros((0, 2), np.int32)


def test_gap_is_relative_to_the_objective() -> None:
    assert Solution(NONE, 4.0, 3.0, Status.FEASIBLE).gap == 0.25
    assert Solution(NONE, 0.5, 0.25, Status.FEASIBLE).gap == 0.5
    assert Solution(NONE, -4.0, -6.0, Status.FEASIBLE).gap == 0.5
    assert Solution(NONE, 4.0, 3.0, Status.OPTIMAL).gap == 0
    assert Solution(NONE, 0.0, -np.inf, Status.FEASIBLE).gap == np.inf


def test_a_bound_that_meets_the_objective_is_a_proof() -> None:
    """A bound above the objective is cut to it and proves it.

    By hand: two units far apart cost Δ each.
    """
    c = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 50, 51, "x")])
    problem = build_problem(c, bind(Combined(), c))
    alone = np.array([[0, -1], [-1, 1]], np.int32)
    for bound in (2.0, 2.5):
        proven = solution(problem, alone, bound)
        assert (proven.objective, proven.bound, proven.status) == (2, 2, Status.OPTIMAL)
    open_ = solution(problem, alone, 1.5)
    assert (open_.bound, open_.status) == (1.5, Status.FEASIBLE)
    assert open_.gap == pytest.approx(0.25)
    # Costs are not negative, so a negative bound is raised to 0.
    assert solution(problem, alone, -7.0).bound == 0


@pytest.mark.parametrize("n", [2, 3, 4])
def test_unitary_alignments_are_all_those_within(n: int) -> None:
    """The unitary alignments are those with ĕ, their mean over all pairs, within the limit.

    The product over annotators lists all of them.
    """
    for seed in range(12):
        c = random_continuum(seed, n, 3 * n)
        # With a steep f_cat, units of different categories are never aligned.
        bound = bind(Combined(f_cat="steep") if seed % 3 == 0 else Combined(), c)
        units = unit_columns(c)
        d = bound.pairwise(units[:, None], units[None, :])
        rows = [[-1, *np.flatnonzero(c.annotator_codes == a).tolist()] for a in range(n)]
        for most in (0.6, 1.0, float(n)):
            expected = set()
            for chosen in product(*rows):
                group = [u for u in chosen if u >= 0]
                pairs = [d[u, v] for u, v in combinations(group, 2)]
                disorder = (sum(pairs) + n * (n - 1) / 2 - len(pairs)) / (n * (n - 1) / 2)
                if len(group) >= 2 and disorder <= most + 1e-9:
                    expected.add(frozenset(group))
            problem = build_problem(c, bound, prune=False)
            found = unitary_alignments_within(problem, most)
            groups = [
                frozenset(found.members[lo:hi].tolist())
                for lo, hi in pairwise(found.begin.tolist())
            ]
            assert len(groups) == len(set(groups))
            assert set(groups) == expected


class _Gives:
    """Custom dissimilarity that returns a given value."""

    def __init__(self, value: object) -> None:
        self.value = value

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Any:
        if not isinstance(self.value, float):
            return self.value
        return np.full(np.broadcast_shapes(u.start.shape, v.start.shape), self.value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.nan, "of x 0–1 by A and y 5–6 by B is nan"),
        (-0.5, "is -0.5"),
        (None, "no array of a number for each of 1 pairs"),
        (np.zeros(2), "no array of a number for each of 1 pairs"),
    ],
)
def test_a_custom_dissimilarity_must_return_valid_numbers(value: object, said: str) -> None:
    """Invalid values raise an error.

    If such pairs were dropped silently, every unit would be alone and γ would be 0.
    """
    c = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 5, 6, "y")])
    with pytest.raises(UsageError, match=said):
        build_problem(c, bind(_Gives(value), c))


def test_units_that_must_not_be_aligned_may_cost_infinity() -> None:
    c = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 5, 6, "y")])
    assert len(build_problem(c, bind(_Gives(np.inf), c)).first) == 0
