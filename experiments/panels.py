"""Beyond the papers: panels of unequal annotators, and which measure notices them.

Three questions. Does a measure go below 0 where two annotators disagree systematically (labels
turned over; gaps marked instead of units)? Do pairs within a school agree better than pairs across,
so that two schools are told from as much noise? How much agreement does an error gain by being
shared?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from experiments._common import in_sets, write_csv
from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.continuum.selecting import keep_annotators
from gammacp.measures.measuring import measure
from shuffling import Group, Panel, ReferenceModel, School, shuffled_set

MEASURES = (
    "gamma",
    "gamma-cat",
    "cu-alpha",
    "u-alpha",
    "kappa-d",
    "ser",
    "f1-overlap",
)
SETS, QUICK = 20, 4
MODEL = replace(ReferenceModel(), n_units=15)
SYSTEMATIC = ("opposed", "complement")
SHARED = ("false-negative", "category", "position")
MAGNITUDE = 0.3
Row = dict[str, object]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write one table for each question; every row has the values of single sets."""
    del data
    sets = QUICK if quick else SETS
    write_csv(out / "systematic.csv", _systematic(sets))
    # Each set has six pairs of annotators.
    write_csv(out / "schools.csv", _schools(sets // 2))
    write_csv(out / "shared.csv", _shared(sets))


def _systematic(sets: int) -> list[Row]:
    """Return rows by magnitude where one annotator is right, and the other errs systematically."""
    rows: list[Row] = []
    for error in SYSTEMATIC:
        panel = Panel((Group(magnitude=0), Group(errors=error)))
        for magnitude in (0.0, 0.5, 1.0):
            drawn = [_draw(error, magnitude, panel, index) for index in range(sets)]
            for name, values in _values(drawn).items():
                rows.append({"error": error, "magnitude": magnitude, **_row(name, values)})
    return rows


def _schools(sets: int) -> list[Row]:
    """Compare the agreement of pairs within schools and across, with and without schools.

    There are four annotators, two in each school; without schools, each makes the same error alone.
    `better` is the share of sets in which pairs within a school agree better; ties count half.
    """
    rows: list[Row] = []
    for error in SHARED:
        taught = Panel(
            (Group(2, magnitude=0, school="one"), Group(2, magnitude=0, school="other")),
            {"one": School(error), "other": School(error)},
        )
        for design, panel in (("two schools", taught), ("noise", Panel((Group(count=4),)))):
            gains: dict[str, list[float]] = {name: [] for name in MEASURES}
            for index in range(sets):
                for name, gain in _within_less_across(error, panel, index).items():
                    gains[name].append(gain)
            for name, values in gains.items():
                better = [(g > 1e-9) + 0.5 * (abs(g) <= 1e-9) for g in values]
                row = _row(name, np.array(values))
                rows.append({"error": error, "design": design, **row, "better": np.mean(better)})
    return rows


def _within_less_across(error: str, panel: Panel, index: int) -> Mapping[str, float]:
    drawn = _draw(error, MAGNITUDE, panel, index)
    people = drawn.annotators
    pairs = [keep_annotators(drawn, pair) for pair in combinations(people, 2)]
    # The first two of four annotators are of one school, the last two of the other.
    within = np.array([pair in ((0, 1), (2, 3)) for pair in combinations(range(4), 2)])
    values = _values(pairs)
    return {name: float(v[within].mean() - v[~within].mean()) for name, v in values.items()}


def _shared(sets: int) -> list[Row]:
    """Return rows of three annotators who shift boundaries, with own or shared other errors."""
    rows: list[Row] = []
    for error in SHARED[:2]:
        own_panel = Panel((Group(count=3, errors=f"{error}+position"),))
        school = Panel(
            (Group(count=3, errors="position", school="all"),),
            {"all": School(error)},
        )
        for design, panel in (("own", own_panel), ("shared", school)):
            drawn = [_draw(error, MAGNITUDE / 2, panel, index) for index in range(sets)]
            for name, values in _values(drawn).items():
                rows.append({"error": error, "design": design, **_row(name, values)})
    return rows


def _draw(error: str, magnitude: float, panel: Panel, index: int) -> Continuum:
    return shuffled_set(MODEL, error, magnitude, panel, index=index)


def _values(drawn: list[Continuum]) -> dict[str, Floats]:
    """Return the values of all measures, by set."""
    scores = [measure(c, list(MEASURES), seed=index) for index, c in enumerate(drawn)]
    return {name: np.array([float(s[name].value) for s in scores]) for name in MEASURES}


def _row(name: str, values: Floats) -> Row:
    defined = values[~np.isnan(values)]
    return {
        "measure": name,
        "mean": float(defined.mean()) if len(defined) else float("nan"),
        "sd": float(defined.std(ddof=1)) if len(defined) > 1 else float("nan"),
        "sets": len(values),
        "undefined": len(values) - len(defined),
        "values": in_sets(values.tolist()),
    }
