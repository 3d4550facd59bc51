"""WebAnno TSV 3.x, as WebAnno and INCEpTION export it: one file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide. A line is a token, or with a number
like 1-3.2 a part of one; its columns are the features of the span layers that the header declares
as `#T_SP=layer|feature|…`. `_` is no annotation, `*` one without a value; `a[1]|b[2]` are two, and
equal numbers in brackets make one annotation over several tokens. Offsets count UTF-16 units and
are converted to code points. The text is put together from the `#Text=` lines.

Chain and relation layers are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gammacp.continuum import Continuum
from gammacp.formats.layers import Layer, Layers
from gammacp.formats.offsets import from_utf16
from gammacp.formats.registry import Format, register
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans

_NUMBER = re.compile(r"(\d+)-(\d+)(\.\d+)?")
_OFFSETS = re.compile(r"(\d{1,15})-(\d{1,15})")
_STACKED = re.compile(r"(?<!\\)\|")
_IDENTIFIER = re.compile(r"(?<!\\)\[(\d+)\]$")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r"}


@dataclass(frozen=True)
class _Layer:
    """A span layer and its columns."""

    name: str
    features: tuple[str, ...]
    first: int


@dataclass(frozen=True)
class _Row:
    """A token or a part of one."""

    line: int
    place: str
    start: int
    end: int
    token: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class _File:
    """A parsed file; sentences are (offset of the first token, text)."""

    layers: tuple[_Layer, ...]
    rows: tuple[_Row, ...]
    sentences: tuple[tuple[int, str], ...]


def layers(source: Source) -> Layers:
    """The span layers that have an annotation, with their features."""
    parsed = _parse(source)
    return {
        layer.name: Layer(_values(layer.features))
        for layer in parsed.layers
        if any(cell != "_" for row in parsed.rows for cell in _cells(row, layer))
    }


def _values(features: tuple[str, ...]) -> tuple[str, ...]:
    """Features without slots, which are a role and in the next column its target."""
    roles = [f.startswith("ROLE_") for f in features]
    return tuple(
        f for i, f in enumerate(features) if f and not roles[i] and not (i and roles[i - 1])
    )


def read(source: Source, *, layer: str | None = None, feature: str | None = None) -> Continuum:
    """One annotator's units of a layer; a file without the layer has none."""
    parsed = _parse(source)
    text = _text(source, parsed)
    convert = from_utf16(text)
    spans = Spans(source, source.document, CHARACTERS, text)
    spans.declare(source.annotator)
    for row in parsed.rows:
        start, end = convert(row.start), convert(row.end)
        if start is None or end is None or text[start:end] != row.token:
            raise source.error(
                f"token {row.token[:40]!r} is not what the text has at {row.start}-{row.end}",
                line=row.line,
            )
    chosen = next((x for x in parsed.layers if x.name == layer), None)
    if chosen is not None:
        column = chosen.features.index(feature) if feature in chosen.features else 0
        for start, end, label, line in _units(source, parsed.rows, chosen, column):
            spans.add(source.annotator, label, convert(start), convert(end), line=line)
    return spans.continuum()


def _units(
    source: Source, rows: tuple[_Row, ...], layer: _Layer, column: int
) -> Iterator[tuple[int, int, str | None, int]]:
    """(start, end, category, line); annotations with an identifier go on over rows."""
    begun: dict[str, tuple[int, int, str | None, int]] = {}
    for row in rows:
        cell = _cells(row, layer)[column]
        if cell == "_":
            continue
        for value in _STACKED.split(cell):
            identifier = _IDENTIFIER.search(value)
            label = _label(value[: identifier.start()] if identifier else value)
            if identifier is None:
                yield row.start, row.end, label, row.line
                continue
            key = identifier[1]
            start, end, known, line = begun.get(key, (row.start, row.end, label, row.line))
            if known != label:
                raise source.error(
                    f"annotation [{key}] is {known!r} in line {line} and {label!r} here",
                    line=row.line,
                )
            begun[key] = min(start, row.start), max(end, row.end), label, line
    yield from begun.values()


def _label(value: str) -> str | None:
    return None if value == "*" else _unescaped(value)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda m: _CONTROL.get(m[1], m[1]), text)


def _cells(row: _Row, layer: _Layer) -> tuple[str, ...]:
    return row.cells[layer.first : layer.first + max(1, len(layer.features))]


def _parse(source: Source) -> _File:
    lines = source.text().split("\n")
    if not lines[0].startswith("#FORMAT=WebAnno TSV 3"):
        raise source.error("file does not begin with #FORMAT=WebAnno TSV 3", line=1)
    found: list[_Layer] = []
    rows: list[_Row] = []
    sentences: list[tuple[int, str]] = []
    pending: list[str] = []
    width = 0
    for number, line in enumerate((x.rstrip("\r") for x in lines), 1):
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")) and not rows and not pending:
            name, *features = line[6:].split("|")
            if line.startswith("#T_SP="):
                found.append(_Layer(name, tuple(features), width))
            # A relation has its base type among the features: a column too.
            width += max(1, len(features))
        elif line.startswith("#Text="):
            pending.append(_unescaped(line[6:]))
        elif line.strip() and not line.startswith("#"):
            row = _row(source, number, line, width)
            if rows and not _follows(row, rows[-1]):
                raise source.error(
                    f"token {line.split()[0]} does not follow {rows[-1].place}",
                    line=number,
                    hint="Is the file complete?",
                )
            if pending:
                sentences.append((row.start, "\n".join(pending)))
                pending = []
            rows.append(row)
    if pending or (rows and _ends_early(rows[-1], sentences[-1:])):
        raise source.error(
            "file ends before its text", line=len(lines), hint="Is the file complete?"
        )
    return _File(tuple(found), tuple(rows), tuple(sentences))


def _ends_early(row: _Row, sentences: list[tuple[int, str]]) -> bool:
    """Whether words of the last sentence come after its last token."""
    return any(
        c.isalnum()
        for start, text in sentences
        for c in text.encode("utf-16-le", "surrogatepass")[2 * (row.end - start) :].decode(
            "utf-16-le", "replace"
        )
    )


def _row(source: Source, number: int, line: str, width: int) -> _Row:
    cells = line.split("\t")
    place = _NUMBER.fullmatch(cells[0])
    offsets = _OFFSETS.fullmatch(cells[1]) if len(cells) > 1 else None
    # Every column ends with a tab; a token may be the last one without.
    values = cells[3:-1] if cells[-1] == "" else cells[3:]
    if place is None or offsets is None or len(cells) < 3 or len(values) != width:
        raise source.error(
            f"line is not a token with {width} feature columns",
            line=number,
            hint="Is the file complete, and exported as WebAnno TSV 3?",
        )
    start, end = int(offsets[1]), int(offsets[2])
    token = _unescaped(cells[2])
    return _Row(number, cells[0], start, end, token, tuple(values))


def _follows(row: _Row, last: _Row) -> bool:
    """Whether a row's number is the next one: of a part, a token or a sentence."""
    sentence, token, part = _numbers(row)
    last_sentence, last_token, last_part = _numbers(last)
    if part:
        return (sentence, token, part) == (last_sentence, last_token, last_part + 1)
    if sentence == last_sentence:
        return token == last_token + 1
    return (sentence, token) == (last_sentence + 1, 1)


def _numbers(row: _Row) -> tuple[int, int, int]:
    sentence, token, part = _NUMBER.fullmatch(row.place).groups()  # type: ignore[union-attr]
    return int(sentence), int(token), int((part or ".0")[1:])


def _text(source: Source, parsed: _File) -> str:
    """The document, with blanks where the file has no text (line breaks between sentences)."""
    pieces: list[str] = []
    reached = 0
    for start, sentence in parsed.sentences:
        if start < reached:
            raise source.error(f"sentence at {start} begins before the last one ends at {reached}")
        # A run of blanks as long as a wrong offset says would fill the memory.
        if start - reached > 1_000_000:
            raise source.error(f"sentence at {start} is too far from the last one at {reached}")
        gap = start - reached
        pieces.append(" " * (gap - 1) + "\n" if gap and pieces else " " * gap)
        pieces.append(sentence)
        reached = start + len(sentence.encode("utf-16-le", "surrogatepass")) // 2
    return "".join(pieces)


def _sniff(head: bytes, _path: Path) -> bool:
    return head.lstrip(b"\xef\xbb\xbf").startswith(b"#FORMAT=WebAnno TSV 3")


FORMAT = register(
    Format(
        name="webanno",
        title="WebAnno TSV 3",
        extensions=(".tsv",),
        sniff=_sniff,
        read=read,
        layers=layers,
        offset_unit="characters (UTF-16 is converted to code points)",
        annotators="the file's name, the folder is the document, as in INCEpTION's export",
        category="a feature (`--feature`) of a span layer (`--layer`); `*` is unlabelled",
        policy="stacked annotations are units of their own; annotations end at tokens or their "
        "parts; chain and relation layers are not read",
        layout="{document}/{annotator}",
    )
)
