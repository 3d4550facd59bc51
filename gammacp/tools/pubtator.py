"""PubTator's text format: titles, abstracts and mentions of biomedical names.

After "PubTator format" (ncbi.nlm.nih.gov/research/pubtator3/tutorial) and Wei, Kao & Lu (2013),
"PubTator: a web-based text mining tool for assisting biocuration", NAR 41: a line `ID|t|` with the
title, one `ID|a|` with the abstract, then a line per mention: ID, start, end, text, type, concept.
Offsets run through the title, one blank, and the abstract.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from gammacp.continuum import Corpus
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Documents

_TEXT = re.compile(r"([^|\t\s]+)\|([ta])\|(.*)")
_START = re.compile(rb"\s*[^|\t\s]+\|t\|")
_HINT_ON_TEXTS = "Offsets run through the title, one blank, and the abstract"
_HINT = "A mention is ID, start, end, text and type between tabs"
Mention = tuple[int, int, str, str, int]
"""Start, end, text, type, line."""


def read(source: Source, *, offsets: str = "check") -> Corpus:
    """Read a document for each ID.

    Parameters
    ----------
    offsets
        "check": the unit in which offsets count is inferred from the quoted texts; "trust": offsets
        are code points, whatever these texts are.

    Raises
    ------
    DataError
        A line is of unknown kind, a mention comes before its text, or the quotes fit the texts
        under no convention.

    Notes
    -----
    Positions
        characters (code points; UTF-16 and other conventions that all quoted texts fit are
        converted, and `--option offsets=trust` goes by the offsets alone)
    Annotators
        the file's name
    Category
        the type; empty is unlabelled
    Spans
        every mention is a unit; concepts and relations are left out
    """
    documents = Documents(source, CHARACTERS)
    listed = _listed(source)
    quoted = [
        Quoted([_joined(one.texts)], [_quote(mention) for mention in one.mentions])
        for one in listed.values()
    ]
    conventions = (CODE_POINTS, IN_UTF_16)
    settled = settle(source, quoted, own=conventions, offsets=offsets, hint=_HINT_ON_TEXTS)
    for (key, one), quotes, counted in zip(listed.items(), quoted, settled, strict=True):
        spans = documents.of(key, _joined(one.texts))
        spans.declare(source.annotator)
        spans.leave_out("concept", "is not the category", one.concepts)
        spans.leave_out("relation", "is not a unit", one.relations)
        counted.tell(spans)
        for mention, quote in zip(one.mentions, quotes.quotes, strict=True):
            ((low, high),) = counted.places(quote)
            category = mention[3].strip()
            spans.add(source.annotator, category, low, high, line=quote.line, what=quote.what)
    return documents.corpus()


@dataclass
class _Document:
    """The lines of one document: texts by part, mentions, and counts of other content."""

    texts: dict[str, str] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)
    relations: int = 0
    concepts: int = 0


def _listed(source: Source) -> dict[str, _Document]:
    """Return the documents of a file by their IDs."""
    documents: dict[str, _Document] = {}
    for number, line in enumerate(source.lines(), 1):
        cells = line.split("\t")
        if match := _TEXT.fullmatch(line):
            key, part, text = match.groups()
            texts = documents.setdefault(key, _Document()).texts
            if part in texts:
                raise source.error(f"document {key} has two lines |{part}|", line=number)
            texts[part] = text
            continue
        if not line.strip():
            continue
        if cells[0] not in documents:
            raise source.error(
                f"line is of no document: {line[:60]!r}", line=number, hint="Begin with ID|t|TITLE"
            )
        document = documents[cells[0]]
        if len(cells) >= 5:
            start, end = (source.position(c, "position", line=number) for c in cells[1:3])
            document.mentions.append((int(start), int(end), cells[3], cells[4], number))
            document.concepts += any(cells[5:])
        elif len(cells) == 4 and not cells[1].strip().isdigit():
            document.relations += 1
        else:
            raise source.error(f"line has {len(cells)} cells", line=number, hint=_HINT)
    return documents


def _joined(parts: dict[str, str]) -> str:
    """Return the text that offsets run through: the title, one blank, and the abstract."""
    return " ".join(parts[part] for part in ("t", "a") if part in parts)


def _quote(mention: Mention) -> Quote:
    start, end, text, _, line = mention
    return Quote(((start, end),), text, "mention", line)


def _sniff(head: bytes, path: Path) -> bool:
    return bool(path.name) and _START.match(head) is not None


registered(
    "pubtator",
    "PubTator",
    (".pubtator",),
    _sniff,
    read,
    shared_extensions=(".txt",),
    layout="{annotator}",
)
