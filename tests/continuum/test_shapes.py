"""Shapes of units: kept by every operation, by frames and by files, and validated."""

from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit
from gammacp.continuum.selecting import keep_annotators
from gammacp.continuum.shapes import Shape, box, from_json, outline
from tests.boxes import random_boxes

RINGS = [[(0.1, 0.0), (2.3, 0.0), (2.7, 2.0)], [(5.0, 5.0), (6.0, 5.0), (6.0, 7.1)]]


def drawn(annotator: str, kind: str, rings: list[list[tuple[float, ...]]]) -> Unit:
    (start, end), shape = outline(kind, rings)
    return Unit(annotator, start, end, "a", shape=shape)


def everything() -> list[Continuum]:
    volume = [[(0.3, 0.1, z), (2.0, 0.1, z), (1.0, 2.0, z)] for z in (1.5, 3.0)]
    return [
        random_boxes(3, 2, 3, 3),
        random_boxes(4, 3, 2, 3),
        random_boxes(5, 4, 2, 3),
        Continuum.from_units([drawn(a, "polygon", RINGS) for a in "AB"]),
        Continuum.from_units([drawn("A", "point", [[(0.1, 0.2)]]), drawn("B", "polyline", RINGS)]),
        Continuum.from_units([drawn(a, "stack", volume) for a in "AB"]),
    ]


@pytest.mark.parametrize("c", everything(), ids=lambda c: f"{c.axes}-{'-'.join(sorted(c.kinds))}")
@pytest.mark.parametrize("ending", ["csv", "json", "tsv"])
def test_files_give_shapes_back(c: Continuum, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    gc.write(c, path)
    assert gc.read(path) == c
    corpus = Corpus.from_continua({"one": c, "two": c})
    gc.write(corpus, path)
    assert {n: list(x) for n, x in gc.read_corpus(path).items()} == {
        "one": list(c), "two": list(c),
    }  # fmt: skip


def test_readers_can_leave_shapes_out(tmp_path: Path) -> None:
    c = Continuum.from_units([drawn(a, "polygon", RINGS) for a in "AB"])
    for name in ("x.csv", "x.json"):
        path = tmp_path / name
        gc.write(c, path)
        assert gc.read(path, shapes="no") == c.hulls()
        assert gc.read(path, shapes="box") == c.boxes()
        assert "shapes=box" in gc.read(path, shapes="box").selection


def test_selections_keep_shapes() -> None:
    c = random_boxes(7, 2, 3, 3)
    some = keep_annotators(c, c.annotators[:2])
    assert [*some] == [u for u in c if u.annotator in some.annotators]
    assert Continuum.from_frame(c.to_frame()) == Continuum.from_units(c)
    assert Continuum.from_units(reversed([*c]), annotators=c.annotators) == c
    assert c.n_broken == 0
    assert c.atoms() is c


def test_csv_with_corners(tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv"
    path.write_text(
        "image,annotator,label,xmin,ymin,xmax,ymax\nignored,Ann,cat,1,2,30,40\n,Bob,cat,1,2,31,40\n"
    )
    first, second = gc.read(path)
    assert first == Unit.box("Ann", (1, 30), (2, 40), category="cat")
    assert second.end == 31
    # Only one of y0 and y1 defines no box.
    path.write_text("annotator,category,start,end,y0\nAnn,cat,1,2,30\n")
    assert gc.read(path).axes == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,x,0,2,5,1", "a box reaches from 5 to 1"),
        ("A,x,0,2,5,", "y1"),
        ("A,x,0,2,,\nB,x,0,2,1,5", "1 of 2 units have no shape, the others have one"),
    ],
)
def test_bad_rows(rows: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv"
    path.write_text(f"annotator,category,x0,x1,y0,y1\n{rows}\n")
    with pytest.raises(DataError, match=message):
        gc.read(path)
    assert gc.read(path, shapes="no").axes == 1  # the message advises this


@pytest.mark.parametrize(
    ("kind", "rings", "message"),
    [
        ("blob", [[(0, 0)]], "'blob' is not a kind of shape with points"),
        ("polygon", [[(0, 0), (1, 1)]], "needs 3 or more points"),
        ("polygon", [[(0, 0), (1, 1), (float("nan"), 2)]], "finite coordinates"),
        ("point", [[(0, 0, 0)]], "2 finite coordinates"),
        ("stack", [[(0, 0, 0), (1, 1, 0), (1, 2, 1)]], "several values on the third axis"),
        ("polygon", [], "has no points"),
        ("polygon", [["ab"]], "points of a polygon are not numbers"),
    ],
)
def test_bad_outlines(kind: str, rings: list[list[tuple[float, ...]]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        outline(kind, rings)


def test_bad_boxes_and_mixtures() -> None:
    for extents, message in (
        (((0, 1),), "at least two axes"),
        (((0, 1), (2,)), "LOW and HIGH"),
        (((0, 1), (2, float("inf"))), "from 2 to inf"),
    ):
        with pytest.raises(DataError, match=message):
            box(*extents)
    with pytest.raises(DataError, match="not a kind with its extents"):
        from_json({"box": 1})
    flat, deep = Unit.box("A", (0, 1), (0, 1)), Unit.box("B", (0, 1), (0, 1), (0, 1))
    with pytest.raises(DataError, match="units have 2 and 3 axes"):
        Continuum.from_units([flat, deep])
    parts = Unit("B", 0, 9, fragments=((0, 2), (5, 9)), shape=Shape("box", ((0.0, 1.0),)))
    with pytest.raises(DataError, match="shapes and fragments"):
        Continuum.from_units([parts])


def test_measures_of_one_axis_say_that_they_do_not_apply() -> None:
    c = random_boxes(1, 2, 2, 3)
    for name, score in gc.measure(c, ["u-alpha", "kappa-d", "ser", "f1-overlap"]).items():
        assert f"shapes are not supported here, but {c.n_units} units have them" in (
            score.reason or ""
        ), name
    twice = [Unit(a, u.start, u.end, u.category, shape=u.shape) for u in c for a in "AB"]
    assert gc.measure(Continuum.from_units(twice), ["f1-exact"])["f1-exact"].value == 1
