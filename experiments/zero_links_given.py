"""Beyond the papers: what γ of links gives, given the units, independent people with habits.

All annotators have the same units, so that they agree in everything but the links, and nobody looks
at the text: each links by a habit of his or her own. The habits are those that a chance model may
miss: to any earlier unit, to the unit before, to hubs, to neighbours, along trees and paragraphs.
What is told above 0 is told wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments import zero_links
from experiments._independent import LENGTH, PITCH
from experiments._zero import (
    FEWEST_SAMPLES,
    SAMPLES,
    Independent,
    Row,
    StudyPart,
    findings,
    ratio,
    study,
    study_measure,
)
from experiments.zero_links import Pairs
from gammacp.continuum import Continuum, Link, Unit
from gammacp.measures.measuring import measure

Linker = Callable[[int, np.random.Generator], Pairs]
NAMES = "gamma-link", "gamma-link-given-units"
SETS = 200


def _chosen(weights: NDArray[Any], rng: np.random.Generator) -> int:
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def _earlier(units: int, rng: np.random.Generator) -> Pairs:
    """Each links to any earlier unit."""
    return [(i, int(rng.integers(i))) for i in range(1, units)]


def _mostly_previous(units: int, rng: np.random.Generator) -> Pairs:
    """Eight in ten link to the unit before, the others to any earlier one."""
    return [(i, i - 1 if rng.random() < 0.8 else int(rng.integers(i))) for i in range(1, units)]


def _beside(units: int, rng: np.random.Generator) -> Pairs:
    """Each links to the unit before or to the one after."""
    pairs = []
    for i in range(units):
        neighbours = [j for j in (i - 1, i + 1) if 0 <= j < units]
        pairs.append((i, int(rng.choice(neighbours))))
    return pairs


def _declining(units: int, rng: np.random.Generator) -> Pairs:
    """Each step further back is .6 times as probable."""
    return [(i, i - 1 - _chosen(0.6 ** np.arange(float(i)), rng)) for i in range(1, units)]


def _anywhere(units: int, rng: np.random.Generator) -> Pairs:
    return [(i, (i + int(rng.integers(1, units))) % units) for i in range(units)]


def _popular(units: int, rng: np.random.Generator, *, shuffled: bool, back: bool) -> Pairs:
    """Return the k-th most popular unit is chosen with a probability ∝ 1/k (Zipf)."""
    weights = 1 / np.arange(1, units + 1)
    if shuffled:
        weights = rng.permutation(weights)
    pairs = []
    for i in range(1 if back else 0, units):
        open_ = weights[:i] if back else np.where(np.arange(units) == i, 0.0, weights)
        pairs.append((i, _chosen(open_, rng)))
    return pairs


def _growing(units: int, rng: np.random.Generator) -> Pairs:
    """Return an earlier unit is chosen the more often, the more links it has."""
    weights = np.ones(units)
    pairs = []
    for i in range(1, units):
        j = _chosen(weights[:i], rng)
        weights[j] += 1
        pairs.append((i, j))
    return pairs


def _first_or_previous(units: int, rng: np.random.Generator) -> Pairs:
    """Four in ten link to the first unit, the others to the one before."""
    return [(i, 0 if rng.random() < 0.4 else i - 1) for i in range(1, units)]


def _mixed(units: int, rng: np.random.Generator) -> Pairs:
    """Link to the unit before (.4), to a hub (.3) or anywhere."""
    hub = int(rng.integers(units))
    pairs = []
    for i in range(units):
        kind = rng.random()
        if kind < 0.4 and i:
            pairs.append((i, i - 1))
        elif kind < 0.7 and i != hub:
            pairs.append((i, hub))
        else:
            pairs.append((i, (i + int(rng.integers(1, units))) % units))
    return pairs


def _left_tree(units: int, rng: np.random.Generator) -> Pairs:
    """Neighbouring parts are joined at random, the head of the right one below that of the left."""
    pairs: Pairs = []

    def join(low: int, high: int) -> None:
        if high - low > 1:
            cut = int(rng.integers(low + 1, high))
            pairs.append((cut, low))
            join(low, cut)
            join(cut, high)

    join(0, units)
    return pairs


def _some(linker: Linker, share: float) -> Linker:
    """Links of some of the units."""

    def link(units: int, rng: np.random.Generator) -> Pairs:
        return [pair for pair in linker(units, rng) if rng.random() < share]

    return link


def _own_habit(units: int, rng: np.random.Generator) -> Pairs:
    """One annotator has one habit, another another."""
    habits = (_earlier, _beside, _declining, _growing, _anywhere)
    return habits[int(rng.integers(len(habits)))](units, rng)


LINKERS: Mapping[str, Linker] = {
    "any earlier": _earlier,
    "mostly previous": _mostly_previous,
    "one beside": _beside,
    "declining": _declining,
    "anywhere": _anywhere,
    "own hubs": lambda n, rng: _popular(n, rng, shuffled=True, back=False),
    "first hubs": lambda n, rng: _popular(n, rng, shuffled=False, back=False),
    "own hubs behind": lambda n, rng: _popular(n, rng, shuffled=True, back=True),
    "growing": _growing,
    "first or previous": _first_or_previous,
    "mixed": _mixed,
    "left tree": _left_tree,
    "half any earlier": _some(_earlier, 0.5),
    "few any earlier": _some(_earlier, 0.2),
    "own habit": _own_habit,
    **{name: zero_links.LINKERS[name] for name in ("tree", "paragraphs", "claims", "two near")},
    "near": zero_links.LINKERS["one near"],
    "any pairs": zero_links.LINKERS["any pairs"],
}
TURNED, FREE = "turned ", "undirected "
CELLS = (
    *(f"{name} 2x20" for name in LINKERS),
    *(f"{name} 2x10" for name in ("any earlier", "mostly previous", "one beside", "first hubs")),
    *(
        f"{name} 2x60"
        for name in ("any earlier", "mostly previous", "one beside", "own hubs", "first hubs")
    ),
    *(f"{name} 3x20" for name in ("any earlier", "one beside", "first hubs")),
    *(f"{TURNED}{name} 2x20" for name in ("any earlier", "own hubs")),
    *(f"{FREE}{name} 2x20" for name in ("any earlier", "one beside", "own hubs", "anywhere")),
)


def parsed(cell: str) -> tuple[str, int, int]:
    """Return which links, annotators and units per annotator."""
    links, size = cell.rsplit(" ", 1)
    annotators, units = (int(x) for x in size.split("x"))
    return links, annotators, units


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """Draw links between units that all annotators have."""
    links, annotators, units = parsed(cell)
    kind = "undirected" if links.startswith(FREE) else "directed"
    turned = links.startswith(TURNED)
    linker = LINKERS[links.removeprefix(FREE).removeprefix(TURNED)]
    all_units, joins = [], []
    for k in range(annotators):
        who = f"A{k + 1}"
        for i in range(units):
            all_units.append(Unit(who, i * PITCH, i * PITCH + LENGTH, "u", id=str(i)))
        for i, j in linker(units, rng):
            ends = (j, i) if turned else (i, j)
            type_ = "ab"[int(rng.random() < 0.3)]
            joins.append(Link(who, type_, str(ends[0]), str(ends[1]), kind))
    return Continuum.from_units(all_units, links=joins, bounds=(0, units * PITCH), name=cell)


def of_links(c: Continuum, seed: int) -> dict[str, float]:
    """Return γ of links by `cut`, and given the units whether it is told above 0."""
    plain, given_units = NAMES
    by_cut = measure(c, [plain], samples=FEWEST_SAMPLES, seed=seed, chance="cut")[plain]
    score = measure(c, [given_units], samples=SAMPLES, seed=seed)[given_units]
    result_given_units = {} if score.p is None else findings(given_units, score, score.p)
    return {**ratio(plain, by_cut), **ratio(given_units, score), **result_given_units}


study_measure("zero-links-given", of_links)


def about(cell: str) -> Row:
    """Return what the columns say of a cell."""
    links, annotators, units = parsed(cell)
    return {"links": links, "annotators": annotators, "units": units}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Run every cell on 200 sets."""
    del data
    part = StudyPart("zero-links-given", CELLS[:1] if quick else CELLS, most=SETS)
    study(out, Independent("links_given", drawn), (part,), about, NAMES, quick=quick)
