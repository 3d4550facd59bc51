"""The best matching of two graphs against enumeration, published values and values by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gammacp.alignment.problem import Status
from gammacp.errors import UsageError
from gammacp.trees.graphs.matching import best_matching
from gammacp.trees.measures.annotations import MeaningGraph
from tests.trees.graphs.sample import WANT_FOOTBALL, WANT_GO, by_cpsat, drawn, exhaustive, written

ALPHA = "(a / alpha :ARG0 (b / beta))"


@pytest.mark.parametrize(
    ("other", "matched"),
    [
        (ALPHA, 4),
        ("(a / alternative :ARG0 (b / beta))", 3),
        ("(a / alpha :ARG0 (c / b-side))", 3),
        ("(b / beta :ARG0-of (a / alpha))", 3),
    ],
)
def test_matches_equal_those_of_smatchs_own_tests(tmp_path: Path, other: str, matched: int) -> None:
    a, b = written(tmp_path, ALPHA), written(tmp_path, other)
    found = best_matching(a, b)
    assert (found.matched, a.n_triples, b.n_triples) == (matched, 4, 4)
    assert found.status is Status.OPTIMAL


def test_the_example_of_the_smatch_paper(tmp_path: Path) -> None:
    """Cai and Knight (2013, §2): F = .73 for 6 and 5 triples; the paper does not count the top."""
    a, b = written(tmp_path, WANT_GO), written(tmp_path, WANT_FOOTBALL)
    without = [
        MeaningGraph(g.variables, g.properties - {(0, "top", "top")}, g.relations) for g in (a, b)
    ]
    found = best_matching(*without)
    first, second = (g.n_triples for g in without)
    assert (first, second, found.matched) == (6, 5, 4)
    assert round(2 * found.matched / (first + second), 2) == 0.73


def test_matching_two_dogs_by_hand(tmp_path: Path) -> None:
    """Matching the dogs by op1 and op2, not by the modifier "old", has more triples in common."""
    a = written(tmp_path, "(n / and :op1 (d / dog :mod (o / old)) :op2 (e / dog))")
    b = written(tmp_path, "(n / and :op1 (d / dog) :op2 (e / dog :mod (o / old)))")
    # By op1 and op2, 7 triples: 4 instances (and, two dogs, old), the top, two roles, but not mod.
    # By old and mod, 6: 4 instances, the top and mod.
    assert best_matching(a, b).matched == exhaustive(a, b) == 7
    assert best_matching(a, b).partner[0] == 0


@pytest.mark.parametrize("seed", range(40))
def test_no_matching_of_up_to_seven_nodes_is_better(seed: int) -> None:
    rng = random.Random(seed)
    a, b = (drawn(rng, rng.randint(1, 7), rng.randint(1, 4)) for _ in range(2))
    most = exhaustive(a, b)
    for branches in (True, False):
        found = best_matching(a, b, branches=branches)
        assert found.bound >= most >= found.matched
        if branches:
            assert found.matched == found.bound == most
        assert len({j for j in found.partner if j >= 0}) == sum(j >= 0 for j in found.partner)


@pytest.mark.parametrize(("nodes", "seed"), [(9, 6), (10, 22), (10, 31), (12, 15), (12, 35)])
def test_branches_prove_what_the_relaxation_leaves_open(nodes: int, seed: int) -> None:
    rng = random.Random(seed)
    a, b = drawn(rng, nodes, 2), drawn(rng, nodes, 2)
    without, found = best_matching(a, b, branches=False), best_matching(a, b)
    assert without.matched < without.bound
    assert found.matched == found.bound == by_cpsat(a, b)


def test_the_order_of_nodes_does_not_matter() -> None:
    rng = random.Random(1)
    a = drawn(rng, 25, 6)
    order = list(range(25))
    rng.shuffle(order)
    b = MeaningGraph(
        a.variables,
        frozenset((order[i], role, value) for i, role, value in a.properties),
        frozenset((order[i], role, order[k]) for i, role, k in a.relations),
    )
    assert best_matching(a, b).matched == a.n_triples


def test_distances_satisfy_symmetry_and_triangle_inequality() -> None:
    rng = random.Random(2)
    for _ in range(20):
        graphs = [drawn(rng, 5) for _ in range(3)]

        def apart(i: int, j: int, graphs: list[MeaningGraph] = graphs) -> int:
            a, b = graphs[i], graphs[j]
            return a.n_triples + b.n_triples - 2 * best_matching(a, b).matched

        assert apart(0, 1) == apart(1, 0)
        assert apart(0, 2) <= apart(0, 1) + apart(1, 2)


def test_an_unproven_matching_has_a_larger_bound() -> None:
    rng = random.Random(3)
    a, b = drawn(rng, 60, 2), drawn(rng, 60, 2)
    found = best_matching(a, b, time_limit=0.001)
    assert found.status is Status.FEASIBLE
    assert 0 < found.matched < found.bound <= min(a.n_triples, b.n_triples)


def test_an_impossible_time_limit_is_refused(tmp_path: Path) -> None:
    a = written(tmp_path, ALPHA)
    with pytest.raises(UsageError, match="time limit"):
        best_matching(a, a, time_limit=0)
