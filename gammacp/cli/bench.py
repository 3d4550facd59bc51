"""`gammacp bench`: sweeps over error magnitudes; `bench status`, `export`, `merge`: their store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.bench_store import DEFAULT_OUT, add_store_commands, store_path
from gammacp.cli.groups import flatten
from gammacp.cli.output import AsJson, message, number, print_json, print_table
from gammacp.cli.settings import Sampling, Solving, Weighing, gamma_options
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gammacp.bench.runner import Failure, Outcome
    from gammacp.bench.source import Shuffled
    from gammacp.bench.store import Store
    from gammacp.bench.sweep import Sweep
    from gammacp.bench.table import Point
    from gammacp.cli.counting import Counter


@dataclass(frozen=True)
class Extent:
    """What is swept."""

    error: Annotated[
        list[str] | None,
        typer.Option(
            help="position, category, split, false-positive, false-negative, merge, or a "
            "combination such as position+category, also with parameters as in "
            "split:factor=2 (repeatable).",
            metavar="NAME",
        ),
    ] = None
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measures",
            "-m",
            help="Measures (A,B; repeatable), or all.  [default: gamma, u-alpha-2013, cu-alpha, "
            "kappa-d, ser]",
            metavar="NAME",
        ),
    ] = None
    n_annotators: Annotated[int, typer.Option(help="Annotators of each set.")] = 3
    sets: Annotated[
        int | None, typer.Option(help="Annotation sets per magnitude.  [default: 40]")
    ] = None
    step: Annotated[
        float | None, typer.Option(help="Between magnitudes from 0 to 1.  [default: 0.05]")
    ] = None
    magnitudes: Annotated[
        str | None, typer.Option(help="These magnitudes instead of a step.", metavar="M,M,…")
    ] = None


@dataclass(frozen=True)
class Origin:
    """Where references come from."""

    reference: Annotated[
        Path | None,
        typer.Option(help="A file with one annotator's units: the reference of every set."),
    ] = None
    annotator: Annotated[
        str | None, typer.Option(help="Whose units of that file, where it has several annotators.")
    ] = None
    model: Annotated[
        Path | None, typer.Option(help="Reference model to draw from, as TOML (see shuffle).")
    ] = None
    layout: Annotated[
        str | None,
        typer.Option(help="apart, overlapping, covering or fixed: units of drawn references."),
    ] = None
    trees: Annotated[
        Path | None,
        typer.Option(
            help="A treebank file instead: errors label, attach, label+attach, also "
            "attach:uniform and attach:local, in a sample of its trees."
        ),
    ] = None


@dataclass(frozen=True)
class Running:
    """Where it is computed, and what becomes of it."""

    out: Annotated[Path, typer.Option(help="Folder for tables and figures.")] = DEFAULT_OUT
    store: Annotated[
        Path | None, typer.Option(help="Store of the cells.  [default: OUT/bench.sqlite]")
    ] = None
    resume: Annotated[
        bool, typer.Option(help="Keep what the store has, or drop it and begin anew.")
    ] = True
    experiment: Annotated[str, typer.Option(help="The sweep's name in the store.")] = "bench"
    executor: Annotated[str, typer.Option(help="serial, processes or dask://host:port.")] = (
        "processes"
    )
    jobs: Annotated[
        int | None, typer.Option(help="Tasks at once.  [default: one per core]", min=1)
    ] = None
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            help="Module that registers measures or errors of your own (repeatable).",
            metavar="MODULE",
        ),
    ] = None
    figures: Annotated[bool, typer.Option(help="Draw figures.")] = True
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Predict what the sweep takes, from a small part of it."),
    ] = False
    cores: Annotated[
        int | None,
        typer.Option(help="Cores that --plan is for.  [default: those of this machine]", min=1),
    ] = None


@dataclass(frozen=True)
class Checking:
    """A dissimilarity that is tried out, and the curves it is held against."""

    dissimilarity: Annotated[
        str | None,
        typer.Option(help="Class of your own instead of the combined one.", metavar="MODULE:CLASS"),
    ] = None
    check: Annotated[
        Path | None,
        typer.Option(
            help="Compare with this bench CSV; exit 1 if curves moved by more than noise.",
            metavar="BASELINE.csv",
        ),
    ] = None
    level: Annotated[
        float, typer.Option(help="Chance of a false alarm of --check.", min=0, max=1)
    ] = 0.01


def add_to(app: typer.Typer) -> None:
    """Add `bench` and its subcommands."""
    group = typer.Typer(context_settings={"help_option_names": ["-h", "--help"]})
    group.callback(invoke_without_command=True)(flatten(bench))
    add_store_commands(group)
    app.add_typer(group, name="bench")


def bench(
    context: typer.Context,
    extent: Extent,
    origin: Origin,
    running: Running,
    checking: Checking,
    weighing: Weighing,
    sampling: Sampling,
    solving: Solving,
    json: AsJson = False,
) -> None:
    """Sweep error magnitudes with the Corpus Shuffling Tool and see how measures respond."""
    if context.invoked_subcommand is not None:
        return
    if origin.trees is not None:
        from gammacp.cli.bench_trees import bench_trees

        bench_trees(
            origin.trees,
            errors=extent.error or (),
            measures=listed(extent.measures),
            magnitudes=_magnitudes(extent),
            sets=extent.sets,
            seed=sampling.seed,
            out=running.out,
            figures=running.figures,
            as_json=json,
        )
        return
    from gammacp.bench.store import Store

    sweep = _sweep(extent, origin, running, checking, (weighing, sampling, solving))
    if checking.check is not None:
        _check_baseline(sweep, checking.check)
    with Store.writing(running.store or store_path(running.out)) as store:
        if running.plan:
            _plan(sweep, store, running, as_json=json)
            return
        outcome = _run(sweep, store, running)
        points = _written(sweep, store, running)
    _tell(sweep, outcome)
    if json:
        print_json(_document(sweep, points, outcome, running.out))
    elif checking.check is None:
        print_points(points)
    _finish(outcome)
    if checking.check is not None:
        _compare(points, checking)


def _sweep(
    extent: Extent,
    origin: Origin,
    running: Running,
    checking: Checking,
    gamma: tuple[Weighing, Sampling, Solving],
) -> Sweep:
    from gammacp.bench.baseline import extent_of, read_curves
    from gammacp.bench.loading import search_here
    from gammacp.bench.sweep import PAPER_MEASURES, Sweep, magnitudes_by

    if running.imports:
        search_here()
    errors, measures = tuple(extent.error or ()), listed(extent.measures)
    sets, magnitudes = extent.sets, _magnitudes(extent)
    if checking.check is not None:
        known = extent_of(read_curves(checking.check))
        errors = errors or known.errors
        measures = measures or known.measures
        sets = sets or known.sets
        magnitudes = magnitudes or known.magnitudes
    if not errors:
        raise UsageError("no error to sweep; give one, such as --error split")
    return Sweep(
        source=_source(origin),
        errors=errors,
        measures=_all_measures() if measures == ("all",) else measures or PAPER_MEASURES,
        magnitudes=magnitudes or magnitudes_by(0.05),
        sets=40 if sets is None else sets,
        n_annotators=extent.n_annotators,
        seed=gamma[1].seed,
        options=_options(checking, *gamma),
        modules=listed(running.imports),
        experiment=running.experiment,
    )


def listed(entries: Sequence[str] | None) -> tuple[str, ...]:
    """Names of a repeatable option that also takes A,B."""
    return tuple(n.strip() for entry in entries or () for n in entry.split(",") if n.strip())


def _magnitudes(extent: Extent) -> tuple[float, ...] | None:
    from gammacp.bench.sweep import magnitudes_by

    if extent.magnitudes is None:
        return None if extent.step is None else magnitudes_by(extent.step)
    if extent.step is not None:
        raise UsageError("give --step or --magnitudes, not both")
    try:
        return tuple(float(m) for m in extent.magnitudes.split(","))
    except ValueError:
        raise UsageError(f"--magnitudes {extent.magnitudes!r} is not numbers with commas") from None


def _all_measures() -> tuple[str, ...]:
    from gammacp.measures.registry import MEASURES

    return tuple(name for name, m in MEASURES.items() if m.applies_to == "continuum")


def _source(origin: Origin) -> Shuffled:
    from gammacp.bench.source import source_from

    return source_from(
        reference=origin.reference,
        annotator=origin.annotator,
        model=origin.model,
        layout=origin.layout,
    )


def _options(
    checking: Checking, weighing: Weighing, sampling: Sampling, solving: Solving
) -> dict[str, Any]:
    """Options that were given; those at their defaults are left out of the configuration."""
    options: dict[str, Any] = dict(gamma_options(weighing, sampling, solving))
    plain: dict[str, Any] = dict(gamma_options(Weighing(), Sampling(), Solving()))
    changed = {k: v for k, v in options.items() if plain.get(k) != v and k != "seed"}
    if checking.dissimilarity is not None:
        from gammacp.bench.loading import load_class

        if "dissimilarity" in changed:
            raise UsageError("--dissimilarity takes the place of --alpha, --beta, … and --preset")
        changed["dissimilarity"] = load_class(checking.dissimilarity)()
    return changed


def _check_baseline(sweep: Sweep, baseline: Path) -> None:
    from gammacp.bench.baseline import check_configuration

    if not check_configuration(sweep, baseline):
        place = baseline.with_suffix(".json")
        message(f"{place} is missing: how the baseline was made cannot be checked")


def _run(sweep: Sweep, store: Store, running: Running) -> Outcome:
    from gammacp.bench.executors import open_pool
    from gammacp.bench.runner import run
    from gammacp.cli.counting import Counter

    counter = Counter("cells")
    try:
        with open_pool(running.executor, running.jobs) as pool:
            outcome = run(
                sweep,
                store,
                pool,
                resume=running.resume,
                progress=counter,
                failed=Failures(counter),
            )
            if outcome.interrupted:
                # Leave workers to their fate: their tasks are computed again next time.
                raise KeyboardInterrupt
            return outcome
    except KeyboardInterrupt:
        counter.close()
        message(f"interrupted; what is done is kept in {store.path}, run again to go on")
        raise typer.Exit(130) from None
    finally:
        counter.close()


def _written(sweep: Sweep, store: Store, running: Running) -> list[Point]:
    from gammacp.bench.results import write_results

    written = write_results(sweep, store, running.out, figures=running.figures)
    for path in written.paths:
        message(f"wrote {path}")
    for note in written.notes:
        message(note)
    return written.points


def _tell(sweep: Sweep, outcome: Outcome) -> None:
    message(f"{outcome.computed} cells computed, {outcome.reused} were there; seed {sweep.seed}")
    if outcome.limited:
        message(f"{outcome.limited} cells rest on a solver that stopped at a limit (feasible)")
    if outcome.failures:
        message(
            f"{len(outcome.failures)} annotation sets could not be computed; running the sweep "
            "again tries them again"
        )


class Failures:
    """Tells of the first tasks that cannot be computed while the sweep goes on."""

    def __init__(self, counter: Counter) -> None:
        """`counter` writes on the same line."""
        self.counter, self.told = counter, 0

    def __call__(self, failure: Failure) -> None:
        """A line for each of the first ten, without the trace after the first."""
        self.told += 1
        if self.told > _TOLD:
            return
        task = failure.task
        place = f"{task.error}, magnitude {task.magnitude:g}, set {task.set_number}"
        why = failure.why if self.told == 1 else failure.why.splitlines()[0]
        self.counter.close()
        message(f"not computed: {place}: {why}")


def _finish(outcome: Outcome) -> None:
    if outcome.failures:
        raise typer.Exit(1)


def _document(
    sweep: Sweep, points: Sequence[Point], outcome: Outcome, folder: Path
) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "errors": {e: [asdict(p) for p in points if p.error == e] for e in sweep.errors},
        "folder": str(folder),
        "computed": outcome.computed,
        "reused": outcome.reused,
        "limited": outcome.limited,
        "failures": [{**asdict(f.task), "why": f.why} for f in outcome.failures],
        "seed": sweep.seed,
    }


_COLUMNS = 8  # measures side by side in a table
_TOLD = 10  # failures told one by one


def print_points(points: Sequence[Point]) -> None:
    """Means, one table per error: a row per magnitude, a column per measure."""
    from gammacp.bench.table import by_error, by_measure

    for error, group in by_error(points).items():
        curves = by_measure(group)
        means = {(p.measure, p.magnitude): p.mean for p in group}
        magnitudes = sorted({p.magnitude for p in group})
        names = [n for n, curve in curves.items() if any(p.mean == p.mean for p in curve)]
        for first in range(0, len(names), _COLUMNS):
            columns = names[first : first + _COLUMNS]
            rows = [
                [f"{m:g}", *(number(means.get((name, m)), 3) for name in columns)]
                for m in magnitudes
            ]
            print_table([f"{error}: magnitude", *columns], rows, numeric=columns)


def _compare(points: Sequence[Point], checking: Checking) -> None:
    from gammacp.bench.baseline import compare, read_curves

    assert checking.check is not None
    moved, compared = compare(read_curves(checking.check), points, level=checking.level)
    if not moved:
        message(f"{compared} points compared with {checking.check}: none moved beyond noise")
        return
    rows = [
        [d.measure, f"{d.magnitude:g}", d.what, number(d.baseline), number(d.now), f"{d.p:.1g}"]
        for d in moved
    ]
    columns = ("measure", "magnitude", "what", "baseline", "now", "p")
    print_table(columns, rows, numeric=columns[1:2] + columns[3:])
    message(
        f"{len(moved)} of {compared} points moved beyond noise, against {checking.check} "
        f"(adjusted p < {checking.level:g})"
    )
    raise typer.Exit(1)


def _plan(sweep: Sweep, store: Store, running: Running, *, as_json: bool) -> None:
    from dataclasses import asdict, replace

    from gammacp.bench.executors import available_cores
    from gammacp.bench.planning import pilot, plan, total

    # --jobs is what the plan is for; the pilot runs on what there is.
    here = replace(running, jobs=min(running.jobs or available_cores(), available_cores()))
    outcome = _run(pilot(sweep), store, here)
    _tell(sweep, outcome)
    costs = plan(sweep, store, store.begin(sweep))
    cores = running.cores or available_cores()
    rows = [*costs, total(costs)] if len(costs) > 1 else costs
    if as_json:
        print_json({"plan": [asdict(c) for c in rows], "cores": cores})
        return
    columns = ("error", "sets", "cells", "alignments", "core-hours", "hours", "storage")
    print_table(
        [*columns[:5], f"hours on {cores}", columns[6]],
        [
            [
                c.error,
                *(f"{n:,}" for n in (c.sets, c.cells, c.alignments)),
                f"{c.core_seconds / 3600:,.3g}",
                f"{c.core_seconds / 3600 / cores:,.3g}",
                f"{c.storage / 1e6:,.1f} MB",
            ]
            for c in rows
        ],
        numeric=[*columns[1:5], f"hours on {cores}", columns[6]],
    )
