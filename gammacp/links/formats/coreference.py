"""Mentions and their chains: CoNLL-2012 and CorefUD, a file per annotator.

After the CoNLL-2012 shared task (`#begin document (NAME); part 000`, chains in the last column:
`(12`, `12)`, `(12)`, joined by `|`) and CorefUD 1.0 (CoNLL-U with `# global.Entity` and
`Entity=(e1-person … e1)` in the last column; `[1/2]` numbers the parts of a mention). Positions
count tokens from the beginning of the document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import TOKENS, Documents, Spans

_BEGIN = re.compile(r"#begin document \((.*)\)(?:; part (\d+))?")
_NEW = re.compile(r"# ?newdoc(?: id = (.*))?")
_GLOBAL = "# global.Entity"
# An entity's name, which of how many parts it is, what is said of it; opened, closed, or both.
_MARK = re.compile(r"(\()?([^()|\[\-]+)(?:\[(\d+)/(\d+)\])?(?:-([^()|]*))?(\))?")


@dataclass
class _Document:
    """A document while it is read: its words, and the mentions of each entity."""

    name: str
    words: list[str] = field(default_factory=list)
    chains: dict[str, list[str]] = field(default_factory=dict)
    opened: dict[str, list[tuple[int, str, int]]] = field(default_factory=dict)
    parts: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    mentions: list[tuple[list[tuple[int, int]], str, int]] = field(default_factory=list)
    empty: int = 0


def read(source: Source, *, discontinuous: str = "keep") -> Continuum | Corpus:
    """One annotator's mentions, joined by chains.

    Parameters
    ----------
    discontinuous
        "keep", "cover" or "split": what is made of a mention of several parts.

    Raises
    ------
    DataError
        A mention ends that did not begin, or never ends.

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
        part). Mentions on empty nodes are left out
    """
    found = list(_documents(source))
    documents = Documents(source, TOKENS)
    for one in found:
        name = one.name if len(found) > 1 else source.document
        _add(documents.of(name, " ".join(one.words)), one, discontinuous)
    return documents.one_or_all()


def _documents(source: Source) -> Iterator[_Document]:
    current: _Document | None = None
    corefud = source.text().lstrip().startswith("#") and _GLOBAL in source.text()
    for number, line in enumerate(source.lines(), 1):
        if begun := (_NEW if corefud else _BEGIN).match(line):
            if current is not None:
                yield _check_complete(source, current, number)
            names = [part for part in begun.groups() if part]
            current = _Document("-".join(names) or source.document)
        elif line.strip() and not line.startswith("#"):
            cells = line.split("\t" if corefud else None)
            current = current or _Document(source.document)
            if corefud:
                _corefud(source, current, cells, number)
            else:
                current.words.append(cells[3] if len(cells) > 4 else "_")
                _mark(source, current, cells[-1], number)
    if current is None:
        raise source.error("file has no tokens")
    yield _check_complete(source, current, number)


def _corefud(source: Source, document: _Document, cells: list[str], line: int) -> None:
    """A line of CoNLL-U: words count, empty nodes do not."""
    entries = [x[len("Entity=") :] for x in cells[-1].split("|") if x.startswith("Entity=")]
    if cells[0].isdecimal():
        document.words.append(cells[1].replace(" ", "\u00a0"))
    for entry in entries:
        _mark(source, document, entry, line, empty=not cells[0].isdecimal())


def _mark(
    source: Source, document: _Document, cell: str, line: int, *, empty: bool = False
) -> None:
    """What begins and ends at the last word, or at an empty node behind it."""
    if cell in ("-", "_", "*"):
        return
    at = len(document.words)
    for begins, name, part, of, said, ends in _MARK.findall(cell):
        if begins:
            document.opened.setdefault(name, []).append(
                (at - (not empty), said.partition("-")[0], line)
            )
        if not ends:
            continue
        if not document.opened.get(name):
            raise source.error(f"mention of {name} ends, but has no beginning", line=line)
        start, kind, first = document.opened[name].pop()
        if start == at:
            document.empty += 1
            continue
        inside = document.parts.setdefault(name, [])
        inside.append((start, at))
        if part == of:
            document.chains.setdefault(name, []).append(str(len(document.mentions)))
            document.mentions.append((document.parts.pop(name), kind, first))


def _check_complete(source: Source, document: _Document, line: int) -> _Document:
    for name, left in document.opened.items():
        if left:
            raise source.error(f"mention of {name} begins, but has no end", line=left[0][2])
    for name in document.parts:
        raise source.error(f"mention of {name} lacks some of its parts", line=line)
    return document


def _add(spans: Spans, document: _Document, discontinuous: str) -> None:
    who = spans.source.annotator
    spans.declare(who)
    for key, (parts, kind, line) in enumerate(document.mentions):
        spans.add_parts(who, kind or None, parts, discontinuous, line=line, key=str(key))
    for keys in document.chains.values():
        spans.chain(who, "coreference", keys)
    spans.leave_out("mention", "is on an empty node", document.empty)


def _sniff(head: bytes, path: Path) -> bool:  # noqa: ARG001
    return head.lstrip().startswith(b"#begin document") or _GLOBAL.encode() in head


registered(
    "coreference",
    "CoNLL-2012, CorefUD",
    (".conll", ".v4_gold_conll"),
    _sniff,
    read,
    layout="{annotator}/{document}",
)
