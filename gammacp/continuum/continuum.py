"""One text or recording with everybody's units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from gammacp.base.arguments import instance, number, several
from gammacp.base.arrays import Bools, Codes, Floats, Indices, Kept, freeze
from gammacp.base.left_out import LeftOut
from gammacp.base.signature import entry, fingerprint, shortest
from gammacp.continuum.columns import (
    Bounds,
    all_names,
    check_known,
    checked_bounds,
    checked_positions,
    coded,
    in_order,
    recode,
)
from gammacp.continuum.fragments import Breaks, Fragments, breaks_of, column, fragments_of, join
from gammacp.continuum.frame import columns_of_frame, frame_of
from gammacp.continuum.grid import Grid
from gammacp.continuum.label import (
    category_of,
    distinct,
    feature_names,
    features_of,
    plain,
    to_label,
)
from gammacp.continuum.links import Ids, Link, Linked, check_links, rows_of_links
from gammacp.continuum.shapes import (
    Shape,
    at_place,
    check_alike,
    extents_of,
    relative,
)
from gammacp.continuum.unit import Declared, Unit
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from pandas import DataFrame

_TIMES = ("s", "ms", "seconds", "milliseconds", "minutes", "hours", "frames", "samples")


@dataclass(frozen=True, eq=False)
class Continuum:
    """One text or recording with everybody's units; immutable.

    Build it with `from_units`, `from_columns` or `from_frame`: they sort, encode and check.

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
        Where the continuum begins and ends; by default the first start and the last end.
    name, offset_unit, text
        Metadata: the document's name, what positions count ("s", "ms", "characters", …), and the
        annotated text where the format has it.
    selection
        Metadata: what was selected or changed since the files were written, in the order in which
        it was done, as entries `key=value` of signatures (`exclude=Ann`, `map=old=new`,
        `layer=POS`). What changes nothing leaves no entry.
    left_out
        Metadata: what the reader of its file passed over, by kind and reason.
    breaks
        Boundaries inside units of several fragments (`gammacp.continuum.fragments`), or the shapes
        of all units (`gammacp.continuum.shapes`); None where every unit is of one piece.
    ids, links
        What units are called (None where none has an id), and the links between them, by id
        (`gammacp.continuum.links`).
    advice
        Metadata: where the other annotators may be, of a file that holds one.
    cluster
        Metadata: the author, patient or video that other documents are of, too; "" for none.
    weight
        Metadata: how many documents of the population it stands for, in any measure; 1 by default.
    read_until
        How far annotators read who did not read to the end: (name, position), by name.
    grid
        What all boundaries lie on, where it was given; chance then turns units by whole places.
    unnamed
        How many readers the annotators are whose names nobody knows: each stands for a block of
        units by one of them. 0 where annotators are people.
    """

    applies_to: ClassVar[str] = "continuum"

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    starts: Floats
    ends: Floats
    annotator_codes: Codes
    category_codes: Codes
    bounds: Bounds
    name: str = ""
    offset_unit: str = ""
    text: str | None = None
    selection: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    breaks: Breaks | None = None
    ids: Ids | None = None
    links: tuple[Link, ...] = ()
    advice: str = ""
    cluster: str = ""
    weight: float = 1.0
    read_until: tuple[tuple[str, float], ...] = ()
    grid: Grid | None = None
    unnamed: int = 0

    def __post_init__(self) -> None:
        """Nobody changes its columns, whoever made them; kernels are compiled for such ones."""
        for array in (self.starts, self.ends, self.annotator_codes, self.category_codes):
            freeze(array)
        if self.ids is not None:
            freeze(self.ids)

    @classmethod
    def from_units(cls, units: Iterable[Unit], **declared: Unpack[Declared]) -> Continuum:
        """A continuum of these units; the other arguments (`offset_unit`, …) as for `from_columns`.

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
    ) -> Continuum:
        """A continuum from four columns of equal length, in any row order.

        Parameters
        ----------
        annotator, category, start, end
            One entry per unit.
        fragments
            (start, end) of each of a unit's fragments, nothing for a unit of one piece. Touching
            ones are one.
        shapes
            Of each unit, with as many axes.
        ids
            What each unit is called, "" for nothing.
        links
            Between units, by their ids.
        annotators, categories
            Declared names, also those without units, in the order to keep (the order of
            categories matters for ordinal distances). Names that occur but are not declared are
            appended, sorted. Default: all names, sorted.
        bounds
            Default: first start and last end; (0, 0) when there is no unit.
        name, offset_unit, text
            What the continuum is called, what its positions count ("ms", "s", …), and the text that
            they count in, if there is one.
        read_until
            How far annotators read who did not read to the end.
        grid
            What all boundaries lie on.

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
        starts, ends = checked_positions(annotator, category, start, end)
        named = all_names(annotators, annotator, "annotator")
        labels = all_names(categories, (c for c in category if c is not None), "category")
        inside = () if fragments is None else zip(fragments, start, end, strict=True)
        breaks = column(breaks_of(join(parts, (s, e))) for parts, s, e in inside)
        if shapes is not None:
            if breaks is not None:
                raise DataError(
                    "units have shapes and fragments",
                    hint="Read one of them: `read(shapes=no)` or discontinuous=cover",
                )
            check_alike(shapes)
            pairs = zip(starts.tolist(), shapes, strict=True)
            breaks = column(relative(s, shape) for s, shape in pairs if shape is not None)
        called = column(ids or ())
        made = cls.from_codes(
            *(named, labels, starts, ends, coded(annotator, named), coded(category, labels)),
            breaks=breaks,
            ids=called,
            links=check_links(links, annotator, called),
            bounds=bounds,
            name=name,
            offset_unit=offset_unit,
            text=text,
        )
        if read_until or grid:
            made = made.with_read_until(read_until or {})
            made = replace(made.with_grid(grid) if grid else made, selection=())
        return made

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
        breaks: Breaks | None = None,
        ids: Ids | None = None,
        bounds: Bounds | None = None,
        **about: Any,
    ) -> Continuum:
        """A continuum from columns that are encoded already and known to be sound.

        For generators of random continua: positions are not checked again, only sorted.

        Parameters
        ----------
        annotators, categories
            Names, in the order that the codes count.
        starts, ends
            Positions, float64, shape (units,).
        annotator_codes, category_codes
            int32, shape (units,); category −1 is unlabelled.
        breaks, ids
            Boundaries inside units, or their shapes, and what units are called, or None.
        bounds
            As for `from_columns`.
        about
            Name, offset unit, text and links.
        """
        columns = in_order(starts, ends, annotator_codes, category_codes, breaks, ids)
        own = checked_bounds(bounds, columns["starts"], columns["ends"])
        return cls(annotators, categories, **columns, bounds=own, **about)

    @classmethod
    def from_frame(
        cls, frame: Any, *, features: Sequence[str] = (), **declared: Unpack[Declared]
    ) -> Continuum:
        """A continuum from a data frame with columns annotator, category, start, end.

        Any frame whose columns are sequences will do (pandas, polars, a dict of lists), and with
        the extra `parquet` whatever has `__arrow_c_stream__` (`gammacp.read_table` reads many
        documents of it). A missing category (None, NaN, NA) is an unlabelled unit; the category
        column may be absent. Columns may have the names that they may have in CSV: coder, label,
        begin, onset, …. A column `fragments` has (start, end) of each fragment, a column `shape`
        what `Shape.json` says. The other arguments as for `from_columns`.

        Parameters
        ----------
        frame
            One row per unit.
        features
            Further columns that are features beside the category.

        Raises
        ------
        DataError
            A column is missing, a row lacks annotator, start or end (the row is named), or as for
            `from_columns`.
        """
        return cls.from_columns(**columns_of_frame(frame, features), **declared)

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("continuum", self)

    def to_frame(self) -> DataFrame:
        """A pandas data frame with columns annotator, category, start, end and the features'.

        Units of several fragments have them in a column `fragments`, shapes are in a column
        `shape`.

        Raises
        ------
        UsageError
            A feature is called `fragments`, and there are units of several fragments; or `shape`,
            and they have shapes.
        """
        return frame_of(self)

    def __len__(self) -> int:
        """Number of units."""
        return len(self.starts)

    def __iter__(self) -> Iterator[Unit]:
        """Units in column order."""
        return (self.unit(i) for i in range(self.n_units))

    def __eq__(self, other: object) -> bool:
        """Same names, units and bounds; metadata do not count."""
        if not isinstance(other, Continuum):
            return NotImplemented
        names = ("annotators", "categories", "bounds", "read_until", "grid")
        columns = ("starts", "ends", "annotator_codes", "category_codes")
        inside = [None if c.breaks is None else c.breaks.tolist() for c in (self, other)]
        return (
            all(getattr(self, n) == getattr(other, n) for n in names)
            and all(np.array_equal(getattr(self, c), getattr(other, c)) for c in columns)
            and inside[0] == inside[1]
            and (not (self.links or other.links) or self.link_rows.rows == other.link_rows.rows)
        )

    def __hash__(self) -> int:
        """Consistent with `==`."""
        places = self.bounds, self.read_until, self.grid, self.starts.tobytes()
        return hash((self.annotators, self.categories, *places))

    def __repr__(self) -> str:
        """What it is at a glance."""
        label = f"{self.name!r}, " if self.name else ""
        lo, hi = self.bounds
        return (
            f"Continuum({label}{self.n_annotators} annotators, {self.n_units} units, "
            f"{len(self.categories)} categories, bounds {lo:g}:{hi:g})"
        )

    def unit(self, index: int) -> Unit:
        """The unit in row `index`."""
        start, end = float(self.starts[index]), float(self.ends[index])
        return Unit(
            self.annotators[self.annotator_codes[index]],
            start,
            end,
            self.category_of(index),
            *self._inside(start, end, index),
            "" if self.ids is None else self.ids[index],
        )

    def _inside(self, start: float, end: float, index: int) -> tuple[Fragments, Shape | None]:
        inside = () if self.breaks is None else self.breaks[index]
        if isinstance(inside, Shape):
            return (), at_place(start, end, inside)
        return fragments_of(start, end, inside), None

    @cached_property
    def link_rows(self) -> Linked:
        """The links by rows of their units."""
        return rows_of_links(self.links, self.annotators, self.annotator_codes, self.ids)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that units have beside their category."""
        return feature_names(self.categories)

    def feature(self, name: str) -> list[str | None]:
        """The value of a feature of each unit, None where it has none.

        Parameters
        ----------
        name
            One of `features`.
        """
        check_known([name], self.features, "feature")
        values = [*(features_of(label).get(name) for label in self.categories), None]
        return [values[code] for code in self.category_codes]

    def with_features(self, names: Iterable[str] = ()) -> Continuum:
        """The same units with these of their features; without any, with their categories alone.

        Parameters
        ----------
        names
            Features to keep.
        """
        keep = set(several("features", names))
        if keep.issuperset(self.features):
            return self
        kept = [
            to_label(category_of(c), {k: v for k, v in features_of(c).items() if k in keep})
            for c in self.categories
        ]
        return self._relabel(kept)

    def category_of(self, index: int) -> str | None:
        """The label of the unit in row `index`; None if unlabelled."""
        code = self.category_codes[index]
        return None if code < 0 else self.categories[code]

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
        return self.n_units / self.n_annotators if self.annotators else 0.0

    @property
    def length(self) -> float:
        """L: length of the continuum between its bounds."""
        return self.bounds[1] - self.bounds[0]

    @property
    def whole(self) -> bool:
        """Whether all starts, ends and bounds are whole numbers, and all fragments'."""
        breaks = () if self.breaks is None or self.axes > 1 else self.breaks
        inside = [x for b in breaks for x in b]
        places = (self.starts, self.ends, self.bounds, inside)
        return not any((np.asarray(x) % 1).any() for x in places)

    @property
    def declared(self) -> bool:
        """Whether its bounds are others than its units' own."""
        own = (self.starts.min(), self.ends.max()) if self.n_units else (0.0, 0.0)
        return self.bounds != own

    @property
    def n_broken(self) -> int:
        """How many units are of several fragments."""
        return 0 if self.breaks is None or self.axes > 1 else sum(map(bool, self.breaks))

    @property
    def axes(self) -> int:
        """On how many axes units are: 1, or as many as shapes have."""
        first = None if self.breaks is None else self.breaks[0]
        return first.axes if isinstance(first, Shape) else 1

    @property
    def in_space(self) -> bool:
        """Whether there are shapes, and the first axis is not time, by the offset unit."""
        return self.axes > 1 and self.offset_unit not in _TIMES

    @property
    def shapes(self) -> Sequence[Shape]:
        """The units' shapes, points of outlines counted from each one's start; none without."""
        return () if self.breaks is None or self.axes == 1 else self.breaks.tolist()

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of shapes that units have; none where they have no shapes."""
        return frozenset(s.kind for s in self.shapes)

    @cached_property
    def extents(self) -> Floats:
        """Low and high of each unit on each further axis, shape (units, 2·(axes − 1))."""
        extents = extents_of(self.shapes) if self.axes > 1 else np.zeros((self.n_units, 0))
        freeze(extents)
        return extents

    def boxes(self) -> Continuum:
        """The same with the box around each shape in its place."""
        if self.kinds <= {"box"}:
            return self
        around = column(Shape("box", s.extents) for s in self.shapes)
        return self._keep(breaks=around).noting("shapes", "boxes")

    def atoms(self) -> Continuum:
        """The same with each fragment as a unit of its own, without links.

        >>> c = Continuum.from_units([Unit("Ann", 0, 9, "a", ((0, 2), (5, 9))), Unit("Bob", 3, 9)])
        >>> [(u.start, u.end) for u in c.atoms()], c.atoms().selection
        ([(0.0, 2.0), (5.0, 9.0), (3.0, 9.0)], ('fragments=atoms',))
        """
        if not self.n_broken:
            return self
        edges = [
            (*f, row) for row, u in enumerate(self) for f in u.fragments or ((u.start, u.end),)
        ]
        starts, ends, rows = (np.array(column) for column in zip(*edges, strict=True))
        codes = self.annotator_codes[rows], self.category_codes[rows]
        parts = replace(self, **in_order(starts, ends, *codes), links=())
        return parts.noting("fragments", "atoms")

    def hulls(self) -> Continuum:
        """The same with every unit of one piece, from its first start to its last end.

        Of shapes the extent on the first axis is left.
        """
        if self.breaks is None:
            return self
        what = ("fragments", "hulls") if self.axes == 1 else ("shapes", "no")
        return self._keep(breaks=None).noting(*what)

    @Kept
    def lengths(self) -> Floats:
        """Length of each unit, from its start to its end."""
        lengths = self.ends - self.starts
        freeze(lengths)
        return lengths

    @Kept
    def offsets(self) -> Indices:
        """Units of annotator a are rows `offsets[a]:offsets[a + 1]`; shape (annotators + 1,)."""
        offsets: Indices = self.annotator_codes.searchsorted(np.arange(self.n_annotators + 1))
        freeze(offsets)
        return offsets

    @property
    def counts(self) -> Indices:
        """Units per annotator, shape (annotators,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def text_between(self, start: float, end: float) -> str | None:
        """The text between two positions; None unless positions count a text's characters.

        Parameters
        ----------
        start, end
            Positions, in code points of the text.
        """
        if self.text is None or self.offset_unit not in ("", "characters"):
            return None
        return self.text[max(0, math.floor(start)) : max(0, math.ceil(end))]

    def rows_of(self, annotator: str) -> slice:
        """The rows of an annotator's units."""
        code = self.annotators.index(annotator)
        return slice(int(self.offsets[code]), int(self.offsets[code + 1]))

    def noting(self, key: str, *values: str) -> Continuum:
        """The same continuum with an entry `key=values` in `selection`.

        Parameters
        ----------
        key
            What was selected by.
        values
            What was selected.

        >>> c = Continuum.from_units([Unit("Ann", 2, 9)]).noting("layer", "a,b", "c")
        >>> c.selection
        ('layer=a%2Cb,c',)
        """
        return replace(self, selection=(*self.selection, entry(key, *values)))

    def in_cluster(self, name: str) -> Continuum:
        """The same continuum as one of several that are not independent of each other.

        Parameters
        ----------
        name
            Of the author, patient, video, … that they have in common.
        """
        return replace(self, cluster=name)

    def with_weight(self, weight: float) -> Continuum:
        """The same continuum, standing for so many documents of the population.

        Parameters
        ----------
        weight
            Of a stratified sample: one over the share of its stratum that was drawn; > 0.

        Raises
        ------
        UsageError
            The weight is not a finite number > 0.
        """
        if not 0 < number("weight", weight) < math.inf:
            raise UsageError(f"weight {weight!r} is not a finite number > 0")
        return replace(self, weight=float(weight))

    def with_bounds(self, bounds: Bounds) -> Continuum:
        """The same units within other bounds (all units must lie inside)."""
        low, high = checked_bounds(bounds, self.starts, self.ends)
        until = tuple((a, place) for a, place in self.read_until if low <= place < high)
        changed = replace(self, bounds=(low, high), read_until=until)
        if changed.bounds == self.bounds:
            return self
        return changed.noting("bounds", *map(shortest, changed.bounds))

    def read(self, annotator: str) -> float:
        """How far an annotator read: to the end, where nobody says otherwise.

        Parameters
        ----------
        annotator
            Name.
        """
        return dict(self.read_until).get(annotator, self.bounds[1])

    def with_read_until(self, positions: Mapping[str, float]) -> Continuum:
        """The same units by annotators who stopped reading; chance turns theirs up to there.

        Parameters
        ----------
        positions
            By annotator. Within the bounds, and after the annotator's units.

        Raises
        ------
        DataError
            An annotator is unknown, a position lies outside the bounds or before units, or units
            are on an image or a scan.

        >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 3, 40)])
        >>> c.with_read_until({"Ann": 12}).read("Ann"), c.read("Bob")
        (12.0, 40.0)
        """
        check_known(positions, self.annotators, "annotator")
        if positions and self.in_space:
            raise DataError(
                f"{self.n_units} units have shapes on an axis that is not time, so nobody reads "
                "along it",
                hint="Leave `read_until=` out; if the first axis is time, say so (in CSV with a "
                "line: # offset unit: s)",
            )
        low, high = self.bounds
        for name, place in positions.items():
            if not low <= place <= high:
                raise DataError(
                    f"{name!r} read until {shortest(place)}, which lies outside the text, "
                    f"{shortest(low)} to {shortest(high)}",
                    hint="Say where the text ends with `bounds=`",
                )
            reached = float(self.ends[self.rows_of(name)].max(initial=low))
            if reached > place:
                raise DataError(
                    f"{name!r} read until {shortest(place)}, but has units up to "
                    f"{shortest(reached)}",
                    hint=f"Give at least {shortest(reached)}",
                )
        kept = dict(self.read_until) | {k: float(v) for k, v in positions.items()}
        known = {name: place for name, place in kept.items() if place < high}
        made = replace(self, read_until=tuple(sorted(known.items())))
        if made.read_until == self.read_until:
            return self
        return made.noting("read-until", *(f"{n}:{shortest(p)}" for n, p in made.read_until))

    def with_grid(self, grid: Grid) -> Continuum:
        """The same units, all boundaries of which lie on a grid.

        Parameters
        ----------
        grid
            Of words, frames, …

        Raises
        ------
        DataError
            A boundary lies on none of its places, or units have shapes.

        >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 3, 40)])
        >>> c.with_grid(Grid("frames", 0.5)).selection
        ('grid=0.5',)
        """
        if self.axes > 1:
            raise DataError(
                f"a grid has one axis, but {self.n_units} units have shapes",
                hint="Leave `grid=` out, or read only the first axis with `read(shapes=no)`",
            )
        low, high = float(self.starts.min(initial=0.0)), float(self.ends.max(initial=0.0))
        starts, ends = grid.edges(low, high)
        for places, wanted in ((starts, self.starts), (ends, self.ends)):
            near = np.append(places, np.inf)
            after = np.searchsorted(places, wanted)
            gap = np.minimum(np.abs(near[after] - wanted), np.abs(near[after - 1] - wanted))
            if (off := np.flatnonzero(gap > 1e-6 * max(grid.step, 1e-3))).size:
                u = self.unit(int(off[0]))
                raise DataError(
                    f"unit {shortest(u.start)}-{shortest(u.end)} of {u.annotator!r} does not begin "
                    "and end on the grid",
                    hint="Give the grid that all units lie on, or leave `grid=` out",
                )
        what = shortest(grid.step) if grid.step else fingerprint(repr((grid.starts, grid.ends)))
        return replace(self, grid=grid).noting("grid", what)

    def without_names(self, readers: int, *, blocks: bool = False) -> Continuum:
        """The same units by so many readers, nobody knows by whom.

        Parameters
        ----------
        readers
            How many read the document, >= 2.
        blocks
            Whether units of one annotator are one reader's here, whatever it is called elsewhere;
            otherwise each unit may be anybody's.

        Raises
        ------
        UsageError
            Fewer than two readers.

        >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Ann", 3, 9)])
        >>> c.without_names(4).annotators, c.without_names(4, blocks=True).annotators
        (('1', '2'), ('Ann',))
        """
        if readers < 2:
            raise UsageError(f"readers {readers} < 2")
        made = replace(self, unnamed=readers, read_until=())
        if blocks:
            return made.noting("readers", str(readers), "blocks")
        width = len(str(self.n_units))
        names = tuple(f"{row:0{width}}" for row in range(1, self.n_units + 1))
        codes = np.arange(self.n_units, dtype=np.int32)
        return made._keep(annotators=names, annotator_codes=codes).noting("readers", str(readers))

    def with_annotators(self, names: Iterable[str]) -> Continuum:
        """The same continuum with further annotators that have no units.

        Parameters
        ----------
        names
            Annotators to declare; those that are there already stay as they are.
        """
        new = [n for n in dict.fromkeys(several("annotators", names)) if n not in self.annotators]
        if not new:
            return self
        return replace(self, annotators=(*self.annotators, *new)).noting("annotators", *new)

    def only_annotators(self, names: Iterable[str]) -> Continuum:
        """The units of these annotators (unknown names are an error); bounds stay."""
        keep = set(several("annotators", names))
        check_known(keep, self.annotators, "annotator")
        kept = tuple(a for a in self.annotators if a in keep)
        if kept == self.annotators:
            return self
        code = recode(self.annotators, kept)[self.annotator_codes]
        until = tuple((a, place) for a, place in self.read_until if a in keep)
        changed = self._keep(
            code >= 0,
            annotators=kept,
            annotator_codes=code,
            read_until=until,
            links=tuple(x for x in self.links if x.annotator in keep),
        )
        return changed.noting("exclude", *(a for a in self.annotators if a not in keep))

    def only_categories(self, names: Iterable[str]) -> Continuum:
        """The units of these categories (unlabelled units are left out); bounds stay.

        Parameters
        ----------
        names
            Categories to keep, with whatever features, or labels.
        """
        keep = set(several("categories", names))
        check_known(keep, (*plain(self.categories)[0], *self.categories), "category")
        kept = tuple(c for c in self.categories if c in keep or category_of(c) in keep)
        if kept == self.categories and (self.category_codes >= 0).all():
            return self
        code = recode(self.categories, kept)[self.category_codes]
        return self._keep(code >= 0, categories=kept, category_codes=code).noting("only", *kept)

    def only_lengths(self, least: float) -> Continuum:
        """The units that are not shorter; those that are, are counted in `left_out`.

        Parameters
        ----------
        least
            In the positions of the continuum, >= 0.

        Raises
        ------
        DataError
            Units are points, or have several fragments or shapes: their lengths do not say what
            they cover.

        >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 3, 4), Unit("Bob", 5, 9)])
        >>> c.only_lengths(4).n_units
        2
        """
        points = np.flatnonzero(self.lengths == 0)
        if len(points) or self.breaks is not None:
            what = "units have fragments or shapes"
            what = f"{len(points)} units are points" if len(points) else what
            hint = "Leave `min_length=` out, or those units (`only=CATEGORIES`)"
            raise DataError(f"{what}, so a least length does not apply to them", hint=hint)
        kept = self.lengths >= least
        if kept.all():
            return self
        reason = f"shorter than {shortest(least)} (`min_length=`)"
        lost = LeftOut(self.name, "unit", int((~kept).sum()), reason)
        made = replace(self._keep(kept), left_out=(*self.left_out, lost))
        return made.noting("min-length", shortest(least))

    def renamed(self, mapping: Mapping[str, str]) -> Continuum:
        """The same units with categories renamed; two may become one.

        Parameters
        ----------
        mapping
            Old names to new ones; categories that it does not name stay.
        """
        check_known(mapping, plain(self.categories)[0], "category")
        changed = {old: new for old, new in mapping.items() if old != new}
        if not changed:
            return self
        named = [(category_of(c), features_of(c)) for c in self.categories]
        result = self._relabel([to_label(changed.get(c or "", c), f) for c, f in named])
        for old in sorted(changed):
            result = result.noting("map", old, changed[old])
        return result

    def _relabel(self, labels: Sequence[str | None]) -> Continuum:
        """The same units with other labels, in the order of the old ones; None is unlabelled."""
        new, codes = distinct(labels)
        return self._keep(categories=new, category_codes=codes[self.category_codes])

    def renamed_annotators(self, mapping: Mapping[str, str]) -> Continuum:
        """The same units by annotators of other names; two never become one.

        Parameters
        ----------
        mapping
            Old names to new ones; annotators that it does not name stay, in the same order.

        Raises
        ------
        DataError
            An old name does not occur, or two annotators would have the same.

        >>> c = Continuum.from_units([Unit("1", 2, 9), Unit("2", 3, 9)])
        >>> c.renamed_annotators({"1": "Zoe"}).annotators
        ('Zoe', '2')
        """
        if not mapping:
            return self
        check_known(mapping, self.annotators, "annotator")
        names = tuple(mapping.get(a, a) for a in self.annotators)
        for name in names:
            if names.count(name) > 1:
                raise DataError(
                    f"two annotators of {self.name or 'the continuum'} would be {name!r}",
                    hint="Give them different names, or leave one out",
                )
        links = tuple(
            replace(x, annotator=mapping.get(x.annotator, x.annotator)) for x in self.links
        )
        until = sorted((mapping.get(a, a), place) for a, place in self.read_until)
        result = replace(self, annotators=names, links=links, read_until=tuple(until))
        for old, new in zip(self.annotators, names, strict=True):
            if old != new:
                result = result.noting("rename", old, new)
        return result

    def named(self, name: str, categories: tuple[str, ...]) -> Continuum:
        """The same units under another name, with categories that take in its own.

        Parameters
        ----------
        name
            Of the document.
        categories
            In the order that codes count.
        """
        if categories == self.categories:
            return self if name == self.name else replace(self, name=name)
        codes = recode(self.categories, categories)[self.category_codes]
        return self._keep(name=name, categories=categories, category_codes=codes)

    def _keep(self, rows: Bools | slice = slice(None), **changed: Any) -> Continuum:
        """The units of some rows, with other names or codes; bounds and metadata stay."""
        columns = in_order(
            self.starts[rows],
            self.ends[rows],
            changed.pop("annotator_codes", self.annotator_codes)[rows],
            changed.pop("category_codes", self.category_codes)[rows],
            changed.pop("breaks", None if self.breaks is None else self.breaks[rows]),
            None if self.ids is None else self.ids[rows],
        )
        return replace(self, **columns, **changed)
