"""Errors on boxes and outlines: the effects on their further axes."""

import math
from typing import TypeAlias

import numpy as np
import pytest

from gammacp import Combined, Continuum, DataError, Unit, align
from gammacp.continuum.outlines import cut, geometries
from gammacp.continuum.shapes import outline
from shuffling import shuffle
from tests.shapes.images import drawn

Ring: TypeAlias = list[tuple[float, ...]]


def reference() -> Continuum:
    boxes = [((10.0 * i, 10 * i + 4), (i, i + 2 + i % 3), (5, 9)) for i in range(12)]
    return Continuum.from_units([Unit.box("ref", *b, category="a") for b in boxes])


def shapes_of(c: Continuum) -> list[tuple[tuple[float, float], ...]]:
    return [u.shape.extents for u in c if u.shape]


@pytest.mark.parametrize(
    "error", ["position", "category", "split", "merge", "false-positive", "false-negative"]
)
def test_every_error_keeps_boxes(error: str) -> None:
    original = reference()
    same = shuffle(original, error, 0.0, n_annotators=2, seed=1)
    assert shapes_of(same) == shapes_of(original) * 2
    shuffled = shuffle(original, error, 0.6, n_annotators=2, seed=1)
    assert shuffled.axes == 3
    assert shuffled == shuffle(original, error, 0.6, n_annotators=2, seed=1)
    original_boxes = {(y, z) for y, z in shapes_of(original)}
    if error in ("category", "split", "false-negative", "false-positive"):
        assert set(shapes_of(shuffled)) <= original_boxes
    if error == "false-positive":
        assert shuffled.n_units > 24
    if error == "split":
        lengths = [u.length for u in shuffled]
        assert shuffled.n_units > 24
        assert sum(lengths) == pytest.approx(2 * sum(u.length for u in original))
    if error == "merge":
        assert shuffled.n_units < 24
        assert any(z == (5, 9) and y[1] - y[0] > 4 for y, z in shapes_of(shuffled))


def test_boundaries_move_on_every_axis_by_a_share_of_the_extent() -> None:
    original = reference()
    shuffled = shuffle(original, "position", 0.1, n_annotators=1, seed=3)  # factor 3: s = .3·extent
    pairs = [*zip(shapes_of(original), shapes_of(shuffled), strict=True)]
    moved = [
        abs(x - y) / (old[1] - old[0])
        for before, after in pairs
        for old, new in zip(before, after, strict=True)
        for x, y in zip(old, new, strict=True)
    ]
    assert 0.2 < max(moved) <= 0.3
    assert len(set(moved)) > 40


def test_outlines_move_in_proportion() -> None:
    ring: list[tuple[float, ...]] = [(0, 0), (4, 0), (4, 2)]
    c = Continuum.from_units([drawn("ref", "a", "polygon", ring)], bounds=(-9, 9))
    (unit,) = shuffle(c, "position", 0.2, n_annotators=1, seed=1)
    assert unit.shape is not None
    ((a, b, d),) = unit.shape.rings
    assert a[1] == b[1]
    assert b[0] == pytest.approx(d[0])
    assert (unit.start, unit.end) == (a[0], pytest.approx(b[0]))
    assert unit.shape.extents == ((a[1], pytest.approx(d[1])),)


def areas(c: Continuum) -> list[float]:
    """Return areas by the shoelace formula, for rings that do not cross themselves."""
    sizes = []
    for u in c:
        assert u.shape is not None
        doubled = [
            sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(r, [*r[1:], r[0]], strict=True))
            for r in u.shape.rings
        ]
        sizes.append(sum(abs(x) / 2 for x in doubled))
    return sizes


def outlines() -> Continuum:
    comb = [(0, 0), (9, 0), (9, 1), (2, 1), (2, 3), (9, 3), (9, 4), (0, 4)]
    units = [drawn("ref", "a", "polygon", [(x + 20 * i, y + i) for x, y in comb]) for i in range(4)]
    apart = [[(x, 9) for x in (0, 2)] + [(2, 8)], [(x, 9) for x in (7, 9)] + [(9, 5)]]
    return Continuum.from_units([*units, drawn("ref", "b", "polygon", *apart)])


def stacks() -> Continuum:
    slices = [[(0, 0, z), (5.5, 0, z), (5.5, 2, z), (0, 2, z)] for z in (1, 2.5, 4)]
    moved = [[(x + 3, y, z) for x, y, z in ring] for ring in slices]
    return Continuum.from_units([drawn("ref", "a", "stack", *r) for r in (slices, moved)])


@pytest.mark.parametrize(("given", "kind"), [(outlines(), "polygon"), (stacks(), "stack")])
def test_outlines_are_cut_joined_and_invented(given: Continuum, kind: str) -> None:
    shuffled = shuffle(given, "split", 1.0, n_annotators=1, seed=2)
    assert shuffled.n_units == 3 * given.n_units
    assert sum(areas(shuffled)) == pytest.approx(sum(areas(given)))
    assert len({round(x, 6) for x in areas(shuffled)}) > 2 * given.n_units
    for u in shuffled:
        assert u.shape is not None
        xs = [p[0] for ring in u.shape.rings for p in ring]
        assert (u.start, u.end) == (pytest.approx(min(xs)), pytest.approx(max(xs)))
    shuffled = shuffle(given, "merge", 0.3, n_annotators=1, seed=1)
    assert shuffled.n_units < given.n_units
    assert sum(areas(shuffled)) == pytest.approx(
        sum(areas(given))
    )  # overlapping parts stay separate
    assert shuffled.starts.min() == given.starts.min()
    assert shuffled.ends.max() == given.ends.max()
    shuffled = shuffle(given, "false-positive", 1.0, n_annotators=1, seed=1)
    assert shuffled.n_units > given.n_units
    high = {round(x / u.length, 6) for x, u in zip(areas(given), given, strict=True)}
    assert {round(x / u.length, 6) for x, u in zip(areas(shuffled), shuffled, strict=True)} <= high
    assert shuffled.kinds == {kind}


def test_points_and_lines_are_not_cut() -> None:
    c = Continuum.from_units([drawn("ref", "a", "polyline", [(0, 0), (4, 4)])], bounds=(-9, 9))
    for error in ("split", "merge", "false-positive"):
        with pytest.raises(DataError, match=f"{error}: 1 shapes are points or lines"):
            shuffle(c, error, 1.0, n_annotators=1, seed=1)


def test_cutting_a_self_crossing_outline_keeps_its_holes():
    """The repaired outline has an area of 15.69 around a hole of 2.15, which no piece may cover."""
    shapely = pytest.importorskip("shapely")
    points = [(9, 9), (6, 6), (8, 3), (10, 0), (10, 8), (7, 6), (8, 4)]
    whole = shapely.make_valid(shapely.Polygon(points)).area
    _, outlined = outline("polygon", [points])
    for at in (0.5, 2.0, 3.0):
        pieces = [shapely.Polygon(r) for _, part in cut(outlined, at) for r in part.rings]
        assert all(piece.is_valid for piece in pieces)
        assert sum(piece.area for piece in pieces) == pytest.approx(whole)


def square(x: float, y: float, side: float) -> Ring:
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


KEYHOLE: Ring = [(0, 0), (9, 0), (9, 9), (0, 9), (0, 0), (3, 3), (3, 6), (6, 6), (6, 3), (3, 3)]
LEFT: Ring = [(0, 0), (6, 0), (6, 2), (2, 2), (2, 7), (6, 7), (6, 9), (0, 9)]
RIGHT: Ring = [(6, 0), (9, 0), (9, 9), (6, 9), (6, 7), (7, 7), (7, 2), (6, 2)]
STAR: Ring = [(5 + 4 * math.sin(k * 0.8 * math.pi), 5 + 4 * math.cos(k * 0.8 * math.pi))
              for k in range(5)]  # fmt: skip
PAIRS: dict[str, tuple[list[Ring], list[Ring], float]] = {
    "touching": ([square(0, 0, 4)], [square(4, 0, 4)], 32),
    "at a corner": ([square(0, 0, 4)], [square(4, 4, 4)], 32),
    "nested": ([square(0, 0, 9)], [square(2, 2, 3)], 81),
    "nested, the other way round": ([square(0, 0, 9)], [square(2, 2, 3)[::-1]], 81),
    "equal": ([square(0, 0, 9)], [square(0, 0, 9)[::-1]], 81),
    "apart": ([square(0, 0, 4)], [square(6, 1, 2)], 20),
    "overlapping": ([square(0, 0, 4)], [square(2, 2, 4)], 28),
    "a hole filled": ([KEYHOLE], [square(3, 3, 3)], 81),
    "a hole kept": ([KEYHOLE], [square(6, 6, 5)], 72 + 16),
    "a hole between": ([LEFT], [RIGHT], 81 - 25),
    "crossing itself": ([[(0, 0), (4, 4), (4, 0), (0, 4)]], [square(1, 4, 5)], 8 + 25),
    "a star": ([STAR], [square(8, 0, 9)], math.nan),
    "of parts": ([square(0, 0, 2), square(1, 1, 4)], [square(0.5, 6, 3), square(7, 6, 1)], 29),
}


def inside(rings: list[Ring], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return whether points are in any ring, by the number of times a ray to the right
    crosses it.
    """
    is_inside = np.zeros(x.shape, bool)
    for ring in rings:
        odd = np.zeros(x.shape, bool)
        for p, q in zip(ring, [*ring[1:], ring[0]], strict=True):
            if p[1] != q[1]:
                at = p[0] + (y - p[1]) * (q[0] - p[0]) / (q[1] - p[1])
                odd ^= ((p[1] > y) != (q[1] > y)) & (x < at)
        is_inside |= odd
    return is_inside


@pytest.mark.parametrize("off", [0.0, 0.1, -317.3])
@pytest.mark.parametrize("name", PAIRS)
def test_joined_outlines_cover_the_union(name: str, off: float) -> None:
    """Areas are those by hand and by a grid of points, also after cutting and joining again."""
    shapely = pytest.importorskip("shapely")
    first, second, area = PAIRS[name]
    rings = [[(x + off, y + off) for x, y in ring] for ring in first + second]
    both = [
        drawn("ref", "a", "polygon", *part) for part in (rings[: len(first)], rings[len(first) :])
    ]
    joined = shuffle(Continuum.from_units(both), "merge", 1.0, n_annotators=1, seed=1)
    (unit,) = joined
    assert unit.shape is not None
    assert (unit.start, unit.end) == (both[0].start, max(u.end for u in both))
    assert outline("polygon", unit.shape.rings) == ((unit.start, unit.end), unit.shape)
    (covered,) = geometries([(unit.start, unit.end, unit.shape)])
    if area == area:
        assert covered.area == pytest.approx(area)
    grid = np.meshgrid(np.arange(-0.97, 18, 0.1303), np.arange(-0.93, 18, 0.1271))
    x, y = (places.ravel() + off for places in grid)
    assert np.array_equal(shapely.contains_xy(covered, x, y), inside(rings, x, y))
    pieces = shuffle(joined, "split", 1.0, n_annotators=1, seed=3)
    assert pieces.n_units > 2
    for piece in pieces:
        assert piece.shape is not None
        assert outline("polygon", piece.shape.rings) == ((piece.start, piece.end), piece.shape)
    parts = geometries((u.start, u.end, u.shape) for u in pieces if u.shape)
    assert shapely.symmetric_difference(shapely.union_all(parts), covered).area < 1e-9
    (again,) = shuffle(pieces, "merge", 1.0, n_annotators=1, seed=3)
    units = [Unit(who, u.start, u.end, shape=u.shape) for who, u in (("A", unit), ("B", again))]
    for positional in ("iou", "boundary"):
        alignment = align(Continuum.from_units(units), Combined(positional=positional))
        assert alignment.disorder == pytest.approx(0, abs=1e-9)


def test_adjacent_shapes_are_no_segmentation() -> None:
    """Boxes that tile the first axis are moved one by one, not as a segmentation."""
    boxes = [Unit.box("ref", (10 * i, 10 * i + 10), (i, i + 5), category="a") for i in range(3)]
    continuum = Continuum.from_units(boxes)
    for c in (continuum, Continuum.from_units(boxes[:1])):
        moved = shuffle(c, "position", 0.1, n_annotators=1, seed=1)
        assert (moved.n_units, moved.axes) == (c.n_units, 2)
        assert shapes_of(moved) != shapes_of(c)
    fewer = shuffle(continuum, "false-negative", 0.4, n_annotators=1, seed=1)
    assert {u.length for u in fewer} == {10.0}  # neighbours do not fill the gap
