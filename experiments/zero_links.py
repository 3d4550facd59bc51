"""Beyond the papers: what γ of links gives independent annotators of one text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from experiments._independent import PROCESSES, continuum
from experiments._zero import (
    FEWEST_SAMPLES,
    Independent,
    Part,
    Row,
    ratio,
    study,
    study_measure,
)
from gammacp.continuum import Continuum, Link
from gammacp.measures.registry import measure

Pairs: TypeAlias = list[tuple[int, int]]
NAMES = "gamma-link", "gamma-link-given-units"
CELLS = (
    "one near unlike 3x20", "one anywhere unlike 3x20", "tree unlike 3x20",
    "paragraphs unlike 3x20", "claims unlike 3x20", "as many as come unlike 3x20",
    "any pairs unlike 3x20", "one within reach unlike 3x20", "two near unlike 2x20",
    "one near like 3x60", "tree like 3x60",
)  # fmt: skip


def _near(units: int, rng: np.random.Generator, reach: int, number: int) -> Pairs:
    found: Pairs = []
    for i in range(units):
        around = [j for j in range(max(0, i - reach), min(units, i + reach + 1)) if j != i]
        if around:
            chosen = rng.choice(around, min(number, len(around)), replace=False)
            found += [(i, int(j)) for j in chosen]
    return found


def _within_reach(units: int, rng: np.random.Generator) -> Pairs:
    """A unit whose choice lies outside the text links nothing."""
    chosen = [(i, i + int(rng.choice([-3, -2, -1, 1, 2, 3]))) for i in range(units)]
    return [(i, j) for i, j in chosen if 0 <= j < units]


def _tree(units: int, rng: np.random.Generator) -> Pairs:
    """Neighbouring parts are joined at random, the one head below the other."""
    found: Pairs = []

    def head(low: int, high: int) -> int:
        if high - low == 1:
            return low
        cut = int(rng.integers(low + 1, high))
        a, b = head(low, cut), head(cut, high)
        above, below = (a, b) if rng.random() < 0.5 else (b, a)
        found.append((below, above))
        return above

    if units:
        head(0, units)
    return found


def _paragraphs(units: int, rng: np.random.Generator, least: int, *, first: bool) -> Pairs:
    """All units of a paragraph link to one of it."""
    found: Pairs = []
    low = 0
    while low < units:
        high = min(units, low + int(rng.integers(least, least + 5)))
        one = low if first else int(rng.integers(low, high))
        found += [(i, one) for i in range(low, high) if i != one]
        low = high
    return found


def _pairs(units: int, rng: np.random.Generator, reach: int, mean: float) -> Pairs:
    """Each pair within reach is linked or not."""
    near = [(i, j) for i in range(units) for j in range(units) if 0 < abs(i - j) <= reach]
    share = min(1.0, mean * units / max(1, len(near)))
    return [pair for pair in near if rng.random() < share]


LINKERS: Mapping[str, Callable[[int, np.random.Generator], Pairs]] = {
    "one near": lambda n, rng: _near(n, rng, 3, 1),
    "one anywhere": lambda n, rng: [x for x in _near(n, rng, n, 1) if rng.random() < 0.7],
    "two near": lambda n, rng: _near(n, rng, 5, 2),
    "tree": _tree,
    "paragraphs": lambda n, rng: _paragraphs(n, rng, 2, first=False),
    "claims": lambda n, rng: _paragraphs(n, rng, 1, first=True),
    "as many as come": lambda n, rng: _pairs(n, rng, 3, 1.0),
    "any pairs": lambda n, rng: _pairs(n, rng, n, 1.0),
    "one within reach": _within_reach,
}


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """Units of independent annotators, each of whom links the own ones."""
    linker, people, n, units = parsed(cell)
    c = continuum(PROCESSES[people](n), units, rng)
    ids, links = [""] * c.n_units, []
    for name in c.annotators:
        rows = np.arange(c.n_units)[c.rows_of(name)]
        for place, row in enumerate(rows[np.argsort(c.starts[rows], kind="stable")]):
            ids[row] = str(place)
        for i, j in LINKERS[linker](len(rows), rng):
            links.append(Link(name, "ab"[int(rng.random() < 0.3)], str(i), str(j)))
    named = [replace(unit, id=key) for unit, key in zip(c, ids, strict=True)]
    return Continuum.from_units(named, annotators=c.annotators, links=links, bounds=c.bounds)


def parsed(cell: str) -> tuple[str, str, int, int]:
    """Which links, and process, annotators and units per annotator."""
    linker, people, size = cell.rsplit(" ", 2)
    n, units = (int(x) for x in size.split("x"))
    return linker, people, n, units


def on_average(c: Continuum, seed: int) -> dict[str, float]:
    """γ of links by `cut`, and given the units."""
    found = measure(c, NAMES, samples=FEWEST_SAMPLES, seed=seed, chance="cut")
    return {key: v for name, score in found.items() for key, v in ratio(name, score).items()}


study_measure("zero-links", on_average)


def about(cell: str) -> Row:
    """What the columns say of a cell."""
    linker, people, n, units = parsed(cell)
    return {"links": linker, "process": people, "annotators": n, "units": units}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Every cell on 400 sets."""
    del data
    part = Part("zero-links", CELLS[:1] if quick else CELLS, most=400)
    study(out, Independent("links", drawn), (part,), about, NAMES, quick=quick)
