"""Small graphs for tests, written in Penman notation or drawn at random."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

from gammacp.trees.graphs.penman import read_penman
from gammacp.trees.measures.annotations import MeaningGraph

WANT_GO = "(a / want-01 :ARG0 (b / boy) :ARG1 (c / go-01 :ARG0 b))"
WANT_FOOTBALL = "(x / want-01 :ARG0 (y / boy) :ARG1 (z / football))"


def written(folder: Path, text: str) -> MeaningGraph:
    """Return the only graph of a text in Penman notation."""
    path = folder / "one.amr"
    path.write_text(text, encoding="utf-8")
    (graph,), defects = read_penman(path)
    assert not defects
    return graph


def drawn(rng: random.Random, nodes: int, labels: int = 3) -> MeaningGraph:
    """Draw a graph, which can have cycles, loops, parallel relations and several attributes."""
    properties = {(0, "top", "top")}
    properties |= {(i, "instance", f"c{rng.randrange(labels)}") for i in range(nodes)}
    properties |= {(rng.randrange(nodes), "quant", str(rng.randrange(2))) for _ in range(2)}
    relations = {
        (rng.randrange(nodes), f"r{rng.randrange(labels)}", rng.randrange(nodes))
        for _ in range(nodes + nodes // 3)
    }
    names = tuple(f"n{i}" for i in range(nodes))
    return MeaningGraph(names, frozenset(properties), frozenset(relations))


def exhaustive(a: MeaningGraph, b: MeaningGraph) -> int:
    """Return the largest number of common triples, by trying all ways to match the nodes."""
    places = max(a.n_nodes, b.n_nodes)
    return max(
        len({(to[i], role, value) for i, role, value in a.properties} & b.properties)
        + len({(to[i], role, to[k]) for i, role, k in a.relations} & b.relations)
        for to in permutations(range(places), a.n_nodes)
    )


def by_cpsat(a: MeaningGraph, b: MeaningGraph) -> int:
    """Return the largest number of common triples as found by OR-tools.

    The model has a product of two variables for each pair of equal relations.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    same = [[model.new_bool_var("") for _ in b.variables] for _ in a.variables]
    for row in (*same, *zip(*same, strict=True)):
        model.add_at_most_one(row)
    gains = [same[i][j] for i, *p in a.properties for j, *q in b.properties if p == q]
    for i, role, k in a.relations:
        for j, other, m in b.relations:
            if role == other:
                both = model.new_bool_var("")
                model.add_implication(both, same[i][j])
                model.add_implication(both, same[k][m])
                gains.append(both)
    model.maximize(sum(gains))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)
