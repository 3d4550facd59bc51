"""Levels of segments, and several references: by hand, by enumeration and by mir_eval."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.chance.expected import SampleRule
from gammacp.errors import UsageError
from gammacp.segmentation import (
    Codings,
    Segmentation,
    hierarchy_report,
    nest_levels,
    t_measures,
)
from tests.segmentation.test_turned import windows


@st.composite
def hierarchies(draw, mass):
    """Draw one to three nested levels."""
    placed: set[int] = set()
    levels = []
    for _ in range(draw(st.integers(1, 3))):
        placed |= draw(st.sets(st.integers(1, mass - 1), max_size=3))
        levels.append(Segmentation.from_positions(sorted(placed), mass=mass))
    return levels


@st.composite
def two_hierarchies(draw):
    mass = draw(st.integers(2, 16))
    return draw(hierarchies(mass)), draw(hierarchies(mass))


def meets(levels, q, i):
    """Return the deepest level at which two base units share a segment, by definition."""
    return max(
        (
            depth
            for depth, level in enumerate(levels, 1)
            if not any(q < p <= i or i < p <= q for p in level.places)
        ),
        default=0,
    )


def share_by_triples(one, other, transitive, window):
    """Return the share of triples ordered by one side that the other orders alike, one by one."""
    mass, shares = one[0].mass, []
    for q in range(mass):
        near = [i for i in range(mass) if i != q and (window is None or -window <= i - q < window)]
        ordered = [
            (i, j)
            for i in near
            for j in near
            if meets(one, q, i) - meets(one, q, j) in (range(1, 9) if transitive else (1,))
        ]
        if ordered:
            alike = [meets(other, q, i) > meets(other, q, j) for i, j in ordered]
            shares.append(np.mean(alike))
    return np.mean(shares) if shares else np.nan


@settings(deadline=None, max_examples=40)
@given(two_hierarchies(), st.booleans(), st.sampled_from([None, 1, 4]))
def test_t_measures_count_triples(pair, transitive, window):
    one, other = pair
    measures = t_measures(one, other, transitive=transitive, window=window)
    recall = share_by_triples(one, other, transitive, window)
    precision = share_by_triples(other, one, transitive, window)
    expected = [precision, recall] if precision + recall >= 0 else [np.nan, np.nan]
    np.testing.assert_allclose(measures[:2], expected, atol=1e-12)


def intervals(level):
    ends = np.cumsum(level.masses)
    return np.stack([ends - level.masses, ends], axis=1).astype(float)


@settings(deadline=None, max_examples=40)
@given(two_hierarchies())
def test_measures_are_those_of_mir_eval(pair):
    hierarchy = pytest.importorskip("mir_eval.hierarchy")
    one, other = pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t = hierarchy.tmeasure(*(list(map(intervals, s)) for s in pair), window=5, frame_size=1)
    measures = t_measures(one, other, window=5)
    if not np.isnan(measures.f):  # mir_eval takes 0/0 for zero, where gammacp has no value
        np.testing.assert_allclose(measures, t, atol=1e-12)


def typed(**placed):
    return Segmentation.from_typed(placed, mass=12, types=("chapter", "section"))


CODINGS = Codings.of(
    {
        "x": {
            "ann": typed(chapter=[6], section=[2, 9]),
            "bob": typed(chapter=[6], section=[3, 9]),
            "cy": typed(chapter=[7], section=[2, 10]),
        },
        "y": {"ann": typed(chapter=[4], section=[2])},
    }
)


def test_every_level_includes_the_boundaries_of_coarser_ones():
    report = hierarchy_report(CODINGS, ["chapter", "section"], reference="ann")
    bob = report.as_dict()["means"]["bob"]
    assert bob["levels"]["chapter"]["b"]["mean"] == 1
    # 6 and 9 match; 2 and 3 are a near miss, which costs half of one boundary of three.
    assert bob["levels"]["section"]["b"]["mean"] == pytest.approx((3 - 0.5) / 3)
    one, other = (nest_levels(CODINGS["x"][c], ["chapter", "section"]) for c in ("ann", "bob"))
    assert bob["t"]["f"]["mean"] == t_measures(one, other).f
    assert "1 items without a pair of coders are left out: y" in report.notes


def random_hierarchies(places, kinds, mass, types):
    """Yield every random hierarchy with its probability; kind b is a boundary of both levels."""
    names = {"c": types[:1], "s": types[1:], "b": types}
    inner = np.diff(places).tolist()
    for placed, p in windows(places, mass, inner, [places[0], mass - places[-1]], kinds).items():
        typed = {t: [x for x, kind in placed if t in names[kind]] for t in types}
        yield nest_levels(Segmentation.from_typed(typed, mass=mass, types=types), types), p


def test_t_beyond_chance_is_that_of_all_random_hierarchies():
    types = ("chapter", "section")
    ann = Segmentation.from_typed({"chapter": [4], "section": [2]}, mass=9, types=types)
    bob = Segmentation.from_typed({"chapter": [4], "section": [4, 5, 7]}, mass=9, types=types)
    every = [
        (t_measures(a, b), p * q)
        for a, p in random_hierarchies([2, 4], "sc", 9, types)
        for b, q in random_hierarchies([4, 5, 7], "bss", 9, types)
    ]
    assert len(every) == 12
    assert sum(p for _, p in every) == pytest.approx(1)
    codings = Codings.of({"x": {"ann": ann, "bob": bob}}, types=types)
    rule = SampleRule(samples=600)
    how = {"reference": "ann", "beyond_chance": rule}
    (corrected,) = hierarchy_report(codings, types, **how).beyond_chance.values()
    for key in ("precision", "recall", "f"):
        values, weights = np.array([(getattr(t, key), p) for t, p in every]).T
        expected = 1 - weights @ values
        spread = (weights @ (values - (1 - expected)) ** 2) ** 0.5
        assert corrected[key].expected == pytest.approx(expected, abs=4 * spread / 600**0.5)
        observed = 1 - getattr(t_measures(nest_levels(ann, types), nest_levels(bob, types)), key)
        assert corrected[key].value == pytest.approx(1 - observed / corrected[key].expected)
    flat = Codings.of({"x": {"ann": typed(), "bob": typed()}}, types=types)
    report = hierarchy_report(flat, types, beyond_chance=rule)
    assert report.beyond_chance["all pairs"]["f"].reason == "T is undefined for every pair"


def test_errors_list_the_valid_levels_and_references():
    with pytest.raises(
        UsageError, match="'part' is not a boundary type; types are: chapter, section"
    ):
        hierarchy_report(CODINGS, ["part", "section"])
    with pytest.raises(UsageError, match="at least two levels"):
        hierarchy_report(CODINGS, ["section"])
    with pytest.raises(UsageError, match="coders are: ann, bob, cy"):
        hierarchy_report(CODINGS, ["chapter", "section"], reference="dan")
