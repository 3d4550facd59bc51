"""Beyond the papers: what γ of links gives independent annotators.

Of one text: processes that are none of the chance models. Of many: people who agree about every
document, but each one's annotations are put to documents at random. An annotation may come to its
own document again, as often as chance brings two of one document together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from experiments._independent import PITCH, PROCESSES, Habits, annotation, continuum
from experiments._zero import (
    FEWEST_SAMPLES,
    Independent,
    Row,
    StudyPart,
    ratio,
    study,
    study_measure,
)
from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.formats.reading import read_corpus
from gammacp.links.measures.disorder import links_on
from gammacp.links.measures.gamma_link import BeyondUnits
from gammacp.measures.measuring import measure
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings

Pairs: TypeAlias = list[tuple[int, int]]
Seen: TypeAlias = tuple[list[tuple[float, float, str | None]], list[tuple[int, int, str]]]
"""Units (start, end, label) and links (numbers of units, type)."""
# Of a corpus, one of them is one document.
SAMPLES = 60
NAMES = "gamma-link", "gamma-link-given-units"
CELLS = (
    "one near unlike 3x20", "one anywhere unlike 3x20", "tree unlike 3x20",
    "paragraphs unlike 3x20", "claims unlike 3x20", "as many as come unlike 3x20",
    "any pairs unlike 3x20", "one within reach unlike 3x20", "two near unlike 2x20",
    "one near like 3x60", "tree like 3x60",
)  # fmt: skip


def _near(units: int, rng: np.random.Generator, reach: int, number: int) -> Pairs:
    pairs: Pairs = []
    for i in range(units):
        around = [j for j in range(max(0, i - reach), min(units, i + reach + 1)) if j != i]
        if around:
            chosen = rng.choice(around, min(number, len(around)), replace=False)
            pairs += [(i, int(j)) for j in chosen]
    return pairs


def _within_reach(units: int, rng: np.random.Generator) -> Pairs:
    """Return a unit whose choice lies outside the text links nothing."""
    chosen = [(i, i + int(rng.choice([-3, -2, -1, 1, 2, 3]))) for i in range(units)]
    return [(i, j) for i, j in chosen if 0 <= j < units]


def _tree(units: int, rng: np.random.Generator) -> Pairs:
    """Neighbouring parts are joined at random, the one head below the other."""
    pairs: Pairs = []

    def head(low: int, high: int) -> int:
        if high - low == 1:
            return low
        cut = int(rng.integers(low + 1, high))
        a, b = head(low, cut), head(cut, high)
        above, below = (a, b) if rng.random() < 0.5 else (b, a)
        pairs.append((below, above))
        return above

    if units:
        head(0, units)
    return pairs


def _paragraphs(units: int, rng: np.random.Generator, least: int, *, first: bool) -> Pairs:
    """All units of a paragraph link to one of it."""
    pairs: Pairs = []
    low = 0
    while low < units:
        high = min(units, low + int(rng.integers(least, least + 5)))
        one = low if first else int(rng.integers(low, high))
        pairs += [(i, one) for i in range(low, high) if i != one]
        low = high
    return pairs


def _pairs(units: int, rng: np.random.Generator, reach: int, mean: float) -> Pairs:
    """Each pair within reach is linked or not."""
    near = [(i, j) for i in range(units) for j in range(units) if 0 < abs(i - j) <= reach]
    share = min(1.0, mean * units / max(1, len(near)))
    return [pair for pair in near if rng.random() < share]


PERMUTED = (
    "permuted one near 8x3x10", "permuted tree 8x3x10", "permuted claims 12x2x10",
    "permuted one near 20x3x5", "permuted tree 12x2x20",
)  # fmt: skip
# The texts of RSTmulti (Hewett 2025) that both people annotated, 15 segments each on average.
REAL, RST = "permuted rst 130x2x15", "rst/data"

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


def drawn(cell: str, rng: np.random.Generator, data: Path | None = None) -> Continuum:
    """Units of independent annotators, each of whom links the own ones; documents in a row."""
    if cell.startswith("permuted"):
        return _permuted(cell, rng, data)
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


def _permuted(cell: str, rng: np.random.Generator, data: Path | None) -> Continuum:
    """Documents as annotated, permuted for each annotator."""
    linker, documents, n, units = permuted(cell)
    seen_by_document, length = (
        (_planted(linker, documents, n, units, rng), units * PITCH)
        if linker in LINKERS
        else _real(str(data))
    )
    all_units, joins = [], []
    for k in range(n):
        who = f"A{k}"
        for place, document in enumerate(rng.permutation(documents)):
            ahead, (spans, links) = place * length, seen_by_document[document][k]
            for i, (start, end, label) in enumerate(spans):
                all_units.append(Unit(who, ahead + start, ahead + end, label, id=f"{place} {i}"))
            joins += [Link(who, kind, f"{place} {i}", f"{place} {j}") for i, j, kind in links]
    people, bounds = [f"A{k}" for k in range(n)], (0, documents * length)
    return Continuum.from_units(all_units, annotators=people, links=joins, bounds=bounds, name=cell)


def _planted(
    linker: str, documents: int, n: int, units: int, rng: np.random.Generator
) -> list[list[Seen]]:
    """Plant units and links by document and annotator; documents differ in density."""
    seen_by_document = []
    for _ in range(documents):
        density, share = float(np.clip(rng.lognormal(-0.125, 0.5), 0.3, 2.0)), rng.uniform(0.4, 1)
        starts, ends = annotation(Habits(density=density), units, rng)
        labels = rng.choice(list("abc"), len(starts))
        pairs = [x for x in LINKERS[linker](len(starts), rng) if rng.random() < share]
        links = [(i, j, "ab"[int(rng.random() < 0.3)]) for i, j in pairs]
        seen_by_document.append(
            [_seen(starts, ends, labels, links, units * PITCH, rng) for _ in range(n)]
        )
    return seen_by_document


@cache
def _real(data: str) -> tuple[list[list[Seen]], float]:
    """Trees of two annotators, relations as directed links; and how long the longest text is."""
    corpus, seen_by_document = read_corpus(Path(data) / RST), []
    both = [c for c in corpus.values() if c.annotators == corpus.annotators]
    for c in both:
        row: list[Seen] = []
        for name in corpus.annotators:
            units = [*c][c.rows_of(name)]
            place = {u.id: i for i, u in enumerate(units)}
            mine = [x for x in c.links if x.annotator == name]
            spans = [(u.start, u.end, u.category) for u in units]
            row.append((spans, [(place[x.source], place[x.target], x.type) for x in mine]))
        seen_by_document.append(row)
    return seen_by_document, max(c.bounds[1] for c in both)


def _seen(
    starts: Floats,
    ends: Floats,
    labels: NDArray[np.str_],
    links: Sequence[tuple[int, int, str]],
    length: float,
    rng: np.random.Generator,
) -> Seen:
    """Return one annotator's version of a document: units moved and missed, links too."""
    is_seen = rng.random(len(starts)) > 0.1
    number = np.cumsum(is_seen) - 1
    spans: list[tuple[float, float, str | None]] = []
    for k in np.flatnonzero(is_seen):
        low, high = np.clip(
            np.sort(np.array([starts[k], ends[k]]) + rng.normal(0, 1, 2)), 0, length
        )
        label = str(labels[k] if rng.random() > 0.1 else rng.choice(list("abc")))
        spans.append((float(low), float(high), label))
    links_seen = []
    for i, j, kind in links:
        end = int(rng.integers(len(starts))) if rng.random() < 0.2 else j
        if is_seen[i] and is_seen[end] and end != i:
            links_seen.append((int(number[i]), int(number[end]), kind))
    return spans, links_seen


def parsed(cell: str) -> tuple[str, str, int, int]:
    """Parse a cell's name: links, process, annotators and units per annotator."""
    linker, people, size = cell.rsplit(" ", 2)
    n, units = (int(x) for x in size.split("x"))
    return linker, people, n, units


def permuted(cell: str) -> tuple[str, int, int, int]:
    """Parse a cell's name: links, documents, annotators, and units per annotator and document."""
    linker, _, size = cell.removeprefix("permuted ").rpartition(" ")
    documents, n, units = (int(x) for x in size.split("x"))
    return linker, documents, n, units


def on_average(c: Continuum, seed: int) -> dict[str, float]:
    """γ of links by `cut`, and given the units."""
    scores = measure(c, NAMES, samples=FEWEST_SAMPLES, seed=seed, chance="cut")
    return {key: v for name, score in scores.items() for key, v in ratio(name, score).items()}


study_measure("zero-links", on_average)


def of_documents(c: Continuum, seed: int) -> dict[str, float]:
    """γ of the links of a corpus, its documents told apart again, by `documents`."""
    documents, continua = permuted(c.name)[1], {}
    length = c.bounds[1] / documents
    for k in range(documents):
        mine = [u for u in c if u.id.startswith(f"{k} ")]
        links = [x for x in c.links if x.source.startswith(f"{k} ")]
        continua[f"d{k}"] = Continuum.from_units(
            [replace(u, start=u.start - k * length, end=u.end - k * length) for u in mine],
            annotators=c.annotators,
            categories=c.categories,
            links=links,
            bounds=(0, length),
        )
    settings = Settings.of(samples=SAMPLES, seed=seed, chance="documents")
    basis = Basis(Corpus.from_continua(continua), settings, shared={})
    return ratio("gamma-link", BeyondUnits.of(basis, links_on(basis)).score("gamma-link"))


study_measure("zero-links-of-documents", of_documents)


def about(cell: str) -> Row:
    """Return the columns that describe a cell."""
    if cell.startswith("permuted"):
        linker, documents, n, units = permuted(cell)
        parameters = {"annotators": n, "units": units, "documents": documents}
        return {"links": linker, "process": "permuted", **parameters}
    linker, people, n, units = parsed(cell)
    return {"links": linker, "process": people, "annotators": n, "units": units, "documents": 1}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Every cell on 400 sets; real trees where they lie in `data`."""
    has_corpus = data is not None and (data / RST).exists()
    cells = PERMUTED[-1:] if quick else (*PERMUTED, REAL) if has_corpus else PERMUTED
    parts = (
        StudyPart("zero-links", CELLS[:1] if quick else CELLS, most=400),
        StudyPart("zero-links-of-documents", cells, most=400),
    )
    source = Independent("links", partial(drawn, data=data))
    study(out, source, parts, about, NAMES, quick=quick)
