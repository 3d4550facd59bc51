"""WebAnno TSV 3.x, as WebAnno and INCEpTION export it: one file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide. In a cell `_` is no annotation, `*`
one without a value; `a[1]|b[2]` are two, and equal numbers in brackets make one annotation over
several tokens. Offsets count UTF-16 units and are converted to code points. The text is put
together from the `#Text=` lines.

The cells of a slot are its roles and its targets, separated by `;`, and no category: `p1;p2` and
`1-2;1-4[2]`, the second annotation [2] at the token 1-4; they are links. A relation stands at its
target: its label, and its source with the identifiers of both, `1-3[2_4]`, 0 for an annotation
without one. A mention of a chain layer has its relation with the numbers of its chain and of itself
in it, `coref->2-1`, and its type with that of the chain, `pr[2]`; over several tokens they are
repeated.
Annotations and relations of other layers are counted and left out. TSV 1 and 2, of WebAnno before
3.0, are recognised and refused.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from gammacp.arguments import one_of
from gammacp.continuum import Continuum
from gammacp.continuum.label import to_label
from gammacp.continuum.links import CHAIN, DIRECTED
from gammacp.formats.inception_writing import LAYOUT, write_tsv
from gammacp.formats.layers import FILLED, FILLERS, TARGET, Layer, Layers, slot
from gammacp.formats.offsets import ToCodePoints, from_utf16
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.webanno_rows import (
    VERSION_3,
    Row,
    RowLayer,
    WebannoRows,
    annotations_in_cell,
    pieces,
    rows_of,
    unescape,
)

_SLOT = re.compile(r"ROLE_[^:]*:([^.]*)_")
_TARGET = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)\])?")
_RELATION = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)_(\d+)\])?")
_MENTION = re.compile(r"(.*)(?<!\\)->(\d+)-(\d+)", re.DOTALL)
# TSV 2 begins with its layers or a numbered sentence, TSV 1 with a token.
_OLDER = re.compile(rb"(?: # [\w.]+ \||#id=\d+\s|#text=|1-1\t)")
_NONE = ("*", "_")


@dataclass(frozen=True)
class _Annotation:
    """An annotation of a span layer: its first line, and what its columns have, as written."""

    start: int
    end: int
    line: int
    key: str
    values: dict[int, str]

    @property
    def name(self) -> str:
        """What relations call it: its identifier, or where it is."""
        return self.key or f"{self.start}-{self.end}"


@dataclass(frozen=True)
class _Fill:
    """What fills a slot, each annotation by its layer and name; `place` is where the filler is."""

    of: tuple[str, str]
    slot: str
    role: str
    to: tuple[str, str]
    place: tuple[int, int]


def layers(source: Source) -> Layers:
    """The layers that have an annotation, with their features; chains are the second choice."""
    parsed = rows_of(source)
    found = {
        layer.name: Layer(_values(layer.features))
        for layer in parsed.layers
        if layer.kind == "SP" and any(_annotations(source, parsed.rows, layer))
    }
    chains = [x for x in parsed.layers if x.kind == "CH"]
    second = bool(found)
    for layer in chains:
        mentions = [*_mentions(parsed.rows, layer)]
        said = {i for mention in mentions for i in mention.values}
        features = tuple(f for i, f in enumerate(layer.features) if i in said)
        found |= {layer.name: Layer(features, offered=not second)} if mentions else {}
    return found


def _slots(features: Sequence[str]) -> dict[int, str]:
    """The slots: a column of roles, whose next one is of targets, and the slot's name."""
    found = {i: _SLOT.match(f) for i, f in enumerate(features) if f.startswith("ROLE_")}
    return {i: match[1] if match else "" for i, match in found.items()}


def _values(features: tuple[str, ...]) -> tuple[str, ...]:
    """Features without slots."""
    taken = {c for i in _slots(features) for c in (i, i + 1)}
    return tuple(f for i, f in enumerate(features) if f and i not in taken)


def read(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    features: Sequence[str] = (),
    fillers: str = "links",
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
    fillers
        "links": what fills a slot is linked if it is of the layer; "units": what is of another
        layer is a unit, too.

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
        a feature (`--feature`) of a layer of spans or chains (`--layer`); `*` is unlabelled;
        further ones with `[features.NAME]`, slots by their names (roles) and NAME.target (roles
        and who fills them), as sets joined with "+"
    Spans
        stacked annotations are units of their own; annotations end at tokens or their parts; the
        format has none of several fragments (a gap between tokens of one number is covered);
        relations between units of the layer are links; slots are links to what fills them, called
        by their roles, if it is of the layer (`--option fillers=units`: what is of another layer is
        a unit, too); the mentions of a chain layer are units, joined by their chains
    """
    one_of("fillers", fillers, FILLERS)
    parsed = rows_of(source)
    text = _text(source, parsed)
    convert = from_utf16(text)
    spans = Spans(source, source.document, CHARACTERS, text)
    spans.declare(source.annotator)
    _check_tokens(source, parsed, text, convert)
    fills = _fills(source, parsed, layer)
    others = {x.to for x in fills if x.to[0] != layer} if fillers == "units" else set()
    for name in sorted({name for name, _ in others}):
        fills += [x for x in _fills(source, parsed, name) if x.of in others]
    filled: dict[tuple[str, str, str], list[_Fill]] = {}
    for x in fills:
        filled.setdefault((*x.of, x.slot), []).append(x)
    wanted = (feature or "", *features)
    for found in parsed.layers:
        if found.kind == "RL" and found.features[-1:] == (f"BT_{layer}",):
            _link(spans, parsed, found)
        elif found.name == layer and found.kind != "RL":
            _add(spans, parsed, found, wanted, convert, filled)
            if found.kind == "CH":
                _chain(spans, parsed.rows, found)
        elif found.kind == "SP" and (mine := {name for of, name in others if of == found.name}):
            _add(spans, parsed, found, wanted, convert, filled, fillers=mine)
        else:
            _leave_out(source, spans, parsed.rows, found)
    for x in fills:
        if x.to[0] == layer or x.to in others:
            one, other = (n if of == layer else f"{n} {of}" for of, n in (x.of, x.to))
            spans.link(source.annotator, x.role, one, other, DIRECTED)
        elif {x.slot, x.slot + TARGET}.isdisjoint(features):
            spans.leave_out("link", FILLED)
    return spans.continuum()


def _check_tokens(source: Source, parsed: WebannoRows, text: str, convert: ToCodePoints) -> None:
    """DataError if a token is not what the text has in its place."""
    for row in parsed.rows:
        start, end = convert(row.start), convert(row.end)
        if start is None or end is None or text[start:end] != row.token:
            raise source.error(
                f"token {row.token[:40]!r} is not what the text has at {row.start}-{row.end}",
                line=row.line,
            )


def _add(
    spans: Spans,
    file: WebannoRows,
    layer: RowLayer,
    names: Sequence[str],
    convert: ToCodePoints,
    filled: Mapping[tuple[str, str, str], Sequence[_Fill]],
    fillers: Collection[str] | None = None,
) -> None:
    """Add the annotations of a layer; the first of `names` is its category, the others features.

    Of a layer that is not the one that is read, `fillers` are added: what fills slots.
    """
    source = spans.source
    slots = {i: n for i, n in _slots(layer.features).items() if n}
    asked = {n: {n, n + TARGET} & {*names[1:]} for n in slots.values()}
    columns = {n: layer.features.index(n) for n in names if n and n in layer.features}
    used = {*columns.values(), *(c for i, n in slots.items() if asked[n] for c in (i, i + 1))}
    annotations = [*_annotations(source, file.rows, layer, used)]
    if fillers is not None:
        name, count = layer.name.rsplit(".", 1)[-1], len(annotations)
        annotations = [a for a in annotations if a.name in fillers]
        spans.leave_out("annotation", f"layer {name} was not chosen", count - len(annotations))
    names_of = Counter(a.name for a in annotations)
    for annotation in annotations:
        said = {n: annotation.values.get(i) for n, i in columns.items()}
        known = {n: v if v is None else unescape(v) for n, v in said.items()}
        for n in (n for n in asked if asked[n]):
            links = filled.get((layer.name, annotation.name, n), ())
            made = slot(n, [(x.role, convert(x.place[0]), convert(x.place[1])) for x in links])
            known |= {name: made[name] for name in asked[n]}
        label = to_label(known.get(names[0]), {n: known.get(n) for n in names[1:]})
        start, end = convert(annotation.start), convert(annotation.end)
        about: Any = {"line": annotation.line}
        if names_of[annotation.name] == 1:
            about["key"] = annotation.name + (f" {layer.name}" if fillers is not None else "")
        spans.add(source.annotator, label, start, end, **about)
    for i, other in enumerate(layer.features):
        if i not in used and other in _values(layer.features):
            count = sum(i in a.values for a in annotations)
            spans.leave_out("value", f"feature {other} is not the category", count)


def _link(spans: Spans, file: WebannoRows, layer: RowLayer) -> None:
    """Add the relations of a layer."""
    source, last = spans.source, len(layer.features) - 1
    places = {row.place: f"{row.start}-{row.end}" for row in file.rows}
    for row in file.rows:
        cells = [pieces(cell, "|") for cell in _cells(row, layer)]
        for *values, where in zip(*cells, strict=False):
            if where == "_":
                continue
            m = _RELATION.fullmatch(where)
            if m is None or m[1] not in places:
                what = f"relation begins at {where!r}, which is no token"
                raise source.error(what, line=row.line, hint="Is the file complete?")
            one, other = m[2] or "0", m[3] or "0"
            begins = places[m[1]] if one == "0" else one
            ends = places[row.place] if other == "0" else other
            label = next((v for v in values[:last] if v not in _NONE), "")
            spans.link(source.annotator, unescape(label), begins, ends, DIRECTED)


def _fills(source: Source, file: WebannoRows, layer: str | None) -> list[_Fill]:
    """What fills the slots of a layer: an annotation, or what else the file has in its place.

    A target is of the layer that the column names, or else of the one that has such an annotation.
    """
    mine = next((x for x in file.layers if x.name == layer and x.kind == "SP"), None)
    slots = {} if mine is None else _slots(mine.features)
    if mine is None or not slots:
        return []
    spans = [x for x in file.layers if x.kind == "SP"]
    there = {(x.name, a.name): a for x in spans for a in _annotations(source, file.rows, x)}
    layers_of: dict[str, list[str]] = {}
    for name, key in there:
        layers_of.setdefault(key, []).append(name)
    places = {row.place: (row.start, row.end) for row in file.rows}
    found = []
    for annotation in (a for (name, _), a in there.items() if name == layer):
        for i, name in slots.items():
            for role, target in _targets(annotation, i):
                m = _TARGET.fullmatch(target)
                at = places.get(m[1]) if m else None
                if m is None or at is None or (m[2] and m[2] not in layers_of):
                    roles = annotation.values.get(i, "*")
                    raise source.error(
                        f"slot {roles!r} is filled by {target!r}, which is no token and no "
                        "annotation",
                        line=annotation.line,
                        hint="Is the file complete?",
                    )
                key, own = m[2] or f"{at[0]}-{at[1]}", mine.features[i + 1]
                to = next(iter(layers_of.get(key, ())), own)
                to = own if (own, key) in there else to
                filler = there.get((to, key))
                place = (filler.start, filler.end) if filler else at
                found.append(_Fill((mine.name, annotation.name), name, role, (to, key), place))
    return found


def _targets(annotation: _Annotation, column: int) -> Iterator[tuple[str, str]]:
    """(role, target) of a slot, targets as written."""
    roles, targets = annotation.values.get(column, "*"), annotation.values.get(column + 1)
    for role, target in zip_longest(pieces(roles, ";"), pieces(targets or "", ";"), fillvalue=""):
        if targets is not None:
            yield "" if role in _NONE else unescape(role), target


def _leave_out(source: Source, spans: Spans, rows: tuple[Row, ...], layer: RowLayer) -> None:
    name = layer.name.rsplit(".", 1)[-1]
    if layer.kind == "SP":
        count = sum(1 for _ in _annotations(source, rows, layer))
        spans.leave_out("annotation", f"layer {name} was not chosen", count)
    elif layer.kind == "RL":
        cells = [_cells(row, layer)[-1] for row in rows]
        count = sum(len(annotations_in_cell(cell)) for cell in cells if cell != "_")
        spans.leave_out("relation", f"layer {name} links annotations", count)
    else:
        count = sum(1 for _ in _mentions(rows, layer))
        spans.leave_out("annotation", f"layer {name} is of chains", count)
        cells = [_cells(row, layer)[_relation(layer)] for row in rows]
        found = [piece for cell in cells for piece in pieces(cell, "|") if piece != "_"]
        count = sum(not _MENTION.fullmatch(piece) for piece in found)
        spans.leave_out("annotation", f"layer {name} has no number of a chain for it", count)


def _annotations(
    source: Source, rows: tuple[Row, ...], layer: RowLayer, used: Collection[int] = ()
) -> Iterator[_Annotation]:
    """The annotations of a layer; one with an identifier goes on over rows, `used` as it was."""
    if layer.kind == "CH":
        yield from _mentions(rows, layer)
        return
    targets = {i + 1 for i in _slots(layer.features)}
    several: dict[str, _Annotation] = {}
    for row in rows:
        stacks = {
            i: [(v, "") for v in pieces(c, "|")] if i in targets else annotations_in_cell(c)
            for i, c in enumerate(_cells(row, layer))
            if c != "_"
        }
        if len({len(stack) for stack in stacks.values()}) > 1:
            what = f"columns of layer {layer.name} hold different numbers of annotations"
            raise source.error(what, line=row.line)
        for entries in zip(*stacks.values(), strict=True):
            values = {i: v for i, (v, _) in zip(stacks, entries, strict=True) if v not in _NONE}
            key = next((k for _, k in entries if k), "")
            made = _Annotation(row.start, row.end, row.line, key, values)
            if not key:
                yield made
                continue
            first = several.setdefault(key, made)
            for i in used:
                if first.values.get(i) != values.get(i):
                    is_one, is_other = first.values.get(i), values.get(i)
                    raise source.error(
                        f"annotation [{key}] is {is_one!r} in line {first.line} and "
                        f"{is_other!r} here",
                        line=row.line,
                    )
            low, high = min(first.start, row.start), max(first.end, row.end)
            several[key] = _Annotation(low, high, first.line, key, values | first.values)
    yield from several.values()


def _mentions(rows: tuple[Row, ...], layer: RowLayer) -> Iterator[_Annotation]:
    """The mentions of a chain layer, each with its chain and its number in it, such as 2-1."""
    relation = _relation(layer)
    found: dict[str, _Annotation] = {}
    for row in rows:
        cells = _cells(row, layer)
        stacks = [[value for value, _ in annotations_in_cell(cell)] for cell in cells]
        for k, piece in enumerate(stacks[relation]):
            if m := _MENTION.fullmatch(piece):
                said = {i: stack[k] for i, stack in enumerate(stacks) if k < len(stack)}
                said |= {relation: m[1]}
                values = {i: v for i, v in said.items() if v and v not in _NONE}
                key = f"{m[2]}-{m[3]}"
                first = found.get(key) or _Annotation(row.start, row.end, row.line, key, values)
                low, high = min(first.start, row.start), max(first.end, row.end)
                found[key] = _Annotation(low, high, first.line, key, first.values)
    yield from found.values()


def _relation(layer: RowLayer) -> int:
    names = layer.features
    return names.index("referenceRelation") if "referenceRelation" in names else 0


def _chain(spans: Spans, rows: tuple[Row, ...], layer: RowLayer) -> None:
    """Join the mentions of a layer by their chains."""
    for row in rows:
        for piece in pieces(_cells(row, layer)[_relation(layer)], "|"):
            if piece != "_" and not _MENTION.fullmatch(piece):
                what = f"mention {piece!r} has no number in a chain, such as *->2-1"
                raise spans.source.error(what, line=row.line, hint="Is the file complete?")
    chains: dict[str, list[int]] = {}
    for mention in _mentions(rows, layer):
        chain, _, place = mention.key.partition("-")
        chains.setdefault(chain, []).append(int(place))
    for chain, places in chains.items():
        keys = [f"{chain}-{place}" for place in sorted(places)]
        spans.chain(spans.source.annotator, layer.name, keys)


def _cells(row: Row, layer: RowLayer) -> tuple[str, ...]:
    return row.cells[layer.first : layer.first + max(1, len(layer.features))]


def _text(source: Source, parsed: WebannoRows) -> str:
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
    links=(DIRECTED, CHAIN),
    chain_types=False,
)
