from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.base.arrays import Indices
from gammacp.errors import UsageError
from gammacp.trees.measures.alpha import deltas
from gammacp.trees.measures.ted import PackedTrees, pack, tree_edit_distance
from gammacp.trees.measures.tree import Nested, Tree, dependency_tree, nested_tree
from tests.trees.measures.oracles import distance_of_forests


def random_tree(rng: np.random.Generator, n: int, labels: int = 3) -> Tree:
    """Draw a tree of n tokens.

    Each head is an earlier token in a random order, so that children lie on both sides.
    """
    order = rng.permutation(n) + 1
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = int(order[rng.integers(k)])
    return dependency_tree(heads, [f"l{rng.integers(labels)}" for _ in range(n)])


def children_of(tree: Tree) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in tree.labels]
    for node, parent in enumerate(tree.parents):
        if parent >= 0:
            children[parent].append(node)
    return children


def by_zss(a: Tree, b: Tree) -> float:
    zss = pytest.importorskip("zss")

    def build(tree: Tree) -> object:
        nodes = [zss.Node(label) for label in tree.labels]
        for node, children in enumerate(children_of(tree)):
            for child in children:
                nodes[node].addkid(nodes[child])
        return nodes[-1]

    return float(zss.simple_distance(build(a), build(b)))


def by_apted(a: Tree, b: Tree) -> float:
    apted = pytest.importorskip("apted")

    class Config(apted.Config):  # type: ignore[misc, name-defined]
        def rename(self, x: object, y: object) -> int:
            return int(x[1] != y[1])  # type: ignore[index]

        def children(self, node: object) -> object:
            return node[2]  # type: ignore[index]

    def build(tree: Tree) -> object:
        children = children_of(tree)
        nodes: list[tuple[int, str, list[object]]] = []
        for k, label in enumerate(tree.labels):
            nodes.append((k, label, [nodes[c] for c in children[k]]))
        return nodes[-1]

    return float(apted.APTED(build(a), build(b), Config()).compute_edit_distance())


def by_edist(a: Tree, b: Tree) -> float:
    edist_ted = pytest.importorskip("edist.ted")

    def build(tree: Tree) -> tuple[list[str], list[list[int]]]:
        children = children_of(tree)
        labels: list[str] = []
        adjacent: list[list[int]] = []

        def visit(node: int) -> int:
            labels.append(tree.labels[node])
            adjacent.append([])
            here = len(labels) - 1
            adjacent[here] = [visit(child) for child in children[node]]
            return here

        visit(tree.n_nodes - 1)
        return labels, adjacent

    return float(edist_ted.standard_ted(*build(a), *build(b)))


@pytest.mark.parametrize("oracle", [by_zss, by_apted, by_edist])
def test_distances_equal_those_of_other_implementations(
    oracle: Callable[[Tree, Tree], float],
) -> None:
    rng = np.random.default_rng(7)
    trees = [random_tree(rng, int(rng.integers(1, 16))) for _ in range(40)]
    packed = pack(trees)
    first, second = packed.codes[:20], packed.codes[20:]
    found = packed.distances(first, second)
    for a, b, distance in zip(trees[:20], trees[20:], found, strict=True):
        assert distance == oracle(a, b)
        assert tree_edit_distance(a, b) == distance


def test_distances_equal_the_definition() -> None:
    rng = np.random.default_rng(11)
    trees = [random_tree(rng, int(rng.integers(1, 25))) for _ in range(20)]
    for a, b in pairwise(trees):
        assert tree_edit_distance(a, b) == distance_of_forests(a, b)


# Exhaustive search: a mapping is a set of node pairs that keeps ancestors and left-to-right order
# (Zhang & Shasha 1989, §2); it costs one per unmapped node of either tree and per relabelling.


def cheapest_mapping(a: Tree, b: Tree) -> int:
    pairs = list(product(range(a.n_nodes), range(b.n_nodes)))

    def fits(p: tuple[int, int], q: tuple[int, int]) -> bool:
        (i, j), (k, m) = p, q
        if i == k or j == m:
            return False
        same_order = (i < k) == (j < m)
        above_a = a.leftmost[max(i, k)] <= min(i, k)
        above_b = b.leftmost[max(j, m)] <= min(j, m)
        return same_order and above_a == above_b

    @cache
    def best(start: int, chosen: tuple[tuple[int, int], ...]) -> int:
        changes = sum(a.labels[i] != b.labels[j] for i, j in chosen)
        cost = a.n_nodes + b.n_nodes - 2 * len(chosen) + changes
        for k in range(start, len(pairs)):
            if all(fits(pairs[k], other) for other in chosen):
                cost = min(cost, best(k + 1, (*chosen, pairs[k])))
        return cost

    return best(0, ())


def test_distances_equal_exhaustive_search() -> None:
    rng = np.random.default_rng(3)
    for _ in range(25):
        a, b = (random_tree(rng, int(rng.integers(1, 4)), labels=2) for _ in range(2))
        assert tree_edit_distance(a, b) == cheapest_mapping(a, b)


nested = st.recursive(
    st.tuples(st.sampled_from("ab"), st.just(())),
    lambda below: st.tuples(st.sampled_from("ab"), st.lists(below, max_size=3).map(tuple)),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None)
@given(nested, nested, nested)
def test_the_distance_is_a_metric(x: Nested, y: Nested, z: Nested) -> None:
    a, b, c = (nested_tree(n) for n in (x, y, z))
    d = tree_edit_distance
    assert d(a, b) == d(b, a)
    assert (d(a, b) == 0) == (a == b)
    assert d(a, b) + d(b, c) >= d(a, c)
    assert abs(a.n_nodes - b.n_nodes) <= d(a, b) <= a.n_nodes + b.n_nodes
    assert d(a.mirror, b.mirror) == d(a, b)


def test_equal_trees_are_packed_once_and_order_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    trees = [random_tree(rng, n) for n in (4, 9, 4, 1)]
    packed = pack([*trees, trees[1]])
    assert packed.codes[1] == packed.codes[4]
    assert len(packed) == len(set(trees))
    with pytest.raises(UsageError, match="no tree"):
        pack([])


def comb(rng: np.random.Generator, n: int, *, to_the_left: bool = False) -> Tree:
    """Return a tree of one long branch with a leaf before each of its nodes."""
    heads = [h for k in range(n // 2) for h in (2 * k + 2, 2 * k)]
    if to_the_left:
        heads = [n + 1 - h if h else 0 for h in reversed(heads)]
    return dependency_tree(heads, rng.choice(["a", "b"], n).tolist())


def test_long_branches_need_less_than_quadratic_memory() -> None:
    """The trees are combs of 80 tokens to the right and to the left, and short trees."""
    from gammacp.trees.measures.ted_kernel import tables

    rng = np.random.default_rng(5)
    trees = [comb(rng, 80), comb(rng, 80, to_the_left=True)]
    trees += [random_tree(rng, k) for k in (1, 3, 12)]
    packed = pack(trees)
    assert len(tables(packed.arrays).left) < packed.arrays.widths.max() / 2
    for (i, x), (j, y) in combinations_with_replacement(enumerate(trees), 2):
        expected = 0 if i == j else distance_of_forests(x, y)
        for one, other in ((i, j), (j, i)):
            (found,) = packed.distances(
                packed.codes[one : one + 1], packed.codes[other : other + 1]
            )
            assert found == expected


@pytest.fixture(scope="module")
def blocks() -> tuple[PackedTrees, Indices]:
    """Return packed trees of many sizes, and their distances by the definition.

    Some blocks are full, and two trees have blocks of their own.
    """
    rng = np.random.default_rng(13)
    trees = [random_tree(rng, int(n)) for n in rng.integers(1, 22, 30)]
    trees += [comb(rng, 58), comb(rng, 58, to_the_left=True)]
    packed = pack(trees)
    distances = np.zeros((len(packed), len(packed)), np.int64)
    for (i, a), (j, b) in combinations(zip(packed.codes, trees, strict=True), 2):
        if i != j:
            distances[i, j] = distances[j, i] = distance_of_forests(a, b)
    assert packed.arrays.widths[0].sum() > 2 * 800
    assert (packed.arrays.widths[:, -2:].max(axis=0) > 800).all()
    return packed, distances


def test_distances_of_pairs_in_any_order(blocks: tuple[PackedTrees, Indices]) -> None:
    packed, distances = blocks
    x, y = np.random.default_rng(2).integers(len(packed), size=(2, 3000))
    np.testing.assert_array_equal(packed.distances(x, y), distances[x, y])
    np.testing.assert_array_equal(packed.distances(y[:1], x[:1]), distances[y[:1], x[:1]])
    assert len(packed.distances(x[:0], y[:0])) == 0


@pytest.mark.parametrize(("low", "high"), [(0, 32), (0, 1), (7, 24), (27, 32), (31, 32)])
def test_weighted_sums_over_a_range_of_trees(
    blocks: tuple[PackedTrees, Indices], low: int, high: int
) -> None:
    packed, distances = blocks
    n = len(packed)
    weights = np.random.default_rng(4).integers(3, size=(2, n)).astype(float)
    expected = np.zeros((2, 3, n))
    for x in range(low, min(high, n)):
        for y in range(x + 1, n):
            squares = deltas(distances[x, y], packed.sizes[x], packed.sizes[y]) ** 2
            expected[:, :, x] += weights[:, y, None] * squares
            expected[:, :, y] += weights[:, x, None] * squares
    np.testing.assert_array_equal(packed.weighted_squares(low, high, weights), expected)
