"""The contract of all solvers: optimum, proof and valid bounds."""

from dataclasses import replace

import numpy as np
import pytest

from gammacp import Combined, Continuum, UsageError
from gammacp.alignment import (
    SOLVERS,
    Limits,
    Problem,
    Solution,
    Solver,
    Status,
    best_disorder,
    best_groups,
    build_problem,
    solve,
)
from gammacp.alignment.columns import singletons
from gammacp.alignment.problem import group_costs, solution
from gammacp.alignment.proof.components import Components
from gammacp.alignment.solvers.registry import Solve
from gammacp.datasets import load
from gammacp.dissimilarity import bind
from gammacp.testing import check_solver
from tests.alignment.continua import DISSIMILARITIES, random_continuum


@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("cover", [False, True])
def test_every_back_end_keeps_its_contract(method: str, cover: bool) -> None:
    check_solver(method, cover=cover, problems=45 if method == "auto" else 15)


def _raised(problem: Problem, limits: Limits) -> Solution:
    return replace(SOLVERS["auto"].solve(problem, limits), bound=1e9)


def _apart(problem: Problem, limits: Limits) -> Solution:
    return solution(problem, singletons(problem), -limits.gap)


def _lost(problem: Problem, limits: Limits) -> Solution:
    found = SOLVERS["auto"].solve(problem, limits)
    return replace(found, groups=found.groups[1:])


@pytest.mark.parametrize(
    ("solve", "broken"),
    [
        (_raised, "has a bound above the optimum"),
        (_apart, "is not proven"),
        (_lost, "leaves units out"),
    ],
)
def test_a_broken_contract_is_named(solve: Solve, broken: str) -> None:
    with pytest.raises(AssertionError, match=broken):
        check_solver(Solver(name="mine", summary="", solve=solve))


def _check_groups(groups: np.ndarray, annotator: np.ndarray, cover: bool) -> None:  # type: ignore[type-arg]
    units, counts = np.unique(groups[groups >= 0], return_counts=True)
    assert units.tolist() == list(range(len(annotator)))
    assert cover or (counts == 1).all()
    rows, columns = np.nonzero(groups >= 0)
    assert (annotator[groups[rows, columns]] == columns).all()


@pytest.mark.parametrize("cover", [False, True])
def test_larger_continua_equal_the_full_models(cover: bool) -> None:
    for seed in range(20):
        n = 3 + seed % 4
        continuum = random_continuum(100 + seed, n, 60 // n + 10)
        bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
        full = best_groups(continuum, bound, method="milp", cover=cover)
        found = best_groups(continuum, bound, cover=cover)
        assert found.disorder == pytest.approx(full.disorder, abs=1e-8), seed
        assert found.status is Status.OPTIMAL


@pytest.mark.parametrize("cover", [False, True])
def test_generated_columns_equal_listed_ones(cover: bool) -> None:
    for seed in range(16):
        continuum = random_continuum(200 + seed, 3 + seed % 5, 24)
        bound = bind(DISSIMILARITIES[seed % 5], continuum)
        listed, generated = (
            best_groups(continuum, bound, method=method, cover=cover)
            for method in ("enumeration", "generation")
        )
        assert generated.disorder == pytest.approx(listed.disorder, abs=1e-8), seed
        assert generated.status is listed.status is Status.OPTIMAL


def test_greedy_costs_at_least_the_optimum_and_its_bound_at_most() -> None:
    for seed in range(30):
        continuum = random_continuum(300 + seed, 2 + seed % 4, 16)
        bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
        best = best_groups(continuum, bound)
        greedy = best_groups(continuum, bound, method="greedy")
        assert greedy.disorder >= best.disorder - 1e-9
        assert greedy.bound <= best.disorder + 1e-9


def test_pruned_pairs_suffice() -> None:
    for seed in range(20):
        continuum = random_continuum(400 + seed, 2 + seed % 4, 14)
        bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
        pruned = build_problem(continuum, bound)
        full = build_problem(continuum, bound, prune=False)
        assert len(pruned.first) <= len(full.first)
        assert solve(pruned).objective == pytest.approx(solve(full).objective, abs=1e-8)


def test_objective_is_recomputed_from_the_groups() -> None:
    continuum = load("3by100")
    problem = build_problem(continuum, bind(Combined(), continuum))
    found = solve(problem, method="auto")
    assert found.objective == pytest.approx(group_costs(problem, found.groups).sum(), abs=1e-12)


def test_a_gap_gives_a_valid_bound() -> None:
    continuum = random_continuum(7, 4, 60)
    bound = bind(Combined(), continuum)
    best = best_groups(continuum, bound)
    loose = best_groups(continuum, bound, gap=0.2)
    assert loose.bound <= best.disorder <= loose.disorder + 1e-12
    assert loose.disorder - loose.bound <= 0.2 * loose.disorder + 1e-9


def test_a_time_limit_gives_a_valid_bound() -> None:
    continuum = random_continuum(8, 9, 150)
    bound = bind(Combined(), continuum)
    found = best_groups(continuum, bound, time_limit=0.2)
    assert 0 <= found.bound <= found.disorder
    _check_groups(found.groups, continuum.annotator_codes, cover=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "simplex"}, "solver 'simplex' is unknown"),
        ({"gap": 1.5}, "gap 1.5 is not in"),
        ({"time_limit": 0.0}, "time limit 0.0"),
        ({"method": "bipartite"}, "for two annotators, not 3"),
        ({"method": "brute"}, "for tests of at most"),
    ],
)
def test_impossible_calls_are_refused(options: dict[str, object], message: str) -> None:
    continuum = load("3by100")
    with pytest.raises(UsageError, match=message):
        best_groups(continuum, bind(Combined(), continuum), **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_cpsat_ends_where_costs_are_nearly_equal() -> None:
    """Without an answer of CP-SAT, `cpsat` returns a good alignment with a valid bound."""
    rng = np.random.default_rng(1)
    starts, ends = rng.uniform(0, 0.001, (2, 48))
    annotators = np.repeat([0, 1], 24)
    kinds = rng.integers(0, 2, 48)
    spot = Continuum.from_codes(("A", "B"), ("x", "y"), 10 + starts, 20 + ends, annotators, kinds)
    bound = bind(Combined(), spot)
    found = best_disorder(spot, bound, method="cpsat", tuning=[Components(proof=1e5)])
    best = best_disorder(spot, bound)
    assert best.status is Status.OPTIMAL
    assert found.bound <= best.disorder + 1e-8
    assert found.disorder < 2 * best.disorder
