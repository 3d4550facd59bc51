"""WebAnno TSV 3.x, as WebAnno and INCEpTION export it: one file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide. A line is a token, or with a number
like 1-3.2 a part of one; its columns are the features of the span layers that the header declares
as `#T_SP=layer|feature|…`. `_` is no annotation, `*` one without a value; `a[1]|b[2]` are two, and
equal numbers in brackets make one annotation over several tokens. Offsets count UTF-16 units and
are converted to code points. The text is put together from the `#Text=` lines.

The cells of a slot are its roles and its targets, separated by `;`, and no category: `p1;p2` and
`1-2;1-4[2]`, the second annotation [2] at the token 1-4. Annotations of chain and relation layers
are counted and left out. TSV 1 and 2, of WebAnno before 3.0, are recognised and refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from gammacp.continuum import Continuum
from gammacp.continuum.label import labelled
from gammacp.formats.inception_writing import LAYOUT, write_tsv
from gammacp.formats.layers import TARGET, Layer, Layers, Link, slot
from gammacp.formats.offsets import ToCodePoints, from_utf16
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans

_NUMBER = re.compile(r"(\d+)-(\d+)(\.\d+)?")
_OFFSETS = re.compile(r"(\d{1,15})-(\d{1,15})")
_STACKED = re.compile(r"(?<!\\)\|")
_IDENTIFIER = re.compile(r"(?<!\\)\[(\d+)\]$")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_SLOT = re.compile(r"ROLE_[^:]*:([^.]*)_")
_FILLED = re.compile(r"(?<!\\);")
_TARGET = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)\])?")
_LINK = re.compile(r"->(\d+-\d+)")
_VERSION_3 = "#FORMAT=WebAnno TSV 3"
# TSV 2 begins with its layers or a numbered sentence, TSV 1 with a token.
_OLDER = re.compile(rb"(?: # [\w.]+ \||#id=\d+\s|#text=|1-1\t)")
_NONE = ("*", "_")
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}


@dataclass(frozen=True)
class _Layer:
    """A layer and its columns; `kind` is SP (spans), CH (chains) or RL (relations)."""

    kind: str
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
    """A parsed file with layers of all kinds; sentences are (offset of the first token, text)."""

    layers: tuple[_Layer, ...]
    rows: tuple[_Row, ...]
    sentences: tuple[tuple[int, str], ...]


def layers(source: Source) -> Layers:
    """The span layers that have an annotation, with their features."""
    parsed = _parse(source)
    return {
        layer.name: Layer(_values(layer.features))
        for layer in parsed.layers
        if layer.kind == "SP" and any(_is_marked(row, layer) for row in parsed.rows)
    }


def _is_marked(row: _Row, layer: _Layer) -> bool:
    return any(cell != "_" for cell in _cells(row, layer))


def _values(features: tuple[str, ...]) -> tuple[str, ...]:
    """Features without slots, which are a role and in the next column its target."""
    taken = {c for i in _roles(features) for c in (i, i + 1)}
    return tuple(f for i, f in enumerate(features) if f and i not in taken)


def read(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    features: Sequence[str] = (),
) -> Continuum:
    """One annotator's units of a layer; a file without the layer has none.

    Parameters
    ----------
    layer
        The span layer.
    feature
        Its column that is the category; None: unlabelled.
    features
        Columns that are features beside the category; a slot called links is `links`, its roles,
        and `links.target`, its roles with the positions of what fills them.

    Raises
    ------
    DataError
        The file is cut off, a token is not what the text has in its place, or an annotation over
        several tokens changes its value.

    Notes
    -----
    Positions
        characters (UTF-16 is converted to code points)
    Annotators
        the file's name, the folder is the document, as in INCEpTION's export
    Category
        a feature (`--feature`) of a span layer (`--layer`); `*` is unlabelled; further ones with
        `--feature NAME:TYPE`, slots by their names (roles) and NAME.target (roles and who fills
        them), as sets joined with "+"
    Spans
        stacked annotations are units of their own; annotations end at tokens or their parts; the
        format has none of several fragments (a gap between tokens of one number is covered);
        chains and relations are not units
    """
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
    for found in parsed.layers:
        if found.name != layer or found.kind != "SP":
            _leave_out(source, spans, parsed.rows, found)
            continue
        slots = _Slots(source, parsed, found, convert)
        for start, end, label, line in _units(source, parsed.rows, found, feature, features, slots):
            spans.add(source.annotator, label, convert(start), convert(end), line=line)
        for i, other in enumerate(found.features):
            if not {other, *slots.names.get(i, ())} & {feature, *features}:
                what = "a slot" if other not in _values(found.features) else "not the category"
                spans.leave_out(
                    "value", f"feature {other or i + 1} is {what}", _n_values(parsed.rows, found, i)
                )
    return spans.continuum()


class _Slots:
    """The slots of a layer, each a column of roles and one of targets."""

    def __init__(self, source: Source, file: _File, layer: _Layer, convert: ToCodePoints) -> None:
        self.source, self.layer, self.convert = source, layer, convert
        found = [(i, m[1]) for i, f in enumerate(layer.features) if (m := _SLOT.match(f))]
        self.roles = {name: i for i, name in found}
        """Column of the roles, by the slot's name."""
        self.names = {c: (name, name + TARGET) for i, name in found for c in (i, i + 1)}
        """The features that a column is of."""
        self.places: dict[str, tuple[int, int]] = {}
        """Where a token, a part of one and an annotation with an identifier, such as [2], are."""
        targets = {(other.name, i + 1) for other in file.layers for i in _roles(other.features)}
        for row in file.rows if found else ():
            self.places[row.place] = row.start, row.end
            for other in file.layers:
                for i, cell in enumerate(_cells(row, other) if other.kind == "SP" else ()):
                    for value in _STACKED.split(cell) if (other.name, i) not in targets else ():
                        if key := _IDENTIFIER.search(value):
                            start, _ = self.places.setdefault(key[0], (row.start, row.end))
                            self.places[key[0]] = start, row.end

    def values(self, row: _Row, n: int, features: Sequence[str]) -> list[dict[str, str]]:
        """What the slots among these features are of each of a row's `n` annotations."""
        found: list[dict[str, str]] = [{} for _ in range(n)]
        for name, column in self.roles.items():
            roles, targets = _cells(row, self.layer)[column : column + 2]
            if {name, name + TARGET}.isdisjoint(features) or targets in _NONE:
                continue
            stacks = zip(found, _STACKED.split(roles), _STACKED.split(targets), strict=False)
            for known, role, target in stacks:
                known |= slot(name, self._links(row, _IDENTIFIER.sub("", role), target))
        return found

    def _links(self, row: _Row, roles: str, targets: str) -> Iterator[Link]:
        if targets in _NONE:
            return
        for role, target in zip_longest(_FILLED.split(roles), _FILLED.split(targets), fillvalue=""):
            m = _TARGET.fullmatch(target)
            place = m and self.places.get(f"[{m[2]}]" if m[2] else m[1])
            if not place:
                raise self.source.error(
                    f"slot {roles!r} is filled by {target!r}, which is no token and no annotation",
                    line=row.line,
                    hint="Is the file complete?",
                )
            start, end = map(self.convert, place)
            yield "" if role in _NONE else _unescaped(role), start, end


def _roles(features: Sequence[str]) -> list[int]:
    return [i for i, f in enumerate(features) if f.startswith("ROLE_")]


def _leave_out(source: Source, spans: Spans, rows: tuple[_Row, ...], layer: _Layer) -> None:
    name = layer.name.rsplit(".", 1)[-1]
    if layer.kind == "SP":
        count = sum(1 for _ in _units(source, rows, layer, None))
        spans.leave_out("annotation", f"layer {name} was not chosen", count)
    elif layer.kind == "RL":
        cells = [_cells(row, layer)[-1] for row in rows]
        count = sum(len(_STACKED.split(cell)) for cell in cells if cell != "_")
        spans.leave_out("relation", f"layer {name} links annotations", count)
    else:
        links = {link for row in rows for link in _LINK.findall(_cells(row, layer)[0])}
        spans.leave_out("annotation", f"layer {name} is of chains", len(links))


def _n_values(rows: tuple[_Row, ...], layer: _Layer, column: int) -> int:
    """How many annotations have a value in a column; those over several tokens count once."""
    single, several = 0, set()
    for row in rows:
        for value in _STACKED.split(_cells(row, layer)[column]):
            key = _IDENTIFIER.search(value)
            if (value[: key.start()] if key else value) not in _NONE:
                single += key is None
                several.add(key[1] if key else "")
    return single + len(several - {""})


def _units(
    source: Source,
    rows: tuple[_Row, ...],
    layer: _Layer,
    feature: str | None,
    features: Sequence[str] = (),
    slots: _Slots | None = None,
) -> Iterator[tuple[int, int, str | None, int]]:
    """(start, end, label, line); annotations with an identifier go on over rows."""
    names = [feature, *features]
    columns = [layer.features.index(n) if n and n in layer.features else None for n in names]
    begun: dict[str, tuple[int, int, str | None, int]] = {}
    for row in rows:
        stacks = [*zip(*(_stacked(row, layer, column) for column in columns), strict=True)]
        filled = slots.values(row, len(stacks), features) if slots else [{} for _ in stacks]
        for found, more in zip(stacks, filled, strict=True):
            category, *others = (
                None if column is None or value in _NONE else _unescaped(value)
                for column, (value, _) in zip(columns, found, strict=True)
            )
            known_of = dict(zip(features, others, strict=True)) | {
                f: value for f, value in more.items() if f in features
            }
            label, key = labelled(category, known_of), found[0][1]
            if not key:
                yield row.start, row.end, label, row.line
                continue
            start, end, known, line = begun.get(key, (row.start, row.end, label, row.line))
            if known != label:
                raise source.error(
                    f"annotation [{key}] is {known!r} in line {line} and {label!r} here",
                    line=row.line,
                )
            begun[key] = min(start, row.start), max(end, row.end), label, line
    yield from begun.values()


def _stacked(row: _Row, layer: _Layer, column: int | None) -> Iterator[tuple[str, str]]:
    """(value, identifier or "") of a row's annotations; "_" where the column has no value.

    An annotation whose slot or feature is not set is there by its other columns.
    """
    cells = _cells(row, layer)
    own = "_" if column is None else cells[column]
    cell = own if own != "_" else next((c for c in cells if c != "_"), "_")
    if cell == "_":
        return
    for value in _STACKED.split(cell):
        key = _IDENTIFIER.search(value)
        bare = value[: key.start()] if key else value
        yield (bare if cell is own else "_"), (key[1] if key else "")


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda m: _CONTROL.get(m[1], m[1]), text)


def _cells(row: _Row, layer: _Layer) -> tuple[str, ...]:
    return row.cells[layer.first : layer.first + max(1, len(layer.features))]


def _parse(source: Source) -> _File:
    lines = source.text().split("\n")
    if not lines[0].startswith(_VERSION_3):
        raise source.error(
            "file is WebAnno TSV of version 1 or 2, or does not begin with #FORMAT=WebAnno TSV 3",
            line=1,
            hint="Import it into INCEpTION and export it as WebAnno TSV v3.3 or UIMA CAS",
        )
    found: list[_Layer] = []
    rows: list[_Row] = []
    sentences: list[tuple[int, str]] = []
    pending: list[str] = []
    width = 0
    for number, line in enumerate((x.rstrip("\r") for x in lines), 1):
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")) and not rows and not pending:
            name, *features = line[6:].split("|")
            found.append(_Layer(line[3:5], name, tuple(features), width))
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
    if pending or _ends_early(rows, sentences[-1:]):
        raise source.error(
            "file ends before its text", line=len(lines), hint="Is the file complete?"
        )
    return _File(tuple(found), tuple(rows), tuple(sentences))


def _ends_early(rows: list[_Row], sentences: list[tuple[int, str]]) -> bool:
    """Whether words of the last sentence come after its last token.

    A part of a token may be the last row, and end before the token does.
    """
    reached = max((row.end for row in rows), default=0)
    return any(
        c.isalnum()
        for start, text in sentences
        for c in text.encode("utf-16-le", "surrogatepass")[2 * (reached - start) :].decode(
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


def _sniff(head: bytes, path: Path) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf")
    older = path.suffix.lower() == ".tsv" and _OLDER.match(start.lstrip(b"\r\n"))
    return start.lstrip().startswith(_VERSION_3.encode()) or bool(older)


registered(
    "webanno",
    "WebAnno TSV 3",
    (".tsv",),
    _sniff,
    read,
    layers=layers,
    layout=LAYOUT,
    write=write_tsv,
    many=True,
    per_annotator=True,
    by_name=True,
    text=True,
)
