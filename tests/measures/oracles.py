"""Slow oracles from the definitions, and random continua for them.

They work position by position, pair by pair, and over all matchings.
"""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np

from gammacp import Continuum, Unit

GAP = "φ"


def disjoint(
    rng: np.random.Generator,
    *,
    annotators: int = 2,
    length: int = 20,
    units: int = 4,
    categories: int = 3,
    offset: int = 0,
) -> Continuum:
    """Return up to `units` disjoint units at whole positions for each annotator."""
    rows = []
    for a in range(annotators):
        edges = np.sort(rng.integers(0, length + 1, size=2 * units))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if start < end and rng.random() < 0.8:
                label = str(rng.integers(1, categories + 1))
                rows.append(Unit(f"a{a}", int(start) + offset, int(end) + offset, label))
    return Continuum.from_units(
        rows,
        annotators=[f"a{a}" for a in range(annotators)],
        categories=[str(c + 1) for c in range(categories)],
        bounds=(offset, offset + length),
    )


def overlapping(
    rng: np.random.Generator,
    *,
    annotators: int = 2,
    length: int = 15,
    units: int = 4,
    categories: int = 3,
) -> Continuum:
    """Return up to `units` units anywhere for each annotator, some of length zero."""
    rows = []
    for a in range(annotators):
        for _ in range(rng.integers(0, units + 1)):
            start, end = np.sort(rng.integers(0, length + 1, size=2))
            rows.append(Unit(f"a{a}", int(start), int(end), str(rng.integers(1, categories + 1))))
    return Continuum.from_units(
        rows,
        annotators=[f"a{a}" for a in range(annotators)],
        categories=[str(c + 1) for c in range(categories)],
        bounds=(0, length),
    )


def sections(c: Continuum) -> list[list[tuple[int, int, str]]]:
    """Return (start, end, label) of units and gaps, per annotator."""
    tilings = []
    for name in c.annotators:
        tiling, reached = [], int(c.bounds[0])
        for u in sorted((u for u in c if u.annotator == name), key=lambda u: u.start):
            if u.start > reached:
                tiling.append((reached, int(u.start), GAP))
            tiling.append((int(u.start), int(u.end), u.category))
            reached = int(u.end)
        if reached < c.bounds[1]:
            tiling.append((reached, int(c.bounds[1]), GAP))
        tilings.append(tiling)
    return tilings


def atoms(c: Continuum) -> list[list[str]]:
    """Return the label of every position, per annotator."""
    return [[label for s, e, label in t for _ in range(e - s)] for t in sections(c)]


def u_alpha(c: Continuum, labels: list[list[str]] | None = None) -> float:
    """Compute uα from coincidences at every position and expectations over all pairs of
    positions.
    """
    labels = labels or atoms(c)
    m, length = len(labels), len(labels[0])
    observed = sum(
        labels[i][p] != labels[j][p]
        for p in range(length)
        for i in range(m)
        for j in range(m)
        if i != j
    ) / (m - 1)
    # Every position is assigned to its section; gaps are sections of one position each.
    flat, home = [], []
    for i, tiling in enumerate(sections(c)):
        for k, (s, e, label) in enumerate(tiling):
            for p in range(s, e):
                flat.append(labels[i][p - int(c.bounds[0])])
                home.append((i, p, "gap") if label == GAP else (i, k, "unit"))
    pairs = unlike = 0
    for x in range(len(flat)):
        for y in range(len(flat)):
            if home[x] != home[y]:
                pairs += 1
                unlike += flat[x] != flat[y]
    expected = m * length * unlike / pairs if pairs else 0
    return 1 - observed / expected if expected else math.nan


def binary_u_alpha(c: Continuum) -> float:
    folded = [[GAP if label == GAP else "unit" for label in row] for row in atoms(c)]
    return u_alpha(c, folded)


def u_alpha_2013(c: Continuum) -> float:
    """Compute the uα of 2013 over every pair of sections at every offset."""
    tilings = sections(c)
    m, length = len(tilings), int(c.length)
    observed = 0.0
    for x, y in permutations(tilings, 2):
        for s, e, label in x:
            for t, f, other in y:
                if label != other:
                    observed += max(0, min(e, f) - max(s, t)) ** 2
    observed /= length * m * (m - 1)
    pooled = [section for tiling in tilings for section in tiling]
    slides = 0
    for (s, e, label), (t, f, other) in permutations(pooled, 2):
        if label != other:
            a, b = e - s, f - t
            slides += sum((min(a, at + b) - max(0, at)) ** 2 for at in range(-b + 1, a))
    itself = sum((e - s) if label == GAP else (e - s) ** 2 for s, e, label in pooled)
    possible = (m * length) ** 2 - itself
    return 1 - observed / (slides / possible) if slides else math.nan


def cu_alpha(c: Continuum, squared: np.ndarray) -> float:
    """Compute cuα, for overlapping units too: every position that two units share is a
    coincidence.
    """
    m, k = c.n_annotators, len(c.categories)
    units = list(c)
    observed, itself = np.zeros((k, k)), np.zeros(k)
    for g in units:
        own = c.categories.index(g.category)
        for j in c.annotators:
            if j == g.annotator:
                continue
            covered = 0
            for h in units:
                if h.annotator == j:
                    shared = len(
                        set(range(int(g.start), int(g.end))) & set(range(int(h.start), int(h.end)))
                    )
                    observed[own, c.categories.index(h.category)] += shared / (m - 1)
                    covered += shared
            itself[own] += covered**2 / (m - 1)
    total = observed.sum()
    if not total or total - itself.sum() / total <= 1e-12:
        return math.nan
    expected = np.outer(observed.sum(0), observed.sum(1)) - np.diag(itself)
    expected /= total - itself.sum() / total
    disagreement = (squared * expected).sum()
    return 1 - (squared * observed).sum() / disagreement if disagreement else math.nan


def slot_error_counts(c: Continuum, first: str, second: str) -> tuple[float, int]:
    """Return the least SER cost of all one-to-one alignments, and the number of units."""
    left = [u for u in c if u.annotator == first]
    right = [u for u in c if u.annotator == second]

    def cost(u: Unit, v: Unit) -> float | None:
        same = (u.start, u.end) == (v.start, v.end)
        if min(u.end, v.end) <= max(u.start, v.start) and not (same and u.length == 0):
            return None
        return 0.5 * (u.category != v.category) + 0.5 * (not same)

    def best(i: int, free: tuple[int, ...]) -> float:
        if i == len(left):
            return len(free)
        found = 1 + best(i + 1, free)
        for j in free:
            pair = cost(left[i], right[j])
            if pair is not None:
                found = min(found, pair + best(i + 1, tuple(x for x in free if x != j)))
        return found

    return best(0, tuple(range(len(right)))), len(left)


def largest_matching(edges: list[tuple[int, int]]) -> int:
    """Return the size of the largest set of edges without common ends, by trying all sets."""
    for size in range(len(edges), 0, -1):
        for chosen in combinations(edges, size):
            ends = [(0, i) for i, _ in chosen] + [(1, j) for _, j in chosen]
            if len(set(ends)) == 2 * size:
                return size
    return 0
