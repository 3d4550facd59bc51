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
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import Disagreement, ExpectedDisorder, Sampler, Strata, expectations
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import BoundDissimilarity, bind
from gammacp.measures.settings import Settings
from gammacp.signature import described, signature
from gammacp.stopping import due

Progress: TypeAlias = Callable[[int, int], None]
Memory: TypeAlias = dict[object, object]
T = TypeVar("T")


@dataclass(frozen=True)
class RandomSet:
    """A random annotation set and its best alignment, (unitary alignments, annotators) rows."""

    continuum: Continuum
    groups: Codes


@dataclass(frozen=True)
class Chance:
    """Expected disorder with the sampler behind it, and the random sets where they were kept."""

    sampler: Sampler[Continuum]
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

    def within(self, continua: Sequence[Continuum]) -> Chance:
        """The expected disorder of these continua if chance is modelled within each (`cut`)."""

        def compute() -> Chance:
            prepare = CHANCE_MODELS["cut"].prepare
            samplers = tuple(prepare([c], c.n_annotators) for c in continua)
            return self._sampled(Strata(samplers, "cut"), ratio=True, keep=False)

        return self._once(("within", tuple(continua)), compute)

    def _drawn(self, continua: Sequence[Continuum], n_annotators: int) -> Chance:
        """Random sets until the sample rule holds.

        After Ctrl-C (`stopping.interruptible`) the samples that are done count, without the one
        that was cut short.
        """
        sampler = self.model.prepare(continua, n_annotators)
        return self._sampled(sampler, ratio=self.model.ratio, keep=self._keep)

    def _sampled(self, sampler: Sampler[Continuum], *, ratio: bool, keep: bool) -> Chance:
        count = AlignedDisorder(self.bound, self.settings, keep, ratio)
        (expected,), kept = expectations(
            sampler,
            count,
            self.settings.rule,
            self.settings.seed,
            executor=self._executor,
            progress=self._progress,
        )
        return Chance(sampler, expected, tuple(k for k in kept if isinstance(k, RandomSet)))

    def signature(
        self,
        name: str,
        *chances: Chance,
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
        chances
            The expected disorders behind it: what they decided by themselves is all said.
        method, samples
            The solver that was used, and how many random sets were drawn.
        selection
            What was selected in the data.
        parts
            What else determines the number, shown first.
        """
        capped = [c.expected.precision for c in chances if c.expected.capped]
        return signature(
            name,
            selection=selection,
            **parts,
            d=described(self.settings.dissimilarity),
            chance=",".join(dict.fromkeys(c.sampler.signature for c in chances)),
            samples=samples,
            interrupted=None if all(c.expected.complete for c in chances) else "yes",
            reached=float(f"{max(capped):.2g}") if capped else None,
            method=method,
            **self.settings.signature_parts(),
        )


@dataclass(frozen=True)
class AlignedDisorder:
    """Disorder of the best alignment of a random set: what γ counts."""

    dissimilarity: BoundDissimilarity
    settings: Settings
    keep: bool
    """Whether the set and its alignment are wanted later."""
    ratio: bool
    """Whether sets weigh by their x̄, so that the mean is Σ cost / Σ x̄."""

    def __call__(self, random: Continuum) -> tuple[Disagreement] | None:
        """None where an interruption cut the alignment short."""
        weight = random.mean_units if self.ratio else 1.0
        if not random.n_units:
            return (Disagreement(0.0, 0.0, weight=weight),)
        found = self.settings.solve(random, self.dissimilarity, ties=self.keep)
        if due():
            return None
        kept = RandomSet(random, found.groups) if self.keep else None
        proven = found.status is Status.OPTIMAL
        return (Disagreement(found.disorder, found.bound, proven, weight, kept),)
