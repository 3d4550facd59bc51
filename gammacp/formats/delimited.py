"""CSV and TSV: one unit per row.

Columns
-------
Without a header: annotator, category, start, end. With a header: these in any order (also under
the names in `COLUMNS`), the category optional, further columns ignored unless they are asked for as
features, an optional column `fragments` with START END;START END… of units of several, and an
optional continuum column that makes the file a corpus. The delimiter is a comma,
semicolon, tab or bar.

An empty category is an unlabelled unit; CSV cannot tell it from a label that is an empty string.
A row with an annotator and nothing else declares an annotator without units. The lines
`# bounds: START END` (followed by the continuum's name when there are several) and
`# offset unit: NAME` are read and written; other lines that begin with "#" are comments unless
they have the columns of a row.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path

from gammacp.continuum import Bounds, Continuum, Corpus
from gammacp.continuum.label import labelled
from gammacp.csv_files import rows_of
from gammacp.errors import UsageError
from gammacp.formats.delimited_writing import COLUMNS, DELIMITERS, FRAGMENTS, ORDER, as_role, write
from gammacp.formats.positions import position
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents, in_pieces

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
) -> Continuum | Corpus:
    """The continuum, or with a continuum column the corpus, of a CSV or TSV file.

    Parameters
    ----------
    delimiter
        One of comma, semicolon, tab and bar; by default the one that the first lines show.
    features
        Further columns that are features beside the category.
    discontinuous
        "keep": rows with fragments are units of several; "cover": what the column `fragments` has
        is not read, units reach from start to end; "split": each fragment is a unit.

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
        column; a row with nothing but the annotator declares one without units
    Category
        column; empty is unlabelled; further columns with `[features.NAME]`
    Spans
        every row is a unit: overlapping, repeated and zero-length ones are kept; a column
        `fragments` (`0 5;10 15`) has those of units of several (`--option discontinuous=cover`: it
        is not read; `split`: a unit for each); blanks around a name are not part of it
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"delimiter {delimiter!r} is none of comma, semicolon, tab, bar")
    lines = list(io.StringIO(source.text(), newline=""))
    chosen = delimiter or _delimiter(lines)
    notes = _Notes()
    rows = _rows(source, lines, chosen, notes)
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
                hint=f"{_HINT}; other orders or more columns need a header",
            )
        header = {name: i for i, name in enumerate(ORDER)}
        rows = chain([first], rows)
        names = list(ORDER)
    header |= {f"{_FEATURE}{f}": _column(source, names, f, first[0]) for f in features}
    if discontinuous == "cover":
        header.pop(FRAGMENTS, None)
    documents = Documents(source, "")
    cells_of = itemgetter(*header.values())
    named = [i for role, i in header.items() if role not in _POSITIONS]
    if "continuum" not in header:
        documents.of("")
    for line, row in rows:
        if len(row) != len(names):
            raise source.error(
                f"row has {_count(row)}, the first row has {len(names)}",
                line=line,
                hint="Quote fields that contain the delimiter",
            )
        bare = [cell.strip() for cell in row]
        if bare != row:
            blanks = sum(row[i] != bare[i] for i in named)
            documents.leave_out("blank", "around a name, not part of it", blanks)
        _add(documents, dict(zip(header, cells_of(bare), strict=True)), features, line)
    for i, name in enumerate(names):
        if i not in header.values():
            documents.leave_out("column", f"{name.strip() or i + 1} is none of those that are read")
    documents.leave_out("line", "comment", notes.comments)
    corpus = _noted(documents, notes).corpus()
    if "continuum" in header:
        return in_pieces(corpus, discontinuous, source.place)
    alone = replace(corpus[""], name=source.document, left_out=corpus.left_out)
    return in_pieces(alone, discontinuous, source.place)


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


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts the first lines into the same number of columns, at least three."""
    sample = [x for x in lines[:50] if x.strip() and not _NOTE.match(x)][:20]
    best, best_score = ",", (0.0, 0)
    for candidate in DELIMITERS:
        # A quoted field may go over several lines, so a sample may end inside one.
        widths = [len(r) for r in rows_of(sample, delimiter=candidate, strict=False) if r]
        if not widths:
            continue
        usual = max(widths, key=widths.count)
        score = (widths.count(usual) / len(widths) if usual >= 3 else 0.0, usual)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _rows(
    source: Source, lines: Sequence[str], delimiter: str, notes: _Notes
) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of each row; notes and comments are taken out."""
    line, fresh = 0, True

    def physical() -> Iterator[str]:
        # A line that begins with "#" is a comment only where a row may begin, not inside quotes.
        nonlocal line, fresh
        for number, text in enumerate(lines, 1):
            if fresh and text.startswith("#"):
                note = _NOTE.match(text)
                if note:
                    _note(source, number, note[1].lower(), note[2].strip(), notes)
                    continue
                if _NOTE_LIKE.match(text):
                    raise source.error(
                        "comment looks like bounds", line=number, hint="Write # bounds: START END"
                    )
                if text.count(delimiter) < len(ORDER) - 1:
                    notes.comments += 1
                    continue
            if fresh:
                line, fresh = number, False
            yield text

    reader = rows_of(physical(), delimiter=delimiter)
    while True:
        fresh = True
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise source.error(
                f"row cannot be read: {error}", line=line, hint="Check the quotes"
            ) from None
        if any(cell.strip() for cell in row):
            yield line, row


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
    names = [as_role(cell) for cell in row]
    found: dict[str, int] = {}
    for role, aliases in COLUMNS.items():
        places = [i for i, name in enumerate(names) if name in aliases]
        if role in ("continuum", FRAGMENTS):  # What is asked for as a feature is none of these.
            places = [i for i in places if row[i].strip() not in features]
        exact = [i for i in places if names[i] == role]
        if len(exact or places) > 1:
            both = ", ".join(repr(row[i]) for i in exact or places)
            raise source.error(f"several columns could be the {role}: {both}", line=line)
        if places:
            found[role] = (exact or places)[0]
    missing = [role for role in ("annotator", "start", "end") if role not in found]
    if not missing:
        others = [row[i] for i in range(len(row)) if i not in found.values()]
        if "category" not in found and others:
            raise source.error(
                f"header has no column 'category' but {', '.join(map(repr, others))}",
                line=line,
                hint="Name the column with the categories so, or leave only annotator, start, end",
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


def _add(
    documents: Documents, cells: Mapping[str, str], features: Sequence[str], line: int
) -> None:
    """Add what a row declares: a continuum, an annotator, or a unit."""
    source = documents.source
    name, annotator = cells.get("continuum", ""), cells["annotator"]
    if "continuum" in cells and not name:
        raise source.error("continuum is empty", line=line)
    spans = documents.of(name)
    if not annotator:
        if name and not any(cell for role, cell in cells.items() if role != "continuum"):
            return
        raise source.error("annotator is empty", line=line)
    values = {name: cells[f"{_FEATURE}{name}"] for name in features}
    label = labelled(cells.get("category") or None, values)
    low, high = cells["start"], cells["end"]
    if not low and not high:
        if label is not None:
            raise source.error(
                f"unit {label!r} of {annotator} has no start and no end",
                line=line,
                hint="Only the annotator's name declares an annotator without units",
            )
        spans.declare(annotator)
        return
    start = source.position(low, "start", line=line, hint=_HINT)
    end = source.position(high, "end", line=line, hint=_HINT)
    if end < start:
        raise source.error(
            f"end {high} < start {low}",
            line=line,
            hint="Swap or correct the positions",
        )
    spans.add(
        annotator,
        label,
        start,
        end,
        line=line,
        fragments=_fragments(source, cells, line) if cells.get(FRAGMENTS) else (),
    )


def _fragments(source: Source, cells: Mapping[str, str], line: int) -> list[tuple[float, float]]:
    parts = [part.strip() for part in cells.get(FRAGMENTS, "").split(";") if part.strip()]
    found = []
    for part in parts:
        try:
            start, end = (position(edge) for edge in part.split())
        except ValueError:
            raise source.error(
                f"fragment {part!r} is not START END",
                line=line,
                hint="Write 0 5;10 15. Where the column is of something else, leave it out with "
                "--option discontinuous=cover, or weigh it as a feature: [features.fragments] in a "
                "file for --dissimilarity",
            ) from None
        found.append((start, end))
    return found


def _noted(documents: Documents, notes: _Notes) -> Documents:
    """The documents with the bounds and the offset unit of the notes."""
    for name, (_, line) in notes.bounds.items():
        if name and name not in documents.found:
            raise documents.source.error(
                f"bounds are given for {name!r}, which does not occur", line=line
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
)
