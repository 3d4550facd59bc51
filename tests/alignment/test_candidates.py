"""Candidate pairs: none that could pay is left out, however a dissimilarity uses positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Combined, Continuum, Unit, align
from gammacp.alignment import build_problem
from gammacp.base.arrays import Floats
from gammacp.dissimilarity import bind, unit_columns
from gammacp.dissimilarity.base import UnitColumns
from gammacp.testing import continua
from tests.alignment.continua import DISSIMILARITIES


@dataclass(frozen=True)
class Labels:
    """Dissimilarity that ignores positions, and so has no reach."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.where(u.category == v.category, 0.0, 1.0)


@dataclass(frozen=True)
class Starts:
    """Dissimilarity of starts: 3 positions cost 1, and the reach is met exactly, also by points."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.abs(u.start - v.start) / 3

    def reach(self, most: float) -> tuple[float, float]:
        return 3 * most, 0.0


ALL = (
    *DISSIMILARITIES,
    Combined(alpha=0),
    Combined(alpha=0, positional="hamming"),
    Combined(alpha=0, positional=Starts()),  # type: ignore[arg-type]
    Combined(alpha=1e-320),
    Combined(positional=Starts()),  # type: ignore[arg-type]
    Labels(),
    Starts(),
)


@pytest.mark.parametrize("method", ["auto", "enumeration", "generation", "cpsat", "milp", "brute"])
@pytest.mark.parametrize("dissimilarity", [Combined(alpha=0), Labels()], ids=["alpha", "labels"])
def test_points_apart_that_cost_nothing_are_aligned(method: str, dissimilarity: Any) -> None:
    c = Continuum.from_units([Unit("A", 3, 3, "x"), Unit("B", 5, 5, "x")])
    assert align(c, dissimilarity, method=method).disorder == 0


@settings(max_examples=40, deadline=None)
@given(continua(last=12), st.sampled_from(ALL))
def test_all_pairs_that_could_pay_are_listed(continuum: Continuum, dissimilarity: Any) -> None:
    """The candidates are all pairs that could pay, against the table of all pairs.

    Points, duplicates and unlabelled units are among the units.
    """
    if not continuum.lengths.any():
        return  # Hamming is scaled by the mean length, which must not be 0
    bound = bind(dissimilarity, continuum)
    units = unit_columns(continuum)
    d = bound.pairwise(units[:, None], units[None, :])
    apart = np.triu(continuum.annotator_codes[:, None] != continuum.annotator_codes)
    for prune in (True, False):
        problem = build_problem(continuum, bound, prune=prune)
        n = continuum.n_annotators
        most = (n - 1) * bound.delta + problem.opening if prune else np.inf
        wanted = apart & np.isfinite(d) & (d <= most)
        found = np.zeros_like(wanted)
        found[problem.first, problem.second] = True
        assert not (wanted & ~found).any()
        assert problem.weight == pytest.approx(bound.delta - d[problem.first, problem.second])
