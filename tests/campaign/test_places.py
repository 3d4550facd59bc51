"""Places to look at: the costliest unitary alignments, and places of one difference."""

from __future__ import annotations

import numpy as np
import pytest

from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.places import costliest_places, places_of_kind
from gammacp.continuum import Unit
from tests.campaign.planted_corpora import (
    FAST,
    compare_corpus,
    missing_units,
)


def _costs_and_spans(comparison: Comparison) -> list[tuple[float, str, float, float]]:
    """Return cost, document, start and end of each unitary alignment, the costliest first."""
    rows = []
    for name, score in comparison.overall.computed.items():
        for unitary in score.alignment.unitary_alignments:
            units = [unit for unit in unitary.units.values() if unit is not None]
            end = max(unit.end for unit in units)
            rows.append((unitary.disorder, name, min(unit.start for unit in units), end))
    return sorted(rows, key=lambda row: -row[0])


def test_the_costliest_places_are_those_of_the_alignments() -> None:
    def fault(g: np.random.Generator, name: str, u: Unit) -> Unit | None:
        if g.random() < 0.1:
            return None
        return Unit(name, u.start, u.end + float(g.random()), u.category)

    comparison = compare_corpus(fault, by=())
    rows = _costs_and_spans(comparison)
    places = costliest_places(comparison.overall, most=5)
    costs = {(name, start, end): cost for cost, name, start, end in rows}
    costs_of_places = [costs[p.document, p.start, p.end] for p in places]
    assert costs_of_places == pytest.approx([cost for cost, *_ in rows[:5]])
    # With a label: somebody marks it, and not everybody.
    for place in costliest_places(comparison.overall, label="y", most=5):
        score = comparison.overall.computed[place.document]
        (unitary,) = [
            a
            for a in score.alignment.unitary_alignments
            if min(u.start for u in a.units.values() if u) == place.start
            and max(u.end for u in a.units.values() if u) == place.end
        ]
        labels = [unit and unit.category for unit in unitary.units.values()]
        assert "y" in labels and set(labels) != {"y"}
    assert not costliest_places(comparison.overall, label="unknown")


def test_places_of_a_difference_have_that_difference() -> None:
    """C misses units; the named places have units of the others, and none of C."""
    comparison = compare(missing_units(21, 6), draws=0, **FAST)
    assert comparison.kinds is not None
    places = places_of_kind(comparison.kinds, "C", "missing")
    assert len(places) == 3
    for place in places:
        score = comparison.overall.computed[place.document]
        units = [u for u in score.alignment.continuum if u.start == place.start]
        assert {u.annotator for u in units} == {*"ABD"}
        assert dict(zip(place.annotators, place.counts, strict=True))["C"] == 0
        assert "C: nothing" in place.in_words()
    assert len({(p.document, p.start) for p in places}) == 3
