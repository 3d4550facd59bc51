"""Corpora with planted faults, for tests of what a campaign's verdict names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from gammacp.campaign.compare import Comparison, compare
from gammacp.continuum import Continuum, Unit

FAST: dict[str, Any] = {"samples": 20, "chance": "cut", "seed": 1}
Fault = Callable[[np.random.Generator, str, Unit], Unit | None]


def corpus(fault: Fault, people: str = "ABCD", documents: int = 12) -> dict[str, Continuum]:
    """Return documents of eight units with labels x, y, z.

    `fault` changes or drops each annotator's copy of each unit.
    """
    rng = np.random.default_rng(0)
    continua = {}
    for d in range(documents):
        units = []
        for k in range(8):
            label = "xyz"[int(rng.integers(3))]
            for name in people:
                start = 10 * k + float(rng.integers(3))
                unit = fault(rng, name, Unit(name, start, start + 6, label))
                if unit is not None:
                    units.append(unit)
        continua[f"d{d}"] = Continuum.from_units(units, annotators=[*people], bounds=(0, 80))
    return continua


def compare_corpus(
    fault: Fault, people: str = "ABCD", by: Collection[str] = ("annotator", "pair")
) -> Comparison:
    return compare(corpus(fault, people), draws=0, by=by, **FAST)


def misses(who: str, share: float) -> Fault:
    """Return the fault that one annotator misses a share of the units."""

    def fault(g: np.random.Generator, name: str, u: Unit) -> Unit | None:
        if name == who and g.random() < share:
            return None
        return u

    return fault


def missing_units(missed: int, alone: int) -> dict[str, Continuum]:
    """Return forty places marked by four people.

    C misses `missed` of them, and the others miss `alone` together.
    """
    documents = {}
    for d in range(4):
        units = []
        for k in range(10):
            number = 10 * d + k
            away = set()
            if number < missed:
                away = {"C"}
            elif number < missed + alone:
                away = {"ABD"[number % 3]}
            start = 10.0 * k
            units += [Unit(name, start, start + 6, "x") for name in "ABCD" if name not in away]
        documents[f"d{d}"] = Continuum.from_units(units, annotators=[*"ABCD"], bounds=(0, 100))
    return documents
