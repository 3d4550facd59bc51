"""What γ, γ_cat, γ_k and soft γ have in common: settings, and the random sets they rest on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from gammacp.alignment import BestGroups, Status, best_groups
from gammacp.arrays import Codes
from gammacp.chance.registry import CHANCE_MODELS, Sampler
from gammacp.chance.sampling import ExpectedDisorder, SampleRule, sample_seed, sample_until
from gammacp.continuum import Continuum
from gammacp.dissimilarity import BoundDissimilarity, Combined
from gammacp.errors import UsageError
from gammacp.stopping import due

Progress = Callable[[int, int], None]

# Samples per task: small enough to spread over workers, large enough to be worth sending.
_CHUNK = 5


class GammaOptions(TypedDict, total=False):
    """Options of γ and its family.

    Keys
    ----
    dissimilarity
        Default `Combined()`: α = β = Δ = 1, sporadic positions, nominal categories.
    chance
        Chance model by name: "shift" (default; 2015, §5.2.1), "statistical", "fixed-positions", …
    precision, confidence, samples
        Sample-size rule of §5.3: relative error of the expected disorder (default 0.02) and its
        confidence (0.95); or a fixed number of samples.
    seed
        Of the random sets (default 0).
    method, gap, time_limit
        Solver, relative gap at which to stop (0), seconds for each alignment (no limit).
    """

    dissimilarity: Any
    chance: str
    precision: float
    confidence: float
    samples: int | None
    seed: int
    method: str
    gap: float
    time_limit: float | None


@dataclass(frozen=True)
class Settings:
    """`GammaOptions` with their defaults; hashable, so that a family can share results.

    `cover` is soft γ: each unit in at least one unitary alignment.
    """

    dissimilarity: Any
    chance: str
    rule: SampleRule
    seed: int
    method: str
    gap: float
    time_limit: float | None
    cover: bool

    @classmethod
    def of(cls, *, cover: bool = False, **options: Unpack[GammaOptions]) -> Settings:
        """These options, the others at their defaults; UsageError for what cannot be meant."""
        seed = options.get("seed", 0)
        if seed < 0:
            raise UsageError(f"seed {seed} < 0")
        return cls(
            options.get("dissimilarity") or Combined(),
            options.get("chance", "shift"),
            SampleRule(
                options.get("precision", 0.02),
                options.get("confidence", 0.95),
                options.get("samples"),
            ),
            seed,
            options.get("method", "auto"),
            options.get("gap", 0.0),
            options.get("time_limit"),
            cover,
        )

    def solve(
        self, continuum: Continuum, bound: BoundDissimilarity, *, ties: bool = False
    ) -> BestGroups:
        """The best alignment of one continuum, without objects; `ties` as in `best_groups`."""
        return best_groups(
            continuum,
            bound,
            method=self.method,
            gap=self.gap,
            time_limit=self.time_limit,
            seed=self.seed,
            cover=self.cover,
            ties=ties,
        )

    def signature_parts(
        self, sampler: Sampler, expected: ExpectedDisorder, method: str
    ) -> dict[str, object]:
        """What a signature says of these settings; `method` is the one that was used."""
        return {
            "d": self.dissimilarity.signature
            if hasattr(self.dissimilarity, "signature")
            else type(self.dissimilarity).__name__,
            "chance": sampler.signature,
            "samples": expected.samples,
            "interrupted": None if expected.complete else "yes",
            "e": None if self.rule.samples else self.rule.precision,
            "c": self.rule.confidence,
            "seed": self.seed,
            "method": method,
            "gap": self.gap or None,
            "limit": self.time_limit,
        }


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


def chance_disorder(
    continua: Sequence[Continuum],
    n_annotators: int,
    bound: BoundDissimilarity,
    settings: Settings,
    *,
    keep: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Chance:
    """Expected disorder of n random annotators modelled on these continua.

    Parameters
    ----------
    keep
        Keep the random sets with their alignments (γ_cat and γ_k need them).
    executor
        Where samples are aligned; the same bits whatever it is.
    progress
        Told how many samples are done, of how many.

    After Ctrl-C (`stopping.interruptible`) the samples that are done count, without the one that
    was cut short.
    """
    sampler = CHANCE_MODELS[settings.chance].prepare(continua, n_annotators)
    sets: list[RandomSet] = []

    def draw(indices: range) -> list[tuple[float, float, bool]]:
        chunks = [indices[i : i + _CHUNK] for i in range(0, len(indices), _CHUNK)]
        arguments = [(sampler, bound, settings, chunk, keep) for chunk in chunks]
        solved = (map if executor is None else executor.map)(_solve_samples, arguments)
        rows = []
        for asked, chunk in zip(chunks, solved, strict=False):
            rows += chunk
            if progress is not None:
                progress(indices.start + len(rows), indices.stop)
            if len(chunk) < len(asked) or due():
                break
        sets.extend(row[1] for row in rows if row[1] is not None)
        return [row[0] for row in rows]

    return Chance(sampler, sample_until(settings.rule, draw), tuple(sets))


def _solve_samples(
    task: tuple[Sampler, BoundDissimilarity, Settings, range, bool],
) -> list[tuple[tuple[float, float, bool], RandomSet | None]]:
    sampler, bound, settings, indices, keep = task
    rows = []
    for index in indices:
        random = sampler.draw(sample_seed(settings.seed, index))
        outcome = settings.solve(random, bound, ties=keep) if random.n_units else None
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


def agreement_interval(
    lowest: float, highest: float, expected: ExpectedDisorder
) -> tuple[float, float]:
    """1 − δ/δ_e with the observed δ between two values and δ_e in its Monte-Carlo interval."""
    low, high = expected.interval
    if highest == 0:
        return 1.0, 1.0
    return 1 - highest / low if low > 0 else -math.inf, 1 - lowest / high
