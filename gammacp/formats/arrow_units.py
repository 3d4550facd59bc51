"""Units of Arrow's tables, collected from batches into columns."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gammacp.base.frames import (
    AXES,
    DURATION,
    FRAGMENTS,
    SHAPE,
    UNIT,
    missing_roles,
    places_of_roles,
    unit_of_columns,
    unknown_columns,
)
from gammacp.base.left_out import Tally
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.fragments import breaks_of, column, join
from gammacp.continuum.label import to_label
from gammacp.continuum.links import Link, check_links, whole_links
from gammacp.continuum.shapes import relative
from gammacp.errors import DataError
from gammacp.formats.arrow_batches import (
    BOUNDS,
    HINT_ON_COLUMNS,
    OFFSET_UNIT,
    Fault,
    Place,
    array_of,
    codes_of_column,
    has_clock_times,
    import_pyarrow,
    texts_of_column,
)
from gammacp.formats.delimited_writing import ORDER
from gammacp.formats.positions import LARGEST
from gammacp.formats.spans import NO_UNIT, SECONDS, by_name, shape_of, with_continua
from gammacp.formats.written_positions import WrittenPositions

NAMED = ("document", "annotator")
"""Roles whose names a path can state for all rows."""
_READ = ("document", *ORDER, DURATION, FRAGMENTS, *AXES, SHAPE, UNIT)


class _Names:
    """Codes for the names in one column, the same codes in all batches."""

    def __init__(self) -> None:
        self.code_by_name: dict[str, int] = {}
        self._codes: list[Any] = []

    def add(self, codes: Any, names: Sequence[str | None]) -> Any:
        """Return the codes of a batch (−1: null) of `names`, changed to those of all batches."""
        new = np.full(len(names) + 1, -1, np.int32)
        # A dictionary may list names that no row uses.
        for k in np.unique(codes[codes >= 0]).tolist():
            if (name := names[k]) is not None:
                new[k] = self.code_by_name.setdefault(name, len(self.code_by_name))
        self._codes.append(new[codes])
        return self._codes[-1]

    def codes(self) -> Any:
        """Return the codes of all rows, and forget them: a second call returns an empty array."""
        return _whole(self._codes, np.int32)


class ArrowUnits:
    """The columns of all batches that were read so far."""

    def __init__(
        self,
        error: Fault,
        schema: Any,
        features: Sequence[str],
        name_by_role: dict[str, str],
        unread: Collection[str],
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self._error = error
        self._name_by_role = name_by_role
        self._features = features
        self._column_by_role = self._columns(schema.names, columns)
        self._written = WrittenPositions(commas=False)
        for low, high in zip(AXES[::2], AXES[1::2], strict=True):
            if (low in self._column_by_role) != (high in self._column_by_role):
                unread = {*unread, low, high}
        self._column_by_role = {
            role: n for role, n in self._column_by_role.items() if role not in unread
        }
        self.shaped = any(role in self._column_by_role for role in (*AXES, SHAPE))
        self._axes: dict[int, int] = {}
        self._ids: dict[tuple[Any, ...], list[str]] = {}
        metadata = schema.metadata or {}
        self._unit = metadata.get(OFFSET_UNIT, b"").decode("utf-8", "replace")
        used = {*self._column_by_role.values(), *features, *BOUNDS}
        self._passed = [name for name in schema.names if name not in used]
        self._bounded = all(name in schema.names for name in BOUNDS)
        self._of = {role: _Names() for role in ("document", "annotator", "category")}
        self._starts: list[Any] = []
        self._ends: list[Any] = []
        self._breaks: list[Any] = []
        self._bounds: dict[int, tuple[float, float]] = {}
        self.several = "document" in {**self._column_by_role, **name_by_role}

    def _columns(self, names: Sequence[str], columns: Mapping[str, str] | None) -> dict[str, str]:
        """Return the column of each role."""
        column_by_role: dict[str, str] = {}
        try:
            places_by_role = places_of_roles(names, self._features, columns)
        except DataError as error:
            raise self._error(error.message, hint=error.hint) from None
        for role, places in places_by_role.items():
            if len(places) > 1:
                both = ", ".join(repr(names[i]) for i in places)
                raise self._error(f"several columns could be the {role}: {both}")
            if role in _READ:  # what else there is counts as a column that is not read
                column_by_role[role] = names[places[0]]
        if missing_roles({**column_by_role, **self._name_by_role}):
            unknown = unknown_columns(names, places_by_role, tuple(self._name_by_role))
            raise self._error(unknown.message, hint=unknown.hint)
        lacking = [name for name in self._features if names.count(name) != 1]
        if lacking:
            column_names = ", ".join(names) or "none"
            raise self._error(
                f"there is no column {lacking[0]!r}",
                hint=f"{HINT_ON_COLUMNS}; here: {column_names}",
            )
        return column_by_role

    def add(self, batch: Any, place: Place) -> None:
        """Check and take in a batch."""
        starts = self._numbers(batch, "start", place)
        if DURATION in self._column_by_role:
            durations = self._numbers(batch, DURATION, place)
            self._check(~(durations < 0), place, "has a duration < 0", "Correct the duration")
            # Whatever is finer than a billionth comes from adding in binary.
            ends = np.round(starts + durations, 9)
        else:
            ends = self._numbers(batch, "end", place)
        empty = np.isnan(starts) & np.isnan(ends)
        codes_by_role = {}
        for role in NAMED:
            codes, names = self.names_of(batch, role)
            if role in self._column_by_role:
                blank = [k for k, name in enumerate(names) if not (name or "").strip()]
                lacking = (codes < 0) | np.isin(codes, blank)
                if role == "annotator" and self.several:
                    lacking &= ~empty  # such a row declares a document
                self._check(~lacking, place, f"has no {role}", HINT_ON_COLUMNS)
            codes_by_role[role] = self._of[role].add(codes, names)
        codes_by_role["category"] = self._of["category"].add(*self._labels(batch))
        labelled = codes_by_role["category"] >= 0
        self._check(~(empty & labelled), place, "has a category, but no start and no end")
        one = np.isnan(starts) != np.isnan(ends)
        self._check(~one, place, "has only a start or only an end", "A unit needs both")
        with np.errstate(invalid="ignore"):
            self._check(empty | np.isfinite(starts + ends), place, "has an infinite position")
            backwards = np.flatnonzero(ends < starts)[:1]
            faults = [f"has end {ends[i]:.15g} < start {starts[i]:.15g}" for i in backwards]
            self._check(~(ends < starts), place, *faults, hint="Swap or correct the positions")
            exact = ~(np.maximum(np.abs(starts), np.abs(ends)) > LARGEST)
        self._check(exact, place, "has a position beyond 2^53, which cannot be kept exactly")
        self._starts.append(starts)
        self._ends.append(ends)
        inside = self._inside(batch, starts, ends, place)
        if self.shaped:
            inside = self._shapes(batch, starts, ends, place, codes_by_role["document"], inside)
        self._breaks.append(inside)
        if UNIT in self._column_by_role:
            self._keep_names(batch, starts, ends, codes_by_role, inside)
        if self._bounded:
            self._take_bounds(batch, place, codes_by_role["document"])

    def names_of(self, batch: Any, role: str) -> tuple[Any, Sequence[str | None]]:
        """Return codes and names of a role: those of its column, or one name for all rows."""
        if role in self._column_by_role:
            return codes_of_column(self._error, batch, self._column_by_role[role])
        only = self._name_by_role.get(role, "" if role in NAMED else None)
        return np.zeros(len(batch), np.int64), [only]

    def _check(self, sound: Any, place: Place, *what: str, hint: str | None = None) -> None:
        """Raise an error that names the first row for which `sound` is False."""
        for row in np.flatnonzero(~sound)[:1]:
            raise self._error(f"{place(int(row))} {what[0]}", hint=what[1] if what[1:] else hint)

    def _numbers(self, batch: Any, name: str, place: Place | None = None) -> Any:
        """Return a column of numbers as floats, NaN where it is null.

        With `place`, which says where a row is, texts may be times of a clock.
        """
        pa = import_pyarrow()
        name = self._column_by_role.get(name, name)
        values = batch.column(name)
        if place is not None and has_clock_times(values):
            return self._clock_times(values.to_pylist(), name, place)
        kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
        if not any(is_one(values.type) for is_one in kinds):
            raise self._error(
                f"column {name!r} has {values.type}, not numbers", hint=HINT_ON_COLUMNS
            )
        return array_of(values.cast(pa.float64(), safe=False), math.nan)

    def _clock_times(self, texts: Sequence[str | None], name: str, place: Place) -> Any:
        """Return the times of a clock in seconds."""
        times = np.full(len(texts), np.nan)
        for row, text in enumerate(texts):
            if text is not None and text.strip():
                try:
                    times[row] = self._written.number(text, place(row))
                except ValueError as error:
                    raise self._error(
                        f"{place(row)}: {name} {error}", hint=HINT_ON_COLUMNS
                    ) from None
        return times

    def _labels(self, batch: Any) -> tuple[Any, Sequence[str | None]]:
        """Return the code of each row's label, and the labels; a label includes its features."""
        columns = [self.names_of(batch, "category")]
        columns += [codes_of_column(self._error, batch, name) for name in self._features]
        if not self._features:
            return columns[0]
        distinct, codes = np.unique(np.stack([c for c, _ in columns]), axis=1, return_inverse=True)
        labels: list[str | None] = []
        for row in distinct.T.tolist():
            category, *values = (
                names[k] if k >= 0 else None for k, (_, names) in zip(row, columns, strict=True)
            )
            labels.append(to_label(category, dict(zip(self._features, values, strict=True))))
        return codes.ravel(), labels

    def _inside(self, batch: Any, starts: Any, ends: Any, place: Place) -> Any:
        """Return the breaks of each unit; the number of units if none has fragments."""
        if FRAGMENTS in self._column_by_role:
            listed = batch.column(self._column_by_role[FRAGMENTS])
        else:
            listed = None
        if listed is None or listed.null_count == len(listed):
            return len(batch)
        breaks_by_row: list[tuple[float, ...]] = [()] * len(batch)
        for row, parts in enumerate(listed.to_pylist()):
            if not parts:
                continue
            try:
                pairs = [[*p.values()] if isinstance(p, dict) else p for p in parts]
                breaks_by_row[row] = breaks_of(join(pairs, (float(starts[row]), float(ends[row]))))
            except (DataError, TypeError, AttributeError) as error:
                fault = getattr(error, "message", None) or "is not a list of (start, end)"
                raise self._error(f"{place(row)}: {fault}") from None
        return breaks_by_row

    def _shapes(
        self, batch: Any, starts: Any, ends: Any, place: Place, codes: Any, inside: Any
    ) -> Any:
        """Return an entry per unit: its shape, or else its breaks."""
        if isinstance(inside, int):
            breaks_by_row: list[Any] = [()] * len(batch)
        else:
            breaks_by_row = inside
        edges = np.stack(
            [starts, ends, *(self._numbers(batch, n) for n in AXES if n in self._column_by_role)]
        )
        if SHAPE in self._column_by_role:
            entries_with_shapes = batch.column(self._column_by_role[SHAPE]).to_pylist()
        else:
            entries_with_shapes = None
        for row, (start, end, *rest) in enumerate(edges.T.tolist()):
            further = zip(rest[::2], rest[1::2], strict=True)
            spans = [(start, end), *((x, y) for x, y in further if x == x or y == y)]
            if entries_with_shapes:
                entry = entries_with_shapes[row]
            else:
                entry = None
            if isinstance(entry, dict):
                entry = json.dumps({kind: x for kind, x in entry.items() if x is not None})
            try:
                shape = shape_of(spans, entry)
            except DataError as error:
                raise self._error(f"{place(row)}: {error.message}", hint=error.hint) from None
            if shape is not None and breaks_by_row[row]:
                raise self._error(f"{place(row)} has fragments and a shape", hint="Give one")
            if shape is not None:
                breaks_by_row[row] = relative(start, shape)
            if shape is None:
                axes = 1
            else:
                axes = shape.axes
            if start == start and self._axes.setdefault(int(codes[row]), axes) != axes:
                before = self._axes[int(codes[row])]
                raise self._error(
                    f"{place(row)} is on {_axes(axes)}, units before it on {_axes(before)}",
                    hint="Give all units of a document the same number of axes, or ignore shapes "
                    "with `read(shapes=no)`",
                )
        return breaks_by_row

    def _keep_names(
        self, batch: Any, starts: Any, ends: Any, codes_by_role: Any, inside: Any
    ) -> None:
        """Store the id of each unit by its document, names, positions and breaks or shape."""
        names = {role: [*self._of[role].code_by_name, None] for role in codes_by_role}
        columns = [
            [names[role][k] for k in codes.tolist()] for role, codes in codes_by_role.items()
        ]
        columns += [starts.tolist(), ends.tolist()]
        columns += [[()] * len(batch) if isinstance(inside, int) else inside]
        called = texts_of_column(self._error, batch, self._column_by_role[UNIT])
        for key, name in zip(zip(*columns, strict=True), called, strict=True):
            self._ids.setdefault(key, []).append(name or "")

    def with_links(
        self, document: Continuum | Corpus, links: Mapping[str, Sequence[Link]], place: str
    ) -> Continuum | Corpus:
        """Return the document with its links and with the unit ids that the links refer to."""
        if UNIT not in self._column_by_role:
            raise self._error(f"has a file of links beside it, but no column {UNIT!r}")
        several = isinstance(document, Corpus)
        continua = by_name(document)
        if len(continua) == 1:
            links = {
                next(iter(continua)): [
                    x for document_links in links.values() for x in document_links
                ]
            }
        for name in links.keys() - continua.keys():
            raise self._error(
                f"there are links in document {name!r}, which has no units",
                hint="Use a document's name from the units",
            )
        linked = {}
        lost = Tally(place)
        for name, c in continua.items():
            who = [c.annotators[k] for k in c.annotator_codes]
            what = [None if k < 0 else c.categories[k] for k in c.category_codes]
            inside = [()] * c.n_units if c.inside is None else c.inside
            document_names = [name if several else ""] * c.n_units
            keys = zip(
                document_names, who, what, c.starts.tolist(), c.ends.tolist(), inside, strict=True
            )
            ids = column(self._ids[key].pop(0) for key in keys)
            links_of_document = links.get(name, ())
            whole = whole_links(
                links_of_document, set(zip(who, () if ids is None else ids, strict=False))
            )
            lost.add("link", NO_UNIT, len(links_of_document) - len(whole))
            try:
                if whole:
                    joined = check_links(whole, who, ids)
                else:
                    joined = ()
            except DataError as error:
                if several:
                    said_of = f"document {name!r}: "
                else:
                    said_of = ""
                raise self._error(f"{said_of}{error.message}", hint=error.hint) from None
            linked[name] = replace(c, ids=ids if whole else None, links=joined)
        return with_continua(document, linked, lost)

    def _take_bounds(self, batch: Any, place: Place, codes: Any) -> None:
        low, high = (self._numbers(batch, name) for name in BOUNDS)
        for row in np.flatnonzero(~np.isnan(low) & ~np.isnan(high)):
            bounds = float(low[row]), float(high[row])
            if self._bounds.setdefault(int(codes[row]), bounds) != bounds:
                raise self._error(f"{place(int(row))} gives its document other bounds than before")

    def _offset_unit(self) -> str:
        """Return the unit of positions, from clock times, metadata or the names of columns."""
        if self._written.are_times:
            if self._unit not in ("", SECONDS):
                what = f"positions are times of a clock, but the offset unit is {self._unit!r}"
                raise self._error(what, hint="Correct the schema's metadata")
            return SECONDS
        roles = ("start", "end", DURATION)
        return self._unit or unit_of_columns(
            [self._column_by_role[role] for role in roles if role in self._column_by_role]
        )

    def document(self, place: str, name: str) -> Continuum | Corpus:
        """Return the document; a continuum of this name where there is no document column."""
        if self.several:
            documents = self._of["document"].code_by_name
        else:
            documents = {name: 0}
        if not documents:
            raise self._error("table has no rows", hint=HINT_ON_COLUMNS)
        broken = any(not isinstance(part, int) for part in self._breaks)
        if broken:
            parts = [[()] * p if isinstance(p, int) else p for p in self._breaks]
        else:
            parts = []
        tally = Tally(place)
        for other in self._passed:
            tally.add("column", f"{other} is not used")
        starts = _whole(self._starts, np.float64)
        ends = _whole(self._ends, np.float64)
        import_pyarrow().default_memory_pool().release_unused()
        try:
            table = DocumentTable.of_rows(
                documents,
                [*self._of["annotator"].code_by_name],
                [*self._of["category"].code_by_name],
                self._of["document"].codes(),
                self._of["annotator"].codes(),
                self._of["category"].codes(),
                starts,
                ends,
                inside=column(b for part in parts for b in part) if broken else None,
                bounds=self._bounds,
                offset_unit=self._offset_unit(),
            )
        except DataError as error:
            raise self._error(error.message, hint=error.hint) from None
        if self.several:
            return Corpus(table, table.categories, tally.entries())
        return table[name].with_about(left_out=tally.entries())


def _whole(parts: list[Any], kind: type) -> Any:
    """Concatenate the parts of a column, and empty the list of parts to free their memory."""
    joined = np.concatenate([np.empty(0, kind), *parts])
    parts.clear()
    return joined


def _axes(count: int) -> str:
    if count > 1:
        return f"{count} axes"
    return "one axis"
