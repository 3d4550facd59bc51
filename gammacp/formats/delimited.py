"""CSV and TSV: one unit per row.

Columns
-------
Without a header: annotator, category, start, end. With a header: these in any order (also under
the names in `gammacp.base.frames.COLUMNS`), the category optional, further columns ignored unless
they are asked for as features, an optional column `fragments` with START END;START END… of units of
several, columns x0, y0, x1, y1 (and z0, z1) of boxes (x0 and x1 are start and end) or a column
`shape` with a shape's JSON, and an optional document column that makes the file a corpus. The
delimiter is a comma, semicolon, tab or bar. A column `duration` beside a start may stand for the
end. Positions may be times of a clock (hh:mm:ss.ms) and, between semicolons, have decimal commas.

An empty category is an unlabelled unit; CSV cannot tell it from a label that is an empty string.
A row with an annotator and nothing else declares an annotator without units. The lines
`# bounds: START END` (followed by the document's name when there are several) and
`# offset unit: NAME` are read and written; other lines that begin with "#" are comments unless
they have the columns of a row.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

from gammacp.base.csv_files import rows_of
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.links import KINDS
from gammacp.errors import UsageError
from gammacp.formats.delimited_writing import DELIMITERS, ORDER, write
from gammacp.formats.positions import position
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.unit_rows import HINT, ROWS_SHOWN, Notes, UnitTable, count_of, header_of
from gammacp.formats.written_positions import WrittenPositions

_NOTE = re.compile(r"#\s*+(bounds|offset unit)\s*+:(.*)", re.IGNORECASE)
_NOTE_LIKE = re.compile(r"#\s*+\w++\s*+:\s*+[-+.\d]++\s++[-+.\d]++\s*+$")


def read(
    source: Source,
    *,
    delimiter: str | None = None,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] = (),
    discontinuous: str = "keep",
    shapes: str = "keep",
) -> Continuum | Corpus:
    """Return the continuum, or with a document column the corpus, of a CSV or TSV file.

    Parameters
    ----------
    delimiter
        One of comma, semicolon, tab and bar; by default the one that the first lines show.
    columns
        The column of each role (annotator, category, start, end, duration, document, …), where its
        name is not one of those that are known.
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
        A row has too few or too many fields, or no annotator; a position is no number or is
        written in another way than those before; an end lies before its start.

    Notes
    -----
    Positions
        any (as written); times of a clock (hh:mm:ss.ms) are seconds. Between semicolons numbers may
        have decimal commas
    Annotators
        column, or by `--layout` from the path; a row with only the annotator's name declares an
        annotator without units
    Category
        column; empty is unlabelled; further columns with `[features.NAME]`
    Spans
        every row is a unit: overlapping, repeated and zero-length ones are kept, and blanks around
        a name are dropped. A column `duration` beside a start stands for the end. Columns of other
        names are chosen with `--columns start=NAME`. A column `fragments` (`0 5;10 15`) lists the
        fragments of a discontinuous unit (`--option discontinuous=cover`: the column is ignored;
        `split`: one unit per fragment). Columns `y0` and `y1` (and `z0`, `z1`), or a column
        `shape`, hold shapes (`--option shapes=box`: the box around each; `no`: the columns are
        ignored). A file NAME.links.csv beside NAME.csv holds links between units, which it names by
        their column `unit`: annotator, type, source, target, and optionally document and kind
    """
    _check_delimiter(delimiter)
    text = source.text()
    notes = Notes()
    chosen = delimiter or _delimiter(text)
    rows = rows_of(text, delimiter=chosen, comment=partial(_is_comment, source, notes, chosen))
    first, header, rows = _headed(source, rows, features, columns)
    return UnitTable(
        source=source,
        names=first[1],
        line=first[0],
        header=header,
        written=WrittenPositions(commas=chosen == ";"),
        features=features,
        discontinuous=discontinuous,
        shapes=shapes,
        notes=notes,
    ).read(rows)


def _check_delimiter(delimiter: str | None) -> None:
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"delimiter {delimiter!r} is not comma, semicolon, tab or bar")


def _headed(
    source: Source,
    rows: Iterator[tuple[int, list[str]]],
    features: Sequence[str],
    columns: Mapping[str, str] | None,
) -> tuple[tuple[int, list[str]], Mapping[str, int], Iterator[tuple[int, list[str]]]]:
    """Read the header, or take the four columns in their order where there is none.

    Returns
    -------
    names
        The line of the first row, and the names of the columns.
    header
        The column of each role.
    rows
        The rows of data.
    """
    first = next(rows, None)
    if first is None:
        raise source.error("file has no rows", hint=HINT)
    header = header_of(first[1], source, first[0], features, columns)
    if header is not None:
        return first, header, rows
    _check_width(source, first)
    columns_in_order = {name: i for i, name in enumerate(ORDER)}
    return (first[0], list(ORDER)), columns_in_order, chain([first], rows)


def _check_width(source: Source, row: tuple[int, list[str]]) -> None:
    """Raise DataError unless a row without a header has the four columns."""
    line, fields = row
    if len(fields) != len(ORDER):
        raise source.error(
            f"row has {count_of(fields)} instead of 4",
            line=line,
            hint=f"{HINT}; for another order or more columns, add a header",
        )


def preview(source: Source) -> list[list[str]]:
    """Return the first rows, names of columns first."""
    text = source.text()
    comment = partial(_is_comment, source, Notes(), chosen := _delimiter(text))
    return [row for _, row in islice(rows_of(text, delimiter=chosen, comment=comment), ROWS_SHOWN)]


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts the first lines into equally many columns, at least 3."""
    lines = islice(io.StringIO(text, newline=""), 50)
    sample = "".join([x for x in lines if x.strip() and not _NOTE.match(x)][:20])
    best = ","
    best_score = (0.0, 0)
    for candidate in DELIMITERS:
        # A quoted field may go over several lines, so a sample may end inside one.
        widths = [len(row) for _, row in rows_of(sample, delimiter=candidate, strict=False)]
        usual = max(widths, key=widths.count, default=0)
        score = (widths.count(usual) / len(widths) if usual >= 3 else 0.0, usual)
        if score > best_score:
            best = candidate
            best_score = score
    return best


def _is_comment(source: Source, notes: Notes, delimiter: str, number: int, line: str) -> bool:
    """Return whether a line is a comment; store its note, or else count it in `notes`."""
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


def _note(source: Source, line: int, kind: str, value: str, notes: Notes) -> None:
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
    if len(parts) > 2:
        name = parts[2]
    else:
        name = ""
    if name in notes.bounds:
        raise source.error("bounds are given twice", line=line)
    notes.bounds[name] = bounds, line


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
    preview=preview,
    write=write,
    several_continua=True,
    bounds=True,
    features=True,
    fragments=True,
    shapes=True,
    links=KINDS,
)
