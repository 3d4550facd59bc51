"""Presolving and generation, also when stopped early: bounds are valid and alignments complete."""

from __future__ import annotations

import numpy as np
import pytest

from gammacp import Combined, Continuum
from gammacp.alignment import Status, best_groups
from gammacp.alignment.presolve.presolve import Presolve
from gammacp.dissimilarity import bind
from tests.alignment.continua import DISSIMILARITIES, random_continuum


def repeated(seed: int, n: int, distinct: int, times: int) -> Continuum:
    rng = np.random.default_rng(seed)
    starts = np.repeat(rng.integers(0, 12, distinct), times).astype(float)
    lengths = np.repeat(rng.integers(1, 6, distinct), times)
    keep = rng.random(distinct * times) < 0.8
    return Continuum.from_codes(
        tuple(f"A{i}" for i in range(n)),
        ("a", "b"),
        starts[keep],
        (starts + lengths)[keep],
        np.repeat(rng.integers(0, n, distinct), times)[keep],
        np.repeat(rng.integers(0, 2, distinct), times)[keep],
    )


def test_merged_duplicates_equal_the_full_model() -> None:
    proven = 0
    for seed in range(8):
        continuum = repeated(seed, 2 + seed % 3, 7, 6)
        bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
        full = best_groups(continuum, bound, method="milp")
        found = best_groups(continuum, bound)
        assert found.bound <= full.disorder + 1e-9
        assert found.disorder >= full.disorder - 1e-9
        units = found.groups[found.groups >= 0]
        assert sorted(units.tolist()) == list(range(continuum.n_units))
        if found.status is Status.OPTIMAL:
            proven += 1
            assert found.disorder == pytest.approx(full.disorder, abs=1e-8)
        else:
            assert found.bound < found.disorder <= full.disorder * 1.2 + 1e-9
    assert proven >= 4


def test_the_closest_pairs_leave_a_valid_bound() -> None:
    """When only the closest pairs are listed, bound ≤ optimum ≤ disorder and each unit is aligned
    once.
    """
    few = [Presolve(pairs=1, pairs_per_unit=0)]
    for seed in range(4):
        n = 2 + seed % 3
        continuum = random_continuum(160 + seed, n, 30)
        bound = bind(Combined(delta=(1.0, 3.0)[seed % 2]), continuum)
        full = best_groups(continuum, bound, method="milp")
        found = best_groups(continuum, bound, tuning=few)
        assert found.bound <= full.disorder + 1e-9
        assert full.disorder - 1e-9 <= found.disorder
        units = found.groups[found.groups >= 0]
        assert sorted(units.tolist()) == list(range(continuum.n_units))


def test_the_scale_of_costs_changes_nothing() -> None:
    """Four times Δ gives the same groups, and four times the disorder and the bound."""
    few = [Presolve(pairs=1, pairs_per_unit=0)]
    for seed in range(3):
        continuum = random_continuum(170 + seed, 2 + seed % 3, 30)
        small, large = (
            best_groups(continuum, bind(Combined(delta=k), continuum), tuning=few) for k in (1, 4)
        )
        assert np.array_equal(small.groups, large.groups)
        assert large.disorder == pytest.approx(4 * small.disorder)
        assert large.bound == pytest.approx(4 * small.bound)


def test_generation_stopped_at_any_moment_has_a_valid_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Column generation that is stopped at the k-th check of `due` has bound ≤ optimum ≤
    disorder.
    """
    for seed in range(4):
        continuum = random_continuum(180 + seed, 5, 22)
        bound = bind(DISSIMILARITIES[seed], continuum)
        best = best_groups(continuum, bound).disorder
        for questions in range(4):
            asked = iter([False] * questions)
            with monkeypatch.context() as patch:
                for module in ("solvers.generation", "proof.components", "pricing.near"):
                    patch.setattr(
                        f"gammacp.alignment.{module}.due", lambda _=0, a=asked: next(a, True)
                    )
                found = best_groups(continuum, bound, method="generation", time_limit=60)
            assert found.bound <= best + 1e-9
            assert found.disorder >= best - 1e-9
            assert (found.status is Status.OPTIMAL) == (found.bound == found.disorder)


@pytest.mark.parametrize("method", ["enumeration", "generation"])
def test_an_unreached_time_limit_changes_nothing(method: str) -> None:
    for seed in range(4):
        continuum = random_continuum(190 + seed, 3 + seed % 3, 20)
        bound = bind(DISSIMILARITIES[seed], continuum)
        unlimited = best_groups(continuum, bound, method=method)
        limited = best_groups(continuum, bound, method=method, time_limit=1000)
        assert limited.status is unlimited.status is Status.OPTIMAL
        assert limited.disorder == pytest.approx(unlimited.disorder, abs=1e-9)


def test_generated_groups_keep_the_gap() -> None:
    for seed in range(6):
        continuum = random_continuum(200 + seed, 4 + seed % 3, 28)
        bound = bind(DISSIMILARITIES[seed % 5], continuum)
        found = best_groups(continuum, bound, method="generation", gap=0.2)
        assert found.disorder - found.bound <= 0.2 * found.disorder + 1e-9
        assert found.bound <= best_groups(continuum, bound).disorder + 1e-9
