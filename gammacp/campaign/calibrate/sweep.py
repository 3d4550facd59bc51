"""Compute curves of γ for shuffled sets with the statistics of the user's continua.

Magnitudes are increased until γ falls below the measured value, and are then refined around the
point at which the curve passes it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.record_tables import share
from gammacp.campaign.calibrate.curves import Curve, invert
from gammacp.chance.beyond import ratios
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from shuffling.indirect_inference import FittedSets, IndirectInference, ModelParameters
from shuffling.setting import fewer_errors

Progress = Callable[[int, int], None]

SAMPLES = 30
"""Number of random annotation sets for each magnitude, divided among its shuffled sets."""

REPLICATES = 8
"""Number of simulated campaigns that show how far a measured γ may be from the curve."""

# Largest number of documents of a simulated campaign; results are scaled to the real number.
_MOST_DOCUMENTS = 12

# The first magnitudes are enough for most γ. Later ones take longer (splits make six times as many
# units), and are computed only while the curve is still above the measured value.
_WAVES = ((0.05, 0.15, 0.3), (0.5,), (0.75,), (1.0,))
_MARGIN = 0.03
_REFINEMENTS = 2
_LACKING = 0.1  # largest share of the errors of a magnitude that may be impossible to make


@dataclass(frozen=True, kw_only=True)
class CalibrationCell:
    """Input for one magnitude of one error, small enough to be sent to another process.

    Attributes
    ----------
    inference
        Search for the model of the annotations before errors, learnt from the user's continua.
    error
        Name of the error type, with parameters if any (`split:factor=2`).
    magnitude
        Magnitude of the error, in (0, 1].
    n_annotators, categories
        Number of annotators and categories of the user's continua.
    sets
        Number of shuffled sets.
    settings
        Settings of γ, including the chance model.
    start
        Reference that was learnt at a nearby magnitude, as a first guess; None without one.
    """

    inference: IndirectInference
    error: str
    magnitude: float
    n_annotators: int
    categories: tuple[str, ...]
    sets: int
    settings: Settings
    start: ModelParameters | None = None


def shuffled_gammas(cell: CalibrationCell) -> tuple[Floats, FittedSets]:
    """Return γ of each shuffled set of a cell that has units, and the reference that was learnt.

    The observed disorder is computed for each set. The expected disorder is pooled over the sets,
    because all are drawn from one model; thus 30 random sets are enough for all of them. Random
    sets are drawn and dissimilarities are bound as for the measured γ.

    Raises
    ------
    DataError
        The model does not allow the error, or not so many errors, or no set has a γ.
    """
    fitted = cell.inference.fit_to_errors(
        cell.error,
        cell.magnitude,
        cell.n_annotators,
        n_sets=cell.sets,
        seed=cell.settings.seed,
        start=cell.start,
    )
    for fewer in fitted.missing_errors:
        if (lacking := fewer.lacking(cell.sets * cell.n_annotators)) > _LACKING:
            raise DataError(
                f"{share(lacking)} of the errors at magnitude {cell.magnitude:.2g} cannot be made: "
                f"{fewer.why}"
            )
    return _gammas(cell, fitted.sets), fitted


def _gammas(cell: CalibrationCell, shuffled: Sequence[Continuum]) -> Floats:
    # Keep the user's order of categories, on which ordinal and matrix distances depend.
    sets = Corpus.from_continua(
        {str(i): s for i, s in enumerate(shuffled) if s.n_units}, categories=cell.categories
    )
    together = [Basis(sets, _with_fixed_samples(cell.settings, SAMPLES))]
    if not together[0].model.built_from_all:
        settings = _with_fixed_samples(cell.settings, -(-SAMPLES // len(sets)))
        together = [Basis(s, settings) for s in sets.values()]
    observed = [a.disorder for b in together for a in b.align(b.continua)]
    expected = np.concatenate([b.chance(b.continua[0]).expected.disorders for b in together])
    gammas = ratios(np.array(observed), float(expected.mean()))
    if np.isnan(gammas).any():
        raise DataError("the expected disorder of the shuffled sets is 0")
    return gammas


def replicate(cell: CalibrationCell, number: int, *, documents: int) -> float:
    """Simulate a campaign, and return the difference between its γ and the γ on the curve.

    The campaign is simulated from `cell.start` at the magnitude of the cell. A reference is learnt
    from it as from the user's continua, and sets are shuffled from this reference. The result is
    the mean γ of the campaign minus the mean γ of these sets; NaN if either is undefined.

    Parameters
    ----------
    cell
        Cell at the magnitude that was found.
    number, documents
        Number of the simulated campaign, counted from 0, and how many documents it has.
    """
    if cell.start is None:
        return math.nan
    first = cell.sets + number * documents
    design = cell.error, cell.magnitude, cell.n_annotators
    try:
        with fewer_errors():
            campaign = cell.inference.draw_sets(
                cell.start,
                *design,
                indices=range(first, first + documents),
                seed=cell.settings.seed,
            )
        learnt = replace(cell.inference, observed=cell.inference.statistics(campaign))
        # Sets are always drawn with the same seed, so half of them are enough to show how γ depends
        # on the reference that was learnt.
        half = max(cell.sets // 2, min(cell.sets, cell.n_annotators))
        expected, _ = shuffled_gammas(replace(cell, inference=learnt, sets=half))
        return float(_gammas(cell, campaign).mean() - expected.mean())
    except DataError:
        return math.nan


def _with_fixed_samples(settings: Settings, samples: int) -> Settings:
    """Return the settings with a fixed number of random sets, at least two."""
    return replace(settings, rule=replace(settings.rule, samples=max(2, samples)))


def attempt(cell: CalibrationCell) -> tuple[CalibrationCell, tuple[Floats, FittedSets] | None, str]:
    """Return a cell with its `shuffled_gammas`, or with None and a reason, instead of raising.

    Thus an error in one cell does not stop the others.
    """
    try:
        return cell, shuffled_gammas(cell), ""
    except DataError as error:
        return cell, None, str(error)


def trace(
    cell: CalibrationCell,
    errors: Sequence[str],
    target: float,
    documents: int,
    executor: Executor | None,
    progress: Progress | None,
) -> tuple[dict[str, Curve], dict[str, str]]:
    """Compute the curve of each error, refined around the measured γ.

    Return the curves, and the reasons why some of them end before magnitude 1.

    Parameters
    ----------
    cell
        Input that all magnitudes share; its error and magnitude are replaced.
    errors
        Error types.
    target, documents
        The measured γ, and the number of documents from which it was computed.
    executor, progress
        Pool of processes that compute cells, and a function that is called with the number of cells
        that are computed, and the number that are known to be needed.
    """
    tracing = _Tracing(cell, errors, target, executor, progress)
    for wave in _WAVES:
        tracing.compute([(e, m) for e in tracing.above_target() for m in wave])
    for _ in range(_REFINEMENTS):
        finer = [(e, m) for e in errors for m in tracing.finer_magnitudes(e)]
        tracing.compute(finer)
    tracing.replicate(documents)
    return tracing.curves, tracing.reasons


class _Tracing:
    """Computation of the curves of all errors.

    Attributes
    ----------
    curves
        Curves by error.
    reasons
        Reasons why the curves of some errors end before magnitude 1.
    """

    def __init__(
        self,
        cell: CalibrationCell,
        errors: Sequence[str],
        target: float,
        executor: Executor | None,
        progress: Progress | None,
    ) -> None:
        """Begin a curve for each error."""
        self.curves = {e: Curve.start(cell.sets) for e in errors}
        self.reasons: dict[str, str] = {}
        self._cell = cell
        self._errors = errors
        self._target = target
        self._ends = dict.fromkeys(errors, math.inf)
        self._learnt: dict[tuple[str, float], FittedSets] = {}
        self._tell = progress or (lambda _done, _total: None)
        self._run: Callable[..., Iterable[Any]] = map
        if executor is not None:
            self._run = executor.map
        self._done = 0
        self._total = 0

    def above_target(self) -> list[str]:
        """Return the errors whose curves are still above the target and can be continued."""
        return [
            e
            for e in self._errors
            if e not in self.reasons and not _reaches(self.curves[e], self._target)
        ]

    def finer_magnitudes(self, error: str) -> Iterable[float]:
        """Return the next magnitudes at which to compute a curve, around the target."""
        return _refinement(self.curves[error], self._target, self._ends[error])

    def compute(self, points: Sequence[tuple[str, float]]) -> None:
        """Add points to the curves; start each from the reference of the nearest magnitude.

        Parameters
        ----------
        points
            Errors and magnitudes of the points.
        """
        cells = [
            replace(self._cell, error=e, magnitude=m, start=self._near(e, m)) for e, m in points
        ]
        self._expect(len(cells))
        for cell, result, reason in self._run(attempt, cells):
            self._count()
            if result is None:
                self._ends[cell.error] = min(self._ends[cell.error], cell.magnitude)
                self.reasons[cell.error] = reason
            elif cell.magnitude < self._ends[cell.error]:
                gammas, fitted = result
                self._learnt[cell.error, cell.magnitude] = fitted
                curve = self.curves[cell.error]
                self.curves[cell.error] = curve.with_cell(cell.magnitude, gammas, fitted.misfit)

    def replicate(self, documents: int) -> None:
        """Add residuals to the curves, from campaigns simulated at the target.

        Campaigns may have fewer than `documents` documents; their residuals are then scaled.
        """
        few = min(documents, max(_MOST_DOCUMENTS, self._cell.n_annotators))
        cells = [
            replace(self._cell, error=e, magnitude=m, start=self._near(e, m))
            for e in self._errors
            if len(self.curves[e].magnitudes) > 1 and (m := _point(self.curves[e], self._target))
            for _ in range(REPLICATES)
        ]
        numbers = [*range(REPLICATES)] * (len(cells) // REPLICATES)
        self._total += len(cells)
        residuals: dict[str, list[float]] = {}
        replicated = self._run(partial(replicate, documents=few), cells, numbers)
        for cell, off in zip(cells, replicated, strict=True):
            self._count()
            if not math.isnan(off):
                residuals.setdefault(cell.error, []).append(off * math.sqrt(few / documents))
        for e, by_magnitude in residuals.items():
            self.curves[e] = replace(self.curves[e], residuals=np.array(by_magnitude))

    def _near(self, error: str, magnitude: float) -> ModelParameters | None:
        computed = [m for e, m in self._learnt if e == error]
        nearest = min(computed, key=lambda m: abs(m - magnitude), default=None)
        if nearest is None:
            return None
        return self._learnt[error, nearest].parameters

    def _expect(self, cells: int) -> None:
        self._total += cells
        self._tell(self._done, self._total)

    def _count(self) -> None:
        self._done += 1
        self._tell(self._done, self._total)


def _point(curve: Curve, target: float) -> float:
    """Return the magnitude at which the curve reaches the target, or else its last magnitude."""
    return min(invert(curve.magnitudes, curve.smooth, target), float(curve.magnitudes[-1]))


def _reaches(curve: Curve, target: float) -> bool:
    return bool(curve.smooth[-1] < target - _MARGIN)


def _refinement(curve: Curve, target: float, end: float) -> list[float]:
    """Return two magnitudes in the interval in which the curve passes the target, or none.

    `end` is the least magnitude that cannot be computed; ∞ if there is none.
    """
    places = np.append(curve.magnitudes, end)
    values = np.append(curve.smooth, -math.inf)
    after = int(np.flatnonzero(values < target)[0])
    if target >= 1 or len(places) < 3 or places[after] > 1:
        return []
    low = places[after - 1]
    high = places[after]
    return [round(float(low + (high - low) * k / 3), 6) for k in (1, 2)]
