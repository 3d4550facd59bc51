"""Annotations before their errors, estimated, against planted references."""

from __future__ import annotations

import numpy as np
import pytest

from gammacp.continuum import Continuum, Unit
from shuffling import ReferenceModel, fit, reference_set, shuffle
from shuffling.fitting import gaps_of
from shuffling.indirect_inference import IndirectInference, UnitStatistics


def planted(
    error: str, magnitude: float, layout: str = "apart"
) -> tuple[list[Continuum], list[Continuum]]:
    """Return references and the annotations of three annotators; gaps are four times unit
    lengths.
    """
    model = ReferenceModel(n_units=20, gaps=fit(_sparse()).gaps).laid_out(layout)
    references = [reference_set(model, index=i, seed=3) for i in range(12)]
    return references, [
        shuffle(r, error, magnitude, 3, model=model, seed=40 + i) for i, r in enumerate(references)
    ]


def _sparse() -> Continuum:
    gaps = np.random.default_rng(0).integers(100, 700, 40)
    starts = np.cumsum(gaps + 100)
    return Continuum.from_units([Unit("A", int(s), int(s) + 100, "A") for s in starts])


def test_gaps_and_units_add_up_to_the_whole() -> None:
    units = [("A", 2, 6), ("A", 4, 5), ("A", 9, 12), ("B", 0, 3), ("B", 3, 20)]
    c = Continuum.from_units([Unit(a, s, e, "x") for a, s, e in units], bounds=(0, 20))
    # By hand, A has gaps from 0 to 2, back from 6 to 4, from 5 to 9, and from 12 to 20.
    assert gaps_of([c]).tolist() == [2, -2, 4, 8, 0, 0, 0]
    assert gaps_of([c]).sum() + c.lengths.sum() == 2 * 20


def test_statistics_by_hand() -> None:
    units = [("A", 2, 6, "x"), ("A", 6, 8, "y"), ("B", 0, 6, "x")]
    c = Continuum.from_units([Unit(*u) for u in units], bounds=(0, 10))
    s = UnitStatistics.of([c], ["x", "y", None])
    assert (s.n_units, s.length, s.continuum_length) == (1.5, 4.0, 10.0)
    assert s.length_spread == pytest.approx(np.std([4, 2, 6]) / 4)
    assert (s.touching, s.overlapping) == (2 / 5, 0.0)  # gaps 2 0 2 | 0 4
    assert s.prevalence.tolist() == pytest.approx([2 / 3, 1 / 3, 0])


@pytest.mark.parametrize(
    ("error", "magnitude"),
    [
        ("position", 0.2),
        ("false-negative", 0.5),
        ("false-positive", 0.6),
        ("split", 0.2),
        ("split", 0.6),
        ("category", 0.6),
    ],
)
def test_the_planted_reference_is_recovered(error: str, magnitude: float) -> None:
    references, seen = planted(error, magnitude)
    fitted = IndirectInference.learn(seen).fit_to_errors(error, magnitude, 3, n_sets=12, seed=9)
    assert fitted.misfit < 0.06
    truth = UnitStatistics.of(references, "ABCD")
    naive = UnitStatistics.of(seen, "ABCD")
    # With twelve references of 20 units, mean length and number are known to some percent.
    assert fitted.parameters.n_units == pytest.approx(truth.n_units, rel=0.08)
    assert naive.length * fitted.parameters.length_factor == pytest.approx(truth.length, rel=0.1)
    assert fitted.parameters.overlapping == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("error", ["position", "false-negative", "false-positive", "split"])
def test_a_segmentation_stays_a_segmentation(error: str) -> None:
    references, seen = planted(error, 0.3, "covering")
    fitted = IndirectInference.learn(seen).fit_to_errors(error, 0.3, 3, n_sets=6, seed=9)
    assert fitted.misfit < 0.06
    assert all(not gaps_of([c]).any() for c in fitted.sets)
    assert fitted.parameters.n_units == pytest.approx(
        UnitStatistics.of(references, "ABCD").n_units, rel=0.1
    )


def test_an_impossible_error_is_reported() -> None:
    """If half of the units had been missed, twice as many would not fit in."""
    units = [Unit(a, 10 * i, 10 * i + 9, "x") for a in "AB" for i in range(20)]
    c = Continuum.from_units(units, bounds=(0, 200))
    fitted = IndirectInference.learn([c]).fit_to_errors("false-negative", 0.5, 2, n_sets=6)
    assert fitted.misfit > 0.2


def test_nothing_changes_without_errors() -> None:
    _, seen = planted("position", 0.0)
    fitted = IndirectInference.learn(seen).fit_to_errors("position", 0.0, 3, n_sets=12)
    assert fitted.parameters.n_units == pytest.approx(20)
    assert fitted.parameters.length_factor == pytest.approx(1, abs=0.1)


def test_points_and_unlabelled_units() -> None:
    units = [Unit(a, p, p, None) for a in "AB" for p in (1.5, 4, 9, 11, 13)]
    c = Continuum.from_units(units)
    fitted = IndirectInference.learn([c]).fit_to_errors("false-negative", 0.3, 2, n_sets=4)
    assert all((s.lengths == 0).all() for s in fitted.sets)
    assert fitted.parameters.n_units == pytest.approx(5 / 0.7, rel=0.4)
