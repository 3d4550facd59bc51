"""Contrast of every text of the page, in light and dark: at least 4.5 : 1 by WCAG 2.1."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gammacp.campaign.calibrate import Curve, calibrate
from gammacp.continuum import Continuum, Unit
from gammacp.report import report
from tests.contrast import CONTRASTS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


def documents() -> dict[str, Continuum]:
    """Return documents with confusions and pairs from none to all, so that every tint occurs."""
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


def falling(cell: Any, errors: Any, *_: object) -> tuple[dict[str, Curve], dict[str, str]]:
    """Return for each error a curve that falls to 0."""
    curve = Curve.start(cell.sets).with_cell(1.0, np.zeros(cell.sets), 0.0)
    return dict.fromkeys(errors, curve), {}


@pytest.fixture(scope="module")
def html() -> str:
    later = {f"later {name}": c for name, c in documents().items()}
    with pytest.MonkeyPatch.context() as patch:
        # Two curves of few sets instead of five have the same colours.
        two = partial(calibrate, errors=["position", "category"], sets=3)
        patch.setattr("gammacp.report.building.calibrated", two)
        # Simulated sets would only give other curves.
        patch.setattr("gammacp.campaign.calibrate.calibration.trace", falling)
        page = report(
            documents(), samples=5, draws=50, reference="Cid", against=later, calibrate=True
        )
    assert "<polyline" in page.html
    return page.html


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(
    browser: "Browser", html: str, tmp_path: "Path", scheme: Any
) -> None:
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelector('[data-part=alignment]').view !== undefined")
    evaluation = page.evaluate(CONTRASTS)
    page.close()
    assert sum(tag == "TD" for tag, _, _ in evaluation) > 50
    assert [entry for entry in evaluation if entry[2] < 4.5] == []
