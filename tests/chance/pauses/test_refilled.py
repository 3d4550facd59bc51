"""Tests of `chance.refilled`: units at edges of stretches, gaps, and tiles."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Unit
from gammacp.chance.annotation import Annotation
from gammacp.chance.common_gaps import without_gaps
from gammacp.chance.cut import prepare_cut
from gammacp.chance.pauses.edges import Edge
from gammacp.chance.pauses.markable_time import Dividing, Fitting, Pauses
from gammacp.chance.pauses.refilled import Refilling

Spans = list[tuple[float, float]]
EDGES = np.array([0.0, 10.0, 30.0])


def annotation(length: float, *spans: tuple[float, float]) -> Annotation:
    starts = np.array([s for s, _ in spans], float)
    lengths = np.array([e - s for s, e in spans], float)
    return Annotation(starts, lengths, np.arange(len(spans), dtype=np.int32), length)


def refilling(edges: np.ndarray, *spans: tuple[float, float]) -> Refilling:
    habits = Refilling.of(annotation(float(edges[-1]), *spans), edges, whole=False)
    assert habits is not None
    return habits


def draw_spans(habits: Refilling, seed: int) -> Spans:
    """Return the sorted spans of one draw, without rotation."""
    new = habits.fit(habits.joined, np.random.default_rng(seed))
    return sorted(zip(new.starts.tolist(), (new.starts + new.lengths).tolist(), strict=True))


def test_edges_by_hand() -> None:
    """Compare gaps and units at edges of the stretches 0–10 and 10–30 with those by hand."""
    habits = refilling(EDGES, (0, 3), (5, 8), (26, 30))
    assert habits.arrangement.begins[0].row == 0
    assert habits.arrangement.begins[0].time == 3
    assert habits.arrangement.ends[0] == Edge(-1, 0.0, 2.0)
    assert habits.arrangement.begins[1] == Edge(-1, 0.0, 16.0)
    assert habits.arrangement.ends[1].row == 2
    assert habits.arrangement.ends[1].time == 4
    assert habits.arrangement.fills == [-1, -1]
    # Without the 3 + 4 at edges 23 of 30 are left, and the unit at 5 lies at 2.
    assert (habits.joined.starts.tolist(), habits.joined.length) == ([2.0], 23.0)
    assert habits.gaps.tolist() == [2.0]
    assert not habits.tiles


def test_a_unit_at_an_edge_begins_each_stretch_equally_often() -> None:
    """The unit of 3 begins after one of three pauses, and never where the recording does."""
    edges = np.array([0.0, 10.0, 25.0, 37.0, 60.0])
    habits = refilling(edges, (10, 13), (20, 22), (30, 31), (50, 52))
    rng = np.random.default_rng(0)
    begins = [habits.arrangement.shuffle(rng).begins for _ in range(600)]
    starts = Counter(k for row in begins for k, edge in enumerate(row) if edge.time == 3)
    assert {*starts} == {1, 2, 3}
    # About 200 are expected.
    assert min(starts.values()) > 160


def test_a_unit_at_an_edge_may_overlap_the_one_before_by_as_much() -> None:
    """Ends at 20 and 32 overlap by 2 at most, wherever the unit of 5 goes; by hand."""
    edges = np.array([0.0, 20.0, 32.0, 50.0, 70.0])
    units = [(2.0, 4.0), (6.0, 8.0), (12.0, 17.0), (15.0, 20.0), (24.0, 26.0), (36.0, 38.0)]
    habits = refilling(edges, *units, (41.0, 43.0), (52.0, 54.0), (60.0, 62.0))
    assert habits.arrangement.ends[0].time == 5
    assert habits.arrangement.ends[0].gap == -2
    for seed in range(60):
        spans = draw_spans(habits, seed)
        at_edges = [s for s in spans if s[1] - s[0] == 5 and s[1] in (20.0, 32.0, 50.0)]
        # The other unit of 5 may lie at an edge by accident, before this one.
        first = at_edges[-1][0]
        assert all(end <= first + 2 + 1e-9 for start, end in spans if start < first)


def test_a_unit_that_fills_a_stretch_fills_one_of_much_the_same_length() -> None:
    """Of stretches of 10, 11, 12 and 30 the last is too long for a unit of 10."""
    edges = np.array([0.0, 10.0, 21.0, 33.0, 63.0])
    habits = refilling(edges, (0, 10), (14, 16), (40, 42))
    seen = Counter(
        next(s for s in draw_spans(habits, seed) if s[1] - s[0] > 2) for seed in range(200)
    )
    assert {*seen} == {(0.0, 10.0), (10.0, 21.0), (21.0, 33.0)}
    # About 67 are expected.
    assert min(seen.values()) > 20


def test_a_unit_across_a_pause_stays_across_one() -> None:
    """The unit has 2 before the pause and 1 after it, at any of four pauses; by hand."""
    edges = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 100.0])
    units = []
    for low in edges[:-1].tolist():
        units += [(low + 5.5, low + 9.5), (low + 10.5, low + 14.5), (low + 15.5, low + 19.5)]
    units.remove((15.5, 19.5))
    habits = refilling(edges, (18.0, 21.0), *units)
    seen = set()
    for seed in range(60):
        seen |= {s for s in draw_spans(habits, seed) if s[1] - s[0] == 3}
    assert seen == {(18.0, 21.0), (38.0, 41.0), (58.0, 61.0), (78.0, 81.0)}


def test_gaps_within_stretches_stay_those_of_the_annotator() -> None:
    """All gaps between units are 4. Joined at pauses, those of 2 to 9 would make longer ones."""
    edges = np.cumsum([0.0, 31, 42, 27, 55, 38, 33])
    units = []
    for low, high in pairwise(edges.tolist()):
        start = low + 2.0
        while start + 3 <= high:
            units.append((start, start + 3))
            start += 7
    habits = refilling(edges, *units)
    gaps = list[float]()
    for seed in range(20):
        spans = draw_spans(habits, seed)
        assert len(spans) == len(units)
        for (start, end), (following, _) in pairwise(spans):
            if not ((edges >= end - 1e-9) & (edges <= following + 1e-9)).any():
                gaps.append(following - end)
            assert start >= 0
    assert np.mean(np.isclose(gaps, 4.0)) > 0.95


def test_tiles_fill_all_stretches_and_keep_complete_tiles() -> None:
    """Tiles of 5 from one edge to the other: the rest of each stretch is one tile more."""
    edges = np.array([0.0, 13.0, 37.0, 55.0, 76.0])
    units = []
    for low, high in pairwise(edges.tolist()):
        places = [low, *np.arange(low + 2.3, high, 5.0).tolist(), high]
        units += [*pairwise(places)]
    habits = refilling(edges, *units)
    assert habits.tiles
    for seed in range(20):
        spans = draw_spans(habits, seed)
        assert spans[0][0] == 0 and spans[-1][1] == pytest.approx(76.0)
        assert all(end == pytest.approx(start) for (_, end), (start, _) in pairwise(spans))
        places = [start for start, _ in spans]
        assert all(np.isclose(places, edge).any() for edge in edges[:-1])
        n_complete = sum(np.isclose(end - start, 5.0) for start, end in spans)
        assert n_complete >= len(habits.joined.starts)
        assert len(spans) == len(units)


@pytest.mark.parametrize(
    ("edges", "spans"),
    [
        pytest.param((0, 10, 30), [(8, 12), (20, 24)], id="half of the units across a pause"),
        pytest.param((0, 10, 30), [(2, 6), (4, 8)], id="half of the units overlap"),
        pytest.param((0, 10, 30), [(2, 9), (4, 8), (12, 15)], id="a third of the units inside"),
        pytest.param((0, 10, 13, 30), [(9, 14)], id="across two pauses"),
        pytest.param((0, 10, 13, 30), [(9, 13)], id="across a pause, up to another"),
        pytest.param((0, 30), [(9, 13)], id="one stretch"),
    ],
)
def test_no_refilling_for_annotators_who_often_overlap_or_cross_pauses(
    edges: tuple[float, ...], spans: Spans
) -> None:
    assert Refilling.of(annotation(30, *spans), np.array(edges, float), whole=False) is None


def test_stretches_that_were_found_in_annotations_show_no_habit() -> None:
    """Edges of common gaps are those of units, so that units begin there in any case."""
    spans = [(2.0 * k, 2.0 * k + 1) for k in [*range(12), *range(40, 55)]]
    units = [Unit(a, s + d, e + d, "x") for a, d in (("Ann", 0), ("Bob", 0.3)) for s, e in spans]
    c = Continuum.from_units(units, bounds=(0, 120))
    for continuum, classes in (
        (without_gaps(c, ((23.3, 80.0),)), (Fitting, Dividing)),
        (c.with_markable([(0, 23.3), (80, 120)]), (Refilling,)),
    ):
        pauses = prepare_cut([continuum], 2).pauses
        assert isinstance(pauses, Pauses)
        assert all(isinstance(habit, classes) for habit in pauses.habits)


def test_units_inside_others_do_not_leave_their_stretch() -> None:
    """Every third unit of each stretch has another one inside."""
    edges = np.arange(0.0, 241.0, 40.0)
    spans: Spans = []
    for low in edges[:-1]:
        spans += [(low + 2, low + 5), (low + 7, low + 10), (low + 12, low + 24)]
        spans += [(low + 13, low + 15), (low + 26, low + 29), (low + 31, low + 36)]
    habits = refilling(edges, *spans)
    for seed in range(60):
        new = draw_spans(habits, seed)
        assert len(new) == len(spans)
        for start, end in new:
            assert ((edges[:-1] <= start + 1e-6) & (end - 1e-6 <= edges[1:])).any()


@st.composite
def within_stretches(draw: st.DrawFn) -> tuple[np.ndarray, Spans]:
    """Draw stretches, and units in them that do not overlap and may touch their edges."""
    sizes = draw(st.lists(st.integers(4, 20), min_size=2, max_size=6))
    edges = np.cumsum([0, *sizes]).astype(float)
    spans: Spans = []
    for low, size in zip(edges.tolist(), sizes, strict=False):
        places = sorted(draw(st.sets(st.integers(0, size), max_size=6)))
        spans += [(low + a, low + b) for a, b in zip(places[::2], places[1::2], strict=False)]
    return edges, spans


@settings(max_examples=80, deadline=None)
@given(within_stretches(), st.integers(0, 2**32 - 1), st.booleans())
def test_units_at_edges_stay_at_edges(
    drawing: tuple[np.ndarray, Spans], seed: int, whole: bool
) -> None:
    """Count units at starts and ends of stretches: no fewer than before, all units kept."""
    edges, spans = drawing
    habits = Refilling.of(annotation(float(edges[-1]), *spans), edges, whole=whole)
    assume(habits is not None and not habits.tiles)
    assert habits is not None
    new = draw_spans(habits, seed)
    assert len(new) == len(spans)
    for side, places in ((0, edges[:-1]), (1, edges[1:])):
        n_before = sum(np.isclose(places, span[side]).any() for span in spans)
        n_after = sum(np.isclose(places, span[side]).any() for span in new)
        assert n_after >= n_before
    # Units that fill a stretch take its length; all others keep theirs.
    sizes = {*zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)}
    kept = Counter(round(e - s, 6) for s, e in spans if (s, e) not in sizes)
    lengths = Counter(round(e - s, 6) for s, e in new)
    assert not kept - lengths
    for start, end in new:
        assert ((edges[:-1] <= start + 1e-6) & (end - 1e-6 <= edges[1:])).any()
        if whole:
            assert start % 1 == 0 and end % 1 == 0
    # If units fill at most half of the time, there is room to place them without overlaps.
    if 2 * sum(end - start for start, end in spans) <= edges[-1]:
        assert all(start >= end - 1e-6 for (_, end), (start, _) in pairwise(new))
