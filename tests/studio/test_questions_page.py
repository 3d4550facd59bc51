"""Questions in a browser: from the first page to one answer for many units, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.formats import write

from .conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def campaign() -> Corpus:
    """Return six texts of eight units each, of which Max joins the first two."""
    continua = {}
    for number in range(6):
        rng = np.random.default_rng(number)
        lengths, gaps = rng.integers(5, 15, 8), rng.integers(1, 30, 8)
        starts = (np.cumsum(lengths + gaps) - lengths).tolist()
        units = []
        for who in ("Ann", "Bob", "Max"):
            spans = [(s, s + n) for s, n in zip(starts, lengths.tolist(), strict=True)]
            if who == "Max":
                spans[:2] = [(spans[0][0], spans[1][1])]
            units += [Unit(who, s, e, "LOC") for s, e in spans]
        continua[f"d{number}"] = Continuum.from_units(units, bounds=(0, 360))
    return Corpus.from_continua(continua)


@pytest.mark.parametrize("width", [420, pytest.param(1600, marks=pytest.mark.slow)])
def test_a_manager_finds_what_to_tell_max(
    starting: Callable[..., Running], browser: Browser, tmp_path: Path, width: int
) -> None:
    write(campaign(), tmp_path / "all.json")
    studio = starting(tmp_path, "--samples", "5")
    page = browser.new_page(viewport={"width": width, "height": 900})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(studio.address)
    page.get_by_text("talk with Max and the others about what Max marks as one unit").wait_for()
    assert page.locator(".headline .bars li span").first.text_content() == "Max: joined"
    page.get_by_role("link", name="Start the review").click()
    row = page.locator("#questions tbody tr").first
    places = [page.locator(name).bounding_box() for name in ("#who", "#questions", "#decide")]
    assert all(places)
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    assert "Max: joined, LOC: one unit or several?" in row.inner_text()
    row.get_by_role("button", name="As most have them").click()
    page.get_by_text("Enter your name").wait_for()
    page.get_by_label("Reviewer").fill("Ruth")
    row.get_by_role("button", name="As most have them").click()
    page.get_by_text("Saved for 12 units. Tell Max: mark several units, not one (LOC).").wait_for()
    page.get_by_text("✓ 12 of 12 decided").wait_for()
    assert page.locator("#answered a").get_attribute("href") == "./export"
    assert len(studio.client.get("decisions").json()["decisions"]) == 12
    page.locator("#questions [data-act=undo]").click()
    page.get_by_text("Undone for 12 units. 12 units are still open.").wait_for()
    row.get_by_role("button", name="Look").click()
    assert page.locator("#decide-title").inner_text().startswith("Unit ")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert complaints == []
