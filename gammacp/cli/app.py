"""All commands under one Typer application."""

from collections.abc import Mapping
from importlib import import_module

import typer

from gammacp import __version__
from gammacp.cli import output
from gammacp.cli.options.groups import flatten, option
from gammacp.cli.options.names import Command, Group, application
from gammacp.files import unconfined
from gammacp.plugins import load_all

# Each names a module with the function of that name, or with a Typer of subcommands. They import
# what they need inside their functions, so that `--help` stays quick.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Measure": ("gamma", "align", "measure", "segmentation", "syntax"),
    "Understand": ("compare", "calibrate", "replace", "plan", "report", "studio", "watch"),
    "Build": ("init", "consensus"),
    "Formats and data": ("inspect", "convert", "formats", "datasets"),
    "Research": ("shuffle", "bench", "reproduce"),
    "What there is": ("measures", "solvers", "cite", "warm-up"),
}
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)


class _Root(Group):
    """All commands, by what one wants to do."""

    sections = SECTIONS


def build() -> typer.Typer:
    """The application with every command."""
    app = application(
        name="gammacp",
        help="How far annotators agree beyond chance on where their units are and what they are.",
        no_args_is_help=True,
        add_completion=True,
    )
    app.callback(cls=_Root)(flatten(_root))
    for name in COMMANDS:
        _add(app, name)
    return app


def build_one(name: str) -> typer.Typer:
    """One of the commands by itself, which is built faster than all of them."""
    app = application()
    return _add(app, name) or app


def _add(app: typer.Typer, name: str) -> typer.Typer | None:
    """Add a command; what is returned is an application of its own, with subcommands."""
    function = name.replace("-", "_")
    command = getattr(import_module(f"gammacp.cli.commands.{function}"), function)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
        return command
    app.command(name, cls=Command)(flatten(command))
    return None


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
        "Module of your own, by name or as a .py file, that registers measures, chance "
        "models, dissimilarities, error types, formats or solvers (repeatable).",
        "MODULE",
        names=("--import",),
    ),
    outside: bool = option(
        "A campaign.toml or dissimilarity file may read files outside its folder.", default=False
    ),
    quiet: bool = option("Results and errors only.", default=False, names=("--quiet", "-q")),
    verbose: bool = option(
        "More progress, and all that was left out.", default=False, names=("--verbose", "-v")
    ),
) -> None:
    output.verbosity = verbose - quiet
    if outside:
        context.with_resource(unconfined())
    load_all(imports or ())
