"""Two annotators with more pairs than are listed, against scipy's assignment of all pairs."""

import math

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.alignment.candidates import build_problem
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve import implicit
from gammacp.alignment.presolve.implicit import solve_implicit
from gammacp.alignment.presolve.presolve import Presolve
from gammacp.alignment.problem import Status
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.dissimilarity import bind
from gammacp.dissimilarity.base import unit_columns


def crowded(n: int, other: int, seed: int = 0) -> Continuum:
    rng = np.random.default_rng(seed)
    units = []
    for who, count in (("A", n), ("B", other)):
        starts, lengths = rng.random(count) * 20, rng.random(count) * 10 + 5
        labels = rng.choice(["x", "y"], count)
        units += [
            Unit(who, float(s), float(s + k), str(c))
            for s, k, c in zip(starts, lengths, labels, strict=True)
        ]
    return Continuum.from_units(units)


def cheapest(continuum: Continuum, d: gc.Combined) -> float:
    """Return the cost of the best assignment: pairs at min(d, 2Δ), units left over at Δ."""
    bound = bind(d, continuum)
    units = unit_columns(continuum)
    rows = [np.flatnonzero(continuum.annotator_codes == k) for k in (0, 1)]
    pairs = [np.repeat(rows[0], len(rows[1])), np.tile(rows[1], len(rows[0]))]
    cost = bound.pairwise(units[pairs[0]], units[pairs[1]]).reshape(len(rows[0]), len(rows[1]))
    cost = np.minimum(cost, 2 * bound.delta)
    over = abs(len(rows[0]) - len(rows[1])) * bound.delta
    return float(cost[linear_sum_assignment(cost)].sum()) + over


@pytest.mark.parametrize(("n", "other", "delta"), [(60, 60, 1.0), (40, 75, 1.0), (50, 30, 0.4)])
def test_the_cost_is_that_of_the_full_assignment(
    n: int, other: int, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(implicit, "_AT_ONCE", 500)
    c, d = crowded(n, other), gc.Combined(delta=delta)
    bound = bind(d, c)
    few = build_problem(c, bound, most=0.02 * delta)
    assert len(few.first) < n * other / 10
    solve = SOLVERS["auto"].solve
    for kept in (0, 10**6):
        monkeypatch.setattr(implicit, "_KEPT", kept)
        found, tight = solve_implicit(few, c, bound, solve, Limits(), math.inf)
        assert tight is not None
        assert found.status is Status.OPTIMAL
        assert found.objective == pytest.approx(cheapest(c, d), abs=1e-9)
        assert found.proof is not None
        whole = build_problem(c, bound, prune=False)
        gain = whole.weight + whole.opening
        paid = found.proof.price[whole.first] + found.proof.price[whole.second]
        assert (gain <= paid + 1e-9).all()


def test_a_time_limit_leaves_a_valid_bound() -> None:
    c, d = crowded(60, 60), gc.Combined()
    bound = bind(d, c)
    few = build_problem(c, bound, most=0.02)
    cut, tight = solve_implicit(few, c, bound, SOLVERS["auto"].solve, Limits(), -math.inf)
    assert tight is None
    assert cut.status is Status.FEASIBLE
    assert cut.bound <= cheapest(c, d) <= cut.objective


def test_dense_continua_use_the_implicit_assignment() -> None:
    c = crowded(50, 50)
    tight = (Presolve(pairs=100, pairs_per_unit=1, closest=4),)
    found = gc.align(c, gc.Combined(), tuning=tight)  # type: ignore[call-arg]
    assert found.status is Status.OPTIMAL
    assert found.disorder == pytest.approx(cheapest(c, gc.Combined()) / 50)
    assert found.proof is not None


def rounded(n: int, other: int, seed: int, n_categories: int) -> Continuum:
    """Draw units at whole numbers, with many ties; at most half of them have a double."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, 12, n + other).astype(float)
    ends = starts + rng.integers(3, 9, n + other)
    kinds = rng.integers(0, n_categories, n + other)
    annotators = np.repeat([0, 1], [n, other])
    return Continuum.from_codes(("A", "B"), tuple("xyz"), starts, ends, annotators, kinds)


@pytest.mark.parametrize("seed", range(6))
def test_ties_of_dense_continua_are_broken_as_with_all_pairs(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the tight pairs are at hand, and the first alignment is that of all pairs."""
    monkeypatch.setattr(implicit, "_AT_ONCE", 300)
    c = rounded(30 + seed, 34 - seed, seed, 1 + seed % 3)
    unmerged = Presolve(merged=0.0)
    every = gc.align(c, tuning=[unmerged])
    dense = gc.align(c, tuning=[Presolve(merged=0.0, pairs=100, pairs_per_unit=1, closest=4)])
    assert every.first
    assert dense.first
    assert dense.disorder == pytest.approx(cheapest(c, gc.Combined()) / 32, abs=1e-9)
    assert np.array_equal(dense.groups, every.groups)


def test_more_ties_than_are_listed_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implicit, "MOST_PAIRS", 10)
    c = rounded(30, 30, 0, 1)
    dense = gc.align(c, tuning=[Presolve(merged=0.0, pairs=100, pairs_per_unit=1, closest=4)])
    assert dense.status is Status.OPTIMAL
    assert not dense.first
    assert dense.notes
