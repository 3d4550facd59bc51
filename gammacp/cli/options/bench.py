"""The options of `gammacp bench`, and the sweep that they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.commands.bench_store import DEFAULT_OUT
from gammacp.cli.options.references import References
from gammacp.cli.options.settings import Sampling, Solving, Weighing, gamma_options
from gammacp.cli.output import message
from gammacp.errors import UsageError
from gammacp.plugins import load_all, loaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gammacp.bench.sweep import Sweep


TREES = frozenset(
    {
        "trees",
        "error",
        "measures",
        "magnitudes",
        "step",
        "sets",
        "seed",
        "out",
        "store",
        "resume",
        "mix_software",
        "experiment",
        "executor",
        "jobs",
        "imports",
        "figures",
        "plan",
        "cores",
        "check",
        "level",
        "json",
    }
)
"""The options of `bench` that mean something with `--trees`."""


@dataclass(frozen=True)
class Extent:
    """What is swept."""

    error: Annotated[
        list[str] | None,
        typer.Option(
            help="{errors}, or a combination such as position+category, also with "
            "parameters as in split:factor=2 (repeatable).",
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
class Origin(References):
    """Where annotation sets come from: references with errors, or trees."""

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
    mix_software: Annotated[
        bool,
        typer.Option(
            "--mix-software",
            help="Go on with cells that other software computed; the store says whose is whose.",
        ),
    ] = False
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
            help="As `gammacp --import`, which every command has (repeatable).",
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
    """The curves that a sweep is held against."""

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


def sweep_of(
    extent: Extent,
    origin: Origin,
    running: Running,
    checking: Checking,
    gamma: tuple[Weighing, Sampling, Solving],
) -> Sweep:
    """The sweep, of units or of trees; what is not given is taken from a baseline (`--check`)."""
    from gammacp.bench.baseline import extent_of, read_curves
    from gammacp.bench.sweep import PAPER_MEASURES, Sweep, magnitudes_by

    weighing, sampling, solving = gamma
    load_all(listed(running.imports))
    errors, measures = tuple(extent.error or ()), listed(extent.measures)
    sets, magnitudes = extent.sets, magnitudes_of(extent)
    if checking.check is not None:
        known = extent_of(read_curves(checking.check))
        errors = errors or known.errors
        measures = measures or known.measures
        sets = known.sets if sets is None else sets
        magnitudes = magnitudes or known.magnitudes
    if origin.trees is not None:
        return Sweep(
            **_of_trees(origin.trees, sampling.seed, errors, measures, sets, magnitudes),
            modules=listed(running.imports),
            experiment=running.experiment,
        )
    if not errors:
        raise UsageError("no error to sweep; give one, such as --error split")
    return Sweep(
        source=origin.source(),
        errors=errors,
        measures=_all_measures() if measures == ("all",) else measures or PAPER_MEASURES,
        magnitudes=magnitudes or magnitudes_by(0.05),
        sets=40 if sets is None else sets,
        n_annotators=extent.n_annotators,
        seed=sampling.seed,
        options=_options(weighing, sampling, solving),
        modules=loaded(),
        experiment=running.experiment,
    )


def _of_trees(
    path: Path,
    seed: int,
    errors: tuple[str, ...],
    measures: tuple[str, ...],
    sets: int | None,
    magnitudes: tuple[float, ...] | None,
) -> dict[str, Any]:
    """What is swept of a treebank: by default as in the paper."""
    from gammacp.bench import trees
    from gammacp.syntax.treebank import read_sentences

    read = read_sentences(path)
    source = trees.Perturbed(trees.sample_sentences(read, seed=seed))
    message(f"{len(source.sentences)} of {len(read)} sentences of {path}; seed {seed}")
    return {
        "source": source,
        "errors": errors or trees.PAPER_ERRORS,
        "measures": source.measures if measures in ((), ("all",)) else measures,
        "magnitudes": magnitudes or trees.PAPER_MAGNITUDES,
        "sets": trees.PAPER_SETS if sets is None else sets,
        "n_annotators": 2,
        "seed": seed,
    }


def refuse_options(context: typer.Context, why: str, *, but: frozenset[str] = frozenset()) -> None:
    """A UsageError if options were given, other than those named, that would be passed over."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in but and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{parameter.opts[0]} {why}")


def listed(entries: Sequence[str] | None) -> tuple[str, ...]:
    """Names of a repeatable option that also takes A,B."""
    return tuple(n.strip() for entry in entries or () for n in entry.split(",") if n.strip())


def magnitudes_of(extent: Extent) -> tuple[float, ...] | None:
    """`--magnitudes` or `--step`; None if neither is given."""
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


def _options(weighing: Weighing, sampling: Sampling, solving: Solving) -> dict[str, Any]:
    """Options that were given; those at their defaults are left out of the configuration."""
    options: dict[str, Any] = dict(gamma_options(weighing, sampling, solving))
    plain: dict[str, Any] = dict(gamma_options(Weighing(), Sampling(), Solving()))
    return {k: v for k, v in options.items() if plain.get(k) != v and k != "seed"}
