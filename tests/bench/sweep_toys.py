"""Cheap sources, measures and failures for tests of sweeps, imported by workers too."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammacp.bench.schema import connect_store
from gammacp.continuum import Continuum, Unit
from gammacp.measures.registry import Measure, register
from gammacp.measures.score import Score, undefined


@dataclass(frozen=True)
class ToySource:
    """Source of annotators whose units are moved by the magnitude.

    `deadly` and `faulty` are the (magnitude, set) at which the process dies or an exception is
    raised. `deaths` is how often it dies (counted in the folder `log`), or None for always.
    """

    units: int = 4
    deadly: tuple[float, int] | None = None
    deaths: int | None = None
    faulty: tuple[float, int] | None = None
    pause: float = 0.0
    log: str = ""

    def configuration(self) -> Mapping[str, object]:
        return {"units": self.units}

    def draw(
        self, error: str, magnitude: float, number: int, *, n_annotators: int, seed: int
    ) -> Continuum:
        del error
        if self.deadly == (magnitude, number) and self._dies():
            os._exit(9)
        if self.faulty == (magnitude, number):
            raise ZeroDivisionError("a fault of the source")
        if self.pause:
            time.sleep(self.pause)
        places = np.sort(np.random.default_rng((seed, number)).uniform(0, 100, self.units))
        rng = np.random.default_rng((seed, number, round(1e9 * magnitude)))
        return Continuum.from_units(
            [
                Unit(f"annotator{k}", start, start + 10, "ab"[i % 2])
                for k in range(n_annotators)
                for i, start in enumerate(places + magnitude * rng.uniform(-9, 9, self.units))
            ]
        )

    def _dies(self) -> bool:
        if self.deaths is None:
            return True
        past = len(list(Path(self.log).glob("death-*")))
        (Path(self.log) / f"death-{time.time_ns()}").touch()
        return past < self.deaths


def toy_spread(continuum: Continuum) -> Score:
    """Return 1 minus a hundredth of the standard deviation of starts, unrounded."""
    return Score(value=1 - float(np.std(continuum.starts)) / 100, signature="toy-spread|v:1")


def toy_random(continuum: Continuum, *, seed: int = 0, factor: float = 1.0) -> Score:  # noqa: ARG001
    """Return a random value of the seed; a tenth of the values are undefined."""
    draw = np.random.default_rng(seed).random() * factor
    if draw < 0.1:
        return undefined("too small", signature=f"toy-random|seed:{seed}")
    return Score(value=draw, signature=f"toy-random|seed:{seed}")


def toy_by_category(continuum: Continuum) -> Score:
    """Return a value per category."""
    starts, codes = continuum.starts, continuum.category_codes
    means = {c: float(starts[codes == i].mean()) for i, c in enumerate(continuum.categories)}
    return Score(value=float("nan"), by_category=means)


def toy_faulty(continuum: Continuum) -> Score:
    """Raise an exception for every continuum."""
    raise ZeroDivisionError(f"no value for {continuum.n_units} units")


def toy_fragile(continuum: Continuum) -> Score:
    """Raise an exception for more than 80 units."""
    if continuum.n_units > 80:
        raise ZeroDivisionError("too many units")
    return Score(value=0.5)


def toy_sometimes(continuum: Continuum) -> Score:
    """Return an undefined value for three continua in a hundred."""
    some = float(continuum.starts[0]) % 1
    return undefined("by chance") if some < 0.03 else Score(value=some, signature="toy|v:1")


def forge(path: Path, change: str) -> None:
    """Change cells of a store as if they had been computed so: counts and checksums match."""
    database = connect_store(path)
    database.executescript(
        "CREATE TEMP TABLE changed AS SELECT * FROM cells; DELETE FROM cells;"
        f"UPDATE runs SET kept = 0, total = 0; UPDATE changed SET {change};"
        "INSERT INTO cells SELECT * FROM changed;"
    )
    database.close()


for name, function, per_category in (
    ("toy-spread", toy_spread, False),
    ("toy-random", toy_random, False),
    ("toy-faulty", toy_faulty, False),
    ("toy-fragile", toy_fragile, False),
    ("toy-sometimes", toy_sometimes, False),
    ("toy-by-category", toy_by_category, True),
):
    register(
        Measure(
            name=name,
            summary="for tests",
            reference="none",
            function=function,
            per_category=per_category,
            chance_corrected=name != "toy-sometimes",
        )
    )
