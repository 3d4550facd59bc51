"""WebAnno TSV 3.x, as WebAnno and INCEpTION export it: one file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide. In a cell, `_` means no annotation,
and `*` an annotation without a value. `a[1]|b[2]` are two annotations; annotations on several
tokens with the same number in brackets are one. Offsets count UTF-16 units and are converted to
code points. The text is assembled from the `#Text=` lines.

A slot has two columns, for its roles and its targets, separated by `;`, as in `p1;p2` and
`1-2;1-4[2]` (where `[2]` is the number of the annotation at token 1-4). They become links, not
categories. A relation is written at its target. It has a label, and its source with the numbers of
both annotations, as in `1-3[2_4]`; 0 stands for an annotation without a number. A mention of a
chain layer has two cells: its relation with the number of the chain and of the mention in the chain
(`coref->2-1`), and its type with the number of the chain (`pr[2]`). A mention over several tokens
repeats these cells.

The header serves as a type system, and the content is then read like a CAS (`gammacp.tools.cas`).
TSV 1 and 2, of WebAnno before 3.0, are recognised and refused.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from gammacp.continuum import Continuum
from gammacp.continuum.links import CHAIN, DIRECTED
from gammacp.errors import DataError
from gammacp.formats.conventions import FACT, fact_of
from gammacp.formats.evidence import Quote, Quoted, Settled, settle
from gammacp.formats.layers import TARGET, Layers
from gammacp.formats.offsets import (
    CODE_POINTS,
    IN_UTF_8,
    IN_UTF_16,
    length_in_utf8,
    length_in_utf16,
    to_utf16,
)
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.tools.cas import NEXT, layers_of, read_layer
from gammacp.tools.cas_views import Cas, CasAnnotation
from gammacp.tools.inception_project import origin
from gammacp.tools.inception_writing import LAYOUT, write_tsv
from gammacp.tools.type_system import ANNOTATION, ARRAY, ENDS, STRING, TypeSystem
from gammacp.tools.webanno_rows import (
    VERSION_3,
    RowLayer,
    TokenRow,
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
# Beginnings of older versions: TSV 2 begins with layers or a numbered sentence, TSV 1 with a token.
_OLDER = re.compile(rb"(?: # [\w.]+ \||#id=\d+\s|#text=|1-1\t)")
_NONE = ("*", "_")
# Length of a sentence in each unit that offsets may count; first in UTF-16, as the format demands.
_WIDTHS: tuple[Callable[[str], int], ...] = (length_in_utf16, len, length_in_utf8)
_CHAIN = "referenceRelation"
_Fault: TypeAlias = tuple[str, str, DataError]
"""Layer, feature ("": any), and the error to raise when these are read."""


@dataclass(frozen=True)
class _Annotation:
    """An annotation of a span layer: its place, its first line, and its columns as written."""

    start: int
    end: int
    line: int
    key: str
    values: dict[int, str]

    @property
    def name(self) -> str:
        """Name by which relations refer to the annotation: its identifier, or else its place."""
        return self.key or f"{self.start}-{self.end}"


def layers(source: Source) -> Layers:
    """Return layers with annotations, and their features; offer chains only if nothing else."""
    layer_by_name = layers_of(_view(source)[0])
    chains = {layer.name for layer in rows_of(source).layers if layer.kind == "CH"}
    second = bool(layer_by_name.keys() - chains)
    return {
        name: replace(layer, offered=not (second and name in chains))
        for name, layer in layer_by_name.items()
    }


def _slots(features: Sequence[str]) -> dict[int, str]:
    """Return the name of each slot by its column of roles, which its column of targets follows."""
    match_by_column = {i: _SLOT.match(f) for i, f in enumerate(features) if f.startswith("ROLE_")}
    return {i: match[1] if match else "" for i, match in match_by_column.items()}


def _values(features: Sequence[str]) -> dict[int, str]:
    """Return the columns that are features with a value."""
    slot_columns = {c for i in _slots(features) for c in (i, i + 1)}
    return {i: f for i, f in enumerate(features) if f and i not in slot_columns}


def read(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    features: Sequence[str] = (),
    fillers: str = "links",
) -> Continuum:
    """Return one annotator's units of a layer; none if the file lacks the layer.

    Parameters
    ----------
    layer
        The span layer.
    feature
        Column of the layer that is the category; None: unlabelled.
    features
        Columns that are features in addition to the category. A slot called links has two features:
        `links` is its roles, `links.target` its roles with the positions of their fillers.
    fillers
        "links": fillers of slots are linked if they are of the same layer; "units": fillers of
        other layers are units, too.

    Raises
    ------
    DataError
        The file is cut off, a token differs from the text at its offsets, or an annotation over
        several tokens changes its value.

    Notes
    -----
    Positions
        characters (UTF-16 is converted to code points, and so are other conventions that all tokens
        fit)
    Annotators
        the file's name, the folder is the document, as in INCEpTION's export
    Category
        a feature (`--feature`) of a layer of spans or chains (`--layer`); `*` is unlabelled.
        Further features with `[features.NAME]`; of a slot, NAME gives its roles and NAME.target its
        roles with the positions of their fillers, as sets joined with "+"
    Spans
        every annotation of the layer is a unit, stacked ones too. Annotations end at tokens or
        parts of tokens and have no fragments: a unit covers any gap between its tokens. Relations
        between units become links, and each slot becomes links to its fillers, named after their
        roles. A filler from another layer is left out (`--option fillers=units`: it becomes a
        unit). The mentions of a chain layer are units, joined by their chains
    """
    cas, faults, settled = _view(source)
    for of, name, error in faults:
        if of == layer and (not name or {name, name + TARGET} & {feature, *features}):
            raise error
    continuum = read_layer(source, cas, layer, feature, features, fillers)
    return replace(continuum, about=continuum.about.with_fact(FACT, fact_of(settled.notes)))


def _view(source: Source) -> tuple[Cas, list[_Fault], Settled]:
    """Return a file as a CAS with its header as type system, faults, and settled offsets."""
    parsed, settled = _counted(source, rows_of(source))
    text = settled.text or ""
    faults: list[_Fault] = []
    annotations_by_layer = [
        (layer, a)
        for layer in parsed.layers
        for a in _KINDS[layer.kind](source, parsed.rows, layer, faults)
    ]
    names = Counter(a.name for _, a in annotations_by_layer)
    numbered = [
        (a.name if names[a.name] == 1 else f"{a.name} {layer.name} {number}", layer, a)
        for number, (layer, a) in enumerate(annotations_by_layer)
    ]
    keys = _Keys({row.place: (row.start, row.end) for row in parsed.rows}, faults)
    for key, layer, a in numbered:
        keys.of.setdefault(a.name, {}).setdefault(layer.name, []).append(key)
    elsewhere = {
        f"layer {name.rsplit('.', 1)[-1]} gives it no number in a chain": count
        for name, count in Counter(of for of, part, _ in faults if not part).items()
    }
    slots: dict[str, list[tuple[str, str]]] = {}
    annotations: list[CasAnnotation] = []
    following = _following(annotations_by_layer)
    for key, layer, a in numbered:
        value_by_feature = {f: a.values.get(i) for i, f in _values(layer.features).items()}
        # Do not offer a column of chains that has no value at all.
        if layer.kind == "CH":
            none = {}
        else:
            none = dict.fromkeys(value_by_feature, ())
        features: dict[str, Sequence[str]] = none | {
            f: (unescape(v),) for f, v in value_by_feature.items() if v is not None
        }
        for i, name in _slots(layer.features).items():
            links = [(r, _filler(source, keys, layer, a, i, t)) for r, t in _targets(a, i)]
            if name and links:
                number = str(len(slots))
                features[name] = (number,)
                slots[number] = links
        if after := following.get((layer.name, a.name)):
            features[NEXT] = (keys.key(layer.name, after),)
        annotations.append(CasAnnotation(key, layer.name, a.start, a.end, features, a.line, "unit"))
    for layer in (x for x in parsed.layers if x.kind == "RL"):
        annotations += _relations(source, keys, parsed.rows, layer)
    types = TypeSystem(
        dict.fromkeys((layer.name for layer in parsed.layers), ANNOTATION),
        {layer.name: _ranges(layer) for layer in parsed.layers},
    )
    places = {f"{start}-{end}": (start, end) for start, end in keys.places.values()}
    cas = Cas(text, annotations, types, frozenset(), elsewhere, slots, places)
    return cas, faults, settled


@dataclass(frozen=True)
class _Keys:
    """Places of tokens by number, keys of annotations by name and layer, and faults so far."""

    places: dict[str, tuple[int, int]]
    faults: list[_Fault]
    of: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def key(self, layer: str, name: str) -> str:
        """Return the key of a layer's only annotation with this name; "" for none or several."""
        keys = self.of.get(name, {}).get(layer, ())
        if len(keys) == 1:
            return keys[0]
        return ""


def _ranges(layer: RowLayer) -> dict[str, str]:
    """Return the types of the values of a layer's features, as in a type system."""
    ranges = dict.fromkeys(_values(layer.features).values(), STRING)
    ranges |= dict.fromkeys(_slots(layer.features).values(), ARRAY)
    if layer.kind == "CH":
        ranges[NEXT] = layer.name
    return ranges | (dict.fromkeys(ENDS[0], ANNOTATION) if layer.kind == "RL" else {})


def _filler(
    source: Source, keys: _Keys, layer: RowLayer, a: _Annotation, column: int, target: str
) -> str:
    """Return the filler of a slot, an annotation or another place in the file; "" after a fault.

    The filler is of the layer that the column names, or else of the only layer that has such an
    annotation.
    """
    m = _TARGET.fullmatch(target)
    if m:
        at = keys.places.get(m[1])
    else:
        at = None
    name = (m[2] if m else None) or (f"{at[0]}-{at[1]}" if at else "")
    if m is None or at is None or (m[2] and name not in keys.of):
        error = source.error(
            f"slot {a.values.get(column, '*')!r} is filled by {target!r}, which is not a token or "
            "annotation",
            line=a.line,
            hint="Check whether the file is complete",
        )
        keys.faults.append((layer.name, "", error))
        return ""
    keys_by_layer = keys.of.get(name, {})
    layer_name = layer.features[column + 1]
    return next(iter(keys_by_layer.get(layer_name) or next(iter(keys_by_layer.values()), ())), name)


def _targets(annotation: _Annotation, column: int) -> Iterator[tuple[str, str]]:
    """Yield role and target of each link of a slot, with targets as written."""
    roles = annotation.values.get(column, "*")
    targets = annotation.values.get(column + 1)
    for role, target in zip_longest(pieces(roles, ";"), pieces(targets or "", ";"), fillvalue=""):
        if targets is not None:
            yield "" if role in _NONE else unescape(role), target


def _relations(
    source: Source, keys: _Keys, rows: Sequence[TokenRow], layer: RowLayer
) -> Iterator[CasAnnotation]:
    """Yield the relations of a layer, each at its target, with its ends as features, if known."""
    if layer.features:
        base = layer.features[-1].removeprefix("BT_")
    else:
        base = ""
    for row in rows:
        cells = [pieces(cell, "|") for cell in _cells(row, layer)]
        if len({len(stack) for stack in cells}) > 1:
            what = f"columns of layer {layer.name} hold different numbers of relations"
            raise source.error(what, line=row.line)
        for number, (*values, where) in enumerate(zip(*cells, strict=True)):
            if where == "_":
                continue
            m = _RELATION.fullmatch(where)
            if m:
                begins = keys.places.get(m[1])
            else:
                begins = None
            if m is None or begins is None:
                what = f"relation begins at {where!r}, which is not a token"
                error = source.error(what, line=row.line, hint="Check whether the file is complete")
                keys.faults.append((base, "", error))
            spots = ((m[2], begins), (m[3], (row.start, row.end))) if m and begins else ()
            named = (key if key not in (None, "0") else f"{at[0]}-{at[1]}" for key, at in spots)
            ends = ((keys.key(base, name),) for name in named)
            feature_values = zip(layer.features, values, strict=False)
            features = {f: () if v in _NONE else (unescape(v),) for f, v in feature_values}
            features |= zip(ENDS[0], ends, strict=False)
            key = f"{layer.name} {row.place} {number}"
            yield CasAnnotation(key, layer.name, row.start, row.end, features, row.line, "relation")


def _annotations(
    source: Source, rows: Sequence[TokenRow], layer: RowLayer, faults: list[_Fault]
) -> Iterator[_Annotation]:
    """Yield the annotations of a layer; those with the same identifier continue over rows."""
    slots = _slots(layer.features)
    targets = {i + 1 for i in slots}
    called = {i: slots.get(i, slots.get(i - 1, f)) for i, f in enumerate(layer.features)}
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
            annotation = _Annotation(row.start, row.end, row.line, key, values)
            if not key:
                yield annotation
                continue
            first = several.setdefault(key, annotation)
            for i in {*first.values, *values}:
                if (was := first.values.get(i)) != (now := values.get(i)):
                    what = f"annotation [{key}] is {was!r} in line {first.line}, but {now!r} here"
                    faults.append((layer.name, called[i], source.error(what, line=row.line)))
            low = min(first.start, row.start)
            high = max(first.end, row.end)
            several[key] = _Annotation(low, high, first.line, key, values | first.values)
    yield from several.values()


def _mentions(
    source: Source, rows: Sequence[TokenRow], layer: RowLayer, faults: list[_Fault]
) -> Iterator[_Annotation]:
    """Yield the mentions of a chain layer, each with chain and number in it, such as 2->1."""
    if _CHAIN in layer.features:
        relation = layer.features.index(_CHAIN)
    else:
        relation = 0
    mention_by_key: dict[str, _Annotation] = {}
    for row in rows:
        cells = _cells(row, layer)
        stacks = [[value for value, _ in annotations_in_cell(cell)] for cell in cells]
        for k, piece in enumerate(stacks[relation]):
            m = _MENTION.fullmatch(piece)
            if m is None:
                if piece != "_":
                    what = f"mention {piece!r} has no number in a chain, such as *->2-1"
                    error = source.error(what, line=row.line, hint="Is the file complete?")
                    faults.append((layer.name, "", error))
                continue
            value_by_column = {i: stack[k] for i, stack in enumerate(stacks) if k < len(stack)}
            value_by_column |= {relation: m[1]}
            values = {i: v for i, v in value_by_column.items() if v and v not in _NONE}
            key = f"{m[2]}->{m[3]}"
            first = mention_by_key.get(key) or _Annotation(
                row.start, row.end, row.line, key, values
            )
            low = min(first.start, row.start)
            high = max(first.end, row.end)
            mention_by_key[key] = _Annotation(low, high, first.line, key, first.values)
    yield from mention_by_key.values()


_KINDS: dict[str, Any] = {"SP": _annotations, "CH": _mentions, "RL": lambda *_: ()}


def _following(annotations: Sequence[tuple[RowLayer, _Annotation]]) -> dict[tuple[str, str], str]:
    """Return the name of the next mention in the chain, by layer and name of a mention."""
    chains: dict[tuple[str, str], list[int]] = {}
    for layer, a in annotations:
        if layer.kind == "CH":
            chain, _, place = a.name.partition("->")
            chains.setdefault((layer.name, chain), []).append(int(place))
    return {
        (layer, f"{chain}->{one}"): f"{chain}->{other}"
        for (layer, chain), places in chains.items()
        for one, other in pairwise(sorted(places))
    }


def _cells(row: TokenRow, layer: RowLayer) -> tuple[str, ...]:
    return row.cells[layer.first : layer.first + max(1, len(layer.features))]


def _counted(source: Source, parsed: WebannoRows) -> tuple[WebannoRows, Settled]:
    """Return the rows with offsets converted to UTF-16, and how offsets were settled."""
    texts: dict[str, None] = {}
    reason: DataError | None = None
    for width in _WIDTHS:
        try:
            texts[_text(source, parsed, width)] = None
        except DataError as error:
            # Overlapping sentences explain the error better than a misplaced token.
            if width is _WIDTHS[0]:
                reason = error
    if reason and not texts:
        raise reason
    quotes = [Quote(((r.start, r.end),), r.token, f"token {r.place}", r.line) for r in parsed.rows]
    try:
        document = Quoted([*texts], quotes)
        others = (CODE_POINTS, IN_UTF_8)
        (settled,) = settle(source, [document], own=(IN_UTF_16,), first=others)
    except DataError as error:
        raise (reason or error) from None
    at = to_utf16(settled.text or "")
    rows = tuple(
        replace(row, start=at(start), end=at(end))
        for row, quote in zip(parsed.rows, quotes, strict=True)
        for start, end in settled.places(quote)
        if start is not None and end is not None
    )
    return replace(parsed, rows=rows), settled


def _text(source: Source, parsed: WebannoRows, width: Callable[[str], int]) -> str:
    """Return the document, with blanks where the file has no text (line breaks after sentences)."""
    pieces: list[str] = []
    reached = 0
    for start, sentence in parsed.sentences:
        if start < reached:
            raise source.error(f"sentence at {start} begins before the last one ends at {reached}")
        # Without a limit, a wrong offset could fill the memory with blanks.
        if start - reached > 1_000_000:
            raise source.error(f"sentence at {start} is too far from the last one at {reached}")
        gap = start - reached
        pieces.append(" " * (gap - 1) + "\n" if gap and pieces else " " * gap)
        pieces.append(sentence)
        reached = start + width(sentence)
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
    origin=origin,
    layout=LAYOUT,
    write=write_tsv,
    several_continua=True,
    per_annotator=True,
    only_if_named=True,
    text=True,
    links=(DIRECTED, CHAIN),
    chain_types=False,
)
