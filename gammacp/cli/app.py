"""All commands under one Typer application."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import typer

from gammacp import __version__
from gammacp.cli import output
from gammacp.cli.options.groups import flatten, option
from gammacp.cli.options.names import Command, CommandGroup, application
from gammacp.base.files import lift_confinement
from gammacp.plugins import load_all, why_it_fails
from gammacp.registry import SUBJECTS

SECTIONS: Mapping[str, Sequence[str]] = {
    title: names.split()
    for title, names in {
        "Measure": "gamma align verify measure unnamed segmentation syntax links",
        "Understand": "compare calibrate replace plan report studio watch",
        "Build": "init consensus",
        "Formats and data": "inspect convert formats datasets",
        "Research": "shuffle bench reproduce export",
        "What there is": "measures solvers cite warm-up",
    }.items()
}
"""The commands that come with gammacp by what one wants to do; others stand in a section after."""
GROUP = "gammacp.commands"
"""Entry points by which wings and installed packages bring their commands: a function, whose
parameters are options and groups of them, or a Typer of subcommands. A module here or there imports
what it needs inside its functions, so that `--help` stays quick."""
COMMANDS = {n: where for s in SUBJECTS.values() for n, where in s.get("command", {}).items()}
"""Of the subjects: by name, MODULE:FUNCTION."""
OWN = tuple(
    n for names in SECTIONS.values() for n in names
    if n in COMMANDS or (Path(__file__).parent / "commands" / f"{n.replace('-', '_')}.py").is_file()
)
OWN += tuple(n for n in COMMANDS if n not in OWN)


def build() -> typer.Typer:
    """The application with every command."""
    app = application(
        name="gammacp",
        help="How far annotators agree, beyond chance, on where units are and what they are.",
        no_args_is_help=True,
        add_completion=True,
    )
    added = [name for name, load in _loaders() if _add(app, name, load)]
    listed = [name for names in SECTIONS.values() for name in names]
    others = {"Installed": tuple(name for name in added if name not in listed)}
    known = {title: tuple(n for n in names if n in added) for title, names in SECTIONS.items()}
    shown = {title: names for title, names in (known | others).items() if names}
    app.callback(cls=type("Root", (CommandGroup,), {"sections": shown}))(flatten(_root))
    return app


def build_one(name: str) -> typer.Typer | None:
    """One of the commands by itself, which is built faster than all; None where there is none."""
    app = application()
    for known, load in _loaders() if name[:1].isalpha() else ():
        if known == name and (added := _add(app, name, load, tells=False)):
            return added
    return None


def _loaders() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every command by name, with what imports it; the first of a name counts."""
    for name in OWN:
        plain = name.replace("-", "_")
        where, _, what = COMMANDS.get(name, f"gammacp.cli.commands.{plain}:{plain}").partition(":")
        yield name, partial(_imported, where, what)
    for entry in entry_points(group=GROUP):
        if entry.name not in OWN:
            yield entry.name, entry.load


def _imported(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _add(
    app: typer.Typer, name: str, load: Callable[[], Any], *, tells: bool = True
) -> typer.Typer | None:
    """Add a command and give an application that has it; None for a broken one of others."""
    try:
        command = load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
            return command
        app.command(name, cls=Command)(flatten(command))
    except Exception as error:
        if name in OWN:
            raise
        if tells:
            why = why_it_fails(error)
            output.message(f"gammacp: command {name!r} of an installed package {why}", error=True)
        return None
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gammacp {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: bool = option(  # noqa: ARG001
        "Print the version.", default=False, callback=_print_version, is_eager=True
    ),
    imports: list[str] | None = option(
        "Load a module of your own (a name or a .py file) that registers measures, chance "
        "models, dissimilarities, error types, formats or solvers (repeatable).",
        "MODULE",
        names=("--import",),
    ),
    outside: bool = option(
        "Let a campaign.toml or dissimilarity file read files outside its folder.", default=False
    ),
    quiet: bool = option("Print results and errors only.", default=False, names=("--quiet", "-q")),
    verbose: bool = option(
        "Print more progress, and everything that was left out.",
        default=False,
        names=("--verbose", "-v"),
    ),
) -> None:
    output.verbosity = verbose - quiet
    if outside:
        context.with_resource(lift_confinement())
    load_all(imports or ())
