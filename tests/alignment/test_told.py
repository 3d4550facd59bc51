"""Reported disorders, bounds and notes, at any scale of positions and costs."""

from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Combined, Continuum, Corpus, Unit, align, gamma
from gammacp.alignment import Status, best_groups, best_groups_of_each, build_problem
from gammacp.alignment.columns import singletons
from gammacp.alignment.heuristics.annealing import Schedule, anneal_once
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, group_costs
from gammacp.alignment.solvers.registry import SOLVERS, solve
from gammacp.base.arrays import Floats
from gammacp.datasets import load
from gammacp.dissimilarity import bind
from gammacp.dissimilarity.base import UnitColumns
from gammacp.testing import continua
from tests.alignment.continua import random_continuum

FEW = settings(max_examples=15, deadline=None)
EXACT = ["auto", "enumeration", "generation", "cpsat", "milp", "brute"]
SCALES = (-60, -30, 0, 30)


def scaled(continuum: Continuum, exponent: int) -> Continuum:
    """Multiply all positions by a power of two."""
    factor = 2.0**exponent
    units = [Unit(u.annotator, u.start * factor, u.end * factor, u.category) for u in continuum]
    low, high = continuum.bounds
    return Continuum.from_units(
        units,
        annotators=continuum.annotators,
        categories=continuum.categories,
        bounds=(low * factor, high * factor),
    )


@FEW
@given(
    continua(n_annotators=(2, 4), n_units=(1, 9)),
    st.sampled_from([1.0, 1e-9, 2.0**-60, 2.0**60]),
    st.sampled_from(EXACT),
    st.booleans(),
)
def test_the_reported_disorder_is_that_of_the_groups_at_any_delta(
    continuum: Continuum, delta: float, method: str, cover: bool
) -> None:
    least = align(continuum, method="brute", cover=cover).disorder
    found = align(continuum, Combined(delta=delta), method=method, cover=cover)
    assert found.status is Status.OPTIMAL
    assert found.disorder / delta == pytest.approx(least, rel=1e-8, abs=1e-12)
    assert found.disorders.sum() / continuum.mean_units == pytest.approx(found.disorder, rel=1e-12)
    assert found.bound == found.disorder


def same_number(seed: int) -> Continuum:
    """Return as many units by each annotator, of one category, so that all can be aligned."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, 20, 12).astype(float)
    return Continuum.from_codes(
        ("A", "B", "C"), ("x",), starts, starts + rng.integers(1, 9, 12),
        np.arange(12) % 3, np.zeros(12, np.int32),
    )  # fmt: skip


@pytest.mark.parametrize("method", EXACT)
def test_distances_far_below_delta_are_distinguished(method: str) -> None:
    for seed in range(2):
        continuum = same_number(seed)
        # Unaligned units are so expensive that only full groups pay.
        near = align(continuum, Combined(alpha=2.0**-8), method="brute").disorder * 2**8
        for exponent in (-30, -50):
            found = align(continuum, Combined(alpha=2.0**exponent), method=method)
            assert found.disorder / 2.0**exponent == pytest.approx(near, rel=1e-9)
            assert found.notes == ()
            assert found.status is Status.OPTIMAL


def test_the_open_part_of_a_proof_is_reported() -> None:
    starts = 10.0 * np.arange(3000)
    units = [Unit("A", s, s + 5, "x") for s in starts.tolist()]
    units += [Unit("B", s + 1e-5, s + 5, "x") for s in starts.tolist()]
    found = align(Continuum.from_units(units), Combined(alpha=1e-2))
    assert 0 < found.disorder < 1e-12
    assert found.tolerance < 1e-4 * found.disorder or "of the disorder" in found.notes[0]


@FEW
@given(
    st.lists(
        st.tuples(continua(n_annotators=3, n_units=(2, 8)), st.sampled_from(SCALES)),
        min_size=2,
        max_size=5,
    ),
    st.booleans(),
)
def test_continua_of_all_scales_can_share_a_batch(
    found: list[tuple[Continuum, int]], cover: bool
) -> None:
    mixed = [scaled(c, exponent) for c, exponent in found]
    corpus = Corpus.from_continua({str(i): c for i, c in enumerate(mixed)})
    bound = bind(Combined(), corpus)
    together = best_groups_of_each(list(corpus.values()), bound, cover=cover)
    for c, best in zip(corpus.values(), together, strict=True):
        assert best.disorder == best_groups(c, bound, cover=cover).disorder


@pytest.mark.parametrize("dataset", ["alex-paul-suzan", "figure10"])
def test_gamma_is_the_same_at_any_power_of_two(dataset: str) -> None:
    continuum = load(dataset)
    values = {gamma(scaled(continuum, k), samples=30).value for k in SCALES}
    assert len(values) == 1


def test_one_endless_unit_changes_no_other_continuum() -> None:
    usual = [random_continuum(seed, 3, 12) for seed in range(6)]
    units = [Unit("A0", 0, 2.0**44, "a"), Unit("A1", 1, 3, "a"), Unit("A2", 2, 5, "b")]
    endless = Continuum.from_units(units, categories=("a", "b", "c"))
    bound = bind(Combined(), usual[0])
    alone = [best_groups(c, bound).disorder for c in usual]
    found = best_groups_of_each([*usual[:3], endless, *usual[3:]], bound)
    assert [f.disorder for f in (*found[:3], *found[4:])] == alone


class _Moody:
    """Dissimilarity that returns other numbers at each call."""

    def __init__(self) -> None:
        self.asked = count(1)

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.abs(u.start - v.start) * 1e-3 * next(self.asked)


def test_nothing_is_proven_if_the_dissimilarity_changes() -> None:
    continuum = random_continuum(0, 3, 9)
    found = align(continuum, _Moody())
    assert found.status is Status.FEASIBLE
    assert found.bound == 0
    assert found.disorders.sum() / continuum.mean_units > 0


TIED: dict[str, list[tuple[int, int, Any]]] = {
    "A0": [(0, 2, "b"), (0, 2, "c"), (0, 4, "b"), (5, 7, "b"), (5, 9, "c")],
    "A1": [(0, 2, "a"), (0, 2, "b"), (0, 4, None), (5, 7, "b"), (5, 9, "a"), (5, 9, "b")],
}


def test_every_back_end_shows_the_same_first_alignment() -> None:
    tied = Continuum.from_units([Unit(a, *u) for a, units in TIED.items() for u in units])
    dense = [random_continuum(seed, 2 + seed % 2, 11) for seed in range(12)]
    for k, continuum in enumerate([tied, *dense]):
        costs = Combined(alpha=(3, 1, 0.2)[k % 3])
        first = align(continuum, costs, method="brute")
        for method in ("enumeration", "generation", "milp"):
            found = align(continuum, costs, method=method)
            assert found.first
            assert np.array_equal(found.groups, first.groups), (k, method)


def anybodys(n: int, k: int, opening: float, seed: int = 0) -> Problem:
    """Return a problem with random weights of both signs between k units by each of n
    annotators.
    """
    rng = np.random.default_rng(seed)
    annotator = np.repeat(np.arange(n), k).astype(np.int32)
    i, j = np.triu_indices(n * k, 1)
    apart = annotator[i] != annotator[j]
    first, second = i[apart].astype(np.int32), j[apart].astype(np.int32)
    return Problem(annotator, n, first, second, rng.normal(0, 1, len(first)), opening)


@pytest.mark.parametrize("opening", [0.0, -0.5, 3.0])
def test_groups_may_cost_nothing_to_open(opening: float) -> None:
    small = anybodys(3, 3, opening)
    least = SOLVERS["brute"].solve(small, Limits()).objective
    for method in ("auto", "enumeration", "generation", "crowd", "cpsat", "milp"):
        assert solve(small, method=method).objective == pytest.approx(least, abs=1e-9)
    large = anybodys(20, 20, opening)
    groups = anneal_once(large, singletons(large), Schedule(0.1, 20, (0, 0)), np.inf)
    assert group_costs(large, groups).sum() < group_costs(large, singletons(large)).sum()


def test_only_pairs_of_the_same_owner_are_candidates() -> None:
    continuum = random_continuum(5, 3, 40)
    owner = np.arange(continuum.n_units) % 3
    whole = build_problem(continuum, bind(Combined(), continuum))
    parts = build_problem(continuum, bind(Combined(), continuum), owner=owner)
    same = owner[whole.first] == owner[whole.second]
    listed = set(zip(whole.first[same].tolist(), whole.second[same].tolist(), strict=True))
    assert set(zip(parts.first.tolist(), parts.second.tolist(), strict=True)) == listed
