"""γ of shuffled sets that have the statistics of the user's own continua.

Magnitudes are computed down to the measured γ, and finer where the curve passes it.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from gammacp.arrays import Floats
from gammacp.campaign.calibrate.curves import Curve
from gammacp.chance.beyond import ratios
from gammacp.continuum import Corpus
from gammacp.errors import DataError
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from shuffling import ReferenceModel, shuffled_sets
from shuffling.setting import fewer_errors

Progress = Callable[[int, int], None]

SAMPLES = 30
"""Random annotation sets per magnitude, spread over its sets."""

# The first magnitudes are enough for most γ; the later ones (six times the units, for splits) are
# computed only where the curve has not come down to the measured value yet.
_WAVES = ((0.05, 0.15, 0.3), (0.5,), (0.75,), (1.0,))
_MARGIN = 0.03


@dataclass(frozen=True, kw_only=True)
class CalibrationCell:
    """What one magnitude of one error needs; small enough to send to another process.

    Attributes
    ----------
    model
        Learnt from the user's continua.
    error
        Name of the error type, with parameters if any (`split:factor=2`).
    magnitude
        In (0, 1].
    n_annotators, categories
        Of the user's continua.
    sets
        How many shuffled sets.
    settings
        Of γ; `settings.chance` is the model that chance is drawn from.
    """

    model: ReferenceModel
    error: str
    magnitude: float
    n_annotators: int
    categories: tuple[str, ...]
    sets: int
    settings: Settings


def shuffled_gammas(cell: CalibrationCell) -> Floats:
    """γ of each set of a cell, shape (defined sets,).

    Disorders are observed on every set; their expectation is pooled over the sets of the cell,
    which are draws from one model, so that 30 random sets serve all of them. Random sets are drawn
    and dissimilarities bound as for the γ that was measured.

    Raises
    ------
    DataError
        The error cannot be made on this model, or no set has a γ.
    """
    shuffled = shuffled_sets(
        cell.model,
        cell.error,
        cell.magnitude,
        cell.n_annotators,
        sets=cell.sets,
        seed=cell.settings.seed,
    )
    # Categories in the user's order: ordinal and matrix distances depend on it.
    with fewer_errors():
        sets = Corpus.from_continua(
            {str(i): s for i, s in enumerate(shuffled) if s.n_units}, categories=cell.categories
        )
    if not sets:
        raise DataError("no unit is left in any shuffled set")
    together = [Basis(sets, _with_fixed_samples(cell.settings, SAMPLES))]
    if not together[0].model.pools:
        settings = _with_fixed_samples(cell.settings, -(-SAMPLES // len(sets)))
        together = [Basis(s, settings) for s in sets.values()]
    observed = [a.disorder for b in together for a in b.align(b.continua)]
    expected = np.concatenate([b.chance(b.continua[0]).expected.disorders for b in together])
    found = ratios(np.array(observed), float(expected.mean()))
    if np.isnan(found).any():
        raise DataError("the expected disorder of the shuffled sets is 0")
    return found


def _with_fixed_samples(settings: Settings, samples: int) -> Settings:
    """The settings with a fixed number of random sets, at least two."""
    return replace(settings, rule=replace(settings.rule, samples=max(2, samples)))


def attempt(cell: CalibrationCell) -> tuple[CalibrationCell, Floats | None, str]:
    """`shuffled_gammas`, or None with the reason; errors do not stop the other cells."""
    try:
        return cell, shuffled_gammas(cell), ""
    except DataError as error:
        return cell, None, str(error)


def trace(
    cell: CalibrationCell,
    errors: Sequence[str],
    target: float,
    executor: Executor | None,
    progress: Progress | None,
) -> tuple[dict[str, Curve], dict[str, str]]:
    """Curves down to the target and finer around it, with why some are missing.

    Parameters
    ----------
    cell
        What all magnitudes share; its error and magnitude are replaced.
    errors, target
        Error types, and the γ that is looked for.
    executor, progress
        Where cells are computed, and who is told (done, known to be needed).
    """
    curves = {e: Curve(np.zeros(1), (np.ones(cell.sets),)) for e in errors}
    reasons: dict[str, str] = {}
    tell = progress or (lambda _done, _total: None)
    done = total = 0

    def compute(wanted: Sequence[tuple[str, float]]) -> None:
        nonlocal done, total
        cells = [replace(cell, error=e, magnitude=m) for e, m in wanted]
        total += len(cells)
        tell(done, total)
        results = (map if executor is None else executor.map)(attempt, cells)
        for tried, gammas, reason in results:
            done += 1
            tell(done, total)
            if gammas is None:
                reasons[tried.error] = reason
            else:
                curves[tried.error] = curves[tried.error].with_cell(tried.magnitude, gammas)

    for wave in _WAVES:
        above = [e for e in errors if e not in reasons and not _reaches(curves[e], target)]
        compute([(e, m) for e in above for m in wave])
    compute([(e, m) for e in errors for m in _refinement(curves[e], target)])
    return curves, {e: r for e, r in reasons.items() if len(curves[e].magnitudes) < 2}


def _reaches(curve: Curve, target: float) -> bool:
    return bool(curve.smooth[-1] < target - _MARGIN)


def _refinement(curve: Curve, target: float) -> list[float]:
    """Two magnitudes inside the stretch in which the curve passes the target."""
    below = np.flatnonzero(curve.smooth < target)
    if not len(below) or target >= 1:
        return []
    low, high = curve.magnitudes[below[0] - 1], curve.magnitudes[below[0]]
    return [round(float(low + (high - low) * k / 3), 6) for k in (1, 2)]
