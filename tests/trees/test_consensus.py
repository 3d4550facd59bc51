"""Consensus trees against an enumeration of all trees of up to six tokens."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gammacp.errors import UsageError
from gammacp.trees.conll import read_conll
from gammacp.trees.consensus import consensus_tree, consensus_trees
from gammacp.trees.measures.annotations import Dependencies, Phrase, Treebank
from gammacp.trees.measures.tree import dependency_tree
from tests.trees.measures.test_tree_alpha import random_sentence


@cache
def all_trees(n: int) -> list[tuple[int, ...]]:
    """Return all (n + 1)^(n − 1) trees of n tokens."""
    heads = product(*([h for h in range(n + 1) if h != t] for t in range(1, n + 1)))
    return [h for h in heads if dependency_tree(h, h).n_nodes > n]


def test_the_enumeration_has_as_many_trees_as_cayleys_formula() -> None:
    assert [len(all_trees(n)) for n in range(1, 7)] == [(n + 1) ** (n - 1) for n in range(1, 7)]


@pytest.mark.parametrize(
    "n", [1, 2, 3, 4, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 6))]
)
@pytest.mark.parametrize("one_root", [True, False])
def test_no_tree_has_more_votes_and_all_ties_are_listed(n: int, one_root: bool) -> None:
    rng = np.random.default_rng(n)
    trees = [t for t in all_trees(n) if t.count(0) == 1] if one_root else all_trees(n)
    for case in range(40 if n < 6 else 8):
        chosen = rng.integers(len(trees), size=int(rng.integers(2, 6)))
        people = [Dependencies(trees[k], tuple(rng.choice(["a", "b"], n).tolist())) for k in chosen]
        if not one_root and case % 2:  # an annotation that is no tree has votes too
            people[0] = Dependencies(tuple(rng.integers(n + 2, size=n).tolist()), ("a",) * n)
        votes = Counter((t, h) for s in people for t, h in enumerate(s.heads))
        single = all(s.heads.count(0) == 1 for s in people)
        allowed = [t for t in all_trees(n) if t.count(0) == 1] if single else all_trees(n)
        sums = [sum(votes[t, h] for t, h in enumerate(tree) if h != t + 1) for tree in allowed]
        most = max(sums)
        best = [t for t, s in zip(allowed, sums, strict=True) if s == most]
        found = consensus_tree(people)
        assert found.tree.heads in best
        for token, head in enumerate(found.tree.heads):
            voted = {t[token] for t in best if votes[token, t[token]] or t[token] == 0} - {head}
            assert set(found.other_heads[token]) == voted
            assert found.head_votes[token] == votes[token, head]


def test_only_annotators_with_the_arc_vote_on_its_label() -> None:
    a = Dependencies((2, 0), ("subj", "root"), upos=("N", "V"))
    b = Dependencies((2, 0), ("obj", "root"), upos=("X", "V"))
    c = Dependencies((0, 1), ("root", "obj"), upos=("X", "V"))
    found = consensus_tree([a, b, c])
    assert found.tree.relations == ("subj", "root")
    assert found.label_votes == (1, 2)
    assert found.other_labels == (("obj",), ())
    assert found.tree.upos == ("X", "V")
    two = consensus_tree([c, a])
    assert two.tree.heads == c.heads  # of two equally good trees, the first
    assert two.other_heads == ((2,), (0,))
    with pytest.raises(UsageError, match="equally many"):
        consensus_tree([a, Dependencies((0,), ("r",))])


def test_only_annotators_with_the_chosen_word_vote_on_its_annotations() -> None:
    a = Dependencies((2, 0), ("s", "r"), ("cat", "ran"), lemmas=("cat", "run"), upos=("N", "V"))
    b = Dependencies((2, 0), ("s", "r"), ("Kat", "ran"), lemmas=("Katrin", "run"))
    c = Dependencies((2, 0), ("s", "r"), ("Kat", "ran"), lemmas=("Kat", "ran"))
    found = consensus_tree([a, b, c]).tree
    assert found.forms == ("Kat", "ran")
    assert found.lemmas == ("Katrin", "run")
    assert found.upos == ("_", "V")  # no annotator with this word gave its part of speech


def test_consensus_trees_are_written_as_conllu_and_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [random_sentence(rng, 6) for _ in range(5)]
    other = [random_sentence(rng, 6) for _ in range(4)]
    treebank = Treebank.from_annotations(
        {"A": rows, "B": rows, "C": [*other, random_sentence(rng, 5)]}
    )
    found = consensus_trees(treebank)
    assert found.as_dict() == {
        "sentences": 4, "tokens": 24, "tied_heads": 0, "tied_labels": 0, "sentences_left_out": 1
    }  # fmt: skip
    found.write(tmp_path / "gold.conllu")
    text = (tmp_path / "gold.conllu").read_text(encoding="utf-8")
    assert "HeadVotes=2|LabelVotes=2" in text
    assert [s.heads for s in read_conll(tmp_path / "gold.conllu")] == [s.heads for s in rows[:4]]
    phrase = Phrase(("S", ()))
    with pytest.raises(UsageError, match="phrase structure has no arcs"):
        consensus_trees(Treebank.from_annotations({"A": [phrase], "B": [phrase]}))
