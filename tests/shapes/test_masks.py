"""Masks as run lengths: areas and IoU of pycocotools 2.0, and broken masks.

`MASKS` are by `pycocotools.mask.encode`, and their areas by `area`: two masks on an image of height
4 and width 5, a square of nine pixels with a hole and a box of 4 × 2. `benchmarks/fields_peers.py
shapes` compares hundreds of random masks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import DataError
from gammacp.continuum.outlines import geometries
from gammacp.continuum.shapes import outline
from gammacp.shapes.formats.run_lengths import mask_size, rings_of_mask, runs_of
from tests.conftest import Run

shapely = pytest.importorskip("shapely")

MASKS = {"ann": ("431N00024", 8), "bob": ("52200000O", 8)}


def decoded(runs: list[int], height: int, width: int) -> np.ndarray[Any, Any]:
    """Return the pixels of runs, column by column."""
    pixels = np.repeat(np.arange(len(runs)) % 2, runs)
    return pixels.reshape(width, height).T


def annotation(number: int, who: str, segmentation: object, **others: object) -> dict[str, object]:
    return {
        "id": number,
        "image_id": 1,
        "category_id": 1,
        "rater": who,
        "bbox": [0, 0, 5, 4],
        "segmentation": segmentation,
        **others,
    }


def file_of(path: Path, *annotations: dict[str, object], **image: object) -> Path:
    document = {
        "images": [{"id": 1, "file_name": "a.png", **image}],
        "categories": [{"id": 1, "name": "cell"}],
        "annotations": [*annotations],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def masks() -> list[dict[str, object]]:
    return [
        annotation(k, who, {"size": [4, 5], "counts": counts})
        for k, (who, (counts, _)) in enumerate(MASKS.items(), start=1)
    ]


def test_an_uncompressed_list_of_counts_is_the_same_mask() -> None:
    lists = {"ann": [4, 3, 1, 1, 1, 1, 1, 3, 5], "bob": [5, 2, 2, 2, 2, 2, 2, 2, 1]}
    for who, runs in lists.items():
        assert runs_of(MASKS[who][0]) == runs
        assert rings_of_mask({"size": [4, 5], "counts": runs}) == rings_of_mask(
            {"size": [4, 5], "counts": MASKS[who][0]}
        )


def test_areas_and_measures_are_those_of_pycocotools(run: Run, tmp_path: Path) -> None:
    path = file_of(tmp_path / "m.json", *masks(), height=4, width=5)
    (c,) = gc.read_corpus(path).values()
    areas = shapely.area(geometries([(u.start, u.end, u.shape) for u in c if u.shape]))
    assert areas.tolist() == [area for _, area in MASKS.values()]
    scores = gc.measure(c, ["mean-iou", "mean-dice", "f1-iou"])
    assert np.isnan(scores["mean-iou"].value)  # the masks do not reach IoU .5
    out = run("gamma", path, "--positional", "iou", "--chance", "cut", "--json")
    assert out.code == 3  # one image has no chance across documents
    third = annotation(3, "bob", {"size": [4, 5], "counts": [4, 3, 1, 3, 1, 3, 5]})
    (c,) = gc.read_corpus(file_of(path, masks()[0], third)).values()
    scores = gc.measure(c, ["mean-iou", "mean-dice", "f1-iou"])
    assert scores["mean-iou"].value == pytest.approx(8 / 9)
    assert scores["mean-dice"].value == pytest.approx(16 / 17)
    assert scores["f1-iou"].value == 1


@pytest.mark.parametrize("seed", range(5))
def test_random_masks_cover_their_pixels(seed: int) -> None:
    random = np.random.default_rng(seed)
    height, width = (int(n) for n in random.integers(1, 9, 2))
    runs = []
    remaining = height * width
    while remaining:
        runs.append(min(remaining, int(random.integers(0, 5))))
        remaining -= runs[-1]
    pixels = decoded(runs, height, width)
    rings = rings_of_mask({"size": [height, width], "counts": runs})
    if not pixels.any():
        assert rings == []
        return
    (start, end), shape = outline("polygon", rings)
    (covered,) = geometries([(start, end, shape)])
    rows, columns = np.indices(pixels.shape)
    centres = shapely.points(columns.ravel() + 0.5, rows.ravel() + 0.5)
    assert shapely.contains(covered, centres).tolist() == pixels.ravel().astype(bool).tolist()
    assert covered.area == pixels.sum()


@pytest.mark.parametrize(
    ("segmentation", "message"),
    [
        (
            {"size": [4, 5], "counts": [5, 3]},
            "runs of the mask are 8 pixels, but an image of 4 × 5",
        ),
        ({"size": [4, 5], "counts": [5, -3, 18]}, "mask has a run of -3 pixels"),
        ({"size": [4, 5], "counts": "52200000"}, "runs of the mask are 19 pixels"),
        ({"size": [4, 5], "counts": "5220000P"}, "break off inside a run"),
        ({"size": [4, 5], "counts": "5 2"}, "character 2 of the mask's counts is ' '"),
        ({"size": [4, 5], "counts": "0O"}, "mask has a run of -1 pixels"),
        ({"size": [4, 5]}, 'mask has no "counts"'),
        ({"size": [4, 5], "counts": [1.5, 18.5]}, 'mask has no "counts"'),
        ({"size": [4], "counts": [20]}, 'mask has no "size" of height and width'),
        ({"size": [4, 0], "counts": []}, 'mask has no "size" of height and width'),
        ({"size": [1, 2**30], "counts": [0, 2**30]}, 'mask has no "size" of height and width'),
        ({"size": [5, 4], "counts": "52200000O"}, "2 sizes of image a.png"),
    ],
)
def test_broken_masks(run: Run, tmp_path: Path, segmentation: object, message: str) -> None:
    path = file_of(tmp_path / "m.json", *masks(), annotation(3, "cid", segmentation))
    with pytest.raises(DataError, match="annotation 3") as error:
        gc.read_corpus(path)
    assert message in error.value.message
    assert error.value.hint
    assert str(path) in str(error.value)
    assert run("gamma", path, "--positional", "iou").code == 3


def test_masks_must_have_the_size_of_the_image(tmp_path: Path) -> None:
    path = file_of(tmp_path / "m.json", *masks(), height=5, width=5)
    with pytest.raises(DataError, match=r"the image: 5 × 5; annotation 1: 4 × 5"):
        gc.read_corpus(path)


def test_files_of_annotators_must_have_images_of_one_size(run: Run, tmp_path: Path) -> None:
    for who, size, counts in (("ann", [4, 5], [5, 15]), ("bob", [4, 6], [5, 19])):
        (tmp_path / who).mkdir()
        one = annotation(1, who, {"size": size, "counts": counts})
        file_of(tmp_path / who / "m.json", one)
    outcome = run("measure", tmp_path, "-m", "mean-iou")
    assert outcome.code == 3
    assert "several sizes: 4 × 5 by ann, 4 × 6 by bob" in outcome.err.replace("\n", " ")
    # Exported at one size, as the advice says, they are compared.
    one = annotation(1, "bob", {"size": [4, 5], "counts": [5, 15]})
    file_of(tmp_path / "bob" / "m.json", one)
    followed = run("measure", tmp_path, "-m", "mean-iou")
    assert followed.code == 0
    assert "1.0000" in followed.out


def test_an_empty_mask_is_left_out_and_counted(tmp_path: Path) -> None:
    path = file_of(
        tmp_path / "m.json", *masks(), annotation(3, "ann", {"size": [4, 5], "counts": [20]})
    )
    (c,) = gc.read_corpus(path).values()
    assert c.n_units == 2
    assert [(x.kind, x.reason, x.count) for x in c.left_out] == [("mask", "covers no pixel", 1)]


def test_boxes_of_masks_need_no_run_lengths(tmp_path: Path) -> None:
    path = file_of(tmp_path / "m.json", annotation(1, "ann", {"size": [4], "counts": None}))
    (c,) = gc.read_corpus(path, shapes="box").values()
    assert [u.shape.kind for u in c if u.shape] == ["box"]


def test_the_size_needs_both_numbers() -> None:
    assert mask_size({"size": [4, 5]}) == (4, 5)
    with pytest.raises(DataError, match='no "size"'):
        mask_size({"size": [4, True]})
