"""The chance model `cut` without pauses: the mapping of positions, and random units."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.chance.annotation import Annotation
from gammacp.chance.cut import prepare_cut
from gammacp.chance.pauses.markable_time import Dividing, Fitting, MarkableTime, Pauses
from gammacp.chance.pauses.refilled import Refilling
from gammacp.chance.registry import CHANCE_MODELS, default_chance
from gammacp.continuum.declaring import declare_bounds, declare_read_until
from gammacp.continuum.grid import Grid
from gammacp.errors import DataError

RNG = np.random.default_rng
Spans = list[tuple[float, float]]


def annotation(length: float, *spans: tuple[float, float]) -> Annotation:
    starts = np.array([s for s, _ in spans], float)
    lengths = np.array([e - s for s, e in spans], float)
    return Annotation(starts, lengths, np.arange(len(spans), dtype=np.int32), length)


def spans_of(c: Continuum, name: str) -> Spans:
    rows = c.rows_of(name)
    return list(zip(c.starts[rows].tolist(), c.ends[rows].tolist(), strict=True))


def of(people: dict[str, Spans], stretches: Spans) -> Continuum:
    units = [Unit(a, s, e, "x") for a, spans in people.items() for s, e in spans]
    bounds = (stretches[0][0], stretches[-1][1])
    return Continuum.from_units(units, bounds=bounds).with_markable(stretches)


TWO = MarkableTime(np.array([0.0, 30.0]), np.array([10.0, 50.0]), np.array([0.0, 10.0, 30.0]))


def test_places_by_hand() -> None:
    """Two stretches 0–10 and 30–50 are 30 long, and all of the pause has the place 10; by hand."""
    assert TWO.at(np.array([0, 4, 10, 17, 30, 31, 50])).tolist() == [0, 4, 10, 10, 10, 11, 30]


def test_units_by_hand() -> None:
    """Units within a stretch, across the pause, at its edges and inside it are mapped as
    by hand.
    """
    laid = TWO.laid(annotation(50, (2, 7), (6, 34), (25, 33), (12, 18), (40, 50)), 50.0)
    assert laid.starts.tolist() == [2, 6, 10, 10, 20]
    assert laid.lengths.tolist() == [5, 8, 3, 6, 10]
    assert laid.length == 30
    back = TWO.positions(laid)
    assert back.starts.tolist() == [2, 6, 30, 30, 40]
    assert (back.starts + back.lengths).tolist() == [7, 34, 33, 36, 50]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6)), min_size=1, max_size=5),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_mapping_is_that_of_counted_seconds(
    parts: list[tuple[int, int]], one: int, other: int
) -> None:
    """Lengths and places are those of counted seconds, each of which is in a stretch or in
    a pause.
    """
    seconds = [held for pause, stretch in parts for held in [False] * pause + [True] * stretch]
    edges = np.flatnonzero(np.diff([0, *seconds, 0]))
    starts, ends = edges[::2].astype(float), edges[1::2].astype(float)
    time = MarkableTime(starts, ends, np.concatenate([[0.0], np.cumsum(ends - starts)]))
    start, end = sorted(min(place, len(seconds)) for place in (one, other))
    laid = time.laid(annotation(len(seconds), (start, end)), len(seconds))
    assert laid.length == sum(seconds)
    assert laid.starts[0] == sum(seconds[:start])
    inside = sum(seconds[start:end])
    if inside:
        assert laid.lengths[0] == inside
        back = time.positions(laid)
        held = [k for k in range(start, end) if seconds[k]]
        assert (back.starts[0], back.starts[0] + back.lengths[0]) == (held[0], held[-1] + 1)


@st.composite
def with_pauses(draw: st.DrawFn) -> Continuum:
    """Draw units at whole positions, without overlaps, at most six per annotator.

    Some of them cross pauses.
    """
    steps = draw(st.lists(st.integers(3, 20), min_size=3, max_size=9))
    edges = np.cumsum([0, *steps]).tolist()
    stretches = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    people = {}
    for name in ("Ann", "Bob"):
        places = sorted(draw(st.sets(st.integers(0, stretches[-1][1]), max_size=12)))
        people[name] = [(a, b) for a, b in zip(places[::2], places[1::2], strict=False)]
    units = [Unit(a, s, e, "x") for a, own in people.items() for s, e in own]
    free = [u for u in units if any(u.start < e and u.end > s for s, e in stretches)]
    c = Continuum.from_units(free, annotators=["Ann", "Bob"], bounds=(0, stretches[-1][1]))
    return c.with_markable(stretches)


@settings(max_examples=60, deadline=None)
@given(with_pauses(), st.integers(0, 2**32 - 1))
def test_random_units_keep_their_lengths_and_stay_out_of_pauses(c: Continuum, seed: int) -> None:
    sampler = prepare_cut([c], 2)
    if not c.markable or "completed" in sampler.signature:
        return
    time = MarkableTime.of(c)
    drawn = sampler.draw(RNG(seed))
    assert isinstance(sampler.pauses, Pauses)
    habits = [*map(type, sampler.pauses.habits)]
    for name in c.annotators:
        own, new = (annotation(c.length, *spans_of(x, name)) for x in (c, drawn))
        laid, again = (time.laid(a, c.length) for a in (own, new))
        if Dividing not in habits and Refilling not in habits:
            assert np.sort(again.lengths) == pytest.approx(np.sort(laid.lengths))
        # A unit that fills a stretch takes the length of another one (test_refilled.py).
        if Refilling not in habits:
            assert again.lengths.sum() == pytest.approx(laid.lengths.sum())
        for start, end in spans_of(drawn, name):
            at = [k for k, x in enumerate(time.starts) if x - 1e-6 <= start <= time.ends[k] + 1e-6]
            to = [k for k, x in enumerate(time.starts) if x - 1e-6 <= end <= time.ends[k] + 1e-6]
            assert at
            assert to


@settings(max_examples=30, deadline=None)
@given(with_pauses(), st.integers(0, 2**32 - 1))
def test_a_single_stretch_changes_no_bit_of_cut(c: Continuum, seed: int) -> None:
    """A stretch over everything is removed; kept by force, it changes no random unit."""
    plain = c.with_about(markable=())
    plain = declare_bounds(plain, (plain.bounds[0] - 5, plain.bounds[1] + 3))
    assert plain.with_markable([plain.bounds]) is plain
    forced = plain.with_about(markable=(plain.bounds,))
    one, other = (prepare_cut([x], 2).draw(RNG(seed)) for x in (plain, forced))
    assert one.starts.tolist() == other.starts.tolist()
    assert one.ends.tolist() == other.ends.tolist()


def test_only_annotators_who_cross_pauses_do_so_by_chance() -> None:
    stretches = [(100.0 * k, 100.0 * k + 44 + 7 * (k * k % 5)) for k in range(8)]
    kept = [(s + d, s + d + 14) for s, _ in stretches for d in (3.0, 29.0)]
    over = [(e - 10, s + 4) for (_, e), (s, _) in pairwise(stretches)]
    over += [(s + 12, s + 26) for s, _ in stretches]
    c = of({"Ann": kept, "Bob": over}, stretches)
    sampler = prepare_cut([c], 2)
    crossing = {"Ann": 0, "Bob": 0}
    for seed in range(40):
        drawn = sampler.draw(RNG(seed))
        for name in crossing:
            crossing[name] += sum(e - s > 30 for s, e in spans_of(drawn, name))
    assert crossing["Ann"] == 0
    assert crossing["Bob"] > 40


def test_a_unit_that_fits_nowhere_else_stays_across_the_pause() -> None:
    c = of({"Ann": [(0, 30)], "Bob": [(1, 4)]}, [(0, 10), (12, 20), (22, 30)])
    for seed in range(10):
        ((start, end),) = spans_of(prepare_cut([c], 2).draw(RNG(seed)), "Ann")
        assert MarkableTime.of(c).at(np.array([start, end])) @ [-1, 1] == pytest.approx(26)


def test_probabilities_by_hand() -> None:
    """By hand, a unit of 4 in stretches of 10 and 20 crosses if it starts in 6–10: 4 of 30."""
    edges = np.array([0.0, 10.0, 30.0])
    across = Fitting.of(annotation(30, (8, 12), (20, 24)), edges, whole=False)
    assert (across.stays, across.ends, across.begins) == (1.0, 0.0, 0.0)
    units = [(2.0 * k, 2.0 * k + 1) for k in range(15) if k != 5]
    many = Fitting.of(annotation(30, *units, (9.5, 10.5)), edges, whole=False)
    assert many.stays == 1.0
    some = annotation(30, (6, 10), *((11 + 2 * k, 12.5 + 2 * k) for k in range(9)))
    expected = (4 + 9 * 1.5) / 30
    found = Fitting.of(some, edges, whole=False)
    assert (found.stays, found.begins) == (0.0, 0.0)
    assert found.ends == pytest.approx(min(1.0, 1 / expected))


def test_tiles_stay_tiles_and_keep_their_categories() -> None:
    """Ann's tiles of both stretches are joined at the pause, turned, and divided there again."""
    time = Dividing.of(annotation(30, (0, 3), (3, 7), (7, 10), (10, 22), (22, 30)), TWO.edges)
    assert time is not None
    assert time.joined.starts.tolist() == [0, 3, 7, 22]
    assert time.joined.lengths.tolist() == [3, 4, 15, 8]
    assert (time.joined.category_codes.tolist(), time.others.tolist()) == ([0, 1, 3, 4], [2])
    turned = replace(time.joined, starts=np.array([0.0, 3.0, 7.0, 22.0]))
    again = time.fit(turned, RNG(0))
    order = np.argsort(again.starts)
    assert again.starts[order].tolist() == [0, 3, 7, 10, 22]
    assert again.lengths[order].tolist() == [3, 4, 3, 12, 8]
    assert again.category_codes[order].tolist() == [0, 1, 2, 3, 4]


def test_units_on_a_grid_move_by_whole_places_outside_pauses() -> None:
    spans = [(0.0, 2.0), (3.0, 5.0), (21.0, 24.0), (26.0, 27.0)]
    c = of({"Ann": spans, "Bob": [(1.0, 3.0), (28.0, 30.0)]}, [(0, 8), (20, 31)])
    c = c.with_about(grid=Grid("frames", 1.0))
    sampler = prepare_cut([c], 2)
    assert sampler.signature.endswith("(markable=2)(grid=frames)")
    seen = set()
    for seed in range(60):
        drawn = sampler.draw(RNG(seed))
        assert (drawn.starts % 1 == 0).all() and (drawn.ends % 1 == 0).all()
        assert not ((drawn.starts > 8) & (drawn.starts < 20)).any()
        assert not ((drawn.ends > 8) & (drawn.ends < 20)).any()
        assert (drawn.ends - drawn.starts < 4).all()
        seen |= {*drawn.starts.tolist()}
    assert len(seen) > 10


def test_nothing_is_drawn_for_an_annotator_who_read_nothing() -> None:
    c = of({"Ann": [], "Bob": [(2.0, 4.0), (40.0, 46.0)]}, [(0, 10), (30, 50)])
    c = declare_read_until(Continuum.from_units(list(c), annotators=["Ann", "Bob"]), {"Ann": 2})
    c = declare_bounds(c, (0, 50)).with_markable([(0, 10), (30, 50)])
    assert prepare_cut([c], 2).draw(RNG(1)).n_units == 2


def test_reading_limits_count_in_the_time_without_pauses() -> None:
    spans = [(1.0, 3.0), (5.0, 8.0), (31.0, 33.0)]
    c = of({"Ann": spans, "Bob": [(2.0, 4.0), (40.0, 46.0)]}, [(0, 10), (30, 50)])
    c = declare_read_until(c, {"Ann": 36})
    for seed in range(30):
        drawn = prepare_cut([c], 2).draw(RNG(seed))
        assert max(e for _, e in spans_of(drawn, "Ann")) <= 36 + 1e-9


def test_other_models_refuse_pauses_and_cut_is_the_default() -> None:
    c = of({"Ann": [(1, 3)], "Bob": [(2, 4), (33, 40)]}, [(0, 10), (30, 50)])
    assert default_chance([[c] * 5]) == "cut"
    assert default_chance([[c.with_markable([])] * 5]) == "documents"
    for name, model in CHANCE_MODELS.items():
        if name != "cut" and not model.keeps_places:
            with pytest.raises(DataError, match="cannot model pauses") as error:
                model.prepare([c, c, c], 2)
            assert error.value.hint == "Use `chance=cut`, or drop `markable=`"


def test_annotators_who_share_only_silences_do_not_agree() -> None:
    """With three long pauses γ is far above 0 if they are not declared, and near 0 if they are."""
    stretches = [(0.0, 110.0), (165.0, 260.0), (330.0, 430.0), (490.0, 600.0)]
    plain, declared = [], []
    for seed in range(24):
        rng = RNG([58, seed])
        people = {}
        for name in ("Ann", "Bob"):
            starts = np.cumsum(rng.gamma(2.0, 6.0, 60) + 8) - 8 - 100 * rng.random()
            people[name] = [
                (s, s + 8) for s in starts.tolist() if any(a <= s <= b - 8 for a, b in stretches)
            ]
        c = of(people, stretches)
        plain.append(gc.gamma(c.with_markable([]), samples=10, seed=seed).value)
        declared.append(gc.gamma(c, samples=10, seed=seed).value)
    assert np.mean(plain) > 0.12
    assert abs(np.mean(declared)) < 0.06
