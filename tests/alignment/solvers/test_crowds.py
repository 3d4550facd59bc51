"""The solver for crowds, against full enumeration and the full model in CP-SAT."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gammacp import Continuum, align, gamma
from gammacp.alignment import Status
from gammacp.alignment.columns import singletons, to_columns
from gammacp.alignment.duals.nested import CostShares
from gammacp.alignment.duals.semidefinite import Semidefinite
from gammacp.alignment.heuristics.annealing import annealing_runs
from gammacp.alignment.limits import Limits, Ties
from gammacp.alignment.problem import group_costs, solution
from gammacp.alignment.solvers import crowds
from gammacp.alignment.solvers.crowds import Crowds, improve_in_turns, solve_crowd
from gammacp.alignment.solvers.generation import Generated, Generation
from gammacp.alignment.solvers.registry import solve
from gammacp.base.stopping import GIGA, UNLIMITED, counting, current_work, spend
from tests.alignment.crowds import crowd, crowd_problem
from tests.alignment.enumeration import all_groups, most_gain
from tests.work import LookedAtClock

# Every set counts as a crowd, and no columns are generated before.
AT_ONCE = (Generation(crowd=3), Crowds(first=1), Semidefinite(first=6))


@pytest.mark.parametrize("seed", range(5))
def test_bound_and_alignment_enclose_the_optimum_of_crowds(seed):
    problem = crowd_problem(seed)
    least = problem.n_units * problem.opening - most_gain(problem, all_groups(problem))
    full = solve(problem, method="cpsat")
    assert full.objective == pytest.approx(least, abs=1e-6)
    limits = Limits(time_limit=0.3, tuning=AT_ONCE)
    cost = problem.n_units * problem.opening
    groups, price = singletons(problem), np.full(problem.n_units, problem.opening)
    start = Generated(to_columns(problem, groups), price, groups, 0.0, cost)
    found = improve_in_turns(problem, start, limits, limits.deadline())
    assert cost - found.gain_bound <= least + 1e-9
    assert cost - found.gain >= least - 1e-9
    assert cost - found.gain == pytest.approx(group_costs(problem, found.groups).sum())


# One test for all these seeds: a test for each would take longer to collect, in every run.
@pytest.mark.slow
def test_bound_and_alignment_enclose_the_optimum_of_five_hundred_crowds():
    for seed in range(5, 508):
        test_bound_and_alignment_enclose_the_optimum_of_crowds(seed)


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=pytest.mark.slow if seed in (0, 2, 3) else ()) for seed in range(5)],
)
def test_the_back_end_proves_small_crowds(seed):
    problem = crowd_problem(seed)
    found = solve_crowd(problem, Limits(tuning=AT_ONCE))
    full = solve(problem, method="cpsat")
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(full.objective, abs=1e-6)
    assert found.bound <= full.objective + problem.slack


@pytest.mark.parametrize("seed", range(4))
def test_units_too_many_for_a_matrix_are_proven_otherwise(seed):
    problem = crowd_problem(seed)
    tuning = [Semidefinite(largest=2), Generation(trial=0)]
    found = solve_crowd(problem, Limits(tuning=tuning))
    full = solve(problem, method="cpsat")
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(full.objective, abs=1e-6)
    groups, price = singletons(problem), np.full(problem.n_units, problem.opening)
    cost = problem.n_units * problem.opening
    start = Generated(to_columns(problem, groups), price, groups, 0.0, cost)
    limits = Limits(time_limit=0.3, tuning=tuning)
    enclosed = improve_in_turns(problem, start, limits, limits.deadline())
    assert cost - enclosed.gain_bound <= full.objective + 1e-9
    assert cost - enclosed.gain >= full.objective - 1e-6


def test_a_long_continuum_is_searched_where_its_relaxation_leads(monkeypatch):
    problem, told = crowd_problem(3), []

    def searched(_problem, groups, *, together, **_):
        for _ in range(4):
            told.append(together())
            yield groups

    monkeypatch.setattr(crowds, "recombinations", searched)
    groups, price = singletons(problem), np.full(problem.n_units, problem.opening)
    cost = problem.n_units * problem.opening
    start = Generated(to_columns(problem, groups), price, groups, 0.0, cost)
    limits = Limits(time_limit=1.0, tuning=[Semidefinite(largest=2)])
    improve_in_turns(problem, start, limits, limits.deadline())
    assert told
    assert all(t is not None and len(t) == len(problem.first) for t in told)


def test_few_annotators_spend_no_more_than_their_head_start(monkeypatch):
    left = []

    def endless(_problem, found, _limits, _deadline):
        left.append((current_work().steps_left, current_work().steps))
        return found

    monkeypatch.setattr(crowds, "improve_in_turns", endless)
    problem = crowd_problem(3)
    monkeypatch.setattr(crowds, "_is_over", lambda *_: False)
    with counting():
        solve_crowd(problem, Limits())
    ((budget, taken),) = left
    assert budget == taken > 0
    # A crowd has no such limit: it is enclosed until no step improves it.
    solve_crowd(problem, Limits(tuning=[Generation(crowd=2)]))
    assert left[-1][0] == UNLIMITED


@pytest.mark.parametrize(
    ("short", "pairs", "seconds", "below", "goes_on"),
    [
        (0.005, 0, 0, 0, 1),
        (0.02, 0, 0, 0, 0),
        (0.02, 0, 60, 0, 1),
        (0.02, 50_000, 0, 0, 1),
        (0.02, 50_000, 0, 19, 1),
        (0.02, 50_000, 0, 21, 0),
        (0.02, 50_000, 60, 21, 1),
    ],
)
def test_columns_are_generated_again_where_the_crowd_is_small_little_is_open_or_time_is_left(
    short, pairs, seconds, below, goes_on, monkeypatch
):
    """Columns are generated again if the crowd is small, little is open or time is left.

    `below` says how many times the cost the bound of the head start lies below 0.
    """
    monkeypatch.setattr(crowds, "SEARCHED_PAIRS", pairs)
    problem, generated = crowd_problem(3), []
    cost = problem.n_units * problem.opening
    groups, price = singletons(problem), np.full(problem.n_units, problem.opening)
    far = Generated(to_columns(problem, groups), price, groups, 0.0, short * cost)
    monkeypatch.setattr(crowds, "improve_in_turns", lambda *_: far)
    begun = replace(far, gain_bound=(1 + below) * cost) if below else far
    monkeypatch.setattr(crowds, "_head_start", lambda *_: begun)
    monkeypatch.setattr(crowds, "generate", lambda *_: generated.append(1) or far)
    found = solve_crowd(problem, Limits(time_limit=seconds or None, tuning=AT_ONCE))
    assert len(generated) == goes_on
    assert found.bound <= (1 - short) * cost * (1 + 1e-9)


def test_a_larger_relaxation_has_time_to_overtake_the_smaller_one(monkeypatch):
    problem, prices = crowd_problem(3), np.zeros(crowd_problem(3).n_units)
    cost = problem.n_units * problem.opening
    best = cost - most_gain(problem, all_groups(problem))
    bounds = [0.5 * best, *(0.5 * best * k / 60 for k in range(60)), 0.9 * best]
    stages = [1, *[2] * 61]

    def relaxed(*_):
        for bound, inside in zip(bounds, stages, strict=True):
            spend(GIGA / 25)
            yield CostShares(prices, bound, inside)

    monkeypatch.setattr(crowds, "relaxations", relaxed)
    monkeypatch.setattr(crowds, "annealing_runs", lambda *_, **__: iter(()))
    groups, price = singletons(problem), np.full(problem.n_units, problem.opening)
    found = Generated(to_columns(problem, groups), price, groups, 0.0, cost)
    limits = Limits(tuning=AT_ONCE)
    found = improve_in_turns(problem, found, limits, limits.deadline())
    assert cost - found.gain_bound == pytest.approx(0.9 * best)


@pytest.mark.parametrize("seed", range(6))
def test_annealing_never_loses_and_repeats_itself(seed):
    problem = crowd_problem(seed)
    runs = []
    for _ in range(2):
        steps = annealing_runs(problem, singletons(problem), seed=seed)
        runs.append([next(steps) for _ in range(6)])
    costs = [group_costs(problem, groups).sum() for groups in runs[0]]
    assert all(b <= a + 1e-9 for a, b in pairwise(costs))
    assert all(np.array_equal(a, b) for a, b in zip(*runs, strict=True))
    for groups in runs[0]:
        assert np.array_equal(np.sort(groups[groups >= 0]), np.arange(problem.n_units))


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.3, 0.05])
def test_a_sufficient_gap_ends_the_search(gap):
    found = align(crowd(11, 32, 90, 4), gap=gap)
    assert found.gap <= gap


def test_the_time_limit_is_kept(monkeypatch):
    people = crowd(5, 60, 400, 8)
    looked = LookedAtClock(step=0.01)
    monkeypatch.setattr(time, "monotonic", looked)
    found = align(people, time_limit=1.0)
    assert looked.looks < 150  # the clock allows 100 looks until the limit
    assert 0 < found.bound <= found.disorder


@pytest.mark.parametrize("categories", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_units_nearly_all_at_one_place_are_proven(categories, monkeypatch):
    rng = np.random.default_rng(categories)
    starts, ends = 10 + rng.uniform(0, 0.001, 32), 20 + rng.uniform(0, 0.001, 32)
    near = Continuum.from_codes(
        tuple("abcd"),
        ("x", "y"),
        starts,
        ends,
        np.repeat(np.arange(4), 8),
        rng.integers(0, categories, 32),
    )
    looked = LookedAtClock(step=0.1)
    monkeypatch.setattr(time, "monotonic", looked)
    assert align(near, tuning=[Ties(steps=GIGA // 10)]).status is Status.OPTIMAL
    assert looked.looks < 200


def test_a_proof_leaves_less_than_1e_8_of_delta_open():
    problem = crowd_problem(0)
    groups = solve(problem, method="cpsat").groups
    cost = group_costs(problem, groups).sum()
    disorder = 1e-8 * problem.opening * problem.n_units / problem.n_annotators
    assert solution(problem, groups, cost - 0.9 * disorder).status is Status.OPTIMAL
    assert solution(problem, groups, cost - 1.1 * disorder).status is Status.FEASIBLE


def test_the_expected_disorder_of_a_crowd_includes_the_unproven_part():
    found = gamma(crowd(3, 30, 60, 3), samples=2, gap=0.05)
    lo, hi = found.interval
    assert lo < found.value < hi
    assert found.status is Status.FEASIBLE
