"""γ of a corpus (Mathet, Widlöcher & Métivier 2015, eq. 8 with c the whole corpus).

Each continuum s has its own γ(s) = 1 − δ(s)/δ_e(c), with the expected disorder of the whole
corpus for its number of annotators. One value for the corpus is a choice: 1 − Σ x̄_s δ(s) /
Σ x̄_s δ_e(s), beside the plain mean of the γ(s).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from gammacp.alignment import Alignment, Status
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import ExpectedDisorder, SampleRule
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import BoundDissimilarity, bind
from gammacp.errors import DataError
from gammacp.measures.gamma import GammaScore, best, gamma_score
from gammacp.measures.gamma_run import (
    Chance,
    GammaOptions,
    Progress,
    Settings,
    chance_disorder,
)
from gammacp.measures.score import Score, undefined
from gammacp.needs import require
from gammacp.signature import signature
from gammacp.stopping import due

_NOT_REACHED = "interrupted before it was aligned"


@dataclass(frozen=True, kw_only=True)
class CorpusGamma(Score):
    """γ of a corpus.

    Attributes
    ----------
    value, mean
        Weighted by units (see the module), and the plain mean of the continua's γ.
    observed, expected, bound
        Means of the continua's, weighted by x̄.
    scores
        Per continuum; an undefined Score where γ could not be computed.
    continua
        How many of them have a γ.
    annotators, units, samples
        Different annotators and units of those, and random sets (of all numbers of annotators
        together).
    """

    mean: float
    scores: Mapping[str, GammaScore | Score]
    continua: int
    annotators: int
    units: int
    samples: int
    status: Status
    bound: float


def gamma_corpus(
    corpus: Corpus,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Unpack[GammaOptions],
) -> CorpusGamma:
    """γ of every continuum of a corpus, and of the corpus.

    Options as for `gamma`; the default chance model is `corpus` (§5.2.2), which the paper
    recommends, where there are at least as many continua as annotators, and otherwise `shift` of
    each continuum by itself (the signature says which).
    """
    settings = Settings.of(**options)
    if "chance" not in options:
        settings = replace(settings, chance=default_chance(corpus))
    bound = bind(settings.dissimilarity, corpus)
    chances = _Chances(list(corpus.values()), bound, settings, executor, progress)
    scores: dict[str, GammaScore | Score] = {}
    parts: list[tuple[Continuum, Alignment, Chance]] = []
    aligned: Iterable[tuple[str, Continuum, Alignment | Score]] = _aligned(corpus, bound, settings)
    if chances.pooled:
        # All alignments first: an interruption then leaves each continuum with its γ.
        aligned = list(aligned)
    for name, continuum, found in aligned:
        if isinstance(found, Score):
            scores[name] = found
            continue
        try:
            chance = chances.of(continuum)
        except DataError as error:
            scores[name] = undefined(str(error))
            continue
        scores[name] = gamma_score(continuum, found, chance, settings)
        if chance.expected.enough:
            parts.append((continuum, found, chance))
    return _pooled(scores, parts, settings)


def _aligned(
    corpus: Corpus, bound: BoundDissimilarity, settings: Settings
) -> Iterator[tuple[str, Continuum, Alignment | Score]]:
    """The best alignment of each continuum, or why it has none."""
    for name, continuum in corpus.items():
        try:
            require(continuum)
        except DataError as error:
            yield name, continuum, undefined(str(error))
            continue
        if due():
            yield name, continuum, undefined(_NOT_REACHED)
            continue
        yield name, continuum, best(continuum, bound, settings)


def default_chance(corpus: Corpus) -> str:
    """`corpus` where there are at least as many continua as annotators, otherwise `shift`."""
    most = max((c.n_annotators for c in corpus.values()), default=0)
    return "corpus" if len(corpus) >= max(2, most) else "shift"


class _Chances:
    """Expected disorders, computed when they are first needed."""

    def __init__(
        self,
        continua: Sequence[Continuum],
        bound: BoundDissimilarity,
        settings: Settings,
        executor: Executor | None,
        progress: Progress | None,
    ) -> None:
        self._continua = [c for c in continua if c.n_annotators]
        self._bound = bound
        self._settings = settings
        self._executor = executor
        self._progress = progress
        self.pooled = CHANCE_MODELS[settings.chance].pools
        self._found: dict[int, Chance] = {}

    def of(self, continuum: Continuum) -> Chance:
        n = continuum.n_annotators
        if not self.pooled:
            return self._compute([continuum], n)
        if n not in self._found:
            self._found[n] = self._compute(self._continua, n)
        return self._found[n]

    def _compute(self, continua: Sequence[Continuum], n_annotators: int) -> Chance:
        return chance_disorder(
            continua,
            n_annotators,
            self._bound,
            self._settings,
            executor=self._executor,
            progress=self._progress,
        )


def _pooled(
    scores: Mapping[str, GammaScore | Score],
    parts: Sequence[tuple[Continuum, Alignment, Chance]],
    settings: Settings,
) -> CorpusGamma:
    weights = np.array([c.mean_units for c, _, _ in parts])
    total = float(weights.sum())
    expectations = {id(chance): chance for _, _, chance in parts}
    shares = {
        key: float(sum(w for w, (_, _, c) in zip(weights, parts, strict=True) if id(c) == key))
        for key in expectations
    }
    low, mean, high = _expected(
        [(shares[key], chance.expected) for key, chance in expectations.items()], settings.rule
    )
    observed = float(sum(w * a.disorder for w, (_, a, _) in zip(weights, parts, strict=True)))
    lowest = float(sum(w * a.bound for w, (_, a, _) in zip(weights, parts, strict=True)))
    defined = [s.value for s in scores.values() if s.defined]
    computed = [s for s in scores.values() if isinstance(s, GammaScore)]
    proven = bool(computed) and all(s.status is Status.OPTIMAL for s in computed)
    proven = proven and all(s.reason != _NOT_REACHED for s in scores.values())
    reason = None
    if not parts:
        reason = "no continuum has a γ"
    elif mean == 0:
        reason = "the expected disorder is 0"
    return CorpusGamma(
        value=math.nan if reason else 1 - observed / mean,
        interval=None
        if reason
        else (1 - observed / low if low > 0 else -math.inf, 1 - lowest / high),
        observed=observed / total if total else None,
        expected=mean / total if total else None,
        reason=reason,
        mean=float(np.mean(defined)) if defined else math.nan,
        scores=scores,
        continua=len(defined),
        annotators=len({name for c, _, _ in parts for name in c.annotators}),
        units=sum(c.n_units for c, _, _ in parts),
        samples=sum(c.expected.samples for c in expectations.values()),
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        bound=lowest / total if total else math.nan,
        signature=_signature(parts, settings),
    )


def _expected(
    terms: Sequence[tuple[float, ExpectedDisorder]], rule: SampleRule
) -> tuple[float, float, float]:
    """Σ w·δ_e with its Monte-Carlo interval; the terms are independent of each other."""
    mean = sum(w * e.mean for w, e in terms)
    proven = sum(w * float(np.mean(e.bounds)) for w, e in terms)
    variance = sum(w**2 * float(np.var(e.disorders, ddof=1)) / e.samples for w, e in terms)
    half = rule.quantile * math.sqrt(variance)
    return max(0.0, proven - half), mean, mean + half


def _signature(parts: Sequence[tuple[Continuum, Alignment, Chance]], settings: Settings) -> str:
    if not parts:
        return ""
    _, alignment, chance = parts[0]
    fields = settings.signature_parts(chance.sampler, chance.expected, alignment.method)
    return signature("gamma-corpus", continua=len(parts), **fields)
