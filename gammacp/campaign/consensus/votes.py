"""Votes on one unitary alignment: how many annotators, where it begins and ends, what it is.

Pure functions over the units that a unitary alignment holds; the rules of the consensus are here
and nowhere else. No paper prescribes them: every rule is a parameter or a documented choice.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from gammacp.continuum import Unit
from gammacp.continuum.fragments import Fragments, join
from gammacp.errors import UsageError


class BoundaryRule(StrEnum):
    """How the start and the end of a consensus unit follow from those of its units."""

    MAJORITY = "majority"  # the position that most of them chose; the median where none is
    MEDIAN = "median"
    MEAN = "mean"


@dataclass(frozen=True)
class CategoryVote:
    """Who won, or who is level.

    Attributes
    ----------
    winner
        The category with more votes than any other; None if that is "unlabelled", or on a tie.
    tied
        The categories that share the first place, in a fixed order; empty without a tie.
    votes
        Votes per category, most first; None is "unlabelled".
    """

    winner: str | None
    tied: tuple[str | None, ...]
    votes: Mapping[str | None, int]

    @property
    def unanimous(self) -> bool:
        """Whether all votes went to one category."""
        return len(self.votes) == 1

    def in_words(self, what: str, named: Callable[[Any], str] = str) -> str:
        """That votes are tied, or disputed, with how many went to which category.

        Parameters
        ----------
        what
            They were on.
        named
            How a category is called.
        """
        if self.tied:
            level = " = ".join(f"{named(c)} ({self.votes[c]})" for c in self.tied)
            return f"{what} tied: {level}"
        return f"{what} disputed: " + ", ".join(f"{named(c)} {n}" for c, n in self.votes.items())


def vote_on_category(categories: Sequence[str | None]) -> CategoryVote:
    """Plurality; a tie has no winner, because choosing one would be a guess.

    >>> vote_on_category(["Verb", "Noun", "Noun"]).winner
    'Noun'
    >>> vote_on_category(["Verb", "Noun"]).tied
    ('Noun', 'Verb')
    """
    counts = Counter(categories)
    # Unlabelled last; the order must not depend on who annotated first.
    order = sorted(counts, key=lambda c: (-counts[c], c is None, c or ""))
    votes = {category: counts[category] for category in order}
    first = [c for c in order if counts[c] == counts[order[0]]]
    if len(first) > 1:
        return CategoryVote(None, tuple(first), votes)
    return CategoryVote(first[0], (), votes)


class Span(NamedTuple):
    """Where a consensus unit is.

    Attributes
    ----------
    start, end
        Of the unit.
    tied
        The spans that the rule holds level, the chosen one first; empty without a tie.
    """

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
) -> Span:
    """Start and end of the consensus of these units.

    Parameters
    ----------
    starts, ends
        One entry per unit, start ≤ end.
    rule
        `majority` takes, for each boundary by itself, the position that more units have than any
        other, and the median where there is no such position or the two would cross.
    discrete
        Positions count things (characters, tokens): the start is one of `starts`, the end one of
        `ends`. Of two positions that the median lies between, or that are equally near to the mean,
        those are taken that most units (by weight) have together, then the longest span, so that
        nothing is lost that half of the annotators marked, then the first. Without it (times) the
        median of two positions is their mean.
    whole
        Of positions that are not discrete: round to whole numbers, halves outwards.
    weights
        What each unit counts in medians and means, > 0; default: all alike. Majorities are of
        heads: weighed ones were worse on planted and on real crowds.

    >>> span([0, 0, 1], [10, 12, 10], BoundaryRule.MAJORITY)
    Span(start=0.0, end=10.0, tied=())
    >>> span([3, 5], [9, 12], BoundaryRule.MEDIAN)
    Span(start=5.0, end=12.0, tied=((5.0, 12.0), (3.0, 9.0)))
    >>> span([3, 5], [9, 12], BoundaryRule.MEDIAN, weights=[2, 1])
    Span(start=3.0, end=9.0, tied=())
    >>> span([3, 5], [9, 12], BoundaryRule.MEDIAN, discrete=False)
    Span(start=4.0, end=10.5, tied=())
    """
    each = [1.0] * len(starts) if weights is None else weights
    if not discrete:
        start, end = _average(starts, ends, rule, each)
        return Span(math.ceil(start - 0.5), math.floor(end + 0.5)) if whole else Span(start, end)
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
    return Span(*first[0], tuple(first) if len(first) > 1 else ())


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
    """The position that the rule chooses of these; two that share it."""
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
    """The position with half of the weight on each side; two where they share it.

    >>> medians([1, 2, 9], [1, 1, 3]), medians([1, 2], [1, 1]), medians([1, 1], [1, 1])
    ((9,), (1, 2), (1,))
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


def needed_support(support: str | float | None, n_annotators: int) -> int:
    """How many annotators must have marked a unit.

    Parameters
    ----------
    support
        None: more than half of them. A whole number (or its text): that many. A fraction of 1
        with a point (`0.6`, `1.0`) or a percentage (`60%`): that share, rounded up.
    n_annotators
            Of the continuum, ≥ 1.

    Raises
    ------
    UsageError
            The support is no such number or share, or not in (0, 1].

    >>> needed_support(None, 4), needed_support("2", 4), needed_support("60%", 4)
    (3, 2, 3)
    """
    if support is None:
        return n_annotators // 2 + 1
    text = str(support).strip()
    counted = "%" not in text and "." not in text
    try:
        number = int(text) if counted else float(text.removesuffix("%"))
    except ValueError:
        raise UsageError(
            f"support {text!r} is neither a number of annotators nor a share such as 0.6 or 60%"
        ) from None
    if counted:
        if not 1 <= number <= n_annotators:
            raise UsageError(f"support {text} is not between 1 and the {n_annotators} annotators")
        return int(number)
    share = number / 100 if text.endswith("%") else number
    if not 0 < share <= 1:
        raise UsageError(f"support {text!r} is not a share of the annotators in (0, 1]")
    # A share of 2/3 written 0.667 must not ask for all three.
    return max(1, math.ceil(share * n_annotators - 1e-2))


def common_fragments(units: Sequence[Unit]) -> Fragments:
    """What more than half of the units cover, or as many as cover anything together.

    Parameters
    ----------
    units
        Those of a unitary alignment, one at least of several fragments.

    >>> a, b = Unit("A", 0, 9, "x", ((0, 4), (6, 9))), Unit("B", 1, 9, "x", ((1, 5), (6, 9)))
    >>> common_fragments([a, b, Unit("C", 0, 9)])
    ((0.0, 5.0), (6.0, 9.0))
    """
    covered = [u.fragments or ((u.start, u.end),) for u in units]
    edges = sorted({edge for fragments in covered for f in fragments for edge in f})
    counts = [
        sum(s <= low and high <= e for fragments in covered for s, e in fragments)
        for low, high in pairwise(edges)
    ]
    needed = min(len(units) // 2 + 1, max(counts))
    return join(p for p, n in zip(pairwise(edges), counts, strict=True) if n >= needed)
