"""Starting points, prices and fallbacks, which affect time and quality but not the optimum.

A poor start or loose prices cost time and, at a time limit, quality. The results of the solvers
do not show that, so these parts are tested directly.
"""

from __future__ import annotations

from itertools import islice, pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from gammacp import Combined, Continuum, Unit, align
from gammacp.alignment import Status, best_groups, build_problem, solve
from gammacp.alignment.columns import group_of_units, singletons
from gammacp.alignment.duals.projection import shared_prices
from gammacp.alignment.heuristics.local_search import (
    Recombination,
    crossover,
    improve,
    recombinations,
    resize,
)
from gammacp.alignment.problem import group_costs
from gammacp.base.stopping import clock
from gammacp.dissimilarity import bind
from tests.alignment.continua import random_continuum
from tests.alignment.enumeration import problem_of

FEW = Recombination(assignments=20)


def test_local_search_is_close_to_the_optimum_and_never_loses() -> None:
    found = optimal = 0.0
    for seed in range(24):
        problem = problem_of(seed, 2 + seed % 4, 24)
        best = solve(problem)
        start = group_costs(problem, improve(problem)).sum() / problem.opening
        found, optimal = found + start, optimal + best.objective / problem.opening
        again = group_costs(problem, improve(problem, best.groups)).sum()
        assert again == pytest.approx(best.objective, abs=1e-9)
        better = group_costs(problem, improve(problem, singletons(problem))).sum()
        assert better <= problem.n_units * problem.opening + 1e-9
    assert optimal - 1e-6 <= found <= 1.02 * optimal


def test_resizing_opens_groups_that_single_assignments_miss() -> None:
    """Local search that assigns annotators one by one finds fewer than the six groups of the text.

    Thirty annotators mark three of six places each. Resizing finds all six groups.
    """
    rng = np.random.default_rng(0)
    starts = np.concatenate([12.0 * rng.permutation(6)[:3] for _ in range(30)])
    names, annotators = tuple(f"A{i:02}" for i in range(30)), np.repeat(np.arange(30), 3)
    kinds = np.zeros(90, np.int64)
    places = Continuum.from_codes(names, ("a",), starts, starts + 6, annotators, kinds)
    problem = build_problem(places, bind(Combined(), places))
    start = improve(problem)
    groups = resize(problem, start)
    assert len(start) < 6
    assert group_costs(problem, groups).sum() < 0.8 * group_costs(problem, start).sum()
    held = [set(places.starts[group[group >= 0]]) for group in groups]
    assert sorted(held, key=min) == [{12.0 * i} for i in range(6)]


def test_resizing_never_loses_and_ends_at_the_deadline() -> None:
    for seed in range(12):
        problem = problem_of(seed, 2 + seed % 4, 24)
        best = solve(problem)
        start, rest = improve(problem), singletons(problem)
        costs = [group_costs(problem, g).sum() for g in (start, resize(problem, start))]
        assert best.objective - 1e-9 <= costs[1] <= costs[0] + 1e-9
        assert group_costs(problem, resize(problem, best.groups)).sum() == pytest.approx(
            best.objective, abs=1e-9
        )
        assert np.array_equal(resize(problem, rest, clock() - 1), rest)


def test_recombining_never_loses_and_comes_close() -> None:
    found = optimal = 0.0
    for seed in range(8):
        problem = problem_of(seed, 3 + seed % 4, 24)
        runs = [
            [*islice(recombinations(problem, improve(problem), tuning=FEW), 4)] for _ in range(2)
        ]
        assert all(np.array_equal(a, b) for a, b in zip(*runs, strict=True))
        costs = [group_costs(problem, groups).sum() for groups in runs[0]]
        assert all(b <= a + 1e-9 for a, b in pairwise(costs))
        for groups in runs[0]:
            assert np.array_equal(np.sort(groups[groups >= 0]), np.arange(problem.n_units))
        found += costs[-1] / problem.opening
        optimal += solve(problem).objective / problem.opening
    assert optimal - 1e-6 <= found <= 1.005 * optimal


def test_recombination_follows_the_alignment_that_guides_it() -> None:
    """Runs that are drawn to the best alignment mostly reach it; undirected runs do not."""
    met = {True: 0, False: 0}
    for seed in range(12):
        problem = problem_of(seed, 3 + seed % 4, 60)
        best = solve(problem)
        group = group_of_units(best.groups, problem.n_units)
        drawn = 1.0 * (group[problem.first] == group[problem.second])
        for guided in met:
            tuning = Recombination(noises=(0.2,), drawing=6.0 * guided, assignments=20)
            runs = recombinations(
                problem, singletons(problem), together=lambda d=drawn: d, tuning=tuning
            )
            *_, groups = islice(runs, 2)
            cost = group_costs(problem, groups).sum()
            assert cost >= best.objective - 1e-9
            met[guided] += cost <= best.objective + 1e-9
    assert met[True] >= 8
    assert met[True] >= met[False] + 3


def test_each_region_takes_the_better_of_two_alignments() -> None:
    near = [Unit("A", 0, 5, "x"), Unit("B", 0, 5, "x"), Unit("C", 1, 5, "x")]
    far = [Unit(u.annotator, u.start + 100, u.end + 100, u.category) for u in near]
    continuum = Continuum.from_units([*near, *far])
    problem = build_problem(continuum, bind(Combined(), continuum))
    single, whole = singletons(problem), solve(problem).groups
    left = [g for g in whole if continuum.starts[g.max()] < 50]
    right = [g for g in whole if continuum.starts[g.max()] > 50]
    at = continuum.starts[single.max(axis=1)] < 50
    one = np.concatenate((left, single[~at]))
    other = np.concatenate((single[at], right))
    assert group_costs(problem, one).sum() > group_costs(problem, whole).sum() + 1
    for pair in ((one, other), (other, one)):
        best = crossover(problem, *pair)
        assert group_costs(problem, best).sum() == pytest.approx(group_costs(problem, whole).sum())


def test_shared_prices_pay_for_each_group() -> None:
    for seed in range(12):
        problem = problem_of(40 + seed, 2 + seed % 4, 14)
        groups = solve(problem).groups
        price = shared_prices(problem, groups)
        assert (price >= 0).all()
        for group, cost in zip(groups, group_costs(problem, groups), strict=True):
            units = group[group >= 0]
            gain = len(units) * problem.opening - cost
            paid = price[units].sum()
            assert paid >= gain - 1e-9
            if (price[units] > 0).all() or len(units) == 1:
                assert paid == pytest.approx(gain, abs=1e-9)


def test_the_tie_candidates_of_a_matching_are_tight() -> None:
    for seed in range(20):
        problem = problem_of(60 + seed, 2, 15)
        found = solve(problem, method="bipartite")
        assert found.tie_candidates is not None
        columns, price, _ = found.tie_candidates
        assert (columns.losses(price) >= -1e-9).all()
        gained = problem.n_units * problem.opening - found.objective
        assert price.sum() == pytest.approx(gained, abs=1e-9)


def test_two_annotators_are_matched_as_on_the_full_matrix() -> None:
    for seed in range(10):
        problem = problem_of(80 + seed, 2, 13)
        found = solve(problem, method="bipartite")
        gain = np.zeros((13, 13))
        gain[problem.first, problem.second] = problem.weight + problem.opening
        rows, columns = scipy.optimize.linear_sum_assignment(np.maximum(gain, 0), maximize=True)
        best = problem.n_units * problem.opening - np.maximum(gain, 0)[rows, columns].sum()
        assert found.objective == pytest.approx(best, abs=1e-9)
        assert sorted(found.groups[found.groups >= 0].tolist()) == list(range(13))
        assert (problem.annotator[found.groups[:, 0]][found.groups[:, 0] >= 0] == 0).all()


@pytest.mark.parametrize(("gap", "status"), [(0.0, Status.OPTIMAL), (0.1, Status.FEASIBLE)])
def test_a_bound_of_highs_within_a_millionth_is_a_proof(
    gap: float, status: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bound of HiGHS slightly below the optimum counts as a proof; with a gap it is reported as
    is.
    """
    milp = scipy.optimize.milp

    def cautious(*args: Any, **options: Any) -> SimpleNamespace:
        found = milp(*args, **options)
        below = 0.1 if gap else 5e-7
        return SimpleNamespace(x=found.x, status=0, mip_dual_bound=found.fun - below)

    monkeypatch.setattr(scipy.optimize, "milp", cautious)
    continuum = random_continuum(1, 3, 12)
    found = best_groups(continuum, bind(Combined(), continuum), method="milp", gap=gap)
    assert found.status is status
    if status is Status.FEASIBLE:
        assert found.bound < found.disorder


def test_no_disorder_has_no_gap() -> None:
    a = align(Continuum.from_units([Unit(name, 0, 1, "x") for name in "AB"]))
    assert (a.disorder, a.gap) == (0, 0)
