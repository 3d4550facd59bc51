"""Beyond the papers: do tests and intervals of γ keep what they say, and what do they find?

Every process has a γ that is known (`experiments._parts`). A level is the share of runs with
p ≤ .05 where nothing differs, with its upper 95 % limit (Clopper & Pearson, one-sided); beside it
stands the power where something does. The expected disorder is known, or has an error of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import numpy as np

from experiments import _parts as process
from experiments._common import write_csv
from gammacp.base.arrays import Bools, Floats
from gammacp.base.files import write_text
from gammacp.campaign.replace.wins import Wins
from gammacp.inference.contributions import ALIGNMENTS, Contributions
from gammacp.inference.part_tests import (
    STRETCHES,
    GammaDifference,
    Parts,
    difference,
    exchanged,
    gain,
    holm,
    independent_parts,
    interval_over_documents,
    paired_difference,
    parts_in_order,
)
from gammacp.inference.replication import replication
from gammacp.inference.resampling import interval_of_gamma

RUNS, FEWER = 4000, 1000
LEVEL = 0.05
Row = dict[str, object]

normal, skewed, clusters, text = process.normal, process.skewed, process.clusters, process.text
lognormal, zero_in = process.lognormal, process.zero_in
AGAINST: dict[str, tuple[process.Process, process.Process]] = {
    "20 of sd .03, 6 of .25": (normal(20, 0.03), normal(6, 0.25)),
    "5 of sd .25, 40 of .03": (normal(5, 0.25), normal(40, 0.03)),
    "10 and 10 of sd .1": (normal(10, 0.1), normal(10, 0.1)),
    "6 and 6 of sd .1": (normal(6, 0.1), normal(6, 0.1)),
    "30 long, 30 short": (normal(30, 0.3, 10.0), normal(30, 0.3, 1.0)),
    "lognormal 1, 5 and 20": (skewed(5, lognormal(1.0)), skewed(20, lognormal(1.0))),
    "lognormal .7 and normal, 5 and 5": (skewed(5, lognormal(0.7)), normal(5, 0.1)),
    "lognormal 1 and normal, 6 and 20": (skewed(6, lognormal(1.0)), normal(20, 0.1)),
    "lognormal 1 and normal, 20 and 20": (skewed(20, lognormal(1.0)), normal(20, 0.1)),
    "no disorder in .7 and in none, 6 and 20": (skewed(6, zero_in(0.7)), skewed(20, zero_in(0.0))),
    "long ones worse and not, 12 and 12": (
        skewed(12, lognormal(0.3), 0.8, 0.4), skewed(12, lognormal(0.3), 0.8),
    ),
    "left skew and normal, 6 and 20": (skewed(6, process.left_skewed), normal(20, 0.05)),
    "one bad in six and normal, 8 and 20": (skewed(8, process.few_bad), normal(20, 0.05)),
    "one bad in six and normal, 20 and 20": (skewed(20, process.few_bad), normal(20, 0.05)),
    "one bad in six, 8 and 8": (skewed(8, process.few_bad), skewed(8, process.few_bad)),
    "weibull 1.2 and 3, 8 and 25": (
        skewed(8, process.weibull(1.2), 0.3), skewed(25, process.weibull(3.0), 0.3),
    ),
    "weibull .8 and 3, 15 and 15": (
        skewed(15, process.weibull(0.8), 0.3), skewed(15, process.weibull(3.0), 0.3),
    ),
    "heavy tails, 7 and 14": (skewed(7, process.heavy_tails), skewed(14, process.heavy_tails)),
    "uniform, 6 and 12": (skewed(6, process.uniform, 0.6), skewed(12, process.uniform, 0.6)),
    "counts, 10 short and 10 long": (process.counts(10, 2), process.counts(10, 15)),
    "counts, 6 and 40": (process.counts(6, 3), process.counts(40, 3)),
    "no disorder in .4, 9 and 18": (skewed(9, zero_in(0.4)), skewed(18, zero_in(0.0))),
    "short noisier, 8 and 8": (process.short_noisier(8), process.short_noisier(8)),
    "short noisier, 5 and 25": (process.short_noisier(5), process.short_noisier(25)),
    "two lengths, 8 and 8": (process.two_lengths(8), process.two_lengths(8)),
    "two lengths, 6 and 20": (process.two_lengths(6), process.two_lengths(20)),
    "bounded, 10 and 30": (skewed(10, process.bounded), skewed(30, process.bounded)),
    "two genres, 8 and 16": (skewed(8, process.genres), skewed(16, process.genres)),
    "gamma 2 with lengths .8, 7 and 9": (
        skewed(7, process.gamma(2.0), 0.8), skewed(9, process.gamma(2.0), 0.8),
    ),
    "lognormal .5 with lengths 1, 12 and 30": (
        skewed(12, lognormal(0.5), 1.0), skewed(30, lognormal(0.5), 1.0),
    ),
}  # fmt: skip
CLUSTERED = {
    "8 and 8 clusters of 4": (clusters(8, 4), clusters(8, 4)),
    "8 and 30 clusters of 4": (clusters(8, 4), clusters(30, 4)),
    "12 of 6, 12 of 2": (clusters(12, 6), clusters(12, 2)),
    "8 and 8 of 5, .8 of the variance": (clusters(8, 5, 0.8), clusters(8, 5, 0.8)),
}
TEXTS = ("independent", "skewed", "neighbours .5", "neighbours .7", "spells", "seesaw",
         "noisier to the end")  # fmt: skip
LENGTHS = ((30, 30), (60, 60), (60, 200), (150, 150), (500, 500))
PAIRED = ("normal", "second noisier", "counts", "second skewed", "second misses documents",
          "long ones worse in the second")  # fmt: skip
WITHOUT = ("independent", "neighbours alike", "heavy tails", "hard passages", "misses", "friends",
           "long spells")  # fmt: skip
PEOPLE = ((3, 20), (4, 20), (3, 60), (4, 60), (8, 60), (4, 200))
GROUPS = ("alike", "careful and careless", "nearly perfect and careless", "positions",
          "annotators vary", "documents hard for all", "own quirks", "two schools at random",
          "own truth .1", "own truth .2")  # fmt: skip
SIZES = (((6, 3), 12, 10), ((6, 3), 12, 40), ((3, 3), 12, 20), ((6, 3), 12, 3), ((6, 3), 5, 30))
CORPORA = tuple(
    (kind, n, people)
    for kind in ("equal", "lengths", "unlike")
    for n, people in ((5, 2), (8, 2), (20, 2), (60, 2), (8, 4), (20, 4))
)
WITHIN = ((1, 30), (1, 99), (3, 10), (5, 6), (8, 4), (20, 1), (60, 1))
REPLACE = tuple(
    (n, size, share) for n, size in ((5, 8), (8, 5), (20, 4), (40, 3)) for share in (0.7, 1.0)
)
EPSILON = 0.2
INTERVALS: dict[str, Callable[[int], process.Process]] = {
    "normal, sd .1": lambda n: normal(n, 0.1),
    "normal, sd .3": lambda n: normal(n, 0.3),
    "lognormal .5 with lengths .5": lambda n: skewed(n, lognormal(0.5), 0.5),
    "lognormal 1": lambda n: skewed(n, lognormal(1.0)),
    "lengths lognormal 1": lambda n: skewed(n, lognormal(0.5), 1.0),
    "long ones worse": lambda n: skewed(n, lognormal(0.3), 0.8, 0.4),
    "long ones better": lambda n: skewed(n, lognormal(0.3), 0.8, -0.4),
    "no disorder in .7": lambda n: skewed(n, zero_in(0.7)),
    "one bad in six": lambda n: skewed(n, process.few_bad),
    "left skew": lambda n: skewed(n, process.left_skewed),
    "bounded": lambda n: skewed(n, process.bounded),
    "two genres": lambda n: skewed(n, process.genres),
    "counts": lambda n: process.counts(n, 3),
    "short noisier": process.short_noisier,
    "two lengths": process.two_lengths,
    # The last two were made up once the interval was fixed; three had been looked at before.
    "counts, documents unlike": process.unlike_counts,
    "lognormal .7, lengths .5, long worse": lambda n: skewed(n, lognormal(0.7), 0.5, 0.2),
    "three lengths, long worse": process.three_lengths,
    "Pareto lengths, own level": process.pareto_lengths,
    "hopeless or easy": lambda n: skewed(n, process.hopeless, 0.4),
}
DOCUMENTS_OF_INTERVALS = (5, 8, 12, 20, 50)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`levels.csv`, `coverage.csv`, and both as `tables.md`, which docs/tests.md shows."""
    del data
    runs, fewer = (60, 20) if quick else (RUNS, FEWER)
    rows = [*against(runs), *clustered(runs), *texts(runs), *paired(runs), *without(fewer)]
    rows += [*groups(fewer), *within(fewer), *over_documents(fewer), *replaced(fewer)]
    covered = [*intervals(runs), *intervals_of_clusters(runs), *intervals_of_texts(runs)]
    write_csv(out / "levels.csv", rows)
    write_csv(out / "coverage.csv", covered)
    write_text(out / "tables.md", tables(rows, covered))


def tables(rows: list[Row], covered: list[Row]) -> str:
    """Every row, in a table per study."""
    blocks = []
    for study in dict.fromkeys(r["study"] for r in rows):
        mine = [r for r in rows if r["study"] == study]
        other = next((r["alternative"] for r in mine if r["alternative"]), "")
        head = f"| {study} | p ≤ .05, % (upper limit) | power: {other} |"
        body = (f"| {r['process']} | {_level_in_words(r)} | {_two(r['power'])} |" for r in mine)
        blocks.append("\n".join([head, "|---|---|---|", *body]))
    for over in dict.fromkeys(r["over"] for r in covered):
        mine = [r for r in covered if r["over"] == over]
        sizes = list(dict.fromkeys(r["parts"] for r in mine))
        head = f"| {over}: coverage (95 % limits) | " + " | ".join(map(str, sizes)) + " |"
        body = (
            f"| {name} | "
            + " | ".join(_coverage_in_words(r) for r in mine if r["process"] == name)
            + " |"
            for name in dict.fromkeys(r["process"] for r in mine)
        )
        blocks.append("\n".join([head, "|---" * (len(sizes) + 1) + "|", *body]))
    return "\n\n".join(blocks) + "\n"


def _level_in_words(row: Row) -> str:
    level, limit = row["level"], row["upper"]
    if not isinstance(level, float) or not isinstance(limit, float):
        return ""
    return f"{level:.1%} ({limit:.1%})".replace("%", "")


def _two(share: object) -> str:
    return f"{share:.2f}".replace("0.", ".") if isinstance(share, float) else ""


def _coverage_in_words(row: Row) -> str:
    held, low, high = (f"{row[k]:.3f}"[1:] for k in ("coverage", "lower", "upper"))
    return f"{held} ({low}–{high})".replace(".000", "1")


def generator(*parts: object) -> np.random.Generator:
    """Each cell has a stream of its own, whatever else is run."""
    return np.random.default_rng([35, crc32(repr(parts).encode())])


def level(study: str, cell: str, hits: Bools, other: str, is_found: Bools | None) -> Row:
    """Return a row of `levels.csv`: the share of hits with its upper limit, and the power."""
    n, k = hits.size, int(hits.sum())
    return {
        "study": study,
        "process": cell,
        "runs": n,
        "level": k / n,
        "upper": upper(k, n),
        "alternative": other,
        "power": None if is_found is None else float(is_found.mean()),
    }


def upper(k: int, n: int) -> float:
    """Return the one-sided upper 95 % limit of a share (Clopper & Pearson)."""
    from scipy.special import betaincinv

    return float(betaincinv(k + 1, n - k, 0.95)) if k < n else 1.0


def found_by(test: GammaDifference) -> Bools:
    """Return whether p is at most .05; without p nothing is found."""
    return np.asarray(test.p <= LEVEL)


def against(runs: int) -> Iterator[Row]:
    """Two corpora of documents; power where the first is half as bad again."""
    for name, sides in AGAINST.items():
        g, hits = generator("against", name), []
        for factor in (1.0, 1.5):
            parts = [
                independent_parts(*draw(g, runs, k))
                for draw, k in zip(sides, (factor, 1.0), strict=True)
            ]
            hits.append(found_by(difference(parts[0], parts[1])))
        yield level("two corpora", name, hits[0], "disorder × 1.5", hits[1])
    for n, error in ((2000, 0.01), (30, 0.01), (12, 0.03)):
        g, hits = generator("chance", n), []
        for factor in (1.0, 1.5):
            parts = []
            for k in (factor, 1.0):
                o, e = normal(n, 0.1)(g, min(runs, FEWER) if n > 100 else runs, k)
                parts.append(independent_parts(o, e * (1 + error * g.standard_normal((len(o), 1)))))
            hits.append(found_by(difference(parts[0], parts[1], (error, error))))
        name = f"{n} and {n}, random sets' error {error:.0%}"
        yield level("two corpora", name, hits[0], "disorder × 1.5", hits[1])


def clustered(runs: int) -> Iterator[Row]:
    """Documents of clusters, which are named, or not."""
    for name, sides in CLUSTERED.items():
        for named in (True, False):
            g, hits = generator("clusters", name), []
            for factor in (1.0, 1.5):
                parts = []
                for draw, k in zip(sides, (factor, 1.0), strict=True):
                    o, e, which = draw(g, runs, k)
                    if named:
                        rows = np.eye(which.max() + 1)[which]
                        o, e = o @ rows, e @ rows
                    parts.append(independent_parts(o, e))
                hits.append(found_by(difference(parts[0], parts[1])))
            design = "clusters named" if named else "clusters not named"
            yield level(design, name, hits[0], "disorder × 1.5", hits[1])


def texts(runs: int) -> Iterator[Row]:
    """Two texts of so many unitary alignments."""
    for kind in TEXTS:
        for lengths in LENGTHS:
            g, hits = generator("texts", kind, lengths), []
            for factor in (1.0, 1.375):
                one, two = (
                    parts_in_order(*text(kind, n)(g, runs, k))
                    for n, k in zip(lengths, (factor, 1.0), strict=True)
                )
                hits.append(found_by(difference(one, two)))
            name = f"{kind}, {lengths[0]} and {lengths[1]}"
            yield level("two texts", name, hits[0], "γ less by .15", hits[1])


def paired(runs: int) -> Iterator[Row]:
    """Yield the same documents in two rounds."""
    for kind in PAIRED:
        for n in (6, 8, 12, 20, 40):
            g, hits = generator("paired", kind, n), []
            for factor in (1.0, 1.3):
                a, e, b, f = process.pairs_of_rounds(kind, n)(g, runs, factor)
                hits.append(
                    found_by(paired_difference(independent_parts(a, e), independent_parts(b, f)))
                )
            yield level("same documents", f"{kind}, {n}", hits[0], "disorder × 1.3", hits[1])


def without(runs: int) -> Iterator[Row]:
    """One text in twelve stretches: is anybody named, and is one who errs 2.6 times as much?"""
    for kind in WITHOUT:
        for people, units in PEOPLE:
            if kind == "friends" and people % 2:
                continue
            named = []
            for worst in (1.0, 2.6):
                g = generator("without", kind, people, units, worst)
                pairs, is_present = process.annotators_of_text(kind, people, units, worst)(g, runs)
                named.append(_named(pairs, is_present))
            size = f"{kind}, {people} × {units}"
            hits_of_one = named[1][:, -1]
            yield level(
                "without X", size, np.any(named[0], axis=1), "one errs 2.6 times", hits_of_one
            )


def _named(pairs: dict[tuple[int, int], Floats], is_present: Floats) -> Bools:
    """Return the annotators who are named, shape (runs, annotators)."""
    people, units = is_present.shape[1:]
    edges = np.round(np.linspace(0, units, STRETCHES + 1)[:-1]).astype(int)

    def parts(chosen: list[int]) -> Parts:
        observed = np.mean([d for pair, d in pairs.items() if {*pair} <= {*chosen}], axis=0)
        expected = 0.8 * is_present[:, chosen].mean(axis=1)
        return independent_parts(*(np.add.reduceat(x, edges, 1) for x in (observed, expected)))

    everybody = parts([*range(people)])
    rest = [parts([a for a in range(people) if a != x]) for x in range(people)]
    p = np.stack([gain(everybody, r).p_of_more for r in rest], axis=1)
    return np.asarray(holm(p) <= LEVEL)


def groups(runs: int) -> Iterator[Row]:
    """Two groups of annotators of one truth, but for the last kinds."""
    for kind in GROUPS:
        for sizes, parts, units in SIZES:
            g = generator("groups", kind, sizes, parts, units)
            observed, expected = process.groups_of_annotators(kind, sizes, parts, units)(g, runs)
            first, second = range(sizes[0]), range(sizes[0], sum(sizes))
            p = [
                replication(o, e, first, second).p for o, e in zip(observed, expected, strict=True)
            ]
            hits = np.array(p) <= LEVEL
            cell = f"{kind}, {sizes[0]} + {sizes[1]}, {parts} parts of {units}"
            if kind.startswith("own truth"):
                yield {**level("groups", cell, hits, "another truth", hits), **_NO_LEVEL}
            else:
                yield level("groups", cell, hits, "", None)


_NO_LEVEL: Row = {"level": None, "upper": None}


def within(runs: int) -> Iterator[Row]:
    """Documents against random sets of their own; power at .9 of what chance expects."""
    for n, sets in WITHIN:
        for spread in (0.0, 1.0):
            hits = []
            for factor in (1.0, 0.9):
                g = generator("within", n, sets, spread)
                levels = np.exp(spread * g.standard_normal((runs, n, 1)))
                drawn = levels * g.gamma(30, 1 / 30, (runs, n, sets + 1))
                observed = factor * drawn[..., 0]
                p = [
                    exchanged(o, list(s), 1)[0]
                    for o, s in zip(observed, drawn[..., 1:], strict=True)
                ]
                hits.append(np.array(p) <= LEVEL)
            unlike = "of unlike levels" if spread else "alike"
            name = f"{n} documents {unlike}, {sets} sets each"
            yield level("within", name, hits[0], ".9 of chance", hits[1])


def over_documents(runs: int) -> Iterator[Row]:
    """γ under `documents`, and between: documents and random sets are two sides."""
    for study, cuts in (("over documents", 0), ("between", 2)):
        for kind, n, people in CORPORA:
            for sets in (30, 300):
                hits = []
                for share_seen in (0.0, 0.3):
                    g = generator(study, kind, n, people, sets, share_seen)
                    units, topic = process.annotated(kind, n, people, share_seen)(g, runs)
                    observed, x = process.disorder_of(units, topic, g)
                    for _ in range(cuts - 1):
                        observed = observed + process.disorder_of(units, topic, g)[0]
                    observed = observed / max(cuts, 1)
                    order = np.argsort(g.random((runs, sets, n)), axis=2)[..., :people]
                    order = np.moveaxis(order, 2, 1)
                    dealt = np.take_along_axis(units, order, 2)
                    random, y = process.disorder_of(dealt, np.take_along_axis(topic, order, 2), g)
                    test = difference(independent_parts(observed, x), independent_parts(random, y))
                    hits.append(np.asarray(test.p_of_more <= LEVEL))
                name = f"{kind}, {n} documents, {people} annotators, {sets} sets"
                yield level(study, name, hits[0], ".3 of the documents seen", hits[1])


def replaced(runs: int) -> Iterator[Row]:
    """Yield a candidate worse by exactly ε, documents in clusters; power for one who is as good."""
    for n, size, share in REPLACE:
        for named in (True, False):
            hits = []
            for worse in (EPSILON, 0.0):
                g = generator("replace", n, size, share, worse)
                p = [_p_of_wins(g, n, size, share, worse, named=named) for _ in range(runs)]
                hits.append(np.array(p) <= LEVEL)
            design = "replace, clusters named" if named else "replace, clusters not named"
            name = f"{n} clusters of {size}, {share:.0%} alike"
            yield level(design, name, hits[0], "no worse", hits[1])


def _p_of_wins(
    g: np.random.Generator, n: int, size: int, share: float, worse: float, *, named: bool
) -> float:
    """Return p of one person against the candidate; ties are half of the documents."""
    which = np.repeat(np.arange(n), g.geometric(1 / size, n))
    u = np.where(g.random(len(which)) < share, g.random(n)[which], g.random(len(which)))
    lost, won = u < (0.5 + worse) / 2, u > 1 - (0.5 - worse) / 2
    wins = Wins(
        people=("person",),
        instances=tuple(map(str, range(len(which)))),
        annotated=np.ones((1, len(which)), np.bool_),
        candidate=~lost[None],
        person=~won[None],
        clusters=tuple(map(str, which)) if named else (),
    )
    return float(wins.p_values(EPSILON, 1, both=True)[0])


def intervals(runs: int) -> Iterator[Row]:
    """Measure the coverage of the interval of γ over documents."""
    for name, make in INTERVALS.items():
        for n in DOCUMENTS_OF_INTERVALS:
            g = generator("interval", name, n)
            o, e = make(n)(g, runs, 1.0)
            whole = make(400)(g, 2500, 1.0)
            true = 1 - whole[0].sum() / whole[1].sum()
            yield coverage("documents", name, n, true, interval_over_documents(o, e))


def intervals_of_clusters(runs: int) -> Iterator[Row]:
    """Yield the same over clusters of documents that are named, or not."""
    for size, share in ((4, 0.5), (5, 0.8)):
        for named in (True, False):
            for n in DOCUMENTS_OF_INTERVALS[1:]:
                g = generator("interval of clusters", size, share, n)
                o, e, which = clusters(n, size, share)(g, runs, 1.0)
                if named:
                    rows = np.eye(n)[which]
                    o, e = o @ rows, e @ rows
                design = f"of {size}, {share} of the variance, {'' if named else 'not '}named"
                ends = interval_over_documents(o, e)
                yield coverage("clusters", design, n, 1 - process.THETA, ends)


def intervals_of_texts(runs: int) -> Iterator[Row]:
    """Measure the coverage of the interval of one text."""
    for kind in TEXTS:
        for n in (30, 60, 150, 500):
            g = generator("interval of text", kind, n)
            o, e = text(kind, n)(g, runs, 1.0)
            whole = text(kind, 5000)(g, 200, 1.0)
            true = 1 - whole[0].sum() / whole[1].sum()
            intervals = [
                interval_of_gamma(Contributions(*parts, ALIGNMENTS))
                for parts in zip(o, e, strict=True)
            ]
            ends = (
                np.array([interval.low for interval in intervals]),
                np.array([f.high for f in intervals]),
            )
            yield coverage("one text", kind, n, true, ends)


def coverage(over: str, name: str, n: int, true: float, ends: tuple[Floats, Floats]) -> Row:
    """Return a row of `coverage.csv`: the share that holds the true γ, with both 95 % limits."""
    held = (ends[0] <= true) & (true <= ends[1])
    runs, k = held.size, int(held.sum())
    return {
        "over": over,
        "process": name,
        "parts": n,
        "runs": runs,
        "coverage": k / runs,
        "lower": 1 - upper(runs - k, runs),
        "upper": upper(k, runs),
        "width": float(np.median(ends[1] - ends[0])),
    }
