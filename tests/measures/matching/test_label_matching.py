"""One-to-one matching of labels: brute force, renaming by hand, and chance."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit, UsageError
from gammacp.measures.matching.label_matching import LabelMatching, label_map
from tests.boxes import random_boxes


def drawn(rng: np.random.Generator, labels: tuple[int, int], units: int = 20) -> Continuum:
    """Return units of two annotators, whose own units may overlap."""
    made = []
    for annotator, kinds in zip(("Ann", "Bob"), labels, strict=True):
        for start, length in zip(rng.uniform(0, 90, units), rng.uniform(1, 10, units), strict=True):
            kind = f"{annotator[0]}{rng.integers(kinds)}"
            made.append(Unit(annotator, float(start), float(start + length), kind))
    return Continuum.from_units(made, bounds=(0, 100))


def overlap_by_hand(documents: list[Continuum], first: str, second: str) -> float:
    """Return the length that units of two labels share, unit by unit."""
    total = 0.0
    for c in documents:
        for a in (u for u in c if u.category == first):
            for b in (u for u in c if u.category == second):
                total += max(0.0, min(a.end, b.end) - max(a.start, b.start))
    return total


def best_by_force(documents: list[Continuum], labels: tuple[int, int]) -> float:
    """Return the greatest shared length of any one-to-one mapping."""
    lengths = np.array(
        [
            [overlap_by_hand(documents, f"B{i}", f"A{j}") for j in range(labels[0])]
            for i in range(labels[1])
        ]
    )
    if labels[0] < labels[1]:
        lengths = lengths.T
    rows = range(lengths.shape[0])
    return max(
        lengths[rows, list(p)].sum() for p in permutations(range(lengths.shape[1]), len(rows))
    )


@pytest.mark.parametrize("labels", [(1, 1), (3, 3), (2, 5), (5, 2), (6, 4), (6, 6)])
@pytest.mark.parametrize("documents", [1, 3])
def test_no_permutation_shares_more(labels: tuple[int, int], documents: int) -> None:
    rng = np.random.default_rng([*labels, documents])
    corpus = [drawn(rng, labels) for _ in range(documents)]
    found = label_map(corpus)
    assert found.shared == pytest.approx(best_by_force(corpus, labels))
    by_hand = [overlap_by_hand(corpus, old, new) for old, new in found.matched["Bob"].items()]
    assert found.shared == pytest.approx(sum(by_hand))
    news = [*found.names["Bob"].values(), *found.left_over["Bob"]]
    assert len(set(news)) == len(news)
    assert set(found.names["Bob"]) == {k for c in corpus for k in c.categories if k[0] == "B"}


@pytest.mark.parametrize("name", ["f1-strict", "u-alpha", "gamma", "ser"])
def test_values_are_those_of_labels_renamed_by_hand(name: str) -> None:
    rng = np.random.default_rng(5)
    places = np.arange(0, 100, 5)
    truth = rng.integers(3, size=len(places))
    units, by_hand = [], []
    for k, place in enumerate(places.tolist()):
        other = truth[k] if rng.random() < 0.8 else rng.integers(3)
        units += [Unit("Ann", place, place + 5, f"A{truth[k]}")]
        units += [Unit("Bob", place, place + 4, f"B{other}")]
        by_hand += [Unit("Ann", place, place + 5, f"A{truth[k]}")]
        by_hand += [Unit("Bob", place, place + 4, f"A{other}")]
    data = Continuum.from_units(units, bounds=(0, 100))
    options = {"samples": 30} if name == "gamma" else {}
    score = gc.measure(data, [name], match_labels="corpus", **options)
    assert score.labels[""].matched == {"Bob": {f"B{k}": f"A{k}" for k in range(3)}}
    wanted = gc.measure(Continuum.from_units(by_hand, bounds=(0, 100)), [name], **options)[name]
    assert score[name].value == pytest.approx(wanted.value, abs=1e-12)
    assert "sel:match-labels=corpus," in score[name].signature


def test_unmatched_labels_get_new_names() -> None:
    units = [Unit("Ann", 0, 5, "x"), Unit("Ann", 20, 25, "Bob:y")]
    units += [Unit("Bob", 0, 5, "z"), Unit("Bob", 10, 15, "x"), Unit("Bob", 30, 35, "y")]
    units += [Unit("Bob", 40, 45)]
    matched = LabelMatching("corpus").match({"d": Continuum.from_units(units)})
    found = matched.maps[""]
    assert found.matched == {"Bob": {"z": "x"}}
    assert found.unmatched == {"Bob": {"x": "Bob:x", "y": "Bob:y'"}}
    assert found.left_over == {"Bob": ("Bob:y",)}
    labels = [(u.annotator, u.category) for u in matched.documents["d"]]
    assert sorted(labels, key=str) == sorted(
        [("Ann", "x"), ("Ann", "Bob:y"), ("Bob", "x"), ("Bob", "Bob:x"), ("Bob", "Bob:y'"),
         ("Bob", None)], key=str,
    )  # fmt: skip
    assert set(matched.documents["d"].categories) == {"x", "Bob:x", "Bob:y", "Bob:y'"}


def test_fragments_share_only_what_they_cover() -> None:
    units = [Unit("Ann", 0, 30, "x", fragments=((0, 5), (25, 30))), Unit("Ann", 8, 20, "y")]
    units += [Unit("Bob", 6, 24, "1"), Unit("Bob", 0, 5, "2")]
    found = label_map([Continuum.from_units(units)])
    assert found.matched == {"Bob": {"1": "y", "2": "x"}}
    assert (found.shared, found.labelled) == (17, 17)


def test_a_tie_is_reported() -> None:
    units = [Unit("Ann", 0, 5, "x"), Unit("Ann", 5, 10, "y"), Unit("Bob", 0, 10, "1")]
    assert label_map([Continuum.from_units(units)]).tied == ("Bob",)
    assert "another mapping" in label_map([Continuum.from_units(units)]).describe()
    units = [Unit("Ann", 0, 6, "x"), Unit("Ann", 6, 10, "y"), Unit("Bob", 0, 10, "1")]
    assert label_map([Continuum.from_units(units)]).tied == ()


def test_scopes_differ_if_a_label_changes_its_meaning_between_documents() -> None:
    def document(one: str, two: str) -> Continuum:
        units = [Unit("Ann", 0, 5, "x"), Unit("Ann", 5, 10, "y")]
        return Continuum.from_units([*units, Unit("Bob", 0, 5, one), Unit("Bob", 5, 10, two)])

    corpus = Corpus.from_continua({"d1": document("1", "2"), "d2": document("2", "1")})
    within = gc.measure(corpus, ["f1-strict"], match_labels="document")
    assert within["f1-strict"].value == 1
    assert within.labels["d2"].matched == {"Bob": {"2": "x", "1": "y"}}
    across = gc.measure(corpus, ["f1-strict"], match_labels="corpus")
    assert across["f1-strict"].value == 0.5
    assert across.labels[""].tied == ("Bob",)


def test_all_annotators_are_mapped_onto_a_reference() -> None:
    units = [Unit("gold", 0, 5, "x"), Unit("gold", 5, 10, "y")]
    units += [Unit("s1", 0, 5, "1"), Unit("s1", 5, 10, "2")]
    units += [Unit("s2", 0, 5, "2"), Unit("s2", 5, 10, "1")]
    c = Continuum.from_units(units)
    scores = gc.measure(c, ["f1-strict"], match_labels="corpus", reference="gold")
    assert scores["f1-strict"].value == scores["f1-strict"].precision == 1
    assert scores.labels[""].matched == {
        "s1": {"1": "x", "2": "y"},
        "s2": {"2": "x", "1": "y"},
    }
    for scope in ("corpus", "document"):
        with pytest.raises(DataError, match=r"two annotators, but .* 3: gold, s1, s2") as caught:
            gc.measure(c, ["f1-strict"], match_labels=scope)
        assert "reference=" in str(caught.value.hint)
    with pytest.raises(DataError, match="'nobody' is not an annotator"):
        gc.measure(c, ["f1-strict"], match_labels="corpus", reference="nobody")
    with pytest.raises(UsageError, match="match_labels"):
        gc.measure(c, ["f1-strict"], match_labels="speaker", reference="gold")


def test_other_data_are_refused() -> None:
    with pytest.raises(UsageError, match="match_labels is for a Continuum or a Corpus"):
        gc.measure("a.csv", ["f1-strict"], match_labels="corpus")
    shapes = random_boxes(seed=1, axes=2, annotators=2, most=5)
    with pytest.raises(DataError, match="which have no length"):
        gc.measure(shapes, ["f1-strict"], match_labels="corpus")


def test_labels_without_length_are_refused() -> None:
    """Labels of points would be matched to nothing, and F₁ would be 0."""
    points = [Unit("Ann", 5, 5, "x"), Unit("Bob", 5, 5, "1"), Unit("Bob", 0, 3, "2")]
    with pytest.raises(DataError, match="all units of 'x' by Ann have length 0"):
        gc.measure(Continuum.from_units(points), ["f1-strict"], match_labels="corpus")
    units = [*points, Unit("Ann", 0, 3, "x"), Unit("Bob", 0, 3, "1")]
    assert LabelMatching("corpus").check({"d": Continuum.from_units(units)}) is None


def test_a_single_annotator_is_reported() -> None:
    matched = LabelMatching("document").match({"d": Continuum.from_units([Unit("Ann", 0, 1, "x")])})
    assert matched.maps == {}
    assert "no document has two annotators" in matched.describe()


def independent(seed: int, places: int) -> Continuum:
    """Return two annotators who give each place one of ten labels, independently."""
    rng = np.random.default_rng([7, seed])
    units = [
        Unit(a, place, place + 1, f"{a[0]}{label}")
        for a in ("Ann", "Bob")
        for place, label in enumerate(rng.integers(10, size=places).tolist())
    ]
    return Continuum.from_units(units, bounds=(0, places))


def test_random_sets_of_gamma_are_matched_too() -> None:
    """γ and γ_cat correct for chance themselves, but with random sets that are not matched."""
    names = ["gamma", "soft-gamma", "gamma-cat"]
    how: dict[str, Any] = {"chance": "fixed-positions", "samples": 12, "match_labels": "corpus"}
    plain: dict[str, list[float]] = {n: [] for n in names}
    beyond: dict[str, list[float]] = {n: [] for n in names}
    for k in range(6):
        found = gc.measure(independent(k, 25), names, beyond_chance=True, **how)
        for name in names:
            plain[name].append(found[name].value)
            beyond[name].append(found[name].beyond_chance.value)
    for name in names:
        assert np.mean(plain[name]) > 0.15, name
        assert abs(np.mean(beyond[name])) < 0.08, name
    corpus = Corpus.from_continua({f"d{k}": independent(k, 12) for k in range(5)})
    whole = gc.measure(corpus, names, beyond_chance=True, **{**how, "match_labels": "document"})
    for name in names:
        assert whole[name].value > 0.25, name
        assert whole[name].beyond_chance.value < whole[name].value - 0.2, name
        assert whole[name].beyond_chance.p > 0.02, name
        assert "match-labels=document" in whole[name].beyond_chance.signature


def test_random_sets_are_matched_before_measuring() -> None:
    """Independent labels agree after matching, but not beyond chance."""
    plain, matched, unmatched = [], [], []
    for k in range(8):
        rng = np.random.default_rng([7, k])
        units = [
            Unit(a, place, place + 1, f"{a[0]}{label}")
            for a in ("Ann", "Bob")
            for place, label in enumerate(rng.integers(10, size=30).tolist())
        ]
        data = Continuum.from_units(units, bounds=(0, 30))
        found = gc.measure(
            data, ["alpha"], match_labels="corpus", beyond_chance=True, chance="fixed-positions",
            samples=20,
        )  # fmt: skip
        by_hand = LabelMatching("corpus").match({"": data}).documents[""]
        without = gc.measure(
            by_hand, ["alpha"], beyond_chance=True, chance="fixed-positions", samples=20
        )
        plain.append(found["alpha"].value)
        matched.append(found["alpha"].beyond_chance.value)
        unmatched.append(without["alpha"].beyond_chance.value)
    assert np.mean(plain) > 0.2
    assert np.mean(unmatched) > 0.2
    assert abs(np.mean(matched)) < 0.1


@pytest.mark.slow
def test_independent_labels_are_zero_beyond_chance() -> None:
    beyond = []
    for k in range(200):
        rng = np.random.default_rng([11, k])
        units = [
            Unit(a, place, place + 1, f"{a[0]}{label}")
            for a in ("Ann", "Bob")
            for place, label in enumerate(rng.integers(10, size=60).tolist())
        ]
        found = gc.measure(
            Continuum.from_units(units, bounds=(0, 60)),
            ["alpha"], match_labels="corpus", beyond_chance=True, chance="fixed-positions",
            samples=60, seed=k,
        )  # fmt: skip
        beyond.append(found["alpha"].beyond_chance.value)
    assert abs(np.mean(beyond)) < 0.01
