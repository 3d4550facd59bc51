"""The registered measures of segmentation: pairs, needs and signatures."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.measures.registry import measure
from gammacp.measures.segmentation import PairwiseScore


def tiled(**by_annotator: list[float]) -> Continuum:
    return Continuum.from_units(
        Unit(name, start, end, "x")
        for name, edges in by_annotator.items()
        for start, end in pairwise(edges)
    )


def test_two_annotators_are_two_ordered_pairs() -> None:
    # ref [2,3,6] (k = 2) against [5,6]: WD 2/9; ref [5,6] (k = 3) against [2,3,6]: boundary 2 is
    # in the windows 0 and 1 of 8, so 2/8.
    scores = measure(tiled(a=[0, 2, 5, 11], b=[0, 5, 11]), ["windowdiff", "pk", "ghd"])
    wd = scores["windowdiff"]
    assert isinstance(wd, PairwiseScore)
    assert wd.pairs[("a", "b")] == pytest.approx(1 - 2 / 9)
    assert wd.pairs[("b", "a")] == pytest.approx(1 - 2 / 8)
    assert wd.observed == pytest.approx((2 / 9 + 2 / 8) / 2)
    assert wd.value == pytest.approx(1 - (2 / 9 + 2 / 8) / 2)
    assert wd.sd == pytest.approx((2 / 8 - 2 / 9) / 2)
    assert wd.signature.startswith("windowdiff|window:half|v:")
    assert scores["ghd"].value == pytest.approx(2 / 3)


def test_moving_the_continuum_changes_nothing() -> None:
    here = measure(tiled(a=[0, 2, 5, 11], b=[0, 5, 11], c=[0, 1, 11]), ["windowdiff", "ghd"])
    there = measure(tiled(a=[9, 11, 14, 20], b=[9, 14, 20], c=[9, 10, 20]), ["windowdiff", "ghd"])
    assert {n: s.value for n, s in here.items()} == {n: s.value for n, s in there.items()}


def test_a_gap_is_a_reason_not_a_number() -> None:
    gap = Continuum.from_units([Unit("a", 0, 4), Unit("a", 5, 9), Unit("b", 0, 9)])
    for score in measure(gap, ["windowdiff", "pk", "ghd"]).values():
        assert math.isnan(score.value)
        assert score.reason is not None
        assert "gap between 4 and 5" in score.reason


def test_real_positions_are_for_ghd_only() -> None:
    scores = measure(tiled(a=[0, 1.5, 3], b=[0, 1.25, 3]), ["windowdiff", "ghd"])
    assert scores["windowdiff"].reason is not None
    # Mean segment 1.5, shift 2 · 0.25 = .5 of 3 for deleting and inserting.
    assert scores["ghd"].value == pytest.approx(1 - 0.5 / 3)


def test_one_annotator_and_too_short() -> None:
    assert "nobody to agree with" in str(measure(tiled(a=[0, 3]), ["ghd"])["ghd"].reason)
    assert "too short" in str(measure(tiled(a=[0, 1, 2], b=[0, 2]), ["pk"])["pk"].reason)
