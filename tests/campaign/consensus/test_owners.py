"""Boundaries of gold standards of counted positions: each was drawn by an annotator."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.annotators.models import AnnotatorModel
from gammacp.campaign.consensus import Consensus, consensus_of_each
from gammacp.campaign.consensus.boundaries import BoundaryRule
from gammacp.continuum import Continuum, Unit

RULES = [str(rule) for rule in BoundaryRule]


def shaken(
    seed: int, people: int, *, places: int = 15, offset_unit: str = "", broken: bool = False
) -> Continuum:
    """Return places that most annotators mark, with boundaries of their own."""
    rng = np.random.default_rng(seed)
    units = []
    for place in range(places):
        for who in range(people):
            if rng.random() < 0.8:
                start, end = 20 * place + rng.integers(0, 4), 20 * place + rng.integers(6, 13)
                gap = (int(start) + 1, int(start) + 2)
                pieces = ((start, gap[0]), (gap[1], end)) if broken and rng.random() < 0.5 else ()
                units.append(Unit(f"w{who}", start, end, "xyz"[rng.integers(3)], pieces))
    return Continuum.from_units(units, offset_unit=offset_unit)


def pieces(unit: Any) -> tuple[tuple[float, float], ...]:
    return unit.fragments or ((unit.start, unit.end),)


def check_owners(found: Consensus) -> None:
    for unit in found.units:
        drawn = [piece for u in unit.units.values() if u is not None for piece in pieces(u)]
        for start, end in (*pieces(unit), *unit.tied_spans):
            assert start in {s for s, _ in drawn}, unit
            assert end in {e for _, e in drawn}, unit
        if unit.tied_spans:
            assert (unit.start, unit.end) == unit.tied_spans[0]
            assert any(reason.startswith("boundaries tied") for reason in unit.reasons)
            assert unit in found.review


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("weights", ["vote", *map(str, AnnotatorModel)])
def test_every_boundary_was_drawn_by_an_annotator(weights: str, rule: str, broken: bool) -> None:
    for people in (2, 3, 4):
        documents = {
            unit: shaken(people, people, offset_unit=unit, broken=broken)
            for unit in ("", "characters", "tokens")
        }
        for gold_standard in consensus_of_each(
            documents, weights=weights, boundaries=rule
        ).documents.values():
            check_owners(gold_standard)


def test_a_model_weights_the_boundaries() -> None:
    """Two annotators of unequal weight are not tied: the boundaries of the heavier one count."""
    continuum = shaken(0, 4, places=40)
    (weighed,) = consensus_of_each(
        continuum, weights="one-coin", boundaries="median"
    ).documents.values()
    (even,) = consensus_of_each(continuum, weights="vote", boundaries="median").documents.values()
    assert sum(bool(u.tied_spans) for u in weighed.units) < sum(
        bool(u.tied_spans) for u in even.units
    )


def test_times_may_be_averaged() -> None:
    units = [Unit("A", 100, 201, "x"), Unit("B", 102, 206, "x")]
    for offset_unit, expected in (("ms", (101, 204)), ("s", (101, 204)), ("", (102, 206))):
        gold_standard = gc.consensus(gc.align(Continuum.from_units(units, offset_unit=offset_unit)))
        (unit,) = gold_standard.units
        assert (unit.start, unit.end) == expected
    parts = [Unit("A", 1.5, 2.5, "x"), Unit("B", 2.0, 3.0, "x")]
    (unit,) = gc.consensus(gc.align(Continuum.from_units(parts))).units
    assert (unit.start, unit.end, unit.tied_spans) == (1.75, 2.75, ())


def test_a_tie_is_listed_at_any_tolerance_and_in_the_files(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    units = [Unit("A", 0, 100, "x"), Unit("B", 1, 101, "x")]
    gc.write(Continuum.from_units(units, bounds=(0, 200)), tmp_path / "a.csv")
    outcome = run("consensus", tmp_path / "a.csv", "--units", tmp_path / "u.csv", "--tolerance", 9)
    assert outcome.code == 0, outcome.err
    reason = "boundaries tied: 0-100 = 1-101, the first was taken"
    assert reason in (tmp_path / "u.csv").read_text()
    assert "boundaries tied" in outcome.out
