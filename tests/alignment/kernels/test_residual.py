"""The first of several best matchings, against all matchings of small graphs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from gammacp.alignment.kernels.residual import TightPairs, first_matching
from gammacp.base.stopping import NODES, new_meter

Matching = tuple[tuple[int, int], ...]


def matchings(edges: list[tuple[int, int]], must: set[int]) -> Iterator[Matching]:
    """Yield every set of disjoint edges that covers all units of `must`."""
    for size in range(len(edges) + 1):
        for some in combinations(edges, size):
            units = [u for edge in some for u in edge]
            if len(set(units)) == len(units) and must <= set(units):
                yield some


def tight_pairs(
    n_first: int, n: int, edges: list[tuple[int, int]], costs: list[float], must: set[int]
) -> TightPairs:
    """Return the pairs, listed from both sides as the kernel expects."""
    both = [(u, v, c) for (u, v), c in zip(edges, costs, strict=True)]
    both = sorted(both + [(v, u, c) for u, v, c in both])
    start = np.searchsorted([u for u, _, _ in both], np.arange(n + 1)).astype(np.int64)
    other = np.array([v for _, v, _ in both], np.int32)
    cost = np.array([c for _, _, c in both], np.float64)
    return TightPairs(n_first, start, other, cost, np.array([u not in must for u in range(n)]))


def first_by_definition(
    found: list[Matching], cost: dict[tuple[int, int], float], place: list[int]
) -> Matching:
    """Return the first matching by definition.

    Most pairs come first, then least cost, then the partners of the units in their order; a unit
    alone comes last.
    """

    def key(matching: Matching) -> tuple[int, float, list[list[int]]]:
        groups = [sorted((place[u], place[v])) for u, v in matching]
        paired = {u for pair in matching for u in pair}
        groups += [[place[u], len(place)] for u in range(len(place)) if u not in paired]
        return -len(matching), round(sum(cost[e] for e in matching), 9), sorted(groups)

    return min(found, key=key)


@pytest.mark.parametrize("seed", range(150))
def test_the_first_matching_is_the_first_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_first, n_second = rng.integers(1, 5, 2).tolist()
    n = n_first + n_second
    edges = [(u, v) for u in range(n_first) for v in range(n_first, n) if rng.random() < 0.6]
    costs = rng.choice([0.0, 0.5, 1.0], len(edges)).tolist()
    # The required units come from one existing matching, so that at least one matching covers them.
    every = list(matchings(edges, set()))
    some = every[rng.integers(len(every))]
    must = {u for pair in some for u in pair if rng.random() < 0.6}
    begin = list(matchings(edges, must))
    partner = np.full(n, -1, np.int32)
    for u, v in begin[rng.integers(len(begin))]:
        partner[u], partner[v] = v, u
    order = rng.permutation(n).astype(np.int32)
    pairs = tight_pairs(n_first, n, edges, costs, must)
    assert first_matching(pairs, partner, order, 1e-9, 1000, new_meter())
    place = np.argsort(order).tolist()
    best = first_by_definition(begin, dict(zip(edges, costs, strict=True)), place)
    shown = tuple((u, int(partner[u])) for u in range(n_first) if partner[u] >= 0)
    assert sorted(shown) == sorted(best)
    assert all(partner[partner[u]] == u for u in range(n) if partner[u] >= 0)


def test_too_many_cycles_are_given_up() -> None:
    edges, costs = [(0, 2), (0, 3), (1, 2), (1, 3)], [1.0, 0.0, 0.0, 1.0]
    pairs = tight_pairs(2, 4, edges, costs, {0, 1, 2, 3})
    order = np.arange(4, dtype=np.int32)
    partner = np.array([2, 3, 0, 1], np.int32)
    assert not first_matching(pairs, partner.copy(), order, 1e-9, 0, new_meter())
    meter = new_meter()
    assert first_matching(pairs, partner, order, 1e-9, 1, meter)
    assert partner.tolist() == [3, 2, 1, 0]
    assert meter[NODES] == 1
