"""Canonical orders of many continua: the same together as one by one."""

from collections.abc import Callable
from functools import partial
from itertools import accumulate

import numpy as np
import pytest

from gammacp.continuum import Continuum, Unit, canonical_kernels
from gammacp.continuum.canonical import (
    canonical_categories,
    canonical_order,
    in_content_order,
    nameless_order,
)
from gammacp.continuum.canonical_kernels import finalise, mix
from tests.alignment.continua import random_continuum
from tests.alignment.kernels.test_kernels import same

SIZES = [(1, 1), (2, 4), (3, 9), (2, 12), (5, 30), (6, 3)]


def continua() -> list[Continuum]:
    """Return continua some of which have ties; one has units of two fragments, one has no unit."""
    drawn = [random_continuum(seed, n, units) for seed, (n, units) in enumerate(SIZES)]
    labels = {"categories": ["a", "b", "c"]}
    parts = ((0, 2), (5, 9)), ((0, 3), (5, 9))
    broken = [Unit(f"A{i}", 0, 9, "a", inside) for i, inside in enumerate(parts)]
    empty = Continuum.from_units([], annotators=["A0", "A1"], **labels)
    return [*drawn, Continuum.from_units(broken, **labels), empty]


def test_the_hash_is_splitmix64() -> None:
    """The first number for seed 1234567 is that of the published generator (Rosetta Code)."""
    assert int(mix(np.uint64(1234567))) == 6457827717110365317
    assert finalise(np.array([[1234567]], np.uint64)).tolist() == [[6457827717110365317]]


@pytest.mark.parametrize("costs", [None, np.arange(16.0).reshape(4, 4)])
def test_orders_of_many_continua_are_those_of_each(costs: np.ndarray | None) -> None:
    several = continua()
    alone = [nameless_order([c], costs) for c in several]
    first = accumulate((c.n_units for c in several[:-1]), initial=0)
    expected = np.concatenate([a + f for a, f in zip(alone, first, strict=True)])
    np.testing.assert_array_equal(nameless_order(several, costs), expected)
    assert in_content_order(several) == in_content_order(several[::-1])
    found = [int(k) for c in several for k in canonical_order(c)[1]]
    assert canonical_categories(several).tolist() == list(dict.fromkeys(found))


def test_units_are_ordered_by_place_first() -> None:
    for c in continua():
        by_rank = np.argsort(nameless_order([c]))
        places = list(zip(c.starts[by_rank], c.ends[by_rank], strict=True))
        assert places == sorted(places)


@pytest.mark.parametrize("costs", [None, np.arange(16.0).reshape(4, 4)])
def test_the_kernel_as_plain_python(
    costs: np.ndarray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel: Callable[..., object] = canonical_kernels.refine
    monkeypatch.setattr(canonical_kernels, "refine", partial(same, kernel))
    order = nameless_order(continua(), costs)
    assert sorted(order) == list(range(2 + sum(units for _, units in SIZES)))
