"""The tree edit distance computed from its definition by recursion on forests."""

from __future__ import annotations

from functools import cache

from gammacp.trees.measures.tree import Tree


def distance_of_forests(a: Tree, b: Tree) -> int:
    """Return the tree edit distance.

    The recursion deletes the last node of either forest or matches both (Zhang & Shasha 1989, Lemma
    4).
    """

    # A forest is a range of nodes in post-order.
    @cache
    def apart(i: int, n: int, j: int, m: int) -> int:
        if i == n or j == m:
            return n - i + m - j
        x, y = max(i, a.leftmost[n - 1]), max(j, b.leftmost[m - 1])
        both = apart(i, x, j, y) + apart(x, n - 1, y, m - 1)
        renamed = a.labels[n - 1] != b.labels[m - 1]
        return min(apart(i, n - 1, j, m) + 1, apart(i, n, j, m - 1) + 1, both + renamed)

    return apart(0, a.n_nodes, 0, b.n_nodes)
