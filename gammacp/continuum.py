"""Units, continua and corpora: columns of numbers that every other part reads.

Conventions
-----------
A continuum is one text or recording with everybody's units. Its columns are sorted by annotator,
start, end and category, so that the units of one annotator are a slice. Positions are float64,
which holds every integer up to 2⁵³ (Unix timestamps in ms among them) exactly. Unlabelled units
have category code −1 and category None. Duplicates are units like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.arguments import instance, several, text
from gammacp.arrays import Bools, Codes, Floats, Indices, frozen
from gammacp.errors import DataError, UsageError
from gammacp.frames import columns_of
from gammacp.left_out import LeftOut, gathered
from gammacp.signature import quoted, shortest

if TYPE_CHECKING:
    from pandas import DataFrame

Bounds = tuple[float, float]
_EXACT_INTEGERS = 2**53


@dataclass(frozen=True, slots=True)
class Unit:
    """What one annotator marked: where it starts and ends, and what it is.

    Positions count in the continuum's offset unit; `start == end` is a zero-length unit;
    `category` is None for an unlabelled unit.
    """

    annotator: str
    start: float
    end: float
    category: str | None = None

    @property
    def length(self) -> float:
        """`end − start`, never negative."""
        return self.end - self.start


@dataclass(frozen=True, eq=False)
class Continuum:
    """One text or recording with everybody's units; immutable.

    Build it with `from_units`, `from_columns` or `from_frame`: they sort, encode and check.

    Attributes
    ----------
    annotators, categories
        Names; a unit refers to them by code. Annotators without any unit are listed too.
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
    """

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

    @classmethod
    def from_units(
        cls,
        units: Iterable[Unit],
        *,
        annotators: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        bounds: Bounds | None = None,
        name: str = "",
        offset_unit: str = "",
        text: str | None = None,
    ) -> Continuum:
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
            annotators=annotators,
            categories=categories,
            bounds=bounds,
            name=name,
            offset_unit=offset_unit,
            text=text,
        )

    @classmethod
    def from_columns(
        cls,
        annotator: Sequence[str],
        category: Sequence[str | None],
        start: Sequence[float] | Floats,
        end: Sequence[float] | Floats,
        *,
        annotators: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        bounds: Bounds | None = None,
        name: str = "",
        offset_unit: str = "",
        text: str | None = None,
    ) -> Continuum:
        """A continuum from four columns of equal length, in any row order.

        Parameters
        ----------
        annotator, category, start, end
            One entry per unit.
        annotators, categories
            Declared names, also those without units, in the order to keep (the order of
            categories matters for ordinal distances). Names that occur but are not declared are
            appended, sorted. Default: all names, sorted.
        bounds
            Default: first start and last end; (0, 0) when there is no unit.
        name, offset_unit, text
            What the continuum is called, what its positions count ("ms", "s", …), and the text that
            they count in, if there is one.

        Raises
        ------
        DataError
            A position is not finite, an end lies before its start, a unit lies outside the
            bounds, or an integer is too large to be kept exactly.
        UsageError
            Columns have different lengths, or a name is not text.
        """
        starts, ends = _positions(start), _positions(end)
        if not len(annotator) == len(category) == len(starts) == len(ends):
            raise UsageError("columns of a continuum have different lengths")
        _check_units(annotator, starts, ends)
        _check_names(annotator, category)
        annotator_names = _names(annotators, annotator, "annotator")
        category_names = _names(categories, (c for c in category if c is not None), "category")
        annotator_code = {n: i for i, n in enumerate(annotator_names)}
        category_code: dict[str | None, int] = {n: i for i, n in enumerate(category_names)}
        category_code[None] = -1
        a = np.fromiter((annotator_code[x] for x in annotator), np.int32, len(annotator))
        c = np.fromiter((category_code[x] for x in category), np.int32, len(category))
        return cls(
            annotator_names,
            category_names,
            *_sorted(starts, ends, a, c),
            bounds=_bounds(bounds, starts, ends),
            name=name,
            offset_unit=offset_unit,
            text=text,
        )

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
        bounds: Bounds | None = None,
        name: str = "",
        offset_unit: str = "",
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
        bounds, name, offset_unit
            As for `from_columns`.
        """
        columns = _sorted(
            np.array(starts, np.float64),
            np.array(ends, np.float64),
            np.array(annotator_codes, np.int32),
            np.array(category_codes, np.int32),
        )
        return cls(
            annotators,
            categories,
            *columns,
            bounds=_bounds(bounds, columns[0], columns[1]),
            name=name,
            offset_unit=offset_unit,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        annotators: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        bounds: Bounds | None = None,
        name: str = "",
        offset_unit: str = "",
    ) -> Continuum:
        """A continuum from a data frame with columns annotator, category, start, end.

        Any frame whose columns are sequences will do (pandas, polars, a dict of lists). A missing
        category (None, NaN, NA) is an unlabelled unit; the category column may be absent.
        `annotators`, `categories`, `bounds`, `name` and `offset_unit` as for `from_columns`.

        Parameters
        ----------
        frame
            One row per unit.
        annotators, categories, bounds, name, offset_unit
            As for `from_columns`.

        Raises
        ------
        DataError
            A column is missing, a row lacks annotator, start or end (the row is named), or as for
            `from_columns`.
        """
        return cls.from_columns(
            *columns_of(frame),
            annotators=annotators,
            categories=categories,
            bounds=bounds,
            name=name,
            offset_unit=offset_unit,
        )

    def to_frame(self) -> DataFrame:
        """A pandas data frame with columns annotator, category, start, end, in column order."""
        from pandas import DataFrame

        return DataFrame(
            {
                "annotator": [self.annotators[a] for a in self.annotator_codes],
                "category": [self.category_of(i) for i in range(self.n_units)],
                "start": self.starts,
                "end": self.ends,
            }
        )

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
        return (
            self.annotators == other.annotators
            and self.categories == other.categories
            and self.bounds == other.bounds
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.ends, other.ends)
            and np.array_equal(self.annotator_codes, other.annotator_codes)
            and np.array_equal(self.category_codes, other.category_codes)
        )

    def __hash__(self) -> int:
        """Consistent with `==`."""
        return hash((self.annotators, self.categories, self.bounds, self.starts.tobytes()))

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
        return Unit(
            self.annotators[self.annotator_codes[index]],
            float(self.starts[index]),
            float(self.ends[index]),
            self.category_of(index),
        )

    def category_of(self, index: int) -> str | None:
        """The category's name of the unit in row `index`; None if unlabelled."""
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
    def declared(self) -> bool:
        """Whether its bounds are others than its units' own."""
        if not self.n_units:
            return self.bounds != (0.0, 0.0)
        return self.bounds != (self.starts.min(), self.ends.max())

    @cached_property
    def lengths(self) -> Floats:
        """Length of each unit."""
        lengths = self.ends - self.starts
        frozen(lengths)
        return lengths

    @cached_property
    def offsets(self) -> Indices:
        """Units of annotator a are rows `offsets[a]:offsets[a + 1]`; shape (annotators + 1,)."""
        counts = np.bincount(self.annotator_codes, minlength=self.n_annotators)
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        frozen(offsets)
        return offsets

    @property
    def counts(self) -> Indices:
        """Units per annotator, shape (annotators,)."""
        return np.diff(self.offsets)

    def covered(self, start: float, end: float) -> str | None:
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
        entry = f"{key}={','.join(map(quoted, values))}"
        return replace(self, selection=(*self.selection, entry))

    def with_bounds(self, bounds: Bounds) -> Continuum:
        """The same units within other bounds (all units must lie inside)."""
        changed = replace(self, bounds=_bounds(bounds, self.starts, self.ends))
        if changed.bounds == self.bounds:
            return self
        return changed.noting("bounds", *map(shortest, changed.bounds))

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
        _check_known(keep, self.annotators, "annotator")
        kept = tuple(a for a in self.annotators if a in keep)
        if kept == self.annotators:
            return self
        code = _recode(self.annotators, kept)[self.annotator_codes]
        changed = self._keep(code >= 0, annotators=kept, annotator_codes=code)
        return changed.noting("exclude", *(a for a in self.annotators if a not in keep))

    def only_categories(self, names: Iterable[str]) -> Continuum:
        """The units of these categories (unlabelled units are left out); bounds stay.

        Parameters
        ----------
        names
            Categories to keep.
        """
        keep = set(several("categories", names))
        _check_known(keep, self.categories, "category")
        kept = tuple(c for c in self.categories if c in keep)
        if kept == self.categories and (self.category_codes >= 0).all():
            return self
        code = _recode(self.categories, kept)[self.category_codes]
        return self._keep(code >= 0, categories=kept, category_codes=code).noting("only", *kept)

    def renamed(self, mapping: Mapping[str, str]) -> Continuum:
        """The same units with categories renamed; two may become one.

        Parameters
        ----------
        mapping
            Old names to new ones; categories that it does not name stay.
        """
        _check_known(mapping, self.categories, "category")
        changed = {old: new for old, new in mapping.items() if old != new}
        if not changed:
            return self
        names = [changed.get(c, c) for c in self.categories]
        new = tuple(dict.fromkeys(names))
        code = np.array([new.index(name) for name in names] + [-1], np.int32)
        everything = np.ones(self.n_units, np.bool_)
        result = self._keep(everything, categories=new, category_codes=code[self.category_codes])
        for old in sorted(changed):
            result = result.noting("map", old, changed[old])
        return result

    def _keep(self, rows: Bools, **changed: Any) -> Continuum:
        """The units of some rows, with other names or codes; bounds and metadata stay."""
        starts, ends, annotator_codes, category_codes = _sorted(
            self.starts[rows],
            self.ends[rows],
            changed.pop("annotator_codes", self.annotator_codes)[rows],
            changed.pop("category_codes", self.category_codes)[rows],
        )
        return replace(
            self,
            starts=starts,
            ends=ends,
            annotator_codes=annotator_codes,
            category_codes=category_codes,
            **changed,
        )


@dataclass(frozen=True)
class Corpus(Mapping[str, Continuum]):
    """Several continua of one campaign, by name; they share their categories.

    Build it with `from_continua`, which gives every continuum the union of the categories.
    `left_out` is metadata: what the readers of its files passed over.
    """

    continua: Mapping[str, Continuum]
    categories: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = field(default=(), compare=False)

    @classmethod
    def from_continua(
        cls,
        continua: Mapping[str, Continuum],
        *,
        categories: Sequence[str] | None = None,
        left_out: tuple[LeftOut, ...] | None = None,
    ) -> Corpus:
        """A corpus of these continua.

        `categories` are in the order to keep; by default that of the continua where all of them
        have the same, sorted otherwise. Ordinal distances depend on it. `left_out` is by default
        what was left out of the continua.
        """
        used = [c.categories for c in continua.values()]
        if categories is None and len(set(used)) == 1:
            categories = used[0]
        names = _names(categories, (c for order in used for c in order), "category")
        coded = {name: _with_categories(c, name, names) for name, c in continua.items()}
        if left_out is None:
            left_out = gathered(c.left_out for c in continua.values())
        return cls(coded, names, left_out)

    def __getitem__(self, name: str) -> Continuum:
        """The continuum of that name."""
        return self.continua[name]

    def __iter__(self) -> Iterator[str]:
        """Names, in order."""
        return iter(self.continua)

    def __len__(self) -> int:
        """Number of continua."""
        return len(self.continua)

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who annotates at least one continuum, sorted."""
        return tuple(sorted({a for c in self.continua.values() for a in c.annotators}))


def _with_categories(continuum: Continuum, name: str, categories: tuple[str, ...]) -> Continuum:
    codes = _recode(continuum.categories, categories)[continuum.category_codes]
    everything = np.ones(continuum.n_units, np.bool_)
    return continuum._keep(everything, name=name, categories=categories, category_codes=codes)


def _recode(old: Sequence[str], new: Sequence[str]) -> Codes:
    """Old code → new code, −1 where a name is gone; the last entry serves code −1."""
    position = {name: i for i, name in enumerate(new)}
    return np.array([position.get(name, -1) for name in old] + [-1], np.int32)


def _positions(values: Sequence[float] | Floats) -> Floats:
    try:
        positions = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"positions are not all numbers: {error}") from None
    if positions.ndim != 1:
        raise UsageError("positions are not one column")
    return positions


def _sorted(
    starts: Floats, ends: Floats, annotator_codes: Codes, category_codes: Codes
) -> tuple[Floats, Floats, Codes, Codes]:
    order = np.lexsort((category_codes, ends, starts, annotator_codes))
    columns = (starts[order], ends[order], annotator_codes[order], category_codes[order])
    for column in columns:
        frozen(column)
    return columns


def _check_units(annotator: Sequence[str], starts: Floats, ends: Floats) -> None:
    for i in np.flatnonzero(~(np.isfinite(starts) & np.isfinite(ends)))[:1]:
        raise DataError(f"a unit by {annotator[i]} has a position that is not a finite number")
    for i in np.flatnonzero(ends < starts)[:1]:
        raise DataError(
            f"end {ends[i]:.17g} < start {starts[i]:.17g} of a unit by {annotator[i]}",
            hint="Swap or correct the positions",
        )
    largest = max(np.abs(starts).max(initial=0), np.abs(ends).max(initial=0))
    if largest > _EXACT_INTEGERS:
        raise DataError(
            f"position {largest:.17g} is beyond 2^53 and cannot be kept exactly",
            hint="Count in larger units or from a later origin",
        )


def _check_names(annotator: Sequence[str], category: Sequence[str | None]) -> None:
    for name in dict.fromkeys(annotator):
        text("annotator", name)
    for label in dict.fromkeys(category):
        if label is not None:
            text("category", label)


def _bounds(bounds: Bounds | None, starts: Floats, ends: Floats) -> Bounds:
    first = float(starts.min(initial=np.inf))
    last = float(ends.max(initial=-np.inf))
    if bounds is None:
        return (first, last) if len(starts) else (0.0, 0.0)
    lo, hi = float(bounds[0]), float(bounds[1])
    if not (np.isfinite(lo) and np.isfinite(hi) and lo <= hi):
        raise DataError(f"bounds {lo:g}:{hi:g} are not START:END with START <= END")
    if first < lo or last > hi:
        raise DataError(
            f"units reach from {first:.17g} to {last:.17g}, outside the bounds {lo:g}:{hi:g}",
            hint="Widen the bounds or leave them out",
        )
    return lo, hi


def _names(declared: Sequence[str] | None, used: Iterable[str], kind: str) -> tuple[str, ...]:
    names = list(declared or ())
    if len(set(names)) != len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise DataError(f"{kind} {twice!r} is declared twice")
    return (*names, *sorted(set(used) - set(names)))


def _check_known(names: Iterable[str], known: Sequence[str], kind: str) -> None:
    for name in sorted(set(names) - set(known)):
        raise DataError(
            f"{kind} {name!r} does not occur", hint=f"There are: {', '.join(known) or 'none'}"
        )
