"""Measures of observers on a corpus: concatenated documents, and sums by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.measures.registry import MEASURES

NAMES = [
    "easydiag-kappa",
    "overlap-ratio",
    "staccato",
    "time-unit-kappa",
    "event-alignment-kappa",
    "nw-identity",
    "boundaries",
]
PERIOD = 40


def random_units(rng: np.random.Generator, annotators: str) -> list[Unit]:
    """Return units of changing states, with a state of each annotator at 0 and at the end."""
    units = []
    for who in annotators:
        cuts = np.sort(rng.choice(np.arange(2, PERIOD - 3), 6, replace=False)).tolist()
        for start, end in zip([0, *cuts[1::2]], [*cuts[::2], PERIOD - 1], strict=True):
            units.append(Unit(who, start, end, str(rng.choice(["x", "y"]))))
    return units


def end_to_end(documents: list[list[Unit]], apart: int) -> Continuum:
    return Continuum.from_units(
        Unit(u.annotator, u.start + k * apart, u.end + k * apart, u.category)
        for k, units in enumerate(documents)
        for u in units
    )


def corpus_of(documents: list[list[Unit]]) -> Corpus:
    return Corpus.from_continua(
        {f"d{k}": Continuum.from_units(units) for k, units in enumerate(documents)}
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("easydiag-kappa", {}),
        ("easydiag-kappa", {"overlap": 0.3, "unlinked": False}),
        ("overlap-ratio", {}),
        ("time-unit-kappa", {"unit": 1.0}),
        ("boundaries", {"tolerance": 4.0}),
    ],
)
def test_sums_are_those_of_concatenated_documents(name: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        documents = [random_units(rng, "AB") for _ in range(3)]
        # Time units continue without a gap in between, while other units must not meet.
        apart = PERIOD if name == "time-unit-kappa" else 10 * PERIOD
        whole = gc.measure(end_to_end(documents, apart), [name], **options)[name]
        pooled = gc.measure(corpus_of(documents), [name], **options)[name]
        assert pooled.value == pytest.approx(whole.value, abs=1e-12)


def test_states_have_the_same_meaning_in_all_documents() -> None:
    """Codes of states are numbered by document, so sums must go by the states themselves."""
    first = [Unit("A", 0, 3, "y"), Unit("B", 0, 3, "y")]
    second = [Unit("A", 0, 3, "x"), Unit("B", 0, 1, "x"), Unit("B", 2, 3, "y")]
    score = gc.measure(corpus_of([first, second]), ["time-unit-kappa"], unit=1.0)
    # 6 of 8 times agree. A has y 4 and x 4, B has y 6 and x 2, so P_e = (24 + 8) / 64.
    assert score["time-unit-kappa"].value == pytest.approx((6 / 8 - 1 / 2) / (1 - 1 / 2))


def test_sequences_by_hand() -> None:
    """By hand, x y z and x z have M = 2, R = 3, C = 2, and x and x y have M = 1, R = 1, C = 2."""
    first = [Unit("A", k, k + 1, c) for k, c in enumerate("xyz")]
    first += [Unit("B", k, k + 1, c) for k, c in enumerate("xz")]
    second = [Unit("A", 0, 1, "x"), Unit("B", 0, 1, "x"), Unit("B", 1, 2, "y")]
    score = gc.measure(corpus_of([first, second]), ["event-alignment-kappa", "nw-identity"])
    # In the sums, 3 of 5 agree and M = 3. R has x 2 y 1 z 1, C has x 2 y 1 z 1: P_e = 3·(6/16)/5.
    expected = 3 * (6 / 16) / 5
    assert score["event-alignment-kappa"].value == pytest.approx(
        (3 / 5 - expected) / (1 - expected)
    )
    # The sequences are x x x x and x x y y, and x x and x x.
    first = [Unit("A", 0, 3, "x"), Unit("B", 0, 1, "x"), Unit("B", 2, 3, "y")]
    second = [Unit("A", 0, 1, "x"), Unit("B", 0, 1, "x")]
    times = gc.measure(corpus_of([first, second]), ["nw-identity"], unit=1.0)
    assert times["nw-identity"].value == pytest.approx(4 / 6)


def test_nuclei_are_summed() -> None:
    rng = np.random.default_rng(2)
    documents = [random_units(rng, "AB") for _ in range(3)]
    nuclei = expected = units = 0.0
    for part in documents:
        score = gc.measure(Continuum.from_units(part), ["staccato"], samples=50)["staccato"]
        nuclei += score.observed * len(part)
        expected += score.expected * len(part)
        units += len(part)
    room = units - expected if nuclei >= expected else expected
    found = gc.measure(corpus_of(documents), ["staccato"], samples=50)["staccato"]
    assert found.value == pytest.approx((nuclei - expected) / room)


def test_a_corpus_of_several_annotators_has_the_mean_of_their_kappas() -> None:
    rng = np.random.default_rng(5)
    documents = [random_units(rng, "ABC") for _ in range(6)]
    found = gc.measure(corpus_of(documents), NAMES, by="pair", unit=1.0, samples=100)
    for name in ("easydiag-kappa", "time-unit-kappa", "event-alignment-kappa"):
        pairs = [score.value for score in found[name].by_pair.values()]
        assert len(pairs) == 3
        assert found[name].value == pytest.approx(np.mean(pairs), abs=0.02), name
    for name in NAMES:
        assert MEASURES[name].counting is not None
        assert found[name].interval is not None, name
        low, high = found[name].interval
        assert low <= found[name].value <= high, name


def test_an_annotator_without_units_in_a_document() -> None:
    rng = np.random.default_rng(6)
    documents = {f"d{k}": Continuum.from_units(random_units(rng, "AB")) for k in range(5)}
    only = random_units(rng, "A")
    documents["d5"] = Continuum.from_units(only, annotators=["A", "B"])
    found = gc.measure(Corpus.from_continua(documents), ["overlap-ratio", "easydiag-kappa"])
    assert found["overlap-ratio"].documents == 6
    assert found["easydiag-kappa"].documents == 6
