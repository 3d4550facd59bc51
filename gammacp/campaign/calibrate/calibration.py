"""Calibrate γ: find the amounts of errors that would give the same γ on similar continua.

A reference model is learnt from the annotations (numbers of units, lengths, gaps, categories). With
it, the Corpus Shuffling Tool (Mathet, Widlöcher & Métivier 2015, §6.3.1) simulates annotators who
make only one kind of error, with increasing magnitude. The resulting curve of γ against the
magnitude is inverted at the measured γ. The idea goes back to figures 2 and 3 of Mathet &
Widlöcher (2011). Real annotators make several kinds of errors at once, so each amount is a
yardstick, not a diagnosis.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from statistics import NormalDist, multimode
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gammacp.base.arguments import MOST_DRAWS, several, whole
from gammacp.base.arrays import Floats
from gammacp.base.lazy import Plotted
from gammacp.base.record_tables import record_of, share
from gammacp.base.signature import extend, quote_part
from gammacp.campaign.calibrate.curves import Curve, Magnitude, magnitude_at
from gammacp.campaign.calibrate.meaning import amount, least_amount, phrase
from gammacp.campaign.calibrate.sweep import REPLICATES, CalibrationCell, Progress, trace
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import too_few_annotators
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import agreement
from gammacp.measures.gamma import Gamma
from gammacp.measures.random_sets import Basis, Continua, named_continua
from gammacp.measures.settings import GammaOptions, Settings, spelled_out
from shuffling import ReferenceModel, parse_errors
from shuffling.indirect_inference import IndirectInference

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture

ERROR_TYPES = ("position", "category", "false-negative", "false-positive", "split")
SETS = 10
_NONE = 0.005  # smaller shares are displayed as 0 %
MISFIT = 0.1
"""Misfit above which a note says that simulated annotations are unlike the user's."""


@dataclass(frozen=True, kw_only=True)
class ErrorEquivalent:
    """Amount of one kind of error that gives the measured γ.

    Attributes
    ----------
    error
        Error type of the Corpus Shuffling Tool.
    curve
        γ against the magnitude of the error, as far as it was computed.
    magnitude
        Magnitude at which the curve reaches the measured γ; None if there is no curve.
    amount, low, high
        The magnitude and its interval, expressed as the share that `words` mentions; ∞ if the curve
        does not reach the measured γ.
    words
        Clause to follow "as if"; empty if not even a lower bound of the amount is known.
    misfit
        Distance of the simulated annotations from the user's at this magnitude: the largest of the
        differences in numbers of units, lengths, spread of lengths, and shares of units that touch
        or overlap.
    least
        Amount of one error for each annotator and document, if `amount` is smaller than that; such
        amounts cannot be simulated, and the interval is from 0 to `least`. Otherwise 0.
    reason
        Reason why there is no curve, or why the curve does not reach the measured γ. None
        otherwise.
    """

    error: str
    curve: Curve
    magnitude: Magnitude | None = None
    amount: float = math.nan
    low: float = math.nan
    high: float = math.nan
    words: str = ""
    misfit: float = 0.0
    least: float = 0.0
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {
            **record_of(self, "error amount"),
            "interval": [self.low, self.high],
            "magnitude": None if self.magnitude is None else self.magnitude.value,
            "words": self.words or None,
            **record_of(self, "misfit least reason curve"),
        }


@dataclass(frozen=True, kw_only=True)
class Calibration(Plotted):
    """Measured γ, expressed as amounts of errors.

    Attributes
    ----------
    score
        The measured γ.
    equivalents
        Amount of each kind of error that gives the measured γ.
    model
        Reference model that was learnt from the annotations.
    n_annotators
        Number of simulated annotators.
    sets
        Number of shuffled sets for each magnitude.
    confidence
        Confidence of the intervals.
    unfinished
        Names of annotators who did not read a document to the end.
    pauses
        Whether there are parts of documents in which nothing can be marked.
    """

    score: Gamma
    equivalents: tuple[ErrorEquivalent, ...]
    model: ReferenceModel
    n_annotators: int
    sets: int
    confidence: float
    unfinished: tuple[str, ...] = ()
    pauses: bool = False

    def __repr__(self) -> str:
        """Return the sentence of `in_words`; `as_dict` has all results."""
        return f"Calibration({self.in_words()})"

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("calibration", self)

    def _picture(self, width: float) -> "Picture":
        """Draw γ against the amount of each error."""
        from gammacp.campaign.calibrate.figure import picture_of

        return picture_of(self, width)

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {
            "gamma": self.score.value,
            "interval": self.score.interval,
            "words": self.in_words(),
            "sets": self.sets,
            "annotators": self.n_annotators,
            "equivalents": [e.as_dict() for e in self.equivalents],
            "notes": list(self.notes()),
            "signature": self.signature,
        }

    @property
    def signature(self) -> str:
        """Signature of γ, extended by the errors and the numbers of sets and of campaigns."""
        errors = "+".join(quote_part(e.error) for e in self.equivalents)
        return extend(self.score.signature, calibrated=errors, sets=self.sets, campaigns=REPLICATES)

    def notes(self) -> tuple[str, ...]:
        """Return the caveats of γ, and notes on the limits of the calibration."""
        unlike = (
            f"{e.error}: annotators who make only this error, and this much of it, annotate unlike "
            f"yours: numbers, lengths, gaps or overlaps of their units differ by {share(e.misfit)}"
            for e in self.equivalents
            if e.misfit > MISFIT and e.words
        )
        few = (
            f"{e.error}: less than one error per annotator and document ({share(e.least)} of the "
            "units) cannot be simulated, so any smaller amount is possible"
            for e in self.equivalents
            if e.least
        )
        part = f"{', '.join(self.unfinished)} did not read to the end, but simulated annotators do"
        unread = (f"{part}: amounts also stand for what was not read",)
        paused = (
            "nothing can be marked in pauses, but simulated annotators mark everywhere: the same "
            "amount of errors may give another γ here",
        )
        return (
            *self.score.caveats(),
            *unlike,
            *few,
            *(unread if self.unfinished else ()),
            *(paused if self.pauses else ()),
        )

    def in_words(self) -> str:
        """Return a sentence that lists the amounts of errors that would give the measured γ."""
        clauses = [e.words for e in self.equivalents if e.words]
        start = f"γ = {self.score.value:.2f}"
        if self.score.value >= 1:
            return f"{start}: the annotators agree perfectly, so there is no error to explain."
        if not clauses:
            return f"{start} is lower than any single kind of error makes it on data like these."
        return (
            f"{start} is what data like these would give if "
            + ", or ".join(clauses)
            + f" (one kind of error at a time; {self.confidence:.0%} intervals in brackets)."
        )


@spelled_out
def calibrate(
    continua: Continua,
    *,
    errors: Sequence[str] = ERROR_TYPES,
    sets: int = SETS,
    score: Gamma | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Unpack[GammaOptions],
) -> Calibration:
    """Find the error magnitudes that give the measured γ.

    Parameters
    ----------
    continua
        A continuum, or several continua of one campaign.
    errors
        Error types of the Corpus Shuffling Tool, each of a single kind; parameters are given as in
        `split:factor=2`.
    sets
        Number of shuffled sets for each magnitude, ≥ 3.
    score
        The measured γ, if it was computed before with the same options; None to compute it.
    executor
        Pool of processes that compute magnitudes; results are identical with and without it.
    progress
        Function that is called with the number of magnitudes that are computed, and the number that
        are known to be needed.
    options
        Options of `GammaOptions`.

    Raises
    ------
    DataError
        γ is undefined, or there is nothing from which a model can be learnt.
    UsageError
        An error type is unknown or combines several; there are too few sets; or an option is
        unknown.
    """
    sets = whole("sets", sets, 3, MOST_DRAWS)
    for error in several("errors", errors):
        if len(parse_errors(error)) > 1:
            raise UsageError(f"error {error!r} combines errors: give them one at a time")
    named = _usable_continua(continua)
    settings = Settings.of(**options).deciding([tuple(named.values())])
    measured = score or agreement(Basis(named, settings, executor=executor)).score
    if not measured.defined:
        raise DataError(f"γ is undefined, so there is nothing to calibrate: {measured.reason}")
    cell = _cell_without_errors(named, sets, settings)
    curves, reasons = trace(cell, errors, measured.value, len(named), executor, progress)
    return Calibration(
        score=measured,
        equivalents=tuple(
            _equivalent(curves[e], reasons.get(e), measured, replace(cell, error=e)) for e in errors
        ),
        model=cell.inference.model,
        n_annotators=cell.n_annotators,
        sets=cell.sets,
        confidence=settings.rule.confidence,
        unfinished=tuple(dict.fromkeys(a for c in named.values() for a, _ in c.read_until)),
        pauses=any(c.markable for c in named.values()),
    )


def _cell_without_errors(
    named: Mapping[str, Continuum], sets: int, settings: Settings
) -> CalibrationCell:
    """Return what a worker needs to simulate such annotators, without any error yet."""
    n_annotators = min(multimode(c.n_annotators for c in named.values()))
    if len(named) > 1:
        # Chance over documents needs as many documents as annotators.
        sets = max(sets, n_annotators)
    return CalibrationCell(
        inference=IndirectInference.learn(list(named.values())),
        error="",
        magnitude=0.0,
        n_annotators=n_annotators,
        categories=next(iter(named.values())).categories,
        sets=sets,
        settings=settings,
    )


def _usable_continua(continua: Continua) -> Mapping[str, Continuum]:
    """Return the continua that have a γ, with common categories."""
    named = named_continua(continua)
    if len(named) > 1:
        if isinstance(continua, Corpus):
            categories = continua.categories
        else:
            categories = None
        named = Corpus.from_continua(named, categories=categories)
    usable = {n: c for n, c in named.items() if c.n_annotators > 1 and c.n_units}
    if not usable:
        if all(c.n_annotators < 2 for c in named.values()):
            raise too_few_annotators(named.values(), who="one for each document")
        raise DataError("no document has two annotators and a unit")
    return usable


def _equivalent(
    curve: Curve, reason: str | None, measured: Gamma, cell: CalibrationCell
) -> ErrorEquivalent:
    """Return the amount of the cell's error that gives the measured γ."""
    error = cell.error
    confidence = cell.settings.rule.confidence
    if len(curve.magnitudes) < 2:
        return ErrorEquivalent(error=error, curve=curve, reason=reason)
    magnitude = magnitude_at(
        curve,
        measured.value,
        standard_error=_standard_error(measured, confidence),
        confidence=confidence,
        seed=(cell.settings.seed, *error.encode()),
    )
    middle, low, high = (
        amount(error, m, cell.inference.model)
        for m in (magnitude.value, magnitude.low, magnitude.high)
    )
    least = least_amount(error, cell.inference.observed.n_units)
    # Amounts that round to the same whole number of errors cannot be distinguished.
    if middle > least:
        half = least / 2
    else:
        half = 0.0
    low = max(0.0, low - half)
    high = high + half
    if low < least and middle > 0:
        low = 0.0
        high = max(high, least)
    if not (0 < middle < least):
        least = 0.0
    unknown = math.isinf(low) or (math.isinf(middle) and low < _NONE)
    if unknown:
        words = ""
    else:
        words = phrase(error, _interval(middle, low, high, least))
    return ErrorEquivalent(
        error=error,
        curve=curve,
        magnitude=magnitude,
        amount=middle,
        low=low,
        high=high,
        words=words,
        misfit=curve.misfit_at(magnitude.value),
        least=least,
        reason=_reason_beyond(curve, reason) if math.isinf(middle) else None,
    )


def _reason_beyond(curve: Curve, reason: str | None) -> str:
    last = f"{curve.magnitudes[-1]:.2g}"
    if reason:
        after = f"; {reason}"
    else:
        after = ""
    return f"even at magnitude {last} γ is {curve.smooth[-1]:.2f}, higher than measured{after}"


def _standard_error(score: Gamma, confidence: float) -> float:
    if score.interval is None or not all(math.isfinite(v) for v in score.interval):
        return 0.0
    width: Floats = np.diff(score.interval)
    return float(width[0]) / (2 * NormalDist().inv_cdf((1 + confidence) / 2))


def _interval(middle: float, low: float, high: float, least: float) -> str:
    if least and high == least:
        return f"{share(middle)} (less than {share(least)})"
    if math.isinf(high) and low < _NONE:
        return f"{share(middle)} (any amount, even 0 %)"
    if math.isinf(high):  # γ hardly falls any more, so there is no meaningful upper end
        return f"{share(middle)} (at least {share(low)})"
    return f"{share(middle)} ({share(low).removesuffix(' %')}–{share(high)})"
