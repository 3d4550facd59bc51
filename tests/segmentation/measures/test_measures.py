"""The registered measures of segmentation: pairs, needs and signatures."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import UsageError
from gammacp.measures.measuring import measure
from gammacp.measures.registry import MEASURES
from gammacp.segmentation.measures.measures import PairwiseScore


def tiled(**by_annotator: list[float]) -> Continuum:
    return Continuum.from_units(
        Unit(name, start, end, "x")
        for name, edges in by_annotator.items()
        for start, end in pairwise(edges)
    )


def test_two_annotators_are_two_ordered_pairs() -> None:
    # Reference [2,3,6] (k = 2) against [5,6]: WD = 2/9. Reference [5,6] (k = 3) against [2,3,6]:
    # the boundary 2 is in windows 0 and 1 of 8, so WD = 2/8.
    scores = measure(tiled(a=[0, 2, 5, 11], b=[0, 5, 11]), ["windowdiff", "pk", "ghd"])
    wd = scores["windowdiff"]
    assert isinstance(wd, PairwiseScore)
    assert wd.pairs[("a", "b")] == pytest.approx(1 - 2 / 9)
    assert wd.pairs[("b", "a")] == pytest.approx(1 - 2 / 8)
    assert wd.observed == pytest.approx((2 / 9 + 2 / 8) / 2)
    assert wd.value == pytest.approx(1 - (2 / 9 + 2 / 8) / 2)
    assert wd.signature.startswith("windowdiff|window:half|v:")
    assert scores["ghd"].value == pytest.approx(2 / 3)


def test_moving_the_continuum_changes_nothing() -> None:
    here = measure(tiled(a=[0, 2, 5, 11], b=[0, 5, 11], c=[0, 1, 11]), ["windowdiff", "ghd"])
    scores = measure(tiled(a=[9, 11, 14, 20], b=[9, 14, 20], c=[9, 10, 20]), ["windowdiff", "ghd"])
    assert {n: s.value for n, s in here.items()} == {n: s.value for n, s in scores.items()}


def test_a_gap_gives_a_reason_instead_of_a_number() -> None:
    gap = Continuum.from_units([Unit("a", 0, 4), Unit("a", 5, 9), Unit("b", 0, 9)])
    for score in measure(gap, ["windowdiff", "pk", "ghd"]).values():
        assert math.isnan(score.value)
        assert score.reason is not None
        assert "gap between 4 and 5" in score.reason


def test_only_ghd_takes_real_positions() -> None:
    scores = measure(tiled(a=[0, 1.5, 3], b=[0, 1.25, 3]), ["windowdiff", "ghd"])
    assert scores["windowdiff"].reason is not None
    # The mean segment is 1.5, and the shift costs 2 · 0.25 = .5 of 3 for deleting and inserting.
    assert scores["ghd"].value == pytest.approx(1 - 0.5 / 3)


def test_one_annotator_and_too_short() -> None:
    assert "agreement needs two annotators" in str(measure(tiled(a=[0, 3]), ["ghd"])["ghd"].reason)
    assert "too short" in str(measure(tiled(a=[0, 1, 2], b=[0, 2]), ["pk"])["pk"].reason)


def test_s_and_b_of_pairs() -> None:
    # [2,3,6] and [5,6] have one full miss in 10 places for S, and one match and one addition for B.
    scores = measure(tiled(a=[0, 2, 5, 11], b=[0, 5, 11], c=[0, 5, 11]), ["s", "b"])
    assert scores["s"].value == pytest.approx((0.9 + 0.9 + 1) / 3)
    assert scores["s"].observed == pytest.approx(0.2 / 3)
    assert scores["b"].value == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_coefficients_on_s() -> None:
    names = ["pi-s", "multi-pi-s", "kappa-s", "multi-kappa-s"]
    two = measure(tiled(a=[0, 3, 7, 11], b=[0, 3, 11]), names)
    # There are 10 places and P = 3/20, as in tests/segmentation.
    assert two["pi-s"].value == two["multi-pi-s"].value == pytest.approx(0.8775 / 0.9775)
    assert two["kappa-s"].value == two["multi-kappa-s"].value == pytest.approx(0.88 / 0.98)
    assert two["pi-s"].observed == pytest.approx(0.9)
    assert two["pi-s"].expected == pytest.approx(0.0225)
    three = tiled(a=[0, 3, 7, 11], b=[0, 3, 11], c=[0, 5, 11])
    pairs = [
        measure(keep_annotators(three, pair), ["pi-s"])["pi-s"].value
        for pair in (["a", "b"], ["a", "c"], ["b", "c"])
    ]
    assert measure(three, ["pi-s"])["pi-s"].value == pytest.approx(sum(pairs) / 3)
    assert "multi-kappa-s|n:2|edit:published|mode:published" in (
        measure(three, ["multi-kappa-s"], mode="published")["multi-kappa-s"].signature
    )


def test_undefined_coefficients() -> None:
    everywhere = tiled(a=[0, 1, 2, 3], b=[0, 1, 2, 3])
    for name, score in measure(everywhere, ["pi-s", "multi-kappa-s"]).items():
        assert math.isnan(score.value), name
        assert "chance agreement is 1" in str(score.reason)
    with pytest.raises(UsageError, match="edit 'x' is unknown"):
        measure(everywhere, ["s"], edit="x")


def test_pi_on_s_of_random_boundaries_is_not_0() -> None:
    """With independent boundaries at 2 % of 1000 places, S ≈ 1 − 2·.02·.98 and chance is .02².

    So these measures are not called chance-corrected.
    """
    rng = np.random.default_rng(0)
    values = []
    for _ in range(20):
        units = []
        for name in "ab":
            edges = [0, *(np.flatnonzero(rng.random(999) < 0.02) + 1).tolist(), 1000]
            units += [Unit(name, start, end, None) for start, end in pairwise(edges)]
        values.append(measure(Continuum.from_units(units), ["multi-pi-s"])["multi-pi-s"].value)
    assert np.mean(values) == pytest.approx(0.96, abs=0.01)
    for name in ("pi-s", "kappa-s", "multi-pi-s", "multi-kappa-s"):
        assert not MEASURES[name].chance_corrected
