"""Random continua with links for the tests of this folder."""

import itertools

import numpy as np

from gammacp.continuum import Continuum, Link, Unit


def linked(
    rng: np.random.Generator,
    annotators: int = 2,
    units: int = 4,
    links: int = 3,
    kinds: tuple[str, ...] = ("directed",),
    spread: float = 4.0,
) -> Continuum:
    """Return annotators with nearby units and links of types a and b between random units."""
    names = [f"A{k}" for k in range(annotators)]
    rows, found = [], []
    for name in names:
        for i in range(units):
            start = 20 * i + rng.uniform(0, spread)
            rows.append(Unit(name, start, start + 10, "xy"[rng.integers(2)], id=str(i)))
        for _ in range(links):
            source, target = rng.choice(units, 2, replace=False)
            kind = kinds[rng.integers(len(kinds))]
            found.append(
                Link(name, "ab"[rng.integers(2)] + kind[0], str(source), str(target), kind)
            )
    return Continuum.from_units(rows, links=found, bounds=(0, 20 * units + spread))


def chained(
    rng: np.random.Generator, annotators: int = 3, units: int = 12, chains: int = 4
) -> Continuum:
    """Return annotators with the same mentions in random chains of their own."""
    names = [f"A{k}" for k in range(annotators)]
    rows = [Unit(a, 20 * i, 20 * i + 10, "m", id=str(i)) for a in names for i in range(units)]
    found = []
    for name in names:
        of = rng.integers(chains, size=units)
        for k in range(chains):
            keys = [str(i) for i in np.flatnonzero(of == k)]
            found += [Link(name, "coref", *pair, "chain") for pair in itertools.pairwise(keys)]
    return Continuum.from_units(rows, links=found, bounds=(0, 20 * units))
