"""The study of joint alignment, which gives γ's own alignment for nearly weightless links."""

from importlib import import_module
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Link, Unit

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / "experiments").exists(), reason="needs a checkout")


def test_nearly_weightless_links_leave_the_alignment_of_units():
    study = import_module("experiments.joint_links")
    for k in range(3):
        c = study.drawn(8.0, np.random.default_rng(k))
        units, links, _ = study.aligned(c, 1e-5)
        found = gc.measure(c, ["gamma", "gamma-link"], samples=2)
        assert units == pytest.approx(found["gamma"].observed, abs=1e-5)
        assert links == pytest.approx(found["gamma-link"].observed)


@pytest.mark.parametrize("weight", [0.25, 1.0, 3.0])
def test_joint_alignment_by_brute_force(weight):
    """The cost is the least over all pairings of three units and of two links each."""
    study = import_module("experiments.joint_links")
    rng = np.random.default_rng(3)
    places = {name: np.sort(rng.uniform(0, 30, 3)) for name in "AB"}
    rows = [Unit(n, p, p + 9, "u", id=str(i)) for n in "AB" for i, p in enumerate(places[n])]
    ends = {"A": [(0, 1), (1, 2)], "B": [(1, 2), (0, 2)]}
    links = [Link(n, "r", *map(str, pair)) for n in "AB" for pair in ends[n]]
    c = Continuum.from_units(rows, links=links)
    cost = {
        (i, j): gc.measure(Continuum.from_units([rows[i], rows[3 + j]]), ["gamma"], samples=2)[
            "gamma"
        ].observed
        for i in range(3)
        for j in range(3)
    }

    def link(x, y, pairs):
        met = sum((s, t) in pairs for s, t in zip(x, y, strict=True))
        return (2 - met) / 2 if met else 2.0

    best = np.inf
    for size in range(4):
        for some in combinations(range(3), size):
            for others in permutations(range(3), size):
                pairs = {*zip(some, others, strict=True)}
                units = sum(cost[p] for p in pairs) + 2 * (3 - size)
                a, b = ends["A"], ends["B"]
                joined = min(
                    link(a[0], b[0], pairs) + link(a[1], b[1], pairs),
                    link(a[0], b[1], pairs) + link(a[1], b[0], pairs),
                )
                best = min(best, units + weight * joined)
    found = study.aligned(c, weight)
    assert 3 * found[0] + weight * 2 * found[1] == pytest.approx(best, abs=1e-5)
