"""Skjærholt 2014, §2: which of the three δ are metrics, by search over all small trees.

The paper asks of δ to be 0 for identical trees only and to obey the triangle inequality. δ_plain
does; δ_diff breaks both, δ_norm the second. All dependency trees of up to 4 tokens with two
labels are searched; the smallest counterexamples are written down.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp.base.arrays import Floats
from gammacp.trees.measures.alpha import DELTAS, deltas
from gammacp.trees.measures.annotations import Phrase
from gammacp.trees.measures.ted import pack, tree_edit_distance
from gammacp.trees.measures.tree import Nested, Tree, nested_tree


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a row per δ and axiom: how often it is broken, and the smallest case."""
    del data
    trees = dependency_trees(3 if quick else 4)
    packed = pack(trees)
    order = np.argsort(packed.codes)
    n = len(trees)
    first, second = np.divmod(np.arange(n * n), n)
    ted = packed.distances(first, second).astype(np.int64)
    sizes = packed.sizes
    distances = deltas(ted, sizes[first], sizes[second]).reshape(3, n, n)
    sorted_trees = [trees[k] for k in order]
    rows: list[dict[str, object]] = []
    for delta, d in zip(DELTAS, distances, strict=True):
        for axiom, violations in (
            ("non-negative", _pairs(d < 0, sorted_trees)),
            ("symmetric", _pairs(d != d.T, sorted_trees)),
            (
                "zero only for identical trees",
                _pairs((d == 0) & ~np.eye(n, dtype=bool), sorted_trees),
            ),
            ("triangle inequality", _triangles(d, sorted_trees)),
        ):
            count, example = violations
            rows.append(
                {"delta": delta, "axiom": axiom, "trees": n, "broken": count, "smallest": example}
            )
    write_csv(out / "axioms.csv", rows)
    write_csv(out / "range.csv", _above_one())


def dependency_trees(tokens: int, labels: str = "ab") -> list[Tree]:
    """Every ordered tree of up to so many labelled nodes under an unlabelled root."""

    def forests(n: int) -> list[tuple[Nested, ...]]:
        if n == 0:
            return [()]
        return [
            ((label, below), *rest)
            for k in range(n)
            for below, rest, label in product(forests(k), forests(n - 1 - k), labels)
        ]

    return [
        nested_tree(("", forest), size="nodes") for n in range(tokens + 1) for forest in forests(n)
    ]


def text(tree: Tree) -> str:
    """Return `·(a b(a))`: a label with its children."""
    written: list[str] = []
    for i, label in enumerate(tree.labels):
        below = [k for k, parent in enumerate(tree.parents) if parent == i]
        inside = " ".join(written[k] for k in below)
        written.append((label or "·") + (f"({inside})" if below else ""))
    return written[-1]


def _pairs(broken: np.ndarray, trees: list[Tree]) -> tuple[int, str]:
    where = np.argwhere(np.triu(broken))
    if not len(where):
        return 0, ""
    x, y = min(where, key=lambda p: sum(trees[k].n_nodes for k in p))
    return len(where), f"{text(trees[x])} and {text(trees[y])}"


def _triangles(d: Floats, trees: list[Tree]) -> tuple[int, str]:
    """Triples x, y, z (x before z) with δ(x, y) + δ(y, z) < δ(x, z)."""
    sizes = np.array([t.n_nodes for t in trees])
    count, best, example = 0, np.inf, ""
    for y in range(len(trees)):
        # Rounding of quotients must not count as a break.
        broken = np.argwhere(np.triu(d[:, y, None] + d[None, y, :] < d - 1e-12))
        count += len(broken)
        if len(broken):
            total = sizes[broken].sum(axis=1) + sizes[y]
            k = int(np.argmin(total))
            if total[k] < best:
                best = total[k]
                x, z = broken[k]
                example = (
                    f"{text(trees[x])} – {text(trees[y])} – {text(trees[z])}: "
                    f"{d[x, y]:.4g} + {d[y, z]:.4g} < {d[x, z]:.4g}"
                )
    return count, example


def _above_one() -> list[dict[str, object]]:
    """Show that δ_norm of phrase structure, with |x| in leaves, exceeds 1 (footnote 4)."""
    chains: list[Nested] = [("A", (("B", (("C", ()),)),)), ("X", (("Y", (("Z", ()),)),))]
    rows: list[dict[str, object]] = []
    for size in ("leaves", "nodes"):
        a, b = (Phrase(nested, size=size).tree for nested in chains)
        ted = tree_edit_distance(a, b)
        norm = ted / (a.size + b.size)
        rows.append({"size": size, "first": text(a), "second": text(b), "ted": ted, "norm": norm})
    return rows
