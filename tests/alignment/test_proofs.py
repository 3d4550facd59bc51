"""The parts that a proof is made of, each against its definition by full enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from gammacp import Combined, Continuum
from gammacp.alignment import Status, auto, best_groups, build_problem, lp, settle
from gammacp.alignment.bounds import unit_bound
from gammacp.alignment.candidates import pair_count
from gammacp.alignment.cpsat import best_packing
from gammacp.alignment.generation import search
from gammacp.alignment.groups import Columns, enumerate_columns
from gammacp.alignment.price_kernels import matching_prices
from gammacp.alignment.problem import Problem
from gammacp.alignment.settle_kernels import join, widen
from gammacp.alignment.solvers import Limits
from gammacp.dissimilarity import bind
from tests.alignment.continua import DISSIMILARITIES, random_continuum

Group = tuple[int, ...]
NEVER = float("inf")


def problem_of(seed: int, n: int, units: int, *, cover: bool = False) -> Problem:
    continuum = random_continuum(seed, n, units)
    bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
    return build_problem(continuum, bound, cover=cover)


def all_groups(problem: Problem) -> dict[Group, float]:
    """Gain of every transversal of two and more units whose pairs are all edges."""
    weight = edges(problem)
    found: dict[Group, float] = {}
    growing: list[Group] = [(u,) for u in range(problem.n_units)]
    while growing:
        group = growing.pop()
        for u in range(group[-1] + 1, problem.n_units):
            pairs = [(v, u) for v in group]
            if all(pair in weight for pair in pairs):
                larger = (*group, u)
                growing.append(larger)
                inside = sum(weight[pair] for pair in combinations(larger, 2))
                found[larger] = len(group) * problem.opening + inside
    return found


def edges(problem: Problem) -> dict[tuple[int, int], float]:
    pairs = zip(problem.first.tolist(), problem.second.tolist(), strict=True)
    return dict(zip(pairs, problem.weight.tolist(), strict=True))


def listed(columns: Columns) -> dict[Group, float]:
    parts = np.split(columns.members, columns.begin[1:-1])
    groups = [tuple(sorted(part.tolist())) for part in parts] if len(columns) else []
    assert len(set(groups)) == len(groups)
    return dict(zip(groups, columns.gain.tolist(), strict=True))


def most_gain(problem: Problem, groups: dict[Group, float]) -> float:
    """What the best partition gains, by dynamic programming over sets of units."""
    of_first: dict[int, list[tuple[int, float]]] = {u: [] for u in range(problem.n_units)}
    for group, gain in groups.items():
        of_first[group[0]].append((sum(1 << u for u in group), gain))
    best = {0: 0.0}
    for u in range(problem.n_units):
        after: dict[int, float] = {}
        for taken, gain in best.items():
            ways = [(0, 0.0)] if taken >> u & 1 else [(0, 0.0), *of_first[u]]
            for mask, more in ways:
                if not mask & taken:
                    key = (mask | taken) >> (u + 1) << (u + 1)
                    after[key] = max(after.get(key, -NEVER), gain + more)
        best = after
    return max(best.values())


@pytest.mark.parametrize("seed", range(10))
def test_groups_above_a_price(seed: int) -> None:
    """Enumeration finds exactly the groups that gain more than their prices and the floor."""
    n = 3 + seed % 4
    problem = problem_of(seed, n, 11)
    rng = np.random.default_rng(seed)
    price = rng.random(problem.n_units) * problem.opening * 1.2
    every = {g: gain - sum(price[u] for u in g) for g, gain in all_groups(problem).items()}
    best = np.zeros(problem.n_units)
    for group, value in every.items():
        best[group[0]] = max(best[group[0]], value)
    for floor in (-0.3 * problem.opening, 0.0, 0.2 * problem.opening):
        columns, _ = search(problem, price, floor)
        assert columns is not None
        found = listed(columns)
        assert set(found) == {g for g, value in every.items() if value > floor}
        for group, gain in found.items():
            assert gain == pytest.approx(every[group] + sum(price[u] for u in group), abs=1e-9)
    columns, excess = search(problem, price, 0.0, fraction=0.3)
    assert excess == pytest.approx(best, abs=1e-9)
    assert columns is not None
    assert set(listed(columns)) <= {g for g, value in every.items() if value > 0}
    for nodes in (0, 1, 3):
        assert (search(problem, price, 0.0, fraction=0.3, nodes=nodes)[1] >= best - 1e-9).all()


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


@pytest.mark.parametrize("limit", [settle.NODE_LIMIT, 0])
@pytest.mark.parametrize("cover", [False, True])
def test_any_prices_lead_to_the_optimum(
    limit: int, cover: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof by components must not rely on good prices; with no nodes CP-SAT takes part."""
    monkeypatch.setattr(settle, "NODE_LIMIT", limit)
    for seed in range(12 if limit else 4):
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
            chosen, most = settle.settle(problem, columns, price, Limits(), NEVER)
            cost = problem.n_units * problem.opening - most
            assert cost == pytest.approx(least, abs=1e-7 * max(1.0, problem.opening))
            if not cover:
                gained = problem.n_units * problem.opening - columns.gain[chosen].sum()
                assert gained == pytest.approx(least, abs=1e-7)
        assert len(gains) or cover


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_of_units(seed: int) -> None:
    """Never above the optimum, also where only the closest pairs are listed."""
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
        found = unit_bound(closest, beyond=bound.delta - most)
        assert found <= least + 1e-9


def test_the_linear_relaxation() -> None:
    """Against HiGHS: the value of the packing, its prices, with capacities, and of the cover."""
    for seed in range(8):
        problem = problem_of(80 + seed, 2 + seed % 4, 12)
        columns = enumerate_columns(problem)
        assert columns is not None
        if not len(columns):
            continue
        n = problem.n_units
        inside = np.zeros((n, len(columns)))
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


def test_prices_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Feasible for every column that a window sees, and good enough to prove the optimum."""
    monkeypatch.setattr(lp, "_BLOCK", 5)
    for seed in range(5):
        problem = problem_of(100 + seed, 2 + seed % 3, 30)
        columns = enumerate_columns(problem)
        assert columns is not None
        ranked = Columns(columns.begin, problem.ranks[columns.members], columns.gain)
        price = lp.prices(problem.n_units, ranked)
        paid = np.add.reduceat(price[ranked.members], ranked.begin[:-1])
        # Six blocks of five; the windows reach from the middle of the first to that of the last.
        inside = (ranked.members >= 2) & (ranked.members < 27)
        seen = np.logical_or.reduceat(inside, ranked.begin[:-1])
        assert (paid >= ranked.gain - 1e-6 * problem.opening)[seen].all()
        found = auto.settled(problem, columns, Limits(), NEVER)
        least = problem.n_units * problem.opening - _most_gain_by_milp(problem, columns)
        assert found.status is Status.OPTIMAL
        assert found.objective == pytest.approx(least, abs=1e-6 * problem.opening)


def _most_gain_by_milp(problem: Problem, columns: Columns) -> float:
    inside = np.zeros((problem.n_units, len(columns)))
    for c, group in enumerate(listed(columns)):
        inside[list(group), c] = 1
    whole = np.ones(len(columns), np.int64)
    return -float(linprog(-columns.gain, inside, np.ones(problem.n_units), integrality=whole).fun)


@pytest.mark.parametrize("seed", range(12))
def test_prices_of_a_matching_prove_it(seed: int) -> None:
    """No pair gains more than its units pay, and all pay together what the best matching gains."""
    problem = problem_of(120 + seed, 2, 14)
    groups = best_groups(
        continuum := random_continuum(120 + seed, 2, 14),
        bind(DISSIMILARITIES[(120 + seed) % len(DISSIMILARITIES)], continuum),
        method="brute",
    ).groups
    partner = np.full(14, -1, np.int32)
    for a, b in groups.tolist():
        if a >= 0 and b >= 0:
            partner[a], partner[b] = b, a
    n_first = int((problem.annotator == 0).sum())
    price = matching_prices(n_first, partner, *problem.adjacency, problem.opening)
    assert (price >= 0).all()
    gained = 0.0
    for (u, v), w in edges(problem).items():
        assert price[u] + price[v] >= w + problem.opening - 1e-9
        gained += (w + problem.opening) * (partner[u] == v)
    assert price.sum() == pytest.approx(gained, abs=1e-9)


def test_components_and_what_joins_them() -> None:
    """Connected components by definition; a column joins if it loses less than they do."""
    begin = np.array([0, 2, 4, 7, 9, 11], np.int64)
    members = np.array([4, 2, 1, 2, 0, 3, 5, 5, 6, 6, 4], np.int32)
    active = np.array([True, True, False, False, False])
    label = np.zeros(7, np.int32)
    join(begin, members, active, label)
    assert label.tolist() == [0, 1, 1, 3, 1, 5, 6]
    least = np.array([0.25, 2.0, 9.0, 0.5, 9.0, 0.0, 1.0])
    loss = np.array([0.0, 0.0, 0.7, 1.0, 2.9])
    # {0, 3, 5} touch 0.75 in all, {5, 6} touch 1 and {6, 4} touch 3.
    assert widen(begin, members, loss, active, label, least, 0.01, 2.5) == 2.9
    assert active.tolist() == [True, True, True, False, False]
    assert widen(begin, members, loss, active, label, least, -0.01, 2.5) == 2.9
    assert active.tolist() == [True, True, True, True, False]
    assert widen(begin, members, loss, active, label, least, 0.01, 2.9) == np.inf
    assert active.all()


def test_a_packing_that_stops_early_has_a_bound() -> None:
    for seed in range(4):
        problem = problem_of(140 + seed, 3, 12)
        columns = enumerate_columns(problem)
        assert columns is not None
        most = most_gain(problem, listed(columns))
        for limits in (Limits(), Limits(gap=0.3), Limits(time_limit=1e-9)):
            found = best_packing(problem.opening, columns, limits)
            gained = columns.gain[found.chosen].sum()
            assert gained <= most + 1e-9
            assert found.bound >= most - 1e-9
            assert found.proven == (limits == Limits())
            if found.proven:
                assert gained == pytest.approx(most, abs=1e-6)


def repeated(seed: int, n: int, distinct: int, times: int) -> Continuum:
    rng = np.random.default_rng(seed)
    starts = np.repeat(rng.integers(0, 12, distinct), times).astype(float)
    lengths = np.repeat(rng.integers(1, 6, distinct), times)
    keep = rng.random(distinct * times) < 0.8
    return Continuum.from_codes(
        tuple(f"A{i}" for i in range(n)),
        ("a", "b"),
        starts[keep],
        (starts + lengths)[keep],
        np.repeat(rng.integers(0, n, distinct), times)[keep],
        np.repeat(rng.integers(0, 2, distinct), times)[keep],
    )


def test_merged_duplicates_equal_the_full_model() -> None:
    proven = 0
    for seed in range(12):
        continuum = repeated(seed, 2 + seed % 3, 7, 6)
        bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
        full = best_groups(continuum, bound, method="milp")
        found = best_groups(continuum, bound)
        assert found.bound <= full.disorder + 1e-9
        assert found.disorder >= full.disorder - 1e-9
        units = found.groups[found.groups >= 0]
        assert sorted(units.tolist()) == list(range(continuum.n_units))
        if found.status is Status.OPTIMAL:
            proven += 1
            assert found.disorder == pytest.approx(full.disorder, abs=1e-8)
        else:
            assert found.bound < found.disorder <= full.disorder * 1.2 + 1e-9
    assert proven >= 6


def test_the_closest_pairs_leave_a_valid_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pairs are too many to list: a good alignment, and no bound above the optimum."""
    monkeypatch.setattr("gammacp.alignment.dense.MOST_PAIRS", 0)
    monkeypatch.setattr("gammacp.alignment.dense._bearable", lambda _: 1)
    for seed in range(12):
        n = 2 + seed % 3
        continuum = random_continuum(160 + seed, n, 30)
        bound = bind(Combined(delta=(1.0, 3.0)[seed % 2]), continuum)
        full = best_groups(continuum, bound, method="milp")
        found = best_groups(continuum, bound)
        assert found.bound <= full.disorder + 1e-9
        assert full.disorder - 1e-9 <= found.disorder
        units = found.groups[found.groups >= 0]
        assert sorted(units.tolist()) == list(range(continuum.n_units))


def test_generation_stopped_at_any_moment_has_a_valid_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`due` says so after k questions: whatever is done by then, bound ≤ optimum ≤ disorder."""
    for seed in range(4):
        continuum = random_continuum(180 + seed, 5, 22)
        bound = bind(DISSIMILARITIES[seed], continuum)
        best = best_groups(continuum, bound).disorder
        for questions in range(4):
            asked = iter([False] * questions)
            with monkeypatch.context() as patch:
                patch.setattr(auto, "_LISTED", 4)
                for module in ("generation", "settle"):
                    patch.setattr(
                        f"gammacp.alignment.{module}.due", lambda _=0, a=asked: next(a, True)
                    )
                found = best_groups(continuum, bound, time_limit=60)
            assert found.bound <= best + 1e-9
            assert found.disorder >= best - 1e-9
            assert (found.status is Status.OPTIMAL) == (found.bound == found.disorder)
