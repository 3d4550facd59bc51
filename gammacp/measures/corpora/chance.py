"""Measures of a corpus beyond chance: random corpora have a random set of every document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.chance.beyond import NOT_OBSERVED, BeyondChance, against_chance
from gammacp.chance.fixed import FIXED_POSITIONS, keep_own_places
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import Sampler
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.beyond_chance import (
    CHANCE_OPTIONS,
    NOT_MATCHED,
    can_observe,
    on_the_grid,
    pooled_disagreement,
    unsuited,
)
from gammacp.measures.corpora.measured_documents import MeasuredDocuments
from gammacp.measures.corpora.measuring import corpus_score
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.registry import MEASURES
from gammacp.measures.settings import Settings

if TYPE_CHECKING:
    from gammacp.measures.matching.label_matching import LabelMatching

_REFERENCE = "against a reference, its random sets are drawn for two annotators only"
_ADD_UP = "{} does not add up over documents"
PRESENCE = "presence"
_EXCHANGES_DOCUMENTS = frozenset({"documents", "corpus"})
_SAME_CODES = (
    "chance model {} does not change which codes a document has, so that presence needs "
    "chance=documents"
)


@dataclass(frozen=True)
class NoUnits:
    """Sampler for a document without units, which chance leaves as it is.

    Attributes
    ----------
    continuum
        The document.
    signature
        Name of the chance model.
    """

    continuum: Continuum
    signature: str

    def draw(self, rng: np.random.Generator) -> Continuum:  # noqa: ARG002
        """Return the document.

        Parameters
        ----------
        rng
            The generator of this one sample.
        """
        return self.continuum


@dataclass(frozen=True)
class EveryDocument:
    """Sampler of random corpora: a random set for each document.

    Attributes
    ----------
    samplers
        Samplers of the documents, by name.
    """

    samplers: Mapping[str, Sampler[Continuum]]

    @property
    def signature(self) -> str:
        """Name of the model, with choices that depend on the data."""
        samplers = [*self.samplers.values()]
        return next((s for s in samplers if not isinstance(s, NoUnits)), samplers[0]).signature

    def draw(self, rng: np.random.Generator) -> Mapping[str, Continuum]:
        """Draw a random continuum for each document, by name.

        Parameters
        ----------
        rng
            The generator of this one sample.
        """
        return {name: sampler.draw(rng) for name, sampler in self.samplers.items()}


@dataclass(frozen=True)
class PooledDisagreements:
    """Computation of measures on random corpora, which hold a random set for every document.

    Attributes
    ----------
    names
        Names of the measures.
    documents
        The observed documents. The random set of a document gets whole positions, and declared
        bounds, if the document has them.
    options
        Options of the measures.
    matching
        How to match labels, if those of the data were matched.
    reference
        Annotator with whom the others are compared; None to compare everybody with everybody.
    named
        Whether random annotators have the names of those in the data.
    """

    names: Sequence[str]
    documents: Mapping[str, Continuum]
    options: Mapping[str, Any]
    matching: LabelMatching | None = None
    reference: str | None = None
    named: bool = True

    def __call__(self, drawn: Mapping[str, Continuum]) -> dict[str, float]:
        """Return D of the sums over documents, by measure; NaN for a measure without a value.

        Parameters
        ----------
        drawn
            Random continuum of each document.
        """
        random = {
            name: on_the_grid(c, whole=data.whole, declared=data.declared)
            for name, data in self.documents.items()
            for c in [drawn[name]]
        }
        if self.matching is not None:
            random = dict(self.matching.match(random).documents)
        return {name: self.disagreement(name, random) for name in self.names}

    def disagreement(self, name: str, documents: Mapping[str, Continuum]) -> float:
        """Return D of the sums over some documents.

        Parameters
        ----------
        name
            Name of the measure.
        documents
            Data or random sets.
        """
        m = MEASURES[name]
        if can_observe(m):
            return pooled_disagreement(m, documents, self.options)
        reference = self.reference
        if reference is not None and not self.named:
            # Random annotators without real names are exchangeable, so any of them will do.
            reference = next(iter(documents.values())).annotators[0]
        part = MeasuredDocuments(m, documents, self.options, reference)
        return corpus_score(part, plain=True).disagreement


def _of_score(score: Any, chance: str) -> BeyondChance:
    """Return the `BeyondChance` of a score whose value is already corrected for chance."""
    keys = "value interval observed expected samples p least_p reason signature"
    return BeyondChance(**{key: getattr(score, key) for key in keys.split()}, chance=chance)


def corpus_beyond_chance(
    corpus: Corpus,
    scores: Mapping[str, CorpusScore],
    reference: str | None,
    options: Mapping[str, Any],
    matching: LabelMatching | None = None,
    joint: Mapping[str, Any] | None = None,
) -> dict[str, CorpusScore]:
    """Return the scores of a corpus, each with its `beyond_chance`.

    Parameters
    ----------
    corpus
        The documents.
    scores
        Scores by measure.
    reference
        As for `measure_corpus`.
    options
        Options of the measures, and of chance.
    matching
        The way in which labels of the documents were matched; those of random sets are, too.
    joint
        As for `measure_corpus`.
    """
    of_chance: dict[str, Any] = {k: v for k, v in options.items() if k in CHANCE_OPTIONS}
    rest = {k: v for k, v in options.items() if k not in CHANCE_OPTIONS}
    documents = _comparable(corpus, reference)
    settings = Settings.of(**of_chance).deciding([[c for c in documents.values() if c.n_units]])
    beyond: dict[str, BeyondChance] = {}
    observed: dict[str, float] = {}
    for name, score in scores.items():
        m = MEASURES[name]
        reason = unsuited(m, settings.chance) or score.reason
        pooled = m.counting is not None and m.counting.together is not None
        if matching is not None and can_observe(m):
            reason = score.reason
        elif matching is not None and pooled:
            reason = NOT_MATCHED.format(name)
        elif pooled:
            marked = {n: c for n, c in documents.items() if c.n_units}
            known = (joint or {}).get(name)
            joint_score = MeasuredDocuments(m, marked, options, known_joint_score=known).joint_score
            if joint_score is not None:
                beyond[name] = _of_score(joint_score, settings.chance)
                continue
        if m.counting is None:
            reason = _ADD_UP.format(name)
        elif not m.counts and "samples" in m.options and score.defined and matching is None:
            # The value of this measure is 1 − D/E[D] already.
            beyond[name] = BeyondChance(value=score.value, chance=settings.chance)
            continue
        elif name == PRESENCE and settings.chance not in _EXCHANGES_DOCUMENTS:
            reason = _SAME_CODES.format(settings.chance)
        elif can_observe(m) and reference is not None and _more_than_two(documents):
            reason = _REFERENCE
        if reason or not score.defined:
            why = reason or NOT_OBSERVED
            beyond[name] = BeyondChance(value=math.nan, chance=settings.chance, reason=why)
        else:
            observed[name] = score.disagreement
    if observed:
        named = CHANCE_MODELS[settings.chance].keeps_names or settings.chance == FIXED_POSITIONS
        counted = PooledDisagreements([*observed], documents, rest, matching, reference, named)
        beyond |= _drawn(counted, observed, scores, settings)
    return {name: replace(score, beyond_chance=beyond[name]) for name, score in scores.items()}


def _comparable(corpus: Corpus, reference: str | None) -> dict[str, Continuum]:
    """Return the documents of several annotators, the reference among them.

    Documents in which nobody found anything are kept: `presence` counts them as agreement.
    """
    return {
        name: c
        for name, c in corpus.items()
        if c.n_annotators > 1 and (reference is None or reference in c.annotators)
    }


def _more_than_two(documents: Mapping[str, Continuum]) -> bool:
    return any(c.n_annotators > 2 for c in documents.values())


def _drawn(
    counted: PooledDisagreements,
    observed: Mapping[str, float],
    scores: Mapping[str, CorpusScore],
    settings: Settings,
) -> dict[str, BeyondChance]:
    """Draw random corpora and return the values beyond chance of the measures in `observed`."""
    model = CHANCE_MODELS[settings.chance]
    documents = counted.documents
    try:
        samplers: dict[str, Sampler[Continuum]] = {}
        if model.name == FIXED_POSITIONS:
            samplers |= zip(documents, keep_own_places([*documents.values()]), strict=True)
        for name, c in documents.items():
            if name in samplers:
                continue
            together = model.weighs_by_units or model.built_from_all
            if not together and not c.n_units:
                samplers[name] = NoUnits(c, model.name)
                continue
            if together:
                compared = [*documents.values()]
            else:
                compared = [c]
            samplers[name] = model.prepare(compared, c.n_annotators)
        return against_chance(
            observed,
            counted,
            EveryDocument(samplers),
            settings.rule,
            settings.seed,
            signed={name: scores[name].signature or name for name in observed},
        )
    except DataError as error:
        reason = str(error)
        return {
            name: BeyondChance(value=math.nan, chance=settings.chance, reason=reason)
            for name in observed
        }
