"""Random places without overlap: against enumeration of all arrangements."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Unit, measure
from gammacp.chance.non_overlapping import prepare_non_overlapping, start_probabilities
from gammacp.errors import DataError


def arrangements(lengths: tuple[int, ...], length: int) -> list[dict[int, int]]:
    """Start of every unit in every order at every place where none overlap."""
    found = []

    def place(order: tuple[int, ...], at: int, starts: dict[int, int]) -> None:
        if not order:
            found.append(dict(starts))
            return
        for s in range(at, length - sum(lengths[i] for i in order) + 1):
            place(order[1:], s + lengths[order[0]], {**starts, order[0]: s})

    for order in permutations(range(len(lengths))):
        place(order, 0, {})
    return found


@pytest.mark.parametrize("whole", [True, False])
def test_draws_are_uniform_over_all_arrangements(whole: bool) -> None:
    scale = 1.0 if whole else 0.125
    c = Continuum.from_units(
        [Unit("A", 0, 1 * scale, "a"), Unit("A", 2 * scale, 4 * scale, "b"), Unit("B", 0, 0, "a")],
        bounds=(0, 6 * scale),
    )
    sampler, rng = prepare_non_overlapping([c], 2), np.random.default_rng(0)
    assert sampler.whole is whole
    starts = []
    for _ in range(6000):
        drawn = sampler.draw(rng)
        long = drawn.lengths > 1.5 * scale
        starts.append(float(drawn.starts[long][0]) / scale)
    if whole:
        seen = np.bincount(np.array(starts, int), minlength=7) / len(starts)
        every = [found[1] for found in arrangements((1, 2), 6)]
        expected = np.bincount(every, minlength=7) / len(every)
        np.testing.assert_allclose(seen, expected, atol=0.025)
    else:
        # Free length 3; the longer unit comes first in half of the orders: E = 1, else 1 + 2.
        assert np.mean(starts) == pytest.approx(2.0, abs=0.05)


def test_units_never_overlap_and_keep_their_labels() -> None:
    units = [Unit("A", s, s + n, c) for s, n, c in ((0, 3, "x"), (5, 2, "y"), (9, 1, "x"))]
    c = Continuum.from_units([*units, Unit("B", 1, 4, "y")])
    sampler = prepare_non_overlapping([c], 2)
    for k in range(40):
        drawn = sampler.draw(np.random.default_rng(k))
        for name in drawn.annotators:
            rows = drawn.rows_of(name)
            assert (drawn.starts[rows][1:] >= drawn.ends[rows][:-1]).all()
        assert drawn.starts.min() >= 0
        assert drawn.ends.max() <= c.length
        kept = sorted(zip(drawn.lengths, drawn.category_codes, strict=True))
        assert kept == sorted(zip(c.lengths, c.category_codes, strict=True))


def test_overlaps_are_refused() -> None:
    c = Continuum.from_units([Unit("A", 0, 5, "x"), Unit("A", 3, 8, "x"), Unit("B", 0, 1, "x")])
    with pytest.raises(DataError, match="overlap"):
        prepare_non_overlapping([c], 2)


@settings(deadline=None)  # the first call imports what it needs
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(0, 4))
def test_starts_have_the_probabilities_of_all_arrangements(lengths: list[int], free: int) -> None:
    every = arrangements(tuple(lengths), sum(lengths) + free)
    found = start_probabilities(np.array(lengths), free)
    for i, length in enumerate(lengths):
        counts = np.bincount([a[i] for a in every], minlength=sum(lengths) + free + 1)
        np.testing.assert_allclose(found[length], counts / len(every), atol=1e-12)


def test_expected_disagreements_in_closed_form_are_those_of_all_arrangements() -> None:
    """κ_d and F₁ of two annotators: every arrangement of one against every one of the other."""
    own = {"A": [(1, "x"), (2, "y")], "B": [(2, "x"), (1, "x"), (1, "y")]}
    placed = {a: [(n * 2, n * 2 + u[0], u[1]) for n, u in enumerate(us)] for a, us in own.items()}
    c = Continuum.from_units(
        [Unit(a, *unit) for a, units in placed.items() for unit in units], bounds=(0, 7)
    )
    unequal, unlike = [], []
    sets = {a: arrangements(tuple(n for n, _ in units), 7) for a, units in own.items()}
    for left, right in product(sets["A"], sets["B"]):
        labels = {a: ["∅"] * 7 for a in own}
        for a, starts in (("A", left), ("B", right)):
            for unit, start in starts.items():
                length, label = own[a][unit]
                labels[a][start : start + length] = [label] * length
        unlike.append(np.mean([x != y for x, y in zip(labels["A"], labels["B"], strict=True)]))
        spans = [
            {(start, own[a][unit][0]) for unit, start in starts.items()}
            for a, starts in (("A", left), ("B", right))
        ]
        unequal.append(1 - 2 * len(spans[0] & spans[1]) / 5)
    names = ["f1-exact", "kappa-d", "f1-overlap"]
    scores = measure(c, names, beyond_chance=True, chance="non-overlapping", samples=30)
    for name, every in (("f1-exact", unequal), ("kappa-d", unlike)):
        found = scores[name].beyond_chance
        assert found is not None
        assert found.closed_form
        assert found.expected == pytest.approx(np.mean(every), abs=1e-12)
        assert found.interval == (found.value, found.value)
    sampled = scores["f1-overlap"].beyond_chance
    assert sampled is not None
    assert not sampled.closed_form


def test_bounds_of_the_units_alone_and_real_places_are_sampled() -> None:
    """Random sets then have other bounds each, and starts no grid."""
    units = [Unit("A", 0, 2, "x"), Unit("A", 4, 5, "x"), Unit("B", 1, 3, "x")]
    undeclared = Continuum.from_units(units)
    real = Continuum.from_units([*units, Unit("B", 3.5, 4, "x")], bounds=(0, 9))
    for c, computed in ((undeclared, ("f1-exact",)), (real, ())):
        scores = measure(
            c, ["f1-exact", "kappa-d"], beyond_chance=True, chance="non-overlapping", samples=30
        )
        for name, score in scores.items():
            assert score.beyond_chance is not None
            assert score.beyond_chance.closed_form is (name in computed)
