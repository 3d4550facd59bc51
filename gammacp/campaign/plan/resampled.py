"""Half-widths and power of planned corpora whose documents are drawn from those of a pilot.

The same interval and the same test as those that are printed: Hall's interval over documents
(`gammacp.inference.part_tests`), and the test of two rounds as `gammacp.inference.detecting`
repeats it. With as many documents as the pilot has, the half-width is that of the pilot's own
interval. With other numbers of annotators, what documents differ by is multiplied.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.inference.contributions import Contributions
from gammacp.inference.detecting import LEVEL, scaled, too_unequal
from gammacp.inference.part_tests import (
    FEWEST_PARTS,
    difference,
    independent_parts,
    interval_over_documents,
)

SIZES = (5, 7, 10, 14, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000)
"""Documents at which a planned corpus is drawn; between them and beyond is interpolated."""
FEW = 20
"""Documents of a pilot below which a range stands for a number."""
_DRAWS = 200
_CELLS = 100_000
_PILOTS = 1000
_SEED = 0x9A17


@dataclass(frozen=True, eq=False)
class Material:
    """Documents from which those of planned corpora are drawn.

    Attributes
    ----------
    observed, expected
        Disorders of documents, or of clusters; shape (parts,).
    per_document
        Parts per document: less than 1 where clusters are the parts.
    """

    observed: Floats
    expected: Floats
    per_document: float = 1.0

    @classmethod
    def of(cls, parts: Contributions, documents: int) -> "Material":
        """Return the material of a pilot.

        Parameters
        ----------
        parts
            Contributions that γ is a ratio of.
        documents
            Number of documents that have a γ.
        """
        return cls(parts.observed, parts.expected, len(parts) / documents)

    def spread_by(self, times: float) -> "Material":
        """Return documents that differ so many times as much about the same γ.

        Parameters
        ----------
        times
            Factor of the residuals.
        """
        mean = self.observed.sum() / self.expected.sum() * self.expected
        return Material(mean + times * (self.observed - mean), self.expected, self.per_document)

    @property
    def tells_power(self) -> bool:
        """Return whether the documents are enough, and alike enough, to know a power."""
        return not too_unequal(self.observed, self.expected)

    def half_widths(self, sizes: Sequence[int] = SIZES) -> Floats:
        """Return half the width of the 95 % interval over so many documents, shape (sizes,).

        Parameters
        ----------
        sizes
            Numbers of documents.
        """
        found = np.array([self._half_width(self._parts(n)) for n in sizes])
        low, high = map(float, interval_over_documents(self.observed, self.expected))
        drawn = self._half_width(len(self.observed))
        own = (high - low) / 2
        if math.isfinite(own) and drawn > 0:
            return found * own / drawn
        return found

    def powers(self, gain: float, sizes: Sequence[int] = SIZES) -> Floats:
        """Return how often two rounds of so many documents each are told apart, shape (sizes,).

        Parameters
        ----------
        gain
            Difference of γ: one round is that much worse or, where that can be, better; the smaller
            share counts.
        sizes
            Numbers of documents of either round.
        """
        return np.array([self._power(self._parts(n), gain) for n in sizes])

    def range_of(self, documents: float) -> tuple[float, float]:
        """Return what a number of documents may be, as pilots differ: the middle 80 %.

        Parameters
        ----------
        documents
            The number that this pilot gives; it grows with the square of the spread.
        """
        rng = np.random.default_rng(np.random.SeedSequence(_SEED))
        o, e = self._drawn(rng, len(self.observed), _PILOTS)
        spreads = independent_parts(o, e).variance
        own = independent_parts(self.observed, self.expected).variance
        low, high = np.quantile(own / spreads[spreads > 0], [0.1, 0.9])
        least = FEWEST_PARTS / self.per_document
        return max(least, documents * float(low)), max(least, documents * float(high))

    def _parts(self, documents: int) -> int:
        return max(FEWEST_PARTS, round(documents * self.per_document))

    def _drawn(self, rng: np.random.Generator, size: int, draws: int) -> tuple[Floats, Floats]:
        chosen = rng.integers(len(self.observed), size=(draws, size))
        return self.observed[chosen], self.expected[chosen]

    def _half_width(self, size: int) -> float:
        rng = np.random.default_rng(np.random.SeedSequence(_SEED))
        # Small samples differ most, and cost least.
        draws = max(_DRAWS, _CELLS // size)
        low, high = interval_over_documents(*self._drawn(rng, size, draws))
        return float(np.median((high - low) / 2))

    def _power(self, size: int, gain: float) -> float:
        rng = np.random.default_rng(np.random.SeedSequence(_SEED))
        one, two = (independent_parts(*self._drawn(rng, size, _DRAWS)) for _ in range(2))
        theta = float(self.observed.sum() / self.expected.sum())
        shares = []
        for sign in (-1, 1):
            if sign * gain >= theta:
                continue
            found = difference(scaled(one, (theta - sign * gain) / theta), two)
            shares.append(((found.p <= LEVEL) & (np.sign(found.value) == sign)).mean())
        return float(min(shares))


def documents_for(
    reached: Callable[[Sequence[int]], Floats], goal: float, *, falling: bool
) -> float:
    """Return the fewest documents that reach a goal; ∞ where none do.

    Parameters
    ----------
    reached
        Function from numbers of documents to what they reach.
    goal
        Value to be reached: at most that where it is `falling`, otherwise at least.
    falling
        Whether it is a half-width, which is extrapolated beyond the largest number by the root.
    """
    values = reached(SIZES)
    if falling:
        sign = -1
    else:
        sign = 1
    # Whatever is drawn by chance, more documents must reach the goal, too.
    monotone = np.minimum.accumulate((sign * values)[::-1])[::-1]
    logs = np.log(SIZES)
    if monotone[0] >= sign * goal:
        return float(SIZES[0])
    if monotone[-1] < sign * goal:
        return SIZES[-1] * (values[-1] / goal) ** 2 if falling else math.inf
    after = int(np.searchsorted(monotone, sign * goal))
    # Half-widths are straight in logarithms, shares as they are.
    points = np.array([monotone[after - 1], monotone[after], sign * goal])
    if falling:
        points = -np.log(-points)
    part = (points[2] - points[0]) / (points[1] - points[0])
    return float(np.exp(logs[after - 1] + part * (logs[after] - logs[after - 1])))
