"""UIMA CAS as XMI and as JSON, also from zipped INCEpTION projects.

The type of an annotation, or the topmost supertype below annotations in general, is the layer, its
attributes are the features. A feature with several values gives a unit for each. Offsets are
converted to code points.

What a type is, is decided by the type system (TypeSystem.xml beside the file or in its archive, or
embedded in JSON), for all its annotations at once: a relation has structures for both its ends; a
feature that holds structures (a slot, the next link of a chain) is no category; structures with a
`target` make a slot, with their `role`. Without a type
system a layer is of relations if both ends are ids of indexed annotations throughout, and every
type is a layer of its own. Relations are not units; tokens, sentences and what tools note about a
document are when their layer is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.continuum import Continuum
from gammacp.continuum.links import DIRECTED
from gammacp.formats.cas_views import Cas, CasAnnotation, view_of
from gammacp.formats.inception_writing import LAYOUT, write_xmi
from gammacp.formats.layers import TARGET, USUAL_FEATURES, Layer, Layers, slot, union
from gammacp.formats.offsets import from_utf16
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.type_system import ENDS, TypeSystem

# What a link of a chain calls the one after it.
_NEXT = "next"
_NOT_UNITS = (
    "uima.tcas.DocumentAnnotation",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription",
)
_STRUCTURE = (
    "uima.cas.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.",
    "org.dkpro.core.api.pdf.",
    "org.dkpro.core.api.xml.",
)


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
    for kind in _kinds(view_of(source)).values():
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
        without a value unlabelled; further ones with `[features.NAME]`, slots by their names
        (roles) and NAME.target (roles and who fills them), as sets joined with "+"
    Spans
        relations between units of the layer are links, and what a unit calls `next` (of a chain)
        is of its chain; tokens, sentences and what tools note about a document are when
        `--layer` names them; subtypes belong to their supertype's layer where there is a type
        system; a feature with several values gives a unit for each; overlapping, repeated and
        zero-length ones are kept; an annotation has one begin and end, so none has fragments
    """
    cas = view_of(source)
    convert = from_utf16(cas.text)
    spans = Spans(source, source.document, CHARACTERS, cas.text)
    spans.declare(source.annotator)
    kinds = _kinds(cas)
    links_made = _link(spans, cas, kinds, layer)
    for a in cas.annotations:
        kind = kinds[a.type]
        if a.id in links_made:
            continue
        if kind.role == "relation" or layer not in kind.layers:
            spans.leave_out(*_why_not(kind))
            continue
        _leave_out(spans, a, kind, (feature or "", *features))
        chosen = a.features.get(feature or "", ()) if feature in kind.values else ()
        known = {f: "+".join(a.features.get(f, ())) for f in features if f in kind.values}
        for name in {f.removesuffix(TARGET) for f in features} & {*kind.links} & {*a.features}:
            links = [x for v in a.features[name] for i in v.split() for x in cas.links.get(i, ())]
            slots = slot(name, [(role, convert(s), convert(e)) for role, s, e in links])
            known |= {f: value for f, value in slots.items() if f in features}
        about: Any = {"line": a.line, "what": a.what, "features": known}
        labels: list[str | None] = [*chosen]
        for i, label in enumerate(labels or [None]):
            about["key"] = "" if i else a.id
            spans.add(source.annotator, label, convert(a.start), convert(a.end), **about)
    for reason, count in cas.elsewhere.items():
        spans.leave_out("annotation", reason, count)
    return spans.continuum()


def _leave_out(spans: Spans, a: CasAnnotation, kind: _Kind, asked: Sequence[str]) -> None:
    """Count the features that are neither asked for nor make a chain."""
    for name in a.features:
        if name not in kind.links and name not in asked:
            spans.leave_out("value", f"feature {name} is not the category")
        elif name in kind.links and name != _NEXT and {name, name + TARGET}.isdisjoint(asked[1:]):
            spans.leave_out("value", f"feature {name} refers to other structures")


def _link(spans: Spans, cas: Cas, kinds: Mapping[str, _Kind], layer: str | None) -> set[str]:
    """Add links between annotations of the layer; the ids of the relations that they are."""
    who, made = spans.source.annotator, set()
    units = {a.id for a in cas.annotations if layer in kinds[a.type].layers}
    for a in cas.annotations:
        kind = kinds[a.type]
        if kind.role == "relation" and (ends := _ends(a)) and units.issuperset(ends):
            spans.link(who, _label(a, kind), *ends, DIRECTED)
            made.add(a.id)
        elif a.id in units and _NEXT in kind.links:
            spans.chain(who, kind.layers[-1], [a.id, *a.features.get(_NEXT, ())])
    return made


def _ends(a: CasAnnotation) -> tuple[str, str] | None:
    """The ids of what a relation joins."""
    found = (tuple(" ".join(a.features.get(end, ())) for end in ends) for ends in ENDS)
    return next(((s, t) for s, t in found if s and t), None)


def _label(a: CasAnnotation, kind: _Kind) -> str:
    """The type of a relation: what a feature with a usual name of a label says, or the only one."""
    usual = [f for f in kind.values if f in (*USUAL_FEATURES, "DependencyType")] or kind.values
    return "+".join(a.features.get(usual[0], ())) if usual else ""


def _why_not(kind: _Kind) -> tuple[str, str]:
    name = kind.layers[-1].rsplit(".", 1)[-1]
    if kind.role == "relation":
        return "relation", f"layer {name} links annotations"
    if kind.role == "structure":
        return "annotation", f"layer {name} is structure, or about the document"
    return "annotation", f"layer {name} was not chosen"


def _kinds(cas: Cas) -> dict[str, _Kind]:
    groups: dict[str, list[CasAnnotation]] = {}
    for a in cas.annotations:
        groups.setdefault(a.type, []).append(a)
    return {name: _kind(cas, name, group) for name, group in groups.items()}


def _kind(cas: Cas, name: str, group: Sequence[CasAnnotation]) -> _Kind:
    types = cas.types if cas.types is not None and name in cas.types else None
    above = types.layers(name) if types else (name,)
    links = _declared_links(types, name, group) if types else _apparent_links(cas, group)
    relation = types.is_relation(name) if types else _links_annotations(cas, group, links)
    structure = any(x in _NOT_UNITS or x.startswith(_STRUCTURE) for x in above)
    role = "structure" if structure else "relation" if relation else "unit"
    features = dict.fromkeys(f for a in group for f in a.features)
    values = tuple(f for f in features if f not in links)
    return _Kind(above, role, values, tuple(f for f in features if f in links))


def _declared_links(types: TypeSystem, name: str, group: Sequence[CasAnnotation]) -> set[str]:
    """The features that hold structures by the type system, or by the file where it says so."""
    links = {f for f, kind in types.features(name).items() if not types.holds_values(kind)}
    return links.union(*(a.links for a in group))


def _apparent_links(cas: Cas, group: Sequence[CasAnnotation]) -> set[str]:
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


def _links_annotations(cas: Cas, group: Sequence[CasAnnotation], links: set[str]) -> bool:
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
