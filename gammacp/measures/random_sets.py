"""What the γ of continua rests on, each thing computed once: alignments and random sets.

γ, γ_cat, γ_k, soft γ, the γ of pairs of annotators and of rounds, and the curves of a calibration
all draw their random annotation sets here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from gammacp.alignment import Alignment, Status, align
from gammacp.arrays import Codes
from gammacp.chance.registry import CHANCE_MODELS, Sampler
from gammacp.chance.sampling import ExpectedDisorder, sample_seed, sample_until
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import BoundDissimilarity, bind
from gammacp.measures.settings import Settings
from gammacp.signature import described, signature
from gammacp.stopping import due

Progress: TypeAlias = Callable[[int, int], None]
Memory: TypeAlias = dict[object, object]
T = TypeVar("T")

# Samples per task: small enough to spread over workers, large enough to be worth sending.
_CHUNK = 5


@dataclass(frozen=True)
class RandomSet:
    """A random annotation set and its best alignment, (unitary alignments, annotators) rows."""

    continuum: Continuum
    groups: Codes


@dataclass(frozen=True)
class Chance:
    """Expected disorder with the sampler behind it, and the random sets where they were kept."""

    sampler: Sampler
    expected: ExpectedDisorder
    sets: tuple[RandomSet, ...] = ()


class Basis:
    """What continua that are measured together share.

    The dissimilarity is bound to all of them. A chance model that pools is built from all of them
    too, with one set of random sets per number of annotators; any other from each by itself.

    Parameters
    ----------
    source
        One continuum, or a corpus.
    settings
        Where they leave the chance model open, it is decided for the source.
    executor
        Where random sets are aligned; the same bits whatever it is.
    progress
        Told how many random sets are done, of how many.
    memory
        Keeps alignments and random sets for whatever rests on the same; without it, random sets
        are not kept at all.
    """

    def __init__(
        self,
        source: Continuum | Corpus,
        settings: Settings,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
        memory: Memory | None = None,
    ) -> None:
        """Nothing is computed yet."""
        self.source = source
        self.continua = (source,) if isinstance(source, Continuum) else tuple(source.values())
        self.settings = settings.deciding([self.continua])
        self.model = CHANCE_MODELS[self.settings.chance]
        self.bound: BoundDissimilarity = bind(settings.dissimilarity, source)
        self._executor = executor
        self._progress = progress
        self._keep = memory is not None
        # A continuum by itself and a corpus of it alone may be bound alike, but need not be.
        key = (isinstance(source, Continuum), self.continua, self.settings)
        self._memory: Memory = {} if memory is None else memory.setdefault(key, {})  # type: ignore[assignment]

    def _once(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        if key not in self._memory:
            self._memory[key] = compute()
        return self._memory[key]  # type: ignore[return-value]

    def alignment(self, continuum: Continuum) -> Alignment:
        """The best alignment of one of the continua, ties broken canonically."""
        settings = self.settings

        def compute() -> Alignment:
            return align(
                continuum,
                self.bound,
                method=settings.method,
                gap=settings.gap,
                time_limit=settings.time_limit,
                seed=settings.seed,
                cover=settings.cover,
            )

        return self._once(("alignment", continuum), compute)

    def chance(self, continuum: Continuum) -> Chance:
        """The expected disorder for one of the continua.

        Raises
        ------
        DataError
            The chance model cannot be built from these continua.
        """
        n = continuum.n_annotators
        modelled = [c for c in self.continua if c.n_annotators] if self.model.pools else [continuum]
        key = ("chance", None if self.model.pools else continuum, n)
        return self._once(key, lambda: self._drawn(modelled, n))

    def _drawn(self, continua: Sequence[Continuum], n_annotators: int) -> Chance:
        """Random sets until the sample rule holds.

        After Ctrl-C (`stopping.interruptible`) the samples that are done count, without the one
        that was cut short.
        """
        sampler = self.model.prepare(continua, n_annotators)
        sets: list[RandomSet] = []
        spread = map if self._executor is None else self._executor.map

        def draw(indices: range) -> list[tuple[float, float, bool]]:
            chunks = [indices[i : i + _CHUNK] for i in range(0, len(indices), _CHUNK)]
            tasks = [(sampler, self.bound, self.settings, chunk, self._keep) for chunk in chunks]
            rows = []
            for asked, chunk in zip(chunks, spread(_solve_samples, tasks), strict=False):
                rows += chunk
                if self._progress is not None:
                    self._progress(indices.start + len(rows), indices.stop)
                if len(chunk) < len(asked) or due():
                    break
            sets.extend(row[1] for row in rows if row[1] is not None)
            return [row[0] for row in rows]

        return Chance(sampler, sample_until(self.settings.rule, draw), tuple(sets))

    def signature(
        self,
        name: str,
        chance: Chance,
        *,
        method: str,
        samples: int,
        selection: Sequence[str],
        **parts: object,
    ) -> str:
        """The signature of a number that rests on this.

        Parameters
        ----------
        name
            Of the measure.
        method, samples
            The solver that was used, and how many random sets were drawn.
        selection
            What was selected in the data.
        parts
            What else determines the number, shown first.
        """
        return signature(
            name,
            selection=selection,
            **parts,
            d=described(self.settings.dissimilarity),
            chance=chance.sampler.signature,
            samples=samples,
            interrupted=None if chance.expected.complete else "yes",
            reached=float(f"{chance.expected.precision:.2g}") if chance.expected.capped else None,
            method=method,
            **self.settings.signature_parts(),
        )


def _solve_samples(
    task: tuple[Sampler, BoundDissimilarity, Settings, range, bool],
) -> list[tuple[tuple[float, float, bool], RandomSet | None]]:
    sampler, bound, settings, indices, keep = task
    rows = []
    for index in indices:
        random = sampler.draw(sample_seed(settings.seed, index))
        outcome = settings.solve(random, bound) if random.n_units else None
        if due():
            break
        numbers = (
            (0.0, 0.0, True)
            if outcome is None
            else (outcome.disorder, outcome.bound, outcome.status is Status.OPTIMAL)
        )
        kept = RandomSet(random, outcome.groups) if keep and outcome is not None else None
        rows.append((numbers, kept))
    return rows
