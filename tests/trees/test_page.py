"""The report page of a treebank: its parts, its arcs, and the escaping of its contents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from gammacp.trees.with_report.page import arcs, tree_arcs
from tests.conftest import Run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FIXTURES = Path(__file__).parents[1] / "fixtures"
ONE = tree_arcs((2, 0, 2), ("det", "root", "obj"))
OTHER = tree_arcs((3, 0, 2), ("det", "root", "obl"))


def test_arcs_of_both_annotators_are_drawn_and_differences_marked() -> None:
    found = ElementTree.fromstring(arcs(("a", "<b>", "c"), ONE, OTHER, ("Ann & co", "Ben")))
    (figure,) = found
    assert figure.get("aria-label") == "2 of 3 tokens differ: Ann & co above, Ben below"
    paths = [e for e in figure if e.tag == "path"]
    assert [p.get("class") for p in paths] == ["differs", None, "differs"] * 2
    texts = [e.text for e in figure if e.tag == "text"]
    assert texts == ["det", "root", "obj", "det", "root", "obl", "a", "<b>", "c", "Ann & co", "Ben"]
    # The annotators' arcs are on opposite sides of the words; an inner arc is closer to the words.
    words = float(next(e for e in figure if e.text == "<b>").get("y", ""))
    tops = [float(re.findall(r"V([\d.]+) H", p.get("d", ""))[0]) for p in paths]
    assert all(top < words for top in tops[:3]) and all(top > words for top in tops[3:])
    assert tops[1] < min(tops[0], tops[2])


@pytest.fixture
def page(run: Run, tmp_path: Path) -> str:
    out = tmp_path / "trees.html"
    result = run("report", FIXTURES / "cdt" / "es", "--trees", "dependency", "-o", out)
    assert result.code == 0, result.err
    return out.read_text(encoding="utf-8")


def test_the_page_has_all_sections(page: str) -> None:
    titles = re.findall(r'<h2 id="part\d+-title">([^<]+)', page)
    assert titles == [
        "Sentences to discuss, largest disagreement first", "Agreement", "Agreement of annotators",
        "Agreement by document", "Agreement by relation", "Most confused pairs of relations",
        "Agreement by sentence length, head distance and part of speech", "How this was computed",
    ]  # fmt: skip
    assert page.count('class="tree"') == 12
    assert "default-src 'none'" in page
    assert re.search(r'<div class="score">.*?0\.810', page)


def test_a_page_on_graphs_is_made_for_files_in_amr(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "graphs.html"
    assert run("report", FIXTURES / "graphs", "-o", out).code == 3
    assert run("report", FIXTURES / "graphs", "-o", out, "--allow-unread").code == 0
    page = out.read_text(encoding="utf-8")
    assert "only ann: p / person" in page
    assert "it is not sound" in page


@pytest.mark.parametrize(
    "option",
    [("--alpha", 2), ("--reference", "A"), ("--bootstrap", 9), ("--calibrate",)],
    ids=lambda option: option[0],
)
def test_the_report_on_trees_refuses_options_of_units(run: Run, option: tuple[object, ...]) -> None:
    refused = run("report", FIXTURES / "graphs", *option)
    assert (refused.code, "a report on trees accepts only" in refused.err) == (2, True)


def test_no_part_is_wider_than_the_window(browser: Browser, page: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    shown = browser.new_page()
    shown.goto((tmp_path / "page.html").as_uri())
    widest = "Math.max(...[...document.querySelectorAll('svg.tree')].map(s => s.clientWidth))"
    for width in (400, 1600):
        shown.set_viewport_size({"width": width, "height": 900})
        shown.emulate_media(media="screen")
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        shown.emulate_media(media="print")
        assert shown.evaluate(widest) <= width
    shown.close()
