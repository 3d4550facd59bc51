"""Certificates: their prices pay for all groups, whichever solver wrote them, and files
verify.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gammacp import Combined, Continuum, align, certificate, datasets
from gammacp.alignment import Status, align_each, build_problem
from gammacp.alignment.certificate import write_certificate
from gammacp.alignment.costs import pair_count
from gammacp.alignment.presolve.presolve import Presolve
from gammacp.alignment.problem import Proof
from gammacp.alignment.solvers.crowds import Crowds
from gammacp.alignment.solvers.generation import Generation
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import sample_seed
from gammacp.dissimilarity import bind
from gammacp.dissimilarity.base import to_unit
from gammacp.verify import Check
from shuffling import ReferenceModel, shuffled_set
from tests.alignment.continua import DISSIMILARITIES, random_continuum
from tests.alignment.crowds import crowd
from tests.alignment.enumeration import all_groups
from tests.certificates import text_of


def _pays(continuum: Continuum, dissimilarity: Combined, proof: Proof | None) -> bool:
    """Return whether the prices pay for every group of a full enumeration, listed or not."""
    assert proof is not None
    problem = build_problem(continuum, to_unit(bind(dissimilarity, continuum), dissimilarity.delta))
    assert (proof.price >= -1e-9).all()
    gains = all_groups(problem)
    return all(sum(proof.price[list(g)]) >= gain - 1e-8 for g, gain in gains.items())


@pytest.mark.parametrize(
    "method", ["auto", "enumeration", "generation", "crowd", "greedy", "cpsat"]
)
def test_prices_pay_for_all_groups(method: str) -> None:
    for seed in range(5):
        n = 2 + seed % 4
        dissimilarity = DISSIMILARITIES[seed % len(DISSIMILARITIES)]
        continuum = random_continuum(60 + seed, n, 12)
        found = align(continuum, dissimilarity, method=method)
        assert _pays(continuum, dissimilarity, found.proof)
        assert Check(text_of(certificate(found))).claim()[0]


def test_prices_of_generation_pay_for_groups_it_has_not_listed() -> None:
    """Prices cover groups that were never listed.

    In this set of 8 annotators with 20 units each, the prices of the last restricted program did
    not, and proved a bound of −11 016 for a cost of 904.
    """
    observed = shuffled_set(ReferenceModel(n_units=20), "position+category", 0.25, 8, seed=1)
    continuum = CHANCE_MODELS["shift"].prepare([observed], 8).draw(sample_seed(1, 0))
    found = align(continuum)
    proven, said = Check(text_of(certificate(found))).claim()
    assert found.status is Status.OPTIMAL
    assert proven
    assert any(line.startswith("no alignment costs less than 904.49") for line in said)


def test_each_continuum_of_a_batch_has_its_own_certificate() -> None:
    """Certificates of continua that were aligned in a batch verify one by one."""
    continua = [random_continuum(seed, 3, 9) for seed in range(20, 26)]
    for found in align_each(continua, bind(Combined(), continua[0])):
        assert Check(text_of(certificate(found))).claim()[0]


def test_merged_units_share_their_prices() -> None:
    continuum = random_continuum(3, 4, 6)
    units = list(continuum) * 3
    several = type(continuum).from_units(units, annotators=continuum.annotators)
    found = align(several)
    assert len(certificate(found)["proof"]["shares"]) == len(units)
    assert Check(text_of(certificate(found))).claim()[0]


@pytest.mark.parametrize("delta", [1e-3, 0.3, 1.0, 700.0])
def test_delta_of_any_size(delta: float) -> None:
    continuum = datasets.load("alex-paul-suzan")
    found = align(continuum, Combined(delta=delta))
    data = certificate(found)
    scale = pair_count(3) * continuum.mean_units
    assert data["claim"]["cost"] == pytest.approx(found.disorder * scale)
    assert Check(text_of(data)).claim()[0]


def test_a_crowd_is_proven_by_its_matrix(tmp_path: Path) -> None:
    """The certificate of a crowd holds its matrix and verifies from the file, in whole numbers."""
    tuning = [Generation(crowd=3), Crowds(first=1), Presolve(merged=0.0)]
    # The proof takes half a second; the limit only guards against a hopelessly slow machine.
    found = align(crowd(12, 14, 40), time_limit=60, tuning=tuning)
    assert found.status is Status.OPTIMAL
    path = tmp_path / "crowd.json"
    write_certificate(found, path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data == certificate(found)
    assert data["proof"]["kind"] == "matrix"
    assert path.stat().st_size < 7 * 41**2 + 200 * len(data["units"])
    assert Check(path.read_text(encoding="utf-8")).claim()[0]


def test_the_file_is_about_as_large_as_its_units(tmp_path: Path) -> None:
    continuum = datasets.load("2by1000")
    path = tmp_path / "c.json"
    write_certificate(align(continuum), path)
    units = len(json.dumps(certificate(align(continuum))["units"]))
    assert path.stat().st_size < units + 25 * continuum.n_units + 500


def test_numbers_are_exact() -> None:
    """Positions are read back as the same doubles, and shares are whole numbers."""
    continuum = random_continuum(5, 3, 9)
    moved = type(continuum).from_codes(
        continuum.annotators,
        continuum.categories,
        continuum.starts / 3,
        continuum.ends / 3,
        continuum.annotator_codes,
        continuum.category_codes,
    )
    data = json.loads(text_of(certificate(align(moved))))
    starts = np.array([row[1] for row in data["units"]])
    assert (starts == moved.starts).all()
    assert all(type(share) is int for share in data["proof"]["shares"])
    assert Check(text_of(data)).claim()[0]
