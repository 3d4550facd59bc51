"""Every text of the page can be read, in light and in dark: WCAG 2.1's 4.5 : 1, in a browser."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.report import report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

# Colours as they are painted (a canvas knows every notation), blended over what lies behind.
_CONTRASTS = """() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = colour => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], under) => [r, g, b].map((v, i) => a * v + (1 - a) * under[i]);
    const behind = element => {
        const layers = [];
        for (let e = element; e; e = e.parentElement)
            layers.unshift(getComputedStyle(e).backgroundColor);
        const ground = [255, 255, 255];
        return layers.reduce((under, layer) => over(rgba(layer), under), ground);
    };
    const luminance = colour => {
        const [r, g, b] = colour.map(v => v / 255).map(v =>
            v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        if (!own || ["SCRIPT", "STYLE", "OPTION"].includes(element.tagName)) continue;
        if (!element.getClientRects().length) continue;
        const style = getComputedStyle(element);
        const under = behind(element);
        const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), under);
        const [low, high] = [luminance(ink), luminance(under)].sort((a, b) => a - b);
        const text = element.textContent.slice(0, 40);
        found.push([element.tagName, text, (high + 0.05) / (low + 0.05)]);
    }
    return found;
}"""


def documents() -> dict[str, Continuum]:
    """Confusions and pairs from none to all, so that every tint is on the page."""
    rng = np.random.default_rng(0)
    starts = np.cumsum(rng.integers(8, 25, 30)).tolist()
    labels = {
        "Ann": ["a"] * 30,
        "Bob": ["a"] * 25 + ["b"] * 5,
        "Cid": ["b"] * 28 + ["c"] * 2,
    }
    return {
        name: Continuum.from_units(
            Unit(a, s, s + 7, label)
            for a, chosen in labels.items()
            for s, label in zip(starts[first:], chosen, strict=False)
        )
        for name, first in (("one", 0), ("two", 1))
    }


@pytest.fixture(scope="module")
def html() -> str:
    later = {f"later {name}": c for name, c in documents().items()}
    return report(
        documents(), samples=5, draws=50, reference="Cid", against=later, calibrate=True
    ).html


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(
    browser: "Browser", html: str, tmp_path: "Path", scheme: Any
) -> None:
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelector('[data-part=alignment]').view !== undefined")
    found = page.evaluate(_CONTRASTS)
    page.close()
    assert sum(tag == "TD" for tag, _, _ in found) > 50
    assert [entry for entry in found if entry[2] < 4.5] == []
