"""Constrained alignments against all partitions, and the promises that constraints make."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pytest

from gammacp import Combined, Continuum, DataError, Unit, UsageError, align, certificate, gamma
from gammacp.alignment.constraints import (
    AtLeast,
    AtMost,
    CannotLink,
    Constraint,
    MustLink,
    NonCrossing,
    SameCategory,
)
from gammacp.base.arrays import Bools, Codes
from gammacp.dissimilarity import bind
from gammacp.dissimilarity.base import unit_columns
from gammacp.testing import check_constraint
from gammacp.verify import Check

METHODS = ["auto", "enumeration", "generation", "crowd", "bipartite", "cpsat", "milp", "brute"]

Groups = list[list[int]]
Keeps = Callable[[Continuum, Groups], bool]


def crossing(c: Continuum, groups: Groups) -> bool:
    """Return whether two annotators order the units of some two groups differently."""
    units = list(c)
    for one, other in combinations(groups, 2):
        turns = set()
        for u in one:
            for v in other:
                if units[u].annotator != units[v].annotator:
                    continue
                if units[u].start < units[v].start and units[u].end < units[v].end:
                    turns.add("before")
                if units[u].start > units[v].start and units[u].end > units[v].end:
                    turns.add("after")
        if len(turns) == 2:
            return True
    return False


def partitions(c: Continuum) -> Iterator[Groups]:
    """Yield every partition into groups of at most one unit per annotator."""
    codes = c.annotator_codes.tolist()
    groups: Groups = []

    def place(unit: int) -> Iterator[Groups]:
        if unit == c.n_units:
            yield [list(g) for g in groups]
            return
        for group in list(groups):
            if codes[unit] not in [codes[v] for v in group]:
                group.append(unit)
                yield from place(unit + 1)
                group.pop()
        groups.append([unit])
        yield from place(unit + 1)
        groups.pop()

    yield from place(0)


def least_disorder(c: Continuum, keeps: Sequence[Keeps]) -> float:
    """Return the least disorder of all partitions that keep the constraints, or infinity."""
    columns = unit_columns(c)
    costs = bind(Combined(), c).pairwise(columns[:, None], columns[None]).tolist()
    pairs = math.comb(c.n_annotators, 2)
    best = math.inf
    for groups in partitions(c):
        cost = math.fsum(
            pairs + sum(costs[u][v] - 1 for u, v in combinations(group, 2)) for group in groups
        )
        if cost < best and all(keep(c, groups) for keep in keeps):
            best = cost
    return best / (pairs * c.mean_units)


def drawn(seed: int) -> tuple[Continuum, list[Constraint], list[Keeps]]:
    """Draw a text of six or seven units and one to three constraints."""
    rng = np.random.default_rng(seed)
    n = 2 + seed % 3
    start = rng.permutation(12)[: 6 + seed % 2].astype(float)
    units = [
        Unit(f"A{k % n}", s, s + int(rng.integers(1, 9)), "ab"[rng.integers(2)])
        for k, s in enumerate(start)
    ]
    c = Continuum.from_units(units)
    u, v, w = rng.choice(c.n_units, 3, replace=False).tolist()
    k = int(rng.integers(1, n + 1))
    pools: list[tuple[Constraint, Keeps]] = [
        (NonCrossing(), lambda c, groups: not crossing(c, groups)),
        (AtMost(k), lambda _, groups: all(len(g) <= k for g in groups)),
        (AtLeast(2), lambda _, groups: all(len(g) >= 2 for g in groups)),
        (
            SameCategory(),
            lambda c, groups: all(len({c.category_of(x) for x in g}) == 1 for g in groups),
        ),
        (MustLink(c.unit(u), c.unit(v)), lambda _, groups: any({u, v} <= {*g} for g in groups)),
        (
            CannotLink(c.unit(v), c.unit(w)),
            lambda _, groups: not any({v, w} <= {*g} for g in groups),
        ),
    ]
    weight = np.array([4, 2, 1, 1, 3, 2]) / 13
    chosen = rng.choice(6, int(rng.integers(1, 4)), replace=False, p=weight)
    return c, [pools[i][0] for i in chosen], [pools[i][1] for i in chosen]


@pytest.mark.parametrize("seed", range(14))
def test_every_method_finds_the_best_that_keeps_the_constraints_or_refuses(seed: int) -> None:
    c, constraints, keeps = drawn(seed)
    truth = least_disorder(c, keeps)
    tried = 0
    for method in METHODS:
        try:
            found = align(c, method=method, constraints=constraints)
        except UsageError as error:
            assert method in {"generation", "crowd", "bipartite"}
            assert "cannot keep" in str(error) or "two annotators" in str(error)
            continue
        except DataError:
            assert truth == math.inf
            continue
        groups = [[u for u in g if u >= 0] for g in found.groups.tolist()]
        assert all(keep(c, groups) for keep in keeps)
        assert found.status == "optimal"
        assert found.disorder == pytest.approx(truth, abs=1e-9)
        tried += 1
    assert tried or truth == math.inf


CROSSED = Continuum.from_units(
    [
        Unit("Ann", 0, 2, "x"),
        Unit("Ann", 3, 5, "y"),
        Unit("Bob", 0, 2, "y"),
        Unit("Bob", 3, 5, "x"),
    ]
)


def test_two_crossing_groups_cost_what_the_better_of_two_other_ways_does() -> None:
    """Only one of two crossing pairs is kept, though either costs nothing; counted by hand.

    Positions do not count.
    """
    categories = Combined(alpha=0)
    crossed = align(CROSSED, categories)
    assert crossed.disorder == 0
    kept = align(CROSSED, categories, constraints=[NonCrossing()])
    # Either one pair at cost 0 and two units alone at Δ each, or two pairs at Δ each: 2 Δ over x̄ =
    # 2.
    assert kept.disorder == 1
    assert (kept.groups >= 0).all(axis=1).sum() >= 1


def test_three_groups_may_be_ordered_in_a_circle() -> None:
    """Three groups that are ordered two by two, but not all three, are allowed."""
    c = Continuum.from_units(
        [
            Unit("A", 0, 1, "x"),
            Unit("A", 10, 11, "z"),
            Unit("B", 0, 1, "y"),
            Unit("B", 10, 11, "x"),
            Unit("C", 0, 1, "z"),
            Unit("C", 10, 11, "y"),
        ]
    )
    # A: x before z; C: z before y; B: y before x.
    never_mixed = Combined(alpha=0, f_cat="steep")
    found = align(c, never_mixed, constraints=[NonCrossing()])
    # In each of the three groups, two of three pairs have an empty unit: 3 · 2 Δ / (3 · 2).
    assert found.disorder == align(c, never_mixed).disorder == 1
    assert sorted((g >= 0).sum() for g in found.groups) == [2, 2, 2]


def test_nested_units_have_no_order() -> None:
    c = Continuum.from_units(
        [
            Unit("A", 0, 10, "outer"),
            Unit("A", 1, 3, "inner"),
            Unit("B", 2, 10, "outer"),
            Unit("B", 1.5, 10.5, "inner"),
        ]
    )
    found = align(c, Combined(alpha=0), constraints=[NonCrossing()])
    assert found.disorder == 0


def test_long_texts_of_two_annotators_keep_their_order() -> None:
    """Two annotators with 80 units each: the dynamic programme over both sequences has the same
    cost.
    """
    rng = np.random.default_rng(1)
    units = [
        Unit(a, s, s + 1.5, "ab"[rng.integers(2)])
        for a in ("A", "B")
        for s in np.cumsum(rng.uniform(0.5, 1.5, 80)).tolist()
    ]
    c = Continuum.from_units(units)
    columns = unit_columns(c)
    cost = bind(Combined(), c).pairwise(columns[:80, None], columns[None, 80:])
    best = np.zeros((81, 81))
    for i in range(80):
        for j in range(80):
            both = best[i, j] + max(2 - cost[i, j], 0)
            best[i + 1, j + 1] = max(best[i, j + 1], best[i + 1, j], both)
    found = align(c, constraints=[NonCrossing()])
    assert found.disorder == pytest.approx((160 - best[80, 80]) / 80)
    assert found.status == "optimal"


def pair(c: Continuum) -> tuple[Unit, Unit]:
    one = c.unit(0)
    return one, next(u for u in c if u.annotator != one.annotator)


@pytest.mark.parametrize(
    "constraint",
    [
        NonCrossing(),
        AtMost(2),
        AtLeast(2),
        SameCategory(),
        lambda c: MustLink(*pair(c)),
        lambda c: CannotLink(*pair(c)),
    ],
    ids=["non-crossing", "at-most", "at-least", "same-category", "must-link", "cannot-link"],
)
def test_every_constraint_keeps_its_claims(constraint: Any) -> None:
    check_constraint(constraint, texts=2)


class Claims(Constraint):
    """Base class of the constraints of this module."""

    kind: ClassVar[str] = "own"


class Full(Claims):
    """Require a unit of every annotator in each group."""

    def allows_groups(self, _: Continuum, groups: Any) -> Any:
        return (groups >= 0).all(axis=1)


class Early(Claims):
    """Require that every aligned unit begins before position 8."""

    def allows_pairs(self, c: Continuum, first: Any, second: Any) -> Any:
        return (c.starts[first] < 8) & (c.starts[second] < 8)


class OneSided(Claims):
    """Require that the second unit of a pair does not start earlier: not symmetric, and so
    invalid.
    """

    def allows_pairs(self, c: Continuum, first: Any, second: Any) -> Any:
        return c.starts[first] <= c.starts[second]


class Numbers(Claims):
    """Return numbers instead of truth values."""

    def allows_pairs(self, c: Continuum, first: Any, second: Any) -> Any:
        return c.starts[first] - c.starts[second]


@pytest.mark.parametrize(
    ("constraint", "problem"),
    [
        (Full(), "not hereditary"),
        (Early(), "not structural"),
        (OneSided(), "exchanged"),
        (Numbers(), "not a truth value"),
    ],
)
def test_a_false_claim_is_found_out(constraint: Constraint, problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        check_constraint(constraint)


def own(annotator: str, start: float, end: float) -> Unit:
    return Unit(annotator, start, end, "x" if (annotator == "Ann") == (start == 0) else "y")


A0, A3 = own("Ann", 0, 2), own("Ann", 3, 5)
B0, B3 = own("Bob", 0, 2), own("Bob", 3, 5)


@pytest.mark.parametrize(
    ("constraints", "named"),
    [
        ([MustLink(A0, Unit("Bob", 1, 2, "x"))], ["must-link", "Bob 1–2 x", "no such unit"]),
        ([CannotLink(A0, Unit("Cy", 0, 2, "x"))], ["cannot-link", "Cy 0–2 x", "Ann, Bob"]),
        ([MustLink(A0, A3)], ["must-link", "Ann 0–2 x and Ann 3–5 y", "one annotator"]),
        ([MustLink(A0, B0), MustLink(B0, A3)], ["Ann 0–2 x and Ann 3–5 y"]),
        ([MustLink(A0, A0)], ["must-link names Ann 0–2 x twice"]),
        (
            [MustLink(A0, B0), CannotLink(A0, B0)],
            ["must-link and cannot-link", "Ann 0–2 x, Bob 0–2 y"],
        ),
        ([MustLink(A0, B0), SameCategory()], ["same-category", "Ann 0–2 x, Bob 0–2 y"]),
        ([MustLink(A0, B0), AtMost(1)], ["at-most", "Ann 0–2 x, Bob 0–2 y"]),
        (
            [MustLink(A0, B3), MustLink(A3, B0), NonCrossing()],
            ["non-crossing", "Ann 0–2 x, Bob 3–5 x", "Ann 3–5 y, Bob 0–2 y"],
        ),
        ([AtLeast(3)], ["at-least", "4 units"]),
    ],
)
def test_a_constraint_that_no_alignment_keeps_is_named(
    constraints: list[Constraint], named: list[str]
) -> None:
    with pytest.raises(DataError) as refused:
        align(CROSSED, constraints=constraints)
    for words in named:
        assert words in str(refused.value)
    assert refused.value.exit_code == 3


def test_impossible_values_are_refused() -> None:
    with pytest.raises(UsageError, match="at-most 0 < 1"):
        AtMost(0)
    with pytest.raises(UsageError, match="two units or more"):
        MustLink(A0)
    with pytest.raises(UsageError, match="is not a list such as"):
        align(CROSSED, constraints=["non-crossing"])
    with pytest.raises(UsageError, match="take γ instead of soft γ"):
        align(CROSSED, constraints=[NonCrossing()], cover=True)


def test_gamma_puts_structural_constraints_on_random_sets_and_refuses_others() -> None:
    plain = gamma(CROSSED, samples=30)
    kept = gamma(CROSSED, samples=30, constraints=[AtMost(1)])
    # Every unit is alone, in the random sets too: observed = expected = n = 2.
    assert (kept.observed, kept.expected, kept.value) == (2, 2, 0)
    assert "|constraints:at-most(1)|" in str(kept.signature)
    assert "constraints" not in str(plain.signature)
    for constraint in (MustLink(A0, B0), CannotLink(A0, B0), AtLeast(2)):
        with pytest.raises(UsageError, match="cannot be put on random sets"):
            gamma(CROSSED, constraints=[constraint])


def test_a_certificate_has_a_proof_only_where_the_constraint_changes_nothing() -> None:
    free = certificate(align(CROSSED, constraints=[NonCrossing()]))
    assert (free["proof"]["kind"], free["constraints"]) == ("shares", ["non-crossing"])
    assert Check(json.dumps(free)).claim()[0]
    binding = align(CROSSED, Combined(alpha=0), constraints=[NonCrossing()])
    assert binding.status == "optimal"
    assert certificate(binding)["proof"] == {"kind": "none"}
    linked = certificate(align(CROSSED, constraints=[MustLink(A0, B3)]))
    assert linked["proof"] == {"kind": "none"}


@dataclass(frozen=True)
class Lone(Constraint):
    """Forbid groups of two units that contain `category`.

    Groups of three may contain it, so the constraint is not hereditary.
    """

    kind: ClassVar[str] = "lone"
    category: str

    def allows_groups(self, continuum: Continuum, groups: Codes) -> Bools:
        code = [*continuum.categories, self.category].index(self.category)
        has = (np.append(continuum.category_codes, -9)[groups] == code).any(axis=1)
        return np.asarray(~(has & ((groups >= 0).sum(axis=1) == 2)))


def test_check_constraint_refuses_a_constraint_that_its_texts_never_touch() -> None:
    with pytest.raises(AssertionError, match="it forbids and links nothing in 4 texts"):
        check_constraint(Lone("1"), texts=4)
    with pytest.raises(AssertionError, match="is not hereditary"):
        check_constraint(Lone("1"), texts=4, categories=("1", "2"))
    with pytest.raises(AssertionError, match="it forbids and links nothing"):
        check_constraint(AtMost(9), texts=4)
    nobody = Unit("nobody", 0, 1, "x")
    with pytest.raises(AssertionError, match="it forbids and links nothing"):
        check_constraint(MustLink(nobody, Unit("else", 0, 1, "x")), texts=2)
