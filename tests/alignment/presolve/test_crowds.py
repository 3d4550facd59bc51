"""Crowds: bounds never exceed the optimum, alignments are complete and time limits are kept."""

import time

import numpy as np
import pytest

from gammacp import Combined, Continuum
from gammacp.alignment import Status, best_groups, build_problem, solve
from gammacp.alignment.columns import singletons
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.presolve.pooling import solve_pooled
from gammacp.alignment.presolve.presolve import Presolve
from gammacp.alignment.problem import group_costs
from gammacp.base.arrays import Codes
from gammacp.base.stopping import clock
from gammacp.dissimilarity import bind
from tests.alignment.continua import random_continuum
from tests.alignment.enumeration import problem_of
from tests.work import LookedAtClock


def crowd(seed: int, n_annotators: int, n_units: int, n_categories: int = 3) -> Continuum:
    """Return units of about the same length at about the same place."""
    rng = np.random.default_rng(seed)
    starts = rng.normal(0, 0.3, n_units)
    return Continuum.from_codes(
        tuple("ABCDEF"[:n_annotators]),
        tuple("xyzw"[:n_categories]),
        starts,
        starts + rng.uniform(9, 11, n_units),
        np.sort(rng.integers(0, n_annotators, n_units)),
        rng.integers(0, n_categories, n_units),
    )


def whole(groups: Codes, continuum: Continuum) -> bool:
    """Return whether every unit is in exactly one group, in the column of its annotator."""
    rows, annotators = np.nonzero(groups >= 0)
    units = groups[rows, annotators]
    return (
        sorted(units.tolist()) == list(range(continuum.n_units))
        and (continuum.annotator_codes[units] == annotators).all()
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_crowd_by_categories_costs_little_more_than_its_bound(seed: int) -> None:
    continuum = crowd(seed, 2 + seed % 4, 40, 1 + seed % 3)
    bound = bind(Combined(), continuum)
    found = solve_pooled(continuum, bound, np.inf)
    assert found is not None
    assert whole(found.groups, continuum)
    best = solve(build_problem(continuum, bound))
    assert found.bound <= best.bound + 1e-9 <= found.objective + 2e-9
    assert found.objective <= 1.1 * best.objective + 1e-9
    assert found.bound >= 0.8 * best.objective
    # The objective equals the cost of the groups, computed straight from the dissimilarity.
    problem = build_problem(continuum, bound, prune=False)
    assert group_costs(problem, found.groups).sum() == pytest.approx(found.objective)


@pytest.mark.parametrize("seed", range(6))
def test_categories_bound_other_continua_too(seed: int) -> None:
    continuum = random_continuum(seed, 2 + seed % 3, 20)
    bound = bind(Combined(), continuum)
    found = solve_pooled(continuum, bound, np.inf)
    assert found is not None
    assert whole(found.groups, continuum)
    assert found.bound <= solve(build_problem(continuum, bound)).objective + 1e-9


@pytest.mark.parametrize("n_annotators", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_too_many_pairs_leave_a_good_alignment_with_a_bound(n_annotators: int) -> None:
    continuum = crowd(1, n_annotators, 60)
    bound = bind(Combined(), continuum)
    best = best_groups(continuum, bound)
    few = [Presolve(pairs=50, pairs_per_unit=0, closest=5)]
    for time_limit in (None, 1e-6):
        found = best_groups(continuum, bound, time_limit=time_limit, tuning=few)
        # with two annotators all pairs are priced
        proven = n_annotators == 2 and time_limit is None
        assert found.status is (Status.OPTIMAL if proven else Status.FEASIBLE)
        assert whole(found.groups, continuum)
        assert 0 < found.bound <= best.disorder + 1e-12 <= found.disorder + 2e-12
        assert found.disorder < 1.2 * best.disorder


@pytest.mark.parametrize(
    ("n_annotators", "length"),
    [
        (3, 10.0),
        pytest.param(5, 10.0, marks=pytest.mark.slow),
        pytest.param(3, 1000.0, marks=pytest.mark.slow),
        pytest.param(2, 10.0, marks=pytest.mark.slow),
    ],
)
def test_a_large_crowd_ends_at_the_time_limit(
    n_annotators: int, length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    size = 20_000 // n_annotators * n_annotators
    starts = rng.normal(0, 1, size)
    continuum = Continuum.from_codes(
        tuple("ABCDE"[:n_annotators]),
        tuple("xyz"),
        starts,
        starts + rng.uniform(0.9 * length, length, size),
        np.repeat(np.arange(n_annotators), size // n_annotators),
        rng.integers(0, 3, size),
    )
    bound = bind(Combined(), continuum)
    looked = LookedAtClock(step=0.01)
    monkeypatch.setattr(time, "monotonic", looked)
    found = best_groups(continuum, bound, time_limit=0.2)
    assert looked.looks < 60  # the clock allows 20 looks until the limit
    assert whole(found.groups, continuum)
    assert 0 <= found.bound <= found.disorder < 0.1


def test_local_search_is_close_to_the_optimum_and_never_loses() -> None:
    total = optimal = 0.0
    for seed in range(24):
        problem = problem_of(seed, 2 + seed % 4, 24)
        best = solve(problem)
        start = group_costs(problem, improve(problem)).sum() / problem.opening
        total, optimal = total + start, optimal + best.objective / problem.opening
        again = group_costs(problem, improve(problem, best.groups)).sum()
        assert again == pytest.approx(best.objective, abs=1e-9)
    assert optimal - 1e-6 <= total <= 1.03 * optimal


def test_local_search_without_time_leaves_everything_as_it_is() -> None:
    problem = problem_of(3, 4, 20)
    best = solve(problem)
    at_once = clock() - 1
    assert np.array_equal(improve(problem, None, at_once), singletons(problem))
    kept = improve(problem, best.groups, at_once)
    assert group_costs(problem, kept).sum() == pytest.approx(best.objective, abs=1e-9)
