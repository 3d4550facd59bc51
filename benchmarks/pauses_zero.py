"""γ of independent annotators of recordings with pauses, and how often common gaps are reported.

    python benchmarks/pauses_zero.py [--sets 60] [--parts zero power undeclared notes]
        [--rows TEXT] [--recordings 6] [--samples 19]

Independent annotators share a recording with pauses and nothing else. A part prints a line for each
row of its table:

- zero: the mean of γ with declared stretches, ± a standard error, and how often p ≤ .05, for
  corpora of `--recordings` recordings (as many as sets) and for each recording alone;
- power: the same for people who each find a share of one truth, so that p should be low;
- undeclared: γ of the corpora where nothing is declared, and how often the gaps are
  reported;
- notes: how often "nobody marks anything" is printed where nothing is declared, for three
  annotators; without pauses; and for people who agree.

`--rows` keeps the rows of zero, power and undeclared in whose name the text occurs. `--samples` is
the number of random sets in zero and power; with 0 there are as many as by default, which takes
longer.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

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
from gammacp.measures.gamma import Gamma

Rng = np.random.Generator


# Processes of two annotators.
PLAIN_PROCESSES = (
    "none across",
    "stretched over",
    "cut at pauses",
    "ending at pauses",
    "moved to an edge",
    "tiles cut at pauses",
)
UNEVEN_PROCESSES = (
    "bursts",
    "bursts stretched over",
    "dense",
    "unlike numbers",
    "one long unit",
)
# Kind of the recordings, process, and number of annotators of each row.
ROWS = [
    *(("many short", name, 2) for name in PLAIN_PROCESSES),
    *(("speech", name, 3) for name in ("turns", "whole stretches", "none across")),
    *(("three long", name, 2) for name in PLAIN_PROCESSES),
    *(("short stretches", name, 2) for name in ("cut at pauses", "tiles cut at pauses")),
    *((kind, name, 2) for kind in ("many short", "three long") for name in UNEVEN_PROCESSES),
    ("seven short", "beginning anew", 2),
    ("seven short", "beginning anew, one label", 2),
]
# End of the names of rows in which all units have the same label.
_ONE_LABEL = ", one label"

# Random sets of parts that do not print p.
_SAMPLES_UNDECLARED = 59
_SAMPLES_NOTES = 99

# Seeds of recordings, so that parts share them, and of the recordings of `notes`.
_SEED = 59
_SEED_OF_NOTES = 60


def summary(scores: Sequence[Gamma]) -> str:
    """Return mean and error of the values, and the share of p ≤ .05."""
    values = [score.value for score in scores]
    mean = np.mean(values)
    error = np.std(values) / np.sqrt(len(values))
    low_share = np.mean([score.p is not None and score.p <= 0.05 for score in scores])
    return f"{mean:+.3f} ± {error:.3f}, p <= .05 in {low_share:.3f}"


def has_gap_note(score: Gamma) -> bool:
    """Return whether the score has the note that nobody marks anything in some gaps."""
    return score.gaps is not None and score.gaps.matters


@dataclass(frozen=True)
class Study:
    """Options of a run.

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
    corpora = []
    single_recordings = []
    for seed in range(study.sets):
        rng = np.random.default_rng([_SEED, seed])
        recordings = {}
        for k in range(study.recordings):
            continuum, stretches = draw(rng)
            recordings[str(k)] = continuum.with_markable(stretches)
        corpus = gamma_corpus(Corpus.from_continua(recordings), samples=study.samples, seed=seed)
        corpora.append(corpus)
        single_recordings += corpus.scores.values()
    print(
        f"{title} | corpora: {summary(corpora)} | alone: {summary(single_recordings)}", flush=True
    )


def zero(study: Study) -> None:
    """Print γ of independent annotators with declared stretches."""
    for kind, name, people in ROWS:
        title = f"zero | {kind} | {name}"
        if study.rows in title:
            process = PROCESSES[name.removesuffix(_ONE_LABEL)]
            one_label = name.endswith(_ONE_LABEL)
            print_row(
                title, study, partial(draw_independent, process, kind, people, one_label=one_label)
            )


def draw_independent(
    process: Process, kind: str, people: int, rng: Rng, *, one_label: bool
) -> tuple[Continuum, Stretches]:
    """Draw annotators of a process, who share nothing but the stretches of a recording."""
    return drawn(process, kind, people, rng, one_label=one_label)


def draw_partial_agreement(
    process: Process, kind: str, share: float, rng: Rng
) -> tuple[Continuum, Stretches]:
    """Draw two annotators who each find a share of one truth, and mark units of their own instead.

    Boundaries are moved by a normal error of .5, apart from those at edges of stretches.
    """
    stretches = recording(kind, rng)
    edges = np.array(stretches)
    truth = np.array(process(stretches, 0, rng))
    rows = []
    for who in "AB":
        shared_units = truth[:, rng.random(truth.shape[1]) < share]
        errors = rng.normal(0, 0.5, shared_units.shape)
        moved = shared_units + errors * ~np.isin(shared_units, edges)
        # Units stay in the stretch in which they start.
        stretch_of = np.searchsorted(edges[:, 0], shared_units[0], side="right") - 1
        low, high = edges[stretch_of].T
        starts = moved[0].clip(low, high - 0.1)
        ends = np.maximum(moved[1].clip(low, high), starts + 0.1)
        own_units = np.array(process(stretches, 0, rng))
        own_units = own_units[:, rng.random(own_units.shape[1]) < 1 - share]
        rows += [(who, s, e) for s, e in zip(starts, ends, strict=True)]
        rows += [(who, s, e) for s, e in own_units.T]
    names, starts, ends = zip(*rows, strict=True)
    continuum = Continuum.from_columns(
        names, ["a"] * len(names), starts, ends, bounds=(0, stretches[-1][1])
    )
    return continuum, stretches


def power(study: Study) -> None:
    """Print γ of people who agree, with declared stretches."""
    for kind in ("many short", "three long"):
        for name in ("none across", "cut at pauses"):
            for share in (0.9, 0.5, 0.3):
                title = f"power | {kind} | {name} | {share:.0%} found"
                if study.rows in title:
                    draw = partial(draw_partial_agreement, PROCESSES[name], kind, share)
                    print_row(title, study, draw)


def undeclared(study: Study) -> None:
    """Print γ of six recordings without declared stretches, and how often gaps are
    reported.
    """
    for kind in ("three long", "many short"):
        for name in PLAIN_PROCESSES:
            title = f"undeclared | {kind} | {name}"
            if study.rows not in title:
                continue
            values = []
            n_noted = 0
            for seed in range(study.sets):
                rng = np.random.default_rng([_SEED, seed])
                recordings = {
                    str(k): drawn(PROCESSES[name], kind, 2, rng)[0] for k in range(study.recordings)
                }
                score = gamma_corpus(
                    Corpus.from_continua(recordings), samples=_SAMPLES_UNDECLARED, seed=seed
                )
                values.append(score.value)
                n_noted += has_gap_note(score)
            print(
                f"{title} | {np.mean(values):+.3f}, reported in {n_noted / study.sets:.3f}",
                flush=True,
            )


def draw_agreement_without_pauses(shape: float, share: float, rng: Rng) -> Continuum:
    """Draw three people who each find a share of one truth, and add units of their own."""
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


def draw_three_people(process: Process, kind: str, rng: Rng) -> Continuum:
    """Draw three independent annotators."""
    return drawn(process, kind, 3, rng)[0]


def notes(study: Study) -> None:
    """Print how often the sentence on common gaps is printed."""
    draws: dict[str, Callable[[Rng], Continuum]] = {}
    for kind in ("no pauses", "three long", "many short"):
        for name in (
            "none across",
            "cut at pauses",
            "stretched over",
            "bursts",
            "dense",
            "tiles cut at pauses",
        ):
            draws[f"{kind} | {name}"] = partial(draw_three_people, PROCESSES[name], kind)
    for shape, rhythm in ((2.0, "even"), (0.3, "bursts")):
        for share in (0.95, 0.8, 0.5):
            draws[f"agreeing, {rhythm} | {share:.0%} kept"] = partial(
                draw_agreement_without_pauses, shape, share
            )
    for name, draw in draws.items():
        n_noted = 0
        for seed in range(study.sets):
            continuum = draw(np.random.default_rng([_SEED_OF_NOTES, seed]))
            score = gamma(continuum, samples=_SAMPLES_NOTES, seed=seed)
            n_noted += has_gap_note(score)
        print(f"notes | {name} | reported in {n_noted / study.sets:.3f}", flush=True)


PARTS = {"zero": zero, "power": power, "undeclared": undeclared, "notes": notes}


def main() -> None:
    """Print the parts that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=[*PARTS])
    parser.add_argument("--rows", default="")
    parser.add_argument("--recordings", type=int, default=6)
    parser.add_argument("--samples", type=int, default=19)
    chosen = parser.parse_args()
    study = Study(chosen.sets, chosen.recordings, chosen.rows, chosen.samples or None)
    for part in chosen.parts:
        PARTS[part](study)


if __name__ == "__main__":
    main()
