"""Writing WebAnno TSV 3.3 and UIMA CAS XMI, which INCEpTION imports: a file per annotator.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide and "XMI CAS Serialization Reference"
of the UIMA references. Units are annotations of a layer that every project has (Named entity), or
of another one. In TSV annotations cover whole tokens, so words are cut where a unit begins or ends;
a sentence is a line of the text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.errors import DataError, UsageError
from gammacp.formats.offsets import to_utf16
from gammacp.formats.parts import Rendered, annotated_text, whole, write_parts
from gammacp.formats.xmltree import legal

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LAYOUT = "{document}/{annotator}"
_WORD = re.compile(r"\w+|[^\w\s]")
_TEXT = str.maketrans(
    {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\b": "\\b"}
)
_VALUE = str.maketrans({c: f"\\{c}" for c in "\\[]|_;*"} | {"\t": "\\t", "\n": "\\n"})
_ARROW = "->", "\\->"
_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
  <typeDescription><name>{layer}</name><supertypeName>uima.tcas.Annotation</supertypeName><features>
    <featureDescription><name>{feature}</name><rangeTypeName>uima.cas.String</rangeTypeName>
    </featureDescription></features></typeDescription>
</types></typeSystemDescription>
"""
_XMI = {
    "xmlns:xmi": "http://www.omg.org/XMI",
    "xmlns:cas": "http:///uima/cas.ecore",
    "xmlns:tcas": "http:///uima/tcas.ecore",
    "xmi:version": "2.0",
}


def write_tsv(
    document: Continuum | Corpus, path: Path, *, layer: str = LAYER, feature: str = "value"
) -> None:
    """Write WebAnno TSV 3.3; `layer` is a span layer's full name, `feature` its column."""
    write_parts(document, path, LAYOUT, ".tsv", _renderer(_tsv, layer, feature))


def write_xmi(
    document: Continuum | Corpus, path: Path, *, layer: str = LAYER, feature: str = "value"
) -> None:
    """Write XMI with its TypeSystem.xml; `layer` is a type's full name, `feature` its category."""
    write_parts(document, path, LAYOUT, ".xmi", _renderer(_xmi, layer, feature))


def _renderer(render: Callable[..., dict[str, str]], layer: str, feature: str) -> Rendered:
    """A function that renders annotations of this layer; a UsageError if it cannot be one."""
    kind = r"[A-Za-z]\w*"
    if not re.fullmatch(rf"{kind}(\.{kind})+", layer):
        raise UsageError(f"layer {layer!r} is not a full name, such as webanno.custom.Frame")
    if not re.fullmatch(kind, feature):
        raise UsageError(f"feature {feature!r} cannot be the name of a feature")
    return partial(render, layer=layer, feature=feature)


def _xmi(c: Continuum, units: Sequence[Unit], *, layer: str, feature: str) -> dict[str, str]:
    text = annotated_text(c, "XMI")
    at = to_utf16(text)
    package, _, name = layer.rpartition(".")
    types = {"xmlns:type": f"http:///{package.replace('.', '/')}.ecore"}
    root = ElementTree.Element("xmi:XMI", _XMI | types)

    def child(tag: str, **attributes: str) -> None:
        named = {k.replace("xmi_", "xmi:"): legal(v, "\t\n\r") for k, v in attributes.items()}
        ElementTree.SubElement(root, tag, named)

    def annotation(tag: str, key: int, start: int, end: int, features: dict[str, str]) -> None:
        places = {"begin": str(at(start)), "end": str(at(end))}
        child(tag, xmi_id=str(key), sofa="1", **places, **features)

    child("cas:NULL", xmi_id="0")
    annotation("tcas:DocumentAnnotation", 2, 0, len(text), {"language": "x-unspecified"})
    for key, unit in enumerate(units, 3):
        value = {feature: unit.category} if unit.category else {}
        annotation(f"type:{name}", key, *whole(unit), value)
    sofa = {"sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text/plain", "sofaString": text}
    child("cas:Sofa", xmi_id="1", **sofa)
    child("cas:View", sofa="1", members=" ".join(str(key) for key in range(2, len(units) + 3)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return {
        ".xmi": f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n',
        "TypeSystem.xml": _TYPES.format(layer=layer, feature=feature),
    }


def _tsv(c: Continuum, units: Sequence[Unit], *, layer: str, feature: str) -> dict[str, str]:
    text = annotated_text(c, "WebAnno TSV")
    at = to_utf16(text)
    points = [whole(u) for u in units]
    empty = next((p for p in points if p[0] == p[1]), None)
    if empty:
        raise DataError(
            f"unit at {empty[0]} covers no token of WebAnno TSV", hint="Write XMI (--to cas)"
        )
    tokens = _tokens(text, points)
    if not tokens:
        raise DataError(f"text of {c.name or 'the document'!r} has no word", hint="Write XMI")
    covering: dict[int, list[str]] = {}
    numbers = {start: i for i, (start, _) in enumerate(tokens)}
    for key, (unit, (start, end)) in enumerate(zip(units, points, strict=True), 1):
        value = unit.category.translate(_VALUE).replace(*_ARROW) if unit.category else "*"
        for i in range(numbers[start], len(tokens)):
            if tokens[i][0] >= end:
                break
            covering.setdefault(i, []).append(f"{value}[{key}]")
    lines = ["#FORMAT=WebAnno TSV 3.3", f"#T_SP={layer}|{feature}", ""]
    for number, (first, last) in enumerate(_sentences(text, tokens), 1):
        end = tokens[last][0] if last < len(tokens) else len(text)
        lines += ["", f"#Text={text[tokens[first][0] : end].translate(_TEXT)}"]
        for i, (start, stop) in enumerate(tokens[first:last], first):
            place, token = f"{at(start)}-{at(stop)}", text[start:stop].translate(_TEXT)
            cell = "|".join(covering.get(i, ["_"]))
            lines.append(f"{number}-{i - first + 1}\t{place}\t{token}\t{cell}\t")
    return {".tsv": "\n".join([*lines, ""])}


def _tokens(text: str, units: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Words and marks, cut where units begin and end; blanks only where a unit needs them.

    So that the text comes back as it is, blanks before the first word are a token too if they are
    not simple ones.
    """
    margin = len(text) - len(text.lstrip())
    wanted = [*units, (0, margin)] if text[:margin].strip(" ") else units
    cuts = sorted({0, len(text), *(p for unit in wanted for p in unit)})
    starts, ends = {s for s, _ in wanted}, {e for _, e in wanted}
    found: list[tuple[int, int]] = []
    for low, high in pairwise(cuts):
        words = [(low + m.start(), low + m.end()) for m in _WORD.finditer(text[low:high])]
        if low in starts and (not words or words[0][0] > low):
            words[:1] = [(low, words[0][1] if words else high)]
        if high in ends and (not words or words[-1][1] < high):
            words[-1:] = [(words[-1][0] if words else low, high)]
        found += words
    return found


def _sentences(text: str, tokens: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """(first token, the one after the last) of each sentence: what begins on one line."""
    first = 0
    for i in range(1, len(tokens) + 1):
        if i == len(tokens) or "\n" in text[tokens[i - 1][0] : tokens[i][0]]:
            yield first, i
            first = i
