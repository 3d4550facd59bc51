"""The first screen of a report: labelled bars, charges, and colours of the legend."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.report import Report, figures, report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

FAST: dict[str, Any] = {"samples": 10, "draws": 50}
BLUE = figures.HERE
ORANGE = figures.ELSEWHERE


def document(number: int) -> Continuum:
    """Return nine units by three annotators.

    Cleo joins two units, and one label differs in each document.
    """
    units = []
    for who in ("Ann", "Bob", "Cleo"):
        spans = [(40 * i + number, 40 * i + 9 + 3 * number + i, "xyz"[i % 3]) for i in range(9)]
        if who == "Cleo":
            spans[:2] = [(spans[0][0], spans[1][1], "x")]
        if who == "Bob":
            spans[4] = (*spans[4][:2], "z")
        units += [Unit(who, start, end, label) for start, end, label in spans]
    return Continuum.from_units(units, bounds=(0, 400), name=f"d{number}")


@pytest.fixture(scope="module")
def built() -> Report:
    return report({f"d{i}": document(i) for i in range(6)}, title="Six", **FAST)


def rounded(bounds: tuple[float, float]) -> str:
    low, high = (f"{bound:.2f}" for bound in bounds)
    if low == high:
        return low
    return f"{low} to {high}"


def test_bars_of_the_scale_say_for_what_they_hold(built: Report) -> None:
    comparison = built.contents.comparison
    head = unescape(built.html.split("<nav", 1)[0])
    score = comparison.overall.score
    bootstrap = comparison.bootstrap
    assert bootstrap is not None
    assert score.interval is not None
    assert bootstrap.interval is not None
    assert f">these documents: {rounded(score.interval)}<" in head
    assert f">other documents (6 are few): {rounded(bootstrap.interval)}<" in head


def test_charges_come_before_the_links(built: Report) -> None:
    head, rest = built.html.split("<nav", 1)
    record = built.contents.comparison.as_dict()["kinds"]
    observed = sum(part["observed"] for part in record["parts"].values())
    shares = {
        (p["annotator"], p["kind"]): round(100 * p["charged"] / observed) for p in record["people"]
    }
    bars = dict(re.findall(r"<li><span>([^<]+)</span> <span class=\"faint\">(\d+)%", head))
    assert int(bars["Cleo: joined"]) == shares["Cleo", "merged"]
    assert int(bars["Bob: labelled differently"]) == shares["Bob", "category"]
    assert 'class="bars"' not in rest
    assert '<section id="kinds"' in rest


def test_the_least_needed_parts_are_under_methods(built: Report) -> None:
    before, methods = built.html.split('<section id="method"', 1)
    first = before.split("<nav", 1)[0]
    for words in ("(1 − within)(1 − between)", "Agreement above 0: p"):
        assert words not in first
        assert words in methods


@pytest.mark.parametrize("low", [-0.9, 0.0, 0.2, 0.5, 0.97])
@pytest.mark.parametrize("length", [0.0, 0.1, 0.5, 0.95])
def test_labels_of_bars_stay_in_the_picture_and_beside_the_bars(low: float, length: float) -> None:
    high = min(1.0, low + length)
    bars = [
        figures.ScaleBar(about=about, interval=(low, high), colour=colour)
        for about, colour in (("these documents", BLUE), ("other documents (7 are few)", ORANGE))
    ]
    drawn = ElementTree.fromstring(figures.scale(0.5 * (low + high), bars))
    wide, tall = (float(v) for v in drawn.get("viewBox", "").split()[2:])
    bottoms = []
    for group in drawn.iter("g"):
        bar, label = list(group)
        start = float(bar.get("x", ""))
        right = start + float(bar.get("width", ""))
        # Letters of a font of 15 units are at most 9 wide in common fonts.
        length_of_label = 9 * len(label.text or "")
        begin = float(label.get("x", ""))
        if label.get("text-anchor") == "end":
            begin -= length_of_label
        end = begin + length_of_label
        assert begin >= 0
        assert end <= wide
        assert start >= 0
        assert right <= wide
        below = float(label.get("y", "")) - 12 > float(bar.get("y", "")) + 6
        assert below or end <= start or begin >= right
        bottoms.append(float(label.get("y", "")))
    assert bottoms == sorted(bottoms)
    assert bottoms[-1] < tall


@pytest.mark.parametrize("name", ["κ", "α"])
def test_the_scale_in_words_has_the_symbol_and_the_bars(name: str) -> None:
    bar = figures.ScaleBar(about="other documents", interval=(0.861, 0.979), colour=ORANGE)
    label = figures.scale(0.9, [bar], measure=name).split('aria-label="')[1].split('"')[0]
    assert label.startswith(f"{name} = 0.900 ")
    assert label.endswith("other documents: 0.86 to 0.98")


def opened(browser: Browser, html: str, path: Path, width: int) -> Page:
    path.write_text(html, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(path.as_uri())
    return page


_COLOUR_OF_UNIT = """row => {
    const v = document.querySelector('[data-part=alignment]').view, u = v.model.doc.units;
    const lane = v.plan.lanes[u.annotator[row]];
    const x = v.gutter + (u.start[row] + 1 - v.from) * v.scale, y = lane.top + 3;
    const data = v.context.getImageData(x * v.ratio, y * v.ratio, 1, 1).data;
    return `rgb(${data[0]}, ${data[1]}, ${data[2]})`;
}"""


def test_units_have_the_colours_of_the_legend(
    browser: Browser, built: Report, tmp_path: Path
) -> None:
    page = opened(browser, built.html, tmp_path / "report.html", 1280)
    page.locator("canvas[data-part=canvas]").scroll_into_view_if_needed()
    assert page.get_by_label("Colour by").input_value() == "category"
    legend = page.locator("[data-part=filters] label:has(.swatch)")
    colours = legend.locator(".swatch").evaluate_all(
        "swatches => swatches.map(s => getComputedStyle(s).backgroundColor)"
    )
    categories = [*map(str.strip, legend.all_inner_texts())]
    assert categories == ["x", "y", "z"]
    # These are the rows of Bob's first four units, which all annotators label alike.
    rows = page.evaluate(
        """() => { const u = document.querySelector('[data-part=alignment]').view.model.doc.units;
        return u.start.map((_, r) => r).filter(r => u.annotator[r] === 1).slice(0, 4); }"""
    )
    drawn = [page.evaluate(_COLOUR_OF_UNIT, row) for row in rows]
    assert drawn == [colours[i % 3] for i in range(4)]
    page.get_by_label("Colour by").select_option("disorder")
    assert page.locator("[data-part=filters] .swatch").first.is_hidden()
    assert page.locator(".ramp-key").is_visible()
    page.get_by_label("Colour by").select_option("alignment")
    assert page.locator(".ramp-key").is_hidden()
    page.close()


@pytest.mark.parametrize("width", [420, pytest.param(1600, marks=pytest.mark.slow)])
def test_number_scale_and_longest_bar_need_no_scrolling(
    browser: Browser, built: Report, tmp_path: Path, width: int
) -> None:
    page = opened(browser, built.html, tmp_path / "report.html", width)
    for selector in (".score", ".scale", ".bars li >> nth=0"):
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 900
    texts = page.locator(".scale text")
    sizes = texts.evaluate_all(
        "all => all.map(t => t.getBoundingClientRect()).map(b => [b.left, b.right])"
    )
    svg = page.locator(".scale").bounding_box()
    assert svg is not None
    assert all(svg["x"] - 1 <= a and b <= svg["x"] + svg["width"] + 1 for a, b in sizes)
    page.close()
