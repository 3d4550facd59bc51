"""S: worked examples, the published search on boundary strings, and exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.errors import DataError, UsageError
from gammacp.segmentation import (
    EditCosts,
    Segmentation,
    Substitution,
    Transposition,
    optimal_edits,
    published_edits,
    segmentation_similarity,
    transposition_error,
)
from tests.segmentation.measures.oracles import segmentation_of_sets, sets_of

masses = Segmentation.from_masses
String = tuple[frozenset[str], ...]
Window = tuple[int, int]


def s(a: list[int], b: list[int], **options: object) -> float:
    return segmentation_similarity(masses(a), masses(b), **options).value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("a", "b", "n", "value"),
    [
        ([1, 2, 2, 3, 3, 1, 2], [1, 2, 1, 2, 6, 2], 2, 9 / 13),  # Figures 3 and 4
        ([14], [1] * 14, 2, 0),  # Figure 6
        ([1, 2, 2, 2, 4, 2, 1], [1, 2, 8, 2, 1], 2, 11 / 13),  # Figure 7
        ([6, 8], [7, 7], 2, 12 / 13),  # Figure 8
        ([1, 4, 4], [1, 2, 6], 5, 0.8125),
        ([7], [7], 2, 1),
        ([1], [1], 2, 1),
    ],
)
def test_published_values(a: list[int], b: list[int], n: int, value: float) -> None:
    assert s(a, b, n=n) == pytest.approx(value)
    assert s(b, a, n=n) == pytest.approx(value)


def test_the_edits_of_figure_4() -> None:
    edits = published_edits(masses([1, 2, 2, 3, 3, 1, 2]), masses([1, 2, 1, 2, 6, 2]))
    assert edits.transpositions == (Transposition(4, 5, "1", 2),)
    # Boundary 6 belongs to the second side, 8 and 11 to the first.
    assert edits.substitutions == (
        Substitution(6, None, "1"),
        Substitution(8, "1", None),
        Substitution(11, "1", None),
    )


def test_transposition_error() -> None:
    assert [transposition_error(n, 2) for n in (2, 3, 4, 5)] == [1, 1.5, 1.75, 1.875]
    assert transposition_error(60, 3) == pytest.approx(3)
    with pytest.raises(UsageError, match=r"te\(1, 2\)"):
        transposition_error(1, 2)


def test_weights_of_edits_by_hand() -> None:
    forgiving = EditCosts(transposition=0)
    assert s([6, 8], [7, 7], costs=forgiving) == 1
    assert s([6, 8], [9, 5], costs=forgiving) == pytest.approx(11 / 13)
    assert s([6, 8], [9, 5], n=5, costs=EditCosts(te=False)) == pytest.approx(12 / 13)
    assert s([6, 8], [14], costs=EditCosts(substitution=0.5)) == pytest.approx(12.5 / 13)
    with pytest.raises(UsageError, match="substitution weight 2"):
        EditCosts(substitution=2)


def test_transpositions_can_be_switched_off() -> None:
    assert s([6, 8], [7, 7], n=1) == pytest.approx(11 / 13)
    with pytest.raises(UsageError, match="n 0 < 1"):
        s([6, 8], [7, 7], n=0)


def test_the_published_search_can_be_harmful() -> None:
    # 110 and 011 are mirror images: te(3, 4) = 3.75, while two full misses cost 2.
    a, b = masses([1, 1, 2]), masses([2, 1, 1])
    published = segmentation_similarity(a, b, n=3)
    assert published.distance == 3.75
    assert published.value == pytest.approx(-0.25)
    assert published.warning is not None
    assert "3.75" in published.warning
    optimal = segmentation_similarity(a, b, n=3, search="optimal")
    assert optimal.value == pytest.approx(1 / 3)
    assert optimal.warning is None
    assert segmentation_similarity(a, b, n=2).warning is None


def test_several_types() -> None:
    # In the notation of figure 3, with sets of types, one type for another is one substitution.
    a = segmentation_of_sets([{"1"}, {"2"}, set(), {"1"}], types=["1", "2"])
    b = segmentation_of_sets([{"2"}, {"2"}, {"1"}, set()], types=["1", "2"])
    similarity = segmentation_similarity(a, b)
    assert similarity.edits.substitutions == (Substitution(1, "1", "2"),)
    assert similarity.edits.transpositions == (Transposition(3, 4, "1", 2),)
    assert similarity.value == pytest.approx((2 * 4 - 2) / (2 * 4))  # PB = t·mass − t


def test_bad_pairs() -> None:
    with pytest.raises(DataError, match="masses 4 and 5"):
        s([4], [5])
    other = Segmentation.from_typed({}, mass=4, types=["x"])
    with pytest.raises(DataError, match="boundary types 1 and x differ"):
        segmentation_similarity(masses([4]), other)


def windows(a: String, b: String, kind: str, width: int) -> list[tuple[Window, int]]:
    """Return the mirrored windows of boundary strings, as described in the paper."""
    all_windows = []
    for i in range(len(a) - width + 1):
        one = [kind in x for x in a[i : i + width]]
        two = [kind in x for x in b[i : i + width]]
        if one != two and one[::-1] == two and (two[0] or two[-1]):
            all_windows.append(((i, i + width - 1), sum(one) + sum(two)))
    return all_windows


def overlap(v: Window, w: Window) -> bool:
    return v[0] <= w[1] and w[0] <= v[1]


def cost(a: String, b: String, chosen: dict[str, list[tuple[Window, int]]]) -> float:
    """Return te of each window, plus the larger number of remaining types at each place."""
    total = sum(
        transposition_error(w[1] - w[0] + 1, n)
        for windows_of_type in chosen.values()
        for w, n in windows_of_type
    )
    for i, (one, two) in enumerate(zip(a, b, strict=True)):
        remaining = [
            {kind for kind in side if not any(w[0] <= i <= w[1] for w, _ in chosen.get(kind, []))}
            for side in (one - two, two - one)
        ]
        total += max(map(len, remaining))
    return total


def search(a: String, b: String, n: int, kinds: list[str]) -> float:
    """Run the published search step by step."""
    chosen: dict[str, list[tuple[Window, int]]] = {kind: [] for kind in kinds}
    for kind in kinds:
        windows_of_type = chosen[kind]
        for width in range(2, n + 1):
            for window, size in windows(a, b, kind, width):
                old = [v for v in windows_of_type if overlap(v[0], window)]
                if size > sum(m for _, m in old):
                    for v in old:
                        windows_of_type.remove(v)
                    windows_of_type.append((window, size))
    return cost(a, b, chosen)


def subsets(candidates: list[tuple[Window, int]]) -> Iterator[list[tuple[Window, int]]]:
    if not candidates:
        yield []
        return
    first, rest = candidates[0], candidates[1:]
    yield from subsets(rest)
    for chosen in subsets([v for v in rest if not overlap(v[0], first[0])]):
        yield [first, *chosen]


def exhaustive(a: String, b: String, n: int, kinds: list[str]) -> float:
    """Return the cost of the cheapest set of windows without overlap within a type."""
    options = [
        list(subsets([w for width in range(2, n + 1) for w in windows(a, b, kind, width)]))
        for kind in kinds
    ]
    return min(cost(a, b, dict(zip(kinds, chosen, strict=True))) for chosen in product(*options))


def check(a: Segmentation, b: Segmentation, n: int) -> None:
    strings = sets_of(a), sets_of(b)
    kinds = list(a.types)
    similarity = segmentation_similarity(a, b, n=n)
    assert similarity.distance == pytest.approx(search(*strings, n, kinds))
    best = exhaustive(*strings, n, kinds)
    assert EditCosts().of(optimal_edits(a, b, n=n)) == pytest.approx(best)
    assert similarity.optimal_distance == pytest.approx(best)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 8), st.integers(2, 7))
def test_against_exhaustive_search(data: st.DataObject, mass: int, n: int) -> None:
    places = st.lists(st.booleans(), min_size=mass - 1, max_size=mass - 1)
    strings = ["".join("01"[x] for x in data.draw(places)) for _ in range(2)]
    a, b = (Segmentation.from_string(x) for x in strings)
    check(a, b, n)


def test_every_pair_of_six_potential_boundaries() -> None:
    every = [Segmentation.from_string("".join(x)) for x in product("01", repeat=6)]
    for i, a in enumerate(every):
        for b in every[i::7]:
            check(a, b, 4)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 6), st.integers(2, 4))
def test_several_types_against_exhaustive_search(data: st.DataObject, mass: int, n: int) -> None:
    string = st.lists(st.sets(st.sampled_from("xyz")), min_size=mass - 1, max_size=mass - 1)
    a, b = (segmentation_of_sets(data.draw(string), types="xyz") for _ in range(2))
    check(a, b, n)


def test_a_thousand_random_pairs_equal_the_exhaustive_search() -> None:
    rng = np.random.default_rng(2012)
    for _ in range(1000):
        mass = int(rng.integers(2, 40))
        rate = rng.uniform(0.05, 0.6)
        a, b = (
            Segmentation.from_positions((np.flatnonzero(x) + 1).tolist(), mass=mass)
            for x in rng.random((2, mass - 1)) < rate
        )
        n = int(rng.integers(2, 7))
        similarity = segmentation_similarity(a, b, n=n)
        assert similarity.distance == segmentation_similarity(b, a, n=n).distance
        assert (similarity.value == 1) == (a == b)
        assert similarity.optimal_distance <= similarity.distance + 1e-9
        if n == 2:
            assert EditCosts().of(optimal_edits(a, b)) == similarity.distance


def test_the_mass_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    places = np.unique(rng.integers(1, 10**12 - 1, 400))
    a = Segmentation.from_positions(places[:300].tolist(), mass=10**12)
    b = Segmentation.from_positions((places[100:] + 1).tolist(), mass=10**12)
    assert segmentation_similarity(a, b).edits.near == 200
