"""Estimate half-widths and power of planned corpora by resampling the documents of a pilot.

The interval and the test are the same ones that users see: Hall's interval over documents
(`gammacp.inference.part_tests`), and the test of two rounds that `gammacp.inference.detecting`
repeats. Half-widths are scaled so that, for as many documents as the pilot has, they equal that of
the pilot's own interval. For other numbers of annotators, the residuals of the documents are
multiplied by a factor (`Material.spread_by`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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
"""Numbers of documents for which planned corpora are drawn; other numbers are interpolated."""
FEW = 20
"""Number of documents of a pilot below which a range is reported instead of a single number."""
_DRAWS = 200
_CELLS = 100_000
_PILOTS = 1000
_SEED = 0x9A17


@dataclass(frozen=True, eq=False)
class Material:
    """Documents of a pilot, from which the documents of planned corpora are drawn.

    Attributes
    ----------
    observed, expected
        Disorders of documents or of clusters, shape (parts,).
    per_document
        Number of parts per document: less than 1 if the parts are clusters.
    """

    observed: Floats
    expected: Floats
    per_document: float = 1.0
    # Goals and curves ask for the same numbers of documents.
    _half_widths: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, parts: Contributions, documents: int) -> "Material":
        """Return the material of a pilot.

        Parameters
        ----------
        parts
            Contributions of the parts to the observed and the expected disorder.
        documents
            Number of documents with a defined γ.
        """
        return cls(parts.observed, parts.expected, len(parts) / documents)

    def spread_by(self, times: float) -> "Material":
        """Return the documents with their deviations from the same γ multiplied by a factor.

        Parameters
        ----------
        times
            Factor of the residuals.
        """
        mean = self.observed.sum() / self.expected.sum() * self.expected
        return Material(mean + times * (self.observed - mean), self.expected, self.per_document)

    @property
    def tells_power(self) -> bool:
        """Return whether the documents are numerous and similar enough to estimate a power."""
        return not too_unequal(self.observed, self.expected)

    def half_widths(self, sizes: Sequence[int] = SIZES) -> Floats:
        """Return half the width of the 95 % interval for each number of documents, shape (sizes,).

        Parameters
        ----------
        sizes
            Numbers of documents.
        """
        widths = np.array([self._half_width(self._parts(n)) for n in sizes])
        low, high = map(float, interval_over_documents(self.observed, self.expected))
        drawn = self._half_width(len(self.observed))
        interval_half = (high - low) / 2
        if math.isfinite(interval_half) and drawn > 0:
            return widths * interval_half / drawn
        return widths

    def powers(self, gain: float, sizes: Sequence[int] = SIZES) -> Floats:
        """Return the power to distinguish two rounds, by number of documents, shape (sizes,).

        Parameters
        ----------
        gain
            Difference of γ by which one round is worse or, if possible, better than the other. The
            smaller of the two powers is returned.
        sizes
            Numbers of documents of each round.
        """
        return np.array([self._power(self._parts(n), gain) for n in sizes])

    def range_of(self, documents: float) -> tuple[float, float]:
        """Return the range of a number of documents over resampled pilots: the middle 80 %.

        Parameters
        ----------
        documents
            Number of documents according to this pilot. It is proportional to the squared spread.
        """
        rng = np.random.default_rng(np.random.SeedSequence(_SEED))
        o, e = self._drawn(rng, len(self.observed), _PILOTS)
        spreads = independent_parts(o, e).variance
        observed_spread = independent_parts(self.observed, self.expected).variance
        low, high = np.quantile(observed_spread / spreads[spreads > 0], [0.1, 0.9])
        least = FEWEST_PARTS / self.per_document
        return max(least, documents * float(low)), max(least, documents * float(high))

    def _parts(self, documents: int) -> int:
        return max(FEWEST_PARTS, round(documents * self.per_document))

    def _drawn(self, rng: np.random.Generator, size: int, draws: int) -> tuple[Floats, Floats]:
        chosen = rng.integers(len(self.observed), size=(draws, size))
        return self.observed[chosen], self.expected[chosen]

    def _half_width(self, size: int) -> float:
        if size not in self._half_widths:
            self._half_widths[size] = self._drawn_half_width(size)
        return self._half_widths[size]

    def _drawn_half_width(self, size: int) -> float:
        rng = np.random.default_rng(np.random.SeedSequence(_SEED))
        # Small samples vary most, and need the least computation, so more of them are drawn.
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
            test = difference(scaled(one, (theta - sign * gain) / theta), two)
            shares.append(((test.p <= LEVEL) & (np.sign(test.value) == sign)).mean())
        return float(min(shares))


def documents_for(
    reached: Callable[[Sequence[int]], Floats], goal: float, *, falling: bool
) -> float:
    """Return the smallest number of documents that reaches a goal; ∞ if none does.

    Parameters
    ----------
    reached
        Function that maps numbers of documents to the values that they reach.
    goal
        Value to be reached: an upper limit if `falling`, otherwise a lower limit.
    falling
        Whether the value is a half-width, which falls as documents are added. Beyond the largest
        number of documents it is extrapolated in proportion to 1/√documents.
    """
    values = reached(SIZES)
    if falling:
        sign = -1
    else:
        sign = 1
    # Remove random fluctuations: if a number of documents reaches the goal, all larger ones must.
    monotone = np.minimum.accumulate((sign * values)[::-1])[::-1]
    logs = np.log(SIZES)
    if monotone[0] >= sign * goal:
        return float(SIZES[0])
    if monotone[-1] < sign * goal:
        return SIZES[-1] * (values[-1] / goal) ** 2 if falling else math.inf
    after = int(np.searchsorted(monotone, sign * goal))
    # Interpolate half-widths on a logarithmic scale, and shares on a linear one.
    points = np.array([monotone[after - 1], monotone[after], sign * goal])
    if falling:
        points = -np.log(-points)
    part = (points[2] - points[0]) / (points[1] - points[0])
    return float(np.exp(logs[after - 1] + part * (logs[after] - logs[after - 1])))
