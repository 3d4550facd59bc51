"""How many random annotation sets, and what their mean disorder tells (2015, §5.3).

The number of samples follows Olivero (2001): n₀ = (C_v · U / e)² with the coefficient of
variation C_v = σ/μ, U the two-sided normal quantile of the confidence, e the precision. 30
samples come first; C_v is estimated anew after each batch until the rule holds (the paper tops up
once), or until there are `MOST_SAMPLES`: what precision those gave is then said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Generic, Protocol, TypeVar

import numpy as np

from gammacp.arrays import Floats, Indices
from gammacp.errors import UsageError
from gammacp.stopping import due

# Samples per task: small enough to spread over workers, large enough to be worth sending.
_CHUNK = 5
# Strata of a corpus: more would leave too few samples in each to tell how much they vary.
MOST_STRATA = 500

FIRST_SAMPLES = 30
# Half a percent where C_v is 18 %; continua of two or three units would ask for 10 000 and more.
MOST_SAMPLES = 5000
# With fewer, a run that was interrupted has no expected disorder: σ is hardly known.
FEWEST_SAMPLES = 10


Data = TypeVar("Data", covariant=True)
Counted = TypeVar("Counted", contravariant=True)


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
    least
        Size of the first batch.
    """

    precision: float = 0.02
    confidence: float = 0.95
    samples: int | None = None
    least: int = FIRST_SAMPLES

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

    def signature_parts(self) -> dict[str, float | None]:
        """What a signature says of the rule."""
        return {
            "e": None if self.samples else self.precision,
            "n": self.samples,
            "c": self.confidence,
        }

    @property
    def first(self) -> int:
        """Size of the first batch."""
        return self.samples or self.least

    def missing(self, found: ExpectedDisorder, drawn: int) -> int:
        """How many samples to draw beyond those drawn; 0 when there are enough.

        Parameters
        ----------
        found
            What the samples so far give.
        drawn
            How many they are.
        """
        if self.samples is not None:
            return max(0, self.samples - drawn)
        return max(0, min(self._wanted(found), MOST_SAMPLES) - drawn)

    def falls_short(self, found: ExpectedDisorder, drawn: int) -> bool:
        """Whether the precision asks for more samples than were drawn.

        Parameters
        ----------
        found
            What the samples so far give.
        drawn
            How many they are.
        """
        return self.samples is None and self._wanted(found) > drawn

    def _wanted(self, found: ExpectedDisorder) -> int:
        if found.samples < FEWEST_SAMPLES:
            # σ is hardly known; more samples are of use only if some have a value.
            return FEWEST_SAMPLES if found.samples else 0
        wanted = required_samples(found.disorders, self, found.weights, found.strata)
        return wanted + found.without_value


def coefficient_of_variation(
    disorders: Floats, weights: Floats | None = None, strata: Indices | None = None
) -> float:
    """C_v = σ/μ of disorders with σ² the unbiased estimate; 0 for a mean of 0.

    With weights, of the ratio Σ w·d / Σ w by linearisation: σ² is that of w·(d − μ), over w̄². With
    strata, each drawn equally often, σ² is what is left within them.

    §5.3: μ = 3.49 and σ′ = 0.1379 (of n = 30) give σ = 0.1403, C_v = 0.040188.

    Parameters
    ----------
    disorders
        Of the random sets, shape (samples,).
    weights
        Of a ratio's parts, of the same shape.
    strata
        What each sample was drawn from, of the same shape.
    """
    mean = _mean(disorders, weights)
    return _deviation(disorders, weights, strata) / mean if mean > 0 else 0.0


def _mean(values: Floats, weights: Floats | None) -> float:
    if weights is None:
        return float(np.mean(values))
    total = float(np.sum(weights))
    return float(np.sum(weights * values)) / total if total > 0 else 0.0


def _deviation(values: Floats, weights: Floats | None, strata: Indices | None) -> float:
    if weights is None and strata is None:
        return float(np.std(values, ddof=1))
    heavy = np.ones(len(values)) if weights is None else weights
    mean = float(np.mean(heavy))
    if mean == 0:
        return 0.0
    apart = heavy * (values - _mean(values, weights))
    free = len(values) - 1
    if strata is not None:
        counts = np.bincount(strata)
        if counts[counts > 0].min() > 1:
            sums = np.bincount(strata, apart) / np.maximum(counts, 1)
            apart, free = apart - sums[strata], len(values) - int(np.count_nonzero(counts))
    return math.sqrt(float(np.sum(apart**2)) / free) / mean


def required_samples(
    disorders: Floats,
    rule: SampleRule,
    weights: Floats | None = None,
    strata: Indices | None = None,
) -> int:
    """⌈n₀⌉ of §5.3; the paper's example: n₀ = 15.51 → 16 for e = 2 %, 62.04 → 63 for 1 %.

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
    """Mean disorder of random annotation sets, with what is not known about it.

    The disagreement of any other measure is kept in the same way.

    Attributes
    ----------
    disorders, bounds
        Disorder of the alignment found for each set, and the proven lower bound; equal where the
        alignment is proven optimal, or nothing is solved.
    proven
        Whether that is so for all of them.
    complete
        Whether there are as many as the rule asks for; not after an interruption.
    capped
        Whether `MOST_SAMPLES` ended it before the precision was reached.
    weights
        Weight of each set where the expected disorder is a ratio of sums; None if all are alike.
    strata
        Number of the stratum that each set was drawn from; None if there is but one.
    without_value
        Random sets for which there is no disorder; they are not among the others.
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
        """Whether mean and interval can be told: complete, or at least `FEWEST_SAMPLES`."""
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
        """How many sets it is the mean of."""
        return len(self.disorders)

    @cached_property
    def half_width(self) -> float:
        """Half of the normal interval of the mean."""
        quantile = SampleRule(confidence=self.confidence).quantile
        return quantile * self.standard_error

    @cached_property
    def standard_error(self) -> float:
        """Of the mean."""
        spread = _deviation(self.disorders, self.weights, self.strata)
        return spread / math.sqrt(self.samples)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Normal interval of the mean, widened downwards to what the bounds leave open."""
        half = self.half_width
        return max(0.0, self.proven_mean - half), self.mean + half

    @property
    def precision(self) -> float:
        """The relative error of the mean that the samples gave; 0 for a mean of 0."""
        return self.half_width / self.mean if self.mean > 0 else 0.0

    def p_value(self, observed: float) -> float:
        """Share of the sets, the observed one among them, that agree at least as well."""
        at_least = int(np.count_nonzero(self.disorders <= observed * (1 + 1e-12)))
        return (1 + at_least) / (1 + self.samples)


def sample_seed(seed: int, index: int) -> np.random.Generator:
    """The generator of sample `index`: the same bits however many samples, workers or batches.

    Parameters
    ----------
    seed
        The seed that the user chose.
    index
        Number of the sample, from 0.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What one random set gives by one measure.

    Attributes
    ----------
    value, bound, proven
        The disagreement, a lower bound of it and whether the two are proven equal; NaN where the
        set has none.
    weight
        Of the set in the mean.
    stratum
        That it was drawn from.
    kept
        What else of the set is wanted later.
    """

    value: float
    bound: float
    proven: bool = True
    weight: float = 1.0
    kept: object = None
    stratum: int = 0


class Sampler(Protocol[Data]):
    """Draws random data of one kind; frozen."""

    @property
    def signature(self) -> str:
        """The model and what it decided by itself ("shift", "shift(distance=L/2n)")."""
        ...

    def draw(self, rng: np.random.Generator) -> Data:
        """Random data of the kind that chance is modelled on.

        Parameters
        ----------
        rng
            The generator of this one sample; nothing else is random.
        """
        ...


@dataclass(frozen=True)
class Strata(Generic[Data]):
    """Samplers that are drawn from in turn, so that each serves equally often.

    More than `MOST_STRATA` are cut into as many stretches of neighbours, one sampler of each drawn
    at random: give those next to each other that are alike.
    """

    samplers: tuple[Sampler[Data], ...]
    signature: str

    @property
    def rounds(self) -> int:
        """How many strata there are."""
        return min(len(self.samplers), MOST_STRATA)

    def of(self, stratum: int, rng: np.random.Generator) -> Sampler[Data]:
        """A sampler of this stratum; every one is as likely as any other over a round.

        Parameters
        ----------
        stratum
            Below `rounds`.
        rng
            Chooses among neighbours.
        """
        size = len(self.samplers)
        if size == self.rounds:
            return self.samplers[stratum]
        return self.samplers[int((stratum + rng.random()) * size / self.rounds)]

    def draw(self, rng: np.random.Generator) -> Data:
        """From any of them, chosen by `rng`."""
        return self.samplers[rng.integers(len(self.samplers))].draw(rng)


class Counting(Protocol[Counted]):
    """What measures make of random data; frozen, cheap to send to another process."""

    def __call__(self, data: Counted, /) -> Sequence[Disagreement] | None:
        """One disagreement per measure; None where an interruption cut it short."""
        ...


class Draws(Generic[Data]):
    """Random data by number, from a sampler; each is drawn once where they are kept.

    Whoever takes number k gets the same data: what several numbers rest on is drawn once.
    """

    ended = False
    """Whether more were asked for than there can be."""

    def __init__(self, sampler: Sampler[Data], seed: int, *, keep: bool = False) -> None:
        """Nothing is drawn yet."""
        self.sampler, self.seed = sampler, seed
        self._known: dict[int, Data] | None = {} if keep else None

    @property
    def rounds(self) -> int:
        """How many strata there are, 1 if none: the number of samples is a multiple of it."""
        return self.sampler.rounds if isinstance(self.sampler, Strata) else 1

    def __getitem__(self, index: int) -> Data:
        """Number `index`."""
        if self._known is None or index not in self._known:
            rng = sample_seed(self.seed, index)
            chosen = self.sampler
            if isinstance(chosen, Strata):
                chosen = chosen.of(index % self.rounds, rng)
            drawn = chosen.draw(rng)
            if self._known is None:
                return drawn
            self._known[index] = drawn
        return self._known[index]

    def take(self, indices: Sequence[int]) -> list[Data]:
        """Data of these numbers, as far as there are any and no interruption comes between.

        Parameters
        ----------
        indices
            Numbers of samples, from 0.
        """
        return [self[k] for k in indices if not due()]


class CountingEach(Protocol[Counted]):
    """`Counting` that is quicker with several at a time: `at_once` of them."""

    @property
    def at_once(self) -> int:
        """How many to give it."""
        ...

    def of_each(self, data: Sequence[Counted], /) -> Sequence[Sequence[Disagreement]]:
        """One disagreement per measure of each, without those that an interruption left out.

        Parameters
        ----------
        data
            What was drawn.
        """
        ...


def expectations(
    sampler: Sampler[Data] | Draws[Data],
    disagreements: Counting[Data] | CountingEach[Data],
    rule: SampleRule,
    seed: int,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    measures: int = 1,
) -> tuple[tuple[ExpectedDisorder, ...], tuple[object, ...]]:
    """Draw random data until the rule holds for every measure.

    Parameters
    ----------
    sampler
        Sample k is what it draws from `sample_seed(seed, k)`; or the draws themselves.
    disagreements
        What each measure makes of one sample. It goes to other processes with an executor.
    progress
        Told how many samples are done, of how many.
    measures
        How many disagreements a sample gives.

    Returns
    -------
    expected, kept
        One expected disorder per measure, and what was kept of the samples, in their order.

    After Ctrl-C (`stopping.interruptible`) the samples that are done count.
    """
    draws = sampler if isinstance(sampler, Draws) else Draws(sampler, seed)
    spread = map if executor is None else executor.map
    size = getattr(disagreements, "at_once", _CHUNK)

    def draw(indices: range) -> list[Sequence[Disagreement]]:
        taken = [draws.take(indices[i : i + size]) for i in range(0, len(indices), size)]
        tasks = [(disagreements, data) for data in taken if data]
        rows: list[Sequence[Disagreement]] = []
        for (_, data), found in zip(tasks, spread(_counted, tasks), strict=False):
            rows += found
            if progress is not None:
                progress(indices.start + len(rows), indices.stop)
            if len(found) < len(data) or due():
                break
        at = (k % draws.rounds for k in indices)
        return [
            [replace(d, stratum=k) for d in row] if k else row
            for row, k in zip(rows, at, strict=False)
        ]

    return sample_until(
        rule, draw, rounds=draws.rounds, measures=measures, ended=lambda: draws.ended
    )


def _counted(
    task: tuple[Counting[Data] | CountingEach[Data], list[Data]],
) -> list[Sequence[Disagreement]]:
    disagreements, data = task
    if not callable(disagreements):
        return list(disagreements.of_each(data))
    rows: list[Sequence[Disagreement]] = []
    for entry in data:
        row = disagreements(entry)
        if row is None or due():
            break
        rows.append(row)
    return rows


def sample_until(
    rule: SampleRule,
    draw: Callable[[range], list[Sequence[Disagreement]]],
    *,
    rounds: int = 1,
    measures: int = 1,
    ended: Callable[[], bool] = lambda: False,
) -> tuple[tuple[ExpectedDisorder, ...], tuple[object, ...]]:
    """Draw batches until the rule holds for every measure.

    Parameters
    ----------
    draw
        Gets the indices of the samples to draw and returns each measure's disagreement on each;
        of the first ones only, when it was interrupted.
    rounds
        The number of samples is a multiple of this.
    measures
        How many disagreements a sample gives.
    ended
        Whether there can be no more samples, so that fewer are no interruption.
    """
    rows: list[Sequence[Disagreement]] = []
    missing, complete = rule.first, True
    while missing and complete:
        # Whole rounds: every stratum is drawn from equally often.
        wanted = range(len(rows), -(-(len(rows) + missing) // rounds) * rounds)
        rows += draw(wanted)
        complete = len(rows) == wanted.stop or ended()
        found = [_expected(column, rule, complete) for column in zip(*rows, strict=True)]
        more = complete and not ended()
        missing = max((rule.missing(e, len(rows)) for e in found), default=0) if more else 0
    kept = tuple(entry.kept for row in rows for entry in row if entry.kept is not None)
    if not rows:
        found = [_expected((), rule, complete)] * measures
    return tuple(found), kept


def _expected(column: Sequence[Disagreement], rule: SampleRule, complete: bool) -> ExpectedDisorder:
    known = [d for d in column if not math.isnan(d.value)]
    weights = np.array([d.weight for d in known])
    strata = np.array([d.stratum for d in known], np.int64)
    disorders = np.array([d.value for d in known])
    found = ExpectedDisorder(
        disorders,
        np.array([d.bound for d in known]),
        all(d.proven for d in known),
        rule.confidence,
        complete,
        weights=None if (weights == 1).all() else weights,
        strata=strata if strata.any() else None,
        without_value=len(column) - len(known),
    )
    return replace(found, capped=complete and rule.falls_short(found, len(column)))
