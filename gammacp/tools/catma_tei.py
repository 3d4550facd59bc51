"""CATMA's corpus export: annotation collections in TEI beside the text.

After CATMA's source (forTEXT/catma: CorpusExporter, TeiUserMarkupCollectionSerializer) and the
reader of forTEXT/catma-py. `NAME/NAME.txt` is a text, `NAME/annotationcollections/*.xml` are its
collections. An `fs` is an annotation, its `type` a tag (`fsDecl`); each `seg` is a stretch of the
text with the annotations (`ana`) that cover it.
"""

import re
from collections import defaultdict
from pathlib import Path, PurePosixPath

from gammacp.base.files import check_inside, content_of
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import join
from gammacp.formats.offsets import from_utf16, same
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.xmltree import Element, parse

_TEI = "http://www.tei-c.org/ns/1.0 "
_ID = "http://www.w3.org/XML/1998/namespace id"
_PLACE = re.compile(r".*#char=(\d{1,15}),(\d{1,15})", re.ASCII | re.DOTALL)
_AUTHOR = "catma_markupauthor"
_SYSTEM = {_AUTHOR, "catma_markuptimestamp", "catma_displaycolor"}


def read(source: Source, *, discontinuous: str = "keep") -> Continuum:
    """Return the annotations of a collection.

    Parameters
    ----------
    discontinuous
        What an annotation of several parts becomes: "cover", one unit over all of them, or "split",
        one unit per part; by default one unit of several fragments.

    Raises
    ------
    DataError
        An annotation lacks a tag or a place, or lies outside the text.

    Notes
    -----
    Positions
        characters (UTF-16 is converted to code points)
    Annotators
        the author of each annotation; for a collection without annotations, the file's name
    Category
        name of the tag
    Spans
        every annotation is a unit, a discontinuous one a unit of several fragments
        (`--option discontinuous=cover`: one unit over all of them; `split`: one unit per part);
        properties are left out
    """
    root = parse(source)
    if root.find(f"{_TEI}text") is None:
        raise source.error("XML is not TEI: there is no <text>", hint="Export it again")
    header = _inside(root, "teiHeader", "encodingDesc")
    body = _inside(root, "text")
    declared = (e for tagset in header.all(f"{_TEI}fsdDecl") for e in tagset.all(f"{_TEI}fsDecl"))
    tags = {e.attributes.get(_ID): _inside(e, "fsDescr").text.strip() for e in declared}
    name, text = _text(source)
    convert = same if text is None else from_utf16(text)
    parts: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for seg in _inside(body, "body", "ab").all(f"{_TEI}seg"):
        pointer = seg.find(f"{_TEI}ptr")
        place = _PLACE.fullmatch(pointer.attributes.get("target", "") if pointer else "")
        start, end = (convert(int(p)) for p in place.groups()) if place else (None, None)
        if start is None or end is None:
            raise seg.error("<seg> does not point to a place in the text")
        for key in seg.attribute("ana").split():
            parts[key.removeprefix("#")].append((start, end))
    spans = Spans(source, name, CHARACTERS, text)
    for e in body.all(f"{_TEI}fs"):
        what = f"annotation {e.attributes.get(_ID)}"
        tag = tags.get(e.attribute("type"))
        places = parts.pop(e.attributes.get(_ID, ""), [])
        if not tag or not places:
            raise e.error(f"{what} has no tag or no place")
        value_by_name = {
            f.attributes.get("name"): _inside(f, "string").text.strip() for f in e.children
        }
        spans.leave_out(
            "value", "of a property, is not the category", len(value_by_name.keys() - _SYSTEM)
        )
        who = value_by_name.get(_AUTHOR) or source.annotator
        if len(places) > 1:  # cut where other annotations begin or end
            with source.place_errors(e.line, what):
                places = list(join(places))
        spans.add_parts(who, tag, places, discontinuous, line=e.line, what=what)
    if parts:
        raise source.error(f"annotation {min(parts)} has no tag", hint="Export it again")
    if not spans.annotators:
        spans.declare(source.annotator)
    return spans.continuum()


def _inside(element: Element, *path: str) -> Element:
    return element.at(*(_TEI + name for name in path))


def _text(source: Source) -> tuple[str, str | None]:
    """Return the name and text of the document, the only .txt file in the folder above."""
    here = PurePosixPath(source.member or source.path.absolute())
    above = here.parent.parent
    if here.parent.name != "annotationcollections":
        return source.document, None
    if source.member:
        members = ((PurePosixPath(name), data) for name, data in source.neighbours.items())
        text_by_stem = {p.stem: d for p, d in members if (p.parent, p.suffix) == (above, ".txt")}
    else:
        check_inside(above)
        text_by_stem = {p.stem: content_of(p) for p in Path(above).glob("*.txt")}
    if len(text_by_stem) != 1:
        return source.document, None
    ((name, content),) = text_by_stem.items()
    return name, Source(Path(f"{name}.txt"), "", "", content).text()


registered(
    "catma-tei",
    "CATMA corpus export (TEI)",
    (".xml",),
    sniff_ending_and_keys(".xml", b"<TEI", b"CATMA_TECH_DESC"),
    read,
    layout="{document}/annotationcollections/{annotator}",
)
