"""Errors in dependency trees (Skjærholt 2014, §3): other labels, other heads.

A sentence is a list of heads (of each token, from 1; 0 is the artificial root) and a list of
relation labels. The tree has no cycle, and neither has the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Bools, Floats
from gammacp.errors import UsageError

ATTACHMENTS = ("post-order", "uniform", "local")


@dataclass(frozen=True)
class LabelConfusion:
    """Probabilities of mistaking labels for each other.

    Attributes
    ----------
    labels
        All labels.
    matrix
        Row by label: probabilities of what a relabelled token gets; rows sum to 1.
    """

    labels: tuple[str, ...]
    matrix: Floats

    def __post_init__(self) -> None:
        """Check shape and rows."""
        n = len(self.labels)
        if self.matrix.shape != (n, n) or len(set(self.labels)) != n or n == 0:
            raise UsageError(f"confusion matrix {self.matrix.shape} does not fit {n} labels")
        if (self.matrix < 0).any() or not np.allclose(self.matrix.sum(axis=1), 1):
            raise UsageError("rows of a confusion matrix are probabilities that sum to 1")

    @staticmethod
    def uniform(labels: Sequence[str]) -> LabelConfusion:
        """Any label with the same probability, the right one too (Skjærholt 2014)."""
        different = tuple(sorted(set(labels)))
        n = max(len(different), 1)
        return LabelConfusion(different, np.full((n, n), 1 / n))

    @staticmethod
    def observed(first: Sequence[str], second: Sequence[str]) -> LabelConfusion:
        """Estimate how two annotators confuse the labels of the same tokens; symmetric in the two.

        A label on which they always agree may become any other.
        """
        if len(first) != len(second):
            raise UsageError(f"{len(first)} labels against {len(second)}: not the same tokens")
        labels = tuple(sorted({*first, *second}))
        number = {label: k for k, label in enumerate(labels)}
        counts = np.zeros((len(labels), len(labels)))
        for a, b in zip(first, second, strict=True):
            if a != b:
                counts[number[a], number[b]] += 1
                counts[number[b], number[a]] += 1
        if len(labels) > 1:
            others = 1 - np.eye(len(labels))
        else:
            others = np.ones((1, 1))
        never = counts.sum(axis=1) == 0
        counts[never] = others[never]
        return LabelConfusion(labels, counts / counts.sum(axis=1, keepdims=True))


def relabel(
    labels: Sequence[str], probability: float, confusion: LabelConfusion, rng: np.random.Generator
) -> list[str]:
    """Each label with this probability replaced by one drawn from its row of `confusion`."""
    _require_probability(probability)
    number = {label: k for k, label in enumerate(confusion.labels)}
    changed = list(labels)
    # Two numbers for every token, so that every probability meets the same ones.
    part, u = rng.random((len(labels), 2)).T
    for k in np.flatnonzero(part < probability).tolist():
        if labels[k] not in number:
            raise UsageError(f"label {labels[k]!r} is not in the confusion matrix")
        sums = np.cumsum(confusion.matrix[number[labels[k]]])
        changed[k] = confusion.labels[int(np.searchsorted(sums[:-1], u[k] * sums[-1], "right"))]
    return changed


def reattach(
    heads: Sequence[int],
    probability: float,
    rng: np.random.Generator,
    *,
    attachment: str = "post-order",
) -> list[int]:
    """Each token with this probability given another head; the result is a tree.

    Parameters
    ----------
    attachment
        "post-order" (Skjærholt 2014): token after token, children before their head as in the
        given tree; the new head is uniform over the nodes, the root among them, that the token does
        not dominate at that time. It favours trees like the given one.
        "uniform": the tokens in error are drawn first; the result is uniform over all trees in
        which the others keep their heads (Wilson 1996).
        "local": like post-order, but the new head is the head's head or a neighbouring sibling,
        as in a wrong attachment of a modifier; a token that has neither keeps its head.
    """
    check_attachment(probability, attachment)
    order = post_order(heads)
    if len(order) != len(heads):
        raise UsageError("heads have a cycle or are out of range, so there is no tree to change")
    part, u = rng.random((len(heads), 2)).T
    erring = part < probability
    if attachment == "uniform":
        return _spanning_tree(heads, erring, rng)
    changed = list(heads)
    for token in order:
        if erring[token - 1]:
            if attachment == "post-order":
                candidates = _outside(changed, token)
            else:
                candidates = _nearby(changed, token)
            if candidates:
                changed[token - 1] = candidates[int(u[token - 1] * len(candidates))]
    return changed


def post_order(heads: Sequence[int]) -> list[int]:
    """Tokens in post-order, as far as the root reaches them."""
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for token, head in enumerate(heads, start=1):
        if 0 <= head <= len(heads):
            children[head].append(token)
    return children_first(children)[:-1]


def children_first(children: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes below node 0 in post-order, and that one last."""
    # Parents first, last child first, is post-order read backwards.
    backwards = []
    pending = [0]
    while pending:
        node = pending.pop()
        backwards.append(node)
        pending += children[node]
    return backwards[::-1]


def _dominates(heads: Sequence[int], token: int, node: int) -> bool:
    while node not in (0, token):
        node = heads[node - 1]
    return node == token


def _outside(heads: Sequence[int], token: int) -> list[int]:
    return [node for node in range(len(heads) + 1) if not _dominates(heads, token, node)]


def _nearby(heads: Sequence[int], token: int) -> list[int]:
    head = heads[token - 1]
    siblings = [t for t, h in enumerate(heads, start=1) if h == head]
    place = siblings.index(token)
    near = siblings[max(place - 1, 0) : place] + siblings[place + 1 : place + 2]
    return ([heads[head - 1]] if head else []) + near


def _spanning_tree(heads: Sequence[int], erring: Bools, rng: np.random.Generator) -> list[int]:
    """Loop-erased random walks to the root; a token that keeps its head walks only there."""
    n = len(heads)
    changed = list(heads)
    in_tree = [True] + [False] * n
    for start in range(1, n + 1):
        node = start
        while not in_tree[node]:
            if erring[node - 1]:
                step = int(rng.integers(n))
                changed[node - 1] = step + (step >= node)
            node = changed[node - 1]
        node = start
        while not in_tree[node]:
            in_tree[node] = True
            node = changed[node - 1]
    return changed


def check_attachment(probability: float, attachment: str) -> None:
    """UsageError unless errors of attachment can be made so."""
    _require_probability(probability)
    one_of("attachment", attachment, ATTACHMENTS)


def _require_probability(value: float) -> None:
    if not 0 <= value <= 1:
        raise UsageError(f"probability {value} is not between 0 and 1")
