"""The `Continuum`: one text or recording with the units of all annotators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gammacp.base.arguments import instance
from gammacp.base.arrays import Codes, Floats, freeze
from gammacp.base.text import counted
from gammacp.continuum.about import About
from gammacp.continuum.columns import (
    Bounds,
    checked_bounds,
    encode_units,
    sort_columns,
)
from gammacp.continuum.fragments import Breaks, Inside, Shapes, column, fragments_of
from gammacp.continuum.grid import Grid
from gammacp.continuum.links import Ids, Link, Linked, check_links, rows_of_links
from gammacp.continuum.quantities import Quantities
from gammacp.continuum.shapes import Shape, at_place
from gammacp.continuum.unit import Declared, Unit

if TYPE_CHECKING:
    from pandas import DataFrame

_ABOUT = About()


@dataclass(frozen=True, eq=False)
class Continuum(Quantities):
    """One text or recording with the units of all annotators; immutable.

    Build it with `from_units`, `from_columns` or `from_frame`: they sort, encode and check.
    `gammacp.continuum.selecting`, `renaming`, `reshaping` and `declaring` make changed copies.

    Attributes
    ----------
    annotators, categories
        Names; a unit refers to them by code. Annotators without any unit are listed too. Where
        units have features, `categories` are their different labels (`Label`).
    starts, ends
        Positions, shape (units,), sorted by annotator, start, end, category.
    annotator_codes, category_codes
        int32, shape (units,); category −1 is "unlabelled".
    bounds
        Beginning and end of the continuum; by default the first start and the last end.
    breaks
        Boundaries inside units of several fragments (`gammacp.continuum.fragments`); None where
        every unit is of one piece, or has a shape.
    shapes
        Shapes of all units, points of outlines counted from each one's start
        (`gammacp.continuum.shapes`); None where they have none.
    ids, links
        Ids of units (None where none has an id), and the links between them, by id
        (`gammacp.continuum.links`).
    about
        Name, offset unit, text, selection, …, which are properties, too.
    """

    applies_to = "continuum"

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes
    bounds: Bounds
    breaks: Breaks | None = None
    shapes: Shapes | None = None
    ids: Ids | None = None
    links: tuple[Link, ...] = ()
    about: About = _ABOUT

    def __post_init__(self) -> None:
        """Make the columns read-only; the kernels are compiled for read-only arrays."""
        for array in (self.starts, self.ends, self.annotator_codes, self.category_codes):
            freeze(array)
        if self.ids is not None:
            freeze(self.ids)

    @classmethod
    def from_units(cls, units: Iterable[Unit], **declared: Unpack[Declared]) -> Continuum:
        """Build a continuum of units; other arguments (`offset_unit`, …) as for `from_columns`.

        >>> c = Continuum.from_units([Unit("Ann", 2, 9, "a"), Unit("Bob", 3, 9, "a")])
        >>> c.annotators, c.bounds, c.n_units
        (('Ann', 'Bob'), (2.0, 9.0), 2)
        """
        rows = list(units)
        for row in rows:
            instance("an entry of units", row, Unit, "a Unit")
        return cls.from_columns(
            [u.annotator for u in rows],
            [u.category for u in rows],
            [u.start for u in rows],
            [u.end for u in rows],
            fragments=[u.fragments for u in rows] if any(u.fragments for u in rows) else None,
            shapes=[u.shape for u in rows] if any(u.shape for u in rows) else None,
            ids=[u.id for u in rows],
            **declared,
        )

    @classmethod
    def from_columns(
        cls,
        annotator: Sequence[str],
        category: Sequence[str | None],
        start: Sequence[float] | Floats,
        end: Sequence[float] | Floats,
        *,
        fragments: Sequence[Iterable[Sequence[float]]] | None = None,
        shapes: Sequence[Shape | None] | None = None,
        ids: Sequence[str] | None = None,
        links: Iterable[Link] = (),
        annotators: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        bounds: Bounds | None = None,
        name: str = "",
        offset_unit: str = "",
        text: str | None = None,
        read_until: Mapping[str, float] | None = None,
        grid: Grid | None = None,
        markable: Iterable[Sequence[float]] | None = None,
    ) -> Continuum:
        """Build a continuum from four columns of equal length, in any row order.

        Parameters
        ----------
        annotator, category, start, end
            One entry per unit.
        fragments
            For each unit the (start, end) of its fragments; empty for a unit of one piece.
            Fragments that touch are joined.
        shapes
            Shape of each unit; all have the same number of axes.
        ids
            Id of each unit, "" for none.
        links
            Links between units, which they name by id.
        annotators, categories
            Declared names, also those without units, in the order to keep (for categories, that of
            ordinal distances). Names that occur but are not declared are appended, sorted.
        bounds
            Default: first start and last end; (0, 0) when there is no unit.
        name, offset_unit, text
            Name of the continuum, unit of its positions ("ms", "s", …), and the text that they
            count in, if there is one.
        read_until
            By annotator who did not read to the end, the position reached.
        grid
            Grid that all boundaries lie on.
        markable
            (start, end) of each stretch in which something can be marked.

        Raises
        ------
        DataError
            A position is not finite, an end lies before its start, a unit lies outside the
            bounds, an integer is too large to be kept exactly, fragments are empty, overlap or do
            not reach from the unit's start to its end, some units have no shape, other axes, or
            fragments beside it, two units of an annotator have one id, or a link ends at none.
        UsageError
            Columns have different lengths, or a name is not text.
        """
        units = encode_units(
            annotator,
            category,
            start,
            end,
            fragments=fragments,
            shapes=shapes,
            annotators=annotators,
            categories=categories,
        )
        named = column(ids or ())
        continuum = cls.from_codes(
            *units[:6],
            inside=units.inside,
            ids=named,
            links=check_links(links, annotator, named),
            bounds=bounds,
            about=About(name, offset_unit, text),
        )
        return _declare(continuum, read_until, grid, markable)

    @classmethod
    def from_codes(
        cls,
        annotators: tuple[str, ...],
        categories: tuple[str, ...],
        starts: Floats,
        ends: Floats,
        annotator_codes: Codes,
        category_codes: Codes,
        *,
        inside: Inside | None = None,
        ids: Ids | None = None,
        links: tuple[Link, ...] = (),
        bounds: Bounds | None = None,
        about: About = _ABOUT,
    ) -> Continuum:
        """Build a continuum from columns that are already encoded and known to be valid.

        For generators of random continua: positions are not checked again, only sorted.

        Parameters
        ----------
        annotators, categories
            Names, in the order that the codes count.
        starts, ends
            Positions, float64, shape (units,).
        annotator_codes, category_codes
            int32, shape (units,); category −1 is unlabelled.
        inside
            Breaks of the units, or their shapes, or None.
        ids, links
            Ids of units, or None, and links by those ids.
        bounds
            As for `from_columns`.
        about
            Name, offset unit, text, ….
        """
        columns = sort_columns(starts, ends, annotator_codes, category_codes, inside, ids)
        checked = checked_bounds(bounds, columns["starts"], columns["ends"])
        return cls(annotators, categories, **columns, bounds=checked, links=links, about=about)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        features: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
        **declared: Unpack[Declared],
    ) -> Continuum:
        """Build a continuum from a data frame with columns annotator, category, start, end.

        Any frame whose columns are sequences will do (pandas, polars, a dict of lists), and with
        the extra `parquet` whatever has `__arrow_c_stream__` (`gammacp.read_table` reads many
        documents of it). A missing category (None, NaN, NA) is an unlabelled unit; the category
        column may be absent. Columns may have the names that they may have in CSV: coder, label,
        begin, onset, …; one of durations may stand for the end. A column `fragments` has
        (start, end) of each fragment, a column `shape` what `Shape.json` says. The other arguments
        as for `from_columns`.

        Parameters
        ----------
        frame
            One row per unit.
        features
            Further columns that are features beside the category.
        columns
            The column of each role, where its name is not one of those: `{"start": "from"}`.

        Raises
        ------
        DataError
            A column is missing, a row lacks annotator, start or end (the row is named), or as for
            `from_columns`.
        """
        from gammacp.continuum.frame import columns_of_frame

        return cls.from_columns(**columns_of_frame(frame, features, columns), **declared)

    def to_frame(self) -> DataFrame:
        """Return a pandas data frame with columns annotator, category, start, end and features.

        Units of several fragments have them in a column `fragments`, shapes are in a column
        `shape`.

        Raises
        ------
        UsageError
            A feature is called `fragments`, and there are units of several fragments; or `shape`,
            and they have shapes.
        """
        from gammacp.continuum.frame import frame_of

        return frame_of(self)

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("continuum", self)

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.starts)

    def __iter__(self) -> Iterator[Unit]:
        """Iterate over the units in column order."""
        return (self.unit(i) for i in range(self.n_units))

    def __eq__(self, other: object) -> bool:
        """Compare names, units, bounds, grid, stretches and `read_until`, but no other metadata."""
        if not isinstance(other, Continuum):
            return NotImplemented
        names = ("annotators", "categories", "bounds", "read_until", "grid", "markable")
        columns = ("starts", "ends", "annotator_codes", "category_codes")
        inside = [None if c.inside is None else c.inside.tolist() for c in (self, other)]
        return (
            all(getattr(self, n) == getattr(other, n) for n in names)
            and all(np.array_equal(getattr(self, c), getattr(other, c)) for c in columns)
            and inside[0] == inside[1]
            and (not (self.links or other.links) or self.link_rows.rows == other.link_rows.rows)
        )

    def __hash__(self) -> int:
        """Return a hash that is consistent with `==`."""
        text = self.bounds, self.read_until, self.grid, self.markable
        return hash((self.annotators, self.categories, *text, self.starts.tobytes()))

    def __repr__(self) -> str:
        """Return the size in one line."""
        if self.name:
            label = f"{self.name!r}, "
        else:
            label = ""
        lo, hi = self.bounds
        return (
            f"Continuum({label}{counted(self.n_annotators, 'annotator')}, "
            f"{counted(self.n_units, 'unit')}, {counted(len(self.categories), 'category')}, "
            f"bounds {lo:g}:{hi:g})"
        )

    def with_about(self, **changes: Any) -> Continuum:
        """Return a copy with other statements about the units.

        Parameters
        ----------
        changes
            Attributes of `About`.

        >>> Continuum.from_units([Unit("Ann", 2, 9)]).with_about(name="tale").name
        'tale'
        """
        return replace(self, about=replace(self.about, **changes))

    def noting(self, key: str, *values: str) -> Continuum:
        """Return a copy with the entry `key=values` added to `selection`.

        Parameters
        ----------
        key
            Key of the selection.
        values
            Selected values.
        """
        return replace(self, about=self.about.noting(key, *values))

    def in_cluster(self, name: str) -> Continuum:
        """Return a copy that belongs to a cluster of documents that are not independent.

        Parameters
        ----------
        name
            Name of the author, patient, video, … that they have in common.
        """
        return self.with_about(cluster=name)

    def with_weight(self, weight: float) -> Continuum:
        """Return a copy with a weight (see `gammacp.continuum.declaring.declare_weight`).

        Parameters
        ----------
        weight
            Number of documents of the population, > 0.
        """
        from gammacp.continuum.declaring import declare_weight

        return declare_weight(self, weight)

    def with_markable(self, stretches: Iterable[Sequence[float]]) -> Continuum:
        """Return a copy with stretches (see `gammacp.continuum.markable.declare_markable`).

        Parameters
        ----------
        stretches
            (start, end) of each stretch in which something can be marked.
        """
        from gammacp.continuum.markable import declare_markable

        return declare_markable(self, [(start, end) for start, end in stretches])

    def with_features(self, names: Iterable[str] = ()) -> Continuum:
        """Return a copy with some features (see `gammacp.continuum.selecting.keep_features`).

        Parameters
        ----------
        names
            Features to keep; the categories alone without any.
        """
        from gammacp.continuum.selecting import keep_features

        return keep_features(self, names)

    def without_names(self, readers: int, *, blocks: bool = False) -> Continuum:
        """Return a copy by unnamed readers (see `gammacp.continuum.anonymous.hide_names`).

        Parameters
        ----------
        readers, blocks
            Number of people who read the document, and whether the units of an annotator are by one
            reader.
        """
        from gammacp.continuum.anonymous import hide_names

        return hide_names(self, readers, blocks=blocks)

    def atoms(self) -> Continuum:
        """Return a copy with fragments as units (see `continuum.reshaping.split_into_atoms`)."""
        from gammacp.continuum.reshaping import split_into_atoms

        return split_into_atoms(self)

    def hulls(self) -> Continuum:
        """Return a copy without fragments (`gammacp.continuum.reshaping.reduce_to_hulls`)."""
        from gammacp.continuum.reshaping import reduce_to_hulls

        return reduce_to_hulls(self)

    def boxes(self) -> Continuum:
        """Return a copy with boxes as shapes (`gammacp.continuum.reshaping.enclose_in_boxes`)."""
        from gammacp.continuum.reshaping import enclose_in_boxes

        return enclose_in_boxes(self)

    def unit(self, index: int) -> Unit:
        """Return the unit in row `index`."""
        start = float(self.starts[index])
        end = float(self.ends[index])
        if self.breaks is None:
            breaks = ()
        else:
            breaks = self.breaks[index]
        return Unit(
            self.annotators[self.annotator_codes[index]],
            start,
            end,
            self.category_of(index),
            fragments_of(start, end, breaks),
            None if self.shapes is None else at_place(start, end, self.shapes[index]),
            "" if self.ids is None else self.ids[index],
        )

    def category_of(self, index: int) -> str | None:
        """Return the label of the unit in row `index`; None if unlabelled."""
        code = self.category_codes[index]
        return None if code < 0 else self.categories[code]

    def rows_of(self, annotator: str) -> slice:
        """Return the rows of an annotator's units."""
        code = self.annotators.index(annotator)
        return slice(int(self.offsets[code]), int(self.offsets[code + 1]))

    @cached_property
    def link_rows(self) -> Linked:
        """The links, with units given by row."""
        return rows_of_links(self.links, self.annotators, self.annotator_codes, self.ids)


def _declare(
    continuum: Continuum,
    read_until: Mapping[str, float] | None,
    grid: Grid | None,
    markable: Iterable[Sequence[float]] | None,
) -> Continuum:
    """Declare what `from_columns` was told beside the units, without an entry in `selection`."""
    if not (read_until or grid or markable):
        return continuum
    from gammacp.continuum.declaring import declare_grid, declare_read_until

    continuum = declare_read_until(continuum, read_until or {})
    if grid:
        continuum = declare_grid(continuum, grid)
    if markable:
        continuum = continuum.with_markable(markable)
    # These declarations are part of the data, not a change of them.
    return continuum.with_about(selection=())
