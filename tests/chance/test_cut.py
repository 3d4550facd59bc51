"""The chance model `cut`: places where annotations are cut, and what random sets keep."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Unit, gamma
from gammacp.chance.annotation import ROUNDING, Annotation
from gammacp.chance.cut import Cuts, places_to_cut, prepare_cut
from gammacp.chance.sampling import Draws, sample_seed
from gammacp.errors import DataError

RNG = np.random.default_rng


def annotation(length: float, *spans: tuple[float, float]) -> Annotation:
    starts = np.array([s for s, _ in spans], float)
    lengths = np.array([e - s for s, e in spans], float)
    return Annotation(starts, lengths, np.zeros(len(spans), np.int32), length)


def spans_of(c: Continuum, name: str) -> list[tuple[float, float]]:
    rows = c.rows_of(name)
    return sorted(zip(c.starts[rows].tolist(), c.ends[rows].tolist(), strict=True))


def intervals(a: Annotation) -> list[tuple[float, float]]:
    places = places_to_cut(a)
    return [
        (pytest.approx(s), pytest.approx(e))
        for s, e in zip(places.starts, places.ends, strict=True)
    ]


def test_gaps_are_where_an_annotation_is_cut() -> None:
    assert intervals(annotation(10, (0, 4), (6, 8))) == [(0.4, 0.6), (0.8, 1.0)]


def test_touching_units_are_cut_between_them_and_at_the_ends() -> None:
    """Units 0–5 and 5–10 leave two places: 5, and the end of the circle, which is its beginning."""
    assert intervals(annotation(10, (0, 5), (5, 10))) == [(0.5, 0.5), (1.0, 1.0)]


def test_a_unit_over_nearly_everything_allows_cuts_inside_it() -> None:
    """A unit 0–9.8 leaves only .02 of the circle, so cuts may fall between the units inside it."""
    places = places_to_cut(annotation(10, (0, 9.8), (1, 2), (4, 5), (7, 8)))
    assert len(places.starts) > 1
    assert places.ends[0] == pytest.approx(0.1)


def test_an_annotation_without_places_to_cut() -> None:
    assert intervals(annotation(10)) == [(0.0, 1.0)]


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(1, 30)), min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_a_cut_is_inside_the_places_and_away_from_those_taken(
    units: list[tuple[int, int]], seed: int
) -> None:
    a = annotation(100, *[(s, min(s + n, 100)) for s, n in units])
    places = places_to_cut(a)
    rng = RNG(seed)
    taken = rng.random(3)
    found = places.draw(taken, 0.02, rng)
    assert any(
        s - 1e-9 <= found <= e + 1e-9 for s, e in zip(places.starts, places.ends, strict=True)
    )
    apart = np.abs(found - taken)
    apart = np.minimum(apart, 1 - apart)
    grid = np.linspace(0, 1, 2001)
    inside = ((places.starts[:, None] <= grid) & (grid <= places.ends[:, None])).any(axis=0)
    far = np.abs(grid[:, None] - taken)
    free = inside & (np.minimum(far, 1 - far) > 0.021).all(axis=1)
    if free.any():
        assert apart.min() >= 0.02 - 1e-9


def test_cuts_are_uniform_over_the_gaps() -> None:
    """Gaps .4–.6 and .8–1 of equal length get half the cuts each, uniform inside."""
    places, rng = places_to_cut(annotation(10, (0, 4), (6, 8))), RNG(0)
    cuts = np.array([places.draw(np.zeros(0), 0.0, rng) for _ in range(4000)])
    first = cuts[cuts < 0.7]
    assert len(first) == pytest.approx(2000, abs=150)
    assert first.mean() == pytest.approx(0.5, abs=0.006)
    assert first.std() == pytest.approx(0.2 / np.sqrt(12), rel=0.06)


def place_by_arrays(cuts: Cuts, taken: list[float], distance: float, point: float) -> float:
    """Return the position of `point` in the remaining weight, by numpy over all intervals."""

    def place_of(weight: float) -> float:
        i = int(np.searchsorted(cuts.edges, weight, side="right")) - 1
        i = min(max(i, 0), len(cuts.starts) - 1)
        share = (weight - cuts.edges[i]) / (cuts.edges[i + 1] - cuts.edges[i])
        return float(cuts.starts[i] + share * (cuts.ends[i] - cuts.starts[i]))

    def weight_before(places: np.ndarray, side: float) -> np.ndarray:
        i = np.searchsorted(cuts.starts, places + side) - 1
        j = np.maximum(i, 0)
        length = cuts.ends[j] - cuts.starts[j]
        inside = (places - cuts.starts[j]) / np.where(length > 0, length, 1)
        share = np.where(length > 0, np.clip(inside, 0, 1), 1.0)
        return np.where(i < 0, 0.0, cuts.edges[j] + (cuts.edges[j + 1] - cuts.edges[j]) * share)

    total = cuts.edges[-1]
    if not taken:
        return place_of(point * total)
    apart = max(distance, 2 * ROUNDING)
    each, laps = np.array(taken * 3), np.repeat([-1, 0, 1], len(taken))
    low = weight_before(each - apart + laps, ROUNDING)
    high = weight_before(each + apart + laps, -ROUNDING)
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.maximum.accumulate(high[order])
    first = np.append(True, low[1:] > high[:-1])
    begins = np.append(0.0, high[np.append(first[1:], True)])
    room = np.maximum(np.append(low[first], total) - begins, 0.0)
    if room.sum() <= 1e-9 * total:
        return place_of(point * total)
    ahead, wanted = np.cumsum(room), point * room.sum()
    i = min(int(np.searchsorted(ahead, wanted, side="right")), len(room) - 1)
    return place_of(float(begins[i] + wanted - (ahead[i] - room[i])))


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 30)), max_size=12),
    st.lists(st.one_of(st.floats(0, 0.999), st.integers(0, 99).map(lambda k: k / 100)), max_size=9),
    st.sampled_from([0.0, 0.01, 0.07, 0.3]),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=80, deadline=None)
def test_cuts_equal_those_of_array_operations_to_the_bit(
    units: list[tuple[int, int]], taken: list[float], distance: float, seed: int
) -> None:
    places = places_to_cut(annotation(100, *[(s, min(s + n, 100)) for s, n in units]))
    wanted = place_by_arrays(places, taken, distance, RNG(seed).random())
    assert places.draw(taken, distance, RNG(seed)).hex() == wanted.hex()


@given(seed=st.integers(0, 2**32 - 1), whole=st.booleans(), tokens=st.booleans())
@settings(max_examples=40, deadline=None)
def test_sets_drawn_together_are_those_drawn_one_by_one(
    seed: int, whole: bool, tokens: bool
) -> None:
    rng = RNG(seed)
    units = []
    for name in "BAC":
        for start in rng.uniform(0, 60, rng.integers(1, 12)):
            first = float(round(start)) if whole or tokens else start
            length = float(rng.integers(0 if whole else 1, 9))
            units.append(Unit(name, first, first + length, rng.choice(["x", "y", None])))
    c = Continuum.from_units(
        units, annotators=["A", "B", "C", "D"], offset_unit="tokens" if tokens else ""
    )
    sampler = prepare_cut([c], 4)
    together = Draws(sampler, seed).take(range(5))
    for k, drawn in enumerate(together):
        alone = sampler.draw(RNG(np.random.SeedSequence(seed, spawn_key=(k,))))
        assert drawn == alone
        assert drawn.starts.tobytes() + drawn.ends.tobytes() == (
            alone.starts.tobytes() + alone.ends.tobytes()
        )
    assert (
        sample_seed(seed, 7).random() == RNG(np.random.SeedSequence(seed, spawn_key=(7,))).random()
    )


@pytest.fixture
def two() -> Continuum:
    units = [Unit("A", s, s + 3, "x") for s in (0, 10, 20, 30)]
    units += [Unit("B", s, s + 6, "y") for s in (2, 25)]
    return Continuum.from_units(units)


def test_every_annotator_takes_part_once_with_all_units_whole(two: Continuum) -> None:
    sampler = prepare_cut([two], 2)
    for k in range(30):
        drawn = sampler.draw(RNG(k))
        lengths = sorted(
            np.round(drawn.lengths[drawn.rows_of(a)], 9).tolist() for a in drawn.annotators
        )
        assert lengths == [[3.0, 3.0, 3.0, 3.0], [6.0, 6.0]]
        assert drawn.bounds[1] == drawn.length >= drawn.ends.max()
        for name in drawn.annotators:
            mine = spans_of(drawn, name)
            assert all(e <= s + 1e-9 for (_, e), (s, _) in pairwise(mine))


def test_declared_bounds_are_the_circle_and_other_bounds_grow_by_the_gap() -> None:
    units = [Unit("A", s, s + 2, "x") for s in (1.5, 11, 21)]
    units += [Unit("B", s, s + 2, "x") for s in (3, 13, 23)]
    declared = prepare_cut([Continuum.from_units(units, bounds=(0, 30))], 2)
    assert declared.circle == 30
    # From 1.5 to 25, each annotator has gaps of (23.5 − 6) / 3, half of which goes to each side.
    grown = prepare_cut([Continuum.from_units(units)], 2)
    assert grown.circle == pytest.approx(23.5 + 17.5 / 3)


def test_moving_scaling_and_renaming_change_nothing(two: Continuum) -> None:
    def value(c: Continuum) -> float:
        return gamma(c, chance="cut", samples=20, seed=4).value

    def changed(scale: float, move: float, names: dict[str, str]) -> Continuum:
        return Continuum.from_units(
            Unit(names[u.annotator], u.start * scale + move, u.end * scale + move, u.category)
            for u in two
        )

    same = {"A": "A", "B": "B"}
    assert value(changed(1, 1000, same)) == pytest.approx(value(two), abs=1e-12)
    assert value(changed(1, 0, {"A": "Z", "B": "C"})) == pytest.approx(value(two), abs=1e-12)
    assert value(changed(100, 0, same)) == pytest.approx(value(two), abs=1e-9)


def test_another_number_of_annotators_is_refused(two: Continuum) -> None:
    with pytest.raises(DataError, match="every annotator once"):
        prepare_cut([two], 3)


def test_annotators_without_units_take_part() -> None:
    c = Continuum.from_units([Unit("A", 0, 2, "x"), Unit("A", 5, 7, "x")], annotators=["A", "B"])
    drawn = prepare_cut([c], 2).draw(RNG(0))
    assert sorted(drawn.counts) == [0, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unlike", "model", "low", "high"),
    [
        (True, "shift", -0.09, -0.04),
        (True, "cut", -0.012, 0.012),
        (False, "cut", -0.012, 0.012),
    ],
)
def test_independent_annotators_have_a_gamma_of_zero(
    unlike: bool, model: str, low: float, high: float
) -> None:
    """`shift` draws annotators with replacement, so that unlike annotators are compared with
    themselves.
    """
    from experiments._independent import PROCESSES, continuum

    people = PROCESSES["unlike" if unlike else "like"](3)
    values = [
        gamma(continuum(people, 20, RNG(k)), chance=model, samples=20).value for k in range(400)
    ]
    assert low < float(np.mean(values)) < high
