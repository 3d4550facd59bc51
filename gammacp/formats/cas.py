"""UIMA CAS as XMI and as JSON, also from zipped INCEpTION projects.

After "UIMA References", chapter "XMI CAS Serialization Reference", and the JSON CAS specification
0.4.0 (Apache UIMA). An annotation is indexed in a view, has a `sofa`, `begin` and `end`; offsets
count UTF-16 units and are converted to code points. Its type is the layer, its attributes are the
features. Tokens, sentences, dependencies and what tools note about a document are not layers of
units. A feature with several values gives a unit for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gammacp.continuum import Continuum
from gammacp.formats.offsets import from_utf16
from gammacp.formats.records import objects
from gammacp.formats.registry import Format, register
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.xmltree import Element, attribute, parse, whole_number

_XMI = "http://www.omg.org/XMI "
_CAS = "http:///uima/cas.ecore "
_NOT_UNITS = (
    "uima.tcas.DocumentAnnotation",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription",
)
_LINKS = frozenset({"Governor", "Dependent", "source", "target", "@Governor", "@Dependent"})
_OWN = frozenset({"sofa", "begin", "end"})
_STRUCTURE = (
    "uima.cas.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.",
    "org.dkpro.core.api.pdf.",
    "org.dkpro.core.api.xml.",
)
_NUMBERS = re.compile(r"\s*(?:\d{1,15}\s*)*")


@dataclass(frozen=True)
class _Annotation:
    """An indexed annotation: offsets count UTF-16 units."""

    type: str
    start: int
    end: int
    features: Mapping[str, Sequence[str]]
    line: int | None
    what: str


def layers(source: Source) -> Mapping[str, tuple[str, ...]]:
    """The types of annotations that can be units, with their features that have a value."""
    found: dict[str, dict[str, None]] = {}
    for a in _annotations(source)[1]:
        found.setdefault(a.type, {}).update(dict.fromkeys(a.features))
    return {name: tuple(features) for name, features in found.items()}


def read(source: Source, *, layer: str | None = None, feature: str | None = None) -> Continuum:
    """One annotator's units of a layer; a file without the layer has none."""
    text, annotations = _annotations(source)
    convert = from_utf16(text)
    spans = Spans(source, source.document, CHARACTERS, text)
    spans.declare(source.annotator)
    for a in annotations:
        if a.type == layer:
            labels: list[str | None] = [*a.features.get(feature or "", ())]
            for label in labels or [None]:
                start, end = convert(a.start), convert(a.end)
                spans.add(source.annotator, label, start, end, line=a.line, what=a.what)
    return spans.continuum()


def _annotations(source: Source) -> tuple[str, list[_Annotation]]:
    """The text and the annotations of the first view."""
    content = source.content.lstrip(b"\xef\xbb\xbf \t\r\n")
    text, found = _from_json(source) if content.startswith(b"{") else _from_xmi(source)
    kept = [
        a
        for a in found
        if a.type not in _NOT_UNITS
        and not a.type.startswith(_STRUCTURE)
        and not _LINKS & a.features.keys()
    ]
    return text, kept


def _from_xmi(source: Source) -> tuple[str, list[_Annotation]]:
    root = parse(source)
    if root.tag != f"{_XMI}XMI":
        raise source.error(f"root element <{root.tag}> is not xmi:XMI", line=root.line)
    sofas = root.all(f"{_CAS}Sofa")
    if not sofas or "sofaString" not in sofas[0].attributes:
        raise source.error("CAS has no text (no Sofa with a sofaString)")
    sofa = attribute(source, sofas[0], f"{_XMI}id")
    members: set[str] = set()
    for view in root.all(f"{_CAS}View"):
        if attribute(source, view, "sofa") == sofa:
            listed = view.attributes.get("members", "")
            if not _NUMBERS.fullmatch(listed):
                raise source.error("members of a view are not numbers", line=view.line)
            members |= set(listed.split())
    if not members:
        raise source.error("CAS has no view with members")
    there = {attribute(source, e, f"{_XMI}id") for e in root.children if e.tag != f"{_CAS}View"}
    if members - there:
        raise source.error(f"element {min(members - there)} is indexed and not there")
    found = [
        _xmi_annotation(source, e)
        for e in root.children
        if e.attributes.get(f"{_XMI}id") in members
        and "sofa" in e.attributes
        and {"begin", "end"} & e.attributes.keys()
    ]
    return sofas[0].attributes["sofaString"], found


def _xmi_annotation(source: Source, e: Element) -> _Annotation:
    features: dict[str, Sequence[str]] = {
        name: (value,)
        for name, value in e.attributes.items()
        if name not in _OWN and not name.startswith(_XMI)
    }
    for child in e.children:
        features[child.tag] = (*features.get(child.tag, ()), child.text)
    namespace, _, local = e.tag.rpartition(" ")
    package = namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    start, end = (whole_number(source, e, attribute(source, e, side)) for side in ("begin", "end"))
    name = local if package == "uima.noNamespace" else f"{package}.{local}"
    what = f"{local} {e.attributes[f'{_XMI}id']}"
    return _Annotation(name, start, end, features, e.line, what)


def _from_json(source: Source) -> tuple[str, list[_Annotation]]:
    root = source.json()
    if not isinstance(root, dict):
        raise source.error("JSON CAS is not an object")
    structures = objects(source, root, "%FEATURE_STRUCTURES", line=None)
    sofas = [s for s in structures if s.get("%TYPE") == "uima.cas.Sofa"]
    text = sofas[0].get("sofaString") if sofas else None
    if not isinstance(text, str):
        raise source.error("CAS has no text (no uima.cas.Sofa with a sofaString)")
    views = root.get("%VIEWS")
    members: set[object] = set()
    for view in views.values() if isinstance(views, dict) else ():
        if not isinstance(view, dict) or not isinstance(view.get("%MEMBERS"), list):
            raise source.error("view has no list of %MEMBERS")
        if view.get("%SOFA") == sofas[0].get("%ID"):
            members |= {m for m in view["%MEMBERS"] if isinstance(m, int)}
    if not members:
        raise source.error("CAS has no view with members")
    there = {s.get("%ID") for s in structures if isinstance(s.get("%ID"), int)}
    if members - there:
        raise source.error(f"element {next(iter(members - there))} is indexed and not there")
    return text, list(_json_annotations(source, structures, members))


def _json_annotations(
    source: Source, structures: Sequence[Mapping[str, object]], members: set[object]
) -> Iterator[_Annotation]:
    for s in structures:
        key = s.get("%ID")
        if not isinstance(key, int) or key not in members or not {"begin", "end"} & s.keys():
            continue
        kind, start, end = s.get("%TYPE"), s.get("begin"), s.get("end")
        what = f"{kind} {key}"
        if not isinstance(kind, str) or type(start) is not int or type(end) is not int:
            raise source.error(f"{what}: %TYPE, begin or end is missing or of the wrong kind")
        features: dict[str, Sequence[str]] = {}
        for name, value in s.items():
            if name.startswith("%") or name in _OWN or name == "@sofa" or value is None:
                continue
            values = value if isinstance(value, list) else [value]
            features[name] = [str(v) for v in values if isinstance(v, str | int | float)]
        yield _Annotation(kind, start, end, features, None, what)


def _sniff(head: bytes, path: Path) -> bool:
    if path.suffix.lower() in (".xmi", ".xml"):
        return b"http://www.omg.org/XMI" in head and b"xmi:XMI" in head
    return path.suffix.lower() == ".json" and (
        b'"%TYPES"' in head or b'"%FEATURE_STRUCTURES"' in head
    )


FORMAT = register(
    Format(
        name="cas",
        title="UIMA CAS XMI and JSON (INCEpTION)",
        extensions=(".xmi", ".json", ".xml"),
        sniff=_sniff,
        read=read,
        layers=layers,
        offset_unit="characters (UTF-16 is converted to code points)",
        annotators="the file's name, the folder is the document, as in INCEpTION's exports (also "
        "zipped projects)",
        category="a feature (`--feature`) of an annotation type (`--layer`; its last part is "
        "enough); without a value unlabelled",
        policy="tokens, sentences, dependencies and what tools note about a document are not "
        "units; a feature with several values gives a unit for each; overlapping, repeated and "
        "zero-length ones are kept",
        layout="{document}/{annotator}",
    )
)
