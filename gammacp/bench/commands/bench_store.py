"""`gammacp bench status|export|merge`: what is in a store of sweeps, and out of it."""

from pathlib import Path
from typing import Annotated

import typer

from gammacp.base.record_tables import Column, Record, Table, count, number, word
from gammacp.cli.options.groups import option
from gammacp.cli.output import AsJson, message, print_json, say, show

DEFAULT_OUT = Path("bench-out")
_NAME = "bench.sqlite"  # as `bench.store.STORE_NAME`, which is not imported for `--help`
_DEFAULT_STORE = DEFAULT_OUT / _NAME

StoreOption = Annotated[
    Path, typer.Option(help="Store of a sweep.", show_default=True, metavar="FILE")
]


def _sets(record: Record) -> str:
    fewest = record["fewest_sets"]
    most = record["most_sets"]
    if fewest == most:
        return str(most)
    return f"{fewest}–{most}"


_HOLDINGS = (
    Column("error", "error"),
    Column("measure", "measure"),
    Column("magnitudes", "magnitudes", count),
    Column("sets", "sets", word, value=_sets),
    Column("cells", "cells", count),
    Column("undefined", "undefined", count),
    Column("limited", "feasible", count),
    Column("seconds", "seconds", number, digits=1),
)


def store_path(folder: Path) -> Path:
    """Return where a sweep keeps its cells unless it is told otherwise."""
    return folder / _NAME


def status(store: StoreOption = _DEFAULT_STORE, json: AsJson = False) -> None:
    """Print the contents of a store, even while a sweep is running."""
    from gammacp.bench.status import status as status_of
    from gammacp.bench.store import Store

    with Store.reading(store) as reading:
        experiments = status_of(reading)
    if json:
        print_json({"experiments": experiments})
        return
    for experiment in experiments:
        say(f"experiment {experiment['experiment']} (configuration {experiment['hash']})")
        show(Table(_HOLDINGS, experiment["holdings"]))
        for run in experiment["runs"]:
            cells = f"{run['cells']} cells in {run['seconds']:.1f} s"
            if run["mixed"]:
                mixed = ", with other software than before it"
            else:
                mixed = ""
            say(f"run {run['number']} of {run['began']} UTC, {run['executor']}: {cells}{mixed}")
    if not experiments:
        message(f"{store}: no experiment yet")


def export(
    out: Annotated[Path, typer.Argument(help="cells.csv or cells.parquet.")],
    store: StoreOption = _DEFAULT_STORE,
    experiment: str | None = option("Write only this sweep.  [default: all]", "NAME"),
    times: bool = option("Also write the seconds and the run of each cell.", default=False),
) -> None:
    """Write every cell of a store as CSV or Parquet."""
    from gammacp.bench.export import export_cells
    from gammacp.bench.store import Store

    with Store.reading(store) as reading:
        count = export_cells(reading, out, experiment=experiment, times=times)
    message(f"wrote {count} cells to {out}")


def merge(
    target: Annotated[Path, typer.Argument(help="Store to add to; created if missing.")],
    sources: Annotated[list[Path], typer.Argument(help="Stores to take cells from.")],
    mix_software: bool = option("Also take cells that other software computed.", default=False),
) -> None:
    """Merge stores of the same sweep.

    Cells that are in several must agree.
    """
    from gammacp.bench.merging import merge as merge_store
    from gammacp.bench.store import Store

    for source in sources:
        # Before the target is made: a name may be mistyped.
        Store.reading(source).close()
    with Store.writing(target) as writing:
        for source in sources:
            merged = merge_store(writing, source, mixed=mix_software)
            message(f"{source}: {merged.added} cells added, {merged.present} known already")
