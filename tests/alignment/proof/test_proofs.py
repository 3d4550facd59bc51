"""The parts of a proof of optimality, each against its definition by full enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from gammacp import Combined
from gammacp.alignment import best_groups, build_problem, solve
from gammacp.alignment.columns import enumerate_columns
from gammacp.alignment.costs import pair_count
from gammacp.alignment.duals import lp
from gammacp.alignment.kernels.components import activate, columns_at, label_components
from gammacp.alignment.kernels.feasible_prices import make_feasible
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.pricing.exact import find_groups
from gammacp.alignment.problem import Problem
from gammacp.alignment.proof.components import Components, best_of_columns
from gammacp.alignment.proof.unit_bound import unit_bound
from gammacp.base.arrays import Floats
from gammacp.dissimilarity import bind
from tests.alignment.continua import DISSIMILARITIES, random_continuum
from tests.alignment.enumeration import (
    NEVER,
    Group,
    all_groups,
    edges,
    listed,
    most_gain,
    problem_of,
)


@pytest.mark.parametrize("seed", range(10))
def test_groups_above_a_price(seed: int) -> None:
    """The search lists exactly the groups that gain more than their prices and the floor."""
    problem = problem_of(seed, 3 + seed % 4, 13)
    opening, rng = problem.opening, np.random.default_rng(seed)
    gains = all_groups(problem)
    columns = enumerate_columns(problem)
    assert columns is not None
    fair = lp.relax(problem.n_units, columns).price
    for draw in range(12):
        # Some prices are random, others are close to the dual ones, so that many groups just pay or
        # not.
        any_price = rng.random(problem.n_units) * opening * 1.2
        near = np.maximum(fair + rng.normal(0, 0.1, problem.n_units) * opening, 0)
        price = any_price if draw % 3 == 0 else near
        every = {g: gain - sum(price[u] for u in g) for g, gain in gains.items()}
        floor = (-0.3, 0.0, 0.1)[draw % 3] * opening
        found = find_groups(problem, price, floor, every=True)
        assert found is not None
        expected = {g: gains[g] for g, value in every.items() if value > floor}
        assert listed(found.columns) == pytest.approx(expected, abs=1e-9)
        _check_excess(problem, price, every)


def _check_excess(problem: Problem, price: Floats, every: dict[Group, float]) -> None:
    """Check that each root's excess is that of its best group, and no less when the search ends
    early.
    """
    best = np.zeros(problem.n_units)
    for group, value in every.items():
        best[group[0]] = max(best[group[0]], value)
    found = find_groups(problem, price, 0.0)
    assert found is not None
    assert not found.unsure.any()
    assert found.excess == pytest.approx(best, abs=1e-9)
    assert set(listed(found.columns)) <= {g for g, value in every.items() if value > 0}
    roots = np.arange(0, problem.n_units, 2)
    for nodes in (0, 1, 3):
        early = find_groups(problem, price, 0.0, nodes=nodes, roots=roots)
        assert early is not None
        assert (early.excess[roots] >= best[roots] - 1e-9).all()
        assert early.excess[~early.unsure & (np.arange(len(best)) % 2 == 0)] == pytest.approx(
            best[~early.unsure & (np.arange(len(best)) % 2 == 0)], abs=1e-9
        )
    halted = find_groups(problem, price, 0.0, deadline=0.0)
    assert halted is not None
    assert (halted.excess >= best - 1e-9).all()


@pytest.mark.parametrize("seed", range(10))
def test_groups_that_no_split_beats(seed: int) -> None:
    n = 2 + seed % 5
    problem = problem_of(20 + seed, n, 12)
    weight, opening = edges(problem), problem.opening

    def stays(group: Group) -> bool:
        for size in range(1, len(group) // 2 + 1):
            for part in combinations(group, size):
                rest = set(group) - set(part)
                cut = sum(weight[min(u, v), max(u, v)] for u in part for v in rest)
                if cut + opening < -problem.tolerance:
                    return False
        return True

    expected = {g: gain for g, gain in all_groups(problem).items() if stays(g)}
    columns = enumerate_columns(problem)
    assert columns is not None
    assert listed(columns) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("nodes", [20_000, 0])
@pytest.mark.parametrize("cover", [False, True])
def test_any_prices_lead_to_the_optimum(nodes: int, cover: bool) -> None:
    """The proof by components finds the brute-force optimum from any prices.

    With a limit of 0 nodes, CP-SAT takes part.
    """
    limits = Limits(tuning=[Components(nodes=nodes)])
    for seed in range(12 if nodes else 4):
        n = 2 + seed % 4
        problem = problem_of(40 + seed, n, 10, cover=cover)
        continuum = random_continuum(40 + seed, n, 10)
        bound = bind(DISSIMILARITIES[(40 + seed) % len(DISSIMILARITIES)], continuum)
        brute = best_groups(continuum, bound, method="brute", cover=cover).disorder
        least = brute * pair_count(n) * continuum.mean_units
        columns = enumerate_columns(problem)
        assert columns is not None
        gains = columns.gain[rows := columns.gain >= 0]
        columns = columns.select(np.flatnonzero(rows)) if not cover else columns
        rng = np.random.default_rng(seed)
        for price in (np.zeros(10), rng.random(10) * problem.opening):
            chosen, most, *_ = best_of_columns(problem, columns, price, limits, NEVER)
            cost = problem.n_units * problem.opening - most
            assert cost == pytest.approx(least, abs=1e-7 * max(1.0, problem.opening))
            if not cover:
                gained = problem.n_units * problem.opening - columns.gain[chosen].sum()
                assert gained == pytest.approx(least, abs=1e-7)
        assert len(gains) or cover


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_of_units(seed: int) -> None:
    """The bound that sums the best pairs of each unit is never above the optimum.

    This also holds where only the closest pairs are listed.
    """
    n = 2 + seed % 4
    continuum = random_continuum(60 + seed, n, 11)
    bound = bind(Combined(), continuum)
    problem = build_problem(continuum, bound)
    least = problem.n_units * problem.opening - most_gain(problem, all_groups(problem))
    weight = edges(problem)
    brackets = 0.0
    for u in range(problem.n_units):
        best = [0.0] * n
        for (a, b), w in weight.items():
            if u in (a, b):
                k = problem.annotator[b if u == a else a]
                best[k] = max(best[k], w)
        brackets += (n - 1) / n * problem.opening + 0.5 * sum(best)
    assert unit_bound(problem) == pytest.approx(problem.n_units * problem.opening - brackets)
    assert unit_bound(problem) <= least + 1e-9
    for most in (0.0, 0.2, 0.7, 1.5):
        closest = build_problem(continuum, bound, most=most)
        found = unit_bound(closest, unlisted_weight=bound.delta - most)
        assert found <= least + 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_prices_of_a_matching_prove_it(seed: int) -> None:
    """The prices of a matching are a dual solution with the gain of the brute-force matching.

    No pair gains more than the prices of its two units.
    """
    problem = problem_of(120 + seed, 2, 14)
    groups = best_groups(
        continuum := random_continuum(120 + seed, 2, 14),
        bind(DISSIMILARITIES[(120 + seed) % len(DISSIMILARITIES)], continuum),
        method="brute",
    ).groups
    candidates = solve(problem, method="bipartite").tie_candidates
    assert candidates is not None
    price = candidates.price
    together = {tuple(sorted(group)) for group in groups.tolist() if min(group) >= 0}
    assert (price >= 0).all()
    gained = 0.0
    for (u, v), w in edges(problem).items():
        assert price[u] + price[v] >= w + problem.opening - 1e-9
        gained += (w + problem.opening) * ((u, v) in together)
    assert price.sum() == pytest.approx(gained, abs=1e-9)


def test_a_component_wider_than_a_word() -> None:
    """A component of more than 64 units is solved exactly; scipy's integer program is the oracle.

    In a ring of 90 units, the last pair is too wide for the 64-bit words of the search.
    """
    n = 90
    for seed in range(3):
        weight = np.random.default_rng(seed).uniform(0.1, 1, n)
        weight[-1] = 5.0
        first, second = np.arange(n, dtype=np.int32), (np.arange(n, dtype=np.int32) + 1) % n
        begin, members = 2 * np.arange(n + 1), np.column_stack((first, second)).ravel()
        columns = Columns(begin, members, weight)
        annotator = np.arange(n, dtype=np.int32) % 2
        problem = Problem(annotator, 2, first, second, weight - 1, opening=1.0)
        inside = np.zeros((n, n))
        inside[first, np.arange(n)] = inside[second, np.arange(n)] = 1
        most = -linprog(-weight, inside, np.ones(n), integrality=np.ones(n)).fun
        chosen, bound, *_ = best_of_columns(problem, columns, np.zeros(n), Limits(), NEVER)
        assert weight[chosen].sum() == pytest.approx(most, abs=1e-6)
        assert bound == pytest.approx(most, abs=1e-6)
        assert len(np.unique(members.reshape(n, 2)[chosen])) == 2 * len(chosen)


@pytest.mark.parametrize(("most", "raised"), [(NEVER, [3.0, 0.0, 1.0]), (2.0, [2.0, 1.0, 0.0])])
def test_prices_are_raised_no_further_than_needed(most: float, raised: list[float]) -> None:
    """Prices rise by the missing amount, which later columns benefit from; counted by hand.

    {0, 1} lacks 3, then {1, 2} lacks 1 minus the price that 1 has by then.
    """
    begin, members = np.array([0, 2, 4]), np.array([0, 1, 2, 1], np.int32)
    price = np.zeros(3)
    loss = make_feasible(price, Columns(begin, members, np.array([3.0, 1.0])), most)
    assert price.tolist() == raised
    assert loss.tolist() == [0, 0]


def test_components_and_the_columns_that_join_them() -> None:
    """Components are as by definition, and a column joins them if it loses less than they do."""
    begin = np.array([0, 2, 4, 7, 9, 11], np.int64)
    members = np.array([4, 2, 1, 2, 0, 3, 5, 5, 6, 6, 4], np.int32)
    active = np.array([True, True, False, False, False])
    label = np.zeros(7, np.int32)
    columns = Columns(begin, members, np.zeros(5))
    label_components(columns, active, label)
    assert label.tolist() == [0, 1, 1, 3, 1, 5, 6]
    least = np.array([0.25, 2.0, 9.0, 0.5, 9.0, 0.0, 1.0])
    loss = np.array([0.0, 0.0, 0.7, 1.0, 2.9])
    # By hand: {0, 3, 5} touches 0.75 in all, {5, 6} touches 1 and {6, 4} touches 3.
    every, last = np.arange(5), np.arange(4, 5)
    left, waiting = activate(columns, loss, active, every, label, least, 0.01, 2.5)
    assert (left, waiting.tolist()) == (2.9, [4])
    assert active.tolist() == [True, True, True, False, False]
    left, waiting = activate(columns, loss, active, every, label, least, -0.01, 2.5)
    assert (left, waiting.tolist()) == (2.9, [4])
    assert active.tolist() == [True, True, True, True, False]
    assert activate(columns, loss, active, every[:4], label, least, 0.01, 2.9)[0] == np.inf
    assert not active[4]
    left, waiting = activate(columns, loss, active, last, label, least, 0.01, 2.9)
    assert (left, waiting.tolist()) == (np.inf, [])
    assert active.all()


def test_columns_of_each_unit() -> None:
    columns = Columns(
        np.array([0, 2, 4, 7]), np.array([4, 2, 1, 2, 0, 3, 2], np.int32), np.zeros(3)
    )
    start, at = columns_at(6, columns)
    found = [at[start[u] : start[u + 1]].tolist() for u in range(6)]
    assert found == [[2], [1], [0, 1, 2], [2], [0], []]
