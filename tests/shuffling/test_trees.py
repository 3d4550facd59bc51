from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from gammacp.errors import UsageError
from shuffling.trees import ATTACHMENTS, LabelConfusion, post_order, reattach, relabel


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    n = draw(st.integers(1, 10))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = draw(st.sampled_from([0, *order[:k]]))
    return heads


@settings(max_examples=60, deadline=None)
@given(trees(), st.sampled_from(ATTACHMENTS), st.floats(0, 1), st.integers(0, 99))
def test_reattaching_makes_a_tree(heads: list[int], kind: str, p: float, seed: int) -> None:
    changed = reattach(heads, p, np.random.default_rng(seed), attachment=kind)
    assert sorted(post_order(changed)) == list(range(1, len(heads) + 1))
    if p == 0:
        assert changed == heads


def test_post_order() -> None:
    # The tree has 2 over 1 and 4, and 4 over 3.
    assert post_order([2, 0, 4, 2]) == [1, 3, 4, 2]


def test_uniform_attachment_is_uniform_over_the_trees() -> None:
    """There are (n + 1)^(n − 1) trees of n tokens under a root (Cayley)."""
    rng = np.random.default_rng(5)
    drawn = Counter(tuple(reattach([2, 0, 2], 1, rng, attachment="uniform")) for _ in range(8000))
    assert len(drawn) == 16
    assert chisquare(list(drawn.values())).pvalue > 0.001


def test_post_order_attachment_favours_trees_like_the_given_one() -> None:
    """By Skjærholt 2014, §3, a token whose descendants all stay has few other heads."""
    rng = np.random.default_rng(5)
    drawn = Counter(tuple(reattach([2, 0, 2], 1, rng)) for _ in range(8000))
    assert chisquare(list(drawn.values())).pvalue < 1e-9


def test_tokens_that_are_not_in_error_keep_their_heads() -> None:
    rng = np.random.default_rng(2)
    heads = [2, 0, 4, 2, 4, 5, 6, 2]
    same = [
        sum(a == b for a, b in zip(heads, reattach(heads, 0.25, rng, attachment=kind), strict=True))
        for kind in ATTACHMENTS
        for _ in range(400)
    ]
    # Each token keeps its head with a probability of at least 1 − p.
    assert np.mean(same) / len(heads) > 0.73


def test_local_errors_move_one_step() -> None:
    # In 1 ← 2 ← 3 ← 4, the only choice is the head's head.
    heads = [0, 1, 2, 3]
    changed = {
        tuple(reattach(heads, 0.3, np.random.default_rng(s), attachment="local"))
        for s in range(200)
    }
    assert (0, 1, 2, 2) in changed
    assert (0, 1, 2, 0) not in changed


def test_uniform_relabelling_reaches_each_label() -> None:
    """At p = 1 one of #labels new labels is the right one (Skjærholt 2014, §3)."""
    labels = ["a", "b", "c", "d"] * 2500
    confusion = LabelConfusion.uniform(labels)
    changed = relabel(labels, 1.0, confusion, np.random.default_rng(0))
    right = np.mean([a == b for a, b in zip(labels, changed, strict=True)])
    assert right == pytest.approx(0.25, abs=0.015)
    assert relabel(labels, 0.0, confusion, np.random.default_rng(0)) == labels


def test_observed_confusion() -> None:
    confusion = LabelConfusion.observed(["a", "a", "b", "c"], ["a", "b", "b", "c"])
    assert confusion.labels == ("a", "b", "c")
    assert confusion.matrix.tolist() == [[0, 1, 0], [1, 0, 0], [0.5, 0.5, 0]]
    changed = relabel(["a", "b"], 1.0, confusion, np.random.default_rng(0))
    assert changed == ["b", "a"]


def test_impossible_arguments_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="between 0 and 1"):
        reattach([0], 1.5, rng)
    with pytest.raises(UsageError, match="attachment 'far'"):
        reattach([0], 0.5, rng, attachment="far")
    with pytest.raises(UsageError, match="cycle"):
        reattach([2, 1], 0.5, rng)
    with pytest.raises(UsageError, match="not in the confusion"):
        relabel(["z"], 1.0, LabelConfusion.uniform(["a"]), rng)
    with pytest.raises(UsageError, match="sum to 1"):
        LabelConfusion(("a",), np.array([[0.5]]))
