"""Rates at which pairs and documents that the verdict names would be named again.

    python benchmarks/named_here.py [--runs 40] [--only pairs|lowest|divided]

Annotators mark one truth with errors of the Corpus Shuffling Tool, and mark the same documents
again, several times, with new errors of the same size. What remains is what the sentence is about.

pairs: "A and B agree least here", of eight people who take turns, three a document, and all alike
or with one person who errs more. Printed are, if a pair must share so many documents: the γ that is
printed, the γ of the same pair when the documents are marked again, and how often the pair has the
worse person.
lowest: the two documents with the lowest γ, of documents that are equally hard and of ones that
are not: how often they are named, how many of the two are truly among the two lowest (by the mean
of the further rounds), and how many would be by luck.
divided: how often the verdict says that most units without a counterpart come from stretches that
one annotator divides, if three people err in a single way.

Each rate has a standard error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from gammacp.campaign.compare.comparison import compare
from gammacp.campaign.statements import LEVEL
from gammacp.campaign.verdict import verdict
from gammacp.continuum import Continuum, Unit
from gammacp.inference.between_documents import p_of_equal_documents
from gammacp.measures.agreement import agreement
from shuffling import ReferenceModel, reference_set, shuffle

ERRORS = "position+category+false-negative"
SHARED = (1, 3, 5, 7)
PEOPLE = "ABCDEFGH"
AGAIN = 4
"""Number of further rounds, whose mean stands for the truth."""


def marked(
    truth: Continuum,
    magnitudes: Mapping[str, float],
    model: ReferenceModel,
    seed: list[int],
    errors: str = ERRORS,
) -> Continuum:
    """Return a document as marked by people who err by these magnitudes."""
    units: list[Unit] = []
    for k, (name, magnitude) in enumerate(magnitudes.items()):
        drawn = np.random.SeedSequence([*seed, k])
        made = shuffle(truth, errors, magnitude, 1, model=model, seed=drawn)
        units += [replace(unit, annotator=name) for unit in made]
    return Continuum.from_units(
        units, annotators=[*magnitudes], bounds=truth.bounds, categories=truth.categories
    )


def with_error(values: list[float]) -> str:
    """Return a mean with its standard error."""
    if not values:
        return "  –"
    return f"{np.mean(values):.3f} ± {np.std(values) / np.sqrt(len(values)):.3f}"


def turns(worse: float, documents: int, run: int) -> Callable[[int], dict[str, Continuum]]:
    """Return a function that draws a round of eight people who take turns, three a document."""
    model = replace(ReferenceModel(), n_units=8)
    rng = np.random.default_rng([58, run])
    teams = [sorted(rng.choice(len(PEOPLE), 3, replace=False)) for _ in range(documents)]
    truths = [reference_set(model, seed=np.random.SeedSequence([run, d])) for d in range(documents)]

    def draw(number: int) -> dict[str, Continuum]:
        return {
            f"d{d}": marked(
                truth,
                {PEOPLE[k]: 0.15 + (worse if k == 0 else 0.0) for k in teams[d]},
                model,
                [run, d, number],
            )
            for d, truth in enumerate(truths)
        }

    return draw


def pairs(runs: int) -> Iterator[str]:
    """Yield rows on the pair that agrees least, by the number of documents that it must share."""
    for worse, documents in ((0.0, 56), (0.15, 56)):
        printed: dict[int, list[float]] = {least: [] for least in SHARED}
        again: dict[int, list[float]] = {least: [] for least in SHARED}
        right: dict[int, list[float]] = {least: [] for least in SHARED}
        everybody: list[float] = []
        for run in range(runs):
            draw = turns(worse, documents, run)
            rounds = [
                compare(draw(k), draws=0, by=("pair",), leave_one_out=False, samples=20, seed=run)
                for k in range(2)
            ]
            everybody.append(rounds[0].overall.value)
            first, second = (found.pairs.agreements for found in rounds)
            for least in SHARED:
                values = {
                    pair: found.value
                    for pair, found in first.items()
                    if np.isfinite(found.value) and len(found.computed) >= least
                }
                if len(values) < 3:
                    continue
                lowest = min(values, key=values.__getitem__)
                printed[least].append(values[lowest])
                again[least].append(second[lowest].value)
                right[least].append(PEOPLE[0] in lowest)
        what = f"A errs by {worse:g} more" if worse else "alike"
        for least in SHARED:
            yield (
                f"pairs | {what}, {documents} documents | share {least} | in "
                f"{len(printed[least])} of {runs} | printed {with_error(printed[least])} | again "
                f"{with_error(again[least])} | all {with_error(everybody)} | with A "
                f"{with_error(right[least])}"
            )


HARD: Mapping[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "equal": lambda _, n: np.full(n, 0.2),
    "equal, careless": lambda _, n: np.full(n, 0.4),
    "lognormal .6": lambda rng, n: np.minimum(0.9, 0.2 * np.exp(0.6 * rng.standard_normal(n))),
    "two hard": lambda _, n: np.where(np.arange(n) < 2, 0.45, 0.2),
}


def lowest(runs: int) -> Iterator[str]:
    """Yield rows on the two documents with the lowest γ."""
    for name, hardness in HARD.items():
        for documents, units in ((20, 12), (8, 12)):
            model = replace(ReferenceModel(), n_units=units)
            named, true, true_named = [], [], []
            for run in range(runs):
                rng = np.random.default_rng([59, run])
                magnitudes = hardness(rng, documents)
                truths = [
                    reference_set(model, seed=np.random.SeedSequence([run, d]))
                    for d in range(documents)
                ]
                rounds = []
                for number in range(1 + AGAIN):
                    continua = {
                        f"d{d}": marked(
                            truth, dict.fromkeys("ABC", float(m)), model, [run, d, number]
                        )
                        for d, (truth, m) in enumerate(zip(truths, magnitudes, strict=True))
                    }
                    rounds.append(agreement(continua, samples=10, seed=run))
                found = rounds[0]
                p = p_of_equal_documents([found.contributions([d]) for d in found.rated])
                values = [
                    [score.value if (score := each.rated.get(f"d{d}")) else np.nan
                     for d in range(documents)]
                    for each in rounds
                ]  # fmt: skip
                mean = np.nanmean(values[1:], axis=0)
                both = {*np.argsort(values[0])[:2]} & {*np.argsort(mean)[:2]}
                named.append(float(p <= LEVEL))
                true.append(len(both) / 2)
                if p <= LEVEL:
                    true_named.append(len(both) / 2)
            yield (
                f"lowest | {name}, {documents} × {units} | named {with_error(named)} | truly "
                f"lowest {with_error(true)}, of those named {with_error(true_named)}, by luck "
                f"{2 / documents:.2f}"
            )


def divided(runs: int) -> Iterator[str]:
    """Yield rows on the sentence about stretches that one annotator divides, by kind of error."""
    model = replace(ReferenceModel(), n_units=15)
    for errors in ("false-negative", "false-positive", "position", ERRORS, "split"):
        absent: list[float] = []
        said: list[float] = []
        for run in range(runs):
            continua = {}
            for d in range(10):
                truth = reference_set(model, seed=np.random.SeedSequence([59, run, d]))
                magnitudes = dict.fromkeys("ABC", 0.3)
                continua[f"d{d}"] = marked(truth, magnitudes, model, [59, run, d], errors)
            found = compare(continua, draws=0, by=("kind",), leave_one_out=False, samples=20)
            words = " ".join(verdict(found).in_words())
            absent.append("units without a counterpart" in words)
            said.append("stretches that one annotator divides" in words)
        yield (
            f"divided | {errors} | units without a counterpart are most {with_error(absent)} | "
            f"divided stretches are most of these {with_error(said)}"
        )


STUDIES = {"pairs": pairs, "lowest": lowest, "divided": divided}


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--only", choices=[*STUDIES], default=None)
    asked = parser.parse_args()
    for name, study in STUDIES.items():
        if asked.only in (None, name):
            for row in study(asked.runs):
                print(row, flush=True)


if __name__ == "__main__":
    main()
