"""Boundary edits that turn one segmentation into another, and what they cost (2012, §3.2).

Conventions
-----------
Two operations of S: a *substitution* is a full miss (a boundary that only one side has, or, with
several types, one type for another at the same place); an n-wise *transposition* is a near miss:
a window of n potential boundaries in which one side is the mirror image of the other. Neither side
is a reference, so an edit read backwards is the same edit.
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.errors import UsageError
from gammacp.segmentation.measures.value import Segmentation

_OPTIONS = {"EditSearch": "edit", "Mode": "mode", "CorrectedSimilarity": "similarity"}
# Type codes that only one side has at a place: (only the first, only the second).
Differences = dict[int, tuple[set[int], set[int]]]


class NamedChoice(StrEnum):
    """Enumeration by name; an unknown name raises a UsageError that lists the known ones."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        one_of(_OPTIONS[cls.__name__], value, cls)


class EditSearch(NamedChoice):
    """Search for near misses: the published one (2012, §3.3), or one of least cost."""

    PUBLISHED = "published"
    OPTIMAL = "optimal"


class Substitution(NamedTuple):
    """A full miss at potential boundary `position`.

    `first` and `second` are the boundary types on either side, None where there is no boundary; at
    least one is not None. Both are given only where a task has several types.
    """

    position: int
    first: str | None
    second: str | None


class Transposition(NamedTuple):
    """A near miss: the mirrored window from potential boundary `start` to `end`, both included.

    `boundaries` is the number of boundaries of the transposed type in the window, on both sides.
    `other` is the type on the second side if it differs, which occurs only in the best edits of B.
    """

    start: int
    end: int
    type: str
    boundaries: int
    other: str | None = None

    @property
    def n(self) -> int:
        """Return the number of potential boundaries in the window."""
        return self.end - self.start + 1


@dataclass(frozen=True, kw_only=True)
class Edits:
    """Edits: full misses and near misses, each in order of position."""

    substitutions: tuple[Substitution, ...] = ()
    transpositions: tuple[Transposition, ...] = ()

    @property
    def full(self) -> int:
        """Return the number of full misses."""
        return len(self.substitutions)

    @property
    def near(self) -> int:
        """Return the number of near misses."""
        return len(self.transpositions)


def transposition_error(n: int, b: int) -> float:
    """Return te(n, b) = b − (1/b)^(n−2) (2012, eq. 3), for n ≥ 2 and b > 0.

    Parameters
    ----------
    n
        Number of potential boundaries that the transposition spans.
    b
        Number of boundaries in the window.

    Raises
    ------
    UsageError
        n < 2 or b ≤ 0.

    >>> transposition_error(2, 2), transposition_error(3, 2)
    (1.0, 1.5)
    """
    if n < 2 or b < 1:
        raise UsageError(f"te({n}, {b}) is not defined: n >= 2 and b > 0 are needed")
    return b - (1 / b) ** (n - 2)


@dataclass(frozen=True, kw_only=True)
class EditCosts:
    """Costs of edits, in potential boundaries.

    Attributes
    ----------
    substitution, transposition
        w_sub and w_trp, each in [0, 1].
    te
        Whether a transposition is weighted by te(n, b); otherwise it costs w_trp for any width.
    """

    substitution: float = 1.0
    transposition: float = 1.0
    te: bool = True

    def __post_init__(self) -> None:
        """Check the weights."""
        for name in ("substitution", "transposition"):
            weight = getattr(self, name)
            if not 0 <= weight <= 1:
                raise UsageError(f"{name} weight {weight:g} is outside [0, 1]")

    @property
    def parts(self) -> tuple[float, float, bool]:
        """Return the costs in the form that the kernels expect."""
        return float(self.substitution), float(self.transposition), self.te

    def window_cost_of(self, n: int, b: int) -> float:
        """Return the cost of a transposition of b boundaries over n potential boundaries."""
        return self.transposition * (transposition_error(n, b) if self.te else 1.0)

    def of(self, edits: Edits) -> float:
        """Return d, the total cost of a list of edits.

        Parameters
        ----------
        edits
            Full and near misses.
        """
        moved = sum(self.window_cost_of(t.n, t.boundaries) for t in edits.transpositions)
        return self.substitution * edits.full + moved


def differences(a: Segmentation, b: Segmentation) -> Differences:
    """Return where two segmentations differ, in order of position."""
    n_types = len(a.types)
    first = a.positions * n_types + a.type_codes
    second = b.positions * n_types + b.type_codes
    codes_by_position: Differences = {}
    for side, keys in enumerate((np.setdiff1d(first, second), np.setdiff1d(second, first))):
        positions, codes = (column.tolist() for column in np.divmod(keys, n_types))
        for position, code in zip(positions, codes, strict=True):
            if position not in codes_by_position:
                codes_by_position[position] = (set(), set())
            codes_by_position[position][side].add(code)
    return dict(sorted(codes_by_position.items()))


def substitutions(unmatched: Differences, types: tuple[str, ...]) -> tuple[Substitution, ...]:
    """Return the full misses: at each place the types of both sides, paired in order."""
    names = (*types, None)
    return tuple(
        Substitution(position, names[first], names[second])
        for position, (one, other) in unmatched.items()
        for first, second in zip_longest(sorted(one), sorted(other), fillvalue=-1)
    )
