"""The view of a CAS that has the text, from XMI and from JSON, with what is indexed in it.

After "UIMA References", chapter "XMI CAS Serialization Reference", and the JSON CAS specification
0.4.0 (Apache UIMA). An annotation is indexed in a view, has a `sofa`, `begin` and `end`; offsets
count UTF-16 units.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gammacp.formats.source import Record, Source, in_utf8
from gammacp.formats.type_system import TypeSystem, beside, from_json, holds_several
from gammacp.formats.xmltree import Element, parse

_XMI = "http://www.omg.org/XMI "
_CAS = "http:///uima/cas.ecore "
_OWN = frozenset({"sofa", "begin", "end"})


@dataclass(frozen=True)
class CasAnnotation:
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
class Cas:
    """The text and annotations of the first view that has a text.

    `arrays`: values of the arrays that features refer to, by id. `elsewhere`: how many annotations
    are not in that view, by reason. `slots`: (role, id) of what a structure refers to, by its own
    id, one for a link of a slot and several for an array of them.
    """

    text: str
    annotations: Sequence[CasAnnotation]
    types: TypeSystem | None
    ids: frozenset[str]
    arrays: Mapping[str, Sequence[str]]
    elsewhere: Mapping[str, int]
    slots: Mapping[str, Sequence[tuple[str, str]]]


def view_of(source: Source) -> Cas:
    """What a file in XMI or JSON holds."""
    is_json = in_utf8(source.content).lstrip().startswith(b"{")
    return _from_json(source) if is_json else _from_xmi(source)


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
    slots = _slots(
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
    )
    return Cas(text, annotations, types, ids, arrays, elsewhere, slots)


def _slots(
    targets: Mapping[str, tuple[str, str]], arrays: Mapping[str, Sequence[str]]
) -> dict[str, list[tuple[str, str]]]:
    """`Cas.slots`, of (role, id of the target) by the structures' ids, and arrays of these."""
    alone = {key: [filled] for key, filled in targets.items()}
    several = {key: [x for i in ids for x in alone.get(i, ())] for key, ids in arrays.items()}
    return {key: found for key, found in several.items() if found} | alone


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
) -> CasAnnotation:
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
    slots = _slots(
        {
            key: (str(s.get("role") or ""), str(s["@target"]))
            for key, s in there.items()
            if "@target" in s and key not in found
        },
        {key: _strings(s.get("%ELEMENTS")) for key, s in there.items() if "%ELEMENTS" in s},
    )
    return Cas(text, annotations, types, frozenset(there), arrays, elsewhere, slots)


def _json_annotation(
    source: Source, key: str, s: Mapping[str, object], arrays: Mapping[str, Sequence[str]]
) -> CasAnnotation:
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
    return CasAnnotation(key, kind, start, end, features, None, what, frozenset(links))


def _strings(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(v) for v in values if isinstance(v, str | int | float)]
