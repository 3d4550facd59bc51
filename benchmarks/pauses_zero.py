"""Zero of γ where nothing can be marked in pauses, and how often common gaps are told.

    python benchmarks/pauses_zero.py [--sets 60] [--of zero power undeclared notes]
        [--rows TEXT] [--recordings 6] [--samples 19]

Independent annotators share a recording with pauses and nothing else. Printed are, a line each:

- zero: the mean of γ with declared stretches, ± a standard error, and how often p ≤ .05, for
  corpora of six recordings (as many as sets) and for each recording alone (six times as many);
- power: the same for people who each find a share of one truth, so that p should be low;
- undeclared: γ of the corpora where nothing is declared, and how often the gaps are told;
- notes: how often "nobody marks anything" is printed where nothing is declared, for three
  annotators; without pauses; and for people who agree.

`--rows` keeps the rows of zero, power and undeclared in whose name the text occurs. With
`--samples 0` there are as many random sets as by default, which takes longer.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments._independent_pauses import (
    PITCH,
    PROCESSES,
    Process,
    Stretches,
    drawn,
    held,
    recording,
    renewal,
)
from gammacp import Continuum, Corpus, gamma, gamma_corpus

Rng = np.random.Generator


# Kinds of recordings, number of annotators and processes of the tables.
PAIRS = (
    "none across",
    "stretched over",
    "cut at pauses",
    "ending at pauses",
    "moved to an edge",
    "tiles cut at pauses",
    "bursts",
    "bursts stretched over",
    "dense",
    "unlike numbers",
    "one long unit",
)
ROWS = [
    *(("many short", name, 2) for name in PAIRS[:6]),
    *(("speech", name, 3) for name in ("turns", "whole stretches", "none across")),
    *(("three long", name, 2) for name in PAIRS[:6]),
    *(("short stretches", name, 2) for name in ("cut at pauses", "tiles cut at pauses")),
    *((kind, name, 2) for kind in ("many short", "three long") for name in PAIRS[6:]),
    ("seven short", "beginning anew", 2),
    ("seven short", "beginning anew, one label", 2),
]
# End of the names of rows in which all units have the same label.
_ONE_LABEL = ", one label"


def in_words(values: list[float], p: list[float | None]) -> str:
    """Return mean, error and the share of p ≤ .05."""
    mean, error = np.mean(values), np.std(values) / np.sqrt(len(values))
    low = np.mean([x is not None and x <= 0.05 for x in p])
    return f"{mean:+.3f} ± {error:.3f}, p <= .05 in {low:.3f}"


@dataclass(frozen=True)
class Study:
    """What is measured.

    Attributes
    ----------
    sets
        Number of corpora.
    recordings
        Number of recordings of a corpus.
    rows
        Part of the titles of rows that are measured.
    samples
        Number of random sets; None for the default precision.
    """

    sets: int
    recordings: int
    rows: str
    samples: int | None


def print_row(title: str, study: Study, draw: Callable[[Rng], tuple[Continuum, Stretches]]) -> None:
    """Print γ of corpora with declared stretches, and of their recordings alone."""
    together, alone = [], []
    for seed in range(study.sets):
        rng = np.random.default_rng([59, seed])
        rows = [draw(rng) for _ in range(study.recordings)]
        whole = {str(k): c.with_markable(stretches) for k, (c, stretches) in enumerate(rows)}
        corpus = gamma_corpus(Corpus.from_continua(whole), samples=study.samples, seed=seed)
        together.append(corpus)
        alone += corpus.scores.values()
    of_six = in_words([s.value for s in together], [s.p for s in together])
    of_one = in_words([s.value for s in alone], [s.p for s in alone])
    print(f"{title} | corpora: {of_six} | alone: {of_one}", flush=True)


def zero(study: Study) -> None:
    """Print γ of independent annotators with declared stretches."""
    for kind, name, people in ROWS:
        title = f"zero | {kind} | {name}"
        if study.rows in title:
            base = name.removesuffix(_ONE_LABEL)

            def draw(
                rng: Rng,
                process: Process = PROCESSES[base],
                kind: str = kind,
                people: int = people,
                alike: bool = base != name,
            ) -> tuple[Continuum, Stretches]:
                return drawn(process, kind, people, rng, one_label=alike)

            print_row(title, study, draw)


def sharing(process: Process, kind: str, share: float, rng: Rng) -> tuple[Continuum, Stretches]:
    """Draw two annotators who each find a share of one truth, and others to replace the rest.

    Boundaries are moved by a normal error of .5, apart from those at edges of stretches.
    """
    stretches = recording(kind, rng)
    edges = np.array(stretches)
    truth = np.array(process(stretches, 0, rng))
    rows = []
    for who in "AB":
        kept = truth[:, rng.random(truth.shape[1]) < share]
        moved = kept + rng.normal(0, 0.5, kept.shape) * ~np.isin(kept, edges)
        low, high = edges[np.searchsorted(edges[:, 0], kept[0], side="right") - 1].T
        starts = moved[0].clip(low, high - 0.1)
        ends = np.maximum(moved[1].clip(low, high), starts + 0.1)
        other = np.array(process(stretches, 0, rng))
        other = other[:, rng.random(other.shape[1]) < 1 - share]
        rows += [(who, s, e) for s, e in zip(starts, ends, strict=True)]
        rows += [(who, s, e) for s, e in other.T]
    names, starts, ends = zip(*rows, strict=True)
    whole = Continuum.from_columns(
        names, ["a"] * len(names), starts, ends, bounds=(0, stretches[-1][1])
    )
    return whole, stretches


def power(study: Study) -> None:
    """Print γ of people who agree, with declared stretches."""
    for kind in ("many short", "three long"):
        for name in ("none across", "cut at pauses"):
            for share in (0.9, 0.5, 0.3):
                title = f"power | {kind} | {name} | {share:.0%} found"
                if study.rows in title:
                    process = PROCESSES[name]
                    print_row(
                        title, study, lambda rng, k=kind, p=process, q=share: sharing(p, k, q, rng)
                    )


def undeclared(study: Study) -> None:
    """Print γ of six recordings without declared stretches, and how often gaps are told."""
    for kind in ("three long", "many short"):
        for name in PAIRS[:6]:
            title = f"undeclared | {kind} | {name}"
            if study.rows not in title:
                continue
            values, n_noted = [], 0
            for seed in range(study.sets):
                rng = np.random.default_rng([59, seed])
                bare = {
                    str(k): drawn(PROCESSES[name], kind, 2, rng)[0] for k in range(study.recordings)
                }
                score = gamma_corpus(Corpus.from_continua(bare), samples=59, seed=seed)
                values.append(score.value)
                n_noted += score.gaps is not None and score.gaps.matters
            print(
                f"{title} | {np.mean(values):+.3f}, told in {n_noted / study.sets:.3f}", flush=True
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
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--of", nargs="*", default=["zero", "power", "undeclared", "notes"])
    parser.add_argument("--rows", default="")
    parser.add_argument("--recordings", type=int, default=6)
    parser.add_argument("--samples", type=int, default=19)
    chosen = parser.parse_args()
    study = Study(chosen.sets, chosen.recordings, chosen.rows, chosen.samples or None)
    parts = {"zero": zero, "power": power, "undeclared": undeclared}
    for part in chosen.of:
        if part == "notes":
            notes(chosen.sets)
        else:
            parts[part](study)


if __name__ == "__main__":
    main()
