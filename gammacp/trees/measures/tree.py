"""Ordered labelled trees as post-order arrays, and how annotations become such trees.

Skjærholt 2014, §2: a dependency tree is compared as the tree of its relations, each token a node
labelled with its relation, under an artificial root with an empty label (Figure 1); a phrase
structure tree is compared without its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gammacp.errors import UsageError

# (label, (children …)): the form of trees that are written by hand or read from brackets.
Nested: TypeAlias = "tuple[str, tuple[Nested, ...]]"

ROOT_LABEL = ""


@dataclass(frozen=True)
class Tree:
    """An ordered tree with labelled nodes.

    Attributes
    ----------
    labels
        Labels in post-order: children from left to right, then their parent.
    leftmost
        For each node the post-order index of the leftmost leaf below it (a leaf: its own).
    size
        |x| of δ_diff and δ_norm. For dependencies tokens + 1, also where part of a cyclic
        annotation is not in the tree; for phrase structure the number of leaves.
    """

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]
    size: int

    def __post_init__(self) -> None:
        """Check the shape."""
        if not self.labels or len(self.labels) != len(self.leftmost):
            raise UsageError("a Tree needs a node, and one label and one leftmost leaf per node")

    @property
    def n_nodes(self) -> int:
        """Return the number of nodes, the root included."""
        return len(self.labels)

    @property
    def n_leaves(self) -> int:
        """Return the number of nodes without children."""
        return sum(first == i for i, first in enumerate(self.leftmost))

    @cached_property
    def keyroots(self) -> tuple[int, ...]:
        """Return the keyroots: for each leftmost leaf, the last node that has it, in post-order."""
        last = {first: i for i, first in enumerate(self.leftmost)}
        return tuple(sorted(last.values()))

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Return the post-order index of each node's parent; −1 for the root."""
        parents = [-1] * self.n_nodes
        open_nodes: list[int] = []
        for i, first in enumerate(self.leftmost):
            while open_nodes and open_nodes[-1] >= first:
                parents[open_nodes.pop()] = i
            open_nodes.append(i)
        return tuple(parents)

    @cached_property
    def mirror(self) -> Tree:
        """Return the tree with the children of every node in reverse order."""
        children: list[list[int]] = [[] for _ in self.labels]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(i)
        return _build_tree(
            self.n_nodes - 1, [tuple(reversed(c)) for c in children], self.labels, self.size
        )


def _build_tree(
    root: int, children: Sequence[Sequence[int]], labels: Sequence[str], size: int
) -> Tree:
    """Build the tree below `root`, without recursion as annotations can be very deep."""
    ordered: list[str] = []
    leftmost: list[int] = []
    stack = [(root, 0, 0)]
    while stack:
        node, done, first = stack.pop()
        if done == 0:
            first = len(ordered)
        if done < len(children[node]):
            stack += [(node, done + 1, first), (children[node][done], 0, 0)]
        else:
            ordered.append(labels[node])
            leftmost.append(first)
    return Tree(tuple(ordered), tuple(leftmost), size)


def dependency_tree(heads: Sequence[int], relations: Sequence[str]) -> Tree:
    """Build the tree of a dependency annotation (Skjærholt 2014, Figure 1).

    Parameters
    ----------
    heads
        Head of each token, counted from 1; 0 is the artificial root. Tokens that the root does not
        reach (cycles and heads out of range) are left out of the tree, not of its size.
    relations
        Relation label of each token.

    Raises
    ------
    UsageError
        There are not as many heads as relations.

    >>> dependency_tree([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"]).labels
    ('SUBJ', 'DET', 'OBJ', 'PRED', '')
    """
    if len(heads) != len(relations):
        raise UsageError(f"{len(heads)} heads for {len(relations)} relations")
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for token, head in enumerate(heads, start=1):
        if 0 <= head <= len(heads):
            children[head].append(token)
    return _build_tree(0, children, (ROOT_LABEL, *relations), len(heads) + 1)


def nested_tree(nested: Nested, *, size: str = "leaves") -> Tree:
    """Build the tree of nested (label, children) tuples.

    Parameters
    ----------
    nested
        The root.
    size
        Size |x|: the number of "leaves" or "nodes".

    Raises
    ------
    UsageError
        `size` is neither "leaves" nor "nodes".

    >>> nested_tree(("S", (("NP", (("P", ()),)), ("VP", (("V", ()),))))).labels
    ('P', 'NP', 'V', 'VP', 'S')
    """
    labels: list[str] = []
    children: list[list[int]] = []
    pending: list[tuple[Nested, int]] = [(nested, -1)]
    while pending:
        (label, below), parent = pending.pop()
        labels.append(label)
        children.append([])
        if parent >= 0:
            children[parent].append(len(labels) - 1)
        pending += [(child, len(labels) - 1) for child in reversed(below)]
    if size not in ("leaves", "nodes"):
        raise UsageError(f"size {size!r} is not 'leaves' or 'nodes'")
    if size == "leaves":
        count = sum(not c for c in children)
    else:
        count = len(labels)
    return _build_tree(0, children, labels, count)
