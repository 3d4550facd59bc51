"""Contents of the fixtures of shapes, written down by hand."""

from gammacp import Unit
from gammacp.continuum.shapes import outline


def drawn(annotator: str, category: str, kind: str, *rings: list[tuple[float, ...]]) -> Unit:
    (start, end), shape = outline(kind, rings)
    return Unit(annotator, start, end, category, shape=shape)


COCO = [
    Unit.box("ann", (10, 40), (20, 60), category="dog"),
    Unit.box("bob", (12, 42), (20.5, 60.5), category="dog"),
    drawn("ann", "car", "polygon", [(0, 0), (9, 0), (9, 9), (0, 9)]),
    Unit.box("bob", (0, 8), (0, 9), category="car"),
]
CVAT = [
    Unit.box("ann", (10, 40), (20, 60), category="dog"),
    drawn("ann", "pond", "polygon", [(1, 2), (5.5, 2), (5.5, 9)]),
    Unit.box("bob", (11, 40), (20, 61), category="dog"),
    drawn("bob", "path", "polyline", [(0, 0), (3, 4)]),
    drawn("bob", "eye", "point", [(12, 22)], [(14, 22)]),
]
VOC = [Unit.box(who, (x, 40), (20, 60), category="dog") for who, x in (("ann", 10), ("bob", 12))]
CALLS = [
    Unit.box("ann", (0.5, 1.25), (1000, 4000), category="wren"),
    Unit.box("ann", (3, 4), (200.5, 900), category="owl"),
    Unit.box("bob", (0.75, 1.25), (1100, 4000), category="wren"),
]
