"""The report in a browser: with the mouse, with the keyboard alone, and in print."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Unit
from gammacp.report import report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.usefixtures("browser")
FAST: dict[str, Any] = {"samples": 5, "draws": 50}

TEXT = "The cat sat. 𝄞 The dög ran; nobody saw."
UNITS = [
    Unit("Ann", 4, 7, "animal"), Unit("Ann", 19, 22, "animal"), Unit("Ann", 28, 34, "person"),
    Unit("Bob", 4, 7, "animal"), Unit("Bob", 20, 22, "thing"),
    Unit("Cid", 0, 11, "thing"), Unit("Cid", 28, 34, "person"),
]  # fmt: skip
HOSTILE = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"


def documents() -> dict[str, Continuum]:
    first = Continuum.from_units(
        UNITS, bounds=(0, 40), name="first", text=TEXT, offset_unit="characters"
    )
    second = Continuum.from_units(
        [Unit("Ann", 0, 5, "animal"), Unit("Bob", 0, 5, "animal"), Unit("Bob", 9, 12)],
        name="second",
    )
    return {"first": first, "second": second}


Open = Callable[..., "Page"]


@pytest.fixture
def opened(browser: "Browser", tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens HTML at a given width; any error or request fails the test."""
    pages: list[Page] = []
    complaints: list[str] = []

    def open_page(html: str, *, width: int = 1280, scheme: str = "light") -> "Page":
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on(
            "request",
            lambda r: None if r.url == path.as_uri() else complaints.append(f"request {r.url}"),
        )
        page.goto(path.as_uri())
        page.wait_for_function("document.querySelector('[data-part=alignment]').view !== undefined")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


@pytest.fixture(scope="module")
def html() -> str:
    return report(documents(), title="Two texts", **FAST).html


def view(page: "Page", expression: str, argument: object = None) -> Any:
    """Return the value of a JavaScript expression of the view `v` and the argument `x`."""
    return page.evaluate(
        f"x => {{ const v = document.querySelector('[data-part=alignment]').view;"
        f" return {expression}; }}",
        argument,
    )


_CENTRE = """(() => {
    const m = v.model, u = m.doc.units, lane = v.plan.lanes[u.annotator[x]];
    return [v.gutter + ((u.start[x] + u.end[x]) / 2 - v.from) * v.scale,
            lane.top + (lane.lane.track[m.slot[x]] + .4) * lane.track];
})()"""


def centre(page: "Page", row: int) -> tuple[float, float]:
    """Return the place on the page of the unit of a row."""
    canvas = page.locator("canvas[data-part=canvas]")
    canvas.scroll_into_view_if_needed()
    x, y = view(page, _CENTRE, row)
    box = canvas.bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


@pytest.mark.parametrize(
    "width", [pytest.param(w, marks=pytest.mark.slow) for w in (1280, 768)] + [390]
)
def test_nothing_is_wider_than_the_window(opened: Open, html: str, width: int) -> None:
    page = opened(html, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_role("heading", name="Two texts").is_visible()


_LINES = """e => { const r = document.createRange(); r.selectNodeContents(e);
    return r.getClientRects().length }"""


@pytest.mark.slow
def test_names_in_a_matrix_are_not_broken(opened: Open) -> None:
    """At a width of 1600 the matrix has half of the window, and `preparation` is not broken."""
    labels = ("hold", "preparation", "retraction", "stroke")
    units = [
        Unit(who, 9 * i, 9 * i + 5, labels[(i + (who == "Bob") * (i % 3)) % 4])
        for who in ("Ann", "Bob") for i in range(16)
    ]  # fmt: skip
    page = opened(report(Continuum.from_units(units), title="x", **FAST).html, width=1600)
    names = page.locator("table:not(.records) tbody th.name").all()
    assert "preparation" in [name.inner_text() for name in names]
    assert {name.evaluate(_LINES) for name in names} == {1}


_SIDEWAYS = """[...document.querySelectorAll('main *')]
    .filter(e => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1
                 && !['visible', 'clip'].includes(getComputedStyle(e).overflowX)
                 && !e.matches('.stage, fieldset'))
    .map(e => e.outerHTML.slice(0, 200))"""


def test_a_phone_need_not_scroll_sideways(opened: Open, html: str) -> None:
    page = opened(html, width=400)
    assert page.evaluate(_SIDEWAYS) == []
    cells = page.locator("#documents tbody tr").first.locator("td")
    heads = page.locator("#documents thead th").all_text_contents()[1:]
    shown = [cell.get_attribute("data-label") for cell in cells.all()]
    assert shown == heads
    wide = opened(html).locator("#documents thead")
    assert wide.is_visible()


@pytest.mark.slow
def test_tables_of_a_corpus_are_not_cut(opened: Open) -> None:
    """Five documents have p-values.

    Once, the last column was cut at a width of 1000 and the third annotator at 400.
    """

    def unit(who: str, i: int, shift: int) -> Unit:
        other = who == "Cleo" and i % 5 == 4
        label = "hold" if (i % 3 > 0) != other else "stroke"
        return Unit(who, 1000 * i + shift, 1000 * i + 600 + shift + 200 * other, label)

    corpus = {
        f"interview{d}": Continuum.from_units(
            unit(who, i, by * d) for by, who in enumerate(("Ann", "Bob", "Cleo")) for i in range(12)
        )
        for d in range(5)
    }
    html = report(corpus, title="x", **FAST).html
    for width in (1000, 1600):
        page = opened(html, width=width)
        assert "p by Holm" in page.locator("#annotators thead").first.inner_text()
        assert page.evaluate(_SIDEWAYS) == []
        names = page.locator("#review .name", has_text="interview").all()
        assert len(names) > 2
        assert {name.evaluate(_LINES) for name in names} == {1}
    narrow = opened(html, width=400)
    paddings = "cells => cells.map(e => getComputedStyle(e).paddingLeft)"
    assert set(narrow.locator("table.records td").evaluate_all(paddings)) == {"0px"}
    cut = "e => e.scrollHeight > e.clientHeight + 1"
    short = narrow.locator(".long:not(:has(tbody tr:nth-child(9)))").all()
    assert len(short) > 1
    assert not any(box.evaluate(cut) for box in short)


@pytest.mark.slow
def test_cells_of_matrices_lead_to_their_cases(opened: Open, html: str) -> None:
    page = opened(html)
    status = page.locator("[data-part=status]")
    cell = page.get_by_role("button", name="show where it is Ann and Bob")
    cell.click()
    # Cases come in order of decreasing cost; a unit without a counterpart costs 1.
    totals = []
    count = int(status.inner_text().split(" of ")[1].split()[0])
    assert count == 5
    for _ in range(count):
        group = "v.model.groups[v.pinned]"
        rows = view(page, f"{group}.rows.slice(0, 2)")
        pairs = view(page, f"{group}.pairs.map(p => [p.first, p.second, p.total])")
        both = [total for a, b, total in pairs if [a, b] == rows]
        totals.append(both[0] if both else 1.0)
        cell.focus()
        page.keyboard.press("Enter")
    assert totals == sorted(totals, reverse=True)
    assert page.get_by_role("checkbox", name="Cid").is_checked() is False
    page.get_by_role("button", name="show where it is animal and thing").first.click()
    assert view(page, "v.model.doc.name") == "first"
    shown = set(page.locator("[data-part=details] td:nth-child(2)").all_inner_texts())
    assert {"animal", "thing"} <= shown


def test_every_document_is_printed(opened: Open, html: str) -> None:
    page = opened(html)
    page.mouse.click(*centre(page, 2))
    page.get_by_role("checkbox", name="Cid").uncheck()
    before = view(page, "[v.index, v.from, v.span, v.pinned, v.filter.annotators]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".printed figcaption").all_inner_texts() == ["first", "second"]
    inked = """[...document.querySelectorAll('.printed canvas')].map(c => {
        const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return new Set(Array.from({length: data.length / 4}, (_, i) => data[4 * i])).size > 2; })"""
    assert page.evaluate(inked) == [True, True]
    assert not page.locator(".stage").is_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".printed").count() == 0
    assert view(page, "[v.index, v.from, v.span, v.pinned, v.filter.annotators]") == before


def test_shown_text_is_legible(opened: Open) -> None:
    text = "The cat sat on the mat and saw the dog. " * 40
    units = [Unit(name, 404, 407, "animal") for name in "AB"]
    long = Continuum.from_units(units, text=text, bounds=(0, 1600), offset_unit="characters")
    page = opened(_view_only(long))
    page.locator("canvas[data-part=canvas]").focus()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    # A character of a fixed font is 0.6 of its size wide, and no size is above 20 px.
    assert 8 < view(page, "v.scale") < 0.6 * 20
    middle = view(page, "v.from + v.span / 2")
    assert middle == pytest.approx(405.5, abs=1)


def test_names_are_never_markup(opened: Open) -> None:
    c = Continuum.from_units(
        [Unit(HOSTILE, 0, 5, HOSTILE), Unit("B", 0, 5, "b"), Unit("B", 9, 12, HOSTILE)],
        text=HOSTILE,
        name=HOSTILE,
    )
    page = opened(report({HOSTILE: c}, title=HOSTILE, **FAST).html)
    page.locator("canvas[data-part=canvas]").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.harmed") is None
    assert page.locator("img").count() == 0
    assert page.title() == HOSTILE
    assert page.locator("[data-part=details] tbody th").first.inner_text() in (HOSTILE, "B")


def test_hovering_shows_what_each_pair_costs(opened: Open, html: str) -> None:
    page = opened(html)
    assert page.get_by_role("tooltip").count() == 0
    page.mouse.move(*centre(page, 1))
    tooltip = page.get_by_role("tooltip")
    # Ann 19–22 and Bob 20–22 cost (1/5)² = 0.04, and different categories cost 1.
    assert tooltip.locator("tbody tr").inner_text().split("\t") == [
        "Ann – Bob", "animal / thing", "0.04", "1", "1.04",
    ]  # fmt: skip
    page.mouse.move(5, 5)
    assert page.get_by_role("tooltip").count() == 0


def test_a_click_pins_the_unitary_alignment(opened: Open, html: str) -> None:
    page = opened(html)
    page.mouse.click(*centre(page, 2))
    details = page.locator("[data-part=details]")
    assert "of 3" in details.locator("h3").inner_text()
    assert details.locator("mark").inner_text() == "nobody"
    rows = details.locator("table").first.locator("tbody tr").all_inner_texts()
    assert [r.split("\t")[1] for r in rows] == ["person", "no unit", "person"]
    side = "heads => heads.map(e => getComputedStyle(e).textAlign)"
    heads = details.locator("table.pairs thead th")
    assert heads.evaluate_all(side) == ["left", "right", "right", "right"]


def test_everything_can_be_reached_by_keyboard(opened: Open, html: str) -> None:
    page = opened(html)
    canvas = page.get_by_role("application")
    for _ in range(40):
        page.keyboard.press("Tab")
        if canvas.evaluate("e => e === document.activeElement"):
            break
    else:
        pytest.fail("Tab never reached the view")
    heading = page.locator("[data-part=details] h3")
    focused = []
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        focused.append(heading.inner_text().split(" of ")[0])
    assert focused == [f"Unitary alignment {i}" for i in (1, 2, 3, 3, 3, 3)]
    page.keyboard.press("Escape")
    assert heading.count() == 0
    disorders = []
    for _ in range(3):
        page.keyboard.press("w")
        disorders.append(float(heading.inner_text().split("disorder ")[1]))
    assert disorders == sorted(disorders, reverse=True)
    whole = view(page, "v.span")
    page.keyboard.press("+")
    assert view(page, "v.span") < whole
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("0")
    assert view(page, "v.span") == pytest.approx(whole)


def test_zooming_keeps_the_place_under_the_pointer(opened: Open, html: str) -> None:
    page = opened(html)
    x, y = centre(page, 2)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.wait_for_function("document.querySelector('[data-part=alignment]').view.span < 30")
    assert centre(page, 2)[0] == pytest.approx(x, abs=1)
    before = view(page, "v.from")
    page.mouse.down()
    page.mouse.move(x - 60, y)
    page.mouse.up()
    assert view(page, "v.from") > before
    assert view(page, "v.pinned") is None


def test_filters(opened: Open, html: str) -> None:
    page = opened(html)
    status = page.locator("[data-part=status]")
    page.get_by_role("checkbox", name="person").uncheck()
    assert status.inner_text() == "2 of 3 unitary alignments shown"
    tall = view(page, "v.plan.height")
    page.get_by_role("checkbox", name="Cid").uncheck()
    assert view(page, "v.plan.height") < tall
    page.get_by_role("checkbox", name="Cid").check()
    page.get_by_role("checkbox", name="person").check()
    page.get_by_role("slider", name="Disorder at least").fill("0.99")
    alignment = gc.align(documents()["first"])
    expected = int((alignment.disorders >= 0.99).sum())
    assert status.inner_text() == f"{expected} of 3 unitary alignments shown"


def test_the_review_list_leads_to_the_view(opened: Open, html: str) -> None:
    page = opened(html)
    row = page.locator("#review tbody tr", has_text="second").first
    row.get_by_role("button").click()
    assert view(page, "v.model.doc.name") == "second"
    assert page.get_by_role("combobox", name="Document").input_value() == "1"
    assert "Bob alone" in page.locator("[data-part=details]").inner_text()


def test_text_counts_code_points(opened: Open, html: str) -> None:
    page = opened(html)
    page.mouse.click(*centre(page, 1))
    # 𝄞 is one code point and two UTF-16 units.
    quotes = page.locator("[data-part=details] td.quote").all_inner_texts()
    assert quotes == [TEXT[19:22], TEXT[20:22]]
    assert page.locator("#review td", has_text=TEXT[19:22]).count() == 1


def test_dark_and_print(opened: Open, html: str) -> None:
    light, dark = (
        opened(html, scheme=s).evaluate("getComputedStyle(document.body).backgroundColor")
        for s in ("light", "dark")
    )
    assert light != dark
    page = opened(html, scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert not page.locator(".toolbar").is_visible()
    assert page.locator("#documents table").is_visible()
    corner = "[...v.context.getImageData(v.canvas.width - 2, 2, 1, 1).data]"
    assert view(page, corner)[:3] == [255, 255, 255]


def test_every_control_has_a_name(opened: Open, html: str) -> None:
    page = opened(html)
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, input, select, canvas:not([aria-hidden]), svg')]
        .filter(e => !(e.getAttribute('aria-label') || e.innerText
                       || e.closest('label')?.innerText))
        .map(e => e.outerHTML)"""
    )
    assert unnamed == []
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.slow
@pytest.mark.parametrize("each", [1700, pytest.param(3400, marks=pytest.mark.slow)])
def test_thousands_of_units_stay_smooth(opened: Open, each: int) -> None:
    rng = np.random.default_rng(1)
    starts = np.cumsum(rng.integers(5, 25, each)).tolist()
    units = [Unit(a, s, s + 8, "xyz"[i % 3]) for a in "ABC" for i, s in enumerate(starts)]
    big = Continuum.from_units(units)
    page = opened(_view_only(big))
    # Counting calls does not depend on the machine: first all units, then only the visible ones.
    page.evaluate("document.querySelector('[data-part=alignment]').view.fit()")
    everything = view(page, _PAINTED)
    assert 100 < everything < len(units)
    assert view(page, f"(v.zoom(100), {_PAINTED})") < everything / 5


# Number of calls of the canvas in one paint.
_PAINTED = """(() => {
    const whole = v.context;
    let calls = 0;
    v.context = new Proxy(whole, {
        get(_, key) {
            const value = whole[key];
            if (typeof value !== 'function') return value;
            return (...given) => { calls += 1; return value.apply(whole, given); };
        },
        set(_, key, value) { whole[key] = value; return true; },
    });
    v.redraw(true);
    v.context = whole;
    return calls;
})()"""


def _view_only(continuum: Continuum) -> str:
    """Return a page of the view alone, without γ, which would take most of the time."""
    from gammacp.report.markup import Markup
    from gammacp.report.page import document
    from gammacp.report.viewer import alignment_document, alignment_view, script

    views = [alignment_document(gc.align(continuum), "big")]
    return document("big", alignment_view(views), Markup(script()))
