"""Curves against a stored baseline: what moved by more than noise allows.

A point's mean is compared with the baseline's by Welch's test; Holm's method keeps the chance of
any false alarm over all points below `level`, whatever their dependence. The share of undefined
sets is compared by Fisher's exact test under the same level. A point without spread on either side
(magnitude 0, say) must agree to 1e-9.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammacp.bench.provenance import read_provenance
from gammacp.bench.sweep import Sweep, canonical
from gammacp.bench.table import CURVE_COLUMNS, Point, family
from gammacp.errors import DataError, UsageError

_EXACT = 1e-9
# What a baseline may differ in: the very thing that is tried out, and the random draws.
_FREE = ("options", "seed", "gammacp")


@dataclass(frozen=True, slots=True)
class Difference:
    """One point that moved, or has values on one side only.

    `p` is the adjusted p-value; `what` is `mean` or `undefined`.
    """

    what: str
    measure: str
    magnitude: float
    baseline: float
    now: float
    p: float


def read_curves(path: str | Path) -> list[Point]:
    """The points of a CSV that `bench` wrote.

    Raises
    ------
    DataError
        A column is missing or a field is no number; with file and line.
    """
    path = Path(path)
    points = []
    if not path.is_file():
        raise DataError("no such file", file=path, hint="Give a CSV that `gammacp bench` wrote")
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        missing = [c for c in CURVE_COLUMNS if c not in (reader.fieldnames or ())]
        if missing:
            raise DataError(
                f"no column {missing[0]!r}",
                file=path,
                hint=f"A baseline is a CSV of `gammacp bench`: {', '.join(CURVE_COLUMNS)}",
            )
        for line, row in enumerate(reader, start=2):
            try:
                points.append(_point(row))
            except (TypeError, ValueError) as error:
                raise DataError(
                    f"field that is no number ({error})", file=path, line=line
                ) from None
    if not points:
        raise DataError("no rows", file=path, hint="Give a CSV that `gammacp bench` wrote")
    return points


def _point(row: dict[str, str]) -> Point:
    return Point(
        row["error"],
        float(row["magnitude"]),
        row["measure"],
        float(row["mean"] or "nan"),
        float(row["sd"] or "nan"),
        int(row["sets"]),
        int(row["undefined"]),
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """What a baseline swept: the default of the sweep that is compared with it."""

    errors: tuple[str, ...]
    measures: tuple[str, ...]
    magnitudes: tuple[float, ...]
    sets: int


def extent_of(points: Sequence[Point]) -> Extent:
    """The extent of these points; measures by category count as one measure."""
    return Extent(
        tuple(dict.fromkeys(p.error for p in points)),
        tuple(dict.fromkeys(family(p.measure) for p in points)),
        tuple(sorted({p.magnitude for p in points})),
        max(p.sets for p in points),
    )


def check_configuration(sweep: Sweep, baseline: Path) -> bool:
    """Whether the baseline says how it was made; a UsageError if that was another configuration.

    Measures' options and the seed may differ: they are what is compared.
    """
    provenance = read_provenance(baseline)
    if provenance is None:
        return False
    there = provenance["configuration"]
    assert isinstance(there, dict)
    here = sweep.configuration
    for key in sorted({*there, *here} - set(_FREE)):
        if canonical({key: there.get(key)}) != canonical({key: here.get(key)}):
            raise UsageError(
                f"{baseline}: made with another configuration ({key} differs); "
                "run with the baseline's, or write a new baseline"
            )
    return True


def compare(
    baseline: Iterable[Point], now: Iterable[Point], *, level: float = 0.01
) -> tuple[list[Difference], int]:
    """The points that moved, worst first, and how many points were compared.

    Raises
    ------
    UsageError
        The two have no point in common.
    """
    before = {(p.error, p.measure, p.magnitude): p for p in baseline}
    pairs = [(before[key], p) for p in now if (key := (p.error, p.measure, p.magnitude)) in before]
    if not pairs:
        raise UsageError("baseline and sweep share no point: other errors, measures or magnitudes")
    tests = [test for old, new in pairs for test in _tests(old, new)]
    adjusted = _holm([t.p for t in tests])
    moved = [
        Difference(t.what, t.measure, t.magnitude, t.baseline, t.now, p)
        for t, p in zip(tests, adjusted, strict=True)
        if p < level
    ]
    return sorted(moved, key=lambda d: (d.p, -abs(d.now - d.baseline))), len(pairs)


def _tests(old: Point, new: Point) -> list[Difference]:
    place = new.measure, new.magnitude
    tests = []
    if old.undefined or new.undefined:
        counts = float(old.undefined), float(new.undefined)
        tests.append(Difference("undefined", *place, *counts, _fisher(old, new)))
    if not (math.isnan(old.mean) or math.isnan(new.mean)):
        tests.append(Difference("mean", *place, old.mean, new.mean, _welch(old, new)))
    return tests


def _welch(old: Point, new: Point) -> float:
    from scipy.stats import t

    difference = abs(new.mean - old.mean)
    counts = [p.sets - p.undefined for p in (old, new)]
    spread = [0.0 if math.isnan(p.sd) else p.sd for p in (old, new)]
    variances = [s**2 / n for s, n in zip(spread, counts, strict=True)]
    error = math.sqrt(sum(variances))
    if error <= _EXACT:
        return 0.0 if difference > _EXACT else 1.0
    if min(counts) < 2:
        return 1.0  # one value says nothing about its spread
    below = sum(v**2 / (n - 1) for v, n in zip(variances, counts, strict=True))
    return float(2 * t.sf(difference / error, error**4 / below))


def _fisher(old: Point, new: Point) -> float:
    from scipy.stats import fisher_exact

    table = np.array([[p.undefined, p.sets - p.undefined] for p in (old, new)])
    return float(fisher_exact(table).pvalue)


def _holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: the smallest is multiplied by their number, the next by one less.

    >>> _holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted = [0.0] * len(p)
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = worst
    return adjusted
