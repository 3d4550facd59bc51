"""Power behind the differences that `compare --against` says would be found.

    python benchmarks/detectable.py [--runs 200] [--truth 2000]

Every process has a known γ. A run draws two corpora of equal γ, takes the differences (better and
worse) that are told, and looks up how often such a difference is found by corpora of the process
itself: this is the true power. The mean over runs should be .70 to .85. Printed are the mean and
the middle 90 % of the true power, the share of runs in which something is told, and the
milliseconds of a call. Processes marked * were made after the first rule was fixed, ** after it
asked for forty documents, *** after the targets were set.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from zlib import crc32

import numpy as np

from experiments import _parts as process
from gammacp.base.arrays import Floats
from gammacp.inference.detecting import detectable
from gammacp.inference.part_tests import difference, independent_parts, paired_difference

THETA = process.THETA
Side = tuple[Floats, Floats]
Draw = Callable[[np.random.Generator, int, float], tuple[Side, Side]]
BETTER = np.linspace(0.02, 0.98, 17)
WORSE = np.geomspace(1.02, 6.0, 22)


def two(first: process.Process, second: process.Process) -> Draw:
    """Return a draw of two corpora of different documents; the factor applies to the first."""
    return lambda g, runs, factor: (first(g, runs, factor), second(g, runs, 1.0))


def same(kind: str, n: int) -> Draw:
    """Return a draw of the same documents in two rounds."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> tuple[Side, Side]:
        a, e, b, f = process.pairs_of_rounds(kind, n)(g, runs, factor)
        return (a, e), (b, f)

    return draw


def short(n: int) -> process.Process:
    """Return a process of documents with one to three units, each right or wrong."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = g.integers(1, 4, (runs, n)).astype(np.float64)
        wrong = g.binomial(e.astype(np.int64), min(1.0, factor * THETA / 2))
        return 2.0 * wrong, e

    return draw


def bursts(n: int) -> process.Process:
    """Return a process of errors in bursts of Poisson numbers, with gamma lengths."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = g.gamma(6, 1 / 6, (runs, n)) + 0.1
        number = g.poisson(2.0 * e * factor)
        return THETA / 2 * g.gamma(np.maximum(number, 1e-9), 1.0), e

    return draw


def mixed(n: int) -> process.Process:
    """Return a process of two genres, one long and easy, the other short and hard."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        easy = g.random((runs, n)) < 0.5
        e = np.where(easy, 2.0, 1.0) * np.exp(0.2 * g.standard_normal((runs, n)))
        level = np.where(easy, 0.3, 0.6) * g.gamma(6, 1 / 6, (runs, n))
        return factor * e * level, e

    return draw


def most_bad(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw values of mean 1 (about) that are large in most documents, small or 0 in few."""
    return np.maximum(process.left_skewed(g, shape), 0.0)


def rated(n: int) -> process.Process:
    """Return a process of documents with 10 to 40 units, wrong at a beta-distributed rate."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = g.integers(10, 41, (runs, n)).astype(np.float64)
        rate = np.minimum(1.0, factor * THETA / 2 * 4 * g.beta(1.5, 4.5, e.shape))
        return 2.0 * g.binomial(e.astype(np.int64), rate), e

    return draw


def some_in_a_hurry(n: int) -> process.Process:
    """Return a process in which one document in five was annotated in a hurry, with more errors."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = np.exp(0.4 * g.standard_normal((runs, n)))
        level = np.where(g.random(e.shape) < 0.2, 2.2, 0.7) * g.gamma(8, 1 / 8, e.shape)
        number = g.poisson(12 * e * factor * THETA * level)
        return number / 12, e

    return draw


def some_changed(n: int) -> Draw:
    """Return a draw of the same documents twice, of which one in five changes its difficulty."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> tuple[Side, Side]:
        e = 0.5 + g.exponential(0.8, (runs, n))
        hard = g.gamma(3, 1 / 3, e.shape)
        other = np.where(g.random(e.shape) < 0.2, g.gamma(3, 1 / 3, e.shape), hard)
        sides = [
            (g.poisson(20 * k * THETA * level * e) / 20.0, e)
            for k, level in ((factor, hard), (1.0, other))
        ]
        return sides[0], sides[1]

    return draw


def processes() -> dict[str, Draw]:
    """Return the processes by name."""
    p = process
    draws: dict[str, Draw] = {}
    for n in (50, 100):
        draws[f"normal .1, {n} and {n}"] = two(p.normal(n, 0.1), p.normal(n, 0.1))
        draws[f"lognormal 1, {n} and {n}"] = two(
            p.skewed(n, p.lognormal(1.0)), p.skewed(n, p.lognormal(1.0))
        )
        draws[f"one bad in six, {n} and {n}"] = two(p.skewed(n, p.few_bad), p.skewed(n, p.few_bad))
        draws[f"counts, {n} and {n}"] = two(p.counts(n, 5), p.counts(n, 5))
        draws[f"very short, {n} and {n}"] = two(short(n), short(n))
        draws[f"lengths .5, lognormal .5, {n} and {n}"] = two(
            p.skewed(n, p.lognormal(0.5), 0.5), p.skewed(n, p.lognormal(0.5), 0.5)
        )
        draws[f"lengths 1, lognormal .5, {n} and {n}"] = two(
            p.skewed(n, p.lognormal(0.5), 1.0), p.skewed(n, p.lognormal(0.5), 1.0)
        )
        for kind in ("normal", "counts", "second skewed", "second misses documents"):
            draws[f"paired, {kind}, {n}"] = same(kind, n)
    for n in (40, 50):
        draws[f"lognormal 1 and normal, {n} and 60"] = two(
            p.skewed(n, p.lognormal(1.0)), p.normal(60, 0.1)
        )
    draws["short noisier, 100 and 100"] = two(p.short_noisier(100), p.short_noisier(100))
    draws["unlike counts, 90 and 90"] = two(p.unlike_counts(90), p.unlike_counts(90))
    draws["* bursts, 60 and 60"] = two(bursts(60), bursts(60))
    draws["* bursts, 100 and 100"] = two(bursts(100), bursts(100))
    draws["* mixed, 60 and 60"] = two(mixed(60), mixed(60))
    draws["* hopeless or easy, 50 and 50"] = two(p.skewed(50, p.hopeless), p.skewed(50, p.hopeless))
    draws["* half bounded, 50 and 50"] = two(p.skewed(50, p.bounded), p.skewed(50, p.bounded))
    draws["* no disorder in .2, 50 and 50"] = two(
        p.skewed(50, p.zero_in(0.2)), p.skewed(50, p.zero_in(0.2))
    )
    draws["* Pareto lengths, 60 and 60"] = two(p.pareto_lengths(60), p.pareto_lengths(60))
    draws["** heavy tails, 50 and 50"] = two(
        p.skewed(50, p.heavy_tails), p.skewed(50, p.heavy_tails)
    )
    draws["** most bad, 50 and 60"] = two(p.skewed(50, most_bad), p.skewed(60, most_bad))
    draws["** genres, 50 and 50"] = two(p.skewed(50, p.genres), p.skewed(50, p.genres))
    draws["** Weibull .8, 60 and 50"] = two(
        p.skewed(60, p.weibull(0.8)), p.skewed(50, p.weibull(0.8))
    )
    draws["** gamma 1.5, lengths .3, 60 and 60"] = two(
        p.skewed(60, p.gamma(1.5), 0.3), p.skewed(60, p.gamma(1.5), 0.3)
    )
    draws["paired, second misses documents, 200"] = same("second misses documents", 200)
    for n in (60, 90):
        draws[f"*** rates by document, {n} and {n}"] = two(rated(n), rated(n))
        draws[f"*** some in a hurry, {n} and {n}"] = two(some_in_a_hurry(n), some_in_a_hurry(n))
    for n in (90, 130):
        draws[f"paired, *** some changed, {n}"] = some_changed(n)
    return draws


def curve(draw: Draw, factors: Floats, paired: bool, truth: int, seed: int) -> Floats:
    """Return how often a difference is found where the disorder is multiplied by each factor."""
    shares = []
    for factor in factors:
        g = np.random.default_rng([seed, int(1000 * factor)])
        sides = [independent_parts(*side) for side in draw(g, truth, float(factor))]
        test = (paired_difference if paired else difference)(*sides)
        shares.append(
            float(((test.p <= 0.05) & (np.sign(test.value) == np.sign(1 - factor))).mean())
        )
    return np.array(shares)


def study(name: str, draw: Draw, runs: int, truth: int) -> str:
    """Return a row with the true power of the reported differences."""
    paired, seed = name.startswith("paired"), crc32(name.encode())
    curves = [curve(draw, f, paired, truth, seed) for f in (BETTER, WORSE)]
    g = np.random.default_rng([58, seed])
    (o, e), (b, f) = draw(g, runs, 1.0)
    many, weights = draw(np.random.default_rng(seed), 4000, 1.0)[1]
    theta = float(many.sum() / weights.sum())
    power: dict[str, list[float]] = {"worse": [], "better": []}
    start = time.process_time()
    called = 0
    for i in range(runs):
        smallest = detectable((o[i], e[i]), (b[i], f[i]), paired=paired)
        called += 1
        if smallest is None:
            continue
        if smallest.worse is not None:
            power["worse"].append(float(np.interp(1 + smallest.worse / theta, WORSE, curves[1])))
        if smallest.better is not None:
            power["better"].append(float(np.interp(1 - smallest.better / theta, BETTER, curves[0])))
    each = 1000 * (time.process_time() - start) / called
    cells = []
    for side in ("worse", "better"):
        p = np.array(power[side])
        share = len(p) / runs
        if not len(p):
            cells.append(f"{'':>5} {'':>11} {share:5.2f}")
            continue
        low, high = np.quantile(p, [0.05, 0.95])
        cells.append(f"{p.mean():5.2f} {low:5.2f}–{high:4.2f} {share:5.2f}")
    return f"{name:42} {cells[0]}   {cells[1]}  {each:5.0f}"


def main() -> None:
    """Print a row per process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--truth", type=int, default=2000)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    print(f"{'':42} {'worse':23}   {'better':23}  ms")
    for name, draw in processes().items():
        if asked.only in name:
            print(study(name, draw, asked.runs, asked.truth), flush=True)


if __name__ == "__main__":
    main()
