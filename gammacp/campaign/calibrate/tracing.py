"""Which magnitudes to compute: down to the measured γ, and finer where the curve passes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from gammacp.campaign.calibrate.curves import Curve
from gammacp.campaign.calibrate.sweep import Cell, attempt

Progress = Callable[[int, int], None]

# The first magnitudes are enough for most γ; the later ones (six times the units, for splits) are
# computed only where the curve has not come down to the measured value yet.
_WAVES = ((0.05, 0.15, 0.3), (0.5,), (0.75,), (1.0,))
_MARGIN = 0.03


def trace(
    cell: Cell,
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
        above = [e for e in errors if e not in reasons and not _reached(curves[e], target)]
        compute([(e, m) for e in above for m in wave])
    compute([(e, m) for e in errors for m in _refinement(curves[e], target)])
    return curves, {e: r for e, r in reasons.items() if len(curves[e].magnitudes) < 2}


def _reached(curve: Curve, target: float) -> bool:
    return bool(curve.smooth[-1] < target - _MARGIN)


def _refinement(curve: Curve, target: float) -> list[float]:
    """Two magnitudes inside the stretch in which the curve passes the target."""
    below = np.flatnonzero(curve.smooth < target)
    if not len(below) or target >= 1:
        return []
    low, high = curve.magnitudes[below[0] - 1], curve.magnitudes[below[0]]
    return [round(float(low + (high - low) * k / 3), 6) for k in (1, 2)]
