"""γ (Mathet, Widlöcher & Métivier 2015, eq. 8) and soft γ.

γ = 1 − δ(s)/δ_e: the disorder of the best alignment against its expectation over random
annotation sets. 1 is perfect, 0 what chance gives; it can be negative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gammacp.alignment import Alignment, Status, best_disorder
from gammacp.alignment.aligned import AlignedDocument
from gammacp.base.arguments import instance
from gammacp.base.arrays import Floats, Indices
from gammacp.base.record_tables import record_of
from gammacp.base.text import sentence
from gammacp.chance.beyond import ratio, ratio_interval, ratios
from gammacp.chance.direction import Direction, direction
from gammacp.chance.expected import ExpectedDisorder
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import require
from gammacp.dissimilarity.base import bind
from gammacp.errors import DataError
from gammacp.inference.populations import PopulationIntervals
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.gamma_notes import few_units, not_shown, notes_on
from gammacp.measures.random_sets import Basis, Chance
from gammacp.measures.registry import registered
from gammacp.measures.score import ChanceBaseline, Score
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

if TYPE_CHECKING:
    from gammacp.chance.common_gaps import CommonGaps

_UNPROVEN = (
    "some alignments are not proven to be the best; the interval includes what they leave open"
)
# Least number of units of all annotators with which common gaps can be recognised.
FEWEST_UNITS_OF_GAPS = 20
# Difference in γ above which γ against chance with the same tilt is reported.
_TOLD_OF_TILT = 0.05
_NEEDED = "a Continuum (read makes one of a file, Continuum.from_frame of a data frame) or a Corpus"
NOTHING_EXPECTED = "the expected disorder is 0: random annotation sets agree perfectly"


@dataclass(frozen=True, kw_only=True)
class Gamma(Score):
    """γ of one continuum or of several, with what it rests on; NaN with a reason where undefined.

    Attributes
    ----------
    observed, expected
        δ(s) and δ_e.
    interval
        Monte-Carlo interval of δ_e carried over to γ (asymmetric), widened by what unproven
        alignments leave open.
    bound
        Proven lower bound of δ(s); equal to `observed` when optimal.
    annotators, units
        Counts; None where nothing was aligned.
    precision
        Relative error of δ_e that the samples gave; None for a corpus, as `p` is.
    chance_error
        Relative standard error of δ_e.
    direction
        Whether units lie towards one end of the text, which chance does not expect; None of
        documents of a corpus, and where there are too few units.
    over
        Intervals by whose population they are about; None where they were not asked for.
    with_tilt
        γ against random annotations that lie towards the same end; None where units lie towards
        none.
    gaps
        Stretches that nobody marks, and γ if nothing could be marked there; None without any.
    """

    precision: float | None = None
    chance_error: float = 0.0
    bound: float | None = None
    annotators: int | None = None
    units: int | None = None
    direction: Direction | None = None
    over: PopulationIntervals | None = None
    with_tilt: float | None = None
    gaps: CommonGaps | None = None

    def in_words(self) -> list[str]:
        """Describe the score beside γ, a sentence each."""
        return []

    def caveats(self) -> tuple[str, ...]:
        """Caveats of γ: its notes, and alignments that are not proven."""
        unproven = self.defined and self.status is Status.FEASIBLE
        return (*self.notes, *((_UNPROVEN,) if unproven else ()))

    def remarks(self) -> list[str]:
        """All that has to be read with γ, a sentence each: `in_words`, caveats, the proof."""
        proven = self.defined and self.status is Status.OPTIMAL
        if proven:
            proof = ["Every alignment is proven to be the best one."]
        else:
            proof = []
        return [*self.in_words(), *map(sentence, self.caveats()), *proof]

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of every score, and γ's own."""
        return {
            "gamma": self.value,
            "observed_disorder": self.observed,
            "expected_disorder": self.expected,
            **record_of(self, "samples precision bound annotators units p least_p direction over"),
            **({} if self.with_tilt is None else {"gamma_with_tilt": self.with_tilt}),
            **({} if self.gaps is None else self.gaps.as_dict()),
            **super().as_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class GammaScore(Gamma):
    """γ of one continuum.

    Attributes
    ----------
    document
        The observed units with their best alignment.
    """

    status: Status
    bound: float
    annotators: int
    units: int
    document: AlignedDocument

    @property
    def alignment(self) -> Alignment:
        """The best alignment of the observed units."""
        return self.document.alignment

    def in_words(self) -> list[str]:
        """Describe the grid on which chance turns, where all boundaries lie on one."""
        if "(grid=" not in self.chance:
            return []
        grid = self.chance.partition("(grid=")[2].partition(")")[0]
        return [
            f"Chance turns each annotator's units by whole {grid}: all {2 * self.units} boundaries "
            "lie on them. Other shared habits (never a comma, only nouns) are agreement."
        ]

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("gamma", self)


def disorder_numbers(
    observed: Floats, expected: Floats, annotators: Indices, delta: float
) -> Numbers:
    """Return what γ of documents is made of, by name; in sums it is weighted by x̄.

    `units` is 1 for each document. `most` is δ if no unit is aligned with another: n·Δ.

    Parameters
    ----------
    observed, expected
        δ and δ_e of each document.
    annotators
        Number of annotators of each continuum.
    delta
        Δ, the cost of a pair with an empty unit.
    """
    most: Floats = annotators.astype(np.float64) * delta
    return {
        "observed": observed,
        "expected": expected,
        "units": np.ones_like(observed),
        "most": most,
    }


def disorder_rates(numbers: Numbers) -> Rates:
    """Return γ = 1 − δ / δ_e, and of sums 1 − Σ x̄·δ / Σ x̄·δ_e.

    Parameters
    ----------
    numbers
        Numbers of `disorder_numbers`, or sums of these, weighted by x̄; `units` are then the sum of
        x̄, and `most` is the disorder of units that are all alone.
    """
    most = numbers["most"]
    return Rates(
        value=ratios(numbers["observed"], numbers["expected"]),
        disagreement=share(numbers["observed"], most),
        size=numbers["units"],
        expected=share(numbers["expected"], most),
    )


def count_disorder(continuum: Continuum, **options: Any) -> Counts:
    """Count the disorder of the best alignment and of random sets.

    Parameters
    ----------
    continuum, options
        As for `gamma`.

    Raises
    ------
    DataError
        The random sets are too few.
    """
    return _counts_of_score(_gamma(continuum, options))


def count_soft_disorder(continuum: Continuum, **options: Any) -> Counts:
    """Count disorder as `count_disorder` does, of alignments in which units may be repeated.

    Parameters
    ----------
    continuum, options
        As for `soft_gamma`.
    """
    return _counts_of_score(_gamma(continuum, {**options, "cover": True}))


def observe_disorder(continuum: Continuum, *, cover: bool = False, **options: Any) -> Counts:
    """Count the disorder of the best alignment alone; what is expected is unknown.

    Parameters
    ----------
    continuum, options
        As for `gamma`.
    cover
        Whether units may be repeated, as in soft γ.
    """
    settings = Settings.of(cover=cover, **options)
    measured = bind(settings.dissimilarity, continuum)
    best = best_disorder(continuum, measured, **settings.solving)
    numbers = disorder_numbers(
        np.array([best.disorder]),
        np.array([math.nan]),
        np.array([continuum.n_annotators]),
        measured.delta,
    )
    return Counts(((),), numbers, weight=continuum.mean_units)


def _counts_of_score(score: Score) -> Counts:
    if score.counts is None:
        raise DataError("interrupted after too few random annotation sets for δ_e")
    return score.counts


def _of_corpus(corpus: Corpus, **options: Any) -> Score:
    from gammacp.measures.gamma_corpus import gamma_corpus

    return gamma_corpus(corpus, **options)


def _soft_of_corpus(corpus: Corpus, **options: Any) -> Score:
    from gammacp.measures.gamma_corpus import gamma_of_family

    return gamma_of_family(corpus, {**options, "cover": True})


def _remark_few_units(continuum: Continuum) -> tuple[str, ...]:
    """Note few units of a document among others; many such documents together say much."""
    return few_units(continuum)


@registered(
    "gamma",
    "positions and categories on the best alignment, against chance",
    "Mathet, Widlöcher & Métivier 2015, eq. 8",
    fragments="whole",
    counting=Counting(
        count=count_disorder,
        rates=disorder_rates,
        pooling="all",
        nothing=NOTHING_EXPECTED,
        together=_of_corpus,
        observe=observe_disorder,
        remarks=_remark_few_units,
    ),
)
@spelled_out_with_computing
def gamma(continuum: Any, **options: Unpack[FamilyOptions]) -> Any:
    """γ of one continuum, or of a corpus.

    Parameters
    ----------
    continuum
        At least two annotators and one unit; or a corpus, which has what `gamma_corpus` returns.
    options
        Options under Other Parameters. The same seed gives the same γ after moving, scaling,
        renaming and reordering.

    Raises
    ------
    DataError
        One annotator, no unit, or labels the dissimilarity cannot compare.
    UsageError
        Unknown option, or a value outside its range.

    Identical annotators give exactly 1 where δ_e > 0, whatever the chance model; where random
    sets agree perfectly too (δ_e = 0: one unit each that fills the continuum, say) γ is undefined.
    """
    if isinstance(continuum, Corpus):
        return _of_corpus(continuum, **options)
    return _gamma(continuum, options)


@registered(
    "soft-gamma",
    "γ where a unit may be aligned more than once (for annotators who split)",
    "after Mathet, Widlöcher & Métivier 2015, eq. 8",
    fragments="whole",
    counting=Counting(
        count=count_soft_disorder,
        rates=disorder_rates,
        pooling="all",
        nothing=NOTHING_EXPECTED,
        together=_soft_of_corpus,
        observe=partial(observe_disorder, cover=True),
        remarks=_remark_few_units,
    ),
)
@spelled_out_with_computing
def soft_gamma(continuum: Any, *, reuse: float = 0.0, **options: Unpack[FamilyOptions]) -> Any:
    """Soft γ: a unit may be in several unitary alignments, for annotators who split units.

    The alignment is a cover instead of a partition (Σ X ≥ 1 for each unit), for observed and
    random sets alike; x̄ stays the same. Arguments and errors as for `gamma`; options are those
    of `FamilyOptions`.

    Parameters
    ----------
    continuum
        As for `gamma`.
    reuse
        Price of using a unit once more, in [0, 1], as a share of (n − 1)·Δ, what an annotator's
        missing unit costs. 0 is soft γ, which forgives splits; 1 is γ.
    """
    if isinstance(continuum, Corpus):
        return _soft_of_corpus(continuum, reuse=reuse, **options)
    return _gamma(continuum, {**options, "cover": True, "reuse": reuse})


def _gamma(continuum: Continuum, options: Mapping[str, Any]) -> GammaScore:
    settings, how = Settings.and_computing(options)
    instance("continuum", continuum, Continuum, _NEEDED)
    require(continuum, fragments=True)
    basis = Basis(continuum, settings, **how)
    return score_on(basis.align_all(basis.continua).document(0), basis.chance(continuum), basis)


def score_on(
    document: AlignedDocument, chance: Chance, basis: Basis, *, continua: int | None = None
) -> GammaScore:
    """γ of a document.

    Parameters
    ----------
    document
        One of the continua of the basis, aligned. Reading its `continuum` or `alignment` makes
        these objects, which takes longer than everything else here.
    chance
        The expected disorder.
    basis
        Alignments and random sets that both values rest on.
    continua
        Number of continua of a corpus that it was measured with.
    """
    expected = chance.expected
    alone = continua is None
    observed = document.disorder
    proven = document.optimal and expected.proven and expected.complete
    notes = _notes(document, chance, basis, alone=alone)
    towards = None
    if alone and not basis.is_selection:
        towards = direction([document.continuum], basis.settings.seed)
    if towards:
        notes += towards.notes
    counts = None
    p = None
    value = math.nan
    interval = None
    if expected.enough:
        counts = _counts_of(document, expected, basis.dissimilarity.delta)
        p = expected.p_value(observed)
        value = float(disorder_rates(counts.numbers).value[0])
    reason = _why_undefined(value, expected)
    if reason is None:
        interval = ratio_interval(document.bound, observed, *expected.interval)
        if alone:
            notes += not_shown(p, expected.samples)
            notes += _caution(document.continuum, value, p, basis)
    score = GammaScore(
        value=value,
        counts=counts,
        interval=interval,
        reason=reason,
        observed=observed,
        expected=expected.mean if expected.enough else None,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        bound=document.bound,
        annotators=document.n_annotators,
        units=document.n_units,
        baseline=ChanceBaseline(
            model=chance.model,
            samples=expected.samples,
            p=p,
            least_p=None if p is None else 1 / (1 + expected.samples),
        ),
        precision=expected.precision if expected.enough else None,
        chance_error=expected.relative_error if expected.enough else 0.0,
        notes=notes,
        direction=towards,
        document=document,
        signature=_signature(document, chance, basis, continua),
    )
    if basis.is_selection or not alone or not score.defined or basis.model.name != "cut":
        return score
    return _with_gaps(_with_tilt(score, basis), basis)


def _with_tilt(score: GammaScore, basis: Basis) -> GammaScore:
    """Add to γ of a text its value against random annotations that lie towards the same end."""
    towards = score.direction
    continuum = score.document.continuum
    if towards is None or not towards.shown or continuum.markable:
        return score
    expected = basis.like(continuum, chance="tilted").chance(continuum).expected
    value, reason = ratio(score.document.disorder, expected.mean, NOTHING_EXPECTED)
    if reason is not None or not expected.enough:
        return score
    notes = score.notes
    if abs(score.value - value) > _TOLD_OF_TILT:
        notes += (
            f"random annotations that lie towards the {towards.towards}, too, give γ = "
            f"{value:.2f} instead of {score.value:.2f}",
        )
    return replace(score, with_tilt=value, notes=notes)


def _with_gaps(score: GammaScore, basis: Basis) -> GammaScore:
    """Add to γ of a text what it would be if nothing could be marked in common gaps."""
    continuum = score.document.continuum
    if score.units < FEWEST_UNITS_OF_GAPS:
        return score
    # Imported only here, because few texts need it.
    from gammacp.chance.common_gaps import CommonGaps, common_gaps, without_gaps

    gaps = common_gaps(continuum)
    if not gaps:
        return score
    marked = without_gaps(continuum, gaps)
    expected = basis.like(marked, chance="cut").chance(marked).expected
    value, reason = ratio(score.document.disorder, expected.mean, NOTHING_EXPECTED)
    if reason is not None or not expected.enough:
        return score
    p = expected.p_value(score.document.disorder)
    gaps_and_p = CommonGaps({continuum.name: gaps}, value, p, score.value, score.p)
    return replace(score, gaps=gaps_and_p, notes=(*score.notes, *gaps_and_p.notes))


def _notes(
    document: AlignedDocument, chance: Chance, basis: Basis, *, alone: bool
) -> tuple[str, ...]:
    """Return the notes on how chance was drawn, few units, and pauses."""
    notes = basis.once(("notes", chance), lambda: notes_on(chance.expected, basis.settings))
    if alone:
        notes += few_units(document.continuum)
    if not basis.continua.plain and document.continuum.markable:
        # Imported here: most continua have no pauses.
        from gammacp.continuum.markable import pauses_in_words

        notes += pauses_in_words(document.continuum)
    return notes


def _caution(continuum: Continuum, value: float, p: float | None, basis: Basis) -> tuple[str, ...]:
    """Return a note on a small γ of a recording with declared stretches."""
    if basis.continua.plain or not continuum.markable:
        return ()
    # Imported here: most continua have no pauses.
    from gammacp.continuum.markable import small_value_in_words

    return small_value_in_words(value, p)


def _why_undefined(value: float, expected: ExpectedDisorder) -> str | None:
    """Return why γ is undefined; None if it is not."""
    if not expected.enough:
        return f"interrupted after {expected.samples} random annotation sets, too few for δ_e"
    if math.isnan(value):
        return NOTHING_EXPECTED
    return None


def _signature(
    document: AlignedDocument, chance: Chance, basis: Basis, continua: int | None
) -> str:
    """Return the signature of a document's γ, which documents of one method share."""
    return basis.once(
        ("signature", chance, document.method, document.selection, continua),
        lambda: basis.signature(
            "soft-gamma" if basis.settings.cover else "gamma",
            chance,
            method=document.method,
            selection=document.selection,
            continua=continua,
        ),
    )


def _counts_of(document: AlignedDocument, expected: ExpectedDisorder, delta: float) -> Counts:
    """Return δ and δ_e as counts, which add up over documents when weighted by x̄."""
    numbers = disorder_numbers(
        np.array([document.disorder]),
        np.array([expected.mean]),
        np.array([document.n_annotators]),
        delta,
    )
    return Counts(((),), numbers, weight=document.n_units / document.n_annotators)
