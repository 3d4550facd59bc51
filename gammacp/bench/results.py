"""What a sweep leaves in its folder: a table, figures and the provenance of each error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gammacp.bench.figures import plot_errors, plot_measures
from gammacp.bench.provenance import write_provenance
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep
from gammacp.bench.table import Point, by_error, curves, write_curves
from gammacp.plots import can_plot


@dataclass(frozen=True)
class Written:
    """The points, the files, and why there is no figure (None if there is)."""

    points: list[Point]
    paths: list[Path]
    unplotted: str | None = None


def write_results(sweep: Sweep, store: Store, folder: Path, *, figures: bool = True) -> Written:
    """`<error>.csv`, `.json`, `.svg`, `.png` for each error, `measure-<name>.*` for each measure.

    Figures per measure are drawn where there are several errors.
    """
    experiment = store.begin(sweep)
    points = curves(
        store,
        experiment,
        errors=sweep.errors,
        measures=sweep.measures,
        magnitudes=sweep.magnitudes,
        sets=sweep.sets,
    )
    paths = []
    for error, group in by_error(points).items():
        paths.append(folder / f"{error}.csv")
        write_curves(group, paths[-1])
    write_provenance(sweep, store, experiment, folder)
    if not figures:
        return Written(points, paths)
    if not can_plot():
        why = "no figures: matplotlib is missing; pip install 'gammacp[plot]'"
        return Written(points, paths, why)
    paths += plot_errors(points, folder)
    if len(sweep.errors) > 1:
        paths += plot_measures(points, folder)
    return Written(points, paths)
