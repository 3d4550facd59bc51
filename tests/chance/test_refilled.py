"""Stretches between pauses that are filled anew: units at edges, rhythms, and tiles."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Corpus, Unit, gamma, gamma_corpus
from gammacp.chance.annotation import Annotation
from gammacp.chance.common_gaps import without_gaps
from gammacp.chance.cut import prepare_cut
from gammacp.chance.pause_edges import Edge
from gammacp.chance.pauses import Dividing, Fitting, Pauses
from gammacp.chance.refilled import Refilling
from gammacp.continuum import markable
from gammacp.continuum.markable import small_value_in_words

RNG = np.random.default_rng
Spans = list[tuple[float, float]]
EDGES = np.array([0.0, 10.0, 30.0])


def annotation(length: float, *spans: tuple[float, float]) -> Annotation:
    starts = np.array([s for s, _ in spans], float)
    lengths = np.array([e - s for s, e in spans], float)
    return Annotation(starts, lengths, np.arange(len(spans), dtype=np.int32), length)


def refilling(edges: np.ndarray, *spans: tuple[float, float]) -> Refilling:
    habit = Refilling.of(annotation(float(edges[-1]), *spans), edges, whole=False)
    assert habit is not None
    return habit


def drawn(habit: Refilling, seed: int) -> Spans:
    """Return the units of one draw, ascending, turned by nothing."""
    new = habit.fit(habit.joined, RNG(seed))
    return sorted(zip(new.starts.tolist(), (new.starts + new.lengths).tolist(), strict=True))


def test_edges_by_hand() -> None:
    """Return the gaps and units at edges of stretches 0–10 and 10–30; by hand."""
    habit = refilling(EDGES, (0, 3), (5, 8), (26, 30))
    assert habit.arrangement.begins[0].row == 0
    assert habit.arrangement.begins[0].time == 3
    assert habit.arrangement.ends[0] == Edge(-1, 0.0, 2.0)
    assert habit.arrangement.begins[1] == Edge(-1, 0.0, 16.0)
    assert habit.arrangement.ends[1].row == 2
    assert habit.arrangement.ends[1].time == 4
    assert habit.arrangement.fills == [-1, -1]
    # Without the 3 + 4 at edges 23 of 30 are left, and the unit at 5 lies at 2.
    assert (habit.joined.starts.tolist(), habit.joined.length) == ([2.0], 23.0)
    assert habit.gaps.tolist() == [2.0]
    assert not habit.tiles


def test_a_unit_at_an_edge_begins_each_stretch_equally_often() -> None:
    """The unit of 3 begins after one of three pauses, and never where the recording does."""
    edges = np.array([0.0, 10.0, 25.0, 37.0, 60.0])
    habit = refilling(edges, (10, 13), (20, 22), (30, 31), (50, 52))
    rng = RNG(0)
    begins = [habit.arrangement.shuffle(rng).begins for _ in range(600)]
    starts = Counter(k for row in begins for k, edge in enumerate(row) if edge.time == 3)
    assert {*starts} == {1, 2, 3}
    assert min(starts.values()) > 160


def test_a_unit_at_an_edge_may_overlap_the_one_before_by_as_much() -> None:
    """Ends at 20 and 32 overlap by 2 at most, wherever the unit of 5 goes; by hand."""
    edges = np.array([0.0, 20.0, 32.0, 50.0, 70.0])
    units = [(2.0, 4.0), (6.0, 8.0), (12.0, 17.0), (15.0, 20.0), (24.0, 26.0), (36.0, 38.0)]
    habit = refilling(edges, *units, (41.0, 43.0), (52.0, 54.0), (60.0, 62.0))
    assert habit.arrangement.ends[0].time == 5
    assert habit.arrangement.ends[0].gap == -2
    for seed in range(60):
        spans = drawn(habit, seed)
        (last,) = [s for s in spans if s[1] - s[0] == 5 and s[1] in (20.0, 32.0, 50.0)][-1:]
        assert all(
            end <= last[0] + 2 + 1e-9 or start >= last[1] for start, end in spans if start < last[0]
        )


def test_a_unit_that_fills_a_stretch_fills_one_of_much_the_same_length() -> None:
    """Of stretches of 10, 11, 12 and 30 the last is too long for a unit of 10."""
    edges = np.array([0.0, 10.0, 21.0, 33.0, 63.0])
    habit = refilling(edges, (0, 10), (14, 16), (40, 42))
    seen = Counter(next(s for s in drawn(habit, seed) if s[1] - s[0] > 2) for seed in range(200))
    assert {*seen} == {(0.0, 10.0), (10.0, 21.0), (21.0, 33.0)}
    assert min(seen.values()) > 20


def test_a_unit_across_a_pause_stays_across_one() -> None:
    """The unit has 2 before the pause and 1 after it, at any of four pauses; by hand."""
    edges = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 100.0])
    units = [(k + 0.5, k + 4.5) for k in np.arange(5.0, 100, 5).tolist() if k % 20]
    habit = refilling(edges, (18.0, 21.0), *[u for u in units if u[1] < 100 and u[1] != 19.5])
    seen = {s for seed in range(60) for s in drawn(habit, seed) if s[1] - s[0] == 3}
    assert seen == {(18.0, 21.0), (38.0, 41.0), (58.0, 61.0), (78.0, 81.0)}


def test_gaps_within_stretches_stay_those_of_the_annotator() -> None:
    """All gaps between units are 4. Joined at pauses, those of 2 to 9 would make longer ones."""
    edges = np.cumsum([0.0, 31, 42, 27, 55, 38, 33])
    units = []
    for low, high in pairwise(edges.tolist()):
        place = low + 2.0
        while place + 3 <= high:
            units.append((place, place + 3))
            place += 7
    habit = refilling(edges, *units)
    gaps = list[float]()
    for seed in range(20):
        spans = drawn(habit, seed)
        assert len(spans) == len(units)
        for (start, end), (following, _) in pairwise(spans):
            if not ((edges >= end - 1e-9) & (edges <= following + 1e-9)).any():
                gaps.append(following - end)
            assert start >= 0
    assert np.mean(np.isclose(gaps, 4.0)) > 0.95


def test_tiles_fill_all_stretches_and_keep_whole_tiles() -> None:
    """Tiles of 5 from one edge to the other: the rest of each stretch is one tile more."""
    edges = np.array([0.0, 13.0, 37.0, 55.0, 76.0])
    units = []
    for low, high in pairwise(edges.tolist()):
        places = [low, *np.arange(low + 2.3, high, 5.0).tolist(), high]
        units += [*pairwise(places)]
    habit = refilling(edges, *units)
    assert habit.tiles
    for seed in range(20):
        spans = drawn(habit, seed)
        assert spans[0][0] == 0 and spans[-1][1] == pytest.approx(76.0)
        assert all(end == pytest.approx(start) for (_, end), (start, _) in pairwise(spans))
        places = [start for start, _ in spans]
        assert all(np.isclose(places, edge).any() for edge in edges[:-1])
        whole = sum(np.isclose(end - start, 5.0) for start, end in spans)
        assert whole >= len(habit.joined.starts)
        assert len(spans) == len(units)


def test_who_often_marks_across_pauses_or_overlaps_is_turned() -> None:
    assert Refilling.of(annotation(30, (8, 12), (20, 24)), EDGES, whole=False) is None
    assert Refilling.of(annotation(30, (2, 6), (4, 8)), EDGES, whole=False) is None
    assert Refilling.of(annotation(30, (2, 9), (4, 8), (12, 15)), EDGES, whole=False) is None
    twice = np.array([0.0, 10.0, 13.0, 30.0])
    assert Refilling.of(annotation(30, (9, 14)), twice, whole=False) is None
    assert Refilling.of(annotation(30, (9, 13)), twice, whole=False) is None
    assert Refilling.of(annotation(30, (9, 13)), np.array([0.0, 30.0]), whole=False) is None


def test_stretches_that_were_found_in_annotations_show_no_habit() -> None:
    """Edges of common gaps are those of units, so that units begin there in any case."""
    spans = [(2.0 * k, 2.0 * k + 1) for k in [*range(12), *range(40, 55)]]
    units = [Unit(a, s + d, e + d, "x") for a, d in (("Ann", 0), ("Bob", 0.3)) for s, e in spans]
    c = Continuum.from_units(units, bounds=(0, 120))
    for marked, kinds in (
        (without_gaps(c, ((23.3, 80.0),)), (Fitting, Dividing)),
        (c.with_markable([(0, 23.3), (80, 120)]), (Refilling,)),
    ):
        pauses = prepare_cut([marked], 2).pauses
        assert isinstance(pauses, Pauses)
        assert all(isinstance(habit, kinds) for habit in pauses.habits)


def test_units_inside_others_do_not_leave_their_stretch() -> None:
    """Every third unit of each stretch has another one inside."""
    edges = np.arange(0.0, 241.0, 40.0)
    spans: Spans = []
    for low in edges[:-1]:
        spans += [(low + 2, low + 5), (low + 7, low + 10), (low + 12, low + 24)]
        spans += [(low + 13, low + 15), (low + 26, low + 29), (low + 31, low + 36)]
    habit = refilling(edges, *spans)
    for seed in range(60):
        new = drawn(habit, seed)
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
    habit = Refilling.of(annotation(float(edges[-1]), *spans), edges, whole=whole)
    if habit is None or habit.tiles:
        return
    new = drawn(habit, seed)
    assert len(new) == len(spans)
    for side, places in ((0, edges[:-1]), (1, edges[1:])):
        before, after = (
            sum(np.isclose(places, span[side]).any() for span in rows) for rows in (spans, new)
        )
        assert after >= before
    # Units that fill a stretch take its length; all others keep theirs.
    sizes = {*zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)}
    kept = Counter(round(e - s, 6) for s, e in spans if (s, e) not in sizes)
    lengths = Counter(round(e - s, 6) for s, e in new)
    assert not kept - lengths
    for start, end in new:
        assert ((edges[:-1] <= start + 1e-6) & (end - 1e-6 <= edges[1:])).any()
        assert not whole or (start % 1, end % 1) == (0, 0)
    if 2 * sum(end - start for start, end in spans) <= edges[-1]:
        assert all(start >= end - 1e-6 for (_, end), (start, _) in pairwise(new))


def test_a_small_gamma_with_a_small_p_is_told_with_its_rate() -> None:
    """Only a γ below .15 with a p of at most .05 may be what pauses alone give."""
    (note,) = small_value_in_words(0.03, 0.01)
    assert "γ below 0.15 may come from pauses" in note
    assert "23% of simulated corpora of six recordings" in note
    assert small_value_in_words(0.03, 0.2) == small_value_in_words(0.03, None) == ()
    assert small_value_in_words(0.2, 0.01) == ()


def test_gamma_of_texts_and_corpora_has_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markable, "small_value_in_words", lambda value, p: (f"{value} {p}",))
    units = [Unit(a, s, s + 2, "x") for a in ("Ann", "Bob") for s in (1, 5, 22, 25, 33)]
    c = Continuum.from_units(units)
    told = c.with_markable([(0, 9), (20, 40)])
    score = gamma(told, samples=19)
    corpus = gamma_corpus(Corpus.from_continua({"a": told, "b": told}), samples=19)
    for one in (score, corpus):
        assert one.as_dict()["notes"][-1] == f"{one.value} {one.p}"
    plain = Corpus.from_continua({"a": c, "b": c})
    assert not any("1.0 " in note for note in gamma_corpus(plain, samples=19).notes)
    assert not any("1.0 " in note for note in gamma(c, samples=19).notes)
