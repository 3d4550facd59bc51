"""`gammacp bench --trees FILE`: a sweep of errors in the trees of a treebank file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gammacp.cli.output import message, print_json
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.bench.table import Point
    from gammacp.bench.trees import TreeSweep

# Those of `bench` that mean something here.
OPTIONS = frozenset(
    {"trees", "error", "measures", "magnitudes", "step", "sets", "seed", "out", "figures", "json"}
)


def bench_trees(
    path: Path,
    *,
    errors: Sequence[str],
    measures: Sequence[str],
    magnitudes: tuple[float, ...] | None,
    sets: int | None,
    seed: int,
    out: Path,
    figures: bool,
    as_json: bool,
) -> None:
    """Perturb a sample of the file's trees, write `<error>.csv` and figures, print the means."""
    from gammacp.bench.table import by_error, write_curves
    from gammacp.bench.trees import PAPER_ERRORS, PAPER_MAGNITUDES, PAPER_SETS, TreeSweep
    from gammacp.bench.trees import sample_sentences as sample
    from gammacp.cli.bench_output import print_points
    from gammacp.syntax.treebank import read_sentences

    read = read_sentences(path)
    sweep = TreeSweep(
        sentences=sample(read, seed=seed),
        errors=tuple(errors) or PAPER_ERRORS,
        magnitudes=magnitudes or PAPER_MAGNITUDES,
        sets=PAPER_SETS if sets is None else sets,
        seed=seed,
        workers=os.cpu_count() or 1,
    )
    unknown = set(measures) - set(sweep.measures)
    if unknown:
        names = ", ".join(sweep.measures)
        raise UsageError(f"measure {sorted(unknown)[0]!r} is not one of these trees': {names}")
    message(f"{len(sweep.sentences)} of {len(read)} sentences of {path}; seed {seed}")
    points = [p for p in _points(sweep) if not measures or p.measure in measures]
    for error, group in by_error(points).items():
        write_curves(group, out / f"{error}.csv")
        message(f"wrote {out / f'{error}.csv'}")
    if figures:
        _draw(points, out)
    if as_json:
        groups = by_error(points).items()
        print_json({"errors": {e: [asdict(p) for p in g] for e, g in groups}, "folder": str(out)})
    else:
        print_points(points)


def _points(sweep: TreeSweep) -> list[Point]:
    from gammacp.bench.trees import tree_points
    from gammacp.cli.counting import Counter

    counter = Counter("sets")
    try:
        return tree_points(sweep, progress=counter)
    finally:
        counter.close()


def _draw(points: Sequence[Point], out: Path) -> None:
    from gammacp.bench.figures import plot_errors
    from gammacp.plots import can_plot

    if not can_plot():
        message("no figures: matplotlib is missing; pip install 'gammacp[plot]'")
        return
    for path in plot_errors(points, out):
        message(f"wrote {path}")
