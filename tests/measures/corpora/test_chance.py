"""Corpora beyond chance: empty documents, references, and measures of whole documents."""

from __future__ import annotations

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit

ALIKE = {
    "A": [(0, 5), (20, 25)],
    "B": [(50, 55), (60, 65), (70, 75), (80, 85)],
    "C": [(0, 5), (90, 95)],
}


def document(people: dict[str, list[tuple[int, int]]], end: float = 100) -> Continuum:
    units = [Unit(a, *place, "x") for a, places in people.items() for place in places]
    return Continuum.from_units(units, annotators=[*people], bounds=(0, end))


@pytest.mark.parametrize("people", [["A", "B"], ["A", "B", "C"]])
@pytest.mark.parametrize("chance", ["documents", "cut"])
def test_random_sets_are_compared_with_the_reference(people: list[str], chance: str) -> None:
    one = document({name: ALIKE[name] for name in people})
    corpus = Corpus.from_continua({f"d{k}": one for k in range(6)})
    found = gc.measure(
        corpus, ["ser"], reference="A", beyond_chance=True, chance=chance, samples=20
    )["ser"].beyond_chance
    assert found is not None
    assert found.reason is None
    # By hand, B has 2 deletions and 4 insertions on 2 units; C has a match, a deletion, an
    # insertion.
    assert found.observed == pytest.approx({2: 3.0, 3: 2.0}[len(people)])
    if chance == "documents":
        # All documents are alike, so permuting them changes nothing.
        assert found.expected == pytest.approx(found.observed)
        assert found.value == pytest.approx(0)


@pytest.mark.parametrize("name", ["u-alpha", "kappa-d"])
def test_documents_without_units_change_no_measure_that_ignores_them(name: str) -> None:
    some = {f"d{k}": document({"A": ALIKE["A"], "B": ALIKE["B"]}) for k in range(3)}
    none = {f"e{k}": document({"A": [], "B": []}) for k in range(3)}
    options = {"beyond_chance": True, "chance": "cut", "samples": 20}
    scores = [
        gc.measure(Corpus.from_continua(documents), [name], **options)[name].beyond_chance
        for documents in (some, some | none)
    ]
    first, second = scores
    assert second.expected == pytest.approx(first.expected)
    assert (second.value, second.p) == pytest.approx((first.value, first.p))


@pytest.mark.parametrize("chance", ["statistical-normal", "non-overlapping", "shift", "corpus"])
def test_every_model_accepts_documents_without_units(chance: str) -> None:
    some = {f"d{k}": document({"A": ALIKE["A"], "B": ALIKE["B"]}) for k in range(3)}
    corpus = Corpus.from_continua(some | {"e": document({"A": [], "B": []})})
    found = gc.measure(corpus, ["f1-overlap"], beyond_chance=True, chance=chance, samples=20)
    beyond = found["f1-overlap"].beyond_chance
    assert beyond is not None
    assert beyond.reason is None


@pytest.mark.slow
def test_presence_of_a_rare_code() -> None:
    marked = [{"A": [(0, 5)], "B": []}, {"A": [], "B": [(0, 5)]}]
    documents = {f"d{k}": document(people) for k, people in enumerate(marked)}
    documents |= {f"e{k}": document({"A": [], "B": []}) for k in range(18)}
    corpus = Corpus.from_continua(documents)
    found = gc.measure(corpus, ["presence"], beyond_chance=True, chance="documents", samples=400)[
        "presence"
    ].beyond_chance
    assert found is not None
    assert found.observed == pytest.approx(0.1)
    # One of A's document and another of B has the code in 2/20 − 2 · 1/20 · 1/19 of the pairs.
    assert found.expected == pytest.approx(0.1 - 2 / 20 / 19, abs=0.01)


def test_presence_needs_permuted_documents() -> None:
    some = {f"d{k}": document({"A": ALIKE["A"], "B": ALIKE["B"] * (k % 2)}) for k in range(4)}
    corpus = Corpus.from_continua(some)
    found = gc.measure(corpus, ["presence"], beyond_chance=True, chance="cut", samples=20)
    beyond = found["presence"].beyond_chance
    assert beyond is not None
    assert beyond.reason is not None
    assert "presence needs chance=documents" in beyond.reason


def test_places_with_missing_labels_keep_their_expectation() -> None:
    """Each annotator keeps their places; with half of the labels x, any pair differs in half of all
    cases.
    """
    units = [Unit(a, k, k + 1, "xy"[k % 2]) for k in range(8) for a in "ABC" if (a, k) != ("C", 3)]
    documents = {f"d{k}": Continuum.from_units(units) for k in range(3)}
    documents["short"] = Continuum.from_units([Unit(a, 0, 1, "xy"[a == "A"]) for a in "AB"])
    corpus = Corpus.from_continua(documents)
    found = gc.measure(
        corpus, ["alpha", "gwet-ac"], beyond_chance=True, chance="fixed-positions", samples=100
    )
    for name in ("alpha", "gwet-ac"):
        beyond = found[name].beyond_chance
        assert beyond is not None
        assert beyond.reason is None
        shares = np.array([35, 36]) / 71
        assert beyond.expected == pytest.approx(1 - (shares**2).sum(), abs=0.02)
        assert beyond.p == pytest.approx(1 / 101)
