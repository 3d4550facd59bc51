from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammacp.errors import UsageError
from gammacp.trees.measures.annotations import Phrase
from gammacp.trees.measures.tree import dependency_tree, nested_tree


def test_children_are_in_surface_order() -> None:
    tree = dependency_tree([3, 3, 0, 3], ["a", "b", "c", "d"])
    assert tree.labels == ("a", "b", "d", "c", "")
    assert tree.leftmost == (0, 1, 2, 0, 0)
    assert tree.keyroots == (1, 2, 4)
    assert tree.parents == (3, 3, 3, 4, -1)


def test_a_cycle_is_dropped_from_the_tree_but_counted_in_its_size() -> None:
    heads, relations = [0, 3, 2, 1, 9], ["r", "x", "y", "s", "z"]
    tree = dependency_tree(heads, relations)
    assert tree.labels == ("s", "r", "")
    assert tree.size == 6


def reaches_the_root(heads: list[int], token: int) -> bool:
    for _ in heads:
        token = heads[token - 1] if 0 < token <= len(heads) else token
    return token == 0


@given(st.lists(st.integers(-1, 8), max_size=7))
def test_the_nodes_are_the_tokens_reachable_from_the_root(heads: list[int]) -> None:
    tree = dependency_tree(heads, ["x"] * len(heads))
    assert tree.n_nodes == 1 + sum(reaches_the_root(heads, t) for t in range(1, len(heads) + 1))
    assert tree.mirror.mirror == tree
    assert tree.n_leaves == len({*tree.leftmost})


def test_mirroring_reverses_the_tree() -> None:
    tree = nested_tree(("S", (("A", (("a", ()),)), ("b", ()))))
    assert tree.mirror == nested_tree(("S", (("b", ()), ("A", (("a", ()),)))))


def test_size_of_a_phrase_counts_leaves_or_nodes() -> None:
    nested = ("S", (("NP", (("P", ()),)), ("V", ())))
    assert nested_tree(nested).size == 2
    assert nested_tree(nested, size="nodes").size == 4
    with pytest.raises(UsageError, match="size"):
        nested_tree(nested, size="words")


def test_very_deep_trees_cause_no_recursion_error() -> None:
    n = 5000
    chain = dependency_tree(list(range(n)), ["x"] * n)
    assert chain.leftmost == (0,) * (n + 1)
    assert chain.mirror == chain


def test_labelled_bracketings_by_hand() -> None:
    phrase = Phrase(("S", (("NP", (("D", ()), ("N", ()))), ("VP", (("V", ()),)))))
    assert phrase.bracketings == {
        ("S", 1, 3),
        ("NP", 1, 2),
        ("D", 1, 1),
        ("N", 2, 2),
        ("VP", 3, 3),
        ("V", 3, 3),
    }
