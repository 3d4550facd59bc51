"""Annotations as in Mathet & Widlöcher (2011), §6.1: a random annotator, and two who degrade it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.continuum import Continuum, Unit
from gammacp.problems.entropy import best_entropy

LENGTH = 1000.0
PROCESSES = {"random1": "statistical", "random2": "corpus"}
Degrade = Callable[[Floats, np.random.Generator], Floats]


def first_annotator(
    rng: np.random.Generator, n_units: int = 25, *, density: float = 1.0, length: float = LENGTH
) -> Floats:
    """Draw units at random places and of random sizes, shape (units, 2): (start, end).

    Sizes are uniform up to twice `density` times the place that each unit has, so that `density`
    is how many units of an annotator cover a place on average.
    """
    sizes = rng.uniform(0, 2 * density * length / n_units, n_units)
    starts = rng.uniform(0, 1, n_units) * np.maximum(length - sizes, 0)
    return np.column_stack((starts, starts + sizes))


def moved(k: float) -> Degrade:
    """Move each boundary by U(−k/2, k/2) times the length of its unit.

    Boundaries that cross change places; none leaves the text.
    """

    def degrade(units: Floats, rng: np.random.Generator) -> Floats:
        reach = k / 2 * (units[:, 1] - units[:, 0])
        shifts = rng.uniform(-1, 1, units.shape) * reach[:, None]
        return np.clip(np.sort(units + shifts, axis=1), 0.0, LENGTH)

    return degrade


def omitted(p: float) -> Degrade:
    """Leave out each unit with probability p."""

    def degrade(units: Floats, rng: np.random.Generator) -> Floats:
        return units[rng.random(len(units)) >= p]

    return degrade


def annotation_set(
    rng: np.random.Generator,
    degrade: Degrade,
    *,
    n_annotators: int = 3,
    n_units: int = 25,
    density: float = 1.0,
) -> Continuum:
    """Return the first annotator and others who each degrade its units; one category."""
    first = first_annotator(rng, n_units, density=density)
    drawn = [first] + [degrade(first, rng) for _ in range(n_annotators - 1)]
    units = [Unit(str(a), float(s), float(e), "x") for a, d in enumerate(drawn, 1) for s, e in d]
    return Continuum.from_units(
        units, annotators=[str(a) for a in range(1, n_annotators + 1)], bounds=(0.0, LENGTH)
    )


def e_random(density: float, draws: int) -> dict[str, float]:
    """Return the mean entropies of both random processes on undegraded sets, and the least."""
    corpus = [
        annotation_set(np.random.default_rng((3, i)), moved(0), density=density) for i in range(12)
    ]
    means = {
        name: float(random_entropies(process, corpus, 3, draws=draws).mean())
        for name, process in PROCESSES.items()
    }
    return {**means, "random": min(means.values())}


def random_entropies(
    process: str, continua: Sequence[Continuum], n_annotators: int, *, draws: int, seed: int = 0
) -> Floats:
    """Return the entropies of sets drawn by a random process, shape (draws,)."""
    sampler = CHANCE_MODELS[process].prepare(continua, n_annotators)
    streams = np.random.SeedSequence(seed).spawn(draws)
    return np.array(
        [best_entropy(sampler.draw(np.random.default_rng(stream))).entropy for stream in streams]
    )
