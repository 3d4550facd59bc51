"""The first page, from nothing to γ: introduction, refusals, questions and next steps."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gammacp as gc
from gammacp.campaign.verdict import verdict
from gammacp.continuum import Continuum, Unit
from gammacp.measures.agreement import agreement
from gammacp.report.markup import element
from gammacp.studio.choice import Choice
from gammacp.studio.first_page import live
from gammacp.studio.pages import waiting
from gammacp.studio.review import item_keys
from gammacp.studio.work import Findings, Now, Review, compute
from tests.studio.conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SECONDS = 60_000
# The names of columns are unknown; A and B differ at the end of every second unit.
ROWS = [(who, 10 * i, 10 * i + 5 + (who == "B" and i % 2), "x") for who in "AB" for i in range(8)]
TABLE = "rater,a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)


@pytest.fixture(scope="module")
def studio(
    starting: Callable[..., Running], browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Running:
    assert browser.is_connected()
    return starting(tmp_path_factory.mktemp("studio") / "campaign", "--samples", "5")


@pytest.fixture(params=[420, pytest.param(1600, marks=pytest.mark.slow)])
def page(browser: Browser, studio: Running, request: pytest.FixtureRequest) -> Iterator[Page]:
    complaints: list[str] = []
    opened = browser.new_page(viewport={"width": request.param, "height": 900})
    opened.set_default_timeout(SECONDS)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(studio.address)
    yield opened
    assert opened.evaluate("document.documentElement.scrollWidth") <= request.param
    opened.close()
    assert complaints == []


_NAMELESS = """[...document.querySelectorAll('input, select, button, a, progress')]
    .filter(e => !e.hidden && !(e.getAttribute('aria-label') || e.labels?.length
                                || e.textContent.trim()))
    .map(e => e.outerHTML)"""


def test_the_empty_page_introduces_itself(page: Page) -> None:
    steps = page.locator("#intro li b").all_inner_texts()
    assert steps == page.locator("nav.studio a").all_inner_texts()
    zone = page.locator(".zone")
    assert zone.evaluate("e => getComputedStyle(e).borderTopStyle") == "dashed"
    assert "Drop exports here" in zone.inner_text()
    assert page.get_by_role("button", name="Try the example").is_visible()
    assert page.evaluate(_NAMELESS) == []


def test_an_unreadable_file_leaves_the_page_unchanged(page: Page, tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-1.4\n")
    page.locator("#files").set_input_files(paper)
    page.get_by_text("No file was added.").wait_for()
    assert "paper.pdf" in page.locator("#refused").inner_text()
    assert page.locator("#intro").is_visible()


def test_unavailable_pages_say_why(page: Page, studio: Running) -> None:
    for place in ("report", "review", "export"):
        page.goto(studio.address + place)
        page.get_by_text("There are no files yet: drop exports, or try the example.").wait_for()
    page.goto(studio.address + "review")
    page.get_by_role("link", name="Go to Files").click()
    page.locator("#intro").wait_for()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("running", "It is being made: consensus."),
        ("cancelled", "Files has the button Resume"),
        ("done", "Files says why"),
    ],
)
def test_a_waiting_page_says_for_what(state: str, words: str) -> None:
    assert words in waiting("review", "Review", Now(state, Findings(stage="consensus"), "1"))


def test_progress_has_numbers_and_comes_first() -> None:
    findings = Findings(stage="24 of 40 random annotation sets", headline=element("p", "γ"))
    shown = live(Now("running", findings, "1"), Choice())
    bar = re.search(r"<progress[^>]*>", shown)
    assert bar is not None
    assert 'value="24"' in bar[0]
    assert 'max="40"' in bar[0]
    assert shown.index("<progress") < shown.index("<p>γ</p>")
    unsure = live(Now("running", Findings(stage="categories"), "1"), Choice())
    assert "<progress" in unsure
    assert "max=" not in unsure


def test_gamma_and_the_answer_come_before_the_report(tmp_path: Path) -> None:
    """The last message of the worker has the headline; the report is in its result."""
    folder = tmp_path / "campaign"
    folder.mkdir()
    (folder / "t.csv").write_text(TABLE.replace("rater,a,b,c", "annotator,start,end,category"))
    options: Any = {"samples": 5}
    findings = compute(folder, Choice(), options, tmp_path)
    assert findings.problem is None
    letter = pickle.loads((tmp_path / "findings").read_bytes())
    assert letter.page is None
    headline = unescape(str(letter.headline))
    continuum = Continuum.from_units(Unit(*row) for row in ROWS)
    expected = agreement({"t": continuum}, samples=5)
    assert f"{expected.score.value:.3f}" in headline
    assert verdict(expected).in_words()[0] in headline
    assert "follow in a moment" in headline
    assert "proven" not in headline


def drawn(decided: int) -> str:
    """Return the page of two documents of which `decided` of two units are decided."""
    units = [Unit(who, 0, 5, "x" if who == "A" else "y") for who in "AB"]
    # A tied category needs a decision.
    gold_standards = {
        name: gc.consensus(gc.align(Continuum.from_units(units, name=name))) for name in ("d", "e")
    }
    keys = [(name, key) for name, c in gold_standards.items() for key in item_keys(c)]
    review = Review(consensus=gold_standards, documents={})
    return live(Now("done", Findings(review=review), "1"), Choice(), standing=keys[:decided])


def test_the_next_step_counts_the_open_decisions() -> None:
    assert ">Start the review</a> of 2 units" in drawn(0)
    assert ">Go on with the review</a> 1 of 2 units are left" in drawn(1)
    assert "All 2 units on which annotators differ are decided" in drawn(2)
    assert 'href="./export"' in drawn(2)


def test_without_open_decisions_the_next_step_is_the_export() -> None:
    same = gc.align(Continuum.from_units([Unit("A", 0, 5, "x"), Unit("B", 0, 5, "x")]))
    review = Review(consensus={"d": gc.consensus(same)}, documents={})
    shown = live(Now("done", Findings(review=review), "1"), Choice())
    assert "There is nothing to review" in shown
    assert 'href="./export"' in shown


def test_unknown_columns_are_asked_for_first(
    browser: Browser, studio: Running, tmp_path: Path
) -> None:
    """The keyboard alone leads from the question to γ.

    This test must be the last one, as it leaves a file in the folder.
    """
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(SECONDS)
    page.goto(studio.address)
    (tmp_path / "odd.csv").write_text(TABLE)
    page.locator("#files").set_input_files(tmp_path / "odd.csv")
    page.get_by_text("Which column is what?").wait_for()
    places = [page.locator(f"#{name}").bounding_box() for name in ("choice", "understood")]
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["y"] < places[1]["y"]
    assert "Say under “What is measured”" in page.locator("#understood").inner_text()
    assert page.locator("#choice legend").all_inner_texts() == ["Columns of odd.csv"]
    for role, key in (("start", "a"), ("end", "b"), ("category", "c")):
        page.locator(f"select[name=columns-{role}]").focus()
        page.keyboard.press(key)
    page.get_by_role("button", name="Compute with this choice").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Start the review").wait_for()
    expected = gc.gamma(Continuum.from_units(Unit(*row) for row in ROWS), samples=5).value
    gamma_text = page.locator(".headline .score").inner_text().split()[-1]
    assert float(gamma_text.replace("−", "-")) == pytest.approx(expected, abs=5e-4)
    top = page.locator(".next").bounding_box()
    head = page.locator(".headline").bounding_box()
    assert top is not None
    assert head is not None
    assert top["y"] < head["y"]
    page.close()
