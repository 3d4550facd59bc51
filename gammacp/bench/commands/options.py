"""The options of `gammacp bench`, and the sweep that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gammacp.bench.commands.bench_store import DEFAULT_OUT
from gammacp.bench.commands.references import Annotators, References
from gammacp.cli.options.groups import Brought, option
from gammacp.cli.options.names import numbers_of
from gammacp.cli.options.reading import split_names
from gammacp.cli.options.settings import GammaFlags, Sampling, SolvingFlags, Weighing
from gammacp.errors import UsageError
from gammacp.plugins import loaded_names

if TYPE_CHECKING:
    from gammacp.bench.source import Shuffled
    from gammacp.bench.sweep import Sweep


@dataclass(frozen=True)
class SweepFlags:
    """Options that choose what is swept."""

    error: list[str] | None = option(
        "Error to sweep: {errors}, or a combination such as position+category; with parameters "
        "as in split:factor=2 (repeatable).",
        "NAME",
    )
    measures: list[str] | None = option(
        "Measures to compute (A,B; repeatable), or all.  [default: gamma, u-alpha-2013, cu-alpha, "
        "kappa-d, ser]",
        "NAME",
        names=("--measures", "-m"),
        complete_from="measure",
    )
    sets: int | None = option("Annotation sets per magnitude.  [default: 40]")
    step: float | None = option("Distance between magnitudes from 0 to 1.  [default: 0.05]")
    magnitudes: str | None = option("Use these magnitudes instead of a step.", "M,M,…")
    beyond_chance: bool = option(
        "Instead of each value, 1 − D/E[D]: the disagreement that the measure counts against its "
        "mean over random sets of the chance model (for trees, over other sentences).",
        default=False,
    )


@dataclass(frozen=True)
class Running:
    """Options for where the sweep runs, and what it writes."""

    out: Path = option("Folder for tables and figures.", default=DEFAULT_OUT)
    store: Path | None = option("Store of the cells.  [default: OUT/bench.sqlite]")
    resume: bool = option("Keep what the store has, or drop it and start over.", default=True)
    mix_software: bool = option(
        "Continue a store whose cells other software computed; it records which.",
        default=False,
    )
    experiment: str = option("The sweep's name in the store.", default="bench")
    executor: str = option(
        "Where to compute: serial, processes or dask://host:port.", default="processes"
    )
    jobs: int | None = option("Tasks at once.  [default: one per core]", min=1)
    figures: bool = option("Draw figures.", default=True)


@dataclass(frozen=True)
class Checking:
    """Comparing the sweep with an earlier one."""

    check: Path | None = option(
        "Compare with this CSV of an earlier sweep; exit with 1 if curves moved beyond noise.",
        "BASELINE.csv",
    )
    level: float = option(
        "Probability that --check gives a false alarm.", default=0.01, min=0, max=1
    )
    everything: bool | None = option(
        "Also sweep the reference `everything` (units that overlap, are embedded, unlabelled, of "
        "length 0, long and short), into OUT/everything.  [default: with --check if the baseline "
        "has it]",
        names=("--everything/--no-everything",),
    )


UNITS_ONLY = frozenset(
    f.name
    for group in (Annotators, References, Weighing, Sampling, SolvingFlags)
    for f in fields(group)
    if f.name != "seed"
)
"""The options of `bench` that mean nothing where other data than units are swept."""


def sweep_of(
    extent: SweepFlags,
    annotators: Annotators,
    references: References,
    brought: Brought,
    running: Running,
    checking: Checking,
    settings: GammaFlags,
) -> Sweep:
    """Return the sweep of units, or of the data that a brought group of options names.

    What is not given is taken from a baseline (`--check`).
    """
    from gammacp.bench.baseline import extent_of, read_curves
    from gammacp.bench.sweep import Sweep
    from gammacp.measures.registry import PAPER_MEASURES, expand_names

    errors = tuple(extent.error or ())
    measures = split_names(extent.measures, "--measures")
    sets = extent.sets
    magnitudes = magnitudes_of(extent)
    if checking.check is not None:
        baseline_extent = extent_of(read_curves(checking.check))
        errors = errors or baseline_extent.errors
        measures = measures or baseline_extent.measures
        if sets is None:
            sets = baseline_extent.sets
        magnitudes = magnitudes or baseline_extent.magnitudes
    other = other_source(brought)
    if other is not None:
        swept: dict[str, Any] = other.swept(settings.sampling.seed, errors, measures)
    elif not errors:
        raise UsageError("no error to sweep; give one, such as --error split")
    else:
        source, n_annotators = source_of(annotators, references)
        swept = {
            "source": source,
            "errors": errors,
            "measures": measures or PAPER_MEASURES,
            "n_annotators": n_annotators,
            "options": _options(settings),
        }
        if measures == ("all",):
            swept["measures"] = tuple(expand_names(measures))
    if sets is not None:
        swept["sets"] = sets
    if magnitudes:
        swept["magnitudes"] = magnitudes
    return Sweep(
        **swept,
        seed=settings.sampling.seed,
        beyond_chance=extent.beyond_chance,
        modules=loaded_names(),
        experiment=running.experiment,
    )


def source_of(annotators: Annotators, references: References) -> tuple[Shuffled, int]:
    """Return the source of annotation sets, and how many annotators each has."""
    people = annotators.panel_or_number()
    source = references.source()
    if isinstance(people, int):
        return source, people
    return replace(source, panel=people), people.n_annotators


def other_source(brought: Brought) -> Any:
    """Return the group of options that names other data than units; None where none does."""
    return next((group for group in brought.groups if group.names_source), None)


def refuse_options(context: typer.Context, why: str, names: frozenset[str] | None = None) -> None:
    """Raise a UsageError if options were given (some of those named) that would be passed over."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        refused = names is None or parameter.name in names
        if refused and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{parameter.opts[0]} {why}")


def magnitudes_of(extent: SweepFlags) -> tuple[float, ...] | None:
    """`--magnitudes` or `--step`; None if neither is given."""
    from gammacp.bench.sweep import magnitudes_by

    if extent.magnitudes is None:
        if extent.step is None:
            return None
        return magnitudes_by(extent.step)
    if extent.step is not None:
        raise UsageError("give --step or --magnitudes, not both")
    return numbers_of("--magnitudes", extent.magnitudes)


def _options(settings: GammaFlags) -> dict[str, Any]:
    """Options that were given; those at their defaults are left out of the configuration."""
    options: dict[str, Any] = dict(settings.options())
    plain: dict[str, Any] = dict(GammaFlags(Weighing(), Sampling(), SolvingFlags()).options())
    return {k: v for k, v in options.items() if plain.get(k) != v and k != "seed"}
