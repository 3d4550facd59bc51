"""Rates that the docs tell beside a test or an interval, where it is known not to hold.

    python benchmarks/told_rates.py [--runs 300] [--only alarm|spammer|text|lists|rounds]

alarm: campaigns with γ at the bar whose expected disorder is 10 % too small, looked at after every
document: how many ever have an alarm of 5 %. spammer: rotations of five people, three a
document, where each is a spammer with probability .2: how often the interval over both contains γ.
text: two independent annotators on one text: how often p of γ is at most .05. lists: two word
lists that are independent, each marking all occurrences of its words in one text: the same.
rounds: two corpora of twenty documents under `documents`, whose annotators err by .3 in the one,
and by .3 (equal γ) or less in the other: how often p of their difference is at most .05. Here
`--runs` is the number of corpora of each kind, and every one is compared with every other; the
standard error is that of leaving out one corpus at a time (jackknife).

Each rate has a standard error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from gammacp.campaign.alarm import alarm_of
from gammacp.campaign.compare.rounds import compare_rounds
from gammacp.continuum import Continuum, Unit
from gammacp.inference.part_tests import interval_over_documents
from gammacp.inference.populations import PairSums, intervals_over
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.gamma import gamma
from shuffling import ReferenceModel, shuffled_set


def alarms(runs: int) -> Iterator[tuple[str, float]]:
    """Yield how many campaigns ever have an alarm, by how wrong the expected disorder is."""
    for documents in (60, 200, 500):
        for times in (1.0, 0.9):
            rng, hits = np.random.default_rng(58), 0
            for _ in range(runs):
                e = np.exp(0.3 * rng.standard_normal(documents))
                o = 0.3 * e * rng.gamma(6, 1 / 6, documents)
                # The evidence is the largest of all looks, one after every document.
                hits += alarm_of(o, times * e, 0.7, 0.05).raised
            yield f"alarm, {documents} documents, expected disorder × {times:g}", hits / runs


def spammers(runs: int) -> Iterator[tuple[str, float]]:
    """Yield the coverage over both where one in five of all people is a spammer."""
    trios = [*combinations(range(5), 3)]
    for documents in (20, 60):
        rng, hits = np.random.default_rng(59), 0
        # A pair has a disorder of .3 without a spammer and of 1 with one.
        true = 1 - (0.3 * 0.64 + 1.0 * 0.36)
        for _ in range(runs):
            bad = rng.random(5) < 0.2
            rows = [
                (d, (i, j), (1.0 if bad[i] or bad[j] else 0.3) * rng.gamma(10, 0.1), 1.0)
                for d in range(documents)
                for i, j in combinations(trios[d % len(trios)], 2)
            ]
            where, pairs, observed, expected = zip(*rows, strict=True)
            sums = PairSums.of_pairs(where, pairs, observed, expected)
            parts = (np.bincount(sums.document, x) for x in (sums.observed, sums.expected))
            low, high = map(float, interval_over_documents(*parts))
            both = intervals_over(sums, (low, high)).both
            hits += both is not None and both[0] <= true <= both[1]
        yield f"spammer, {documents} documents: coverage", hits / runs


def texts(runs: int) -> Iterator[tuple[str, float]]:
    """Yield how often p of γ of one text is at most .05 for independent annotators."""
    rng, hits = np.random.default_rng(60), 0
    for i in range(runs):
        units = []
        for name in "AB":
            starts = np.sort(rng.uniform(0, 500, 20))
            ends = np.minimum(np.append(starts[1:], 510), starts + rng.uniform(2, 12, 20))
            labels = rng.integers(3, size=20)
            units += [
                Unit(name, float(s), float(e), "xyz"[k])
                for s, e, k in zip(starts, ends, labels, strict=True)
            ]
        score = gamma(Continuum.from_units(units, bounds=(0, 520)), samples=99, seed=i)
        hits += score.p is not None and score.p <= 0.05
    yield "text, p of γ ≤ .05", hits / runs


def lists(runs: int) -> Iterator[tuple[str, float]]:
    """Yield the same of two word lists over one text of words with frequencies as 1/rank."""
    rng, hits = np.random.default_rng(61), 0
    for i in range(runs):
        shares = 1 / np.arange(1, 201)
        text = rng.choice(200, 400, p=shares / shares.sum())
        units = []
        for name in "AB":
            mine = rng.random(200) < 0.15
            units += [Unit(name, k, k + 1) for k in np.flatnonzero(mine[text]).tolist()]
        if {u.annotator for u in units} != {"A", "B"}:
            continue
        score = gamma(Continuum.from_units(units, bounds=(0, 400)), samples=99, seed=i)
        hits += score.p is not None and score.p <= 0.05
    yield "lists, p of γ ≤ .05", hits / runs


def rounds(runs: int) -> Iterator[tuple[str, float, float]]:
    """Yield how often two corpora under `documents` are told to differ, with a standard error."""
    model = ReferenceModel(n_units=8)

    def corpus(magnitude: float, seed: int) -> Agreement:
        documents = {
            f"{seed}-{k}": shuffled_set(model, "position", magnitude, 3, index=k, model=model,
                                        seed=seed)
            for k in range(20)
        }  # fmt: skip
        return agreement(documents, chance="documents", samples=30, seed=seed)

    first = [corpus(0.3, i) for i in range(runs)]
    for number, other in enumerate((0.3, 0.27, 0.25)):
        second = first
        if number:
            second = [corpus(other, 10_000 * number + i) for i in range(runs)]
        told = np.full((runs, runs), np.nan)
        for i, one in enumerate(first):
            for j, two in enumerate(second):
                if second is not first or i < j:
                    p = compare_rounds(one, two).p_value
                    told[i, j] = p is not None and p <= 0.05
        gammas = [np.mean([found.value for found in side]) for side in (first, second)]
        said = f"rounds, γ {gammas[0]:.2f} and {gammas[1]:.2f}"
        yield said, float(np.nanmean(told)), jackknife(told, second is first)


def jackknife(told: np.ndarray, same: bool) -> float:
    """Return the standard error of a mean over pairs of corpora, by leaving out each corpus.

    Parameters
    ----------
    told
        Value of each pair, shape (first, second); NaN where there is none.
    same
        Whether the corpora of the rows are those of the columns.
    """
    sides = []
    if same:
        rest = (np.delete(np.delete(told, i, axis=0), i, axis=1) for i in range(len(told)))
        sides.append([np.nanmean(each) for each in rest])
    else:
        for axis in (0, 1):
            rest = (np.delete(told, i, axis=axis) for i in range(told.shape[axis]))
            sides.append([np.nanmean(each) for each in rest])
    return float(np.sqrt(sum((len(means) - 1) * np.var(means) for means in sides)))


STUDIES = {"alarm": alarms, "spammer": spammers, "text": texts, "lists": lists, "rounds": rounds}


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--only", choices=[*STUDIES], default=None)
    asked = parser.parse_args()
    for name, study in STUDIES.items():
        if asked.only in (None, name):
            for sentence, rate, *errors in study(asked.runs):
                error = errors[0] if errors else (rate * (1 - rate) / asked.runs) ** 0.5
                print(f"{sentence:44} {rate:.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
