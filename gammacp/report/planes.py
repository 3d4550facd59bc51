"""Drawings of the shapes of all annotators on the first two axes of a document."""

from collections.abc import Iterator, Mapping, Sequence

from gammacp.alignment import Alignment
from gammacp.base.text import category_name
from gammacp.continuum import Unit
from gammacp.report.images import Grounds
from gammacp.report.markup import Markup, element, hint, join

_TURN = 137  # degrees between the hues of successive annotators, so that they are never similar
_WORDS = (
    "Each annotator has a colour. Point at an outline to see whose it is, its category and the "
    "disorder of its unitary alignment. Only the first two axes are drawn."
)


_PLAIN = Grounds()


def planes(alignments: Mapping[str, Alignment], under: Grounds = _PLAIN) -> Markup | None:
    """Draw each document with shapes, over its image if there is one; None without shapes.

    Parameters
    ----------
    alignments
        Alignments by document.
    under
        The images.
    """
    drawn = [
        element(
            "figure",
            element("figcaption", name, *_legend(a.continuum.annotators)),
            _drawing(a, *under.images.get(name, ())),
            data_document=name,
        )
        for name, a in alignments.items()
        if a.continuum.axes > 1
    ]
    if drawn:
        return join(hint(" ".join((_WORDS, *under.notes))), *drawn)
    return None


def _hue(code: int) -> str:
    return f"hsl({_TURN * code % 360} 70% 40%)"


def _legend(annotators: Sequence[str]) -> Iterator[Markup]:
    for code, who in enumerate(annotators):
        yield element("span", f" \u25a0 {who}", style=f"color: {_hue(code)}")


def _drawing(alignment: Alignment, address: str = "", size: tuple[int, int] = (0, 0)) -> Markup:
    c = alignment.continuum
    marks = []
    if address:
        # Images from the studio are loaded when they become visible.
        if address.startswith("data:"):
            key = "href"
        else:
            key = "data_href"
        about = {"width": size[0], "height": size[1], "preserveAspectRatio": "none"}
        marks.append(element("image", **about, **{key: address}))
    # Images count positions from the top, frequencies from the bottom.
    if c.in_space:
        sign = 1.0
    else:
        sign = -1.0
    groups = zip(alignment.groups, alignment.disorders, strict=True)
    for number, (group, disorder) in enumerate(groups):
        for code, row in enumerate(group):
            if row >= 0:
                u = c.unit(int(row))
                unit_in_words = (
                    f"{u.annotator}, {category_name(u.category)}, disorder {disorder:.3g}"
                )
                hue = _hue(code)
                look = {"fill": hue, "fill_opacity": 0.08, "stroke": hue, "stroke_width": 2}
                # The even-odd rule handles self-crossing parts; a unit is the union of its parts.
                look |= {"fill_rule": "evenodd", "vector_effect": "non-scaling-stroke"}
                for path in _paths(u, sign):
                    title = element("title", unit_in_words)
                    marks.append(element("path", title, d=path, data_group=number, **look))
    (left, right), edges = c.bounds, sign * c.extents[:, :2]
    top = float(edges.min())
    bottom = float(edges.max())
    if address:
        left = min(left, 0.0)
        right = max(right, size[0])
        top = min(top, 0.0)
        bottom = max(bottom, size[1])
    room = [0.02 * (right - left) or 1.0, 0.02 * (bottom - top) or 1.0]
    corner = [left - room[0], top - room[1]]
    sizes = [right - left + 2 * room[0], bottom - top + 2 * room[1]]
    box = " ".join(f"{x:.6g}" for x in (*corner, *sizes))
    if sign > 0:
        shape = {}
    else:
        shape = {"preserveAspectRatio": "none"}
    return element("svg", *marks, viewBox=box, width="100%", height=360, role="img", **shape)


def _paths(unit: Unit, sign: float) -> Iterator[str]:
    """Return the outline of each part as an SVG path; a point is a stroke of length 0."""
    assert unit.shape is not None
    (low, high), rings = unit.shape.extents[0], unit.shape.rings
    if not rings:
        corners = ((unit.start, low), (unit.end, low), (unit.end, high), (unit.start, high))
        rings = (corners,)
    if unit.shape.kind == "polyline":
        close = ""
    else:
        close = "Z"
    for ring in rings:
        yield f"M{'L'.join(f'{p[0]:.6g} {sign * p[1]:.6g}' for p in ring)}{close}"
