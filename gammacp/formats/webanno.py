"""WebAnno TSV 3.x, as WebAnno and INCEpTION export it: one file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide. In a cell `_` is no annotation, `*`
one without a value; `a[1]|b[2]` are two, and equal numbers in brackets make one annotation over
several tokens. Offsets count UTF-16 units and are converted to code points. The text is put
together from the `#Text=` lines.

The cells of a slot are its roles and its targets, separated by `;`, and no category: `p1;p2` and
`1-2;1-4[2]`, the second annotation [2] at the token 1-4. Annotations of chain and relation layers
are counted and left out. TSV 1 and 2, of WebAnno before 3.0, are recognised and refused.
"""

import re
from collections.abc import Iterator, Sequence
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
from gammacp.formats.webanno_rows import (
    VERSION_3,
    Row,
    RowLayer,
    Rows,
    pieces,
    rows_of,
    stacked,
    unescaped,
)

_SLOT = re.compile(r"ROLE_[^:]*:([^.]*)_")
_TARGET = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)\])?")
_LINK = re.compile(r"->(\d+-\d+)")
# TSV 2 begins with its layers or a numbered sentence, TSV 1 with a token.
_OLDER = re.compile(rb"(?: # [\w.]+ \||#id=\d+\s|#text=|1-1\t)")
_NONE = ("*", "_")


def layers(source: Source) -> Layers:
    """The span layers that have an annotation, with their features."""
    parsed = rows_of(source)
    return {
        layer.name: Layer(_values(layer.features))
        for layer in parsed.layers
        if layer.kind == "SP" and any(_is_marked(row, layer) for row in parsed.rows)
    }


def _is_marked(row: Row, layer: RowLayer) -> bool:
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
        `[features.NAME]`, slots by their names (roles) and NAME.target (roles and who fills
        them), as sets joined with "+"
    Spans
        stacked annotations are units of their own; annotations end at tokens or their parts; the
        format has none of several fragments (a gap between tokens of one number is covered);
        chains and relations are not units
    """
    parsed = rows_of(source)
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

    def __init__(self, source: Source, file: Rows, layer: RowLayer, convert: ToCodePoints) -> None:
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
                    for _, key in stacked(cell) if (other.name, i) not in targets else ():
                        if key:
                            start, _ = self.places.setdefault(f"[{key}]", (row.start, row.end))
                            self.places[f"[{key}]"] = start, row.end

    def values(self, row: Row, n: int, features: Sequence[str]) -> list[dict[str, str]]:
        """What the slots among these features are of each of a row's `n` annotations."""
        found: list[dict[str, str]] = [{} for _ in range(n)]
        for name, column in self.roles.items():
            roles, targets = _cells(row, self.layer)[column : column + 2]
            if {name, name + TARGET}.isdisjoint(features) or targets in _NONE:
                continue
            stacks = zip(found, stacked(roles), pieces(targets, "|"), strict=False)
            for known, (role, _), target in stacks:
                known |= slot(name, self._links(row, role, target))
        return found

    def _links(self, row: Row, roles: str, targets: str) -> Iterator[Link]:
        if targets in _NONE:
            return
        for role, target in zip_longest(pieces(roles, ";"), pieces(targets, ";"), fillvalue=""):
            m = _TARGET.fullmatch(target)
            place = m and self.places.get(f"[{m[2]}]" if m[2] else m[1])
            if not place:
                raise self.source.error(
                    f"slot {roles!r} is filled by {target!r}, which is no token and no annotation",
                    line=row.line,
                    hint="Is the file complete?",
                )
            start, end = map(self.convert, place)
            yield "" if role in _NONE else unescaped(role), start, end


def _roles(features: Sequence[str]) -> list[int]:
    return [i for i, f in enumerate(features) if f.startswith("ROLE_")]


def _leave_out(source: Source, spans: Spans, rows: tuple[Row, ...], layer: RowLayer) -> None:
    name = layer.name.rsplit(".", 1)[-1]
    if layer.kind == "SP":
        count = sum(1 for _ in _units(source, rows, layer, None))
        spans.leave_out("annotation", f"layer {name} was not chosen", count)
    elif layer.kind == "RL":
        cells = [_cells(row, layer)[-1] for row in rows]
        count = sum(len(stacked(cell)) for cell in cells if cell != "_")
        spans.leave_out("relation", f"layer {name} links annotations", count)
    else:
        links = {link for row in rows for link in _LINK.findall(_cells(row, layer)[0])}
        spans.leave_out("annotation", f"layer {name} is of chains", len(links))


def _n_values(rows: tuple[Row, ...], layer: RowLayer, column: int) -> int:
    """How many annotations have a value in a column; those over several tokens count once."""
    single, several = 0, set()
    for row in rows:
        for value, key in stacked(_cells(row, layer)[column]):
            if value not in _NONE:
                single += not key
                several.add(key)
    return single + len(several - {""})


def _units(
    source: Source,
    rows: tuple[Row, ...],
    layer: RowLayer,
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
                None if column is None or value in _NONE else unescaped(value)
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


def _stacked(row: Row, layer: RowLayer, column: int | None) -> Iterator[tuple[str, str]]:
    """(value, identifier or "") of a row's annotations; "_" where the column has no value.

    An annotation whose slot or feature is not set is there by its other columns.
    """
    cells = _cells(row, layer)
    own = "_" if column is None else cells[column]
    cell = own if own != "_" else next((c for c in cells if c != "_"), "_")
    if cell == "_":
        return
    for value, key in stacked(cell):
        yield (value if cell is own else "_"), key


def _cells(row: Row, layer: RowLayer) -> tuple[str, ...]:
    return row.cells[layer.first : layer.first + max(1, len(layer.features))]


def _text(source: Source, parsed: Rows) -> str:
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
    older = path.suffix.lower() == ".tsv" and _OLDER.match(head.lstrip(b"\r\n"))
    return head.lstrip().startswith(VERSION_3.encode()) or bool(older)


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
