"""Calibration of γ: errors that would give the same value on continua like the user's.

A reference model is learnt from the annotations themselves (number of units, lengths, gaps,
categories), the Corpus Shuffling Tool (Mathet, Widlöcher & Métivier 2015, §6.3.1) makes annotators
who err in one way only, and the curve of γ against the magnitude is inverted at the measured γ.
Figures 2 and 3 of Mathet & Widlöcher (2011) are the ancestors. Real annotators err in several ways
at once, so each sentence is a yardstick by itself, not a diagnosis.
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
from shuffling.before_errors import BeforeErrors

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture

ERROR_TYPES = ("position", "category", "false-negative", "false-positive", "split")
SETS = 10
_NONE = 0.005  # a share that is shown as none
MISFIT = 0.1
"""From where on it is told that simulated annotations are unlike the user's."""


@dataclass(frozen=True, kw_only=True)
class Equivalent:
    """One error and how much of it gives the measured γ.

    Attributes
    ----------
    error
        Error type of the Corpus Shuffling Tool.
    curve
        γ against the magnitude, as far as it was needed.
    magnitude
        Magnitude at which the curve takes the measured value; None where it could not be computed.
    amount, low, high
        The magnitude and its interval as the share that `words` speaks of; ∞ where even magnitude
        1 leaves γ higher.
    words
        A clause after "as if"; empty where no amount is known, not even the least.
    misfit
        Distance of the simulated annotations from the user's at this magnitude: the largest
        difference of units, lengths, their spread, and the shares of units that touch or overlap.
    least
        One error for each annotator and document, where the curve gives less: less cannot be
        simulated, and the interval is from none to it. 0 elsewhere.
    reason
        Reason why there is no curve, or why the error alone cannot bring γ down so far, or why the
        curve ends before magnitude 1 if no more errors can be made.
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
        """One error as JSON has it."""
        return {
            **record_of(self, "error amount"),
            "interval": [self.low, self.high],
            "magnitude": None if self.magnitude is None else self.magnitude.value,
            "words": self.words or None,
            **record_of(self, "misfit least reason curve"),
        }


@dataclass(frozen=True, kw_only=True)
class Calibration(Plotted):
    """A measured γ in terms of error magnitudes.

    `score` is what was measured, `model` what was learnt from the annotations, `sets` how many
    shuffled sets there are per magnitude, `unfinished` who is known not to have read to the end,
    `pauses` whether parts of documents cannot be marked.
    """

    score: Gamma
    equivalents: tuple[Equivalent, ...]
    model: ReferenceModel
    n_annotators: int
    sets: int
    confidence: float
    unfinished: tuple[str, ...] = ()
    pauses: bool = False

    def __repr__(self) -> str:
        """Return the sentence; `as_dict` has the rest."""
        return f"Calibration({self.in_words()})"

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("calibration", self)

    def _picture(self, width: float) -> "Picture":
        """Draw γ against the amount of each error."""
        from gammacp.campaign.calibrate.figure import picture_of

        return picture_of(self, width)

    def as_dict(self) -> dict[str, Any]:
        """Return the calibration as JSON has it."""
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
        """Return the signature of γ with errors, sets and simulated campaigns added."""
        errors = "+".join(quote_part(e.error) for e in self.equivalents)
        return extend(self.score.signature, calibrated=errors, sets=self.sets, campaigns=REPLICATES)

    def notes(self) -> tuple[str, ...]:
        """Return the notes of γ, and which errors cannot have made annotations like these."""
        unlike = (
            f"{e.error}: annotators who make only this error, and this much of it, annotate unlike "
            f"yours: their numbers of units, lengths or gaps differ by {share(e.misfit)}"
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
        """One sentence: as if boundaries were off by …, or … of the units were missed, or …."""
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
        One continuum, or several of one campaign.
    errors
        Error types of the Corpus Shuffling Tool, each by itself; parameters as in `split:factor=2`.
    sets
        Shuffled sets per magnitude, ≥ 3.
    score
        γ if it is known already (computed with the same options).
    executor
        Processes that compute magnitudes; the result is the same to the bit.
    progress
        Is told (magnitudes done, magnitudes known to be needed).
    options
        Options of `GammaOptions`.

    Raises
    ------
    DataError
        γ is undefined, or there is nothing to learn a model from.
    UsageError
        An error type is unknown or not a single one; too few sets; an option is unknown.
    """
    sets = whole("sets", sets, 3, MOST_DRAWS)
    for error in several("errors", errors):
        if len(parse_errors(error)) > 1:
            raise UsageError(f"error {error!r} combines errors: give them one at a time")
    named = _able(continua)
    settings = Settings.of(**options).deciding([tuple(named.values())])
    measured = score or agreement(Basis(named, settings, executor=executor)).score
    if not measured.defined:
        raise DataError(f"γ is undefined, so there is nothing to calibrate: {measured.reason}")
    before = BeforeErrors.learn(list(named.values()))
    n_annotators = min(multimode(c.n_annotators for c in named.values()))
    cell = CalibrationCell(
        before=before,
        error="",
        magnitude=0.0,
        n_annotators=n_annotators,
        categories=next(iter(named.values())).categories,
        sets=max(sets, n_annotators) if len(named) > 1 else sets,
        settings=settings,
    )
    curves, reasons = trace(cell, errors, measured.value, len(named), executor, progress)
    return Calibration(
        score=measured,
        equivalents=tuple(
            _equivalent(curves[e], reasons.get(e), measured, replace(cell, error=e)) for e in errors
        ),
        model=before.model,
        n_annotators=n_annotators,
        sets=cell.sets,
        confidence=settings.rule.confidence,
        unfinished=tuple(dict.fromkeys(a for c in named.values() for a, _ in c.read_until)),
        pauses=any(c.markable for c in named.values()),
    )


def _able(continua: Continua) -> Mapping[str, Continuum]:
    """Return the continua that have a γ, with common categories."""
    named = named_continua(continua)
    if len(named) > 1:
        if isinstance(continua, Corpus):
            known = continua.categories
        else:
            known = None
        named = Corpus.from_continua(named, categories=known)
    able = {n: c for n, c in named.items() if c.n_annotators > 1 and c.n_units}
    if not able:
        if all(c.n_annotators < 2 for c in named.values()):
            raise too_few_annotators(named.values(), who="one for each document")
        raise DataError("no document has two annotators and a unit")
    return able


def _equivalent(
    curve: Curve, reason: str | None, measured: Gamma, cell: CalibrationCell
) -> Equivalent:
    """Return the magnitude that gives the measured γ under the error of the cell."""
    error = cell.error
    confidence = cell.settings.rule.confidence
    if len(curve.magnitudes) < 2:
        return Equivalent(error=error, curve=curve, reason=reason)
    found = magnitude_at(
        curve,
        measured.value,
        standard_error=_standard_error(measured, confidence),
        confidence=confidence,
        seed=(cell.settings.seed, *error.encode()),
    )
    middle, low, high = (
        amount(error, m, cell.before.model) for m in (found.value, found.low, found.high)
    )
    least = least_amount(error, cell.before.seen.units)
    # Amounts that round to the same whole number of errors are not told apart.
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
    return Equivalent(
        error=error,
        curve=curve,
        magnitude=found,
        amount=middle,
        low=low,
        high=high,
        words=words,
        misfit=curve.misfit_at(found.value),
        least=least,
        reason=_beyond(curve, reason) if math.isinf(middle) else None,
    )


def _beyond(curve: Curve, reason: str | None) -> str:
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
    if math.isinf(high):  # γ hardly falls any more: where it is reached says nothing
        return f"{share(middle)} (at least {share(low)})"
    return f"{share(middle)} ({share(low).removesuffix(' %')}–{share(high)})"
