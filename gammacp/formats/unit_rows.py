"""Units from the rows of a table, whatever file it is in: CSV or a workbook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from gammacp.base.csv_files import table_of
from gammacp.base.frames import (
    AXES,
    DURATION,
    FRAGMENTS,
    SHAPE,
    UNIT,
    exact_sum,
    missing_roles,
    places_of_roles,
    unit_of_columns,
    unknown_columns,
)
from gammacp.continuum import Bounds, Continuum, Corpus
from gammacp.continuum.label import to_label
from gammacp.continuum.links import DIRECTED, KINDS
from gammacp.continuum.shapes import Shape
from gammacp.errors import DataError
from gammacp.formats.boundary import place_errors
from gammacp.formats.delimited_writing import DELIMITERS, LINKS
from gammacp.formats.positions import position
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import SECONDS, Documents, in_pieces, shape_of, with_shapes
from gammacp.formats.written_positions import WrittenPositions

HINT = "The columns are annotator, category, start, end"
ROWS_SHOWN = 6
"""Rows of a table that are shown to people who say which column is what, with the header."""
_POSITIONS = ("start", "end", DURATION)
# Prefix of a feature's name, where columns are identified by their role.
_FEATURE = "feature:"
_FEWEST = 3
"""Cells of a first row without any number that is taken for a header."""


@dataclass
class Notes:
    """Notes in the lines of a table that begin with "#"."""

    bounds: dict[str, tuple[Bounds, int]] = field(default_factory=dict)
    offset_unit: str = ""
    comments: int = 0


@dataclass(frozen=True, kw_only=True)
class UnitTable:
    """A table of units, a row each.

    Attributes
    ----------
    source
        The file.
    names, line
        Names of the columns, and the line of the header.
    header
        The column of each role, as `header_of` returns it.
    written
        Form in which positions are written.
    features, discontinuous, shapes
        As for the reader of CSV.
    notes
        Notes on the documents.
    """

    source: Source
    names: Sequence[str]
    line: int
    header: Mapping[str, int]
    written: WrittenPositions
    features: Sequence[str] = ()
    discontinuous: str = "keep"
    shapes: str = "keep"
    notes: Notes = field(default_factory=Notes)

    def read(self, rows: Iterable[tuple[int, Sequence[str]]]) -> Continuum | Corpus:
        """Return the corpus of the rows, or without a document column the continuum.

        Parameters
        ----------
        rows
            (line, cells) of each; notes may be complete only after the last.
        """
        source = self.source
        header = dict(self.header)
        for feature in self.features:
            header[f"{_FEATURE}{feature}"] = _column(source, self.names, feature, self.line)
        links = source.beside(f".links{source.path.suffix}")
        if links is not None and UNIT not in header:
            what = f"has a file of links beside it, but no column {UNIT!r}"
            raise source.error(what, line=self.line)
        unread = _unread(links, self.discontinuous, self.shapes)
        header = {role: i for role, i in header.items() if role not in unread}
        documents = Documents(source, "")
        if "document" not in header:
            documents.of("")
        for row in self._records(documents, rows, header):
            _add(documents, row, self.features, self.written)
        documents.leave_out("line", "comment", self.notes.comments)
        _add_links(documents, links or "")
        document: Continuum | Corpus = self._with_notes(documents).corpus()
        if isinstance(document, Corpus) and "document" not in header:
            document = document[""].with_about(name=source.document, left_out=document.left_out)
        document = in_pieces(document, self.discontinuous, source.place)
        return with_shapes(document, self.shapes, source.place)

    def _records(
        self,
        documents: Documents,
        rows: Iterable[tuple[int, Sequence[str]]],
        header: Mapping[str, int],
    ) -> Iterator[Record]:
        """Yield the cells of each row by role, and count the columns that are not read."""
        names = self.names
        roles = [*header, *(() if "annotator" in header else ("annotator",))]
        cells_of = itemgetter(*header.values())
        named = [i for role, i in header.items() if role not in _POSITIONS]
        # pandas writes its index into a first column without a name.
        is_index = not names[0].strip() and 0 not in header.values()
        for line, row in rows:
            if len(row) != len(names):
                raise self.source.error(
                    f"row has {count_of(row)}, but the first row has {len(names)}",
                    line=line,
                    hint="Quote fields that contain the delimiter",
                )
            bare = [cell.strip() for cell in row]
            is_index = is_index and bare[0].isdigit()
            if bare != row:
                blanks = sum(row[i] != bare[i] for i in named)
                documents.leave_out("blank", "around a name, not part of it", blanks)
            cells = cells_of(bare)
            if "annotator" not in header:
                cells = (*cells, self.source.annotator)
            yield Record.of(Record(zip(roles, cells, strict=True)), self.source, line)
        for i, name in enumerate(names):
            if i not in header.values() and not (i == 0 and is_index):
                documents.leave_out("column", f"{name.strip() or i + 1} is not used")

    def _with_notes(self, documents: Documents) -> Documents:
        """Return the documents with the bounds and the offset unit from notes or positions."""
        bounds = self.notes.bounds
        for name, (_, line) in bounds.items():
            if name and name not in documents.spans_by_name:
                raise documents.source.error(
                    f"bounds are given for {name!r}, but there is no such document", line=line
                )
        unit = self.notes.offset_unit
        if self.written.are_times:
            if unit not in ("", SECONDS):
                what = f"positions are times of a clock, but the offset unit is {unit!r}"
                raise self.source.error(what, hint="Leave the line `# offset unit` out")
            unit = SECONDS
        used = [self.names[i] for role, i in self.header.items() if role in _POSITIONS]
        for name, spans in documents.spans_by_name.items():
            spans.offset_unit = unit or unit_of_columns(used)
            spans.bounds = bounds.get(name) or bounds.get("")
        return documents


def header_of(
    row: Sequence[str],
    source: Source,
    line: int,
    features: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> dict[str, int] | None:
    """Return the column of each role if the row is a header, else None.

    Parameters
    ----------
    row, source, line
        The cells, and where they stand. A source with an annotator needs no column of them.
    features
        Columns that are features.
    columns
        The column that is asked for by role.

    Raises
    ------
    DataError
        A needed role has no column, or several could have it.
    """
    with source.place_errors(line):
        places = places_of_roles(row, features, columns)
    column_by_role = {role: i for role, (i, *_) in places.items()}
    for low, high in zip(AXES[::2], AXES[1::2], strict=True):
        if (low in column_by_role) != (high in column_by_role):
            column_by_role.pop(low, column_by_role.pop(high, None))
    missing = missing_roles({*column_by_role, *(("annotator",) if source.annotator else ())})
    if missing:
        numbers = any(_is_number(cell) for cell in row)
        cells = sum(bool(cell.strip()) for cell in row)
        if columns or (not numbers and (len(column_by_role) >= 2 or cells >= _FEWEST)):
            roles_of_source = ("annotator",) if source.annotator else ()
            with source.place_errors(line):
                raise unknown_columns(row, places, roles_of_source)
        return None
    for role, several in places.items():
        if len(several) > 1 and role in column_by_role:
            both = ", ".join(repr(row[i]) for i in several)
            raise source.error(
                f"several columns could be the {role}: {both}",
                line=line,
                hint=f"Choose one: `columns={role}=NAME`",
            )
    others = [row[i] for i in range(len(row)) if i not in column_by_role.values()]
    if "category" not in column_by_role and others:
        raise source.error(
            f"header has {', '.join(map(repr, others))}, but no column 'category'",
            line=line,
            hint="Say which column holds categories: `columns=category=NAME`, or keep only "
            "annotator, start, end",
        )
    return column_by_role


def count_of(row: Sequence[str]) -> str:
    """Describe the number of columns of a row."""
    return f"{len(row)} column{'s' if len(row) != 1 else ''}"


def _is_number(cell: str) -> bool:
    try:
        WrittenPositions(commas=True).number(cell, 0)
    except ValueError:
        return False
    return True


def _column(source: Source, names: Sequence[str], feature: str, line: int) -> int:
    places = [i for i, name in enumerate(names) if name.strip() == feature]
    if len(places) != 1:
        columns = ", ".join(name.strip() for name in names)
        raise source.error(
            f"feature {feature!r} is not one column", line=line, hint=f"The columns are: {columns}"
        )
    return places[0]


def _unread(links: str | None, discontinuous: str | None, shapes: str | None) -> set[str]:
    """Roles of columns that are there and do not count."""
    return {
        *((UNIT,) if links is None else ()),
        *((FRAGMENTS,) if discontinuous == "cover" else ()),
        *((*AXES, SHAPE) if shapes == "no" else ()),
    }


def _add(
    documents: Documents, row: Record, features: Sequence[str], written: WrittenPositions
) -> None:
    """Add what a row declares: a document, an annotator, or a unit."""
    name = row.get("document", "")
    annotator = row["annotator"]
    if "document" in row and not name:
        raise row.error("document is empty")
    spans = documents.of(name)
    if not annotator:
        if name and not any(cell for role, cell in row.items() if role != "document"):
            return
        raise row.error("annotator is empty")
    if features:
        values = {name: row[f"{_FEATURE}{name}"] for name in features}
    else:
        values = {}
    category = row.get("category")
    if "end" in row:
        last = "end"
    else:
        last = DURATION
    if not row["start"] and not row[last]:
        label = to_label(category or None, values)
        if label is not None:
            what = f"unit {label!r} of {annotator} has no start and no end"
            hint = "Give positions. To declare an annotator without units, leave category empty too"
            raise row.error(what, hint=hint)
        spans.declare(annotator)
        return
    start, end = _extent(row, last, written)
    fragments = _fragments(row) if row.get(FRAGMENTS) else ()
    about: Any = {"line": row.line, "features": values, "fragments": fragments}
    about["key"] = row.get(UNIT, "")
    spans.add(annotator, category, start, end, **about, shape=_shape(row, (start, end)))


def _extent(row: Record, last: str, written: WrittenPositions) -> tuple[float, float]:
    """Return the start and end of a row's unit; the end may follow from a duration."""
    place = f"line {row.line}"
    edges = []
    for role in ("start", last):
        try:
            edges.append(written.number(row[role], place))
        except ValueError as error:
            raise row.error(f"{role} {error}", HINT) from None
    if last == DURATION:
        if edges[1] < 0:
            raise row.error(f"duration {row[last]} < 0", "Correct the duration")
        return edges[0], exact_sum(*edges)
    if edges[1] < edges[0]:
        what = f"end {row['end']} < start {row['start']}"
        raise row.error(what, hint="Swap or correct the positions")
    return edges[0], edges[1]


def _shape(row: Record, first: tuple[float, float]) -> Shape | None:
    """Return the shape in a row's further columns; None without one."""
    spans = [first]
    for axis in ("y", "z"):
        if row.get(f"{axis}0") or row.get(f"{axis}1"):
            low = f"{axis}0"
            high = f"{axis}1"
            spans.append((row.position(low, low, HINT), row.position(high, high, HINT)))
    with row.source.place_errors(row.line):
        return shape_of(spans, row.get(SHAPE))


def _add_links(documents: Documents, text: str) -> None:
    """Read the links of the table beside the file."""
    place = documents.source.path.with_suffix(f".links{documents.source.path.suffix}")
    if len(documents.spans_by_name) == 1:
        alone = documents.spans_by_name.get("")
    else:
        alone = None
    with place_errors(place):
        for cells, line in table_of(text, LINKS[1:-1], delimiter=DELIMITERS):
            row = {name: cell.strip() for name, cell in cells.items()}
            spans = alone or documents.spans_by_name.get(row.get(LINKS[0], ""))
            if spans is None:
                what = f"document {row.get(LINKS[0], '')!r} has no units"
                raise DataError(what, line=line, hint="Use a document's name from the units")
            kind = row.get(LINKS[-1]) or DIRECTED
            if kind not in KINDS:
                raise DataError(f"kind {kind!r} is not one of {', '.join(KINDS)}", line=line)
            spans.link(row["annotator"], row["type"], row["source"], row["target"], kind)


def _fragments(row: Record) -> list[tuple[float, float]]:
    fragments = []
    for part in filter(None, map(str.strip, row[FRAGMENTS].split(";"))):
        try:
            start, end = (position(edge) for edge in part.split())
        except ValueError:
            raise row.error(
                f"fragment {part!r} is not START END",
                hint="Write fragments as 0 5;10 15. If the column holds something else, ignore it "
                "with `read(discontinuous=cover)`, or compare it as a feature: "
                "[features.fragments] in a file for `dissimilarity=`",
            ) from None
        fragments.append((start, end))
    return fragments
