"""Votes on one unitary alignment: how many annotators, where it begins and ends, what it is.

Pure functions over the units that a unitary alignment holds; the rules of the consensus are here
and nowhere else. No paper prescribes them: every rule is a parameter or a documented choice.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from gammacp.continuum import Unit
from gammacp.continuum.fragments import Fragments, joined
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


def span(
    starts: Sequence[float],
    ends: Sequence[float],
    rule: BoundaryRule,
    *,
    whole: bool = False,
    weights: Sequence[float] | None = None,
) -> tuple[float, float]:
    """Start and end of the consensus of these units.

    Parameters
    ----------
    starts, ends
        One entry per unit, start ≤ end.
    rule
        `majority` takes, for each boundary by itself, the position that more units have than any
        other, and the median where there is no such position or the two would cross.
    whole
        Positions count things (characters, tokens): the result is the nearest whole number, halves
        outwards, so that nothing is lost that half of the annotators marked.
    weights
        What each unit counts in medians and means, > 0; default: all alike. Majorities are of
        heads: weighed ones were worse on planted and on real crowds.

    >>> span([0, 0, 1], [10, 12, 10], BoundaryRule.MAJORITY)
    (0.0, 10.0)
    >>> span([0, 1], [9, 10], BoundaryRule.MEDIAN, whole=True)
    (0.0, 10.0)
    >>> span([0, 1], [9, 10], BoundaryRule.MEDIAN, weights=[2, 1])
    (0.0, 9.0)
    """
    each = [1.0] * len(starts) if weights is None else weights
    if rule is BoundaryRule.MEAN:
        start, end = (float(np.average(x, weights=each)) for x in (starts, ends))
    else:
        start, end = weighted_median(starts, each), weighted_median(ends, each)
    if rule is BoundaryRule.MAJORITY:
        voted = (_most_frequent(starts, start), _most_frequent(ends, end))
        if voted[0] <= voted[1]:
            start, end = voted
    if whole:
        start, end = math.ceil(start - 0.5), math.floor(end + 0.5)
    return float(start), float(end)


def weighted_median(positions: Sequence[float], weights: Sequence[float]) -> float:
    """Where half of the weight is on each side; the middle of two positions that share it.

    >>> weighted_median([1, 2, 9], [1, 1, 3]), weighted_median([1, 2], [1, 1])
    (9.0, 1.5)
    """
    ranked = sorted(zip(positions, weights, strict=True))
    half, below = sum(weights) / 2, 0.0
    for i, (position, weight) in enumerate(ranked):
        below += weight
        if math.isclose(below, half, rel_tol=1e-12) and i + 1 < len(ranked):
            return (position + ranked[i + 1][0]) / 2
        if below > half:
            break
    return float(position)


def _most_frequent(positions: Sequence[float], otherwise: float) -> float:
    ranked = Counter(positions).most_common(2)
    unique = len(ranked) == 1 or ranked[0][1] > ranked[1][1]
    return ranked[0][0] if unique else otherwise


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
    return joined(p for p, n in zip(pairwise(edges), counts, strict=True) if n >= needed)
