"""Stretches that nobody marks: which are reported, and γ if nothing could be marked there."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.chance.common_gaps import common_gaps, without_gaps

STRETCHES = [(0.0, 110.0), (175.0, 260.0), (340.0, 430.0), (500.0, 600.0)]


def lone(seed: int, name: str = "", *, pauses: bool = True) -> Continuum:
    """Return two annotators who share at most three silences."""
    rng, units = np.random.default_rng([7, seed]), []
    for who in ("Ann", "Bob"):
        starts = np.cumsum(rng.gamma(2.0, 4.0, 80) + 8) - 8 - 100 * rng.random()
        units += [
            Unit(who, float(s), float(s) + 8, "x")
            for s in starts
            if any(a <= s <= b - 8 for a, b in (STRETCHES if pauses else [(0.0, 600.0)]))
        ]
    return Continuum.from_units(units, bounds=(0, 600), name=name)


def test_gaps_by_hand() -> None:
    """Units of length 1 at every second position leave ten gaps of 1 and one of 21; by hand."""
    starts = [*range(0, 20, 2), *range(40, 62, 2)]
    c = Continuum.from_units([Unit("AB"[k % 2], s, s + 1, "x") for k, s in enumerate(starts)])
    assert common_gaps(c) == ((19.0, 40.0),)
    # All of 20 gaps share 40. The probability that one exceeds 21 is at most 20·(19/40)^19 =
    # 1.5e-5.
    assert Fraction(20) * Fraction(19, 40) ** 19 < Fraction(1, 100)
    assert common_gaps(c.with_markable([(0, 19), (40, 61)])) == ()


def test_tiles_leave_no_other_gaps_to_compare_with() -> None:
    """Tiles of length 2 over 0–20 and 30–50 leave only the gap 10–30, which is longer than
    a unit.
    """
    starts = [*range(0, 10, 2), *range(30, 40, 2)]
    c = Continuum.from_units([Unit(who, s, s + 2, "x") for who in "AB" for s in starts])
    assert common_gaps(c) == ((10.0, 30.0),)
    near = [*range(0, 10, 2), *range(11, 21, 2)]
    c = Continuum.from_units([Unit(who, s, s + 2, "x") for who in "AB" for s in near])
    assert common_gaps(c) == ()


@pytest.mark.parametrize(("n", "share"), [(12, 0.5), (12, 0.3), (30, 0.25), (8, 0.7)])
def test_the_first_term_bounds_the_exact_probability(n: int, share: float) -> None:
    """Fisher's exact tail of the longest of n spacings agrees with a simulation and is below the
    bound.
    """
    exact = sum(
        (-1) ** (j + 1) * comb(n, j) * max(0.0, 1 - j * share) ** (n - 1) for j in range(1, n + 1)
    )
    rng = np.random.default_rng(1)
    drawn = rng.dirichlet(np.ones(n), 20000).max(axis=1)
    assert float((drawn > share).mean()) == pytest.approx(exact, abs=0.01)
    assert n * (1 - share) ** (n - 1) >= exact - 1e-12


def test_independent_annotators_with_silences_get_a_note() -> None:
    told = 0
    for seed in range(10):
        c = lone(seed)
        score = gc.gamma(c, samples=60, seed=seed)
        if score.gaps is None:
            continue
        found = score.as_dict()
        assert found["gamma_if_unmarkable"] == score.gaps.gamma
        assert found["common_gaps"] == [list(gap) for gap in common_gaps(c)]
        marked = without_gaps(c, common_gaps(c))
        again = gc.gamma(marked, samples=60, seed=seed, chance="cut")
        assert again.value == pytest.approx(score.gaps.gamma)
        assert bool(score.gaps.notes) == any("nobody marks anything" in n for n in score.notes)
        told += bool(score.gaps.notes)
    assert told >= 8


def test_independent_annotators_without_silences_get_no_note() -> None:
    told = [gc.gamma(lone(seed, pauses=False), samples=30).gaps for seed in range(10)]
    assert sum(gaps is not None and gaps.matters for gaps in told) == 0


def test_annotators_who_agree_get_no_note() -> None:
    """They leave stretches without units empty together, and γ does not depend on these."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        true = [u for u in lone(seed, pauses=False) if u.annotator == "Ann"]
        units = [
            Unit(who, u.start + rng.normal(), u.end + rng.normal(), u.category)
            for who in ("Ann", "Bob")
            for u in true
            if rng.random() < 0.95
        ]
        score = gc.gamma(Continuum.from_units(units, bounds=(-5, 605)), samples=60)
        assert score.value > 0.5
        assert score.gaps is None or not score.gaps.matters


def test_a_corpus_has_notes_on_gaps_of_its_documents() -> None:
    corpus = Corpus.from_continua({f"d{k}": lone(k, f"d{k}") for k in range(6)})
    score = gc.gamma_corpus(corpus, samples=40)
    assert score.gaps is not None
    assert score.within is not None
    found = score.as_dict()
    assert {*found["common_gaps"]} <= {*corpus.continua}
    assert score.gaps.before == score.within.value
    assert score.gaps.before - score.gaps.gamma > 0.1
    (said,) = [note for note in score.notes if "nobody marks anything" in note]
    assert f"{len(found['common_gaps'])} of 6 documents have such stretches" in said
    assert f"γ within documents is {score.gaps.gamma:.2f}" in said
    by_cut = gc.gamma_corpus(corpus, samples=40, chance="cut")
    assert by_cut.gaps is not None
    assert by_cut.gaps.before == by_cut.value
