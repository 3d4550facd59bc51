"""ELAN's tab-delimited text: annotations as the lines of a table.

After "Exporting a document as tab-delimited text" of the ELAN manual (Max Planck Institute for
Psycholinguistics). Without a header, a line has tier, participant, then begin, end and duration,
each in one or several notations, then the value. With a header, columns of times have names like
`Begin Time - ss.msec`, and each tier may have its own column. The table is often saved as CSV by
spreadsheets.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from gammacp.base.csv_files import rows_of
from gammacp.base.left_out import Tally
from gammacp.continuum import Continuum, Corpus
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Documents
from gammacp.formats.tiers import ANNOTATOR, annotator_of, check_chosen
from gammacp.formats.written_positions import WrittenPositions

_BEGIN = re.compile(rb'[^\r\n]*"?Begin Time - (?:hh:mm:ss|ss\.msec|msec)')
_CLOCK = r"\d\d+:\d\d:\d\d[.,]\d{3}"
_PLAIN = re.compile(rf"[^\t\r\n]*\t[^\t\r\n]*\t{_CLOCK}\t".encode())
_TIMES = ("begin time", "end time", "duration")
_TIERS = ("tier", "tier name", "type")
_VALUES = ("annotation", "value")
_FILES = ("file", "path")
_HINT = "Export from ELAN with begin and end time"
Cell = tuple[str, str, float, float, int, str]
"""Tier, value, start, end, line, document."""


def read(source: Source, *, tier: str | None = None) -> Continuum | Corpus:
    """Return the annotations of a table.

    Parameters
    ----------
    tier
        A pattern that the names of tiers must fit (`gammacp.formats.tiers`); by default all.

    Raises
    ------
    DataError
        Begins or ends are missing, a time cannot be read, or no tier fits.

    Notes
    -----
    Positions
        seconds
    Annotators
        each tier is an annotator. `--tier` chooses tiers and says where the annotator's name is, as
        in `gesture@{annotator}`
    Category
        annotation value; empty is unlabelled
    Spans
        every annotation is a unit; in a column per tier an empty cell is none
    """
    documents = Documents(source, SECONDS)
    tier_names: dict[str, None] = {}
    chosen_names: dict[str, None] = {}
    tally = Tally(source.place)
    for name, value, start, end, line, document in _annotations(source, tally):
        tier_names[name] = None
        annotator = annotator_of(name, tier or "*")
        spans = documents.of(document or source.document)
        if annotator is None:
            spans.leave_out("annotation", f"tier {name} was not chosen")
            continue
        chosen_names[name] = None
        if ANNOTATOR not in (tier or ""):
            annotator = source.annotator or name
        spans.add(annotator, value, start, end, line=line, what="annotation")
    check_chosen(source, tier, tier_names, chosen_names)
    for entry in tally.entries():
        documents.leave_out(entry.kind, entry.reason, entry.count)
    return documents.one_or_all()


def _annotations(source: Source, tally: Tally) -> Iterator[Cell]:
    """Yield the annotations of all lines."""
    comments: set[int] = set()

    def is_comment(number: int, line: str) -> bool:
        if line.startswith(("#", '"#')):
            comments.add(number)
        return number in comments

    rows = rows_of(source.text(), delimiter="\t,;", comment=is_comment)
    line, first = next(rows, (1, []))
    tally.add("line", "names a file", len(comments))
    named = [cell.strip().lower() for cell in first]
    clock = WrittenPositions(commas=True)
    if not any(name.startswith("begin time") for name in named):
        yield from _without_header(source, [(line, first), *rows], clock)
        return
    start, end = (_column(named, what) for what in _TIMES[:2])
    if start is None or end is None:
        raise source.error("header has no begin and end time", line=line, hint=_HINT)
    plain = {i for i, name in enumerate(named) if name.startswith(_TIMES)}
    by_role = [
        next((i for i, name in enumerate(named) if name.startswith(names)), None)
        for names in (_TIERS, _VALUES, _FILES)
    ]
    tiers, values, files = by_role
    if tiers is not None and values is not None:
        for i, name in enumerate(named):
            if i not in plain and i not in by_role:
                tally.add("column", f"{name or i + 1} is not used")
    for number, row in rows:
        cells = [cell.strip() for cell in [*row, *[""] * (len(first) - len(row))]]
        edges = [_time(source, clock, cells[i], number, named[i]) for i in (start, end)]
        if files is None:
            document = ""
        else:
            document = Path(cells[files].replace("\\", "/")).stem
        if tiers is not None and values is not None:
            yield cells[tiers], cells[values], edges[0], edges[1], number, document
            continue
        for i, name in enumerate(first):
            if i not in plain and i not in (tiers, files) and name.strip() and cells[i]:
                yield name.strip(), cells[i], edges[0], edges[1], number, document


def _column(named: list[str], what: str) -> int | None:
    """Return the column of a time; prefer seconds or clock times to milliseconds."""
    places = [i for i, name in enumerate(named) if name.startswith(what)]
    places.sort(key=lambda i: (named[i].endswith("- msec"), not named[i].endswith("ss.msec")))
    if places:
        return places[0]
    return None


def _time(source: Source, clock: WrittenPositions, text: str, line: int, name: str) -> float:
    try:
        value = clock.number(text, f"line {line}")
    except ValueError as error:
        raise source.error(f"time {error}", line=line, hint=_HINT) from None
    if name.endswith("- msec"):
        return value / 1000
    return value


def _without_header(
    source: Source, rows: list[tuple[int, list[str]]], clock: WrittenPositions
) -> Iterator[Cell]:
    """Yield annotations from lines of tier, participant, clock times, other times, and value."""
    for number, row in rows:
        cells = [cell.strip() for cell in row]
        at = [i for i, cell in enumerate(cells) if i > 1 and re.fullmatch(_CLOCK, cell)]
        if len(at) < 2:
            raise source.error("line has no begin and end hh:mm:ss.ms", line=number, hint=_HINT)
        start, end = (_time(source, clock, cells[i], number, "") for i in at[:2])
        # Other notations of times may follow the clock times; the value comes after them.
        rest = at[-1] + 1
        while rest < len(cells) - 1 and re.fullmatch(r"\d+([.,]\d+)?", cells[rest]):
            rest += 1
        if rest < len(cells):
            value = cells[rest]
        else:
            value = ""
        yield cells[0], value, start, end, number, ""


def _sniff(head: bytes, path: Path) -> bool:
    begins = head[:4096]
    while begins.startswith((b"#", b'"#')):
        begins = begins.partition(b"\n")[2]
    plain = path.suffix.lower() in (".txt", ".tab", ".tsv") and _PLAIN.match(begins)
    return bool(_BEGIN.match(begins) or plain)


registered(
    "elan-table",
    "ELAN tab-delimited text",
    (".tab",),
    _sniff,
    read,
    shared_extensions=(".txt", ".csv", ".tsv"),
)
