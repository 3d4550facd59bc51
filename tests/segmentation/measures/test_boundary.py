"""B, and precision, recall and F₁ of boundaries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.base.arrays import Floats
from gammacp.dissimilarity import Matrix
from gammacp.errors import UsageError
from gammacp.segmentation import (
    Codings,
    CorrectedSimilarity,
    Criterion,
    EditCosts,
    EditSearch,
    Segmentation,
    Substitution,
    Transposition,
    boundary_similarity,
    pairwise,
)
from gammacp.segmentation.measures.rows import compare_rows
from tests.segmentation.measures.oracles import segmentation_of_sets

masses = Segmentation.from_masses


def against_reference(a: Segmentation, b: Segmentation, n: int = 2) -> Mapping[str, float]:
    """Return the values of the hypothesis b against the reference a."""
    both = Codings.of({"t": {"a": a, "b": b}})
    return pairwise(both, comparison=Criterion(n=n))[0].values


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ([2, 3, 6], [5, 6], 0.5),
        ([2, 3, 6], [2, 3, 3, 3], 2 / 3),
        ([2, 3, 6], [2, 2, 7], 0.75),
        ([5, 6], [11], 0),
        ([11], [11], 1),
    ],
)
def test_published_values(a: list[int], b: list[int], value: float) -> None:
    assert boundary_similarity(masses(a), masses(b)).value == pytest.approx(value)
    assert boundary_similarity(masses(b), masses(a)).value == pytest.approx(value)


@pytest.mark.slow
def test_wider_transpositions_cost_more() -> None:
    a, b = masses([2, 9]), masses([4, 7])
    assert boundary_similarity(a, b, n_t=2).value == 0
    assert boundary_similarity(a, b, n_t=3).value == pytest.approx(1 - 2 / 3)
    assert boundary_similarity(a, b, n_t=8).value == pytest.approx(1 - 2 / 8)
    moved = boundary_similarity(a, b, n_t=3)
    assert moved.edits.transpositions == (Transposition(2, 4, "1", 2),)
    assert boundary_similarity(a, b, n_t=3, costs=EditCosts(transposition=0)).value == 1


def test_types_and_substitutions() -> None:
    types = ["low", "mid", "high"]
    a = Segmentation.from_typed({"low": [3], "mid": [5]}, mass=9, types=types)
    b = Segmentation.from_typed({"high": [3], "mid": [5, 7]}, mass=9, types=types)
    similarity = boundary_similarity(a, b)
    assert similarity.edits.substitutions == (
        Substitution(3, "low", "high"),
        Substitution(7, None, "mid"),
    )
    assert similarity.value == pytest.approx(1 - 2 / 3)  # one match
    # As in segeval 2, the cost is the difference in rank over the number of types (1 and 3 of 3).
    ranks = Matrix(tuple(types), np.abs(np.subtract.outer(range(3), range(3))) / 3)
    ranked = boundary_similarity(a, b, categorial=ranks)
    assert ranked.value == pytest.approx(1 - (1 + 2 / 3) / 3)
    row = against_reference(a, b)
    assert row["precision"] == pytest.approx(1 / 3)
    assert row["recall"] == pytest.approx(1 / 2)


def test_two_swapped_types_are_two_substitutions() -> None:
    a = segmentation_of_sets([{"x"}, {"y"}], types="xy")
    b = segmentation_of_sets([{"y"}, {"x"}], types="xy")
    assert len(boundary_similarity(a, b).edits.substitutions) == 2


def test_reference_and_hypothesis_are_not_confused() -> None:
    reference, hypothesis = masses([2, 3, 6]), masses([5, 2, 2, 2])
    row = against_reference(reference, hypothesis)
    assert row["precision"] == pytest.approx(1 / 3)
    assert row["recall"] == pytest.approx(1 / 2)
    assert row["f"] == pytest.approx(0.4)
    assert math.isnan(against_reference(reference, masses([11]))["precision"])
    assert against_reference(reference, masses([11]))["recall"] == 0


def test_f_is_0_if_one_side_has_no_boundaries_and_undefined_if_both_have_none() -> None:
    some, none = masses([2, 3, 6]), masses([11])
    assert against_reference(some, none)["f"] == 0
    assert against_reference(none, some)["f"] == 0
    assert math.isnan(against_reference(none, none)["f"])
    assert math.isnan(against_reference(none, some)["recall"])


def test_a_near_miss_is_part_of_a_match() -> None:
    row = against_reference(masses([2, 3, 6]), masses([2, 5, 4]), n=4)
    assert row["f"] == 1
    near = masses([2, 9]), masses([3, 8])
    assert against_reference(*near)["f"] == 1
    assert against_reference(*near, n=1)["f"] == 0


@settings(max_examples=80, deadline=None)
@given(st.data(), st.integers(2, 25), st.integers(2, 5))
def test_boundary_similarity_is_symmetric_and_bounded(
    data: st.DataObject, mass: int, n_t: int
) -> None:
    places = st.sets(st.integers(1, mass - 1))
    a, b = (Segmentation.from_positions(data.draw(places), mass=mass) for _ in range(2))
    similarity = boundary_similarity(a, b, n_t=n_t)
    assert similarity.value == boundary_similarity(b, a, n_t=n_t).value
    assert 0 <= similarity.value <= 1
    assert (similarity.value == 1) == (a == b)
    # Every boundary is in exactly one match or edit.
    placed = (
        2 * sum(similarity.matches.values()) + similarity.edits.full + 2 * similarity.edits.near
    )
    assert placed == a.n_boundaries + b.n_boundaries


def best_by_hand(
    a: Segmentation,
    b: Segmentation,
    n_t: int,
    w: float,
    apart: Floats | None = None,
    alone: Floats | None = None,
) -> float:
    """Return the largest B over all pairings of unmatched boundaries, crossing or not."""
    size = len(a.types)
    apart = 1 - np.eye(size) if apart is None else apart
    alone = np.ones(size) if alone is None else alone
    one, other = (
        {(p, c) for p, c in zip(s.positions.tolist(), s.type_codes.tolist(), strict=True)}
        for s in (a, b)
    )
    matches, only_first, only_second = len(one & other), sorted(one - other), sorted(other - one)

    def least(i: int, free: frozenset[int], penalty: float, pairs: int) -> float:
        if i == len(only_first):
            total = len(only_first) + len(only_second) - pairs + matches
            rest = sum(alone[only_second[j][1]] for j in free)
            return (penalty + rest) / total if total else 0.0
        place, code = only_first[i]
        values = [least(i + 1, free, penalty + alone[code], pairs)]
        for j in free:
            position, kind = only_second[j]
            moved = w * abs(place - position) / n_t * (alone[code] + alone[kind]) / 2
            cost = min(1.0, apart[code, kind] + moved)
            if place == position or (apart[code, kind] < 1 and abs(place - position) < n_t):
                values.append(least(i + 1, free - {j}, penalty + cost, pairs + 1))
        return min(values)

    return 1 - least(0, frozenset(range(len(only_second))), 0.0, 0)


def mirror(s: Segmentation) -> Segmentation:
    places = {name: [s.mass - p for p in s.of_type(name)] for name in s.types}
    return Segmentation.from_typed(places, mass=s.mass, types=s.types)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 5), st.sampled_from([1.0, 0.5]))
def test_optimal_edits_maximise_b(data: st.DataObject, n_t: int, w: float) -> None:
    mass = data.draw(st.integers(1, 9))
    places = st.sets(st.integers(1, mass - 1)) if mass > 1 else st.just(set[int]())
    a, b = (Segmentation.from_positions(data.draw(places), mass=mass) for _ in range(2))
    similarity = boundary_similarity(
        a, b, n_t=n_t, costs=EditCosts(transposition=w), search="optimal"
    )
    assert similarity.value == pytest.approx(best_by_hand(a, b, n_t, w), abs=1e-12)
    for one, other in ((b, a), (mirror(a), mirror(b))):
        same = boundary_similarity(
            one, other, n_t=n_t, costs=EditCosts(transposition=w), search="optimal"
        )
        assert same.value == pytest.approx(similarity.value, abs=1e-15)
    published = boundary_similarity(a, b, n_t=n_t, costs=EditCosts(transposition=w))
    assert published.value <= similarity.value + 1e-12
    assert similarity.matches == published.matches
    if n_t == 2:
        assert published.value == pytest.approx(similarity.value)
    for b_of in (published, similarity):
        moved = [t.end - t.start for t in b_of.edits.transpositions]
        assert (b_of.full, b_of.near) == (b_of.edits.full, b_of.edits.near)
        assert b_of.penalty == pytest.approx(b_of.full + w * sum(moved) / n_t)
        assert max(moved, default=0) < n_t
    search = {EditSearch.PUBLISHED: published, EditSearch.OPTIMAL: similarity}
    for chosen, want in search.items():
        comparison = Criterion(
            basis=CorrectedSimilarity.B, n=n_t, costs=EditCosts(transposition=w), search=chosen
        )
        pairs = compare_rows(Codings.of({"i": {"a": a, "b": b}}).rows(), comparison)
        assert pairs.values["b"][0, 0] == pytest.approx(want.value)
        assert pairs.suboptimal[0] == (want.value < similarity.value - 1e-9)


KINDS = {
    "nominal": ("nominal", 1 - np.eye(3), np.ones(3)),
    "ordinal": ("ordinal", np.abs(np.subtract.outer(range(3), range(3))) / 2, np.ones(3)),
    # "x" is easily missed and "z" never; "y" and "z" are nearly the same.
    "matrix": (
        Matrix(
            ("", "x", "y", "z"),
            np.array([[0, 0.4, 0.8, 1], [0.4, 0, 0.7, 1], [0.8, 0.7, 0, 0.1], [1, 1, 0.1, 0]]),
        ),
        np.array([[0, 0.7, 1], [0.7, 0, 0.1], [1, 0.1, 0]]),
        np.array([0.4, 0.8, 1]),
    ),
}


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 5), st.sampled_from(sorted(KINDS)), st.sampled_from([1.0, 0.5]))
def test_optimal_edits_of_several_types(data: st.DataObject, n_t: int, kind: str, w: float) -> None:
    mass = data.draw(st.integers(1, 7))
    at = st.tuples(st.sampled_from("xyz"), st.integers(1, max(1, mass - 1)))
    sides = []
    for _ in range(2):
        drawn = data.draw(st.sets(at, max_size=5)) if mass > 1 else set()
        by_type = {name: sorted(p for t, p in drawn if t == name) for name in "xyz"}
        sides.append(Segmentation.from_typed(by_type, mass=mass, types="xyz"))
    a, b = sides
    choice, apart, alone = KINDS[kind]
    costs = EditCosts(transposition=w)
    how: dict[str, Any] = {"n_t": n_t, "costs": costs, "categorial": choice}
    similarity = boundary_similarity(a, b, **how, search="optimal")
    assert similarity.value == pytest.approx(best_by_hand(a, b, n_t, w, apart, alone), abs=1e-12)
    for one, other in ((b, a), (mirror(a), mirror(b))):
        same = boundary_similarity(one, other, **how, search="optimal")
        assert same.value == pytest.approx(similarity.value, abs=1e-12)
    published = boundary_similarity(a, b, **how)
    assert 0 <= published.value <= similarity.value + 1e-12
    assert (
        1 - published.least
        == pytest.approx(similarity.value)
        == pytest.approx(1 - similarity.least)
    )
    placed = 2 * sum(similarity.matches.values()) + 2 * similarity.near
    placed += sum(
        (e.first is not None) + (e.second is not None) for e in similarity.edits.substitutions
    )
    assert placed == a.n_boundaries + b.n_boundaries


def test_near_misses_between_confusable_types() -> None:
    a, b = (Segmentation.from_typed({t: [p]}, mass=9, types="xyz") for t, p in (("y", 3), ("z", 4)))
    matrix = KINDS["matrix"][0]
    assert boundary_similarity(a, b, categorial=matrix).value == pytest.approx(1 - (0.8 + 1) / 2)
    similarity = boundary_similarity(a, b, categorial=matrix, search="optimal")
    assert similarity.edits.transpositions == (Transposition(3, 4, "y", 2, "z"),)
    assert similarity.value == pytest.approx(1 - (0.1 + 0.5 * 0.9))
    # One type is easily missed and the other is not: two additions cost .4 and .8 of two.
    a, b = (Segmentation.from_typed({t: [p]}, mass=9, types="xyz") for t, p in (("x", 3), ("y", 8)))
    assert boundary_similarity(a, b, categorial=matrix).value == pytest.approx(1 - 1.2 / 2)


def test_types_of_a_corpus() -> None:
    a, b = (Segmentation.from_typed({t: [p]}, mass=9, types="xyz") for t, p in (("y", 3), ("z", 4)))
    rows = Codings.of({"i": {"a": a, "b": b}}).rows()
    matrix = KINDS["matrix"][0]
    how: dict[str, Any] = {"basis": CorrectedSimilarity.B, "categorial": matrix}
    published = compare_rows(rows, Criterion(**how))
    assert published.values["b"][0, 0] == pytest.approx(0.1)
    assert published.suboptimal[0]
    best = compare_rows(rows, Criterion(**how, search=EditSearch.OPTIMAL))
    assert best.values["b"][0, 0] == pytest.approx(0.45)
    assert best.values["f"][0, 0] == 0  # no boundary of one type is found
    assert "types:matrix(" in best.comparison.signature_of("b")
    with pytest.raises(UsageError, match="categorial compares boundary types"):
        Criterion(categorial="ordinal")
    with pytest.raises(UsageError, match="there is only one"):
        compare_rows(Codings.of({"i": {"a": masses([2, 3])}}).rows(), Criterion(**how))


def test_published_search_depends_on_the_direction_and_optimal_search_does_not() -> None:
    # From the left, 1-2 is paired first and 3-5 is left; from the right 3-2, and 1 and 5 stay
    # alone.
    a, b = (Segmentation.from_positions(p, mass=6) for p in ([1, 3], [2, 5]))
    for search, forwards, backwards in (("published", 1 / 2, 2 / 9), ("optimal", 1 / 2, 1 / 2)):
        assert boundary_similarity(a, b, n_t=3, search=search).value == pytest.approx(forwards)
        mirrored = boundary_similarity(mirror(a), mirror(b), n_t=3, search=search)
        assert mirrored.value == pytest.approx(backwards)
