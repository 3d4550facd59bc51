"""Input of an error: the units of one annotator, and what they were annotated from."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.continuum import Bounds, Continuum
from gammacp.continuum.fragments import Breaks, breaks_of, column, join
from gammacp.continuum.shapes import Shape
from gammacp.errors import DataError, UsageError
from shuffling.fitting import overlaps
from shuffling.placement import Layout
from shuffling.reference import ReferenceModel

NEW = {"described": "if set"}
"""Metadata of a parameter that came later: a description of an error leaves it out at its default.

So stores of sweeps that were made before it existed stay valid.
"""


class FewerErrors(UserWarning):
    """A counted error (splits, false positives, merges) was made less often than asked for."""

    def __init__(self, name: str, made: int, asked: int, why: str, annotators: int = 1) -> None:
        """Store the error, how often it was made and was to be made, and why it was not."""
        by = f" by {annotators} annotators" * (annotators > 1)
        super().__init__(f"{name}: {made} of {asked} made{by}, {why}")
        self.name = name
        self.made = made
        self.asked = asked
        self.why = why
        self.annotators = annotators

    def lacking(self, annotators: int) -> float:
        """Return the share of missing errors among those of this number of annotators."""
        return (self.asked - self.made) * self.annotators / (self.asked * annotators)


@contextmanager
def fewer_errors() -> Iterator[list[FewerErrors]]:
    """Collect `FewerErrors` warnings instead of showing them; in the end, one for each error."""
    told_once: list[FewerErrors] = []
    counts: dict[tuple[str, str], list[tuple[int, int]]] = {}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", FewerErrors)
        yield told_once
    for each in heard:
        if isinstance(warning := each.message, FewerErrors):
            counts.setdefault((warning.name, warning.why), []).append((warning.made, warning.asked))
        else:
            warnings.warn_explicit(warning, each.category, each.filename, each.lineno)
    for (name, why), pairs in counts.items():
        n_made, n_asked = map(sum, zip(*pairs, strict=True))
        told_once.append(FewerErrors(name, n_made, n_asked, why, len(pairs)))


def tell_fewer(name: str, n_made: int, n_asked: int, why: str) -> None:
    """Warn where an error was made less often than asked for."""
    if n_made < n_asked:
        warnings.warn(FewerErrors(name, n_made, n_asked, why), stacklevel=2)


@dataclass(frozen=True)
class Units:
    """Columns of one annotator's units, sorted by start and end; shapes (units,).

    `codes` refer to the setting's categories; −1 is unlabelled. `breaks` are those of a continuum.
    """

    starts: Floats
    ends: Floats
    codes: Codes
    breaks: Breaks | None = None

    @classmethod
    def sort(
        cls, starts: Floats, ends: Floats, codes: Codes, breaks: Breaks | None = None
    ) -> Units:
        """Sort columns into the order of units, and return the units.

        Parameters
        ----------
        starts, ends
            Positions, shape (units,).
        codes
            Categories, of the same shape; −1 is unlabelled.
        breaks
            Boundaries inside the units, or None.
        """
        order = np.lexsort((codes, ends, starts))
        if breaks is None:
            inside = None
        else:
            inside = column(breaks[order])
        return cls(starts[order], ends[order], codes[order], inside)

    def stretched(self, starts: Floats, ends: Floats, *, integer: bool) -> Units:
        """Return the units with new starts and ends; boundaries inside them move in proportion.

        Fragments and gaps are lost if they become too short for whole positions.

        Parameters
        ----------
        starts, ends
            New start and end of each unit.
        integer
            Whether positions are whole numbers.
        """
        if self.breaks is None:
            return Units.sort(starts, ends, self.codes)
        if self.shapes:
            old = np.maximum(self.lengths, 1e-300)
            new = ends - starts
            factors = np.where(self.lengths > 0, new / old, 1.0).tolist()
            sized = [s.times(factor) for s, factor in zip(self.shapes, factors, strict=True)]
            return Units.sort(starts, ends, self.codes, column(sized))
        all_breaks = []
        for breaks, old, new in zip(self.breaks, self.lengths, ends - starts, strict=True):
            if new == old:
                scaled = breaks
            else:
                scaled = [b / old * new for b in breaks]
            edges = [0.0, *(map(round, scaled) if integer else scaled), float(new)]
            parts = zip(edges[::2], edges[1::2], strict=True)
            whole = join((s, e) for s, e in parts if s < e)
            # Stretch the rest over the whole unit, though its first or last fragment may be lost.
            all_breaks.append(breaks_of(((0.0, whole[0][1]), *whole[1:])) if whole else ())
        return Units.sort(starts, ends, self.codes, column(all_breaks))

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.starts)

    @property
    def shapes(self) -> Sequence[Shape]:
        """Return the units' shapes; empty if they have none."""
        rows = () if self.breaks is None else self.breaks.tolist()
        return rows if rows and isinstance(rows[0], Shape) else ()

    @property
    def lengths(self) -> Floats:
        """Return the length of each unit."""
        return self.ends - self.starts

    @property
    def apart(self) -> bool:
        """Return whether no unit overlaps another."""
        return not overlaps(self.starts, self.ends).any()


@dataclass(frozen=True)
class Setting:
    """The model and the reference behind the units.

    Attributes
    ----------
    model
        Reference model, from which new units, prevalence, layout and whole positions come.
    categories
        Names that the units' codes refer to.
    bounds
        Bounds of the reference; errors stay inside them.
    n_units
        x: units of the reference. Numbers of operations are proportional to it.
    """

    model: ReferenceModel
    categories: tuple[str, ...]
    bounds: Bounds
    n_units: int

    @classmethod
    def of(cls, reference: Continuum, model: ReferenceModel) -> Setting:
        """Return the setting of a reference; the model's further categories are appended.

        Raises DataError where the reference has a category that the model lacks, or positions
        that are not whole although the model's are.
        """
        for name in reference.categories:
            if name not in model.category_names:
                raise DataError(
                    f"category {name!r} of the reference is not in the reference model",
                    hint=f"The model has: {', '.join(model.category_names) or 'none'}",
                )
        if model.integer and not reference.whole:
            raise DataError(
                "the reference has positions that are not whole numbers, but the reference "
                "model has integer = true",
                hint="Set integer = false in the model",
            )
        more = (n for n in model.category_names if n not in reference.categories)
        return cls(model, (*reference.categories, *more), reference.bounds, reference.n_units)

    @property
    def integer(self) -> bool:
        """Return whether positions stay whole numbers."""
        return self.model.integer

    @property
    def covering(self) -> bool:
        """Return whether the annotations are segmentations, which errors then keep."""
        return self.model.layout is Layout.COVERING

    @property
    def prevalence(self) -> Floats:
        """Return the prevalence among labelled units by code, shape (categories,), summing to 1.

        The shares are equal if the model has unlabelled units only.
        """
        share = {c.name: c.prevalence for c in self.model.categories}
        shares = np.array([share[name] for name in self.categories], np.float64)
        if not shares.any():
            shares += 1
        shares /= shares.sum()
        return shares

    def draw_units(self, rng: np.random.Generator, size: int) -> tuple[Floats, Codes]:
        """Draw the lengths and category codes of new units from the model, shapes (size,).

        Parameters
        ----------
        rng
            Generator of the random numbers.
        size
            Number of units.
        """
        kinds, lengths = self.model.draw_units(rng, size)
        code: dict[str | None, int] = {name: i for i, name in enumerate(self.categories)}
        code[None] = -1
        codes = np.array([code[c.name] for c in self.model.categories], np.int32)
        return lengths, codes[kinds]


def operations(factor: float, magnitude: float, n_units: int, growth: float = 1.0) -> int:
    """Return round(f·mᵍ·x), halves up: the number of errors at this magnitude.

    >>> operations(5, 0.5, 25), operations(5, 0.5, 25, growth=3)
    (63, 16)
    """
    # The small term keeps products such as 2.4999999999999996 on their true side.
    return math.floor(float(factor * magnitude**growth * n_units) + 0.5 + 1e-9)


def poisson_quantile(quantile: float, mean: float) -> int:
    """Return the least k with P(N ≤ k) ≥ quantile, N of a Poisson distribution; 0 for a mean of 0.

    >>> poisson_quantile(0.5, 4.0), poisson_quantile(0.01, 4.0), poisson_quantile(0.9, 0.0)
    (4, 0, 0)
    """
    from scipy.special import pdtr

    if mean == 0:
        return 0
    ends = np.arange(math.ceil(mean + 12 * math.sqrt(mean) + 12))
    return int(np.searchsorted(pdtr(ends, mean), quantile))


def check_factor(name: str, factor: float, growth: float = 1.0) -> None:
    """Raise UsageError for an invalid factor or growth."""
    if not (math.isfinite(factor) and factor >= 0):
        raise UsageError(f"{name}: factor {factor:g} is not a finite number >= 0")
    if not (math.isfinite(growth) and growth > 0):
        raise UsageError(f"{name}: growth {growth:g} is not a finite number > 0")


@dataclass(frozen=True, kw_only=True)
class CountedError:
    """An error that is made a fixed number of times: round(f·mᵍ·x), or a random one.

    Attributes
    ----------
    factor
        f ≥ 0: how often per unit of the reference at m = 1.
    growth
        g > 0: 1 is "proportional to m", more makes the error rarer at small magnitudes.
    random
        Whether the number is a Poisson one with that mean, for each annotator anew. If all make as
        many errors, measures that do nothing but count units have no noise at all.
    """

    name: ClassVar[str]

    factor: float = 1.0
    growth: float = 1.0
    random: bool = field(default=False, metadata=NEW)

    def __post_init__(self) -> None:
        """Check factor and growth."""
        check_factor(self.name, self.factor, self.growth)

    def quantile(self, rng: np.random.Generator) -> float | None:
        """Draw the quantile of a random number of errors; None if numbers are not random."""
        if self.random:
            return float(rng.random())
        return None

    def times(self, magnitude: float, n_units: int, quantile: float | None) -> int:
        """Return the number of errors at this magnitude: never fewer than at a smaller one.

        Parameters
        ----------
        magnitude
            m.
        n_units
            x: units of the reference.
        quantile
            Result of `quantile`, the same for all magnitudes.
        """
        if quantile is None:
            return operations(self.factor, magnitude, n_units, self.growth)
        return poisson_quantile(quantile, float(self.factor * magnitude**self.growth * n_units))


def uniform_places(u: Floats, low: Floats, high: Floats, *, integer: bool) -> Floats:
    """Map uniform numbers `u` in [0, 1) to places between low and high.

    The same `u` gives similar places for similar ranges, so that magnitudes can share it.

    Parameters
    ----------
    u, low, high
        Random numbers in [0, 1), and the ends of the ranges; all of one shape.
    integer
        Whether the places, both ends included, are whole numbers.
    """
    if not integer:
        return low + u * (high - low)
    low = np.ceil(low)
    high = np.floor(high)
    return np.minimum(low + np.floor(u * (high - low + 1)), high)


def check_segmentation(units: Units, bounds: Bounds, name: str) -> None:
    """Raise DataError, naming the place, where the units do not tile the bounds."""
    edges = np.concatenate(([bounds[0]], units.ends))
    begins = np.append(units.starts, bounds[1])
    if units.breaks is not None:
        what = "units of several fragments, or with shapes,"
        raise DataError(f"{name}: {what} do not tile their bounds")
    rows = np.flatnonzero(edges != begins)
    if len(rows):
        here = sorted((edges[rows[0]], begins[rows[0]]))
        raise DataError(
            f"{name}: the units do not tile their bounds: gap or overlap between {here[0]:g} and "
            f"{here[1]:g}",
            hint="A reference model with layout = covering needs a full segmentation",
        )
