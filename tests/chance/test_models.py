from collections import Counter
from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, DataError, Unit
from gammacp.chance.annotation import annotations_of
from gammacp.chance.registry import CHANCE_MODELS, Sampler
from gammacp.chance.shift import distant_shifts
from gammacp.chance.statistical import circular_gaps
from gammacp.continuum.canonical import canonical_order
from gammacp.continuum.declaring import declare_bounds

ANN = [Unit("Ann", 0, 4, "x"), Unit("Ann", 6, 9, "y"), Unit("Ann", 9, 20, "x")]
BOB = [Unit("Bob", 1, 4, "x"), Unit("Bob", 5, 9, "z")]
C = Continuum.from_units([*ANN, *BOB], annotators=["Cid"])


def sampler(name: str, *continua: Continuum, n: int = 3) -> Sampler:
    return CHANCE_MODELS[name].prepare(continua, n)


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 2**32))
def test_shifts_keep_their_distance_on_the_circle(n: int, share: float, seed: int) -> None:
    distance = share / n
    points = np.sort(distant_shifts(n, distance, np.random.default_rng(seed)))
    assert ((points >= 0) & (points < 1)).all()
    gaps = np.diff(np.append(points, points[0] + 1))
    assert (gaps >= distance - 1e-12).all()


def test_each_shift_is_uniform_and_order_is_random() -> None:
    rng = np.random.default_rng(0)
    shifts = np.array([distant_shifts(3, 0.2, rng) for _ in range(4000)])
    for column in shifts.T:
        assert np.histogram(column, bins=8, range=(0, 1))[0] == pytest.approx(500, abs=110)
    # All six orders are equally likely.
    orders = Counter(tuple(np.argsort(row)) for row in shifts)
    assert len(orders) == 6
    assert min(orders.values()) > 550


def test_shifted_annotations_are_rotations_of_real_ones() -> None:
    model = sampler("shift", C, n=4)
    real = {
        (): "Cid",
        ((4.0, "x"), (3.0, "y"), (11.0, "x")): "Ann",
        ((3.0, "x"), (4.0, "z")): "Bob",
    }
    seen = set()
    for seed in range(60):
        drawn = model.draw(np.random.default_rng(seed))
        for name in drawn.annotators:
            units = list(drawn)[drawn.rows_of(name)]
            cycle = [(round(u.length, 9), str(u.category)) for u in units]
            rotations = {tuple(cycle[i:] + cycle[:i]) for i in range(max(1, len(cycle)))}
            match = rotations & real.keys()
            assert match
            seen |= {real[m] for m in match}
            # Gaps between starts are kept on the circle of L = 20.
            starts = [u.start for u in units]
            assert all(0 <= s < 20 for s in starts)
    assert seen == {"Ann", "Bob", "Cid"}


def test_long_units_reduce_the_distance_and_say_so() -> None:
    whole = Continuum.from_units([Unit(a, 0, 10, "x") for a in "AB"])
    assert sampler("shift", whole, n=2).signature == "shift(distance=L/2n)"
    assert sampler("shift", C, n=2).signature == "shift"
    assert sampler("shift", C, n=3).signature == "shift(distance=L/2n)"
    assert sampler("shift", declare_bounds(C, (0, 1000)), n=2).signature == "shift"


@pytest.mark.parametrize(
    ("length", "names", "n", "least"),
    [
        (10, "AB", 2, 10),  # ℓ̄
        (10, "A", 2, 10),  # B has none
        (40, "AB", 2, 25),  # nℓ̄ > L/2: L/2n
        (20, "AB", 4, 12.5),
    ],
)
def test_no_two_annotators_are_shifted_nearly_alike(
    length: float, names: str, n: int, least: float
) -> None:
    """The least distance on the circle is the paper's ℓ̄ or our L/2n, and is reached."""
    units = [Unit(name, 0, length, "x") for name in names]
    c = Continuum.from_units(units, annotators=["A", "B"], bounds=(0, 100))
    model = sampler("shift", c, n=n)
    nearest = []
    for seed in range(600):
        starts = model.draw(np.random.default_rng(seed)).starts
        gaps = np.abs(starts[:, None] - starts)[np.triu_indices(len(starts), 1)]
        nearest += np.minimum(gaps, 100 - gaps).tolist()
    assert least - 1e-9 <= min(nearest) < least + 1


def test_corpus_mixes_different_continua_and_repeats_the_short_ones() -> None:
    short = Continuum.from_units([Unit("A", 0, 4, "s"), Unit("B", 1, 3, "s")], bounds=(0, 5))
    long = Continuum.from_units([Unit("A", 100, 109, "l")], bounds=(100, 120))
    long = replace(long, categories=("l", "s"))
    short = Continuum.from_units(list(short), categories=["l", "s"], bounds=(0, 5))
    drawn = sampler("corpus", short, long, n=2).draw(np.random.default_rng(0))
    counts = Counter(u.category for u in drawn)
    assert counts == {"l": 1, "s": 4}
    first = next(u for u in drawn if u.category == "s").start
    assert sorted(u.start for u in drawn if u.category == "s") == [first + 5 * k for k in range(4)]
    assert [(u.start, u.end) for u in drawn if u.category == "l"] == [(0, 9)]


def test_a_mosaic_ends_before_its_length() -> None:
    """A copy that would start exactly at the end of a mosaic is left out."""
    (own,) = annotations_of(Continuum.from_units([Unit("A", 2, 4, "x")], bounds=(0, 5)))
    assert own.mosaic(7).starts.tolist() == [2]
    assert own.mosaic(7.5).starts.tolist() == [2, 7]
    assert own.mosaic(13).starts.tolist() == [2, 7, 12]
    assert own.mosaic(13).lengths.tolist() == [2, 2, 2]
    assert own.mosaic(5) is own
    (small,) = annotations_of(Continuum.from_units([Unit("A", 0.02, 0.04, "x")], bounds=(0, 0.05)))
    assert small.mosaic(0.13).starts == pytest.approx([0.02, 0.07, 0.12])


@pytest.mark.parametrize("name", ["shift", "statistical"])
def test_a_continuum_without_length_is_drawn_at_one_point(name: str) -> None:
    """If all units lie at one point, so do all random units."""
    point = Continuum.from_units([Unit(a, 3, 3, "x") for a in "AAB"])
    drawn = sampler(name, point, n=4).draw(np.random.default_rng(0))
    assert drawn.annotators == ("1", "2", "3", "4")
    assert set(drawn.starts) == set(drawn.ends) == {0}
    assert set(drawn.counts) <= {1, 2}


def test_corpus_needs_as_many_continua_as_annotators() -> None:
    with pytest.raises(DataError, match="at least 3 continua for 3 annotators, and there are 2"):
        sampler("corpus", C, C, n=3)


def test_statistical_draws_keep_the_observed_statistics() -> None:
    rng = np.random.default_rng(3)
    starts = np.cumsum(rng.integers(3, 30, 200))
    units = [
        Unit("AB"[i % 2], s, s + (2 if i % 4 else 5), "short" if i % 4 else "long")
        for i, s in enumerate(starts)
    ]
    c = Continuum.from_units(units)
    model = sampler("statistical", c, n=40)
    drawn = model.draw(np.random.default_rng(0))
    assert (drawn.counts == 100).all()
    lengths = {k: {round(u.length, 6) for u in drawn if u.category == k} for k in c.categories}
    assert lengths == {"short": {2}, "long": {5}}
    share = np.mean([u.category == "long" for u in drawn])
    assert share == pytest.approx(0.25, abs=0.03)
    assert drawn.starts.min() >= 0
    assert drawn.ends.max() <= c.length + 1e-9
    # Starts are spread evenly over the circle.
    thirds = np.histogram(drawn.starts, bins=3, range=(0, c.length))[0]
    assert thirds == pytest.approx(len(drawn) / 3, rel=0.1)


def test_gaps_run_around_the_circle() -> None:
    """Gaps lead from an end to the next start, are negative for overlaps, and close the circle."""
    overlapping = [Unit("Bob", 1, 6, "x"), Unit("Bob", 5, 9, "z")]
    c = Continuum.from_units([*ANN, *overlapping], annotators=["Cid"])
    found = sorted(circular_gaps(x).tolist() for x in annotations_of(c))
    assert found == [[], [-1, 12], [2, 0, 0]]


def test_statistical_draws_are_units_and_observed_gaps_in_turn() -> None:
    """Units of length 3 with gaps of 7 start every 10 positions of the circle in each draw."""
    units = [Unit(a, 10 * k, 10 * k + 3, "x") for a in "AB" for k in range(10)]
    c = Continuum.from_units(units, bounds=(0, 100))
    for seed in range(5):
        drawn = sampler("statistical", c, n=2).draw(np.random.default_rng(seed))
        for name in drawn.annotators:
            starts = drawn.starts[drawn.rows_of(name)]
            # The last unit before the end may have been moved inside.
            assert np.diff(starts)[:-1] == pytest.approx(10)
            assert len(starts) == 10


def test_fixed_positions_keep_places_and_prevalence() -> None:
    units = [
        Unit(a, 10 * i, 10 * i + 5, k)
        for a, labels in (("A", "xxxyxxxz"), ("B", "xxxxxxxz"))
        for i, k in enumerate(labels)
    ]
    c = Continuum.from_units(units)
    drawn = sampler("fixed-positions", c, n=500).draw(np.random.default_rng(0))
    assert set(zip(drawn.starts, drawn.ends, strict=True)) == {
        (10 * i, 10 * i + 5) for i in range(8)
    }
    counts = Counter(u.category for u in drawn)
    assert counts["x"] / 4000 == pytest.approx(13 / 16, abs=0.02)
    assert counts["z"] / 4000 == pytest.approx(2 / 16, abs=0.02)


def test_fixed_positions_refuse_units_at_other_places() -> None:
    with pytest.raises(DataError, match="needs predefined units"):
        sampler("fixed-positions", C)


UNITS = st.lists(
    st.tuples(
        st.sampled_from("ABC"),
        st.integers(0, 60),
        st.integers(0, 9),
        st.sampled_from(["x", "y", "z", None]),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=60)
@given(UNITS, st.permutations("ABC"), st.permutations("xyz"), st.randoms(), st.integers(0, 99))
def test_draws_do_not_depend_on_names_rows_place_or_scale(
    rows: list[tuple[str, int, int, str | None]],
    annotators: list[str],
    categories: list[str],
    random: Random,
    seed: int,
) -> None:
    def build(a: dict[str, str], k: dict[str | None, str | None], by: float) -> Continuum:
        units = [Unit(a[n], by * s + 8, by * (s + d) + 8, k[c]) for n, s, d, c in rows]
        random.shuffle(units)
        return Continuum.from_units(units, annotators=sorted(a.values()))

    same = build({n: n for n in "ABC"}, {c: c for c in ("x", "y", "z", None)}, 1)
    names = dict(zip("ABC", annotators, strict=True))
    labels: dict[str | None, str | None] = dict(zip("xyz", categories, strict=True))
    other = build(names, {**labels, None: None}, 64)
    for model in ("shift", "statistical"):
        drawn = [sampler(model, c).draw(np.random.default_rng(seed)) for c in (same, other)]
        assert _places(drawn[0], 1) == _places(drawn[1], 64)


@pytest.mark.parametrize(
    "rows",
    [
        # Annotators at the same places differ in which of their units have the same label.
        {"P": [(0, 2, "x"), (5, 6, "x")], "Q": [(0, 2, "x"), (5, 6, "y")], "R": [(0, 2, "y")]},
        # Annotators with the same starts and numbers of units differ in their ends.
        {"P": [(0, 2, "x"), (5, 6, "x")], "Q": [(0, 2, "x"), (5, 7, "x")], "R": [(0, 3, "x")]},
        # Annotators differ only through the labels of others.
        {"P": [(0, 2, "x")], "Q": [(0, 2, "y")], "R": [(4, 5, "x")]},
    ],
)
def test_the_canonical_order_depends_on_contents_alone(
    rows: dict[str, list[tuple[int, int, str]]],
) -> None:
    """The same annotator comes first under all names of annotators and categories."""
    found = set()
    for names in permutations("ABC"):
        for labels in permutations("st"):
            new = dict(zip(rows, names, strict=True))
            label = dict(zip("xy", labels, strict=True))
            units = [Unit(new[old], s, e, label[c]) for old in rows for s, e, c in rows[old]]
            continuum = Continuum.from_units(units)
            back = {name: old for old, name in new.items()}
            order = canonical_order(continuum)[0]
            found.add("".join(back[continuum.annotators[code]] for code in order))
    assert len(found) == 1


def _places(c: Continuum, scale: float) -> Counter[tuple[str, float, float]]:
    # Labels are left out, as exchangeable categories may have been swapped.
    return Counter((u.annotator, round(u.start / scale, 6), round(u.end / scale, 6)) for u in c)
