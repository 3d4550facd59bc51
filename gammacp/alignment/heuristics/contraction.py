"""Alike units brought together: what a best alignment never fails to do.

Units u, v of different annotators are *alike* if they are equal in every column that the
dissimilarity reads; then d(u, v) = 0 and both differ alike from every third unit. If neither's
group holds a unit of the other's annotator, both in the better of the two groups gain at least Δ,
in partitions and in covers (proof: docs/method.md). The condition is needed: alike units may be
apart in the only best alignment.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.columns import group_of_units
from gammacp.alignment.problem import Problem
from gammacp.arrays import Codes, Floats


def contracted(problem: Problem, groups: Codes) -> Codes:
    """A partition in which no two alike units are apart that could be together.

    Each step gains at least Δ, so that it ends. Nothing is done where kinds are not known.
    """
    kind = problem.kind
    if kind is None:
        return groups
    table = groups.copy()
    group_of = group_of_units(groups, problem.n_units)
    order = np.argsort(kind, kind="stable").astype(np.int32)
    for alike in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):
        moved = len(alike) > 1
        while moved:
            moved = _step(problem, table, group_of, alike)
    return np.asarray(table[(table >= 0).any(axis=1)])


def _step(problem: Problem, table: Codes, group_of: Codes, alike: Codes) -> bool:
    """Bring two of them together, if two can be."""
    annotator = problem.annotator
    for i, u in enumerate(alike):
        for v in alike[i + 1 :]:
            g, h = group_of[u], group_of[v]
            apart = g != h and annotator[u] != annotator[v]
            if not apart or table[g, annotator[v]] >= 0 or table[h, annotator[u]] >= 0:
                continue
            if _earned(problem, table[g], u) >= _earned(problem, table[h], v):
                table[h, annotator[v]], table[g, annotator[v]], group_of[v] = -1, v, g
            else:
                table[g, annotator[u]], table[h, annotator[u]], group_of[u] = -1, u, h
            return True
    return False


def _earned(problem: Problem, group: Codes, unit: int) -> float:
    """Σ w of a unit with the others of its group."""
    graph = problem.adjacency
    row = slice(int(graph.start[unit]), int(graph.start[unit + 1]))
    inside = np.isin(graph.neighbour[row], group[group >= 0])
    weights: Floats = graph.weight[row][inside]
    return float(weights.sum())
