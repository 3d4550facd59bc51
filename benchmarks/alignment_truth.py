"""Alignments against the truth: python benchmarks/alignment_truth.py [--sets N] [--base CHECKOUT].

Small random continua of many families are aligned by every exact method, and compared with the best
of all partitions (for soft γ: covers). That is found here, from the definition (Mathet et al. 2015,
eq. 3 to 5 and §4.5) and without any part of gammacp's solver: dynamic programming over sets of
units. Where an alignment says that it is the first of several best ones, it must have the fewest
unitary alignments, and of these the least Σ d_cat.

With `--base`, larger continua are compared with another checkout, whose engine is another one.
Writes alignment-truth.csv: comparisons, proven ones and wrong ones, by family and method. Seeds run
from `--seed`, so that a later run can take up where one has ended.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gammacp as gc

HERE = Path(__file__).parent
# Costs closer than this count as equal: far above rounding errors, far below random differences.
EQUAL = 1e-7
WEIGHTS = [(1, 1, 1), (3, 1, 1), (1, 0, 1), (0, 1, 1), (0.2, 3, 1), (1, 1, 0.25), (1, 1, 7)]


class Units(NamedTuple):
    """Columns of units; category −1 is unlabelled."""

    n_annotators: int
    annotator: Any
    start: Any
    end: Any
    category: Any


class Best(NamedTuple):
    """Cost of the best alignment, with its groups and its Σ d_cat, the least among equal costs."""

    cost: float
    groups: int
    second: float


# ---- families ----------------------------------------------------------------------------------


def drawn(
    rng: np.random.Generator,
    n: int,
    units: int,
    *,
    places: float,
    shortest: int = 1,
    longest: int = 8,
    categories: int = 3,
    unlabelled: bool = False,
) -> Units:
    """Draw units at whole numbers, anywhere, each of any annotator."""
    start = rng.integers(0, int(places) + 1, units).astype(float)
    length = rng.integers(shortest, longest + 1, units)
    category = rng.integers(-1 if unlabelled else 0, categories, units)
    return Units(n, rng.integers(0, n, units), start, start + length, category)


def anywhere(places: float, **kinds: Any) -> Callable[[np.random.Generator], Units]:
    """Return a family: three to five annotators with eight to eleven units in all."""

    def draw(rng: np.random.Generator) -> Units:
        n = int(rng.integers(3, 6))
        return drawn(rng, n, int(rng.integers(8, 12)), places=places, **kinds)

    return draw


def crew(n: int, units: int, places: float, **kinds: Any) -> Callable[[np.random.Generator], Units]:
    """Return a family of `n` annotators with the same number of units each."""

    def draw(rng: np.random.Generator) -> Units:
        drawn_units = drawn(rng, n, n * units, places=places, **kinds)
        return drawn_units._replace(annotator=np.arange(n * units) % n)

    return draw


def changed(
    make: Callable[[np.random.Generator], Units], change: Callable[[Any], Any]
) -> Callable[[np.random.Generator], Units]:
    """Return a family like another one, with changed positions."""

    def draw(rng: np.random.Generator) -> Units:
        units = make(rng)
        return units._replace(start=change(units.start), end=change(units.end))

    return draw


def jittered(rng: np.random.Generator) -> Units:
    """Four annotators who move the same units by real numbers, and change one category in five."""
    n, size = 4, 3
    start = np.tile(10.0 * np.arange(size), n) + rng.normal(0, 3, n * size)
    own_categories = rng.integers(0, 3, n * size)
    shared = np.tile(rng.integers(0, 3, size), n)
    category = np.where(rng.random(n * size) < 0.2, own_categories, shared)
    end = start + rng.uniform(4, 9, n * size)
    is_kept = rng.random(n * size) < 0.9
    is_kept[0] = True
    annotator = np.repeat(np.arange(n), size)
    return Units(n, annotator[is_kept], start[is_kept], end[is_kept], category[is_kept])


def spot(rng: np.random.Generator) -> Units:
    """All units within .3 of each other, so that costs differ by little, yet beyond tolerances."""
    units = drawn(rng, 4, 11, places=3, categories=2)
    start = 10 + rng.uniform(0, 0.3, 11)
    return units._replace(start=start, end=start + 10 + rng.uniform(0, 0.3, 11))


def repeated(rng: np.random.Generator) -> Units:
    """Three different units at most, each several times: merged where that halves their number."""
    units = drawn(rng, 3, 11, places=12)
    row = rng.integers(0, 3, 11)
    return units._replace(start=units.start[row], end=units.end[row], category=units.category[row])


def unequal(rng: np.random.Generator) -> Units:
    """One annotator has most units, one has none."""
    units = drawn(rng, 4, 11, places=20)
    return units._replace(annotator=np.where(rng.random(11) < 0.6, 0, rng.integers(1, 3, 11)))


def chain(rng: np.random.Generator) -> Units:
    """Units that overlap the next one by half, by annotators in turn: many best alignments."""
    n, units = int(rng.integers(3, 5)), 11
    start = 2.0 * np.arange(units)
    return Units(n, np.arange(units) % n, start, start + 4, rng.integers(0, 2, units))


FAMILIES: dict[str, Callable[[np.random.Generator], Units]] = {
    "whole numbers, dense": anywhere(6),
    "whole numbers, sparse": anywhere(60),
    "whole numbers, some length 0": anywhere(15, shortest=0, longest=3),
    "length 0": anywhere(4, shortest=0, longest=0),
    "long and short": anywhere(40, longest=60),
    "unlabelled": anywhere(20, unlabelled=True),
    "one category": anywhere(20, categories=1),
    "many categories": anywhere(12, categories=9),
    "one length": anywhere(12, shortest=4, longest=4),
    "real numbers": jittered,
    "one spot": spot,
    "units repeated": repeated,
    "unequal annotators": unequal,
    "chain": chain,
    "two annotators": crew(2, 6, 15),
    "two annotators, dense": crew(2, 6, 2, categories=2),
    "three annotators": crew(3, 4, 15),
    "six annotators": crew(6, 2, 10),
    "eight annotators": crew(8, 1, 6),
    "eleven annotators": crew(11, 1, 12),
    "far from 0": changed(anywhere(20), lambda x: x + 2.0**30),
    "below 0": changed(anywhere(20), lambda x: x - 100),
    "tiny": changed(anywhere(20), lambda x: x * 2.0**-30),
    "huge": changed(anywhere(20), lambda x: x * 2.0**40),
}


# ---- the truth ---------------------------------------------------------------------------------


def pair_costs(units: Units, alpha: float, beta: float, delta: float) -> tuple[Any, Any]:
    """Return d and d_cat of all pairs: sporadic positions and nominal categories."""
    start, end = units.start, units.end
    apart = np.abs(start[:, None] - start) + np.abs(end[:, None] - end)
    lengths = (end - start)[:, None] + (end - start)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(apart == 0, 0.0, apart / lengths)
    by_place = delta * relative**2 if alpha else np.zeros_like(apart)
    by_label = delta * (units.category[:, None] != units.category)
    return (alpha * by_place if alpha else by_place) + beta * by_label, beta * by_label


def best_of_all(units: Units, weights: tuple[float, float, float], *, cover: bool) -> Best:
    """Find the best of all partitions (covers) by dynamic programming.

    States are sets of covered units. For each unit in turn that is not yet covered, every group
    that contains it is tried. In a partition, it is the first unit of this group; in a cover, it
    can be any unit of it.
    """
    costs, seconds = (m.tolist() for m in pair_costs(units, *weights))
    n, size, delta = units.n_annotators, len(units.start), weights[2]
    by_annotator = [[-1, *np.flatnonzero(units.annotator == a).tolist()] for a in range(n)]
    groups: list[list[tuple[int, float, float]]] = [[] for _ in range(size)]
    for row in product(*by_annotator):
        inside = [u for u in row if u >= 0]
        if not inside:
            continue
        pairs = [(u, v) for i, u in enumerate(inside) for v in inside[:i]]
        missing = math.comb(n, 2) - len(pairs)
        cost = delta * missing + sum(costs[u][v] for u, v in pairs)
        if math.isinf(cost):
            continue
        candidate = sum(1 << u for u in inside), cost, sum(seconds[u][v] for u, v in pairs)
        # A partition needs a group by its first unit only, a cover by any: what is covered of it
        # before need not be its first units.
        for u in inside if cover else [min(inside)]:
            groups[u].append(candidate)
    best: list[dict[int, Best]] = [{} for _ in range(size + 1)]
    best[0][0] = Best(0.0, 0, 0.0)
    for u in range(size):
        for covered, at in best[u].items():
            if covered >> u & 1:
                keep(best[u + 1], covered, at)
                continue
            for mask, cost, second in groups[u]:
                if cover or not mask & covered:
                    more = Best(at.cost + cost, at.groups + 1, at.second + second)
                    keep(best[u + 1], covered | mask, more)
    return best[size][(1 << size) - 1]


def keep(best_by_covered: dict[int, Best], covered: int, candidate: Best) -> None:
    """Store a solution for a set of covered units if it is better than the known one."""
    if covered not in best_by_covered or is_better(candidate, best_by_covered[covered]):
        best_by_covered[covered] = candidate


def is_better(one: Best, other: Best) -> bool:
    """Return whether `one` is better: by cost, then by fewer groups, then by a smaller Σ d_cat."""
    if abs(one.cost - other.cost) > EQUAL * 1e-3 * max(1.0, other.cost):
        return one.cost < other.cost
    if one.groups != other.groups:
        return one.groups < other.groups
    return one.second < other.second


# ---- comparisons -------------------------------------------------------------------------------


def continuum_of(units: Units) -> gc.Continuum:
    names = tuple(f"A{i:02}" for i in range(units.n_annotators))
    order = np.argsort(units.annotator, kind="stable")
    columns = (units.start[order], units.end[order], units.annotator[order], units.category[order])
    return gc.Continuum.from_codes(names, tuple("abcdefghi"), *columns)


def verdict(
    units: Units, weights: tuple[float, float, float], truth: Best, alignment: gc.Alignment
) -> str:
    """Return `proven`, `open`, or a description of the error."""
    n = units.n_annotators
    scale = math.comb(n, 2) * (len(units.start) / n)
    disorder, slack = truth.cost / scale, EQUAL * max(1.0, truth.cost / scale)
    if alignment.status != "optimal":
        inside = alignment.bound <= disorder + slack and disorder <= alignment.disorder + slack
        return "open" if inside else "wrong bound"
    if abs(alignment.disorder - disorder) > slack:
        return "wrong disorder"
    if not alignment.first:
        return "proven, ties open"
    groups = alignment.unitary_alignments
    if len(groups) != truth.groups:
        return "wrong tie"
    second = 0.0
    for group in groups:
        labels = [unit.category for unit in group.units.values() if unit is not None]
        differing = sum(a != b for i, a in enumerate(labels) for b in labels[:i])
        second += weights[1] * weights[2] * differing
    return "proven" if abs(second - truth.second) <= EQUAL * max(1.0, second) else "wrong tie"


def methods_for(units: Units, *, cover: bool) -> list[str]:
    if cover:
        return ["auto", "cpsat", "enumeration"]
    methods = ["auto", "cpsat", "enumeration", "generation"]
    if units.n_annotators <= 8:
        # Of eleven units together, HiGHS takes longer than all other methods of all families.
        methods.append("milp")
    if units.n_annotators == 2:
        methods.append("bipartite")
    return methods


def against_all(seed: int, counts: Counter[tuple[str, str, str]]) -> None:
    """Draw and compare every family once; weights take turns, one in four is a cover."""
    for number, (family, draw) in enumerate(FAMILIES.items()):
        rng = np.random.default_rng([seed, number])
        units, weights = draw(rng), WEIGHTS[(seed + number) % len(WEIGHTS)]
        cover = (seed + number // 2) % 4 == 3
        truth = best_of_all(units, weights, cover=cover)
        continuum = continuum_of(units)
        alpha, beta, delta = weights
        dissimilarity = gc.Combined(alpha=alpha, beta=beta, delta=delta)
        for method in methods_for(units, cover=cover):
            alignment = gc.align(continuum, dissimilarity, method=method, cover=cover)
            outcome = verdict(units, weights, truth, alignment)
            counts[family, f"{method}{', cover' if cover else ''}", outcome] += 1
            if outcome.startswith("wrong"):
                got = f"{alignment.disorder!r} ({alignment.status}) of {truth}"
                print(f"{outcome}: seed {seed}, {family}, {weights}, {method}: {got}", flush=True)


# ---- another engine ----------------------------------------------------------------------------

SERVE = """
import json, sys
import numpy as np
import gammacp as gc
for line in sys.stdin:
    names, categories, *columns = json.loads(line)
    columns = [np.array(c) for c in columns]
    c = gc.Continuum.from_codes(tuple(names), tuple(categories), *columns)
    found = gc.align(c)
    print(json.dumps([found.disorder, found.bound, str(found.status), found.first,
                      sorted(map(sorted, found.groups.tolist()))]), flush=True)
"""
LARGE = [
    "2x40:{}:random",
    "2x200:{}:jittered",
    "2x60:{}:spot",
    "3x20:{}:random",
    "3x60:{}:overlapping",
    "3x100:{}:jittered",
    "4x20:{}:observed",
    "5x10:{}:random",
    "5x30:{}:jittered",
    "6x8:{}:random",
    "8x5:{}:overlapping",
    "10x10:{}:jittered",
    "20x4:{}:overlapping",
    "30x3:{}:crowd",
]


def against_base(
    server: subprocess.Popen[str], seed: int, counts: Counter[tuple[str, str, str]]
) -> None:
    """Align one larger continuum of each kind with both engines."""
    from alignment_case import instance

    for case in LARGE:
        c = instance(case.format(seed))
        columns = c.starts, c.ends, c.annotator_codes, c.category_codes
        request = [c.annotators, c.categories, *(column.tolist() for column in columns)]
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        disorder, bound, status, first, groups = json.loads(server.stdout.readline())
        # CP-SAT alone would compare packings of nearly equal costs until its steps are used up.
        for method in ("auto",) if case.endswith("spot") else ("auto", "cpsat"):
            alignment = gc.align(c, method=method)
            outcome = "open"
            slack = EQUAL * max(1.0, disorder)
            if alignment.bound > disorder + slack or bound > alignment.disorder + slack:
                outcome = "wrong bound"
            elif alignment.status == "optimal" == status:
                outcome = "proven"
                if abs(alignment.disorder - disorder) > slack:
                    outcome = "wrong disorder"
                elif not (alignment.first and first):
                    outcome = "proven, ties open"
                elif sorted(map(sorted, alignment.groups.tolist())) != groups:
                    outcome = "wrong tie"
            counts[case.format("*"), f"{method}, other engine", outcome] += 1
            if outcome.startswith("wrong"):
                print(
                    f"{outcome}: {case.format(seed)}, {method}: {alignment.disorder!r}", flush=True
                )


def write(path: Path, counts: Counter[tuple[str, str, str]]) -> None:
    """Write comparisons by family and method, and how they ended."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for (family, method, outcome), number in counts.items():
        rows.setdefault((family, method), Counter())[outcome] += number
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["family", "method", "comparisons", "proven", "ties open", "open", "wrong"])
        for (family, method), outcome in rows.items():
            wrong = sum(number for name, number in outcome.items() if name.startswith("wrong"))
            proven = outcome["proven"] + outcome["proven, ties open"]
            numbers = [proven, outcome["proven, ties open"], outcome["open"], wrong]
            writer.writerow([family, method, outcome.total(), *numbers])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=10, help="of every family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--base", help="checkout whose engine aligns larger continua")
    parser.add_argument("--python", default=sys.executable, help="Python of that checkout")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    server = None
    if options.base:
        server = subprocess.Popen(
            [options.python, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": options.base},
        )
    for seed in range(options.seed, options.seed + options.sets):
        against_all(seed, counts)
        if server is not None:
            against_base(server, seed, counts)
        write(options.out / "alignment-truth.csv", counts)
    wrong = sum(number for (_, _, outcome), number in counts.items() if outcome.startswith("wrong"))
    print(f"{counts.total()} comparisons, {wrong} wrong")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
