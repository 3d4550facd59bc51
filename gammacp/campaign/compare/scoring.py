"""γ of whatever a comparison singles out: one continuum or several, all annotators or some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from gammacp.campaign.compare.bootstrap import DRAWS, BootstrapInterval, bootstrap
from gammacp.campaign.compare.contributions import (
    Contributions,
    contributions_of_alignment,
    contributions_of_documents,
)
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.score import Score, undefined

if TYPE_CHECKING:
    from gammacp.measures.gamma import GammaScore
    from gammacp.measures.settings import GammaOptions

S = TypeVar("S", bound=Score)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """γ of a selection with what it is made of.

    Attributes
    ----------
    score
        `GammaScore` of a single continuum, `CorpusGamma` of several; an undefined `Score` where
        there is none.
    documents
        Score per continuum.
    chance
        Chance model that was used.
    """

    score: Score
    documents: Mapping[str, GammaScore | Score]
    chance: str

    @property
    def value(self) -> float:
        """γ; NaN where it is undefined."""
        return self.score.value

    @property
    def computed(self) -> Mapping[str, GammaScore]:
        """The documents that have an alignment."""
        from gammacp.measures.gamma import GammaScore

        return {n: s for n, s in self.documents.items() if isinstance(s, GammaScore)}

    def contributions(self) -> Contributions:
        """What γ is a ratio of: per document, or per unitary alignment of the only document."""
        computed = [s for s in self.computed.values() if s.defined]
        if len(computed) == 1:
            (only,) = computed
            assert only.expected is not None
            alignment = only.alignment
            return contributions_of_alignment(
                alignment.groups, alignment.disorders, alignment.continuum.starts, only.expected
            )
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


def agreement(
    continua: Mapping[str, Continuum],
    options: GammaOptions,
    *,
    executor: Executor | None = None,
    shared: dict[object, object] | None = None,
) -> Agreement:
    """γ of one continuum, or of several as a corpus.

    `shared` keeps the random sets of a single continuum for γ_k. Data that have no γ (one
    annotator, no unit) are an undefined Score with the reason, so that a comparison of many
    selections goes on.
    """
    from gammacp.measures.gamma import gamma
    from gammacp.measures.gamma_corpus import gamma_corpus

    options = common_chance([continua], options)
    chance = options["chance"] or ""
    score: Score
    if len(continua) > 1:
        try:
            corpus = gamma_corpus(Corpus.from_continua(continua), executor=executor, **options)
        except DataError as error:
            return Agreement(score=undefined(str(error)), documents={}, chance=chance)
        return Agreement(score=corpus, documents=corpus.scores, chance=chance)
    for name, continuum in continua.items():
        try:
            score = gamma(continuum, executor=executor, shared=shared, **options)
        except DataError as error:
            score = undefined(str(error))
        return Agreement(score=score, documents={name: score}, chance=chance)
    return Agreement(
        score=undefined("no document has both annotators"), documents={}, chance=chance
    )


def with_annotators(
    continua: Mapping[str, Continuum], names: Iterable[str], *, all_of_them: bool = False
) -> dict[str, Continuum]:
    """The continua with these annotators alone; those with fewer than two are left out.

    `all_of_them` keeps only continua that all of the annotators annotated. Bounds stay, so that
    chance is modelled on the same stretch of the continuum.
    """
    wanted = tuple(dict.fromkeys(names))
    chosen = {}
    for name, continuum in continua.items():
        there = [a for a in wanted if a in continuum.annotators]
        if len(there) < (len(wanted) if all_of_them else 2):
            continue
        chosen[name] = continuum.only_annotators(there)
    return chosen


def common_chance(
    selections: Sequence[Mapping[str, Continuum]], options: GammaOptions
) -> GammaOptions:
    """The options with one chance model for all selections, so that their γ can be compared.

    Where none is asked for: the default of a corpus if it is the same for all of them, otherwise
    `shift`, which any continuum has.
    """
    from gammacp.chance.registry import default_chance

    if options.get("chance") is not None:
        return options
    return {**options, "chance": default_chance(list(s.values()) for s in selections)}


def annotators_of(continua: Mapping[str, Continuum]) -> tuple[str, ...]:
    """Everybody who annotates, in the order of the files."""
    return tuple(dict.fromkeys(a for c in continua.values() for a in c.annotators))


def many(
    tasks: Sequence[tuple[Mapping[str, Continuum], GammaOptions]],
    *,
    executor: Executor | None = None,
) -> list[Agreement]:
    """γ of several selections, each with its options; with an executor, one task per selection."""
    return list((map if executor is None else executor.map)(_task, tasks))


def _task(task: tuple[Mapping[str, Continuum], GammaOptions]) -> Agreement:
    selection, options = task
    return agreement(selection, options)


def with_bootstrap(
    score: S,
    documents: Mapping[str, GammaScore | Score],
    *,
    draws: int = DRAWS,
    confidence: float = 0.95,
    seed: int = 0,
) -> S:
    """The same Score with its `bootstrap` interval; unchanged where there is too little for one.

    `documents` are the scores that it is made of: itself, for a single continuum.
    """
    whole = Agreement(score=score, documents=documents, chance="")
    found = whole.bootstrap(draws=draws, confidence=confidence, seed=seed)
    return score if found is None else replace(score, bootstrap=found.interval)
