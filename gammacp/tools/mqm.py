"""MQM ratings of translations in the TSV format that WMT publishes and Marot displays.

After google/wmt-mqm-human-evaluation and Marot's README (google-research/marot). A row is an error
that a rater marked with <v>…</v> in the target or the source of a segment. A row of the category
`No-error` declares a rater without errors. Some files quote cells as spreadsheets do.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from gammacp.base.arguments import one_of
from gammacp.base.text import lines_of
from gammacp.continuum import Corpus
from gammacp.errors import UsageError
from gammacp.formats.records import table
from gammacp.formats.registry import registered
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents

_NEEDED = ("system", "doc", "rater", "source", "target", "category", "severity")
_SEGMENTS = ("seg_id", "globalSegId", "global_seg_id", "docSegId", "doc_seg_id", "doc_id")
_QUOTED = re.compile(r'"(?:[^"]|"")*+"')
_MARK = re.compile(r"</?v>")


def read(
    source: Source,
    *,
    side: str = "target",
    category: str = "category",
    features: Sequence[str] = (),
) -> Corpus:
    """Return one document per system, document and segment.

    Parameters
    ----------
    side
        The side whose marks are the units: "target" or "source".
    category
        "category", "severity" or "category+severity".
    features
        Columns that are features in addition to the category, such as severity.

    Raises
    ------
    DataError
        Marks are not in pairs, or a rater has no name.

    Notes
    -----
    Positions
        characters (code points) of the segment
    Annotators
        rater; a row of `No-error` declares one without units
    Category
        category; `--option category=severity` or `category+severity`; other columns with
        `[features.NAME]`
    Spans
        every marked part of the translation (`--option side=source`: of the source) is a unit.
        Errors without a mark on that side are left out, and so are ratings whose text differs from
        that of the segment's first rating
    """
    one_of("side", side, ("target", "source"))
    parts = category.split("+")
    if not set(parts) <= {"category", "severity"}:
        raise UsageError(f"category {category!r} is not category, severity, or both joined by +")
    documents = Documents(source, CHARACTERS)
    for row in table(source, (*_NEEDED, *features), quoted=_is_quoted(source.text())):
        segment = next((row[c] for c in _SEGMENTS if c in row), None)
        if segment is None:
            raise source.error(f"there is no column {' or '.join(_SEGMENTS)}", line=1)
        pieces = _pieces(row, side)
        rater = row["rater"].strip()
        at = 0
        text = "".join(pieces)
        if not rater:
            raise row.error("rater has no name")
        spans = documents.of("/".join((row["system"], row["doc"], segment)))
        if spans.text not in (None, text):
            spans.leave_out("error", "rates another text than the segment's first rating")
            continue
        spans.text = text
        spans.declare(rater)
        label = "/".join(row[p].strip() for p in parts)
        value_by_feature = {f: row[f].strip() for f in features}
        for i, piece in enumerate(pieces):
            if i % 2:
                spans.add(
                    rater, label, at, at + len(piece), line=row.line, features=value_by_feature
                )
            at += len(piece)
        if len(pieces) == 1 and row["category"].strip().lower().replace("-", " ") != "no error":
            spans.leave_out("error", f"without a mark in the {side}")
    return documents.corpus()


def _pieces(row: Record, side: str) -> list[str]:
    """Return the text between marks: every second piece, from the second on, is marked."""
    marks = _MARK.findall(row[side])
    if marks != ["<v>", "</v>"] * (len(marks) // 2):
        raise row.error("marks <v> and </v> are not in pairs")
    return _MARK.split(row[side])


def _is_quoted(text: str) -> bool:
    """Return whether every cell with a double quote is quoted as a spreadsheet does it."""
    cells = (c for line in lines_of(text) for c in line.split("\t") if '"' in c)
    return all(_QUOTED.fullmatch(c) for c in cells)


def _sniff(head: bytes, path: Path) -> bool:
    first = head[:2000].split(b"\n")[0].strip().split(b"\t")
    return {name.encode() for name in _NEEDED} <= set(first) and bool(path.name)


registered("mqm", "MQM TSV (WMT, Marot)", (".tsv",), _sniff, read)
