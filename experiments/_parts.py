"""Processes of which γ is known, as observed and expected disorders: documents, texts, annotators.

Arrays have the shape (runs, parts). A process takes a random generator, the number of runs, and the
factor by which the disorder is larger than under the null hypothesis of equal sides (1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np

from gammacp.base.arrays import Floats, Indices

Side = tuple[Floats, Floats]
Process = Callable[[np.random.Generator, int, float], Side]
THETA = 0.4


def normal(n: int, sd: float, length: float = 1.0) -> Process:
    """Draw documents of one length with normal disorder; `sd` is that of a document of length 1."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        spread = sd / math.sqrt(length)
        x = factor * THETA + spread * g.standard_normal((runs, n))
        return length * x, np.full((runs, n), length)

    return draw


def skewed(
    n: int, law: Callable[[np.random.Generator, tuple[int, int]], Floats], lengths: float = 0.0,
    link: float = 0.0,
) -> Process:  # fmt: skip
    """Draw disorder from `law` (mean 1), lengths lognormal; by `link`, long ones are worse."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        z = g.standard_normal((runs, n))
        e = np.exp(lengths * z)
        theta = factor * THETA * (np.exp(link * z - link * lengths - link**2 / 2) if link else 1.0)
        return e * theta * law(g, (runs, n)), e

    return draw


def lognormal(s: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    """Draw from a lognormal distribution of mean 1."""
    return lambda g, shape: np.exp(s * g.standard_normal(shape) - s * s / 2)


def gamma(k: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    """Draw from a gamma distribution of mean 1."""
    return lambda g, shape: g.gamma(k, 1 / k, shape)


def weibull(k: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    """Draw from a Weibull distribution of mean 1."""
    return lambda g, shape: g.weibull(k, shape) / math.gamma(1 + 1 / k)


def zero_in(share: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    """Draw values of mean 1 that are 0 in a share of the documents."""
    return lambda g, shape: (g.random(shape) >= share) * g.beta(4, 4, shape) * 2 / (1 - share)


def few_bad(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw values of mean 1, of which one document in six has a very large one."""
    return (0.2 + 0.1 * g.random(shape) + 0.8 * (g.random(shape) < 1 / 6)) / (0.25 + 0.8 / 6)


def left_skewed(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw values of mean 1 that are large in most documents and small in few."""
    return (1 - 0.6 * np.exp(0.7 * g.standard_normal(shape) - 0.245)) / 0.4


def bounded(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw bounded values of mean 1, most of them near either end of the range."""
    return g.beta(0.5, 1.0, shape) * 3


def uniform(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw from a uniform distribution of mean 1."""
    return 2 * g.random(shape)


def heavy_tails(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw from a t distribution with three degrees of freedom around 1."""
    return np.maximum(1 + 0.3 * g.standard_t(3, shape) / math.sqrt(3), 0)


def genres(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw values of mean 1 for two kinds of documents, three times as large for the second."""
    return np.where(g.random(shape) < 0.3, 1.875, 0.625) * g.uniform(0.8, 1.2, shape)


def counts(n: int, length: float) -> Process:
    """Draw Poisson counts of errors in documents of geometric lengths."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = (1 + g.geometric(1 / length, (runs, n))).astype(np.float64)
        return g.poisson(0.2 * factor * e).astype(np.float64), e

    return draw


def short_noisier(n: int) -> Process:
    """Draw documents whose variance decreases with their length."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = 0.2 + g.exponential(1, (runs, n))
        return e * factor * THETA * g.gamma(2 + 3 * e) / (2 + 3 * e), e

    return draw


def two_lengths(n: int) -> Process:
    """Draw documents of which three in ten are five times as long as the others."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = np.where(g.random((runs, n)) < 0.3, 5.0, 1.0)
        return e * (factor * THETA + 0.15 * g.choice([-1, 1], (runs, n))), e

    return draw


def unlike_counts(n: int) -> Process:
    """Draw counts of errors, with a different rate in each document."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = np.round(3 + g.exponential(12, (runs, n)))
        return g.poisson(0.25 * factor * e * g.gamma(2, 0.5, e.shape)).astype(np.float64), e

    return draw


def three_lengths(n: int) -> Process:
    """Draw documents of three lengths; the longest have a third more disorder."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = g.choice([1.0, 3.0, 9.0], (runs, n), p=[0.5, 0.3, 0.2])
        return factor * e * g.beta(2, 3, e.shape) * np.where(e > 5, 1.2, 0.9), e

    return draw


def pareto_lengths(n: int) -> Process:
    """Draw lengths from a Pareto law of index 3, levels, and noise, larger in short documents."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = 1 + g.pareto(3, (runs, n))
        own_shares = g.beta(3, 4, e.shape) + 0.15 * g.standard_normal(e.shape) / np.sqrt(e)
        return factor * e * own_shares, e

    return draw


def hopeless(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw values of mean 1: a quarter as bad as chance, the others nearly equal."""
    return np.where(g.random(shape) < 0.25, 2.2, 0.6) * g.gamma(12, 1 / 12, shape)


Clustered = Callable[[np.random.Generator, int, float], tuple[Floats, Floats, Indices]]


def clusters(n: int, size: float, share: float = 0.5) -> Clustered:
    """Draw documents in n clusters of geometric sizes, which cause a `share` of the variance.

    Each run draws its own sizes; documents that a run lacks have length 0.
    """

    def draw(g: np.random.Generator, runs: int, factor: float) -> tuple[Floats, Floats, Indices]:
        sizes = np.minimum(g.geometric(1 / size, (runs, n)), 4 * round(size))
        most = 4 * round(size)
        is_member = np.arange(most) < sizes[..., None]
        effect = math.sqrt(share) * g.standard_normal((runs, n, 1))
        own_effects = math.sqrt(1 - share) * g.standard_normal((runs, n, most))
        e = np.where(is_member, np.exp(0.3 * g.standard_normal((runs, n, most))), 0.0)
        o = e * (factor * THETA + 0.12 * (effect + own_effects))
        which = np.broadcast_to(np.arange(n)[:, None], (n, most)).reshape(-1)
        return o.reshape(runs, -1), e.reshape(runs, -1), which

    return draw


def text(kind: str, n: int) -> Process:
    """Draw the unitary alignments of one text, in order; neighbours may be similar."""

    def draw(g: np.random.Generator, runs: int, factor: float) -> Side:
        e = g.choice([1 / 3, 2 / 3, 1.0], (runs, n), p=[0.15, 0.2, 0.65])
        if kind == "skewed":
            return factor * THETA * e * g.exponential(1.0, (runs, n)), e
        if kind == "spells":
            lost = _spells(g, (runs, n), 0.2, 8, 32)
            times = np.where(lost, 4.0, 1.0) / 1.6
            return factor * THETA * e * times * g.gamma(2, 0.5, (runs, n)), e
        w = g.standard_normal((runs, n + 100))
        if kind.startswith("neighbours"):
            alike = float(kind.split()[-1])
            for t in range(1, n + 100):
                w[:, t] = alike * w[:, t - 1] + math.sqrt(1 - alike**2) * w[:, t]
        if kind == "seesaw":
            w[:, 1:] = (w[:, 1:] - 0.8 * w[:, :-1]) / math.sqrt(1.64)
        x = w[:, 100:]
        if kind == "noisier to the end":
            x = x * np.linspace(0.2, 1.8, n)
        return e * (factor * THETA + 0.25 * x), e

    return draw


def _spells(
    g: np.random.Generator, shape: tuple[int, ...], share: float, length: float, apart: float
) -> Floats:
    """Draw the places where attention lapses, in spells of mean length `length`."""
    lost = np.zeros(shape, np.bool_)
    lost[..., 0] = g.random(shape[:-1]) < share
    u = g.random(shape)
    for t in range(1, shape[-1]):
        lost[..., t] = np.where(lost[..., t - 1], u[..., t] > 1 / length, u[..., t] < 1 / apart)
    return lost.astype(np.float64)


def pairs_of_rounds(kind: str, n: int) -> Callable[..., tuple[Floats, Floats, Floats, Floats]]:
    """Draw the same documents in two rounds: disorders o and e of the first, then the second."""

    def draw(
        g: np.random.Generator, runs: int, factor: float
    ) -> tuple[Floats, Floats, Floats, Floats]:
        shape = runs, n
        hard = g.gamma(4, 0.25, shape)
        e = (1 + g.geometric(0.2, shape)).astype(np.float64)
        f = e * g.uniform(0.8, 1.2, shape)
        if kind == "counts":
            both = [g.poisson(0.3 * hard * a * k).astype(float) for a, k in ((e, factor), (f, 1))]
            return both[0], e, both[1], f
        one, other = (THETA * k * (0.5 + 0.5 * hard) for k in (factor, 1.0))
        noise = [0.06 * g.standard_normal(shape) for _ in range(2)]
        if kind == "second noisier":
            noise[1] *= 3
        if kind == "second skewed":
            noise[1] = 0.2 * (g.exponential(1.0, shape) - 1) * other / THETA
        if kind == "second misses documents":
            other = other * 0.8 + 0.2 * THETA / 0.1 * (g.random(shape) < 0.1)
        if kind == "long ones worse in the second":
            other = other * f * f.mean() / (f**2).mean()
        first, second = one + noise[0], other + noise[1]
        return np.asarray(e * first), e, np.asarray(f * second), f

    return draw


def annotators_of_text(kind: str, people: int, units: int, worst: float = 1.0) -> Callable[
    [np.random.Generator, int], tuple[dict[tuple[int, int], Floats], Floats]
]:  # fmt: skip
    """Draw each pair's disorder by unit, and who marked it; the last errs `worst` times as much.

    Shapes (runs, units) by pair, and (runs, annotators, units).
    """

    def draw(g: np.random.Generator, runs: int) -> tuple[dict[tuple[int, int], Floats], Floats]:
        noise = np.ones(people)
        noise[-1] = worst
        x = g.standard_normal((runs, people, units))
        if kind == "neighbours alike":
            for t in range(1, units):
                x[..., t] = 0.5 * x[..., t - 1] + math.sqrt(0.75) * x[..., t]
        if kind == "long spells":
            x = x * np.where(_spells(g, x.shape, 0.2, 8, 32) > 0, 2.5, 0.7)
        if kind == "heavy tails":
            x = 0.5 * x * np.exp(0.8 * g.standard_normal(x.shape))
        if kind == "hard passages":
            x = 0.8 * x * np.exp(0.6 * g.standard_normal((runs, 1, units)))
        if kind == "friends":
            common = g.standard_normal((runs, 2, units))
            x = (x + 1.5 * common[:, np.arange(people) % 2]) / 1.8
        x = 0.3 * noise[:, None] * x
        rate = 0.25 * np.minimum(noise**2, 2.5) if kind == "misses" else 0.05 * noise**2
        missed = g.random(x.shape) < rate[:, None]
        wrong = g.random(x.shape) < (0.05 * np.minimum(noise**2, 6))[:, None]
        disorder_by_pair = {}
        for a, b in combinations(range(people), 2):
            apart = np.minimum((x[:, a] - x[:, b]) ** 2 + 0.5 * (wrong[:, a] ^ wrong[:, b]), 1.0)
            alone = np.where(missed[:, a] ^ missed[:, b], 0.5, 0.0)
            disorder_by_pair[a, b] = np.where(missed[:, a] | missed[:, b], alone, apart)
        return disorder_by_pair, (~missed).astype(np.float64)

    return draw


LABELS = 5


def groups_of_annotators(kind: str, sizes: tuple[int, int], parts: int, units: int) -> Callable[
    [np.random.Generator, int], tuple[Floats, Floats]
]:  # fmt: skip
    """Draw disorders of each pair in each part, shape (runs, annotators, annotators, parts)."""

    def draw(g: np.random.Generator, runs: int) -> tuple[Floats, Floats]:
        people, total = sum(sizes), parts * units
        group = np.arange(people) >= sizes[0]
        right = {"alike": (0.75, 0.75), "nearly perfect and careless": (0.98, 0.45)}
        care = np.where(group, *reversed(right.get(kind, (0.9, 0.6))))
        rho = np.broadcast_to(care[None, :, None], (runs, people, total)).copy()
        if kind == "annotators vary":
            rho = np.clip(rho + 0.12 * g.standard_normal((runs, people, 1)), 0.3, 1)
        if kind == "documents hard for all":
            ease = np.clip(0.8 + 0.2 * g.standard_normal((runs, 1, parts)), 0.2, 1.1)
            rho = np.clip(rho * np.repeat(ease, units, axis=2), 0, 1)
        truth = g.integers(LABELS, size=(runs, 1, total))
        if kind.startswith("own truth"):
            share = float(kind.split()[-1])
            own_labels = g.integers(LABELS, size=truth.shape)
            other = np.where(g.random(truth.shape) < share, own_labels, truth)
            truth = np.where(group[None, :, None], other, truth)
        if kind == "two schools at random":
            own_labels = g.integers(LABELS, size=truth.shape)
            other = np.where(g.random(truth.shape) < 0.3, own_labels, truth)
            truth = np.where(g.random((runs, people, 1)) < 0.5, other, truth)
            rho = np.full_like(rho, 0.85)
        if kind == "own quirks":
            which = np.broadcast_to(g.integers(12, size=truth.shape), rho.shape)
            quirk = g.random((runs, people, 12)) < 0.25
            quirk_labels = g.integers(LABELS, size=(runs, people, 12))
            has, labels_of_quirk = (np.take_along_axis(x, which, 2) for x in (quirk, quirk_labels))
            truth = np.where(has, labels_of_quirk, np.broadcast_to(truth, rho.shape))
        guess = g.integers(LABELS, size=rho.shape)
        labels = np.where(g.random(rho.shape) < rho, np.broadcast_to(truth, rho.shape), guess)
        expected = np.full((runs, total), 1 - 1 / LABELS)
        place = g.standard_normal(rho.shape) * np.where(group, 0.35, 0.1)[:, None]
        observed = np.zeros((runs, people, people, parts))
        chance = np.zeros_like(observed)
        for a, b in combinations(range(people), 2):
            d, e = (labels[:, a] != labels[:, b]).astype(np.float64), expected
            if kind == "positions":
                d, e = np.minimum((place[:, a] - place[:, b]) ** 2, 1), np.full_like(e, 0.8)
            for sums, x in ((observed, d), (chance, e)):
                sums[:, a, b] = sums[:, b, a] = x.reshape(runs, parts, units).sum(axis=2)
        return observed, chance

    return draw


def annotated(
    kind: str, documents: int, people: int, share_seen: float
) -> Callable[[np.random.Generator, int], tuple[Floats, Indices]]:
    """Units and topic of each document by each annotator, shape (runs, people, documents).

    A share of the documents is `share_seen`: everybody gives it as many units of the same topic.
    """

    def draw(g: np.random.Generator, runs: int) -> tuple[Floats, Indices]:
        shape, spread = (runs, people, documents), 0.0 if kind == "equal" else 0.6
        taste = np.exp(0.4 * g.standard_normal((runs, people, 1))) if kind == "unlike" else 1.0
        mean = 8 * np.exp(spread * g.standard_normal(shape))
        common = 8 * np.exp(spread * g.standard_normal((runs, 1, documents)))
        is_known = g.random((runs, 1, documents)) < share_seen
        units = (g.poisson(np.where(is_known, common, mean) * taste) + 1).astype(np.float64)
        topic = g.integers(4, size=shape)
        topic = np.where(is_known, g.integers(4, size=(runs, 1, documents)), topic)
        return units, topic

    return draw


def disorder_of(units: Floats, topic: Indices, g: np.random.Generator) -> Side:
    """x̄·δ and x̄ of documents that annotators give so many units of these topics."""
    total = np.zeros(units[:, 0].shape)
    pairs = list(combinations(range(units.shape[1]), 2))
    for a, b in pairs:
        both = np.minimum(units[:, a], units[:, b])
        apart = np.where(topic[:, a] == topic[:, b], 0.35, 0.6) * g.gamma(2 * both) / 2
        total += 0.5 * np.abs(units[:, a] - units[:, b]) + apart
    return total / len(pairs), units.mean(axis=1)
