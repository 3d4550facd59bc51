"""`gammacp bench --check`: a sweep, and one of the reference `everything`, against a baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gammacp.bench.commands import output
from gammacp.bench.commands.checks import Checks
from gammacp.bench.commands.options import Checking, Running
from gammacp.cli.options.settings import GammaFlags
from gammacp.cli.output import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gammacp.bench.curves import Point
    from gammacp.bench.runner import Outcome
    from gammacp.bench.store import Store
    from gammacp.bench.sweep import Sweep
    from gammacp.pools import WorkerPool

EVERYTHING = "everything"
_SETS_COUNTED = 3  # sets at each magnitude in which pairs of units are counted


def with_baseline_seed(
    context: typer.Context, checking: Checking, settings: GammaFlags
) -> GammaFlags:
    """Take the baseline's seed where none is given: the same sets find much more."""
    from gammacp.bench.baseline import baseline_seed

    source = context.get_parameter_source("seed")
    if checking.check is None or (source is not None and source.name == "COMMANDLINE"):
        return settings
    seed = baseline_seed(checking.check)
    if seed is None or seed == settings.sampling.seed:
        return settings
    message(f"seed {seed}, that of {checking.check}")
    return replace(settings, sampling=replace(settings.sampling, seed=seed))


def check_sweep(
    baseline: Path, sweep: Sweep, store: Store, points: Sequence[Point], level: float
) -> Checks:
    """Compare a sweep with its baseline, and print what moved."""
    from gammacp.bench.baseline import compare_with

    comparison = compare_with(baseline, sweep, store, points, level=level)
    output.tell_comparison(comparison, baseline, level)
    return Checks(reference=comparison, sweeps=[sweep])


def also_everything(checking: Checking, other: Any) -> bool:
    """Return whether the reference `everything` is swept, too."""
    if other is not None or checking.everything is False:
        return False
    if checking.check is None:
        return bool(checking.everything)
    has_baseline = everything_baseline(checking.check).is_file()
    if not has_baseline:
        message(
            f"the reference `everything` was not tried: there is no {EVERYTHING}/ beside "
            f"{checking.check}; make the baseline with --everything"
        )
    return has_baseline


def everything_baseline(baseline: Path) -> Path:
    """Return the path of the baseline of the reference `everything`, beside another one."""
    return baseline.parent / EVERYTHING / baseline.name


def sweep_everything(
    sweep: Sweep,
    pool: WorkerPool,
    running: Running,
    checking: Checking,
    *,
    run: Callable[[Sweep, Store, WorkerPool, Running], Outcome],
    write: Callable[[Sweep, Store, Running], list[Point]],
) -> Checks:
    """Sweep the reference `everything` in the same way, and compare it with its baseline."""
    from gammacp.bench.baseline import check_configuration
    from gammacp.bench.properties import EVERYTHING as MODEL
    from gammacp.bench.source import Shuffled
    from gammacp.bench.store import STORE_NAME, Store

    # Of units, annotation sets come from nowhere else.
    assert isinstance(sweep.source, Shuffled)
    everything = replace(sweep, source=replace(sweep.source, origin=MODEL, model=None))
    within = replace(running, out=running.out / EVERYTHING, store=None)
    with Store.writing(within.out / STORE_NAME) as store:
        outcome = run(everything, store, pool, within)
        points = write(everything, store, within)
        message(f"reference `everything`: {outcome.computed} cells, {outcome.reused} reused")
        if checking.check is None:
            return Checks()
        baseline = everything_baseline(checking.check)
        check_configuration(everything, baseline)
        checks = check_sweep(baseline, everything, store, points, checking.level)
    return Checks(everything=checks.reference, sweeps=[everything])


def join_checks(checks: Checks | None, everything: Checks) -> Checks | None:
    """Both checks as one; None where nothing was compared."""
    if checks is None:
        return None
    sweeps = checks.sweeps + everything.sweeps
    return replace(checks, everything=everything.everything, sweeps=sweeps)


def tell_properties(sweep: Sweep, checks: Checks) -> None:
    """Count the properties of units that were tried, and print those that were not."""
    from gammacp.bench.properties import count_properties
    from gammacp.bench.work import annotation_set
    from gammacp.dissimilarity import Combined

    drawn = [
        annotation_set(each, error, magnitude, number)
        for each in checks.sweeps
        for error in each.errors
        for magnitude in each.magnitudes
        for number in range(min(_SETS_COUNTED, each.sets))
    ]
    if not all(c.applies_to == "continuum" for c in drawn):
        return
    dissimilarity = sweep.options.get("dissimilarity") or Combined()
    checks.properties = count_properties(drawn, dissimilarity)
    if checks.not_tried:
        message(
            "not tried, as no two units that cost something have it: " + ", ".join(checks.not_tried)
        )
