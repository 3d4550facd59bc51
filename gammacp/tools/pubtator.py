"""PubTator's text format: titles, abstracts and mentions of biomedical names.

After "PubTator format" (ncbi.nlm.nih.gov/research/pubtator3/tutorial) and Wei, Kao & Lu (2013),
"PubTator: a web-based text mining tool for assisting biocuration", NAR 41: a line `ID|t|` with the
title, one `ID|a|` with the abstract, then a line per mention: ID, start, end, text, type, concept.
Offsets run through the title, one blank, and the abstract.
"""

import re
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
        "check": the quoted texts say how offsets count; "trust": they are code points, whatever
        they say.

    Raises
    ------
    DataError
        A line is of no kind, a mention comes before its text, or quotes are not what the texts
        have in their places under any convention.

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
    texts: dict[str, dict[str, str]] = {}
    mentions: dict[str, list[Mention]] = {}
    relations: dict[str, int] = {}
    concepts: dict[str, int] = {}
    for number, line in enumerate(source.lines(), 1):
        cells = line.split("\t")
        if match := _TEXT.fullmatch(line):
            key, part, text = match.groups()
            if part in texts.setdefault(key, {}):
                raise source.error(f"document {key} has two lines |{part}|", line=number)
            texts[key][part] = text
        elif not line.strip():
            continue
        elif cells[0] not in texts:
            raise source.error(
                f"line is of no document: {line[:60]!r}", line=number, hint="Begin with ID|t|TITLE"
            )
        elif len(cells) >= 5:
            start, end = (source.position(c, "position", line=number) for c in cells[1:3])
            mention = int(start), int(end), cells[3], cells[4], number
            mentions.setdefault(cells[0], []).append(mention)
            concepts[cells[0]] = concepts.get(cells[0], 0) + any(cells[5:])
        elif len(cells) == 4 and not cells[1].strip().isdigit():
            relations[cells[0]] = relations.get(cells[0], 0) + 1
        else:
            raise source.error(f"line has {len(cells)} cells", line=number, hint=_HINT)
    quoted = [
        Quoted([_joined(parts)], [_quote(mention) for mention in mentions.get(key, [])])
        for key, parts in texts.items()
    ]
    own = (CODE_POINTS, IN_UTF_16)
    settled = settle(source, quoted, own=own, offsets=offsets, hint=_HINT_ON_TEXTS)
    for (key, parts), listed, counted in zip(texts.items(), quoted, settled, strict=True):
        spans = documents.of(key, _joined(parts))
        spans.declare(source.annotator)
        spans.leave_out("concept", "is not the category", concepts.get(key, 0))
        spans.leave_out("relation", "is not a unit", relations.get(key, 0))
        counted.tell(spans)
        for mention, quote in zip(mentions.get(key, []), listed.quotes, strict=True):
            ((low, high),) = counted.places(quote)
            category = mention[3].strip()
            spans.add(source.annotator, category, low, high, line=quote.line, what=quote.what)
    return documents.corpus()


def _joined(parts: dict[str, str]) -> str:
    """Return the text that offsets run through: the title, one blank, and the abstract."""
    return " ".join(parts[part] for part in ("t", "a") if part in parts)


def _quote(mention: Mention) -> Quote:
    start, end, text, _, line = mention
    return Quote(((start, end),), text, "mention", line)


def _sniff(head: bytes, path: Path) -> bool:
    return bool(path.name) and _START.match(head) is not None


registered(
    "pubtator", "PubTator", (".pubtator",), _sniff, read, by_content=(".txt",), layout="{annotator}"
)
