"""spaCy's DocBin (.spacy), read with spaCy.

After "DocBin" and "Span" in spaCy's API documentation (spacy.io/api/docbin). The layer is `ents`,
the named entities, or the name of a span group. Positions count code points.
"""

import zlib

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import UsageError
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Documents

_ENTITIES = "ents"


def read(source: Source, *, layer: str = _ENTITIES) -> Continuum | Corpus:
    """Return one annotator's units; if there are several documents, number them in order.

    Parameters
    ----------
    layer
        `ents`, the named entities, or the name of a span group.

    Raises
    ------
    DataError
        The file is damaged, or no document has the span group.
    UsageError
        spaCy is not installed.

    Notes
    -----
    Positions
        characters (code points)
    Annotators
        name of the folder
    Category
        label; `--layer` is `ents` or the name of a span group
    Spans
        every span is a unit; spans of a group may overlap
    """
    try:
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab
    except ImportError:
        raise UsageError(
            f"{source.place}: reading spaCy files needs spaCy: pip install 'gammacp[spacy]'"
        ) from None
    try:
        docs = list(DocBin().from_bytes(source.content).get_docs(Vocab()))
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise source.error(f"DocBin is damaged: {error}", hint="Export it again") from None
    documents = Documents(source, CHARACTERS)
    groups = sorted({name for doc in docs for name in doc.spans})
    if layer != _ENTITIES and layer not in groups:
        layers = ", ".join((_ENTITIES, *groups))
        raise source.error(f"span group {layer!r} does not occur", hint=f"There are: {layers}")
    for number, doc in enumerate(docs, 1):
        if len(docs) == 1:
            name = source.document
        else:
            name = f"{source.document}-{number}"
        spans = documents.of(name, doc.text)
        spans.declare(source.annotator)
        for group, members in ((_ENTITIES, doc.ents), *doc.spans.items()):
            if group != layer:
                spans.leave_out("span", f"group {group} was not chosen", len(members))
                continue
            for span in members:
                spans.add(source.annotator, span.label_, span.start_char, span.end_char)
    return documents.one_or_all()


registered(
    "spacy",
    "spaCy DocBin",
    (".spacy",),
    sniff_ending_and_keys(".spacy"),
    read,
    layout="{annotator}/{document}",
    extra="spacy",
)
