"""Praat TextGrids, long and short, UTF-8 and UTF-16, read and written.

After the Praat manual, "TextGrid file formats": a text file is a sequence of free-standing
numbers, strings in double quotes and flags in angle brackets; everything else is comment. The
sequence is the same in the long and the short form, and in files by old versions, whose first line
declares the short form (`ooTextFile short`).

A tier is an annotator; tiers of the same name are one annotator. An interval with a text is a unit,
an interval whose text is empty or blank is a gap, and a point is a unit of zero length.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from gammacp.base.files import write_text
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Spans
from gammacp.formats.tiers import ANNOTATOR, annotator_of, check_chosen, lanes
from gammacp.formats.times import in_seconds

_TOKEN = re.compile(
    r"""
    "(?:[^"]|"")*+"                                           # string
    | (?<!\S)<[^<>\s]*>(?!\S)                                 # flag
    | (?<!\S)[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?!\S)  # free-standing number
    | (?<!\S)!.*                                               # comment
    | " | \n
    """,
    re.VERBOSE,
)
_FURTHER = re.compile(r"(.+) #\d+")
_ROUNDING = 1e-6
_OTHER = {
    b"ooBinaryFile": "a binary file of Praat",
    b"Praat chronological TextGrid": "a chronological TextGrid, which is not read",
}
_SAVE = "Open it in Praat and choose Save > Save as text file"


@dataclass
class _Tokens:
    """The numbers, strings and flags of a file, with their lines."""

    source: Source
    tokens: Iterator[tuple[str, int]]
    line: int = 1

    def _next(self, kind: str) -> str:
        token, self.line = next(self.tokens, ("", self.line))
        if not token:
            raise self.source.error(
                f"file ends where {kind} is expected", line=self.line, hint="Is it complete?"
            )
        return token

    def string(self, kind: str) -> str:
        token = self._next(kind)
        if not token.startswith('"') or token == '"':
            raise self.source.error(f"{token!r} where {kind} is expected", line=self.line)
        return token[1:-1].replace('""', '"')

    def number(self, kind: str) -> float:
        return self.source.position(self._next(kind), f"{kind}:", line=self.line)

    def count(self, kind: str) -> int:
        number = self.number(kind)
        if number % 1 or number < 0:
            raise self.source.error(f"{kind} {number:g} is not a count", line=self.line)
        return int(number)

    def flag(self) -> str:
        return self._next("<exists>")

    def end(self) -> None:
        token, line = next(self.tokens, ("", self.line))
        if token:
            raise self.source.error(f"{token!r} after the last tier", line=line)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line = 1
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token != "\n" and not token.startswith("!"):
            yield token, line
        line += token.count("\n")


def read(source: Source, *, tier: str | None = None) -> Continuum:
    """Return the units of the tiers of a TextGrid.

    Parameters
    ----------
    tier
        A pattern that tiers must fit (`gammacp.formats.tiers`); by default all with a name.

    Raises
    ------
    DataError
        The file is cut off or not a TextGrid, entries are out of order, or no tier fits.

    Notes
    -----
    Positions
        seconds
    Annotators
        each tier is an annotator, an empty tier one without units; tiers with the same name are one
        annotator. `--tier` chooses tiers, as in `gesture@{annotator}`
    Category
        text of the interval or point
    Spans
        every interval with a text is a unit, one with an empty or blank text is a gap; a point is a
        zero-length unit. On writing, overlapping units go to further tiers (`Ann #2` beside `Ann`),
        which are read as Ann's; an unlabelled unit cannot be written
    """
    for mark, what in _OTHER.items():
        if mark in source.content[:200].replace(b"\x00", b""):
            raise source.error(f"file is {what}", hint=_SAVE)
    tokens = _Tokens(source, _tokens(source.text()))
    kinds = ("ooTextFile", "ooTextFile short")
    if tokens.string("a file type") not in kinds or tokens.string("a class") != "TextGrid":
        raise source.error("file is not a Praat text file of class TextGrid", line=tokens.line)
    tokens.number("xmin")
    tokens.number("xmax")
    if tokens.flag() != "<exists>":
        raise source.error("TextGrid has no tiers", line=tokens.line)
    spans = Spans(source, source.document, SECONDS)
    names: list[str] = []
    chosen_names: list[str] = []
    for _ in range(tokens.count("number of tiers")):
        kind = tokens.string("a tier class")
        if kind not in ("IntervalTier", "TextTier"):
            raise source.error(f"tier class {kind!r} is unknown", line=tokens.line)
        name = tokens.string("a tier name")
        if (further := _FURTHER.fullmatch(name)) and further[1] in names:
            name = further[1]
        names.append(name)
        annotator = annotator_of(name, tier or ANNOTATOR)
        if tier and ANNOTATOR not in tier and annotator is not None:
            annotator = source.annotator or name
        elif source.annotator and not tier:
            annotator = source.annotator
        if annotator is not None:
            spans.declare(annotator)
            chosen_names.append(name)
        _read_tier(tokens, spans, kind, name, annotator)
    tokens.end()
    check_chosen(source, tier, names, chosen_names)
    return spans.continuum()


def _read_tier(tokens: _Tokens, spans: Spans, kind: str, name: str, annotator: str | None) -> None:
    if kind == "IntervalTier":
        entry = "interval"
    else:
        entry = "point"
    if name:
        why_not = f"tier {name} was not chosen"
    else:
        why_not = "tier without a name"
    low = tokens.number("xmin of a tier")
    high = tokens.number("xmax of a tier")
    reached = low
    entries = tokens.count("number of entries")
    if annotator is None and not entries:
        spans.leave_out("tier", why_not)
    for _ in range(entries):
        start = tokens.number("a time")
        if kind == "IntervalTier":
            end = tokens.number("xmax of an interval")
        else:
            end = start
        label = tokens.string("a label")
        if end < start or start < reached - _ROUNDING or end > high + _ROUNDING:
            raise tokens.source.error(
                f"interval {start:.15g}-{end:.15g} is out of order", line=tokens.line
            )
        reached = end
        if annotator is None:
            spans.leave_out(entry, why_not)
        elif kind == "IntervalTier" and not label.strip():
            spans.leave_out(entry, "without a label: a gap")
        else:
            spans.add(annotator, label if label.strip() else None, start, end, line=tokens.line)


def write(document: Continuum, path: Path) -> None:
    """Write one interval tier per annotator, in the long form.

    Units that overlap and zero-length units go to further tiers, such as `Ann #2` beside `Ann`. The
    names differ because praatIO and other tools, unlike Praat, do not accept two tiers with the
    same name. Milliseconds become seconds; positions in any other unit are unchanged. Every unit
    needs a label, as an interval without one is a gap.
    """
    continuum = in_seconds(document)
    low, high = continuum.bounds
    tiers: list[list[str]] = []
    everything = list(continuum)
    for annotator in continuum.annotators:
        units = everything[continuum.rows_of(annotator)]
        for u in units:
            if u.length and not (u.category or "").strip():
                raise DataError(
                    f"unit {u.start:.15g}-{u.end:.15g} of {annotator} has no category, which a "
                    "TextGrid cannot tell from a gap",
                    hint="Write CSV, JSON, ELAN or RTTM",
                )
        spread = lanes((u.start, u.end, u.category) for u in units if u.length)
        points = lanes(
            ((u.start, u.end, u.category or "") for u in units if not u.length), points=True
        )
        if (match := _FURTHER.fullmatch(annotator)) and match[1] in continuum.annotators:
            raise DataError(
                f"tier {annotator!r} would be read as a further tier of {match[1]!r}",
                hint="Rename the annotator",
            )
        names = chain([annotator], (f"{annotator} #{number}" for number in count(2)))
        for lane in spread or ([] if points else [[]]):
            rows = _with_gaps(lane, continuum.bounds)
            tiers.append(_tier("IntervalTier", next(names), continuum.bounds, rows))
        for lane in points:
            marks = [(time, label or "") for time, _, label in lane]
            tiers.append(_tier("TextTier", next(names), continuum.bounds, marks))
    lines = [f"xmin = {low!r}", f"xmax = {high!r}", "tiers? <exists>", f"size = {len(tiers)}"]
    lines += ["item []:"]
    for number, tier in enumerate(tiers, 1):
        lines += [f"    item [{number}]:", *(f"        {line}" for line in tier)]
    write_text(path, "\n".join([_HEAD, *lines, ""]))


_HEAD = 'File type = "ooTextFile"\nObject class = "TextGrid"\n'
_ENTRIES = {
    "IntervalTier": ("intervals", ("xmin", "xmax", "text")),
    "TextTier": ("points", ("number", "mark")),
}


def _with_gaps(
    lane: list[tuple[float, float, str | None]], bounds: tuple[float, float]
) -> list[tuple[float, float, str]]:
    """Return the intervals of a tier: its units, and an empty interval for each gap."""
    rows: list[tuple[float, float, str]] = []
    reached, last = bounds
    for start, end, label in [*lane, (last, last, None)]:
        if start > reached:
            rows.append((reached, start, ""))
        if end > start:
            rows.append((start, end, label or ""))
        reached = end
    return rows


def _tier(
    kind: str, name: str, bounds: tuple[float, float], rows: Sequence[tuple[float | str, ...]]
) -> list[str]:
    """Return the lines of a tier."""
    what, keys = _ENTRIES[kind]
    head: dict[str, float | str] = {
        "class": kind,
        "name": name,
        "xmin": bounds[0],
        "xmax": bounds[1],
    }
    lines = [f"{key} = {_quote(value)}" for key, value in head.items()]
    lines.append(f"{what}: size = {len(rows)}")
    for number, row in enumerate(rows, 1):
        lines.append(f"{what} [{number}]:")
        lines += [f"    {k} = {_quote(value)}" for k, value in zip(keys, row, strict=True)]
    return lines


def _quote(value: float | str) -> str:
    if isinstance(value, float):
        return repr(value)
    return '"' + value.replace('"', '""') + '"'


def _sniff(head: bytes, path: Path) -> bool:
    begins = head[:200].replace(b"\x00", b"")
    return path.suffix.lower() == ".textgrid" or any(k in begins for k in (b"ooTextFile", *_OTHER))


registered("textgrid", "Praat TextGrid", (".TextGrid",), _sniff, read, write=write)
