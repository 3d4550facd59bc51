"""W3C Web Annotations, as JSON-LD or one annotation per line.

After "Web Annotation Data Model", W3C Recommendation 23 February 2017: §3.1 annotations, §3.2.4
textual bodies, §3.3.1 agents (`creator`), §4.2.4 TextQuoteSelector, §4.2.5 TextPositionSelector
(which counts code points), §4.2.1 FragmentSelector with the times of "Media Fragments URI 1.0"
(t=1.5,3), §5 collections.

The document is the target's source, the annotator the creator. The category is the body with the
purpose tagging, classifying or identifying, else the only textual body. An annotation with several
tags becomes one unit per tag; one with several targets becomes a discontinuous unit.
"""

import re
from collections.abc import Iterator

from gammacp.continuum import Corpus
from gammacp.formats.records import records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source, name
from gammacp.formats.spans import CHARACTERS, SECONDS, Documents

_TAGS = ("tagging", "classifying", "identifying")
_TIME = re.compile(r"(?:^|[#&])t=(?:npt:)?([^,&#]*+),([^,&#]++)")
Place = tuple[str, str, object, object]
"""Source, offset unit, start, end."""


def read(source: Source, *, discontinuous: str = "keep") -> Corpus:
    """Return one document per target source.

    Parameters
    ----------
    discontinuous
        "keep": an annotation with several targets is a unit of several fragments; "cover": a unit
        from its first start to its last end; "split": a unit for each.

    Raises
    ------
    DataError
        An annotation has no target with positions, or targets in several documents.

    Notes
    -----
    Positions
        characters (code points), seconds for media fragments
    Annotators
        `creator` (name, e-mail or id), else the file's name
    Category
        body with the purpose tagging, classifying or identifying, else the only body; an annotation
        with several tags gives one unit per tag
    Spans
        every annotation is a unit, one with several targets a unit of several fragments
        (`--option discontinuous=cover`: one unit from the first start to the last end; `split`: one
        unit per target); zero-length ones are kept
    """
    documents = Documents(source, CHARACTERS)
    for number, annotation in enumerate(_annotations(source), 1):
        what = f"annotation {annotation.name('id') or number}"
        line = annotation.line
        annotator = _creator(annotation.get("creator")) or source.annotator
        places = [_place(annotation, t, what) for t in _list(annotation.get("target"))]
        if not places:
            raise annotation.error(f"{what} has no target")
        if len({p[:2] for p in places}) > 1:
            raise annotation.error(f"{what} has targets in several documents")
        document, unit = places[0][:2]
        spans = documents.of(document, offset_unit=unit, line=line)
        parts = [(start, end) for _, _, start, end in places]
        bodies = _bodies(annotation)
        tags: list[str | None] = [*_tags(bodies)]
        spans.leave_out("body", "is not a tag", len(bodies) - len(tags))
        for tag in tags or [None]:
            spans.add_parts(annotator, tag, parts, discontinuous, line=line, what=what)
    return documents.corpus()


def _annotations(source: Source) -> Iterator[Record]:
    """Yield the annotations of a file, those of collections and pages included."""
    waiting = list(records(source))[::-1]
    while waiting:
        record = waiting.pop()
        inside = record.get("items", record.get("first", record.get("@graph")))
        if "target" in record or inside is None:
            yield record
        elif all(isinstance(e, dict) for e in _list(inside)):
            waiting += [Record.of(e, source, record.line) for e in reversed(_list(inside))]
        else:
            raise record.error("collection holds links to annotations instead of the annotations")


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if value is None:
        return []
    return [value]


def _creator(value: object) -> str | None:
    for entry in _list(value):
        if isinstance(entry, dict):
            names = (name(entry.get(k)) for k in ("name", "nickname", "email", "id"))
            return next(filter(None, names), None)
        return name(entry)
    return None


def _bodies(annotation: Record) -> list[tuple[str | None, str | None]]:
    """Return purpose and value of each body."""
    bodies: list[tuple[str | None, str | None]] = []
    for body in _list(annotation.get("bodyValue", annotation.get("body"))):
        if isinstance(body, dict):
            value = body.get("value", body.get("source", body.get("id")))
            bodies.append((name(body.get("purpose")), name(value)))
        else:
            bodies.append((None, name(body)))
    return bodies


def _tags(bodies: list[tuple[str | None, str | None]]) -> list[str]:
    tags = [value for purpose, value in bodies if purpose in _TAGS and value]
    if tags:
        return tags
    if len(bodies) == 1:
        return [value for _, value in bodies if value]
    return []


def _place(annotation: Record, target: object, what: str) -> Place:
    if isinstance(target, str):
        document, _, fragment = target.partition("#")
        return document, SECONDS, *_times(annotation, f"#{fragment}", what)
    about = Record.of(target, annotation.source, annotation.line)
    where = about.inner("source").name("id") or about.name("source") or ""
    for selector in _list(about.get("selector")) if where else ():
        selected = Record.of(selector, annotation.source, annotation.line)
        kind = selected.get("type")
        if kind == "TextPositionSelector":
            return where, CHARACTERS, selected.get("start"), selected.get("end")
        if kind == "FragmentSelector":
            return where, SECONDS, *_times(annotation, str(selected.get("value")), what)
    raise annotation.error(
        f"{what} has neither a TextPositionSelector nor a time fragment",
        hint="Export positions too: a quote may occur more than once",
    )


def _times(annotation: Record, fragment: str, what: str) -> tuple[float, float]:
    match = _TIME.search(fragment)
    if match is None:
        raise annotation.error(f"{what}: {fragment!r} is not a time fragment t=START,END")
    source = annotation.source
    line = annotation.line
    start, end = (source.position(x or "0", f"{what}:", line=line) for x in match.groups())
    return start, end


registered(
    "web-annotation",
    "W3C Web Annotation",
    (".jsonld", ".json", ".jsonl"),
    sniff_ending_and_keys(
        ".json .jsonld .jsonl", (b"www.w3.org/ns/anno", b'"TextPositionSelector"')
    ),
    read,
    layout="{annotator}",
    several_continua=True,
)
