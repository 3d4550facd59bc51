"""γ of one continuum or of many: the one way to it, for whatever is measured or compared."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from gammacp.arguments import whole
from gammacp.chance.beyond import ratio
from gammacp.continuum import Corpus
from gammacp.errors import DataError
from gammacp.measures.contributions import (
    Contributions,
    contributions_of_alignment,
    contributions_of_documents,
)
from gammacp.measures.gamma import Gamma, GammaScore, gamma_score
from gammacp.measures.gamma_corpus import CorpusGamma, gamma_on
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.resampling import DRAWS, BootstrapInterval, bootstrap
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing
from gammacp.needs import require
from gammacp.signature import extend


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

    @cached_property
    def computed(self) -> Mapping[str, GammaScore]:
        """The documents that have an alignment."""
        return {n: s for n, s in self.documents.items() if isinstance(s, GammaScore)}

    @property
    def shown(self) -> Mapping[str, Gamma]:
        """The documents without those in which nobody marked anything, which a line tells of."""
        whole = self.score.marked if isinstance(self.score, CorpusGamma) else None
        empty = frozenset(whole.unmarked if whole else ())
        return {n: s for n, s in self.documents.items() if n not in empty}

    def on(self, documents: Collection[str]) -> float:
        """γ of these documents alone, by the same expected disorders; NaN where undefined."""
        if not isinstance(self.score, CorpusGamma):
            return self.value if documents else math.nan
        parts = [
            (s, s.alignment.continuum.mean_units) for n in documents if (s := self.computed.get(n))
        ]
        observed = math.fsum(x * (s.observed or 0.0) for s, x in parts)
        expected = math.fsum(x * (s.expected or 0.0) for s, x in parts)
        return ratio(observed, expected, "")[0]

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
            documents[name] = (
                replace(score, bootstrap=found.interval, signature=_drawn(score, draws))
                if found
                else score
            )
        if not isinstance(self.score, CorpusGamma):
            score = next(iter(documents.values()), self.score)
            return replace(self, score=score, documents=documents)
        found = self.bootstrap(draws=draws, confidence=confidence, seed=seed)
        interval = found.interval if found else None
        made = _drawn(self.score, draws)
        whole = replace(self.score, bootstrap=interval, scores=documents, signature=made)
        return replace(self, score=whole, documents=documents)

    def as_dict(self) -> dict[str, Any]:
        """`results`, one per document, and `corpus`, None for a single continuum."""
        corpus = isinstance(self.score, CorpusGamma)
        return {
            "results": [{"file": name, **s.as_dict()} for name, s in self.documents.items()],
            "corpus": {"file": None, **self.score.as_dict()} if corpus else None,
        }


def _drawn(score: Gamma, draws: int) -> str:
    """The signature of a score with a bootstrap interval; an undefined one has none."""
    return score.signature and extend(score.signature, bootstrap=draws)


def _of_alignment(score: GammaScore) -> Contributions:
    alignment = score.alignment
    return contributions_of_alignment(
        alignment.groups, alignment.disorders, alignment.continuum.starts, score.expected or 0.0
    )


@spelled_out_with_computing
def agreement(
    continua: Continua, *, bootstrap: int = 0, **options: Unpack[FamilyOptions]
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
    options
        Those of `FamilyOptions`, as for `gamma`.

    Raises
    ------
    UsageError
        An option is unknown or cannot be meant.
    """
    draws = whole("bootstrap", bootstrap, 0)
    settings, how = Settings.and_computing(options)
    found = agreement_of(Basis(continua, settings, **how))
    if not draws:
        return found
    return found.with_bootstrap(
        draws=draws, confidence=settings.rule.confidence, seed=settings.seed
    )


def agreement_of(basis: Basis) -> Agreement:
    """`agreement` of the continua of a basis."""
    names, chance = basis.named, basis.settings.chance
    if not names:
        nobody = Gamma(value=math.nan, reason="no document has both annotators")
        return Agreement(score=nobody, documents={}, chance=chance)
    try:
        if isinstance(basis.source, Corpus):
            whole = gamma_on(basis.source, basis)
            return Agreement(score=whole, documents=whole.scores, chance=chance)
        require(basis.source, fragments=True)
        one = gamma_score(basis.source, basis)
        return Agreement(score=one, documents=dict.fromkeys(names, one), chance=chance)
    except DataError as error:
        score = Gamma(value=math.nan, reason=str(error))
        return Agreement(score=score, documents=dict.fromkeys(names, score), chance=chance)
