"""Prices of crowds, against full enumeration: no group costs less than its units' prices."""

from __future__ import annotations

from functools import cache
from itertools import islice

import numpy as np
import pytest
from scipy.optimize import linprog
from threadpoolctl import threadpool_limits

from gammacp import Combined, Continuum
from gammacp.alignment import build_problem
from gammacp.alignment.columns import singletons
from gammacp.alignment.duals import blocks
from gammacp.alignment.duals.blocks import restrict, shares_by_blocks
from gammacp.alignment.duals.definite import least_shift
from gammacp.alignment.duals.nested import relaxations, stages
from gammacp.alignment.duals.proximal import pair_values, proximal_steps
from gammacp.alignment.duals.semidefinite import (
    Semidefinite,
    ascend,
    enlarge,
    model,
    safe_sum,
    start,
)
from gammacp.alignment.heuristics.local_search import improve, resize
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem, group_costs
from gammacp.base.stopping import clock
from gammacp.dissimilarity import bind
from tests.alignment.crowds import crowd_problem
from tests.alignment.enumeration import all_groups, most_gain


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1, "blas"):
        yield


def beaten_by(problem: Problem, price: np.ndarray) -> float:
    """Return how far the cheapest group undercuts its units' prices; ≤ 0 if they are feasible."""
    groups = all_groups(problem)
    single = price.max(initial=-np.inf) - problem.opening
    larger = (
        sum(price[list(group)]) - (len(group) * problem.opening - gain)
        for group, gain in groups.items()
    )
    return max(single, *larger, -np.inf)


@cache
def least_cost(seed: int) -> float:
    """Return the least cost of `crowd_problem(seed)`, which several tests need."""
    problem = crowd_problem(seed)
    return problem.n_units * problem.opening - most_gain(problem, all_groups(problem))


@pytest.mark.parametrize("seed", range(8))
def test_no_group_undercuts_the_prices_of_an_iterate(seed):
    problem = crowd_problem(seed)
    matrices = model(problem, 3.0, 12)
    best = least_cost(seed)
    for found in islice(ascend(matrices, start(matrices)), 4):
        assert beaten_by(problem, found.share) <= 0
        assert found.bound <= best


@pytest.mark.parametrize("seed", range(8))
def test_no_group_undercuts_the_prices_of_a_stage(seed):
    problem = crowd_problem(seed)
    best = least_cost(seed)
    for found in islice(relaxations(problem, best, np.inf, Semidefinite(first=4)), 8):
        assert beaten_by(problem, found.share) <= 0
        assert found.bound <= best


@pytest.mark.parametrize("seed", range(3))
def test_no_group_undercuts_the_prices_of_blocks(seed):
    problem = crowd_problem(seed)
    best = least_cost(seed)
    rounds = 0
    for share, _, _ in islice(
        shares_by_blocks(problem, best, np.inf, Semidefinite(block=2 + seed % 6)), 4
    ):
        assert beaten_by(problem, share) <= 0
        assert safe_sum(share) <= best
        rounds += 1
    assert rounds


def even_crowd() -> Problem:
    """Return the problem of forty annotators who mark three of six places each."""
    rng = np.random.default_rng(0)
    starts = np.concatenate([12.0 * rng.permutation(6)[:3] for _ in range(40)])
    names, annotators = tuple(f"A{i:02}" for i in range(40)), np.repeat(np.arange(40), 3)
    kinds = np.zeros(120, np.int64)
    people = Continuum.from_codes(names, ("a",), starts, starts + 6, annotators, kinds)
    return build_problem(people, bind(Combined(), people))


@pytest.mark.slow
def test_blocks_of_an_even_crowd_come_close():
    problem = even_crowd()
    objective = group_costs(problem, resize(problem, improve(problem))).sum()
    tuning = Semidefinite(block=40)
    bounds = [
        safe_sum(share) for share, _, _ in shares_by_blocks(problem, objective, np.inf, tuning)
    ]
    assert 0.9 * objective < max(bounds) <= objective
    # No time is left, so that nothing is yielded.
    assert not list(shares_by_blocks(problem, objective, clock() - 1, tuning))


def test_blocks_come_before_all_annotators(monkeypatch):
    monkeypatch.setattr(blocks, "_FEW", 100)
    problem, inside = even_crowd(), []
    objective = group_costs(problem, resize(problem, improve(problem))).sum()
    for found in relaxations(problem, objective, np.inf, Semidefinite(first=40, block=60)):
        inside.append(found.n_inside)
        if inside[-1] == 40:
            break
    # One annotator, the annotators of the first stage, those of a block, and all.
    assert list(dict.fromkeys(inside)) == [1, 13, 20, 40]


def test_blocks_are_for_many_evenly_spread_units():
    assert blocks.blocks_pay(np.full(200, 5))
    assert not blocks.blocks_pay(np.full(100, 5))
    assert not blocks.blocks_pay(np.array([40] * 10 + [5] * 200))


@pytest.mark.parametrize("seed", range(8))
def test_no_group_undercuts_the_prices_of_a_proximal_step(seed):
    problem = crowd_problem(seed)
    best = least_cost(seed)
    for found in islice(proximal_steps(problem, singletons(problem)), 6):
        assert beaten_by(problem, found.share) <= 1e-9 * problem.opening
        assert found.bound <= best + 1e-9 * problem.opening


# One test for all these seeds: a test for each would take longer to collect, in every run.
@pytest.mark.slow
@pytest.mark.parametrize(
    "check",
    [
        test_no_group_undercuts_the_prices_of_an_iterate,
        test_no_group_undercuts_the_prices_of_a_stage,
        test_no_group_undercuts_the_prices_of_blocks,
        test_no_group_undercuts_the_prices_of_a_proximal_step,
    ],
)
def test_no_group_undercuts_the_prices_of_five_hundred_crowds(check):
    for seed in range(3, 515):
        check(seed)


@pytest.mark.parametrize("seed", range(6))
def test_pairs_have_the_values_of_the_groups_that_hold_them(seed):
    problem = crowd_problem(seed)
    groups = [*all_groups(problem)]
    value = np.random.default_rng(seed).random(len(groups)).round(1)
    sizes = [len(g) for g in groups]
    columns = Columns(
        np.cumsum([0, *sizes]), np.concatenate(groups).astype(np.int32), np.zeros(len(groups))
    )
    found = pair_values(problem, columns, value)
    for u, v, together in zip(problem.first, problem.second, found, strict=True):
        held = sum(x for x, g in zip(value, groups, strict=True) if u in g and v in g)
        assert together == pytest.approx(held)


@pytest.mark.parametrize("seed", range(6))
def test_proximal_steps_come_to_the_linear_relaxation(seed):
    problem = crowd_problem(seed)
    groups = all_groups(problem)
    rows = [np.isin(np.arange(problem.n_units), group).astype(float) for group in groups]
    exact = linprog(-np.array([*groups.values()]), np.array(rows).T, np.ones(problem.n_units))
    steps = [*islice(proximal_steps(problem, singletons(problem)), 60)]
    together = steps[-1].together
    assert together is not None
    assert (together >= 0).all()
    assert 0.3 <= together.max() <= 1.02
    bound = max(found.bound for found in steps)
    assert bound == pytest.approx(problem.n_units * problem.opening + exact.fun, rel=2e-3)


def test_repairs_of_the_multiplier_lose_less():
    more = []
    for seed in range(6):
        problem, bounds = crowd_problem(seed), []
        for repairs in (0, 12):
            matrices = model(problem, 3.0, repairs)
            bounds.append([found.bound for found in islice(ascend(matrices, start(matrices)), 3)])
        # The steps are the same; only the bound that each iterate proves is higher.
        more.append(np.diff(bounds, axis=0)[0] / problem.opening)
    assert np.min(more) >= -1e-9
    assert np.mean(more) > 0.01


def test_nothing_is_repaired_once_due():
    problem = crowd_problem(3)
    found = {}
    for repairs in (0, 12):
        matrices = model(problem, 3.0, repairs)
        found[repairs] = next(ascend(matrices, start(matrices), deadline=-np.inf)).share
    assert np.array_equal(found[0], found[12])
    assert beaten_by(problem, found[12]) <= 0


def test_the_relaxation_comes_close():
    gaps = []
    for seed in range(6):
        problem = crowd_problem(seed)
        best = least_cost(seed)
        bound = max(
            found.bound for found in islice(relaxations(problem, best, np.inf, Semidefinite()), 30)
        )
        gaps.append((best - bound) / max(best, problem.opening))
    assert np.mean(gaps) < 0.01


def test_a_larger_problem_starts_from_a_smaller_one():
    problem = crowd_problem(3)
    units = np.flatnonzero(problem.annotator < problem.n_annotators // 2)
    small, large = model(restrict(problem, units), 2.0, 12), model(problem, 9.0, 12)
    few = next(ascend(small, start(small)))
    grown = enlarge(few.iterate, small, large, units)
    assert np.allclose(grown.inside[1:, 1:][np.ix_(units, units)], few.iterate.inside[1:, 1:])
    assert np.all(grown.inside[0, 1:] == large.border)
    assert beaten_by(problem, next(ascend(large, grown)).share) <= 0


@pytest.mark.parametrize("seed", range(50))
def test_a_shifted_matrix_is_definite(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 40))
    matrix = rng.normal(size=(size, size))
    matrix = matrix + matrix.T if seed % 2 else matrix[:, :3] @ matrix[:, :3].T
    shift = least_shift(matrix)
    exact = -np.linalg.eigvalsh(matrix)[0]
    assert max(exact, 0.0) - 1e-12 <= shift <= max(exact, 0.0) + 1e-9


def test_stages_grow_to_all_units():
    assert stages(np.array([3, 2, 2]), Semidefinite()) == [3]
    few = stages(np.array([40, 35, 30, 20] + [3] * 100), Semidefinite())
    assert few == sorted(set(few))
    assert few[-1] == 104
    assert stages(np.full(1000, 5), Semidefinite())[-1] < 1000
