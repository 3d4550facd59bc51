"""Random annotation sets, drawn by number and measured until there are enough.

Each set has a random stream of its own, which depends only on the seed and on its number. So a set
is the same whichever process draws it and when, and all values that are compared share their sets.
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

# Number of samples per task: small enough to spread tasks over workers, and large enough to be
# worth sending.
_CHUNK = 5
# Largest number of strata of a corpus. With more, each would have too few samples to estimate how
# much these vary.
MOST_STRATA = 500


Entry = TypeVar("Entry")
Data = TypeVar("Data", covariant=True)
RandomData = TypeVar("RandomData", contravariant=True)


def sample_seed(seed: int, index: int) -> np.random.Generator:
    """Make the generator of sample `index`, which depends on nothing but the seed and the index.

    Parameters
    ----------
    seed
        The seed that the user chose.
    index
        Number of the sample, from 0.
    """
    return np.random.Generator(np.random.PCG64(_hash(seed, index)))


class _Hash(ISeedSequence):
    """Seed sequence of one sample, `SeedSequence(seed, spawn_key=(index,))`, hashed only once."""

    def __init__(self, seed: int, index: int) -> None:
        sequence = np.random.SeedSequence(seed, spawn_key=(index,))
        self._words = sequence.generate_state(4, np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:  # noqa: ARG002
        return self._words


# The hashes are cached, because every document has samples with the same numbers.
_hash: Any = lru_cache(maxsize=1 << 14)(_Hash)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Disagreement of one random set by one measure.

    Attributes
    ----------
    value, bound, proven
        The disagreement, a lower bound of it, and whether the two are proven equal. The first two
        are NaN if the set has no disagreement.
    weight
        Weight of the set in the mean over sets.
    stratum
        Number of the stratum that the set was drawn from.
    detail
        Other facts about the set that are needed later, such as its alignment.
    """

    value: float
    bound: float
    proven: bool = True
    weight: float = 1.0
    detail: object = None
    stratum: int = 0


class Sampler(Protocol[Data]):
    """Draws random data of one kind; frozen.

    A sampler may also have `draw_each(rngs)`, which draws one set per generator, all at once.
    """

    @property
    def signature(self) -> str:
        """Name of the model, with choices that depend on the data, as "shift(distance=L/2n)"."""
        ...

    def draw(self, rng: np.random.Generator) -> Data:
        """Draw random data of the same kind as the observed data.

        Parameters
        ----------
        rng
            Generator of this one sample, the only source of randomness.
        """
        ...


class OnDemand(MadeWhenRead[Entry]):
    """A sequence whose entries are made by a function when they are first read.

    It avoids making entries that are never used. In a large corpus, for example, random sets are
    drawn from only a few hundred strata, and use only a few thousand annotations.

    Parameters
    ----------
    size
        Number of entries.
    make
        Function that returns the entry with a given number, counted from 0.
    """

    def __init__(self, size: int, make: Callable[[int], Entry]) -> None:
        """Store the function; no entry is made yet."""
        super().__init__(size)
        self._make = make

    def make(self, number: int) -> Entry:
        """Return the entry with this number, counted from 0."""
        return self._make(number)


@dataclass(frozen=True)
class Strata(Generic[Data]):
    """Samplers that are drawn from in turn, so that each is used equally often.

    If there are more than `MOST_STRATA`, the sequence is divided into that many stretches of
    neighbours. In each round, one sampler of every stretch is chosen at random. Similar samplers
    should therefore be next to each other.
    """

    samplers: Sequence[Sampler[Data]]
    signature: str

    @property
    def rounds(self) -> int:
        """Return the number of strata, which is also the number of samples in a round."""
        return min(len(self.samplers), MOST_STRATA)

    def of(self, stratum: int, rng: np.random.Generator) -> Sampler[Data]:
        """Return a sampler of this stratum; over a round, all samplers are equally likely.

        Parameters
        ----------
        stratum
            Number of the stratum, below `rounds`.
        rng
            Generator that chooses among neighbours.
        """
        size = len(self.samplers)
        if size == self.rounds:
            return self.samplers[stratum]
        return self.samplers[int((stratum + rng.random()) * size / self.rounds)]

    def draw(self, rng: np.random.Generator) -> Data:
        """Draw from a stratum chosen by `rng`."""
        return self.samplers[int(rng.integers(len(self.samplers)))].draw(rng)


class Draws(Generic[Data]):
    """Random data from a sampler, by number.

    Every caller that takes number k gets the same data. If data are kept, each is drawn only once,
    even if several results rest on it.
    """

    ended = False
    """Whether a caller asked for more data than there can be."""

    def __init__(self, sampler: Sampler[Data], seed: int, *, keep: bool = False) -> None:
        """Wrap a sampler; nothing is drawn yet."""
        self.sampler = sampler
        self.seed = seed
        self._known: dict[int, Data] | None = {} if keep else None

    @property
    def rounds(self) -> int:
        """Return the number of samples in a round: that of the strata, 1 without any.

        Only whole rounds are drawn.
        """
        if isinstance(self.sampler, Strata):
            return self.sampler.rounds
        return 1

    def take(self, indices: Sequence[int]) -> Sequence[Data]:
        """Return the data with these numbers, up to an interruption or to the last that exists.

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


class SetMeasurer(Protocol[RandomData]):
    """Protocol for computing measures on random data; frozen, and cheap to send to a process."""

    @property
    def at_once(self) -> int:
        """Number of random sets to process in one call."""
        ...

    def of_each(self, data: Sequence[RandomData], /) -> Sequence[Sequence[Disagreement]]:
        """Return one disagreement per measure for each set that was completed before interruption.

        Parameters
        ----------
        data
            Random sets.
        """
        ...


@dataclass(frozen=True)
class OneByOne(Generic[RandomData]):
    """`SetMeasurer` that applies a function to one random set at a time."""

    count: Callable[[RandomData], Sequence[Disagreement]]
    at_once: int = _CHUNK

    def of_each(self, data: Sequence[RandomData]) -> list[Sequence[Disagreement]]:
        """Return one disagreement per measure for each set, up to an interruption."""
        rows: list[Sequence[Disagreement]] = []
        for entry in data:
            row = self.count(entry)
            if due():
                break
            rows.append(row)
        return rows


def expectations(
    sampler: Sampler[Data] | Draws[Data],
    disagreements: SetMeasurer[Data],
    rule: SampleRule,
    seed: int,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    measures: int = 1,
) -> tuple[tuple[ExpectedDisorder, ...], tuple[object, ...]]:
    """Draw random data until the sample rule is met for every measure.

    Parameters
    ----------
    sampler
        Sampler, which draws sample k with `sample_seed(seed, k)`; or the draws themselves.
    disagreements
        Computation of the disagreements of samples, one for each measure. With an executor, it is
        sent to other processes.
    progress
        Function that is called with the number of completed samples and the number required.
    measures
        Number of disagreements per sample.

    Returns
    -------
    expected, kept
        One expected disorder per measure, and the facts kept about samples, in their order.

    After Ctrl-C (`stopping.interruptible`) the completed samples count.
    """
    draws = sampler if isinstance(sampler, Draws) else Draws(sampler, seed)
    spread = map if executor is None else executor.map
    size = disagreements.at_once
    rows: list[Sequence[Disagreement]] = []
    missing = rule.first
    complete = True
    while missing and complete:
        # Draw whole rounds, so that every stratum is used equally often.
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
        # If no more samples exist, having fewer than wanted is not an interruption.
        complete = len(rows) == wanted.stop or draws.ended
        expected = [
            _expected_disorder(column, rule, complete) for column in zip(*rows, strict=True)
        ]
        more = complete and not draws.ended
        if more:
            missing = max((rule.missing(e, len(rows)) for e in expected), default=0)
        else:
            missing = 0
    details = tuple(entry.detail for row in rows for entry in row if entry.detail is not None)
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
