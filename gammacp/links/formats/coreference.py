"""Coreference files, a file per annotator: CoNLL-2012 and CorefUD.

After the CoNLL-2012 shared task (`#begin document (NAME); part 000`, chains in the last column:
`(12`, `12)`, `(12)`, joined by `|`) and CorefUD 1.0 (CoNLL-U with `# global.Entity` and
`Entity=(e1-person … e1)` in MISC; `[1/2]` numbers the parts of a mention). `# global.Entity` names
the fields of a mention in their order, as `eid-etype-head-other` or, in older releases of GUM,
`entity-GRP-identity`: `eid` and `GRP` are the entity, `etype` and `entity` its type. Positions
count tokens from the beginning of the document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.formats.registry import registered
from gammacp.formats.source import Source, in_utf8
from gammacp.formats.spans import TOKENS, Documents, Spans
from gammacp.links.collecting import collect
from gammacp.links.formats.field_mentions import FieldMentions

_BEGIN = re.compile(r"#begin document \((.*)\)(?:; part (\d+))?")
_NEW = re.compile(r"# ?newdoc(?: id = (.*))?")
_FIELDS = re.compile(r"# ?global\.Entity\s*=\s*(.*)")
_COLUMNS = re.compile(r"# ?global\.columns\s*=\s*(.*)")
_COREFUD = re.compile(rb"(?:\A|[\r\n])# ?global\.Entity\b|[\t|]Entity=[^|\t\r\n]*[()]")
_CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_GROUPS = ("eid", "GRP")
_TYPES = ("etype", "entity")
# A mark opens a mention, closes one, or both. The fields of the mention are between the brackets.
_MARK = re.compile(r"(\()?([^()|]+)(\))?\|?")
_PART = re.compile(r"(.*)\[(\d+)/(\d+)\]")
_NUMBER = re.compile(r"\d+(?:[-.]\d+)?")
_HEAD = "head"
_BRACKETS = "Each mention that begins, (e1, ends in the same document, e1): correct the brackets"
_BRIDGES = {"Bridge": "bridge", "SplitAnte": "split antecedent", "Split": "split antecedent"}


@dataclass(frozen=True)
class _Declaration:
    """Order of the columns of a CorefUD file and of the fields of its mentions."""

    columns: tuple[str, ...] = _CONLLU
    fields: tuple[str, ...] = ()

    @property
    def group(self) -> int:
        """Return the index of the field that names the entity."""
        return next(i for i, name in enumerate(self.fields) if name in _GROUPS)

    @property
    def type(self) -> int | None:
        """Return the index of the field with the type of the entity, or None."""
        return next((i for i, name in enumerate(self.fields) if name in _TYPES), None)

    @property
    def head(self) -> int | None:
        """Return the index of the field with the number of the head word, or None."""
        if _HEAD in self.fields:
            return self.fields.index(_HEAD)
        return None

    @property
    def unused(self) -> tuple[str, ...]:
        """Return the fields other than the entity and its type."""
        return tuple(name for name in self.fields if name not in (*_GROUPS, *_TYPES))


@dataclass
class _Unfinished:
    """A mention of several parts, some of which have not been read.

    Attributes
    ----------
    total
        Number of parts.
    kind, line
        Type of the entity, and the line where the mention begins.
    n_read
        Number of parts that have been read.
    places
        First word of each part and the word after it; parts on empty nodes have none.
    """

    total: int
    kind: str
    line: int
    n_read: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Document:
    """A document while it is read: its words, and the mentions of each entity."""

    name: str
    words: list[str] = field(default_factory=list)
    chains: dict[str, list[str]] = field(default_factory=dict)
    open_mentions: dict[str, list[tuple[int, str, int]]] = field(default_factory=dict)
    unfinished: dict[str, list[_Unfinished]] = field(default_factory=dict)
    mentions: list[tuple[list[tuple[int, int]], str, int]] = field(default_factory=list)
    empty: int = 0
    empty_parts: int = 0
    bridges: dict[str, int] = field(default_factory=dict)
    field_mentions: FieldMentions = field(default_factory=FieldMentions)
    headed: bool | None = None
    unused: tuple[str, ...] = ()


def read(source: Source, *, discontinuous: str = "keep") -> Continuum | Corpus:
    """Read one annotator's mentions and the chains that join them.

    Parameters
    ----------
    discontinuous
        How to convert a mention of several parts: "keep", "cover" or "split".

    Raises
    ------
    DataError
        A mention has no begin or no end, or `# global.Entity` is missing or has no field for the
        entity.

    Notes
    -----
    Positions
        tokens
    Annotators
        the folder
    Category
        type of the entity, if the file has one
    Spans
        every mention is a unit; mentions may overlap. The mentions of one entity form a chain; the
        only mention of an entity has no links. A mention of several parts is a unit of several
        fragments (`--option discontinuous=cover`: one unit over all of them; `split`: one unit per
        part). Mentions on empty nodes, and parts of mentions, are left out; so are bridges and
        split antecedents, which join entities
    """
    read_documents = list(_documents(source))
    documents = Documents(source, TOKENS)
    for one in read_documents:
        if len(read_documents) > 1:
            name = one.name
        else:
            name = source.document
        _add(documents.of(name, " ".join(one.words)), one, discontinuous)
        if one.headed is not None:
            parsed = one.field_mentions.document(headed=one.headed)
            collect("coreference", name, source.annotator, parsed)
    return documents.one_or_all()


def _documents(source: Source) -> Iterator[_Document]:
    if _COREFUD.search(in_utf8(source.content)):
        return _corefud_documents(source)
    return _conll_documents(source)


def _conll_documents(source: Source) -> Iterator[_Document]:
    """Yield the documents of a CoNLL-2012 file."""
    current: _Document | None = None
    for number, line in enumerate(source.lines(), 1):
        if beginning := _BEGIN.match(line):
            if current is not None:
                yield _check_complete(source, current)
            names = [part for part in beginning.groups() if part]
            current = _Document("-".join(names) or source.document)
        elif line.strip() and not line.startswith("#"):
            cells = line.split()
            current = current or _Document(source.document)
            current.words.append(cells[3] if len(cells) > 4 else "_")
            for begins, name, ends in _marks(source, cells[-1], number):
                _mark(source, current, name, number, begins=begins, ends=ends)
    if current is None:
        raise source.error("file has no tokens")
    yield _check_complete(source, current)


def _corefud_documents(source: Source) -> Iterator[_Document]:
    """Yield the documents of a CorefUD file."""
    current: _Document | None = None
    declaration = _Declaration()
    for number, line in enumerate(source.lines(), 1):
        if beginning := _NEW.match(line):
            if current is not None and current.words:
                yield _check_complete(source, current)
            current = _Document(beginning[1] or source.document)
        elif line.startswith("#"):
            declaration = _declared(source, line, number, declaration)
        elif line.strip():
            current = current or _Document(source.document)
            _corefud(source, current, line, number, declaration)
        elif current is not None:
            current.field_mentions.sentence += 1
    if current is None:
        raise source.error("file has no tokens")
    yield _check_complete(source, current)


def _declared(source: Source, line: str, number: int, before: _Declaration) -> _Declaration:
    """Return the declaration, updated if this comment declares columns or fields."""
    if columns := _COLUMNS.match(line):
        names = tuple(columns[1].split())
        lacking = [name for name in ("ID", "FORM", "MISC") if name not in names]
        if lacking:
            raise source.error(f"global.columns has no column {lacking[0]}", line=number)
        return _Declaration(names, before.fields)
    if fields := _FIELDS.match(line):
        names = tuple(fields[1].strip().split("-"))
        groups = [name for name in names if name in _GROUPS]
        if len(groups) != 1 or len(set(names)) < len(names):
            raise source.error(
                f"global.Entity = {fields[1].strip()} does not say which field is the entity",
                line=number,
                hint="Exactly one field is called eid or GRP, as in eid-etype-head-other",
            )
        return _Declaration(before.columns, names)
    return before


def _corefud(
    source: Source, document: _Document, line: str, number: int, declaration: _Declaration
) -> None:
    """Read a line of CoNLL-U; positions count words but not empty nodes."""
    cells = line.split("\t")
    width = len(declaration.columns)
    if len(cells) != width:
        raise source.error(f"line has {len(cells)} columns instead of {width}", line=number)
    row = dict(zip(declaration.columns, cells, strict=True))
    if not _NUMBER.fullmatch(row["ID"]):
        raise source.error(f"{row['ID']!r} is not the number of a token", line=number)
    is_word = row["ID"].isdecimal()
    if is_word:
        document.words.append(row["FORM"].replace(" ", "\u00a0"))
    if "-" not in row["ID"]:
        document.field_mentions.add_node(row["ID"], row.get("DEPS", "_"))
    for attribute in row["MISC"].split("|"):
        name, _, value = attribute.partition("=")
        if name in _BRIDGES:
            kind = _BRIDGES[name]
            document.bridges[kind] = document.bridges.get(kind, 0) + len(value.split(","))
        if name != "Entity":
            continue
        if not declaration.fields:
            raise source.error(
                "mentions have fields, but no line declares them",
                line=number,
                hint="Add a line such as `# global.Entity = eid-etype-head-other`",
            )
        document.unused = declaration.unused
        document.headed = declaration.head is not None
        for begins, content, ends in _marks(source, value, number):
            group, kind = _entity(source, content, number, declaration, begins=begins)
            _mark(
                source,
                document,
                group,
                number,
                begins=begins,
                ends=ends,
                kind=kind,
                empty=not is_word,
            )
            with source.place_errors():
                head = _head(content, declaration)
                document.field_mentions.mark(group, number, head, begins=begins, ends=ends)


def _entity(
    source: Source, content: str, line: int, declaration: _Declaration, *, begins: bool
) -> tuple[str, str]:
    """Return the entity of a mention, with the number of its part, and the entity's type."""
    values = content.split("-")
    # A mark that ends a mention has only the entity, or in older files all fields.
    if len(values) == 1 and not begins:
        return content, ""
    if len(values) <= declaration.group or not values[declaration.group]:
        raise source.error(
            f"mention ({content} does not have the fields {'-'.join(declaration.fields)}",
            line=line,
        )
    place = declaration.type
    if place is not None and place < len(values):
        kind = values[place]
    else:
        kind = ""
    return values[declaration.group], kind


def _head(content: str, declaration: _Declaration) -> str:
    """Return the number of the head word of a mention as in the file; "" if there is none."""
    values = content.split("-")
    place = declaration.head
    if place is None or place >= len(values):
        return ""
    return values[place]


def _marks(source: Source, cell: str, line: int) -> Iterator[tuple[bool, str, bool]]:
    """Yield the marks in a cell: whether a mention begins, its fields, and whether it ends."""
    if cell in ("-", "_", "*"):
        return
    place = 0
    while place < len(cell):
        mark = _MARK.match(cell, place)
        if mark is None or not (mark[1] or mark[3]):
            raise source.error(f"{cell!r} is not a list of mentions", line=line)
        yield bool(mark[1]), mark[2], bool(mark[3])
        place = mark.end()


def _mark(
    source: Source,
    document: _Document,
    name: str,
    line: int,
    *,
    begins: bool,
    ends: bool,
    kind: str = "",
    empty: bool = False,
) -> None:
    """Start or end a mention at the last word, or at an empty node after it."""
    at = len(document.words)
    part = _PART.fullmatch(name)
    number, total = (int(part[2]), int(part[3])) if part else (1, 1)
    if part:
        name = part[1]
    if begins:
        document.open_mentions.setdefault(name, []).append((at - (not empty), kind, line))
    if not ends:
        return
    if not document.open_mentions.get(name):
        raise source.error(
            f"mention of {name} ends, but has no beginning", line=line, hint=_BRACKETS
        )
    start, kind, first = document.open_mentions[name].pop()
    unfinished = document.unfinished.setdefault(name, [])
    if number == 1:
        mention = _Unfinished(total, kind, first)
    else:
        mention = _continued(source, unfinished, name, number, total, first)
        unfinished.remove(mention)
    mention.n_read = number
    if start < at:
        mention.places.append((start, at))
    if number < total:
        unfinished.append(mention)
    elif mention.places:
        document.empty_parts += total - len(mention.places)
        document.chains.setdefault(name, []).append(str(len(document.mentions)))
        document.mentions.append((mention.places, mention.kind, mention.line))
    else:
        document.empty += 1


def _continued(
    source: Source, unfinished: list[_Unfinished], name: str, number: int, total: int, line: int
) -> _Unfinished:
    """Return the mention that part `number` of `total` continues; there must be exactly one."""
    before = [m for m in unfinished if (m.total, m.n_read) == (total, number - 1)]
    if not before:
        raise _lacks_parts(source, name, f"[{number - 1}/{total}]", line)
    if len(before) > 1:
        raise source.error(
            f"{name}[{number}/{total}] may continue any of {len(before)} mentions of {name}",
            line=line,
            hint="Write all parts of a mention before the next mention of its entity in as many "
            "parts begins",
        )
    return before[0]


def _lacks_parts(source: Source, name: str, part: str, line: int) -> DataError:
    """Return the error for a mention of several parts, of which `part` is not there."""
    return source.error(
        f"mention of {name} lacks some of its parts: there is no {name}{part}",
        line=line,
        hint="A mention of two parts is marked as [1/2] and then as [2/2] in the same document",
    )


def _check_complete(source: Source, document: _Document) -> _Document:
    for name, open_mentions in document.open_mentions.items():
        if open_mentions:
            raise source.error(
                f"mention of {name} begins, but has no end",
                line=open_mentions[0][2],
                hint=_BRACKETS,
            )
    for name, mentions in document.unfinished.items():
        for mention in mentions:
            missing = f"[{mention.n_read + 1}/{mention.total}]"
            raise _lacks_parts(source, name, missing, mention.line)
    return document


def _add(spans: Spans, document: _Document, discontinuous: str) -> None:
    who = spans.source.annotator
    spans.declare(who)
    for key, (parts, kind, line) in enumerate(document.mentions):
        spans.add_parts(who, kind or None, parts, discontinuous, line=line, key=str(key))
    for keys in document.chains.values():
        spans.chain(who, "coreference", keys)
    spans.leave_out("mention", "is on an empty node", document.empty)
    spans.leave_out("part of a mention", "is on an empty node", document.empty_parts)
    for kind, count in document.bridges.items():
        spans.leave_out(kind, "joins entities, not mentions", count)
    for name in document.unused:
        spans.leave_out("field", f"{name} is neither the entity nor its type")


def _sniff(head: bytes, path: Path) -> bool:  # noqa: ARG001
    return head.lstrip().startswith(b"#begin document") or bool(_COREFUD.search(head))


registered(
    "coreference",
    "CoNLL-2012, CorefUD",
    (".conll", ".v4_gold_conll"),
    _sniff,
    read,
    shared_extensions=(".conllu",),
    layout="{annotator}/{document}",
)
