"""One coder's segmentation of one item.

Conventions
-----------
An item is a row of `mass` base units (paragraphs, sentences, tokens). Between them lie `mass − 1`
potential boundaries; potential boundary p comes after the first p units, 1 ≤ p < mass. A
segmentation puts boundaries, each of a type, on some of them; several types may share a place.
Everything below counts boundaries, never base units: its cost does not depend on the mass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gammacp.base.arguments import instance, text
from gammacp.base.arrays import Codes, Indices, freeze
from gammacp.errors import DataError

ONE_TYPE = ("1",)
_LARGEST = 2**53  # as for the positions of a continuum


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Boundaries of one coder in one item; immutable.

    Build it with `from_masses`, `from_positions`, `from_typed`, `from_labels` or `from_string`,
    which check what they are given.

    Attributes
    ----------
    mass
        Number of base units of the item, at least 1.
    positions
        Potential boundaries that carry a boundary, int64, sorted; one entry per boundary, so that
        a place with two types is there twice.
    type_codes
        Type of each boundary, int32, index into `types`.
    types
        All boundary types of the task, including those that this coder did not use: S counts t·mass
        − t potential boundaries (Fournier & Inkpen 2012, eq. 4).
    """

    mass: int
    positions: Indices
    type_codes: Codes
    types: tuple[str, ...] = ONE_TYPE

    @classmethod
    def from_masses(cls, masses: Iterable[int]) -> Segmentation:
        """Build a segmentation from segment masses (2012, Figure 2): positive whole numbers.

        Parameters
        ----------
        masses
            Base units of each segment.

        Raises
        ------
        DataError
            There is none, or one is not a positive whole number.

        >>> Segmentation.from_masses([2, 3, 6]).positions.tolist()
        [2, 5]
        """
        values = list(masses)
        if not values:
            raise DataError("a segmentation has no segment", hint="Give at least one mass")
        for mass in values:
            if not _whole(mass):
                raise DataError(f"mass {mass!r} is not a whole number")
            if mass <= 0:
                raise DataError(
                    f"mass {mass} is not positive", hint="A segment has at least one base unit"
                )
        _check_largest(sum(values))
        ends = np.cumsum(np.array(values, np.int64))
        return cls._with_one_type(int(ends[-1]), ends[:-1])

    @classmethod
    def from_positions(cls, positions: Iterable[int], *, mass: int) -> Segmentation:
        """Build a segmentation from positions: p is the boundary after the first p base units.

        >>> Segmentation.from_positions([5, 2], mass=11).masses
        (2, 3, 6)
        """
        return cls.from_typed({ONE_TYPE[0]: positions}, mass=mass, types=ONE_TYPE)

    @classmethod
    def from_typed(
        cls,
        positions: Mapping[str, Iterable[int]],
        *,
        mass: int,
        types: Sequence[str] | None = None,
    ) -> Segmentation:
        """Build a segmentation from positions per type; `types` are all types of the task.

        Parameters
        ----------
        positions
            For each type, the numbers of base units after which it has boundaries.
        mass
            Base units of the item, ≥ 1.

        Raises
        ------
        DataError
            The mass is not positive, or a boundary is outside the item or given twice.

        >>> s = Segmentation.from_typed({"major": [3], "minor": [3, 7]}, mass=9)
        >>> s.types, s.n_boundaries
        (('major', 'minor'), 3)
        """
        if not _whole(mass) or mass <= 0:
            raise DataError(f"mass {mass!r} of an item is not a positive whole number")
        _check_largest(mass)
        if types is None:
            type_names = tuple(sorted(positions))
        else:
            type_names = tuple(types)
        _check_types(type_names, positions)
        rows = sorted(
            (p, type_names.index(name))
            for name, ps in positions.items()
            for p in _checked_positions(ps, mass)
        )
        for row, following in pairwise(rows):
            if row == following:
                raise DataError(f"boundary {row[0]} of type {type_names[row[1]]!r} is given twice")
        columns = np.array(rows, np.int64).reshape(-1, 2)
        return cls._seal(mass, columns[:, 0].copy(), columns[:, 1].astype(np.int32), type_names)

    @classmethod
    def from_labels(cls, labels: Sequence[object]) -> Segmentation:
        """Build a segmentation from labels of base units; a boundary is where the label changes.

        Parameters
        ----------
        labels
            Labels that can be compared for equality, one per base unit.

        Raises
        ------
        DataError
            There is none.

        >>> Segmentation.from_labels([1, 1, 2, 2, 2, 3]).masses
        (2, 3, 1)
        """
        if not labels:
            raise DataError("a segmentation has no base unit", hint="Give a label for each of them")
        changes = [p for p in range(1, len(labels)) if labels[p] != labels[p - 1]]
        return cls._with_one_type(len(labels), np.array(changes, np.int64))

    @classmethod
    def from_string(cls, string: str, *, boundary: str = "1") -> Segmentation:
        """Build a segmentation from an nltk string: one character per potential boundary.

        Parameters
        ----------
        string
            mass − 1 characters: `boundary` for boundaries, and one other character.
        boundary
            The character that stands for a boundary.

        Raises
        ------
        DataError
            There are more than two characters.

        >>> Segmentation.from_string("0100100000").masses
        (2, 3, 6)
        """
        others = set(text("a boundary string", string)) - {boundary}
        if len(others) > 1:
            raise DataError(
                f"a boundary string has {len(others)} characters beside {boundary!r}: "
                f"{', '.join(map(repr, sorted(others)))}",
                hint="One character stands for a boundary and one for none",
            )
        marks = [p for p, mark in enumerate(string, start=1) if mark == boundary]
        return cls._with_one_type(len(string) + 1, np.array(marks, np.int64))

    @classmethod
    def _with_one_type(cls, mass: int, positions: Indices) -> Segmentation:
        return cls._seal(mass, positions, np.zeros(len(positions), np.int32), ONE_TYPE)

    @classmethod
    def _seal(
        cls, mass: int, positions: Indices, type_codes: Codes, types: tuple[str, ...]
    ) -> Segmentation:
        freeze(positions)
        freeze(type_codes)
        return cls(mass, positions, type_codes, types)

    def __eq__(self, other: object) -> bool:
        """Return whether mass, types and boundaries are equal."""
        if not isinstance(other, Segmentation):
            return NotImplemented
        return (
            self.mass == other.mass
            and self.types == other.types
            and np.array_equal(self.positions, other.positions)
            and np.array_equal(self.type_codes, other.type_codes)
        )

    def __hash__(self) -> int:
        """Return a hash that is consistent with `==`."""
        return hash((self.mass, self.types, self.positions.tobytes(), self.type_codes.tobytes()))

    def __repr__(self) -> str:
        """Return the masses, and the types where there are several."""
        if len(self.types) == 1:
            types = ""
        else:
            types = f", types={self.types}"
        if self.n_segments > 12:
            return f"Segmentation({self.n_segments} segments, mass {self.mass}{types})"
        return f"Segmentation({list(self.masses)}{types})"

    @cached_property
    def places(self) -> Indices:
        """Potential boundaries with a boundary of any type, each once, sorted."""
        if len(self.types) > 1:
            places = np.unique(self.positions)
        else:
            places = self.positions
        freeze(places)
        return places

    @property
    def masses(self) -> tuple[int, ...]:
        """Segment masses; types do not count."""
        edges = np.concatenate(([0], self.places, [self.mass]))
        return tuple(np.diff(edges).tolist())

    @property
    def n_boundaries(self) -> int:
        """Boundaries of all types."""
        return len(self.positions)

    @property
    def n_segments(self) -> int:
        """Segments: one more than places with a boundary."""
        return len(self.places) + 1

    @property
    def potential_boundaries(self) -> int:
        """PB = t·(mass − 1), the denominator of S (2012, eq. 4)."""
        return len(self.types) * (self.mass - 1)

    def of_type(self, name: str) -> Indices:
        """Positions of the boundaries of one type.

        Parameters
        ----------
        name
            Name of the type.
        """
        _check_types(self.types, (name,))
        positions: Indices = self.positions[self.type_codes == self.types.index(name)]
        return positions

    def to_string(self, *, boundary: str = "1", none: str = "0") -> str:
        """Return the nltk string: one character per potential boundary.

        Parameters
        ----------
        boundary, none
            The characters for a boundary and for none.

        >>> Segmentation.from_masses([2, 3, 6]).to_string()
        '0100100000'
        """
        marks = [none] * (self.mass - 1)
        for p in self.places:
            marks[p - 1] = boundary
        return "".join(marks)

    def with_types(self, types: Sequence[str]) -> Segmentation:
        """Return the same boundaries with a list of types, which must include all used ones."""
        used = {self.types[code] for code in np.unique(self.type_codes)}
        _check_types(tuple(types), used)
        code = np.array([types.index(n) if n in used else -1 for n in self.types], np.int32)
        codes = code[self.type_codes]
        order = np.lexsort((codes, self.positions))
        return self._seal(self.mass, self.positions[order], codes[order], tuple(types))


def check_comparable(a: Segmentation, b: Segmentation) -> None:
    """Raise a DataError unless both segment the same item with the same boundary types."""
    for side in (a, b):
        instance("a segmentation", side, Segmentation, "a Segmentation")
    if a.mass != b.mass:
        raise DataError(
            f"segmentations of masses {a.mass} and {b.mass} cannot be of one item",
            hint="All coders of an item must cover the same base units",
        )
    if a.types != b.types:
        raise DataError(
            f"boundary types {', '.join(a.types)} and {', '.join(b.types)} differ",
            hint="Declare the same types for both",
        )


def _check_types(type_names: tuple[str, ...], used: Iterable[str]) -> None:
    if not type_names:
        raise DataError("no boundary types are declared")
    if len(set(type_names)) != len(type_names):
        raise DataError(f"boundary types {', '.join(type_names)} name one type twice")
    for name in sorted(set(used) - set(type_names)):
        raise DataError(
            f"boundary type {name!r} is unknown", hint=f"There are: {', '.join(type_names)}"
        )


def _check_largest(mass: int) -> None:
    if mass > _LARGEST:
        raise DataError(
            f"mass {mass} is beyond 2^53 and cannot be kept exactly", hint="Count in larger units"
        )


def _checked_positions(positions: Iterable[int], mass: int) -> list[int]:
    values = list(positions)
    for p in values:
        if not _whole(p):
            raise DataError(f"boundary {p!r} is not a whole number")
        if not 1 <= p < mass:
            raise DataError(
                f"boundary {p} is outside 1 to {mass - 1}",
                hint="A boundary stands after that many base units, inside the item",
            )
    return [int(p) for p in values]


def _whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
