from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from gammacp.errors import UsageError
from shuffling.phrases import PhraseTree, phrase_labels, reattach_phrases, relabel_phrases
from shuffling.trees import ATTACHMENTS, LabelConfusion

TREE: PhraseTree = (
    "S",
    (("A", (("a", ()), ("b", ()))), ("c", ()), ("B", (("d", ()), ("e", ())))),
)


def leaves(tree: PhraseTree) -> list[str]:
    label, children = tree
    return [leaf for child in children for leaf in leaves(child)] if children else [label]


def constituents(tree: PhraseTree) -> Counter[str]:
    label, children = tree
    below = sum((constituents(child) for child in children), Counter[str]())
    return below + Counter([label] if children else [])


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(ATTACHMENTS), st.floats(0, 1), st.integers(0, 999))
def test_words_and_constituents_are_kept(kind: str, p: float, seed: int) -> None:
    changed = reattach_phrases(TREE, p, np.random.default_rng(seed), attachment=kind)
    assert leaves(changed) == leaves(TREE)
    assert constituents(changed) == constituents(TREE)
    if p == 0:
        assert changed == TREE


@pytest.mark.slow
def test_uniform_attachment_is_uniform_over_ordered_trees() -> None:
    """There are C(n + k, k) C(n + k − 2, k − 1) / (n + k) ordered trees of n leaves and k inner
    nodes.
    """
    rng = np.random.default_rng(4)
    drawn = Counter(reattach_phrases(TREE, 1.0, rng, attachment="uniform") for _ in range(10_000))
    assert len(drawn) == comb(8, 3) * comb(6, 2) // 8
    assert chisquare(list(drawn.values())).pvalue > 0.001


def test_the_places_of_a_word() -> None:
    """A word between two constituents may end the first one, begin the second one, or stay."""
    rng = np.random.default_rng(0)
    tree: PhraseTree = ("S", (("A", (("a", ()),)), ("c", ()), ("B", (("b", ()),))))
    drawn = {reattach_phrases(tree, 0.4, rng) for _ in range(300)}
    assert ("S", (("A", (("a", ()), ("c", ()))), ("B", (("b", ()),)))) in drawn
    assert ("S", (("A", (("a", ()),)), ("B", (("c", ()), ("b", ()))))) in drawn


def test_only_labels_of_constituents_are_changed() -> None:
    inner, outer = phrase_labels([TREE])
    assert inner == ("A", "B", "S")
    assert outer == ("a", "b", "c", "d", "e")
    rng = np.random.default_rng(1)
    changed = relabel_phrases(TREE, 1.0, LabelConfusion.observed(["A"] * 2, ["B", "S"]), rng)
    assert leaves(changed) == leaves(TREE)
    assert changed[0] == "A"


def test_impossible_arguments_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="between 0 and 1"):
        reattach_phrases(TREE, -0.1, rng)
    with pytest.raises(UsageError, match="attachment"):
        reattach_phrases(TREE, 0.1, rng, attachment="near")
