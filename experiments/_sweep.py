"""Sweeps of the Corpus Shuffling Tool for experiments: resumable, on every core."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from experiments._common import in_sets, write_csv
from gammacp.bench.curves import CURVE_COLUMNS, Point, curves
from gammacp.bench.figures import file_name
from gammacp.bench.results import write_results
from gammacp.bench.runner import run
from gammacp.bench.store import OtherSoftware, Store, Values
from gammacp.bench.sweep import Sweep, magnitudes_by
from gammacp.errors import GammacpError
from gammacp.pools import open_pool


def sets(quick: bool) -> int:
    """Return the number of annotation sets per magnitude: 20, or 3.

    The paper draws 40 independent sets per magnitude. Here, all magnitudes share the random numbers
    of a set, so that 20 sets show smaller differences than those 40 (`common_numbers`).
    """
    return 3 if quick else 20


def magnitudes(quick: bool) -> tuple[float, ...]:
    """Return magnitudes in steps of .05 as in 2015 §6.3, or of .2."""
    return magnitudes_by(0.2 if quick else 0.05)


def sweep_into(out: Path, sweep: Sweep, *, part: str = "") -> list[dict[str, object]]:
    """Compute a sweep, write its tables into `out`/`part`, and return the rows of all points.

    Cells are kept in `stores/` beside the folders of results, so that an interrupted run can
    resume.
    """
    with swept(out, sweep) as store:
        points = write_results(sweep, store, out / part, figures=False).points
        rows = _rows(points, store.values(store.begin(sweep)), sweep.sets)
    for error in sweep.errors:
        of_error = [row for row in rows if row["error"] == error]
        write_csv(out / part / f"{file_name(error)}.csv", of_error)
    return rows


def points_of(out: Path, sweep: Sweep) -> tuple[list[Point], list[dict[str, object]]]:
    """Compute a sweep like `sweep_into`, but only return its points and their rows."""
    with swept(out, sweep) as store:
        experiment = store.begin(sweep)
        points = curves(store, experiment, sweep)
        return points, _rows(points, store.values(experiment), sweep.sets)


def _rows(points: Sequence[Point], values: Values, sets: int) -> list[dict[str, object]]:
    """Return a row per point, with the value of each set; the store may have more."""
    rows = []
    for point in points:
        by_set = values[point.error, point.measure, point.magnitude]
        mine = [by_set[number] for number in sorted(by_set) if number < sets]
        rows.append({**{f: getattr(point, f) for f in CURVE_COLUMNS}, "values": in_sets(mine)})
    return rows


@contextmanager
def swept(out: Path, sweep: Sweep) -> Iterator[Store]:
    """Yield the store of a computed sweep; recompute cells of other software versions."""
    stores = out.parent.parent / "stores"
    stores.mkdir(exist_ok=True)
    with Store.writing(stores / f"{sweep.experiment}.sqlite") as store:
        with open_pool() as pool:
            try:
                outcome = run(sweep, store, pool)
            except OtherSoftware as error:
                print(f"{error}; computed anew", file=sys.stderr)
                outcome = run(sweep, store, pool, resume=False)
            if outcome.interrupted:
                raise KeyboardInterrupt
            if outcome.failures:
                first = outcome.failures[0]
                raise GammacpError(f"{len(outcome.failures)} tasks failed: {first.why}")
        yield store
