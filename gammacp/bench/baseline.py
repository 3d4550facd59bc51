"""Comparison of curves with those of a stored baseline.

With the same seed, both have the same annotation sets: values must be equal, up to 1e-9, and every
difference is reported. If the store of the baseline is beside it, single sets are compared, and a
paired t-test tells whether a point moved in one direction.

With another seed the sets differ. The mean of each curve over its magnitudes is compared with that
of the baseline by Welch's test, as is each point, and the share of undefined sets by Fisher's exact
test. Only differences beyond noise are reported. A point without spread on either side, such as
magnitude 0, must agree up to 1e-9. Curves and points are tested at half of `level` each; within
each, Holm's method bounds the probability of any false alarm, whatever the dependence. The report
also gives the differences that the tests of curves detect with power .9.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.csv_files import table_of
from gammacp.base.files import text_of
from gammacp.bench.changes import Detectable, PointChange, curve_test
from gammacp.bench.curves import CURVE_COLUMNS, Point, family
from gammacp.bench.results import read_provenance
from gammacp.bench.store import STORE_NAME, Store, Values
from gammacp.bench.sweep import Sweep, canonical
from gammacp.errors import DataError, UsageError

_EXACT = 1e-9
# Keys of the configuration in which a baseline may differ: what is tried out, and random draws.
_FREE = ("options", "seed", "gammacp")


def read_curves(path: str | Path) -> list[Point]:
    """Return the points of a CSV that `bench` wrote.

    Parameters
    ----------
    path
        Path of the CSV.

    Raises
    ------
    DataError
        A column is missing or a field is no number; with file and line.
    """
    points = []
    hint = f"A baseline is a CSV of `gammacp bench`: {', '.join(CURVE_COLUMNS)}"
    try:
        for row, line in table_of(text_of(path), CURVE_COLUMNS):
            try:
                points.append(_point(row))
            except ValueError as error:
                raise DataError(f"a field is not a number ({error})", line=line) from None
        if not points:
            raise DataError("no rows")
    except DataError as error:
        raise DataError(error.message, file=path, line=error.line, hint=hint) from None
    return points


def _point(row: dict[str, str]) -> Point:
    return Point(
        row["error"],
        _finite(row["magnitude"]),
        row["measure"],
        _finite(row["mean"]) if row["mean"] else math.nan,
        _finite(row["sd"]) if row["sd"] else math.nan,
        int(row["sets"]),
        int(row["undefined"]),
    )


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written!r} is not finite")
    return number


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """Comparison with a baseline: which points moved, and by which kind of test.

    Attributes
    ----------
    moved
        The points, worst first.
    compared
        Number of points that both have.
    paired
        Whether both have the same annotation sets, so that every difference counts.
    only_baseline, only_now
        Numbers of points that only one side has; they are not compared.
    untested
        Number of compared points that have too few sets on a side for a test.
    detectable
        Differences that the tests of curves detect with power .9, if annotation sets differ.
    """

    moved: tuple[PointChange, ...]
    compared: int
    paired: bool
    only_baseline: int = 0
    only_now: int = 0
    untested: int = 0
    detectable: tuple[Detectable, ...] = ()

    @property
    def largest(self) -> PointChange | None:
        """Return the mean that moved most; None if none moved."""
        means = [d for d in self.moved if d.what == "mean"]
        return max(means, key=lambda d: abs(d.now - d.baseline), default=None)


@dataclass(frozen=True, slots=True)
class Extent:
    """Errors, measures and magnitudes of a baseline: defaults for the sweep compared with it."""

    errors: tuple[str, ...]
    measures: tuple[str, ...]
    magnitudes: tuple[float, ...]
    sets: int


def extent_of(points: Sequence[Point]) -> Extent:
    """Return the extent of these points; measures by category count as one measure."""
    return Extent(
        tuple(dict.fromkeys(p.error for p in points)),
        tuple(dict.fromkeys(family(p.measure) for p in points)),
        tuple(sorted({p.magnitude for p in points})),
        max(p.sets for p in points),
    )


def check_configuration(sweep: Sweep, baseline: Path) -> bool:
    """Check the configuration of a baseline, and return whether it is known.

    The options of measures and the seed may differ, as these are what is compared. Any other
    difference of configuration is a UsageError.

    Parameters
    ----------
    sweep
        Sweep that is run now.
    baseline
        CSV of the baseline; its configuration is in the JSON file beside it.
    """
    provenance = read_provenance(baseline)
    if provenance is None:
        return False
    recorded = provenance["configuration"]
    assert isinstance(recorded, dict)
    current = sweep.configuration
    for key in sorted({*recorded, *current} - set(_FREE)):
        if canonical({key: recorded.get(key)}) != canonical({key: current.get(key)}):
            raise UsageError(
                f"{baseline}: made with another configuration ({key} differs); "
                "run with the baseline's, or write a new baseline"
            )
    return True


def compare_with(
    path: Path, sweep: Sweep, store: Store, now: Sequence[Point], *, level: float = 0.01
) -> BaselineComparison:
    """Compare a sweep's points with the baseline in `path`, paired if both have the same seed.

    Parameters
    ----------
    path
        The baseline's CSV.
    sweep
        Sweep that is run now.
    store
        Store of the sweep's cells; that of the baseline is expected beside the baseline.
    now
        The points of its curves.
    level
        As for `compare`.

    Raises
    ------
    UsageError
        The two have no point in common, or are of the same seed with other numbers of sets, and
        the baseline's single values are not there.
    """
    before = read_curves(path)
    provenance = read_provenance(path) or {}
    configuration = provenance.get("configuration")
    values_before = _values_beside(path, str(provenance.get("hash")))
    values_now = store.values(store.begin(sweep), sweep.sets)
    if not isinstance(configuration, dict) or configuration.get("seed") != sweep.seed:
        return compare(before, now, level=level, values_before=values_before, values_now=values_now)
    return compare_paired(before, now, values_before, values_now)


def baseline_seed(path: Path) -> int | None:
    """Return the seed of a baseline; None if no file beside it gives the seed.

    Parameters
    ----------
    path
        The baseline's CSV.
    """
    configuration = (read_provenance(path) or {}).get("configuration")
    if isinstance(configuration, dict):
        seed = configuration.get("seed")
    else:
        seed = None
    if isinstance(seed, int):
        return seed
    return None


def compare(
    baseline: Iterable[Point],
    now: Iterable[Point],
    *,
    level: float = 0.01,
    values_before: Values | None = None,
    values_now: Values | None = None,
) -> BaselineComparison:
    """Return the curves and points that moved beyond noise, for different annotation sets.

    Parameters
    ----------
    baseline, now
        Points of the curves of both.
    level
        Probability of any false alarm over all points and curves, in (0, 1).
    values_before, values_now
        Values of single sets, which give the standard error of the mean of a curve. Without them
        the largest possible error is assumed, as if all points of a set deviated alike.

    Raises
    ------
    UsageError
        The two have no point in common.
    """
    pairs, only_before, only_now = _pairs(baseline, now)
    tests = _adjusted([test for old, new in pairs for test in _tests(old, new)])
    curves = [
        curve_test(key, group, values_before, values_now)
        for key, group in _curves_of(pairs).items()
    ]
    curve_tests = [found for found in curves if found is not None]
    if curve_tests:
        # Curves and points share the level.
        curve_changes = _adjusted([found.change for found in curve_tests])
        tests = [replace(test, p=min(1.0, 2 * test.p)) for test in (*curve_changes, *tests)]
    moved = [test for test in tests if test.p < level]
    moved.sort(key=lambda d: (d.p, -abs(d.now - d.baseline)))
    detectable = [found.detectable(level / 2 / len(curve_tests)) for found in curve_tests]
    return BaselineComparison(
        tuple(moved),
        len(pairs),
        False,
        only_before,
        only_now,
        sum(_untested(old, new) for old, new in pairs),
        # At level 0 nothing is found.
        tuple(each for each in detectable if math.isfinite(each.difference)),
    )


def compare_paired(
    baseline: Iterable[Point],
    now: Iterable[Point],
    values_before: Values | None,
    values_now: Values,
) -> BaselineComparison:
    """Return all points that differ, for the same annotation sets.

    Parameters
    ----------
    baseline, now
        Points of the curves of both.
    values_before, values_now
        Values of single sets. If None, only means, deviations and counts are compared.

    Raises
    ------
    UsageError
        The two have no point in common, or other numbers of sets without `values_before`.
    """
    pairs, only_before, only_now = _pairs(baseline, now)
    moved: list[PointChange] = []
    for old, new in pairs:
        key = new.error, new.measure, new.magnitude
        if values_before is not None and key in values_before:
            moved += _moved_sets(new, values_before[key], values_now[key])
        elif old.sets != new.sets:
            raise UsageError(
                f"baseline of {old.sets} sets, sweep of {new.sets}, both of the same seed: give "
                f"`sets=` {old.sets} or another `seed=`, or keep the baseline's store beside it"
            )
        else:
            moved += _moved_point(old, new)
    moved = sorted(_adjusted(moved), key=lambda d: -abs(d.now - d.baseline))
    return BaselineComparison(tuple(moved), len(pairs), True, only_before, only_now)


def _pairs(
    baseline: Iterable[Point], now: Iterable[Point]
) -> tuple[list[tuple[Point, Point]], int, int]:
    """Return the points of both, and how many are only in the baseline and only in the sweep."""
    before, after = ({(p.error, p.measure, p.magnitude): p for p in q} for q in (baseline, now))
    pairs = [(before[key], point) for key, point in after.items() if key in before]
    if not pairs:
        raise UsageError("baseline and sweep share no point: errors, measures or magnitudes differ")
    return pairs, len(before) - len(pairs), len(after) - len(pairs)


def _curves_of(
    pairs: Iterable[tuple[Point, Point]],
) -> dict[tuple[str, str], list[tuple[Point, Point]]]:
    """Return the points of both, by error and measure."""
    curves: dict[tuple[str, str], list[tuple[Point, Point]]] = {}
    for old, new in pairs:
        curves.setdefault((new.error, new.measure), []).append((old, new))
    return curves


def _values_beside(path: Path, digest: str) -> Values | None:
    """Return the single values of a baseline, if its store is beside it."""
    place = path.with_name(STORE_NAME)
    if not place.is_file():
        return None
    with Store.reading(place) as store:
        matching = [e for e in store.experiments() if e.hash == digest]
        if matching:
            return store.values(matching[0])
        return None


def _moved_point(old: Point, new: Point) -> list[PointChange]:
    place = new.measure, new.magnitude
    error = new.error
    if old.undefined != new.undefined:
        return [PointChange("undefined", *place, old.undefined, new.undefined, math.nan, error)]
    if _apart(old.mean, new.mean):
        return [PointChange("mean", *place, old.mean, new.mean, math.nan, error)]
    if _apart(old.sd, new.sd):
        return [PointChange("sets", *place, old.sd, new.sd, math.nan, error)]
    return []


def _moved_sets(
    point: Point, before: Mapping[int, float], now: Mapping[int, float]
) -> list[PointChange]:
    place = point.measure, point.magnitude
    common = sorted(before.keys() & now.keys())
    old, new = (np.array([values[k] for k in common]) for values in (before, now))
    undefined = [float(np.isnan(side).sum()) for side in (old, new)]
    if undefined[0] != undefined[1]:
        return [PointChange("undefined", *place, undefined[0], undefined[1], math.nan, point.error)]
    apart = np.abs(new - old)
    if not (np.isnan(old) == np.isnan(new)).all() or (apart > _EXACT).any():
        both = ~np.isnan(apart)
        means = float(old[both].mean()), float(new[both].mean())
        if _apart(*means):
            kind = "mean"
        else:
            kind = "sets"
        p = _paired_t(old[both], new[both])
        return [PointChange(kind, *place, *means, p, point.error)]
    return []


def _apart(old: float, new: float) -> bool:
    return math.isnan(old) != math.isnan(new) or abs(new - old) > _EXACT


def _paired_t(old: Floats, new: Floats) -> float:
    """Return the two-sided p of the mean difference; 0 if all sets differ by the same."""
    from scipy.stats import ttest_rel

    if len(old) < 2:
        return math.nan
    if (new - old).std() > _EXACT:
        return float(ttest_rel(old, new).pvalue)
    return 0.0


def _tests(old: Point, new: Point) -> list[PointChange]:
    place = new.measure, new.magnitude
    tests = []
    if old.undefined or new.undefined:
        counts = float(old.undefined), float(new.undefined)
        tests.append(PointChange("undefined", *place, *counts, _fisher(old, new), new.error))
    if not (math.isnan(old.mean) or math.isnan(new.mean)):
        p = _welch(old, new)
        tests.append(PointChange("mean", *place, old.mean, new.mean, p, new.error))
    return tests


def _welch(old: Point, new: Point) -> float:
    from scipy.stats import ttest_ind_from_stats

    sides = [(p.mean, 0.0 if math.isnan(p.sd) else p.sd, p.sets - p.undefined) for p in (old, new)]
    if _untested(old, new):
        return 1.0  # one value says nothing about its spread
    if math.sqrt(sum(sd**2 / n for _, sd, n in sides)) <= _EXACT:
        if abs(new.mean - old.mean) > _EXACT:
            return 0.0
        return 1.0
    return float(ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue)


def _untested(old: Point, new: Point) -> bool:
    """Return whether both points have a mean, but too few values for a test.

    A single value can be compared with a point without spread, but not with other points.
    """
    sets = [p.sets - p.undefined for p in (old, new)]
    spread = any(p.sd > _EXACT for p in (old, new))
    return min(sets) == 1 and (max(sets) == 1 or spread)


def _fisher(old: Point, new: Point) -> float:
    from scipy.stats import fisher_exact

    table = np.array([[p.undefined, p.sets - p.undefined] for p in (old, new)])
    return float(fisher_exact(table).pvalue)


def _adjusted(changes: Sequence[PointChange]) -> list[PointChange]:
    """Add the p adjusted by Holm's method.

    The smallest p is multiplied by the number of tests, the next by one less, and so on; none
    becomes smaller than the one before it. Changes without a test are not altered.
    """
    order = sorted((i for i, d in enumerate(changes) if d.p == d.p), key=lambda i: changes[i].p)
    adjusted = list(changes)
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - rank) * changes[i].p))
        adjusted[i] = replace(changes[i], p=worst)
    return adjusted
