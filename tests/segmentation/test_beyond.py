"""Segmentation measures beyond chance: D_o and E[D] by hand, and notes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gammacp.chance.expected import SampleRule
from gammacp.segmentation import (
    Codings,
    Criterion,
    Segmentation,
    boundary_similarity,
    coding_agreement,
    ghd,
    load_codings,
    measures_beyond_chance,
    pk,
    segmentation_report,
    segmentation_similarity,
    window_diff,
)
from gammacp.segmentation.beyond import MEASURES
from gammacp.segmentation.measures.comparison import CorrectedSimilarity
from tests.segmentation.test_turned import windows

A, B = (1, 2, 4, 2), (3, 5, 1)


def test_sampling_approaches_the_value_of_all_windows() -> None:
    codings = Codings.of(
        {"x": {"a": Segmentation.from_masses(A), "b": Segmentation.from_masses(B)}}
    )
    likely = []
    for masses in (A, B):
        places = np.cumsum(masses)[:-1].tolist()
        torn = [masses[0], masses[-1]]
        likely.append(windows(places, sum(masses), list(masses[1:-1]), torn).items())
    pairs = [
        (p * q, *(Segmentation.from_positions([x for x, _ in s], mass=9) for s in (one, other)))
        for (one, p), (other, q) in product(*likely)
    ]
    scores = measures_beyond_chance(codings, rule=SampleRule(samples=1500), seed=3)
    errors = {
        "s": lambda a, b: 1 - segmentation_similarity(a, b).value,
        "b": lambda a, b: 1 - boundary_similarity(a, b).value,
        "windowdiff": lambda a, b: (window_diff(a, b) + window_diff(b, a)) / 2,
        "pk": lambda a, b: (pk(a, b) + pk(b, a)) / 2,
        "ghd": lambda a, b: 1 - (ghd(a, b).agreement + ghd(b, a).agreement) / 2,
    }
    for name, error in errors.items():
        expected = sum(p * error(a, b) for p, a, b in pairs)
        observed = error(*codings["x"].values())
        beyond = scores[name].beyond_chance
        assert beyond.observed == pytest.approx(observed)
        assert beyond.expected == pytest.approx(expected, rel=0.04)
        low, high = beyond.interval or (1, 0)
        assert low < beyond.value < high
        assert beyond.value == pytest.approx(1 - observed / float(beyond.expected or 0))
        assert beyond.samples == 1500


def test_typed_boundaries_beyond_chance() -> None:
    rng = np.random.default_rng(2)
    coders = {
        c: Segmentation.from_typed(
            {t: np.flatnonzero(rng.random(40) < 0.2) + 1 for t in "xy"}, mass=41
        )
        for c in "ab"
    }
    scores = measures_beyond_chance(Codings.of({"i": coders}), rule=SampleRule(samples=60))
    same = measures_beyond_chance(
        Codings.of({"i": {"a": coders["a"], "b": coders["a"]}}), rule=SampleRule(samples=5)
    )
    for name in ("s", "b", "pi_s"):
        assert abs(scores[name].beyond_chance.value) < 0.25
        assert same[name].beyond_chance.value == 1


def test_values_are_the_same_as_without_chance() -> None:
    codings = load_codings("moonstone")
    comparison = Criterion(basis=CorrectedSimilarity.B)
    scores = measures_beyond_chance(codings, comparison=comparison, rule=SampleRule(samples=5))
    agreement = coding_agreement(codings, comparison=comparison)
    assert tuple(scores) == MEASURES
    assert scores["pi_s"].value == pytest.approx(agreement.pooled.pi, abs=1e-12)
    assert scores["windowdiff"].value == pytest.approx(agreement.corpus.windowdiff.mean, abs=1e-12)
    assert scores["pi_s"].beyond_chance.observed == pytest.approx(1 - agreement.pooled.actual)


def test_undefined_values_have_a_reason() -> None:
    # Nobody placed a boundary, so no order disagrees, and precision is undefined.
    nothing = Segmentation.from_masses([6])
    scores = measures_beyond_chance(Codings.of({"x": {"a": nothing, "b": nothing}}))
    assert "expected disagreement is 0" in str(scores["s"].beyond_chance.reason)
    assert scores["precision"].undefined == 2
    assert scores["precision"].beyond_chance.reason == "no pair of codings has a value"
    report = segmentation_report(
        Codings.of({"x": {"a": nothing, "b": nothing}}), beyond_chance=SampleRule()
    )
    assert any(n.startswith("precision beyond chance: no pair") for n in report.notes)


def test_signature_and_seed() -> None:
    codings = load_codings("moonstone")
    one, two, other = (
        measures_beyond_chance(codings, rule=SampleRule(samples=5), seed=s) for s in (1, 1, 2)
    )
    assert one == two != other
    signature = one["b"].beyond_chance.signature
    assert signature.startswith("b|mode:equations|similarity:s|edit:published|n:2|")
    assert "|chance:turned|samples:5|c:0.95|seed:1|" in signature
