"""Published values of uα, |uα, cuα, (k)uα, κ_d and SER, and figures of Mathet et al.
(2015), §6.1.
"""

from itertools import pairwise

import numpy as np
import pytest

from gammacp import Continuum, Unit
from gammacp.measures.matching.slot_error_rate import slot_error_rate
from gammacp.measures.unitizing.discretised import kappa_d
from gammacp.measures.unitizing.krippendorff import binary_u_alpha, cu_alpha, ku_alpha, u_alpha
from gammacp.measures.unitizing.krippendorff_2013 import u_alpha_2013

Spans = list[tuple[float, float, str]]


def continuum(length: float, **annotators: Spans) -> Continuum:
    return Continuum.from_units(
        [Unit(name, *span) for name, spans in annotators.items() for span in spans],
        annotators=list(annotators),
        bounds=(0, length),
    )


@pytest.fixture
def figure_14() -> Continuum:
    return continuum(
        76,
        A=[(5, 20, "4"), (30, 45, "1"), (59, 69, "2"), (71, 76, "4")],
        B=[(5, 20, "4"), (40, 53, "3"), (59, 64, "1"), (71, 76, "4")],
    )


def test_figure_14_u_alpha(figure_14: Continuum) -> None:
    score = u_alpha_2013(figure_14)
    assert score.observed == pytest.approx(3.144737, abs=5e-7)
    assert score.expected == pytest.approx(5.285883, abs=5e-7)
    assert score.value == pytest.approx(0.405069, abs=5e-7)


def test_figure_14_cu_alpha_with_the_interval_metric(figure_14: Continuum) -> None:
    score = cu_alpha(figure_14, metric="interval")
    assert score.value == pytest.approx(29 / 39, abs=1e-12)
    # "the observed coincidence between category 1 and category 3 is 5"
    assert score.observed_coincidences[0, 2] == 5


def equal_units(count: int, gap: float, margin: float, shift: float, first: int) -> Spans:
    return [
        (margin + shift + i * (100 + gap), margin + shift + i * (100 + gap) + 100, str(first + i))
        for i in range(count)
    ]


def test_figure_15_right() -> None:
    c = continuum(580, A=equal_units(4, 60, 0, 0, 1), B=equal_units(4, 60, 0, 0, 5))
    assert u_alpha_2013(c).value == pytest.approx(-0.342737, abs=5e-7)


def test_figure_15_left_is_perfect() -> None:
    units = equal_units(4, 60, 0, 0, 1)
    c = continuum(580, A=units, B=units)
    assert u_alpha_2013(c).value == u_alpha(c).value == cu_alpha(c).value == 1


def test_figure_16_the_same_categories_at_slightly_different_places() -> None:
    c = continuum(
        60,
        A=[(0, 18, "1"), (20, 38, "4"), (40, 58, "2")],
        B=[(0, 22, "1"), (22, 42, "4"), (42, 60, "2")],
    )
    assert cu_alpha(c).value < 1


def test_figure_17_one_long_orphan_against_two_short_ones() -> None:
    long = u_alpha_2013(continuum(100, A=[(10, 20, "a")], B=[]))
    short = u_alpha_2013(continuum(100, A=[(10, 11, "a"), (30, 31, "a")], B=[]))
    assert long.observed is not None
    assert short.observed is not None
    assert long.observed / short.observed == pytest.approx(50)


@pytest.mark.parametrize(("parts", "observed"), [(1, 36), (2, 18), (3, 12), (4, 9), (6, 6)])
def test_figure_18_a_unit_against_silence_in_more_and_more_parts(
    parts: int, observed: float
) -> None:
    edges = np.linspace(20, 80, parts + 1)
    split = [(lo, hi, "a") for lo, hi in pairwise(edges)]
    assert u_alpha_2013(continuum(100, A=split, B=[])).observed == pytest.approx(observed)


def test_figure_19_a_split_is_not_seen() -> None:
    c = continuum(100, A=[(20, 80, "a")], B=[(20, 50, "a"), (50, 80, "a")])
    assert u_alpha_2013(c).observed == 0
    assert u_alpha(c).observed == 0


def test_figure_20_three_times_the_scale() -> None:
    small = u_alpha_2013(continuum(90, A=[(3, 9, "a")], B=[(5, 11, "a")]))
    large = u_alpha_2013(continuum(90, A=[(9, 27, "a")], B=[(15, 33, "a")]))
    assert small.observed is not None
    assert large.observed is not None
    assert large.observed / small.observed == pytest.approx(9)


@pytest.mark.parametrize(("shift", "length", "published"), [(20, 720, 0.107), (0, 700, -0.287)])
def test_figure_21_a_paradox(shift: float, length: float, published: float) -> None:
    c = continuum(length, A=equal_units(4, 60, 60, 0, 1), B=equal_units(4, 60, 60, shift, 5))
    assert round(u_alpha_2013(c).value, 3) == published


def test_figure_22_identical_embedded_units_still_disagree() -> None:
    units = [(0.0, 30.0, "a"), (10.0, 20.0, "b")]
    score = cu_alpha(continuum(30, A=units, B=units))
    # A1 with B2 and A2 with B1, in both directions
    assert score.observed_coincidences[0, 1] == 2 * 10
    assert score.value < 1


@pytest.fixture
def three() -> Continuum:
    return continuum(
        60,
        Alex=[(2, 5, "1")],
        Paul=[(2, 5, "1"), (10, 20, "2")],
        Susan=[(2, 5, "2"), (15, 20, "2")],
    )


def test_family_of_2016(three: Continuum) -> None:
    # 26/180 · 32092/7704 = .60170185762…, so the printed uα of .398298143 is off by one unit of its
    # last digit.
    assert u_alpha(three).value == pytest.approx(0.398298143, abs=1e-9)
    assert binary_u_alpha(three).value == pytest.approx(0.523801045, abs=5e-10)
    assert cu_alpha(three).value == pytest.approx(0.357142857, abs=5e-10)
    assert cu_alpha(three).coverage == pytest.approx(0.0777778, abs=5e-8)
    assert ku_alpha(three).by_category == pytest.approx({"1": 0.3125, "2": 0.390625}, abs=1e-12)


def test_identical_annotators_agree_perfectly() -> None:
    units: Spans = [(2, 5, "1"), (10, 20, "2")]
    c = continuum(60, A=units, B=units, C=units)
    assert [f(c).value for f in (u_alpha, binary_u_alpha, cu_alpha, u_alpha_2013)] == [1] * 4
    assert ku_alpha(c).by_category == {"1": 1, "2": 1}


def test_one_unit_against_none() -> None:
    c = continuum(10, A=[(0, 4, "a")], B=[])
    assert u_alpha(c).value == pytest.approx(-0.15, abs=1e-12)
    assert binary_u_alpha(c).value == pytest.approx(-0.15, abs=1e-12)
    undefined = cu_alpha(c)
    assert np.isnan(undefined.value)
    assert undefined.reason == "no units of different annotators intersect"


@pytest.mark.parametrize(
    ("coefficient", "value"),
    [("cohen", 0.384615), ("fleiss", 0.314286), ("alpha", 0.328571), ("conger", 0.384615)],
)
def test_kappa_d(coefficient: str, value: float) -> None:
    # Positions are 2–9 and 14–19, and 4–7 and 15–16, inclusive.
    c = continuum(24, Bertha=[(1, 9, "1"), (13, 19, "1")], Bill=[(3, 7, "1"), (14, 16, "1")])
    assert kappa_d(c, coefficient=coefficient).value == pytest.approx(value, abs=5e-7)


def test_ser_with_one_error_of_each_kind() -> None:
    c = continuum(
        100,
        ref=[(0, 10, "a"), (15, 25, "b"), (30, 40, "c"), (50, 60, "a"), (70, 80, "b")],
        hyp=[(0, 10, "a"), (15, 25, "a"), (31, 40, "c"), (49, 60, "b"), (90, 95, "c")],
    )
    errors = next(p for p in slot_error_rate(c).pairs if p.reference == "ref")
    assert errors.rate == pytest.approx(0.8)
    assert (errors.type_errors, errors.boundary_errors, errors.both_errors) == (1, 1, 1)
    assert (errors.insertions, errors.deletions, errors.correct) == (1, 1, 1)


def test_ser_can_exceed_one() -> None:
    more: Spans = [(0, 10, "a"), (20, 30, "a"), (40, 50, "a"), (60, 70, "a")]
    score = slot_error_rate(continuum(80, ref=[(0, 10, "a")], hyp=more))
    assert score.pairs[0].rate == 3
    assert score.pairs[1].rate == 0.75
    assert score.observed == pytest.approx(1.875)
    assert score.value == pytest.approx(-0.875)
