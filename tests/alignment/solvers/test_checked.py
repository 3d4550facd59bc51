"""Solutions of CP-SAT are called optimal only if a second solver confirms the proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gammacp import align
from gammacp.alignment import Status, solve
from gammacp.alignment.columns import enumerate_columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.packing import cpsat as packing_cpsat
from gammacp.alignment.packing import highs as packing_highs
from gammacp.alignment.packing.cpsat import best_packing
from gammacp.alignment.packing.highs import highs_packing
from gammacp.alignment.packing.problem import Packing, PackingProblem
from gammacp.alignment.presolve import merged_packing
from gammacp.alignment.proof.components import Components
from gammacp.alignment.solvers import cpsat
from tests.alignment.continua import random_continuum
from tests.alignment.enumeration import all_groups, most_gain, problem_of

HARD = [Components(nodes=0)]


def _nobody(*_: Any) -> float:
    return np.inf


def packing_of(problem: PackingProblem) -> Any:
    return Packing(np.zeros(problem.columns.number, np.int64), 0.0, True)


@pytest.mark.parametrize("cover", [False, True])
def test_a_confirmed_solution_is_optimal(cover: bool) -> None:
    for seed in range(3):
        problem = problem_of(200 + seed, 3, 12, cover=cover)
        found = solve(problem, method="enumeration", tuning=HARD)
        assert found.status is Status.OPTIMAL


def test_an_unconfirmed_solution_is_called_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of an unconfirmed solution does not rest on CP-SAT, and the status says so.

    Full enumeration gives the optimum.
    """
    monkeypatch.setattr(packing_highs, "highs_bound", _nobody)
    statuses = set()
    for seed in range(12):
        problem = problem_of(200 + seed, 3, 12)
        least = problem.n_units * problem.opening - most_gain(problem, all_groups(problem))
        found = solve(problem, method="enumeration", tuning=HARD)
        statuses.add(found.status)
        assert found.objective == pytest.approx(least, abs=1e-8)
        assert found.bound <= least + 1e-8
        if found.status is Status.UNCHECKED:
            assert found.bound < found.objective - problem.slack
    assert Status.UNCHECKED in statuses
    assert Status.FEASIBLE not in statuses


def test_an_unchecked_solution_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON and the notes say that only CP-SAT proved the solution."""
    monkeypatch.setattr(packing_highs, "highs_bound", _nobody)
    found = next(
        a
        for seed in range(50)
        if (a := align(random_continuum(seed, 4, 14), tuning=HARD)).status is Status.UNCHECKED
    )
    assert found.as_dict()["status"] == "by CP-SAT, unchecked"
    assert found.bound < found.disorder
    assert "CP-SAT alone" in found.notes[0]


@pytest.mark.parametrize("method", ["enumeration", "cpsat"])
def test_a_wrong_proof_of_cp_sat_is_not_believed(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If CP-SAT calls the worst packing proven, no worse solution than the optimum becomes
    optimal.
    """
    for module in (packing_cpsat, cpsat, merged_packing):
        monkeypatch.setattr(module, "best_packing", lambda problem, *_, **__: packing_of(problem))
    for seed in range(5):
        problem = problem_of(220 + seed, 3, 12)
        least = problem.n_units * problem.opening - most_gain(problem, all_groups(problem))
        found = solve(problem, method=method, tuning=HARD)
        assert found.bound <= least + 1e-8
        if found.objective > least + problem.slack:
            assert found.status is not Status.OPTIMAL


def test_merged_units_are_packed_by_two_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """If HiGHS gives no bound, a packing of merged units by CP-SAT is called unchecked."""
    lied = []
    for seed in range(12):
        continuum = random_continuum(seed, 4, 7)
        several = type(continuum).from_units(list(continuum) * 3, annotators=continuum.annotators)
        honest = align(several)
        with monkeypatch.context() as patch:
            patch.setattr(merged_packing, "highs_bound", _nobody)
            alone = align(several)
        assert alone.disorder == pytest.approx(honest.disorder)
        assert alone.bound <= honest.disorder + 1e-9
        lied.append((honest.status, alone.status))
    assert {honest for honest, _ in lied} == {Status.OPTIMAL}
    assert {alone for _, alone in lied} <= {Status.OPTIMAL, Status.UNCHECKED}


def _fuzz(count: int, seed: int) -> None:
    """Check that CP-SAT and HiGHS solve packings with capacities and covers to the same value."""
    rng = np.random.default_rng(seed)
    for case in range(count):
        cover = case % 3 == 2
        problem = problem_of(int(rng.integers(1 << 30)), 2 + case % 4, int(rng.integers(4, 14)))
        columns = enumerate_columns(problem)
        if columns is None or not columns.number:
            continue
        noise = rng.normal(0, 0.1 * problem.opening, columns.number) * (case % 2)
        columns = columns._replace(gain=columns.gain + noise)
        capacity = np.ones(problem.n_units, np.int64)
        if not cover:
            capacity = rng.integers(1, 4, problem.n_units)
        packing_problem = PackingProblem(columns, capacity, problem.opening, cover)
        one = best_packing(packing_problem, Limits())
        other = highs_packing(packing_problem, Limits())
        assert other is not None
        assert one.proven
        assert other.proven
        # In a cover each unit of no column pays the opening, which the model of CP-SAT leaves out.
        assert one.bound == pytest.approx(other.bound, abs=1e-7 * problem.opening)
        assert other.bound == pytest.approx(
            _gain(packing_problem, other.times), abs=1e-7 * problem.opening
        )


def _gain(problem: PackingProblem, times: Any) -> float:
    columns = problem.columns
    gain = float(columns.gain @ times)
    if not problem.cover:
        return gain
    taken = np.bincount(columns.members, np.repeat(times, columns.sizes), len(problem.capacity))
    return gain - problem.opening * float(np.maximum(taken - 1, 0).sum())


def test_packings_of_two_solvers_are_the_same() -> None:
    _fuzz(24, 0)


@pytest.mark.slow
def test_ten_thousand_packings_of_two_solvers_are_the_same() -> None:
    _fuzz(10_000, 1)
