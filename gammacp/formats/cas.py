"""UIMA CAS as XMI and as JSON, also from zipped INCEpTION projects.

After "UIMA References", chapter "XMI CAS Serialization Reference", and the JSON CAS specification
0.4.0 (Apache UIMA). An annotation is indexed in a view, has a `sofa`, `begin` and `end`; offsets
count UTF-16 units and are converted to code points. Its type, or the topmost supertype below
annotations in general, is the layer, its attributes are the features. A feature with several values
gives a unit for each.

What a type is, is decided by the type system (TypeSystem.xml beside the file or in its archive, or
embedded in JSON), for all its annotations at once: a relation has structures for both its ends; a
feature that holds structures (a slot, the next link of a chain) is no category; structures with a
`target` make a slot, with their `role`. Without a type
system a layer is of relations if both ends are ids of indexed annotations throughout, and every
type is a layer of its own. Relations are not units; tokens, sentences and what tools note about a
document are when their layer is named.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.continuum import Continuum
from gammacp.formats.inception_writing import LAYOUT, write_xmi
from gammacp.formats.layers import TARGET, USUAL_FEATURES, Layer, Layers, slot, union
from gammacp.formats.offsets import from_utf16
from gammacp.formats.records import objects
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.type_system import ENDS, TypeSystem, beside, from_json, holds_several
from gammacp.formats.xmltree import Element, parse

_XMI = "http://www.omg.org/XMI "
_CAS = "http:///uima/cas.ecore "
_NOT_UNITS = (
    "uima.tcas.DocumentAnnotation",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription",
)
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
    """An indexed annotation: offsets count UTF-16 units.

    `links` are the features that the file itself marks as references (JSON's "@").
    """

    id: str
    type: str
    start: int
    end: int
    features: Mapping[str, Sequence[str]]
    line: int | None
    what: str
    links: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Cas:
    """The text and annotations of the first view that has a text.

    `arrays`: values of the arrays that features refer to, by id. `elsewhere`: how many annotations
    are not in that view, by reason. `links`: (role, start, end) of what a structure refers to, by
    its id, one for a link of a slot and several for an array of them.
    """

    text: str
    annotations: Sequence[_Annotation]
    types: TypeSystem | None
    ids: frozenset[str]
    arrays: Mapping[str, Sequence[str]]
    elsewhere: Mapping[str, int]
    links: Mapping[str, Sequence[tuple[str, int, int]]]


@dataclass(frozen=True)
class _Kind:
    """What the annotations of one type are; decided for all of them at once.

    `layers`: the type and the supertypes that are layers, the last one offered. `role`: "unit",
    "relation" or "structure". `values` and `links`: features that can be a category, and those
    that refer to other structures.
    """

    layers: tuple[str, ...]
    role: str
    values: tuple[str, ...]
    links: tuple[str, ...]


def layers(source: Source) -> Layers:
    """The types of annotations that can be units, with their features that have a value.

    A subtype belongs to the layer of its topmost supertype and can be named for itself; tokens,
    sentences and what tools note about a document are read when they are named.
    """
    found: list[Layers] = []
    for kind in _kinds(_cas(source)).values():
        if kind.role == "relation":
            continue
        offered = {kind.layers[-1]} if kind.role == "unit" else set()
        found.append({name: Layer(kind.values, name in offered) for name in kind.layers})
    return union(found)


def read(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    features: Sequence[str] = (),
) -> Continuum:
    """One annotator's units of a layer; a file without the layer has none.

    Parameters
    ----------
    layer
        The type whose annotations, subtypes included, are the units.
    feature
        Whose value is the category; None: unlabelled.
    features
        Those beside the category; several values of one are a set, joined with "+". A slot called
        links is `links`, its roles, and `links.target`, its roles with the positions of what fills
        them.

    Raises
    ------
    DataError
        The file is no CAS with a text, or an annotation lies outside it.

    Notes
    -----
    Positions
        characters (UTF-16 is converted to code points)
    Annotators
        the file's name, the folder is the document, as in INCEpTION's exports (also zipped
        projects)
    Category
        a feature (`--feature`) of an annotation type (`--layer`; its last part is enough);
        without a value unlabelled; further ones with `--feature NAME:TYPE`, slots by their names
        (roles) and NAME.target (roles and who fills them), as sets joined with "+"
    Spans
        relations are not units; tokens, sentences and what tools note about a document are when
        `--layer` names them; subtypes belong to their supertype's layer where there is a type
        system; a feature with several values gives a unit for each; overlapping, repeated and
        zero-length ones are kept; an annotation has one begin and end, so none has fragments
    """
    cas = _cas(source)
    convert = from_utf16(cas.text)
    spans = Spans(source, source.document, CHARACTERS, cas.text)
    spans.declare(source.annotator)
    kinds = _kinds(cas)
    for a in cas.annotations:
        kind = kinds[a.type]
        if kind.role == "relation" or layer not in kind.layers:
            spans.leave_out(*_why_not(kind))
            continue
        for name in a.features:
            if name in kind.links and {name, name + TARGET}.isdisjoint(features):
                spans.leave_out("value", f"feature {name} refers to other structures")
            elif name not in kind.links and name != feature and name not in features:
                spans.leave_out("value", f"feature {name} is not the category")
        chosen = a.features.get(feature or "", ()) if feature in kind.values else ()
        known = {f: "+".join(a.features.get(f, ())) for f in features if f in kind.values}
        for name in {f.removesuffix(TARGET) for f in features} & {*kind.links} & {*a.features}:
            links = [x for v in a.features[name] for i in v.split() for x in cas.links.get(i, ())]
            slots = slot(name, [(role, convert(s), convert(e)) for role, s, e in links])
            known |= {f: value for f, value in slots.items() if f in features}
        about: Any = {"line": a.line, "what": a.what, "features": known}
        labels: list[str | None] = [*chosen]
        for label in labels or [None]:
            spans.add(source.annotator, label, convert(a.start), convert(a.end), **about)
    for reason, count in cas.elsewhere.items():
        spans.leave_out("annotation", reason, count)
    return spans.continuum()


def _why_not(kind: _Kind) -> tuple[str, str]:
    name = kind.layers[-1].rsplit(".", 1)[-1]
    if kind.role == "relation":
        return "relation", f"layer {name} links annotations"
    if kind.role == "structure":
        return "annotation", f"layer {name} is structure, or about the document"
    return "annotation", f"layer {name} was not chosen"


def _kinds(cas: _Cas) -> dict[str, _Kind]:
    groups: dict[str, list[_Annotation]] = {}
    for a in cas.annotations:
        groups.setdefault(a.type, []).append(a)
    return {name: _kind(cas, name, group) for name, group in groups.items()}


def _kind(cas: _Cas, name: str, group: Sequence[_Annotation]) -> _Kind:
    types = cas.types if cas.types is not None and name in cas.types else None
    above = types.layers(name) if types else (name,)
    links = _declared_links(types, name, group) if types else _apparent_links(cas, group)
    relation = types.is_relation(name) if types else _links_annotations(cas, group, links)
    structure = any(x in _NOT_UNITS or x.startswith(_STRUCTURE) for x in above)
    role = "structure" if structure else "relation" if relation else "unit"
    features = dict.fromkeys(f for a in group for f in a.features)
    values = tuple(f for f in features if f not in links)
    return _Kind(above, role, values, tuple(f for f in features if f in links))


def _declared_links(types: TypeSystem, name: str, group: Sequence[_Annotation]) -> set[str]:
    """The features that hold structures by the type system, or by the file where it says so."""
    links = {f for f, kind in types.features(name).items() if not types.holds_values(kind)}
    return links.union(*(a.links for a in group))


def _apparent_links(cas: _Cas, group: Sequence[_Annotation]) -> set[str]:
    """Without a type system: features whose values are ids of the file throughout, none twice.

    Ends of relations may be the same, and a feature with a usual name of a label is one.
    """
    links: set[str] = set().union(*(a.links for a in group))
    ends = {end for pair in ENDS for end in pair}
    for feature in {f for a in group for f in a.features} - links - set(USUAL_FEATURES):
        found = [i for a in group for v in a.features.get(feature, ()) for i in v.split()]
        distinct = len(set(found)) == len(found)
        if found and cas.ids.issuperset(found) and (feature in ends or distinct):
            links.add(feature)
    return links


def _links_annotations(cas: _Cas, group: Sequence[_Annotation], links: set[str]) -> bool:
    """Without a type system: whether both ends are ids of indexed annotations throughout."""
    indexed = {a.id for a in cas.annotations}
    return any(
        links.issuperset(ends)
        and all(
            bool(a.features.get(end)) and indexed.issuperset(a.features[end])
            for a in group
            for end in ends
        )
        for ends in ENDS
    )


def _cas(source: Source) -> _Cas:
    content = source.content.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _from_json(source) if content.startswith(b"{") else _from_xmi(source)


def _from_xmi(source: Source) -> _Cas:
    root = parse(source)
    if root.tag != f"{_XMI}XMI":
        raise root.error(f"root element <{root.tag}> is not xmi:XMI")
    sofa = next((s for s in root.all(f"{_CAS}Sofa") if "sofaString" in s.attributes), None)
    if sofa is None:
        raise source.error("CAS has no text (no Sofa with a sofaString)")
    views: dict[str, set[str]] = {}
    for view in root.all(f"{_CAS}View"):
        listed = view.attributes.get("members", "")
        if not _NUMBERS.fullmatch(listed):
            raise view.error("members of a view are not numbers")
        views.setdefault(view.attribute("sofa"), set()).update(listed.split())
    there = {e.attribute(f"{_XMI}id"): e for e in root.children if e.tag != f"{_CAS}View"}
    members = _members(source, views, sofa.attribute(f"{_XMI}id"), there)
    arrays = {
        key: e.attributes.get("elements", "").split() or [c.text for c in e.children]
        for key, e in there.items()
        if e.tag.startswith(_CAS) and e.tag.endswith("Array") and not e.tag.endswith("FSArray")
    }
    found = {
        key: e
        for key, e in there.items()
        if "sofa" in e.attributes and {"begin", "end"} & e.attributes.keys()
    }
    types = beside(source)
    annotations = [_xmi_annotation(e, types, arrays) for k, e in found.items() if k in members]
    text = sofa.attributes["sofaString"]
    elsewhere = _elsewhere(found.keys() - members, views)
    ids = frozenset(k for k, e in there.items() if e.tag not in (f"{_CAS}NULL", f"{_CAS}Sofa"))
    links = _links(
        {
            key: (e.attributes.get("role", ""), e.attributes["target"])
            for key, e in there.items()
            if "target" in e.attributes and key not in found
        },
        {
            k: e.attributes["elements"].split()
            for k, e in there.items()
            if "elements" in e.attributes
        },
        annotations,
    )
    return _Cas(text, annotations, types, ids, arrays, elsewhere, links)


def _links(
    targets: Mapping[str, tuple[str, str]],
    arrays: Mapping[str, Sequence[str]],
    annotations: Sequence[_Annotation],
) -> dict[str, list[tuple[str, int, int]]]:
    """`_Cas.links`, of (role, id of the target) by the structures' ids, and arrays of these."""
    at = {a.id: (a.start, a.end) for a in annotations}
    alone = {key: [(role, *at[to])] for key, (role, to) in targets.items() if to in at}
    several = {key: [x for i in ids for x in alone.get(i, ())] for key, ids in arrays.items()}
    return several | alone


def _members(
    source: Source, views: Mapping[str, set[str]], sofa: str, there: Collection[str]
) -> set[str]:
    """The ids that are indexed in the view of a text."""
    members = views.get(sofa, set())
    if not members:
        raise source.error("CAS has no view with members")
    if members - set(there):
        raise source.error(f"element {min(members - set(there))} is indexed and not there")
    return members


def _elsewhere(others: Collection[str], views: Mapping[str, set[str]]) -> dict[str, int]:
    indexed = set().union(*views.values())
    counts = Counter("in another view" if x in indexed else "not indexed" for x in others)
    return dict(counts)


def _xmi_annotation(
    e: Element, types: TypeSystem | None, arrays: Mapping[str, Sequence[str]]
) -> _Annotation:
    namespace, _, local = e.tag.rpartition(" ")
    package = namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    kind = local if package == "uima.noNamespace" else f"{package}.{local}"
    ranges = types.features(kind) if types else {}
    features: dict[str, Sequence[str]] = {}
    for name, value in e.attributes.items():
        if name in _OWN or name.startswith(_XMI):
            continue
        several = holds_several(ranges.get(name, ""))
        features[name] = (arrays.get(value) or value.split()) if several else (value,)
    for child in e.children:
        features[child.tag] = (*features.get(child.tag, ()), child.text)
    start, end = (e.whole_number(side) for side in ("begin", "end"))
    key = e.attributes[f"{_XMI}id"]
    return _Annotation(key, kind, start, end, features, e.line, f"{local} {key}")


def _from_json(source: Source) -> _Cas:
    root = source.json()
    if not isinstance(root, dict):
        raise source.error("JSON CAS is not an object")
    structures = objects(source, root, "%FEATURE_STRUCTURES", line=None)
    sofas = [s for s in structures if s.get("%TYPE") == "uima.cas.Sofa"]
    sofa = next((s for s in sofas if isinstance(s.get("sofaString"), str)), None)
    if sofa is None:
        raise source.error("CAS has no text (no uima.cas.Sofa with a sofaString)")
    listed = root.get("%VIEWS")
    views: dict[str, set[str]] = {}
    for view in listed.values() if isinstance(listed, dict) else ():
        if not isinstance(view, dict) or not isinstance(view.get("%MEMBERS"), list):
            raise source.error("view has no list of %MEMBERS")
        ids = {str(m) for m in view["%MEMBERS"] if isinstance(m, int)}
        views.setdefault(str(view.get("%SOFA")), set()).update(ids)
    there = {str(s["%ID"]): s for s in structures if isinstance(s.get("%ID"), int)}
    members = _members(source, views, str(sofa.get("%ID")), there)
    arrays = {
        key: _strings(s.get("%ELEMENTS"))
        for key, s in there.items()
        if holds_several(str(s.get("%TYPE")))
    }
    found = {key: s for key, s in there.items() if {"begin", "end"} & s.keys()}
    annotations = [
        _json_annotation(source, key, s, arrays) for key, s in found.items() if key in members
    ]
    elsewhere = _elsewhere(found.keys() - members, views)
    types = from_json(root.get("%TYPES")) or beside(source)
    text = str(sofa["sofaString"])
    links = _links(
        {
            key: (str(s.get("role") or ""), str(s["@target"]))
            for key, s in there.items()
            if "@target" in s and key not in found
        },
        {key: _strings(s.get("%ELEMENTS")) for key, s in there.items() if "%ELEMENTS" in s},
        annotations,
    )
    return _Cas(text, annotations, types, frozenset(there), arrays, elsewhere, links)


def _json_annotation(
    source: Source, key: str, s: Mapping[str, object], arrays: Mapping[str, Sequence[str]]
) -> _Annotation:
    kind, start, end = s.get("%TYPE"), s.get("begin"), s.get("end")
    what = f"{kind} {key}"
    if not isinstance(kind, str) or type(start) is not int or type(end) is not int:
        raise source.error(f"{what}: %TYPE, begin or end is missing or of the wrong kind")
    features: dict[str, Sequence[str]] = {}
    links: set[str] = set()
    for name, value in s.items():
        if name.startswith("%") or name.lstrip("@") in _OWN or value is None:
            continue
        feature = name.lstrip("@#^")
        features[feature] = _strings(value)
        if name.startswith("@"):
            # A reference to an array of values stands for the values.
            if str(value) in arrays:
                features[feature] = arrays[str(value)]
            else:
                links.add(feature)
    return _Annotation(key, kind, start, end, features, None, what, frozenset(links))


def _strings(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(v) for v in values if isinstance(v, str | int | float)]


def _sniff(head: bytes, path: Path) -> bool:
    if path.suffix.lower() in (".xmi", ".xml"):
        return b"http://www.omg.org/XMI" in head and b"xmi:XMI" in head
    return path.suffix.lower() == ".json" and (
        b'"%TYPES"' in head or b'"%FEATURE_STRUCTURES"' in head
    )


registered(
    "cas",
    "UIMA CAS XMI and JSON (INCEpTION)",
    (".xmi", ".json", ".xml"),
    _sniff,
    read,
    layers=layers,
    layout=LAYOUT,
    write=write_xmi,
    many=True,
    per_annotator=True,
    text=True,
)
