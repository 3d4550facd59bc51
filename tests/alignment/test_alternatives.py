"""Pools of alternative alignments, against a list of all partitions."""

import json
import math
import random
import signal
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from gammacp import Combined, Continuum, Unit, UsageError, align, alignments
from gammacp.base.arrays import Floats
from gammacp.base.stopping import interruptible
from gammacp.cli.alignment_pool import ShownPool
from gammacp.dissimilarity import bind, unit_columns
from tests.alignment.continua import DISSIMILARITIES, random_continuum
from tests.conftest import Run

Groups = tuple[tuple[int, ...], ...]


def partitions(units: tuple[int, ...], annotator: list[int]) -> Iterator[Groups]:
    """Yield all partitions with at most one unit of each annotator in a group."""
    if not units:
        yield ()
        return
    first, rest = units[0], units[1:]
    for found in partitions(rest, annotator):
        yield ((first,), *found)
        for i, group in enumerate(found):
            if all(annotator[first] != annotator[v] for v in group):
                yield (*found[:i], (first, *group), *found[i + 1 :])


def disorders(continuum: Continuum, cost: Floats, delta: float) -> Floats:
    """Return the disorder of every partition in ascending order, by Mathet et al. 2015, §4.5."""
    n = continuum.n_annotators
    annotator = continuum.annotator_codes.tolist()
    pairs = n * (n - 1) // 2
    found = []
    for groups in partitions(tuple(range(continuum.n_units)), annotator):
        total = 0.0
        for group in groups:
            own = list(combinations(group, 2))
            total += (pairs - len(own)) * delta + sum(cost[u, v] for u, v in own)
        found.append(total / pairs / (continuum.n_units / n))
    return np.sort(np.array(found))


def sporadic(u: Unit, v: Unit) -> float:
    """Return the dissimilarity of Mathet et al. 2015, eqs. 3 and 4, for α = β = Δ = 1."""
    apart = abs(u.start - v.start) + abs(u.end - v.end)
    return (apart / (u.end - u.start + v.end - v.start)) ** 2 + (u.category != v.category)


def tied_continuum(rng: random.Random) -> Continuum:
    """Return a continuum of few whole positions and labels, so that many alignments cost
    the same.
    """
    names = "ABCD"[: rng.choice([2, 2, 3, 3, 4])]
    units = []
    for name in names:
        for _ in range(rng.randint(1, 3)):
            start = rng.randint(0, 3)
            units.append(Unit(name, start, start + rng.randint(1, 3), rng.choice("xy")))
    return Continuum.from_units(units[:8], annotators=names)


def check_pool(continuum: Continuum, every: Floats, within: float, **options: object) -> bool:
    """Compare a pool with all partitions, and return whether it has several alignments."""
    pool = alignments(continuum, within=within, **options)  # type: ignore[arg-type]
    expected = int((every <= every[0] + within + 1e-9).sum())
    assert (pool.count, pool.exact) == (expected, True)
    assert len(pool) == min(20, expected)
    assert pool.complete == (expected <= 20)
    assert [a.disorder for a in pool] == pytest.approx(every[: len(pool)].tolist(), abs=1e-9)
    distinct = {frozenset(tuple(g) for g in a.groups.tolist()) for a in pool}
    assert len(distinct) == len(pool)
    for alignment in pool:
        rows = alignment.groups[alignment.groups >= 0]
        assert sorted(rows.tolist()) == list(range(continuum.n_units))
    return expected > 1


@pytest.mark.parametrize(("seed", "cases"), [(1, 40), pytest.param(2, 500, marks=pytest.mark.slow)])
def test_counts_are_those_of_all_partitions(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    tied = 0
    for _ in range(cases):
        continuum = tied_continuum(rng)
        units = list(continuum)
        cost = np.array([[sporadic(u, v) for v in units] for u in units])
        every = disorders(continuum, cost, 1.0)
        tied += check_pool(continuum, every, 0.0)
        check_pool(continuum, every, rng.choice([0.01, 0.05, 0.1, 0.3]))
    assert tied > cases // 8


@pytest.mark.parametrize(
    ("first", "cases"), [(0, 16), pytest.param(16, 160, marks=pytest.mark.slow)]
)
def test_counts_hold_for_every_dissimilarity(first: int, cases: int) -> None:
    for seed in range(first, first + cases):
        continuum = random_continuum(seed, 2 + seed % 3, 8)
        dissimilarity = DISSIMILARITIES[seed // 3 % len(DISSIMILARITIES)]
        measured = bind(dissimilarity, continuum)
        units = unit_columns(continuum)
        rows = np.arange(continuum.n_units)
        first_rows, second_rows = (x.ravel() for x in np.meshgrid(rows, rows, indexing="ij"))
        cost = measured.pairwise(units[first_rows], units[second_rows]).reshape(8, 8)
        every = disorders(continuum, np.asarray(cost), measured.delta)
        check_pool(continuum, every, 0.0, dissimilarity=measured)
        check_pool(continuum, every, 0.1 * measured.delta, dissimilarity=measured)


def test_the_first_is_that_of_align() -> None:
    rng = random.Random(5)
    for _ in range(15):
        continuum = tied_continuum(rng)
        assert np.array_equal(alignments(continuum)[0].groups, align(continuum).groups)


def test_identical_units_multiply_the_number_of_alignments() -> None:
    """Identical units multiply the count, but only a few alignments are listed.

    A swap that costs nothing at each of 40 places makes 2⁴⁰ alignments.
    """
    units = []
    for i in range(40):
        place = 100 * i
        units += [Unit("A", place, place + 10, "x"), Unit("A", place, place + 10, "x")]
        units += [Unit("B", place, place + 10, "x"), Unit("B", place, place + 10, "x")]
    pool = alignments(Continuum.from_units(units), most=7)
    assert (pool.count, pool.exact, pool.complete, len(pool)) == (2**40, True, False, 7)
    assert pool.identical == 80
    assert [a.disorder for a in pool] == [0.0] * 7
    assert f"7 of {2**40:,} alignments are listed" in pool.notes


def test_a_pool_without_limit_has_all_partitions() -> None:
    """An infinite `within` gives all partitions; counted by hand.

    Two units are together (disorder ¼) or each alone (2); two by two units have 7 partitions.
    """
    near = Continuum.from_units([Unit("A", 0, 2, "x"), Unit("B", 1, 3, "x")])
    pool = alignments(near, within=math.inf)
    assert [a.disorder for a in pool] == pytest.approx([0.25, 2.0])
    three = Continuum.from_units(
        [Unit("A", 0, 4, "x"), Unit("A", 1, 5, "x"), Unit("B", 0, 5, "x"), Unit("B", 2, 5, "x")]
    )
    every = [a.disorder for a in alignments(three, within=math.inf)]
    assert len(every) == 7
    assert every == sorted(every)


@pytest.mark.parametrize(("seed", "cases"), [(3, 12), pytest.param(4, 200, marks=pytest.mark.slow)])
def test_the_best_are_found_however_much_worse(seed: int, cases: int) -> None:
    """The best alignments are found even where grouping costs more than leaving units alone."""
    rng = random.Random(seed)
    beyond = 0
    for _ in range(cases):
        units = [
            Unit(name, start, start + rng.choice((1, 1, 2, 4)), rng.choice("xy"))
            for name in "ABC"[: rng.choice((2, 3))]
            for start in rng.sample(range(40), rng.randint(1, 2))
        ]
        c = Continuum.from_units(units)
        measured = bind(Combined(), c)
        columns = unit_columns(c)
        first, second = np.divmod(np.arange(c.n_units**2), c.n_units)
        cost = measured.pairwise(columns[first], columns[second]).reshape(c.n_units, -1)
        every = disorders(c, cost, 1.0)
        every = every[np.isfinite(every)]
        for most in (2, 5, 1000):
            pool = alignments(c, most=most, within=math.inf)
            assert [a.disorder for a in pool] == pytest.approx(every[:most].tolist(), rel=1e-9)
            assert pool.stopped_by is None
            if len(every) != most:
                assert pool.complete == (len(every) < most)
        beyond += every[-1] > every[0] + 4 * c.n_annotators
    assert beyond > cases // 3


def copies() -> Continuum:
    """Return eight equal units by each of three annotators: (8!)² best alignments."""
    units = [Unit(a, 0, 10, "x") for a in "ABC" for _ in range(8)]
    return Continuum.from_units([*units, Unit("A", 20, 22, "y"), Unit("B", 21, 24, "y")])


def test_a_short_list_says_why() -> None:
    pool = alignments(copies(), most=2 * math.factorial(8) ** 2, within=math.inf)
    assert pool.stopped_by == "size"
    assert "too many" in pool.notes[0]
    assert json.loads(json.dumps(pool.as_dict()))["stopped_by"] == "size"


@pytest.mark.parametrize("within", [0.0, 0.5, math.inf])
def test_a_count_ended_by_time_does_not_blame_the_size(within: float) -> None:
    pool = alignments(copies(), within=within, time_limit=1e-6)
    assert pool.stopped_by == "time limit"
    assert pool.notes[0] == "not counted: the time limit came first"


def test_a_count_that_is_interrupted_says_so() -> None:
    with interruptible():
        signal.raise_signal(signal.SIGINT)
        pool = alignments(copies())
    assert pool.stopped_by == "interruption"
    assert pool.notes[0] == "not counted: interrupted"


@pytest.mark.slow
def test_a_count_that_is_too_large_is_declared_inexact() -> None:
    """A pool that cannot be counted says so.

    Eight equal units by each of five annotators have (8!)⁴ best alignments.
    """
    units = [Unit(a, 0, 10, "x") for a in "ABCDE" for _ in range(8)]
    pool = alignments(Continuum.from_units(units), within=0.5)
    assert not pool.exact
    assert not pool.complete
    assert pool.notes
    assert pool.count >= 1
    assert pool[0].disorder == align(Continuum.from_units(units)).disorder


def test_an_alignment_within_the_tolerance_of_the_limit_is_reported() -> None:
    """An alignment half a tolerance beyond `within` counts and is called borderline.

    By hand: two units cost ¼ together and 2 apart, which is 1¾ more.
    """
    c = Continuum.from_units([Unit("A", 0, 2, "x"), Unit("B", 1, 3, "x")])
    pools = [alignments(c, within=1.75 - short) for short in (0.0, 5e-11, 1e-4)]
    assert [pool.count for pool in pools] == [2, 2, 1]
    assert [pool.borderline for pool in pools] == [0, 1, 0]
    assert "depends on the tolerance of 1e-10" in " ".join(pools[1].notes)


def test_a_large_delta_does_not_tie_what_differs() -> None:
    """Costs that differ by far less than Δ are no ties."""
    units = [Unit(a, 100 * i, 100 * i + 10 + 1e-5 * i * (a == "B")) for a in "AB" for i in range(5)]
    units += [Unit("A", 1000, 1010), Unit("A", 1000, 1010.001), Unit("B", 1000, 1010.002)]
    units += [Unit("B", 1000, 1010.004)]
    pool = alignments(Continuum.from_units(units), Combined(delta=1e6))
    assert pool.count == 1


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"most": 0}, "most 0 < 1"),
        ({"most": 1.5}, "most 1.5"),
        ({"within": -0.1}, "within -0.1"),
        ({"within": math.nan}, "within nan"),
        ({"within": "x"}, "within 'x'"),
    ],
)
def test_impossible_values_are_refused(options: dict[str, object], named: str) -> None:
    c = Continuum.from_units([Unit("A", 0, 2), Unit("B", 1, 3)])
    with pytest.raises(UsageError, match=named):
        alignments(c, **options)  # type: ignore[arg-type]


FIGURE10 = "align", "--dataset", "figure10"


def test_the_command_lists_and_counts(run: Run) -> None:
    """The command finds the second-best alignment of figure 10 (Mathet et al. 2015).

    In it, the first unit of William joins the second units of the others.
    """
    found = run(*FIGURE10, "--pool", "5", "--within", "0.1", "--json")
    assert found.code == 0
    pool = json.loads(found.out)["pool"]
    assert (pool["count"], pool["exact"], pool["complete"]) == (2, True, True)
    assert [a["disorder"] for a in pool["alignments"]] == pytest.approx([1.1851851851, 1.2814814])
    text = run(*FIGURE10, "--pool", "5", "--within", ".1").out
    assert "2 alignments have a disorder of at most 1.28519" in text
    assert "1 of 2 alignments are listed" in run(*FIGURE10, "--pool", "1", "--within", ".1").out
    assert "pool" not in json.loads(run(*FIGURE10, "--json").out)


def test_a_pool_better_than_the_shown_alignment_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """If the greedy alignment is shown, the pool says that its own first alignment is better.

    Listing all partitions gives the least disorder.
    """
    rows = "a A 0 4, b A 5 6, c B 7 10, a B 0 1, a B 1 3, c B 1 3"
    cut = [row.split() for row in rows.split(", ")]
    c = Continuum.from_units([Unit(a, float(s), float(e), label) for a, label, s, e in cut])
    cost = np.array([[math.inf if u == v else sporadic(u, v) for v in c] for u in c])
    least = disorders(c, cost, 1.0)[0]
    greedy = align(c, method="greedy")
    assert greedy.disorder > least + 0.1
    ShownPool(alignments(c), greedy).show()
    said = capsys.readouterr().out
    assert "1 alignment has the least disorder" in said
    assert f"alignment 1, disorder {least:.12g}: better than that above" in said
    ShownPool(alignments(c), align(c)).show()
    assert "1 alignment has this disorder" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--pool", "0"),
        ("--within", "1"),
        ("--pool", "2", "--within", "nan"),
        ("--pool", "2", "--method", "greedy"),
    ],
)
def test_the_command_refuses(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*FIGURE10, *arguments).code == 2
