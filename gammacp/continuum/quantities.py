"""Quantities that follow from the columns of a continuum."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from gammacp.base.arrays import Cached, Codes, Floats, Indices, freeze
from gammacp.continuum.about import Described
from gammacp.continuum.columns import Bounds, check_known
from gammacp.continuum.fragments import Breaks, Inside, Shapes
from gammacp.continuum.label import feature_names, features_of
from gammacp.continuum.shapes import extents_of

_TIMES = ("s", "ms", "seconds", "milliseconds", "minutes", "hours", "frames", "samples")


class Quantities(Described):
    """Counts, lengths, kinds and features of a continuum's units.

    Attributes
    ----------
    annotators, categories, starts, ends, annotator_codes, category_codes, bounds, breaks, shapes
        As in `Continuum`.
    """

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes
    bounds: Bounds
    breaks: Breaks | None
    shapes: Shapes | None

    @property
    def n_units(self) -> int:
        """Number of units of all annotators."""
        return len(self.starts)

    @property
    def n_annotators(self) -> int:
        """Number of annotators, those without units included."""
        return len(self.annotators)

    @property
    def mean_units(self) -> float:
        """x̄: units per annotator."""
        if self.annotators:
            return self.n_units / self.n_annotators
        return 0.0

    @property
    def length(self) -> float:
        """L: length of the continuum between its bounds."""
        return self.bounds[1] - self.bounds[0]

    @property
    def whole(self) -> bool:
        """True if all starts, ends, bounds and boundaries of fragments are whole numbers."""
        if self.breaks is None:
            inside = []
        else:
            inside = [x for b in self.breaks for x in b]
        positions = (self.starts, self.ends, self.bounds, inside)
        return not any((np.asarray(x) % 1).any() for x in positions)

    @property
    def declared(self) -> bool:
        """True if the bounds differ from the extent of the units."""
        if self.n_units:
            extent = (self.starts.min(), self.ends.max())
        else:
            extent = (0.0, 0.0)
        return self.bounds != extent

    @property
    def inside(self) -> Inside | None:
        """Breaks or shapes, for code that treats both alike; None if every unit is of one piece."""
        if self.shapes is None:
            return self.breaks
        return self.shapes

    @property
    def n_broken(self) -> int:
        """Number of units of several fragments."""
        if self.breaks is None:
            return 0
        return sum(map(bool, self.breaks))

    @property
    def axes(self) -> int:
        """Number of axes of the units: 1, or that of their shapes."""
        return 1 if self.shapes is None else self.shapes[0].axes

    @property
    def in_space(self) -> bool:
        """True if there are shapes and the offset unit shows that the first axis is not time."""
        return self.shapes is not None and self.offset_unit not in _TIMES

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of shapes that units have; empty without shapes."""
        if self.shapes is None:
            return frozenset()
        return frozenset(s.kind for s in self.shapes)

    @cached_property
    def extents(self) -> Floats:
        """Low and high of each unit on each further axis, shape (units, 2·(axes − 1))."""
        if self.shapes is None:
            extents = np.zeros((self.n_units, 0))
        else:
            extents = extents_of(self.shapes)
        freeze(extents)
        return extents

    @Cached
    def lengths(self) -> Floats:
        """Length of each unit, from its start to its end."""
        lengths = self.ends - self.starts
        freeze(lengths)
        return lengths

    @Cached
    def offsets(self) -> Indices:
        """Units of annotator a are rows `offsets[a]:offsets[a + 1]`; shape (annotators + 1,)."""
        offsets: Indices = self.annotator_codes.searchsorted(np.arange(self.n_annotators + 1))
        freeze(offsets)
        return offsets

    @property
    def counts(self) -> Indices:
        """Units per annotator, shape (annotators,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def read(self, annotator: str) -> float:
        """Return the position up to which an annotator read; by default, the end.

        Parameters
        ----------
        annotator
            Name.
        """
        return dict(self.read_until).get(annotator, self.bounds[1])

    def text_between(self, start: float, end: float) -> str | None:
        """Return the text between two positions; None if positions do not count its characters.

        Parameters
        ----------
        start, end
            Positions, in code points of the text.
        """
        if self.text is None or self.offset_unit not in ("", "characters"):
            return None
        return self.text[max(0, math.floor(start)) : max(0, math.ceil(end))]

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that units have beside their category."""
        return feature_names(self.categories)

    def feature(self, name: str) -> list[str | None]:
        """Return the value of a feature for each unit; None for a unit without it.

        Parameters
        ----------
        name
            One of `features`.
        """
        check_known([name], self.features, "feature")
        values = [*(features_of(label).get(name) for label in self.categories), None]
        return [values[code] for code in self.category_codes]
