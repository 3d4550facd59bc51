"""Small graphs for tests: written in Penman notation, or drawn."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

from gammacp.measures.trees.annotations import Graph
from gammacp.syntax.graphs.penman import read_penman

WANT_GO = "(a / want-01 :ARG0 (b / boy) :ARG1 (c / go-01 :ARG0 b))"
WANT_FOOTBALL = "(x / want-01 :ARG0 (y / boy) :ARG1 (z / football))"


def written(folder: Path, text: str) -> Graph:
    """The one graph of a text."""
    path = folder / "one.amr"
    path.write_text(text, encoding="utf-8")
    (graph,), defects = read_penman(path)
    assert not defects
    return graph


def drawn(rng: random.Random, nodes: int, labels: int = 3) -> Graph:
    """Any graph: cycles, loops, parallel relations and several attributes are all there."""
    properties = {(0, "top", "top")}
    properties |= {(i, "instance", f"c{rng.randrange(labels)}") for i in range(nodes)}
    properties |= {(rng.randrange(nodes), "quant", str(rng.randrange(2))) for _ in range(2)}
    relations = {
        (rng.randrange(nodes), f"r{rng.randrange(labels)}", rng.randrange(nodes))
        for _ in range(nodes + nodes // 3)
    }
    names = tuple(f"n{i}" for i in range(nodes))
    return Graph(names, frozenset(properties), frozenset(relations))


def exhaustive(a: Graph, b: Graph) -> int:
    """Most triples in common over all ways to match the nodes, from the definition."""
    places = max(a.n_nodes, b.n_nodes)
    return max(
        len({(to[i], role, value) for i, role, value in a.properties} & b.properties)
        + len({(to[i], role, to[k]) for i, role, k in a.relations} & b.relations)
        for to in permutations(range(places), a.n_nodes)
    )
