"""γ of dkpro-statistics, which INCEpTION shows, against the numbers in its own tests.

The fixtures come from pygamma-agreement: units, costs of pairs, best alignments of the units and of
ten random sets. `expected_of_2000` was drawn with pygamma-agreement 0.5.9 (seed 20261123).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.dissimilarity.base import bind, unit_columns
from tests.conftest import Run

FILE = Path(__file__).parents[1] / "fixtures" / "formats" / "dkpro_gamma.json"
FIXTURES = json.loads(FILE.read_text(encoding="utf-8"))["fixtures"]
# pygamma-agreement computes in single precision.
SINGLE = 1e-6

each = pytest.mark.parametrize("fixture", FIXTURES, ids=[f["name"] for f in FIXTURES])


def continuum(rows: list[list[Any]], people: tuple[str, ...] | None = None) -> Continuum:
    units = [Unit(who, start, end, label) for who, label, start, end in rows]
    return Continuum.from_units(units, annotators=people)


def dissimilarity(fixture: dict[str, Any]) -> gc.Combined:
    return gc.Combined(**{key: fixture[key] for key in ("alpha", "beta", "delta")})


@each
def test_costs_of_pairs(fixture: dict[str, Any]) -> None:
    made = continuum(fixture["units"])
    units, bound = unit_columns(made), bind(dissimilarity(fixture), made)
    first = {
        name: np.flatnonzero(made.annotator_codes == i) for i, name in enumerate(made.annotators)
    }
    for one, i, other, j, cost in fixture["pairs"]:
        u, v = first[one][[i]], first[other][[j]]
        assert bound.pairwise(units[u], units[v])[0] == pytest.approx(cost, rel=SINGLE)


@each
def test_observed_and_replayed_disorders(fixture: dict[str, Any]) -> None:
    made, how = continuum(fixture["units"]), dissimilarity(fixture)
    assert gc.align(made, how).disorder == pytest.approx(fixture["observed"], abs=SINGLE)
    for replayed in fixture["replayed"]:
        drawn = continuum(replayed["units"], made.annotators)
        assert gc.align(drawn, how).disorder == pytest.approx(replayed["disorder"], abs=SINGLE)


@each
def test_expected_disorder_of_the_preset(run: Run, fixture: dict[str, Any], tmp_path: Path) -> None:
    """The expected disorder is within 3 % of pygamma-agreement's, with other random numbers."""
    file = tmp_path / "units.json"
    gc.write(continuum(fixture["units"]), file)
    weights = [f"--{key}={fixture[key]}" for key in ("alpha", "beta", "delta")]
    found = run("gamma", file, "--preset", "pygamma", *weights, "--samples", 1000, "--json")
    (result,) = json.loads(found.out)["results"]
    assert result["expected_disorder"] == pytest.approx(fixture["expected_of_2000"], rel=0.03)
    assert result["observed_disorder"] == pytest.approx(fixture["observed"], abs=SINGLE)
