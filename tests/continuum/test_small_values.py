"""Tests of the note on a small γ that pauses alone may give."""

from __future__ import annotations

import pytest

from gammacp import Continuum, Corpus, Unit, gamma, gamma_corpus
from gammacp.continuum import markable
from gammacp.continuum.markable import small_value_in_words


def test_a_small_gamma_with_a_small_p_is_reported_with_its_rate() -> None:
    """Only a γ below .15 with a p of at most .05 may be what pauses alone give."""
    (note,) = small_value_in_words(0.03, 0.01)
    assert "γ below 0.15 may come from pauses" in note
    assert "24% of simulated corpora of six recordings" in note
    assert small_value_in_words(0.03, 0.2) == small_value_in_words(0.03, None) == ()
    assert small_value_in_words(0.2, 0.01) == ()


def test_gamma_of_texts_and_corpora_has_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        markable, "small_value_in_words", lambda value, p: (f"tested: {value} {p}",)
    )
    units = [Unit(a, s, s + 2, "x") for a in ("Ann", "Bob") for s in (1, 5, 22, 25, 33)]
    c = Continuum.from_units(units)
    declared = c.with_markable([(0, 9), (20, 40)])
    score = gamma(declared, samples=19)
    corpus = gamma_corpus(Corpus.from_continua({"a": declared, "b": declared}), samples=19)
    for result in (score, corpus):
        assert result.as_dict()["notes"][-1] == f"tested: {result.value} {result.p}"
    plain = Corpus.from_continua({"a": c, "b": c})
    assert not any(note.startswith("tested: ") for note in gamma_corpus(plain, samples=19).notes)
    assert not any(note.startswith("tested: ") for note in gamma(c, samples=19).notes)
