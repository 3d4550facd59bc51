"""Compute the starts and ends of consensus units, for many unitary alignments at once.

All rules for boundaries are in this module. No paper prescribes them: each is a documented choice.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices, places_within

# Relative difference below which two weights or distances count as equal.
_EQUAL = 1e-12


class BoundaryRule(StrEnum):
    """Rules for the start and the end of a consensus unit, given its units."""

    MAJORITY = "majority"  # the most frequent position; the median if several are equally frequent
    MEDIAN = "median"
    MEAN = "mean"


class GroupedUnits(NamedTuple):
    """Units of several unitary alignments, as columns of shape (units,) each.

    Attributes
    ----------
    group
        Number of each unit's unitary alignment, ascending from 0. Every alignment has a unit.
    starts, ends
        Start and end of each unit, start ≤ end.
    weights
        Weight of each unit in medians and means, > 0. Majorities count units without weights;
        weighted majorities were worse on simulated and on real crowds.
    """

    group: Indices
    starts: Floats
    ends: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class ConsensusSpans:
    """Positions of consensus units.

    Attributes
    ----------
    starts, ends
        Start and end of each consensus unit, shape (unitary alignments,).
    tied
        For each unitary alignment with a tie, by its number, the spans that are tied according to
        the rule, the chosen one first.
    """

    starts: Floats
    ends: Floats
    tied: dict[int, tuple[tuple[float, float], ...]]


def spans(
    marked: GroupedUnits, rule: BoundaryRule, *, discrete: Bools, whole: Bools
) -> ConsensusSpans:
    """Return the start and end of the consensus unit of each unitary alignment.

    Parameters
    ----------
    marked
        The units.
    rule
        `majority` chooses, separately for the start and the end, the most frequent position. If
        there is none, or if start and end would cross, it uses the median.
    discrete
        Whether positions count characters or tokens, shape (unitary alignments,). If so, the start
        is one of `starts` and the end one of `ends`. If the median lies between two positions, or
        if two are equally near to the mean, the span that most units (by weight) have is chosen.
        Among several such spans, the longest is chosen, so that nothing is lost that half of the
        annotators marked; among equally long ones, the first. For other positions (times), the
        median of two positions is their mean.
    whole
        Whether positions that are not discrete are rounded to whole numbers, halves outwards; same
        shape.

    >>> def one(starts, ends, rule, weights=None, discrete=True):
    ...     columns = [np.array(x, float) for x in (starts, ends, weights or [1] * len(starts))]
    ...     marked = GroupedUnits(np.zeros(len(starts), int), *columns)
    ...     found = spans(marked, rule, discrete=np.array([discrete]), whole=np.array([False]))
    ...     return float(found.starts[0]), float(found.ends[0]), found.tied.get(0, ())
    >>> one([0, 0, 1], [10, 12, 10], BoundaryRule.MAJORITY)
    (0.0, 10.0, ())
    >>> one([3, 5], [9, 12], BoundaryRule.MEDIAN)
    (5.0, 12.0, ((5.0, 12.0), (3.0, 9.0)))
    >>> one([3, 5], [9, 12], BoundaryRule.MEDIAN, weights=[2, 1])
    (3.0, 9.0, ())
    >>> one([3, 5], [9, 12], BoundaryRule.MEDIAN, discrete=False)
    (4.0, 10.5, ())
    """
    sides = _averages(marked, rule)
    for side, outwards in enumerate((np.ceil(sides[0] - 0.5), np.floor(sides[1] + 0.5))):
        sides[side] = np.where(whole, outwards + 0.0, sides[side])  # no −0
    starts, ends = sides
    is_discrete_unit = discrete[marked.group]
    if not is_discrete_unit.any():
        return ConsensusSpans(starts, ends, {})
    places = np.flatnonzero(discrete)
    number = np.cumsum(discrete) - 1
    some = GroupedUnits(
        number[marked.group[is_discrete_unit]], *(x[is_discrete_unit] for x in marked[1:])
    )
    starts[places], ends[places], tied = _spans_of_somebody(some, rule)
    return ConsensusSpans(starts, ends, {int(places[k]): level for k, level in tied.items()})


def _averages(marked: GroupedUnits, rule: BoundaryRule) -> list[Floats]:
    """Return starts and ends that need not be those of any unit, because they may be averages."""
    sides = marked.starts, marked.ends
    if rule is BoundaryRule.MEAN:
        return [_means(marked, side) for side in sides]
    both = [_middle(_level(marked, side, rule)) for side in sides]
    cross = both[0] > both[1]
    if cross.any():
        medians = [_middle(_level(marked, side, BoundaryRule.MEDIAN)) for side in sides]
        both = [np.where(cross, other, chosen) for other, chosen in zip(medians, both, strict=True)]
    return both


def _middle(level: Floats) -> Floats:
    low, high = level.T
    return np.asarray(np.where(np.isnan(high), low, (low + high) / 2))


def _means(marked: GroupedUnits, positions: Floats) -> Floats:
    total = np.bincount(marked.group, marked.weights)
    return np.asarray(np.bincount(marked.group, positions * marked.weights) / total)


def _spans_of_somebody(
    marked: GroupedUnits, rule: BoundaryRule
) -> tuple[Floats, Floats, dict[int, tuple[tuple[float, float], ...]]]:
    """Return starts and ends, each of which some unit has, and the tied spans."""
    pairs = _pairs(marked, rule)
    crossing = np.isnan(pairs).all(axis=(1, 2))
    if crossing.any():
        pairs[crossing] = _pairs(marked, BoundaryRule.MEDIAN)[crossing]
    drawn = np.stack([marked.starts, marked.ends], axis=1)[:, None] == pairs[marked.group]
    shares = drawn.all(axis=2) * marked.weights[:, None]
    together = np.stack([np.bincount(marked.group, share) for share in shares.T], axis=1)
    valid = ~np.isnan(pairs[:, :, 0])
    most = np.where(valid, together, -1.0).max(axis=1, keepdims=True)
    first = valid & (np.abs(together - most) <= _EQUAL * np.maximum(together, most))
    short = pairs[:, :, 0] - pairs[:, :, 1]
    start = pairs[:, :, 0]
    order = np.lexsort((start, short, ~first))
    best = np.take_along_axis(pairs, order[:, :1, None], axis=1)[:, 0]
    tied = {
        k: tuple((s, e) for s, e in pairs[k, order[k, : first[k].sum()]].tolist())
        for k in np.flatnonzero(first.sum(axis=1) > 1).tolist()
    }
    return best[:, 0], best[:, 1], tied


def _pairs(marked: GroupedUnits, rule: BoundaryRule) -> Floats:
    """Return the spans of all tied starts and ends, at most four; NaN if start and end cross."""
    starts, ends = (_level(marked, side, rule) for side in (marked.starts, marked.ends))
    pairs = np.stack([np.repeat(starts, 2, axis=1), np.tile(ends, 2)], axis=2)
    pairs[~(pairs[:, :, 0] <= pairs[:, :, 1])] = np.nan
    return pairs


def _level(marked: GroupedUnits, positions: Floats, rule: BoundaryRule) -> Floats:
    """Return the chosen position, and another one tied with it or NaN, shape (groups, 2)."""
    if rule is BoundaryRule.MEAN:
        far = np.abs(positions - _means(marked, positions)[marked.group])
        first = np.flatnonzero(np.diff(marked.group, prepend=-1))
        nearest = np.minimum.reduceat(far, first)[marked.group]
        near = np.abs(far - nearest) <= _EQUAL * far
        low = np.minimum.reduceat(np.where(near, positions, np.inf), first)
        high = np.maximum.reduceat(np.where(near, positions, -np.inf), first)
        return np.stack([low, np.where(high > low, high, np.nan)], axis=1)
    levels = _medians(marked, positions)
    if rule is BoundaryRule.MAJORITY:
        order = np.lexsort((positions, marked.group))
        group = marked.group[order]
        drawn = positions[order]
        new = np.flatnonzero((np.diff(group, prepend=-1) > 0) | (np.diff(drawn, prepend=0) != 0))
        heads = np.diff(new, append=len(order))
        group = group[new]
        drawn = drawn[new]
        most = np.maximum.reduceat(heads, np.flatnonzero(np.diff(group, prepend=-1)))
        top = heads == most[group]
        alone = top & (np.bincount(group, top)[group] == 1)
        levels[group[alone], 0] = drawn[alone]
        levels[group[alone], 1] = np.nan
    return levels


def _medians(marked: GroupedUnits, positions: Floats) -> Floats:
    """Return the weighted lower median, and the upper median if it differs, otherwise NaN."""
    order = np.lexsort((marked.weights, positions, marked.group))
    group, drawn, weights = (x[order] for x in (marked.group, positions, marked.weights))
    sizes = np.bincount(group)
    first = np.cumsum(sizes) - sizes
    last = np.cumsum(sizes) - 1
    half = np.bincount(marked.group, marked.weights)[group] / 2
    below = weights.copy()
    rank = places_within(sizes)
    # Sum each group separately: cumulative sums over all groups would have larger rounding errors.
    by_rank = np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1])
    for rows in by_rank[1:]:
        below[rows] += below[rows - 1]
    shared = np.abs(below - half) <= _EQUAL * np.maximum(below, half)
    shared[last] = False
    ahead = np.where(shared | (below > half), np.arange(len(group)), len(group))
    place = np.minimum(np.minimum.reduceat(ahead, first), last)
    following = drawn[np.minimum(place + 1, last)]
    both = shared[place] & (following != drawn[place])
    return np.stack([drawn[place], np.where(both, following, np.nan)], axis=1)
