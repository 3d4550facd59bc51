"""`gammacp bench`: sweeps over error magnitudes; `bench status|export|merge|rank`: their store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gammacp.bench.commands import options, output
from gammacp.bench.commands.bench_check import (
    also_everything,
    check_sweep,
    join_checks,
    sweep_everything,
    tell_properties,
    with_baseline_seed,
)
from gammacp.bench.commands.bench_rank import rank
from gammacp.bench.commands.bench_store import export, merge, status, store_path
from gammacp.bench.commands.references import Annotators, References
from gammacp.cli.options.groups import Brought, flatten
from gammacp.cli.options.names import Command, CommandGroup, application
from gammacp.cli.options.settings import GammaFlags
from gammacp.cli.output import AsJson, message, print_json

if TYPE_CHECKING:
    from gammacp.bench.curves import Point
    from gammacp.bench.runner import Outcome
    from gammacp.bench.store import Store
    from gammacp.bench.sweep import Sweep
    from gammacp.pools import WorkerPool


def _bench(
    context: typer.Context,
    extent: options.SweepFlags,
    annotators: Annotators,
    references: References,
    brought: Brought,
    running: options.Running,
    checking: options.Checking,
    settings: GammaFlags,
    json: AsJson = False,
) -> None:
    """See how measures respond to errors of growing size.

    The Corpus Shuffling Tool makes annotators who err by each magnitude.

    Example: gammacp bench --error split -m gamma,cu-alpha,ser --sets 10

    Most used: --error, --measures and --sets.
    """
    if context.invoked_subcommand is not None:
        options.refuse_options(
            context, f"has no effect before `{context.invoked_subcommand}`: give it after"
        )
        return
    other = options.other_source(brought)
    if other is not None:
        refusal = f"is not an option of sweeps of {other.called}"
        options.refuse_options(context, refusal, options.UNITS_ONLY)
    from gammacp.bench.store import Store
    from gammacp.bench.work import check
    from gammacp.pools import open_pool

    settings = with_baseline_seed(context, checking, settings)
    sweep = options.sweep_of(extent, annotators, references, brought, running, checking, settings)
    if checking.check is not None:
        _check_baseline(sweep, checking.check, running.out)
    place = running.store or store_path(running.out)
    # What cannot be computed, or a cluster that cannot be reached, leaves no empty store.
    check(sweep)
    checks = None
    with open_pool(running.executor, running.jobs) as pool:
        with Store.writing(place) as store:
            outcome = _run(sweep, store, pool, running)
            points = _write(sweep, store, running)
            output.tell(sweep, outcome)
            if checking.check is not None:
                checks = check_sweep(checking.check, sweep, store, points, checking.level)
        if also_everything(checking, other):
            more = sweep_everything(sweep, pool, running, checking, run=_run, write=_write)
            checks = join_checks(checks, more)
    if checking.check is not None and checks is not None:
        tell_properties(sweep, checks)
    if json:
        print_json(output.document(sweep, points, outcome, running.out, checks))
    elif checks is not None:
        for comparison in checks.comparisons:
            output.print_differences(comparison.moved)
    else:
        output.print_points(points)
    if outcome.failures or (checks is not None and checks.moved):
        raise typer.Exit(1)


def _check_baseline(sweep: Sweep, baseline: Path, out: Path) -> None:
    from gammacp.bench.baseline import check_configuration
    from gammacp.errors import UsageError

    if baseline.resolve().parent == out.resolve():
        raise UsageError(f"--out {out} would overwrite the baseline: give another folder")
    if not check_configuration(sweep, baseline):
        place = baseline.with_suffix(".json")
        message(f"{place} is missing, so the baseline's settings could not be checked")


def _run(sweep: Sweep, store: Store, pool: WorkerPool, running: options.Running) -> Outcome:
    from gammacp.bench.runner import run
    from gammacp.cli.progress import progress

    try:
        with progress("cells") as progress_line:
            outcome = run(
                sweep,
                store,
                pool,
                resume=running.resume,
                mixed=running.mix_software,
                progress=progress_line,
                failed=output.Failures(),
            )
    except KeyboardInterrupt:
        outcome = None
    if outcome is None or outcome.interrupted:
        message(f"interrupted; {store.path} keeps what is done, run again to go on")
        # Workers are left to their fate: their tasks are computed again next time.
        raise typer.Exit(130)
    return outcome


def _write(sweep: Sweep, store: Store, running: options.Running) -> list[Point]:
    from gammacp.bench.results import write_results

    written = write_results(sweep, store, running.out, figures=running.figures)
    for path in written.paths:
        message(f"wrote {path}")
    for note in written.notes:
        message(note)
    return written.points


bench = application(cls=CommandGroup)
bench.callback(invoke_without_command=True)(flatten(_bench))
for command in (status, export, merge, rank):
    bench.command(cls=Command)(flatten(command))
