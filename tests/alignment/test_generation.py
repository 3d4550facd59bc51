"""Column generation: its prices and its bound against all groups of small problems."""

from __future__ import annotations

import pytest

from gammacp.alignment.generation import generate
from gammacp.alignment.problem import group_costs
from gammacp.alignment.solvers import Limits
from tests.alignment.enumeration import NEVER, all_groups, problem_of


@pytest.mark.parametrize("gap", [0.0, 0.2])
@pytest.mark.parametrize("cover", [False, True])
def test_prices_that_no_group_beats_are_the_bound(cover: bool, gap: float) -> None:
    for seed in range(5):
        problem = problem_of(210 + seed, 3 + seed % 3, 15, cover=cover)
        found = generate(problem, Limits(gap=gap), NEVER)
        for group, gain in all_groups(problem).items():
            assert gain <= found.price[list(group)].sum() + 1e-8 * problem.opening
        assert found.bound == pytest.approx(found.price.sum())
        if cover:
            assert (found.price <= problem.opening).all()
        cost = float(group_costs(problem, found.groups).sum())
        lowest = problem.n_units * problem.opening - found.bound
        assert lowest <= cost + 1e-9
        # Groups are listed once the bound is close; a useless one would list them all.
        assert cost - lowest <= 3 * problem.opening
        assert found.complete or cost - lowest <= gap * cost + 1e-6
