"""The view of a CAS that has the text, from XMI and from JSON, with its indexed annotations.

After "UIMA References", chapter "XMI CAS Serialization Reference", and the JSON CAS specification
0.4.0 (Apache UIMA). An annotation is indexed in a view, has a `sofa`, `begin` and `end`; offsets
count UTF-16 units.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from gammacp.formats.source import Record, Source, in_utf8
from gammacp.formats.xmltree import Element, parse
from gammacp.tools.type_system import TypeSystem, beside, from_json, holds_several

_XMI = "http://www.omg.org/XMI "
_CAS = "http:///uima/cas.ecore "
_ENDS = frozenset({"begin", "end"})
_OWN = _ENDS | {"sofa"}
E = TypeVar("E")


@dataclass(frozen=True)
class CasAnnotation:
    """An indexed annotation, with offsets in UTF-16 units.

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
class Cas:
    """The text and annotations of the first view that has a text.

    `elsewhere` is the number of annotations that are not in that view, by reason. `slots` maps the
    id of a structure to the fillers of a slot, as pairs (role, id): one pair for a link, several
    for an array of links. `places` has start and end of fillers that are not annotations.
    """

    text: str
    annotations: Sequence[CasAnnotation]
    types: TypeSystem | None
    ids: frozenset[str]
    elsewhere: Mapping[str, int]
    slots: Mapping[str, Sequence[tuple[str, str]]]
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def view_of(source: Source) -> Cas:
    """Read a file in XMI or JSON."""
    is_json = in_utf8(source.content).lstrip().startswith(b"{")
    if is_json:
        return _from_json(source)
    return _from_xmi(source)


def _from_xmi(source: Source) -> Cas:
    root = parse(source)
    if root.tag != f"{_XMI}XMI":
        raise root.error(f"root element <{root.tag}> is not xmi:XMI")
    sofa = next((s for s in root.all(f"{_CAS}Sofa") if "sofaString" in s.attributes), None)
    if sofa is None:
        raise source.error("CAS has no text (no Sofa with a sofaString)")
    views: dict[str, set[str]] = {}
    for view in root.all(f"{_CAS}View"):
        listed = view.attributes.get("members", "").split()
        if not all(key.isdecimal() for key in listed):
            raise view.error("members of a view are not numbers")
        views.setdefault(view.attribute("sofa"), set()).update(listed)
    element_by_id = {e.attribute(f"{_XMI}id"): e for e in root.children if e.tag != f"{_CAS}View"}
    elements = {k: e.attributes.get("elements", "").split() for k, e in element_by_id.items()}
    arrays = {
        key: elements[key] or [c.text for c in e.children]
        for key, e in element_by_id.items()
        if e.tag.startswith(_CAS) and e.tag.endswith("Array") and not e.tag.endswith("FSArray")
    }
    types = beside(source)
    text = sofa.attributes["sofaString"], sofa.attribute(f"{_XMI}id")
    return _first_view(
        source,
        *text,
        views,
        types,
        {
            k: e
            for k, e in element_by_id.items()
            if "sofa" in e.attributes and _ENDS & e.attributes.keys()
        },
        lambda e: _xmi_annotation(e, types, arrays),
        {
            k: (e.attributes.get("role"), e.attributes.get("target"))
            for k, e in element_by_id.items()
        },
        elements,
        frozenset(
            k for k, e in element_by_id.items() if e.tag not in (f"{_CAS}NULL", f"{_CAS}Sofa")
        ),
    )


def _first_view(
    source: Source,
    text: str,
    sofa: str,
    views: Mapping[str, set[str]],
    types: TypeSystem | None,
    element_by_id: Mapping[str, E],
    to_annotation: Callable[[E], CasAnnotation],
    links: Mapping[str, tuple[object, object]],
    elements: Mapping[str, Sequence[str]],
    ids: frozenset[str],
) -> Cas:
    """Return the view of a text, with those structures of `element_by_id` that are indexed in it.

    `element_by_id` are all structures with a place. For each structure of the file, `links` has its
    role and target, and `elements` has its elements if it is an array.
    """
    members = views.get(sofa, set())
    if not members:
        raise source.error("CAS has no view with members")
    if members - links.keys():
        raise source.error(f"element {min(members - links.keys())} is indexed, but does not exist")
    indexed = set().union(*views.values())
    others = (
        "in another view" if k in indexed else "not indexed" for k in element_by_id.keys() - members
    )
    alone = {
        key: [(str(role or ""), str(target))]
        for key, (role, target) in links.items()
        if target is not None and key not in element_by_id
    }
    several = {key: [x for i in held for x in alone.get(i, ())] for key, held in elements.items()}
    slots = {key: filled for key, filled in several.items() if filled} | alone
    annotations = [to_annotation(e) for key, e in element_by_id.items() if key in members]
    return Cas(text, annotations, types, ids, Counter(others), slots)


def _xmi_annotation(
    e: Element, types: TypeSystem | None, arrays: Mapping[str, Sequence[str]]
) -> CasAnnotation:
    namespace, _, local = e.tag.rpartition(" ")
    package = namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    if package == "uima.noNamespace":
        kind = local
    else:
        kind = f"{package}.{local}"
    if types:
        ranges = types.features(kind)
    else:
        ranges = {}
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
    return CasAnnotation(key, kind, start, end, features, e.line, f"{local} {key}")


def _from_json(source: Source) -> Cas:
    root = Record.of(source.json(), source)
    structures = root.objects("%FEATURE_STRUCTURES")
    sofas = [s for s in structures if s.get("%TYPE") == "uima.cas.Sofa"]
    sofa = next((s for s in sofas if isinstance(s.get("sofaString"), str)), None)
    if sofa is None:
        raise source.error("CAS has no text (no uima.cas.Sofa with a sofaString)")
    views: dict[str, set[str]] = {}
    for view in root.inner("%VIEWS").values():
        if not isinstance(view, dict) or not isinstance(view.get("%MEMBERS"), list):
            raise source.error("view has no list of %MEMBERS")
        ids = {str(m) for m in view["%MEMBERS"] if isinstance(m, int)}
        views.setdefault(str(view.get("%SOFA")), set()).update(ids)
    structure_by_id = {str(s["%ID"]): s for s in structures if isinstance(s.get("%ID"), int)}
    elements = {key: _strings(s.get("%ELEMENTS")) for key, s in structure_by_id.items()}
    arrays = {
        k: elements[k] for k, s in structure_by_id.items() if holds_several(str(s.get("%TYPE")))
    }
    return _first_view(
        source,
        str(sofa["sofaString"]),
        str(sofa.get("%ID")),
        views,
        from_json(root.get("%TYPES")) or beside(source),
        {key: s for key, s in structure_by_id.items() if _ENDS & s.keys()},
        lambda s: _json_annotation(source, s, arrays),
        {key: (s.get("role"), s.get("@target")) for key, s in structure_by_id.items()},
        elements,
        frozenset(structure_by_id),
    )


def _json_annotation(
    source: Source, s: Mapping[str, object], arrays: Mapping[str, Sequence[str]]
) -> CasAnnotation:
    key = str(s["%ID"])
    kind = s.get("%TYPE")
    start = s.get("begin")
    end = s.get("end")
    what = f"{kind} {key}"
    if not isinstance(kind, str) or type(start) is not int or type(end) is not int:
        raise source.error(f"{what}: %TYPE, begin or end is missing or of the wrong type")
    features: dict[str, Sequence[str]] = {}
    links: set[str] = set()
    for name, value in s.items():
        if name.startswith("%") or name.lstrip("@") in _OWN or value is None:
            continue
        feature = name.lstrip("@#^")
        features[feature] = _strings(value)
        if name.startswith("@"):
            # Replace a reference to an array of values by the values.
            if str(value) in arrays:
                features[feature] = arrays[str(value)]
            else:
                links.add(feature)
    return CasAnnotation(key, kind, start, end, features, None, what, frozenset(links))


def _strings(value: object) -> list[str]:
    if isinstance(value, list):
        values = value
    else:
        values = [value]
    return [str(v) for v in values if isinstance(v, str | int | float)]
