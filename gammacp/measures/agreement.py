"""γ of one continuum or of many, with its parts and intervals, for whatever is compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gammacp.base.arguments import instance, whole
from gammacp.base.signature import extend, fingerprint
from gammacp.chance.beyond import ratio
from gammacp.continuum import Corpus
from gammacp.continuum.needs import check_one_team, require
from gammacp.errors import DataError
from gammacp.inference.contributions import (
    Contributions,
    contributions_of_alignment,
    contributions_of_documents,
)
from gammacp.inference.part_tests import FEWEST_PARTS
from gammacp.inference.populations import (
    PairSums,
    PopulationIntervals,
    intervals_over,
)
from gammacp.measures.gamma import Gamma, GammaScore, score_on
from gammacp.measures.gamma_corpus import CorpusGamma, ScoreTable, gamma_on
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing
from gammacp.registry import Registry

if TYPE_CHECKING:
    from pandas import DataFrame

    from gammacp.inference.pair_costs import AlignedDocuments, PairCells
    from gammacp.inference.resampling import BootstrapInterval
    from gammacp.measures.explaining.pair_rows import PairRows
    from gammacp.measures.explaining.variance_components import VarianceComponents

ANSWERS: Registry[Callable[[Any], Any]] = Registry("answer")
"""What is said of γ in words, by whoever registers it (`[answer]` in a subject.toml).

An answer is None, or has `headline` (sentences to print above the numbers) and `as_dict`.
"""


@dataclass(frozen=True)
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
    clusters
        Cluster of each document that is not independent of others (`Continuum.cluster`).
    weights
        Weight of each document that stands for more or fewer than one (`Continuum.weight`).
    """

    score: Gamma
    documents: Mapping[str, Gamma]
    chance: str
    clusters: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """γ; NaN where it is undefined."""
        return self.score.value

    @cached_property
    def computed(self) -> Mapping[str, GammaScore]:
        """The documents that have an alignment."""
        if isinstance(self.documents, ScoreTable):
            return self.documents.with_chance  # type: ignore[return-value]
        return {n: s for n, s in self.documents.items() if isinstance(s, GammaScore)}

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Return the reasons why documents have no γ, each with the document's name."""
        return [(r["reason"], r["file"]) for r in self.results() if r["reason"]]

    def on(self, documents: Collection[str]) -> float:
        """γ of these documents alone, by the same expected disorders; NaN where undefined."""
        if not isinstance(self.score, CorpusGamma):
            if documents:
                return self.value
            return math.nan
        parts = [(s, self.size(n)) for n in documents if (s := self.computed.get(n))]
        observed = math.fsum(x * (s.observed or 0.0) for s, x in parts)
        expected = math.fsum(x * (s.expected or 0.0) for s, x in parts)
        return ratio(observed, expected, "")[0]

    def size(self, document: str) -> float:
        """Return a document's weight in the corpus: x̄, times the weight of the document.

        Parameters
        ----------
        document
            One that is in `computed`.
        """
        x = self.computed[document].alignment.continuum.mean_units
        return x * self.weights.get(document, 1.0)

    @cached_property
    def rated(self) -> Mapping[str, GammaScore]:
        """The documents that have a γ."""
        if isinstance(self.documents, ScoreTable):
            return self.documents.with_gamma  # type: ignore[return-value]
        return {n: s for n, s in self.computed.items() if s.defined}

    def contributions(self, names: Collection[str] | None = None) -> Contributions:
        """Return the terms of γ's ratio by document or cluster, or by unitary alignment.

        Parameters
        ----------
        names
            The documents, in this order; None: those that have a γ.

        Raises
        ------
        DataError
            No document has a γ.
        """
        if names is None:
            chosen = self.rated
        else:
            chosen = {n: self.rated[n] for n in names}
        if len(chosen) == 1:
            ((name, score),) = chosen.items()
            return contributions_within(score, self.weights.get(name, 1.0))
        clusters = [self.clusters.get(n, "") for n in chosen] if self.clusters else ()
        if names is None and isinstance(self.documents, ScoreTable):
            parts = self.documents.parts
            columns = parts.weight, parts.observed, parts.expected
            return contributions_of_documents(
                np.stack([c[~np.isnan(parts.values)] for c in columns], axis=1), clusters
            )
        return contributions_of_documents(
            [(self.size(n), s.observed or 0.0, s.expected or 0.0) for n, s in chosen.items()],
            clusters,
        )

    def bootstrap(self, *, confidence: float = 0.95) -> BootstrapInterval | None:
        """Return the interval over documents, clusters or a text; None if nothing is defined."""
        # Imported here, like the variance components below: most runs ask for γ alone.
        from gammacp.inference.resampling import interval_of_gamma

        try:
            parts = self.contributions()
        except DataError:
            return None
        return interval_of_gamma(
            parts,
            error=self.score.chance_error,
            confidence=confidence,
            units=self._units() if np.count_nonzero(parts.observed > 0) < FEWEST_PARTS else None,
        )

    def _units(self) -> tuple[float, float]:
        """Return the units per annotator, and the disorder if no unit were aligned with another.

        Both are weighted sums over documents.
        """
        sizes = [(self.size(name), score.annotators) for name, score in self.rated.items()]
        return math.fsum(x for x, _ in sizes), math.fsum(x * n for x, n in sizes)

    @cached_property
    def pair_cells(self) -> PairCells:
        """Return the terms of each pair of annotators in both sums, by document and category."""
        from gammacp.inference.pair_costs import pair_cells_of

        return pair_cells_of(self._alignments_and_chance())

    def _alignments_and_chance(self) -> AlignedDocuments:
        """Return the alignment and the expected disorder of each document that has a γ."""
        if isinstance(self.rated, ScoreTable):
            return self.rated.aligned_to
        from gammacp.inference.pair_costs import AlignedDocuments

        return AlignedDocuments.of([(s.alignment, s.expected or 0.0) for s in self.rated.values()])

    @property
    def pair_sums(self) -> PairSums:
        """The terms of `pair_cells` by document and annotator, with the weights of documents."""
        from gammacp.inference.pair_costs import pair_sums_of

        return pair_sums_of(
            self._alignments_and_chance(),
            [self.weights.get(n, 1.0) for n in self.rated] if self.weights else (),
        )

    def components(self, *, categories: bool = True) -> VarianceComponents | None:
        """Return the variance components of pairs' disorder; None where they are inseparable.

        Parameters
        ----------
        categories
            Whether cells are divided by category, if there are several categories.
        """
        from gammacp.measures.explaining.variance_components import estimate_components

        try:
            if categories:
                c = self.pair_cells
            else:
                c = self.pair_cells.without_categories()
            several = len(np.unique(c.category)) > 1
            if several:
                by = c.category
            else:
                by = None
            return estimate_components(c.document, c.pair, c.observed, c.expected, category=by)
        except DataError:
            return None

    def over(
        self, *, confidence: float = 0.95, teams: Mapping[str, str] | None = None
    ) -> PopulationIntervals | None:
        """Return the intervals over documents, annotators and both; None if nothing is defined.

        Parameters
        ----------
        confidence
            In (0, 1).
        teams
            The team of each annotator; None if they are independent of each other.

        Raises
        ------
        DataError
            An annotator has no team, or a document has annotators of two.
        """
        if not self.rated:
            return None
        if self.clusters:
            cluster_names = [self.clusters.get(n) or n for n in self.rated]
        else:
            cluster_names = []
        number = {name: i for i, name in enumerate(dict.fromkeys(cluster_names))}
        if len(self.rated) > 1:
            several = self.bootstrap(confidence=confidence)
        else:
            several = None
        over = intervals_over(
            self.pair_sums,
            None if several is None else several.interval,
            clusters=[number[name] for name in cluster_names] if cluster_names else None,
            teams=None if teams is None else self.numbers_of_teams(teams),
            error=self.score.chance_error,
            confidence=confidence,
        )
        if several is None:
            return over
        return replace(over, documents_reason=several.reason)

    def numbers_of_teams(self, teams: Mapping[str, str]) -> list[int]:
        """Return the number of the team of each annotator, as `pair_sums` numbers them.

        Parameters
        ----------
        teams
            The team of each annotator.

        Raises
        ------
        DataError
            An annotator has no team, or a document has annotators of two.
        """
        instance("teams", teams, Mapping, "the team of each annotator by name")
        for document, score in self.rated.items():
            people = score.alignment.continuum.annotators
            if missing := [a for a in people if a not in teams]:
                raise DataError(f"annotator {missing[0]!r} has no team")
            check_one_team(document, people, teams)
        number = {team: i for i, team in enumerate(dict.fromkeys(teams.values()))}
        people = self._alignments_and_chance().continua.people[0]
        return [number[teams[name]] for name in people]

    def with_over(
        self,
        *,
        confidence: float = 0.95,
        with_parts: bool = False,
        teams: Mapping[str, str] | None = None,
    ) -> Agreement:
        """Add the intervals of the corpus to its score.

        Parameters
        ----------
        confidence
            In (0, 1).
        with_parts
            Whether the interval over the parts of one text was asked for: if it is missing, the
            score then says why.
        teams
            As for `over`; they are in the signature.
        """
        over = self.over(confidence=confidence, teams=teams)
        if over is not None and len(self.rated) == 1:
            # The parts of one text stand for other documents.
            bootstrap_interval = self.score.bootstrap
            missing = with_parts and bootstrap_interval is None
            if missing:
                parts = self.bootstrap(confidence=confidence)
            else:
                parts = None
            if parts is None:
                reason = None
            else:
                reason = parts.reason
            over = replace(over, documents=bootstrap_interval, documents_reason=reason)
        score = replace(self.score, over=over)
        if teams is not None and score.signature:
            team_hash = fingerprint(*(part for entry in sorted(teams.items()) for part in entry))
            score = replace(score, signature=extend(score.signature, teams=team_hash))
        if isinstance(score, CorpusGamma):
            return replace(self, score=score)
        return replace(self, score=score, documents=dict.fromkeys(self.documents, score))

    def with_bootstrap(self, *, confidence: float = 0.95) -> Agreement:
        """Return the same with `bootstrap` intervals of the score and of each document's score."""
        documents = {}
        for name, score in self.documents.items():
            document_agreement = Agreement(score=score, documents={name: score}, chance=self.chance)
            interval = document_agreement.bootstrap(confidence=confidence)
            documents[name] = _with_interval(score, interval)
        if not isinstance(self.score, CorpusGamma):
            score = next(iter(documents.values()), self.score)
            return replace(self, score=score, documents=documents)
        corpus_score = replace(self.score, scores=documents)
        interval = self.bootstrap(confidence=confidence)
        return replace(self, score=_with_interval(corpus_score, interval), documents=documents)

    def pair_rows(self) -> PairRows:
        """Return the cost of every pair of annotators in every unitary alignment, a row each."""
        from gammacp.measures.explaining.pair_rows import pair_rows

        scores = self.computed.items()
        return pair_rows(
            {n: s.alignment for n, s in scores},
            {n: s.expected for n, s in scores},
            clusters=self.clusters,
            weights=self.weights,
        )

    def to_frame(self) -> DataFrame:
        """Return the rows of `pair_rows` as a pandas data frame, for models of one's own."""
        return self.pair_rows().to_frame()

    def results(self, *, marked: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the JSON of each document.

        Parameters
        ----------
        marked
            Whether to leave out documents in which nobody marked anything, if the score of the
            corpus names them.
        """
        empty: frozenset[str] = frozenset()
        if marked and isinstance(self.score, CorpusGamma) and self.score.marked:
            empty = frozenset(self.score.marked.unmarked)
        return (
            {"file": name, **score.as_dict()}
            for name, score in self.documents.items()
            if name not in empty
        )

    @property
    def corpus(self) -> dict[str, Any] | None:
        """Return the JSON of the corpus; None for a single continuum."""
        several = isinstance(self.score, CorpusGamma)
        if several:
            return {"file": None, **self.score.as_dict()}
        return None

    def as_dict(self) -> dict[str, Any]:
        """`results`, one per document, and `corpus`, None for a single continuum."""
        return {"results": list(self.results()), "corpus": self.corpus}


def _with_interval(score: Gamma, bootstrap: BootstrapInterval | None) -> Gamma:
    """Return the score with its interval, and how that was made; an undefined one has none."""
    if bootstrap is None or not score.signature:
        return score
    line = extend(score.signature, interval=bootstrap.method)
    return replace(score, bootstrap=bootstrap.interval, signature=line)


def contributions_within(score: GammaScore, weight: float = 1.0) -> Contributions:
    """Return the terms of γ's ratio of one document, by unitary alignment.

    Parameters
    ----------
    score
        γ of the document.
    weight
        Factor of all terms: the weight of the document. Tests that assume equal variances need 1.
    """
    alignment = score.alignment
    contributions = contributions_of_alignment(
        alignment.groups, alignment.disorders, alignment.continuum.starts, score.expected or 0.0
    )
    return Contributions(
        weight * contributions.observed, weight * contributions.expected, contributions.kind
    )


@spelled_out_with_computing
def agreement(
    continua: Continua | Basis, *, bootstrap: int = 0, **options: Unpack[FamilyOptions]
) -> Agreement:
    """γ of one continuum, or of several and of the corpus that they are.

    Data that have no γ (one annotator, no unit) are undefined scores with the reason, so that the
    others go on.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name. Several are measured as a corpus
        (`gamma_corpus`), and so is a `Corpus` of one. Or the basis that they share with other
        numbers, which has its options.
    bootstrap
        Any number but 0 adds an interval: over the documents or clusters of a corpus, or over the
        unitary alignments of a text that has enough of them. Nothing is drawn for it.
    options
        Options of `FamilyOptions`, as for `gamma`.

    Raises
    ------
    UsageError
        Unknown option, or a value outside its range.
    """
    draws = whole("bootstrap", bootstrap, 0)
    if isinstance(continua, Basis):
        basis = continua
    else:
        settings, how = Settings.and_computing(options)
        basis = Basis(continua, settings, **how)
    names = basis.named
    chance = basis.settings.chance
    # Documents of a table have neither cluster nor weight.
    several = zip(names, basis.continua.structured, strict=False)
    clusters: dict[str, str] = {}
    weights: dict[str, float] = {}
    for name, c in several:
        if c.cluster:
            clusters |= {name: c.cluster}
        else:
            clusters |= {}
        if c.weight != 1.0:
            weights |= {name: c.weight}
        else:
            weights |= {}
    try:
        if not names:
            raise DataError("no document has both annotators")
        if isinstance(basis.source, Corpus):
            corpus = gamma_on(basis.source, basis)
            pooled = Agreement(corpus, corpus.scores, chance, clusters, weights)
        else:
            require(basis.source, fragments=True)
            aligned = basis.align_all(basis.continua).document(0)
            one = score_on(aligned, basis.chance(basis.source), basis)
            pooled = Agreement(one, dict.fromkeys(names, one), chance, clusters, weights)
    except DataError as error:
        score = Gamma(value=math.nan, reason=str(error))
        pooled = Agreement(score, dict.fromkeys(names, score), chance, clusters)
    if not draws:
        return pooled
    return pooled.with_bootstrap(confidence=basis.settings.rule.confidence)
