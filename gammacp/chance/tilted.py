"""Chance model `tilted`: as `cut`, for texts with more units at one end.

If a text has more to mark at one end, annotators who share nothing else still meet there, and `cut`
counts that as agreement. Here positions are first stretched so that units are as dense at the
beginning as at the end. Annotations are turned on this stretched axis (called even time) and mapped
back, so that random annotations have the same tilt as the real ones.

The tilt is one number, λ: units have the density λ·exp(λx)/(exp(λ) − 1) along the text, x from 0 to
1, with the mean position that all annotators' units have. The middle of a unit is moved, and its
length stays; a unit that would overlap the one before starts at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.annotation import Annotation, annotation_set, least_distance
from gammacp.chance.cut import circle_of
from gammacp.chance.grid import Places
from gammacp.chance.refusals import single_continuum
from gammacp.chance.registry import registered
from gammacp.chance.shift import distant_shifts
from gammacp.continuum import Continuum

# Means outside of [this, 1 − this] are clipped to it: there all units are at one place.
_LEAST_MEAN = 0.02

# Share of the circle that is a rounding error.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class TiltedSampler:
    """Random sets of all annotators' annotations, each turned in even time.

    Attributes
    ----------
    annotations
        Annotations of all annotators, in canonical order, with the length of each one's circle.
    tilt
        λ of the longest circle.
    circle
        Length of the circle.
    """

    annotations: tuple[Annotation, ...]
    tilt: float
    circle: float
    categories: tuple[str, ...]
    names: tuple[str, ...]
    distance: float
    grid: Places | None
    signature: str

    def draw(self, rng: np.random.Generator) -> Continuum:
        """Draw one random annotation set."""
        shifts = distant_shifts(len(self.annotations), self.distance, rng)
        turned = [self._turned(a, s) for a, s in zip(self.annotations, shifts, strict=True)]
        if self.grid is not None:
            turned = [self.grid.positions(part) for part in turned]
        return annotation_set(turned, self.categories, self.names)

    def _turned(self, annotation: Annotation, shift: float) -> Annotation:
        """Return an annotation turned by `shift`, a share of the circle in even time."""
        length = annotation.length
        if length == 0 or not len(annotation.starts):
            return annotation
        tilt = self.tilt * length / self.circle
        middles = (annotation.starts + annotation.lengths / 2) / length
        turned = (even(middles.clip(0.0, 1.0), tilt) + shift) % 1.0
        starts = uneven(turned, tilt) * length - annotation.lengths / 2
        starts = starts.clip(0.0, np.maximum(length - annotation.lengths, 0.0))
        order = np.argsort(annotation.starts, kind="stable")
        ordered = annotation.starts[order]
        gaps = ordered[1:] - (ordered + annotation.lengths[order])[:-1]
        # Units that touch may overlap by a rounding error.
        apart = (gaps >= -_ROUNDING * length).all()
        if apart:
            starts = _apart(starts, annotation.lengths, length)
        if self.grid is not None:
            starts = np.rint(starts)
        return replace(annotation, starts=starts)


def _apart(starts: Floats, lengths: Floats, length: float) -> Floats:
    """Push units apart: first to the right of the one before, then back from the end."""
    order = np.argsort(starts, kind="stable")
    moved = starts.copy()
    reached = 0.0
    for row in order.tolist():
        moved[row] = max(moved[row], reached)
        reached = moved[row] + lengths[row]
    limit = length
    for row in order[::-1].tolist():
        moved[row] = min(moved[row], limit - lengths[row])
        limit = moved[row]
    return moved


def even(places: Floats, tilt: float) -> Floats:
    """Map places to even time, in which units are evenly dense: F(x) = (e^λx − 1)/(e^λ − 1).

    Parameters
    ----------
    places
        Places from 0 to 1.
    tilt
        λ; below 0 there is more at the beginning.
    """
    return places if abs(tilt) < 1e-9 else np.expm1(tilt * places) / np.expm1(tilt)


def uneven(places: Floats, tilt: float) -> Floats:
    """Map even time back to places: the inverse of `even`.

    Parameters
    ----------
    places, tilt
        As for `even`.
    """
    return places if abs(tilt) < 1e-9 else np.log1p(places * np.expm1(tilt)) / tilt


def tilt_of(mean: float) -> float:
    """Return λ of the density on 0 … 1 with this mean: 1/(1 − e^−λ) − 1/λ.

    Parameters
    ----------
    mean
        In (0, 1).

    >>> round(tilt_of(0.5), 6), tilt_of(0.4) == -tilt_of(0.6) < 0
    (0.0, True)
    """
    from scipy.optimize import brentq

    mean = min(max(mean, _LEAST_MEAN), 1 - _LEAST_MEAN)
    if abs(mean - 0.5) < 1e-9:
        return 0.0
    if mean < 0.5:
        return -tilt_of(1 - mean)
    return float(brentq(lambda x: 1 / -np.expm1(-x) - 1 / x - mean, 1e-9, 100.0))


@registered(
    "tilted",
    "every annotator once, turned in a time in which all together mark evenly",
    "after Mathet, Widlöcher & Métivier 2015, §5.2.1",
    built_from_all=False,
    keeps_names=True,
    respects_read_until=True,
    may_refuse=False,
)
def prepare_tilted(continua: Sequence[Continuum], n_annotators: int) -> TiltedSampler:
    """Prepare the sampler of one continuum.

    Raises
    ------
    DataError
        The set is to have another number of annotators than the continuum.
    """
    continuum = single_continuum(continua, n_annotators, "tilted")
    laid = circle_of(continuum)
    circle = laid.length
    marked = [a for a in laid.annotations if len(a.starts) and circle > 0]
    means = [float((a.starts + a.lengths / 2).mean()) / circle for a in marked]
    distance, note = least_distance(laid.mean_length, circle, n_annotators)
    return TiltedSampler(
        laid.annotations,
        tilt_of(float(np.mean(means))) if means else 0.0,
        circle,
        continuum.categories,
        laid.names,
        distance,
        laid.grid,
        f"tilted{note}",
    )
