"""CSV and TSV: one unit per row.

Columns
-------
Without a header: annotator, category, start, end. With a header: these in any order (also under
the names in `gammacp.base.frames.COLUMNS`), the category optional, further columns ignored unless
they are asked for as features, an optional column `fragments` with START END;START END… of units of
several, columns x0, y0, x1, y1 (and z0, z1) of boxes (x0 and x1 are start and end) or a column
`shape` with a shape's JSON, and an optional document column that makes the file a corpus. The
delimiter is a comma,
semicolon, tab or bar.

An empty category is an unlabelled unit; CSV cannot tell it from a label that is an empty string.
A row with an annotator and nothing else declares an annotator without units. The lines
`# bounds: START END` (followed by the document's name when there are several) and
`# offset unit: NAME` are read and written; other lines that begin with "#" are comments unless
they have the columns of a row.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from gammacp.base.csv_files import rows_of, table_of
from gammacp.base.frames import AXES, FRAGMENTS, SHAPE, UNIT, places_of_roles
from gammacp.continuum import Bounds, Continuum, Corpus
from gammacp.continuum.label import to_label
from gammacp.continuum.links import DIRECTED, KINDS
from gammacp.continuum.shapes import Shape
from gammacp.errors import DataError, UsageError
from gammacp.formats.boundary import place_errors
from gammacp.formats.delimited_writing import DELIMITERS, LINKS, ORDER, write
from gammacp.formats.positions import position
from gammacp.formats.registry import registered
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import Documents, in_pieces, shape_of, with_shapes

_POSITIONS = ("start", "end")
# Before the name of a feature, where columns are told by what they are for.
_FEATURE = "feature:"
_NOTE = re.compile(r"#\s*+(bounds|offset unit)\s*+:(.*)", re.IGNORECASE)
_NOTE_LIKE = re.compile(r"#\s*+\w++\s*+:\s*+[-+.\d]++\s++[-+.\d]++\s*+$")
_HINT = "The columns are annotator, category, start, end"


@dataclass
class _Notes:
    """What the lines that begin with "#" say."""

    bounds: dict[str, tuple[Bounds, int]] = field(default_factory=dict)
    offset_unit: str = ""
    comments: int = 0


def read(
    source: Source,
    *,
    delimiter: str | None = None,
    features: Sequence[str] = (),
    discontinuous: str = "keep",
    shapes: str = "keep",
) -> Continuum | Corpus:
    """The continuum, or with a document column the corpus, of a CSV or TSV file.

    Parameters
    ----------
    delimiter
        One of comma, semicolon, tab and bar; by default the one that the first lines show.
    features
        Further columns that are features beside the category.
    discontinuous
        "keep": rows with fragments are units of several; "cover": what the column `fragments` has
        is not read, units reach from start to end; "split": each fragment is a unit.
    shapes
        "keep": rows with y0 and y1, or a shape, are shapes; "box": they are the box around each;
        "no": these columns are not read.

    Raises
    ------
    DataError
        A row has too few or too many fields, or no annotator; a position is no number; an end lies
        before its start.

    Notes
    -----
    Positions
        any (as written)
    Annotators
        column; a row with only the annotator's name declares an annotator without units
    Category
        column; empty is unlabelled; further columns with `[features.NAME]`
    Spans
        every row is a unit: overlapping, repeated and zero-length ones are kept, and blanks around
        a name are dropped. A column `fragments` (`0 5;10 15`) lists the fragments of a
        discontinuous unit (`--option discontinuous=cover`: the column is ignored; `split`: one unit
        per fragment). Columns `y0` and `y1` (and `z0`, `z1`), or a column `shape`, hold shapes
        (`--option shapes=box`: the box around each; `no`: the columns are ignored). A file
        NAME.links.csv beside NAME.csv holds links between units, which it names by their column
        `unit`: annotator, type, source, target, and optionally document and kind
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"delimiter {delimiter!r} is not comma, semicolon, tab or bar")
    text, notes = source.text(), _Notes()
    chosen = delimiter or _delimiter(text)
    rows = rows_of(text, delimiter=chosen, comment=partial(_is_comment, source, notes, chosen))
    first = next(rows, None)
    if first is None:
        raise source.error("file has no rows", hint=_HINT)
    names = first[1]
    header = _header(names, source, first[0], features)
    if header is None:
        if len(first[1]) != len(ORDER):
            raise source.error(
                f"row has {_count(first[1])} instead of 4",
                line=first[0],
                hint=f"{_HINT}; for another order or more columns, add a header",
            )
        header = {name: i for i, name in enumerate(ORDER)}
        rows = chain([first], rows)
        names = list(ORDER)
    header |= {f"{_FEATURE}{f}": _column(source, names, f, first[0]) for f in features}
    links = source.beside(f".links{source.path.suffix}")
    if links is not None and UNIT not in header:
        raise source.error(f"has a file of links beside it, but no column {UNIT!r}", line=first[0])
    unread = _unread(links, discontinuous, shapes)
    header = {role: i for role, i in header.items() if role not in unread}
    documents = Documents(source, "")
    cells_of = itemgetter(*header.values())
    named = [i for role, i in header.items() if role not in _POSITIONS]
    if "document" not in header:
        documents.of("")
    # pandas writes the numbers of the rows into a first column without a name.
    is_index = not names[0].strip() and 0 not in header.values()
    for line, row in rows:
        if len(row) != len(names):
            raise source.error(
                f"row has {_count(row)}, but the first row has {len(names)}",
                line=line,
                hint="Quote fields that contain the delimiter",
            )
        bare = [cell.strip() for cell in row]
        is_index = is_index and bare[0].isdigit()
        if bare != row:
            blanks = sum(row[i] != bare[i] for i in named)
            documents.leave_out("blank", "around a name, not part of it", blanks)
        cells = Record(zip(header, cells_of(bare), strict=True))
        _add(documents, Record.of(cells, source, line), features)
    for i, name in enumerate(names):
        if i not in header.values() and not (i == 0 and is_index):
            documents.leave_out("column", f"{name.strip() or i + 1} is not used")
    documents.leave_out("line", "comment", notes.comments)
    _add_links(documents, links or "")
    found: Continuum | Corpus = _with_notes(documents, notes).corpus()
    if isinstance(found, Corpus) and "document" not in header:
        found = found[""].with_about(name=source.document, left_out=found.left_out)
    return with_shapes(in_pieces(found, discontinuous, source.place), shapes, source.place)


def _unread(links: str | None, discontinuous: str | None, shapes: str | None) -> set[str]:
    """Roles of columns that are there and do not count."""
    return {
        *((UNIT,) if links is None else ()),
        *((FRAGMENTS,) if discontinuous == "cover" else ()),
        *((*AXES, SHAPE) if shapes == "no" else ()),
    }


def _column(source: Source, names: Sequence[str], feature: str, line: int) -> int:
    places = [i for i, name in enumerate(names) if name.strip() == feature]
    if len(places) != 1:
        there = ", ".join(name.strip() for name in names)
        raise source.error(
            f"feature {feature!r} is not one column", line=line, hint=f"The columns are: {there}"
        )
    return places[0]


def _count(row: Sequence[str]) -> str:
    return f"{len(row)} column{'s' if len(row) != 1 else ''}"


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first lines into the same number of columns, at least three."""
    lines = islice(io.StringIO(text, newline=""), 50)
    sample = "".join([x for x in lines if x.strip() and not _NOTE.match(x)][:20])
    best, best_score = ",", (0.0, 0)
    for candidate in DELIMITERS:
        # A quoted field may go over several lines, so a sample may end inside one.
        widths = [len(row) for _, row in rows_of(sample, delimiter=candidate, strict=False)]
        usual = max(widths, key=widths.count, default=0)
        score = (widths.count(usual) / len(widths) if usual >= 3 else 0.0, usual)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _is_comment(source: Source, notes: _Notes, delimiter: str, number: int, line: str) -> bool:
    """Whether a line where a row may begin is none; notes and comments are noted."""
    if not line.startswith("#"):
        return False
    if note := _NOTE.match(line):
        _note(source, number, note[1].lower(), note[2].strip(), notes)
        return True
    if _NOTE_LIKE.match(line):
        raise source.error(
            "comment looks like bounds, but is not", line=number, hint="Write # bounds: START END"
        )
    comment = line.count(delimiter) < len(ORDER) - 1
    notes.comments += comment
    return comment


def _note(source: Source, line: int, kind: str, value: str, notes: _Notes) -> None:
    if kind == "offset unit":
        notes.offset_unit = value
        return
    parts = value.split(maxsplit=2)
    try:
        bounds = position(parts[0]), position(parts[1])
    except (IndexError, ValueError):
        raise source.error(
            f"bounds {value!r} are not two numbers", line=line, hint="Write # bounds: START END"
        ) from None
    name = parts[2] if len(parts) > 2 else ""
    if name in notes.bounds:
        raise source.error("bounds are given twice", line=line)
    notes.bounds[name] = bounds, line


def _header(
    row: Sequence[str], source: Source, line: int, features: Sequence[str]
) -> dict[str, int] | None:
    """Column of each role if the row is a header, else None."""
    found: dict[str, int] = {}
    for role, places in places_of_roles(row, features).items():
        if len(places) > 1:
            both = ", ".join(repr(row[i]) for i in places)
            raise source.error(f"several columns could be the {role}: {both}", line=line)
        found[role] = places[0]
    for low, high in zip(AXES[::2], AXES[1::2], strict=True):
        if (low in found) != (high in found):
            found.pop(low, found.pop(high, None))
    missing = [role for role in ("annotator", "start", "end") if role not in found]
    if not missing:
        others = [row[i] for i in range(len(row)) if i not in found.values()]
        if "category" not in found and others:
            raise source.error(
                f"header has {', '.join(map(repr, others))}, but no column 'category'",
                line=line,
                hint="Rename the column that holds categories, or keep only annotator, start, end",
            )
        return found
    if len(found) >= 2 and not any(_is_number(cell) for cell in row):
        raise source.error(f"header has no column {missing[0]!r}", line=line, hint=_HINT)
    return None


def _is_number(cell: str) -> bool:
    try:
        position(cell)
    except ValueError:
        return False
    return True


def _add(documents: Documents, row: Record, features: Sequence[str]) -> None:
    """Add what a row declares: a document, an annotator, or a unit."""
    name, annotator = row.get("document", ""), row["annotator"]
    if "document" in row and not name:
        raise row.error("document is empty")
    spans = documents.of(name)
    if not annotator:
        if name and not any(cell for role, cell in row.items() if role != "document"):
            return
        raise row.error("annotator is empty")
    values = {name: row[f"{_FEATURE}{name}"] for name in features} if features else {}
    category = row.get("category")
    if not row["start"] and not row["end"]:
        label = to_label(category or None, values)
        if label is not None:
            what = f"unit {label!r} of {annotator} has no start and no end"
            hint = "Give positions. To declare an annotator without units, leave category empty too"
            raise row.error(what, hint=hint)
        spans.declare(annotator)
        return
    start, end = row.position("start", "start", _HINT), row.position("end", "end", _HINT)
    if end < start:
        what = f"end {row['end']} < start {row['start']}"
        raise row.error(what, hint="Swap or correct the positions")
    fragments = _fragments(row) if row.get(FRAGMENTS) else ()
    about: Any = {"line": row.line, "features": values, "fragments": fragments}
    about["key"] = row.get(UNIT, "")
    spans.add(annotator, category, start, end, **about, shape=_shape(row, (start, end)))


def _shape(row: Record, first: tuple[float, float]) -> Shape | None:
    """What the row says of further axes; None without."""
    spans = [first]
    for axis in ("y", "z"):
        if row.get(f"{axis}0") or row.get(f"{axis}1"):
            low, high = (f"{axis}0", f"{axis}1")
            spans.append((row.position(low, low, _HINT), row.position(high, high, _HINT)))
    with row.source.place_errors(row.line):
        return shape_of(spans, row.get(SHAPE))


def _add_links(documents: Documents, text: str) -> None:
    """The links of the table beside the file."""
    place = documents.source.path.with_suffix(f".links{documents.source.path.suffix}")
    alone = documents.found.get("") if len(documents.found) == 1 else None
    with place_errors(place):
        for cells, line in table_of(text, LINKS[1:-1], delimiter=DELIMITERS):
            row = {name: cell.strip() for name, cell in cells.items()}
            spans = alone or documents.found.get(row.get(LINKS[0], ""))
            if spans is None:
                what = f"document {row.get(LINKS[0], '')!r} has no units"
                raise DataError(what, line=line, hint="Use a document's name from the units")
            kind = row.get(LINKS[-1]) or DIRECTED
            if kind not in KINDS:
                raise DataError(f"kind {kind!r} is not one of {', '.join(KINDS)}", line=line)
            spans.link(row["annotator"], row["type"], row["source"], row["target"], kind)


def _fragments(row: Record) -> list[tuple[float, float]]:
    found = []
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
        found.append((start, end))
    return found


def _with_notes(documents: Documents, notes: _Notes) -> Documents:
    """The documents with the bounds and the offset unit of the notes."""
    for name, (_, line) in notes.bounds.items():
        if name and name not in documents.found:
            raise documents.source.error(
                f"bounds are given for {name!r}, but there is no such document", line=line
            )
    for name, spans in documents.found.items():
        spans.offset_unit = notes.offset_unit
        spans.bounds = notes.bounds.get(name) or notes.bounds.get("")
    return documents


def _sniff(head: bytes, path: Path) -> bool:
    if path.suffix.lower() in (".csv", ".tsv", ".tab"):
        return True
    first = head.lstrip(b" \r\n").split(b"\n")[0]
    # JSON has commas, too; an annotator may be called {1}.
    is_json = first.replace(b" ", b"")[:2] in (b'{"', b"[{", b'["', b"[[")
    return not is_json and any(first.count(mark.encode()) >= 3 for mark in DELIMITERS)


registered(
    "csv",
    "CSV, TSV",
    (".csv", ".tsv", ".tab"),
    _sniff,
    read,
    write=write,
    many=True,
    bounds=True,
    features=True,
    fragments=True,
    shapes=True,
    links=KINDS,
)
