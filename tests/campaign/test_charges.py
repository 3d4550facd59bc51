"""Bars of the differences charged to annotators, by hand, and first sentences of verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from gammacp.base.plots import can_plot
from gammacp.campaign.charges import charges_of, draw
from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.verdict import verdict
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.report import figures

FAST: dict[str, Any] = {"samples": 20, "seed": 1}


def document(number: int, *, people: str = "ABC", joined: bool = True) -> Continuum:
    """Return eight units at random places.

    C joins the first two units, and misses one in the first document.
    """
    rng = np.random.default_rng(number)
    lengths, gaps = rng.integers(5, 15, 8), rng.integers(1, 30, 8)
    starts = (np.cumsum(lengths + gaps) - lengths).tolist()
    units = []
    for who in people:
        spans = [
            (s, s + n, "xy"[k % 2]) for k, (s, n) in enumerate(zip(starts, lengths, strict=True))
        ]
        if who == "C" and joined:
            spans[:2] = [(spans[0][0], spans[1][1], "x")]
            if number == 0:
                spans.pop()
        units += [Unit(who, s, e, label) for s, e, label in spans]
    return Continuum.from_units(units, annotators=[*people], bounds=(0, 360))


def compared(people: str = "ABC", *, joined: bool = True) -> Comparison:
    named = {f"d{k}": document(k, people=people, joined=joined) for k in range(6)}
    return compare(named, draws=0, by=("kind",), **FAST)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compared()


def test_bars_are_sorted_and_counted(found: Comparison) -> None:
    """Counts of bars are those counted by hand.

    C joins two units in six documents, against two others: twelve differences, and two missing
    units.
    """
    assert found.kinds is not None
    bars = charges_of(found.kinds)
    assert [r.share for r in bars.rows] == sorted((r.share for r in bars.rows), reverse=True)
    by_kind = {(r.annotator, r.kind): r for r in bars.rows}
    assert by_kind["C", "merged"].count == 12
    assert by_kind["C", "missing"].count == 2
    assert sum(r.share for r in bars.rows) == pytest.approx(1, abs=0.02)
    assert bars.rows[0].label == "C: joined"
    assert "3 annotators, 6 documents" in bars.caption
    assert "Even: the number at an even share" in bars.caption


def test_the_verdict_begins_with_what_an_annotator_does_differently(found: Comparison) -> None:
    statements = [s for s in verdict(found).statements if s.about not in ("elsewhere", "here")]
    assert [s.about for s in statements[:2]] == ["agreement", "difference"]
    assert statements[1].names == ("C", "merged")
    assert statements[1].words.startswith("C marks as one what others mark as several")
    assert "for 6 units of C" in statements[1].words
    assert statements[1].p is not None
    assert statements[1].p <= 0.05
    assert "talk with C" in statements[-1].words
    assert not any("No annotator" in s.words for s in statements)


def test_nobody_is_charged_among_two_annotators() -> None:
    comparison = compared("BC")
    assert comparison.kinds is not None
    bars = charges_of(comparison.kinds)
    assert {r.annotator for r in bars.rows} == {""}
    assert "Nobody is charged" in bars.caption
    campaign_verdict = verdict(comparison).statements
    assert all(not s.names for s in campaign_verdict if s.about == "difference")
    assert "talk with" not in campaign_verdict[-1].words


def test_page_draws_the_bars_with_their_numbers(found: Comparison) -> None:
    """A share on the page is a charge in the JSON divided by the sum over all kinds."""
    assert found.kinds is not None
    record = found.kinds.as_dict()
    observed = sum(part["observed"] for part in record["parts"].values())
    drawn = ElementTree.fromstring(figures.charges_figure(charges_of(found.kinds)))
    rows = [["".join(cell.itertext()) for cell in item] for item in drawn.iter("li")]
    shares = [
        100 * p["charged"] / observed
        for p in record["people"]
        if (p["annotator"], p["kind"]) == ("C", "merged")
    ]
    assert rows[0][0] == "C: joined"
    assert rows[0][1].startswith(f"{shares[0]:.0f}% (12 differences, ")
    widths = [float(bar.get("style", "").removeprefix("width: ")[:-1]) for bar in drawn.iter("i")]
    assert widths[0] == 100
    assert widths == sorted(widths, reverse=True)
    assert widths[1] == pytest.approx(100 * (1 - shares[0] / 100) / (shares[0] / 100), abs=0.01)
    assert drawn.find("figcaption") is not None


@pytest.mark.skipif(not can_plot(), reason="needs matplotlib")
@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_figure_is_written(found: Comparison, tmp_path: Path, ending: str) -> None:
    assert found.kinds is not None
    path = tmp_path / f"bars{ending}"
    draw(charges_of(found.kinds), path)
    begins = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert path.read_bytes().startswith(begins[ending])


def test_nothing_is_drawn_for_people_who_agree(tmp_path: Path) -> None:
    comparison = compared(joined=False)
    assert comparison.kinds is not None
    with pytest.raises(DataError, match="agree on everything"):
        draw(charges_of(comparison.kinds), tmp_path / "bars.svg")


def test_a_crowd_with_small_shares_has_bars(
    found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found.kinds is not None
    monkeypatch.setattr("gammacp.campaign.charges.LEAST", 2.0)
    bars = charges_of(found.kinds, most=1)
    assert [r.label for r in bars.rows] == ["C: joined"]
    assert "left out" in bars.caption
