"""Writing WebAnno TSV 3.3 and UIMA CAS XMI, which INCEpTION imports: a file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide and "XMI CAS Serialization Reference"
of the UIMA references. Units are written as annotations of a layer that every project has (Named
entity), or of another layer. In TSV, annotations cover whole tokens. So words are split into
several tokens where a unit begins or ends. Each line of the text is a sentence.

Directed links are annotations of a relation layer that is attached to the units' layer, and the
mentions of a chain are annotations of INCEpTION's layer of coreference, beside the units.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from xml.etree import ElementTree

from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.links import CHAIN, DIRECTED
from gammacp.errors import DataError, UsageError
from gammacp.formats.offsets import to_utf16
from gammacp.formats.parts import annotated_text, continua_of, links_of, whole, write_parts
from gammacp.formats.xmltree import legal, xml_text
from gammacp.tools.type_system import ANNOTATION, RESOURCES, STRING

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LAYOUT = "{document}/{annotator}"
_WORD = re.compile(r"\w+|[^\w\s]")
_TEXT = str.maketrans(
    {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\b": "\\b"}
)
_VALUE = str.maketrans({c: f"\\{c}" for c in "\\[]|_;*"} | {"\t": "\\t", "\n": "\\n"})
_ARROW = "->", "\\->"
RELATION = "webanno.custom.Relation"
_COREFERENCE = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.Coreference"
_XMI = {
    "xmlns:xmi": "http://www.omg.org/XMI",
    "xmlns:cas": "http:///uima/cas.ecore",
    "xmlns:tcas": "http:///uima/tcas.ecore",
    "xmi:version": "2.0",
}


@dataclass(frozen=True)
class _Layers:
    """Names of the layers and features to write for units and relations, and kinds of links."""

    units: str
    feature: str
    relation: str
    kinds: frozenset[str]


def _layers(document: Continuum | Corpus, layer: str, feature: str, relation: str) -> _Layers:
    """Return the layers; raise a UsageError if one of them is not possible."""
    kind = r"[A-Za-z]\w*"
    for name in (layer, relation):
        if not re.fullmatch(rf"{kind}(\.{kind})+", name):
            raise UsageError(f"layer {name!r} is not a full name such as webanno.custom.Frame")
    if not re.fullmatch(kind, feature):
        raise UsageError(f"feature {feature!r} cannot be the name of a feature")
    kinds = frozenset(x.kind for c in continua_of(document) for x in c.links)
    return _Layers(layer, feature, relation, kinds)


def _relations(c: Continuum, units: Sequence[Unit]) -> list[tuple[str, int, int]]:
    """Return type, source and target of an annotator's directed links, as numbers of units."""
    return [(x.type, i, j) for x, i, j in links_of(c, units) if x.kind == DIRECTED]


def _chains(c: Continuum, units: Sequence[Unit]) -> list[list[int]]:
    """Return the chains of an annotator, as numbers of units, whatever the types of links."""
    chain: dict[int, set[int]] = {}
    for x, one, other in links_of(c, units):
        if x.kind == CHAIN:
            joined = chain.get(one, {one}) | chain.get(other, {other})
            chain |= dict.fromkeys(joined, joined)
    return sorted({min(joined): sorted(joined) for joined in chain.values()}.values())


def _types(layers: _Layers) -> str:
    """Return the type system for the layers that are written."""
    link = f"{_COREFERENCE}Link"
    child = ElementTree.SubElement
    type_rows = [(layers.units, ANNOTATION, {layers.feature: STRING})]
    if DIRECTED in layers.kinds:
        ends = {"Governor": layers.units, "Dependent": layers.units}
        type_rows += [(layers.relation, ANNOTATION, {**ends, layers.feature: STRING})]
    if CHAIN in layers.kinds:
        link_features = {"next": link, "referenceType": STRING, "referenceRelation": STRING}
        first = {"first": link}
        type_rows += [(link, ANNOTATION, link_features)]
        type_rows += [(f"{_COREFERENCE}Chain", "uima.cas.AnnotationBase", first)]
    root = ElementTree.Element("typeSystemDescription", xmlns=RESOURCES.strip())
    types = child(root, "types")
    for name, above, ranges in type_rows:
        described = child(types, "typeDescription")
        child(described, "name").text = name
        child(described, "supertypeName").text = above
        features = child(described, "features")
        for feature, holds in ranges.items():
            entry = child(features, "featureDescription")
            child(entry, "name").text = feature
            child(entry, "rangeTypeName").text = holds
    return xml_text(root)


def _xmi(c: Continuum, units: Sequence[Unit], *, layers: _Layers) -> dict[str, str]:
    text = annotated_text(c, "XMI")
    at = to_utf16(text)
    names = (("type", layers.units), ("relation", layers.relation), ("coref", _COREFERENCE))
    is_needed = (True, DIRECTED in layers.kinds, CHAIN in layers.kinds)
    types = {
        f"xmlns:{key}": f"http:///{name.rpartition('.')[0].replace('.', '/')}.ecore"
        for (key, name), needed in zip(names, is_needed, strict=True)
        if needed
    }
    root = ElementTree.Element("xmi:XMI", _XMI | types)
    numbers = count(2)

    def child(tag: str, **attributes: str) -> None:
        named = {k.replace("xmi_", "xmi:"): legal(v, "\t\n\r") for k, v in attributes.items()}
        ElementTree.SubElement(root, tag, named)

    def annotation(tag: str, start: int, end: int, features: dict[str, str]) -> str:
        key = str(next(numbers))
        places = {"begin": str(at(start)), "end": str(at(end))}
        child(tag, xmi_id=key, sofa="1", **places, **features)
        return key

    child("cas:NULL", xmi_id="0")
    annotation("tcas:DocumentAnnotation", 0, len(text), {"language": "x-unspecified"})
    name = layers.units.rpartition(".")[2]
    keys = []
    for unit in units:
        if unit.category:
            value = {layers.feature: unit.category}
        else:
            value = {}
        keys.append(annotation(f"type:{name}", *whole(unit), value))
    name = layers.relation.rpartition(".")[2]
    for kind, one, other in _relations(c, units):
        if kind:
            value = {layers.feature: kind}
        else:
            value = {}
        ends = {"Governor": keys[one], "Dependent": keys[other]}
        annotation(f"relation:{name}", *whole(units[other]), ends | value)
    for chain in _chains(c, units):
        following: dict[str, str] = {}
        for i in reversed(chain):
            category = units[i].category
            if category:
                kinds = {"referenceType": category}
            else:
                kinds = {}
            key = annotation("coref:CoreferenceLink", *whole(units[i]), following | kinds)
            following = {"next": key}
        child(
            "coref:CoreferenceChain", xmi_id=str(next(numbers)), sofa="1", first=following["next"]
        )
    sofa = {"sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text/plain", "sofaString": text}
    child("cas:Sofa", xmi_id="1", **sofa)
    members = " ".join(str(key) for key in range(2, next(numbers)))
    child("cas:View", sofa="1", members=members)
    return {".xmi": xml_text(root), "TypeSystem.xml": _types(layers)}


def _tsv(c: Continuum, units: Sequence[Unit], *, layers: _Layers) -> dict[str, str]:
    text = annotated_text(c, "WebAnno TSV")
    at = to_utf16(text)
    points = [whole(u) for u in units]
    empty = next((p for p in points if p[0] == p[1]), None)
    if empty:
        raise DataError(
            f"unit at {empty[0]} covers no token of WebAnno TSV",
            hint="Write XMI (`write(format=cas)`)",
        )
    tokens = _tokens(text, points)
    if not tokens:
        raise DataError(f"text of {c.name or 'the document'!r} has no word", hint="Write XMI")
    numbers = {start: i for i, (start, _) in enumerate(tokens)}
    ends = {end: i + 1 for i, (_, end) in enumerate(tokens)}
    rows = [range(numbers[start], ends[end]) for start, end in points]
    sentences = [*_sentences(text, tokens)]
    places = [
        f"{number}-{i - first + 1}"
        for number, (first, last) in enumerate(sentences, 1)
        for i in range(first, last)
    ]
    lines = ["#FORMAT=WebAnno TSV 3.3", f"#T_SP={layers.units}|{layers.feature}"]
    columns: list[dict[int, list[str]]] = [{}]
    for key, (unit, row) in enumerate(zip(units, rows, strict=True), 1):
        for i in row:
            columns[0].setdefault(i, []).append(f"{_cell(unit.category)}[{key}]")
    if CHAIN in layers.kinds:
        lines.append(f"#T_CH={_COREFERENCE}Link|referenceRelation|referenceType")
        columns += [{}, {}]
        for number, chain in enumerate(_chains(c, units), 1):
            for k, i in ((k, i) for k, unit in enumerate(chain, 1) for i in rows[unit]):
                mention = units[chain[k - 1]]
                columns[-2].setdefault(i, []).append(f"*->{number}-{k}")
                columns[-1].setdefault(i, []).append(f"{_cell(mention.category)}[{number}]")
    if DIRECTED in layers.kinds:
        lines.append(f"#T_RL={layers.relation}|{layers.feature}|BT_{layers.units}")
        columns += [{}, {}]
        for kind, one, other in _relations(c, units):
            where = f"{places[rows[one][0]]}[{one + 1}_{other + 1}]"
            columns[-2].setdefault(rows[other][0], []).append(_cell(kind))
            columns[-1].setdefault(rows[other][0], []).append(where)
    lines.append("")
    for first, last in sentences:
        if last < len(tokens):
            end = tokens[last][0]
        else:
            end = len(text)
        lines += ["", f"#Text={text[tokens[first][0] : end].translate(_TEXT)}"]
        for i, (start, stop) in enumerate(tokens[first:last], first):
            place = f"{at(start)}-{at(stop)}"
            token = text[start:stop].translate(_TEXT)
            cells = "\t".join("|".join(column.get(i, ["_"])) for column in columns)
            lines.append(f"{places[i]}\t{place}\t{token}\t{cells}\t")
    return {".tsv": "\n".join([*lines, ""])}


def _cell(value: str | None) -> str:
    """Return a value as it is written, `*` for none."""
    if value:
        return value.translate(_VALUE).replace(*_ARROW)
    return "*"


def _tokens(text: str, units: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the places of words and punctuation marks, cut where units begin and end.

    White space is part of a token only if a unit begins or ends with it. White space before the
    first word is also a token if it has other characters than blanks, so that the text is
    preserved.
    """
    margin = len(text) - len(text.lstrip())
    wanted = [*units, (0, margin)] if text[:margin].strip(" ") else units
    cuts = sorted({0, len(text), *(p for unit in wanted for p in unit)})
    starts = {s for s, _ in wanted}
    ends = {e for _, e in wanted}
    tokens: list[tuple[int, int]] = []
    for low, high in pairwise(cuts):
        words = [(low + m.start(), low + m.end()) for m in _WORD.finditer(text[low:high])]
        if low in starts and (not words or words[0][0] > low):
            words[:1] = [(low, words[0][1] if words else high)]
        if high in ends and (not words or words[-1][1] < high):
            words[-1:] = [(words[-1][0] if words else low, high)]
        tokens += words
    return tokens


def _sentences(text: str, tokens: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the first token of each line, and the one after its last: the line is a sentence."""
    first = 0
    for i in range(1, len(tokens) + 1):
        if i == len(tokens) or "\n" in text[tokens[i - 1][0] : tokens[i][0]]:
            yield first, i
            first = i


def _writer(ending: str, render: Callable[..., Mapping[str, str]]) -> Callable[..., None]:
    """Return a function that writes one file per annotator, with contents by `render`."""

    def write(
        document: Continuum | Corpus,
        path: Path,
        *,
        layer: str = LAYER,
        feature: str = "value",
        relation: str = RELATION,
    ) -> None:
        layers = _layers(document, layer, feature, relation)
        write_parts(document, path, LAYOUT, ending, partial(render, layers=layers))

    return write


write_tsv = _writer(".tsv", _tsv)
"""Write WebAnno TSV 3.3.

`layer` is a span layer's full name, `feature` its column, `relation` the name of the layer of
relations, of which `feature` is the column, too.
"""
write_xmi = _writer(".xmi", _xmi)
"""Write XMI with its TypeSystem.xml; options as of `write_tsv`, layers are types."""
