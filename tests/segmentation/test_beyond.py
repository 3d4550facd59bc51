"""Beyond chance: segments in every order by hand, what a random corpus keeps."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
from statistics import fmean

import numpy as np
import pytest

from gammacp.chance.expected import SampleRule
from gammacp.chance.sampling import sample_seed
from gammacp.measures.segmentations.choices import CorrectedSimilarity
from gammacp.measures.segmentations.rows import Rows
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
from gammacp.segmentation.beyond import MEASURES, SegmentSampler

A, B = (1, 2, 4, 2), (3, 5, 1)


def orders(masses: tuple[int, ...]) -> list[Segmentation]:
    return [Segmentation.from_masses(order) for order in permutations(masses)]


def test_sampling_comes_to_what_all_orders_give() -> None:
    codings = Codings.of(
        {"x": {"a": Segmentation.from_masses(A), "b": Segmentation.from_masses(B)}}
    )
    found = measures_beyond_chance(codings, rule=SampleRule(samples=1500), seed=3)
    errors = {
        "s": lambda a, b: 1 - segmentation_similarity(a, b).value,
        "b": lambda a, b: 1 - boundary_similarity(a, b).value,
        "windowdiff": lambda a, b: (window_diff(a, b) + window_diff(b, a)) / 2,
        "pk": lambda a, b: (pk(a, b) + pk(b, a)) / 2,
        "ghd": lambda a, b: 1 - (ghd(a, b).agreement + ghd(b, a).agreement) / 2,
    }
    for name, error in errors.items():
        expected = fmean(error(a, b) for a in orders(A) for b in orders(B))
        observed = error(*codings["x"].values())
        beyond = found[name].beyond_chance
        assert beyond.observed == pytest.approx(observed)
        assert beyond.expected == pytest.approx(expected, rel=0.04)
        low, high = beyond.interval or (1, 0)
        assert low < beyond.value < high
        assert beyond.value == pytest.approx(1 - observed / float(beyond.expected or 0))
        assert beyond.samples == 1500


def drawn(codings: Codings, sets: int) -> list[Rows]:
    sampler = SegmentSampler(codings.rows())
    return [sampler.draw(sample_seed(0, k)) for k in range(sets)]


def test_every_order_of_segments_is_equally_likely() -> None:
    codings = Codings.of({"x": {"a": Segmentation.from_masses([1, 2, 3])}})
    counts = Counter(tuple(rows.places.tolist()) for rows in drawn(codings, 3000))
    assert set(counts) == {tuple(s.positions.tolist()) for s in orders((1, 2, 3))}
    assert all(abs(n - 500) < 5 * math.sqrt(500) for n in counts.values())


def test_a_random_corpus_keeps_items_coders_and_segments() -> None:
    codings = load_codings("moonstone")
    before, after = codings.rows(), drawn(codings, 1)[0]
    assert not np.array_equal(before.places, after.places)
    for row, (i, j) in enumerate(zip(before.offsets[:-1], before.offsets[1:], strict=True)):
        mass = int(before.masses[row])
        masses = [np.diff(r.places[i:j], prepend=0, append=mass) for r in (before, after)]
        assert sorted(masses[0]) == sorted(masses[1])


def test_boundaries_of_several_types_keep_their_types() -> None:
    s = Segmentation.from_typed({"x": [3, 5], "y": [5, 9]}, mass=12)
    rows = drawn(Codings.of({"i": {"a": s, "b": s}}), 20)
    for r in rows:
        random = r.segmentation(1)
        assert sorted(map(sorted, random.to_sets())) == sorted(map(sorted, s.to_sets()))
    assert len({r.segmentation(0) for r in rows}) > 10


def test_typed_boundaries_beyond_chance() -> None:
    rng = np.random.default_rng(2)
    coders = {
        c: Segmentation.from_typed(
            {t: np.flatnonzero(rng.random(40) < 0.2) + 1 for t in "xy"}, mass=41
        )
        for c in "ab"
    }
    found = measures_beyond_chance(Codings.of({"i": coders}), rule=SampleRule(samples=60))
    same = measures_beyond_chance(
        Codings.of({"i": {"a": coders["a"], "b": coders["a"]}}), rule=SampleRule(samples=5)
    )
    for name in ("s", "b", "pi_s"):
        assert abs(found[name].beyond_chance.value) < 0.25
        assert same[name].beyond_chance.value == 1


def test_values_are_those_without_chance() -> None:
    codings = load_codings("moonstone")
    comparison = Criterion(basis=CorrectedSimilarity.B)
    found = measures_beyond_chance(codings, comparison=comparison, rule=SampleRule(samples=5))
    agreement = coding_agreement(codings, comparison=comparison)
    assert tuple(found) == MEASURES
    assert found["pi_s"].value == pytest.approx(agreement.pooled.pi, abs=1e-12)
    assert found["windowdiff"].value == pytest.approx(agreement.corpus.windowdiff.mean, abs=1e-12)
    assert found["pi_s"].beyond_chance.observed == pytest.approx(1 - agreement.pooled.actual)


def test_what_has_no_value_is_said() -> None:
    # Nobody placed a boundary: no disagreement in any order, and no precision at all.
    nothing = Segmentation.from_masses([6])
    found = measures_beyond_chance(Codings.of({"x": {"a": nothing, "b": nothing}}))
    assert "expected disagreement is 0" in str(found["s"].beyond_chance.reason)
    assert found["precision"].undefined == 2
    assert found["precision"].beyond_chance.reason == "no pair of codings has a value"
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
    made = one["b"].beyond_chance.signature
    assert made.startswith("b|mode:equations|similarity:s|edit:published|n:2|")
    assert "|chance:segments|samples:5|c:0.95|seed:1|" in made
