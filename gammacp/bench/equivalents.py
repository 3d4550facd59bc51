"""Size of a change that should not matter, as the error magnitude that has the same effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats


@dataclass(frozen=True)
class Equivalent:
    """Error magnitudes that move a measure as far as a change that should not matter.

    Attributes
    ----------
    magnitude
        Mean distance between the magnitude of an annotation set and the one at which the curve has
        the value of the changed set; None if nothing can be compared.
    points
        Number of magnitudes compared: those before the curve saturates.
    beyond
        Number of those at which the changed value is outside the range of the curve. The distance
        to the end of the curve is then used, which is too small.
    """

    magnitude: float | None
    points: int
    beyond: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"magnitude": self.magnitude, "points": self.points, "beyond": self.beyond}


def equivalent_magnitude(
    magnitudes: Floats,
    means: Floats,
    changed: Mapping[float, Sequence[float]],
    *,
    ends: float | None,
) -> Equivalent:
    """Return the error magnitude that moves a curve as far as a change does.

    The curve is made monotone first (isotonic regression) and interpolated linearly. On a flat
    stretch the nearest magnitude is taken, in favour of the change.

    Parameters
    ----------
    magnitudes, means
        The curve, shape (magnitudes,); NaN where undefined.
    changed
        Values of sets under the change, by magnitude.
    ends
        Magnitude at which the curve saturates: larger ones cannot be read off it.
    """
    is_defined = ~np.isnan(means)
    if ends is None or is_defined.sum() < 2:
        return Equivalent(None, 0, 0)
    from scipy.optimize import isotonic_regression

    x = magnitudes[is_defined]
    curve = isotonic_regression(means[is_defined], increasing=False).x
    distances = []
    beyond = 0
    for magnitude in x[x <= ends].tolist():
        values = np.array(changed.get(magnitude, ()), np.float64)
        values = values[~np.isnan(values)]
        if not len(values) or ends == x[0]:
            continue
        value = float(values.mean())
        beyond += not curve[-1] - 1e-9 <= value <= curve[0] + 1e-9
        distances.append(abs(_nearest(x, curve, value, magnitude) - magnitude))
    if distances:
        mean = float(np.mean(distances))
    else:
        mean = None
    return Equivalent(mean, len(distances), beyond)


def _nearest(x: Floats, curve: Floats, value: float, magnitude: float) -> float:
    """Return the place nearest to `magnitude` at which a falling curve has this value."""
    if value >= curve[0]:
        flat = x[curve >= curve[0]]
        return float(np.clip(magnitude, flat[0], flat[-1]))
    if value <= curve[-1]:
        flat = x[curve <= curve[-1]]
        return float(np.clip(magnitude, flat[0], flat[-1]))
    equal = x[curve == value]
    if len(equal):
        return float(np.clip(magnitude, equal[0], equal[-1]))
    after = int(np.argmax(curve < value))
    share = (curve[after - 1] - value) / (curve[after - 1] - curve[after])
    return float(x[after - 1] + share * (x[after] - x[after - 1]))
