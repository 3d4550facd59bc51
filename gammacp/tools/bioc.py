"""BioC collections, as XML and as JSON.

After Comeau et al. (2013), "BioC: a minimalist approach to interoperability for biomedical text
processing", Database, bat064, and its BioC.dtd. Offsets count from the beginning of the document,
not of the passage. The text of a document is assembled from its passages, or their sentences,
each at its offset; gaps are filled with blanks.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gammacp.continuum import Corpus
from gammacp.formats.evidence import Quote, Quoted, Settled, settle
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.registry import registered
from gammacp.formats.source import Record, Source, name
from gammacp.formats.spans import CHARACTERS, Documents, Spans
from gammacp.formats.xmltree import Element, parse


@dataclass(frozen=True)
class _Annotation:
    """An annotation, independent of the syntax (XML or JSON)."""

    key: str
    infons: dict[str, str]
    places: list[tuple[int, int]]
    quote: str
    line: int | None


@dataclass
class _Document:
    """A document, independent of the syntax (XML or JSON); `texts` are pairs (offset, text)."""

    key: str
    line: int | None
    texts: list[tuple[int, str]] = field(default_factory=list)
    annotations: list[_Annotation] = field(default_factory=list)
    relations: int = 0


def read(
    source: Source,
    *,
    feature: str = "type",
    discontinuous: str = "keep",
    offsets: str = "check",
) -> Corpus:
    """Read the documents of a collection.

    Parameters
    ----------
    feature
        The infon that is the category.
    discontinuous
        "keep": an annotation of several locations is a unit of several fragments; "cover": a unit
        from its first start to its last end; "split": a unit for each.
    offsets
        "check": the way in which offsets count is inferred from the quoted texts; "trust": offsets
        are code points, whatever the quoted texts say.

    Raises
    ------
    DataError
        The file is not a collection, a number is missing, or the quoted texts fit their places
        under no convention.

    Notes
    -----
    Positions
        characters (code points of the document; UTF-16 and other conventions that all quoted texts
        fit are converted, and `--option offsets=trust` goes by the offsets alone)
    Annotators
        the infon `annotator` of an annotation, else the file's name
    Category
        the infon `type`, or another (`--feature`)
    Spans
        every annotation is a unit, one of several locations a unit of several fragments
        (`--option discontinuous=cover`: one unit from the first start to the last end; `split`: one
        unit per location). Relations are left out
    """
    documents = Documents(source, CHARACTERS)
    collection = list(_of_json(source) if _is_json(source.content) else _of_xml(source))
    # If annotations name their annotators, the file's name is not an annotator, and must not be
    # declared as one without units.
    names_people = any(
        a.infons.get("annotator") for document in collection for a in document.annotations
    )
    quoted = [_quoted(source, document) for document in collection]
    conventions = (CODE_POINTS, IN_UTF_16)
    hint = "Offsets count from the beginning of the document"
    settled = settle(source, quoted, own=conventions, offsets=offsets, hint=hint)
    for document, listed, counted in zip(collection, quoted, settled, strict=True):
        spans = documents.of(document.key, _text_of(document), line=document.line)
        if not names_people:
            spans.declare(source.annotator)
        if spans.text is None and document.texts:
            spans.leave_out("text", "passages overlap, so quotes were not checked")
        spans.leave_out("relation", "is not a unit", document.relations)
        counted.tell(spans)
        _add(spans, document, (listed, counted), feature, discontinuous)
    return documents.corpus()


def _quoted(source: Source, document: _Document) -> Quoted:
    """Return the text of a document with what its annotations quote.

    Annotations of several locations quote them in ways that differ between tools, so their quotes
    are no evidence.
    """
    quotes: list[Quote] = []
    for annotation in document.annotations:
        what = f"annotation {annotation.key} of document {document.key}"
        if not annotation.places:
            raise source.error(f"{what} has no location", line=annotation.line)
        parts = tuple((start, start + length) for start, length in annotation.places)
        if len(parts) == 1 and annotation.quote:
            text = annotation.quote
        else:
            text = None
        quotes.append(Quote(parts, text, what, annotation.line))
    text = _text_of(document)
    return Quoted([] if text is None else [text], quotes)


def _add(
    spans: Spans,
    document: _Document,
    settled: tuple[Quoted, Settled],
    feature: str,
    discontinuous: str,
) -> None:
    """Add the annotations of a document, at code points."""
    listed, counted = settled
    for annotation, quote in zip(document.annotations, listed.quotes, strict=True):
        infons = annotation.infons
        for key in infons.keys() - {feature, "annotator"}:
            spans.leave_out("infon", f"{key} is not the category")
        who = infons.get("annotator") or spans.source.annotator
        parts = counted.places(quote)
        about: Any = {"line": quote.line, "what": quote.what}
        spans.add_parts(who, infons.get(feature), parts, discontinuous, **about)


def _text_of(document: _Document) -> str | None:
    """Return the text of all passages; None where there is none or they overlap."""
    text = ""
    for offset, part in sorted(document.texts):
        if offset < len(text):
            # The line break at the end of a passage may not count.
            if text[offset:].strip():
                return None
            text = text[:offset]
        text = text.ljust(offset) + part
    return text or None


def _of_xml(source: Source) -> Iterator[_Document]:
    root = parse(source, external_type=True)
    if root.tag != "collection":
        raise root.error(f"root element <{root.tag}> is not collection")
    for element in root.all("document"):
        document = _Document(_text(element, "id"), element.line)
        if not document.key:
            raise element.error("<document> has no <id>")
        _take(document, element)
        for passage in element.all("passage"):
            _take(document, passage)
            for sentence in passage.all("sentence"):
                _take(document, sentence)
        yield document


def _take(document: _Document, element: Element) -> None:
    """Take the text, annotations and relations directly inside an element."""
    text = element.find("text")
    offset = element.find("offset")
    if text is not None and offset is not None and text.text:
        document.texts.append((_whole(offset, offset.text, "offset"), text.text))
    document.relations += len(element.all("relation"))
    for inner in element.all("annotation"):
        places = [
            (x.whole_number("offset"), x.whole_number("length")) for x in inner.all("location")
        ]
        infons = {x.attribute("key"): x.text for x in inner.all("infon")}
        key = inner.attributes.get("id", "without an id")
        document.annotations.append(
            _Annotation(key, infons, places, _text(inner, "text"), inner.line)
        )


def _text(element: Element, tag: str) -> str:
    inner = element.find(tag)
    if inner is None:
        return ""
    return inner.text


def _whole(element: Element, text: str, what: str) -> int:
    value = element.source.position(text, what, line=element.line)
    if value % 1:
        raise element.error(f"{what} {text!r} is not a whole number")
    return int(value)


def _of_json(source: Source) -> Iterator[_Document]:
    root = Record.of(source.json(), source)
    for record in root.objects("documents"):
        key = record.name("id")
        if key is None:
            raise record.error("document has no id")
        document = _Document(key, None)
        _take_record(document, record)
        for passage in record.objects("passages", missing_ok=True):
            _take_record(document, passage)
            for sentence in passage.objects("sentences", missing_ok=True):
                _take_record(document, sentence)
        yield document


def _take_record(document: _Document, record: Record) -> None:
    """Take the text, annotations and relations directly inside an object."""
    text = record.text("text")
    if text and "offset" in record:
        document.texts.append((_number(record, "offset"), text))
    document.relations += record.size("relations")
    for inner in record.objects("annotations", missing_ok=True):
        places = [(_number(x, "offset"), _number(x, "length")) for x in inner.objects("locations")]
        names = {key: name(value) for key, value in inner.inner("infons").items()}
        infons = {key: value for key, value in names.items() if value is not None}
        key = inner.name("id") or "without an id"
        document.annotations.append(
            _Annotation(key, infons, places, inner.text("text") or "", inner.line)
        )


def _number(record: Record, key: str) -> int:
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise record.error(f'"{key}" {value!r} is not a whole number')
    return value


def _is_json(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _sniff(head: bytes, path: Path) -> bool:
    ending = path.suffix.lower()
    if ending == ".json":
        return b'"documents"' in head and b'"passages"' in head
    return ending in (".xml", ".bioc") and b"<collection>" in head and b"<document>" in head


registered(
    "bioc", "BioC XML and JSON", (".xml", ".json", ".bioc"), _sniff, read, layout="{annotator}"
)
