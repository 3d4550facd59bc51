"""A unit, and the declarations of a continuum in addition to its units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from gammacp.continuum.columns import Bounds
from gammacp.continuum.fragments import Fragments
from gammacp.continuum.grid import Grid
from gammacp.continuum.label import label_json
from gammacp.continuum.links import Link
from gammacp.continuum.shapes import Shape, box
from gammacp.errors import DataError


class Declared(TypedDict, total=False):
    """Declarations of a continuum in addition to its units: see `Continuum.from_columns`."""

    annotators: Sequence[str] | None
    categories: Sequence[str] | None
    bounds: Bounds | None
    name: str
    offset_unit: str
    text: str | None
    links: Iterable[Link]
    read_until: Mapping[str, float] | None
    grid: Grid | None
    markable: Iterable[Sequence[float]] | None


@dataclass(frozen=True, slots=True)
class Unit:
    """Unit that one annotator marked: where it starts and ends, and what it is.

    Positions count in the continuum's offset unit; `start == end` is a zero-length unit;
    `category` is None for an unlabelled unit, a `Label` for one with features beside it.
    `fragments`, (start, end) of each, is empty for a unit of one piece; otherwise the first begins
    at `start` and the last ends at `end`. `shape` says where it is on further axes; `start` and
    `end` are then its extent on the first. `id` is the name by which links know the unit, of which
    an annotator has no other in the continuum; "" for none.
    """

    annotator: str
    start: float
    end: float
    category: str | None = None
    fragments: Fragments = ()
    shape: Shape | None = None
    id: str = ""

    @classmethod
    def box(cls, annotator: str, *extents: Sequence[float], category: str | None = None) -> Unit:
        """Return a box along the axes.

        Parameters
        ----------
        annotator, category
            Names.
        extents
            (low, high) on each axis.

        >>> Unit.box("Ann", (0, 20), (5, 9), category="cat").json["shape"]
        {'box': [[0.0, 20.0], [5.0, 9.0]]}
        """
        (start, end), shape = box(*extents)
        return cls(annotator, start, end, category, shape=shape)

    def __post_init__(self) -> None:
        """Raise a DataError if the unit ends before it starts; non-numbers are reported later."""
        numbers = isinstance(self.start, int | float) and isinstance(self.end, int | float)
        if numbers and self.end < self.start:
            raise DataError(
                f"unit of annotator {self.annotator!r} has end {self.end} < start {self.start}",
                hint="Give the start first",
            )

    def __repr__(self) -> str:
        """Return the code that makes the unit, without arguments that it does not need.

        >>> Unit("Ann", 1, 2, "x")
        Unit('Ann', 1, 2, 'x')
        """
        rest = (f", {n}={v!r}" for n in ("fragments", "shape", "id") if (v := getattr(self, n)))
        required = f"{self.annotator!r}, {self.start!r}, {self.end!r}, {self.category!r}"
        return f"Unit({required}{''.join(rest)})"

    @property
    def length(self) -> float:
        """`end − start`, never negative."""
        return self.end - self.start

    @property
    def json(self) -> dict[str, object]:
        """JSON of place and label: `start`, `end`, `category`, and further fields that are set."""
        if self.id:
            inside: dict[str, object] = {"unit": self.id}
        else:
            inside = {}
        if self.fragments:
            inside["fragments"] = [[*f] for f in self.fragments]
        if self.shape:
            inside["shape"] = self.shape.json(self.start, self.end)
        return {"start": self.start, "end": self.end, **inside, **label_json(self.category)}
