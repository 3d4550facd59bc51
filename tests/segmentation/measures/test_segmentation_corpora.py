"""Segmentation measures of a corpus: windows and places one by one, and π of the corpus."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.segmentation.measures.coefficients import arrays_of_items, coefficients
from gammacp.segmentation.measures.comparison import Criterion
from gammacp.segmentation.measures.rows import Rows, compare_rows
from gammacp.segmentation.measures.tiling import from_continuum
from gammacp.segmentation.measures.value import ONE_TYPE

NAMES = ["windowdiff", "pk", "s", "b", "ghd", "pi-s", "kappa-s", "multi-pi-s", "multi-kappa-s"]


def covered(masses_by_annotator: dict[str, list[int]]) -> Continuum:
    units = []
    for name, masses in masses_by_annotator.items():
        ends = np.cumsum(masses).tolist()
        starts = [0, *ends[:-1]]
        units += [Unit(name, a, b, "x") for a, b in zip(starts, ends, strict=True)]
    return Continuum.from_units(units)


def random_corpus(seed: int, annotators: str, documents: int) -> Corpus:
    rng = np.random.default_rng(seed)
    continua = {}
    for d in range(documents):
        mass = int(rng.integers(15, 40))
        cuts = {a: np.sort(rng.choice(np.arange(1, mass), 4, replace=False)) for a in annotators}
        edges = {a: [0, *c.tolist(), mass] for a, c in cuts.items()}
        continua[f"d{d}"] = covered({a: np.diff(e).tolist() for a, e in edges.items()})
    return Corpus.from_continua(continua)


def windows_one_by_one(corpus: Corpus, reference: str, hypothesis: str) -> tuple[int, int, int]:
    """Count windows, windows with unequal counts, and windows that only one side divides."""
    windows = unequal = parted = 0
    for c in corpus.values():
        both = from_continuum(c)
        ref, hyp = (set(both[name].positions.tolist()) for name in (reference, hypothesis))
        mass = both[reference].mass
        k = max(2, math.floor(mass / (2 * (len(ref) + 1)) + 0.5))
        for start in range(mass - k):
            inside = range(start + 1, start + k + 1)
            r, h = (len(places.intersection(inside)) for places in (ref, hyp))
            windows, unequal = windows + 1, unequal + (r != h)
            parted += (r > 0) != (h > 0)
    return windows, unequal, parted


def test_windows_are_those_of_all_documents() -> None:
    corpus = random_corpus(1, "AB", 6)
    scores = gc.measure(corpus, ["windowdiff", "pk"], reference="A")
    windows, unequal, parted = windows_one_by_one(corpus, "A", "B")
    assert scores["windowdiff"].value == pytest.approx(1 - unequal / windows)
    assert scores["pk"].value == pytest.approx(1 - parted / windows)
    turned = windows_one_by_one(corpus, "B", "A")
    both = gc.measure(corpus, ["windowdiff"])["windowdiff"]
    assert both.value == pytest.approx(1 - (unequal + turned[1]) / (windows + turned[0]))
    values = [gc.measure(c, ["windowdiff"])["windowdiff"].value for c in corpus.values()]
    assert both.mean == pytest.approx(np.mean(values))
    assert both.interval is not None


def test_edits_by_hand() -> None:
    """Documents of 10 and 20 places have one missed boundary and one near miss."""
    corpus = Corpus.from_continua(
        {
            "d1": covered({"A": [2, 3, 6], "B": [5, 6]}),
            "d2": covered({"A": [4, 6, 11], "B": [5, 5, 11]}),
        }
    )
    scores = gc.measure(corpus, ["s", "b", "ghd"])
    assert scores["s"].value == pytest.approx(1 - 2 / 30)
    # Of the boundaries, one document has a match and an addition, the other a match and a near
    # miss, which costs a half.
    assert scores["b"].value == pytest.approx(1 - (1 + 0.5) / 4)
    # With references A and B, a boundary costs 11/3 or 11/2, and a shift by a place costs 2.
    largest = 3 * 11 / 3 + 3 * 11 / 2 + 2 * 4 * 7
    assert scores["ghd"].value == pytest.approx(1 - (11 / 3 + 11 / 2 + 2 * 2) / largest)


@pytest.mark.parametrize("annotators", ["AB", "ABC"])
def test_pi_and_kappa_are_those_of_the_corpus_of_2012(annotators: str) -> None:
    corpus = random_corpus(2, annotators, 6)
    codings = {name: from_continuum(c) for name, c in corpus.items()}
    whole = coefficients(arrays_of_items(compare_rows(Rows.of(codings, ONE_TYPE), Criterion())))
    scores = gc.measure(corpus, NAMES[5:])
    assert scores["multi-pi-s"].value == pytest.approx(whole.pi)
    assert scores["multi-kappa-s"].value == pytest.approx(whole.kappa)
    pairs = []
    for pair in [("A", "B"), ("A", "C"), ("B", "C")][: len(annotators) * 2 - 3]:
        some = {d: {a: coders[a] for a in pair} for d, coders in codings.items()}
        pairs.append(
            coefficients(arrays_of_items(compare_rows(Rows.of(some, ONE_TYPE), Criterion())))
        )
    assert scores["pi-s"].value == pytest.approx(np.mean([c.pi for c in pairs]))
    assert scores["kappa-s"].value == pytest.approx(np.mean([c.kappa for c in pairs]))


def test_documents_shorter_than_a_window_are_left_out() -> None:
    long, short = {"A": [3, 7], "B": [4, 6]}, {"A": [1, 1], "B": [2]}
    corpus = Corpus.from_continua({"d1": covered(long), "d2": covered(short)})
    score = gc.measure(corpus, ["windowdiff"])["windowdiff"]
    assert (score.documents, score.of) == (1, 2)
    assert score.value == gc.measure(corpus["d1"], ["windowdiff"])["windowdiff"].value
    assert "1 of 2 documents left out: too short for a window" in score.notes[0]


def test_names_and_order_of_annotators_do_not_matter() -> None:
    corpus = random_corpus(3, "ABC", 5)
    new = dict(zip("ABC", "ZXY", strict=True))
    renamed = Corpus.from_continua(
        {
            name: Continuum.from_units(
                [Unit(new[u.annotator], u.start, u.end, u.category) for u in c]
            )
            for name, c in corpus.items()
        }
    )
    one, other = gc.measure(corpus, NAMES), gc.measure(renamed, NAMES)
    for name in NAMES:
        assert one[name].value == pytest.approx(other[name].value), name
        assert one[name].interval == pytest.approx(other[name].interval), name


def test_units_of_a_category_are_no_segmentation() -> None:
    score = gc.measure(random_corpus(4, "AB", 5), ["windowdiff"], by=["category", "pair"])
    assert not score["windowdiff"].by_category
    assert [*score["windowdiff"].by_pair] == ["A, B"]
