"""Votes on one unitary alignment: how many annotators, and what it is; where is `boundaries`."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gammacp.continuum import Unit
from gammacp.continuum.fragments import Fragments, join
from gammacp.errors import UsageError


@dataclass(frozen=True)
class CategoryVote:
    """Winner of a vote, or the categories that are level.

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
        """Return whether all votes went to one category."""
        return len(self.votes) == 1

    def in_words(self, what: str, named: Callable[[Any], str] = str) -> str:
        """Return that votes are tied, or disputed, with how many went to which category.

        Parameters
        ----------
        what
            They were on.
        named
            Function from a category to its name.
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


def needed_support(support: str | float | None, n_annotators: int) -> int:
    """Return how many annotators must have marked a unit.

    Parameters
    ----------
    support
        Rule of support. None: more than half of them. A whole number (or its text): that many. A
        fraction of 1 with a point (`0.6`, `1.0`) or a percentage (`60%`): that share, rounded up.
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
    if text.endswith("%"):
        share = number / 100
    else:
        share = number
    if not 0 < share <= 1:
        raise UsageError(f"support {text!r} is not a share of the annotators in (0, 1]")
    # A share of 2/3 written 0.667 must not ask for all three.
    return max(1, math.ceil(share * n_annotators - 1e-2))


def common_fragments(units: Sequence[Unit]) -> Fragments:
    """Return what more than half of the units cover, or as many as cover anything together.

    Parameters
    ----------
    units
        Units of a unitary alignment, one at least of several fragments.

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
