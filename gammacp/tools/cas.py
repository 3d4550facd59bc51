"""UIMA CAS as XMI and as JSON, also from zipped INCEpTION projects.

The type of an annotation, or the topmost supertype below annotations in general, is the layer, its
attributes are the features. A feature with several values gives a unit for each. Offsets are
converted to code points.

The type system (TypeSystem.xml beside the file or in its archive, or embedded in JSON) decides the
role of a type, for all its annotations at once. The two ends of a relation refer to structures. A
feature that refers to structures (a slot, the next link of a chain) cannot be the category.
Structures with a `target` are the links of a slot, with their `role`. Without a type system, every
type is a layer of its own; it is a layer of relations if both ends of all its annotations are ids
of indexed annotations. Relations are not units. Tokens, sentences and notes of tools on a document
are units only if their layer is named.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.base.arguments import one_of
from gammacp.continuum import Continuum
from gammacp.continuum.links import CHAIN, DIRECTED
from gammacp.formats.layers import FILLED, FILLERS, USUAL_FEATURES, Layer, Layers, slot, union
from gammacp.formats.offsets import from_utf16
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, NO_UNIT, Spans
from gammacp.tools.cas_views import Cas, CasAnnotation, view_of
from gammacp.tools.inception_project import origin
from gammacp.tools.inception_writing import LAYOUT, write_xmi
from gammacp.tools.type_system import ENDS, TypeSystem

NEXT = "next"
"""What a link of a chain calls the one after it."""
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
    """Role of one type's annotations, decided for all of them at once.

    `layers` are the type and its supertypes that are layers; the last one is offered to users.
    `role` is "unit", "relation" or "structure". `values` are the features that can be a category,
    and `links` the features that refer to other structures.
    """

    layers: tuple[str, ...]
    role: str
    values: tuple[str, ...]
    links: tuple[str, ...]


def layers(source: Source) -> Layers:
    """Return the types of annotations that can be units, with the features that have values."""
    return layers_of(view_of(source))


def layers_of(cas: Cas) -> dict[str, Layer]:
    """Return the types of annotations of a view that can be units, with their features.

    A subtype belongs to the layer of its topmost supertype; it can also be named itself. Tokens,
    sentences and notes of tools on a document are read only if they are named.
    """
    layer_lists: list[Layers] = []
    for kind in _kinds(cas).values():
        if kind.role == "relation":
            continue
        if kind.role == "unit":
            offered = {kind.layers[-1]}
        else:
            offered = set()
        layer_lists.append({name: Layer(kind.values, name in offered) for name in kind.layers})
    return union(layer_lists)


def read(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    features: Sequence[str] = (),
    fillers: str = "links",
) -> Continuum:
    """Return one annotator's units of a layer; none if the file lacks the layer.

    Parameters
    ----------
    layer
        The type whose annotations, subtypes included, are the units.
    feature
        Feature whose value is the category; None: unlabelled.
    features
        Features in addition to the category. Several values of one feature are a set, joined with
        "+". A slot called links has two features: `links` is its roles, `links.target` its roles
        with the positions of their fillers.
    fillers
        "links": fillers of slots are linked if they are of the same layer; "units": fillers of
        other layers are units, too.

    Raises
    ------
    DataError
        The file is not a CAS with a text, or an annotation lies outside the text.

    Notes
    -----
    Positions
        characters (UTF-16 is converted to code points)
    Annotators
        the file's name, the folder is the document, as in INCEpTION's exports (also zipped
        projects)
    Category
        a feature (`--feature`) of an annotation type (`--layer`; the last part of its name is
        enough). Without a value the unit is unlabelled. Further features with `[features.NAME]`; of
        a slot, NAME gives its roles and NAME.target its roles with the positions of their fillers,
        as sets joined with "+"
    Spans
        every annotation of the layer is a unit: overlapping, repeated and zero-length ones are
        kept, and none has fragments. A feature with several values gives one unit per value. A
        subtype belongs to its supertype's layer if there is a type system. Tokens, sentences and
        notes that tools make about the document are read only if `--layer` names them. Relations
        between units become links, units joined by `next` become chains, and each slot becomes
        links to its fillers, named after their roles. A filler from another layer is left out
        (`--option fillers=units`: it becomes a unit)
    """
    return read_layer(source, view_of(source), layer, feature, features, fillers)


def read_layer(
    source: Source,
    cas: Cas,
    layer: str | None,
    feature: str | None,
    features: Sequence[str],
    fillers: str,
) -> Continuum:
    """Return one annotator's units of a layer of a view.

    Parameters
    ----------
    source
        The file that has the view.
    cas
        The view.
    layer, feature, features, fillers
        As for `read`.

    Raises
    ------
    DataError
        An annotation lies outside the text.
    """
    one_of("fillers", fillers, FILLERS)
    convert = from_utf16(cas.text)
    spans = Spans.of(source, CHARACTERS, cas.text)
    kinds = _kinds(cas)
    places = {**cas.places, **{a.id: (a.start, a.end) for a in cas.annotations}}
    units = {a.id for a in cas.annotations if layer in kinds[a.type].layers}
    if fillers == "units":
        units |= _fillers(cas, kinds, units)
    relations = _link(spans, cas, kinds, units)
    for a in cas.annotations:
        kind = kinds[a.type]
        if a.id in relations:
            continue
        if kind.role == "relation" or a.id not in units:
            spans.leave_out(*_why_not(kind))
            continue
        slots = _slots(cas, a, kind)
        _leave_out(spans, a, kind, (feature or "", *features), slots)
        if feature in kind.values:
            chosen = a.features.get(feature or "", ())
        else:
            chosen = ()
        value_by_feature = {
            f: "+".join(a.features.get(f, ())) for f in features if f in kind.values
        }
        for name, links in slots.items():
            fillers_in_text = [(role, *places[to]) for role, to in links if to in places]
            slot_values = slot(
                name, [(role, convert(low), convert(high)) for role, low, high in fillers_in_text]
            )
            value_by_feature |= {f: value for f, value in slot_values.items() if f in features}
            if slot_values.keys() & {*features}:
                why = ""
            elif fillers == "links":
                why = FILLED
            else:
                why = NO_UNIT
            _fill(spans, a, links, units, why)
        about: Any = {"line": a.line, "what": a.what, "features": value_by_feature}
        labels: list[str | None] = [*chosen]
        for i, label in enumerate(labels or [None]):
            about["key"] = "" if i else a.id
            spans.add(source.annotator, label, convert(a.start), convert(a.end), **about)
    for reason, count in cas.elsewhere.items():
        spans.leave_out("annotation", reason, count)
    return spans.continuum()


def _fillers(cas: Cas, kinds: Mapping[str, _Kind], units: AbstractSet[str]) -> set[str]:
    """Return the annotations, except relations, that fill slots of units."""
    mine = (a for a in cas.annotations if a.id in units)
    slots = (links for a in mine for links in _slots(cas, a, kinds[a.type]).values())
    filled = {to for links in slots for _, to in links}
    return {a.id for a in cas.annotations if a.id in filled and kinds[a.type].role != "relation"}


def _slots(cas: Cas, a: CasAnnotation, kind: _Kind) -> dict[str, list[tuple[str, str]]]:
    """Return the slots of an annotation, each with its roles and the ids of their fillers."""
    links_by_feature = {
        name: [x for v in a.features[name] for i in v.split() for x in cas.slots.get(i, ())]
        for name in kind.links
        if name in a.features
    }
    return {name: links for name, links in links_by_feature.items() if links}


def _fill(
    spans: Spans,
    a: CasAnnotation,
    links: Sequence[tuple[str, str]],
    units: AbstractSet[str],
    why: str,
) -> None:
    """Link an annotation `a` to the units in a slot; leave out others, for reason `why`."""
    for role, to in links:
        if to in units:
            spans.link(spans.source.annotator, role, a.id, to, DIRECTED)
        elif why:
            spans.leave_out("link", why)


def _leave_out(
    spans: Spans, a: CasAnnotation, kind: _Kind, features: Sequence[str], slots: Collection[str]
) -> None:
    """Count as left out the features that are neither asked for nor links or a chain."""
    for name in a.features:
        if name not in kind.links and name not in features and a.features[name]:
            spans.leave_out("value", f"feature {name} is not the category")
        elif name in kind.links and name != NEXT and name not in slots:
            spans.leave_out("value", f"feature {name} refers to other structures")


def _link(spans: Spans, cas: Cas, kinds: Mapping[str, _Kind], units: AbstractSet[str]) -> set[str]:
    """Add relations and chains between units; return the ids of the relations."""
    who = spans.source.annotator
    link_ids = set()
    for a in cas.annotations:
        kind = kinds[a.type]
        if kind.role == "relation" and (ends := _ends(a)) and units >= {*ends}:
            spans.link(who, _label(a, kind), *ends, DIRECTED)
            link_ids.add(a.id)
        elif a.id in units and NEXT in kind.links:
            spans.chain(who, kind.layers[-1], [a.id, *a.features.get(NEXT, ())])
    return link_ids


def _ends(a: CasAnnotation) -> tuple[str, str] | None:
    """Return the ids of both ends of a relation; None if it does not have both."""
    pairs_of_ends = (tuple(" ".join(a.features.get(end, ())) for end in ends) for ends in ENDS)
    return next(((s, t) for s, t in pairs_of_ends if s and t), None)


def _label(a: CasAnnotation, kind: _Kind) -> str:
    """Return the type of a relation: the value of a feature with a usual name, or of the first."""
    usual = [f for f in kind.values if f in (*USUAL_FEATURES, "DependencyType")] or kind.values
    if usual:
        return "+".join(a.features.get(usual[0], ()))
    return ""


def _why_not(kind: _Kind) -> tuple[str, str]:
    name = kind.layers[-1].rsplit(".", 1)[-1]
    if kind.role == "relation":
        return "relation", f"layer {name} links annotations"
    if kind.role == "structure":
        return "annotation", f"layer {name} holds tokens, sentences, or notes on the document"
    return "annotation", f"layer {name} was not chosen"


def _kinds(cas: Cas) -> dict[str, _Kind]:
    groups: dict[str, list[CasAnnotation]] = {}
    for a in cas.annotations:
        groups.setdefault(a.type, []).append(a)
    return {name: _kind(cas, name, group) for name, group in groups.items()}


def _kind(cas: Cas, name: str, group: Sequence[CasAnnotation]) -> _Kind:
    if cas.types is not None and name in cas.types:
        types = cas.types
    else:
        types = None
    if types:
        above = types.layers(name)
    else:
        above = (name,)
    if types:
        links = _declared_links(types, name, group)
    else:
        links = _apparent_links(cas, group)
    if types:
        relation = types.is_relation(name)
    else:
        relation = _links_annotations(cas, group, links)
    structure = any(x in _NOT_UNITS or x.startswith(_STRUCTURE) for x in above)
    if structure:
        role = "structure"
    elif relation:
        role = "relation"
    else:
        role = "unit"
    features = dict.fromkeys(f for a in group for f in a.features)
    values = tuple(f for f in features if f not in links)
    return _Kind(above, role, values, tuple(f for f in features if f in links))


def _declared_links(types: TypeSystem, name: str, group: Sequence[CasAnnotation]) -> set[str]:
    """Return the features that refer to structures by the type system or by marks in the file."""
    links = {f for f, kind in types.features(name).items() if not types.holds_values(kind)}
    return links.union(*(a.links for a in group))


def _apparent_links(cas: Cas, group: Sequence[CasAnnotation]) -> set[str]:
    """Return the features that seem to refer to structures, where there is no type system.

    All their values are ids of the file, and no id occurs twice. Ends of relations are exempt from
    the second condition. A feature with a usual name for labels is never taken for a reference.
    """
    links: set[str] = set().union(*(a.links for a in group))
    ends = {end for pair in ENDS for end in pair}
    for feature in {f for a in group for f in a.features} - links - set(USUAL_FEATURES):
        targets = [i for a in group for v in a.features.get(feature, ()) for i in v.split()]
        distinct = len(set(targets)) == len(targets)
        if targets and cas.ids.issuperset(targets) and (feature in ends or distinct):
            links.add(feature)
    return links


def _links_annotations(cas: Cas, group: Sequence[CasAnnotation], links: set[str]) -> bool:
    """Return whether both ends of all annotations refer to indexed ones, without a type system."""
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
    origin=origin,
    layout=LAYOUT,
    write=write_xmi,
    several_continua=True,
    per_annotator=True,
    text=True,
    links=(DIRECTED, CHAIN),
    chain_types=False,
)
