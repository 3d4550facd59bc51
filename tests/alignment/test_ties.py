"""Ties: every exact solver shows the same alignment, the first in the documented order."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Combined, Continuum, Unit, align
from gammacp.alignment import best_groups, ties_of_two
from gammacp.alignment.candidates import build_problem, position_ranks
from gammacp.alignment.columns import all_columns, to_columns
from gammacp.alignment.duals.lp import relax
from gammacp.alignment.limits import Limits, Ties
from gammacp.alignment.presolve.presolve import Presolve, Presolved
from gammacp.alignment.problem import Solution, Status
from gammacp.alignment.proof.components import Components
from gammacp.alignment.solvers.generation import Generated, Generation, conclude, generate
from gammacp.alignment.ties import break_ties, sort_groups
from gammacp.base.arrays import Floats
from gammacp.dissimilarity import bind, unit_columns
from gammacp.dissimilarity.base import UnitColumns
from gammacp.measures.gamma_cat import aligned_pairs, gamma_cat
from gammacp.testing import continua
from tests.alignment.continua import random_continuum
from tests.alignment.pairs import pairs

Groups = tuple[tuple[int, ...], ...]
FEW = settings(max_examples=25, deadline=None)


def partitions(units: tuple[int, ...], annotator: list[int]) -> Iterator[Groups]:
    """Yield all partitions into transversals, straight from the definition."""
    if not units:
        yield ()
        return
    first, rest = units[0], units[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            group = (first, *others)
            if len({annotator[u] for u in group}) < len(group):
                continue
            left = tuple(u for u in rest if u not in others)
            for more in partitions(left, annotator):
                yield (group, *more)


def best_by_definition(continuum: Continuum) -> tuple[float, int, float]:
    """Return (disorder, groups, Σ d_cat) of the first best partition, from the paper's formulas."""
    n = continuum.n_annotators
    bound = bind(Combined(), continuum)
    units = unit_columns(continuum)
    d = bound.pairwise(units[:, None], units[None, :])
    cat = bound.categorial_part(units[:, None], units[None, :])  # type: ignore[attr-defined]
    n_pairs = n * (n - 1) // 2
    results = []
    for groups in partitions(tuple(range(continuum.n_units)), continuum.annotator_codes.tolist()):
        inside = [pair for group in groups for pair in combinations(group, 2)]
        disorder = sum(d[i, j] for i, j in inside) + len(groups) * n_pairs - len(inside)
        results.append((disorder, len(groups), sum(cat[i, j] for i, j in inside)))
    least = min(results)[0]
    tied = [(g, c) for disorder, g, c in results if disorder <= least + 1e-9]
    return (least / n_pairs / continuum.mean_units, *min(tied))


@FEW
@given(continua(n_annotators=(2, 4), n_units=(1, 7), last=6))
def test_ties_go_to_the_fewest_groups_then_to_the_least_category_cost(continuum: Continuum) -> None:
    disorder, n_groups, category = best_by_definition(continuum)
    a = align(continuum)
    assert a.disorder == pytest.approx(disorder, abs=1e-9)
    assert len(a) == n_groups
    costs = sum(p.categorial for p in pairs(a) if p.first and p.second)
    assert costs == pytest.approx(category, abs=1e-9)


@FEW
@given(continua(n_annotators=(2, 4), n_units=(1, 11), last=8), st.booleans())
def test_every_exact_back_end_shows_the_same(continuum: Continuum, cover: bool) -> None:
    if continuum.n_annotators > 2:
        methods = ["auto", "enumeration", "generation", "cpsat"]
    else:
        methods = ["auto", "bipartite", "generation", "cpsat"]
    first = align(continuum, method="brute", cover=cover)
    for method in methods:
        assert np.array_equal(align(continuum, method=method, cover=cover).groups, first.groups)


@st.composite
def crowded(draw: st.DrawFn) -> Continuum:
    """Draw few places and labels and many duplicate units, so that merging pays."""
    n = draw(st.integers(2, 3))
    spans = st.tuples(st.integers(0, 3), st.integers(1, 2), st.sampled_from("xyz"))
    units = []
    for a in range(n):
        for start, length, category in draw(st.lists(spans, min_size=1, max_size=3)):
            times = draw(st.integers(1, 4))
            units += [Unit("ABC"[a], start, start + length, category)] * times
    return Continuum.from_units(units, annotators="ABC"[:n], categories="xyz")


def category_disorder(continuum: Continuum, method: str = "auto") -> float:
    """Return δ_cat of γ_cat, which depends on the best alignment that is chosen."""
    groups = align(continuum, method=method).groups
    return aligned_pairs(continuum, groups, Combined().bind(continuum)).disorder(None)


@FEW
@given(crowded())
def test_merged_units_are_aligned_as_if_unmerged(continuum: Continuum) -> None:
    bound = bind(Combined(), continuum)
    whole = align(continuum, tuning=[Presolve(merged=0.0)])
    merged = align(continuum, tuning=[Presolve(merged=2.0)])
    assert merged.status == whole.status == "optimal"
    assert merged.disorder == pytest.approx(whole.disorder, abs=1e-9)
    assert np.array_equal(merged.groups, whole.groups)
    groups = best_groups(continuum, bound, ties=True).groups
    assert np.array_equal(sort_groups(position_ranks(continuum), groups), whole.groups)


@FEW
@given(crowded(), st.permutations("ABC"), st.permutations("xyz"))
def test_renaming_changes_nothing(
    continuum: Continuum, annotators: list[str], categories: list[str]
) -> None:
    name = dict(zip("ABC", annotators, strict=True)) | dict(zip("xyz", categories, strict=True))
    renamed = Continuum.from_units(
        [Unit(name[u.annotator], u.start, u.end, name[str(u.category)]) for u in continuum]
    )
    before = category_disorder(continuum)
    assert category_disorder(renamed) == pytest.approx(before, abs=1e-9, nan_ok=True)
    every_unit = align(renamed, tuning=[Components(nodes=0), Presolve(merged=0.0)])
    again = aligned_pairs(renamed, every_unit.groups, Combined().bind(renamed)).disorder(None)
    assert again == pytest.approx(before, abs=1e-9, nan_ok=True)


@settings(max_examples=8, deadline=None)
@given(crowded(), st.permutations("ABC"), st.permutations("xyz"))
def test_gamma_cat_depends_on_neither_back_end_nor_names(
    continuum: Continuum, annotators: list[str], categories: list[str]
) -> None:
    """γ_cat depends neither on the solver nor on names; its random sets are full of ties."""
    name = dict(zip("ABC", annotators, strict=True)) | dict(zip("xyz", categories, strict=True))
    renamed = Continuum.from_units(
        [Unit(name[u.annotator], u.start, u.end, name[str(u.category)]) for u in continuum]
    )
    first = gamma_cat(continuum, samples=3)
    for c, method in ((continuum, "cpsat"), (continuum, "generation"), (renamed, "auto")):
        other = gamma_cat(c, samples=3, method=method)
        assert other.value == pytest.approx(first.value, abs=1e-9, nan_ok=True)
        assert other.expected == pytest.approx(first.expected, abs=1e-9)


@FEW
@given(continua(n_annotators=2, n_units=(2, 8), categories=("a", "b"), last=3))
def test_two_annotators_with_ties_everywhere(continuum: Continuum) -> None:
    """The certificate of a matching leaves no best alignment out.

    Units at few places with few labels have ties everywhere; brute force and the definition agree.
    """
    a = align(continuum, method="bipartite")
    assert np.array_equal(a.groups, align(continuum, method="brute").groups)
    # Both methods break ties by that certificate, so the definition is checked too.
    _, n_groups, category = best_by_definition(continuum)
    costs = sum(p.categorial for p in pairs(a) if p.first and p.second)
    assert (len(a), costs) == (n_groups, pytest.approx(category, abs=1e-9))


@dataclass(frozen=True)
class Twice:
    """Dissimilarity at which a pair costs as much as leaving both units alone."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.full(np.broadcast_shapes(u.start.shape, v.start.shape), 2.0)


@pytest.mark.parametrize("method", ["bipartite", "cpsat", "milp", "brute"])
def test_pairs_that_gain_nothing_are_aligned(method: str) -> None:
    """Two annotators' units at d = 2Δ are aligned.

    One group or two cost the same, and the fewest groups come first.
    """
    continuum = Continuum.from_units([Unit("A", 0, 1, None), Unit("B", 5, 6, None)])
    a = align(continuum, Twice(), method=method)
    assert len(a) == 1
    assert a.disorder == 2


@pytest.mark.slow
def test_ties_too_many_to_search_are_broken_the_same_way() -> None:
    """With no nodes to search, CP-SAT finds the same first alignment."""
    for seed in range(24):
        continuum = random_continuum(100 + seed, 2 + seed % 4, 9 + seed % 4)
        best = align(continuum)
        shown = align(continuum, tuning=[Components(nodes=0)])
        assert shown.status == "optimal"
        assert np.array_equal(shown.groups, best.groups), seed


def test_groups_come_in_order_of_position() -> None:
    from gammacp.alignment import build_problem

    continuum = random_continuum(3, 3, 20)
    problem = build_problem(continuum, bind(Combined(), continuum))
    groups = align(continuum).groups
    assert np.array_equal(groups, sort_groups(problem.ranks, groups[::-1]))


@pytest.mark.parametrize("seed", [1, 9, 21, 47, 51])
def test_a_proof_with_a_gap_within_its_slack_shows_the_same(seed: int) -> None:
    """A proof within its slack shows the same alignment as an exact one.

    As for crowds, prices are a little too high and only the alignment's own columns are known.
    """
    rng = np.random.default_rng(seed)
    continuum = Continuum.from_units(
        Unit("ABCD"[a], start, start + 2, "x")
        for a in range(3 + seed % 2)
        for start in rng.integers(0, 5, 3).tolist()
    )
    bound = bind(Combined(), continuum)
    problem, limits = build_problem(continuum, bound), Limits()
    groups = generate(problem, limits, np.inf).groups
    price = relax(problem.n_units, all_columns(problem)).price
    price += 0.5 * problem.slack / problem.n_units
    columns = to_columns(problem, groups)
    state = Generated(columns, price, groups, float(columns.gain.sum()), float(price.sum()))

    def shown(limits: Limits) -> Solution:
        found = conclude(problem, state, limits, np.inf)
        assert found.status == "optimal"
        return break_ties(continuum, bound, Presolved(found, problem), limits)

    broken = shown(limits)
    first = align(continuum, method="brute")
    assert first.first
    assert broken.first
    assert np.array_equal(sort_groups(position_ranks(continuum), broken.groups), first.groups)
    # With more rivals than may be listed, one of them is shown and not called the first.
    assert not shown(Limits(tuning=[Generation(listed=5)])).first


def test_ties_without_end_are_left_unbroken_and_reported():
    units = np.arange(21)
    starts = 10.0 * (units % 3)
    alike = Continuum.from_codes(
        tuple("ABCDEFG"), ("a",), starts, starts + 5, units // 3, np.zeros(21, np.int64)
    )
    quick = [Ties(steps=1e6), Presolve(merged=0.0)]
    found = align(alike, Combined(alpha=0), tuning=quick)
    assert found.status is Status.OPTIMAL
    assert found.disorder == 0
    assert not found.first
    assert found.notes == (
        "another alignment may be as good: ties are not broken in the time, or too many",
    )


@pytest.mark.parametrize("seed", range(12))
def test_cycles_of_two_annotators_find_what_the_search_finds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The residual graph finds the alignment of the component search, where that search ends."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(5, 60, 2)
    starts = rng.integers(0, 5 * int(rng.integers(1, 20)), counts.sum()).astype(float)
    ends = starts + rng.integers(1, 4, counts.sum())
    kinds, annotators = rng.integers(0, 3, counts.sum()), np.repeat([0, 1], counts)
    several = Continuum.from_codes(("A", "B"), tuple("abc"), starts, ends, annotators, kinds)
    unmerged = [Presolve(merged=0.0)]
    by_cycles = align(several, tuning=unmerged)
    assert by_cycles.first
    monkeypatch.setattr(ties_of_two, "first_of_two", lambda *_: None)
    searched = align(several, tuning=unmerged)
    assert not searched.first or np.array_equal(by_cycles.groups, searched.groups)
    assert by_cycles.disorder == pytest.approx(searched.disorder, abs=1e-9)


def test_dense_ties_of_two_annotators_are_broken() -> None:
    rng = np.random.default_rng(1)
    starts = rng.integers(0, 200, 1200).astype(float)
    ends, kinds = starts + rng.integers(1, 20, 1200), rng.integers(0, 4, 1200)
    annotators = np.repeat([0, 1], 600)
    dense = Continuum.from_codes(("A", "B"), tuple("abcd"), starts, ends, annotators, kinds)
    found = align(dense)
    assert found.status is Status.OPTIMAL
    assert found.first


@pytest.mark.parametrize("seed", range(8))
def test_merged_units_of_two_annotators_are_searched_as_cycles(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cycles, CP-SAT over distinct units, and no merging at all give the same alignment."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, 5, 50).astype(float)
    ends = starts + rng.integers(1, 3, 50)
    kinds = rng.integers(0, 1 + seed % 3, 50)
    annotators = np.repeat([0, 1], [20 + seed, 30 - seed])
    repeated = Continuum.from_codes(("A", "B"), tuple("abc"), starts, ends, annotators, kinds)
    by_cycles = align(repeated, tuning=[Presolve(merged=2.0)])
    assert by_cycles.first
    unmerged = align(repeated, tuning=[Presolve(merged=0.0)])
    assert np.array_equal(by_cycles.groups, unmerged.groups)
    monkeypatch.setattr(ties_of_two, "first_of_two_merged", lambda *_: None)
    by_cpsat = align(repeated, tuning=[Presolve(merged=2.0)])
    assert by_cpsat.first
    assert np.array_equal(by_cycles.groups, by_cpsat.groups)
