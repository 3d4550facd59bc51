"""Alike units belong together where they can be: against full enumeration, and a counterexample."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from gammacp import Continuum, align
from gammacp.alignment.columns import alone, group_of_units
from gammacp.alignment.heuristics.contraction import contracted
from gammacp.alignment.problem import Problem, group_costs
from gammacp.alignment.solvers.registry import solve
from tests.alignment.crowds import crowd, crowd_problem
from tests.alignment.enumeration import all_groups, most_gain


def with_kinds(seed: int, *, cover: bool = False) -> Problem:
    """A crowd's problem with its kinds, whatever the number of annotators."""
    problem = crowd_problem(seed, cover=cover)
    rng = np.random.default_rng(seed + 7)
    n = int(rng.integers(3, 13))
    c = crowd(seed, n, int(rng.integers(n, 15)))
    rows = np.column_stack((c.starts, c.ends, c.category_codes))
    return replace(problem, kind=np.unique(rows, axis=0, return_inverse=True)[1].astype(np.int32))


def blocked(problem: Problem, groups: np.ndarray, u: int, v: int) -> bool:
    group_of = group_of_units(groups, problem.n_units)
    theirs = groups[group_of[u], problem.annotator[v]], groups[group_of[v], problem.annotator[u]]
    return group_of[u] == group_of[v] or max(theirs) >= 0


CASES = [
    *range(15),
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 515)),
]


@pytest.mark.parametrize("seed", CASES)
def test_in_best_partitions_alike_units_are_together_unless_blocked(seed):
    problem = with_kinds(seed)
    best = solve(problem, method="cpsat").groups
    cost = problem.n_units * problem.opening - most_gain(problem, all_groups(problem))
    assert group_costs(problem, best).sum() == pytest.approx(cost, abs=1e-6)
    for u, v in combinations(range(problem.n_units), 2):
        if problem.kind[u] == problem.kind[v] and problem.annotator[u] != problem.annotator[v]:
            assert blocked(problem, best, u, v)


@pytest.mark.parametrize("seed", CASES)
def test_contraction_gains_delta_for_each_unit_it_moves(seed):
    problem = with_kinds(seed)
    groups = alone(problem)
    found = contracted(problem, groups)
    merged = len(groups) - len(found)
    before, after = group_costs(problem, groups).sum(), group_costs(problem, found).sum()
    assert after <= before - merged * problem.delta + 1e-9
    assert np.array_equal(np.sort(found[found >= 0]), np.arange(problem.n_units))
    assert np.array_equal(contracted(problem, found), found)


def test_alike_units_may_be_apart_in_the_only_best_alignment():
    units = Continuum.from_codes(
        ("A", "B"), ("x",), [0, 2, 0, -2], [10, 12, 10, 8], [0, 0, 1, 1], [0, 0, 0, 0]
    )
    best = align(units)
    assert best.disorder == pytest.approx(0.04)
    # Together: the twins at 0–10 cost nothing, 2–12 and −2–8 are left to each other.
    twins = (4 + 4) / 20
    assert twins**2 / 2 == pytest.approx(0.08)
