"""Random annotation sets, drawn by their numbers and counted until there are enough.

Each set has a random stream of its own, so that sets do not depend on who draws them and when, and
all that are compared share them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from gammacp.base.arrays import MadeWhenRead
from gammacp.base.stopping import due
from gammacp.chance.expected import ExpectedDisorder, SampleRule

# Samples per task: small enough to spread over workers, large enough to be worth sending.
_CHUNK = 5
# Strata of a corpus: more would leave too few samples in each to tell how much they vary.
MOST_STRATA = 500


Entry = TypeVar("Entry")
Data = TypeVar("Data", covariant=True)
Counted = TypeVar("Counted", contravariant=True)


def sample_seed(seed: int, index: int) -> np.random.Generator:
    """Make the generator of sample `index`: the same bits whatever samples, workers, batches.

    Parameters
    ----------
    seed
        The seed that the user chose.
    index
        Number of the sample, from 0.
    """
    return np.random.Generator(np.random.PCG64(_hash(seed, index)))


class _Hash(ISeedSequence):
    """Seed sequence of a generator: `SeedSequence(seed, spawn_key=(index,))`, hashed once."""

    def __init__(self, seed: int, index: int) -> None:
        sequence = np.random.SeedSequence(seed, spawn_key=(index,))
        self._words = sequence.generate_state(4, np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:  # noqa: ARG002
        return self._words


# Every document has samples of the same numbers.
_hash: Any = lru_cache(maxsize=1 << 14)(_Hash)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Disagreement of one random set by one measure.

    Attributes
    ----------
    value, bound, proven
        The disagreement, a lower bound of it and whether the two are proven equal; NaN where the
        set has none.
    weight
        Mean weight of the set.
    stratum
        Stratum that the set was drawn from.
    kept
        Other facts about the set that are wanted later.
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


class OnDemand(MadeWhenRead[Entry]):
    """A sequence whose entries a function gives.

    Of the strata of a large corpus a few hundred are drawn from, of its annotations a few thousand.

    Parameters
    ----------
    size
        Number of entries.
    make
        Function that returns the entry with a number, from 0.
    """

    def __init__(self, size: int, make: Callable[[int], Entry]) -> None:
        """Start with no entries made."""
        super().__init__(size)
        self._make = make

    def make(self, number: int) -> Entry:
        """Return the entry with a number, from 0."""
        return self._make(number)


@dataclass(frozen=True)
class Strata(Generic[Data]):
    """Samplers that are drawn from in turn, so that each serves equally often.

    More than `MOST_STRATA` are cut into as many stretches of neighbours, one sampler of each drawn
    at random: give those next to each other that are alike.
    """

    samplers: Sequence[Sampler[Data]]
    signature: str

    @property
    def rounds(self) -> int:
        """Return the number of strata."""
        return min(len(self.samplers), MOST_STRATA)

    def of(self, stratum: int, rng: np.random.Generator) -> Sampler[Data]:
        """Return a sampler of this stratum; every one is as likely as any other over a round.

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
        """Draw from a stratum chosen by `rng`."""
        return self.samplers[int(rng.integers(len(self.samplers)))].draw(rng)


class Draws(Generic[Data]):
    """Random data by number, from a sampler; each is drawn once where they are kept.

    Whoever takes number k gets the same data: what several numbers rest on is drawn once.
    """

    ended = False
    """Whether more were asked for than there can be."""

    def __init__(self, sampler: Sampler[Data], seed: int, *, keep: bool = False) -> None:
        """Wrap a sampler; nothing is drawn yet."""
        self.sampler = sampler
        self.seed = seed
        self._known: dict[int, Data] | None = {} if keep else None

    @property
    def rounds(self) -> int:
        """Return the number of strata, 1 if none; the number of samples is a multiple of it."""
        if isinstance(self.sampler, Strata):
            return self.sampler.rounds
        return 1

    def take(self, indices: Sequence[int]) -> Sequence[Data]:
        """Return data of these numbers, as far as there are any and no interruption comes between.

        Parameters
        ----------
        indices
            Numbers of samples, from 0.
        """
        together = getattr(self.sampler, "draw_each", None)
        new = [k for k in indices if self._known is None or k not in self._known]
        if together is not None and len(new) > 1 and not due():
            several: Sequence[Data] = together([sample_seed(self.seed, k) for k in new])
            if self._known is None:
                return several
            self._known.update(zip(new, several, strict=True))
        random_sets: list[Data] = []
        for index in indices:
            if due():
                break
            if self._known is not None and index in self._known:
                random_sets.append(self._known[index])
                continue
            rng = sample_seed(self.seed, index)
            chosen = self.sampler
            if isinstance(chosen, Strata):
                chosen = chosen.of(index % self.rounds, rng)
            random_sets.append(chosen.draw(rng))
            if self._known is not None:
                self._known[index] = random_sets[-1]
        return random_sets


class Counting(Protocol[Counted]):
    """Computation of measures on random data; frozen, cheap to send to another process."""

    @property
    def at_once(self) -> int:
        """Return how many sets to give it at a time."""
        ...

    def of_each(self, data: Sequence[Counted], /) -> Sequence[Sequence[Disagreement]]:
        """One disagreement per measure of each, without those that an interruption left out.

        Parameters
        ----------
        data
            Random sets.
        """
        ...


@dataclass(frozen=True)
class OneByOne(Generic[Counted]):
    """`Counting` of one at a time."""

    count: Callable[[Counted], Sequence[Disagreement]]
    at_once: int = _CHUNK

    def of_each(self, data: Sequence[Counted]) -> list[Sequence[Disagreement]]:
        """One disagreement per measure of each, up to an interruption."""
        rows: list[Sequence[Disagreement]] = []
        for entry in data:
            row = self.count(entry)
            if due():
                break
            rows.append(row)
        return rows


def expectations(
    sampler: Sampler[Data] | Draws[Data],
    disagreements: Counting[Data],
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
        Function that gives the disagreement of one sample for each measure. It goes to other
        processes with an executor.
    progress
        Told how many samples are done, of how many.
    measures
        Number of disagreements that a sample gives.

    Returns
    -------
    expected, kept
        One expected disorder per measure, and what was kept of the samples, in their order.

    After Ctrl-C (`stopping.interruptible`) the samples that are done count.
    """
    draws = sampler if isinstance(sampler, Draws) else Draws(sampler, seed)
    spread = map if executor is None else executor.map
    size = disagreements.at_once
    rows: list[Sequence[Disagreement]] = []
    missing = rule.first
    complete = True
    while missing and complete:
        # Whole rounds: every stratum is drawn from equally often.
        wanted = range(len(rows), -(-(len(rows) + missing) // draws.rounds) * draws.rounds)
        batches = [draws.take(wanted[i : i + size]) for i in range(0, len(wanted), size)]
        some = [data for data in batches if data]
        for data, disagreement in zip(some, spread(disagreements.of_each, some), strict=False):
            rows += [
                [replace(d, stratum=k) for d in row] if (k := i % draws.rounds) else row
                for i, row in enumerate(disagreement, len(rows))
            ]
            if progress is not None:
                progress(len(rows), wanted.stop)
            if len(disagreement) < len(data) or due():
                break
        # Where there can be no more samples, fewer are no interruption.
        complete = len(rows) == wanted.stop or draws.ended
        expected = [
            _expected_disorder(column, rule, complete) for column in zip(*rows, strict=True)
        ]
        more = complete and not draws.ended
        if more:
            missing = max((rule.missing(e, len(rows)) for e in expected), default=0)
        else:
            missing = 0
    details = tuple(entry.kept for row in rows for entry in row if entry.kept is not None)
    if not rows:
        expected = [_expected_disorder((), rule, complete)] * measures
    return tuple(expected), details


def _expected_disorder(
    column: Sequence[Disagreement], rule: SampleRule, complete: bool
) -> ExpectedDisorder:
    defined = [d for d in column if not math.isnan(d.value)]
    weights = np.array([d.weight for d in defined])
    strata = np.array([d.stratum for d in defined], np.int64)
    disorders = np.array([d.value for d in defined])
    expected = ExpectedDisorder(
        disorders,
        np.array([d.bound for d in defined]),
        all(d.proven for d in defined),
        rule.confidence,
        complete,
        weights=None if (weights == 1).all() else weights,
        strata=strata if strata.any() else None,
        without_value=len(column) - len(defined),
    )
    return replace(expected, capped=complete and rule.falls_short(expected, len(column)))
