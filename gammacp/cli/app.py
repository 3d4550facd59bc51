"""All commands under one Typer application."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer

from gammacp.base.files import lift_confinement
from gammacp.base.subjects import commands
from gammacp.base.version import __version__
from gammacp.cli import output
from gammacp.cli.options.groups import flatten, option
from gammacp.cli.options.names import Command, CommandGroup, application
from gammacp.plugins import load_all, why_it_fails

SECTIONS: Mapping[str, Sequence[str]] = {
    title: names.split()
    for title, names in {
        "Measure": "gamma align verify measure",
        "Understand": "",
        "Build": "init",
        "Formats and data": "inspect convert formats datasets",
        "Research": "",
        "What there is": "measures solvers cite warm-up",
    }.items()
}
"""The headings of `gammacp --help`, each with the commands of the core that stand under it.

The commands of a subject follow under the heading that its `subject.toml` gives, those of other
people's packages under a heading of their own.
"""
GROUP = "gammacp.commands"
"""Entry points by which installed packages bring their commands: a function, whose parameters are
options and groups of them, or a Typer of subcommands. A module here or there imports what it needs
inside its functions, so that `--help` stays quick."""


def build() -> typer.Typer:
    """Return the application with every command."""
    app = application(
        name="gammacp",
        help="How far annotators agree, beyond chance, on where units are and what they are.",
        no_args_is_help=True,
        add_completion=True,
    )
    added = [name for name, load in _loaders() if _add(app, name, load)]
    sections = _sections()
    listed = [name for names in sections.values() for name in names]
    sections["Installed"] = [name for name in added if name not in listed]
    shown = {title: [n for n in names if n in added] for title, names in sections.items()}
    shown = {title: names for title, names in shown.items() if names}
    app.callback(cls=type("Root", (CommandGroup,), {"sections": shown}))(flatten(_root))
    return app


def build_one(name: str) -> typer.Typer | None:
    """Return a single command, which is faster to build than all; None if it is unknown."""
    app = application()
    for candidate, load in _loaders() if name[:1].isalpha() else ():
        if candidate == name and (added := _add(app, name, load, tells=False)):
            return added
    return None


def _sections() -> dict[str, list[str]]:
    """Return the headings with the commands of the core and of the subjects under each."""
    sections = {title: list(names) for title, names in SECTIONS.items()}
    for name, entry in commands().items():
        sections.setdefault(entry.section, []).append(name)
    return sections


def _loaders() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of every command and a function that imports it.

    If a name occurs several times, the first one counts.
    """
    loader_by_name = {}
    for names in SECTIONS.values():
        for name in names:
            module = name.replace("-", "_")
            loader_by_name[name] = partial(_imported, f"gammacp.cli.commands.{module}", module)
    for name, entry in commands().items():
        loader_by_name[name] = partial(_imported, entry.module, entry.function)
    yield from loader_by_name.items()
    for installed in entry_points(group=GROUP):
        if installed.name not in loader_by_name:
            yield installed.name, installed.load


def _imported(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _add(
    app: typer.Typer, name: str, load: Callable[[], Any], *, tells: bool = True
) -> typer.Typer | None:
    """Add a command to an application, and return the application that contains it.

    Return None if the command belongs to another package and cannot be imported; `tells` says
    whether a message is printed then.
    """
    try:
        command = load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
            return command
        app.command(name, cls=Command)(flatten(command))
    except Exception as error:
        if name in commands() or any(name in names for names in SECTIONS.values()):
            raise
        if tells:
            why = why_it_fails(error)
            output.message(f"gammacp: command {name!r} of an installed package {why}", error=True)
        return None
    return app


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"gammacp {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: bool = option(  # noqa: ARG001
        "Print the version.", default=False, callback=_print_version, is_eager=True
    ),
    imports: list[str] | None = option(
        "Load a module of your own (a .py file, or the name of an installed one) that registers "
        "measures, chance models, dissimilarities, error types, formats or solvers (repeatable).",
        "MODULE",
        names=("--import",),
    ),
    outside: bool = option(
        "Let a campaign.toml or dissimilarity file read files outside its folder.", default=False
    ),
    quiet: bool = option("Print results and errors only.", default=False, names=("--quiet", "-q")),
    verbose: bool = option(
        "Print more progress, everything that was left out, and all rows of long tables.",
        default=False,
        names=("--verbose", "-v"),
    ),
) -> None:
    output.verbosity = verbose - quiet
    if outside:
        context.with_resource(lift_confinement())
    load_all(imports or ())
