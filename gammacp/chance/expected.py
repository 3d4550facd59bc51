"""Number of random annotation sets, and their mean disorder (Mathet et al. 2015, §5.3).

The number of samples follows Olivero (2001): n₀ = (C_v · U / e)², where C_v = σ/μ is the
coefficient of variation of the disorders, U the two-sided normal quantile of the confidence, and e
the precision. The first batch has 30 samples. After each batch C_v is estimated again, until there
are enough samples (the paper adds a second batch only once) or `MOST_SAMPLES` are reached; in that
case the precision that was reached is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.errors import UsageError

FIRST_SAMPLES = 30
# Enough for a precision of 0.5 % where C_v is 18 %. Without this limit, continua of two or three
# units would need 10 000 samples and more.
MOST_SAMPLES = 5000
# An interrupted run with fewer samples has no expected disorder, because σ is too uncertain.
FEWEST_SAMPLES = 10


@dataclass(frozen=True)
class SampleRule:
    """Rule for when there are enough samples.

    Attributes
    ----------
    precision
        e: relative error of the expected disorder, in (0, 1).
    confidence
        1 − α: confidence level of that error and of all Monte-Carlo intervals, in (0, 1).
    samples
        Fixed number of samples (≥ 2) to draw instead of following the rule; None to follow it.
    least
        Size of the first batch, where the number of samples is not fixed.
    """

    precision: float = 0.02
    confidence: float = 0.95
    samples: int | None = None
    least: int = FIRST_SAMPLES

    def __post_init__(self) -> None:
        """Refuse values outside their range."""
        if not 0 < self.precision < 1:
            raise UsageError(f"precision {self.precision} is not between 0 and 1")
        if not 0 < self.confidence < 1:
            raise UsageError(f"confidence {self.confidence} is not between 0 and 1")
        if self.samples is not None and self.samples < 2:
            raise UsageError(f"samples {self.samples} < 2: a spread needs at least two")

    @property
    def quantile(self) -> float:
        """U_{1−α/2}; 1.96 for a confidence of 95 %."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    def signature_parts(self) -> dict[str, float | None]:
        """Return the parts of a signature that describe the rule."""
        return {
            "e": None if self.samples else self.precision,
            "n": self.samples,
            "c": self.confidence,
        }

    @property
    def first(self) -> int:
        """Size of the first batch."""
        return self.samples or self.least

    def missing(self, expected: ExpectedDisorder, drawn: int) -> int:
        """Return how many more samples to draw; 0 when there are enough.

        Parameters
        ----------
        expected
            Expected disorder estimated from the samples so far.
        drawn
            Number of samples drawn so far, with those that have no value.
        """
        if self.samples is not None:
            return max(0, self.samples - drawn)
        return max(0, min(self._samples_wanted(expected), MOST_SAMPLES) - drawn)

    def falls_short(self, expected: ExpectedDisorder, drawn: int) -> bool:
        """Return whether the precision asks for more samples than were drawn.

        Parameters
        ----------
        expected
            Expected disorder estimated from the samples so far.
        drawn
            Number of samples drawn so far, with those that have no value.
        """
        return self.samples is None and self._samples_wanted(expected) > drawn

    def _samples_wanted(self, expected: ExpectedDisorder) -> int:
        if expected.samples < FEWEST_SAMPLES:
            # σ is too uncertain for the rule. More samples help only if some of these have a value.
            if expected.samples:
                return FEWEST_SAMPLES
            return 0
        wanted = required_samples(expected.disorders, self, expected.weights, expected.strata)
        return wanted + expected.without_value


def coefficient_of_variation(
    disorders: Floats, weights: Floats | None = None, strata: Indices | None = None
) -> float:
    """Return C_v = σ/μ of disorders, with the unbiased estimate of σ²; 0 if the mean is 0.

    With weights, μ is the ratio Σ w·d / Σ w, and σ² is found by linearisation: it is the variance
    of w·(d − μ), divided by w̄². With strata that are drawn equally often, σ² is the variance within
    the strata.

    The example of §5.3: μ = 3.49 and σ′ = 0.1379 (divided by n = 30, not by n − 1) give σ = 0.1403
    and C_v = 0.040188.

    Parameters
    ----------
    disorders
        Disorders of the random sets, shape (samples,).
    weights
        Weight w of each sample, if the mean is a ratio of sums; same shape.
    strata
        Number of the stratum that each sample was drawn from; same shape.
    """
    mean = _mean(disorders, weights)
    if mean > 0:
        return _deviation(disorders, weights, strata) / mean
    return 0.0


def _mean(values: Floats, weights: Floats | None) -> float:
    if weights is None:
        return float(np.mean(values))
    total = float(np.sum(weights))
    if total > 0:
        return float(np.sum(weights * values)) / total
    return 0.0


def _deviation(values: Floats, weights: Floats | None, strata: Indices | None) -> float:
    if weights is None and strata is None:
        return float(np.std(values, ddof=1))
    if weights is None:
        heavy = np.ones(len(values))
    else:
        heavy = weights
    mean = float(np.mean(heavy))
    if mean == 0:
        return 0.0
    apart = heavy * (values - _mean(values, weights))
    free = len(values) - 1
    if strata is not None:
        counts = np.bincount(strata)
        if counts[counts > 0].min() > 1:
            sums = np.bincount(strata, apart) / np.maximum(counts, 1)
            apart = apart - sums[strata]
            free = len(values) - int(np.count_nonzero(counts))
    return math.sqrt(float(np.sum(apart**2)) / free) / mean


def required_samples(
    disorders: Floats,
    rule: SampleRule,
    weights: Floats | None = None,
    strata: Indices | None = None,
) -> int:
    """Return ⌈n₀⌉, the number of samples that the rule of §5.3 requires.

    The paper's example: 16 samples (n₀ = 15.51) for e = 2 %, 63 (n₀ = 62.04) for e = 1 %.

    Parameters
    ----------
    disorders, weights, strata
        As for `coefficient_of_variation`.
    rule
        Precision e and confidence.
    """
    spread = coefficient_of_variation(disorders, weights, strata)
    return math.ceil(min((spread * rule.quantile / rule.precision) ** 2, 1e18))


@dataclass(frozen=True)
class ExpectedDisorder:
    """Disorders of random annotation sets, their mean, and the uncertainty of that mean.

    Other measures store their disagreement on random sets in the same class.

    Attributes
    ----------
    disorders, bounds
        Disorder of the alignment found for each set, and its proven lower bound. The two are equal
        if the alignment is proven optimal, and for measures that need no optimisation.
    proven
        Whether the two are equal in this sense for all sets.
    confidence
        Confidence level of the interval.
    complete
        Whether all samples that the rule requires were drawn; false after an interruption.
    capped
        Whether sampling stopped at `MOST_SAMPLES` before the precision was reached.
    weights
        Weight of each set if the expected disorder is a ratio of sums; None if all are equal.
    strata
        Number of the stratum that each set was drawn from; None if there is only one.
    without_value
        Number of further random sets that have no disorder; the arrays leave them out.
    """

    disorders: Floats
    bounds: Floats
    proven: bool
    confidence: float
    complete: bool = True
    capped: bool = False
    weights: Floats | None = None
    strata: Indices | None = None
    without_value: int = 0

    @property
    def enough(self) -> bool:
        """Return whether the samples suffice for a mean and an interval.

        They do if they are complete, or at least `FEWEST_SAMPLES`.
        """
        return self.complete or self.samples >= FEWEST_SAMPLES

    @cached_property
    def mean(self) -> float:
        """The expected disorder."""
        return _mean(self.disorders, self.weights)

    @cached_property
    def proven_mean(self) -> float:
        """The mean of the bounds."""
        return _mean(self.bounds, self.weights)

    @property
    def samples(self) -> int:
        """Return the number of sets in the mean."""
        return len(self.disorders)

    @cached_property
    def half_width(self) -> float:
        """Half the width of the normal interval of the mean."""
        quantile = SampleRule(confidence=self.confidence).quantile
        return quantile * self.standard_error

    @cached_property
    def standard_error(self) -> float:
        """Return the standard error of the mean."""
        spread = _deviation(self.disorders, self.weights, self.strata)
        return spread / math.sqrt(self.samples)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Normal interval of the mean; its lower end is computed from the mean of the bounds."""
        half = self.half_width
        return max(0.0, self.proven_mean - half), self.mean + half

    @property
    def precision(self) -> float:
        """The relative error of the mean at this confidence; 0 if the mean is 0."""
        if self.mean > 0:
            return self.half_width / self.mean
        return 0.0

    @property
    def relative_error(self) -> float:
        """The standard error divided by the mean; 0 if the mean is 0."""
        if self.mean > 0:
            return self.standard_error / self.mean
        return 0.0

    def p_value(self, observed: float) -> float:
        """Return the share of sets, counting the observed one, with disorder ≤ `observed`."""
        at_least = int(self._ascending.searchsorted(observed * (1 + 1e-12), side="right"))
        return (1 + at_least) / (1 + self.samples)

    @cached_property
    def _ascending(self) -> Floats:
        return np.sort(self.disorders)
