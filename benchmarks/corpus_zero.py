"""Corpus values of independent annotators beyond chance: their mean should be 0.

    python benchmarks/corpus_zero.py [--sets 200] [--samples 19] [--process NAME] > zero.csv

Nobody looks at any document: each annotator draws gaps, lengths and labels of his or her own, or
labels at given places. Each set is a corpus of four documents; `gammacp.measure` compares its
disagreement with random sets of the chance model. Printed is a line per process, chance model and
measure: how many corpora had a value, its plain mean, the mean beyond chance, the standard error
of that, and how often p ≤ .05, a bound that independent annotators should meet in 5 %.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

import gammacp as gc
from experiments._independent_corpora import PROCESSES, Codes, Places, Units

F1_OF_WORDS = ("f1-exact", "f1-strict")
F1 = ("f1-overlap", "f1-category", "f1-partial", "soft-f1")
ALPHAS = ("u-alpha", "cu-alpha", "kappa-d", "ser")
PLACED = ("alpha", "kappa", "gwet-ac")


def measures_of(process: Units | Places | Codes) -> tuple[list[str], tuple[str, ...]]:
    """Return the measures that apply, and the chance models."""
    if isinstance(process, Codes):
        return ["presence"], ("documents",)
    if isinstance(process, Places):
        names = ["alpha", "gwet-ac"] if process.missing else [*PLACED]
        return names, ("fixed-positions",)
    # Without a grid, boundaries of different annotators never coincide: F₁ of equal units is 0.
    names = [*F1, *ALPHAS] if not process.grid else [*F1_OF_WORDS, *F1, *ALPHAS]
    return names, ("cut", "documents")


@dataclass
class Column:
    """Results of one measure, a row per corpus."""

    plain: list[float]
    beyond: list[float]
    p: list[float]
    without: list[str]


def study(
    process: Units | Places | Codes,
    sets: int,
    samples: int,
    chance: str,
    seed: int = 1,
    only: list[str] | None = None,
) -> dict[str, Column]:
    """Return the results of each measure."""
    names = [n for n in measures_of(process)[0] if only is None or n in only]
    matched = getattr(process, "matched", False)
    many = matched and len(getattr(process, "people", (0, 0))) > 2
    columns = {name: Column([], [], [], []) for name in names}
    for k in range(sets):
        corpus = process.corpus(np.random.default_rng([seed, k]))
        scores = gc.measure(
            corpus, names, beyond_chance=True, chance=chance, samples=samples, seed=k,
            **({"match_labels": "corpus"} if matched else {}),
            **({"reference": "A0"} if many else {}),
        )  # fmt: skip
        for name, score in scores.items():
            beyond = score.beyond_chance
            if beyond.reason is not None:
                columns[name].without.append(beyond.reason)
                continue
            columns[name].plain.append(score.value)
            columns[name].beyond.append(beyond.value)
            if beyond.p is not None:
                columns[name].p.append(beyond.p)
    return columns


def main() -> None:
    """Print a line per process, chance model and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--samples", type=int, default=19)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--process", choices=PROCESSES, action="append")
    parser.add_argument("--chance", action="append")
    parser.add_argument("--measure", action="append")
    arguments = parser.parse_args()
    print("process,chance,measure,corpora,plain,beyond_chance,standard_error,p_small,reason")
    for name in arguments.process or PROCESSES:
        process = PROCESSES[name]
        for chance in measures_of(process)[1]:
            if arguments.chance and chance not in arguments.chance:
                continue
            columns = study(
                process,
                arguments.sets,
                arguments.samples,
                chance,
                arguments.seed,
                arguments.measure,
            )
            for measure, column in columns.items():
                print(_line(name, chance, measure, column), flush=True)


def _line(name: str, chance: str, measure: str, column: Column) -> str:
    """Return one line of the table."""
    n = len(column.beyond)
    reason = column.without[0].replace('"', "'") if column.without else ""
    start = f'"{name}",{chance},{measure},{n}'
    if n < 2:
        return f'{start},,,,,"{reason}"'
    error = np.std(column.beyond, ddof=1) / n**0.5
    small = f"{np.mean(np.array(column.p) <= 0.05):.3f}" if column.p else ""
    means = f"{np.mean(column.plain):.4f},{np.mean(column.beyond):.4f},{error:.4f}"
    return f'{start},{means},{small},"{reason}"'


if __name__ == "__main__":
    main()
