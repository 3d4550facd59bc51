"""Sweeps of the Corpus Shuffling Tool for experiments: resumable, on every core."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gammacp.bench.results import write_results
from gammacp.bench.runner import run
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep, magnitudes_by
from gammacp.bench.table import Point
from gammacp.errors import GammacpError
from gammacp.pools import open_pool


def sets(quick: bool) -> int:
    """Annotation sets per magnitude: 40 as in 2015 §6.3, or 5."""
    return 5 if quick else 40


def magnitudes(quick: bool) -> tuple[float, ...]:
    """In steps of .05 as in 2015 §6.3, or of .1."""
    return magnitudes_by(0.1 if quick else 0.05)


def sweep_into(
    out: Path, sweeps: Sequence[Sweep], *, part: str = "", figures: bool = True
) -> list[Point]:
    """Compute sweeps and write their tables (and figures) into `out`/`part`; points of all.

    Cells are kept in `stores/` beside the results' folders, so an interrupted run goes on where
    it was.
    """
    stores = out.parent.parent / "stores"
    stores.mkdir(exist_ok=True)
    points: list[Point] = []
    for sweep in sweeps:
        with Store.writing(stores / f"{sweep.experiment}.sqlite") as store, open_pool() as pool:
            outcome = run(sweep, store, pool)
            if outcome.interrupted:
                raise KeyboardInterrupt
            if outcome.failures:
                first = outcome.failures[0]
                raise GammacpError(f"{len(outcome.failures)} tasks failed: {first.why}")
            points += write_results(sweep, store, out / part, figures=figures).points
    return points
