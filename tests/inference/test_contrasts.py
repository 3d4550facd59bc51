"""The test of who marks nearer to an end than others: t and Holm by other means, and levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.continuum.declaring import declare_read_until
from gammacp.inference.contrasts import contrasts


def document(
    rng: np.random.Generator, people: str, *, tired: str = "", name: str = ""
) -> Continuum:
    """Return a text that thins out, read alike by careful people, one of whom may also tire."""
    true = np.sort(100 * rng.beta(1.0, 2.0, 20))
    units = []
    for who in people:
        found = true[rng.random(20) < 0.85]
        if who == tired:
            found = found[rng.random(len(found)) < 1 - 0.8 * found / 100]
        units += [Unit(who, float(s), float(s) + 1, "x") for s in found]
    return Continuum.from_units(units, bounds=(0, 101), name=name)


def corpus(seed: int, people: str, many: int = 8, tired: str = "") -> list[Continuum]:
    rng = np.random.default_rng([5, seed])
    return [document(rng, people, tired=tired, name=f"d{k}") for k in range(many)]


def test_differences_and_p_values_are_those_of_another_implementation() -> None:
    continua = corpus(1, "ABC")
    places = [
        {a: float(((c.starts + c.ends) / 2)[c.rows_of(a)].mean() / 101) for a in "ABC"}
        for c in continua
    ]
    raw = {}
    for name in "ABC":
        others = [x for x in "ABC" if x != name]
        differences = [p[name] - (p[others[0]] + p[others[1]]) / 2 for p in places]
        raw[name] = (np.mean(differences), ttest_1samp(differences, 0).pvalue)
    found = contrasts(continua)
    assert [x.annotator for x in found] == ["A", "B", "C"]
    assert [x.difference for x in found] == pytest.approx([raw[a][0] for a in "ABC"])
    ranked = sorted(raw, key=lambda a: raw[a][1])
    held, least = {}, 0.0
    for k, name in enumerate(ranked):
        least = max(least, min(1.0, (3 - k) * raw[name][1]))
        held[name] = least
    assert [x.p for x in found] == pytest.approx([held[a] for a in "ABC"])


def test_an_annotator_who_tires_is_named_but_nobody_where_the_text_thins_out() -> None:
    false = sum(any(x.p <= 0.05 for x in contrasts(corpus(k, "ABC"))) for k in range(100))
    assert false <= 10
    named = [contrasts(corpus(k, "ABC", 12, tired="B")) for k in range(30)]
    hits = sum(x.annotator == "B" and x.p <= 0.05 for found in named for x in found)
    assert hits >= 12


def test_two_annotators_share_a_test_and_a_sentence() -> None:
    one, other = contrasts(corpus(3, "AB", 20, tired="A"))
    assert (one.other, other.other) == ("B", "A")
    assert one.p == other.p <= 0.05
    assert one.difference == pytest.approx(-other.difference)
    (said,) = one.notes
    assert said.startswith("units of A lie nearer the beginning than those of B")
    assert "somebody read" in said
    assert other.notes == ()


def test_a_cluster_counts_once_and_annotators_who_stopped_do_not_count() -> None:
    continua = corpus(4, "ABC", 12)
    assert {x.documents for x in contrasts(continua)} == {12}
    pairs = [c.in_cluster(f"c{k // 2}") for k, c in enumerate(continua)]
    assert {x.documents for x in contrasts(pairs)} == {6}
    assert contrasts(continua[:5]) == ()
    stopped = [declare_read_until(c, {"A": 100.5}) for c in continua]
    assert [x.annotator for x in contrasts(stopped)] == ["B", "C"]


def test_only_a_corpus_names_annotators() -> None:
    continua = corpus(3, "AB", 20, tired="A")
    score = gc.gamma_corpus(Corpus.from_continua({c.name: c for c in continua}), samples=10)
    told = score.as_dict()["direction"]["annotators"]
    assert [row["annotator"] for row in told] == ["A", "B"]
    assert any(note.startswith("units of A lie nearer the beginning") for note in score.notes)
    assert not any("fatigue" in note for note in score.notes)
    alone = gc.gamma(continua[0], samples=10)
    assert alone.direction is not None
    assert alone.direction.annotators == ()
