"""Glozz annotations (.aa) with the corpus file (.ac) beside.

After files of the Glozz platform (Widlöcher & Mathet 2012). They have `unit` elements with
`metadata/author`, `characterisation/type`, `featureSet/feature`, and `positioning/start|end/
singlePosition@index`. As Glozz is a Java program, indices count UTF-16 units of the corpus file.
Relations and schemas are not units. Units of type paragraph mark the structure of the text and are
left out.
"""

from gammacp.continuum import Continuum
from gammacp.formats.offsets import from_utf16, same
from gammacp.formats.registry import registered, sniff_ending_or_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.xmltree import Element, parse

_STRUCTURE = "paragraph"


def read(source: Source, *, feature: str | None = None) -> Continuum:
    """Read the units of an .aa file.

    Parameters
    ----------
    feature
        A feature whose value is the category, instead of the type.

    Raises
    ------
    DataError
        A unit has no type, author or position, or no unit has the feature.

    Notes
    -----
    Positions
        characters (UTF-16 of the .ac file is converted to code points)
    Annotators
        `metadata/author` of each unit
    Category
        type, or a feature with `--feature`
    Spans
        every unit is read except those of type paragraph: overlapping, repeated and zero-length
        ones are kept; relations and schemas are left out
    """
    root = parse(source)
    if root.tag != "annotations":
        raise root.error(f"root element <{root.tag}> is not <annotations>")
    text = source.beside(".ac")
    convert = same if text is None else from_utf16(text)
    spans = Spans(source, source.document, CHARACTERS, text)
    feature_names: set[str] = set()
    root.refuse_others("metadata", "unit", "relation", "schema")
    for element in root.all("unit"):
        kind = _text(element, "characterisation", "type")
        if kind == _STRUCTURE:
            spans.leave_out("unit", "paragraph: the structure of the text")
            continue
        features = _features(element)
        feature_names |= features.keys()
        for name in (name for name in features if name != feature):
            spans.leave_out("value", f"feature {name} is not the category")
        label = kind if feature is None else features.get(feature)
        annotator = source.annotator or _text(element, "metadata", "author")
        what = f"unit {element.attribute('id')}"
        start, end = (convert(_index(element, side)) for side in ("start", "end"))
        spans.add(annotator, label, start, end, line=element.line, what=what)
    for kind in ("relation", "schema"):
        spans.leave_out(kind, "is not a unit", len(root.all(kind)))
    if source.annotator:
        spans.declare(source.annotator)
    if feature is not None and feature not in feature_names:
        listed = ", ".join(sorted(feature_names)) or "none"
        raise source.error(f"feature {feature!r} does not occur", hint=f"There are: {listed}")
    return spans.continuum()


def _text(element: Element, *path: str) -> str:
    text = element.at(*path).text.strip()
    if not text:
        raise element.error(f"<{element.tag}> has no {'/'.join(path)}")
    return text


def _features(element: Element) -> dict[str, str]:
    features = element.at("characterisation", "featureSet").all("feature")
    return {f.attribute("name"): f.text.strip() for f in features}


def _index(element: Element, side: str) -> int:
    position = element.find("positioning", side, "singlePosition")
    if position is None:
        raise element.error(f"<{element.tag}> has no positioning/{side}")
    return position.whole_number("index")


registered(
    "glozz",
    "Glozz",
    (".aa",),
    sniff_ending_or_keys(".aa", b"<annotations", b"corpusHashcode"),
    read,
)
