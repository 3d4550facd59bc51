"""Beyond the papers: how often is a sentence of the verdict wrong?

A sentence is false where nothing stands out and something is named, or where γ is on the bar and a
word for one side is said. Every process has annotators, labels or kinds of difference that are
alike (`experiments._parts` and those below); the last study goes the whole way, from units through
their alignment to the sentences. A rate has its upper 95 % limit (Clopper & Pearson, one-sided).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from experiments import _parts as process
from experiments._common import write_csv
from experiments.tests_hold import INTERVALS, PEOPLE, TEXTS, WITHOUT, generator, upper
from gammacp.base.arrays import Bools, Floats
from gammacp.base.files import write_text
from gammacp.campaign.compare import compare
from gammacp.campaign.statements import LEVEL, LEVEL_OF_PAIRS
from gammacp.campaign.verdict import (
    ALIGNED_FOR_MORE,
    CONFIDENCE,
    DOCUMENTS_FOR_MORE,
    HIGH,
    LOW,
    lowest_elsewhere,
    verdict,
)
from gammacp.continuum import Continuum, Unit
from gammacp.inference.contributions import ALIGNMENTS, DOCUMENTS, Contributions
from gammacp.inference.part_tests import (
    STRETCHES,
    below_the_rest,
    gain,
    holm,
    independent_parts,
)
from gammacp.inference.resampling import interval_of_gamma
from gammacp.measures.gamma import gamma

RUNS = 1000
Row = dict[str, object]
LABELS = ("independent", "hard documents", "hard for a label", "one label rare", "spells")
KINDS = ("alike", "skewed", "one in bursts", "long documents worse")
WHOLE = {
    "documents, careful": (3, 8, 6, 0.03, 0.05, 0.5),
    "documents, careless": (3, 8, 6, 0.15, 0.2, 1.2),
    "four, few documents": (4, 5, 6, 0.1, 0.1, 0.8),
    "one text": (3, 1, 30, 0.1, 0.1, 0.8),
}
"""Annotators, documents, units each, shares missed and mislabelled, spread of a boundary."""


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`rates.csv`, and the same as `tables.md`, which docs/verdict.md shows."""
    del data
    runs = 20 if quick else RUNS
    rows = [
        *words(runs),
        *pairs(runs),
        *labels(runs),
        *kinds(runs),
        *material(runs),
        *whole(runs // 4),
    ]
    write_csv(out / "rates.csv", rows)
    write_text(out / "tables.md", tables(rows))


def tables(rows: list[Row]) -> str:
    """Every row, in a table per sentence."""
    blocks = []
    for sentence in dict.fromkeys(r["sentence"] for r in rows):
        mine = [r for r in rows if r["sentence"] == sentence]
        head = f"| {sentence} | runs | false, % (upper limit) |\n|---|---|---|"
        body = (
            f"| {r['process']} | {r['runs']} | "
            + f"{r['false']:.1%} ({r['upper']:.1%})".replace("%", "")
            + " |"
            for r in mine
        )
        blocks.append("\n".join([head, *body]))
    return "\n\n".join(blocks) + "\n"


def rate(sentence: str, cell: str, hits: Bools) -> Row:
    """Return a row: the share of runs with a false sentence, and its upper limit."""
    n, k = hits.size, int(hits.sum())
    return {"sentence": sentence, "process": cell, "runs": n, "false": k / n, "upper": upper(k, n)}


def words(runs: int) -> Iterator[Row]:
    """High, or low, of more material like this, where γ is on the bar itself."""
    for bar, sentence in ((HIGH, "high, of more"), (LOW, "low, of more")):
        for name, make in INTERVALS.items():
            cell = f"{name}, {DOCUMENTS_FOR_MORE} documents"
            yield rate(
                sentence, cell, _beyond(make, DOCUMENTS_FOR_MORE, bar, DOCUMENTS, cell, runs)
            )
        for name in TEXTS:
            cell = f"{name}, text of {ALIGNED_FOR_MORE}"
            hits = _beyond(_text(name), ALIGNED_FOR_MORE, bar, ALIGNMENTS, cell, runs)
            yield rate(sentence, cell, hits)


def _text(name: str) -> Callable[[int], process.Process]:
    return lambda n: process.text(name, n)


def _beyond(
    make: Callable[[int], process.Process], n: int, bar: float, kind: str, cell: str, runs: int
) -> Bools:
    """Return whether the interval lies wholly beyond the true γ, which is put on the bar."""
    g = generator("words", cell, bar)
    factor = (1 - bar) / process.THETA
    observed, expected = make(500)(g, 1000, factor)
    true = 1 - observed.sum() / expected.sum()
    hits = []
    for o, e in zip(*make(n)(g, runs, factor), strict=True):
        parts = Contributions(o, e, kind)
        interval = interval_of_gamma(parts, confidence=CONFIDENCE)
        low = interval.low if kind == ALIGNMENTS else lowest_elsewhere(interval.low, n)
        hits.append(low >= true if bar == HIGH else interval.high < true)
    return np.array(hits)


def pairs(runs: int) -> Iterator[Row]:
    """One text in twelve stretches, annotators alike: is a pair named?"""
    for kind in WITHOUT:
        for people, units in PEOPLE:
            if kind == "friends":  # their pairs are not alike
                continue
            g = generator("pairs", kind, people, units)
            apart, is_present = process.annotators_of_text(kind, people, units)(g, runs)
            edges = np.round(np.linspace(0, units, STRETCHES + 1)[:-1]).astype(int)
            observed = np.stack([np.add.reduceat(d, edges, 1) for d in apart.values()], axis=1)
            chance = [0.8 * is_present[:, list(pair)].mean(axis=1) for pair in apart]
            expected = np.stack([np.add.reduceat(e, edges, 1) for e in chance], axis=1)
            comparison = below_the_rest(observed, expected)
            hits = np.asarray(
                ((holm(comparison.p) <= LEVEL_OF_PAIRS) & (comparison.value > 0)).any(axis=1)
            )
            yield rate("pair", f"{kind}, {people} × {units}", hits)


def labels(runs: int) -> Iterator[Row]:
    """Labels that are disputed alike, in documents or stretches: is one named?"""
    for kind in LABELS:
        for n, size in ((6, 10), (12, 3), (12, 10), (40, 5)):
            for many in (2, 5):
                g = generator("labels", kind, n, size, many)
                shape = (runs, many, n)
                mean = np.full(shape, float(size))
                if kind == "one label rare":
                    mean[:, 0] /= 5
                asked = g.poisson(mean)
                share = np.full(shape, 0.2)
                if kind == "hard documents":
                    share = np.broadcast_to(g.beta(1, 4, (runs, 1, n)), shape)
                if kind == "hard for a label":
                    share = g.beta(1, 4, shape)
                if kind == "spells":
                    share = np.where(g.random((runs, 1, n)) < 0.2, 0.7, 0.075) + np.zeros(shape)
                missed = g.binomial(asked, share)
                # Three annotators: each unit is asked for twice, and missed by both more often.
                p = holm(
                    below_the_rest(*(2 * x.astype(np.float64) for x in (missed, asked))).p_of_more
                )
                cell = f"{kind}, {many} labels, {n} parts of {size}"
                yield rate("label", cell, np.asarray((p <= LEVEL).any(axis=1)))


def kinds(runs: int) -> Iterator[Row]:
    """Three kinds of difference with the same expected share: is one called the largest?"""
    for kind in KINDS:
        for n in (6, 12, 40):
            g = generator("kinds", kind, n)
            weight = np.exp(0.5 * g.standard_normal((runs, 1, n)))
            cost = weight * g.gamma(4, 0.25, (runs, 3, n))
            if kind == "skewed":
                cost = weight * g.lognormal(-0.5, 1.0, (runs, 3, n))
            if kind == "one in bursts":
                cost[:, 2] *= (g.random((runs, n)) < 0.2) / 0.2
            if kind == "long documents worse":
                cost = cost * weight
            yield rate("kind", f"{kind}, {n} documents", _largest(cost, weight[:, 0]))


def _largest(cost: Floats, weight: Floats) -> Bools:
    """Return whether the largest of the kinds is told to be, as the verdict does it."""
    order = np.argsort(-cost.sum(axis=-1), axis=1)
    first, second = (np.take_along_axis(cost, order[:, k, None, None], 1)[:, 0] for k in (0, 1))
    difference = gain(independent_parts(first, weight), independent_parts(second, weight))
    return np.asarray(difference.p <= LEVEL)


def material(runs: int) -> Iterator[Row]:
    """Return the word for the material itself, if its γ is on the bar."""
    for name, (people, _, units, missed, wrong, spread) in WHOLE.items():
        g = generator("material", name)
        c = text_of(g, people, units, missed, wrong, spread)
        true = gamma(c, samples=4000, seed=99, chance="cut").value
        ends = [gamma(c, seed=i, samples=30, chance="cut").interval or (0, 1) for i in range(runs)]
        cell = f"{name}, γ {true:.2f}"
        yield rate("high, of this", cell, np.array([low >= true for low, _ in ends]))
        yield rate("low, of this", cell, np.array([high < true for _, high in ends]))


def whole(runs: int) -> Iterator[Row]:
    """Exchangeable annotators and labels, from units to sentences."""
    for name, (people, documents, units, missed, wrong, spread) in WHOLE.items():
        g = generator("whole", name)
        named: dict[str, list[bool]] = {k: [] for k in ("annotator", "pair", "label")}
        largest: list[str] = []
        shares: Counter[str] = Counter()
        for i in range(runs):
            continua = {
                f"d{d}": text_of(g, people, units, missed, wrong, spread) for d in range(documents)
            }
            comparison = compare(
                continua, draws=0, by=("annotator", "pair"), explain=True, samples=30, seed=i
            )
            given_verdict = verdict(comparison)
            for about, hits in named.items():
                hits.append(given_verdict.of(about) is not None)
            kind = given_verdict.of("kind")
            largest.append(kind.names[0] if kind else "")
            for record in comparison.explanation.components if comparison.explanation else ():
                shares[record["component"]] += record["observed"]
        for about, hits in named.items():
            yield rate("whole way", f"{name}: {about}", np.array(hits))
        true = shares.most_common(1)[0][0]
        wrong_kind = [k not in ("", true) for k in largest]
        yield rate("whole way", f"{name}: kind", np.array(wrong_kind))


def text_of(
    g: np.random.Generator, people: int, units: int, missed: float, wrong: float, spread: float
) -> Continuum:
    """Return a text whose annotators err alike, and whose three labels are mistaken alike."""
    units_so_far = []
    truth = g.integers(3, size=units)
    starts = 10.0 * np.arange(units) + 3 * g.random(units)
    lengths = 3 + 3 * g.random(units)
    for a in range(people):
        for k in range(units):
            if g.random() < missed:
                continue
            label = int(g.integers(3)) if g.random() < wrong else int(truth[k])
            start, end = np.sort(
                [starts[k], starts[k] + lengths[k]] + spread * g.standard_normal(2)
            )
            units_so_far.append(Unit("ABCDEF"[a], float(start), float(end) + 0.01, "xyz"[label]))
    names = [*"ABCDEF"[:people]]
    return Continuum.from_units(units_so_far, annotators=names, bounds=(-10.0, 10.0 * units + 10))
