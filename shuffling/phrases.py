"""Errors in phrase structure trees, which Skjærholt (2014, §5.1) leaves to future work.

A tree is a tuple (label, (child, …)); leaves, in the order of the words, have no children. Errors
never change the words: constituents are attached elsewhere or relabelled, the leaves stay in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from shuffling.trees import LabelConfusion, check_attachment, children_first, relabel

PhraseTree: TypeAlias = "tuple[str, tuple[PhraseTree, ...]]"


@dataclass(frozen=True)
class _Nodes:
    """A mutable tree: labels, children and parent by node; the root is node 0."""

    labels: list[str]
    children: list[list[int]]
    parents: list[int]

    @staticmethod
    def of(tree: PhraseTree) -> _Nodes:
        nodes = _Nodes([], [], [])
        pending: list[tuple[PhraseTree, int]] = [(tree, -1)]
        while pending:
            (label, below), parent = pending.pop()
            nodes.labels.append(label)
            nodes.children.append([])
            nodes.parents.append(parent)
            if parent >= 0:
                nodes.children[parent].append(len(nodes.labels) - 1)
            pending += [(child, len(nodes.labels) - 1) for child in reversed(below)]
        return nodes

    def pre_order(self, root: int = 0) -> Iterator[int]:
        pending = [root]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(self.children[node])

    def tree(self) -> PhraseTree:
        built: dict[int, PhraseTree] = {}
        for node in reversed(list(self.pre_order())):
            built[node] = (self.labels[node], tuple(built[c] for c in self.children[node]))
        return built[0]


def phrase_labels(trees: Sequence[PhraseTree]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of constituents and those of leaves."""
    labels: tuple[set[str], set[str]] = (set(), set())
    for tree in trees:
        nodes = _Nodes.of(tree)
        for label, children in zip(nodes.labels, nodes.children, strict=True):
            labels[not children].add(label)
    return tuple(sorted(labels[0])), tuple(sorted(labels[1]))


def relabel_phrases(
    tree: PhraseTree, probability: float, confusion: LabelConfusion, rng: np.random.Generator
) -> PhraseTree:
    """Relabel each constituent with this probability, by its row of `confusion`.

    Leaves keep their labels, as these are categories of words, not structure.
    """
    nodes = _Nodes.of(tree)
    inner = [node for node in nodes.pre_order() if nodes.children[node]]
    new = relabel([nodes.labels[node] for node in inner], probability, confusion, rng)
    for node, label in zip(inner, new, strict=True):
        nodes.labels[node] = label
    return nodes.tree()


def reattach_phrases(
    tree: PhraseTree,
    probability: float,
    rng: np.random.Generator,
    *,
    attachment: str = "post-order",
) -> PhraseTree:
    """Each node below the root with this probability attached elsewhere, the leaves in order.

    Parameters
    ----------
    attachment
        "post-order": node after node, children first; the new parent is uniform over all
        constituents that can take the node without moving a word: those that end just before it,
        those that start just after it, and the smallest one around both. An only child stays.
        "uniform": constituents in error are drawn first; the result is uniform over all trees with
        the same leaves and as many constituents in which the others keep their leaves.
        "local": like post-order, but the new parent is one step away from the old one.
    """
    check_attachment(probability, attachment)
    nodes = _Nodes.of(tree)
    if attachment == "uniform":
        _redraw(nodes, probability, rng)
        return nodes.tree()
    moves = rng.random((len(nodes.labels), 2))
    for node in children_first(nodes.children)[:-1]:
        part, u = moves[node]
        if part < probability and len(nodes.children[nodes.parents[node]]) > 1:
            _move(nodes, node, u, local=attachment == "local")
    return nodes.tree()


def _move(nodes: _Nodes, node: int, u: float, *, local: bool) -> None:
    """Take a node out and put it back into the same gap between words, at any constituent."""
    parent = nodes.parents[node]
    place = nodes.children[parent].index(node)
    del nodes.children[parent][place]
    path = _places(nodes, parent, place)
    current = path.index((parent, place))
    if local:
        options = [k for k in (current - 1, current + 1) if 0 <= k < len(path)] or [current]
    else:
        options = list(range(len(path)))
    parent, place = path[options[int(u * len(options))]]
    nodes.children[parent].insert(place, node)
    nodes.parents[node] = parent


def _places(nodes: _Nodes, parent: int, place: int) -> list[tuple[int, int]]:
    """List all (constituent, index) of a gap between words.

    They go from the lowest on its left up to the smallest constituent around it, and down to the
    lowest on its right.
    """
    while nodes.parents[parent] >= 0 and place in (0, len(nodes.children[parent])):
        after = place > 0
        above = nodes.parents[parent]
        place = nodes.children[above].index(parent) + after
        parent = above
    siblings = nodes.children[parent]
    if place:
        left = list(_edge(nodes, siblings[place - 1], -1))
    else:
        left = []
    if place < len(siblings):
        right = list(_edge(nodes, siblings[place], 0))
    else:
        right = []
    return [
        *((c, len(nodes.children[c])) for c in reversed(left)),
        (parent, place),
        *((c, 0) for c in right),
    ]


def _edge(nodes: _Nodes, node: int, side: int) -> Iterator[int]:
    """Yield the constituents from a node down along its first (0) or last (−1) children."""
    while nodes.children[node]:
        yield node
        node = nodes.children[node][side]


def _redraw(nodes: _Nodes, probability: float, rng: np.random.Generator) -> None:
    """Below each constituent that is kept, redraw those in error between it and the kept ones."""
    inner = [n for n in nodes.pre_order() if n and nodes.children[n]]
    erring = {n for n in inner if rng.random() < probability}
    for root in [0, *(n for n in inner if n not in erring)]:
        region = [root]
        ends = []
        pending = list(reversed(nodes.children[root]))
        while pending:
            node = pending.pop()
            if node in erring:
                region.append(node)
                pending += reversed(nodes.children[node])
            else:
                ends.append(node)
        if len(region) > 1:
            _arrange(nodes, region, ends, rng)


def _arrange(
    nodes: _Nodes, region: Sequence[int], ends: Sequence[int], rng: np.random.Generator
) -> None:
    """Draw a uniform ordered tree with inner nodes `region` and leaves `ends`, both in pre-order.

    Uniform numbers of children in uniform order, turned to the one rotation that is a tree in
    pre-order (cycle lemma, Dvoretzky & Motzkin 1947).
    """
    k = len(region)
    n = len(ends)
    cuts = np.sort(rng.choice(np.arange(1, n + k - 1), size=k - 1, replace=False))
    counts = np.zeros(n + k, np.int64)
    counts[rng.choice(n + k, size=k, replace=False)] = np.diff([0, *cuts, n + k - 1])
    heights = np.cumsum(counts - 1)
    counts = np.roll(counts, -(int(np.argmin(heights)) + 1))
    inner = iter(region)
    leaves = iter(ends)
    stack: list[tuple[int, int]] = []
    for count in counts:
        if count:
            node = next(inner)
        else:
            node = next(leaves)
        if stack:
            parent, missing = stack.pop()
            nodes.children[parent].append(node)
            nodes.parents[node] = parent
            if missing > 1:
                stack.append((parent, missing - 1))
        if count:
            nodes.children[node] = []
            stack.append((node, int(count)))
