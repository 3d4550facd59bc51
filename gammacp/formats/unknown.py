"""Descriptions of files that no format recognises: their likely origin, and possible formats.

The names of formats and tools are hints for people; no file is read on their basis.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from gammacp.base.files import BOMS
from gammacp.errors import DataError
from gammacp.formats.registry import FORMATS
from gammacp.formats.source import Source, in_utf8

_HEAD = 4096
_BYTES = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive, or a document of a word processor or spreadsheet",
    b"SQLite format 3": "an SQLite database",
    b"{\\rtf": "a text of a word processor (RTF)",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"RIFF": "a recording (RIFF)",
    b"OggS": "a recording (Ogg)",
    b"ID3": "a recording (MP3)",
    b"\xd0\xcf\x11\xe0": "a document of an older office program",
    b"WEBVTT": "subtitles (WebVTT)",
}
_ROOTS = {
    "collection": "BioC",
    "TEI": "TEI",
    "TEI.2": "TEI",
    "teiCorpus": "TEI",
    "basic-transcription": "an EXMARaLDA transcription",
    "CHAT": "a CHAT transcript (TalkBank XML)",
    "Trans": "a Transcriber transcript",
    "GateDocument": "GATE XML",
    "FoLiA": "FoLiA",
    "NAF": "NAF",
    "KAF": "KAF",
    "D-Spin": "WebLicht TCF",
    "PcGts": "PAGE XML",
    "alto": "ALTO XML",
    "html": "a web page",
    "graphml": "GraphML",
    "CONTROLLED_VOCABULARIES": "a vocabulary of ELAN",
    "typeSystemDescription": "a type system of UIMA, which is read with its documents",
    "CodeBook": "a REFI-QDA codebook, which has no codings",
}
_INSIDE = {
    ("annotations", b"<track "): "CVAT for video; export it as CVAT for images",
    ("corpus", b"<body>"): "a corpus of TIGER or Salsa",
    ("corpus", b"<sentence "): "a corpus with sentences",
}
"""Names by root element and a part of the content, where the root alone does not tell."""
_KEYS = (
    ({"documents", "source", "date", "key"}, "BioC"),
    ({"passages"}, "BioC"),
    ({"denotations"}, "PubAnnotation"),
    ({"annotatable", "anncomplete"}, "tagtog"),
    ({"anncomplete"}, "tagtog"),
    ({"shapes", "imagePath"}, "LabelMe"),
    ({"_via_settings"}, "the VGG Image Annotator"),
    ({"cells", "nbformat"}, "a Jupyter notebook"),
    ({"annotations_and_examples"}, "LightTag"),
    ({"source-ref"}, "a manifest of SageMaker Ground Truth"),
    ({"annotator", "annotation_id"}, "Label Studio's JSON-MIN; export as JSON"),
    ({"span_annotations"}, "Potato"),
    ({"label_annotations"}, "Potato"),
    ({"paragraphs", "title"}, "SQuAD"),
    ({"type", "features"}, "GeoJSON"),
    ({"classes", "annotations"}, "training data of a web annotator for spaCy"),
)
_LINES = (
    (re.compile(r"\d+\|[ta]\|"), "PubTator"),
    (re.compile(r"@(UTF8|Begin)\b"), "a CHAT transcript"),
    (re.compile(r"\d+\s*\n\d\d:\d\d:\d\d[,.]\d+ -->"), "subtitles (SubRip)"),
    (re.compile(r"\s*\((?:\w+\b|\()"), "trees in brackets"),
    (re.compile(r"# ::"), "AMR graphs"),
    (re.compile(r"<!DOCTYPE html|<html", re.IGNORECASE), "a web page"),
)
_MOST_KEYS = 8
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


def looks_like(source: Source) -> str:
    """Return what a file looks like, as a phrase; "" if nothing can be said.

    Parameters
    ----------
    source
        A file that no format recognises.
    """
    for start, name in _BYTES.items():
        if source.content.startswith(start):
            return name
    head = in_utf8(source.content[:_HEAD])
    if b"\0" in head and not source.content.startswith(tuple(mark for mark, _ in BOMS)):
        return "a binary file"
    return _xml(source, head) or _json(source) or _text(head)


def _xml(source: Source, head: bytes) -> str:
    """Describe XML by its root element and the tool that uses it."""
    from gammacp.formats.xmltree import parse

    start = head.lstrip()
    if not start.startswith(b"<"):
        return ""
    match = _ROOT.search(_COMMENT.sub(b"", start))
    if match is None:
        return ""
    root = match[1].decode()
    inside = (n for (r, part), n in _INSIDE.items() if r == root and part in source.content)
    name = next(inside, _ROOTS.get(root))
    if name is not None:
        return f"XML with <{root}>: {name}"
    try:
        parse(source)
    except DataError as error:
        return f"XML with <{root}>, of which it is said: {error.message}"
    return f"XML with <{root}>"


def _json(source: Source) -> str:
    """Describe JSON by the keys of its first object and the tool that uses them."""
    from gammacp.formats.records import records

    with suppress(DataError):
        first = next(records(source), None)
        if first is not None:
            keys = f"JSON with the keys {', '.join([*first][:_MOST_KEYS]) or '(none)'}"
            name = next((name for wanted, name in _KEYS if wanted <= first.keys()), None)
            if name:
                return f"{keys}: {name}"
            return keys
    return ""


def _text(head: bytes) -> str:
    text = head.decode("utf-8", "replace").lstrip("\ufeff").lstrip()
    return next((name for pattern, name in _LINES if pattern.match(text)), "")


def candidates(place: Path) -> str:
    """Return advice on formats that could be given by name: those with the file's ending.

    Parameters
    ----------
    place
        The path of the file.
    """
    names = [name for name, entry in FORMATS.items() if entry.has_ending(place)]
    if not names:
        return "Name it with `format=` (gammacp formats lists all)"
    return f"If it is one of these, name it with `format=`: {', '.join(names)}"
