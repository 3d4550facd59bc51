"""γ of one continuum or of many: the one way to it, for whatever is measured or compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, Unpack

from gammacp.arguments import instance, whole
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.contributions import (
    Contributions,
    contributions_of_alignment,
    contributions_of_documents,
)
from gammacp.measures.gamma import Gamma, GammaScore, gamma_of
from gammacp.measures.gamma_corpus import CorpusGamma, gamma_of_corpus
from gammacp.measures.random_sets import Memory, Progress
from gammacp.measures.resampling import DRAWS, BootstrapInterval, bootstrap
from gammacp.measures.settings import GammaOptions, Settings, spelled_out

Continua: TypeAlias = Continuum | Corpus | Mapping[str, Continuum]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """γ of some continua with what it is made of.

    Attributes
    ----------
    score
        `GammaScore` of a single continuum, `CorpusGamma` of several; an undefined `Gamma` where
        there is none.
    documents
        Score per continuum.
    chance
        Chance model that was used.
    """

    score: Gamma
    documents: Mapping[str, Gamma]
    chance: str

    @property
    def value(self) -> float:
        """γ; NaN where it is undefined."""
        return self.score.value

    @property
    def computed(self) -> Mapping[str, GammaScore]:
        """The documents that have an alignment."""
        return {n: s for n, s in self.documents.items() if isinstance(s, GammaScore)}

    def contributions(self) -> Contributions:
        """What γ is a ratio of: per document, or per unitary alignment of the only document.

        Raises
        ------
        DataError
            No document has a γ.
        """
        computed = [s for s in self.computed.values() if s.defined]
        if len(computed) == 1:
            return _of_alignment(computed[0])
        return contributions_of_documents(
            (s.alignment.continuum.mean_units, s.observed, s.expected)
            for s in computed
            if s.observed is not None and s.expected is not None
        )

    def bootstrap(
        self, *, draws: int = DRAWS, confidence: float = 0.95, seed: int = 0
    ) -> BootstrapInterval | None:
        """Bootstrap interval over documents or unitary alignments; None if nothing is defined."""
        try:
            parts = self.contributions()
        except DataError:
            return None
        return bootstrap(parts, draws=draws, confidence=confidence, seed=seed)

    def with_bootstrap(
        self, *, draws: int = DRAWS, confidence: float = 0.95, seed: int = 0
    ) -> Agreement:
        """The same with the `bootstrap` interval of each document's score and of the whole."""
        documents = {}
        for name, score in self.documents.items():
            alone = Agreement(score=score, documents={name: score}, chance=self.chance)
            found = alone.bootstrap(draws=draws, confidence=confidence, seed=seed)
            documents[name] = replace(score, bootstrap=found.interval) if found else score
        if not isinstance(self.score, CorpusGamma):
            score = next(iter(documents.values()), self.score)
            return replace(self, score=score, documents=documents)
        found = self.bootstrap(draws=draws, confidence=confidence, seed=seed)
        interval = found.interval if found else None
        whole = replace(self.score, bootstrap=interval, scores=documents)
        return replace(self, score=whole, documents=documents)

    def as_dict(self) -> dict[str, Any]:
        """`results`, one per document, and `corpus`, None for a single continuum."""
        corpus = isinstance(self.score, CorpusGamma)
        return {
            "results": [{"file": name, **s.as_dict()} for name, s in self.documents.items()],
            "corpus": {"file": None, **self.score.as_dict()} if corpus else None,
        }


def _of_alignment(score: GammaScore) -> Contributions:
    alignment = score.alignment
    return contributions_of_alignment(
        alignment.groups, alignment.disorders, alignment.continuum.starts, score.expected or 0.0
    )


@spelled_out
def agreement(
    continua: Continua,
    *,
    bootstrap: int = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    shared: Memory | None = None,
    **options: Unpack[GammaOptions],
) -> Agreement:
    """γ of one continuum, or of several and of the corpus that they are.

    Data that have no γ (one annotator, no unit) are undefined scores with the reason, so that the
    others go on.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name. Several are measured as a corpus
        (`gamma_corpus`), and so is a `Corpus` of one.
    bootstrap
        Draws of bootstrap intervals, over unitary alignments of each document and over the
        documents of a corpus; 0 for none.
    executor, progress, shared, options
        As for `gamma`, options those of `GammaOptions`.

    Raises
    ------
    UsageError
        An option is unknown or cannot be meant.
    """
    draws = whole("bootstrap", bootstrap, 0)
    settings = Settings.of(**options)
    found = agreement_of(continua, settings, executor=executor, progress=progress, shared=shared)
    if not draws:
        return found
    return found.with_bootstrap(
        draws=draws, confidence=settings.rule.confidence, seed=settings.seed
    )


def agreement_of(
    continua: Continua,
    settings: Settings,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    shared: Memory | None = None,
) -> Agreement:
    """`agreement` with these settings."""
    named = named_continua(continua)
    settings = settings.deciding([tuple(named.values())])
    if not named:
        nobody = Gamma(value=math.nan, reason="no document has both annotators")
        return Agreement(score=nobody, documents={}, chance=settings.chance)
    try:
        if len(named) == 1 and not isinstance(continua, Corpus):
            ((name, continuum),) = named.items()
            one = gamma_of(continuum, settings, executor, progress, shared)
            return Agreement(score=one, documents={name: one}, chance=settings.chance)
        corpus = continua if isinstance(continua, Corpus) else Corpus.from_continua(named)
        whole = gamma_of_corpus(corpus, settings, executor, progress, shared)
        return Agreement(score=whole, documents=whole.scores, chance=settings.chance)
    except DataError as error:
        score = Gamma(value=math.nan, reason=str(error))
        return Agreement(score=score, documents=dict.fromkeys(named, score), chance=settings.chance)


def named_continua(continua: Continua) -> Mapping[str, Continuum]:
    """Continua by name, whatever they come as.

    Raises
    ------
    UsageError
        It is none of a Continuum, a Corpus and a mapping of names to continua.
    """
    if isinstance(continua, Continuum):
        return {continua.name: continua}
    instance("continua", continua, Mapping, "a Continuum, a Corpus or continua by name")
    for name, continuum in continua.items():
        instance(f"continua[{name!r}]", continuum, Continuum, "a Continuum")
    return continua.continua if isinstance(continua, Corpus) else continua
