"""Errors on boxes and outlines: what each does on the further axes."""

import pytest

from gammacp import Continuum, DataError, Unit
from gammacp.continuum.outlines import cut
from gammacp.continuum.shapes import outline
from shuffling import shuffle
from tests.shapes.images import drawn


def reference() -> Continuum:
    boxes = [((10.0 * i, 10 * i + 4), (i, i + 2 + i % 3), (5, 9)) for i in range(12)]
    return Continuum.from_units([Unit.box("ref", *b, category="a") for b in boxes])


def shapes_of(c: Continuum) -> list[tuple[tuple[float, float], ...]]:
    return [u.shape.extents for u in c if u.shape]


@pytest.mark.parametrize(
    "error", ["position", "category", "split", "merge", "false-positive", "false-negative"]
)
def test_every_error_keeps_boxes(error: str) -> None:
    given = reference()
    same = shuffle(given, error, 0.0, n_annotators=2, seed=1)
    assert shapes_of(same) == shapes_of(given) * 2
    made = shuffle(given, error, 0.6, n_annotators=2, seed=1)
    assert made.axes == 3
    assert made == shuffle(given, error, 0.6, n_annotators=2, seed=1)
    known = {(y, z) for y, z in shapes_of(given)}
    if error in ("category", "split", "false-negative", "false-positive"):
        assert set(shapes_of(made)) <= known
    if error == "false-positive":
        assert made.n_units > 24
    if error == "split":
        lengths = [u.length for u in made]
        assert made.n_units > 24
        assert sum(lengths) == pytest.approx(2 * sum(u.length for u in given))
    if error == "merge":
        assert made.n_units < 24
        assert any(z == (5, 9) and y[1] - y[0] > 4 for y, z in shapes_of(made))


def test_boundaries_move_on_every_axis_by_a_share_of_the_extent() -> None:
    given = reference()
    made = shuffle(given, "position", 0.1, n_annotators=1, seed=3)  # factor 3: s = .3·extent
    pairs = [*zip(shapes_of(given), shapes_of(made), strict=True)]
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
    """By the shoelace formula, of rings that do not cross themselves."""
    found = []
    for u in c:
        assert u.shape is not None
        doubled = [
            sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(r, [*r[1:], r[0]], strict=True))
            for r in u.shape.rings
        ]
        found.append(sum(abs(x) / 2 for x in doubled))
    return found


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
    made = shuffle(given, "split", 1.0, n_annotators=1, seed=2)
    assert made.n_units == 3 * given.n_units
    assert sum(areas(made)) == pytest.approx(sum(areas(given)))
    assert len({round(x, 6) for x in areas(made)}) > 2 * given.n_units
    for u in made:
        assert u.shape is not None
        xs = [p[0] for ring in u.shape.rings for p in ring]
        assert (u.start, u.end) == (pytest.approx(min(xs)), pytest.approx(max(xs)))
    made = shuffle(given, "merge", 0.3, n_annotators=1, seed=1)
    assert made.n_units < given.n_units
    assert sum(areas(made)) == pytest.approx(sum(areas(given)))  # parts that overlap stay parts
    assert made.starts.min() == given.starts.min()
    assert made.ends.max() == given.ends.max()
    made = shuffle(given, "false-positive", 1.0, n_annotators=1, seed=1)
    assert made.n_units > given.n_units
    high = {round(x / u.length, 6) for x, u in zip(areas(given), given, strict=True)}
    assert {round(x / u.length, 6) for x, u in zip(areas(made), made, strict=True)} <= high
    assert made.kinds == {kind}


def test_points_and_lines_are_not_cut() -> None:
    c = Continuum.from_units([drawn("ref", "a", "polyline", [(0, 0), (4, 4)])], bounds=(-9, 9))
    for error in ("split", "merge", "false-positive"):
        with pytest.raises(DataError, match=f"{error}: 1 shapes are points or lines"):
            shuffle(c, error, 1.0, n_annotators=1, seed=1)


def test_a_cut_of_an_outline_that_crosses_itself_keeps_its_holes():
    """Mended it has an area of 15.69 around a hole of 2.15, which no side of a cut may cover."""
    shapely = pytest.importorskip("shapely")
    points = [(9, 9), (6, 6), (8, 3), (10, 0), (10, 8), (7, 6), (8, 4)]
    whole = shapely.make_valid(shapely.Polygon(points)).area
    _, outlined = outline("polygon", [points])
    for at in (0.5, 2.0, 3.0):
        pieces = [shapely.Polygon(r) for _, part in cut(outlined, at) for r in part.rings]
        assert all(piece.is_valid for piece in pieces)
        assert sum(piece.area for piece in pieces) == pytest.approx(whole)
