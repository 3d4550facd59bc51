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

from experiments._independent_pauses import PITCH, PROCESSES, drawn, held, renewal
from gammacp import Continuum, Corpus, gamma, gamma_corpus

Rng = np.random.Generator


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
                continuum, stretches = drawn(process, kind, 2, np.random.default_rng([58, seed]))
                scores.append(gamma(continuum.with_markable(stretches), samples=59, seed=seed))
            summary = in_words([s.value for s in scores], [s.p for s in scores])
            print(f"zero | {kind} | {name} | {summary}", flush=True)


def corpora(sets: int) -> None:
    """Print γ of six recordings with declared stretches, and within documents without any."""
    for kind in ("three long", "many short"):
        for name, process in [*PROCESSES.items()][:6]:
            declared, plain, n_noted = [], [], 0
            for seed in range(sets):
                rng = np.random.default_rng([59, seed])
                rows = [drawn(process, kind, 2, rng) for _ in range(6)]
                whole = {str(k): c.with_markable(st) for k, (c, st) in enumerate(rows)}
                bare = {str(k): c for k, (c, _) in enumerate(rows)}
                declared.append(gamma_corpus(Corpus.from_continua(whole), samples=39, seed=seed))
                plain.append(gamma_corpus(Corpus.from_continua(bare), samples=59, seed=seed))
                n_noted += plain[-1].gaps is not None and plain[-1].gaps.matters
            summary = in_words([s.value for s in declared], [s.p for s in declared])
            bare = np.mean([s.value for s in plain])
            print(
                f"corpus | {kind} | {name} | {summary} | undeclared {bare:+.3f}, told in "
                f"{n_noted / sets:.3f}",
                flush=True,
            )


def agreeing(shape: float, share: float, rng: Rng) -> Continuum:
    """Return three people who each find a share of one truth without pauses, and add others."""
    starts, ends = held([(0.0, 500.0)], renewal(500.0, rng, shape=shape))
    rows = []
    for who in "ABC":
        some = rng.random(len(starts)) < share
        own_spans = held([(0.0, 500.0)], renewal(500.0, rng, pitch=PITCH / (1 - share)))
        rows += [(who, s, e) for s, e in zip(starts[some], ends[some], strict=True)]
        rows += [(who, s, e) for s, e in zip(*own_spans, strict=True)]
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
        for share in (0.95, 0.8, 0.5):
            cells[f"agreeing, {what} | {share:.0%} kept"] = lambda rng, s=shape, k=share: agreeing(
                s, k, rng
            )
    for name, make in cells.items():
        n_noted = 0
        for seed in range(sets):
            score = gamma(make(np.random.default_rng([60, seed])), samples=99, seed=seed)
            n_noted += score.gaps is not None and score.gaps.matters
        print(f"notes | {name} | told in {n_noted / sets:.3f}", flush=True)


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
