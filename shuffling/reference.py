"""The statistical model that reference annotations are drawn from (2015, §6.3.1).

"A reference corpus is built, with respect to a statistical model, which defines the number of
categories, their prevalence, the minimum and maximum length for each category, and so forth."
The paper leaves numbers, lengths and gaps open. Their defaults here are one configuration for all
figures of §6.3: `ReferenceModel()`, with its `covering()` and `fixed()`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Floats, Indices
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from shuffling import placement
from shuffling.distribution import Distribution, Uniform
from shuffling.placement import Layout

REFERENCE = "reference"
"""The annotator's name in a drawn reference."""


@dataclass(frozen=True, kw_only=True)
class CategoryModel:
    """A category: its share of the units and its lengths.

    Parameters
    ----------
    name
        None stands for unlabelled units.
    prevalence
        Probability that a unit has this category, in [0, 1].
    lengths
        Distribution of unit lengths, in positions, ≥ 0.
    """

    name: str | None
    prevalence: float
    lengths: Distribution

    @property
    def key(self) -> str:
        """Return the key of the category in a model file, for messages."""
        if self.name is None:
            return "unlabelled"
        return f"categories.{self.name}"


_LENGTHS = Uniform(50, 150)
_GAPS = Uniform(0, 50)
_CATEGORIES = tuple(
    CategoryModel(name=name, prevalence=prevalence, lengths=_LENGTHS)
    for name, prevalence in (("A", 0.4), ("B", 0.3), ("C", 0.2), ("D", 0.1))
)


@dataclass(frozen=True, kw_only=True)
class ReferenceModel:
    """Model that references, false positives and confusions are drawn from.

    Parameters
    ----------
    n_units
        Units of a reference, ≥ 1; default 25.
    categories
        At least one; prevalences sum to 1. Default: A .4, B .3, C .2, D .1, lengths 50–150 each.
    gaps
        Gaps between neighbours, before the first and after the last unit, in positions; default
        0–50. Negative gaps (overlaps) only where the layout is `overlapping`; not used where it
        is `covering`.
    layout
        `apart` (default), `overlapping`, `covering` (segmentation) or `fixed` (pure
        categorisation: one length and one gap, so that every reference has the same positions).
    length
        Length of the continuum; None (default): as long as units and gaps are together.
    integer
        Whether positions are whole numbers (default); errors then keep them whole too.

    Raises
    ------
    DataError
        The model contradicts itself; the message names the key.
    """

    n_units: int = 25
    categories: tuple[CategoryModel, ...] = _CATEGORIES
    gaps: Distribution = _GAPS
    layout: Layout = Layout.APART
    length: float | None = None
    integer: bool = True

    def __post_init__(self) -> None:
        """Raise DataError if the parameters contradict each other."""
        if self.n_units < 1:
            raise DataError(f"units = {self.n_units}: a reference needs at least one unit")
        _check_categories(self.categories)
        if self.integer:
            self._check_whole()
        if self.layout is not Layout.OVERLAPPING and self.gaps.minimum < 0:
            raise DataError(
                f"gaps: minimum {self.gaps.minimum:g} < 0 makes units overlap",
                hint='Set layout = "overlapping" or raise the minimum',
            )
        if self.layout is Layout.FIXED:
            self._check_fixed()
        if self.length is not None:
            self._check_fit(self.length)

    def laid_out(self, layout: str) -> ReferenceModel:
        """Return the same model with another layout, by name; UsageError for an unknown name.

        `covering` is a segmentation, whose units tile the continuum (2015, §6.3.2).
        """
        one_of("layout", layout, Layout)
        if layout == Layout.FIXED:
            return self.fixed()
        return replace(self, layout=Layout(layout))

    def fixed(self, *, length: float | None = None, gap: float | None = None) -> ReferenceModel:
        """Return the same model for pure categorisation: equal units, equal gaps (2015, §6.3.3).

        Default: the mean length over categories and the mean gap, whole if `integer`.
        """
        mean = sum(c.prevalence * c.lengths.mean for c in self.categories)
        if length is None:
            size = self._round(mean)
        else:
            size = length
        if gap is None:
            between = self._round(self.gaps.mean)
        else:
            between = gap
        equal = tuple(replace(c, lengths=Uniform(size, size)) for c in self.categories)
        return replace(
            self, categories=equal, gaps=Uniform(between, between), layout=Layout.FIXED, length=None
        )

    def _round(self, value: float) -> float:
        if self.integer:
            return float(math.floor(value + 0.5))
        return value

    @property
    def category_names(self) -> tuple[str, ...]:
        """Return the names of the categories in declared order, without unlabelled."""
        return tuple(c.name for c in self.categories if c.name is not None)

    @property
    def prevalence(self) -> Floats:
        """Return the prevalences of `categories`, shape (categories,), summing to 1."""
        shares = np.array([c.prevalence for c in self.categories], np.float64)
        shares /= shares.sum()
        return shares

    def draw(self, rng: np.random.Generator) -> Continuum:
        """Draw a reference: `n_units` units by one annotator, "reference".

        Categories are drawn independently by prevalence, then a length for each, then the gaps. The
        bounds run from 0 to the end of the last gap.

        Parameters
        ----------
        rng
            Generator of the random numbers; nothing else is random.
        """
        kinds, lengths = self.draw_units(rng, self.n_units)
        starts, ends, end = self._place(kinds, lengths, rng)
        names = self.category_names
        codes = np.array([-1 if c.name is None else names.index(c.name) for c in self.categories])
        return Continuum.from_codes(
            (REFERENCE,),
            names,
            starts,
            ends,
            np.zeros(len(starts), np.int32),
            codes[kinds].astype(np.int32),
            bounds=(0.0, end),
        )

    def draw_units(self, rng: np.random.Generator, size: int) -> tuple[Indices, Floats]:
        """Draw categories (rows of `categories`) and lengths of new units, shapes (size,).

        Parameters
        ----------
        rng
            Generator of the random numbers.
        size
            Number of units.
        """
        kinds = rng.choice(len(self.categories), size=size, p=self.prevalence)
        lengths = np.zeros(size)
        for kind, category in enumerate(self.categories):
            rows = np.flatnonzero(kinds == kind)
            lengths[rows] = category.lengths.draw(rng, len(rows), integer=self.integer)
        return kinds, lengths

    def _place(self, kinds: Indices, lengths: Floats, rng: np.random.Generator) -> placement.Placed:
        shortest = np.array([c.lengths.minimum for c in self.categories])[kinds]
        longest = np.array([c.lengths.maximum for c in self.categories])[kinds]
        if self.layout is Layout.COVERING:
            return placement.covering(lengths, shortest, longest, self.length)
        gaps = self.gaps.draw(rng, len(lengths) + 1, integer=self.integer)
        if self.layout is Layout.OVERLAPPING:
            return placement.overlapping(lengths, gaps, self.length, rng)
        return placement.apart(lengths, shortest, gaps, self.gaps.minimum, self.length)

    def _check_whole(self) -> None:
        parts = [(c.key, c.lengths) for c in self.categories] + [("gaps", self.gaps)]
        for key, distribution in parts:
            if not distribution.whole:
                raise DataError(
                    f"{key}: values are not all whole numbers, but integer = true",
                    hint="Round them or set integer = false",
                )
        if self.length is not None and self.length % 1:
            raise DataError(f"length = {self.length:g} is not whole, but integer = true")

    def _check_fixed(self) -> None:
        sizes = {v for c in self.categories for v in (c.lengths.minimum, c.lengths.maximum)}
        if len(sizes) > 1:
            raise DataError(
                "categories have different lengths, but layout = fixed needs one",
                hint="Give every category the same minimum and maximum length",
            )
        if self.gaps.minimum != self.gaps.maximum:
            raise DataError("gaps: minimum and maximum differ, but layout = fixed needs one gap")

    def _check_fit(self, length: float) -> None:
        if not (math.isfinite(length) and length >= 0):
            raise DataError(f"length = {length:g} is not a length")
        occurring = [c for c in self.categories if c.prevalence > 0]
        if self.layout is Layout.OVERLAPPING:
            long = max(occurring, key=lambda c: c.lengths.maximum)
            if long.lengths.maximum > length:
                raise DataError(
                    f"{long.key}: maximum length {long.lengths.maximum:g} does not fit into "
                    f"length = {length:g}"
                )
            return
        largest = max(occurring, key=lambda c: c.lengths.minimum)
        if self.layout is Layout.COVERING:
            gap = 0.0
        else:
            gap = self.gaps.minimum
        least = self.n_units * largest.lengths.minimum + (self.n_units + 1) * gap
        if least > length:
            raise DataError(
                f"units do not fit: {self.n_units} units of {largest.key} and the least gaps need "
                f"{least:g}, length = {length:g}",
                hint="Raise length, or lower units, minimum lengths or the minimum gap",
            )
        if self.layout is Layout.COVERING:
            smallest = min(occurring, key=lambda c: c.lengths.maximum)
            most = self.n_units * smallest.lengths.maximum
            if most < length:
                raise DataError(
                    f"units do not cover: {self.n_units} units of {smallest.key} reach at most "
                    f"{most:g}, length = {length:g}",
                    hint="Lower length, or raise units or maximum lengths",
                )
        if self.layout is Layout.FIXED and least != length:
            raise DataError(
                f"units and gaps add up to {least:g}, length = {length:g}, where layout = fixed",
                hint="Leave length out",
            )


def _check_categories(categories: tuple[CategoryModel, ...]) -> None:
    if not categories:
        raise DataError("categories: there are none")
    names = [c.name for c in categories]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"categories: {name!r} is declared twice")
    for c in categories:
        if not 0 <= c.prevalence <= 1:
            raise DataError(f"{c.key}: prevalence {c.prevalence:g} is outside [0, 1]")
        if c.lengths.minimum < 0:
            raise DataError(f"{c.key}: minimum length {c.lengths.minimum:g} < 0")
    total = sum(c.prevalence for c in categories)
    if not math.isclose(total, 1, abs_tol=1e-6):
        raise DataError(f"categories: prevalences sum to {total:g}, not to 1")
