"""Packings and covers, relaxed and in whole numbers, against HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from gammacp.alignment import Status
from gammacp.alignment.columns import enumerate_columns
from gammacp.alignment.duals import lp
from gammacp.alignment.duals.diffusion import PriceTuning
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.cpsat import best_packing
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.problem import Problem
from gammacp.alignment.solvers.enumeration import solve_listed
from tests.alignment.enumeration import (
    listed,
    most_gain,
    problem_of,
)


def test_the_linear_relaxation() -> None:
    """Packings, their prices, packings with capacities and covers have the value of HiGHS."""
    for seed in range(8):
        problem = problem_of(80 + seed, 2 + seed % 4, 12)
        columns = enumerate_columns(problem)
        assert columns is not None
        if not columns.number:
            continue
        n = problem.n_units
        inside = np.zeros((n, columns.number))
        for c, group in enumerate(listed(columns)):
            inside[list(group), c] = 1
        capacity = np.random.default_rng(seed).integers(1, 5, n)
        for room in (np.ones(n, np.int64), capacity):
            most = -linprog(-columns.gain, inside, room, method="highs").fun
            x, price = lp.relax(n, columns, capacity=room)
            assert columns.gain @ x == pytest.approx(most, abs=1e-7)
            assert price @ room == pytest.approx(most, abs=1e-6)
            assert (price >= 0).all()
            assert (price @ inside >= columns.gain - 1e-6 * problem.opening).all()
        cost = np.concatenate(
            (inside.sum(axis=0) * problem.opening - columns.gain, np.full(n, problem.opening))
        )
        both = np.hstack((inside, np.eye(n)))
        least = linprog(cost, -both, -np.ones(n), method="highs").fun
        price = lp.relax(n, columns, problem.opening).price
        assert n * problem.opening - price.sum() == pytest.approx(least, abs=1e-6)


def test_prices_block_by_block() -> None:
    """Prices that are fitted block by block pay for all columns of the windows and prove the
    optimum.
    """
    blocks = PriceTuning(block=5)
    for seed in range(5):
        problem = problem_of(100 + seed, 2 + seed % 3, 30)
        columns = enumerate_columns(problem)
        assert columns is not None
        ranked = columns.renumber(problem.ranks)
        price = lp.block_prices(problem.n_units, ranked, block=blocks.block)
        paid = np.add.reduceat(price[ranked.members], ranked.begin[:-1])
        # There are six blocks of five units, and windows around the five borders between them.
        inside = (ranked.members >= 2) & (ranked.members < 27)
        seen = np.logical_or.reduceat(inside, ranked.begin[:-1])
        assert (paid >= ranked.gain - 1e-6 * problem.opening)[seen].all()
        found = solve_listed(problem, columns, Limits(tuning=[blocks]))
        least = problem.n_units * problem.opening - _most_gain_by_milp(problem, columns)
        assert found.status is Status.OPTIMAL
        assert found.objective == pytest.approx(least, abs=1e-6 * problem.opening)


def _most_gain_by_milp(problem: Problem, columns: Columns) -> float:
    inside = np.zeros((problem.n_units, columns.number))
    for c, group in enumerate(listed(columns)):
        inside[list(group), c] = 1
    whole = np.ones(columns.number, np.int64)
    return -float(linprog(-columns.gain, inside, np.ones(problem.n_units), integrality=whole).fun)


def test_a_packing_that_stops_early_has_a_bound() -> None:
    for seed in range(4):
        problem = problem_of(140 + seed, 3, 12)
        columns = enumerate_columns(problem)
        assert columns is not None
        most = most_gain(problem, listed(columns))
        for limits in (Limits(), Limits(gap=0.3), Limits(time_limit=1e-9)):
            found = best_packing(
                PackingProblem(columns, np.ones(problem.n_units, np.int64), problem.opening), limits
            )
            gained = columns.gain @ found.times
            assert gained <= most + 1e-9
            assert found.bound >= most - 1e-9
            assert found.proven == (limits == Limits())
            if found.proven:
                assert gained == pytest.approx(most, abs=1e-6)


def test_a_cover_that_stops_early_has_a_bound() -> None:
    """A cover that stops early has a bound below the set cover model in HiGHS.

    n = 3, where the opening is 3Δ.
    """
    for seed in range(4):
        problem = problem_of(150 + seed, 3, 12, cover=True)
        columns = enumerate_columns(problem)
        assert columns is not None
        n, m = problem.n_units, columns.number
        inside = np.hstack((np.zeros((n, m)), np.eye(n)))
        for c, group in enumerate(listed(columns)):
            inside[list(group), c] = 1
        sizes = inside.sum(axis=0)[:m]
        cost = np.append(sizes * problem.opening - columns.gain, np.full(n, problem.opening))
        least = linprog(cost, -inside, -np.ones(n), integrality=np.ones(m + n)).fun
        for limits in (Limits(), Limits(gap=0.3), Limits(time_limit=1e-9)):
            found = best_packing(
                PackingProblem(columns, np.ones(n, np.int64), problem.opening, cover=True), limits
            )
            assert found.bound >= n * problem.opening - least - 1e-9
            if found.proven:
                assert found.bound == pytest.approx(n * problem.opening - least, abs=1e-6)
