"""Random places without overlap, against an enumeration of all arrangements."""

from itertools import permutations

import numpy as np
import pytest

from gammacp import Continuum, Unit
from gammacp.chance.non_overlapping import prepare_non_overlapping
from gammacp.errors import DataError


def arrangements(lengths: tuple[int, ...], length: int) -> list[dict[int, int]]:
    """Return the starts of the units in every order and at all places without overlaps."""
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


@pytest.mark.parametrize("whole", [True, pytest.param(False, marks=pytest.mark.slow)])
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
        # The free length is 3. The mean start is 1 if the longer unit comes second, else 1 + 2.
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
