"""XML of images: CVAT for images 1.1, and Pascal VOC, a file per image.

After "CVAT for images" (docs.cvat.ai, XML annotation format) and the VOC2012 development kit.
Neither names who annotated: the folder does.
"""

from itertools import pairwise
from pathlib import PurePosixPath

from gammacp.continuum import Continuum, Corpus
from gammacp.formats.registry import holding, registered
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents, Spans, with_shapes
from gammacp.formats.xmltree import Element, parse
from gammacp.shapes.formats.coco import PIXELS

_OUTLINES = {"polygon": "polygon", "polyline": "polyline", "points": "point"}


def read_cvat(source: Source, *, shapes: str = "keep") -> Corpus:
    """The shapes of every image.

    Parameters
    ----------
    shapes
        "keep", "box" (the box around each) or "no" (the extent from left to right alone).

    Raises
    ------
    DataError
        A number is missing or none.

    Notes
    -----
    Positions
        pixels (from the left, from the top)
    Annotators
        name of the folder
    Category
        label; attributes are left out
    Spans
        every box, polygon, polyline and set of points is a unit with that shape (`--option
        shapes=box`: the box around each; `no`: no shapes); rotated boxes, ellipses, masks and tags
        are left out
    """
    documents = Documents(source, PIXELS)
    for image in parse(source).below("image"):
        spans = documents.of(image.attribute("name"))
        spans.declare(source.annotator)
        for e in image.children:
            what = f"<{e.name}> of {spans.name}"
            label = e.attribute("label") if e.name in ("box", *_OUTLINES) else None
            turned = e.attributes.get("rotation", "0").strip("0.")
            if e.name == "box" and not turned:
                edges = [_number(e, e.attribute(key)) for key in ("xtl", "xbr", "ytl", "ybr")]
                rows = [*pairwise(edges)][::2]
                spans.add_shape(source.annotator, label, "box", rows, line=e.line, what=what)
            elif e.name in _OUTLINES:
                points = [_point(e, p) for p in e.attribute("points").split(";")]
                kind = _OUTLINES[e.name]
                rings = [[p] for p in points] if kind == "point" else [points]
                spans.add_shape(source.annotator, label, kind, rings, line=e.line, what=what)
            else:
                spans.leave_out(e.name, "turned" if turned else "not a box, polygon, line or point")
            spans.leave_out("attribute", "is not the category", len(e.all("attribute")))
    return with_shapes(documents.corpus(), shapes, source.place)


def _point(e: Element, text: str) -> tuple[float, ...]:
    return tuple(_number(e, part) for part in text.split(","))


def _number(e: Element, text: str) -> float:
    return e.source.position(text.strip(), f"<{e.name}>:", line=e.line)


def read_voc(source: Source, *, shapes: str = "keep") -> Continuum:
    """The objects of an image.

    Parameters
    ----------
    shapes
        "keep" or "no" (the extent from left to right alone).

    Raises
    ------
    DataError
        An object has no box of four numbers.

    Notes
    -----
    Positions
        pixels (from the left, from the top)
    Annotators
        name of the folder
    Category
        name of the object
    Spans
        every object is a box (`--option shapes=no`: no shapes); its other properties are left out
    """
    root = parse(source)
    if root.name != "annotation":
        raise source.error(f"XML is not of Pascal VOC: its root is <{root.name}>")
    title = PurePosixPath(root.at("filename").text.strip() or source.document).stem
    spans = Spans(source, title, PIXELS)
    spans.declare(source.annotator)
    for e in root.children:
        if e.name != "object" and next(e.below("bndbox"), None) is not None:
            raise e.error(f"<{e.name}> has a box, but is no <object>")
    for e in root.all("object"):
        box, what = e.at("bndbox"), f"object of {title}"
        edges = [_number(e, box.at(key).text) for key in ("xmin", "xmax", "ymin", "ymax")]
        label = e.at("name").text.strip()
        if not label:
            raise e.error(f"{what} has no name")
        rows = (edges[:2], edges[2:])
        spans.add_shape(source.annotator, label, "box", rows, line=e.line, what=what)
    return with_shapes(spans.continuum(), shapes, source.place)


registered(
    "cvat", "CVAT XML (images)", (".xml",), holding(".xml", b"<image ", b"<annotations"), read_cvat,
    layout="{annotator}/{document}",
)  # fmt: skip
registered(
    "voc", "Pascal VOC XML", (".xml",), holding(".xml", b"<bndbox>"), read_voc,
    layout="{annotator}/{document}",
)  # fmt: skip
