"""Column generation: its prices and its bound, against all groups of small problems."""

from __future__ import annotations

import numpy as np
import pytest

from gammacp.alignment.columns import to_columns
from gammacp.alignment.duals.lp import Relaxation
from gammacp.alignment.duals.projection import support_of
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import group_costs
from gammacp.alignment.solvers import generation
from gammacp.alignment.solvers.generation import Generation, generate
from tests.alignment.enumeration import NEVER, all_groups, problem_of


@pytest.mark.parametrize("gap", [0.0, 0.2])
@pytest.mark.parametrize("cover", [False, True])
def test_prices_that_no_group_beats_are_the_bound(cover: bool, gap: float) -> None:
    for seed in range(5):
        problem = problem_of(210 + seed, 3 + seed % 3, 15, cover=cover)
        found = generate(problem, Limits(gap=gap), NEVER)
        for group, gain in all_groups(problem).items():
            assert gain <= found.price[list(group)].sum() + 1e-8 * problem.opening
        assert found.gain_bound == pytest.approx(found.price.sum())
        if cover:
            assert (found.price <= problem.opening).all()
        cost = float(group_costs(problem, found.groups).sum())
        lowest = problem.n_units * problem.opening - found.gain_bound
        assert lowest <= cost + 1e-9
        # Groups are listed once the bound is close; with a useless bound all would be listed.
        assert cost - lowest <= 3 * problem.opening
        assert found.complete or cost - lowest <= gap * cost + 1e-6


@pytest.mark.parametrize("nodes", [1, 1000])
@pytest.mark.parametrize("cover", [False, True])
def test_any_prices_are_made_feasible(cover: bool, nodes: int) -> None:
    """Any prices are made feasible and nonnegative.

    A unit alone gains nothing, so a price below 0 would make the bound too good.
    """
    for seed in range(6):
        problem = problem_of(230 + seed, 3 + seed % 3, 15, cover=cover)
        price = np.random.default_rng(seed).normal(0, 0.5 * problem.opening, problem.n_units)
        groups = improve(problem)
        pool = to_columns(problem, groups)
        support, _ = support_of(problem.n_units, pool, np.ones(pool.number), price, 1e-6)
        state = generation.GenerationState(
            columns=pool,
            price=price,
            groups=groups,
            gain=0.0,
            gain_bound=np.inf,
            trial=price,
            support=support,
        )
        found = generation.price_columns(problem, state, NEVER, nodes)
        assert (found.price >= 0).all()
        assert found.gain_bound == pytest.approx(found.price.sum())
        for group, gain in all_groups(problem).items():
            assert gain <= found.price[list(group)].sum() + 1e-8 * problem.opening


def test_trimmed_columns_keep_all_that_the_master_uses() -> None:
    pairs = np.arange(80, dtype=np.int32)
    columns = Columns(np.arange(0, 81, 2), pairs, np.linspace(1.0, 2.0, 40))
    value = (np.arange(40) % 4 == 0).astype(np.float64)
    kept = generation.trim(columns, Relaxation(value, np.ones(80)), most_columns=10)
    assert set(columns.gain[value > 0].tolist()) <= set(kept.gain.tolist())
    assert kept.number < columns.number


@pytest.mark.parametrize("cover", [False, True])
def test_generation_ends_even_if_the_pool_is_always_trimmed(cover: bool) -> None:
    """Feasible prices are found even if dropped columns have to come back again and again.

    Every group of a full enumeration is checked against the prices.
    """
    for seed in range(6):
        problem = problem_of(230 + seed, 3 + seed % 3, 15, cover=cover)
        found = generate(problem, Limits(tuning=[Generation(pool=4)]), NEVER)
        for group, gain in all_groups(problem).items():
            assert gain <= found.price[list(group)].sum() + 1e-8 * problem.opening
