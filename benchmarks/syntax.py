"""Speed of α over trees, and of other tree edit distances beside it.

    python benchmarks/syntax.py [--trees 8800] [--tokens 16] [--peers]

Trees are random: heads near their tokens, each annotation a perturbed copy of its sentence, 2.5
annotations per sentence as in the treebank that took the paper's author 7.5 hours (§5.1, footnote).
Times are wall clock; CPU time beside them. Compilation (or loading the compiled kernel) is not
counted. Peak memory is that of the process.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.measures.ted import pack
from gammacp.trees.measures.tree import Tree
from shuffling.trees import LabelConfusion, reattach, relabel

LABELS = tuple(f"l{k}" for k in range(40))


def sentence(rng: np.random.Generator, n: int) -> Dependencies:
    order = rng.permutation(n) + 1
    heads = [0] * n
    for k in range(1, n):
        near = sorted(order[:k], key=lambda h: abs(int(h) - int(order[k])))
        heads[order[k] - 1] = int(near[min(int(rng.geometric(0.5)) - 1, k - 1)])
    return Dependencies(tuple(heads), tuple(rng.choice(LABELS, n).tolist()))


def random_treebank(trees: int, tokens: int, seed: int = 0) -> Treebank:
    """Sentences with 2 or 3 annotations in turn, `trees` annotations in all."""
    rng = np.random.default_rng(seed)
    confusion = LabelConfusion.uniform(LABELS)
    columns: dict[str, list[Dependencies | None]] = {"A": [], "B": [], "C": []}
    n_trees = 0
    while n_trees < trees:
        text = sentence(rng, tokens)
        people = ("A", "B", "C") if len(columns["A"]) % 2 and trees - n_trees > 2 else ("A", "B")
        for name, column in columns.items():
            column.append(
                Dependencies(
                    tuple(reattach(text.heads, 0.1, rng)),
                    tuple(relabel(text.relations, 0.1, confusion, rng)),
                )
                if name in people
                else None
            )
        n_trees += len(people)
    return Treebank.from_annotations(columns)


def timed(task: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    task()
    return time.perf_counter() - wall, time.process_time() - cpu


def children_of(tree: Tree) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in tree.labels]
    for node, parent in enumerate(tree.parents):
        if parent >= 0:
            children[parent].append(node)
    return children


def peers(trees: list[Tree], pairs: int = 300) -> None:
    """Microseconds per pair of the same pairs."""
    import apted
    import edist.ted
    import zss

    rng = np.random.default_rng(1)
    first, second = rng.integers(len(trees), size=(2, pairs))

    def zss_tree(tree: Tree) -> zss.Node:
        nodes = [zss.Node(label) for label in tree.labels]
        for node, children in enumerate(children_of(tree)):
            for child in children:
                nodes[node].addkid(nodes[child])
        return nodes[-1]

    def apted_tree(tree: Tree) -> object:
        from apted.helpers import Tree as Apted

        texts: list[str] = []
        for label, children in zip(tree.labels, children_of(tree), strict=True):
            texts.append("{" + label + "".join(texts[c] for c in children) + "}")
        return Apted.from_text(texts[-1])

    def edist_tree(tree: Tree) -> tuple[list[str], list[list[int]]]:
        children, labels, adjacent = children_of(tree), [], []

        def visit(node: int) -> int:
            here = len(labels)
            labels.append(tree.labels[node])
            adjacent.append([])
            adjacent[here] = [visit(child) for child in children[node]]
            return here

        visit(tree.n_nodes - 1)
        return labels, adjacent

    zs, ap, ed = ([make(t) for t in trees] for make in (zss_tree, apted_tree, edist_tree))
    packed = pack(trees)
    x, y = packed.codes[first], packed.codes[second]
    tasks: dict[str, Callable[[], list[float]]] = {
        "gammacp": lambda: list(map(float, packed.distances(x, y))),
        "edist": lambda: [
            edist.ted.standard_ted(*ed[i], *ed[j]) for i, j in zip(first, second, strict=True)
        ],
        "zss": lambda: [
            zss.simple_distance(zs[i], zs[j]) for i, j in zip(first, second, strict=True)
        ],
        "apted": lambda: [
            apted.APTED(ap[i], ap[j]).compute_edit_distance()
            for i, j in zip(first, second, strict=True)
        ],
    }
    reference = tasks["gammacp"]()
    for name, task in tasks.items():
        rows: list[list[float]] = []
        _, cpu = timed(lambda task=task, rows=rows: rows.append(task()))
        same = "the same distances" if rows[0] == reference else "OTHER DISTANCES"
        print(f"{name:8} {cpu / pairs * 1e6:10.1f} µs per pair  {same}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=8800)
    parser.add_argument("--tokens", type=int, default=16, help="without the root")
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    treebank = random_treebank(options.trees, options.tokens)
    trees = [s.tree for item in treebank.items for s in item.annotations.values()]
    pack(trees[:2]).distances(np.array([0]), np.array([0]))
    if options.peers:
        peers(trees[:200])
    wall, cpu = timed(lambda: syntax_agreement(treebank, breakdown=False))
    pairs = len(trees) * (len(trees) - 1) // 2
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(trees)} trees of {options.tokens + 1} nodes, {len(set(trees))} different, "
        f"{pairs} pairs: {wall:.1f} s wall, {cpu:.1f} s CPU, {memory:.0f} MB"
    )


if __name__ == "__main__":
    main()
