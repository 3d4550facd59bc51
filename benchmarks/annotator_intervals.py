"""Coverage of intervals over annotators, and over annotators and documents, of counted measures.

Annotators differ in how often they are right, documents in how difficult they are; a unit is right
with the probability that both give on the scale of log odds. What other annotators would reach, on
these documents or on others, is known then: F₁ is the mean of q², α and S follow from q(1 − q), q
being the probability in a document, averaged over annotators.

    python benchmarks/annotator_intervals.py [--sets 200]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

import gammacp as gc

CASES = (("f1-strict", 3), ("f1-strict", 5), ("alpha", 3), ("alpha", 5), ("s", 3), ("s", 5))
DOCUMENTS = 10
GAP = 20
# Skill of annotators and ease of documents, as log odds: mean and standard deviation.
SKILL, EASE = (2.0, 0.5), (0.0, 0.4)
_SKILLS = SKILL[0] + SKILL[1] * np.random.default_rng(1).standard_normal(20_000)


@dataclass(frozen=True)
class Drawn:
    """A random corpus, and the true values for infinitely many annotators.

    Attributes
    ----------
    corpus
        The documents.
    here, elsewhere
        The value of infinitely many annotators on these documents, and on infinitely many.
    """

    corpus: gc.Corpus
    here: float
    elsewhere: float


def mean_right(ease: float) -> float:
    """Return how often annotators are right in a document.

    Parameters
    ----------
    ease
        Ease of the document.
    """
    return float(expit(_SKILLS + ease).mean())


def truth(name: str, right: np.ndarray, weights: np.ndarray, sizes: np.ndarray) -> float:
    """Return the value of infinitely many annotators.

    Parameters
    ----------
    name
        The measure.
    right
        Share of the units of each document in which annotators are right.
    weights
        Total number of units in documents of each kind.
    sizes
        Number of units per document; for S, of boundaries between segments of `GAP` places.
    """
    if name == "f1-strict":
        return float((weights * right**2).sum()) / float(weights.sum())
    apart = float((weights * 2 * right * (1 - right)).sum())
    if name == "alpha":
        # Labels are balanced, so that half of all pairs differ by chance.
        return 1 - apart / weights.sum() / 0.5
    places = weights * (GAP * (sizes + 1) - 1) / sizes
    return float(1 - apart / places.sum())


def document(rng: np.random.Generator, name: str, right: list[float], size: int) -> gc.Continuum:
    """Return a document whose annotators are right with the given probabilities.

    Parameters
    ----------
    rng
        The generator.
    name
        The measure.
    right
        Share of units in which each annotator is right.
    size
        Number of units, or of boundaries.
    """
    labels = rng.integers(2, size=size)
    units = []
    for a, p in enumerate(right):
        who, good = f"A{a}", rng.random(size) < p
        if name == "s":
            cuts = [0, *(GAP * (np.flatnonzero(good) + 1)).tolist(), GAP * (size + 1)]
            units += [gc.Unit(who, x, y, "x") for x, y in pairwise(cuts)]
            continue
        for k in range(size):
            wrong = not good[k]
            if name == "alpha":
                units.append(gc.Unit(who, GAP * k, GAP * k + 9, "xy"[labels[k] ^ wrong]))
            else:
                units.append(gc.Unit(who, GAP * k, GAP * k + 9 + wrong * (1 + a), "x"))
    return gc.Continuum.from_units(units)


def draw(rng: np.random.Generator, name: str, annotators: int) -> Drawn:
    """Return a random corpus.

    Parameters
    ----------
    rng
        The generator.
    name
        The measure.
    annotators
        Number of annotators.
    """
    skill = SKILL[0] + SKILL[1] * rng.standard_normal(annotators)
    ease = EASE[0] + EASE[1] * rng.standard_normal(DOCUMENTS)
    sizes = rng.integers(10, 31, DOCUMENTS)
    documents = {
        f"d{k}": document(rng, name, expit(skill + ease[k]).tolist(), int(sizes[k]))
        for k in range(DOCUMENTS)
    }
    right = np.array([mean_right(e) for e in ease])
    here = truth(name, right, sizes, sizes)
    return Drawn(gc.Corpus.from_continua(documents), here, everywhere(name))


def everywhere(name: str) -> float:
    """Return the value of all annotators on all documents.

    Parameters
    ----------
    name
        The measure.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)
    right = np.array([mean_right(EASE[0] + EASE[1] * x) for x in nodes])
    return truth(name, right, weights, np.full(len(weights), 20))


def main() -> None:
    """Print how often each interval holds the value that it is about, and how wide it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    arguments = parser.parse_args()
    for name, annotators in CASES:
        options: dict[str, Any] = {"n": 1} if name == "s" else {}
        held, widths, missing = (
            np.zeros((arguments.sets, 3)),
            np.full((arguments.sets, 3), np.nan),
            0,
        )
        for k in range(arguments.sets):
            drawing = draw(np.random.default_rng([annotators, k]), name, annotators)
            score = gc.measure(drawing.corpus, [name], **options)[name]
            over = score.over
            if over.annotators is None or over.both is None:
                missing += 1
                held[k] = np.nan
                continue
            asked = (
                (over.annotators, drawing.here),
                (over.both, drawing.elsewhere),
                (over.documents, drawing.elsewhere),
            )
            held[k] = [low <= value <= high for (low, high), value in asked]
            widths[k] = [high - low for (low, high), _ in asked]
        share, width = np.nanmean(held, axis=0), np.nanmedian(widths, axis=0)
        print(
            f"{name}, {annotators} annotators: over annotators {share[0]:.3f} (width "
            f"{width[0]:.3f}), both {share[1]:.3f} ({width[1]:.3f}), documents about other "
            f"annotators {share[2]:.3f} ({width[2]:.3f}); {missing} without",
            flush=True,
        )


if __name__ == "__main__":
    main()
