"""Measured zeros of the study, p-values, and notes on few random sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp.base.subjects import missing_subject
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.measures.gamma_corpus import gamma_corpus
from gammacp.measures.registry import MEASURES
from gammacp.measures.zeros import zeros

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "results" / "zero_summary" / "zero.csv"


def test_the_shipped_file_is_that_of_the_study() -> None:
    if not STUDY.exists():
        pytest.skip("the results are not in this installation")
    shipped = ROOT / "gammacp" / "measures" / "zero.csv"
    assert shipped.read_text(encoding="utf-8") == STUDY.read_text(encoding="utf-8")


def test_the_study_names_registered_measures() -> None:
    deleted = {name for name in zeros() if missing_subject("measure", name)}
    assert set(zeros()) <= set(MEASURES) | deleted
    assert zeros()["gamma"].shown >= 16
    assert zeros()["ser"].verdict == "not"
    assert zeros()["pi-s"].lowest > 0.5


def scattered(seed: int, n: int = 12, *, shared: bool = False) -> Continuum:
    """Return two annotators, of whom the second copies the first or marks at random."""
    rng = np.random.default_rng(seed)
    units = []
    for name in ("A", "B"):
        places = np.sort(rng.choice(120, size=n, replace=False)) * 10.0
        if shared and name == "B":
            units += [Unit("B", u.start, u.end, u.category) for u in units]
            break
        units += [Unit(name, float(s), float(s) + 5, "x") for s in places]
    return Continuum.from_units(units)


def test_agreement_that_may_be_chance_has_a_note() -> None:
    by_chance, shared = gc.gamma(scattered(1)), gc.gamma(scattered(1, shared=True))
    assert by_chance.p is not None
    assert by_chance.p > 0.05
    assert by_chance.as_dict()["p"] == by_chance.p
    assert any("agreement above 0 is not shown: p = " in note for note in by_chance.notes)
    assert shared.p == pytest.approx(1 / (1 + shared.samples))
    assert not shared.notes
    # With fewer than 19 random sets, no p can be .05 or less.
    assert not gc.gamma(scattered(1), samples=18).notes


def test_two_documents_have_only_two_random_sets() -> None:
    """The documents of two annotators can be exchanged in only one way.

    A's document a and B's b have no unit at the same place, A's b and B's a have one.
    """
    corpus = Corpus.from_continua({"a": scattered(1), "b": scattered(4, n=20)})
    found = gamma_corpus(corpus)
    assert "chance:documents" in found.signature
    assert any("only 2 of the" in note for note in found.notes)
