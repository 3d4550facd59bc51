"""Enumeration of all groups of a small problem, and the best partition, from the definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gammacp.alignment import build_problem
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.dissimilarity import bind
from tests.alignment.continua import DISSIMILARITIES, random_continuum

Group = tuple[int, ...]
NEVER = float("inf")


def problem_of(seed: int, n: int, units: int, *, cover: bool = False) -> Problem:
    continuum = random_continuum(seed, n, units)
    bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
    return build_problem(continuum, bound, cover=cover)


def all_groups(problem: Problem) -> dict[Group, float]:
    """Return the gain of every transversal of two or more units whose pairs are all candidates."""
    weight = edges(problem)
    found: dict[Group, float] = {}
    growing: list[Group] = [(u,) for u in range(problem.n_units)]
    while growing:
        group = growing.pop()
        for u in range(group[-1] + 1, problem.n_units):
            pairs = [(v, u) for v in group]
            if all(pair in weight for pair in pairs):
                larger = (*group, u)
                growing.append(larger)
                inside = sum(weight[pair] for pair in combinations(larger, 2))
                found[larger] = len(group) * problem.opening + inside
    return found


def edges(problem: Problem) -> dict[tuple[int, int], float]:
    pairs = zip(problem.first.tolist(), problem.second.tolist(), strict=True)
    return dict(zip(pairs, problem.weight.tolist(), strict=True))


def listed(columns: Columns) -> dict[Group, float]:
    parts = np.split(columns.members, columns.begin[1:-1])
    groups = [tuple(sorted(part.tolist())) for part in parts] if columns.number else []
    assert len(set(groups)) == len(groups)
    return dict(zip(groups, columns.gain.tolist(), strict=True))


def most_gain(problem: Problem, groups: dict[Group, float]) -> float:
    """Return the gain of the best partition, by dynamic programming over sets of units."""
    of_first: dict[int, list[tuple[int, float]]] = {u: [] for u in range(problem.n_units)}
    for group, gain in groups.items():
        of_first[group[0]].append((sum(1 << u for u in group), gain))
    best = {0: 0.0}
    for u in range(problem.n_units):
        after: dict[int, float] = {}
        for taken, gain in best.items():
            ways = [(0, 0.0)] if taken >> u & 1 else [(0, 0.0), *of_first[u]]
            for mask, more in ways:
                if not mask & taken:
                    key = (mask | taken) >> (u + 1) << (u + 1)
                    after[key] = max(after.get(key, -NEVER), gain + more)
        best = after
    return max(best.values())
