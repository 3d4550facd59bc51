"""Dissimilarities of shapes: values by hand, and shapes that are refused."""

import math
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp import Combined, Continuum, DataError, Unit
from gammacp.continuum.shapes import outline
from gammacp.dissimilarity import bind, dissimilarity, unit_columns
from gammacp.shapes.dissimilarity import Boundary


def cost(u: Unit, v: Unit, positional: str | Boundary) -> float:
    c = Continuum.from_units([u, v])
    columns = unit_columns(c)
    return float(bind(Combined(beta=0, positional=positional), c).pairwise(columns[0], columns[1]))


def drawn(annotator: str, kind: str, *rings: list[tuple[float, ...]]) -> Unit:
    (start, end), shape = outline(kind, rings)
    return Unit(annotator, start, end, shape=shape)


A = Unit.box("A", (0, 2), (0, 2))


@pytest.mark.parametrize(
    ("other", "positional", "value"),
    [
        (((1, 3), (0, 2)), "iou", 4 / 3),
        (((1, 3), (1, 3)), "iou", 2 * (1 - 1 / 7)),
        (((2, 4), (0, 2)), "iou", math.inf),
        (((4, 6), (0, 2)), "giou", 8 / 3),
        (((2, 4), (2, 4)), "giou", 2 * (1 + 0.5)),
        (((1, 3), (0, 2)), "sporadic", 0.25),
        (((1, 3), (2, 4)), "sporadic", 1.25),
        (((0, 4), (0, 2)), "sporadic", (2 / 6) ** 2),
    ],
)
def test_boxes(other: tuple[tuple[float, float], ...], positional: str, value: float) -> None:
    assert cost(A, Unit.box("B", *other), positional) == pytest.approx(value)
    assert cost(A, Unit.box("B", (0, 2), (0, 2)), positional) == 0


def test_a_shape_without_area_equals_only_itself() -> None:
    flat = Unit.box("A", (0, 2), (1, 1))
    assert cost(flat, Unit.box("B", (0, 2), (1, 1)), "iou") == 0
    assert cost(flat, A, "iou") == math.inf
    assert cost(flat, Unit.box("B", (0, 2), (1, 1)), "giou") == 0
    assert cost(Unit.box("A", (1, 1), (2, 2)), Unit.box("B", (5, 5), (2, 2)), "giou") == 4


def test_intersection_on_one_axis() -> None:
    assert cost(Unit("A", 0, 10), Unit("B", 5, 10), "iou") == 1  # IoU .5 is as good as missing


def test_polygons_and_stacks() -> None:
    pytest.importorskip("shapely")
    square = drawn("A", "polygon", [(0, 0), (2, 0), (2, 2), (0, 2)])
    half = drawn("B", "polygon", [(0, 0), (2, 0), (2, 2)])
    assert cost(square, half, "iou") == 1
    assert cost(half, drawn("B", "polygon", [(0, 0), (2, 0), (2, 2)]), "iou") == 0
    assert cost(square, Unit.box("B", (1, 3), (0, 2)), "iou") == pytest.approx(4 / 3)
    # Two parts that overlap count as their union.
    two = drawn("B", "polygon", [(0, 0), (2, 0), (2, 1), (0, 1)], [(0, 0), (1, 0), (1, 2), (0, 2)])
    assert cost(square, two, "iou") == pytest.approx(2 * (1 - 3 / 4))

    def slices(annotator: str, *at: float) -> Unit:
        return drawn(
            annotator, "stack", *([(0, 0, z), (2, 0, z), (2, 2, z), (0, 2, z)] for z in at)
        )

    assert cost(slices("A", 1, 2, 3), slices("B", 2, 3, 4), "iou") == pytest.approx(1)
    assert cost(slices("A", 1, 2), slices("B", 3, 4), "iou") == math.inf
    with pytest.raises(
        DataError, match=r"does not support shapes of 1 units \(there are: box, poly"
    ):
        cost(square, A, "giou")


def test_outlines(tmp_path: Path) -> None:
    pytest.importorskip("shapely")
    points = [drawn(a, "point", [p]) for a, p in (("A", (0, 0)), ("B", (3, 4)))]
    assert cost(*points, Boundary(10)) == pytest.approx(0.25)
    with pytest.raises(DataError, match="points have no diameter") as error:
        cost(*points, "boundary")
    # Following the advice works.
    file = tmp_path / "d.toml"
    file.write_text('beta = 0\npositional = "boundary"\nscale = 12\n')
    assert 'positional = "boundary" and scale = 12' in str(error.value.hint)
    assert gc.align(Continuum.from_units(points), dissimilarity(str(file))).disorder == (
        pytest.approx((5 / 12) ** 2)
    )
    file.write_text("scale = 12\n")
    with pytest.raises(DataError, match="scale applies only to positional 'boundary'"):
        dissimilarity(str(file))
    line = drawn("A", "polyline", [(0, 0), (0, 5)])
    assert cost(line, drawn("B", "polyline", [(0, 5), (0, 10)]), "boundary") == pytest.approx(1)
    assert cost(line, drawn("B", "polyline", [(0, 0), (0, 5)]), "boundary") == 0
    # The corners (0, 0)-(2, 2) against the square moved by 1: √1 over a diameter of √8.
    assert cost(A, Unit.box("B", (1, 3), (0, 2)), "boundary") == pytest.approx(1 / 8)
    c = Continuum.from_units([line, drawn("B", "polyline", [(90, 0), (90, 5)])])
    assert gc.align(c, Combined(positional="boundary")).disorder == 2


@pytest.mark.parametrize("positional", ["hamming", "sporadic"])
def test_dissimilarities_without_shapes_refuse_them(positional: str) -> None:
    c = Continuum.from_units([drawn(a, "polygon", [(0, 0), (2, 0), (2, 2)]) for a in "AB"])
    with pytest.raises(DataError, match="does not support shapes of 2 units") as error:
        gc.align(c, Combined(positional=positional))
    assert "c.boxes()" in str(error.value.hint)
    assert gc.align(c.boxes()).disorder == 0  # the advice works
    assert c.hulls().axes == 1


def test_without_positions_shapes_do_not_count() -> None:
    pytest.importorskip("shapely")
    c = Continuum.from_units([drawn(a, "polygon", [(0, 0), (2, 0), (2, 2)]) for a in "AB"])
    assert gc.align(c, Combined(alpha=0)).disorder == 0


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=3, max_size=6))
def test_outlines_that_differ_by_rounding_never_have_a_negative_cost(
    points: list[tuple[int, int]],
) -> None:
    """A further point on each side leaves the area, but intersections are rounded."""
    shapely = pytest.importorskip("shapely")
    ring: list[tuple[float, ...]] = [(x / 10 + 0.1, y / 10) for x, y in points]
    nexts = [*ring[1:], ring[0]]
    finer = [
        q
        for a, b in zip(ring, nexts, strict=True)
        for q in (a, ((a[0] * 2 + b[0]) / 3, (a[1] * 2 + b[1]) / 3))
    ]
    assume(shapely.Polygon(ring).is_valid and shapely.Polygon(ring).area > 0.1)
    u, v = drawn("A", "polygon", ring), drawn("B", "polygon", finer)
    assert 0 <= cost(u, v, "iou") < 1e-9
    assert cost(u, u, "iou") == 0


def test_outlines_without_area() -> None:
    pytest.importorskip("shapely")
    dot, line = [(1.0, 1.0)] * 4, [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    flat = drawn("A", "polygon", line)
    assert cost(flat, drawn("B", "polygon", line), "iou") == 0
    assert cost(flat, drawn("B", "polygon", dot), "iou") == math.inf
    for u in (drawn("A", "polygon", dot), Unit.box("A", (1, 1), (1, 1))):
        assert cost(u, u, "boundary") == 0
        assert cost(u, Unit.box("B", (2, 2), (1, 1)), "boundary") == math.inf
