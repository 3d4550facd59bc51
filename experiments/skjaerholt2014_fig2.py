"""Skjærholt 2014, Figure 2: three trees, apart by δ_plain and at distance zero by δ_diff."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import write_csv
from gammacp.base.plots import can_plot, figure
from gammacp.trees.measures.alpha import DELTAS, deltas
from gammacp.trees.measures.ted import tree_edit_distance
from gammacp.trees.measures.tree import Tree, dependency_tree

# A transitive clause; the same with a relative clause at its object; an intransitive one.
TREES = {
    "left": dependency_tree([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"]),
    "middle": dependency_tree(
        [2, 0, 4, 2, 4, 5, 8, 6], ["SUBJ", "PRED", "DET", "OBJ", "ATR", "PRED", "DET", "OBJ"]
    ),
    "right": dependency_tree([2, 0], ["SUBJ", "PRED"]),
}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the three δ of the three pairs."""
    del quick, data
    rows = []
    for (first, a), (second, b) in combinations(TREES.items(), 2):
        ted = np.array(tree_edit_distance(a, b))
        values = deltas(ted, np.array(a.size), np.array(b.size))
        for delta, value in zip(DELTAS, values, strict=True):
            rows.append({"pair": f"{first} – {second}", "delta": delta, "value": float(value)})
    write_csv(out / "distances.csv", rows)
    if can_plot():
        with figure(out / "trees", height=2.8, columns=len(TREES)) as axes:
            for axis, (name, tree) in zip(axes, TREES.items(), strict=True):
                draw_tree(axis, tree)
                axis.set_title(name)


def draw_tree(axis: Any, tree: Tree) -> None:
    """Draw a tree: leaves side by side, parents above the middle of their children.

    Children come before their parents, and the root comes last.
    """
    x, y = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    children: list[list[int]] = [[] for _ in tree.labels]
    leaves = 0
    for node, parent in enumerate(tree.parents):
        if children[node]:
            x[node] = np.mean([x[c] for c in children[node]])
        else:
            x[node], leaves = leaves, leaves + 1
        if parent >= 0:
            children[parent].append(node)
    for node in reversed(range(tree.n_nodes - 1)):
        parent = tree.parents[node]
        y[node] = y[parent] - 1
        axis.plot(x[[node, parent]], y[[node, parent]], color="#555555", linewidth=0.8, zorder=1)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    for node, label in enumerate(tree.labels):
        axis.text(x[node], y[node], label or "·", ha="center", va="center", fontsize=8, bbox=box)
    axis.set(xlim=(x.min() - 0.7, x.max() + 0.7), ylim=(y.min() - 0.5, 0.5))
    axis.axis("off")
