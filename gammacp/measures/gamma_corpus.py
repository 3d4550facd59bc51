"""γ of a corpus (Mathet, Widlöcher & Métivier 2015, eq. 8 with c the whole corpus).

Each continuum s has its own γ(s) = 1 − δ(s)/δ_e(c), with the expected disorder of the whole
corpus for its number of annotators. One value for the corpus is a choice: 1 − Σ x̄_s δ(s) /
Σ x̄_s δ_e(s), beside the plain mean of the γ(s). In a stratified sample x̄_s is multiplied by the
document's weight (`Continuum.weight`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gammacp.alignment.aligned import MergedAlignments
from gammacp.base.arguments import instance
from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.record_tables import record_of
from gammacp.chance.beyond import BeyondChance
from gammacp.chance.expected import ExpectedDisorder
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.anonymous import unnamed_readers
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.needs import require
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.errors import DataError
from gammacp.measures.counting import Numbers
from gammacp.measures.gamma import Gamma, disorder_numbers, disorder_rates, score_on
from gammacp.measures.random_sets import Basis, Chance
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

if TYPE_CHECKING:
    from gammacp.inference.pair_costs import AlignedDocuments
    from gammacp.measures.marked import Marked
    from gammacp.measures.pooling import PooledCounts, PooledRates

# Number of scores that are kept after they were made.
_KEPT = 2000
_NOT_REACHED = "interrupted before it was aligned"


@dataclass(frozen=True, kw_only=True)
class CorpusGamma(Gamma):
    """γ of a corpus.

    Attributes
    ----------
    value, mean
        Weighted by units (see the module), and the mean of the continua's γ; both also by the
        continua's weights, if they have any.
    observed, expected, bound
        Means of the continua's, weighted by x̄.
    scores
        Per continuum; an undefined `Gamma` where γ could not be computed.
    continua
        Number of continua that have a γ.
    annotators, units, samples
        Number of different annotators and of units in those continua, and of all random sets that
        were drawn.
    within, between
        Factors of γ (`gammacp.measures.within`); None if there is no γ, and of a selection of
        annotators.
    marked
        Agreement on which continua hold anything; None of a selection of annotators.
    pooled
        The rates of all continua together, and the value without each; None if there is no γ.
    """

    mean: float
    scores: Mapping[str, Gamma]
    continua: int
    within: BeyondChance | None = None
    between: BeyondChance | None = None
    marked: Marked | None = None
    pooled: PooledRates | None = None

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("corpus_gamma", self)

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of every γ, and `continua`, `mean`, `within`, `between` and `marked`."""
        return super().as_dict() | record_of(self, "continua mean within between marked")

    def in_words(self) -> list[str]:
        """Describe the corpus beside γ, a sentence each."""
        # Imported here: a single text has no such factors.
        from gammacp.measures.within import TOO_SHORT, WEIGHTED, p_in_words

        if self.marked:
            sentences = [self.marked.in_words()]
        else:
            sentences = []
        if self.p is not None:
            sentences.append(f"Agreement above 0: {p_in_words(self.p, self.least_p)} (one-sided).")
        within = self.within
        between = self.between
        if within and between and within.interval and between.interval:
            sentences.append(
                f"γ combines agreement on units within documents, {_with_interval(within)}, with "
                "agreement on how much each document contains, and which labels, "
                f"{_with_interval(between)}: 1 − γ = (1 − within)(1 − between)."
            )
        elif within and within.reason and within.reason.startswith((TOO_SHORT, WEIGHTED)):
            sentences.append(
                f"γ cannot be split into within and between documents here: {within.reason}."
            )
        return [sentence for sentence in sentences if sentence]


def _with_interval(part: BeyondChance) -> str:
    from gammacp.measures.within import p_in_words

    low, high = part.interval or (math.nan, math.nan)
    p = p_in_words(part.p, part.least_p)
    return f"{part.value:.4f} ({low:.4f} to {high:.4f}{f'; {p}' * bool(p)})"


@spelled_out_with_computing
def gamma_corpus(corpus: Corpus, **options: Unpack[FamilyOptions]) -> CorpusGamma:
    """γ of every continuum of a corpus, and of the corpus.

    Parameters
    ----------
    corpus
        Continua without a γ (one annotator, no unit) are undefined scores in it.
    options
        Options of `FamilyOptions`, as for `gamma`. The default chance model is `documents` (after
        §5.2.2) where there are at least as many continua as annotators, and otherwise `cut` of each
        continuum by itself (the signature says which).

    Raises
    ------
    DataError
        Labels the dissimilarity cannot compare.
    UsageError
        Unknown option, or a value outside its range.
    """
    return gamma_of_family(corpus, options)


def gamma_of_family(corpus: Corpus, options: Mapping[str, Any]) -> CorpusGamma:
    """γ of a corpus, or soft γ.

    Parameters
    ----------
    corpus
        As for `gamma_corpus`.
    options
        Options of `gamma`, and `cover`: whether units may be repeated in an alignment.
    """
    instance("corpus", corpus, Corpus, "a Corpus (of one continuum: gamma)")
    settings, how = Settings.and_computing(options)
    return gamma_on(corpus, Basis(corpus, settings, **how))


def gamma_on(corpus: Corpus, basis: Basis) -> CorpusGamma:
    """γ of a corpus on its basis."""
    scores = ScoreTable.of(basis)
    if basis.is_selection:
        marking = None
    else:
        # Imported here: a single text has none.
        from gammacp.measures.marked import alpha_of_marking

        marking = alpha_of_marking(corpus)
    # Imported here: a single text is not pooled.
    from gammacp.measures.pooled_gamma import pool_scores

    return replace(pool_scores(scores, basis), marked=marking)


def _reason(continuum: Continuum) -> str | None:
    """Return the reason why a continuum has no γ, or None."""
    try:
        require(continuum, fragments=True)
    except DataError as error:
        return str(error)
    return None


@dataclass(frozen=True, eq=False)
class ScoreTable(Mapping[str, Gamma]):
    """The scores of a corpus' continua by name; a score is made when it is looked up.

    Attributes
    ----------
    names
        Names of all continua of the corpus, in order.
    document_numbers
        Numbers of the continua that are in this table, ascending.
    basis
        Alignments and random sets that the scores rest on.
    reasons
        Why there is no score, by number of the continuum.
    aligned, alignments
        Numbers of the continua that have an alignment, ascending, and the alignments.
    chances, which
        The different expected disorders, and the index of the one that belongs to each alignment.
    stands_for
        Weight of each continuum of the corpus (`Continuum.weight`).
    """

    names: Sequence[str]
    document_numbers: Indices
    basis: Basis
    reasons: Mapping[int, str]
    aligned: Indices
    alignments: MergedAlignments
    chances: Sequence[Chance | DataError]
    which: Indices
    stands_for: Floats
    _made: dict[int, Gamma] = field(default_factory=dict)

    @classmethod
    def of(cls, basis: Basis) -> ScoreTable:
        """Score all continua of a basis.

        All are aligned before random sets are drawn. So after an interruption, each continuum that
        was aligned can still have a γ.

        Parameters
        ----------
        basis
            Alignments and random sets of a corpus.
        """
        continua = basis.continua
        doubtful = (continua.n_annotators < 2) | (continua.n_units == 0)
        stands_for = np.ones(len(continua))
        if continua.structured:
            doubtful |= [unnamed_readers(c) > 0 for c in continua.structured]
            stands_for = np.array([c.weight for c in continua.structured])
        reasons = {i: str(_reason(continua[i])) for i in np.flatnonzero(doubtful).tolist()}
        sound = np.flatnonzero(~doubtful)
        alignments = basis.align_all(continua.at(sound))
        reasons |= dict.fromkeys(sound[len(alignments) :].tolist(), _NOT_REACHED)
        aligned = sound[: len(alignments)]
        chances, which = basis.chances(aligned)
        names: Sequence[str]
        if isinstance(named := basis.named, DocumentTable):
            names = named.names
        else:
            names = tuple(named)
        about = (reasons, aligned, alignments, chances, which, stands_for)
        return cls(names, np.arange(len(continua)), basis, *about)

    @cached_property
    def number_by_name(self) -> Mapping[str, int]:
        """Number of each continuum of the corpus by its name."""
        if isinstance(self.basis.named, DocumentTable):
            return self.basis.named.number_by_name
        return {name: number for number, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Gamma:
        """Return the score of that continuum; undefined with a reason where there is none."""
        number = self.number_by_name[name]
        here = int(self.document_numbers.searchsorted(number))
        if here == len(self.document_numbers) or self.document_numbers[here] != number:
            raise KeyError(name)
        score = self._made.get(number)
        if score is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            score = self._made[number] = self._make(number)
        return score

    def _make(self, number: int) -> Gamma:
        if number in self.reasons:
            return Gamma(value=math.nan, reason=self.reasons[number])
        row = int(self.aligned.searchsorted(number))
        chance = self.chances[self.which[row]]
        if isinstance(chance, DataError):
            return Gamma(value=math.nan, reason=str(chance))
        number = len(self.names)
        return score_on(self.alignments.document(row), chance, self.basis, continua=number)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, in order."""
        return map(self.names.__getitem__, self.document_numbers.tolist())

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.document_numbers)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the scores as they are now."""
        return dict, (dict(self),)

    def only(self, numbers: Indices) -> ScoreTable:
        """Return the table of some of its continua.

        Parameters
        ----------
        numbers
            Their numbers, ascending.
        """
        same = len(numbers) == len(self.document_numbers)
        if same:
            return self
        return replace(self, document_numbers=numbers)

    @property
    def with_chance(self) -> ScoreTable:
        """Return the continua that have an alignment and for which chance can be modelled."""
        return self.only(self.aligned[self._of_chances(lambda _: True)])

    @property
    def with_gamma(self) -> ScoreTable:
        """Return the continua that have a γ."""
        return self.only(self.aligned[self._of_chances(_usable)])

    @property
    def aligned_to(self) -> AlignedDocuments:
        """The alignments of this table, each with its expected disorder."""
        from gammacp.inference.pair_costs import AlignedDocuments

        rows = np.searchsorted(self.aligned, self.document_numbers)
        mean = [
            math.nan if isinstance(c, DataError) or not c.expected.enough else c.expected.mean
            for c in self.chances
        ]
        return AlignedDocuments(
            self.basis.continua.at(self.document_numbers),
            lambda some: self.alignments.columns(rows[some]),
            np.array([*mean, math.nan])[self.which[rows]],
            self.basis.dissimilarity,
        )

    @cached_property
    def parts(self) -> DisorderColumns:
        """Return the terms of γ's ratio: the continua whose δ_e is known."""
        some = self._of_chances(lambda e: e.enough)
        numbers = self.aligned[some]
        which = self.which[some]
        order = list(dict.fromkeys(which.tolist()))
        number = np.zeros(len(self.chances), np.int64)
        number[order] = np.arange(len(order))
        chances = [c for k in order if not isinstance(c := self.chances[k], DataError)]
        return DisorderColumns(
            names=self.names,
            document_numbers=numbers,
            continua=self.basis.continua.at(numbers),
            stands_for=_all_or_some(self.stands_for, numbers),
            observed=self.alignments.column("disorders")[some],
            bound=self.alignments.column("bounds")[some],
            chances=chances,
            which=number[which],
            delta=self.basis.dissimilarity.delta,
        )

    def _of_chances(self, test: Callable[[ExpectedDisorder], bool]) -> Bools:
        """Return for each alignment whether its expected disorder passes a test."""
        held = [not isinstance(c, DataError) and test(c.expected) for c in self.chances]
        return np.array([*held, False])[self.which]

    @property
    def complete(self) -> bool:
        """Return whether all alignments are proven, and none is missing."""
        some = self._of_chances(lambda _: True)
        proven = self._of_chances(lambda e: e.proven and e.complete)
        each = (self.alignments.column("optimal") > 0) & proven
        return (
            bool(some.any())
            and bool(each[some].all())
            and _NOT_REACHED not in self.reasons.values()
        )


def _all_or_some(values: Floats, numbers: Indices) -> Floats:
    """Return some of the values, without a copy if these are all; `numbers` ascend."""
    if len(numbers) == len(values):
        return values
    return values[numbers]


def _usable(expected: ExpectedDisorder) -> bool:
    """Return whether γ is defined against this expected disorder."""
    return expected.enough and expected.mean > 0


@dataclass(frozen=True, eq=False)
class DisorderColumns:
    """The continua whose observed and expected disorders are both known, as columns.

    Attributes
    ----------
    names, document_numbers
        Names of all continua of the corpus, and the indices of these continua among them.
    continua
        The continua, one per row.
    stands_for
        Weight of each continuum; 1 if documents are not weighted.
    observed, bound
        δ of each continuum, and its lower bound.
    chances, which
        The different expected disorders, ordered by the first continuum of each, and the index of
        the one that belongs to each continuum.
    delta
        Δ, the cost of a pair with an empty unit.
    """

    names: Sequence[str]
    document_numbers: Indices
    continua: ContinuumSequence
    stands_for: Floats
    observed: Floats
    bound: Floats
    chances: Sequence[Chance]
    which: Indices
    delta: float

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.document_numbers)

    @cached_property
    def mean_units(self) -> Floats:
        """x̄ of each continuum, the mean number of units of its annotators."""
        return self.continua.mean_units

    @cached_property
    def weight(self) -> Floats:
        """Weight of each continuum in sums: x̄ times `stands_for`."""
        return self.mean_units * self.stands_for

    @cached_property
    def expected(self) -> Floats:
        """δ_e of each continuum."""
        return np.array([c.expected.mean for c in self.chances] or [0.0])[self.which]

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers from which γ of each continuum is computed, unweighted."""
        people = self.continua.n_annotators
        return disorder_numbers(self.observed, self.expected, people, self.delta)

    @property
    def values(self) -> Floats:
        """γ of each continuum; NaN where the expected disorder is 0."""
        return disorder_rates(self.numbers).value

    def pool(self, expected: float) -> PooledCounts:
        """Return the weighted numbers of all continua, ready to be summed.

        Parameters
        ----------
        expected
            The weighted sum of the expected disorders, computed beforehand because documents may
            share one.
        """
        # Not loaded for a single document.
        from gammacp.measures.pooling import PooledCounts

        rows = {name: self.weight * x for name, x in self.numbers.items()}
        alike = np.zeros(len(self), np.int64)
        shared_numbers = {"expected": np.array([expected])}
        return PooledCounts(rows, np.arange(len(self)), alike, len(self), shared_numbers)
