"""Ties: every exact back-end shows the same alignment, and it is the first one in the order."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from gammacp import Combined, Continuum, Unit, align
from gammacp.alignment.ties import in_order
from gammacp.alignment.tuning import Tuning
from gammacp.arrays import Floats
from gammacp.dissimilarity import bind, columns
from gammacp.dissimilarity.base import UnitColumns
from tests.alignment.continua import random_continuum

Groups = tuple[tuple[int, ...], ...]


def partitions(units: tuple[int, ...], annotator: list[int]) -> Iterator[Groups]:
    """All partitions into transversals, straight from the definition."""
    if not units:
        yield ()
        return
    first, rest = units[0], units[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            group = (first, *others)
            if len({annotator[u] for u in group}) < len(group):
                continue
            left = tuple(u for u in rest if u not in others)
            for more in partitions(left, annotator):
                yield (group, *more)


def best_by_definition(continuum: Continuum) -> tuple[float, int, float]:
    """(disorder, groups, Σ d_cat) of the first best partition, from the formulas of the paper."""
    n = continuum.n_annotators
    bound = bind(Combined(), continuum)
    units = columns(continuum)
    d = bound.pairwise(units[:, None], units[None, :])
    cat = bound.categorial_part(units[:, None], units[None, :])  # type: ignore[attr-defined]
    n_pairs = n * (n - 1) // 2
    results = []
    for groups in partitions(tuple(range(continuum.n_units)), continuum.annotator_codes.tolist()):
        inside = [pair for group in groups for pair in combinations(group, 2)]
        disorder = sum(d[i, j] for i, j in inside) + len(groups) * n_pairs - len(inside)
        results.append((disorder, len(groups), sum(cat[i, j] for i, j in inside)))
    least = min(results)[0]
    tied = [(g, c) for disorder, g, c in results if disorder <= least + 1e-9]
    return (least / n_pairs / continuum.mean_units, *min(tied))


def test_fewest_groups_then_smallest_category_cost() -> None:
    for seed in range(25):
        continuum = random_continuum(seed, 2 + seed % 3, 2 + seed % 6)
        disorder, n_groups, category = best_by_definition(continuum)
        a = align(continuum)
        assert a.disorder == pytest.approx(disorder, abs=1e-9)
        assert len(a) == n_groups
        costs = sum(p.categorial for p in a.pairs() if p.first and p.second)
        assert costs == pytest.approx(category, abs=1e-9)


def test_every_exact_back_end_shows_the_same() -> None:
    for seed in range(30):
        n = 2 + seed % 3
        continuum = random_continuum(50 + seed, n, 3 + seed % 9)
        a = align(continuum, cover=seed % 5 == 0)
        methods = ["milp", "cpsat", "brute"] + (["bipartite"] if n == 2 else [])
        for method in methods if seed % 3 == 0 else ["brute"]:
            b = align(continuum, method=method, cover=seed % 5 == 0)
            assert np.array_equal(a.groups, b.groups), (seed, method)


def test_two_annotators_with_ties_everywhere() -> None:
    """Units at few places with few labels: the matching's certificate must leave no optimum out."""
    for seed in range(80):
        rng = np.random.default_rng(seed)
        n_units = int(rng.integers(2, 9))
        starts = rng.integers(0, 4, n_units) * float(rng.choice([1, 2]))
        continuum = Continuum.from_codes(
            ("A", "B"),
            ("a", "b"),
            starts,
            starts + rng.choice([1, 2], n_units),
            rng.integers(0, 2, n_units).astype(np.int32),
            rng.integers(0, 2, n_units).astype(np.int32),
        )
        a = align(continuum, method="bipartite")
        assert np.array_equal(a.groups, align(continuum, method="brute").groups), seed
        # Both break ties with the matching's certificate: hold them to the definition as well.
        _, n_groups, category = best_by_definition(continuum)
        costs = sum(p.categorial for p in a.pairs() if p.first and p.second)
        assert (len(a), costs) == (n_groups, pytest.approx(category, abs=1e-9)), seed


@dataclass(frozen=True)
class Twice:
    """Every pair costs what leaving both alone costs."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.full(np.broadcast_shapes(u.start.shape, v.start.shape), 2.0)


@pytest.mark.parametrize("method", ["bipartite", "cpsat", "milp", "brute"])
def test_pairs_that_gain_nothing_are_aligned(method: str) -> None:
    """d = 2Δ for two annotators: one group or two cost the same, and fewest groups come first."""
    continuum = Continuum.from_units([Unit("A", 0, 1, None), Unit("B", 5, 6, None)])
    a = align(continuum, Twice(), method=method)
    assert len(a) == 1
    assert a.disorder == 2


def test_ties_too_many_to_search_are_broken_the_same_way() -> None:
    """With no nodes to search with, CP-SAT takes the first of the best alignments."""
    for seed in range(24):
        continuum = random_continuum(100 + seed, 2 + seed % 4, 9 + seed % 4)
        best = align(continuum)
        shown = align(continuum, tuning=Tuning(component_nodes=0))
        assert shown.status == "optimal"
        assert np.array_equal(shown.groups, best.groups), seed


def test_groups_come_in_order_of_position() -> None:
    from gammacp.alignment import build_problem

    continuum = random_continuum(3, 3, 20)
    problem = build_problem(continuum, bind(Combined(), continuum))
    groups = align(continuum).groups
    assert np.array_equal(groups, in_order(problem.ranks, groups[::-1]))
