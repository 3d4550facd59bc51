"""brat standoff: .ann beside .txt, a folder per annotator; read and written.

After "brat standoff format" (brat.nlplab.org/standoff.html): a text-bound annotation is
`T1<tab>TYPE START END[;START END…]<tab>TEXT`, an attribute `A1<tab>NAME T1[ VALUE]`. Offsets count
code points; where an annotation's text fits UTF-16 offsets instead, these are converted. The texts
of the annotations are evidence (`gammacp.formats.evidence`).

Relations `R1<tab>TYPE Arg1:T1 Arg2:T2` are links. In an event `E1<tab>TYPE:T1 ROLE:T2`, the trigger
is a unit. A link with the name of the role goes from the trigger to each argument; if the argument
is an event, to its trigger. An equivalence `*<tab>TYPE T1 T2` is a chain. Notes are not units.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from gammacp.base.text import lines_of
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.links import CHAIN, DIRECTED, KINDS, UNDIRECTED
from gammacp.errors import DataError
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.parts import Notes, check_characters, continua_of, links_of, write_parts
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans

_UNLABELLED = "_"
_LAYOUT = "{annotator}/{document}"
# brat splits an annotation over several lines into one part per line, without line breaks and the
# white space around them.
_LINE_BREAK = re.compile(r"(?<!\s)\s*\n\s*")
_SPAN = re.compile(r"(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)")
# Characters that some readers take for the end of a line.
_LINE_END = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_OTHERS = {
    "A": "attribute",
    "E": "event",
    "M": "attribute",
    "N": "normalization",
    "R": "relation",
    "#": "note",
    "*": "equivalence",
}
# Marks in annotation.conf of relations without a direction, and of relations that make chains.
_SYMMETRIC = re.compile(r"<REL-TYPE>:symmetric(-transitive)?")
_CONF = {
    DIRECTED: "",
    UNDIRECTED: ", <REL-TYPE>:symmetric",
    CHAIN: ", <REL-TYPE>:symmetric-transitive",
}
_ARGUMENT = re.compile(r"([^:\s]+?)\d*:(\S+)")


@dataclass(frozen=True)
class _Bound:
    """A text-bound annotation."""

    key: str
    type: str
    parts: tuple[tuple[int, int], ...]
    text: str
    line: int


def read(
    source: Source,
    *,
    feature: str | None = None,
    discontinuous: str = "keep",
    features: Sequence[str] = (),
    offsets: str = "check",
) -> Continuum:
    """Return one annotator's units.

    Parameters
    ----------
    feature
        An attribute whose value is the category, instead of the type.
    discontinuous
        "keep": an annotation of several parts is a unit of several fragments; "cover": a unit from
        its first start to its last end; "split": a unit for each part.
    features
        Attributes that are features in addition to the category; the value of an attribute without
        one is its name.
    offsets
        "check": the unit in which offsets count is inferred from the texts of annotations; "trust":
        offsets are code points, whatever these texts are.

    Raises
    ------
    DataError
        A line is not an annotation, the attribute does not occur, or the texts of annotations fit
        the .txt under no convention.

    Notes
    -----
    Positions
        characters (code points; UTF-16 and other conventions that all texts fit are converted, and
        `--option offsets=trust` goes by the offsets alone)
    Annotators
        name of the folder; an empty file is an annotator without units
    Category
        type, or an attribute with `--feature`; further attributes with `[features.NAME]`
    Spans
        every text-bound annotation is a unit: overlapping, repeated and zero-length ones are kept,
        and the type `_` is unlabelled. A discontinuous annotation is one unit of several fragments
        (`--option discontinuous=cover`: one unit over all of them; `split`: one unit per part).
        brat cuts annotations at line ends: if there is a .txt, parts with only white space and a
        line break between them are joined again. Relations, arguments of events and equivalences
        become links; relations that annotation.conf calls symmetric have no direction
    """
    text = source.beside(".txt", source.document)
    spans = Spans.of(source, CHARACTERS, text)
    lines = _Lines.of(source, spans, feature, features)
    quotes = [Quote(b.parts, b.text, b.key, b.line) for b in lines.bounds]
    document = Quoted([] if text is None else [text], quotes)
    conventions = (CODE_POINTS, IN_UTF_16)
    hint = "Check that the .txt is the text that was annotated"
    (settled,) = settle(source, [document], own=conventions, offsets=offsets, hint=hint)
    settled.tell(spans)
    for bound, quote in zip(lines.bounds, quotes, strict=True):
        parts = _over_lines(settled.places(quote), text)
        about: Any = {
            "line": bound.line,
            "what": bound.key,
            "features": lines.features.get(bound.key),
            "key": bound.key,
        }
        label = lines.label_of(bound, feature)
        spans.add_parts(source.annotator, label, parts, discontinuous, **about)
    _link(spans, lines.joins)
    return spans.continuum()


@dataclass
class _Lines:
    """The lines of a file by kind.

    Attributes
    ----------
    bounds
        Text-bound annotations.
    values, features
        Values of the attribute that is the category, and of further attributes, by annotation.
    joins
        Relations, events and equivalences.
    """

    bounds: list[_Bound] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    features: dict[str, dict[str, str | None]] = field(default_factory=dict)
    joins: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source, spans: Spans, feature: str | None, features: Sequence[str]) -> Self:
        """Sort the lines of a file; count in `spans` those left out: neither units nor joins."""
        sorted_lines = cls()
        attributes: set[str] = set()
        lines: Sequence[str] = []
        if source.content.strip():
            lines = source.lines()
        for number, line in enumerate(lines, 1):
            kind = line[:1]
            if kind == "T":
                sorted_lines.bounds.append(_bound(source, line, number))
            elif kind in ("A", "M"):
                _, _, rest = line.partition("\t")
                name, target, value = (*rest.split(maxsplit=2), "", "", "")[:3]
                attributes.add(name)
                if name == feature:
                    sorted_lines.values[target] = value.strip() or name
                elif name in features:
                    sorted_lines.features.setdefault(target, {})[name] = value.strip() or name
                else:
                    spans.leave_out("attribute", f"{name} is not the category")
            elif line.strip() and kind not in _OTHERS:
                what = f"line begins with {kind!r}, not with an annotation"
                raise source.error(what, line=number)
            elif kind in ("R", "E", "*"):
                sorted_lines.joins.append(line)
            elif line.strip():
                spans.leave_out(_OTHERS[kind], "is not a unit")
        if any(lines) and all(line[:1] in ("#", "") for line in lines):
            raise source.error("file has notes alone, which are about annotations", line=1)
        if feature is not None and sorted_lines.bounds and feature not in attributes:
            names = ", ".join(sorted(attributes)) or "none"
            raise source.error(f"attribute {feature!r} does not occur", hint=f"There are: {names}")
        return sorted_lines

    def label_of(self, bound: _Bound, feature: str | None) -> str | None:
        """Return the category of an annotation; None if it is unlabelled."""
        label: str | None = bound.type
        if feature is not None:
            label = self.values.get(bound.key)
        if label == _UNLABELLED:
            return None
        return label


def _link(spans: Spans, lines: Sequence[str]) -> None:
    """Add the links of relations, events and equivalences."""
    source = spans.source
    conf = source.neighbour("annotation.conf") or source.neighbour("../annotation.conf") or b""
    settings = [line.split(maxsplit=1) for line in lines_of(conf.decode("utf-8", "replace"))]
    kinds = {
        line[0]: CHAIN if match[1] else UNDIRECTED
        for line in settings
        if line[1:] and (match := _SYMMETRIC.search(line[1]))
    }
    entries = [line.split(maxsplit=2) for line in lines]
    triggers = {e[0]: e[1].partition(":")[2] for e in entries if e[0][0] == "E" and len(e) > 1}
    for key, name, rest in ([*e, "", ""][:3] for e in entries):
        ends = [(role, triggers.get(end, end)) for role, end in _ARGUMENT.findall(rest)]
        if key == "*":
            spans.chain(source.annotator, name, rest.split())
        elif key in triggers:
            for role, end in ends:
                spans.link(source.annotator, role, triggers[key], end, DIRECTED)
        elif len(ends) == 2:
            (_, one), (_, other) = ends
            spans.link(source.annotator, name, one, other, kinds.get(name, DIRECTED))
        else:
            spans.leave_out(_OTHERS[key[0]], "does not have two ends")


def _over_lines(
    parts: list[tuple[int | None, int | None]], text: str | None
) -> list[tuple[int | None, int | None]]:
    """Return the parts of an annotation, with those that brat cut at line ends joined again."""
    merged = parts[:1]
    for start, end in parts[1:]:
        last, reached = merged[-1]
        gap = (text or "")[reached:start]
        if gap.isspace() and "\n" in gap:
            merged[-1] = last, end
        else:
            merged.append((start, end))
    return merged


def _by_line(text: str | None, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a part by line, without surrounding white space, as brat cuts them."""
    for gap in _LINE_BREAK.finditer(text or "", start, end):
        if start < gap.start() and gap.end() < end:
            yield start, gap.start()
            start = gap.end()
    yield start, end


def _bound(source: Source, line: str, number: int) -> _Bound:
    fields = line.split("\t", 2)
    if len(fields) == 3:
        match = _SPAN.fullmatch(fields[1])
    else:
        match = None
    if match is None:
        raise source.error(
            f"{fields[0]} is not T1<tab>TYPE START END<tab>TEXT",
            line=number,
            hint="Check whether the line is complete",
        )
    pairs = [part.split(" ") for part in match[2].split(";")]
    parts = tuple((int(s), int(e)) for s, e in pairs)
    for start, end in parts:
        if end < start:
            raise source.error(f"{fields[0]}: end {end} < start {start}", line=number)
    return _Bound(fields[0], match[1], parts, fields[2], number)


def write(document: Continuum | Corpus, path: Path, *, notes: Notes | None = None) -> None:
    """Write .ann files, .txt where there is a text, and the `annotation.conf` of their folder.

    Unlabelled units get the type `_`. Units over several lines get one part per line, as in brat.
    `notes` become notes of the annotator.
    """
    types = {u.category or _UNLABELLED for c in continua_of(document) for u in c}
    entities = "\n".join(sorted(types - {_UNLABELLED}) + [_UNLABELLED] * (_UNLABELLED in types))
    links = {(x.type, x.kind) for c in continua_of(document) for x in c.links}
    relations = "".join(
        f"{name}\tArg1:<ANY>, Arg2:<ANY>{_CONF[kind]}\n" for name, kind in sorted(links)
    )
    conf = f"[entities]\n{entities}\n\n[relations]\n{relations}\n[events]\n\n[attributes]\n"

    def render(c: Continuum, units: Sequence[Unit]) -> dict[str, str]:
        check_characters(c, "brat")
        if (c.text or "").startswith("\ufeff"):
            raise DataError(
                f"text of {c.name or 'the document'!r} begins with U+FEFF, which a .txt would lose",
                hint="Write JSON or XMI",
            )
        lines = [_line(c, number, u) for number, u in enumerate(units, 1)]
        texts = [" ".join((notes or {}).get((c.name, u), "").split()) for u in units]
        lines += _link_lines(c, units)
        lines += [f"#{i}\tAnnotatorNotes T{i}\t{text}\n" for i, text in enumerate(texts, 1) if text]
        return {".ann": "".join(lines)} | ({} if c.text is None else {".txt": c.text})

    write_parts(document, path, _LAYOUT, ".ann", render, {"annotation.conf": conf})


def _link_lines(c: Continuum, units: Sequence[Unit]) -> list[str]:
    """Return lines for an annotator's links, all as relations; annotation.conf has their kinds."""
    relation_lines: list[str] = []
    for x, one, other in links_of(c, units):
        if not x.type or any(mark.isspace() for mark in x.type):
            raise DataError(f"link type {x.type!r} cannot be a brat type", hint="Write JSON")
        relation_lines.append(
            f"R{len(relation_lines) + 1}\t{x.type} Arg1:T{one + 1} Arg2:T{other + 1}\t\n"
        )
    return relation_lines


def _line(c: Continuum, number: int, unit: Unit) -> str:
    category = unit.category
    fragments = unit.fragments or ((unit.start, unit.end),)
    places = [part for s, e in fragments for part in _by_line(c.text, int(s), int(e))]
    if category is None:
        label = _UNLABELLED
    else:
        label = category
    if category is not None and (
        category in ("", _UNLABELLED) or any(c.isspace() for c in category)
    ):
        raise DataError(
            f"category {label!r} cannot be a brat type", hint="Rename it with `map=OLD=NEW`"
        )
    covered = _LINE_END.sub(" ", " ".join(c.text_between(*place) or "" for place in places))
    return f"T{number}\t{label} {';'.join(f'{s} {e}' for s, e in places)}\t{covered}\n"


def _sniff(head: bytes, path: Path) -> bool:
    return path.suffix.lower() == ".ann" or re.match(rb"T\d+\t\S+ \d+ \d+[;\t]", head) is not None


registered(
    "brat",
    "brat standoff",
    (".ann",),
    _sniff,
    read,
    write=write,
    layout=_LAYOUT,
    several_continua=True,
    per_annotator=True,
    text=True,
    fragments=True,
    links=KINDS,
)
