"""Constrained alignments against the truth: python benchmarks/constraints.py [--sets N] [--seed S].

Small random continua of the families of `alignment_truth` get random constraints, and every exact
method aligns them. The truth is found here, without any part of gammacp's solver and without its
constraints: all partitions are tried one by one, those that break a constraint are passed over,
and what a constraint is stands below in plain Python. Where no partition keeps the constraints, a
DataError is expected. A case is *binding* where some partition keeps the constraints, and the best
alignment without them costs less.

Writes constraints.csv: comparisons by kinds of constraints and method, how they ended, and how many
were of binding cases.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from alignment_truth import (
    EQUAL,
    FAMILIES,
    WEIGHTS,
    Best,
    Units,
    continuum_of,
    is_better,
    pair_costs,
)

import gammacp as gc
from gammacp.alignment.constraints import (
    AtLeast,
    AtMost,
    CannotLink,
    MustLink,
    NonCrossing,
    SameCategory,
)

HERE = Path(__file__).parent
# Largest number of units of which all partitions can be tried one by one.
MOST_UNITS = 8
METHODS = ("auto", "enumeration", "generation", "crowd", "bipartite", "cpsat", "milp", "brute")

Groups = Sequence[Sequence[int]]


class Case(NamedTuple):
    """A constraint of gammacp, with an independent check of it."""

    constraint: Any
    keeps: Callable[[Groups], bool]


# ---- what a constraint is, in plain Python -----------------------------------------------------


def not_crossing(units: Units) -> Callable[[Groups], bool]:
    """Check that annotators do not have two groups in opposite orders."""

    def before(u: int, v: int) -> bool:
        return bool(units.start[u] < units.start[v] and units.end[u] < units.end[v])

    def cross(one: Sequence[int], other: Sequence[int]) -> bool:
        mine = {int(units.annotator[u]): u for u in one}
        unit_of_other = {int(units.annotator[u]): u for u in other}
        shared = mine.keys() & unit_of_other.keys()
        first = any(before(mine[a], unit_of_other[a]) for a in shared)
        second = any(before(unit_of_other[a], mine[a]) for a in shared)
        return first and second

    return lambda groups: not any(cross(g, h) for g, h in combinations(groups, 2))


def together(rows: Sequence[int]) -> Callable[[Groups], bool]:
    """Check that one group has all of these units."""
    return lambda groups: any(set(rows) <= set(group) for group in groups)


def apart(rows: Sequence[int]) -> Callable[[Groups], bool]:
    """Check that no group has two of these units."""
    return lambda groups: all(len(set(rows) & set(group)) < 2 for group in groups)


def of_one_category(units: Units) -> Callable[[Groups], bool]:
    return lambda groups: all(len({int(units.category[u]) for u in g}) == 1 for g in groups)


def at_most(k: int) -> Callable[[Groups], bool]:
    return lambda groups: all(len(group) <= k for group in groups)


def at_least(k: int) -> Callable[[Groups], bool]:
    return lambda groups: all(len(group) >= k for group in groups)


# ---- cases -------------------------------------------------------------------------------------


def few(units: Units) -> Units:
    """Return the first units in the order of a continuum: by annotator and place."""
    chosen_units = np.arange(min(len(units.start), MOST_UNITS))
    annotator = units.annotator[chosen_units]
    keys = (
        units.category[chosen_units],
        units.end[chosen_units],
        units.start[chosen_units],
        annotator,
    )
    order = chosen_units[np.lexsort(keys)]
    columns = (getattr(units, name)[order] for name in ("annotator", "start", "end", "category"))
    return Units(units.n_annotators, *columns)


def unlike(units: Units) -> list[int]:
    """Return rows of units that differ from all others of their annotator, for naming them."""
    places = [*zip(*(c.tolist() for c in units[1:]), strict=True)]
    return [row for row, place in enumerate(places) if places.count(place) == 1]


def drawn_constraints(units: Units, rng: np.random.Generator) -> list[Case]:
    """Draw one constraint and more."""
    continuum = continuum_of(units)
    rows = unlike(units)
    cases: list[Case] = []
    while not cases:
        if rng.random() < 0.5:
            cases.append(Case(NonCrossing(), not_crossing(units)))
        if rng.random() < 0.3:
            k = int(rng.integers(1, units.n_annotators + 1))
            cases.append(Case(AtMost(k), at_most(k)))
        if rng.random() < 0.2:
            cases.append(Case(SameCategory(), of_one_category(units)))
        if rng.random() < 0.12:
            k = int(rng.integers(2, 4))
            cases.append(Case(AtLeast(k), at_least(k)))
        for constraint, keeps, often in ((MustLink, together, 0.4), (CannotLink, apart, 0.4)):
            while rng.random() < often and len(rows) > 2:
                chosen = rng.choice(rows, 3 if rng.random() < 0.2 else 2, replace=False).tolist()
                named = [continuum.unit(row) for row in chosen]
                cases.append(Case(constraint(*named), keeps(chosen)))
    return cases


# ---- the truth ---------------------------------------------------------------------------------


def best_partitions(
    units: Units, weights: tuple[float, float, float], cases: Sequence[Case]
) -> tuple[Best | None, Best]:
    """Try every partition: the best one that keeps the constraints, if any, and the best of all."""
    costs, seconds = (m.tolist() for m in pair_costs(units, *weights))
    annotator = units.annotator.tolist()
    delta = weights[2]
    alone = delta * math.comb(units.n_annotators, 2)
    groups: list[list[int]] = []
    best_so_far: list[Best | None] = [None, None]

    def end(cost: float, second: float) -> None:
        if math.isinf(cost):
            return
        partition = Best(cost, len(groups), second)
        if best_so_far[1] is None or is_better(partition, best_so_far[1]):
            best_so_far[1] = partition
        best = best_so_far[0]
        if (best is None or is_better(partition, best)) and all(
            case.keeps(groups) for case in cases
        ):
            best_so_far[0] = partition

    def place(unit: int, cost: float, second: float) -> None:
        if unit == len(annotator):
            end(cost, second)
            return
        for group in list(groups):
            if any(annotator[v] == annotator[unit] for v in group):
                continue
            more = sum(costs[unit][v] - delta for v in group)
            labels = sum(seconds[unit][v] for v in group)
            group.append(unit)
            place(unit + 1, cost + more, second + labels)
            group.pop()
        groups.append([unit])
        place(unit + 1, cost + alone, second)
        groups.pop()

    place(0, 0.0, 0.0)
    assert best_so_far[1] is not None
    return best_so_far[0], best_so_far[1]


# ---- comparisons -------------------------------------------------------------------------------


def verdict(
    units: Units,
    weights: tuple[float, float, float],
    cases: Sequence[Case],
    truth: Best | None,
    method: str,
) -> str:
    """Return `proven`, `refused`, `impossible`, `open`, or a description of the error."""
    alpha, beta, delta = weights
    measured = gc.Combined(alpha=alpha, beta=beta, delta=delta)
    constraints = [case.constraint for case in cases]
    try:
        alignment = gc.align(continuum_of(units), measured, method=method, constraints=constraints)
    except gc.UsageError as error:
        return "refused" if "cannot keep" in str(error) or "two annot" in str(error) else "wrong"
    except gc.DataError:
        return "impossible" if truth is None else "wrong refusal"
    if truth is None:
        return "wrong: there is no alignment"
    groups = [[u for u in group if u >= 0] for group in alignment.groups.tolist()]
    if sorted(u for group in groups for u in group) != [*range(len(units.start))]:
        return "wrong: no partition"
    if not all(case.keeps(groups) for case in cases):
        return "wrong: a constraint is broken"
    scale = math.comb(units.n_annotators, 2) * (len(units.start) / units.n_annotators)
    disorder, slack = truth.cost / scale, EQUAL * max(1.0, truth.cost / scale)
    if alignment.status != "optimal":
        inside = alignment.bound <= disorder + slack and disorder <= alignment.disorder + slack
        return "open" if inside else "wrong bound"
    if abs(alignment.disorder - disorder) > slack:
        return "wrong disorder"
    if not alignment.first:
        return "proven, ties open"
    differing = sum(
        units.category[u] != units.category[v]
        for group in groups
        for u, v in combinations(group, 2)
    )
    if len(groups) != truth.groups or abs(beta * delta * differing - truth.second) > EQUAL:
        return "wrong tie"
    return "proven"


def against_all(seed: int, counts: Counter[tuple[str, str, str, bool]]) -> None:
    """Draw and compare every family once."""
    for number, (family, draw) in enumerate(FAMILIES.items()):
        rng = np.random.default_rng([seed, number, 60])
        units, weights = few(draw(rng)), WEIGHTS[(seed + number) % len(WEIGHTS)]
        cases = drawn_constraints(units, rng)
        truth, free = best_partitions(units, weights, cases)
        slack = EQUAL * max(1.0, free.cost)
        binding = truth is not None and truth.cost > free.cost + slack
        kinds = "+".join(sorted({case.constraint.kind for case in cases}))
        for method in METHODS:
            outcome = verdict(units, weights, cases, truth, method)
            counts[kinds, method, outcome, binding] += 1
            if outcome.startswith("wrong"):
                print(f"{outcome}: seed {seed}, {family}, {weights}, {method}, {kinds}", flush=True)


def write(path: Path, counts: Counter[tuple[str, str, str, bool]]) -> None:
    """Write comparisons by kinds and method, and how they ended."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for (kinds, method, outcome, binding), number in counts.items():
        row = rows.setdefault((kinds, method), Counter())
        row["wrong" if outcome.startswith("wrong") else outcome] += number
        row["binding"] += number * binding
    fields = ["proven", "proven, ties open", "impossible", "open", "refused", "wrong"]
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["constraints", "method", "cases", "binding", *fields])
        for (kinds, method), row in sorted(rows.items()):
            cases = sum(row[name] for name in fields)
            writer.writerow([kinds, method, cases, row["binding"], *(row[f] for f in fields)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2, help="of every family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    for seed in range(options.seed, options.seed + options.sets):
        against_all(seed, counts)
        write(options.out / "constraints.csv", counts)
    wrong = sum(
        number for (_, _, outcome, _), number in counts.items() if outcome.startswith("wrong")
    )
    cases = sum(number for (_, method, *_), number in counts.items() if method == "auto")
    binding = sum(number for (_, method, _, b), number in counts.items() if method == "auto" and b)
    print(f"{cases} cases, {binding} binding, {counts.total()} comparisons, {wrong} wrong")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
