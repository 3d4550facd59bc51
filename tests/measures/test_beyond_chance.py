"""Measures beyond chance: their disagreement, their zero, and reasons for undefined values."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from gammacp import Continuum, Unit, gamma, measure
from gammacp.base.signature import parse
from gammacp.chance.beyond import BeyondChance, against_chance
from gammacp.chance.expected import SampleRule
from gammacp.chance.registry import CHANCE_MODELS, ChanceModel
from gammacp.continuum import Continuum as C  # noqa: N817
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import UsageError
from gammacp.measures.beyond_chance import on_the_grid
from gammacp.measures.registry import MEASURES


@pytest.fixture
def two() -> Continuum:
    units = [Unit("A", s, s + 3, "x") for s in (0, 10, 20, 30)]
    units += [Unit("B", s, s + 4, "y" if s == 9 else "x") for s in (0, 9, 21, 30)]
    return Continuum.from_units(units)


def test_ser_beyond_chance_is_one_minus_the_ratio_of_errors(two: Continuum) -> None:
    """The expected disagreement is the mean over the same random sets, drawn step by step."""
    names = ["ser", "f1-overlap"]
    scores = measure(two, names, beyond_chance=True, chance="shift", samples=40, seed=3)
    sampler = CHANCE_MODELS["shift"].prepare([two], 2)
    errors = []
    for k in range(40):
        rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(k,)))
        drawn = on_the_grid(sampler.draw(rng), whole=True, declared=False)
        found = measure(drawn, names)
        errors.append([1 - found[n].value for n in names])
    for name, expected in zip(names, np.mean(errors, axis=0), strict=True):
        found = scores[name].beyond_chance
        assert found is not None
        assert found.expected == pytest.approx(expected)
        assert found.value == pytest.approx(1 - (1 - scores[name].value) / expected)
        assert (found.samples, found.without_value, found.chance) == (40, 0, "shift")
        assert found.interval is not None
        assert found.interval[0] <= found.value <= found.interval[1]


def test_kappa_at_fixed_places_is_that_of_all_labellings() -> None:
    """The expected disagreement is that of all 2⁶ labellings of three places by two annotators.

    With prevalences 4/6 and 2/6, two independent labels differ with probability 2 · 4/6 · 2/6 =
    4/9.
    """
    labels = {"A": "xxy", "B": "xyx"}
    c = Continuum.from_units(
        Unit(a, 2 * i, 2 * i + 1, label) for a, row in labels.items() for i, label in enumerate(row)
    )
    shares = {"x": 4 / 6, "y": 2 / 6}
    every = [
        (math.prod(shares[s] for s in six), sum(six[i] != six[3 + i] for i in range(3)) / 3)
        for six in product("xy", repeat=6)
    ]
    expected = sum(weight * apart for weight, apart in every)
    assert expected == pytest.approx(4 / 9)
    score = measure(c, ["kappa"], beyond_chance=True, chance="fixed-positions", samples=2000)
    found = score["kappa"].beyond_chance
    assert found is not None
    assert found.observed == pytest.approx(2 / 3)
    assert found.expected == pytest.approx(expected, abs=0.02)
    assert found.value == pytest.approx(1 - (2 / 3) / found.expected)


def test_gamma_is_a_value_beyond_chance(two: Continuum) -> None:
    score = measure(two, ["gamma", "gamma-cat"], beyond_chance=True, chance="cut", samples=30)
    found, alone = score["gamma"].beyond_chance, gamma(two, chance="cut", samples=30)
    assert found is not None
    assert (found.value, found.interval) == (alone.value, alone.interval)
    assert found.p == alone.p is not None
    cat = score["gamma-cat"].beyond_chance
    assert cat is not None
    assert cat.value == score["gamma-cat"].value


def test_every_measure_has_a_value_beyond_chance_or_a_reason(two: Continuum) -> None:
    names = [n for n, m in MEASURES.items() if m.applies_to == "continuum"]
    scores = measure(two, names, beyond_chance=True, chance="cut", samples=10)
    for name, score in scores.items():
        found = score.beyond_chance
        assert found is not None, name
        assert (found.reason is None) is not math.isnan(found.value), name
        assert score.as_dict()["beyond_chance"]["chance"], name
    defined = {n for n, s in scores.items() if not math.isnan(s.beyond_chance.value)}  # type: ignore[union-attr]
    assert {"gamma", "gamma-cat", "ser", "f1-overlap", "kappa-d", "u-alpha"} <= defined
    assert scores["gamma-k"].beyond_chance.reason  # type: ignore[union-attr]


def test_names_of_measures_are_read_as_without_beyond_chance(two: Continuum) -> None:
    everything = measure(two, ["all"], beyond_chance=True, samples=2)
    assert list(everything) == [n for n, m in MEASURES.items() if m.applies_to == "continuum"]
    with pytest.raises(UsageError, match="is a single text; give a list"):
        measure(two, "ser", beyond_chance=True)


def test_signatures_say_how_chance_was_drawn(two: Continuum) -> None:
    lines: list[str] = []
    for options in ({}, {"seed": 1}, {"samples": 11}, {"confidence": 0.9}, {"chance": "shift"}):
        given = {"samples": 10, "chance": "cut", **options}
        for name, score in measure(two, ["ser", "gamma"], beyond_chance=True, **given).items():
            assert score.beyond_chance is not None
            line = score.beyond_chance.signature
            assert line == score.beyond_chance.as_dict()["signature"]
            assert line.startswith(f"{name}|")
            lines.append(line)
    assert len(set(lines)) == len(lines)


def test_the_signature_has_the_options_of_the_measure_and_the_selection() -> None:
    units = [Unit(a, s, s + 3, c) for a in "ABC" for s, c in ((0, "1"), (7, "2"), (21, "3%"))]
    chosen = keep_annotators(Continuum.from_units(units), ["A", "B"])
    score = measure(
        chosen, ["u-alpha"], beyond_chance=True, samples=10, chance="cut", bootstrap=0, seed=4
    )["u-alpha"]
    assert score.beyond_chance is not None
    found, own = parse(score.beyond_chance.signature), parse(score.signature)
    assert found.selection == own.selection == (("exclude", ("C",)),)
    assert own.parts.items() <= found.parts.items()
    assert found.parts["chance"] == score.beyond_chance.chance
    assert (found.parts["samples"], found.parts["seed"]) == ("10", "4")


def test_identical_annotators_have_a_value_of_1_and_a_small_p() -> None:
    units = [Unit(a, s, s + 3, "x") for a in "AB" for s in (0, 7, 21, 30)]
    found = measure(
        Continuum.from_units(units),
        ["ser", "kappa-d"],
        beyond_chance=True,
        samples=99,
        chance="cut",
    )
    for score in found.values():
        assert score.beyond_chance is not None
        assert score.beyond_chance.value == 1
        assert score.beyond_chance.p <= 0.05  # type: ignore[operator]


def test_random_sets_without_a_value_are_counted() -> None:
    class Counter:
        signature = "cut"

        def draw(self, rng: np.random.Generator) -> float:
            return float(rng.random())

    def settle(sets: int, without: int) -> BeyondChance:
        """Compare .25 with random sets of .5 that have no value for the first `without` sets."""
        left = iter(range(sets))
        return against_chance(
            {"ser": 0.25, "b": math.nan},
            lambda _: {"ser": math.nan if next(left) < without else 0.5},
            Counter(),
            SampleRule(samples=sets),
            signed={"ser": "ser|v:1", "b": "b|v:1"},
        )["ser"]

    few = settle(100, 5)
    assert (few.value, few.without_value, few.samples) == (0.5, 5, 95)
    many = settle(101, 6)
    assert math.isnan(many.value)
    assert many.reason == "6 of 101 random sets have no value"


def test_touching_units_still_touch_after_rounding() -> None:
    starts = np.array([0.1, 0.1 + 0.2, 0.7])
    ends = np.array([0.3, 0.7, 1.0 - 1e-16])
    c = C.from_codes(("1",), ("x",), starts, ends, np.zeros(3, np.int32), np.zeros(3, np.int32))
    mended = on_the_grid(c, whole=False, declared=True)
    np.testing.assert_array_equal(mended.ends[:-1], mended.starts[1:])


def test_torn_ends_are_rounded_and_slivers_dropped() -> None:
    """Segments of length 5 begin .93 before whole places, in a text of 20."""
    starts, ends = np.array([0, 0.07, 5.07, 10.07, 15.07]), np.array([0.07, 5.07, 10.07, 15.07, 20])
    codes = np.zeros(5, np.int32)
    c = C.from_codes(("1",), ("x",), starts, ends, codes, codes, bounds=(0, 20))
    made = on_the_grid(c, whole=True, declared=True)
    assert made.starts.tolist() == [0, 5, 10, 15]
    assert made.ends.tolist() == [5, 10, 15, 20]


@pytest.mark.parametrize("by", [0.1, 1 / 3, 7.77, 1234.5678, -0.9])
def test_units_that_fill_a_gap_still_do_after_a_move(by: float) -> None:
    """Boundaries inside of units are different sums, with their own rounding errors."""
    places = [((0.1, 0.7), (1.3, 2.3)), ((0.7, 1.3),), ((2.3, 2.6), (2.9, 3.1)), ((2.6, 2.9),)]
    units = [Unit("A", p[0][0], p[-1][1], "x", p[: 9 * (len(p) > 1)]) for p in places]
    c = Continuum.from_units(units)
    mended = on_the_grid(replace(c, starts=c.starts + by, ends=c.ends + by, bounds=(by, by + 4)),
                         whole=False, declared=True)  # fmt: skip
    atoms = sorted((u.start, u.end) for u in mended.atoms())
    assert mended.n_broken == 2
    assert [end for _, end in atoms[:-1]] == [start for start, _ in atoms[1:]]
    np.testing.assert_allclose(atoms[-1], [2.9 + by, 3.1 + by])


def test_filled_gaps_leave_no_random_set_without_a_value() -> None:
    rows = [(((0.1, 0.7), (1.3, 2.3)), "x"), (((0.7, 1.3),), "y"), (((4.1, 5.3),), "y")]
    units = [Unit(who, p[0][0], p[-1][1], label, p[: 9 * (len(p) > 1)])
             for p, label in rows for who in "AB"]  # fmt: skip
    c = Continuum.from_units([*units, Unit("B", 6.2, 6.9, "x")])
    found = measure(c, ["kappa-d", "u-alpha", "u-alpha-2013"], beyond_chance=True, samples=20)
    for score in found.values():
        assert score.beyond_chance is not None
        assert score.beyond_chance.without_value == 0
        assert 0 < score.beyond_chance.value < 1


def test_options_are_checked(two: Continuum) -> None:
    with pytest.raises(UsageError, match="sample"):
        measure(two, ["ser"], beyond_chance=True, sample=3)


def test_an_unsuitable_model_gives_a_reason() -> None:
    units = [Unit("A", 0, 5, "x"), Unit("A", 3, 9, "x"), Unit("B", 1, 4, "x")]
    found = measure(
        Continuum.from_units(units),
        ["ser", "cu-alpha"],
        beyond_chance=True,
        chance="non-overlapping",
    )
    for score in found.values():
        assert score.beyond_chance is not None
        assert "overlap" in (score.beyond_chance.reason or "")


def test_models_declare_what_they_need() -> None:
    assert isinstance(CHANCE_MODELS["documents"], ChanceModel)
    assert CHANCE_MODELS["documents"].weighs_by_units
    assert not CHANCE_MODELS["corpus"].weighs_by_units


def test_random_units_without_declared_bounds_have_their_own(two: Continuum) -> None:
    """`cut` widens the circle, and κ_d would count the stretches beyond the units as agreement."""
    sampler = CHANCE_MODELS["cut"].prepare([two], 2)
    drawn = sampler.draw(np.random.default_rng(0))
    tight = on_the_grid(drawn, whole=True, declared=False)
    assert tight.bounds == (tight.starts.min(), tight.ends.max())
    assert on_the_grid(drawn, whole=True, declared=True).length > tight.length


def test_predefined_units_need_a_model_that_keeps_their_places() -> None:
    c = Continuum.from_units(Unit(a, 2 * i, 2 * i + 1, "xy"[i % 2]) for a in "AB" for i in range(4))
    scores = measure(c, ["alpha", "kappa", "ser", "ku-alpha"], beyond_chance=True, samples=5)
    for name in ("alpha", "kappa"):
        assert "use fixed-positions" in str(scores[name].beyond_chance.reason)  # type: ignore[union-attr]
    assert "has values only per category" in str(scores["ku-alpha"].beyond_chance.reason)  # type: ignore[union-attr]
    assert any("few units per annotator (4)" in note for note in scores["ser"].notes)
    assert not measure(c, ["ser"])["ser"].notes
