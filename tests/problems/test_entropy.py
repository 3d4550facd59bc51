"""Entropy, against every partition, the arithmetic of the 2011 paper, and its invariants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.alignment import Status
from gammacp.continuum import Continuum, Unit
from gammacp.dissimilarity import bind, unit_columns
from gammacp.errors import DataError
from gammacp.problems.entropy import DISSIMILARITY_2011, agreement, best_entropy

Spans = list[tuple[int, int, str]]
spans = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from("ab")), min_size=0, max_size=3
)


def _continuum(annotators: list[Spans]) -> Continuum:
    units = [
        Unit(f"{a}", start, start + length, category)
        for a, mine in enumerate(annotators)
        for start, length, category in mine
    ]
    return Continuum.from_units(units, annotators=[f"{a}" for a in range(len(annotators))])


def _drawn(seed: int, n_units: int, length: int, longest: int) -> Continuum:
    rng = np.random.default_rng(seed)
    drawn = rng.integers((0, 2, 0), (length, longest, 2), (3, n_units, 3)).tolist()
    return _continuum([[(s, n, "ab"[k]) for s, n, k in mine] for mine in drawn])


def _partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            for more in _partitions([r for r in rest if r not in others]):
                yield [[first, *others], *more]


def _least_mean(c: Continuum) -> float:
    """Return the least mean entropy of all partitions into transversals (2011, eqs. 5–6)."""
    units = unit_columns(c)
    d = bind(DISSIMILARITY_2011, c).pairwise(units[:, None], units[None, :])
    pairs = c.n_annotators * (c.n_annotators - 1) / 2
    best = np.inf
    for partition in _partitions(list(range(c.n_units))):
        entropies = []
        for group in partition:
            owners = [int(c.annotator_codes[u]) for u in group]
            if len(set(owners)) < len(owners):
                break
            real = [float(d[u, v]) for u, v in itertools.combinations(group, 2)]
            entropies.append((sum(real) + 4.0 * (pairs - len(real))) / pairs)
        else:
            best = min(best, float(np.mean(entropies)))
    return best


@settings(max_examples=40, deadline=None)
@given(st.lists(spans, min_size=2, max_size=3).filter(lambda a: 0 < sum(map(len, a)) <= 7))
def test_entropy_is_the_least_mean_over_all_partitions(annotators: list[Spans]) -> None:
    c = _continuum(annotators)
    found = best_entropy(c)
    assert found.entropy == pytest.approx(_least_mean(c), abs=1e-9)
    assert found.status is Status.OPTIMAL
    assert found.bound == found.entropy
    assert best_entropy(c, method="greedy").entropy >= found.entropy - 1e-9


def test_identical_annotators_have_no_entropy_and_unrelated_ones_the_most() -> None:
    mine = [(0, 5, "a"), (10, 3, "b")]
    assert best_entropy(_continuum([mine, mine, mine])).entropy == 0
    assert best_entropy(_continuum([mine, [(100, 5, "a")], [(200, 5, "a")]])).entropy == 4


def test_categories_are_never_mixed() -> None:
    assert best_entropy(_continuum([[(0, 5, "a")], [(0, 5, "b")]])).entropy == 4


def test_a_doubled_continuum_has_the_same_entropy() -> None:
    once: list[Spans] = [
        [(0, 5, "a"), (9, 4, "b")],
        [(1, 5, "a")],
        [(0, 6, "a"), (10, 4, "b")],
    ]
    twice = [[*mine, *((s + 1000, n, c) for s, n, c in mine)] for mine in once]
    entropy = best_entropy(_continuum(once)).entropy
    assert best_entropy(_continuum(twice)).entropy == pytest.approx(entropy)


def test_omissions_cost_what_their_pairs_cost() -> None:
    # Of three annotators none missing costs 0, one missing 2/3·Δ, two missing Δ (2011, eq. 5).
    all_three: Spans = [(0, 5, "a"), (100, 5, "a"), (200, 5, "a")]
    c = _continuum([all_three, all_three[:2], all_three[:1]])
    assert best_entropy(c).entropy == pytest.approx((0 + 8 / 3 + 4) / 3)


@pytest.mark.parametrize("method", ["cpsat", "milp"])
def test_back_ends_agree(method: str) -> None:
    c = _drawn(3, 12, 80, 9)
    assert best_entropy(c, method=method).entropy == pytest.approx(best_entropy(c).entropy)


def test_the_greedy_alignment_is_no_proof() -> None:
    found = best_entropy(_continuum([[(0, 5, "a")], [(1, 5, "a")]]), method="greedy")
    assert found.status is Status.FEASIBLE
    assert found.bound == 0


def test_a_time_limit_leaves_a_bound() -> None:
    c = _drawn(5, 40, 200, 40)
    limited, best = best_entropy(c, time_limit=1e-3), best_entropy(c)
    assert limited.bound <= best.entropy <= limited.entropy + 1e-9


def test_one_annotator_is_refused() -> None:
    with pytest.raises(DataError, match="annotator"):
        best_entropy(_continuum([[(0, 5, "a")]]))


@pytest.mark.parametrize(
    ("observed", "chance", "printed"), [(3.44, 3.76, 0.09), (2.18, 3.76, 0.42), (2.18, 3.48, 0.37)]
)
def test_agreement_of_table_3(observed: float, chance: float, printed: float) -> None:
    assert agreement(observed, chance) == pytest.approx(printed, abs=0.005)


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_a_bound_at_the_time_limit_holds(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """If time is up at the first, second or third look, that many iterations give a valid bound."""
    iterations = set()
    for seed in range(6):
        c = _drawn(seed, 12, 60, 12)
        exact = best_entropy(c)
        left = iter([False] * (looks - 1))
        with monkeypatch.context() as patch:
            patch.setattr("gammacp.problems.entropy.due", lambda _, left=left: next(left, True))
            found = best_entropy(c, time_limit=1000)
        assert found.bound <= exact.entropy + 1e-9
        assert exact.entropy <= found.entropy + 1e-9
        iterations.add(found.iterations)
    assert max(iterations) == looks
