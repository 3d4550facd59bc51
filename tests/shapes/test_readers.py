"""Image tasks of Label Studio, COCO files, and options that leave shapes out."""

import json
import math
import random
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import DataError, Unit
from tests.shapes.images import drawn
from tests.tools.story import FIXTURES


def region(kind: str, value: dict[str, object], label: str = "dog") -> dict[str, object]:
    place = {"original_width": 200, "original_height": 100, "image_rotation": 0}
    return {"id": "r", "type": kind, "from_name": "l", **place, "value": {**value, kind: [label]}}


def task(*regions: dict[str, object]) -> str:
    annotations = [{"id": 1, "completed_by": 7, "was_cancelled": False, "result": [*regions]}]
    return json.dumps([{"id": 3, "data": {"image": "park.jpg"}, "annotations": annotations}])


def test_regions_of_images_are_in_pixels(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    side = {"x": 10, "y": 20, "width": 30, "height": 40}
    file.write_text(
        task(
            region("rectanglelabels", {**side, "rotation": 0}),
            region("polygonlabels", {"points": [[0, 0], [50, 0], [50, 50]]}),
            region("keypointlabels", {"x": 5, "y": 5, "width": 0.3}),
            region("ellipselabels", {"x": 5, "y": 5, "radiusX": 1, "radiusY": 1}),
        )
    )
    (c,) = gc.read_corpus(file).values()
    assert sorted(c, key=lambda u: (u.start, u.end)) == [
        drawn("7", "dog", "polygon", [(0, 0), (100, 0), (100, 50)]),
        drawn("7", "dog", "point", [(10, 5)]),
        Unit.box("7", (20, 80), (20, 60), category="dog"),
    ]
    assert c.offset_unit == "pixels"
    assert [(entry.kind, entry.count) for entry in c.left_out] == [("region", 1)]
    # The region is rotated by a quarter about its top left corner.
    file.write_text(task(region("rectanglelabels", {**side, "rotation": 90})))
    ((turned,),) = gc.read_corpus(file).values()
    assert turned.shape is not None
    assert (turned.start, turned.end) == (pytest.approx(-20), pytest.approx(20))
    assert turned.shape.extents == ((pytest.approx(20), pytest.approx(80)),)
    assert math.isclose(turned.shape.rings[0][0][0], 20)
    file.write_text(task(region("rectanglelabels", {"x": 1})))
    with pytest.raises(DataError, match="region of an image lacks numbers for its place"):
        gc.read_corpus(file)


@pytest.mark.parametrize("name", ["coco.json", "cvat", "voc", "raven", "audacity"])
def test_every_format_can_leave_shapes_out(name: str) -> None:
    whole = gc.read_corpus(FIXTURES / name)
    flat = gc.read_corpus(FIXTURES / name, shapes="no")
    assert {n: c.hulls() for n, c in whole.items()} == dict(flat)


def test_coco_files_are_read_back(tmp_path: Path) -> None:
    r = random.Random(1)
    units = []
    for i in range(60):
        low = [round(r.uniform(0, 900), 3) for _ in "xy"]
        high = [round(x + r.uniform(0, 90), 3) for x in low]
        units.append(
            Unit.box("ab"[i % 2], *zip(low, high, strict=True), category=r.choice(["x", None]))
        )
    c = gc.Continuum.from_units(units, annotators=("a", "b", "c"), name="i")
    gc.write(c, tmp_path / "c.json", format="coco")
    (back,) = gc.read_corpus(tmp_path / "c.json").values()
    assert (list(back), back.annotators) == (list(c), c.annotators)
    flat = gc.Continuum.from_units([Unit("a", 0, 1), Unit("b", 0, 1)])
    with pytest.raises(DataError, match="COCO holds boxes and polygons in the plane"):
        gc.write(flat, tmp_path / "d.json", format="coco")


@pytest.mark.parametrize(
    ("ring", "message"),
    [
        ([0, 0, 4, 0, 4, 4, 9], "annotation 12 has a polygon of 7 coordinates, an odd number"),
        ("0 0 4 0 4 4", "annotation 12 has a polygon that is not a list of coordinates"),
    ],
)
def test_coco_polygons_are_whole_points(tmp_path: Path, ring: object, message: str) -> None:
    file = tmp_path / "ann" / "odd.json"
    file.parent.mkdir()
    drawn_by_ann = {"id": 12, "image_id": 1, "bbox": [0, 0, 4, 4], "segmentation": [ring]}
    images = [{"id": 1, "file_name": "a.png"}]
    file.write_text(json.dumps({"images": images, "annotations": [drawn_by_ann]}))
    with pytest.raises(DataError, match=message) as caught:
        gc.read_corpus(file)
    assert "odd.json" in str(caught.value)


def test_coco_categories_have_names(tmp_path: Path) -> None:
    file = tmp_path / "ann" / "bare.json"
    file.parent.mkdir()
    box = {"id": 12, "image_id": 1, "category_id": 3, "bbox": [0, 0, 4, 4]}
    images = [{"id": 1, "file_name": "a.png"}]
    whole = {"images": images, "categories": [{"id": 3}], "annotations": [box]}
    file.write_text(json.dumps(whole))
    with pytest.raises(DataError, match="annotation 12 is of category 3, which has no name"):
        gc.read_corpus(file)


def test_coco_has_the_keys_that_pycocotools_needs(tmp_path: Path) -> None:
    """Areas are computed by hand; pycocotools 2.0.11 paints as many pixels for each polygon."""
    pytest.importorskip("shapely")
    square, moved = [(0, 0), (4, 0), (4, 4), (0, 4)], [(2, 2), (6, 2), (6, 6), (2, 6)]
    bow = [(0, 0), (4, 4), (4, 0), (0, 4)]
    areas = {
        Unit.box("ann", (10, 40), (20, 60), category="dog"): 1200,
        drawn("ann", "a", "polygon", square): 16,
        drawn("bob", "b", "polygon", square, moved): 28,  # two squares share four pixels
        drawn("bob", "c", "polygon", bow): 8,
        Unit.box("bob", (1, 2), (3, 3)): 0,
    }
    file = tmp_path / "c.json"
    gc.write(gc.Continuum.from_units(areas, name="i"), file, format="coco")
    written = json.loads(file.read_text())
    assert written["info"] == {}  # COCO.info and COCO.loadRes look it up
    labels = {None: None, **{c["id"]: c["name"] for c in written["categories"]}}
    area_by_label = {labels[x["category_id"]]: x["area"] for x in written["annotations"]}
    assert area_by_label == {unit.category: area for unit, area in areas.items()}
    assert {x["iscrowd"] for x in written["annotations"]} == {0}
    assert set(next(iter(gc.read_corpus(file).values()))) == set(areas)


def test_pycocotools_loads_written_files(tmp_path: Path) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    units = [Unit.box("ann", (10, 40), (20, 60), category="dog"), Unit.box("bob", (1, 3), (2, 5))]
    gc.write(gc.Continuum.from_units(units, name="i"), tmp_path / "c.json", format="coco")
    loaded = coco.COCO(tmp_path / "c.json")
    annotations = loaded.loadAnns(loaded.getAnnIds(areaRng=[5, 2000], iscrowd=False))
    assert [x["rater"] for x in annotations] == ["ann", "bob"]


def test_repaired_outlines_are_counted(tmp_path: Path) -> None:
    """A bow tie covers half of its square, its two lobes."""
    bow, square = [0, 0, 4, 4, 4, 0, 0, 4], [0, 0, 4, 0, 4, 4, 0, 4]
    about = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}
    path = tmp_path / "bow.json"
    drawn = [
        {**about, "id": i, "rater": who, "segmentation": [ring]}
        for i, (who, ring) in enumerate([("ann", bow), ("bob", square)])
    ]
    images, names = [{"id": 1, "file_name": "a"}], [{"id": 1, "name": "x"}]
    path.write_text(json.dumps({"images": images, "categories": names, "annotations": drawn}))
    corpus = gc.read_corpus(path)
    assert [(e.file, e.kind, e.count) for e in corpus.left_out] == [(str(path), "outline", 1)]
    assert "make_valid" in corpus.left_out[0].reason
    d = gc.Combined(positional="iou")
    assert gc.align(corpus["a"], d).disorder == pytest.approx(1.0)  # 2·(1 − 8/16) for one unit each
    assert gc.read_corpus(path, shapes="box").left_out == ()
    gc.write(corpus, tmp_path / "c.json")
    gc.write(corpus["a"], tmp_path / "c.csv")
    for again in ("c.json", "c.csv"):
        assert [e.count for e in gc.read_corpus(tmp_path / again).left_out] == [1], again


def test_a_spike_covers_nothing() -> None:
    """A square with a spike up to (4, 8) equals the square, in area and in outline."""
    spiked = drawn("ann", "x", "polygon", [(0, 0), (4, 0), (4, 4), (4, 8), (4, 4), (0, 4)])
    plain = drawn("bob", "x", "polygon", [(0, 0), (4, 0), (4, 4), (0, 4)])
    for name in ("iou", "boundary"):
        c = gc.Continuum.from_units([spiked, plain])
        assert gc.align(c, gc.Combined(positional=name)).disorder == 0, name
