"""Count votes on one unitary alignment: on its category, its support and its fragments.

Starts and ends are decided in `boundaries`.
"""

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
    """Winner of a vote, or the tied categories.

    Attributes
    ----------
    winner
        Category with more votes than any other; None if that is "unlabelled", or on a tie.
    tied
        Categories that share the first place, in a fixed order; empty without a tie.
    votes
        Number of votes by category, most votes first; None is "unlabelled".
    """

    winner: str | None
    tied: tuple[str | None, ...]
    votes: Mapping[str | None, int]

    @property
    def unanimous(self) -> bool:
        """Return whether all votes went to one category."""
        return len(self.votes) == 1

    def in_words(self, what: str, named: Callable[[Any], str] = str) -> str:
        """Return a phrase that lists the votes and says whether they are tied or only disputed.

        Parameters
        ----------
        what
            Subject of the vote, such as "category".
        named
            Function that returns the name of a category.
        """
        if self.tied:
            level = " = ".join(f"{named(c)} ({self.votes[c]})" for c in self.tied)
            return f"{what} tied: {level}"
        return f"{what} disputed: " + ", ".join(f"{named(c)} {n}" for c, n in self.votes.items())


def vote_on_category(categories: Sequence[str | None]) -> CategoryVote:
    """Count votes for categories: the most frequent one wins, and on a tie there is no winner.

    >>> vote_on_category(["Verb", "Noun", "Noun"]).winner
    'Noun'
    >>> vote_on_category(["Verb", "Noun"]).tied
    ('Noun', 'Verb')
    """
    counts = Counter(categories)
    # Unlabelled comes last. The order must not depend on the order of annotators.
    order = sorted(counts, key=lambda c: (-counts[c], c is None, c or ""))
    votes = {category: counts[category] for category in order}
    first = [c for c in order if counts[c] == counts[order[0]]]
    if len(first) > 1:
        return CategoryVote(None, tuple(first), votes)
    return CategoryVote(first[0], (), votes)


def needed_support(support: str | float | None, n_annotators: int) -> int:
    """Return the number of annotators who must have marked a unit for it to be kept.

    Parameters
    ----------
    support
        None for more than half of the annotators; a whole number (or its text) for that many; or a
        decimal fraction (`0.6`, `1.0`) or percentage (`60%`) for that share, rounded up.
    n_annotators
        Number of annotators of the continuum, ≥ 1.

    Raises
    ------
    UsageError
        The support is neither a number from 1 to `n_annotators` nor a share in (0, 1].

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
    """Return the stretches that more than half of the units cover.

    If there are none, return the stretches that most units cover.

    Parameters
    ----------
    units
        Units of a unitary alignment, at least one of which has several fragments.

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
