"""Zero of γ where nothing can be marked in pauses, and how often common gaps are told.

    python benchmarks/pauses_zero.py [--sets 100] [--of zero corpora notes]

Independent annotators share a recording with pauses and nothing else. Printed are, a line each:

- zero: the mean of γ with declared stretches, ± a standard error, and how often p ≤ .05, for two
  annotators of one recording;
- corpora: the same of six recordings, and γ within documents where nothing is declared;
- notes: how often "nobody marks anything" is printed where nothing is declared, for three
  annotators; without pauses; and for people who agree.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from gammacp import Continuum, Corpus, gamma, gamma_corpus
from gammacp.chance.annotation import Annotation
from gammacp.chance.pauses import MarkableTime, stretches_of

PITCH, LENGTH = 20.0, 8.0
Spans = tuple[np.ndarray, np.ndarray]
Stretches = list[tuple[float, float]]
Rng = np.random.Generator
Process = Callable[[Stretches, int, Rng], Spans]


def renewal(end: float, rng: Rng, *, shape: float = 2.0, pitch: float = PITCH,
            mean: float = LENGTH, spread: float = 0.5) -> Spans:  # fmt: skip
    """Draw units that have come since long before 0 and go on after the end."""
    many = int(3 * end / pitch) + 60
    lengths = mean * rng.lognormal(-(spread**2) / 2, spread, many)
    gaps = (pitch - mean) / shape * rng.gamma(shape, size=many)
    starts = np.cumsum(gaps + lengths) - lengths - rng.uniform(10, 11) * pitch
    there = (starts + lengths > 0) & (starts < end)
    return starts[there], (starts + lengths)[there]


def recording(kind: str, rng: Rng) -> Stretches:
    """Draw stretches: three long pauses, thirteen short ones, or stretches as short as units."""
    if kind == "three long":
        sizes = 40 + 240 * rng.dirichlet(np.ones(4))
        pauses = rng.uniform(50, 80, 3)
    elif kind == "many short":
        sizes, pauses = rng.uniform(12, 45, 14), rng.uniform(4, 18, 13)
    elif kind == "short stretches":
        sizes, pauses = rng.uniform(6, 14, 40), rng.uniform(2, 8, 39)
    else:
        return [(0.0, 500.0)]
    starts = np.concatenate([[0.0], np.cumsum(sizes[:-1] + pauses)])
    return list(zip(starts.tolist(), (starts + sizes).tolist(), strict=True))


def held(stretches: Stretches, spans: Spans) -> Spans:
    """Return the units that lie in stretches."""
    inside = np.zeros(len(spans[0]), bool)
    for start, end in stretches:
        inside |= (spans[0] >= start) & (spans[1] <= end)
    return spans[0][inside], spans[1][inside]


def clipped(stretches: Stretches, spans: Spans, least: float = 0.5) -> Spans:
    """Return the parts of units that lie in stretches."""
    parts = [(spans[0].clip(a, b), spans[1].clip(a, b)) for a, b in stretches]
    starts, ends = (np.concatenate(side) for side in zip(*parts, strict=True))
    return starts[ends - starts > least], ends[ends - starts > least]


def through(stretches: Stretches, rng: Rng, **how: float) -> Spans:
    """Draw units in the time without pauses; those across pauses are stretched over them."""
    a, b = np.array(stretches).T
    time = MarkableTime(a, b, np.concatenate([[0.0], np.cumsum(b - a)]))
    starts, ends = renewal(float(time.edges[-1]), rng, **how)
    inside = (starts >= 0) & (ends <= time.edges[-1])
    starts, ends = starts[inside], ends[inside]
    codes = np.zeros(len(starts), np.int32)
    laid = Annotation(starts, ends - starts, codes, float(time.edges[-1]))
    made = time.positions(laid)
    return made.starts, made.starts + made.lengths


def ending_there(stretches: Stretches, rng: Rng) -> Spans:
    """Draw units that end where a pause begins; none begins in a pause."""
    starts, ends = renewal(stretches[-1][1], rng)
    parts = []
    for low, high in stretches:
        some = (starts >= low) & (starts < high - 0.5)
        parts.append((starts[some], np.minimum(ends[some], high)))
    first, last = (np.concatenate(side) for side in zip(*parts, strict=True))
    return first, last


def moved(stretches: Stretches, rng: Rng) -> Spans:
    """Draw units in the time without pauses; those across a pause go to its nearer edge."""
    a, b = np.array(stretches).T
    edges = np.concatenate([[0.0], np.cumsum(b - a)])
    starts, ends = renewal(float(edges[-1]), rng)
    inside = (starts >= 0) & (ends <= edges[-1])
    starts, lengths = starts[inside], (ends - starts)[inside]
    first, last = stretches_of(edges, starts, starts + lengths)
    fits = lengths <= np.diff(edges)[first]
    crossing = last > first
    starts = np.where(crossing & fits, edges[first + 1] - lengths, starts)
    kept = ~crossing | fits
    first = np.where(crossing, first, first)[kept]
    begin = a[first] + starts[kept] - edges[first]
    return begin, begin + lengths[kept]


def beside(stretches: Stretches, rng: Rng) -> Spans:
    """Draw half of the units right after pauses, as turns of talk begin there."""
    starts, ends = held(stretches, renewal(stretches[-1][1], rng))
    early = [s + rng.exponential(3.0) for s, _ in stretches if rng.random() < 0.5]
    more = (np.array(early), np.array(early) + 6.0)
    kept = held(stretches, more)
    return np.concatenate([starts, kept[0]]), np.concatenate([ends, kept[1]])


def with_a_long_unit(stretches: Stretches, who: int, rng: Rng) -> Spans:
    """Draw units; the first annotator has one over half of the recording, too."""
    starts, ends = held(stretches, renewal(stretches[-1][1], rng))
    if who == 0:
        a, b = np.array(stretches).T
        low = rng.uniform(0, 0.4 * stretches[-1][1])
        high = low + 0.5 * stretches[-1][1]
        low, high = a[np.searchsorted(b, low)], b[np.searchsorted(a, high) - 1]
        starts, ends = np.append(starts, low), np.append(ends, high)
    return starts, ends


PROCESSES: dict[str, Process] = {
    "none across": lambda st, _, rng: held(st, renewal(st[-1][1], rng)),
    "stretched over": lambda st, _, rng: through(st, rng),
    "cut at pauses": lambda st, _, rng: clipped(st, renewal(st[-1][1], rng)),
    "ending at pauses": lambda st, _, rng: ending_there(st, rng),
    "moved to an edge": lambda st, _, rng: moved(st, rng),
    "tiles cut at pauses": lambda st, _, rng: clipped(
        st, renewal(st[-1][1], rng, pitch=10, mean=9.99999999), 0.0
    ),
    "bursts": lambda st, _, rng: held(st, renewal(st[-1][1], rng, shape=0.3)),
    "bursts stretched over": lambda st, _, rng: through(st, rng, shape=0.3),
    "dense": lambda st, _, rng: held(st, renewal(st[-1][1], rng, pitch=10)),
    "unlike numbers": lambda st, who, rng: held(
        st, renewal(st[-1][1], rng, pitch=PITCH * (0.5, 2, 1)[who], mean=LENGTH * (0.5, 2, 1)[who])
    ),
    "one long unit": with_a_long_unit,
    "clustered after pauses": lambda st, _, rng: beside(st, rng),
}


def drawn(process: Process, kind: str, people: int, rng: Rng) -> tuple[Continuum, Stretches]:
    """Return a recording of independent annotators, without stretches, and these."""
    stretches = recording(kind, rng)
    spans = [process(stretches, who, rng) for who in range(people)]
    starts, ends = (np.concatenate([own[side] for own in spans]) for side in (0, 1))
    end = stretches[-1][1]
    made = Continuum.from_columns(
        [f"A{who}" for who, own in enumerate(spans) for _ in own[0]],
        rng.choice(["a", "b", "c"], len(starts), p=[0.5, 0.3, 0.2]).tolist(),
        starts.clip(0, end),
        ends.clip(0, end),
        annotators=[f"A{who}" for who in range(people)],
        bounds=(0, end),
    )
    return made, stretches


def in_words(values: list[float], p: list[float | None]) -> str:
    """Return mean, error and the share of p ≤ .05."""
    mean, error = np.mean(values), np.std(values) / np.sqrt(len(values))
    low = np.mean([x is not None and x <= 0.05 for x in p])
    return f"{mean:+.3f} ± {error:.3f}, p <= .05 in {low:.3f}"


def zero(sets: int) -> None:
    """Print γ of one recording with declared stretches."""
    for kind in ("three long", "many short", "short stretches"):
        for name, process in PROCESSES.items():
            scores = []
            for seed in range(sets):
                made, stretches = drawn(process, kind, 2, np.random.default_rng([58, seed]))
                scores.append(gamma(made.with_markable(stretches), samples=59, seed=seed))
            said = in_words([s.value for s in scores], [s.p for s in scores])
            print(f"zero | {kind} | {name} | {said}", flush=True)


def corpora(sets: int) -> None:
    """Print γ of six recordings with declared stretches, and within documents without any."""
    for kind in ("three long", "many short"):
        for name, process in [*PROCESSES.items()][:6]:
            declared, plain, told = [], [], 0
            for seed in range(sets):
                rng = np.random.default_rng([59, seed])
                rows = [drawn(process, kind, 2, rng) for _ in range(6)]
                whole = {str(k): c.with_markable(st) for k, (c, st) in enumerate(rows)}
                bare = {str(k): c for k, (c, _) in enumerate(rows)}
                declared.append(gamma_corpus(Corpus.from_continua(whole), samples=29, seed=seed))
                plain.append(gamma_corpus(Corpus.from_continua(bare), samples=59, seed=seed))
                told += plain[-1].gaps is not None and plain[-1].gaps.matters
            said = in_words([s.value for s in declared], [s.p for s in declared])
            bare = np.mean([s.value for s in plain])
            print(
                f"corpus | {kind} | {name} | {said} | undeclared {bare:+.3f}, told in "
                f"{told / sets:.3f}",
                flush=True,
            )


def agreeing(shape: float, kept: float, rng: Rng) -> Continuum:
    """Return three people who each find a share of one truth without pauses, and add others."""
    starts, ends = held([(0.0, 500.0)], renewal(500.0, rng, shape=shape))
    rows = []
    for who in "ABC":
        some = rng.random(len(starts)) < kept
        own = held([(0.0, 500.0)], renewal(500.0, rng, pitch=PITCH / (1 - kept)))
        rows += [(who, s, e) for s, e in zip(starts[some], ends[some], strict=True)]
        rows += [(who, s, e) for s, e in zip(*own, strict=True)]
    names, low, high = zip(*rows, strict=True)
    shifted = np.array(low) + rng.normal(0, 0.5, len(low))
    finish = np.maximum(np.array(high) + rng.normal(0, 0.5, len(high)), shifted + 0.1)
    return Continuum.from_columns(names, ["a"] * len(names), shifted, finish)


def notes(sets: int) -> None:
    """Print how often the sentence on common gaps is printed."""
    cells: dict[str, Callable[[Rng], Continuum]] = {
        f"{kind} | {name}": lambda rng, k=kind, p=PROCESSES[name]: drawn(p, k, 3, rng)[0]
        for kind in ("no pauses", "three long", "many short")
        for name in (
            "none across",
            "cut at pauses",
            "stretched over",
            "bursts",
            "dense",
            "tiles cut at pauses",
        )
    }
    for shape, what in ((2.0, "even"), (0.3, "bursts")):
        for kept in (0.95, 0.8, 0.5):
            cells[f"agreeing, {what} | {kept:.0%} kept"] = lambda rng, s=shape, k=kept: agreeing(
                s, k, rng
            )
    for name, make in cells.items():
        told = 0
        for seed in range(sets):
            score = gamma(make(np.random.default_rng([60, seed])), samples=99, seed=seed)
            told += score.gaps is not None and score.gaps.matters
        print(f"notes | {name} | told in {told / sets:.3f}", flush=True)


def main() -> None:
    """Print the parts that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--of", nargs="*", default=["zero", "corpora", "notes"])
    chosen = parser.parse_args()
    for part in chosen.of:
        {"zero": zero, "corpora": corpora, "notes": notes}[part](chosen.sets)


if __name__ == "__main__":
    main()
