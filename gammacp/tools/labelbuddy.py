"""labelbuddy's export of documents and annotations (JSON, JSON lines).

After labelbuddy's documentation, "File formats for documents and annotations"
(jeromedockes.github.io/labelbuddy): a document has `annotations` of `label_name`, `start_char` and
`end_char` (code points), or `start_byte` and `end_byte` (UTF-8) if these are missing; the `text`
where it was exported, `metadata`, and `utf8_text_md5_checksum`, which is the same for one text
whoever annotates it. Collections of several people's work add `annotator_name` and the
`selected_text`.
"""

from hashlib import md5

from gammacp.base.arguments import one_of
from gammacp.continuum import Corpus
from gammacp.formats.evidence import CHECKED, TRUST, Quote, Quoted, settle
from gammacp.formats.records import records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents

_HINT = "Export it again from labelbuddy"


def read(source: Source, *, document: str = "", offsets: str = "check") -> Corpus:
    """Read a document for each text.

    Parameters
    ----------
    document
        The entry of the metadata that names a document; by default, the checksum is the name.
    offsets
        "check": checksums, positions in bytes and selected texts must fit the text, where the file
        has them; "trust": only positions in characters are used.

    Raises
    ------
    DataError
        A document lacks annotations or a checksum, or an annotation does not fit its text.

    Notes
    -----
    Positions
        characters (code points; `start_byte` and `end_byte` are converted where there are no
        others)
    Annotators
        `annotator_name`, else the file's name
    Category
        `label_name`; empty is unlabelled
    Spans
        every annotation is a unit: overlapping and repeated ones are kept; extra data is left out
    """
    one_of("offsets", offsets, CHECKED)
    documents = Documents(source, CHARACTERS)
    quoted: dict[str, Quoted] = {}
    added: list[tuple[str, str, str | None, Quote]] = []
    for record in records(source):
        text = record.text("text")
        key = _name(record, text, document, offsets)
        spans = documents.of(key, text, line=record.line)
        listed = record.objects("annotations")
        record_annotator = record.name("annotator_name")
        if record_annotator or not any("annotator_name" in entry for entry in listed):
            annotator = record_annotator or source.annotator
            if annotator in spans.annotators:
                raise record.error(f"{annotator} annotated {key} twice", hint="Keep one of them")
            spans.declare(annotator)
        extra = sum(entry.name("extra_data") is not None for entry in listed)
        spans.leave_out("extra data", "is not the category", extra)
        about = quoted.setdefault(key, Quoted([]))
        if spans.text is None:
            about.texts = []
        else:
            about.texts = [spans.text]
        for number, entry in enumerate(listed, 1):
            what = f"annotation {number} of {key}"
            start, end = _place(entry, text, what, offsets)
            quote = Quote(((start, end),), entry.text("selected_text"), what, record.line)
            about.quotes.append(quote)
            annotator = entry.name("annotator_name") or record_annotator or source.annotator
            added.append((key, annotator, entry.name("label_name"), quote))
    settled = dict(zip(quoted, settle(source, [*quoted.values()], offsets=offsets), strict=True))
    for key, evidence in settled.items():
        evidence.tell(documents.of(key))
    for key, annotator, label, quote in added:
        ((low, high),) = settled[key].places(quote)
        documents.of(key).add(annotator, label, low, high, line=quote.line, what=quote.what)
    return documents.corpus()


def _name(record: Record, text: str | None, field: str, offsets: str) -> str:
    """Return the name of a document, whose checksum must be that of its text."""
    stated = record.name("utf8_text_md5_checksum")
    if text is None:
        content = None
    else:
        content = text.encode("utf-8", "surrogatepass")
    if content is None:
        computed = None
    else:
        computed = md5(content, usedforsecurity=False).hexdigest()
    if stated and computed and stated.lower() != computed and offsets != TRUST:
        raise record.error(
            f"checksum {stated} is not that of the text",
            hint=f"{_HINT}, or give `read(offsets=trust)`",
        )
    if field:
        name = record.inner("metadata").name(field)
        if name is None:
            raise record.error(f"metadata has no {field!r}", hint="Give another `read(document=)`")
        return name
    name = stated or computed
    if name is None:
        raise record.error("document has neither a text nor utf8_text_md5_checksum", hint=_HINT)
    return name


def _place(entry: Record, text: str | None, what: str, offsets: str) -> tuple[int, int]:
    """Return the start and end of an annotation in code points."""
    edges = []
    for edge in ("start", "end"):
        place = entry.get(f"{edge}_char")
        byte = entry.get(f"{edge}_byte")
        from_bytes = _of_byte(entry, text, byte, what)
        if place is None:
            place = from_bytes
        if type(place) is not int:
            raise entry.error(f"{what} has no {edge}_char that is a whole number", hint=_HINT)
        if from_bytes is not None and from_bytes != place and offsets != TRUST:
            raise entry.error(
                f"{what}: {edge}_char {place} does not match {edge}_byte {byte}, which is "
                f"character {from_bytes}",
                hint="Correct it, or give `read(offsets=trust)` to go by the characters",
            )
        edges.append(place)
    return edges[0], edges[1]


def _of_byte(entry: Record, text: str | None, byte: object, what: str) -> int | None:
    """Return the position in code points of a byte of the text; None without text or byte."""
    if byte is None or text is None:
        return None
    content = text.encode("utf-8", "surrogatepass")
    if type(byte) is not int or not 0 <= byte <= len(content):
        raise entry.error(f"{what}: byte {byte!r} does not lie in the text")
    try:
        return len(content[:byte].decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        raise entry.error(f"{what}: byte {byte} lies inside a character") from None


registered(
    "labelbuddy",
    "labelbuddy",
    (".jsonl", ".json"),
    sniff_ending_and_keys(
        ".jsonl .json", b'"annotations"', (b'"utf8_text_md5_checksum"', b'"label_name"')
    ),
    read,
    layout="{annotator}",
    several_continua=True,
)
