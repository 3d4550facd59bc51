"""All commands under one Typer application."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

import typer

from gammacp import __version__
from gammacp.cli.options.groups import flatten, option
from gammacp.cli.options.names import HELP, Command, Group
from gammacp.plugins import load_all

# Each names a module with the function of that name, or with a Typer of subcommands. They import
# what they need inside their functions, so that `--help` stays quick.
COMMANDS: tuple[str, ...] = (
    "gamma",
    "align",
    "measure",
    "compare",
    "calibrate",
    "consensus",
    "replace",
    "report",
    "bench",
    "shuffle",
    "inspect",
    "convert",
    "formats",
    "segmentation",
    "syntax",
    "solvers",
    "warm-up",
    "cite",
    "reproduce",
    "measures",
)


def build(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with every command, or with those that are named."""
    app = typer.Typer(
        name="gammacp",
        help="How far annotators agree beyond chance on where their units are and what they are.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=HELP,
    )
    app.callback(cls=Group)(flatten(_root))
    for name in names:
        function = name.replace("-", "_")
        command = getattr(import_module(f"gammacp.cli.commands.{function}"), function)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=Command)(flatten(command))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gammacp {__version__}")
        raise typer.Exit


def _root(
    version: bool = option(  # noqa: ARG001
        "Print the version.", default=False, callback=_print_version, is_eager=True
    ),
    imports: list[str] | None = option(
        "Module of your own, by name or as a .py file, that registers measures, chance "
        "models, dissimilarities, error types, formats or solvers (repeatable).",
        "MODULE",
        names=("--import",),
    ),
) -> None:
    load_all(imports or ())
