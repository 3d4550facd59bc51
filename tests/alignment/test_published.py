"""Best disorders of the public continua (MEASURES.md §1)."""

import pytest

from gammacp import Combined, align
from gammacp.alignment import Status
from gammacp.datasets import load

# Columns: dataset, α = β = 1, α = 3, positions only, soft γ (given in single precision elsewhere).
TABLE = [
    ("3by100", 0.138276614199, 0.343511642676, 0.122147581941, 0.138276607),
    ("2by1000", 0.615398175520, 0.884425288855, 0.174589040599, 0.615300417),
    ("alex-paul-suzan", 0.653541666667, 0.960625, 0.403541666667, 0.522361111111),
    ("dalton", 0.260820323590, 0.782460970771, 0.260820323590, 0.260820323590),
    ("figure10", 1.185185185185, 1.511111111111, 0.948148148148, 1.185185185185),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
@pytest.mark.parametrize("method", ["auto", "milp"])
def test_best_disorders(row: tuple[str, float, float, float, float], method: str) -> None:
    continuum = load(row[0])
    for dissimilarity, expected in zip(
        (Combined(), Combined(alpha=3), Combined(beta=0)), row[1:4], strict=True
    ):
        a = align(continuum, dissimilarity, method=method)
        assert a.disorder == pytest.approx(expected, abs=1e-9)
        assert a.status is Status.OPTIMAL
        assert a.bound == a.disorder


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_soft_disorders(row: tuple[str, float, float, float, float]) -> None:
    a = align(load(row[0]), cover=True)
    assert a.disorder == pytest.approx(row[4], rel=1e-6)
    assert a.status is Status.OPTIMAL


def test_full_cpsat_model_agrees() -> None:
    a = align(load("3by100"), method="cpsat")
    assert a.disorder == pytest.approx(TABLE[0][1], abs=1e-9)
    assert a.status is Status.OPTIMAL


def test_candidates_of_3by100() -> None:
    """Pruning leaves 1474 unitary alignments, 372 of which are units alone."""
    from gammacp.alignment import build_problem
    from gammacp.alignment.columns import enumerate_columns
    from gammacp.dissimilarity import bind

    continuum = load("3by100")
    columns = enumerate_columns(build_problem(continuum, bind(Combined(), continuum)))
    assert columns is not None
    assert columns.number + continuum.n_units == 1474
