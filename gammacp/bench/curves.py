"""The curves of a sweep: mean and standard deviation of a measure at each magnitude of error."""

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from pathlib import Path

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.csv_files import write_rows
from gammacp.bench.store import Store, StoredSweep, Values
from gammacp.bench.sweep import Sweep
from gammacp.errors import UsageError


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve.

    Attributes
    ----------
    mean, sd
        Mean and standard deviation (with n − 1) of the defined values. Both are NaN if there is
        no value; the sd is also NaN if there is only one.
    sets
        Number of annotation sets for which the measure was computed.
    undefined
        Number of sets for which the measure has no value.
    """

    error: str
    magnitude: float
    measure: str
    mean: float
    sd: float
    sets: int
    undefined: int


CURVE_COLUMNS = tuple(f.name for f in fields(Point))


def curves(store: Store, experiment: StoredSweep, sweep: Sweep | None = None) -> list[Point]:
    """Return the points of an experiment, ordered by error, measure and magnitude.

    Parameters
    ----------
    store, experiment
        Store and experiment that hold the values.
    sweep
        Sweep whose values are chosen, in its order of errors and measures; default: all values, in
        alphabetical order.
    """
    values = store.values(experiment, 2**62 if sweep is None else sweep.sets)
    points = [point_of(*key, [*each.values()]) for key, each in values.items()]
    if sweep is None:
        return sorted(_without_parents(points), key=lambda p: (p.error, p.measure, p.magnitude))
    errors = sweep.errors
    measures = sweep.measures
    magnitudes = frozenset(sweep.magnitudes)
    chosen = [
        p
        for p in points
        if p.error in errors and family(p.measure) in measures and p.magnitude in magnitudes
    ]

    def place(p: Point) -> tuple[object, ...]:
        measure = measures.index(family(p.measure))
        return errors.index(p.error), measure, p.measure, p.magnitude

    return sorted(_without_parents(chosen), key=place)


def paired_values(values: Values, error: str, measure: str) -> tuple[Floats, Floats]:
    """Return a curve's magnitudes, and its values with one row per annotation set.

    The functions of `gammacp.bench.trends` take values in this form.

    Parameters
    ----------
    values
        Result of `Store.values`.
    error, measure
        Error and measure of the curve.

    Returns
    -------
    Shapes (magnitudes,) and (sets, magnitudes); NaN where undefined or not computed.
    """
    values_by_magnitude = {
        magnitude: by_set
        for (e, m, magnitude), by_set in values.items()
        if (e, m) == (error, measure)
    }
    if not values_by_magnitude:
        raise UsageError(f"no values of {measure!r} under {error!r}")
    magnitudes = sorted(values_by_magnitude)
    sets = sorted({number for by_set in values_by_magnitude.values() for number in by_set})
    rows = [[values_by_magnitude[m].get(number, math.nan) for m in magnitudes] for number in sets]
    return np.array(magnitudes), np.array(rows)


def family(measure: str) -> str:
    """Return a name without its category: `gamma-k[cat]` → `gamma-k`, others unchanged."""
    if measure.endswith("]"):
        return measure.split("[", 1)[0]
    return measure


def _without_parents(points: list[Point]) -> list[Point]:
    """Leave out measures with a value per category, as they have no value of their own."""
    parents = {family(p.measure) for p in points if p.measure.endswith("]")}
    return [p for p in points if p.measure not in parents]


def point_of(error: str, measure: str, magnitude: float, values: list[float]) -> Point:
    """Return the point of a curve from the values of its sets, NaN where undefined."""
    array = np.array(values, np.float64)
    defined = array[~np.isnan(array)]
    if len(defined):
        mean = float(defined.mean())
    else:
        mean = math.nan
    if len(defined) > 1:
        sd = float(defined.std(ddof=1))
    else:
        sd = math.nan
    return Point(error, magnitude, measure, mean, sd, len(array), len(array) - len(defined))


def write_curves(points: Iterable[Point], path: str | Path) -> None:
    """Write the points as CSV with `CURVE_COLUMNS`; undefined values are empty fields."""
    write_rows(path, [CURVE_COLUMNS, *map(astuple, points)])


def by_error(points: Iterable[Point]) -> dict[str, list[Point]]:
    """Group points by error; points of one error must follow each other."""
    return {error: list(group) for error, group in groupby(points, key=lambda p: p.error)}


def by_measure(points: Iterable[Point]) -> dict[str, list[Point]]:
    """Group points by measure, in the order in which the measures first occur."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.measure, []).append(point)
    return groups
