"""The p value for trees against all permutations, and its level and power on few sentences."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.alpha import TreeObservations
from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.measures.permuted import PERMUTATIONS, permuted
from tests.trees.measures.test_tree_alpha import random_sentence


def test_trees_are_permuted_within_annotator_and_length() -> None:
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(60), 2)
    people = np.tile([0, 1], 60)
    lengths = rng.integers(3, 7, 60)[items] + (rng.random(120) < 0.1)
    found = permuted(lengths, items, people, draws=50, seed=3)
    assert (found[0] == np.arange(120)).all()
    assert (people[found] == people).all()
    assert (lengths[found] == lengths).all()
    assert (np.sort(found, axis=1) == np.arange(120)).all()
    assert (found == permuted(lengths, items, people, draws=50, seed=3)).all()
    # With 300 sentences of one length, a tree is moved to at most twenty positions.
    many = permuted(np.full(300, 9), np.arange(300), np.zeros(300, int), draws=400, seed=0)
    assert max(len(np.unique(column)) for column in many.T) == 20


def test_p_is_the_share_of_all_permutations() -> None:
    """The 24 permutations of four sentences of one length and one of another are listed."""
    rng = np.random.default_rng(8)
    shared = [random_sentence(rng, n) for n in (5, 5, 5, 5)]
    a = [*shared[:2], *(random_sentence(rng, 5) for _ in range(2)), random_sentence(rng, 6)]
    b = [*shared, random_sentence(rng, 6)]
    observations = TreeObservations.of(Treebank.from_annotations({"A": a, "B": b}))
    first, second = np.flatnonzero(observations.annotator == 0), [1, 3, 5, 7, 9]
    sums = []
    for order in permutations(second[:4]):
        met = np.array([*order, second[4]])
        sums.append(observations.compare(first, met)[0].sum())
    exact = np.mean(np.array(sums) <= sums[0] + 1e-9)
    total = permutation_share(a, b)
    assert total == pytest.approx(
        exact, abs=4 * (exact * (1 - exact) / PERMUTATIONS) ** 0.5 + 0.006
    )


def permutation_share(a: list[Dependencies], b: list[Dependencies]) -> float:
    """Return the p value of δ plain for two annotators, computed over all sentences."""
    from gammacp.trees.measures.permuted import permutation_p

    observations = TreeObservations.of(Treebank.from_annotations({"A": a, "B": b}))
    weights = np.ones((len(observations.compare(np.array([0]), np.array([1]))), len(a)))
    everything = observations.everything
    return permutation_p(observations, everything, observations.compare, weights, seed=5)[0]


def test_p_of_independent_and_of_agreeing_annotators() -> None:
    small, found = [], []
    for k in range(40):
        rng = np.random.default_rng(k)
        lengths = rng.integers(4, 7, 30).tolist()
        columns = {name: [random_sentence(rng, n) for n in lengths] for name in "AB"}
        beyond = syntax_agreement(Treebank.from_annotations(columns), breakdown=False).total
        small.append(beyond.beyond_chance["plain"].p)
        if k < 5:
            half = [
                x if i % 2 else y for i, (x, y) in enumerate(zip(*columns.values(), strict=True))
            ]
            agreeing = Treebank.from_annotations({"A": columns["A"], "B": half})
            found.append(syntax_agreement(agreeing, breakdown=False).total.beyond_chance["las"].p)
    assert 0.3 < np.mean(small) < 0.7
    assert np.mean(np.array(small) <= 0.05) < 0.2
    assert found == [1 / (1 + PERMUTATIONS)] * 5


def test_p_is_1_without_sentences_of_equal_length() -> None:
    row = [random_sentence(np.random.default_rng(n), n) for n in range(20, 40)]
    same = syntax_agreement(Treebank.from_annotations({"A": row, "B": row}), breakdown=False)
    plain = same.total.beyond_chance["plain"]
    assert (plain.value, plain.p, plain.details["equal_length"]) == (1, 1, 0)
