"""A campaign in the studio: in a browser, by keyboard, up to a file of the tool."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.renaming import rename_categories
from gammacp.continuum.selecting import keep_annotators
from gammacp.formats import write
from tests.contrast import CONTRASTS
from tests.studio.conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

TEXT = "The cat sat. 𝄞 The dög ran; nobody saw."
HOSTILE = "<img src=x onerror='window.harmed = 1'>"


def document(name: str) -> Continuum:
    return Continuum.from_units(
        [
            Unit("Ann", 4, 7, "animal"), Unit("Ann", 19, 22, "animal"),
            Unit("Ann", 28, 34, HOSTILE),
            Unit("Bob", 4, 7, "animal"), Unit("Bob", 20, 22, "thing"),
            Unit("Cid", 4, 7, "animal"), Unit("Cid", 28, 34, HOSTILE),
        ],
        bounds=(0, len(TEXT)), name=name, text=TEXT, offset_unit="characters",
    )  # fmt: skip


DOCUMENTS = {name: document(name) for name in ("first", f"second {HOSTILE}", "third")}


@pytest.fixture(scope="module")
def studio(
    starting: Callable[..., Running], browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> Running:
    assert browser.is_connected()
    return starting(tmp_path_factory.mktemp("campaign"), *("--samples", "5", "--chance", "cut"))


@pytest.fixture
def page(browser: "Browser", studio: Running) -> Iterator["Page"]:
    """Yield the studio's page; any error in it, and any request elsewhere, fails the test."""
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page.set_default_timeout(180_000)  # for a cold cache
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda r: None if r.url.startswith(studio.address) else complaints.append(r.url),
    )
    page.goto(studio.address)
    yield page
    harmed = page.evaluate("window.harmed")
    page.close()
    assert complaints == []
    assert harmed is None


def gamma_on(page: "Page") -> float:
    shown = page.locator(".headline .score").inner_text().split()[-1]
    return float(shown.replace("−", "-"))


def test_added_files_are_read_and_measured(page: "Page", studio: Running, tmp_path: Path) -> None:
    write(Corpus.from_continua(DOCUMENTS), tmp_path / "all.json")
    broken = tmp_path / "broken.csv"
    broken.write_text("annotator,category,start,end\nAnn,x,1,5\nBob,x,seven,9\n", encoding="utf-8")
    page.locator("#files").set_input_files([tmp_path / "all.json", broken])
    page.get_by_role("link", name="start the review").wait_for()
    assert (studio.folder / "all.json").is_file()
    expected = gc.gamma_corpus(Corpus.from_continua(DOCUMENTS), samples=5, chance="cut").value
    assert gamma_on(page) == pytest.approx(expected, abs=5e-4)
    understood = page.locator("#understood")
    assert "3 documents, 3 annotators, 21 units, 3 labels." in understood.inner_text()
    row = understood.locator("table").first.locator("tbody tr").inner_text().split("\t")
    assert row[0].endswith("broken.csv")
    assert row[1] == "3"
    assert "seven" in row[2]
    page.get_by_role("link", name="Open the report").click()
    assert gamma_on(page) == pytest.approx(expected, abs=5e-4)
    assert page.locator("canvas[data-part=canvas]").is_visible()
    page.get_by_role("link", name="Files").click()
    assert page.get_by_role("heading", name="Studio").is_visible()


def test_a_campaign_file_asks_first(page: "Page", studio: Running, tmp_path: Path) -> None:
    (tmp_path / "campaign.toml").write_text('paths = ["."]\nexclude = ["Cid"]\n', encoding="utf-8")
    page.get_by_role("link", name="start the review").wait_for()
    page.locator("#files").set_input_files([tmp_path / "campaign.toml"])
    page.get_by_text('exclude = ["Cid"]').wait_for()
    assert not (studio.folder / "campaign.toml").exists()
    page.get_by_role("button", name="Leave it out").press("Enter")
    page.get_by_text('exclude = ["Cid"]').wait_for(state="detached")
    page.get_by_role("link", name="start the review").wait_for()
    assert page.get_by_label("Cid (6)").is_checked()
    assert not (studio.folder / "campaign.toml").exists()


def test_another_choice_changes_gamma(page: "Page") -> None:
    page.get_by_role("link", name="start the review").wait_for()
    whole = gamma_on(page)
    page.get_by_label("Cid (6)").uncheck()
    page.get_by_label("Another name for thing").fill("animal")
    page.get_by_role("button", name="Compute with this choice").press("Enter")
    page.get_by_text(re.compile("^2 annotators, 3 documents")).wait_for()
    two = {n: keep_annotators(c, ["Ann", "Bob"]) for n, c in DOCUMENTS.items()}
    merged = Corpus.from_continua(
        {n: rename_categories(c, {"thing": "animal"}) for n, c in two.items()}
    )
    assert gamma_on(page) == pytest.approx(
        gc.gamma_corpus(merged, samples=5, chance="cut").value, abs=5e-4
    )
    assert page.get_by_label("Another name for thing").input_value() == "animal"
    page.get_by_label("Cid (6)").check()
    page.get_by_label("Another name for thing").fill("")
    page.get_by_role("button", name="Compute with this choice").press("Enter")
    page.get_by_text(re.compile("^3 annotators, 3 documents")).wait_for()
    assert gamma_on(page) == whole


@pytest.mark.slow
def test_cancelled_and_resumed(page: "Page", studio: Running) -> None:
    with page.expect_response("**/run/read"):
        page.get_by_role("button", name="Read the folder again").click()
    studio.client.post("run/cancel")
    assert studio.wait("cancelled", "done")
    if studio.state()["state"] == "cancelled":
        with page.expect_response("**/run/start"):
            page.get_by_role("button", name="Resume").click()
    assert studio.wait("done")
    page.get_by_role("link", name="start the review").wait_for()


# Part of each page that shows that the page is complete.
SHOWN = {
    "": "#understood table",
    "report": "canvas[data-part=canvas]",
    "review": "#decide-title:has-text('Unit')",
    "export": "#gold",
}


def opened(page: "Page", studio: Running, place: str) -> None:
    """Go to a page of the studio, and wait until it shows what it fetches."""
    fetched = "decisions?after=0" if place == "review" else place
    with page.expect_response(f"**/{fetched}"):
        page.goto(studio.address + place)
    page.locator(SHOWN[place]).first.wait_for()


def reviewing(page: "Page", studio: Running) -> None:
    page.goto(studio.address + "review")
    page.get_by_label("Reviewer").fill("Rae")
    page.locator("#decide-title").click()


def saved(page: "Page", what: str) -> None:
    from playwright.sync_api import expect

    # The whole panel is compared, so that a failure shows its message.
    expect(page.locator("#decide")).to_contain_text(what, timeout=60_000)


def shows(part: "Locator", text: str) -> None:
    """Wait until a part of the page has exactly this text."""
    from playwright.sync_api import expect

    expect(part).to_have_text(text, timeout=60_000)


def test_review_by_keys_and_take_home(page: "Page", studio: Running, tmp_path: Path) -> None:
    reviewing(page, studio)
    title, why = page.locator("#decide-title"), page.locator("#why")
    # In each of three documents, dog has a tied category and two of three marked nobody.
    shows(title, "Unit 1 of 6")
    assert "category tied: animal (1) = thing (1)" in why.inner_text()
    assert page.locator("#passage .at").all_inner_texts() == ["d", "ög"]
    page.keyboard.press("1")
    saved(page, "Saved: animal 19–22. 5 units are still open")
    page.keyboard.press("2")
    saved(page, "Saved: thing 20–22. 4 units")
    page.keyboard.press("x")
    saved(page, "Saved: no unit. 3 units")
    page.keyboard.press("u")
    saved(page, "Undone. 4 units")
    shows(title, "Unit 3 of 6")
    page.keyboard.press("m")  # m is refused on a tie, which has to be edited
    page.get_by_label("From").fill("15")
    page.get_by_label("as", exact=True).fill("pet")
    shows(page.locator("#editor output"), "The dög")
    page.keyboard.press("Enter")
    saved(page, "Saved: pet 15–22. 3 units")
    page.keyboard.press("m")
    saved(page, f"Saved: {HOSTILE} 28–34. 2 units")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    shows(title, "Unit 5 of 6")
    page.keyboard.press("2")  # Bob has no unit there
    saved(page, "Saved: no unit. 1 unit is still open")
    page.keyboard.press("x")
    saved(page, "All units are decided: export the gold standard")
    page.reload()
    page.locator(".decided").wait_for()
    page.get_by_role("link", name="Export", exact=True).click()
    assert "6 were decided by reviewers, 0 need a decision" in page.locator("#gold").inner_text()
    with page.expect_download() as download:
        page.get_by_label("Download json").click()
    download.value.save_as(tmp_path / "gold.json")
    corpus = gc.read_corpus(tmp_path / "gold.json")
    gold_units = sorted((u.start, u.end, u.category) for c in corpus.values() for u in c)
    assert gold_units == sorted(
        [(4, 7, "animal")] * 3
        + [(19, 22, "animal"), (20, 22, "thing"), (15, 22, "pet"), (28, 34, HOSTILE)]
    )
    journal = studio.client.get("journal.json").json()["decisions"]
    assert [row["action"] for row in journal] == [
        "take", "take", "drop", "undo", "edit", "merge", "take", "drop",
    ]  # fmt: skip
    assert {row["reviewer"] for row in journal} == {"Rae"}
    assert [f.name for f in studio.folder.iterdir() if "gold" in f.name] == []


def test_a_name_is_needed_and_fields_take_letters(page: "Page", studio: Running) -> None:
    page.goto(studio.address + "review")
    page.locator("#decide-title").click()
    page.keyboard.press("x")
    page.get_by_text("Enter your name").wait_for()
    page.keyboard.type("max 1")
    assert page.get_by_label("Reviewer").input_value() == "max 1"
    assert len(studio.client.get("decisions").json()["decisions"]) == 8


def test_everything_by_keyboard(page: "Page", studio: Running) -> None:
    for place, wanted in (
        ("", {"Choose files…", "Compute with this choice", "open the report"}),
        ("review", {"m", "e", "x", "u", "Reviewer"}),
        ("export", {"Download json", "The report as one file"}),
    ):
        opened(page, studio, place)
        focused: set[str] = set()
        for _ in range(80):
            if wanted <= focused:
                break
            page.keyboard.press("Tab")
            focused.add(page.evaluate(
                "e => (e.getAttribute('aria-label') || e.querySelector('kbd')?.textContent"
                " || e.textContent || e.labels?.[0].textContent || '').trim()",
                page.evaluate_handle("document.activeElement"),
            ))  # fmt: skip
        assert wanted <= focused


def test_a_key_applies_to_the_unit_seen_when_it_was_pressed(page: "Page", studio: Running) -> None:
    """This holds however late the answers of the server are."""
    held: list[Route] = []
    page.route(
        "**/decisions", lambda route: held.append(route)
    )  # requests that send decisions; requests that read them have a query
    reviewing(page, studio)
    # all units are decided, so no other one is opened after a decision
    page.locator("#why .decided").wait_for()
    listed = page.locator('#decide script[type="application/json"]').text_content()
    first, second = [item["key"] for item in json.loads(listed or "")[:2]]
    for key in ("x", "j", "1", "e"):  # the page continues before the first answer
        page.keyboard.press(key)
    shows(page.locator("#decide-title"), "Unit 2 of 6")
    page.get_by_label("as", exact=True).fill("max")
    for i, what in enumerate(("Saved: no unit", "Saved: no unit")):
        wait_until(page, lambda n=i: len(held) > n)
        held[i].continue_()
        saved(page, what)
    assert page.get_by_label("as", exact=True).input_value() == "max"  # the editor is still open
    page.keyboard.press("Enter")
    wait_until(page, lambda: len(held) > 2)
    held[2].continue_()
    saved(page, "Saved: max")
    sent = [(route.request.post_data_json or {})["item"] for route in held]
    assert sent == [first, second, second]
    for _ in range(5):
        page.keyboard.down("x")  # holding the key
    page.keyboard.up("x")
    wait_until(page, lambda: len(held) > 3)
    held[3].continue_()
    saved(page, "Saved: no unit")
    page.wait_for_timeout(200)
    assert len(held) == 4


def test_a_late_journal_closes_no_editor(page: "Page", studio: Running) -> None:
    item = studio.client.get("decisions").json()["decisions"][0]
    asked = {"reviewer": "Rae", "document": item["document"], "item": item["item"]}
    studio.client.post("decisions", json={"request": "late1", "action": "drop", **asked})
    held: list[Route] = []
    page.route("**/decisions?after=0", lambda route: held.append(route))
    reviewing(page, studio)
    wait_until(page, lambda: len(held) > 0)
    listed = page.locator('#decide script[type="application/json"]').text_content()
    place = [row["key"] for row in json.loads(listed or "")].index(item["item"])
    for key in "j" * place + "e":
        page.keyboard.press(key)
    held[0].continue_()
    page.locator("#why .decided").wait_for()
    page.wait_for_timeout(100)
    assert page.locator("#editor").is_visible()
    studio.client.post("decisions", json={"request": "late2", "action": "undo", "reviewer": "Rae"})


def wait_until(page: "Page", there: Callable[[], bool]) -> None:
    for _ in range(400):
        if there():
            return
        page.wait_for_timeout(20)
    raise AssertionError("nothing was sent")


def test_nothing_is_wider_than_the_window(page: "Page", studio: Running) -> None:
    for place in ("", "report", "review", "export"):
        opened(page, studio, place)
        for width in (400, 1000, 1600):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, place
        # Links to other pages are at the same place everywhere, and there is no player without a
        # recording.
        assert (page.locator("nav.studio a").first.bounding_box() or {"x": 0})["x"] > 10, place
        assert not page.locator("audio").is_visible()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_text_stands_out(page: "Page", studio: Running, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    for place in ("", "report", "review", "export"):
        opened(page, studio, place)
        evaluation = page.evaluate(CONTRASTS)
        assert len(evaluation) > 10
        assert [entry for entry in evaluation if entry[2] < 4.5] == [], place


def test_paused_and_resumed(starting: Callable[..., Running], tmp_path: Path) -> None:
    write(DOCUMENTS["first"], tmp_path / "one.json")
    studio = starting(tmp_path, "--samples", "5")
    studio.client.post("run/pause")  # its worker has not begun yet
    for _ in range(20):
        time.sleep(0.1)
        assert studio.state()["state"] == "paused"
    studio.client.post("run/resume")
    assert studio.wait("done")["state"] == "done"
