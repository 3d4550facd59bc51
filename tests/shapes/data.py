"""Random boxes, their dissimilarities and their best alignments, straight from the definitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from math import prod

from gammacp import Continuum, Unit

Sides = tuple[tuple[float, float], ...]


def sides(unit: Unit) -> Sides:
    """Return (low, high) of a box on each axis."""
    return ((unit.start, unit.end), *(unit.shape.extents if unit.shape else ()))


def volume(box: Sides) -> float:
    return prod(high - low for low, high in box)


def meet(u: Sides, v: Sides) -> float:
    common = [min(a[1], b[1]) - max(a[0], b[0]) for a, b in zip(u, v, strict=True)]
    return 0.0 if min(common) <= 0 else prod(common)


def iou(u: Unit, v: Unit) -> float:
    shared = meet(sides(u), sides(v))
    union = volume(sides(u)) + volume(sides(v)) - shared
    return 2 * (1 - shared / union) if shared else math.inf


def giou(u: Unit, v: Unit) -> float:
    shared = meet(sides(u), sides(v))
    union = volume(sides(u)) + volume(sides(v)) - shared
    pairs = zip(sides(u), sides(v), strict=True)
    hull = volume(tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs))
    return 2 * (1 - (shared / union - (hull - union) / hull))


def sporadic(u: Unit, v: Unit) -> float:
    total = 0.0
    for (s, e), (t, f) in zip(sides(u), sides(v), strict=True):
        total += ((abs(s - t) + abs(e - f)) / ((e - s) + (f - t))) ** 2
    return total


FORMULAS: dict[str, Callable[[Unit, Unit], float]] = {
    "sporadic": sporadic,
    "iou": iou,
    "giou": giou,
}


def least_disorder(
    continuum: Continuum, cost: Callable[[Unit, Unit], float], delta: float = 1.0
) -> float:
    """Return the disorder of the best of all partitions (Mathet et al. 2015, §4.5)."""
    units, n = list(continuum), continuum.n_annotators
    pairs = n * (n - 1) // 2

    def of(group: Sequence[Unit]) -> float:
        real = [cost(u, v) + (u.category != v.category) * delta for u, v in combinations(group, 2)]
        return (sum(real) + delta * (pairs - len(real))) / pairs

    def best(left: Sequence[Unit]) -> float:
        if not left:
            return 0.0
        first, rest = left[0], left[1:]
        least = math.inf
        for size in range(n):
            for chosen in combinations(range(len(rest)), size):
                group = [first, *(rest[i] for i in chosen)]
                if len({u.annotator for u in group}) <= size:
                    continue
                here = of(group)
                if here < least:
                    others = [u for i, u in enumerate(rest) if i not in chosen]
                    least = min(least, here + best(others))
        return least

    return best(units) / continuum.mean_units
