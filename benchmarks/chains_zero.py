"""Zero of gamma-chain-given-units: independent people who link the same mentions by habit.

    python benchmarks/chains_zero.py [--sets 100]

Two people link 20 mentions without looking: most to the one before, to the first, to hubs, to an
earlier one or to any. Printed is the value of all sets together, ± 1.96 standard errors over
resampled sets. The measure itself prints no p (docs/links.md).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from gammacp.continuum import Continuum, Link, Unit
from gammacp.measures.measuring import measure

NAME = "gamma-chain-given-units"
UNITS = 20
Pairs = list[tuple[int, int]]


def previous(rng: np.random.Generator) -> Pairs:
    """Link six in ten mentions to the one before."""
    return [(i, i - 1) for i in range(1, UNITS) if rng.random() < 0.6]


def first(rng: np.random.Generator) -> Pairs:
    """Link six in ten mentions to the first."""
    return [(i, 0) for i in range(1, UNITS) if rng.random() < 0.6]


def hubs(rng: np.random.Generator) -> Pairs:
    """Link seven in ten mentions to one of three hubs, which each person chooses."""
    chosen = rng.permutation(UNITS)[:3]
    others = (i for i in range(UNITS) if i not in chosen)
    return [(i, int(rng.choice(chosen))) for i in others if rng.random() < 0.7]


def earlier(rng: np.random.Generator) -> Pairs:
    """Link six in ten mentions to any earlier one."""
    return [(i, int(rng.integers(i))) for i in range(1, UNITS) if rng.random() < 0.6]


def anywhere(rng: np.random.Generator) -> Pairs:
    """Link four in ten mentions to any other."""
    pairs = ((i, int((i + rng.integers(1, UNITS)) % UNITS)) for i in range(UNITS))
    return [pair for pair in pairs if rng.random() < 0.4]


HABITS: tuple[Callable[[np.random.Generator], Pairs], ...] = (
    previous,
    first,
    hubs,
    earlier,
    anywhere,
)


def text_of(habit: Callable[[np.random.Generator], Pairs], rng: np.random.Generator) -> Continuum:
    """Draw a text whose mentions both people have, and each person's links."""
    units, links = [], []
    for who in "AB":
        units += [Unit(who, i * 10, i * 10 + 5, "u", id=str(i)) for i in range(UNITS)]
        links += [Link(who, "same", str(i), str(j), "chain") for i, j in habit(rng)]
    return Continuum.from_units(units, links=links, bounds=(0, UNITS * 10))


def main() -> None:
    """Print a line per habit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=100)
    sets = parser.parse_args().sets
    for habit in HABITS:
        rng = np.random.default_rng(1)
        rows = []
        for seed in range(sets):
            score = measure(text_of(habit, rng), [NAME], samples=99, seed=seed)[NAME]
            rows.append((score.observed, score.expected))
        observed, expected = np.array(rows, float).T
        picks = np.random.default_rng(0).integers(0, sets, (500, sets))
        resampled = 1 - observed[picks].sum(1) / expected[picks].sum(1)
        value, half = 1 - observed.sum() / expected.sum(), 1.96 * resampled.std()
        print(f"{habit.__name__}: {value:.3f} ± {half:.3f}")


if __name__ == "__main__":
    main()
