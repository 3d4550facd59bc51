"""Compiled kernels for the linear inequalities of the semidefinite relaxation.

X(u, v) is the extent to which u and v share a group. An annotator A has at most one unit in a
group, so Σ_{v∈A} X(u, v) ≤ 1 (*rows*). If u shares a group with v and with w, these two share it as
well: X(u, v) + X(u, w) − X(v, w) ≤ 1 (*triangles*; Grötschel & Wakabayashi 1989). Both kinds of
inequality belong to u, their *apex*. Projections are Hildreth's (1957): one inequality after the
other, each with a multiplier.
"""

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel

# Largest number of passes over the inequalities in each step. They end early once no multiplier
# changes by more than `_ENOUGH`; the next step continues from their multipliers.
_PASSES = 4
_ENOUGH = 1e-4


@kernel
def project(
    point: Floats,
    several: Bools,
    begin: Indices,
    row_multiplier: Floats,
    triangles: Codes,
    multiplier: Floats,
) -> None:
    """Move `point`, in place, towards the nearest point that is ≥ 0 and obeys all inequalities.

    On entry, `point` is the point to project minus the normals of the inequalities times their
    multipliers; on return, its positive part is the projection. `begin` is the first unit of each
    annotator. Pairs that may not be together have entries far below any threshold. `several[u, a]`
    tells which row inequalities are not trivial. The multipliers (`row_multiplier` and, of the
    `triangles`, `multiplier`) are updated in place.
    """
    for _ in range(_PASSES):
        moved = _project_rows(point, several, begin, row_multiplier)
        moved = max(moved, _project_triangles(point, triangles, multiplier))
        if moved <= _ENOUGH:
            break


@kernel
def _project_rows(point: Floats, several: Bools, begin: Indices, row_multiplier: Floats) -> float:
    n = len(begin) - 1
    most = 0.0
    for u in range(len(point)):
        for a in range(n):
            if not several[u, a]:
                continue
            lo = begin[a]
            hi = begin[a + 1]
            old = row_multiplier[u, a]
            total = 0.0
            count = 0
            for v in range(lo, hi):
                if point[u, v] + old > 0.0:
                    total += point[u, v] + old
                    count += 1
            new = 0.0
            # Find the threshold above which the entries sum to 1 (Michelot 1986).
            while total > 1.0:
                new = (total - 1.0) / count
                n_above = 0
                total = 0.0
                for v in range(lo, hi):
                    if point[u, v] + old > new:
                        total += point[u, v] + old
                        n_above += 1
                if n_above >= count:
                    break
                count = n_above
            change = new - old
            if change != 0.0:
                row_multiplier[u, a] = new
                most = max(most, abs(change))
                for v in range(lo, hi):
                    point[u, v] -= change
                    point[v, u] -= change
    return most


@kernel
def _project_triangles(point: Floats, triangles: Codes, multiplier: Floats) -> float:
    most = 0.0
    for c in range(len(triangles)):
        u, v, w = triangles[c]
        old = multiplier[c]
        first = point[u, v] + old
        second = point[u, w] + old
        third = point[v, w] - old
        new = 0.0
        lack = max(first, 0.0) + max(second, 0.0) - max(third, 0.0) - 1.0
        # `lack` is piecewise linear and falls with `new`. It has at most three kinks, so a few
        # Newton steps suffice.
        for _ in range(4):
            if lack <= 1e-12:
                break
            slope = 0
            if first > new:
                slope += 1
            if second > new:
                slope += 1
            if third > -new:
                slope += 1
            if slope == 0:
                break
            new += lack / slope
            lack = max(first - new, 0.0) + max(second - new, 0.0) - max(third + new, 0.0) - 1.0
        change = new - old
        if change != 0.0:
            multiplier[c] = new
            most = max(most, abs(change))
            _move(point, u, v, w, change)
    return most


@kernel
def _move(point: Floats, u: int, v: int, w: int, step: float) -> None:
    """Subtract `step` times the normal of a triangle from `point`, in place."""
    point[u, v] -= step
    point[v, u] -= step
    point[u, w] -= step
    point[w, u] -= step
    point[v, w] += step
    point[w, v] += step


@kernel
def subtract(
    point: Floats,
    begin: Indices,
    row_multiplier: Floats,
    triangles: Codes,
    multiplier: Floats,
    factor: float,
) -> None:
    """Subtract `factor` times the sum of normals times multipliers from `point`, in place."""
    for u in range(len(point)):
        for a in range(len(begin) - 1):
            m = factor * row_multiplier[u, a]
            if m != 0.0:
                for v in range(begin[a], begin[a + 1]):
                    point[u, v] -= m
                    point[v, u] -= m
    for c in range(len(triangles)):
        u, v, w = triangles[c]
        _move(point, u, v, w, factor * multiplier[c])


@kernel
def violations(
    together: Floats, annotator: Codes, least: float, limit: int
) -> tuple[Codes, Floats]:
    """Return triangles (apex first) that `together` violates by more than `least`, and by how much.

    At most `limit` triangles are returned, all of units of three different annotators.
    """
    n = len(together)
    triangles = np.empty((limit, 3), np.int32)
    excess = np.empty(limit, np.float64)
    near = np.empty(n, np.int32)
    count = 0
    for u in range(n):
        k = 0
        for v in range(n):
            if v != u and together[u, v] > least:
                near[k] = v
                k += 1
        for i in range(k):
            v = near[i]
            for j in range(i + 1, k):
                w = near[j]
                if annotator[v] == annotator[w]:
                    continue
                over = together[u, v] + together[u, w] - together[v, w] - 1.0
                if over > least:
                    if count == limit:
                        return triangles, excess
                    triangles[count, 0] = u
                    triangles[count, 1] = v
                    triangles[count, 2] = w
                    excess[count] = over
                    count += 1
    return triangles[:count], excess[:count]
