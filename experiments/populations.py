"""Beyond the papers: do intervals of γ over documents, over annotators and over both hold?

Annotators and documents are drawn anew in every run. Most runs draw what pairs of annotators cost
(`coverage.csv`): an annotator's care, a document's difficulty, what the one has with the other, and
the rest, all of which have a mean, so that γ of very many is known. Others draw annotations with
the Corpus Shuffling Tool and align them (`shuffled.csv`), where it is the mean of all corpora.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np

from experiments._common import write_csv
from gammacp.base.arrays import Floats, Indices
from gammacp.base.files import write_text
from gammacp.continuum import Continuum
from gammacp.inference.contributions import DOCUMENTS, Contributions
from gammacp.inference.populations import PairSums, PopulationIntervals, intervals_over
from gammacp.inference.resampling import interval_of_gamma
from gammacp.measures.agreement import agreement
from shuffling import ReferenceModel, shuffled_set

RUNS = 1000
MODEL = ReferenceModel(n_units=6)
THETA = 0.4
Row = dict[str, object]

# Standard deviations of logarithms: annotators, documents, annotators × documents, lengths; then
# the shape of the rest (the larger, the less of it).
KINDS: dict[str, tuple[float, float, float, float, float]] = {
    "annotators alike": (0.0, 0.3, 0.0, 0.3, 6.0),
    "alike but for documents": (0.0, 0.3, 0.4, 0.3, 6.0),
    "annotators differ by .2": (0.2, 0.3, 0.2, 0.3, 6.0),
    "annotators differ by .5": (0.5, 0.3, 0.2, 0.3, 6.0),
    "documents alike": (0.5, 0.0, 0.0, 0.0, 6.0),
    "documents differ by .8": (0.3, 0.8, 0.3, 0.6, 6.0),
    "few units": (0.3, 0.3, 0.3, 0.3, 0.7),
    "no disorder in half": (0.3, 0.5, 0.5, 0.3, 3.0),
    "one in seven careless": (0.0, 0.3, 0.2, 0.3, 6.0),
    "two schools": (0.0, 0.3, 0.2, 0.3, 6.0),
}
# Number of annotators, and number of annotators per document.
DESIGNS: dict[str, tuple[int, int]] = {
    "all 3": (3, 3), "all 4": (4, 4), "all 5": (5, 5), "all 10": (10, 10), "all 20": (20, 20),
    "3 of 6": (6, 3), "2 of 6": (6, 2), "2 of 20": (20, 2),
}  # fmt: skip
NEW, CROWD = "3 new ones each", "3 of a crowd of 15"
DOCUMENTS_OF = (5, 10, 30, 100)


# Shuffled corpora: annotators, documents, standard deviation of the annotators' magnitudes (logs).
SHUFFLED = ((3, 10, 0.4), (3, 30, 0.4), (5, 10, 0.4), (3, 10, 0.0))
ERROR, MAGNITUDE, SHUFFLED_RUNS = "position+category+false-negative", 0.3, 1000


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`coverage.csv`, `shuffled.csv`, and `tables.md`, which docs/populations.md shows."""
    del data
    rows = list(covered(20 if quick else RUNS, (5, 10) if quick else DOCUMENTS_OF))
    write_csv(out / "coverage.csv", rows)
    write_text(out / "tables.md", "\n\n".join(tables(rows)) + "\n")
    checked = [r for s in SHUFFLED for r in shuffled(*s, runs=3 if quick else SHUFFLED_RUNS)]
    write_csv(out / "shuffled.csv", checked)


def covered(runs: int, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Yield rows for every process with every design."""
    for kind in KINDS:
        for design in (*DESIGNS, NEW, CROWD):
            for n in sizes:
                yield from cell(kind, design, n, runs)


def cell(kind: str, design: str, n: int, runs: int) -> list[Row]:
    """Return a row per interval for one process, design and number of documents."""
    g = np.random.default_rng(crc32(repr((kind, design, n)).encode()))
    intervals, truths = [], []
    for _ in range(runs):
        people, is_present = annotators_of(design, n, g)
        sums, on_these = drawn(kind, people, is_present, g)
        intervals.append(over(sums))
        truths.append(on_these)
    about: Row = {"process": kind, "annotators": design, "documents": n}
    return list(held(about, intervals, THETA, truths))


def held(
    about: Row, intervals: list[PopulationIntervals], theta: float, on_these: list[float]
) -> Iterator[Row]:
    """Yield a row per interval: how often it holds 1 − θ, or 1 − θ of these documents."""
    for name, over_name, truths in (
        ("documents, annotators new", "documents", [theta] * len(intervals)),
        ("annotators", "annotators", on_these),
        ("both", "both", [theta] * len(intervals)),
    ):
        if not truths:
            continue
        ends = [getattr(f, over_name) or (math.nan, math.nan) for f in intervals]
        holds = [low <= 1 - t <= high for (low, high), t in zip(ends, truths, strict=True)]
        widths = np.array([high - low for low, high in ends])
        yield {
            "over": name,
            **about,
            "runs": len(intervals),
            "coverage": float(np.mean(holds)),
            "width": float(np.nanmedian(widths)) if np.isfinite(widths).any() else math.nan,
            "none": float(np.isnan(widths).mean()),
        }


def over(sums: PairSums) -> PopulationIntervals:
    """Return all three intervals, as computed by `gammacp gamma`."""
    o, e = (
        np.bincount(sums.document, x).astype(np.float64) for x in (sums.observed, sums.expected)
    )
    return intervals_over(sums, interval_of_gamma(Contributions(o, e, DOCUMENTS)).interval)


def annotators_of(design: str, n: int, g: np.random.Generator) -> tuple[int, Indices]:
    """Draw the number of annotators and those of each document: shape (documents, each)."""
    if design == NEW:
        return 3 * n, np.arange(3 * n).reshape(n, 3)
    if design == CROWD:
        active = g.pareto(1.2, 15) + 0.05
        share = active / active.sum()
        return 15, np.array([g.choice(15, 3, replace=False, p=share) for _ in range(n)])
    people, each = DESIGNS[design]
    return people, np.argsort(g.random((n, people)), axis=1)[:, :each]


def drawn(
    kind: str, people: int, is_present: Indices, g: np.random.Generator
) -> tuple[PairSums, float]:
    """Draw pair sums; also return 1 − γ of very many annotators on these documents."""
    annotators, documents, cells, lengths, shape = KINDS[kind]
    n = len(is_present)
    care = _lognormal(g, annotators, (people,))
    if kind == "one in seven careless":
        care = np.where(g.random(people) < 1 / 7, 3.0, 1.0) / (9 / 7)
    level, length = _lognormal(g, documents, (n,)), _lognormal(g, lengths, (n,))
    if kind == "no disorder in half":
        level = level * (g.random(n) < 0.5) * 2
    school = g.random(people) < 0.5
    rates = care[is_present] * _lognormal(g, cells, is_present.shape)
    i, j = np.triu_indices(is_present.shape[1], 1)
    mean = THETA * level[:, None] * (rates[:, i] + rates[:, j]) / 2
    if kind == "two schools":
        mean = mean * np.where(school[is_present[:, i]] == school[is_present[:, j]], 2 / 3, 4 / 3)
    k = np.broadcast_to(shape * length[:, None], mean.shape)
    weight = np.broadcast_to(length[:, None] / len(i), mean.shape)
    pairs = np.stack((is_present[:, i], is_present[:, j]), axis=-1).reshape(-1, 2)
    costs = weight * mean * g.gamma(k, 1 / k)
    where = np.repeat(np.arange(n), len(i))
    sums = PairSums.of_pairs(where, pairs, costs.ravel(), weight.ravel())
    return sums, THETA * float((level * length).sum() / length.sum())


def _lognormal(g: np.random.Generator, s: float, shape: tuple[int, ...]) -> Floats:
    """Draw from a lognormal distribution of mean 1."""
    return np.asarray(np.exp(s * g.standard_normal(shape) - s * s / 2))


def shuffled(people: int, n: int, spread: float, *, runs: int) -> Iterator[Row]:
    """Yield rows of annotators with own magnitudes, on documents of different difficulty."""
    g = np.random.default_rng(crc32(repr((people, n, spread)).encode()))
    intervals, totals = [], np.zeros(2)
    for seed in range(runs):
        annotators = MAGNITUDE * _lognormal(g, spread, (people,))
        magnitudes = np.clip(annotators * _lognormal(g, 0.3, (n, 1)), 0.0, 1.0)
        continua = {str(d): annotated(row, d, seed) for d, row in enumerate(magnitudes)}
        agreed = agreement(continua, samples=100, seed=seed)
        parts = agreed.contributions()
        totals += parts.observed.sum(), parts.expected.sum()
        entry = agreed.over()
        assert entry is not None
        intervals.append(entry)
    about: Row = {"process": f"shuffled, {spread:g}", "annotators": f"all {people}", "documents": n}
    yield from held(about, intervals, float(totals[0] / totals[1]), [])


def annotated(magnitudes: Floats, document: int, seed: int) -> Continuum:
    """Return a reference, annotated by one person of each magnitude."""
    people, units = len(magnitudes), []
    for a, magnitude in enumerate(magnitudes.tolist()):
        annotated_set = shuffled_set(
            MODEL, ERROR, magnitude, people, index=document, model=MODEL, seed=seed
        )  # fmt: skip
        name = annotated_set.annotators[a]
        units += [
            u for u in map(annotated_set.unit, range(annotated_set.n_units)) if u.annotator == name
        ]
    return Continuum.from_units(
        units, annotators=annotated_set.annotators, bounds=annotated_set.bounds
    )


def tables(rows: list[Row]) -> Iterator[str]:
    """Return a table per interval: coverage by design and documents, least and greatest."""
    sizes = list(dict.fromkeys(r["documents"] for r in rows))
    lacking = ("one in seven careless", "two schools")
    for name in dict.fromkeys(r["over"] for r in rows):
        lines = [f"| over {name}; documents: | {' | '.join(map(str, sizes))} |"]
        lines += [f"|---{'|---' * len(sizes)}|"]
        for design in dict.fromkeys(r["annotators"] for r in rows):
            cells = []
            for n in sizes:
                mine = [
                    r
                    for r in rows
                    if (r["over"], r["annotators"], r["documents"]) == (name, design, n)
                    and r["process"] not in lacking
                ]
                shares = [float(str(r["coverage"])) for r in mine]
                width = np.median([float(str(r["width"])) for r in mine])
                text = f"{min(shares):.2f}–{max(shares):.2f} ({width:.2f})"
                cells.append(text.replace("0.", "."))
            lines.append(f"| {design} | {' | '.join(cells)} |")
        yield "\n".join(lines)
