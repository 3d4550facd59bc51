"""How many random annotation sets, and what their mean disorder tells (2015, §5.3).

The number of samples follows Olivero (2001): n₀ = (C_v · U / e)² with the coefficient of
variation C_v = σ/μ, U the two-sided normal quantile of the confidence, e the precision. 30
samples come first; C_v is estimated anew after each batch until the rule holds (the paper tops up
once), or until there are `MOST_SAMPLES`: what precision those gave is then said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from gammacp.arrays import Floats
from gammacp.errors import UsageError

FIRST_SAMPLES = 30
# Half a percent where C_v is 18 %; continua of two or three units would ask for 10 000 and more.
MOST_SAMPLES = 5000
# With fewer, a run that was interrupted has no expected disorder: σ is hardly known.
FEWEST_SAMPLES = 10


@dataclass(frozen=True)
class SampleRule:
    """When there are enough samples.

    Attributes
    ----------
    precision
        e: relative error of the expected disorder, in (0, 1).
    confidence
        1 − α of that error and of all Monte-Carlo intervals, in (0, 1).
    samples
        A fixed number of samples (≥ 2) instead of the rule.
    """

    precision: float = 0.02
    confidence: float = 0.95
    samples: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
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

    @property
    def first(self) -> int:
        """Size of the first batch."""
        return self.samples or FIRST_SAMPLES

    def missing(self, disorders: Floats) -> int:
        """How many samples to draw beyond these; 0 when there are enough."""
        if self.samples is not None:
            return max(0, self.samples - len(disorders))
        wanted = min(required_samples(disorders, self), MOST_SAMPLES)
        return max(0, wanted - len(disorders))


def coefficient_of_variation(disorders: Floats) -> float:
    """C_v = σ/μ with σ² the unbiased estimate; 0 for a mean of 0.

    §5.3: μ = 3.49 and σ′ = 0.1379 (of n = 30) give σ = 0.1403, C_v = 0.040188.
    """
    mean = float(np.mean(disorders))
    return float(np.std(disorders, ddof=1)) / mean if mean > 0 else 0.0


def required_samples(disorders: Floats, rule: SampleRule) -> int:
    """⌈n₀⌉ of §5.3; the paper's example: n₀ = 15.51 → 16 for e = 2 %, 62.04 → 63 for 1 %."""
    needed = (coefficient_of_variation(disorders) * rule.quantile / rule.precision) ** 2
    return math.ceil(min(needed, 1e18))


@dataclass(frozen=True)
class ExpectedDisorder:
    """Mean disorder of random annotation sets, with what is not known about it.

    Attributes
    ----------
    disorders, bounds
        Disorder of the alignment found for each set, and the proven lower bound; equal where the
        alignment is proven optimal.
    proven
        Whether that is so for all of them.
    complete
        Whether there are as many as the rule asks for; not after an interruption.
    capped
        Whether `MOST_SAMPLES` ended it before the precision was reached.
    """

    disorders: Floats
    bounds: Floats
    proven: bool
    confidence: float
    complete: bool = True
    capped: bool = False

    @property
    def enough(self) -> bool:
        """Whether mean and interval can be told: complete, or at least `FEWEST_SAMPLES`."""
        return self.complete or self.samples >= FEWEST_SAMPLES

    @property
    def mean(self) -> float:
        """The expected disorder."""
        return float(np.mean(self.disorders))

    @property
    def samples(self) -> int:
        """How many sets it is the mean of."""
        return len(self.disorders)

    @property
    def half_width(self) -> float:
        """Half of the normal interval of the mean."""
        quantile = SampleRule(confidence=self.confidence).quantile
        return quantile * float(np.std(self.disorders, ddof=1)) / math.sqrt(self.samples)

    @property
    def interval(self) -> tuple[float, float]:
        """Normal interval of the mean, widened downwards to what the bounds leave open."""
        half = self.half_width
        return max(0.0, float(np.mean(self.bounds)) - half), self.mean + half

    @property
    def precision(self) -> float:
        """The relative error of the mean that the samples gave; 0 for a mean of 0."""
        return self.half_width / self.mean if self.mean > 0 else 0.0


def sample_seed(seed: int, index: int) -> np.random.Generator:
    """The generator of sample `index`: the same bits however many samples, workers or batches."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


def sample_until(
    rule: SampleRule, draw: Callable[[range], list[tuple[float, float, bool]]]
) -> ExpectedDisorder:
    """Draw batches until the rule holds.

    Parameters
    ----------
    draw
        Gets the indices of the samples to draw and returns (disorder, bound, proven) of each; of
        the first ones only, when it was interrupted.
    """
    found: list[tuple[float, float, bool]] = []
    missing, complete = rule.first, True
    while missing and complete:
        wanted = range(len(found), len(found) + missing)
        found += draw(wanted)
        complete = len(found) == wanted.stop
        missing = rule.missing(np.array([d for d, _, _ in found])) if complete else missing
    disorders = np.array([d for d, _, _ in found])
    return ExpectedDisorder(
        disorders,
        np.array([b for _, b, _ in found]),
        all(p for _, _, p in found),
        rule.confidence,
        complete,
        complete and rule.samples is None and required_samples(disorders, rule) > len(disorders),
    )
