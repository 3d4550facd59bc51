"""Boxes on images in the studio: from COCO, reviewed by keys in a browser, to a gold standard."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gammacp as gc
from gammacp import Combined, Continuum, Corpus, DataError, Unit
from gammacp.campaign.consensus import Consensus, consensus
from gammacp.studio.review import decision_of, gold, gold_file, item_keys
from tests.report.test_images import paint
from tests.studio.conftest import Running
from tests.studio.test_review import ask

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PARK = (
    Unit.box("Ann", (10, 40), (20, 60), category="dog"),
    Unit.box("Bob", (12, 42), (20, 62), category="cat"),
    Unit.box("Ann", (70, 90), (10, 30), category="cat"),
    Unit.box("Bob", (70, 90), (12, 30), category="cat"),
    Unit.box("Bob", (0, 5), (70, 80), category="dog"),
)
DOCUMENTS = {
    n: Continuum.from_units([replace(u, start=u.start + x, end=u.end + x) for u in PARK], name=n)
    for n, x in (("park.jpg", 0), ("road.jpg", 3), ("yard.jpg", 6))
}


def found(name: str = "park.jpg") -> dict[str, Consensus]:
    return {"d": consensus(gc.align(DOCUMENTS[name], Combined(positional="iou")))}


def key_at(of: dict[str, Consensus], start: float) -> str:
    return next(
        k for u, k in zip(of["d"].units, item_keys(of["d"]), strict=True) if u.start == start
    )


def test_a_decision_takes_the_shape_of_an_annotator() -> None:
    f = found()
    tied = key_at(f, 11)  # the median of 10 and 12
    bob = gold(f, {("d", tied): decision_of(f, ask(tied, "take", annotator="Bob"))})
    shapes = {u.start: u.shape for u in bob.continua["d"]}
    assert shapes[12] == PARK[1].shape
    named = ask(tied, "edit", start=11, end=41, category="pet")
    edited = gold(f, {("d", tied): decision_of(f, named)}).continua["d"]
    (pet,) = (u for u in edited if u.category == "pet")
    assert pet == Unit.box("gold", (11, 41), (20, 61), category="pet")
    with pytest.raises(DataError, match="a shape cannot be moved along its first axis alone"):
        decision_of(f, ask(tied, "edit", start=12, end=41, category="pet"))
    assert json.loads(decision_of(f, named).evidence)[0][-1] == {"box": [[10, 40], [20, 60]]}
    # A unit with the same edges on the first axis and others on the second has another key.
    higher = Continuum.from_units([Unit.box("Ann", (10, 40), (21, 60), category="dog"), *PARK[1:]])
    other = {"d": consensus(gc.align(higher, Combined(positional="iou")))}
    assert tied not in item_keys(other["d"])


def test_gold_of_shapes_in_files(tmp_path: Path) -> None:
    continua = {n: gold(found(n), {}).continua["d"] for n in DOCUMENTS}
    for name in ("coco", "json", "csv"):
        file, content = gold_file({n: c.with_about(name=n) for n, c in continua.items()}, name)
        (tmp_path / file).write_bytes(content)
        back = gc.read_corpus(tmp_path / file)
        assert {n: [u.json for u in c] for n, c in back.items()} == {
            n: [u.json for u in c] for n, c in continua.items()
        }


@pytest.mark.slow
def test_from_coco_to_gold_by_keys(
    starting: Callable[..., Running], browser: "Browser", tmp_path: Path
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    gc.write(Corpus.from_continua(DOCUMENTS), folder / "boxes.json", format="coco")
    for name in ("park.jpg", "road.jpg"):
        paint(folder / name, (120, 90))
    studio = starting(folder, *("--samples", "5", "--positional", "iou"))
    page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_default_timeout(180_000)
    page.goto(studio.address)
    page.get_by_role("link", name="start the review").wait_for()
    page.goto(studio.address + "review")
    page.get_by_label("Reviewer").fill("Rae")
    page.locator("#decide-title").click()
    assert page.locator("#shapes svg").count() == 3
    assert page.locator("#shapes").get_by_text("1 drawn without an image (yard.jpg)").count()
    sent = studio.client.get("image", params={"document": "park.jpg"})
    assert (sent.status_code, sent.headers["content-type"]) == (200, "image/jpeg")
    for other in ("yard.jpg", "boxes.json", "../park.jpg"):
        assert studio.client.get("image", params={"document": other}).status_code == 422
    with page.expect_response(lambda answer: "/image?" in answer.url) as fetched:
        page.reload()  # only the first image to be reviewed is fetched
    assert fetched.value.status == 200
    page.locator("#shapes image[href^=blob]").wait_for(state="attached")
    assert page.locator("#shapes image[data-href]").count() == 1
    page.locator("#decide-title").click()
    wide: Any = page.locator("#shapes path").evaluate_all(
        "paths => paths.filter(p => p.style.strokeWidth === '5').length"
    )
    assert wide == 2  # what Ann and Bob drew of the first unit
    open_items = len(page.locator("[data-said]").all())
    outcome = page.locator("#said")
    while open_items:
        page.keyboard.press("2")  # takes Bob's unit
        open_items -= 1
        outcome.get_by_text(
            f"{open_items} unit" if open_items else "All units are decided"
        ).wait_for()
    page.get_by_role("link", name="Export", exact=True).click()
    assert page.get_by_label("Download textgrid").count() == 0
    with page.expect_download() as download:
        page.get_by_label("Download coco").click()
    download.value.save_as(tmp_path / "gold.json")
    page.close()
    assert complaints == []
    corpus = gc.read_corpus(tmp_path / "gold.json")
    for name, c in DOCUMENTS.items():
        tied = next(u for u in c if u.annotator == "Bob" and u.category == "cat" and u.start < 30)
        assert tied.json in [u.json for u in corpus[name]]
        assert {u.annotator for u in corpus[name]} == {"gold"}
