"""Levels and power of the test that units lie towards one end."""

from __future__ import annotations

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.chance.direction import direction

LENGTH = 600.0
Spans = list[tuple[float, float]]


def renewal(rng: np.random.Generator, *, shape: float = 2.0, pitch: float = 30.0) -> Spans:
    """Return units of length 8 with gamma gaps, from a process that began long before the text."""
    starts = np.cumsum(8 + rng.gamma(shape, (pitch - 8) / shape, 80)) - rng.uniform(300, 500)
    return [(s, s + 8) for s in starts.tolist() if s >= 0 and s + 8 <= LENGTH]


def continuum(people: list[Spans], name: str = "") -> Continuum:
    units = [Unit(f"A{k}", s, e, "x") for k, own in enumerate(people) for s, e in own]
    return Continuum.from_units(units, bounds=(0, LENGTH), name=name)


def quota(rng: np.random.Generator) -> list[Spans]:
    return [renewal(rng, pitch=20)[:20] for _ in range(3)]


def share(made: list[Continuum]) -> float:
    found = [direction([c]) for c in made]
    return float(np.mean([d is not None and d.p <= 0.05 for d in found]))


@pytest.mark.parametrize("shape", [0.4, 2.0, 20.0])
def test_the_level_holds_for_stationary_annotators(shape: float) -> None:
    made = [
        continuum([renewal(rng, shape=shape) for _ in range(3)])
        for rng in map(np.random.default_rng, range(150))
    ]
    assert share(made) <= 0.08


def test_the_level_holds_for_annotators_who_agree() -> None:
    """Annotators who see one truth without direction count once, so the level holds."""
    made = []
    for k in range(150):
        rng = np.random.default_rng(k)
        true = renewal(rng)
        made.append(continuum([[(s, e) for s, e in true if rng.random() < 0.9] for _ in range(4)]))
    assert share(made) <= 0.08


def test_annotators_with_a_quota_are_found_and_the_direction_named() -> None:
    rng = np.random.default_rng
    assert share([continuum(quota(rng(k))) for k in range(40)]) >= 0.8
    early = direction([continuum(quota(rng(1)))])
    late = direction([continuum([[(600 - e, 600 - s) for s, e in p] for p in quota(rng(1))])])
    assert early is not None
    assert late is not None
    assert (early.towards, late.towards) == ("beginning", "end")
    assert early.mean_position == pytest.approx(1 - late.mean_position)
    assert early.trailing == pytest.approx(-late.trailing)


def test_several_documents_are_tested_by_their_own_spread() -> None:
    rng = np.random.default_rng(3)
    same = [continuum([renewal(rng) for _ in range(2)]) for _ in range(8)]
    found = direction(same)
    assert found is not None
    assert found.by == "documents"
    tired = direction([continuum(quota(rng)) for _ in range(8)])
    assert tired is not None
    assert tired.p < 0.001


def test_gamma_notes_the_direction_of_a_single_continuum() -> None:
    score = gc.gamma(continuum(quota(np.random.default_rng(1))), samples=30)
    assert any("units lie towards the beginning" in note for note in score.notes)
    told = score.as_dict()["direction"]
    assert any(f"mean position {told['mean_position']:.3f}" in note for note in score.notes)
    assert told["p"] <= 0.05
    assert set(told) == {
        "mean_position",
        "trailing",
        "towards",
        "p",
        "by",
        "documents",
        "annotators",
    }
    rng = np.random.default_rng(2)
    even = gc.gamma(continuum([renewal(rng), renewal(rng)]), samples=30)
    assert even.direction is not None
    assert not any("units lie towards" in note for note in even.notes)


def test_a_corpus_has_a_direction_and_its_documents_have_none() -> None:
    rng = np.random.default_rng(5)
    documents = {str(k): continuum(quota(rng), str(k)) for k in range(6)}
    found = gc.gamma_corpus(Corpus.from_continua(documents), samples=20)
    assert found.direction is not None
    assert any("units lie towards the beginning" in note for note in found.notes)
    assert all(s.as_dict().get("direction") is None for s in found.scores.values())


def test_few_units_have_no_direction() -> None:
    assert direction([continuum([[(0, 5)], [(1, 6)]])]) is None
