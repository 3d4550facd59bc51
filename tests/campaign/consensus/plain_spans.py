"""Place of one consensus unit by the rules, read one by one: the oracle of `spans`."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from gammacp.campaign.consensus.boundaries import BoundaryRule, GroupedUnits, spans


class Found(NamedTuple):
    start: float
    end: float
    tied: tuple[tuple[float, float], ...] = ()


def span(
    starts: Sequence[float],
    ends: Sequence[float],
    rule: BoundaryRule,
    *,
    discrete: bool = True,
    whole: bool = False,
    weights: Sequence[float] | None = None,
) -> Found:
    """Return `spans` of one unitary alignment."""
    columns = (np.array(x, np.float64) for x in (starts, ends, weights or [1.0] * len(starts)))
    marked = GroupedUnits(np.zeros(len(starts), np.int64), *columns)
    sides = spans(marked, rule, discrete=np.array([discrete]), whole=np.array([whole]))
    return Found(float(sides.starts[0]), float(sides.ends[0]), sides.tied.get(0, ()))


def plain_span(
    starts: Sequence[float],
    ends: Sequence[float],
    rule: BoundaryRule,
    *,
    discrete: bool = True,
    whole: bool = False,
    weights: Sequence[float] | None = None,
) -> Found:
    """Return start, end and the tied spans."""
    each = [1.0] * len(starts) if weights is None else weights
    if not discrete:
        start, end = _average(starts, ends, rule, each)
        return Found(math.ceil(start - 0.5), math.floor(end + 0.5)) if whole else Found(start, end)
    together: dict[tuple[float, float], float] = {}
    for start, end, weight in zip(starts, ends, each, strict=True):
        together[start, end] = together.get((start, end), 0.0) + weight
    level: list[tuple[float, float]] = []
    for tried in (rule, BoundaryRule.MEDIAN):
        level = level or [
            (float(s), float(e))
            for s, e in product(_level(starts, tried, each), _level(ends, tried, each))
            if s <= e
        ]
    most = max(together.get(pair, 0.0) for pair in level)
    first = [p for p in level if math.isclose(together.get(p, 0.0), most, rel_tol=1e-12)]
    first.sort(key=lambda p: (p[0] - p[1], p[0]))
    return Found(*first[0], tuple(first) if len(first) > 1 else ())


def _average(
    starts: Sequence[float], ends: Sequence[float], rule: BoundaryRule, weights: Sequence[float]
) -> tuple[float, float]:
    if rule is BoundaryRule.MEAN:
        start, end = (float(np.average(x, weights=weights)) for x in (starts, ends))
        return start, end
    start, end = (float(np.mean(_level(x, rule, weights))) for x in (starts, ends))
    return (start, end) if start <= end else _average(starts, ends, BoundaryRule.MEDIAN, weights)


def _level(
    positions: Sequence[float], rule: BoundaryRule, weights: Sequence[float]
) -> tuple[float, ...]:
    """Return the position that the rule chooses, or two that are tied."""
    if rule is BoundaryRule.MEAN:
        mean = float(np.average(positions, weights=weights))
        nearest = min(abs(p - mean) for p in positions)
        near = {p for p in positions if math.isclose(abs(p - mean), nearest, rel_tol=1e-12)}
        return tuple(sorted(near))
    if rule is BoundaryRule.MAJORITY:
        ranked = Counter(positions).most_common(2)
        if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
            return (ranked[0][0],)
    return medians(positions, weights)


def medians(positions: Sequence[float], weights: Sequence[float]) -> tuple[float, ...]:
    """Return the position with half of the weight on each side, or the two that share the
    middle.
    """
    ranked = sorted(zip(positions, weights, strict=True))
    half, below = sum(weights) / 2, 0.0
    for i, (position, weight) in enumerate(ranked):
        below += weight
        if math.isclose(below, half, rel_tol=1e-12) and ranked[i + 1 :]:
            return tuple(dict.fromkeys((position, ranked[i + 1][0])))
        if below > half:
            break
    return (position,)
