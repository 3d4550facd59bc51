"""Images under drawings: the file of a document, its scale, and notes on missing images."""

import json
import os
from base64 import b64decode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from re import search
from typing import Any

import pytest

from gammacp import Continuum, Corpus, DataError, Unit
from gammacp.base.files import named_as
from gammacp.formats import write
from gammacp.report.images import ENDINGS, grounds, small_jpeg

Image = pytest.importorskip("PIL.Image")
BOXES = [
    Unit.box("Ann", (100, 400), (20, 60), category="dog"),
    Unit.box("Bob", (120, 420), (20, 62), category="dog"),
]
NAMES = ("park", "yard.jpg", "train/road.png")
CORPUS = Corpus.from_continua({n: Continuum.from_units(BOXES, name=n) for n in NAMES})


def paint(
    path: Path, size: tuple[int, int] = (500, 100), colour: str = "red", **about: Any
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path, **about)
    return path


def test_the_file_of_a_document_is_found(tmp_path: Path) -> None:
    for name in (
        "park.jpg",
        "park.png",
        "train/road.png",
        "val/road.png",
        "a/lake.png",
        "b/lake.png",
    ):
        paint(tmp_path / name)
    paint(tmp_path.parent / "secret.png")
    os.symlink(tmp_path.parent / "secret.png", tmp_path / "link.png")  # noqa: PTH211
    wanted = ["park", "train/road.png", "val/road", "road", "lake", "link", "../secret", "none"]
    assert named_as(wanted, tmp_path, ENDINGS) == {
        "park": tmp_path / "park.png",
        "train/road.png": tmp_path / "train" / "road.png",
        "val/road": tmp_path / "val" / "road.png",
    }
    assert named_as(wanted, tmp_path, ENDINGS, below=False) == {"park": tmp_path / "park.png"}


def test_large_images_are_scaled_and_turned_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be rotated by a quarter turn
    content, size = small_jpeg(paint(tmp_path / "a.jpg", (4000, 1000), exif=exif))
    assert size == (1000, 4000)
    with Image.open(BytesIO(content)) as image:
        assert image.size == (300, 1200)
    (tmp_path / "b.png").write_bytes(b"\x89PNG and no more")
    with pytest.raises(DataError, match=r"b\.png.*cannot be read"):
        small_jpeg(tmp_path / "b.png")


def test_pages_hold_images_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("park.png", "yard.jpg"):
        paint(tmp_path / name)
    monkeypatch.setattr("gammacp.report.images.MOST", len(small_jpeg(tmp_path / "park.png")[0]))
    backgrounds = grounds(CORPUS, [tmp_path])
    assert [*backgrounds.images] == ["park"]
    assert [note.partition(":")[0] for note in backgrounds.notes] == [
        "1 drawn without an image (yard.jpg)",
        "1 drawn without an image (train/road.png)",
    ]
    timed = {"dawn": Continuum.from_units(BOXES, offset_unit="s")}
    assert grounds(timed, [tmp_path]) == grounds({}, [])


def test_report_draws_over_the_image(run: Callable[..., Any], tmp_path: Path) -> None:
    write(CORPUS, tmp_path / "boxes.json", format="coco")
    paint(tmp_path / "park.png")
    paint(tmp_path / "more" / "yard.jpg", (500, 100), "blue")
    how = ["report", tmp_path / "boxes.json", "--positional", "iou", "--samples", "20", "--json"]
    page = tmp_path / "r.html"
    images = json.loads(run(*how, "-o", page).out)["images"]
    assert images["drawn"] == 1
    assert "2 drawn without an image (yard.jpg, train/road.png)" in images["notes"][0]
    html = page.read_text(encoding="utf-8")
    assert "img-src data:" in html
    assert images["notes"][0].replace("'", "&#x27;") in html
    drawing = search(r'viewBox="-10 -2 520 104"[^>]*><image width="500" height="100"[^>]*', html)
    assert drawing
    packed = search(r"data:image/jpeg;base64,([^\"]+)", drawing[0])
    assert packed
    with Image.open(BytesIO(b64decode(packed[1]))) as image:
        assert image.convert("RGB").getpixel((250, 50)) == (254, 0, 0)
    elsewhere = json.loads(run(*how, "-o", page, "--images", tmp_path / "more").out)["images"]
    assert elsewhere["drawn"] == 1
    assert run(*how, "-o", page, "--images", tmp_path / "none").code == 3
